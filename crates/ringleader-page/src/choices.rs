//! The verb `choices`: what could be chosen instead, and why not.

use crate::question::{OptionValue, Options, RunRequest, Source, read};
use crate::source::{Alive, Prepared, prepare};
use crate::{Diagnostic, Stage, refusal};
use ringleader::model::{Graph, Links, Processes, Shape, Told};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{
    Action, Edit, Entries, Fault, Ids, Initiators, Ports, Refusal, Scenario, Schedule, Topology,
};
use ringleader_lab::plan::memory;
use serde::{Deserialize, Serialize, Serializer};

/// What a contract says does not depend on n beyond this: large rings need not be laid out to ask.
const NODES_MAX: u32 = 64;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ChoicesRequest {
    source: Source,
}

/// What could be chosen instead, one option at a time; everything else stays as it is in the source.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Choices {
    /// By option: ids, links, schedule, topology, initiators, orientation. Only those that mean something here.
    #[serde(serialize_with = "in_order")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Vec<Choice<'static>>>"))]
    options: Vec<(&'static str, Vec<Choice<'static>>)>,
    /// By action of an edit: deliver, drop, duplicate, overtake, delay, crash, recover, want. Not admitted: why. With
    /// `unsound` all that make sense are admitted.
    #[serde(serialize_with = "in_order")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Option<String>>"))]
    actions: Vec<(&'static str, Option<String>)>,
    /// Where the source itself is outside the contract.
    outside: Vec<String>,
    /// About how many bytes the run takes, events and pictures apart.
    memory: u64,
}

/// Something that could be chosen, and why not.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Choice<'a> {
    value: &'a str,
    label: &'a str,
    why: Option<String>,
}

