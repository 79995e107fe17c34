//! A client of the Ringleader lock service.
//!
//! A lease is a promise about two clocks, not about your writes: after the deadline you must have stopped, and a process
//! that is paused does not know. Only a storage that refuses smaller fences protects data.

pub mod api;
