//! Breadth first through all states, layer by layer, so that the first violation is a shortest one.
//!
//! A layer is cut into blocks. Threads expand the states of a block, then meet the states they lead to, each thread in
//! its own shards of the table; then the new ones get their numbers, in the order in which one thread alone would have
//! met them. So nothing depends on the number of threads.

use super::expand::{Batch, Expander, Next, Rules};
use super::findings::{Limit, Progress, Watcher};
use super::graph::{Edge, Graph};
use super::space::{Parts, Space};
use super::visited::{Met, SHARDS, Shard, Visited, shard_of};
use core::ops::ControlFlow;
use std::sync::Mutex;

/// How many states a thread expands before their successors are met.
const BLOCK: usize = 2048;

/// What is to be searched.
pub(crate) struct Search<'a> {
    pub(crate) space: &'a Space,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) shared: &'a Mutex<Parts>,
    pub(crate) threads: usize,
    pub(crate) limits: Limits<'a>,
    /// Whether edges are kept.
    pub(crate) edges: bool,
    /// Whether the states themselves are kept.
    pub(crate) keep: bool,
    /// Whether chance decides, so that the probabilities of edges are kept.
    pub(crate) chances: bool,
    /// Do not look further than this many steps.
    pub(crate) max_depth: u64,
}

/// When to stop, and who watches.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    pub(crate) states: u64,
    pub(crate) bytes: u64,
    pub(crate) watcher: &'a dyn Watcher,
    /// What was found in the cases before.
    pub(crate) so_far: Progress,
}

/// What a search found.
pub(crate) struct Explored {
    pub(crate) visited: Visited,
    pub(crate) graph: Graph,
    pub(crate) transitions: u64,
    pub(crate) depth: u64,
    /// The states in which a run ends.
    pub(crate) ends: Vec<u32>,
    /// The states in which all users are served, where tokens circulate for ever.
    pub(crate) served: Vec<u32>,
    pub(crate) violation: Option<Violation>,
    pub(crate) limit: Option<Limit>,
    pub(crate) states: Vec<u32>,
    pub(crate) peak_bytes: u64,
    pub(crate) first: Vec<u32>,
    /// The largest lag with which a process began a phase, where phases are watched.
    pub(crate) furthest_lag: u32,
}

/// A violation, and where.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// The number of the property.
    pub(crate) property: usize,
    pub(crate) detail: String,
    /// The state in which it shows, or from which a step leads to it.
    pub(crate) state: u32,
    /// The place of that step among those of the state.
    pub(crate) step: Option<u32>,
    /// How many steps lead to it.
    pub(crate) length: u64,
}

/// One thread's share of a block.
struct Worker<'a> {
    expander: Expander<'a>,
    batch: Batch,
    /// For each state: where its steps end, and whether a run ends there.
    marks: Vec<(u32, Mark)>,
    ends: Vec<(u32, usize, String)>,
    /// For each step, where it leads.
    mets: Vec<Found>,
    /// For each step, the number of the state that it leads to.
    targets: Vec<u32>,
    /// For each shard: the places of the steps whose states must be looked up there.
    buckets: Vec<Vec<u32>>,
    recent: Vec<Recent>,
}

/// Where a step leads.
#[derive(Clone, Copy)]
enum Found {
    /// To a state with this number.
    Number(u32),
    /// Where an earlier step of the same worker leads.
    Same(u32),
    /// To this slot of the table.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    GoesOn,
    Ends,
    Served,
}

impl<'a> Search<'a> {
    /// Searches everything that can be reached from this state.
    pub(crate) fn run(&self, first: Vec<u32>) -> Explored {
        let mut run = Run::new(self, first);
        run.layers();
        run.explored.furthest_lag =
            run.workers.iter().map(|worker| worker.expander.furthest_lag).max().unwrap_or(0);
        run.explored
    }
}

struct Run<'s, 'a> {
    search: &'s Search<'a>,
    workers: Vec<Worker<'a>>,
    explored: Explored,
    /// The states of this layer, and their fingerprints; then those of the next.
    layer: (Vec<u32>, Vec<u64>),
    next: (Vec<u32>, Vec<u64>),
    /// The number of the first state of the layer.
    base: u32,
    silent_end: bool,
}

