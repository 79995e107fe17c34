//! A process without an engine: what a real machine needs to drive an algorithm of the registry by real
//! messages, timers and randomness. Its type is hidden; its messages are bytes.
//!
//! A [`Cast`] is an algorithm with everybody's part handed out: identities, wiring, settings. It makes an [`Actor`] for
//! one of them, says where a message goes that leaves by a port, and what a recording of the run begins with.
//! A [`Sharer`] is a process that shares registers with others: it needs [`Cells`] that a thread can read and write.

mod actor;
mod cast;
mod shared;

pub use crate::population::{Cells, Position};
pub use actor::Actor;
pub use cast::{Cast, Way};
pub use shared::Sharer;

use crate::model::{Estimate, Ticks};
use crate::trace::Reading;

use std::borrow::Cow;

/// What a clock shows, and what its process believes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockFace {
    /// What it shows, corrected.
    pub shows: Ticks,
    /// By how much it was corrected, all in all.
    pub correction: Ticks,
    /// How far it may be off, if the process promises that.
    pub promise: Option<Ticks>,
}

/// What one step asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Effects {
    /// What it sends, in order.
    pub sends: Vec<Outgoing>,
    /// The timers that it sets, with their ticks, and stops, in order; by their place among the algorithm's timers.
    pub timers: Vec<(usize, Option<u32>)>,
    /// The answers to its random choices, in order.
    pub choices: Vec<u32>,
    /// The rules that it followed, in order.
    pub rules: Vec<&'static str>,
    /// How many phases it began.
    pub phases: u32,
    /// A case that the proof excludes.
    pub impossible: Option<&'static str>,
    /// What its clock showed, where it has one, and by how much the step corrects it.
    pub clock: Option<Reading>,
    /// What it found out about other clocks.
    pub estimates: Vec<Estimate>,
}

/// A message that is to be sent.
#[derive(Clone, PartialEq, Debug)]
pub struct Outgoing {
    /// The port that it leaves by.
    pub port: u32,
    /// Its kind, an index into the kinds of the algorithm.
    pub kind: usize,
    /// Its wire form.
    pub bytes: Vec<u8>,
    /// Its fields as text, with the identities that the user gave.
    pub fields: Vec<(Cow<'static, str>, String)>,
}

/// Fields as text.
pub type Shown = Vec<(Cow<'static, str>, String)>;

/// What cannot be handed to a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// The bytes are no message of this algorithm.
    Bytes(crate::model::WireError),
    /// It has no such port.
    Port,
    /// It has no such timer or local step, or the step cannot be taken now.
    Step,
    /// Its user cannot do that now.
    User,
}
