//! `[[group]]`: an algorithm of the registry, and whether this cluster can run it.

use super::document::Document;
use super::node::{Node, Value};
use super::values::{GroupName, Span, Whole, Word, one_of};
use crate::problem::Problem;
use ringleader::model::{SettingValues, Shape, Told};
use ringleader::registry::{Entry, Problem as Task, find};
use ringleader::sim::{Backward, Clocks, Ids, Refusal, Scatter, Scenario, Topology};
use ringleader_live::{GroupSpec, MemberSpec, Micros, Users};
use serde::{Deserialize, Serialize, Serializer};
use std::ops::Range;

/// A group as the file has it. Other keys are settings of its algorithm.
#[derive(Serialize, Deserialize)]
pub(super) struct Group {
    algorithm: Algorithm,
    name: GroupName,
    range: Option<Whole<u32, 2, MOST>>,
    topology: Option<Network>,
    #[serde(flatten, skip_deserializing, serialize_with = "as_table")]
    settings: Vec<(String, toml::Value)>,
    entries: Option<Whole<u32, 0, MOST>>,
    hold: Option<Span<0>>,
    think: Option<Span<0>>,
    clock_zero: Option<Whole<u64, 0, LATEST>>,
    clock_offset: Option<Numbers>,
    clock_drift: Option<Numbers>,
    drift_bound: Option<Whole<u32, 0, MOST>>,
    clock_backward: Option<HowBack>,
}

/// No moment is later, in microseconds: numbers of TOML go so far.
const LATEST: u64 = i64::MAX as u64;

const MOST: u64 = u32::MAX as u64;

const KEYS: [&str; 7] = ["name", "algorithm", "topology", "range", "entries", "hold", "think"];

/// What is said of clocks, by `up`.
const CLOCK_KEYS: [&str; 5] = ["clock_zero", "clock_offset", "clock_drift", "drift_bound", "clock_backward"];

crate::checked_words! {
    /// An algorithm of the registry.
    Algorithm("the name of an algorithm", |_| Ok(()));
}

/// A network.
struct Network(Topology);

/// The networks by name. What is drawn by lot is left out: members could not know what each other drew.
const TOPOLOGIES: [(&str, Topology); 5] = [
    ("ring", Topology::Ring),
    ("complete", Topology::Complete),
    ("line", Topology::Line),
    ("star", Topology::Star),
    ("binary", Topology::Binary),
];

impl Word for Network {
    const EXPECTED: &'static str = "a network";

    fn read(text: &str) -> Result<Network, String> {
        one_of(&TOPOLOGIES, text).map(Network)
    }

    fn written(&self) -> String {
        self.0.name().to_owned()
    }
}

/// A number for each member.
struct Numbers(Vec<i64>);

impl Word for Numbers {
    const EXPECTED: &'static str = "a number for each member, such as \"0,-40,25\"";

    fn read(text: &str) -> Result<Numbers, String> {
        let numbers = text.split(',').map(|number| number.trim().parse());
        let numbers = numbers.collect::<Result<_, _>>();
        numbers.map(Numbers).map_err(|_| format!("expected {}, found `{text}`", Numbers::EXPECTED))
    }

    fn written(&self) -> String {
        self.0.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
    }
}

/// What becomes of a clock that is ahead.
struct HowBack(Backward);

impl Word for HowBack {
    const EXPECTED: &'static str = "what becomes of a clock that is ahead, such as \"stop\"";

    fn read(text: &str) -> Result<HowBack, String> {
        one_of(&Backward::ALL.map(|backward| (backward.name(), backward)), text).map(HowBack)
    }

    fn written(&self) -> String {
        self.0.name().to_owned()
    }
}

crate::words!(Network, Numbers, HowBack);

