//! `ringleader show ALGORITHM`: what a reader wants to know before using it, and a small run in words.

use super::find;
use crate::App;
use crate::args::{Cli, Command, ShowArgs};
use crate::console::{BOLD, CYAN, Console, DIM, RESET, YELLOW};
use crate::error::{Diagnostic, Failure};
use crate::refusal;
use crate::report::version;
use crate::scenario::plan;
use crate::watch::Watch;
use clap::FromArgMatches;
use ringleader::model::{
    Informed, Links, Order, Orientation, Promises, Reached, Setting, SettingValues, Shape, Timing, Told,
    Winner,
};
use ringleader::registry::{self, Entry};
use ringleader::trace::transcript;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Text is wrapped to this width.
const WIDTH: usize = 96;
/// No more steps of the example are shown.
const STEPS_MAX: usize = 60;

pub(crate) fn run(app: &App, args: &ShowArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entry = find(app, &args.name)?;
    let example = example(app, entry)?;
    if console.json {
        writeln!(console.out, "{}", as_json(app, entry, &example))?;
    } else {
        as_text(entry, &example, console.out)?;
    }
    Ok(0)
}

/// The worked example: the command, what the first column counts, and what happens.
struct Example {
    command: String,
    counts: &'static str,
    lines: Vec<String>,
}

fn example(app: &App, entry: &'static Entry) -> Result<Example, Failure> {
    let mut words = vec![app.program.as_str(), "run", entry.spec.name];
    words.extend(entry.spec.example.split_whitespace());
    // A fixed seed, so that the same is shown each time.
    if !words.contains(&"--seed") {
        words.extend(["--seed", "1"]);
    }
    let wrong = |said: &str| {
        let message = format!("the example of `{}` does not run: {said}", entry.spec.name);
        Diagnostic::input("ringleader::bad_example", message)
    };
    let parsed = crate::command(app)
        .try_get_matches_from(&words)
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(|error| wrong(&error.to_string()))?;
    let Command::Run(args) = parsed.command else { return Err(wrong(entry.spec.example).into()) };
    let plan = plan(entry, &args)?;
    let mut watch = Watch { kept: Some(Vec::new()), ..Watch::default() };
    entry
        .run(&plan.scenario, &mut watch)
        .map_err(|refused| refusal::explain(app, entry, &plan.asked(Some(&args)), &refused))?;
    let schedule = &plan.scenario.schedule;
    let counts = match schedule.ticks_per_unit() {
        1 if schedule.counts_rounds() => "round",
        1 => "step",
        _ => "time",
    };
    let lines = transcript(&watch.kept.unwrap_or_default(), schedule.ticks_per_unit());
    Ok(Example { command: words.join(" "), counts, lines })
}

fn as_text(entry: &Entry, example: &Example, out: &mut dyn Write) -> io::Result<()> {
    let spec = entry.spec;
    let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    let aliases = match spec.aliases {
        [] => String::new(),
        aliases => format!(" (alias {})", aliases.join(", ")),
    };
    writeln!(out, "{BOLD}{}{RESET}{aliases}: {}, {}", spec.name, spec.title, spec.year)?;
    if let Some(erratum) = entry.erratum() {
        writeln!(
            out,
            "{YELLOW}broken on purpose:{RESET} a text taken literally, with its error in it (erratum {erratum})"
        )?;
    }
    section(out, "Idea", &[spec.idea])?;
    pairs(out, "Model", &model(entry))?;
    let kinds = entry.kinds.iter().zip(entry.announces);
    let messages: Vec<_> = kinds
        .map(|(kind, announces)| own((kind, if *announces { "announces the result" } else { "" })))
        .collect();
    pairs(out, "Messages", &messages)?;
    let rules: Vec<_> = spec.rules.iter().map(|rule| own((rule.name, rule.text))).collect();
    pairs(out, "Rules", &rules)?;
    pairs(out, "Settings", &spec.settings.iter().map(setting).collect::<Vec<_>>())?;
    section(out, "Promises", &promises(entry))?;
    section(out, "Costs", &[spec.cost.words])?;
    section(out, "Source", &[spec.source])?;
    let errata: Vec<_> = spec.errata.iter().map(|erratum| own((erratum.id, erratum.text))).collect();
    pairs(out, "What the source text gets wrong", &errata)?;
    writeln!(out, "\n{CYAN}Example{RESET}   {}\n\n  {DIM}{}{RESET}", example.command, example.counts)?;
    for line in example.lines.iter().take(STEPS_MAX) {
        writeln!(out, "  {line}")?;
    }
    match example.lines.len().saturating_sub(STEPS_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more steps"),
    }
}

