//! Servers of one process, each in a thread of its own, over real sockets with real certificates: what clients see.

mod errors;
mod faults;
mod folders;
mod locks;
mod metrics;
mod moves;
mod overload;
mod process;
mod reload;
mod shared;
mod stores;
mod storm;
mod strangers;
mod support;
