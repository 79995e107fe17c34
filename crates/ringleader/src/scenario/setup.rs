//! From a scenario to everything that a run needs: identities, wiring, initiators.

use super::admission::{Admission, delays, max_delay, require};
use super::beginning::in_links;
use super::{Action, Backward, Edit, Fault, Hardware, Refusal, Scenario, Topology};
use crate::model::{
    Birth, Delays, Drift, Elector, Facts, Given, Id, LeftOver, Links, Process, Settings, Spec, Ticks, Told,
};
use crate::network::arrangement::Arrangement;
use crate::network::{Network, Plan, Wiring, tree};
use crate::population::{Nature, Population};
use crate::trace::{self, Fate, Header, Input, Recording};

/// A scenario, resolved.
pub(crate) struct Setup {
    pub(crate) n: u32,
    /// The identities; none where processes have none or are numbered by their index.
    pub(crate) arrangement: Option<Arrangement>,
    pub(crate) plan: Plan,
    pub(crate) topology: &'static str,
    pub(crate) links: Links,
    /// Who starts of its own accord, in increasing order; none if everybody does.
    pub(crate) initiators: Option<Vec<u32>>,
    /// Those of them that start after time 0, and when, in units.
    pub(crate) late: Vec<(u32, u64)>,
    pub(crate) outside: Vec<String>,
    max_delay: u32,
    pub(crate) settings: Settings,
    /// The states in which machines begin, and what their links hold; empty where there is one beginning.
    from: Vec<u32>,
    towards_root: Vec<Option<u32>>,
    elector: Option<Elector>,
    delays: Delays,
    /// The hardware clocks, where there are any; what becomes of a clock that is ahead; the bound on drifts.
    pub(crate) clocks: Vec<Hardware>,
    pub(crate) backward: Backward,
    pub(crate) drift: Drift,
}

impl Setup {
    /// Resolves a scenario for an algorithm.
    pub(crate) fn new(nature: &Nature, scenario: &Scenario) -> Result<Setup, Refusal> {
        let n = scenario.n;
        if n == 0 {
            return Err(Refusal::NoProcesses);
        }
        let needs = &nature.spec.needs;
        if !needs.processes.admits(n) {
            return Err(Refusal::WrongSize { n, nearest: needs.processes.nearest(n) });
        }
        let mut admission = Admission::new(nature, scenario);
        let (topology, neighbours) = admission.topology()?;
        let links = admission.links()?;
        let ports = admission.ports(&neighbours)?;
        admission.timing()?;
        admission.registers()?;
        admission.enough()?;
        admission.faults()?;
        admission.workload()?;
        let arrangement = admission.arrangement()?;
        let settings = admission.settings()?;
        let (clocks, backward, drift) = admission.clocks(settings)?;
        let told = nature.told;
        let enough = scenario.range >= 2 || !told.has(Told::Range);
        require(enough, "the range of random identities", "2 or more")?;
        let towards_root =
            if told.has(Told::TowardsRoot) { towards_root(&neighbours, &ports) } else { Vec::new() };
        Ok(Setup {
            n,
            arrangement,
            plan: Plan { n, ports, neighbours },
            topology,
            links,
            initiators: admission.initiators()?,
            late: admission.late(),
            max_delay: max_delay(&scenario.schedule),
            settings,
            from: admission.from()?,
            delays: delays(&scenario.schedule),
            clocks,
            backward,
            drift,
            towards_root,
            elector: scenario.elector,
            outside: admission.outside,
        })
    }

    /// All processes of an algorithm on this network, before their start.
    pub(crate) fn population(
        &self,
        nature: &'static Nature,
        net: &Wiring,
        range: u32,
    ) -> Box<dyn Population> {
        let mut population = nature.population(self.n, &|index| self.birth(index, net.degree(index), range));
        population.memory_mut().set_states(&self.from);
        population
    }

    /// The processes, before their start.
    pub(crate) fn processes<P: Process>(&self, net: &impl Network<P::Port>, range: u32) -> Vec<P> {
        let process = |index| P::new(P::Given::of(&self.birth(index, net.degree(index), range)));
        (0..self.n).map(process).collect()
    }

    /// What is known of a process with so many ports before it is born.
    pub(crate) fn birth(&self, index: u32, degree: u32, range: u32) -> Birth {
        Birth {
            index,
            id: self.id(index),
            n: self.n,
            degree,
            range,
            max_delay: self.max_delay,
            delays: self.delays,
            drift: self.drift,
            towards_root: self.towards_root.get(index as usize).copied().flatten(),
            settings: self.settings,
            elector: self.elector,
            left_over: LeftOver::of(in_links(&self.from, self.n).get(index as usize).copied().unwrap_or(&[])),
            which: 0,
        }
    }

    /// The identity of a process, as processes know it.
    pub(crate) fn id(&self, index: u32) -> Id {
        self.arrangement.as_ref().map_or_else(|| Id::from_rank(index), |arrangement| arrangement.id(index))
    }

    /// An identity as the user gave it.
    pub(crate) fn name(&self, id: Id) -> u64 {
        self.arrangement.as_ref().map_or_else(|| u64::from(id.rank()) + 1, |arrangement| arrangement.name(id))
    }

    /// The longest delay of a message that processes may count on, in units.
    pub(crate) fn max_delay(&self) -> u32 {
        self.max_delay
    }

    /// The states in which machines begin that may begin anywhere, and what their links hold.
    pub(crate) fn from(&self) -> &[u32] {
        &self.from
    }

