//! Small runs that a person can follow, line by line: `runs` in the folder of each algorithm, those of a printed
//! version in a folder of its name.
//!
//! A file begins with remarks (`# ...`) and a scenario in the words of the command line (`run peterson --ids 3,7,4,1`),
//! then come a line `----`, every step in words, and what came of it. `UPDATE=1` rewrites all that follows the line.

use crate::support::{all, clocks, election, entry, exclusion};
use ringleader::model::{Links, Orientation};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{
    Delay, Entries, Fault, Ids, Initiators, Load, Ports, Recorder, Report, Scatter, Scenario, Schedule,
    Topology, beginning,
};
use ringleader::trace::transcript;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const RULE: &str = "----";

#[test]
fn transcripts_are_what_happens() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut differences = String::new();
    for path in files() {
        let text = fs::read_to_string(&path).expect("a transcript is text");
        let now = rewritten(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        if now == text {
            continue;
        }
        if update {
            fs::write(&path, now).expect("a transcript can be written");
        } else {
            writeln!(differences, "\n{}\n{}", path.display(), difference(&text, &now)).expect("memory");
        }
    }
    assert!(
        differences.is_empty(),
        "- is in the file, + is what happens now.{differences}\nIf that is right: \
         UPDATE=1 cargo test -p ringleader --test it transcripts, then explain every line of `git diff`."
    );
}

#[test]
fn every_algorithm_has_a_transcript() {
    for entry in all() {
        let folder = folder(entry);
        let count = files().iter().filter(|path| path.parent() == Some(&folder)).count();
        assert!(count > 0, "{}: no transcript in {}", entry.spec.name, folder.display());
    }
}

/// The transcripts of an as-printed variant show its error at work.
#[test]
fn a_text_taken_literally_goes_wrong() {
    for entry in all().iter().filter(|entry| entry.is_literal()) {
        for path in files().iter().filter(|path| path.parent() == Some(&folder(entry))) {
            let text = fs::read_to_string(path).expect("a transcript is text");
            let (entry, scenario) = parsed(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            let report = entry.run(&scenario, &mut ()).expect("it is admitted");
            assert!(!report.holds(), "{}: nothing goes wrong", path.display());
            let right = entry.spec.name.split('@').next().unwrap_or_default();
            let report = crate::support::run(right, &Scenario { max_steps: None, ..scenario });
            assert!(report.holds(), "{}: the right algorithm goes wrong, too: {report:#?}", path.display());
        }
    }
}

/// A scenario stands in the folder of its algorithm, so that nobody looks for it elsewhere.
#[test]
fn every_transcript_is_in_its_folder() {
    for path in files() {
        let text = fs::read_to_string(&path).expect("a transcript is text");
        let (entry, _) = parsed(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        assert_eq!(path.parent(), Some(folder(entry).as_path()), "{}", path.display());
    }
}

#[test]
fn a_difference_is_shown_line_by_line() {
    assert_eq!(difference("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n"), "  ...\n  c\n- d\n+ D\n  e\n  ...\n");
    assert_eq!(difference("a\n", "a\nb\n"), "  a\n+ b\n");
}

#[test]
fn a_bad_scenario_is_refused() {
    for (text, why) in [
        ("", "no scenario"),
        ("run peterson --ids 1,2\n", "----"),
        ("run petersn\n----\n", "no algorithm"),
        ("run peterson --ids 1,2 --colour red\n----\n", "--colour"),
        ("run peterson --ids\n----\n", "--ids"),
        ("run peterson --ids 1,1\n----\n", "identity 1"),
    ] {
        let said = rewritten(text).expect_err(text);
        assert!(said.contains(why), "{text:?}: {said}");
    }
}

/// All transcripts, in order. Tests run in the folder of their crate.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in all() {
        let Ok(entries) = fs::read_dir(folder(entry)) else { continue };
        let paths = entries.map(|entry| entry.expect("a folder can be read").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "txt")));
    }
    files.sort();
    files
}

fn folder(entry: &Entry) -> PathBuf {
    let name = entry.spec.name;
    let version = ringleader_errata::versions().iter().find(|version| version.entry.spec.name == name);
    let right = version.map_or(name, |version| version.of);
    let runs = Path::new("src").join(entry.problem.name()).join(right.replace('-', "_")).join("runs");
    if entry.is_literal() { runs.join(name) } else { runs }
}

