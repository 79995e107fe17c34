//! A process: local variables and one clause per input. The problems add how the outcome is read.

use super::{
    Belief, Given, Id, Message, Name, Outbox, Peer, Port, Register, Rules, Settings, Show, Spec, State,
    Surroundings, Value,
};
use core::fmt::Debug;
use core::hash::Hash;

/// Why a process is never asleep when a message arrives, unless its contract says otherwise: whoever is reached starts
/// first.
pub const NOT_STARTED: &str = "everybody starts before its first message";

/// One process of an algorithm: a state, and what it does on each input.
///
/// A step is a function of the state, the input and the answers to `choose`. Nothing else may influence it, so that
/// every engine, and every replay, sees the same step.
pub trait Process: State + Clone + Eq + Hash + Debug + Send + Sync + Sized + 'static {
    /// The contract: what it needs, promises and costs, and where it comes from.
    const SPEC: Spec;
    /// What a process is told at birth.
    type Given: Given;
    /// Its ways out, and with them the kind of network.
    type Port: Port;
    /// What it sends.
    type Msg: Message;
    /// Its rules; [`Never`](super::Never) if it names none.
    type Rule: Rules;
    /// Its timers; [`Never`](super::Never) if it has none.
    type Timer: Name;
    /// Its local steps, taken of its own accord at any moment; [`Never`](super::Never) if it has none.
    type Local: Name;
    /// The registers that it shares with others; [`Never`](super::Never) if it has none.
    type Register: Register;

    /// Its rounds, where they grow without end and are only ever compared: a checker then counts them from the oldest
    /// that matters, and has an end.
    const ROUNDS: Option<Rounds<Self>> = None;

    /// How many of the kinds of messages there are with these settings: the first so many.
    fn kinds(settings: &Settings) -> usize {
        let _ = settings;
        Self::Msg::KINDS.len()
    }

    /// What of these surroundings it does not admit, if anything: what is wrong, and what to type.
    fn refuses(around: &Surroundings) -> Option<(String, String)> {
        let _ = around;
        None
    }

    /// Whether the clock of this process shows the true time, unless the scenario says what it shows.
    fn is_true(index: u32, n: u32) -> bool {
        let _ = (index, n);
        false
    }

    /// A new process, before its start.
    fn new(given: Self::Given) -> Self;

    /// It starts: of its own accord, or (where the contract says that it wakes) just before its first message. Nothing
    /// happens then unless it says so.
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        let _ = out;
    }

    /// A message arrives.
    fn receive(&mut self, from: Self::Port, msg: Self::Msg, out: &mut impl Outbox<Self>);

    /// Whether it would take exactly these waiting messages in its next step. On half-duplex links a process may be
    /// handed several at once, in the order of each link; what it does not accept stays in the link.
    fn accepts(&self, batch: &[(Self::Port, Self::Msg)]) -> bool {
        let _ = batch;
        true
    }

    /// Several waiting messages arrive in one step. Only half-duplex links hand over more than one.
    fn receive_several(&mut self, batch: &[(Self::Port, Self::Msg)], out: &mut impl Outbox<Self>) {
        for (from, msg) in batch {
            self.receive(*from, msg.clone(), out);
        }
    }

    /// A timer runs out.
    fn timeout(&mut self, timer: Self::Timer, out: &mut impl Outbox<Self>) {
        let _ = (timer, out);
    }

    /// Whether it could take this local step now.
    fn can(&self, step: Self::Local) -> bool {
        let _ = step;
        false
    }

    /// Whether it could take this local step now, where that depends on registers too; `read` says what is in them.
    fn guard(&self, step: Self::Local, read: &dyn Fn(Self::Register) -> u32) -> bool {
        let _ = read;
        self.can(step)
    }

    /// It takes a local step. With registers it reads one or writes one, unless the contract says that steps are
    /// composite.
    fn step(&mut self, step: Self::Local, out: &mut impl Outbox<Self>) {
        let _ = (step, out);
    }

    /// The failure detector says that the process behind this port is down.
    fn suspect(&mut self, who: Self::Port, out: &mut impl Outbox<Self>) {
        let _ = (who, out);
    }

    /// It comes back after a crash, newly made: what it knew is gone.
    fn recover(&mut self, out: &mut impl Outbox<Self>) {
        self.start(out);
    }
}