fn section(out: &mut dyn Write, title: &str, paragraphs: &[&str]) -> io::Result<()> {
    writeln!(out, "\n{CYAN}{title}{RESET}")?;
    for line in paragraphs.iter().flat_map(|paragraph| wrapped(paragraph, WIDTH - 2)) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn pairs(out: &mut dyn Write, title: &str, pairs: &[(String, String)]) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{CYAN}{title}{RESET}")?;
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, text) in pairs {
        let mut lines = wrapped(text, WIDTH - width - 4).into_iter();
        let first = format!("{name:<width$}  {}", lines.next().unwrap_or_default());
        writeln!(out, "  {}", first.trim_end())?;
        for line in lines {
            writeln!(out, "  {:width$}  {line}", "")?;
        }
    }
    Ok(())
}

/// The words of a text, in lines of at most this width.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn model(entry: &Entry) -> Vec<(String, String)> {
    let needs = &entry.spec.needs;
    let mut model = Vec::new();
    let mut add = |name: &str, text: &str| model.push((name.to_owned(), text.to_owned()));
    add("network", entry.topology());
    add("told", &told(entry).join(", "));
    add(
        "links",
        match needs.links {
            Links::Bag => "any: messages may overtake each other",
            Links::Fifo => "FIFO: in sending order",
            Links::HalfDuplex => "half-duplex: in sending order, and two messages never pass each other",
        },
    );
    if entry.shape == Shape::TwoWayRing {
        add(
            "sides",
            match needs.orientation {
                Orientation::Same => "all agree on left and right",
                Orientation::Random => "need not agree on left and right",
            },
        );
    }
    add(
        "start",
        match needs.reached {
            Reached::Wakes => "any number start; the others start when a message reaches them",
            Reached::Relays => "any number start; the others take part without having started",
            Reached::MayStartLater => {
                "any number start, even after a message has reached them; the others take part without"
            }
        },
    );
    add(
        "timing",
        match needs.timing {
            Timing::Asynchronous => "asynchronous: any finite delay",
            Timing::BoundedDelay => "a known bound on message delays",
            Timing::LockStep => "lock-step: all move together, round by round",
        },
    );
    if needs.choices {
        add("chance", "it draws random numbers");
    }
    if needs.detector {
        add("detector", "it is told of crashes");
    }
    match tolerated(entry).as_slice() {
        [] => add("faults", "none"),
        faults => add("faults", &format!("lives with {}", faults.join(", "))),
    }
    model
}

fn told(entry: &Entry) -> Vec<&'static str> {
    let words: Vec<&str> = entry
        .told
        .iter()
        .flat_map(|part| part.iter())
        .map(|told| match told {
            Told::Identity => "its identity",
            Told::Size => "the number of processes",
            Told::Names => "the names of all, and its own",
            Told::Degree => "the number of its edges",
            Told::Range => "a range to draw from",
            Told::MaxDelay => "the bound on delays",
            Told::Holder => "whether the token starts here",
            Told::TowardsRoot => "the way to the root",
        })
        .collect();
    if words.is_empty() { vec!["nothing"] } else { words }
}

fn tolerated(entry: &Entry) -> Vec<&'static str> {
    let (tolerates, bypass) = (&entry.spec.needs.tolerates, entry.spec.needs.bypass);
    [
        (bypass && !tolerates.crash, "crashes before the election, which the ring bypasses"),
        (bypass && tolerates.crash, "crashes, which the ring bypasses"),
        (!bypass && tolerates.crash, "crashes"),
        (tolerates.recovery, "recovery"),
        (tolerates.loss, "loss"),
        (tolerates.duplication, "duplication"),
        (tolerates.partition, "partitions"),
    ]
    .into_iter()
    .filter_map(|(yes, word)| yes.then_some(word))
    .collect()
}

