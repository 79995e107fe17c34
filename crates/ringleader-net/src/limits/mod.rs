//! What strangers, clients and peers may cost a process: how many connections of each kind there may be, how long each
//! phase of a connection may take, and how often refusals are logged. Every listener of this workspace uses these.
//!
//! A connection begins as a stranger's. Strangers have a [`Purse`] of their own: whoever comes last always gets a
//! place, at the cost of the oldest connection of the host that has the most. A connection that has shown who it is
//! moves to the purse of clients, from which nobody is displaced.

mod door;
#[cfg(unix)]
mod files;
mod paced;
mod purse;
mod sieve;

pub use door::{Listener, accept, visit};
#[cfg(unix)]
pub use files::{Budget, allowance};
pub use paced::Paced;
pub use purse::{Host, Place, Purse};
pub use sieve::Sieve;

use std::time::Duration;

/// How long each phase of a connection may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phases {
    /// Everything up to the proof of who is there, all together: the handshake, the head of a call and a refusal.
    pub stranger: Duration,
    /// From the end of a call to the end of the head of the next.
    pub idle: Duration,
    /// The body of a call.
    pub body: Duration,
    /// A moment without progress while something is written: the other side does not read.
    pub write: Duration,
}

impl Default for Phases {
    fn default() -> Phases {
        Phases {
            stranger: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            body: Duration::from_secs(10),
            write: Duration::from_secs(10),
        }
    }
}
