//! Pictures: runs as space-time diagrams and as a page that plays them, measurements as plots, and pages of both.

pub mod clocks;
pub mod document;
mod live;
pub mod player;
pub mod plot;
pub mod spacetime;
mod xml;

pub use live::live_page;

#[cfg(test)]
mod recordings;