impl Group {
    /// The table of the file that says this.
    pub(super) fn of(spec: &GroupSpec) -> Group {
        let known = spec.entry.with_settings(&[]).spec.settings;
        let is_number = |setting: &str| {
            let known = known.iter().find(|known| known.name == setting);
            known.is_some_and(|known| matches!(known.values, SettingValues::Number { .. }))
        };
        let setting = |(setting, value): &(String, String)| {
            let number = value.parse().ok().filter(|_| is_number(setting)).map(toml::Value::Integer);
            (setting.clone(), number.unwrap_or_else(|| toml::Value::String(value.clone())))
        };
        let numbers = |scatter: &Scatter| match scatter {
            Scatter::Listed(listed) if spec.zero.is_some() => Some(Numbers(listed.clone())),
            Scatter::Listed(_) | Scatter::Drawn(_) => None,
        };
        let clocks = &spec.scenario.clocks;
        Group {
            algorithm: Algorithm(spec.entry.spec.name.to_owned()),
            name: GroupName(spec.name.clone()),
            range: Some(Whole(spec.scenario.range)),
            topology: spec.scenario.topology.clone().map(Network),
            settings: spec.scenario.settings.iter().map(setting).collect(),
            entries: spec.users.map(|users| Whole(users.entries)),
            hold: spec.users.map(|users| Span(users.hold)),
            think: spec.users.map(|users| Span(users.think)),
            clock_zero: spec.zero.map(|zero| Whole(zero.0)),
            clock_offset: numbers(&clocks.offsets),
            clock_drift: numbers(&clocks.drifts),
            drift_bound: clocks.bound.map(Whole),
            clock_backward: spec.zero.map(|_| HowBack(clocks.backward)),
        }
    }
}

fn as_table<S: Serializer>(settings: &[(String, toml::Value)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(settings.iter().map(|(setting, value)| (setting, value)))
}

/// Checks the groups.
pub(super) fn read(
    document: &Document<'_>,
    rows: &[Group],
    members: &[MemberSpec],
    registry: &'static [Entry],
) -> Result<Vec<GroupSpec>, Problem> {
    let mut groups: Vec<GroupSpec> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let group = one(document, &format!("group.{place}"), row, members, registry)?;
        if let Some(first) = groups.iter().position(|before| before.name == group.name) {
            let at = |place: usize| document.at(&format!("group.{place}.name"));
            let message = format!("the name `{}` is given to two groups", group.name);
            return Err(document.twice("duplicate_group", &message, at(first), at(place)));
        }
        groups.push(group);
    }
    Ok(groups)
}

