//! The edges between the states that were met, and what follows from them: whether there is a cycle, and the least and
//! the largest sum of weights from the first state to an end.

#[cfg(test)]
mod tests;

use core::ops::Range;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// The edges, those of each state together, in the order of its number.
#[derive(Default)]
pub(crate) struct Graph {
    /// Where the edges of each state begin; one more than there are states.
    pub(crate) begins: Vec<u64>,
    pub(crate) edges: Vec<Edge>,
    /// The probability of each edge, where chance decides.
    pub(crate) chances: Vec<f64>,
    /// By how much the largest number of phases grows on each edge, where phases are watched.
    pub(crate) phases: Vec<u16>,
}

/// One edge.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) target: u32,
    pub(crate) messages: u16,
    /// Twice the announcements among them, and one more if it is the first outcome of its action: eight bytes in all.
    tail: u16,
}

impl Edge {
    pub(crate) fn new(target: u32, messages: u16, announcements: u16, first: bool) -> Edge {
        Edge { target, messages, tail: announcements << 1 | u16::from(first) }
    }

    /// How many of the messages announce only.
    pub(crate) fn announcements(self) -> u16 {
        self.tail >> 1
    }

    /// Whether it is the first outcome of its action.
    pub(crate) fn is_first(self) -> bool {
        self.tail & 1 == 1
    }
}

/// The least and the largest sums over all ways to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sums {
    pub(crate) messages: (u64, u64),
    pub(crate) elections: (u64, u64),
}

/// The way to a state, by what comes before each; it begins with one that comes before itself.
pub(crate) fn way(to: u32, before: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut way = vec![to];
    let mut last = to;
    while before(last) != last {
        last = before(last);
        way.push(last);
    }
    way.reverse();
    way
}

impl Graph {
    pub(crate) fn states(&self) -> usize {
        self.begins.len().saturating_sub(1)
    }

    pub(crate) fn edges(&self, state: u32) -> &[Edge] {
        &self.edges[self.places(state)]
    }

    /// The places of the edges of a state among all.
    pub(crate) fn places(&self, state: u32) -> Range<usize> {
        self.begins[state as usize] as usize..self.begins[state as usize + 1] as usize
    }

    pub(crate) fn bytes(&self) -> u64 {
        let per_edge = size_of::<Edge>() * self.edges.capacity();
        (self.begins.capacity() * 8 + per_edge + self.chances.capacity() * 8 + self.phases.capacity() * 2)
            as u64
    }

    /// The states in an order in which every edge leads on; none if there is a cycle.
    pub(crate) fn order(&self) -> Option<Vec<u32>> {
        let states = self.states();
        let mut missing = vec![0u32; states];
        for edge in &self.edges {
            missing[edge.target as usize] += 1;
        }
        let mut order: Vec<u32> = (0..states as u32).filter(|&state| missing[state as usize] == 0).collect();
        let mut place = 0;
        while place < order.len() {
            let state = order[place];
            place += 1;
            for edge in self.edges(state) {
                let missing = &mut missing[edge.target as usize];
                *missing -= 1;
                if *missing == 0 {
                    order.push(edge.target);
                }
            }
        }
        (order.len() == states).then_some(order)
    }

    /// The sums from state 0 to these ends, along an order of all states.
    pub(crate) fn sums(&self, order: &[u32], ends: &[u32]) -> Option<Sums> {
        let states = self.states();
        let mut least = vec![(u32::MAX, u32::MAX); states];
        let mut most = vec![(0u32, 0u32); states];
        least[0] = (0, 0);
        for &state in order {
            let (from_least, from_most) = (least[state as usize], most[state as usize]);
            for edge in self.edges(state) {
                let all = u32::from(edge.messages);
                let election = all - u32::from(edge.announcements());
                let to = edge.target as usize;
                least[to].0 = least[to].0.min(from_least.0 + all);
                least[to].1 = least[to].1.min(from_least.1 + election);
                most[to].0 = most[to].0.max(from_most.0 + all);
                most[to].1 = most[to].1.max(from_most.1 + election);
            }
        }
        let range = |values: &dyn Fn(usize) -> (u32, u32)| {
            let least = ends.iter().map(|&end| values(end as usize).0).min()?;
            let most = ends.iter().map(|&end| values(end as usize).1).max()?;
            Some((u64::from(least), u64::from(most)))
        };
        Some(Sums {
            messages: range(&|end| (least[end].0, most[end].0))?,
            elections: range(&|end| (least[end].1, most[end].1))?,
        })
    }

    /// The states along a way from state 0 to one of these ends with the most or the least election messages.
    pub(crate) fn extreme(&self, order: &[u32], ends: &[u32], most: bool) -> Option<Vec<u32>> {
        // Either way more is better; what was not reached has no sum.
        let mut best: Vec<Option<(i64, u32)>> = vec![None; self.states()];
        *best.first_mut()? = Some((0, 0));
        for &state in order {
            let Some((sum, _)) = best[state as usize] else { continue };
            for edge in self.edges(state) {
                let election = i64::from(edge.messages) - i64::from(edge.announcements());
                let sum = sum + if most { election } else { -election };
                let to = &mut best[edge.target as usize];
                if to.is_none_or(|(before, _)| sum > before) {
                    *to = Some((sum, state));
                }
            }
        }
        let end = ends.iter().copied().max_by_key(|&end| best[end as usize].map(|(sum, _)| sum))?;
        Some(way(end, |state| best[state as usize].map_or(state, |(_, before)| before)))
    }

