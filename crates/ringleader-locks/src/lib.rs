//! The lock and leader service as pure state machines: no socket, no clock, no disk, no randomness of its own.
//!
//! A few *servers* keep named locks for many *clients*. Which servers there are, and in which *epoch*, says the
//! [`View`], which a linearizable store keeps; a lock's token travels from server to server inside an epoch
//! (the algorithm `homed-chain`), and nothing about locks is ever written to a disk. From below: a [`Fence`]
//! numbers grants, a [`View`] changes by [`Command`]s, [`Times`] has every use of clocks, a [`Message`] travels
//! between servers, an [`Ask`] comes from a client and gets an [`Answer`]; a [`Server`] decides everything, and
//! a [`Session`] is the client's side of the promise. What drives them hands in what happened and when, and
//! carries out what comes back.

mod ask;
mod codec;
mod fence;
mod message;
mod mode;
mod name;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod times;
mod view;

pub use ask::{Answer, Ask, Asker, Belief, Denial, LockState, Rid, SessionId};
pub use codec::MAX_MESSAGE;
pub use fence::{BadFence, Fence, MAX_COUNTER, MAX_EPOCH, first_epoch};
pub use message::{Carried, Ending, Finished, Hold, Lent, Message, Owned, Parcel};
pub use mode::{MAX_HOLDERS, Mode};
pub use name::{BadName, Kind, MAX_NAME, MAX_VALUE, Name};
pub use server::{
    Event, Input, Limits, LockStatus, OpenSession, Output, Path, Server, ServerSpec, ServerStatus, Tally,
};
#[cfg(feature = "rehearsal")]
pub use server::{Rule, Rules};
pub use session::{Session, Standing, Told};
pub use times::{Class, Times};
pub use view::{Command, Run, SHARDS, Seat, ServerId, Stale, View};