fn one(
    document: &Document<'_>,
    path: &str,
    row: &Group,
    members: &[MemberSpec],
    registry: &'static [Entry],
) -> Result<GroupSpec, Problem> {
    let at = document.at(&format!("{path}.algorithm"));
    let entry = admitted(document, &row.algorithm.0, at, row.clock_zero.is_some(), registry)?;
    let clocks = CLOCK_KEYS.map(|key| format!("{path}.{key}"));
    let clocks = document.first_key(&clocks.each_ref().map(String::as_str));
    if let Some(at) = clocks.filter(|_| entry.problem != Task::Clocks) {
        let label = format!("the processes of `{}` have no clocks", entry.spec.name);
        return Err(document.bad(at, &label));
    }
    let users = ["entries", "hold", "think"].map(|key| format!("{path}.{key}"));
    let users = document.first_key(&[&users[0], &users[1], &users[2]]);
    if let (Task::Election, Some(at)) = (entry.problem, users.clone()) {
        let label = format!("`{}` is an election: it has no users that come and go", entry.spec.name);
        return Err(document.bad(at, &label));
    }
    let mut scenario = Scenario::new(members.len() as u32);
    scenario.topology = row.topology.as_ref().map(|network| network.0.clone());
    if let Some(range) = row.range {
        scenario.range = range.0;
    }
    let listed = |numbers: &Option<Numbers>, usual: Scatter| {
        numbers.as_ref().map_or(usual, |numbers| Scatter::Listed(numbers.0.clone()))
    };
    scenario.clocks = Clocks {
        offsets: listed(&row.clock_offset, scenario.clocks.offsets),
        drifts: listed(&row.clock_drift, scenario.clocks.drifts),
        bound: row.drift_bound.as_ref().map(|bound| bound.0),
        backward: row.clock_backward.as_ref().map_or(scenario.clocks.backward, |how| how.0),
    };
    let settings = entry.spec.settings;
    for (key, value) in document.entries(path) {
        let setting = key.get_ref().as_ref();
        if settings.iter().any(|known| known.name == setting) {
            scenario.settings.push((setting.to_owned(), word(document, value)?));
        } else if !KEYS.contains(&setting) && !CLOCK_KEYS.contains(&setting) {
            let known: Vec<&str> =
                KEYS.into_iter().chain(settings.iter().map(|setting| setting.name)).collect();
            return Err(document.unknown(key.span(), setting, &known));
        }
    }
    let with = entry.with_settings(&scenario.settings);
    // Names are in the order of the places, whatever the identities are: only who is told an identity compares them.
    if with.told.has(Told::Identity) {
        scenario.ids = Ids::Listed(members.iter().map(|member| member.id).collect());
    }
    entry.cast(&scenario).map_err(|refusal| refused(document, path, entry, &refusal))?;
    scenario.ids = Ids::Default;
    let users = users.map(|_| Users {
        entries: row.entries.map_or(USUAL.entries, |entries| entries.0),
        hold: row.hold.map_or(USUAL.hold, |hold| hold.0),
        think: row.think.map_or(USUAL.think, |think| think.0),
    });
    let zero = row.clock_zero.as_ref().map(|zero| Micros(zero.0));
    Ok(GroupSpec { name: row.name.0.clone(), entry, scenario, users, zero })
}

/// What a user does of which only one thing is said.
const USUAL: Users = Users { entries: u32::MAX, hold: Micros::millis(100), think: Micros::millis(100) };

/// The algorithm, if it can run on a real network at all.
fn admitted(
    document: &Document<'_>,
    asked: &str,
    at: Range<usize>,
    has_clocks: bool,
    registry: &'static [Entry],
) -> Result<&'static Entry, Problem> {
    let code = |code, label: &str| {
        document.wrong(code, &format!("{} asks for `{asked}`", document.name()), &[(at.clone(), label)])
    };
    let Some(entry) = find(registry, asked) else {
        let fits = |entry: &&Entry| !entry.is_literal() && entry.asynchronous().is_some();
        let candidates = registry.iter().filter(fits);
        let names = candidates
            .flat_map(|entry| [entry.spec.name].into_iter().chain(entry.spec.aliases.iter().copied()));
        let meant = ringleader_lab::suggest::closest(asked, names).and_then(|meant| find(registry, meant));
        let label = match meant {
            Some(entry) => format!("no algorithm is called that; did you mean `{}`?", entry.spec.name),
            None => "no algorithm is called that".to_owned(),
        };
        return Err(code("unknown_algorithm", &label)
            .help("see which there are:")
            .command("ringleader list", ""));
    };
    if entry.is_literal() {
        let sound = asked.split('@').next().unwrap_or(asked);
        let label = "broken on purpose: an as-printed variant";
        return Err(code("literal_algorithm", label).help(format!("the sound one is `{sound}`")));
    }
    if entry.problem == Task::Clocks && !has_clocks {
        let label =
            "brings clocks together, and only nodes that `up` starts on one machine have clocks for it";
        return Err(code("needs_clocks", label)
            .help("real processes on this machine:")
            .command(format!("ringleader up --algorithm {}", entry.spec.name), ""));
    }
    if entry.shape == Shape::Memory {
        let label = "its processes share registers, which nodes on a network do not have";
        return Err(code("needs_registers", label)
            .help("in the simulator it runs:")
            .command(format!("ringleader run {}", entry.spec.name), ""));
    }
    if entry.spec.stabilises() {
        let label = "counts on links that hold few messages, and those of real nodes hold many more";
        return Err(code("needs_short_links", label)
            .help("in the simulator it runs:")
            .command(format!("ringleader run {}", entry.spec.name), ""));
    }
    // What moves in lock-step runs with a synchroniser.
    entry.asynchronous().ok_or_else(|| {
        let label = "needs lock-step rounds, which no real network has, and comes without a synchroniser";
        code("needs_lock_step", label)
            .help("in the simulator it runs:")
            .command(format!("ringleader run {}", entry.spec.name), "")
    })
}

