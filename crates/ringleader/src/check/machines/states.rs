//! The states of machines, as numbers: the registers are their digits.

use crate::check::scope::{Reduce, Scope};
use crate::model::Daemon;
use crate::network::Wiring;
use crate::population::{Effects, Input, Memory, Nature, Population};
use crate::scenario::Setup;
use core::ops::Range;

/// The most states that are searched: a few bytes are kept of each.
const MOST: u64 = 1 << 28;

/// One machine moves, by this local step: what it adds to the number of the state.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) machine: u32,
    pub(super) step: u32,
    /// It wraps round where a digit falls.
    pub(super) adds: u64,
}

/// All states of some machines.
pub(super) struct States {
    pub(super) population: Box<dyn Population>,
    effects: Effects,
    pub(super) n: u32,
    steps: u32,
    daemon: Daemon,
    /// The values of the registers, and the weights of the digits.
    values: Vec<Range<u32>>,
    weights: Vec<u64>,
    count: u64,
    /// Whether the first digit can be taken for 0, because raising all of them changes nothing.
    pub(super) cyclic: bool,
    pub(super) cells: Vec<u32>,
}

/// A step of the daemon: which moves, and the state that they lead to.
#[derive(Clone)]
pub(super) struct Leap {
    pub(super) moves: Vec<(u32, u32)>,
    pub(super) to: u64,
}

impl States {
    pub(super) fn new(nature: &'static Nature, scope: &Scope, setup: &Setup) -> Option<States> {
        let net = Wiring::new(nature.shape, &setup.plan);
        let population = setup.population(nature, &net, scope.range);
        let memory: &Memory = population.memory();
        let values = memory.values();
        let mut count = 1u64;
        let mut weights = Vec::new();
        for range in &values {
            weights.push(count);
            count = count.checked_mul(u64::from(range.end - range.start)).filter(|count| *count <= MOST)?;
        }
        Some(States {
            n: setup.n,
            steps: nature.locals.count as u32,
            daemon: nature.spec.daemon(&setup.settings),
            cyclic: memory.is_cyclic() && scope.reduce != Reduce::None,
            cells: memory.cells().to_vec(),
            values,
            weights,
            count,
            effects: Effects::new(false),
            population,
        })
    }

    /// How many states stand for all.
    pub(super) fn representatives(&self) -> u64 {
        self.count / self.turns()
    }

    /// For how many states one stands.
    pub(super) fn turns(&self) -> u64 {
        if self.cyclic { u64::from(self.values[0].end - self.values[0].start) } else { 1 }
    }

    /// The state with this number among those that stand for all: the first digit is 0.
    pub(super) fn representative(&self, place: u64) -> u64 {
        place * self.turns()
    }

    pub(super) fn place(&self, state: u64) -> usize {
        (state / self.turns()) as usize
    }

    /// The state that stands for this one.
    pub(super) fn canonical(&self, state: u64) -> u64 {
        if !self.cyclic {
            return state;
        }
        let size = u64::from(self.values[0].end - self.values[0].start);
        let by = state % size;
        if by == 0 {
            return state;
        }
        let mut turned = 0;
        for &weight in &self.weights {
            turned += (state / weight + size - by) % size * weight;
        }
        turned
    }

    pub(super) fn read(&mut self, state: u64) {
        for ((cell, range), weight) in self.cells.iter_mut().zip(&self.values).zip(&self.weights) {
            *cell = range.start + (state / weight % u64::from(range.end - range.start)) as u32;
        }
    }

    pub(super) fn number(&self, cells: &[u32]) -> u64 {
        let digits = cells.iter().zip(&self.values).zip(&self.weights);
        digits.map(|((cell, range), weight)| u64::from(cell - range.start) * weight).sum()
    }

    /// Every privilege of a state.
    pub(super) fn moves(&mut self, state: u64, into: &mut Vec<Move>) {
        into.clear();
        self.read(state);
        self.population.memory_mut().set_cells(&self.cells);
        for machine in 0..self.n {
            let possible = self.population.possible(machine);
            for step in (0..self.steps).filter(|step| possible >> step & 1 == 1) {
                self.effects.begin_recorded(&[]);
                self.population.attempt(machine, Input::Local(step), &mut self.effects);
                let after = self.number(self.population.attempted_memory().cells());
                into.push(Move { machine, step, adds: after.wrapping_sub(state) });
            }
        }
    }

    /// Every step that the daemon may choose.
    pub(super) fn leaps(&self, state: u64, moves: &[Move], into: &mut Vec<Leap>) {
        into.clear();
        let single = |one: &Move| Leap {
            moves: vec![(one.machine, one.step)],
            to: self.canonical(state.wrapping_add(one.adds)),
        };
        if self.daemon == Daemon::Central {
            return into.extend(moves.iter().map(single));
        }
        // Machine by machine: it moves by one of its privileges, or not.
        let mut some: Vec<(Vec<(u32, u32)>, u64)> = vec![(Vec::new(), state)];
        for of_one in moves.chunk_by(|a, b| a.machine == b.machine) {
            let before = core::mem::take(&mut some);
            for (chosen, to) in before {
                for one in of_one {
                    let mut more = chosen.clone();
                    more.push((one.machine, one.step));
                    some.push((more, to.wrapping_add(one.adds)));
                }
                if self.daemon == Daemon::Distributed {
                    some.push((chosen, to));
                }
            }
        }
        let some = some.into_iter().filter(|(chosen, _)| !chosen.is_empty());
        into.extend(some.map(|(moves, to)| Leap { moves, to: self.canonical(to) }));
    }
}