/// The file as it should be: its own beginning, then what happens now.
fn rewritten(text: &str) -> Result<String, String> {
    let (entry, scenario) = parsed(text)?;
    let mut recorder = Recorder::default();
    let report = entry.run(&scenario, &mut recorder).map_err(|refusal| refusal.to_string())?;
    let unwatched = entry.run(&scenario, &mut ()).map_err(|refusal| refusal.to_string())?;
    assert_eq!(report, unwatched, "watching a run must not change it");
    let steps = transcript(&recorder.events, scenario.schedule.ticks_per_unit());
    let head = text.split_inclusive('\n').take_while(|line| line.trim_end() != RULE).collect::<String>();
    Ok(format!("{head}{RULE}\n{}\n\n{}\n", steps.join("\n"), summary(entry, &report)))
}

/// The outcome, the messages by kind, the bound, and what does not hold.
fn summary(entry: &Entry, report: &Report) -> String {
    let mut lines = vec![match entry.problem {
        Problem::Election => {
            let details = election(report);
            let leader = match &details.leader {
                Some(leader) => format!("p{} leads", leader.index),
                None => format!("{} lead", details.leaders),
            };
            format!("{}: {leader}, {} of {} know it", report.outcome.name(), details.informed, report.n)
        }
        Problem::Mutex => {
            let order: Vec<_> =
                exclusion(report).entry_order.iter().map(|index| format!("p{index}")).collect();
            format!("{}: entered {}", report.outcome.name(), order.join(" "))
        }
        Problem::Clocks => {
            let clocks = clocks(report);
            let promise = clocks.promise.map_or("nothing".to_owned(), |promise| promise.to_string());
            format!(
                "{}: clocks {} apart at first, {} in the end; promised: {promise}",
                report.outcome.name(),
                clocks.skew_first,
                clocks.skew_final
            )
        }
    }];
    let kinds: Vec<_> = report.by_kind.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    lines.push(format!("{} messages: {}", report.messages, kinds.join(", ")));
    lines.extend(report.bound.as_ref().map(|bound| {
        let verdict = if bound.holds { "within" } else { "ABOVE" };
        format!("{} {verdict} the bound {} = {}", bound.measured, bound.formula, bound.value)
    }));
    for property in report.properties.iter().filter(|property| !property.holds) {
        lines.push(format!("FAILS: {}: {}", property.name, property.detail.as_deref().unwrap_or("")));
    }
    lines.join("\n")
}

