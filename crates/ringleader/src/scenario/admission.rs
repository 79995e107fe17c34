//! What a contract admits. What it excludes is refused with the reason, or noted as *outside its assumptions* if that
//! was asked for.

use super::{
    Action, Delay, Entries, Fault, Ids, Initiators, Ports, Refusal, Scenario, Schedule, TICKS_PER_UNIT,
    Topology,
};
use crate::model::{
    Graph, Knowledge, Links, Orientation, Promises, SettingValues, Settings, Shape, Spec, Timing, Told,
};
use crate::network::arrangement::Arrangement;
use crate::network::{random_ports, tree};
use crate::rng::{Purpose, Rng};

/// Whether something outside the contract is let in, and what was.
pub(super) struct Admission {
    pub(super) unsound: bool,
    pub(super) outside: Vec<String>,
}

impl Admission {
    fn refuse(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        if self.unsound && refusal.is_about_assumptions() {
            self.outside.push(refusal.to_string());
            Ok(())
        } else {
            Err(refusal)
        }
    }
}

pub(super) fn topology(
    spec: &Spec,
    shape: Shape,
    scenario: &Scenario,
) -> Result<(&'static str, Vec<Vec<u32>>), Refusal> {
    let n = scenario.n;
    let (needs, usual) = match shape {
        Shape::OneWayRing | Shape::TwoWayRing => ("a ring", Topology::Ring),
        Shape::Named => ("a complete graph", Topology::Complete),
        Shape::Edges => match spec.needs.graphs {
            [Graph::Tree] => ("a tree (line, star, binary or random)", Topology::Binary),
            [_, _, ..] => ("a complete graph or a tree (line, star, binary or random)", Topology::Complete),
            [Graph::Complete] | [] => ("a complete graph", Topology::Complete),
        },
    };
    let asked = scenario.topology.as_ref().unwrap_or(&usual);
    let admitted = match (shape, asked) {
        (Shape::OneWayRing | Shape::TwoWayRing, Topology::Ring) | (Shape::Named, Topology::Complete) => true,
        (Shape::Edges, Topology::Complete) => spec.needs.graphs.contains(&Graph::Complete),
        (
            Shape::Edges,
            Topology::Line | Topology::Star | Topology::Binary | Topology::RandomTree | Topology::Listed(_),
        ) => spec.needs.graphs.contains(&Graph::Tree),
        (Shape::Edges, Topology::Ring)
        | (Shape::Named, Topology::Ring)
        | (Shape::OneWayRing | Shape::TwoWayRing, Topology::Complete)
        | (
            Shape::OneWayRing | Shape::TwoWayRing | Shape::Named,
            Topology::Line | Topology::Star | Topology::Binary | Topology::RandomTree | Topology::Listed(_),
        ) => false,
    };
    if !admitted {
        return Err(Refusal::WrongTopology { needs, got: asked.name() });
    }
    let neighbours = match asked {
        Topology::Ring | Topology::Complete => Vec::new(),
        Topology::Line => tree::line(n),
        Topology::Star => tree::star(n),
        Topology::Binary => tree::binary(n),
        Topology::RandomTree => tree::random(n, scenario.seed),
        Topology::Listed(listed) => {
            if listed.len() != n as usize {
                return Err(Refusal::WrongLength { what: "lists of neighbours", got: listed.len(), n });
            }
            if !tree::is_tree(listed) {
                return Err(Refusal::WrongTopology { needs, got: "something else" });
            }
            listed.clone()
        }
    };
    Ok((asked.name(), neighbours))
}

pub(super) fn links(
    spec: &Spec,
    shape: Shape,
    scenario: &Scenario,
    admission: &mut Admission,
) -> Result<Links, Refusal> {
    let links = scenario.links.unwrap_or(spec.needs.links);
    if links == Links::HalfDuplex && shape != Shape::TwoWayRing {
        return Err(Refusal::NoHalfDuplexHere);
    }
    if !links.at_least(spec.needs.links) {
        admission.refuse(Refusal::WeakLinks { needs: spec.needs.links.name(), got: links.name() })?;
    }
    Ok(links)
}