/// Pairs as an object that keeps their order.
fn in_order<Value: Serialize, S: Serializer>(
    pairs: &[(&'static str, Value)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// The usual values of an option, each with a few words.
type Usual = (&'static str, &'static [(&'static str, &'static str)]);

const IDS: Usual = (
    "ids",
    &[
        ("random", "random"),
        ("ascending", "ascending"),
        ("descending", "descending"),
        ("alternating", "large and small alternate"),
        ("bit-reversal", "bit reversal"),
        ("fibonacci", "Fibonacci"),
        ("worst", "the worst that is known"),
    ],
);
const LINKS: Usual = (
    "links",
    &[
        ("fifo", "in sending order"),
        ("bag", "messages may overtake each other"),
        ("half-duplex", "two messages never pass each other"),
    ],
);
const SCHEDULE: Usual = (
    "schedule",
    &[
        ("rounds", "in rounds"),
        ("random", "a random message next"),
        ("fifo", "the oldest message first"),
        ("lifo", "the newest message first"),
        ("greedy", "what causes most sends first"),
        ("starve:0", "those of p0 last"),
        ("delay:const:1", "delay 1"),
        ("delay:uniform:1:10", "delay 1 to 10"),
        ("delay:exp:5", "delay exponential, mean 5"),
    ],
);
const TOPOLOGY: Usual = (
    "topology",
    &[("line", "a line"), ("star", "a star"), ("binary", "a binary tree"), ("random", "a random tree")],
);
const INITIATORS: Usual =
    ("initiators", &[("all", "everybody"), ("one", "p0 alone"), ("25%", "a quarter"), ("50%", "half")]);
const ORIENTATION: Usual =
    ("orientation", &[("same", "the same everywhere"), ("random", "each process its own")]);

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: ChoicesRequest = read("choices", question)?;
    let run = RunRequest { source: request.source, edits: Vec::new() };
    let prepared = prepare(stage, &run, alive)?;
    let entry = prepared.entry.with_settings(&prepared.scenario.settings);
    let scenario = capped(entry, &prepared.scenario);
    let mut options = Vec::new();
    // A recording is what it is; only a run has options that could be others.
    if let Source::Run { algorithm, options: given } = &run.source {
        for usual in meaningful(entry) {
            options.push((usual.0, judge(stage, algorithm, given, &prepared, usual)));
        }
    }
    let (links, outside) = environment(&prepared, &scenario);
    let memory = memory::needed(entry, &prepared.scenario);
    let choices = Choices { options, actions: actions(entry, links, scenario.unsound), outside, memory };
    Ok(serde_json::to_string(&choices).expect("plain data has a JSON form"))
}

/// Those that mean something to it.
fn meaningful(entry: &Entry) -> Vec<Usual> {
    let mut usual = Vec::new();
    if entry.told.has(Told::Identity) {
        usual.push(IDS);
    }
    usual.extend([LINKS, SCHEDULE]);
    if entry.shape == Shape::Edges && entry.spec.needs.graphs.contains(&Graph::Tree) {
        usual.push(TOPOLOGY);
    }
    if entry.problem == Problem::Election {
        usual.push(INITIATORS);
    }
    if matches!(entry.shape, Shape::TwoWayRing | Shape::Edges) {
        usual.push(ORIENTATION);
    }
    usual
}

/// Holds each value against the contract, everything else as it is.
fn judge(
    stage: &Stage,
    algorithm: &str,
    given: &Options,
    prepared: &Prepared,
    (option, values): Usual,
) -> Vec<Choice<'static>> {
    let judged = values.iter().map(|&(value, label)| {
        let mut options = given.clone();
        options.insert(option.to_owned(), OptionValue::One(value.to_owned()));
        if option == "ids" {
            // A list says how many there are; another arrangement of as many is meant.
            options.insert("nodes".to_owned(), OptionValue::One(prepared.scenario.n.to_string()));
        }
        let why = match stage.words.run(algorithm, &options, &[]) {
            Ok(planned) => {
                let form = prepared.entry.with_settings(&planned.scenario.settings);
                let refused = prepared.entry.admits(&capped(form, &planned.scenario)).err();
                refused.map(|refused| refusal::why(form, &refused))
            }
            Err(complaint) => Some(complaint.message),
        };
        Choice { value, label, why }
    });
    judged.collect()
}

/// The links it runs on, and where it is outside the contract.
fn environment(prepared: &Prepared, scenario: &Scenario) -> (Links, Vec<String>) {
    let entry = prepared.entry.with_settings(&scenario.settings);
    let usual = scenario.links.unwrap_or(entry.spec.needs.links);
    let nothing = Scenario { max_steps: Some(0), ..scenario.clone() };
    match prepared.entry.run(&nothing, &mut ()) {
        Ok(report) => (report.links, report.outside),
        // A recording cannot be stopped before its first step; what it left is in its report.
        Err(Refusal::BrokenReplay { .. }) => (usual, Vec::new()),
        Err(refused) => (usual, vec![refusal::why(entry, &refused)]),
    }
}

/// What somebody may do to a run.
fn actions(entry: &Entry, links: Links, unsound: bool) -> Vec<(&'static str, Option<String>)> {
    // What the contract says is asked of it, with one such edit in the middle of a run.
    let why = |action: Action| {
        let edits = vec![Edit { step: 1, action }];
        let n = entry.spec.needs.processes.nearest(4).1;
        let refused = entry.admits(&Scenario { edits, unsound, ..Scenario::new(n) }).err();
        refused.map(|refused| refusal::why(entry, &refused))
    };
    let overtake = match links {
        Links::Bag => None,
        Links::Fifo | Links::HalfDuplex => Some("these links keep the order of messages".to_owned()),
    };
    let want = match entry.problem {
        Problem::Mutex if entry.spec.stabilises() => Some("machines have no users".to_owned()),
        Problem::Mutex => None,
        Problem::Election => Some("in an election nobody wants into a critical section".to_owned()),
        Problem::Clocks => Some("clocks do not want into a critical section".to_owned()),
    };
    vec![
        ("deliver", why(Action::Deliver(0))),
        ("drop", why(Action::Drop(0))),
        ("duplicate", why(Action::Duplicate(0))),
        ("overtake", overtake.or_else(|| why(Action::Overtake(0)))),
        ("delay", why(Action::Delay(0, 1))),
        ("crash", why(Action::Crash(0))),
        ("recover", why(Action::Recover(0))),
        ("want", want),
    ]
}

/// The same with few processes, and without what names one that is no longer there.
fn capped(entry: &Entry, scenario: &Scenario) -> Scenario {
    if scenario.n <= NODES_MAX {
        return scenario.clone();
    }
    let n = match entry.spec.needs.processes {
        Processes::Any | Processes::AtLeast(_) => NODES_MAX,
        Processes::Exactly(many) => many,
        // Whether n is admitted is said of n itself.
        Processes::CompleteTree if entry.spec.needs.processes.admits(scenario.n) => NODES_MAX - 1,
        Processes::CompleteTree => return scenario.clone(),
    };
    let mut few = Scenario { n, ..scenario.clone() };
    if let Ids::Listed(ids) = &mut few.ids {
        ids.truncate(n as usize);
    }
    if let Entries::Listed(entries) = &mut few.workload.entries {
        entries.truncate(n as usize);
    }
    match &mut few.initiators {
        Initiators::Listed(listed) => listed.iter_mut().for_each(|process| *process %= n),
        Initiators::Timed(timed) => timed.iter_mut().for_each(|(process, _)| *process %= n),
        Initiators::All | Initiators::One | Initiators::Percent(_) => {}
    }
    few.workload.wants.iter_mut().for_each(|(_, process)| *process %= n);
    for fault in &mut few.faults {
        match fault {
            Fault::Crash { process, .. }
            | Fault::Recover { process, .. }
            | Fault::Corrupt { process, .. } => *process %= n,
            Fault::Partition { left, right, .. } => {
                left.iter_mut().chain(right).for_each(|process| *process %= n);
            }
            Fault::LoseNth { .. } | Fault::Loss(_) | Fault::Duplicate(_) => {}
        }
    }
    if let Some(from) = &mut few.from {
        from.truncate(n as usize);
    }
    if let Schedule::Starve(process) = &mut few.schedule {
        *process %= n;
    }
    if matches!(few.ports, Ports::Listed(_)) || matches!(few.topology, Some(Topology::Listed(_))) {
        return scenario.clone();
    }
    few
}
