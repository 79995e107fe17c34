//! What the network does with a message: it travels, is lost, or travels twice.

use super::{Fault, Scenario};
use crate::rng::{Purpose, Rng};
use crate::trace::{Fate, Sent};
use std::collections::VecDeque;

/// Decides the fate of messages, by the scenario's faults or as recorded.
pub(crate) struct Fates {
    rules: Vec<Rule>,
    rng: Rng,
    /// The fates of the next messages, when following a recording.
    recorded: Option<VecDeque<Fate>>,
}

enum Rule {
    LoseNth { kind: usize, left: u64 },
    Loss(f64),
    Duplicate(f64),
    Partition { left: Vec<u32>, right: Vec<u32>, from: u64, until: u64 },
}

impl Fates {
    /// Of messages of these kinds.
    pub(crate) fn new(kinds: &[&str], scenario: &Scenario) -> Fates {
        let rules = (scenario.faults.iter())
            .filter_map(|fault| match fault {
                Fault::LoseNth { kind, nth } => {
                    let kind = kinds.iter().position(|name| name == kind)?;
                    Some(Rule::LoseNth { kind, left: *nth })
                }
                Fault::Loss(probability) => Some(Rule::Loss(*probability)),
                Fault::Duplicate(probability) => Some(Rule::Duplicate(*probability)),
                Fault::Partition { left, right, from, until } => Some(Rule::Partition {
                    left: left.clone(),
                    right: right.clone(),
                    from: *from,
                    until: *until,
                }),
                Fault::Crash { .. } | Fault::Recover { .. } | Fault::Corrupt { .. } => None,
            })
            .collect();
        Fates { rules, rng: Rng::new(scenario.seed, Purpose::Faults), recorded: None }
    }

    /// The fates of the next messages are those of these.
    pub(crate) fn record(&mut self, sends: &[Sent]) {
        self.recorded = Some(sends.iter().map(|sent| sent.fate).collect());
    }

    /// What was recorded counts no longer.
    pub(crate) fn forget(&mut self) {
        self.recorded = None;
    }

    /// Whether exactly the recorded fates were used.
    pub(crate) fn fit(&self) -> bool {
        self.recorded.as_ref().is_none_or(VecDeque::is_empty)
    }

    /// Whether every message travels, and there is nothing to decide.
    #[inline]
    pub(crate) fn are_sealed(&self) -> bool {
        self.rules.is_empty() && self.recorded.is_none()
    }

    /// The fate of a message; `time` is in units.
    pub(crate) fn of(&mut self, kind: usize, from: u32, to: u32, time: u64) -> Fate {
        if let Some(recorded) = &mut self.recorded {
            return recorded.pop_front().unwrap_or(Fate::Travels);
        }
        let mut fate = Fate::Travels;
        for rule in &mut self.rules {
            let (happens, result) = match rule {
                Rule::LoseNth { kind: lost, left } => {
                    let counts = *lost == kind && *left > 0;
                    *left -= u64::from(counts);
                    (counts && *left == 0, Fate::Lost)
                }
                Rule::Loss(probability) => (self.rng.chance(*probability), Fate::Lost),
                Rule::Duplicate(probability) => (self.rng.chance(*probability), Fate::Doubled),
                Rule::Partition { left, right, from: first, until } => {
                    let apart = |a: u32, b: u32| left.contains(&a) && right.contains(&b);
                    ((*first..*until).contains(&time) && (apart(from, to) || apart(to, from)), Fate::Lost)
                }
            };
            if happens && fate != Fate::Lost {
                fate = result;
            }
        }
        fate
    }
}
