//! Clocks as a problem: what each shows, how far they are apart, and whether promises are kept. Only the world sees
//! real time.

use super::problem::{End, Problem, Seen, UserInput, outcome};
use super::report::{ClockDetails, Details, Property};
use super::{Compared, Report, RunOutcome};
use crate::model::{Against, Belief, Drift, Promises, Synchrony, Ticks};
use crate::population::{Nature, Population, Status};
use crate::scenario::{Backward, Corrected, Hardware, Setup, elapsed};
use crate::trace::Outcome;
use std::collections::BTreeMap;

/// The clocks of a run, and what was seen of them.
pub(crate) struct Timepieces {
    clocks: Vec<(Hardware, Corrected)>,
    backward: Backward,
    drift: Drift,
    against: Against,
    /// How many parts of the schedule's time make a tick.
    unit: u64,
    /// When clocks were last compared.
    compared: Option<u64>,
    /// What users saw of the clock of the process that takes a step, before it.
    seen: Ticks,
    first: Apart,
    last: Apart,
    /// The most since all are synchronised.
    most: Option<Apart>,
    /// What was promised last.
    promise: Option<Ticks>,
    went_back: Option<String>,
    late_promise: Option<String>,
    broken_promise: Option<String>,
}

/// How far clocks are apart.
#[derive(Clone, Copy, Default)]
struct Apart {
    skew: Ticks,
    error: Option<Ticks>,
}

impl Apart {
    fn most(self, other: Apart) -> Apart {
        Apart { skew: self.skew.max(other.skew), error: self.error.max(other.error) }
    }
}

impl Timepieces {
    /// Of this run.
    pub(crate) fn new(nature: &Nature, setup: &Setup, unit: u64) -> Timepieces {
        let against = match nature.spec.promises {
            Promises::Clocks { against } => against,
            Promises::Election { .. } | Promises::Exclusion { .. } | Promises::Stabilisation => {
                Against::EachOther
            }
        };
        Timepieces {
            clocks: setup.clocks.iter().map(|&hardware| (hardware, Corrected::default())).collect(),
            backward: setup.backward,
            drift: setup.drift,
            against,
            unit,
            compared: None,
            seen: Ticks::ZERO,
            first: Apart::default(),
            last: Apart::default(),
            most: None,
            promise: None,
            went_back: None,
            late_promise: None,
            broken_promise: None,
        }
    }

    fn hardware(&self, index: u32, now: u64) -> Ticks {
        self.clocks[index as usize].0.at(now, self.unit)
    }

    fn corrected(&self, index: u32, now: u64) -> Ticks {
        self.clocks[index as usize].1.now(self.hardware(index, now))
    }

    fn shown(&self, index: u32, now: u64) -> Ticks {
        self.clocks[index as usize].1.shown(self.hardware(index, now), self.backward)
    }

    fn at(&self, now: u64) -> String {
        format!("at time {}", elapsed(now, self.unit))
    }

    /// Whether clocks that nobody corrects stay as far apart as they are.
    fn runs_evenly(&self) -> bool {
        self.clocks.iter().all(|(hardware, _)| hardware.drift == self.clocks[0].0.drift)
            && self.against == Against::EachOther
    }

    /// Compares all clocks with each other and with what is promised.
    fn compare(&mut self, population: &dyn Population, now: u64, down: &[bool], adjusted: bool) {
        let judged = |belief: Belief| self.against == Against::EachOther || belief != Belief::Reference;
        let everybody = (0..self.clocks.len() as u32).filter(|&i| down.get(i as usize) != Some(&true));
        let all: Vec<(u32, Belief, Ticks)> = everybody
            .map(|i| (i, population.belief(i), self.corrected(i, now)))
            .filter(|&(_, belief, _)| judged(belief))
            .collect();
        let readings = || all.iter().map(|&(.., clock)| clock);
        let (Some(least), Some(largest)) = (readings().min(), readings().max()) else { return };
        let truth = match self.against {
            Against::TrueTime => Some(elapsed(now, self.unit)),
            Against::EachOther => {
                all.iter().find(|(_, belief, _)| *belief == Belief::Reference).map(|found| found.2)
            }
        };
        // Who has not set its clock is off by whatever it is off; who has is what counts, once there is one.
        let promises_something = |belief: Belief| matches!(belief, Belief::Within { .. });
        let some = all.iter().any(|&(_, belief, _)| promises_something(belief));
        let counted = all.iter().filter(|&&(_, belief, _)| !some || promises_something(belief));
        let error = truth.and_then(|truth| counted.map(|&(.., clock)| (clock - truth).abs()).max());
        self.last = Apart { skew: largest - least, error };
        if self.compared.is_none() {
            self.first = self.last;
        }
        self.compared = Some(now);
        if all.iter().all(|(_, belief, _)| matches!(belief, Belief::Within { .. } | Belief::Reference)) {
            self.most = Some(self.most.map_or(self.last, |most| most.most(self.last)));
        }
        let promises = || {
            all.iter().filter_map(|&(i, belief, clock)| {
                belief.promise(clock, self.drift).map(|promise| (i, belief, clock, promise))
            })
        };
        self.promise = match truth {
            Some(_) => promises().map(|(.., promise)| promise).max(),
            None => {
                let mut each: Vec<Ticks> = promises().map(|(.., promise)| promise).collect();
                each.sort_unstable();
                (!each.is_empty()).then(|| each.iter().rev().take(2).copied().sum())
            }
        };
        let mut rounds: BTreeMap<u32, [(Ticks, u32); 2]> = BTreeMap::new();
        let mut broken = None;
        for (i, belief, clock, promise) in promises() {
            let Belief::Within { round, .. } = belief else { continue };
            if let Some(truth) = truth {
                let off = (clock - truth).abs();
                if off > promise {
                    broken.get_or_insert(format!("process {i} is off by {off} ticks and promises {promise}"));
                }
                continue;
            }
            let ends = [(clock - promise, i), (clock + promise, i)];
            let [low, high] = rounds.entry(round).or_insert(ends);
            *low = (*low).max(ends[0]);
            *high = (*high).min(ends[1]);
            if low.0 > high.0 {
                let [a, b] = [low.1, high.1];
                let apart = (self.corrected(a, now) - self.corrected(b, now)).abs();
                broken.get_or_insert(format!(
                    "processes {a} and {b} are {apart} ticks apart, more than they promise"
                ));
            }
        }
        if let Some(broken) = broken {
            let what = format!("{broken}, {}", self.at(now));
            if adjusted {
                self.late_promise.get_or_insert_with(|| what.clone());
            }
            self.broken_promise.get_or_insert(what);
        }
    }
}

