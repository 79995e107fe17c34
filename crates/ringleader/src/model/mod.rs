//! The vocabulary in which an algorithm is written. It knows nothing of engines, networks or files.
//!
//! A [`Process`] has local variables and one clause per input; its effects go to an [`Outbox`]. It sends messages, or
//! its local steps read and write [`Register`]s that it shares with others. Its [`Port`] type says
//! which network it is for, its [`Given`] what it is told, its [`Spec`] what else it needs, promises and costs. An
//! [`Election`], an [`Exclusion`] or a [`Timekeeping`] is a process whose outcome can be read from its state.

mod arithmetic;
mod clock;
mod contract;
mod elector;
mod family;
mod given;
mod header;
mod id;
mod left_over;
mod message;
mod outbox;
mod peers;
mod port;
mod process;
mod processes;
mod quorum;
mod register;
mod setting;
mod shared;
mod snapshot;
mod spec;
mod state;
mod ticks;
mod timekeeping;
mod value;
mod wire;

pub use arithmetic::{fibonacci, floor_log2, golden_ranks, harmonic, largest_phase, n_log_n};
pub use clock::{Clock, VectorClock};
pub use contract::Claim;
pub use elector::{Asks, Contest, Elector, Part};
pub use family::Family;
pub use given::{
    Begins, Birth, Degree, Given, Holder, Knowledge, Launch, MaxDelay, Range, Size, Told, TowardsRoot,
};
pub use header::{Header, HeaderError, errata};
pub use id::Id;
pub use left_over::LeftOver;
pub use message::{Charge, Message};
pub(crate) use outbox::NO_CLOCK;
pub use outbox::Outbox;
pub(crate) use peers::Bits;
pub use peers::Peers;
pub use port::{Edge, Next, Peer, Port, Shape, Side};
pub use process::{
    Decided, Decides, Decision, Doorway, Election, Exclusion, Knows, NOT_STARTED, Process, Rounds,
    Stabilising, Stage, Timekeeping, User, Verdict,
};
pub use processes::Processes;
pub use quorum::{largest_quorum, line_or_grid};
pub use register::{Register, RegisterKind};
pub use setting::{Setting, SettingValues, Settings};
pub use shared::{Daemon, Registers};
pub use snapshot::Snapshot;
pub use spec::{
    Arranged, Average, Basis, Bound, Constant, Cost, Counts, Erratum, Facts, Graph, GrowingSizes, Informed,
    Links, Needs, Order, Orientation, Promises, Reached, RuleText, Schedules, Spec, Talks, Timing, Tolerates,
    Winner,
};
pub use state::{Drawn, Rules, Shown, State, derive_field, set_field, word_bytes, word_len};
pub use ticks::Ticks;
pub use timekeeping::{Against, Belief, Delays, Drift, Estimate, Surroundings, Synchrony};
pub use value::{Fields, Name, Never, Show, Value};
pub use wire::{
    Field, Sizes, Wire, WireError, bits_of, put_bytes, put_number, take_bytes, take_number, take_text,
};

// The macros of the vocabulary, so that an algorithm imports this module and nothing else.
pub use crate::{fields, messages, names, registers, rules, state, types};
