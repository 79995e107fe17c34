//! Pictures: runs as space-time diagrams and as a page that plays them, measurements as plots.

pub mod player;
pub mod spacetime;
mod xml;

#[cfg(test)]
mod recordings;