/// Rounds that grow without end. To count all of them from `by` rounds later on must change nothing that processes do,
/// as long as no process is in an earlier round; what messages have of earlier ones becomes 0.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<P: Process> {
    /// The round that a process is in, or is to begin with; none if it does not compare rounds any more.
    pub of: fn(&P) -> Option<u32>,
    /// Counts the rounds of a process from `by` later on.
    pub process: fn(&mut P, by: u32),
    /// Counts the rounds of a message likewise.
    pub message: fn(&mut P::Msg, by: u32),
}

/// An algorithm for leader election.
pub trait Election: Process {
    /// What this process has decided, as far as it has.
    fn outcome(&self) -> Decision;
}

/// What a process says about itself, and what it knows about the leader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    /// What it says about itself.
    pub verdict: Verdict,
    /// What it knows about the leader.
    pub knows: Knows,
}

impl Decision {
    /// Nothing yet.
    pub const NONE: Decision = Decision { verdict: Verdict::Undecided, knows: Knows::Nothing };

    /// Of a process that is told the leader's identity, or not yet.
    #[must_use]
    #[inline(always)] // lanes ask after every step, and use half of it
    pub fn of(me: Id, leader: Option<Id>) -> Decision {
        Decision { verdict: Verdict::of(me, leader), knows: leader.into() }
    }

    /// It leads, and that is its identity.
    #[must_use]
    pub const fn leads(me: Id) -> Decision {
        Decision { verdict: Verdict::Leader, knows: Knows::Identity(me) }
    }

    /// Of a process that is told the leader's name, or not yet.
    #[must_use]
    #[inline(always)]
    pub fn named(me: Peer, leader: Option<Peer>) -> Decision {
        match leader {
            None => Decision::NONE,
            Some(peer) if peer == me => Decision { verdict: Verdict::Leader, knows: Knows::Name(peer) },
            Some(peer) => Decision { verdict: Verdict::Lost, knows: Knows::Name(peer) },
        }
    }
}

/// What a process says about itself in an election.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Not known yet.
    Undecided,
    /// It does not lead.
    Lost,
    /// It leads.
    Leader,
}

impl Verdict {
    /// The verdict of a process that is told who leads, or not yet.
    #[must_use]
    #[inline(always)]
    pub fn of(me: Id, leader: Option<Id>) -> Verdict {
        match leader {
            None => Verdict::Undecided,
            Some(id) if id == me => Verdict::Leader,
            Some(_) => Verdict::Lost,
        }
    }
}

/// What a process knows about who leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Knows {
    /// Nothing yet.
    Nothing,
    /// That there is a leader; without identities there is nothing more to know.
    ThereIsOne,
    /// The leader's identity.
    Identity(Id),
    /// The leader's name.
    Name(Peer),
}

impl From<Option<Id>> for Knows {
    #[inline(always)]
    fn from(known: Option<Id>) -> Knows {
        known.map_or(Knows::Nothing, Knows::Identity)
    }
}

/// What a mode of a process says about the election. Declared with [`state!`](crate::state).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decided {
    /// Nothing yet.
    Nothing,
    /// It leads.
    Leads,
    /// It does not lead.
    Loses,
    /// This other one leads.
    Follows(Id),
    /// This one leads, another or itself.
    Knows(Id),
}

/// The modes of a process, each with what it decides. Declared with [`state!`](crate::state).
pub trait Decides {
    /// What this mode decides.
    fn decides(&self) -> Decided;

    /// The leader that a process with this identity knows.
    #[inline(always)]
    fn leader(&self, me: Id) -> Option<Id> {
        match self.decides() {
            Decided::Nothing | Decided::Loses => None,
            Decided::Leads => Some(me),
            Decided::Follows(leader) | Decided::Knows(leader) => Some(leader),
        }
    }

    /// The outcome of a process with this identity.
    #[inline(always)]
    fn outcome(&self, me: Id) -> Decision {
        match self.decides() {
            Decided::Nothing => Decision::NONE,
            Decided::Leads => Decision::leads(me),
            Decided::Loses => Decision { verdict: Verdict::Lost, knows: Knows::Nothing },
            Decided::Follows(leader) => Decision { verdict: Verdict::Lost, knows: Knows::Identity(leader) },
            Decided::Knows(leader) => Decision::of(me, Some(leader)),
        }
    }

