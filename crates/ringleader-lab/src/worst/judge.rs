//! How many messages an arrangement costs: under one schedule where that decides it, over every schedule through the
//! checker where it does not, under several where there is no time for that.

use super::{Over, Question, Trouble};
use ringleader::check::{Answer, Arrangements, Extreme, Findings, Limit, Scope, Starts};
use ringleader::model::{Links, Schedules, Shape, Timing};
use ringleader::registry::Entry;
use ringleader::sim::{Ids, Initiators, Ports, Report, RunOutcome, Scenario, Schedule};
use std::sync::atomic::{AtomicU64, Ordering};

/// Says what an arrangement costs.
pub(crate) struct Judge<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) scenario: Scenario,
    pub(crate) extreme: Extreme,
    pub(crate) over: Over,
    /// The schedules that are tried, where several are.
    several: Vec<Schedule>,
    evaluations: AtomicU64,
}

/// Up to here the adversaries that look at every message are worth their time.
const SMALL: u32 = 64;

impl<'a> Judge<'a> {
    pub(crate) fn new(question: &Question<'a>) -> Result<Judge<'a>, Trouble> {
        let entry = question.entry;
        let mut scenario = question.scenario.clone();
        scenario.threads = 1;
        let over = if question.one_schedule {
            Over::Asked
        } else {
            over_schedules(entry, &scenario, question.extreme)
        };
        if over != Over::Asked {
            scenario.schedule = Schedule::Rounds;
        }
        let judge = Judge {
            entry,
            scenario,
            extreme: question.extreme,
            over,
            several: several(question.scenario.n),
            evaluations: AtomicU64::new(0),
        };
        // What is impossible is refused before anything else is done.
        let n = u64::from(question.scenario.n);
        judge.run_with(&(1..=n).rev().collect::<Vec<u64>>(), &judge.scenario.schedule)?;
        Ok(judge)
    }

    /// The same for another number of processes.
    pub(crate) fn with_nodes(&self, n: u32) -> Judge<'a> {
        let scenario = Scenario { n, ..self.scenario.clone() };
        let several = self.several.clone();
        let (entry, extreme, over) = (self.entry, self.extreme, self.over);
        Judge { entry, scenario, extreme, over, several, evaluations: AtomicU64::new(0) }
    }

    /// Every schedule takes too long: several will do, and the answer is a lower bound.
    pub(crate) fn settle_for_several(&mut self) {
        if self.over == Over::Every {
            self.over = Over::Several;
        }
    }

    /// How many times as long a message takes as it does in rounds, roughly: rings have a fast lane for these.
    pub(crate) fn weight(&self) -> u64 {
        let lane = matches!(self.entry.shape, Shape::OneWayRing | Shape::TwoWayRing);
        let of = |schedule: &Schedule| match schedule {
            Schedule::Rounds if lane => 1,
            Schedule::Greedy => 100,
            Schedule::Rounds
            | Schedule::Random
            | Schedule::Delay(_)
            | Schedule::Lifo
            | Schedule::Fifo
            | Schedule::Starve(_)
            | Schedule::Replay(_) => 10,
        };
        match self.over {
            Over::Several => self.several.iter().map(of).sum(),
            Over::Same | Over::RoundsSendMost | Over::Every | Over::Asked => of(&self.scenario.schedule),
        }
    }

    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// Those of a judge that helped.
    pub(crate) fn add_evaluations(&self, other: &Judge<'_>) {
        self.evaluations.fetch_add(other.evaluations(), Ordering::Relaxed);
    }

    /// Whether the first is the more extreme of two counts.
    pub(crate) fn is_worse(&self, count: u64, than: u64) -> bool {
        match self.extreme {
            Extreme::Most => count > than,
            Extreme::Least => count < than,
        }
    }

    /// Whether a rotated ring sends the same, so that the largest identity may always come first.
    pub(crate) fn turns(&self) -> bool {
        let scenario = &self.scenario;
        let alike = match self.over {
            Over::Same | Over::RoundsSendMost | Over::Every => true,
            // Everybody moves at once, unless two neighbours contend for a link.
            Over::Asked | Over::Several => {
                matches!(scenario.schedule, Schedule::Rounds) && self.links() != Links::HalfDuplex
            }
        };
        let drawn = self.entry.shape != Shape::OneWayRing
            && scenario.ports != Ports::Kind(ringleader::model::Orientation::Same);
        // The checker takes every way to number ports, which turns with the ring.
        alike && scenario.initiators == Initiators::All && (!drawn || self.over == Over::Every)
    }

    pub(crate) fn links(&self) -> Links {
        self.scenario.links.unwrap_or(self.entry.spec.needs.links)
    }

