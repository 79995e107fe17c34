//! Every algorithm that a real network can run, as real processes on this machine: the promised outcome; where the
//! schedule does not matter exactly the messages of the simulator; and the recorded run, replayed, ends in the same
//! states.
//!
//! `cargo test -p ringleader-cli --test parity -- --nocapture` shows the list.

#![expect(clippy::print_stdout, reason = "the list is for people")]

use ringleader::model::{Promises, Shape, Winner};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Crowd, Moved, Observer, Scenario};
use ringleader::trace::{Event, Input, Recording};
use ringleader_lab::formats::read_trace;
use ringleader_net::record::part_path;
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How many clusters run at a time.
const AT_ONCE: usize = 3;

/// How often each user wants in.
const ENTRIES: u64 = 2;

/// A silence that no machine reaches, however busy: every member takes part in every run.
const PAUSE: &str = "60s";

#[test]
fn real_processes_do_what_the_simulator_does() {
    let named: Vec<(usize, &Entry)> = ringleader_errata::all()
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.spec.name.contains('@'))
        // Threads on registers have their own tests; nodes share none.
        .filter(|(_, entry)| entry.shape != Shape::Memory)
        // Links of real nodes hold more than it counts on.
        .filter(|(_, entry)| !entry.spec.stabilises())
        .collect();
    let (next, ends) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // A cluster waits more than it works: several at once.
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((place, entry)) = named.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let n = size(entry, *place as u32);
                    let end = n.ok_or_else(|| "no size from 3 to 8 is admitted".to_owned());
                    let end = end.and_then(|n| run(entry, n, *place as u64));
                    let words =
                        end.as_ref().map_or_else(|why| format!("FAILED: {why}"), |run| run.words.clone());
                    println!("{:<28} n={}  {words}", entry.spec.name, n.unwrap_or(0));
                    ends.lock().expect("nobody panics with it").push((entry.spec.name, end));
                }
            });
        }
    });
    let mut failures = Vec::new();
    let (mut ran, mut counted, mut replayed) = (0, 0, 0);
    for (name, end) in ends.into_inner().expect("nobody panics with it") {
        match end {
            Ok(run) => {
                ran += 1;
                counted += u32::from(run.counted);
                replayed += u32::from(run.same_states);
            }
            Err(why) => failures.push(format!("{name}: {why}")),
        }
    }
    println!(
        "{ran} algorithms; {counted} with the simulator's counts; {replayed} replayed to the same states"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran > 0 && counted > 0 && replayed > 0, "{ran}, {counted}, {replayed}");
}

#[test]
fn command_runs_only_on_the_leader() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept");
    let mut cluster = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["up", "-n", "3", "--algorithm", "chang-roberts", "--for", "600s", "--quiet"])
        .args(["--pause", PAUSE, "--keep"])
        .arg(&kept)
        .spawn()
        .expect("the program starts");
    let program = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.args(arguments).arg("--config").arg(kept.join("cluster.toml"));
        command
    };
    // Somebody leads: `status` says so by its exit code.
    let leads = || program(&["status"]).output().is_ok_and(|output| output.status.success());
    while !leads() {
        assert!(cluster.try_wait().is_ok_and(|ended| ended.is_none()), "the cluster has ended");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let elect = |name| {
        let mut command = program(&["elect", "main", "--name", name, "--wait", "1s"]);
        let output = command.args(["--", "sh", "-c", "echo leads; exit 7"]).output().expect("it ends");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let mut ends = ["a", "b", "c"].map(elect);
    ends.sort();
    // Its members leave with it.
    cluster.kill().and_then(|()| cluster.wait()).expect("it is stopped");
    let nowhere = (Some(75), String::new());
    assert_eq!(ends, [(Some(7), "leads\n".to_owned()), nowhere.clone(), nowhere]);
}

/// A size that the algorithm admits, another one for each.
fn size(entry: &Entry, place: u32) -> Option<u32> {
    let sizes = (0..6).map(|step| 3 + (place + step) % 6);
    sizes.into_iter().find(|&n| entry.cast(&Scenario::new(n)).is_ok())
}

struct Run {
    counted: bool,
    same_states: bool,
    words: String,
}

fn run(entry: &Entry, n: u32, seed: u64) -> Result<Run, String> {
    if !entry.spec.settings.iter().any(|setting| setting.name == "at") {
        return once(entry, n, seed, &[]);
    }
    // Clocks are compared at a moment by which all must have started: a later one, if they had not.
    let at = |ticks: u32| once(entry, n, seed, &["--set".to_owned(), format!("at={ticks}")]);
    at(4_000).or_else(|_| at(16_000)).or_else(|_| at(64_000))
}

fn once(entry: &Entry, n: u32, seed: u64, more: &[String]) -> Result<Run, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (record, events) = (folder.path().join("run.rlt"), folder.path().join("events"));
    let output = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["up", "--once", "--json", "--for", "300s", "--pause", PAUSE, "--algorithm", entry.spec.name])
        .args(["-n", &n.to_string(), "--seed", &seed.to_string(), "--entries", &ENTRIES.to_string()])
        .args(more)
        .arg("--record")
        .arg(&record)
        .arg("--events")
        .arg(&events)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Ok(summary) = serde_json::from_str::<Value>(&text) else {
        return Err(format!("no summary: {text}{}", String::from_utf8_lossy(&output.stderr)));
    };
    let summary = &summary;
    let lines = std::fs::read_to_string(&events).map_err(|error| error.to_string())?;
    let lines: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() {
        return Err(format!("{}: {summary}", output.status));
    }
    // What moves in lock-step ran with a synchroniser.
    let entry = entry.asynchronous().ok_or("it was to be refused")?;
    paced(entry, summary, u64::from(n))?;
    match entry.problem {
        Problem::Election => leader(entry, summary)?,
        Problem::Clocks => set(summary, u64::from(n))?,
        Problem::Mutex => one_at_a_time(&lines, u64::from(n) * ENTRIES)?,
    }
    let counted = !summary["simulated"].is_null();
    if counted && summary["simulated"]["by_kind"] != summary["messages"]["by_kind"] {
        return Err(format!("on the wire {}, simulated {}", summary["messages"], summary["simulated"]));
    }
    let epoch = summary["epoch"].as_u64().unwrap_or(0);
    let states = replay(entry, &part_path(&record, None, epoch, 1))?;
    // Everybody is asked when nothing is on its way any more, unless tokens circulate for ever.
    let same_states = match entry.spec.promises {
        Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => true,
        Promises::Exclusion { falls_silent, .. } => falls_silent,
    };
    if same_states && Value::Array(states.clone()) != summary["fields"] {
        return Err(format!("the members end as {}, the replay as {states:?}", summary["fields"]));
    }
    let words = format!(
        "{}  {} messages{}{}",
        summary["outcome"].as_str().unwrap_or("?"),
        summary["messages"]["total"],
        if counted { ", as simulated" } else { "" },
        if same_states { ", replayed to the same states" } else { ", replayed" },
    );
    Ok(Run { counted, same_states, words })
}

