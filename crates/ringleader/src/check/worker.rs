//! One thread's share of a search: it expands states, looks up where they lead, and numbers what is new.

use super::batch::{Batch, Next};
use super::graph::Edge;
use super::system::Steps;
use super::threads::share_out;
use super::visited::{Met, SHARDS, Shard, shard_of};

/// One thread's share of a block, and its memory.
pub(super) struct Worker<'a> {
    pub(super) steps: Box<dyn Steps + 'a>,
    /// The place of its states in the layer.
    pub(super) slice: (usize, usize),
    /// The number of the first of its states, and of the first that it meets new.
    pub(super) first: u32,
    pub(super) first_new: u32,
    pub(super) batch: Batch,
    /// For each state: where its steps end, and whether a run ends there.
    pub(super) marks: Vec<(u32, Mark)>,
    /// Violations that show at an end: the place of the state, the property, what is wrong.
    pub(super) ends: Vec<(u32, usize, String)>,
    pub(super) fresh: Fresh,
    pub(super) edges: Vec<Edge>,
    /// For each step, where it leads.
    founds: Vec<Found>,
    /// For each step, the number of the state that it leads to.
    targets: Vec<u32>,
    /// For each shard: the places of the steps whose states must be looked up there, and what was found.
    buckets: Vec<Vec<u32>>,
    mets: Vec<Vec<Met>>,
    recent: Vec<Recent>,
}

/// The states that were met for the first time.
#[derive(Default)]
pub(super) struct Fresh {
    pub(super) states: Vec<u32>,
    pub(super) fingerprints: Vec<u64>,
    pub(super) parents: Vec<u32>,
}

/// Whether a run ends in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    GoesOn,
    Ends,
    /// It goes on, but a run may be taken for complete.
    Served,
}

/// Where a step leads.
#[derive(Clone, Copy)]
enum Found {
    /// To a state with this number.
    Number(u32),
    /// Where an earlier step of the same worker leads.
    Same(u32),
    /// To a slot of the table.
    Met(Met),
}

/// A state that was met lately. Most steps lead to one: looking here first saves the way to the large table.
#[derive(Clone, Copy)]
struct Recent {
    fingerprint: u64,
    /// Its number; `PENDING` if it was met in this block.
    number: u32,
    /// The place of the step that met it first in this block.
    step: u32,
}

const PENDING: u32 = u32::MAX;

/// How many recent states are remembered: a power of two; 16 bytes each.
const RECENT: usize = 1 << 15;