    /// How close no algorithm can bring so many clocks for certain: u(1 - 1/n).
    pub(crate) fn optimal_skew(&self) -> Ticks {
        let n = i64::from(self.n);
        Ticks::whole(self.delays.uncertainty() * (n - 1)).over(n)
    }

    /// The least and the longest delay, in units.
    pub(crate) fn delays(&self) -> Delays {
        self.delays
    }

    pub(crate) fn is_initiator(&self, index: u32) -> bool {
        self.initiators.as_ref().is_none_or(|listed| listed.binary_search(&index).is_ok())
    }

    /// What bounds may depend on.
    pub(crate) fn facts(&self, scenario: &Scenario, entries: u64) -> Facts {
        let (mut down, faults) = match scenario.schedule.recording() {
            Some(recording) => recorded_faults(recording),
            None => planned_faults(scenario),
        };
        down.sort_unstable();
        down.dedup();
        let faults = faults + edited_faults(scenario);
        let at_the_top = down.iter().rev().enumerate().all(|(k, &who)| who == self.n - 1 - k as u32);
        let top_down = if at_the_top { down.len() as u64 } else { 0 };
        let is_up = |who: &u32| down.binary_search(who).is_err();
        let mut starters = (0..self.n).filter(|&who| self.is_initiator(who)).filter(is_up);
        Facts {
            n: u64::from(self.n),
            live: u64::from(self.n) - down.len() as u64,
            first_initiator: starters.clone().next().map_or(0, u64::from),
            initiators: starters.by_ref().count() as u64,
            entries,
            top_down,
            other_faults: faults - top_down,
            diameter: if self.plan.neighbours.is_empty() { 1 } else { tree::diameter(&self.plan.neighbours) },
            settings: self.settings,
        }
    }

    /// What a recording says about the run before its first event.
    pub(crate) fn header(&self, spec: &Spec, scenario: &Scenario, ticks_per_unit: u64) -> Header {
        let drawn = matches!(scenario.topology, Some(Topology::RandomTree | Topology::Listed(_)));
        Header {
            algorithm: spec.name.into(),
            n: self.n,
            ids: self.arrangement.as_ref().map_or_else(Vec::new, |arrangement| arrangement.names().collect()),
            initiators: self.initiators.clone().unwrap_or_else(|| (0..self.n).collect()),
            links: self.links.name().into(),
            topology: self.topology.into(),
            ports: self.plan.ports.clone(),
            neighbours: if drawn { self.plan.neighbours.clone() } else { Vec::new() },
            range: scenario.range,
            settings: scenario.settings.clone(),
            schedule: scenario.schedule.name().into(),
            seed: scenario.seed,
            unsound: scenario.unsound,
            ticks_per_unit,
            max_delay: self.max_delay,
            from: self.from.clone(),
            clocks: (!self.clocks.is_empty()).then(|| trace::Clocks {
                offsets: self.clocks.iter().map(|clock| clock.offset).collect(),
                drifts: self.clocks.iter().map(|clock| clock.drift).collect(),
                bound: self.drift.0,
                backward: self.backward.name().into(),
                min_delay: self.delays.lo,
            }),
        }
    }
}

/// How many of the edits are faults.
fn edited_faults(scenario: &Scenario) -> u64 {
    let is_fault = |edit: &&Edit| match edit.action {
        Action::Drop(_) | Action::Duplicate(_) | Action::Crash(_) | Action::Recover(_) => true,
        Action::Deliver(_) | Action::Overtake(_) | Action::Delay(..) | Action::Want(_) => false,
    };
    scenario.edits.iter().filter(is_fault).count() as u64
}

/// Who is down from the beginning and stays so; how many faults there are, those included.
fn planned_faults(scenario: &Scenario) -> (Vec<u32>, u64) {
    let recovers = |who: u32| {
        scenario.faults.iter().any(|f| matches!(f, Fault::Recover { process, .. } if *process == who))
    };
    let stops = |fault: &Fault| {
        if let Fault::Crash { process, at: 0 } = fault { Some(*process) } else { None }
    };
    let down = scenario.faults.iter().filter_map(stops).filter(|&who| !recovers(who)).collect();
    (down, scenario.faults.len() as u64)
}

/// Likewise of a recording: what crashes before anything else happens is down from the beginning.
fn recorded_faults(recording: &Recording) -> (Vec<u32>, u64) {
    let events = &recording.events;
    let recovers = |who: u32| events.iter().any(|e| e.process == who && e.input == Input::Recover);
    let at_first = events.iter().take_while(|event| event.input == Input::Crash);
    let down = at_first.map(|event| event.process).filter(|&who| !recovers(who)).collect();
    let is_fault =
        |input: &Input| matches!(input, Input::Crash | Input::Recover | Input::Lose(_) | Input::Double(_));
    let inputs = events.iter().filter(|event| is_fault(&event.input)).count();
    let fates =
        events.iter().flat_map(|event| &event.sends).filter(|sent| sent.fate != Fate::Travels).count();
    (down, (inputs + fates) as u64)
}

/// For each process of a tree the number of its port that leads towards index 0; none at index 0.
fn towards_root(neighbours: &[Vec<u32>], ports: &[Vec<u32>]) -> Vec<Option<u32>> {
    let physical = tree::towards_root(neighbours);
    if ports.is_empty() {
        return physical;
    }
    let number = |index: usize, port: u32| ports[index].iter().position(|&p| p == port).map(|p| p as u32);
    physical.iter().enumerate().map(|(index, port)| port.and_then(|port| number(index, port))).collect()
}
