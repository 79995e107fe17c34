//! A server of the lock service: sockets, certificates, HTTP, files and clocks around the pure
//! [`ringleader_locks::Server`], which decides everything.

pub mod access;
pub mod config;
pub mod core;
pub mod doctor;
pub mod embedded;
pub mod front;
pub mod http;
pub mod journal;
pub mod local;
pub mod look;
pub mod mesh;
pub mod metrics;
mod owner;
mod queue;
pub mod reach;
pub mod reload;
pub mod service;
pub mod store;
mod words;

pub use service::{Handle, Options, Service};
