//! An algorithm with its types erased: what engines, the checker and hosts need to know of it.

use super::memory::{CORRUPTED, WRITE_ENDS};
use super::processes::Processes;
use super::reading::{Electing, Excluding, Keeping, Reading};
use super::{Memory, Population};
use crate::model::{
    Birth, Drawn, Election, Exclusion, Given, Knowledge, Message, Name, Port, Process, Promises, Reached,
    Register, RegisterKind, Registers, RuleText, Rules, Settings, Shape, Spec, Surroundings, Timekeeping,
    Told,
};

/// What an algorithm is, as far as its type says so, and how its processes are made.
#[derive(Clone, Copy)]
pub(crate) struct Nature {
    pub(crate) spec: &'static Spec,
    pub(crate) shape: Shape,
    /// What a process is told at birth.
    pub(crate) told: Knowledge,
    /// Its rules, in the order of the book.
    pub(crate) rules: &'static [RuleText],
    /// What is drawn of its variables.
    pub(crate) drawn: &'static [(&'static str, Drawn)],
    /// The kinds of its messages, and which of them only announce.
    pub(crate) kinds: &'static [&'static str],
    pub(crate) announces: &'static [bool],
    /// The kinds of its tokens.
    pub(crate) tokens: &'static [&'static str],
    /// How many timers and local steps it has, and their names.
    pub(crate) timers: Names,
    pub(crate) locals: Names,
    /// The kinds of its registers.
    pub(crate) registers: &'static [RegisterKind],
    /// Whether its rounds grow without end.
    pub(crate) has_rounds: bool,
    /// Bytes of a process and of a message.
    pub(crate) bytes: (usize, usize),
    /// How many of the kinds of messages there are with these settings.
    kinds_with: fn(&Settings) -> usize,
    /// What it does not admit of the surroundings, if anything, and what to type.
    pub(crate) refuses: Refuses,
    /// Whether the clock of this process, of so many, shows the true time.
    pub(crate) is_true: fn(u32, u32) -> bool,
    /// Which algorithm it is of those that this type of process stands for.
    pub(crate) which: u32,
    make: Make,
}

/// What an algorithm does not admit of its surroundings: what is wrong, and what to type.
type Refuses = fn(&Surroundings) -> Option<(String, String)>;