impl Problem for Timepieces {
    const ALL_START: bool = true;
    const HAS_CLOCKS: bool = true;

    fn before(&mut self, population: &dyn Population, index: u32, now: u64, down: &[bool]) -> Ticks {
        let passed = self.compared.is_none_or(|compared| compared < now);
        if self.compared.is_none() || passed && !self.runs_evenly() {
            self.compare(population, now, down, false);
        }
        self.seen = self.shown(index, now);
        self.corrected(index, now)
    }

    fn adjust(&mut self, index: u32, by: Ticks, slews: bool, now: u64) {
        let hardware = self.hardware(index, now);
        self.clocks[index as usize].1.adjust(by, hardware, self.backward, slews);
        let shown = self.shown(index, now);
        if shown < self.seen {
            let what = format!(
                "the clock of process {index} went from {} back to {shown}, {}",
                self.seen,
                self.at(now)
            );
            self.went_back.get_or_insert(what);
        }
        self.seen = shown;
    }

    fn afterwards(&mut self, population: &dyn Population, now: u64, down: &[bool], adjusted: bool) {
        self.compare(population, now, down, adjusted);
    }

    fn compared(&self) -> Option<Compared> {
        let time = elapsed(self.compared?, self.unit);
        let Apart { skew, error } = self.last;
        Some(Compared { time, skew, error, promise: self.promise })
    }

    fn alarm(&self, index: u32, now: u64, ticks: u32) -> u64 {
        let hardware = self.clocks[index as usize].0;
        hardware.when(hardware.at(now, self.unit) + Ticks::whole(i64::from(ticks)), now, self.unit)
    }

    fn clock(&self, index: u32, now: u64) -> Option<(Ticks, Ticks)> {
        Some((self.shown(index, now), self.corrected(index, now)))
    }

    fn after(&mut self, step: &Seen<'_>) -> Option<Outcome> {
        match (step.before.position(), step.after.position()) {
            (before, after) if before == after => None,
            (_, crate::population::Position::Clock(Synchrony::Synchronised)) => Some(Outcome::Synchronises),
            (_, crate::population::Position::Clock(Synchrony::Lost)) => Some(Outcome::LosesContact),
            _ => None,
        }
    }

    fn crashed(&mut self, _: u32, _: Status) {}
    fn may(_: Status, _: UserInput) -> bool {
        false
    }
    fn is_finished(&self) -> bool {
        false
    }
    fn entries(&self) -> u64 {
        0
    }

    fn conclude(&self, population: &dyn Population, end: &End<'_>, report: &mut Report) {
        let property =
            |name, wrong: &Option<String>| Property { name, holds: wrong.is_none(), detail: wrong.clone() };
        let mut properties = vec![
            property(CLOCKS_NEVER_GO_BACK, &self.went_back),
            property(AFTER_EACH_ADJUSTMENT, &self.late_promise),
            property(AT_ALL_TIMES, &self.broken_promise),
            end.possible(),
        ];
        if end.complete {
            let idle = |&i: &u32| !end.is_down(i) && population.belief(i) == Belief::Unsynchronised;
            let idle = (0..end.setup.n).find(idle);
            properties.push(Property {
                name: EVERYBODY_KNOWS,
                holds: idle.is_none(),
                detail: idle.map(|who| format!("process {who} has neither set its clock nor given up")),
            });
        }
        report.outcome = outcome(end.complete, RunOutcome::Done, false, &properties);
        report.properties = properties;
        report.details = Details::Clocks(ClockDetails {
            skew_first: self.first.skew,
            skew_final: self.last.skew,
            skew_max: self.most.map(|most| most.skew),
            error_final: self.last.error,
            error_max: self.most.and_then(|most| most.error),
            promise: self.promise,
            optimum: end.setup.optimal_skew(),
        });
    }
}

/// What a clock that users see must never do.
pub(crate) const CLOCKS_NEVER_GO_BACK: &str = "clocks never go back";
/// What holds just after a clock was corrected.
pub(crate) const AFTER_EACH_ADJUSTMENT: &str = "within the promised distance after each adjustment";
/// What holds from then on.
pub(crate) const AT_ALL_TIMES: &str = "within the promised distance at all times";
/// What holds in the end.
pub(crate) const EVERYBODY_KNOWS: &str = "everybody sets its clock or knows that it could not";
