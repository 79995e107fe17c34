//! Serves the page, which is inside the program, and what the page asks for.

pub mod jobs;