/// The algorithm and the scenario. The words are those of the command line, as far as transcripts need them; the tests
/// of the command line hand every scenario to the real one.
fn parsed(text: &str) -> Result<(&'static Entry, Scenario), String> {
    let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
    let command = lines.next().ok_or("no scenario")?;
    if lines.next() != Some(RULE) {
        return Err(format!("the line after the scenario must be {RULE}"));
    }
    let mut words = command.split_whitespace();
    let (Some("run"), Some(name)) = (words.next(), words.next()) else {
        return Err(format!("a scenario is `run ALGORITHM ...`, not {command:?}"));
    };
    if !all().iter().any(|entry| entry.spec.name == name) {
        return Err(format!("no algorithm is called {name}"));
    }
    let mut scenario = Scenario::new(3);
    while let Some(option) = words.next() {
        if option == "--unsound" {
            scenario.unsound = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        set(&mut scenario, option, value).ok_or_else(|| format!("not understood: {option} {value}"))?;
    }
    Ok((entry(name), scenario))
}

fn set(scenario: &mut Scenario, option: &str, value: &str) -> Option<()> {
    match option {
        "-n" => scenario.n = value.parse().ok()?,
        "--ids" => {
            let ids = numbers::<u64>(value, ',')?;
            scenario.n = ids.len() as u32;
            scenario.ids = Ids::Listed(ids);
        }
        "--initiators" => {
            let start = |word: &str| {
                let (process, at) = word.split_once('@').unwrap_or((word, "0"));
                Some((process.parse().ok()?, at.parse().ok()?))
            };
            scenario.initiators = if value == "one" {
                Initiators::One
            } else {
                Initiators::Timed(value.split(',').map(start).collect::<Option<_>>()?)
            };
        }
        "--schedule" => scenario.schedule = schedule(value)?,
        "--clock-offset" => scenario.clocks.offsets = Scatter::Listed(numbers(value, ',')?),
        "--clock-drift" => scenario.clocks.drifts = Scatter::Listed(numbers(value, ',')?),
        "--links" => {
            scenario.links =
                Some([Links::Bag, Links::Fifo, Links::HalfDuplex].into_iter().find(|l| l.name() == value)?);
        }
        "--orientation" => {
            let both = [Orientation::Same, Orientation::Random];
            scenario.ports = Ports::Kind(both.into_iter().find(|orientation| orientation.name() == value)?);
        }
        "--crash" => scenario.faults.push(at(value, |process, at| Fault::Crash { process, at })?),
        "--recover" => scenario.faults.push(at(value, |process, at| Fault::Recover { process, at })?),
        "--lose" => {
            let (kind, nth) = value.split_once('@')?;
            scenario.faults.push(Fault::LoseNth { kind: kind.to_owned(), nth: nth.parse().ok()? });
        }
        "--loss" => scenario.faults.push(Fault::Loss(value.parse().ok()?)),
        "--duplicate" => scenario.faults.push(Fault::Duplicate(value.parse().ok()?)),
        "--entries" => {
            scenario.workload.entries = match numbers::<u32>(value, ',')?.as_slice() {
                [each] => Entries::Each(*each),
                listed => Entries::Listed(listed.to_vec()),
            };
        }
        "--wants" => {
            for span in value.split(';') {
                let (who, at) = span.split_once('@')?;
                let at = at.parse().ok()?;
                scenario.workload.wants.extend(numbers::<u32>(who, ',')?.into_iter().map(|who| (at, who)));
            }
        }
        "--set" => {
            let (name, value) = value.split_once('=')?;
            scenario.settings.push((name.to_owned(), value.to_owned()));
        }
        "--load" => {
            scenario.workload.load = Some(Load::Open(value.strip_prefix("open:")?.parse().ok()?));
        }
        "--from" => {
            let places: Vec<Vec<u32>> =
                value.split(',').map(|machine| numbers(machine, '+')).collect::<Option<_>>()?;
            let states: Vec<u32> = places.iter().map(|places| places[0]).collect();
            scenario.from = Some(if places.iter().any(|places| places.len() > 1) {
                beginning(&states, places.iter().map(|places| &places[1..]))
            } else {
                states
            });
        }
        "--hold" => scenario.workload.hold = value.parse().ok()?,
        "--topology" => {
            let trees = [Topology::Line, Topology::Star, Topology::Binary];
            scenario.topology = Some(trees.into_iter().find(|tree| tree.name() == value)?);
        }
        "--total" => scenario.workload.total = Some(value.parse().ok()?),
        "--range" => scenario.range = value.parse().ok()?,
        "--max-steps" => scenario.max_steps = Some(value.parse().ok()?),
        "--seed" => scenario.seed = value.parse().ok()?,
        _ => return None,
    }
    Some(())
}

fn schedule(value: &str) -> Option<Schedule> {
    Some(match value {
        "rounds" => Schedule::Rounds,
        "random" => Schedule::Random,
        "lifo" => Schedule::Lifo,
        "fifo" => Schedule::Fifo,
        "greedy" => Schedule::Greedy,
        _ => match value.strip_prefix("delay:")?.split_once(':')? {
            ("exp", mean) => Schedule::Delay(Delay::Exponential(mean.parse::<u64>().ok()? * 1_000_000)),
            ("uniform", span) => match numbers::<u64>(span, ':')?.as_slice() {
                [low, high] => Schedule::Delay(Delay::Uniform(low * 1_000_000, high * 1_000_000)),
                _ => return None,
            },
            _ => return None,
        },
    })
}

fn at(value: &str, fault: fn(u32, u64) -> Fault) -> Option<Fault> {
    let (process, at) = value.split_once('@')?;
    Some(fault(process.parse().ok()?, at.parse().ok()?))
}

fn numbers<N: std::str::FromStr>(value: &str, between: char) -> Option<Vec<N>> {
    value.split(between).map(|number| number.parse().ok()).collect()
}

/// The lines that differ, with one line around them.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    // The length of the longest common subsequence from here on, for every pair of places.
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    let mut shown = String::new();
    let mut hidden = false;
    for (place, (mark, line)) in lines.iter().enumerate() {
        let near =
            lines[place.saturating_sub(1)..(place + 2).min(lines.len())].iter().any(|(m, _)| *m != ' ');
        if near {
            writeln!(shown, "{mark} {line}").expect("memory");
        } else if !hidden {
            shown.push_str("  ...\n");
        }
        hidden = !near;
    }
    shown
}