impl<'s, 'a> Run<'s, 'a> {
    fn new(search: &'s Search<'a>, mut first: Vec<u32>) -> Run<'s, 'a> {
        let mut workers: Vec<Worker<'a>> = (0..search.threads.max(1))
            .map(|_| Worker {
                expander: Expander::new(search.space, search.rules, search.shared),
                batch: Batch::default(),
                marks: Vec::new(),
                ends: Vec::new(),
                mets: Vec::new(),
                targets: Vec::new(),
                buckets: vec![Vec::new(); SHARDS],
                recent: vec![Recent { fingerprint: 0, number: PENDING, step: 0 }; RECENT],
            })
            .collect();
        let fingerprint = workers[0].expander.representative(&mut first);
        let mut visited = Visited::new();
        let met = visited.shards[shard_of(fingerprint)].meet(fingerprint);
        visited.number(fingerprint, met, 0);
        let violation = workers[0].expander.judge_first(&first).map(|(property, detail)| Violation {
            property,
            detail,
            state: 0,
            step: None,
            length: 0,
        });
        let explored = Explored {
            visited,
            graph: Graph { begins: vec![0], ..Graph::default() },
            transitions: 0,
            depth: 0,
            ends: Vec::new(),
            served: Vec::new(),
            violation,
            limit: None,
            states: if search.keep { first.clone() } else { Vec::new() },
            peak_bytes: 0,
            first: first.clone(),
            furthest_lag: 0,
        };
        Run {
            search,
            workers,
            explored,
            layer: (first, vec![fingerprint]),
            next: (Vec::new(), Vec::new()),
            base: 0,
            silent_end: false,
        }
    }

    fn layers(&mut self) {
        while self.explored.violation.is_none() && !self.layer.1.is_empty() && !self.silent_end {
            let states = self.layer.1.len();
            let mut done = 0;
            while done < states {
                // A thread is worth starting only for a full share.
                let threads = self.workers.len().min((states - done) / BLOCK).max(1);
                let last = states.min(done + BLOCK * threads);
                self.block(done, last, threads);
                done = last;
                if self.stops(states - done) {
                    return;
                }
            }
            if self.explored.violation.is_some() {
                return;
            }
            self.base += states as u32;
            core::mem::swap(&mut self.layer, &mut self.next);
            self.next.0.clear();
            self.next.1.clear();
            if !self.layer.1.is_empty() {
                self.explored.depth += 1;
                // The last layer is still looked at: a run may end there.
                self.silent_end = self.explored.depth > self.search.max_depth;
            }
        }
    }

    /// Whether a limit is reached; tells the watcher how far it is.
    fn stops(&mut self, left: usize) -> bool {
        let limits = &self.search.limits;
        let states = u64::from(self.explored.visited.len());
        let bytes = self.bytes();
        self.explored.peak_bytes = self.explored.peak_bytes.max(bytes);
        let progress = Progress {
            states: limits.so_far.states + states,
            transitions: limits.so_far.transitions + self.explored.transitions,
            queue: (left + self.next.1.len()) as u64,
            depth: self.explored.depth,
            bytes,
            ..limits.so_far
        };
        let limit = if states > limits.states || self.explored.visited.len() >= u32::MAX - (1 << 24) {
            Some(Limit::States(limits.states))
        } else if bytes > limits.bytes {
            Some(Limit::Bytes(limits.bytes))
        } else if limits.watcher.progress(&progress) == ControlFlow::Break(()) {
            Some(Limit::Stopped)
        } else {
            None
        };
        let nothing_left = left + self.next.1.len() == 0;
        // A limit is one only if something is left to do; a violation that was found counts more.
        if self.explored.violation.is_none() && (!nothing_left || limit == Some(Limit::Stopped)) {
            self.explored.limit = limit;
        }
        self.explored.limit.is_some()
    }

    fn bytes(&self) -> u64 {
        let word = |words: usize| words as u64 * 4;
        let layers = word(self.layer.0.capacity() + self.next.0.capacity())
            + 8 * (self.layer.1.capacity() + self.next.1.capacity()) as u64;
        let parts = super::memo::lock(self.search.shared).bytes();
        let explored = &self.explored;
        explored.visited.bytes() + explored.graph.bytes() + word(explored.states.capacity()) + layers + parts
    }

