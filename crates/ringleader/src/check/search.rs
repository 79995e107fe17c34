//! Breadth first through all states, layer by layer, so that the first violation is a shortest one.
//!
//! A layer is cut into blocks. Workers, a thread each, expand the states of a block; then they meet the states that
//! these lead to, each in its own shards of the table; then the new ones get their numbers, in the order in which one
//! worker alone would have met them. So nothing depends on the number of threads.

use super::findings::{Limit, Progress, Watcher};
use super::graph::{Graph, way};
use super::system::System;
use super::visited::{Visited, shard_of};
use super::worker::{Mark, Worker, each, meet, set_numbers};
use core::ops::ControlFlow;

/// How many states a thread expands before their successors are met.
const BLOCK: usize = 4096;

/// What is to be searched.
pub(crate) struct Search<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) threads: usize,
    pub(crate) limits: Limits<'a>,
    /// Whether edges are kept.
    pub(crate) edges: bool,
    /// Whether the states themselves are kept.
    pub(crate) keep: bool,
    /// Whether chance decides, so that the probabilities of edges are kept.
    pub(crate) chances: bool,
    /// Whether phases are watched.
    pub(crate) phases: bool,
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
#[derive(Default)]
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
    /// The initial states.
    pub(crate) first: Vec<u32>,
    /// The largest lag with which a process began a phase, where phases are watched.
    pub(crate) furthest_lag: u32,
}

impl Explored {
    /// The states from an initial one to this one.
    pub(crate) fn way_to(&self, state: u32) -> Vec<u32> {
        way(state, |state| self.visited.parent(state))
    }
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

impl<'a> Search<'a> {
    /// Searches everything that can be reached from these states, which follow each other.
    pub(crate) fn run(&self, first: Vec<u32>) -> Explored {
        let mut run = Run::new(self, first);
        run.layers();
        run.explored.furthest_lag =
            run.workers.iter().map(|worker| worker.steps.furthest_lag()).max().unwrap_or(0);
        run.explored
    }

    fn worker(&self) -> Worker<'a> {
        Worker::new(self.system.steps())
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
    fn new(search: &'s Search<'a>, first: Vec<u32>) -> Run<'s, 'a> {
        let graph = Graph { begins: vec![0], ..Graph::default() };
        let explored = Explored { graph, ..Explored::default() };
        let mut run = Run {
            search,
            workers: vec![search.worker()],
            explored,
            layer: (Vec::new(), Vec::new()),
            next: (Vec::new(), Vec::new()),
            base: 0,
            silent_end: false,
        };
        run.begin(first);
        run
    }

    /// Meets the initial states. Each is its own parent.
    fn begin(&mut self, mut first: Vec<u32>) {
        let explored = &mut self.explored;
        for state in first.chunks_exact_mut(self.search.system.words()) {
            let steps = &mut self.workers[0].steps;
            let fingerprint = steps.representative(state);
            let shard = &mut explored.visited.shards[shard_of(fingerprint)];
            shard.reserve(1);
            let met = shard.meet(fingerprint);
            if !met.new {
                continue;
            }
            let number = explored.visited.len();
            explored.visited.shards[shard_of(fingerprint)].set_number(met, number);
            explored.visited.add(&[number]);
            self.layer.0.extend_from_slice(state);
            self.layer.1.push(fingerprint);
            if explored.violation.is_none() {
                let wrong = steps.judge_first(state);
                explored.violation = wrong.map(|(property, detail)| Violation {
                    property,
                    detail,
                    state: number,
                    step: None,
                    length: 0,
                });
            }
        }
        explored.first.clone_from(&self.layer.0);
        if self.search.keep {
            explored.states.clone_from(&self.layer.0);
        }
    }

