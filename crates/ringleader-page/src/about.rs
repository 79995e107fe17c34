//! The verb `about`: what there is.

use crate::goal::Goal;
use crate::story::Title;
use crate::{Diagnostic, Stage, limits};
use ringleader::model::{self, SettingValues};
use ringleader::registry::{self, Entry, Problem};
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct About<'a> {
    schema: &'static str,
    version: String,
    algorithms: Vec<Algorithm<'a>>,
    stories: Vec<Title>,
    /// The words that `family` may be, in the order in which they are shown.
    families: Vec<Family>,
    goals: &'a [Goal],
    limits: Limits,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Algorithm<'a> {
    name: &'a str,
    aliases: &'a [&'a str],
    title: String,
    /// `election`, `mutex` or `clocks`.
    problem: &'a str,
    /// In words: `one-way ring`, `two-way ring`, `complete graph`, `tree`.
    topology: &'a str,
    /// What it needs, a few words each: fifo, distinct-ids, known-n …
    needs: Vec<&'a str>,
    idea: String,
    source: String,
    /// A text taken literally, with its error in it.
    literal: bool,
    erratum: Option<String>,
    rules: Vec<Rule<'a>>,
    kinds: &'a [&'a str],
    /// The proved bound, as a formula.
    bound: Option<&'a str>,
    average: Option<&'a str>,
    /// The largest n up to which the checker has been through all runs.
    checked: Option<u32>,
    settings: Vec<Setting<'a>>,
    /// A command line that shows the error of a literal text: options without the name.
    example: Option<&'a str>,
    /// The idea by which it works, in one word: swallow, tournament, token …
    family: &'a str,
    /// Of a literal text: the lines in which it differs from the algorithm of which it is one.
    diff: Option<&'a str>,
    /// Of a literal text: the algorithm of which it is one.
    of: Option<&'a str>,
    /// What the bound rests on.
    basis: Option<Basis<'a>>,
    overlays: Vec<Overlay>,
}

/// An idea by which algorithms work.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Family {
    name: &'static str,
    /// What it is, in a sentence.
    about: &'static str,
}

/// What a variable is in a picture, as it is declared beside the algorithm.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Overlay {
    variable: &'static str,
    /// `pointer`: a process, or the port to it. `way`: the port towards the token, which is here where it leads
    /// nowhere. `token`: here unless the value is `-`, `no` or `elsewhere`. `vote`: the request that has it. `quorum`:
    /// whom it asks, each perhaps with what it said. `clock`: a logical one. `waiting`: who waits for this process.
    /// `leader`: whom it takes for the leader. `register`: what others read of it. `joined`: it is in the race, and
    /// can win only while a message with its identity is on its way.
    draws: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Rule<'a> {
    name: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Setting<'a> {
    name: &'a str,
    help: &'a str,
    /// The words that it can be; none if it is a number.
    values: Option<Vec<&'a str>>,
    default: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Basis<'a> {
    kind: &'a str,
    by: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Limits {
    /// The most processes of one run.
    nodes: u32,
    /// Up to so many processes a run is given event by event.
    small_nodes: u32,
    /// Up to so many steps, too.
    small_steps: usize,
    /// The largest request, in bytes.
    bytes: usize,
}

/// Answers `about`.
pub(crate) fn answer(stage: &Stage) -> Result<String, Diagnostic> {
    let about = About {
        schema: "ringleader.page/1",
        version: stage.words.version(),
        algorithms: stage.words.registry().iter().map(algorithm).collect(),
        stories: stage.shelf.titles(),
        goals: stage.goals.all(),
        families: model::Family::ALL.iter().map(family).collect(),
        limits: Limits {
            nodes: limits::NODES,
            small_nodes: limits::SMALL_NODES,
            small_steps: limits::SMALL_STEPS,
            bytes: limits::BYTES,
        },
    };
    Ok(serde_json::to_string(&about).expect("plain data has a JSON form"))
}

fn family(family: &model::Family) -> Family {
    Family { name: family.name(), about: family.about() }
}

