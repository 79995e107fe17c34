//! Watching machines that began anywhere: how many have a privilege, when one is left, and who moves from then on.

use super::problem::{End, Problem, Seen, UserInput, outcome};
use super::report::{Convergence, Details, ExclusionDetails, Property};
use super::{Entries, Fault, Report, RunOutcome, Scenario};
use crate::model::{Daemon, Shape};
use crate::population::{Nature, Population, Status};
use crate::scenario::Setup;
use crate::trace::Outcome;

/// How many entries are listed by name in a report.
const LISTED: usize = 10_000;

/// The machines, and what was seen of them.
pub(crate) struct Machines {
    daemon: Option<Daemon>,
    from: Vec<u32>,
    /// How often each is to move after convergence, and still is.
    wanted: Vec<u32>,
    left: Vec<u32>,
    /// How many faults are yet to come.
    corruptions: usize,
    begun: bool,
    steps: u64,
    moves: u64,
    converged: Option<(u64, u64)>,
    entries: u64,
    entry_order: Vec<u32>,
    most: u32,
    /// Whether nobody had a privilege.
    dead: bool,
    /// Whether there was more than one privilege after there had been one.
    reopened: bool,
}

impl Machines {
    pub(crate) fn new(nature: &Nature, scenario: &Scenario, setup: &Setup) -> Machines {
        let left = match &scenario.workload.entries {
            Entries::Each(entries) => vec![*entries; setup.n as usize],
            Entries::Listed(listed) => listed.clone(),
            Entries::Forever => vec![u32::MAX; setup.n as usize],
        };
        Machines {
            daemon: (nature.shape == Shape::Memory).then(|| nature.spec.daemon(&setup.settings)),
            from: setup.from().to_vec(),
            wanted: left.clone(),
            left,
            corruptions: scenario
                .faults
                .iter()
                .filter(|fault| matches!(fault, Fault::Corrupt { .. }))
                .count(),
            begun: false,
            steps: 0,
            moves: 0,
            converged: None,
            entries: 0,
            entry_order: Vec::new(),
            most: 0,
            dead: false,
            reopened: false,
        }
    }

    fn see(&mut self, privileges: u32) {
        self.most = self.most.max(privileges);
        self.dead |= privileges == 0;
        self.reopened |= privileges > 1 && self.converged.is_some();
        if privileges == 1 && self.converged.is_none() {
            self.converged = Some((self.steps, self.moves));
        }
    }
}

impl Problem for Machines {
    const ALL_START: bool = true;

    fn after(&mut self, _: &Seen<'_>) -> Option<Outcome> {
        None
    }

    fn crashed(&mut self, _: u32, _: Status) {}

    fn may(_: Status, _: UserInput) -> bool {
        false
    }

    fn machines_begin(&mut self, privileges: u32) {
        // Convergence is counted from the last fault.
        if core::mem::replace(&mut self.begun, true) {
            self.corruptions = self.corruptions.saturating_sub(1);
        }
        (self.steps, self.moves, self.converged) = (0, 0, None);
        self.left.clone_from(&self.wanted);
        self.see(privileges);
    }

    fn machines_moved(&mut self, movers: &[u32], privileges: u32) {
        if self.converged.is_some() {
            self.entries += movers.len() as u64;
            for &mover in movers {
                let left = &mut self.left[mover as usize];
                *left = left.saturating_sub(1);
                if self.entry_order.len() < LISTED {
                    self.entry_order.push(mover);
                }
            }
        }
        self.steps += 1;
        self.moves += movers.len() as u64;
        self.see(privileges);
    }

    fn is_finished(&self) -> bool {
        self.dead
            || self.corruptions == 0 && self.converged.is_some() && self.left.iter().all(|&left| left == 0)
    }

    fn may_never_end(&self) -> bool {
        true
    }

    fn entries(&self) -> u64 {
        self.entries
    }

    fn conclude(&self, _: &dyn Population, end: &End<'_>, report: &mut Report) {
        let mut properties = vec![
            Property {
                name: "no dead end",
                holds: !self.dead,
                detail: self.dead.then(|| "no machine has a privilege".to_owned()),
            },
            Property {
                name: "closure",
                holds: !self.reopened,
                detail: self
                    .reopened
                    .then(|| "several machines had a privilege after one had it alone".to_owned()),
            },
            end.possible(),
        ];
        if end.complete {
            properties.push(Property {
                name: "convergence",
                holds: self.converged.is_some(),
                detail: self.converged.is_none().then(|| "one privilege was never left".to_owned()),
            });
        }
        report.outcome = outcome(end.complete, RunOutcome::Done, false, &properties);
        report.properties = properties;
        report.details = Details::Exclusion(ExclusionDetails {
            entries: self.entries,
            requests: self.entries,
            entry_order: self.entry_order.clone(),
            per_entry_mean: None,
            per_entry_range: None,
            waiting: None,
            bypass_max: 0,
            sync_delay: None,
            fairness: None,
            in_section_max: self.most,
            convergence: Some(Convergence {
                daemon: self.daemon,
                from: self.from.clone(),
                steps: self.converged.map(|(steps, _)| steps),
                moves: self.converged.map(|(_, moves)| moves),
            }),
        });
    }
}
