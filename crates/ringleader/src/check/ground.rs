//! One case, ready to be searched: its processes, its network, what is watched.

use super::cases::One;
use super::locals::{Lag, Locals};
use super::memo::lock;
use super::property::Property;
use super::scope::{Reduce, Scope, Starts};
use super::space::{Common, Parts, Space};
use crate::model::{Counts, Informed, Links, Order, Promises, Reached, Timing, Winner};
use crate::network::Wiring;
use crate::population::Nature;
use crate::scenario::{Entries, Refusal, Scenario, Setup};
use std::sync::Mutex;

/// What is checked, the same in every case.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) nature: &'static Nature,
    pub(crate) scope: &'a Scope,
    pub(crate) properties: &'a [&'a dyn Property],
}

/// One case.
pub(crate) struct Ground<'a> {
    pub(crate) nature: &'static Nature,
    pub(crate) scope: &'a Scope,
    pub(crate) properties: &'a [&'a dyn Property],
    pub(crate) scenario: Scenario,
    pub(crate) setup: Setup,
    pub(crate) space: Space,
    pub(crate) shared: Mutex<Parts>,
    one: One,
    faults: Common,
}

/// How to search it.
#[derive(Clone, Copy, Default)]
pub(crate) struct How {
    /// Leave out orders of independent steps.
    pub(crate) por: bool,
    /// Take rotations for one state.
    pub(crate) turn: bool,
    /// Keep the edges.
    pub(crate) edges: bool,
    /// Keep the states.
    pub(crate) keep: bool,
    /// Count these messages in the state.
    pub(crate) count: Option<Counts>,
    /// Watch phases.
    pub(crate) phases: bool,
    /// Say of each step what happens in it.
    pub(crate) details: bool,
    /// Look no further than this.
    pub(crate) max_depth: Option<u64>,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(subject: Subject<'a>, one: &One, lag: Option<Lag>) -> Result<Ground<'a>, Refusal> {
        let Subject { nature, scope, properties } = subject;
        let scenario = one.scenario(nature, scope);
        let setup = Setup::new(nature, &scenario)?;
        let timing = nature.spec.needs.timing;
        let net = Wiring::new(nature.shape, &setup.plan);
        let told = (timing == Timing::BoundedDelay).then(|| setup.max_delay());
        let max_delay = told.map(|told| scope.max_delay.unwrap_or(told));
        let mut space = Space::new(&setup, &net, max_delay, timing == Timing::LockStep);
        if nature.has_clocks() {
            // Where clocks can tell how long a message took, time passes whatever is awaited, and no message is faster.
            let told = setup.delays().lo;
            (space.has_clocks, space.min_delay) = (true, scope.min_delay.unwrap_or(told));
        }
        // A crash is noticed when every message of the one that crashed has arrived, as in the simulator.
        // Without a clock it is noticed at any moment.
        let detection = told.map_or(0, |told| 2 * told + 1);
        let population = setup.population(nature, &net, scope.range);
        let locals = Locals::new(population, detection, lag, setup.clocks.clone());
        let tolerates = nature.spec.needs.tolerates;
        let budget = |given: Option<u32>, tolerated: bool| given.unwrap_or(u32::from(tolerated));
        let faults = Common {
            crashes: budget(scope.faults.crashes, tolerates.crash),
            recoveries: budget(scope.faults.recoveries, tolerates.recovery),
            losses: budget(scope.faults.losses, tolerates.loss),
            duplications: budget(scope.faults.duplications, tolerates.duplication),
            ..Common::default()
        };
        let parts = Parts::new(locals, setup.links);
        Ok(Ground {
            nature,
            scope,
            properties,
            scenario,
            setup,
            space,
            shared: Mutex::new(parts),
            one: one.clone(),
            faults,
        })
    }

    /// The same case once more, with nothing met yet, and these properties.
    pub(crate) fn again<'b>(
        &self,
        properties: &'b [&'b dyn Property],
        lag: Option<Lag>,
    ) -> Result<Ground<'b>, Refusal>
    where
        'a: 'b,
    {
        let subject = Subject { nature: self.nature, scope: self.scope, properties };
        Ground::new(subject, &self.one, lag)
    }

    /// The proved bound on messages that applies here: which messages, the formula, its value.
    pub(crate) fn bound(&self) -> Option<(Counts, &'static str, u64)> {
        let bound = self.nature.spec.cost.worst.as_ref()?;
        if self.has_faults() {
            return None;
        }
        let facts = self.setup.facts(&self.scenario, self.entries());
        Some((bound.counts, bound.formula, bound.value(&facts)?))
    }

    /// Whether this property is to be checked.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.scope.asks(self.nature.spec, name)
    }

    pub(crate) fn is_election(&self) -> bool {
        matches!(self.nature.spec.promises, Promises::Election { .. })
    }

    /// Whether it is an election whose leader stays: where processes come and go, leaders do too.
    pub(crate) fn keeps_its_leader(&self) -> bool {
        self.nature.spec.keeps_its_leader()
    }

    /// Whether the ring is closed over those who crash: its links are the same at both ends, so only on one-way rings.
    pub(crate) fn closes_over_crashes(&self) -> bool {
        let needs = &self.nature.spec.needs;
        needs.bypass && needs.tolerates.crash && self.faults.crashes > 0
    }

    /// Whether crashes are noticed.
    pub(crate) fn detector(&self) -> bool {
        self.nature.spec.needs.detector && self.scope.detector
    }

    pub(crate) fn is_randomised(&self) -> bool {
        self.nature.spec.needs.choices
    }

    pub(crate) fn has_faults(&self) -> bool {
        self.faults.faults() > 0
    }

    /// Whether it goes on for ever: tokens circulate, or users want in again and again.
    pub(crate) fn never_silent(&self) -> bool {
        self.circulates() || !self.is_election() && self.scope.entries == Entries::Forever
    }

    /// Whether tokens circulate for ever.
    pub(crate) fn circulates(&self) -> bool {
        matches!(self.nature.spec.promises, Promises::Exclusion { falls_silent: false, .. })
    }

    /// Whether processes share registers.
    pub(crate) fn has_registers(&self) -> bool {
        !self.nature.registers.is_empty()
    }

    /// Whether orders of independent steps can be left out here.
    pub(crate) fn admits_por(&self) -> bool {
        self.scope.reduce != Reduce::None
            && self.nature.spec.needs.timing == Timing::Asynchronous
            // A start that may come after a message depends on it.
            && self.nature.spec.needs.reached != Reached::MayStartLater
            && self.setup.links != Links::HalfDuplex
            // What a local step does depends on what others write.
            && !self.has_registers()
            && !self.has_faults()
            && !self.is_randomised()
            && !self.never_silent()
    }

    /// How many entries there will be in all.
    pub(crate) fn entries(&self) -> u64 {
        (0..self.setup.n).map(|process| u64::from(self.wants(process))).sum()
    }

    fn wants(&self, process: u32) -> u32 {
        match (&self.scope.entries, self.is_election() || self.nature.has_clocks()) {
            (_, true) => 0,
            (Entries::Each(wants), false) => *wants,
            (Entries::Forever, false) => u32::MAX,
            (Entries::Listed(wants), false) => wants.get(process as usize).copied().unwrap_or(0),
        }
    }

    /// The rotations that leave everything as it is, but for who is where; without the one by nothing.
    pub(crate) fn rotations(&self) -> Vec<u32> {
        let nature = self.nature;
        if !nature.is_anonymous() || !nature.is_ring() || self.has_process_faults() {
            return Vec::new();
        }
        let n = self.setup.n;
        let ports = &self.setup.plan.ports;
        let starts = |i: usize| self.setup.is_initiator(i as u32);
        let tells_initiators = self.tells_initiators();
        let same = |by: u32| {
            let pairs = (0..n as usize).map(|i| (i, (i + by as usize) % n as usize));
            pairs.clone().all(|(i, j)| ports.is_empty() || ports[i] == ports[j])
                && (!tells_initiators || pairs.clone().all(|(i, j)| starts(i) == starts(j)))
        };
        (1..n).filter(|&by| same(by)).collect()
    }

    /// Whether what is promised depends on who started of its own accord: a state does not say that any more.
    fn tells_initiators(&self) -> bool {
        match self.nature.spec.promises {
            Promises::Election { winner, informed } => {
                matches!(winner, Winner::LargestInitiator | Winner::AnyInitiator)
                    || informed == Informed::Initiators
            }
            Promises::Exclusion { .. } | Promises::Stabilisation | Promises::Clocks { .. } => false,
        }
    }

    /// Whether processes may fail: a process that is made anew knows its place.
    fn has_process_faults(&self) -> bool {
        self.faults.crashes + self.faults.recoveries > 0
    }

    /// The order in which users are promised to come in.
    pub(crate) fn order(&self) -> Option<Order> {
        match self.nature.spec.promises {
            Promises::Exclusion { order, .. } => Some(order),
            Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => None,
        }
    }

    /// The state before anybody has started.
    pub(crate) fn unstarted(&self, how: How) -> Vec<u32> {
        let at_once = self.starts_at_once();
        let mut state: Vec<u32> = Vec::with_capacity(self.space.words());
        let mut shared = lock(&self.shared);
        for process in 0..self.setup.n {
            let starts = !self.is_election() || self.setup.is_initiator(process);
            state.push(shared.locals.initial(process, starts, self.wants(process)));
        }
        state.resize(self.space.common(), 0);
        let common = Common { begun: !at_once, sent: how.count.map(|_| 0), ..self.faults };
        state.push(shared.commons.number(common));
        state
    }

    /// Whether everybody starts before the first delivery.
    pub(crate) fn starts_at_once(&self) -> bool {
        let lock_step = self.nature.spec.needs.timing == Timing::LockStep;
        !self.is_election() || lock_step || self.scope.starts == Starts::All
    }
}
