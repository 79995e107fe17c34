//! What came of a run, as plain data. Leaves print it.

use crate::model::{Basis, Counts, Daemon, Facts, Links, Spec, Ticks};
use crate::scenario::Setup;

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The number of processes.
    pub n: u32,
    /// The links it ran on.
    pub links: Links,
    /// The network it ran on, by name.
    pub topology: &'static str,
    /// Where it left the algorithm's assumptions, in words; empty if it stayed within them.
    pub outside: Vec<String>,
    /// The result in one word.
    pub outcome: RunOutcome,
    /// All messages sent.
    pub messages: u64,
    /// Those of the election, without the announcement.
    pub election_messages: u64,
    /// Messages sent by kind, every kind listed.
    pub by_kind: Vec<(&'static str, u64)>,
    /// The last round with a delivery, under the schedule `rounds`.
    pub rounds: Option<u64>,
    /// Most phases begun by one process, or the largest phase number; none where there are no phases.
    pub phases: Option<u64>,
    /// Deliveries and other inputs handled.
    pub steps: u64,
    /// The time of the last step, in units, under timed schedules and rounds.
    pub time: Option<f64>,
    /// The proved bound, if one applies.
    pub bound: Option<BoundCheck>,
    /// The expected number of messages, if one is known.
    pub average: Option<Expected>,
    /// The problem's properties, one by one.
    pub properties: Vec<Property>,
    /// Deliveries in each of the first rounds (at most 64), under `rounds`.
    pub per_round: Vec<u64>,
    /// The identities in ring order, for n up to 10,000; empty for anonymous processes.
    pub ids: Vec<u64>,
    /// The size of all messages in bits, if metered.
    pub bits: Option<u64>,
    /// The longest causal chain of messages, if metered.
    pub depth: Option<u64>,
    /// Messages handled per process, if metered.
    pub load: Option<Spread>,
    /// What is particular to the problem.
    pub details: Details,
}

/// No more identities are part of a report.
const IDS_MOST: u32 = 10_000;

impl Report {
    /// A report with nothing in it but what was known before the run.
    pub(crate) fn new(setup: &Setup) -> Report {
        let few = if setup.n <= IDS_MOST { setup.arrangement.as_ref() } else { None };
        Report {
            n: setup.n,
            links: setup.links,
            topology: setup.topology,
            outside: setup.outside.clone(),
            outcome: RunOutcome::Limit,
            messages: 0,
            election_messages: 0,
            by_kind: Vec::new(),
            rounds: None,
            phases: None,
            steps: 0,
            time: None,
            bound: None,
            average: None,
            properties: Vec::new(),
            per_round: Vec::new(),
            ids: few.map_or_else(Vec::new, |arrangement| arrangement.names().collect()),
            bits: None,
            depth: None,
            load: None,
            details: Details::Election(ElectionDetails {
                leader: None,
                leaders: 0,
                informed: 0,
                elected_round: None,
                elected_depth: None,
            }),
        }
    }

    /// Holds the counts against the contract.
    pub(crate) fn compare(&mut self, spec: &Spec, facts: &Facts) {
        self.bound = spec.cost.worst.and_then(|bound| {
            let value = bound.value(facts)?;
            let measured = match bound.counts {
                Counts::Election => self.election_messages,
                Counts::All => self.messages,
            };
            Some(BoundCheck {
                formula: bound.formula,
                counts: bound.counts,
                value,
                measured,
                holds: measured <= value,
                basis: bound.basis,
            })
        });
        self.average = spec.cost.average.and_then(|average| {
            (average.value)(facts).map(|value| Expected { formula: average.formula, value })
        });
    }

    /// The identity of the leader, where there is exactly one and it has one.
    #[must_use]
    pub fn leader_id(&self) -> Option<u64> {
        match &self.details {
            Details::Election(election) => election.leader.as_ref().and_then(|leader| leader.id),
            Details::Exclusion(_) | Details::Clocks(_) => None,
        }
    }

    /// The messages of the election, without the announcement.
    #[must_use]
    pub fn election_messages(&self) -> u64 {
        self.election_messages
    }

    /// Whether every property and the bound hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self.outcome, RunOutcome::Elected | RunOutcome::Done)
            && self.properties.iter().all(|property| property.holds)
            && self.bound.as_ref().is_none_or(|bound| bound.holds)
    }
}

/// The result in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunOutcome {
    /// An election ended with one leader.
    Elected,
    /// Everybody who wanted in was inside once, one at a time; or every clock was set.
    Done,
    /// An election ended without a leader.
    NoLeader,
    /// A property does not hold.
    Violated,
    /// The limit on steps came first.
    Limit,
}

