//! Runs without end. A run is fair if whatever can happen from some moment on at every moment happens at last: no
//! message is on its way for ever, no local step is put off for ever, no user stays inside for ever.

use super::batch::Batch;
use super::expand::Expander;
use super::graph::Graph;
use super::ground::{Ground, How};
use super::memo::lock;
use super::network::Searched;
use super::stimulus::{Action, Stimulus};
use super::system::Steps;
use crate::hash::fingerprint;
use crate::model::Links;
use std::collections::BTreeMap;

/// A fair run without end: the states of its cycle, in order, the first one again at the end.
pub(crate) struct Cycle(pub(crate) Vec<u32>);

/// Finds a fair cycle of a network among the edges that `keep` says yes to: a state and the place of an edge in the
/// graph.
pub(crate) fn fair_cycle_of(searched: &Searched<'_>, keep: &dyn Fn(u32, usize) -> bool) -> Option<Cycle> {
    let how = How { details: true, ..searched.how };
    let mut expander = Expander::new(searched.ground, how);
    let mut batch = Batch::default();
    let words = searched.ground.space.words();
    let mut duties = |state: u32| -> Vec<Vec<u64>> {
        let kept = &searched.explored.states[state as usize * words..(state as usize + 1) * words];
        batch.clear();
        expander.expand(0, kept, 0, &mut batch);
        batch.details.iter().map(|detail| labels(searched.ground, kept, detail.action)).collect()
    };
    fair_cycle(&searched.explored.graph, &mut duties, keep)
}

/// Finds a fair cycle among the edges that `keep` says yes to. For each step of a state `labels` says what it must be
/// taken for at last.
pub(crate) fn fair_cycle(
    graph: &Graph,
    labels: &mut dyn FnMut(u32) -> Vec<Vec<u64>>,
    keep: &dyn Fn(u32, usize) -> bool,
) -> Option<Cycle> {
    let (component, components) = graph.components(keep);
    let inside = |state: u32, place: usize| {
        keep(state, place) && component[graph.edges[place].target as usize] == component[state as usize]
    };
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); components as usize];
    for state in 0..graph.states() as u32 {
        if graph.places(state).any(|place| inside(state, place)) {
            members[component[state as usize] as usize].push(state);
        }
    }
    members.retain(|members| !members.is_empty());
    members.sort_unstable();
    for members in members {
        let mut duties: BTreeMap<u64, Duty> = BTreeMap::new();
        for &state in &members {
            let mut enabled: Vec<u64> = Vec::new();
            for (place, labels) in graph.places(state).zip(labels(state)) {
                for label in labels {
                    if !enabled.contains(&label) {
                        enabled.push(label);
                    }
                    if inside(state, place) {
                        duties.entry(label).or_default().taken = Some((state, graph.edges[place].target));
                    }
                }
            }
            for label in enabled {
                duties.entry(label).or_default().enabled += 1;
            }
        }
        let always = |duty: &Duty| duty.enabled == members.len();
        if duties.values().all(|duty| duty.taken.is_some() || !always(duty)) {
            // Visit an edge for everything that is always possible; the rest is impossible somewhere: visit all.
            let must: Vec<(u32, u32)> = duties.values().filter_map(|duty| duty.taken).collect();
            return Some(Cycle(tour(graph, &inside, members[0], &must, &members)));
        }
    }
    None
}

#[derive(Default)]
struct Duty {
    /// In how many states it is possible.
    enabled: usize,
    /// An edge of the component on which it happens.
    taken: Option<(u32, u32)>,
}

/// What must happen at last if it is always possible, and happens in this step.
fn labels(ground: &Ground<'_>, state: &[u32], action: Action) -> Vec<u64> {
    if !action.is_due() {
        return Vec::new();
    }
    match action {
        // Whatever the registers hold, it is the same step.
        Action::Own { process, stimulus: Stimulus::Access { step, .. } } => {
            vec![fingerprint(&(0, process, Stimulus::Local(step)))]
        }
        Action::Own { process, stimulus } => vec![fingerprint(&(0, process, stimulus))],
        Action::Deliver { link, .. } if ground.setup.links != Links::Bag => vec![fingerprint(&(1, link))],
        Action::Deliver { link, place } => {
            let shared = lock(&ground.shared);
            let flight = shared.contents.get(state[link as usize])[place as usize];
            vec![fingerprint(&(2, link, flight.stimulus))]
        }
        Action::Batch { process, took } => (0..2)
            .filter(|&side| took[side] > 0)
            .map(|side| fingerprint(&(1, ground.space.incoming[process as usize][side])))
            .collect(),
        Action::Begin | Action::Round => vec![3],
        Action::Lose { .. } | Action::Double { .. } => Vec::new(),
    }
}

/// A closed walk from `start` over these edges and, if it is small, through all states of the component.
fn tour(
    graph: &Graph,
    inside: &dyn Fn(u32, usize) -> bool,
    start: u32,
    must: &[(u32, u32)],
    members: &[u32],
) -> Vec<u32> {
    let mut walk = vec![start];
    let everywhere: &[u32] = if members.len() <= 64 { members } else { &[] };
    for &state in everywhere {
        if !walk.contains(&state) {
            graph.walk_on(inside, &mut walk, state, false);
        }
    }
    for &(from, to) in must {
        if !walk.windows(2).any(|pair| pair == [from, to]) {
            graph.walk_on(inside, &mut walk, from, false);
            walk.push(to);
        }
    }
    let still_here = walk.len() == 1;
    graph.walk_on(inside, &mut walk, start, still_here);
    walk
}
