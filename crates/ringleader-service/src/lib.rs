//! A server of the lock service: sockets, certificates, HTTP, files and clocks around the pure
//! [`ringleader::lock::Server`], which decides everything.

pub mod config;