    fn layers(&mut self) {
        while self.explored.violation.is_none() && !self.layer.1.is_empty() && !self.silent_end {
            let states = self.layer.1.len();
            let mut done = 0;
            while done < states {
                // A thread is worth starting only for a full share.
                let threads = self.search.threads.min((states - done) / BLOCK).max(1);
                while self.workers.len() < threads {
                    self.workers.push(self.search.worker());
                }
                let share = if threads == 1 { BLOCK } else { 4 * BLOCK };
                let last = states.min(done + share * threads);
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
        let parts = self.search.system.bytes();
        let explored = &self.explored;
        explored.visited.bytes() + explored.graph.bytes() + word(explored.states.capacity()) + layers + parts
    }

    /// Expands the states of the layer from `first` to `last`.
    fn block(&mut self, first: usize, last: usize, threads: usize) {
        let words = self.search.system.words();
        let share = (last - first).div_ceil(threads);
        let (base, keep_edges) = (self.base, self.search.edges);
        let Run { workers, layer, explored, .. } = self;
        let workers = &mut workers[..threads];
        for (k, worker) in workers.iter_mut().enumerate() {
            let (from, to) = (first + k * share, last.min(first + (k + 1) * share));
            worker.first = base + from as u32;
            worker.slice = (from, to);
        }
        let slice = |worker: &Worker<'_>| {
            let (from, to) = worker.slice;
            (&layer.0[from * words..to * words], &layer.1[from..to])
        };
        each(workers, |worker| {
            let (states, fingerprints) = slice(worker);
            worker.expand(states, fingerprints, words);
        });
        let visited = &mut explored.visited;
        meet(workers, &mut visited.shards);
        let mut next = visited.len();
        for worker in &mut *workers {
            worker.first_new = next;
            next += worker.new_states();
        }
        each(workers, |worker| {
            let (states, _) = slice(worker);
            worker.write_new(states, words);
        });
        set_numbers(workers, &mut visited.shards);
        let shards = &visited.shards;
        each(workers, |worker| worker.find_targets(shards, keep_edges));
        for k in 0..threads {
            self.take_over(k);
        }
    }

    /// Takes over what a worker found.
    fn take_over(&mut self, k: usize) {
        let worker = &self.workers[k];
        let explored = &mut self.explored;
        explored.transitions += worker.batch.nexts.len() as u64;
        explored.visited.add(&worker.fresh.parents);
        self.next.0.extend_from_slice(&worker.fresh.states);
        self.next.1.extend_from_slice(&worker.fresh.fingerprints);
        if self.search.keep {
            explored.states.extend_from_slice(&worker.fresh.states);
        }
        let graph = &mut explored.graph;
        if self.search.chances {
            graph.chances.extend(worker.batch.details.iter().map(|detail| detail.chance));
        }
        if self.search.phases {
            graph.phases.extend(worker.batch.details.iter().map(|detail| detail.phases));
        }
        if self.search.edges {
            let before = graph.edges.len() as u64;
            graph.edges.extend_from_slice(&worker.edges);
            graph.begins.extend(worker.marks.iter().map(|&(until, _)| before + u64::from(until)));
        }
        for (place, &(_, mark)) in worker.marks.iter().enumerate() {
            let state = worker.first + place as u32;
            match mark {
                Mark::GoesOn => {}
                Mark::Ends => explored.ends.push(state),
                Mark::Served => explored.served.push(state),
            }
        }
        self.note_violations(k);
    }

    /// Keeps the first violation that the worker found; one that shows in a state goes before one that a step from it
    /// leads to.
    fn note_violations(&mut self, k: usize) {
        let worker = &self.workers[k];
        let length = self.explored.depth;
        let at_end = worker.ends.first().map(|&(place, property, ref detail)| Violation {
            property,
            detail: detail.clone(),
            state: worker.first + place,
            step: None,
            length,
        });
        let earliest = worker.batch.violations.iter().min_by_key(|violation| (violation.0, violation.1));
        let in_step = earliest.map(|&(place, property, ref detail)| {
            let parent = worker.batch.nexts[place as usize].parent;
            let begin = if parent == 0 { 0 } else { worker.marks[parent as usize - 1].0 };
            Violation {
                property,
                detail: detail.clone(),
                state: worker.first + parent,
                step: Some(place - begin),
                length: length + 1,
            }
        });
        let known = &mut self.explored.violation;
        for found in [at_end, in_step].into_iter().flatten() {
            if known.as_ref().is_none_or(|known| found.length < known.length) {
                *known = Some(found);
            }
        }
    }
}