/// With a synchroniser, whole rounds of the algorithm's own messages, and beside them only what it costs to end.
fn paced(entry: &Entry, summary: &Value, n: u64) -> Result<(), String> {
    if entry.spec.name != "itai-rodeh-synchronised" {
        return Ok(());
    }
    let kinds = &summary["messages"]["by_kind"];
    let of = |kind: &str| kinds[kind].as_u64().unwrap_or(u64::MAX);
    let whole = of("value") > 0 && of("value").is_multiple_of(n * n);
    if whole && (of("empty"), of("done")) == (0, n) {
        Ok(())
    } else {
        Err(format!("not the rounds of lock-step: {kinds}"))
    }
}

/// The one who leads is the one whom the contract promises.
fn leader(entry: &Entry, summary: &Value) -> Result<(), String> {
    let Promises::Election { winner, .. } = entry.spec.promises else { return Ok(()) };
    if summary["outcome"] != "elected" {
        return Err(format!("nobody leads: {summary}"));
    }
    let largest = summary["ids"].as_array().into_iter().flatten().filter_map(Value::as_u64).max();
    match winner {
        Winner::Largest | Winner::LargestInitiator | Winner::LargestLive => {
            if summary["leader"]["id"].as_u64() != largest {
                return Err(format!("not the largest leads: {summary}"));
            }
        }
        Winner::AnyInitiator | Winner::Any => {}
    }
    Ok(())
}

/// Everybody has set its clock, within what was measured.
fn set(summary: &Value, n: u64) -> Result<(), String> {
    let clocks = &summary["clocks"];
    let nodes = clocks["nodes"].as_array().map_or(0, Vec::len) as u64;
    if clocks["holds"] == true && nodes == n { Ok(()) } else { Err(format!("clocks are off: {clocks}")) }
}

/// Everybody was inside as often as it wanted, and never two at once.
fn one_at_a_time(lines: &[Value], wanted: u64) -> Result<(), String> {
    let mut inside: Option<&Value> = None;
    let mut entries = 0;
    for line in lines {
        match line["event"].as_str() {
            Some("section_entered") => {
                if let Some(other) = inside {
                    return Err(format!("two inside at once: {other} and {line}"));
                }
                inside = Some(line);
                entries += 1;
            }
            Some("section_left") => inside = None,
            Some(_) | None => {}
        }
    }
    if entries < wanted { Err(format!("{entries} entries of {wanted}")) } else { Ok(()) }
}

/// The states in which the recorded run ends.
fn replay(entry: &Entry, path: &Path) -> Result<Vec<Value>, String> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut recorded = read_trace(BufReader::new(file)).map_err(|error| error.to_string())?;
    // Up to where the cluster is stopped: then they leave one after the other, and miss each other.
    let mut recording = Recording::clone(&recorded.recording);
    let missed = |event: &Event| matches!(event.input, Input::Suspect(_) | Input::Crash);
    recording.events.truncate(recording.events.iter().position(missed).unwrap_or(recording.events.len()));
    recorded.recording = Arc::new(recording);
    let mut last = Last { clocks: entry.problem == Problem::Clocks, ..Last::default() };
    entry.run(&recorded.scenario(), &mut last).map_err(|refusal| format!("the replay: {refusal:?}"))?;
    Ok(last.states)
}

/// How everybody is, at last.
#[derive(Default)]
struct Last {
    /// What a clock shows at a moment is no variable of its process.
    clocks: bool,
    states: Vec<Value>,
}

impl Last {
    fn look(&mut self, crowd: &dyn Crowd) {
        let variables = |process| {
            let pairs = crowd.variables(process).into_iter();
            let pairs = pairs.filter(|(name, _)| !self.clocks || !matches!(*name, "clock" | "shown"));
            Value::Object(pairs.map(|(name, value)| (name.to_owned(), Value::String(value))).collect())
        };
        self.states = (0..crowd.count()).map(variables).collect();
    }
}

impl Observer for Last {
    fn wants_moves(&self) -> bool {
        true
    }
    fn gathers(&mut self, crowd: &dyn Crowd) {
        self.look(crowd);
    }
    fn moved(&mut self, _: &Moved, crowd: &dyn Crowd) {
        self.look(crowd);
    }
}