/// Makes so many processes of this nature, each born as this says.
type Make = fn(&'static Nature, u32, &dyn Fn(u32) -> Birth) -> Box<dyn Population>;

impl Nature {
    /// Of an election.
    pub(crate) const fn election<P: Election>() -> &'static Nature {
        const { &Nature::of::<P, Electing>(&[]) }
    }

    /// Of mutual exclusion.
    pub(crate) const fn exclusion<P: Exclusion>() -> &'static Nature {
        const { &Nature::of::<P, Excluding>(P::TOKENS) }
    }

    /// Of clocks that are brought together.
    pub(crate) const fn timekeeping<P: Timekeeping>() -> &'static Nature {
        const { &Nature::of::<P, Keeping>(&[]) }
    }

    const fn of<P: Process, R: Reading<P>>(tokens: &'static [&'static str]) -> Nature {
        const { assert!(P::Local::ALL.len() < 64, "a process has at most 63 local steps") };
        assert!(tokens.len() <= 24, "there are at most 24 kinds of tokens");
        Nature {
            spec: &P::SPEC,
            shape: P::Port::SHAPE,
            told: P::Given::TOLD,
            rules: if P::SPEC.rules.is_empty() { P::Rule::ALL } else { P::SPEC.rules },
            drawn: P::DRAWN,
            kinds: P::Msg::KINDS,
            announces: P::Msg::ANNOUNCES,
            tokens,
            timers: Names::of::<P::Timer>(),
            locals: Names::locals::<P>(),
            registers: P::Register::KINDS,
            has_rounds: P::ROUNDS.is_some(),
            bytes: (size_of::<P>(), size_of::<P::Msg>()),
            kinds_with: P::kinds,
            refuses: P::refuses,
            is_true: P::is_true,
            which: 0,
            make: make::<P, R>,
        }
    }

    /// So many processes, each born as this says.
    pub(crate) fn population(&'static self, n: u32, birth: &dyn Fn(u32) -> Birth) -> Box<dyn Population> {
        (self.make)(self, n, birth)
    }

    /// What this algorithm tells a process at birth, beyond what everybody else knows of it.
    pub(crate) fn birth(&self, birth: &Birth) -> Birth {
        Birth { which: self.which, ..*birth }
    }

    /// The kinds of messages that there are with these settings.
    pub(crate) fn kinds_with(&self, settings: &Settings) -> &'static [&'static str] {
        &self.kinds[..(self.kinds_with)(settings).min(self.kinds.len())]
    }

    /// Whether a message makes a process that has not started do so first.
    pub(crate) fn wakes(&self, started: bool, initiator: bool) -> bool {
        !started && self.spec.needs.reached.starts_first(initiator)
    }

    /// Whether a process that a message has reached counts as started.
    pub(crate) fn is_started_by_message(&self) -> bool {
        self.spec.needs.reached != Reached::MayStartLater
    }

    /// Whether processes have identities.
    pub(crate) fn has_ids(&self) -> bool {
        self.told.has(Told::Identity)
    }

    /// Whether processes have neither identities nor names.
    pub(crate) fn is_anonymous(&self) -> bool {
        !self.has_ids() && !self.told.has(Told::Names)
    }

    /// Whether processes are told something that depends on their index.
    pub(crate) fn knows_its_place(&self) -> bool {
        [Told::Names, Told::Holder, Told::TowardsRoot].into_iter().any(|told| self.told.has(told))
    }

    /// Whether processes have clocks.
    pub(crate) fn has_clocks(&self) -> bool {
        matches!(self.spec.promises, Promises::Clocks { .. })
    }

    pub(crate) fn is_ring(&self) -> bool {
        match self.shape {
            Shape::OneWayRing | Shape::TwoWayRing => true,
            Shape::Edges | Shape::Named | Shape::Memory => false,
        }
    }
}

fn make<P: Process, R: Reading<P>>(
    nature: &'static Nature,
    n: u32,
    birth: &dyn Fn(u32) -> Birth,
) -> Box<dyn Population> {
    let all = (0..n).map(|index| P::new(P::Given::of(&nature.birth(&birth(index))))).collect();
    let kinds = P::Register::KINDS;
    let memory = if kinds.is_empty() || n == 0 {
        Memory::default()
    } else {
        let settings = birth(0).settings;
        Memory::new(kinds, n, settings, P::SPEC.has_safe_registers(&settings))
    };
    Box::new(Processes::<P, R>::new(nature, all, memory))
}

/// The names of timers or local steps.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) count: usize,
    name: fn(usize) -> Option<&'static str>,
}

impl Names {
    const fn of<N: Name>() -> Names {
        Names { count: N::ALL.len(), name: |place| N::ALL.get(place).map(|each| each.name()) }
    }

    /// Of local steps; with registers there is one more, which is no step of the algorithm: in which a write ends that
    /// takes a while, or a machine is put into any state.
    const fn locals<P: Process>() -> Names {
        if P::Register::KINDS.is_empty() {
            return Names::of::<P::Local>();
        }
        let name = |place: usize| match P::Local::ALL.get(place) {
            Some(step) => Some(step.name()),
            None if P::SPEC.needs.registers == Registers::Composite => Some(CORRUPTED),
            None => Some(WRITE_ENDS),
        };
        Names { count: P::Local::ALL.len() + 1, name }
    }

    /// The name at this place.
    pub(crate) fn name(&self, place: u32) -> &'static str {
        (self.name)(place as usize).unwrap_or("")
    }

    /// The place of this name.
    pub(crate) fn place(&self, name: &str) -> Option<u32> {
        self.all().position(|known| known == name).map(|place| place as u32)
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        (0..self.count).filter_map(|place| (self.name)(place))
    }
}
