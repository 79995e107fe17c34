//! The project's own chores, in Rust so that they run wherever the project does. `cargo xtask` lists them.

pub mod tidy;
