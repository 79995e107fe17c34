//! `[[group]]`: an algorithm of the registry, and whether this cluster can run it.

use super::quantity::{DURATION, duration};
use super::source::{Given, Origin, Source, in_order, name};
use crate::problem::Problem;
use ringleader::model::{SettingValues, Timing, Told};
use ringleader::registry::{Entry, Problem as Task, find};
use ringleader::sim::{Ids, Refusal, Scenario, Topology};
use ringleader_live::{GroupSpec, MemberSpec, Micros, Users};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

const KEYS: [&str; 7] = ["name", "algorithm", "topology", "range", "entries", "hold", "think"];

/// The networks by name. What is drawn by lot is left out: members could not know what each other drew.
const TOPOLOGIES: [(&str, Topology); 5] = [
    ("ring", Topology::Ring),
    ("complete", Topology::Complete),
    ("line", Topology::Line),
    ("star", Topology::Star),
    ("binary", Topology::Binary),
];

/// Reads the groups.
pub(super) fn read(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
    members: &[MemberSpec],
    registry: &'static [Entry],
) -> Result<Vec<GroupSpec>, Problem> {
    let mut groups: Vec<(GroupSpec, Origin)> = Vec::new();
    for (at, table) in tables {
        let (group, named_at) = one(source, at, table, members, registry)?;
        if let Some((_, first)) = groups.iter().find(|(before, _)| before.name == group.name) {
            let labels = [(first, "first here"), (&named_at, "again here")];
            let message = format!("the name `{}` is given to two groups", group.name);
            return Err(source.wrong("duplicate_group", &message, &labels));
        }
        groups.push((group, named_at));
    }
    Ok(groups.into_iter().map(|(group, _)| group).collect())
}

fn one(
    source: &Source<'_>,
    at: &Range<usize>,
    table: &DeTable<'_>,
    members: &[MemberSpec],
    registry: &'static [Entry],
) -> Result<(GroupSpec, Origin), Problem> {
    let whole = Origin::At(at.clone());
    let entries = in_order(table);
    let said =
        |wanted: &str| entries.iter().find(|(key, _)| key.get_ref() == wanted).map(|(_, value)| *value);
    let Some(algorithm) = said("algorithm") else {
        return Err(source.bad(&whole, "this group has no algorithm: algorithm = \"franklin\""));
    };
    let algorithm = source.string(algorithm, "the name of an algorithm")?;
    let entry = admitted(source, &algorithm, registry)?;
    let named = match said("name") {
        Some(value) => source.string(value, "a name such as \"main\"")?,
        None => return Err(source.bad(&whole, "this group has no name: name = \"main\"")),
    };
    let mut scenario = Scenario::new(members.len() as u32);
    let mut users = None;
    for (key, value) in &entries {
        let span = |users: Option<Users>| -> Result<(Users, Micros), Problem> {
            let given = source.string(value, DURATION)?;
            let span = duration(&given.text)
                .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
            Ok((users.unwrap_or(USUAL), span))
        };
        match key.get_ref().as_ref() {
            "name" | "algorithm" => {}
            "topology" => scenario.topology = Some(topology(source, &source.string(value, "a network")?)?),
            "range" => scenario.range = whole_number(source, &source.number(value, "a whole number")?, 2)?,
            "entries" | "hold" | "think" if entry.problem == Task::Election => {
                let label = format!("`{}` is an election: it has no users that come and go", entry.spec.name);
                return Err(source.bad(&Origin::At(key.span()), &label));
            }
            "entries" => {
                let entries = whole_number(source, &source.number(value, "a whole number")?, 0)?;
                users = Some(Users { entries, ..users.unwrap_or(USUAL) });
            }
            "hold" => users = Some(span(users).map(|(users, hold)| Users { hold, ..users })?),
            "think" => users = Some(span(users).map(|(users, think)| Users { think, ..users })?),
            setting => {
                let settings = entry.spec.settings;
                if !settings.iter().any(|known| known.name == setting) {
                    let known = KEYS.into_iter().chain(settings.iter().map(|setting| setting.name));
                    return Err(source.unknown(key, known));
                }
                scenario.settings.push((setting.to_owned(), word(source, value)?));
            }
        }
    }
    let with = entry.with_settings(&scenario.settings);
    // Names are in the order of the places, whatever the identities are: only who is told an identity compares them.
    if with.told.has(Told::Identity) {
        scenario.ids = Ids::Listed(members.iter().map(|member| member.id).collect());
    }
    if let Err(refusal) = entry.cast(&scenario) {
        return Err(refused(source, entry, &algorithm.origin, &whole, &entries, &refusal));
    }
    scenario.ids = Ids::Default;
    let group = GroupSpec { name: name(source, &named)?, entry, scenario, users };
    Ok((group, named.origin))
}

/// What a user does of which only one thing is said.
const USUAL: Users = Users { entries: u32::MAX, hold: Micros::millis(100), think: Micros::millis(100) };

