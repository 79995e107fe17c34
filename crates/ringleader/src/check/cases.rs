//! The cases of a check: every arrangement of identities, set of initiators and numbering of ports that was asked for.
//! Cases are numbered, so that nobody needs a list of them.
//!
//! Some cases are the same but for the places of the processes; one of them is enough, and the others are skipped. On
//! an anonymous ring these are rotations. On a complete graph any exchange of places will do: if ports are numbered in
//! every way and the set of initiators is any, or everybody, it takes one arrangement of identities to any other.

#[cfg(test)]
mod tests;

use super::scope::{Arrangements, Reduce, Scope, Starts};
use crate::model::{Orientation, Promises, Shape, Timing};
use crate::network::{has_numbered_ports, port_count};
use crate::population::Nature;
use crate::scenario::{
    Clocks, Delay, Entries, Ids, Initiators, Ports, Refusal, Scatter, Scenario, Schedule, TICKS_PER_UNIT,
    Workload,
};

/// More cases than anybody waits for.
const MOST: u128 = 1 << 32;

/// What distinguishes the cases of a check.
pub(crate) struct Cases {
    n: u32,
    pub(crate) arrangements: u64,
    pub(crate) initiator_sets: u64,
    pub(crate) labellings: u64,
    /// How many ways there are for the clocks to begin, and how far from that of process 0.
    offsets: u64,
    range: u32,
    /// The clocks that begin anyhow.
    free: Vec<bool>,
    /// For each process, how many ports it has; empty if there is one way to number them.
    degrees: Vec<u32>,
    every_arrangement: bool,
    every_set: bool,
    /// Whether cases that are rotations of each other are one.
    turn: bool,
    /// Whether the first arrangement of identities stands for all.
    exchange: bool,
}

impl Cases {
    pub(crate) fn new(nature: &Nature, scope: &Scope, neighbours: &[Vec<u32>]) -> Result<Cases, Refusal> {
        let (n, spec) = (scope.n, nature.spec);
        let every_arrangement = nature.has_ids() && matches!(scope.ids, Arrangements::All);
        let is_election = matches!(spec.promises, Promises::Election { .. });
        // In lock-step everybody starts together.
        let every_set = is_election && scope.starts == Starts::Any && spec.needs.timing != Timing::LockStep;
        let every_labelling = has_numbered_ports(nature.shape)
            && match &scope.ports {
                // A tree has no usual orientation to lose.
                Ports::Default => neighbours.is_empty() && spec.needs.orientation == Orientation::Random,
                Ports::Kind(orientation) => *orientation == Orientation::Random,
                Ports::Listed(_) => false,
            };
        let any_place = is_election && !matches!(scope.starts, Starts::Listed(_));
        let degree = |index: usize| port_count(nature.shape, n, neighbours, index);
        let degrees: Vec<u32> =
            if every_labelling { (0..n as usize).map(degree).collect() } else { Vec::new() };
        let arrangements = if every_arrangement { factorial(n - 1) } else { 1 };
        let initiator_sets =
            if every_set { 1u128.checked_shl(n).map_or(u128::MAX, |sets| sets - 1) } else { 1 };
        let labellings = degrees.iter().fold(1u128, |all, &degree| all.saturating_mul(factorial(degree)));
        let range = if let (true, Scatter::Drawn(range)) = (nature.has_clocks(), &scope.offsets) {
            *range
        } else {
            0
        };
        let free: Vec<bool> = (0..n).map(|index| index > 0 && !(nature.is_true)(index, n)).collect();
        let ways = 2 * u128::from(range) + 1;
        let offsets = free.iter().filter(|&&free| free).fold(1u128, |all, _| all.saturating_mul(ways));
        let all =
            arrangements.saturating_mul(initiator_sets).saturating_mul(labellings).saturating_mul(offsets);
        if all > MOST {
            return Err(Refusal::TooManyCases { arrangements, initiator_sets, labellings });
        }
        Ok(Cases {
            n,
            arrangements: arrangements as u64,
            initiator_sets: initiator_sets as u64,
            labellings: labellings as u64,
            offsets: offsets as u64,
            range,
            free,
            degrees,
            every_arrangement,
            every_set,
            turn: scope.reduce == Reduce::Full && nature.is_anonymous() && nature.is_ring(),
            exchange: scope.reduce == Reduce::Full
                && nature.shape == Shape::Edges
                && neighbours.is_empty()
                && !nature.knows_its_place()
                && every_labelling
                && any_place,
        })
    }

    /// How many cases there are.
    pub(crate) fn len(&self) -> u64 {
        self.arrangements * self.initiator_sets * self.labellings * self.offsets
    }