impl RunOutcome {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RunOutcome::Elected => "elected",
            RunOutcome::Done => "done",
            RunOutcome::NoLeader => "no-leader",
            RunOutcome::Violated => "violated",
            RunOutcome::Limit => "limit",
        }
    }
}

/// A measured number against its bound.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundCheck {
    /// The formula.
    pub formula: &'static str,
    /// Which messages it bounds.
    pub counts: Counts,
    /// Its value here.
    pub value: u64,
    /// What was measured.
    pub measured: u64,
    /// Whether the bound holds.
    pub holds: bool,
    /// What the bound rests on.
    pub basis: Basis,
}

/// An expected number of messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Expected {
    /// The formula.
    pub formula: &'static str,
    /// Its value here.
    pub value: f64,
}

/// A property of the problem and whether it held.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// Whether it held in every state of this run.
    pub holds: bool,
    /// Where and how it failed, or what it says.
    pub detail: Option<String>,
}

/// Least, mean and most of something.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub max: f64,
}

/// What is particular to the problem.
#[derive(Clone, PartialEq, Debug)]
pub enum Details {
    /// An election.
    Election(ElectionDetails),
    /// Mutual exclusion.
    Exclusion(ExclusionDetails),
    /// Clocks that are brought together.
    Clocks(ClockDetails),
}

/// What came of an election.
#[derive(Clone, PartialEq, Debug)]
pub struct ElectionDetails {
    /// The leader, if there is exactly one.
    pub leader: Option<Leader>,
    /// How many lead in the end.
    pub leaders: u64,
    /// How many know it.
    pub informed: u64,
    /// The round of the election, under `rounds`.
    pub elected_round: Option<u64>,
    /// The longest causal chain of messages that ends in the election, if metered.
    pub elected_depth: Option<u64>,
}

/// A leader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leader {
    /// Its index.
    pub index: u32,
    /// Its identity, if it has one.
    pub id: Option<u64>,
}

/// What came of mutual exclusion.
#[derive(Clone, PartialEq, Debug)]
pub struct ExclusionDetails {
    /// Entries to the critical section.
    pub entries: u64,
    /// How often somebody asked to enter: a run that is broken off, or in which somebody waits for ever, has more of
    /// these than entries.
    pub requests: u64,
    /// Who entered, in order (the first 10,000).
    pub entry_order: Vec<u32>,
    /// The mean number of messages per entry.
    pub per_entry_mean: Option<f64>,
    /// The least and most messages that served one request; none where messages serve nobody in particular.
    pub per_entry_range: Option<(u64, u64)>,
    /// Time from asking to entering.
    pub waiting: Option<Spread>,
    /// The most entries by others while one waited.
    pub bypass_max: u64,
    /// Time from an exit to the next entry while somebody waited.
    pub sync_delay: Option<Spread>,
    /// Jain's index over the entries of those who wanted in: 1 if all entered equally often.
    pub fairness: Option<f64>,
    /// The most users inside at once.
    pub in_section_max: u32,
    /// How it came to one privilege, where it may begin anywhere.
    pub convergence: Option<Convergence>,
}

/// How machines that began anywhere came to one privilege.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convergence {
    /// Who chose which machines moved; nobody where they tell their values by messages.
    pub daemon: Option<Daemon>,
    /// The states in which they began, and what their links held.
    pub from: Vec<u32>,
    /// After how many steps, of the daemon where there is one, one privilege was left; none if that never was.
    pub steps: Option<u64>,
    /// After how many moves.
    pub moves: Option<u64>,
}

/// What came of bringing clocks together. Clocks are compared as processes reckon with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockDetails {
    /// How far the clocks were apart at the beginning.
    pub skew_first: Ticks,
    /// At the end.
    pub skew_final: Ticks,
    /// The most from the moment on when all were synchronised; none if that never came.
    pub skew_max: Option<Ticks>,
    /// How far the worst clock is off the server's, or the true time; none where there is no such clock.
    pub error_final: Option<Ticks>,
    /// The most from the moment on when all were synchronised.
    pub error_max: Option<Ticks>,
    /// What is promised at the end: of the error, or, where there is none, of the skew.
    pub promise: Option<Ticks>,
    /// Closer than this no algorithm brings clocks for certain: u(1 - 1/n).
    pub optimum: Ticks,
}

/// How far clocks are apart at some moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The true time.
    pub time: Ticks,
    /// How far they are from each other.
    pub skew: Ticks,
    /// How far the worst is off the server's, or the true time; none where there is no such clock.
    pub error: Option<Ticks>,
    /// What is promised: of the error, or, where there is none, of the skew.
    pub promise: Option<Ticks>,
}