/// A refusal of the library, at the place that it speaks of.
fn refused(document: &Document<'_>, path: &str, entry: &Entry, refusal: &Refusal) -> Problem {
    let name = entry.spec.name;
    let place = |key: &str| document.first(&[&format!("{path}.{key}"), path]).unwrap_or_default();
    let wrong = |code, key: &str, label: &str| {
        document.wrong(code, &format!("`{name}` cannot run in this cluster"), &[(place(key), label)])
    };
    match refusal {
        Refusal::WrongSize { n, nearest: (below, above) } => {
            let label = format!("it is not for {n} members; the nearest numbers are {below} and {above}");
            wrong("wrong_size", "algorithm", &label)
        }
        Refusal::WrongTopology { needs, got } => {
            wrong("wrong_topology", "topology", &format!("it needs {needs}; this is `{got}`"))
                .help("leave `topology` out, or see what runs on such a network:")
                .command(format!("ringleader list --topology {}", network(got)), "")
        }
        Refusal::BadSetting { name, expected } => wrong("bad_setting", name, &format!("it {expected}")),
        Refusal::OutOfRange { what, expected } => {
            wrong("out_of_range", "range", &format!("{what} must be {expected}"))
        }
        Refusal::NoProcesses
        | Refusal::DuplicateId { .. }
        | Refusal::WrongLength { .. }
        | Refusal::NoSuchProcess { .. }
        | Refusal::NoInitiator
        | Refusal::WeakLinks { .. }
        | Refusal::NoHalfDuplexHere
        | Refusal::NoLinksHere
        | Refusal::WeakRegisters { .. }
        | Refusal::EndlessEntries
        | Refusal::SharedRegisters
        | Refusal::NoSingleRegisters
        | Refusal::NotEnough { .. }
        | Refusal::BeginsOnce
        | Refusal::NoSuchState { .. }
        | Refusal::FullLink { .. }
        | Refusal::NoUsers
        | Refusal::NeedsOrientation
        | Refusal::BadPorts { .. }
        | Refusal::NeedsBoundedDelay { .. }
        | Refusal::NeedsLockStep { .. }
        | Refusal::FaultExcluded { .. }
        | Refusal::NoSuchKind { .. }
        | Refusal::NoWorkload
        | Refusal::NoClocks
        | Refusal::TooMuchDrift { .. }
        | Refusal::ClocksGoBack
        | Refusal::Surroundings { .. }
        | Refusal::NoWorstIds
        | Refusal::Anonymous
        | Refusal::NoSuchProperty { .. }
        | Refusal::TooManyCases { .. }
        | Refusal::BadEdit { .. }
        | Refusal::BrokenReplay { .. } => wrong("refused", "algorithm", &refusal.to_string()),
    }
}

/// The network as `list --topology` knows it.
fn network(name: &str) -> &str {
    match name {
        "line" | "star" | "binary" => "tree",
        other => other,
    }
}

/// The value of a setting as a word of the command line.
fn word(document: &Document<'_>, value: &Value<'_>) -> Result<String, Problem> {
    let node = Node { key: None, value, listed: false };
    let text = value.get_ref().as_str().map(str::to_owned).or_else(|| node.digits());
    let expected = if value.get_ref().is_integer() { "a decimal number" } else { "a word or a whole number" };
    text.ok_or_else(|| document.told(node.kind(expected)))
}