    /// The identities, initiators and ports of a case; none if it is an earlier one, seen from elsewhere.
    pub(crate) fn get(&self, number: u64) -> Option<One> {
        let mut clocks = number % self.offsets;
        let number = number / self.offsets;
        let labelling = number % self.labellings;
        let set = number / self.labellings % self.initiator_sets;
        let arrangement = number / self.labellings / self.initiator_sets;
        if self.exchange && arrangement > 0 {
            return None;
        }
        let ids = self.every_arrangement.then(|| {
            // The largest comes first: a ring has no beginning.
            let mut ids = vec![u64::from(self.n)];
            ids.extend(permutation(self.n - 1, arrangement).into_iter().map(|rank| u64::from(rank) + 1));
            ids
        });
        let initiators: Option<Vec<u32>> =
            self.every_set.then(|| (0..self.n).filter(|&i| (set + 1) >> i & 1 == 1).collect());
        let mut rest = labelling;
        let ports: Option<Vec<Vec<u32>>> = (!self.degrees.is_empty()).then(|| {
            let mut one = |&degree: &u32| {
                let ways = factorial(degree) as u64;
                let ports = permutation(degree, rest % ways);
                rest /= ways;
                ports
            };
            self.degrees.iter().map(&mut one).collect()
        });
        let offsets = (self.range > 0).then(|| {
            let values = 2 * u64::from(self.range) + 1;
            let mut one = |free: bool| {
                if !free {
                    return 0;
                }
                let offset = (clocks % values) as i64 - i64::from(self.range);
                clocks /= values;
                offset
            };
            self.free.iter().map(|&free| one(free)).collect()
        });
        let one = One { ids, initiators, ports, offsets };
        (!self.turn || one.is_first_rotation(self.n)).then_some(one)
    }
}

/// One case: what the scope asks for where it leaves nothing open, and otherwise this.
#[derive(Clone, Default, Debug)]
pub(crate) struct One {
    ids: Option<Vec<u64>>,
    initiators: Option<Vec<u32>>,
    ports: Option<Vec<Vec<u32>>>,
    offsets: Option<Vec<i64>>,
}

impl One {
    fn is_first_rotation(&self, n: u32) -> bool {
        let starts = |i: u32| self.initiators.as_ref().is_some_and(|set| set.contains(&i));
        let ports = |i: u32| self.ports.as_ref().map(|ports| &ports[i as usize]);
        let turned = |by: u32| (0..n).map(move |i| (i + by) % n).map(|i| (starts(i), ports(i)));
        (1..n).all(|by| turned(0).le(turned(by)))
    }

    /// The scenario of this case.
    pub(crate) fn scenario(&self, nature: &Nature, scope: &Scope) -> Scenario {
        let ids = match (&self.ids, &scope.ids) {
            // Asking for identities where there are none is refused; the usual ones are not asked for.
            (Some(ids), _) | (None, Arrangements::Listed(ids)) => Ids::Listed(ids.clone()),
            (None, Arrangements::Worst) => Ids::Worst,
            (None, Arrangements::Arranged(how)) if nature.has_ids() => Ids::Arranged(*how),
            (None, Arrangements::All | Arrangements::Arranged(_)) => Ids::Default,
        };
        let initiators = match (&self.initiators, &scope.starts) {
            (Some(set), _) | (None, Starts::Listed(set)) => Initiators::Listed(set.clone()),
            (None, Starts::All | Starts::AllLate | Starts::Any) => Initiators::All,
        };
        // A run that shows what was found follows its recording, whoever would want in.
        let entries = match &scope.entries {
            Entries::Forever => Entries::Each(1),
            given @ (Entries::Each(_) | Entries::Listed(_)) => given.clone(),
        };
        let unit = |ticks: u32| u64::from(ticks) * TICKS_PER_UNIT;
        let (lo, hi) = scope.delays;
        let schedule = if nature.has_clocks() {
            Schedule::Delay(Delay::Uniform(unit(lo), unit(hi)))
        } else {
            Schedule::Rounds
        };
        let clocks = if nature.has_clocks() {
            let same = || Scatter::Listed(vec![0; scope.n as usize]);
            let offsets = match (&self.offsets, &scope.offsets) {
                (Some(listed), _) => Scatter::Listed(listed.clone()),
                (None, Scatter::Drawn(_)) => same(),
                (None, listed) => listed.clone(),
            };
            Clocks { offsets, drifts: same(), ..Clocks::default() }
        } else {
            Clocks::default()
        };
        Scenario {
            ids,
            initiators,
            clocks,
            schedule,
            links: scope.links,
            ports: self.ports.clone().map_or_else(|| scope.ports.clone(), Ports::Listed),
            topology: scope.topology.clone(),
            range: scope.range,
            workload: Workload { entries, ..Workload::default() },
            settings: scope.settings.clone(),
            elector: scope.elector,
            from: scope.from.clone(),
            unsound: scope.unsound,
            ..Scenario::new(scope.n)
        }
    }
}

fn factorial(k: u32) -> u128 {
    (1..=u128::from(k)).fold(1, u128::saturating_mul)
}

/// The permutation of 0 .. k with this number, in lexicographic order.
fn permutation(k: u32, number: u64) -> Vec<u32> {
    let mut left: Vec<u32> = (0..k).collect();
    let mut rest = u128::from(number);
    (0..k)
        .rev()
        .map(|others| {
            let ways = factorial(others);
            let place = (rest / ways) as usize;
            rest %= ways;
            left.remove(place)
        })
        .collect()
}