/// The algorithm, if it can run on a real network at all.
fn admitted(
    source: &Source<'_>,
    given: &Given,
    registry: &'static [Entry],
) -> Result<&'static Entry, Problem> {
    let asked = given.text.as_str();
    let code = |code, label: &str| {
        source.wrong(code, &format!("{} asks for `{asked}`", source.name), &[(&given.origin, label)])
    };
    let Some(entry) = find(registry, asked) else {
        let fits = |entry: &&Entry| !entry.is_literal() && entry.spec.needs.timing != Timing::LockStep;
        let candidates = registry.iter().filter(fits);
        let names = candidates
            .flat_map(|entry| [entry.spec.name].into_iter().chain(entry.spec.aliases.iter().copied()));
        let meant = crate::suggest::closest(asked, names).and_then(|meant| find(registry, meant));
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
        let label = "broken on purpose: a text taken literally, with its error in it";
        return Err(code("literal_algorithm", label).help(format!("the sound one is `{sound}`")));
    }
    if entry.spec.needs.timing == Timing::LockStep {
        let label = "needs lock-step rounds, which no real network has";
        return Err(code("needs_lock_step", label)
            .help("in the simulator it runs:")
            .command(format!("ringleader run {}", entry.spec.name), ""));
    }
    Ok(entry)
}

/// A refusal of the library, at the place that it speaks of.
fn refused(
    source: &Source<'_>,
    entry: &Entry,
    algorithm: &Origin,
    whole: &Origin,
    entries: &[(&super::source::Key<'_>, &super::source::Value<'_>)],
    refusal: &Refusal,
) -> Problem {
    let name = entry.spec.name;
    let place = |key: &str| {
        let value = entries.iter().find(|(known, _)| known.get_ref() == key).map(|(_, value)| value);
        value.map_or_else(|| whole.clone(), |value| Origin::At(value.span()))
    };
    let wrong = |code, origin: &Origin, label: &str| {
        source.wrong(code, &format!("`{name}` cannot run in this cluster"), &[(origin, label)])
    };
    match refusal {
        Refusal::WrongSize { n, nearest: (below, above) } => {
            let label = format!("it is not for {n} members; the nearest numbers are {below} and {above}");
            wrong("wrong_size", algorithm, &label)
        }
        Refusal::WrongTopology { needs, got } => {
            wrong("wrong_topology", &place("topology"), &format!("it needs {needs}; this is `{got}`"))
                .help("leave `topology` out, or see what runs on such a network:")
                .command(format!("ringleader list --topology {}", network(got)), "")
        }
        Refusal::BadSetting { name, expected } => {
            wrong("bad_setting", &place(name), &format!("it {expected}"))
        }
        Refusal::OutOfRange { what, expected } => {
            wrong("out_of_range", &place("range"), &format!("{what} must be {expected}"))
        }
        Refusal::NoProcesses
        | Refusal::DuplicateId { .. }
        | Refusal::WrongLength { .. }
        | Refusal::NoSuchProcess { .. }
        | Refusal::NoInitiator
        | Refusal::WeakLinks { .. }
        | Refusal::NoHalfDuplexHere
        | Refusal::NeedsOrientation
        | Refusal::BadPorts { .. }
        | Refusal::NeedsBoundedDelay { .. }
        | Refusal::NeedsLockStep { .. }
        | Refusal::FaultExcluded { .. }
        | Refusal::NoSuchKind { .. }
        | Refusal::NoWorkload
        | Refusal::NoWorstIds
        | Refusal::Anonymous
        | Refusal::TooManyCases { .. }
        | Refusal::BadEdit { .. }
        | Refusal::BrokenReplay { .. } => wrong("refused", algorithm, &refusal.to_string()),
    }
}

/// The network as `list --topology` knows it.
fn network(name: &str) -> &str {
    match name {
        "line" | "star" | "binary" => "tree",
        other => other,
    }
}

fn topology(source: &Source<'_>, given: &Given) -> Result<Topology, Problem> {
    let found = TOPOLOGIES.iter().find(|(name, _)| *name == given.text);
    found.map(|(_, topology)| topology.clone()).ok_or_else(|| {
        let names: Vec<&str> = TOPOLOGIES.iter().map(|(name, _)| *name).collect();
        let label = format!("expected one of {}, found `{}`", names.join(", "), given.text);
        source.bad(&given.origin, &label)
    })
}

fn whole_number(source: &Source<'_>, given: &Given, least: u32) -> Result<u32, Problem> {
    let number = given.text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| {
        let label = format!("expected a whole number from {least} to {}, found `{}`", u32::MAX, given.text);
        source.bad(&given.origin, &label)
    })
}

/// The value of a setting as a word of the command line.
fn word(source: &Source<'_>, value: &super::source::Value<'_>) -> Result<String, Problem> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(_) => Ok(source.number(value, "a decimal number")?.text),
        DeValue::Boolean(_)
        | DeValue::Float(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => Err(source.kind(value, "a word or a whole number")),
    }
}

/// Whether a setting is written as a number.
pub(super) fn is_number(entry: &Entry, setting: &str) -> bool {
    let known = entry.with_settings(&[]).spec.settings.iter().find(|known| known.name == setting);
    known.is_some_and(|known| match known.values {
        SettingValues::Number { .. } => true,
        SettingValues::OneOf(_) | SettingValues::Elsewhere(_) | SettingValues::RingElection { .. } => false,
    })
}
