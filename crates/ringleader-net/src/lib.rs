//! The algorithms as real processes over a real network: connections, certificates, files and clocks around the pure
//! [`ringleader::live::Member`], which decides everything.

pub mod clock;
mod http;
pub mod journal;
pub mod metrics;
pub mod node;
pub mod record;
mod signals;
pub mod status;
mod transport;

pub use transport::Bounds;