    /// The least sums from state 0 to one of these ends, cycles or not.
    pub(crate) fn least(&self, ends: &[u32]) -> Option<(u64, u64)> {
        let mut is_end = vec![false; self.states()];
        for &end in ends {
            is_end[end as usize] = true;
        }
        let weigh = |edge: &Edge, all: bool| {
            u64::from(edge.messages) - if all { 0 } else { u64::from(edge.announcements()) }
        };
        let shortest = |all: bool| {
            let mut best = vec![u64::MAX; self.states()];
            let mut heap = BinaryHeap::from([core::cmp::Reverse((0u64, 0u32))]);
            best[0] = 0;
            while let Some(core::cmp::Reverse((sum, state))) = heap.pop() {
                if is_end[state as usize] {
                    return Some(sum);
                }
                if sum > best[state as usize] {
                    continue;
                }
                for edge in self.edges(state) {
                    let sum = sum + weigh(edge, all);
                    if sum < best[edge.target as usize] {
                        best[edge.target as usize] = sum;
                        heap.push(core::cmp::Reverse((sum, edge.target)));
                    }
                }
            }
            None
        };
        Some((shortest(true)?, shortest(false)?))
    }

    /// For each state the number of its strongly connected component; the components are numbered so that every edge
    /// leads to the same or to a smaller one. Only edges that `keep` says yes to count.
    pub(crate) fn components(&self, keep: &dyn Fn(u32, usize) -> bool) -> (Vec<u32>, u32) {
        const UNSEEN: u32 = u32::MAX;
        let states = self.states();
        let mut component = vec![UNSEEN; states];
        let mut low = vec![0u32; states];
        let mut index = vec![UNSEEN; states];
        let (mut seen, mut components) = (0u32, 0u32);
        let mut open: Vec<u32> = Vec::new();
        // Tarjan's algorithm, with the calls on a list: a state and how many of its edges were followed.
        let mut calls: Vec<(u32, u32)> = Vec::new();
        for root in 0..states as u32 {
            if index[root as usize] != UNSEEN {
                continue;
            }
            calls.push((root, 0));
            while let Some(&(state, followed)) = calls.last() {
                let s = state as usize;
                if followed == 0 {
                    index[s] = seen;
                    low[s] = seen;
                    seen += 1;
                    open.push(state);
                }
                let mut called = None;
                let mut steps = followed;
                for place in self.places(state).skip(followed as usize) {
                    steps += 1;
                    let target = self.edges[place].target;
                    let to = target as usize;
                    if !keep(state, place) {
                        continue;
                    }
                    if index[to] == UNSEEN {
                        called = Some(target);
                        break;
                    }
                    if component[to] == UNSEEN {
                        low[s] = low[s].min(index[to]);
                    }
                }
                if let Some(call) = calls.last_mut() {
                    // At least one, so that a state is not opened twice.
                    call.1 = steps.max(1);
                }
                if let Some(target) = called {
                    calls.push((target, 0));
                    continue;
                }
                calls.pop();
                if let Some(&(caller, _)) = calls.last() {
                    low[caller as usize] = low[caller as usize].min(low[s]);
                }
                if low[s] == index[s] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = components;
                        if member == state {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        (component, components)
    }

    /// The first state from which none of these can be reached.
    pub(crate) fn cut_off(&self, is_goal: impl Fn(usize) -> bool) -> Option<u32> {
        // Backwards along the edges, in as many sweeps as it takes; most edges lead on, so a few are enough.
        let mut hopeful: Vec<bool> = (0..self.states()).map(is_goal).collect();
        let mut grows = true;
        while grows {
            grows = false;
            for state in (0..self.states()).rev() {
                if !hopeful[state]
                    && self.edges(state as u32).iter().any(|edge| hopeful[edge.target as usize])
                {
                    hopeful[state] = true;
                    grows = true;
                }
            }
        }
        hopeful.iter().position(|&hope| !hope).map(|state| state as u32)
    }

    /// Extends a walk to a state by a shortest way over these edges; by at least one step if asked.
    pub(crate) fn walk_on(
        &self,
        inside: &dyn Fn(u32, usize) -> bool,
        walk: &mut Vec<u32>,
        goal: u32,
        at_least_one: bool,
    ) {
        let Some(&from) = walk.last() else { return };
        if from == goal && !at_least_one {
            return;
        }
        let mut came: BTreeMap<u32, u32> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        'search: while let Some(state) = queue.pop_front() {
            for (place, edge) in self.places(state).zip(self.edges(state)) {
                if inside(state, place) && !came.contains_key(&edge.target) {
                    came.insert(edge.target, state);
                    if edge.target == goal {
                        break 'search;
                    }
                    queue.push_back(edge.target);
                }
            }
        }
        let mut back = vec![goal];
        while let Some(&before) = back.last().and_then(|state| came.get(state)) {
            if before == from {
                break;
            }
            back.push(before);
        }
        walk.extend(back.iter().rev());
    }
}
