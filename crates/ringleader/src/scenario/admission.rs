//! What a contract admits. What it excludes is refused with the reason, or noted as *outside its assumptions* if that
//! was asked for.

use super::beginning::{beginning, in_links};
use super::{
    Action, Backward, Clocks, Delay, Entries, Fault, Hardware, Ids, Initiators, Load, Ports, Refusal,
    Scatter, Scenario, Schedule, TICKS_PER_UNIT, Topology, Workload,
};
use crate::model::{
    Delays, Drift, Graph, Links, Orientation, Promises, Registers, SettingValues, Settings, Shape, Spec,
    Surroundings, Timing, Told,
};
use crate::network::arrangement::Arrangement;
use crate::network::{has_numbered_ports, port_count, random_ports, tree};
use crate::population::{Memory, Nature};
use crate::rng::{Purpose, Rng};

/// A scenario that is held against a contract.
pub(super) struct Admission<'a> {
    nature: &'a Nature,
    spec: &'static Spec,
    scenario: &'a Scenario,
    /// What lies outside the contract and is let in, by permission.
    pub(super) outside: Vec<String>,
}

impl<'a> Admission<'a> {
    pub(super) fn new(nature: &'a Nature, scenario: &'a Scenario) -> Admission<'a> {
        Admission { nature, spec: nature.spec, scenario, outside: Vec::new() }
    }

    fn refuse(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        if self.scenario.unsound && refusal.is_about_assumptions() {
            self.outside.push(refusal.to_string());
            Ok(())
        } else {
            Err(refusal)
        }
    }

    /// The graph, by name, and the neighbours of each process where it is a tree.
    pub(super) fn topology(&self) -> Result<(&'static str, Vec<Vec<u32>>), Refusal> {
        let (spec, shape, n) = (self.spec, self.nature.shape, self.scenario.n);
        let (needs, usual) = match shape {
            Shape::OneWayRing | Shape::TwoWayRing => ("a ring", Topology::Ring),
            Shape::Named => ("a complete graph", Topology::Complete),
            Shape::Memory => ("no network: its processes share registers", Topology::Memory),
            Shape::Edges => match spec.needs.graphs {
                [Graph::Tree] => ("a tree (line, star, binary or random)", Topology::Binary),
                [_, _, ..] => {
                    ("a complete graph or a tree (line, star, binary or random)", Topology::Complete)
                }
                [Graph::Complete] | [] => ("a complete graph", Topology::Complete),
            },
        };
        let asked = self.scenario.topology.as_ref().unwrap_or(&usual);
        let graphs = spec.needs.graphs;
        let admitted = match asked {
            Topology::Ring => matches!(shape, Shape::OneWayRing | Shape::TwoWayRing),
            Topology::Complete => {
                shape == Shape::Named || shape == Shape::Edges && graphs.contains(&Graph::Complete)
            }
            Topology::Memory => shape == Shape::Memory,
            Topology::Line
            | Topology::Star
            | Topology::Binary
            | Topology::RandomTree
            | Topology::Listed(_) => shape == Shape::Edges && graphs.contains(&Graph::Tree),
        };
        if !admitted {
            return Err(Refusal::WrongTopology { needs, got: asked.name() });
        }
        let neighbours = match asked {
            Topology::Ring | Topology::Complete | Topology::Memory => Vec::new(),
            Topology::Line => tree::line(n),
            Topology::Star => tree::star(n),
            Topology::Binary => tree::binary(n),
            Topology::RandomTree => tree::random(n, self.scenario.seed),
            Topology::Listed(listed) => {
                self.one_each("lists of neighbours", listed.len())?;
                if !tree::is_tree(listed) {
                    return Err(Refusal::WrongTopology { needs, got: "something else" });
                }
                listed.clone()
            }
        };
        Ok((asked.name(), neighbours))
    }

    pub(super) fn links(&mut self) -> Result<Links, Refusal> {
        let needs = self.spec.needs.links;
        let links = self.scenario.links.unwrap_or(needs);
        let is_replay = self.scenario.schedule.recording().is_some();
        if self.nature.shape == Shape::Memory && self.scenario.links.is_some() && !is_replay {
            return Err(Refusal::NoLinksHere);
        }
        if links == Links::HalfDuplex && self.nature.shape != Shape::TwoWayRing {
            return Err(Refusal::NoHalfDuplexHere);
        }
        if !links.at_least(needs) {
            self.refuse(Refusal::WeakLinks { needs: needs.name(), got: links.name() })?;
        }
        Ok(links)
    }

    /// Whether registers are as strong as the contract asks.
    pub(super) fn registers(&mut self) -> Result<(), Refusal> {
        let needs = self.spec.needs.registers;
        let settings = self.settings()?;
        if needs > Registers::Safe && self.spec.has_safe_registers(&settings) {
            let (needs, got) = (needs.name(), Registers::Safe.name());
            return self.refuse(Refusal::WeakRegisters { needs, got });
        }
        Ok(())
    }

    /// For each process the physical port behind each of its port numbers; empty where they are the usual ones.
    pub(super) fn ports(&mut self, neighbours: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, Refusal> {
        let (spec, shape, scenario) = (self.spec, self.nature.shape, self.scenario);
        let n = scenario.n;
        let degree = |index: usize| port_count(shape, n, neighbours, index);
        let has_numbers = has_numbered_ports(shape);
        let orientation = match &scenario.ports {
            Ports::Listed(listed) => {
                self.one_each("lists of ports", listed.len())?;
                for (index, ports) in listed.iter().enumerate() {
                    let mut sorted = ports.clone();
                    sorted.sort_unstable();
                    if sorted != (0..degree(index)).collect::<Vec<u32>>() {
                        return Err(Refusal::BadPorts { process: index as u32 });
                    }
                }
                let swapped = listed.iter().any(|ports| !ports.is_sorted());
                if swapped && spec.needs.orientation == Orientation::Same && has_numbers {
                    self.refuse(Refusal::NeedsOrientation)?;
                }
                return Ok(if has_numbers { listed.clone() } else { Vec::new() });
            }
            Ports::Kind(kind) => *kind,
            // A tree has no usual orientation to lose; its ports stay as they are unless asked for.
            Ports::Default if neighbours.is_empty() => spec.needs.orientation,
            Ports::Default => Orientation::Same,
        };
        if !has_numbers || orientation == Orientation::Same {
            return Ok(Vec::new());
        }
        if spec.needs.orientation == Orientation::Same {
            self.refuse(Refusal::NeedsOrientation)?;
        }
        let degrees: Vec<u32> = (0..n as usize).map(degree).collect();
        Ok(random_ports(&degrees, scenario.seed))
    }

    pub(super) fn timing(&mut self) -> Result<(), Refusal> {
        let scenario = self.scenario;
        let unbounded = matches!(scenario.schedule, Schedule::Delay(Delay::Exponential(_)));
        let schedule = if unbounded { "delay:exp" } else { scenario.schedule.name() };
        if let Schedule::Starve(process) = scenario.schedule {
            self.known("--schedule starve", process)?;
        }
        if let Schedule::Delay(Delay::Uniform(least, most)) = scenario.schedule {
            require(least <= most, "the least delay", "at most the largest")?;
        }
        let by_rounds = matches!(scenario.schedule, Schedule::Rounds | Schedule::Replay(_));
        let bounded =
            by_rounds || matches!(scenario.schedule, Schedule::Delay(delay) if delay.max().is_some());
        match self.spec.needs.timing {
            Timing::Asynchronous => Ok(()),
            Timing::BoundedDelay if bounded => Ok(()),
            Timing::BoundedDelay => self.refuse(Refusal::NeedsBoundedDelay { schedule }),
            Timing::LockStep if by_rounds => Ok(()),
            Timing::LockStep => Err(Refusal::NeedsLockStep { schedule }),
        }
    }

    pub(super) fn faults(&mut self) -> Result<(), Refusal> {
        let (spec, scenario, kinds) = (self.spec, self.scenario, self.nature.kinds);
        let tolerates = &spec.needs.tolerates;
        for fault in &scenario.faults {
            let (tolerated, words) = match fault {
                Fault::Crash { process, at } => {
                    self.known("--crash", *process)?;
                    if spec.needs.bypass {
                        (tolerates.crash || *at == 0, "crashes after time 0")
                    } else {
                        (tolerates.crash, "crashes")
                    }
                }
                Fault::Recover { process, at } => {
                    self.known("--recover", *process)?;
                    let mut crashes = scenario.faults.iter().filter_map(|fault| {
                        if let Fault::Crash { process, at } = fault { Some((process, at)) } else { None }
                    });
                    let is_down = crashes.any(|(who, when)| who == process && when < at);
                    require(is_down, "the time of a recovery", "after a crash of the same process")?;
                    (tolerates.recovery, "recoveries")
                }
                Fault::Corrupt { process, .. } => {
                    self.known("--corrupt", *process)?;
                    if !spec.stabilises() {
                        return Err(Refusal::BeginsOnce);
                    }
                    continue;
                }
                Fault::LoseNth { kind, nth } => {
                    if !kinds.contains(&kind.as_str()) {
                        return Err(Refusal::NoSuchKind { kind: kind.clone(), kinds });
                    }
                    require(*nth > 0, "the number of a lost message", "1 or more")?;
                    (tolerates.loss, "the loss of messages")
                }
                Fault::Loss(probability) => {
                    probable("the probability of loss", *probability)?;
                    (tolerates.loss, "the loss of messages")
                }
                Fault::Duplicate(probability) => {
                    probable("the probability of duplication", *probability)?;
                    (tolerates.duplication, "the duplication of messages")
                }
                Fault::Partition { left, right, from, until } => {
                    for &process in left.iter().chain(right) {
                        self.known("--partition", process)?;
                    }
                    require(from < until, "the end of a partition", "after its start")?;
                    (tolerates.partition, "partitions")
                }
            };
            if !tolerated {
                self.refuse(Refusal::FaultExcluded { fault: words })?;
            }
        }
        self.edits()
    }

    /// Whoever reaches into a run can do what the contract admits, too.
    fn edits(&mut self) -> Result<(), Refusal> {
        let (spec, scenario) = (self.spec, self.scenario);
        let tolerates = &spec.needs.tolerates;
        let mut said: Vec<&str> = Vec::new();
        for edit in &scenario.edits {
            let (tolerated, words) = match edit.action {
                // Whoever counts on time counts on it that nothing is held back; in lock-step nothing comes early
                // either.
                Action::Deliver(_) => (spec.needs.timing != Timing::LockStep, "messages that come early"),
                Action::Overtake(_) | Action::Delay(..) => {
                    (spec.needs.timing == Timing::Asynchronous, "messages that are held back")
                }
                Action::Drop(_) => (tolerates.loss, "the loss of messages"),
                Action::Duplicate(_) => (tolerates.duplication, "the duplication of messages"),
                Action::Crash(process) => {
                    self.known("--edit", process)?;
                    // A ring is closed over processes that are down before anything is sent.
                    let early = spec.needs.bypass && edit.step == 0;
                    (tolerates.crash || early, "crashes")
                }
                Action::Recover(process) => {
                    self.known("--edit", process)?;
                    (tolerates.recovery, "recoveries")
                }
                Action::Want(process) => {
                    self.known("--edit", process)?;
                    match spec.promises {
                        Promises::Election { .. } | Promises::Clocks { .. } => {
                            return Err(Refusal::NoWorkload);
                        }
                        Promises::Stabilisation => return Err(Refusal::NoUsers),
                        Promises::Exclusion { .. } => continue,
                    }
                }
            };
            if !tolerated && !said.contains(&words) {
                self.refuse(Refusal::FaultExcluded { fault: words })?;
                said.push(words);
            }
        }
        Ok(())
    }

    fn known(&self, what: &'static str, process: u32) -> Result<(), Refusal> {
        let n = self.scenario.n;
        if process < n { Ok(()) } else { Err(Refusal::NoSuchProcess { what, process, n }) }
    }

    /// A list that has something for each process.
    fn one_each(&self, what: &'static str, got: usize) -> Result<(), Refusal> {
        let n = self.scenario.n;
        if got == n as usize { Ok(()) } else { Err(Refusal::WrongLength { what, got, n }) }
    }

    pub(super) fn workload(&self) -> Result<(), Refusal> {
        let workload = &self.scenario.workload;
        match self.spec.promises {
            Promises::Election { .. } | Promises::Clocks { .. } if *workload != Workload::default() => {
                Err(Refusal::NoWorkload)
            }
            Promises::Election { .. } | Promises::Clocks { .. } => Ok(()),
            Promises::Stabilisation => self.moves(),
            Promises::Exclusion { .. } => {
                match &workload.entries {
                    Entries::Listed(listed) => self.one_each("numbers of entries", listed.len())?,
                    Entries::Forever => return Err(Refusal::EndlessEntries),
                    Entries::Each(_) => {}
                }
                if let Some(Load::Open(rate)) = workload.load {
                    require(rate > 0.0 && rate.is_finite(), "the rate of requests", "above 0")?;
                }
                for &(_, process) in &workload.wants {
                    self.known("--wants", process)?;
                }
                Ok(())
            }
        }
    }

    /// How often each machine is to move after convergence; nothing else can be asked of it.
    fn moves(&self) -> Result<(), Refusal> {
        let Workload { entries, .. } = &self.scenario.workload;
        if self.scenario.workload != (Workload { entries: entries.clone(), ..Workload::default() }) {
            return Err(Refusal::NoUsers);
        }
        match entries {
            Entries::Listed(listed) => self.one_each("numbers of entries", listed.len()),
            Entries::Forever => Err(Refusal::EndlessEntries),
            Entries::Each(_) => Ok(()),
        }
    }

    /// The identities, where processes have any.
    pub(super) fn arrangement(&mut self) -> Result<Option<Arrangement>, Refusal> {
        let scenario = self.scenario;
        let n = scenario.n;
        if !self.nature.told.has(Told::Identity) {
            return match scenario.ids {
                Ids::Default => Ok(None),
                Ids::Random | Ids::Arranged(_) | Ids::Worst | Ids::Listed(_) => Err(Refusal::Anonymous),
            };
        }
        match &scenario.ids {
            Ids::Default | Ids::Random => Ok(Some(Arrangement::random(n, scenario.seed))),
            Ids::Arranged(how) => Ok(Some(Arrangement::arranged(n, *how))),
            Ids::Worst => {
                let worst = self.spec.worst_ids.ok_or(Refusal::NoWorstIds)?;
                Ok(Some(Arrangement::arranged(n, worst)))
            }
            Ids::Listed(ids) => {
                self.one_each("identities", ids.len())?;
                match Arrangement::listed(ids, true) {
                    Ok(arrangement) => Ok(Some(arrangement)),
                    Err(duplicate) => {
                        let (id, first, second) = (duplicate.id, duplicate.first, duplicate.second);
                        self.refuse(Refusal::DuplicateId { id, first, second })?;
                        Ok(Arrangement::listed(ids, false).ok())
                    }
                }
            }
        }
    }

    /// Who starts of its own accord, in increasing order, none if everybody does.
    pub(super) fn initiators(&self) -> Result<Option<Vec<u32>>, Refusal> {
        let scenario = self.scenario;
        let n = scenario.n;
        let listed = |listed: Vec<u32>| {
            for &process in &listed {
                self.known("--initiators", process)?;
            }
            let mut sorted = listed;
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.is_empty() { Err(Refusal::NoInitiator) } else { Ok(Some(sorted)) }
        };
        match &scenario.initiators {
            Initiators::All => Ok(None),
            Initiators::One => Ok(Some(vec![0])),
            Initiators::Listed(indices) => listed(indices.clone()),
            Initiators::Timed(starts) => listed(starts.iter().map(|start| start.0).collect()),
            Initiators::Percent(percent) => {
                require((0.0..=100.0).contains(percent), "the share of initiators", "0% to 100%")?;
                let count = ((f64::from(n) * percent / 100.0).round() as u32).max(1);
                let mut everybody: Vec<u32> = (0..n).collect();
                Rng::new(scenario.seed, Purpose::Initiators).shuffle(&mut everybody);
                everybody.truncate(count as usize);
                everybody.sort_unstable();
                Ok(Some(everybody))
            }
        }
    }

    /// Those of them that start after time 0, and when.
    pub(super) fn late(&self) -> Vec<(u32, u64)> {
        // Users of a critical section are there from the beginning.
        let are_users = !matches!(self.spec.promises, Promises::Election { .. });
        let Initiators::Timed(starts) = &self.scenario.initiators else { return Vec::new() };
        let mut late = if are_users { Vec::new() } else { starts.clone() };
        late.sort_unstable();
        late.dedup_by_key(|start| start.0); // the earliest counts
        late.retain(|start| start.1 > 0);
        late
    }

    /// The hardware clocks, none where the problem has none; what becomes of one that is ahead; the bound on drifts.
    pub(super) fn clocks(&mut self, settings: Settings) -> Result<(Vec<Hardware>, Backward, Drift), Refusal> {
        let scenario = self.scenario;
        let recorded = scenario.schedule.recording().and_then(|recording| recording.header.clocks.as_ref());
        let asked = match recorded {
            Some(recorded) => Clocks::recorded(recorded),
            None => scenario.clocks.clone(),
        };
        if !self.nature.has_clocks() {
            let usual = recorded.is_none() && asked == Clocks::default();
            return if usual { Ok((Vec::new(), Backward::Stop, Drift(0))) } else { Err(Refusal::NoClocks) };
        }
        for (listed, what) in [(&asked.offsets, "clock offsets"), (&asked.drifts, "clock drifts")] {
            if let Scatter::Listed(listed) = listed {
                self.one_each(what, listed.len())?;
            }
        }
        let is_true = |index| (self.nature.is_true)(index, scenario.n);
        let clocks = Hardware::all(&asked, scenario.n, scenario.seed, is_true);
        let most = i64::from(Clocks::MOST_DRIFT);
        let is_slow = clocks.iter().all(|clock| (-most..=most).contains(&clock.drift));
        require(is_slow, "the drift of a clock", "between -100000 and 100000 ppm")?;
        let far = |clock: &Hardware| clock.offset.unsigned_abs() > 1_000_000_000;
        require(!clocks.iter().any(far), "the offset of a clock", "between -10^9 and 10^9 ticks")?;
        let largest = clocks.iter().max_by_key(|clock| clock.drift.abs()).map_or(0, |clock| clock.drift);
        let bound = asked.bound.unwrap_or(largest.unsigned_abs() as u32);
        if largest.unsigned_abs() > u64::from(bound) {
            self.refuse(Refusal::TooMuchDrift { drift: largest, bound })?;
        }
        if asked.backward == Backward::Step {
            self.refuse(Refusal::ClocksGoBack)?;
        }
        let around = Surroundings {
            n: scenario.n,
            delays: delays(&scenario.schedule),
            clocks: clocks.iter().map(|clock| (clock.offset, clock.drift)).collect(),
            settings,
        };
        if let Some((why, help)) = (self.nature.refuses)(&around) {
            self.refuse(Refusal::Surroundings { why, help })?;
        }
        Ok((clocks, asked.backward, Drift(bound)))
    }

    pub(super) fn settings(&self) -> Result<Settings, Refusal> {
        let (spec, scenario) = (self.spec, self.scenario);
        let mut settings = Settings::default();
        let mut given = 0u32;
        for (place, setting) in spec.settings.iter().enumerate() {
            if let SettingValues::Number { default, .. } = setting.values {
                settings.0[place] = default;
            }
        }
        for (name, value) in &scenario.settings {
            let bad = |expected: String| Refusal::BadSetting { name: name.clone(), expected };
            let Some(place) = spec.settings.iter().position(|setting| setting.name == name) else {
                let known: Vec<&str> = spec.settings.iter().map(|setting| setting.name).collect();
                return Err(bad(if known.is_empty() {
                    "this algorithm has no settings".into()
                } else {
                    format!("no such setting; there is {}", known.join(", "))
                }));
            };
            settings.0[place] = match spec.settings[place].values {
                SettingValues::OneOf(words) => words
                    .iter()
                    .position(|word| word == value)
                    .ok_or_else(|| bad(format!("must be one of {}, not {value}", words.join(", "))))?
                    as u32,
                // The registry, which knows them, has looked it up.
                SettingValues::RingElection { .. } if scenario.elector.is_some() => 0,
                SettingValues::RingElection { .. } => return Err(bad("must be a ring election".into())),
                SettingValues::Elsewhere(other) => return Err(bad(format!("it is a setting of {other}"))),
                SettingValues::Number { min, max, .. } | SettingValues::Enough { min, max, .. } => value
                    .parse()
                    .ok()
                    .filter(|number| (min..=max).contains(number))
                    .ok_or_else(|| bad(format!("must be a number from {min} to {max}, not {value}")))?,
            };
            given |= 1 << place;
        }
        for (place, setting) in spec.settings.iter().enumerate() {
            if let SettingValues::Enough { usual, .. } = setting.values
                && given >> place & 1 == 0
            {
                settings.0[place] = usual(scenario.n, &settings);
            }
        }
        Ok(settings)
    }

    /// Whether the numbers of which a smaller one is possible are large enough.
    pub(super) fn enough(&mut self) -> Result<(), Refusal> {
        let settings = self.settings()?;
        for (place, setting) in self.spec.settings.iter().enumerate() {
            let SettingValues::Enough { enough, .. } = setting.values else { continue };
            let (least, got) = (enough(self.scenario.n, &settings), settings.0[place]);
            if got < least {
                self.refuse(Refusal::NotEnough { setting: setting.name, least, got })?;
            }
        }
        Ok(())
    }

    /// The states in which machines begin: the ones that are given, or drawn.
    pub(super) fn from(&self) -> Result<Vec<u32>, Refusal> {
        let (spec, scenario, n) = (self.spec, self.scenario, self.scenario.n);
        let capacity = spec.capacity(&self.settings()?);
        let recorded = scenario.schedule.recording().map(|recording| &recording.header.from);
        let Some(given) = recorded.filter(|from| !from.is_empty()).or(scenario.from.as_ref()) else {
            if !spec.stabilises() {
                return Ok(Vec::new());
            }
            let counts = self.machines()?.state_counts();
            let mut rng = Rng::new(scenario.seed, Purpose::Registers);
            let draw = |rng: &mut Rng, count: u32| rng.below(u64::from(count)) as u32;
            let mut from: Vec<u32> = counts.iter().map(|&count| draw(&mut rng, count)).collect();
            if let Some(capacity) = capacity {
                for &count in &counts {
                    let holds = draw(&mut rng, capacity + 1);
                    from.push(holds);
                    from.extend((0..holds).map(|_| draw(&mut rng, count)));
                }
            }
            return Ok(from);
        };
        if !spec.stabilises() {
            return Err(Refusal::BeginsOnce);
        }
        let links = in_links(given, n);
        let states = &given[..given.len().min(n as usize)];
        let whole = links.len() == n as usize && capacity.is_some();
        if given.len() != n as usize && (!whole || beginning(states, links.iter().copied()) != *given) {
            let links_end = capacity.is_some() && given.len() > n as usize;
            let what = if links_end { "states and contents of links" } else { "states" };
            return Err(Refusal::WrongLength { what, got: given.len(), n });
        }
        let counts = self.machines()?.state_counts();
        for (process, (&state, &count)) in (0..n).zip(states.iter().zip(&counts)) {
            let link = links.get(process as usize).copied().unwrap_or(&[]);
            if let Some(&state) = core::iter::once(&state).chain(link).find(|&&state| state >= count) {
                return Err(Refusal::NoSuchState { process, state, most: count - 1 });
            }
            if let Some(most) = capacity.filter(|&most| link.len() as u32 > most) {
                return Err(Refusal::FullLink { process, got: link.len() as u32, most });
            }
        }
        let nothing =
            core::iter::repeat_n(&[][..], if capacity.is_some() && !whole { n as usize } else { 0 });
        Ok(if whole { given.clone() } else { beginning(given, nothing) })
    }

    fn machines(&self) -> Result<Memory, Refusal> {
        Ok(Memory::new(self.nature.registers, self.scenario.n, self.settings()?, false))
    }
}

