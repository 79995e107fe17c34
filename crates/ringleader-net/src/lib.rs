//! The algorithms as real processes over a real network: connections, certificates, files and clocks around the pure
//! [`ringleader_live::Member`], which decides everything.

pub mod cert;
#[cfg(unix)]
pub mod child;
pub mod client;
pub mod clock;
pub mod config;
pub mod doctor;
#[cfg(unix)]
pub mod elect;
pub mod events;
#[cfg(unix)]
pub mod hold;
mod http;
pub mod journal;
pub mod limits;
pub mod log;
pub mod mesh;
pub mod metrics;
pub mod node;
mod notices;
#[cfg(unix)]
pub mod oversee;
pub mod record;
pub mod registry;
pub mod reload;
pub mod signals;
pub mod status;
#[cfg(unix)]
mod terminal;
pub mod threads;
pub mod tls;
mod transport;
pub mod up;
#[cfg(unix)]
pub mod warden;

/// What is wrong, as data: the one type of all crates.
mod problem {
    pub use ringleader_lab::diagnostic::{Advice, Diagnostic as Problem, Spot};
}

pub use mesh::Bounds;
pub use problem::{Advice, Problem, Spot};
#[doc(hidden)]
pub use transport::fuzz;