pub(super) fn ports(
    spec: &Spec,
    shape: Shape,
    neighbours: &[Vec<u32>],
    scenario: &Scenario,
    admission: &mut Admission,
) -> Result<Vec<Vec<u32>>, Refusal> {
    let n = scenario.n;
    let degree = |index: usize| match shape {
        Shape::OneWayRing => 1,
        Shape::TwoWayRing => 2,
        Shape::Named => n - 1,
        Shape::Edges => neighbours.get(index).map_or(n - 1, |list| list.len() as u32),
    };
    let has_numbers = match shape {
        Shape::OneWayRing | Shape::Named => false,
        Shape::TwoWayRing | Shape::Edges => true,
    };
    let orientation = match &scenario.ports {
        Ports::Listed(listed) => {
            if listed.len() != n as usize {
                return Err(Refusal::WrongLength { what: "lists of ports", got: listed.len(), n });
            }
            for (index, ports) in listed.iter().enumerate() {
                let mut sorted = ports.clone();
                sorted.sort_unstable();
                if sorted != (0..degree(index)).collect::<Vec<u32>>() {
                    return Err(Refusal::BadPorts { process: index as u32 });
                }
            }
            let swapped = listed.iter().any(|ports| !ports.is_sorted());
            if swapped && spec.needs.orientation == Orientation::Same && has_numbers {
                admission.refuse(Refusal::NeedsOrientation)?;
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
        admission.refuse(Refusal::NeedsOrientation)?;
    }
    let degrees: Vec<u32> = (0..n as usize).map(degree).collect();
    Ok(random_ports(&degrees, scenario.seed))
}

pub(super) fn towards_root(neighbours: &[Vec<u32>], ports: &[Vec<u32>]) -> Vec<Option<u32>> {
    let physical = tree::towards_root(neighbours);
    if ports.is_empty() {
        return physical;
    }
    let number = |index: usize, port: u32| ports[index].iter().position(|&p| p == port).map(|p| p as u32);
    physical.iter().enumerate().map(|(index, port)| port.and_then(|port| number(index, port))).collect()
}

pub(super) fn timing(spec: &Spec, scenario: &Scenario, admission: &mut Admission) -> Result<(), Refusal> {
    let unbounded = matches!(scenario.schedule, Schedule::Delay(Delay::Exponential(_)));
    let schedule = if unbounded { "delay:exp" } else { scenario.schedule.name() };
    if let Schedule::Starve(process) = scenario.schedule {
        known("--schedule starve", process, scenario.n)?;
    }
    let bounded = match &scenario.schedule {
        Schedule::Rounds | Schedule::Replay(_) => true,
        Schedule::Delay(delay) => {
            if let Delay::Uniform(least, most) = delay
                && least > most
            {
                return Err(Refusal::OutOfRange { what: "the least delay", expected: "at most the largest" });
            }
            delay.max().is_some()
        }
        Schedule::Random | Schedule::Lifo | Schedule::Fifo | Schedule::Greedy | Schedule::Starve(_) => false,
    };
    match spec.needs.timing {
        Timing::Asynchronous => Ok(()),
        Timing::BoundedDelay if bounded => Ok(()),
        Timing::BoundedDelay => admission.refuse(Refusal::NeedsBoundedDelay { schedule }),
        Timing::LockStep if matches!(scenario.schedule, Schedule::Rounds | Schedule::Replay(_)) => Ok(()),
        Timing::LockStep => Err(Refusal::NeedsLockStep { schedule }),
    }
}

/// The longest delay in whole units; where there is none, timers count the usual one.
pub(super) fn max_delay(schedule: &Schedule) -> u32 {
    match schedule {
        Schedule::Delay(delay) => delay
            .max()
            .map_or(1, |ticks| u32::try_from(ticks.div_ceil(TICKS_PER_UNIT)).unwrap_or(u32::MAX))
            .max(1),
        Schedule::Rounds
        | Schedule::Random
        | Schedule::Lifo
        | Schedule::Fifo
        | Schedule::Greedy
        | Schedule::Starve(_) => 1,
        Schedule::Replay(recording) => recording.header.max_delay,
    }
}

pub(super) fn faults(
    spec: &Spec,
    kinds: &'static [&'static str],
    scenario: &Scenario,
    admission: &mut Admission,
) -> Result<(), Refusal> {
    let tolerates = &spec.needs.tolerates;
    let n = scenario.n;
    for fault in &scenario.faults {
        let (tolerated, words) = match fault {
            Fault::Crash { process, at } => {
                known("--crash", *process, n)?;
                if spec.needs.bypass {
                    (tolerates.crash || *at == 0, "crashes after time 0")
                } else {
                    (tolerates.crash, "crashes")
                }
            }
            Fault::Recover { process, at } => {
                known("--recover", *process, n)?;
                let down = scenario.faults.iter().any(
                    |f| matches!(f, Fault::Crash { process: who, at: when } if who == process && when < at),
                );
                if !down {
                    return Err(Refusal::OutOfRange {
                        what: "the time of a recovery",
                        expected: "after a crash of the same process",
                    });
                }
                (tolerates.recovery, "recoveries")
            }
            Fault::LoseNth { kind, nth } => {
                if !kinds.contains(&kind.as_str()) {
                    return Err(Refusal::NoSuchKind { kind: kind.clone(), kinds });
                }
                if *nth == 0 {
                    return Err(Refusal::OutOfRange {
                        what: "the number of a lost message",
                        expected: "1 or more",
                    });
                }
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
                    known("--partition", process, n)?;
                }
                if from >= until {
                    return Err(Refusal::OutOfRange {
                        what: "the end of a partition",
                        expected: "after its start",
                    });
                }
                (tolerates.partition, "partitions")
            }
        };
        if !tolerated {
            admission.refuse(Refusal::FaultExcluded { fault: words })?;
        }
    }
    edits(spec, scenario, admission)
}