    /// The outcome of a process without an identity: who has decided knows that there is a leader, and nothing more.
    #[inline(always)]
    fn anonymous(&self) -> Decision {
        match self.decides() {
            Decided::Nothing => Decision::NONE,
            Decided::Leads => Decision { verdict: Verdict::Leader, knows: Knows::ThereIsOne },
            Decided::Loses | Decided::Follows(_) | Decided::Knows(_) => {
                Decision { verdict: Verdict::Lost, knows: Knows::ThereIsOne }
            }
        }
    }
}

/// A process with a user, who wants into the critical section. Declared with [`state!`](crate::state), where a variable
/// of type [`Stage`] says where that user stands.
pub trait User {
    /// Where its user stands.
    fn stage(&self) -> Stage;
}

/// An algorithm for mutual exclusion.
pub trait Exclusion: Process + User {
    /// The kinds of tokens, named as the messages that carry them, of which there must never be two of a kind; empty
    /// where there are none, or where they cannot be lost.
    const TOKENS: &'static [&'static str] = &[];

    /// The user of this process wants in. Only when idle; with registers, only when no local step is left to take.
    fn request(&mut self, out: &mut impl Outbox<Self>);
    /// The user leaves. Only when inside.
    fn release(&mut self, out: &mut impl Outbox<Self>);
    /// The priority of its current request, smaller first, where the algorithm promises to serve in that order.
    fn priority(&self) -> Option<(u64, u32)> {
        None
    }
    /// How far it is through the doorway, after which those are served first who came first, where the algorithm
    /// promises that.
    fn doorway(&self) -> Doorway {
        Doorway::Outside
    }
    /// The tokens that are here, one bit for each of [`Exclusion::TOKENS`].
    fn tokens(&self) -> u32 {
        0
    }
    /// Whether a machine that holds this value has a privilege when a message tells it that one.
    fn has_privilege(&self, holds: u32, told: u32) -> bool {
        let _ = (holds, told);
        false
    }
}

/// Machines whose whole state is in registers that their neighbours read. A local step is a guard over registers and
/// what it writes, in one step; a guard that holds is a privilege, the permission to be inside. There are no users: a
/// machine that has a privilege is inside from when the daemon chooses it until it has moved.
///
/// Where no machine can read another, each has one register, which it alone reads and writes; a message tells what was
/// in the register of its sender and nothing else, and a link holds some messages at most. What links hold is part of
/// the state. A machine has a privilege when it is told a value on which it moves, and is inside in that step.
pub trait Stabilising: Process {
    /// Where machines tell their values by messages: whether one that holds this value has a privilege when it is told
    /// that one.
    fn has_privilege(&self, holds: u32, told: u32) -> bool {
        let _ = (holds, told);
        false
    }
}

impl<P: Stabilising> User for P {
    fn stage(&self) -> Stage {
        Stage::Idle
    }
}

impl<P: Stabilising> Exclusion for P {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.impossible(NO_USERS);
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.impossible(NO_USERS);
    }

    fn has_privilege(&self, holds: u32, told: u32) -> bool {
        Stabilising::has_privilege(self, holds, told)
    }
}

/// Why nobody asks a machine.
const NO_USERS: &str = "a machine has no users";

/// How far a process is through the doorway: the lines that it goes through without waiting for anybody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doorway {
    /// It has not begun.
    Outside,
    /// It is in it.
    Inside,
    /// It has passed it, and waits.
    Passed,
}

/// An algorithm that brings clocks together.
///
/// A process has a hardware clock, which it cannot set, and reckons with that clock plus its corrections: `now` and
/// `adjust` of its [`Outbox`]. Its timers count ticks of the hardware clock. The clock that users see is
/// never set back: it stands still, or runs more slowly, until the corrected clock has caught up with it.
pub trait Timekeeping: Process {
    /// What it believes of its corrected clock.
    fn belief(&self) -> Belief;
}

/// Where the user of a process stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Elsewhere.
    Idle,
    /// Has asked.
    Waiting,
    /// In the critical section.
    Inside,
}

impl Show for Stage {
    fn show(&self) -> Value {
        Value::Word(match self {
            Stage::Idle => "idle",
            Stage::Waiting => "waiting",
            Stage::Inside => "inside",
        })
    }
}
