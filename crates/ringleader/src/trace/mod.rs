//! What happened, step by step: one event type for the simulator, the checker, the browser and the network.
//!
//! A recording is a [`Header`] and a list of [`Event`]s. An event holds the input that the scheduler chose and the
//! answers to every random choice, so that a replay needs no generator; and it holds what the step did, so that a
//! reader needs no engine. [`transcript`] puts it into words; [`History`] ties it together: what became of each
//! message, and what caused what. Files of them are written and read by the `ringleader-lab` crate;
//! docs/reference/formats.md describes them.

mod clocks;
mod history;
mod merge;
mod snapshot;
mod window;
mod words;

pub use clocks::{VectorClock, VectorClocks};
pub use history::{End, History, Passage, Standing, Step};
pub use merge::{MergeError, Merged, merge, of_one_run};
pub use snapshot::{
    Cut, OnTheWay, Part, States, Variables, Wire, is_consistent, is_without_faults, snapshot,
};
pub use window::{LeftOut, Window};
pub(crate) use words::as_call;
pub use words::{Line, Narrator, message, transcript, transcript_with_clocks};

use crate::model::{Fields, Id};
use std::borrow::Cow;

/// Everything about a run that is not an event.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The algorithm's name.
    pub algorithm: String,
    /// The number of processes.
    pub n: u32,
    /// The identities in ring order; empty where there are none.
    pub ids: Vec<u64>,
    /// Who starts of its own accord.
    pub initiators: Vec<u32>,
    /// The links, by name.
    pub links: String,
    /// The topology, by name.
    pub topology: String,
    /// For each process the physical port behind each of its port numbers; empty where they are the usual ones.
    pub ports: Vec<Vec<u32>>,
    /// The neighbours of each process, where the graph was drawn at random; empty otherwise.
    pub neighbours: Vec<Vec<u32>>,
    /// The range of random identities.
    pub range: u32,
    /// The algorithm's own settings.
    pub settings: Vec<(String, String)>,
    /// The schedule under which it was recorded, by name.
    pub schedule: String,
    /// The seed of the run.
    pub seed: u64,
    /// Whether it left the algorithm's assumptions, by permission.
    pub unsound: bool,
    /// How many ticks of `Event::time` make one unit of time.
    pub ticks_per_unit: u64,
    /// The bound on message delays that processes were told, in units.
    pub max_delay: u32,
    /// The states in which machines begin that may begin anywhere, and what their links hold; empty otherwise.
    pub from: Vec<u32>,
    /// The clocks, where processes have any.
    pub clocks: Option<Clocks>,
}

/// The clocks of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// What each shows at the beginning, in ticks.
    pub offsets: Vec<i64>,
    /// How much faster or slower than real time each runs, in millionths.
    pub drifts: Vec<i64>,
    /// The bound on that which processes were told.
    pub bound: u32,
    /// What becomes of a clock that is ahead, by name.
    pub backward: String,
    /// The least message delay that processes were told, in units.
    pub min_delay: u32,
}

/// A run on record.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// What is not an event.
    pub header: Header,
    /// The steps, in order.
    pub events: Vec<Event>,
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// When: the round, the time in ticks, or the number of the step, as the schedule counts.
    pub time: u64,
    /// Who moved.
    pub process: u32,
    /// What came in.
    pub input: Input,
    /// The answers to the random choices of this step, in order.
    pub choices: Vec<u32>,
    /// The rules that fired, in order.
    pub rules: Vec<Cow<'static, str>>,
    /// What was sent, in order.
    pub sends: Vec<Sent>,
    /// What the step means for the problem, if anything.
    pub outcome: Option<Outcome>,
    /// A case that the proof excludes arose.
    pub impossible: Option<Cow<'static, str>>,
    /// What was read from registers and written to them, in order.
    pub accesses: Vec<Access>,
    /// What the clock of the process shows, where it has one.
    pub clock: Option<Reading>,
}

/// What a process reads on its clock, in ticks, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// What it shows.
    pub shows: String,
    /// By how much the step corrects it, if it does.
    pub adjusts: Option<String>,
}

impl Event {
    /// A step of which no more is known than what came in.
    #[must_use]
    pub fn bare(time: u64, process: u32, input: Input) -> Event {
        Event {
            time,
            process,
            input,
            choices: Vec::new(),
            rules: Vec::new(),
            sends: Vec::new(),
            outcome: None,
            impossible: None,
            accesses: Vec::new(),
            clock: None,
        }
    }
}

/// A read or a write of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The register, by name.
    pub register: Cow<'static, str>,
    /// What was read or written.
    pub value: u32,
    /// Whether it was written.
    pub writes: bool,
}

/// What comes in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// It starts of its own accord.
    Start,
    /// One message arrives, or several at once on half-duplex links.
    Deliver(Vec<Arrival>),
    /// A timer runs out.
    Timeout(Cow<'static, str>),
    /// It takes a local step.
    Local(Cow<'static, str>),
    /// Its user wants in.
    Want,
    /// Its user leaves.
    Exit,
    /// It stops.
    Crash,
    /// It comes back.
    Recover,
    /// It is told that this process is down.
    Suspect(u32),
    /// A message that was on its way to it is lost.
    Lose(Arrival),
    /// A message that is on its way to it is doubled; the copy has the next number.
    Double(Arrival),
}

impl Input {
    /// The messages that arrive.
    #[must_use]
    pub fn arrivals(&self) -> &[Arrival] {
        if let Input::Deliver(arrivals) = self { arrivals } else { &[] }
    }
}

/// A message that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The number of the message: messages are numbered in sending order, from 0.
    pub message: u64,
    /// The port at which it arrives.
    pub port: u32,
}

/// A message that was sent.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// Its number.
    pub message: u64,
    /// The port that it leaves by.
    pub port: u32,
    /// Where it goes.
    pub to: u32,
    /// The name of its kind.
    pub kind: Cow<'static, str>,
    /// Its fields, shown with the identities that the user gave.
    pub fields: Vec<(Cow<'static, str>, String)>,
    /// What became of it on the way.
    pub fate: Fate,
}

/// What the network does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It travels.
    Travels,
    /// It is lost.
    Lost,
    /// It travels twice; the second copy has the next number.
    Doubled,
}

/// What a step means for the problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It leads.
    Leads,
    /// It knows that it lost.
    Lost,
    /// It was decided and is no longer.
    Undecided,
    /// Its user waits.
    Waits,
    /// Its user is inside.
    Enters,
    /// Its user has left.
    Leaves,
    /// It has set its clock, and promises how far it is off at most.
    Synchronises,
    /// It gives up setting its clock.
    LosesContact,
}

impl Outcome {
    /// Its name in formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Leads => "leads",
            Outcome::Lost => "lost",
            Outcome::Undecided => "undecided",
            Outcome::Waits => "waits",
            Outcome::Enters => "enters",
            Outcome::Leaves => "leaves",
            Outcome::Synchronises => "synchronises",
            Outcome::LosesContact => "loses-contact",
        }
    }
}

/// Fields shown as text, with identities named by `name`.
#[must_use]
pub fn shown(fields: Fields, name: &dyn Fn(Id) -> u64) -> Vec<(Cow<'static, str>, String)> {
    fields.into_iter().map(|(field, value)| (Cow::Borrowed(field), value.text(name))).collect()
}
