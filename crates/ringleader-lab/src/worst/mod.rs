//! The arrangement of identities with which an election sends most, or least, and the schedule where that matters.
//!
//! For a few processes every arrangement is tried ([`exact`](self)), in a run where all schedules send the same, and by
//! the checker over every schedule where they do not. Beyond that known families of arrangements come first, and then
//! a search by simulated annealing; what it finds is a lower bound, and is called one.
//!
//! ```
//! use ringleader::registry::{ALL, find};
//! use ringleader_lab::worst::{Question, answer};
//! let entry = find(ALL, "chang-roberts").unwrap();
//! let worst = answer(&Question::new(entry, 5), &()).unwrap();
//! assert_eq!((worst.ids, worst.election_messages, worst.exact), (vec![5, 4, 3, 2, 1], 15, true));
//! ```

mod annealing;
mod constants;
mod distribution;
mod exact;
mod families;
mod grown;
mod judge;
mod parallel;
mod show;
mod trouble;

pub use constants::{Measured, Row, constants};
pub use distribution::{Distribution, Fraction};
pub use show::Shown;
pub use trouble::{Trouble, Unsuited};

use judge::Judge;
use ringleader::check::Extreme;
use ringleader::model::{Counts, Orientation};
use ringleader::registry::Entry;
use ringleader::sim::{BoundCheck, Ports, Scenario};
use std::ops::ControlFlow;

/// What is asked.
#[derive(Clone)]
pub struct Question<'a> {
    /// The algorithm.
    pub entry: &'a Entry,
    /// Everything about a run but the identities: the number of processes, who starts, the links, the seed.
    pub scenario: Scenario,
    /// Whether only the schedule of the scenario counts. Otherwise all schedules do.
    pub one_schedule: bool,
    /// Whether the most or the least messages are looked for.
    pub extreme: Extreme,
    /// How.
    pub method: Method,
    /// The most arrangements to try; none: as many as take seconds, or a minute.
    pub budget: Option<u64>,
    /// Whether the search begins with the known families of arrangements. Without them it starts from chance alone.
    pub families: bool,
    /// How many threads may work on it; the answer is the same.
    pub threads: usize,
}

impl<'a> Question<'a> {
    /// The most messages of `n` processes over every schedule, everything else as usual.
    ///
    /// Ports are numbered the same way everywhere: otherwise a rotated ring would be another one.
    #[must_use]
    pub fn new(entry: &'a Entry, n: u32) -> Question<'a> {
        Question {
            entry,
            scenario: Scenario { ports: Ports::Kind(Orientation::Same), ..Scenario::new(n) },
            one_schedule: false,
            extreme: Extreme::Most,
            method: Method::Either,
            budget: None,
            families: true,
            threads: 1,
        }
    }
}

/// How an answer is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Every arrangement where that takes a minute at most; a search otherwise.
    Either,
    /// Every arrangement.
    Exact,
    /// A search.
    Search,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Worst {
    /// Whether nothing is worse: every arrangement was tried, under every schedule that counts; or it is the bound
    /// itself.
    pub exact: bool,
    /// The messages of the election.
    pub election_messages: u64,
    /// The identities in ring order.
    pub ids: Vec<u64>,
    /// What the count says about schedules.
    pub over: Over,
    /// How the arrangement was found.
    pub found: Found,
    /// How many arrangements were tried, counting those tried twice.
    pub evaluations: u64,
    /// How the counts are distributed, where every arrangement was tried.
    pub distribution: Option<Distribution>,
    /// The proved bound, held against a run with that count, where there is such a run.
    pub bound: Option<BoundCheck>,
    /// A run with that count.
    pub shown: Shown,
}

/// What a count says about schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// All schedules send the same.
    Same,
    /// No schedule sends more than `rounds`, which it was measured under.
    RoundsSendMost,
    /// Every schedule was searched.
    Every,
    /// One schedule was asked for, and counts alone.
    Asked,
    /// Several schedules were tried: another one may be worse.
    Several,
}

impl Over {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Over::Same => "same",
            Over::RoundsSendMost => "rounds-send-most",
            Over::Every => "every",
            Over::Asked => "asked",
            Over::Several => "several",
        }
    }
}

/// How an arrangement was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Every arrangement was tried; the first of the worst, in lexicographic order.
    Exhaustive,
    /// It is the worst that the contract knows.
    Construction,
    /// It is of a known family.
    Family(String),
    /// By simulated annealing.
    Annealing,
}

impl Found {
    /// The name in reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Found::Exhaustive => "exhaustive",
            Found::Construction => "construction",
            Found::Family(_) => "family",
            Found::Annealing => "annealing",
        }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Arrangements tried.
    pub done: u64,
    /// Out of so many.
    pub total: u64,
    /// The worst so far.
    pub messages: u64,
}

/// Somebody who watches, and may stop it.
pub trait Watcher: Sync {
    /// From time to time, from any thread.
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }
}

/// Nobody watches.
impl Watcher for () {}

/// Answers a question.
///
/// # Errors
/// If it has no answer for this algorithm, the scenario is refused, every arrangement was insisted on and there are too
/// many, or the watcher stopped it.
pub fn answer(question: &Question<'_>, watcher: &dyn Watcher) -> Result<Worst, Trouble> {
    trouble::suited(question.entry)?;
    let mut judge = Judge::new(question)?;
    let every = match question.method {
        Method::Search => None,
        Method::Either | Method::Exact => match exact::estimate(question, &judge) {
            Ok(space) => Some(space),
            Err(trouble @ Trouble::TooLarge { .. }) if question.method == Method::Exact => {
                return Err(trouble);
            }
            Err(Trouble::TooLarge { .. }) => None,
            Err(other) => return Err(other),
        },
    };
    let (ids, election_messages, found, distribution) = match every {
        Some(space) => {
            let tried = exact::exhaust(&judge, &space, question.threads, watcher)?;
            (tried.ids, tried.count, Found::Exhaustive, Some(tried.distribution))
        }
        None => {
            judge.settle_for_several();
            let best = families::search(question, &judge, watcher)?;
            (best.ids, best.count, best.found, None)
        }
    };
    let evaluations = judge.evaluations();
    let (shown, bound) = show::show(question, &judge, &ids, election_messages)?;
    let over = judge.over;
    // A run that sends what is proved to be the most is the worst, however it was found.
    let attains = |bound: &BoundCheck| bound.counts == Counts::Election && bound.measured == bound.value;
    let at_bound = question.extreme == Extreme::Most && bound.as_ref().is_some_and(attains);
    let exact = (distribution.is_some() && over != Over::Several) || at_bound;
    Ok(Worst { exact, election_messages, ids, over, found, evaluations, distribution, bound, shown })
}
