//! The algorithms as real processes over a real network: connections, certificates, files and clocks around the pure
//! [`ringleader::live::Member`], which decides everything.

pub mod cert;
pub mod clock;
pub mod config;
mod problem;
mod suggest;
pub mod tls;

pub use problem::{Advice, Problem, Spot};