/// Whoever reaches into a run can do what the contract admits, too.
fn edits(spec: &Spec, scenario: &Scenario, admission: &mut Admission) -> Result<(), Refusal> {
    let tolerates = &spec.needs.tolerates;
    let mut said: Vec<&str> = Vec::new();
    for edit in &scenario.edits {
        let (tolerated, words) = match edit.action {
            // Whoever counts on time counts on it that nothing is held back; in lock-step nothing comes early either.
            Action::Deliver(_) => (spec.needs.timing != Timing::LockStep, "messages that come early"),
            Action::Overtake(_) | Action::Delay(..) => {
                (spec.needs.timing == Timing::Asynchronous, "messages that are held back")
            }
            Action::Drop(_) => (tolerates.loss, "the loss of messages"),
            Action::Duplicate(_) => (tolerates.duplication, "the duplication of messages"),
            Action::Crash(process) => {
                known("--edit", process, scenario.n)?;
                // A ring is closed over processes that are down before anything is sent.
                let early = spec.needs.bypass && edit.step == 0;
                (tolerates.crash || early, "crashes")
            }
            Action::Recover(process) => {
                known("--edit", process, scenario.n)?;
                (tolerates.recovery, "recoveries")
            }
            Action::Want(process) => {
                known("--edit", process, scenario.n)?;
                match spec.promises {
                    Promises::Election { .. } => return Err(Refusal::NoWorkload),
                    Promises::Exclusion { .. } => continue,
                }
            }
        };
        if !tolerated && !said.contains(&words) {
            admission.refuse(Refusal::FaultExcluded { fault: words })?;
            said.push(words);
        }
    }
    Ok(())
}

fn known(what: &'static str, process: u32, n: u32) -> Result<(), Refusal> {
    if process < n { Ok(()) } else { Err(Refusal::NoSuchProcess { what, process, n }) }
}

fn probable(what: &'static str, probability: f64) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&probability) {
        Ok(())
    } else {
        Err(Refusal::OutOfRange { what, expected: "between 0 and 1" })
    }
}

