//! Chance: whether a goal is reached with probability 1 whatever the schedule, and the least and the greatest expected
//! cost until then. A state has actions, of which the scheduler picks one; an action has outcomes, of which chance
//! picks one.

#[cfg(test)]
mod tests;

use super::graph::Graph;
use core::ops::Range;

/// The actions of a graph: stretches of its edges.
pub(crate) struct Actions<'g> {
    graph: &'g Graph,
    /// Where the actions of each state begin; one more than there are states.
    begins: Vec<u32>,
    /// Where the edges of each action begin; one more than there are actions.
    edges: Vec<usize>,
}

impl<'g> Actions<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Actions<'g> {
        let mut begins = vec![0];
        let mut edges = Vec::new();
        for state in 0..graph.states() as u32 {
            edges.extend(graph.places(state).filter(|&place| graph.edges[place].is_first()));
            begins.push(edges.len() as u32);
        }
        edges.push(graph.edges.len());
        Actions { graph, begins, edges }
    }

    fn of(&self, state: u32) -> Range<usize> {
        self.begins[state as usize] as usize..self.begins[state as usize + 1] as usize
    }

    fn edges(&self, action: usize) -> Range<usize> {
        self.edges[action]..self.edges[action + 1]
    }

    /// Whether each edge belongs to an end component: a set of states in which a scheduler can stay for ever, however
    /// chance falls out. Empty if there is none.
    pub(crate) fn end_components(&self) -> Vec<bool> {
        let states = self.graph.states() as u32;
        let mut alive = vec![true; self.graph.edges.len()];
        loop {
            let (component, _) = self.graph.components(&|_, place| alive[place]);
            let mut changed = false;
            for state in 0..states {
                for action in self.of(state) {
                    let edges = self.edges(action);
                    let stays = edges.clone().all(|place| {
                        alive[place]
                            && component[self.graph.edges[place].target as usize] == component[state as usize]
                    });
                    if !stays && alive[edges.clone()].iter().any(|&alive| alive) {
                        alive[edges].fill(false);
                        changed = true;
                    }
                }
            }
            if !changed {
                return if alive.contains(&true) { alive } else { Vec::new() };
            }
        }
    }

    /// The least and the greatest expected sum of costs of edges.
    pub(crate) fn expected_range(&self, cost: &dyn Fn(usize) -> f64) -> Option<(f64, f64)> {
        Some((self.expected(cost, false)?, self.expected(cost, true)?))
    }

    /// The least or greatest expected sum of costs of edges from state 0 until nothing is left to do, to a relative
    /// error of at most 10^-11. There must be no end components.
    pub(crate) fn expected(&self, cost: &dyn Fn(usize) -> f64, most: bool) -> Option<f64> {
        let states = self.graph.states();
        let (component, components) = self.graph.components(&|_, _| true);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); components as usize];
        for state in 0..states as u32 {
            members[component[state as usize] as usize].push(state);
        }
        let mut bounds = Bounds { low: vec![0.0; states], high: vec![0.0; states] };
        // Edges lead to components with smaller numbers, whose values are known.
        for members in &members {
            self.solve(members, cost, most, &mut bounds)?;
        }
        // The upper bound has served its purpose: the value is no further away than that.
        Some(bounds.low[0])
    }

    /// The value of a state, given those of its successors.
    fn value(&self, state: u32, values: &[f64], cost: &dyn Fn(usize) -> f64, most: bool) -> f64 {
        let of_action = |action: usize| -> f64 {
            let edge = |place: usize| {
                self.graph.chances[place] * (cost(place) + values[self.graph.edges[place].target as usize])
            };
            self.edges(action).map(edge).sum()
        };
        let values = self.of(state).map(of_action);
        values.reduce(if most { f64::max } else { f64::min }).unwrap_or(0.0)
    }

    /// Values of a component: from below by iteration, until a little more is proved to be enough: values that no
    /// step can improve on are an upper bound.
    fn solve(
        &self,
        members: &[u32],
        cost: &dyn Fn(usize) -> f64,
        most: bool,
        bounds: &mut Bounds,
    ) -> Option<()> {
        const ENOUGH: f64 = 1e-11;
        if let [state] = *members {
            let s = state as usize;
            let loops = self.graph.edges(state).iter().any(|edge| edge.target == state);
            if !loops {
                bounds.low[s] = self.value(state, &bounds.low, cost, most);
                bounds.high[s] = self.value(state, &bounds.high, cost, most);
                return Some(());
            }
        }
        let mut patience = 200_000;
        let mut aim = 1e-13;
        loop {
            let mut change = 0.0f64;
            // The order of discovery leads away from the start: the other way round news travel fast.
            for &state in members.iter().rev() {
                let value = self.value(state, &bounds.low, cost, most);
                change = change.max((value - bounds.low[state as usize]) / value.max(1e-300));
                bounds.low[state as usize] = value;
            }
            patience -= 1;
            if change > aim {
                if patience == 0 {
                    return None;
                }
                continue;
            }
            for &state in members {
                bounds.high[state as usize] = bounds.low[state as usize] * (1.0 + ENOUGH) + f64::MIN_POSITIVE;
            }
            let enough =
                |&state: &u32| self.value(state, &bounds.high, cost, most) <= bounds.high[state as usize];
            if members.iter().all(enough) {
                return Some(());
            }
            aim /= 2.0;
            if aim < 1e-16 {
                // Rounding hides the difference: the values are as exact as the arithmetic is.
                return Some(());
            }
        }
    }
}

struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}