    /// Expands the states of the layer from `first` to `last`.
    fn block(&mut self, first: usize, last: usize, threads: usize) {
        let words = self.search.space.words();
        let layer = &self.layer;
        let share = (last - first).div_ceil(threads);
        let bounds = |k: usize| (first + k * share, last.min(first + (k + 1) * share));
        let shards = &mut self.explored.visited.shards;
        if threads == 1 {
            let worker = &mut self.workers[0];
            worker.expand(&layer.0[first * words..last * words], &layer.1[first..last], words);
            meet_alone(worker, shards);
        } else {
            std::thread::scope(|scope| {
                for (k, worker) in self.workers[..threads].iter_mut().enumerate() {
                    let (from, to) = bounds(k);
                    scope.spawn(move || {
                        worker.expand(&layer.0[from * words..to * words], &layer.1[from..to], words);
                    });
                }
            });
            meet_side_by_side(&mut self.workers[..threads], shards);
        }
        for k in 0..threads {
            let (from, to) = bounds(k);
            self.number(k, from, to);
        }
    }

    /// Gives numbers to the new states that a worker met, and keeps what is to be kept.
    fn number(&mut self, k: usize, first: usize, last: usize) {
        let words = self.search.space.words();
        let worker = &mut self.workers[k];
        let explored = &mut self.explored;
        let nexts = &worker.batch.nexts;
        explored.transitions += nexts.len() as u64;
        worker.targets.clear();
        for (next, &found) in nexts.iter().zip(&worker.mets) {
            let number = match found {
                Found::Number(number) => number,
                Found::Same(step) => worker.targets[step as usize],
                Found::Met(met) if !met.new => explored.visited.number_at(next.fingerprint, met),
                Found::Met(met) => {
                    let at = first + next.parent as usize;
                    let parent = &self.layer.0[at * words..(at + 1) * words];
                    worker.batch.write(next, parent, &mut self.next.0);
                    self.next.1.push(next.fingerprint);
                    if self.search.keep {
                        worker.batch.write(next, parent, &mut explored.states);
                    }
                    explored.visited.number(next.fingerprint, met, self.base + at as u32)
                }
            };
            worker.targets.push(number);
        }
        // What was met in this block has its number now.
        for &step in worker.buckets.iter().flatten() {
            let fingerprint = nexts[step as usize].fingerprint;
            let recent = &mut worker.recent[fingerprint as usize % RECENT];
            if recent.fingerprint == fingerprint {
                recent.number = worker.targets[step as usize];
            }
        }
        if self.search.chances {
            explored.graph.chances.extend(worker.batch.details.iter().map(|detail| detail.chance));
        }
        if self.search.rules.phases {
            explored.graph.phases.extend(worker.batch.details.iter().map(|detail| detail.phases));
        }
        let mut from = 0;
        for (place, &(until, mark)) in worker.marks.iter().enumerate() {
            let state = self.base + (first + place) as u32;
            match mark {
                Mark::GoesOn => {}
                Mark::Ends => explored.ends.push(state),
                Mark::Served => explored.served.push(state),
            }
            if self.search.edges {
                let steps = from..until as usize;
                keep_edges(&mut explored.graph, &nexts[steps.clone()], &worker.targets[steps]);
            }
            from = until as usize;
        }
        debug_assert_eq!(last - first, worker.marks.len());
        self.note_violations(k, first);
    }

    /// Keeps the first violation that the worker found; one that shows in a state goes before one that a step from it
    /// leads to.
    fn note_violations(&mut self, k: usize, first: usize) {
        let worker = &self.workers[k];
        let explored = &mut self.explored;
        let shorter = |length: u64, explored: &Explored| {
            explored.violation.as_ref().is_none_or(|known| length < known.length)
        };
        let depth = explored.depth;
        if let Some((place, property, detail)) = worker.ends.first()
            && shorter(depth, explored)
        {
            let state = self.base + (first + *place as usize) as u32;
            explored.violation = Some(Violation {
                property: *property,
                detail: detail.clone(),
                state,
                step: None,
                length: depth,
            });
        }
        let earliest = worker.batch.violations.iter().min_by_key(|violation| (violation.0, violation.1));
        if let Some((place, property, detail)) = earliest
            && shorter(depth + 1, explored)
        {
            let parent = worker.batch.nexts[*place as usize].parent;
            let begin = if parent == 0 { 0 } else { worker.marks[parent as usize - 1].0 };
            explored.violation = Some(Violation {
                property: *property,
                detail: detail.clone(),
                state: self.base + (first as u32 + parent),
                step: Some(place - begin),
                length: depth + 1,
            });
        }
    }
}