fn setting(setting: &Setting) -> (String, String) {
    let values = match setting.values {
        SettingValues::OneOf(words) => {
            format!("{} (default {})", words.join(" | "), words.first().unwrap_or(&""))
        }
        SettingValues::Number { min, max, default } => format!("{min} to {max} (default {default})"),
        SettingValues::RingElection { default } => {
            let all: Vec<&str> = registry::electors().map(|elector| elector.name).collect();
            format!("{} (default {default})", all.join(", "))
        }
        SettingValues::Elsewhere(other) => format!("see `ringleader show {other}`"),
    };
    (setting.name.to_owned(), format!("{}: {values}", setting.about))
}

fn promises(entry: &Entry) -> Vec<&'static str> {
    match entry.spec.promises {
        Promises::Election { winner, informed } => vec![
            "exactly one process leads in the end",
            match winner {
                Winner::Largest => "the largest identity leads",
                Winner::LargestInitiator => "the largest identity among the initiators leads",
                Winner::LargestLive => "the largest of those that are up after the last fault leads",
                Winner::AnyInitiator => "one of the initiators leads",
                Winner::Any => "any process may lead",
            },
            match informed {
                Informed::All => "everybody knows it in the end",
                Informed::Initiators => "every initiator knows it in the end",
                Informed::Live => "everybody who is up knows it in the end",
            },
        ],
        Promises::Exclusion { order, falls_silent } => vec![
            "never two inside; everybody who asks is let in",
            match order {
                Order::Priority => "requests are served in the order of (time stamp, name)",
                Order::Ring => "requests are served as they come round the ring",
                Order::Fair => "nobody waits for ever",
            },
            if falls_silent { "no messages when nobody wants in" } else { "tokens circulate for ever" },
        ],
    }
}

fn as_json(app: &App, entry: &Entry, example: &Example) -> String {
    let (spec, needs) = (entry.spec, &entry.spec.needs);
    let list: Value = serde_json::from_str(&ringleader_formats::list_json([entry])).unwrap_or_default();
    let row = &list["algorithms"][0];
    let model = json!({
        "told": told(entry),
        "links": needs.links.name(),
        "orientation": needs.orientation.name(),
        "reached": match needs.reached {
            Reached::Wakes => "wakes",
            Reached::Relays => "relays",
            Reached::MayStartLater => "may-start-later",
        },
        "timing": match needs.timing {
            Timing::Asynchronous => "asynchronous",
            Timing::BoundedDelay => "bounded-delay",
            Timing::LockStep => "lock-step",
        },
        "choices": needs.choices,
        "detector": needs.detector,
        "tolerates": tolerated(entry),
    });
    let kinds = entry.kinds.iter().zip(entry.announces);
    let messages: Value =
        kinds.map(|(kind, announces)| json!({ "kind": kind, "announces": announces })).collect();
    let rules: Value =
        spec.rules.iter().map(|rule| json!({ "name": rule.name, "text": rule.text })).collect();
    let settings: Value = (spec.settings.iter())
        .map(|setting| {
            let values = match setting.values {
                SettingValues::OneOf(words) => json!(words),
                SettingValues::Number { min, max, default } => {
                    json!({ "min": min, "max": max, "default": default })
                }
                SettingValues::RingElection { .. } => {
                    registry::electors().map(|elector| elector.name).collect()
                }
                SettingValues::Elsewhere(other) => json!({ "see": other }),
            };
            json!({ "name": setting.name, "about": setting.about, "values": values })
        })
        .collect();
    let errata: Value =
        spec.errata.iter().map(|erratum| json!({ "id": erratum.id, "text": erratum.text })).collect();
    let mut object = json!({ "schema": "ringleader.show/1" });
    for field in
        ["name", "problem", "title", "year", "source", "topology", "needs", "bound", "aliases", "erratum"]
    {
        object[field] = row[field].clone();
    }
    object["idea"] = json!(spec.idea);
    object["model"] = model;
    object["messages"] = messages;
    object["rules"] = rules;
    object["settings"] = settings;
    object["promises"] = json!(promises(entry));
    object["costs"] = json!(spec.cost.words);
    object["average"] = json!(spec.cost.average.map(|average| average.formula));
    object["errata"] = errata;
    object["example"] = json!({ "command": example.command, "transcript": example.lines });
    object["version"] = json!(version(app));
    object.to_string()
}
