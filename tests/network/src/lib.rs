//! Several hosts on one machine, for tests: hosts that are network namespaces, a switch between them that
//! cuts, loses, delays, reorders and doubles what it carries, the program running on each, and two witnesses
//! that say whether ever two members led at one time. [`service`] does the same to the lock service: real servers, real
//! clients that write to a storage, and an auditor of who held what when.
//!
//! Nothing here knows how the program works: it is started, killed and asked from outside, as anybody would.

#![cfg(target_os = "linux")]

mod ask;
mod chance;
pub mod cluster;
pub mod faults;
pub mod lab;
pub mod process;
pub mod service;
pub mod switch;
pub mod table;
pub mod watch;

pub use ask::now_us;
pub use chance::Chance;
