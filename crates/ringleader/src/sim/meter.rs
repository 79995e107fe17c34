//! Counting: messages by kind, phases, and what is asked for besides.

use super::report::{Report, Spread};
use super::{Meters, Scenario};
use crate::model::Sizes;
use crate::population::{Letter, Nature};
use crate::scenario::Setup;

/// How many rounds a report lists one by one.
pub(crate) const PER_ROUND: usize = 64;

/// The meters of a run.
pub(crate) struct Meter {
    kinds: &'static [&'static str],
    announces: &'static [bool],
    pub(super) by_kind: Vec<u64>,
    on: Meters,
    sizes: Sizes,
    bits: u64,
    /// Messages handled, per process.
    load: Vec<u64>,
    /// The longest chain of messages, per process and at all.
    pub(super) depth: Vec<u32>,
    deepest: u32,
    phases: Phases,
    /// The round or time of the last delivery.
    pub(super) last_delivery: u64,
    per_round: Vec<u64>,
    counts_rounds: bool,
}

/// Phases begun per process, or the largest phase number.
#[derive(Default)]
pub(crate) struct Phases {
    begun: Vec<u32>,
    most: Option<u32>,
}

impl Phases {
    /// A process begins a phase; `n` is the number of processes.
    pub(crate) fn begins(&mut self, index: usize, n: usize, count: u32) {
        if self.begun.is_empty() {
            self.begun.resize(n, 0);
        }
        self.begun[index] += count;
        self.most = self.most.max(Some(self.begun[index]));
    }

    /// A process reaches a numbered phase.
    pub(crate) fn reached(&mut self, phase: u32) {
        self.most = self.most.max(Some(phase));
    }

    /// Appends what was seen of the next processes, given how many there are of each.
    pub(crate) fn append(&mut self, mut other: Phases, own: usize, others: usize) {
        if !(self.begun.is_empty() && other.begun.is_empty()) {
            self.begun.resize(own, 0);
            other.begun.resize(others, 0);
            self.begun.append(&mut other.begun);
        }
        self.most = self.most.max(other.most);
    }

    /// The most, if there were phases.
    pub(crate) fn most(&self) -> Option<u64> {
        self.most.map(u64::from)
    }
}

impl Meter {
    /// The meters of a run of an algorithm.
    pub(crate) fn new(nature: &Nature, scenario: &Scenario, setup: &Setup) -> Meter {
        let n = setup.n;
        let on = scenario.meters;
        Meter {
            kinds: nature.kinds_with(&setup.settings),
            announces: nature.announces,
            by_kind: vec![0; nature.kinds.len()],
            on,
            sizes: Sizes::of(n),
            bits: 0,
            load: vec![0; if on.load { n as usize } else { 0 }],
            depth: vec![0; if on.depth { n as usize } else { 0 }],
            deepest: 0,
            phases: Phases::default(),
            last_delivery: 0,
            per_round: Vec::new(),
            counts_rounds: scenario.schedule.counts_rounds(),
        }
    }

    /// Whether messages of a kind count alike, whoever sends them: neither bits nor chains are metered.
    pub(crate) fn counts_alike(&self) -> bool {
        !self.on.bits && !self.on.depth
    }

    /// So many messages of one kind are sent, which count alike.
    #[inline]
    pub(crate) fn sent_alike(&mut self, kind: u32, count: u64) {
        self.by_kind[kind as usize] += count;
    }

    /// A message is sent, of so many bits; the length of the chain that ends with it.
    #[inline]
    pub(crate) fn sent(&mut self, from: u32, kind: u32, bits: impl FnOnce(Sizes) -> u64) -> u32 {
        self.by_kind[kind as usize] += 1;
        if self.on.bits {
            self.bits += bits(self.sizes);
        }
        if self.on.depth {
            let depth = self.depth[from as usize] + 1;
            self.deepest = self.deepest.max(depth);
            depth
        } else {
            0
        }
    }

    /// A message is handled, which ends a chain of this length.
    #[inline]
    pub(crate) fn delivered(&mut self, to: u32, depth: u32, now: u64) {
        if self.on.load {
            self.load[to as usize] += 1;
        }
        if self.on.depth {
            let known = &mut self.depth[to as usize];
            *known = (*known).max(depth);
        }
        self.handled(1, now);
    }

    /// Messages are handled, whose chains are not metered.
    #[inline]
    pub(crate) fn delivered_alike(&mut self, letters: &[Letter], now: u64) {
        if self.on.load {
            letters.iter().for_each(|letter| self.load[letter.to as usize] += 1);
        }
        self.handled(letters.len() as u64, now);
    }

    #[inline]
    fn handled(&mut self, count: u64, now: u64) {
        self.last_delivery = now;
        if self.counts_rounds && now as usize <= PER_ROUND && now > 0 {
            let place = now as usize - 1;
            if self.per_round.len() <= place {
                self.per_round.resize(place + 1, 0);
            }
            self.per_round[place] += count;
        }
    }

    /// The length of the longest chain that led to this process, if metered.
    pub(crate) fn depth_at(&self, index: u32) -> u64 {
        self.depth.get(index as usize).map_or(0, |&depth| u64::from(depth))
    }

    /// Phases that a step began or reached.
    #[inline]
    pub(crate) fn phases(&mut self, index: u32, n: u32, begun: u32, reached: Option<u32>) {
        if begun > 0 {
            self.phases.begins(index as usize, n as usize, begun);
        }
        if let Some(phase) = reached {
            self.phases.reached(phase);
        }
    }

    /// Fills in what was counted.
    pub(crate) fn fill(&self, report: &mut Report, steps: u64) {
        fill_counts(report, self.kinds, self.announces, &self.by_kind);
        report.phases = self.phases.most();
        report.steps = steps;
        report.bits = self.on.bits.then_some(self.bits);
        report.depth = self.on.depth.then_some(u64::from(self.deepest));
        if self.on.load && !self.load.is_empty() {
            let (least, most) = (self.load.iter().min(), self.load.iter().max());
            report.load = Some(Spread {
                min: least.copied().unwrap_or(0) as f64,
                mean: self.load.iter().sum::<u64>() as f64 / self.load.len() as f64,
                max: most.copied().unwrap_or(0) as f64,
            });
        }
        report.per_round.clone_from(&self.per_round);
    }
}

/// Fills in message counts.
pub(crate) fn fill_counts(report: &mut Report, kinds: &[&'static str], announces: &[bool], by_kind: &[u64]) {
    report.by_kind = kinds.iter().copied().zip(by_kind.iter().copied()).collect();
    report.messages = by_kind.iter().take(kinds.len()).sum();
    let announced: u64 =
        by_kind.iter().zip(announces).filter(|&(_, &announces)| announces).map(|(&count, _)| count).sum();
    report.election_messages = report.messages - announced;
}