fn algorithm(entry: &'static Entry) -> Algorithm<'static> {
    let spec = entry.spec;
    let prose = spec.prose();
    let erratum = spec.known_errata().into_iter().next().filter(|_| entry.is_literal());
    let basis = |bound: model::Bound| Basis { kind: bound.basis.name(), by: bound.basis.by() };
    Algorithm {
        name: spec.name,
        aliases: spec.aliases,
        title: prose.title,
        problem: entry.problem.name(),
        topology: entry.topology(),
        needs: entry.needs(),
        idea: prose.idea,
        source: prose.source,
        literal: entry.is_literal(),
        erratum: erratum.map(|erratum| erratum.text),
        rules: entry.rules.iter().map(|rule| Rule { name: rule.name, text: rule.text }).collect(),
        kinds: entry.kinds,
        bound: spec.cost.worst.map(|bound| bound.formula),
        average: spec.cost.average.map(|average| average.formula),
        checked: entry.checked_up_to(),
        settings: spec.settings.iter().map(|own| setting(entry, own)).collect(),
        example: Some(spec.example).filter(|example| entry.is_literal() && !example.is_empty()),
        family: spec.family.name(),
        diff: Some(spec.diff).filter(|diff| !diff.is_empty()),
        of: spec.name.split_once('@').map(|(of, _)| of),
        basis: spec.cost.worst.map(basis),
        overlays: overlays(entry),
    }
}

/// What pictures draw of the variables: what the algorithm says, and what every process with a register or a clock has.
pub(crate) fn overlays(entry: &Entry) -> Vec<Overlay> {
    let declared = entry.drawn.iter().map(|(name, drawn)| (*name, drawn.name()));
    let registers = entry.registers().map(|name| (name, "register"));
    let clock = (entry.problem == Problem::Clocks).then_some(("clock", "clock"));
    let all = declared.chain(registers).chain(clock);
    all.map(|(variable, draws)| Overlay { variable, draws }).collect()
}

fn setting(entry: &'static Entry, setting: &model::Setting) -> Setting<'static> {
    let electors = || entry.electors().map(|elector| elector.name).collect();
    // The values are those of the algorithm that knows it; without the setting it is not that algorithm.
    let elsewhere = |other: &str| {
        let other = registry::find(entry.registry(), other).map_or(&[][..], |entry| entry.spec.settings);
        let same = other.iter().find(|other| other.name == setting.name);
        same.and_then(|same| self::setting(entry, same).values)
    };
    let (values, default) = match setting.values {
        SettingValues::OneOf(words) => {
            (Some(words.to_vec()), words.first().copied().unwrap_or_default().to_owned())
        }
        SettingValues::Number { default, .. } => (None, default.to_string()),
        SettingValues::Enough { .. } => (None, String::new()),
        SettingValues::RingElection { default } => (Some(electors()), default.to_owned()),
        SettingValues::Elsewhere(other) => (elsewhere(other), String::new()),
    };
    Setting { name: setting.name, help: setting.about, values, default }
}

#[cfg(test)]
mod tests {
    use crate::Stage;
    use crate::testing::Few;
    use ringleader::registry::ALL;
    use serde_json::{Value, json};

    #[test]
    fn what_is_drawn_is_a_variable_that_is_shown() {
        let stage = Stage::new(Box::new(Few));
        let mut algorithms = 0;
        for entry in ALL {
            let name = entry.spec.name;
            let n = entry.spec.needs.processes.nearest(4).1.to_string();
            let options = json!({ "nodes": n });
            let source = json!({ "kind": "run", "algorithm": name, "options": options });
            let question = json!({ "source": source, "edits": [] });
            let answer = stage.call("open", question.to_string().as_bytes()).expect(name);
            let run: Value = serde_json::from_str(&answer).expect("the answer is JSON");
            let variables = run["variables"].as_array().expect("a list");
            let overlays = run["overlays"].as_array().expect("a list");
            for overlay in overlays {
                assert!(
                    variables.contains(&overlay["variable"]),
                    "{name} draws {overlay}, and shows {variables:?}"
                );
            }
            algorithms += usize::from(!overlays.is_empty());
        }
        assert!(algorithms >= 30, "only {algorithms} draw anything");
    }
}