fn keep_edges(graph: &mut Graph, nexts: &[Next], targets: &[u32]) {
    for (next, &target) in nexts.iter().zip(targets) {
        graph.edges.push(Edge::new(target, next.messages, next.announcements, next.first));
    }
    graph.begins.push(graph.edges.len() as u64);
}

impl Worker<'_> {
    /// Expands these states.
    fn expand(&mut self, states: &[u32], fingerprints: &[u64], words: usize) {
        self.batch.clear();
        self.marks.clear();
        self.ends.clear();
        for (place, (state, &fingerprint)) in states.chunks_exact(words).zip(fingerprints).enumerate() {
            self.expander.expand(place as u32, state, fingerprint, &mut self.batch);
            let mut mark = Mark::GoesOn;
            if !self.batch.is_due {
                if let Some((property, detail)) = self.expander.judge_end(state) {
                    self.ends.push((place as u32, property, detail));
                }
                if !self.batch.may_want {
                    mark = Mark::Ends;
                }
            } else if self.expander.rules.never_silent && self.expander.all_served(state) {
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
        self.mets.clear();
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
            self.mets.push(found);
        }
    }
}

/// One thread looks up all states.
fn meet_alone(worker: &mut Worker<'_>, shards: &mut [Shard]) {
    for (shard, bucket) in shards.iter_mut().zip(&worker.buckets) {
        shard.reserve(bucket.len());
        touch_all(shard, bucket, &worker.batch.nexts);
        for &step in bucket {
            let met = shard.meet(worker.batch.nexts[step as usize].fingerprint);
            worker.mets[step as usize] = Found::Met(met);
        }
    }
}

/// Fetches the slots that will be looked at.
fn touch_all(shard: &Shard, bucket: &[u32], nexts: &[Next]) {
    let touched = bucket.iter().fold(0, |sum, &step| sum ^ shard.touch(nexts[step as usize].fingerprint));
    core::hint::black_box(touched);
}

/// Several threads meet the states, each in its own shards, in the order of the workers.
fn meet_side_by_side(workers: &mut [Worker<'_>], shards: &mut [Shard]) {
    let share = shards.len().div_ceil(workers.len());
    let threads = workers.len();
    let found: Vec<Vec<Vec<Met>>> = std::thread::scope(|scope| {
        let workers = &*workers;
        let handles: Vec<_> = shards
            .chunks_mut(share)
            .enumerate()
            .map(|(k, shards)| {
                scope.spawn(move || {
                    let mut found: Vec<Vec<Met>> = vec![Vec::new(); threads * shards.len()];
                    for (s, shard) in shards.iter_mut().enumerate() {
                        let bucket = |worker: &'_ Worker<'_>| worker.buckets[k * share + s].len();
                        shard.reserve(workers.iter().map(bucket).sum());
                        for (w, worker) in workers.iter().enumerate() {
                            let nexts = &worker.batch.nexts;
                            touch_all(shard, &worker.buckets[k * share + s], nexts);
                            found[s * threads + w].extend(
                                worker.buckets[k * share + s]
                                    .iter()
                                    .map(|&place| shard.meet(nexts[place as usize].fingerprint)),
                            );
                        }
                    }
                    found
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_default()).collect()
    });
    for (k, found) in found.iter().enumerate() {
        for (place, mets) in found.iter().enumerate() {
            let (shard, w) = (k * share + place / threads, place % threads);
            let worker = &mut workers[w];
            for (&place, &met) in worker.buckets[shard].iter().zip(mets) {
                worker.mets[place as usize] = Found::Met(met);
            }
        }
    }
}