/// The longest delay in whole units; where there is none, timers count the usual one.
pub(super) fn max_delay(schedule: &Schedule) -> u32 {
    if let Some(recording) = schedule.recording() {
        return recording.header.max_delay;
    }
    let longest = if let Schedule::Delay(delay) = schedule { delay.max() } else { None };
    let units = |ticks: u64| u32::try_from(ticks.div_ceil(TICKS_PER_UNIT)).unwrap_or(u32::MAX);
    longest.map_or(1, units).max(1)
}

/// The least and the longest delay in whole units.
pub(super) fn delays(schedule: &Schedule) -> Delays {
    let hi = max_delay(schedule);
    if let Some(recording) = schedule.recording() {
        return Delays { lo: recording.header.clocks.as_ref().map_or(0, |clocks| clocks.min_delay), hi };
    }
    let lo = match schedule {
        Schedule::Delay(Delay::Constant(ticks) | Delay::Uniform(ticks, _)) => {
            u32::try_from(ticks / TICKS_PER_UNIT).unwrap_or(u32::MAX)
        }
        Schedule::Delay(Delay::Exponential(_)) => 0,
        Schedule::Rounds => 1,
        Schedule::Random
        | Schedule::Lifo
        | Schedule::Fifo
        | Schedule::Greedy
        | Schedule::Starve(_)
        | Schedule::Replay(_) => 0,
    };
    Delays { lo, hi }
}

fn probable(what: &'static str, probability: f64) -> Result<(), Refusal> {
    require((0.0..=1.0).contains(&probability), what, "between 0 and 1")
}

/// A number that must be in its range.
pub(super) fn require(in_range: bool, what: &'static str, expected: &'static str) -> Result<(), Refusal> {
    if in_range { Ok(()) } else { Err(Refusal::OutOfRange { what, expected }) }
}