impl<'a> Worker<'a> {
    pub(super) fn new(steps: Box<dyn Steps + 'a>) -> Worker<'a> {
        Worker {
            steps,
            slice: (0, 0),
            first: 0,
            first_new: 0,
            batch: Batch::default(),
            marks: Vec::new(),
            ends: Vec::new(),
            fresh: Fresh::default(),
            edges: Vec::new(),
            founds: Vec::new(),
            targets: Vec::new(),
            buckets: vec![Vec::new(); SHARDS],
            mets: vec![Vec::new(); SHARDS],
            recent: vec![Recent { fingerprint: 0, number: PENDING, step: 0 }; RECENT],
        }
    }

    /// Expands these states.
    pub(super) fn expand(&mut self, states: &[u32], fingerprints: &[u64], words: usize) {
        self.batch.clear();
        self.marks.clear();
        self.ends.clear();
        for (place, (state, &fingerprint)) in states.chunks_exact(words).zip(fingerprints).enumerate() {
            self.steps.expand(place as u32, state, fingerprint, &mut self.batch);
            let mut mark = Mark::GoesOn;
            if !self.batch.is_due {
                if let Some((property, detail)) = self.steps.judge_end(state) {
                    self.ends.push((place as u32, property, detail));
                }
                if !self.batch.may_want {
                    mark = Mark::Ends;
                }
            } else if self.steps.is_served(state) {
                mark = Mark::Served;
            }
            self.marks.push((self.batch.nexts.len() as u32, mark));
        }
        self.look_around();
    }

    /// Finds the states that were met lately; the others are to be looked up in the table.
    fn look_around(&mut self) {
        for bucket in &mut self.buckets {
            bucket.clear();
        }
        self.founds.clear();
        for (step, next) in self.batch.nexts.iter().enumerate() {
            let fingerprint = next.fingerprint;
            let recent = &mut self.recent[fingerprint as usize % RECENT];
            let found = if recent.fingerprint == fingerprint && recent.number != PENDING {
                Found::Number(recent.number)
            } else if recent.fingerprint == fingerprint {
                Found::Same(recent.step)
            } else {
                *recent = Recent { fingerprint, number: PENDING, step: step as u32 };
                self.buckets[shard_of(fingerprint)].push(step as u32);
                Found::Met(Met { slot: 0, new: false })
            };
            self.founds.push(found);
        }
    }

    /// How many states it met for the first time.
    pub(super) fn new_states(&self) -> u32 {
        self.mets.iter().flatten().filter(|met| met.new).count() as u32
    }

    /// Writes down the new states, in the order of the steps that lead to them.
    pub(super) fn write_new(&mut self, states: &[u32], words: usize) {
        for (bucket, mets) in self.buckets.iter().zip(&self.mets) {
            for (&step, &met) in bucket.iter().zip(mets) {
                self.founds[step as usize] = Found::Met(met);
            }
        }
        let fresh = &mut self.fresh;
        fresh.states.clear();
        fresh.fingerprints.clear();
        fresh.parents.clear();
        self.targets.clear();
        for (next, found) in self.batch.nexts.iter().zip(&self.founds) {
            let mut number = PENDING;
            if let Found::Met(Met { new: true, .. }) = found {
                number = self.first_new + fresh.parents.len() as u32;
                let at = next.parent as usize;
                self.batch.write(next, &states[at * words..(at + 1) * words], &mut fresh.states);
                fresh.fingerprints.push(next.fingerprint);
                fresh.parents.push(self.first + next.parent);
            }
            self.targets.push(number);
        }
    }

    /// Finds the number of the state that each step leads to.
    pub(super) fn find_targets(&mut self, shards: &[Shard], keep_edges: bool) {
        self.edges.clear();
        if keep_edges {
            self.find_edges(shards);
        }
        // What was met in this block has its number now. Where nobody asks for numbers it is enough that it is known.
        for &step in self.buckets.iter().flatten() {
            let fingerprint = self.batch.nexts[step as usize].fingerprint;
            let recent = &mut self.recent[fingerprint as usize % RECENT];
            if recent.fingerprint == fingerprint {
                recent.number = if keep_edges { self.targets[step as usize] } else { 0 };
            }
        }
    }

    fn find_edges(&mut self, shards: &[Shard]) {
        for (step, (next, &found)) in self.batch.nexts.iter().zip(&self.founds).enumerate() {
            self.targets[step] = match found {
                Found::Number(number) => number,
                Found::Same(step) => self.targets[step as usize],
                Found::Met(met) if met.new => self.targets[step],
                Found::Met(met) => shards[shard_of(next.fingerprint)].number(met),
            };
        }
        let edge =
            |(next, &target): (&Next, &u32)| Edge::new(target, next.messages, next.announcements, next.first);
        self.edges.extend(self.batch.nexts.iter().zip(&self.targets).map(edge));
    }
}

/// Lets every worker do something, each on its own thread if there are several.
pub(super) fn each<'a>(workers: &mut [Worker<'a>], act: impl Fn(&mut Worker<'a>) + Sync) {
    share_out(workers.len(), workers.iter_mut(), act);
}

/// Looks up the states that the workers met, each thread in its own shards, in the order of the workers.
pub(super) fn meet(workers: &mut [Worker<'_>], shards: &mut [Shard]) {
    // The tables of a shard are taken out of the workers, so that the shard's thread can have them.
    let mut mets: Vec<Vec<Vec<Met>>> = (0..SHARDS)
        .map(|shard| workers.iter_mut().map(|worker| core::mem::take(&mut worker.mets[shard])).collect())
        .collect();
    let met_by: &[Worker<'_>] = workers;
    let tasks = shards.iter_mut().zip(&mut mets).enumerate();
    share_out(met_by.len(), tasks, |(s, (shard, mets))| {
        shard.reserve(met_by.iter().map(|worker| worker.buckets[s].len()).sum());
        for (worker, mets) in met_by.iter().zip(mets) {
            let (bucket, nexts) = (&worker.buckets[s], &worker.batch.nexts);
            // All slots are fetched before any of them is looked at.
            let touched =
                bucket.iter().fold(0, |sum, &step| sum ^ shard.touch(nexts[step as usize].fingerprint));
            core::hint::black_box(touched);
            mets.clear();
            mets.extend(bucket.iter().map(|&step| shard.meet(nexts[step as usize].fingerprint)));
        }
    });
    for (shard, mets) in mets.into_iter().enumerate() {
        for (worker, mets) in workers.iter_mut().zip(mets) {
            worker.mets[shard] = mets;
        }
    }
}

/// Writes the numbers of the new states into the table.
pub(super) fn set_numbers(workers: &[Worker<'_>], shards: &mut [Shard]) {
    share_out(workers.len(), shards.iter_mut().enumerate(), |(s, shard)| {
        for worker in workers {
            for (&step, &met) in worker.buckets[s].iter().zip(&worker.mets[s]) {
                if met.new {
                    shard.set_number(met, worker.targets[step as usize]);
                }
            }
        }
    });
}