pub(super) fn workload(spec: &Spec, scenario: &Scenario) -> Result<(), Refusal> {
    let workload = &scenario.workload;
    match spec.promises {
        Promises::Election { .. } if *workload != super::Workload::default() => Err(Refusal::NoWorkload),
        Promises::Election { .. } => Ok(()),
        Promises::Exclusion { .. } => {
            if let Entries::Listed(listed) = &workload.entries
                && listed.len() != scenario.n as usize
            {
                return Err(Refusal::WrongLength {
                    what: "numbers of entries",
                    got: listed.len(),
                    n: scenario.n,
                });
            }
            if let Some(super::Load::Open(rate)) = workload.load
                && !(rate > 0.0 && rate.is_finite())
            {
                return Err(Refusal::OutOfRange { what: "the rate of requests", expected: "above 0" });
            }
            for &(_, process) in &workload.wants {
                known("--wants", process, scenario.n)?;
            }
            Ok(())
        }
    }
}

pub(super) fn arrangement(
    spec: &Spec,
    told: Knowledge,
    scenario: &Scenario,
    admission: &mut Admission,
) -> Result<Option<Arrangement>, Refusal> {
    let n = scenario.n;
    if !told.has(Told::Identity) {
        return match scenario.ids {
            Ids::Default => Ok(None),
            Ids::Random | Ids::Arranged(_) | Ids::Worst | Ids::Listed(_) => Err(Refusal::Anonymous),
        };
    }
    match &scenario.ids {
        Ids::Default | Ids::Random => Ok(Some(Arrangement::random(n, scenario.seed))),
        Ids::Arranged(how) => Ok(Some(Arrangement::arranged(n, *how))),
        Ids::Worst => {
            let worst = spec.worst_ids.ok_or(Refusal::NoWorstIds)?;
            Ok(Some(Arrangement::arranged(n, worst)))
        }
        Ids::Listed(ids) => {
            if ids.len() != n as usize {
                return Err(Refusal::WrongLength { what: "identities", got: ids.len(), n });
            }
            match Arrangement::listed(ids, true) {
                Ok(arrangement) => Ok(Some(arrangement)),
                Err(duplicate) => {
                    let (id, first, second) = (duplicate.id, duplicate.first, duplicate.second);
                    admission.refuse(Refusal::DuplicateId { id, first, second })?;
                    Ok(Arrangement::listed(ids, false).ok())
                }
            }
        }
    }
}

/// Who starts of its own accord, in increasing order, none if everybody does.
pub(super) fn initiators(scenario: &Scenario) -> Result<Option<Vec<u32>>, Refusal> {
    let n = scenario.n;
    let listed = |listed: Vec<u32>| {
        for &process in &listed {
            known("--initiators", process, n)?;
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
            if !(0.0..=100.0).contains(percent) {
                return Err(Refusal::OutOfRange { what: "the share of initiators", expected: "0% to 100%" });
            }
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
pub(super) fn late(spec: &Spec, scenario: &Scenario) -> Vec<(u32, u64)> {
    match &scenario.initiators {
        // Users of a critical section are there from the beginning.
        Initiators::Timed(_) if matches!(spec.promises, Promises::Exclusion { .. }) => Vec::new(),
        Initiators::Timed(starts) => {
            let mut late = starts.clone();
            late.sort_unstable();
            late.dedup_by_key(|start| start.0); // the earliest counts
            late.retain(|start| start.1 > 0);
            late
        }
        Initiators::All | Initiators::One | Initiators::Listed(_) | Initiators::Percent(_) => Vec::new(),
    }
}

pub(super) fn settings(spec: &Spec, scenario: &Scenario) -> Result<Settings, Refusal> {
    let mut settings = Settings::default();
    for (place, setting) in spec.settings.iter().enumerate() {
        settings.0[place] = match setting.values {
            SettingValues::OneOf(_) | SettingValues::RingElection { .. } | SettingValues::Elsewhere(_) => 0,
            SettingValues::Number { default, .. } => default,
        };
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
            SettingValues::Number { min, max, .. } => value
                .parse()
                .ok()
                .filter(|number| (min..=max).contains(number))
                .ok_or_else(|| bad(format!("must be a number from {min} to {max}, not {value}")))?,
        };
    }
    Ok(settings)
}