    /// What this arrangement costs.
    pub(crate) fn count(&self, ids: &[u64]) -> Result<u64, Trouble> {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        match self.over {
            Over::Same | Over::RoundsSendMost | Over::Asked => {
                Ok(self.run_with(ids, &self.scenario.schedule)?.election_messages)
            }
            Over::Every => self.over_every(ids, None),
            Over::Several => {
                let mut worst = None;
                for schedule in &self.several {
                    let count = self.run_with(ids, schedule)?.election_messages;
                    if worst.is_none_or(|before| self.is_worse(count, before)) {
                        worst = Some(count);
                    }
                }
                Ok(worst.unwrap_or(0))
            }
        }
    }

    /// One run.
    pub(crate) fn run_with(&self, ids: &[u64], schedule: &Schedule) -> Result<Report, Trouble> {
        let scenario =
            Scenario { ids: Ids::Listed(ids.to_vec()), schedule: schedule.clone(), ..self.scenario.clone() };
        let report = self.entry.run(&scenario, &mut ())?;
        if report.outcome == RunOutcome::Elected { Ok(report) } else { Err(Trouble::Broken(ids.to_vec())) }
    }

    /// The most or the least over every schedule; a limit is trouble.
    fn over_every(&self, ids: &[u64], max_states: Option<u64>) -> Result<u64, Trouble> {
        let findings = self.check(ids, max_states, None)?;
        match (findings.answer, findings.limit, findings.election_messages) {
            (Answer::Holds, _, Some(range)) => match self.extreme {
                Extreme::Least => Ok(range.min),
                Extreme::Most => range.max.ok_or_else(|| Trouble::Broken(ids.to_vec())),
            },
            (_, Some(Limit::Stopped), _) => Err(Trouble::Stopped),
            (_, Some(Limit::States(_) | Limit::Bytes(_)), _) => {
                Err(Trouble::TooLarge { arrangements: 1, states: Some(findings.states), most: 0 })
            }
            (_, None, _) => Err(Trouble::Broken(ids.to_vec())),
        }
    }

    /// What the checker finds of this arrangement over every schedule.
    pub(crate) fn check(
        &self,
        ids: &[u64],
        max_states: Option<u64>,
        extreme: Option<Extreme>,
    ) -> Result<Findings, Trouble> {
        let scenario = &self.scenario;
        let starts = match &scenario.initiators {
            Initiators::All => Starts::All,
            Initiators::One => Starts::Listed(vec![0]),
            Initiators::Listed(listed) => Starts::Listed(listed.clone()),
            // `over_schedules` has seen to it that these are not asked for.
            Initiators::Timed(_) | Initiators::Percent(_) => Starts::AllLate,
        };
        let scope = Scope {
            ids: Arrangements::Listed(ids.to_vec()),
            starts,
            links: scenario.links,
            ports: scenario.ports.clone(),
            settings: scenario.settings.clone(),
            expectations: false,
            extreme,
            max_states,
            ..Scope::new(scenario.n)
        };
        Ok(self.entry.check(&scope, &[], &())?)
    }
}

/// The schedules that are tried where not all can be.
fn several(n: u32) -> Vec<Schedule> {
    let mut schedules = vec![Schedule::Rounds, Schedule::Lifo, Schedule::Random];
    if n <= SMALL {
        schedules.extend([Schedule::Fifo, Schedule::Greedy, Schedule::Starve(0)]);
    }
    schedules
}

/// Which schedules have to be looked at.
fn over_schedules(entry: &Entry, scenario: &Scenario, extreme: Extreme) -> Over {
    let needs = &entry.spec.needs;
    let links = scenario.links.unwrap_or(needs.links);
    // One input, in one order: what a process does depends on nothing else. So it is with a late start, which is the
    // first input of an initiator.
    let one_input =
        entry.shape == Shape::OneWayRing && links != Links::Bag && needs.timing == Timing::Asynchronous;
    let all = scenario.initiators == Initiators::All;
    match (entry.spec.cost.schedules, extreme) {
        _ if one_input => Over::Same,
        (Schedules::Same, _) if all => Over::Same,
        (Schedules::RoundsSendMost, Extreme::Most) if all && links != Links::HalfDuplex => {
            Over::RoundsSendMost
        }
        // Who starts is drawn, or when is said: the checker knows neither.
        _ if matches!(scenario.initiators, Initiators::Timed(_) | Initiators::Percent(_)) => Over::Several,
        (Schedules::Unknown | Schedules::Same | Schedules::RoundsSendMost, _) => Over::Every,
    }
}
