//! Everybody as they are at some moment, for whoever watches a run: local variables by name, with the identities that
//! the user gave.

use crate::model::{Fields, Stage, Synchrony, Ticks, Value, Verdict};
use crate::population::{Population, Position, Status};
use crate::scenario::Setup;
use crate::trace::Standing;

/// All processes of a run, at some moment.
pub trait Crowd {
    /// How many there are.
    fn count(&self) -> u32;
    /// The local variables of one of them, as they are shown.
    fn variables(&self, process: u32) -> Vec<(&'static str, String)>;
    /// What it is, in its own word: the first of its variables that is one. None where no variable is a word.
    fn role(&self, process: u32) -> Option<&'static str>;
    /// Where it stands.
    fn standing(&self, process: u32) -> Standing;
    /// Its identity, if it has one.
    fn id(&self, process: u32) -> Option<u64>;
}

/// A step that was taken: less than an event, and much cheaper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// When, as events count it.
    pub time: u64,
    /// Who moved, or to whom it happened.
    pub process: u32,
    /// How many messages were sent so far, in all.
    pub messages: u64,
    /// How many of them are on their way.
    pub in_transit: u64,
    /// How many arrived in this step.
    pub received: u32,
}

/// A message that arrives.
#[derive(Clone, PartialEq, Debug)]
pub struct Received {
    /// Its number.
    pub message: u64,
    /// Who sent it.
    pub from: u32,
    /// Where it arrives.
    pub to: u32,
    /// In words, as a call: `tid(7)`.
    pub text: String,
}

/// The processes of an engine.
pub(super) struct Everybody<'a> {
    pub(super) population: &'a dyn Population,
    pub(super) statuses: &'a [Status],
    pub(super) setup: &'a Setup,
    /// Which are down; empty if none can be.
    pub(super) down: &'a [bool],
    /// What the clock of a process shows to users, and what the process reckons with, if it has one.
    pub(super) clock: &'a dyn Fn(u32) -> Option<(Ticks, Ticks)>,
}

/// Everybody, as a world has them. (A method would borrow the observer as well.)
macro_rules! everybody {
    ($world:ident) => {
        $crate::sim::crowd::Everybody {
            population: &*$world.population,
            statuses: &$world.statuses,
            setup: $world.setup,
            down: &$world.down,
            clock: &|process| $world.problem.clock(process, $world.now),
        }
    };
}
pub(super) use everybody;

impl Crowd for Everybody<'_> {
    fn count(&self) -> u32 {
        self.setup.n
    }

    fn variables(&self, process: u32) -> Vec<(&'static str, String)> {
        let clock = (self.clock)(process)
            .map(|(shown, corrected)| [("clock", Value::Ticks(corrected)), ("shown", Value::Ticks(shown))]);
        let mut fields: Fields = clock.into_iter().flatten().chain(self.population.fields(process)).collect();
        fields.extend(self.population.memory().fields(process));
        texts(fields, self.setup)
    }

    fn role(&self, process: u32) -> Option<&'static str> {
        first_word(self.population.fields(process))
    }

    fn standing(&self, process: u32) -> Standing {
        if self.down.get(process as usize) == Some(&true) {
            return Standing::Down;
        }
        match self.statuses[process as usize].position() {
            Position::Verdict(Verdict::Undecided) | Position::User(Stage::Idle) => Standing::Open,
            Position::Verdict(Verdict::Lost) => Standing::Lost,
            Position::Verdict(Verdict::Leader) => Standing::Leads,
            Position::User(Stage::Waiting) => Standing::Waiting,
            Position::User(Stage::Inside) => Standing::Inside,
            Position::Clock(Synchrony::Unsynchronised | Synchrony::Reference) => Standing::Open,
            Position::Clock(Synchrony::Synchronised) => Standing::Synchronised,
            Position::Clock(Synchrony::Lost) => Standing::OutOfContact,
        }
    }

    fn id(&self, process: u32) -> Option<u64> {
        self.setup.arrangement.as_ref()?;
        Some(self.setup.name(self.setup.id(process)))
    }
}

fn texts(fields: Fields, setup: &Setup) -> Vec<(&'static str, String)> {
    let name = |id| setup.name(id);
    fields.into_iter().map(|(field, value)| (field, value.text(&name))).collect()
}

fn first_word(fields: Fields) -> Option<&'static str> {
    fields.into_iter().find_map(|(_, value)| if let Value::Word(word) = value { Some(word) } else { None })
}
