//! A command runs while a member leads, and not a moment longer: exit codes, signals, everything that it started.

use super::fake::{Fake, Says, config};
use super::{Ran, path, ran, ringleader, run};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// It leads for longer than any test takes.
const LEADS: Says = Says::Leads { epoch: 4, valid_ms: 600_000 };

/// So long a test waits for what must come: on a busy machine everything takes its time.
const PATIENCE: Duration = Duration::from_secs(300);

fn elect(file: &str, more: &[&str], command: &[&str]) -> Command {
    let mut all = vec!["elect", "main", "--config", file, "--name", "b"];
    all.extend(more);
    all.push("--");
    all.extend(command);
    ringleader(&all)
}

/// Runs a command while the member says this.
fn under(name: &str, says: Says, more: &[&str], command: &[&str]) -> Ran {
    let fake = Fake::new("b", says);
    let file = config(&format!("elect-{name}.toml"), "2s", &fake.address);
    ran(elect(&file, more, command).output().expect("the binary runs"))
}

/// One that runs in the background, with the lines of its stdout.
struct Background {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Background {
    fn new(mut command: Command) -> Background {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        let lines = BufReader::new(child.stdout.take().expect("a pipe"));
        Background { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("UTF-8");
        line.trim().to_owned()
    }

    fn signal(&self, signal: &str) {
        kill(signal, &self.child.id().to_string());
    }

    fn end(mut self) -> (i32, String) {
        let mut err = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
        let status = self.child.wait().expect("it ends");
        (status.code().unwrap_or(-1), err)
    }
}

fn kill(signal: &str, process: &str) {
    let status = Command::new("sh").arg("-c").arg(format!("kill -{signal} {process}")).status();
    assert!(status.expect("a shell").success(), "kill -{signal} {process}");
}

#[track_caller]
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process does anything still. What has ended and was not collected does not.
fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    for (name, command, code) in [
        ("well", &["true"][..], 0),
        ("seven", &["sh", "-c", "exit 7"], 7),
        ("signal", &["sh", "-c", "kill -9 $$"], 137),
        ("absent", &["no-such-command-anywhere"], 127),
        ("folder", &["/"], 126),
    ] {
        let ran = under(name, LEADS, &[], command);
        assert_eq!(ran.code, code, "{command:?}: {}", ran.err);
    }
}

#[test]
fn the_command_knows_for_what_it_runs() {
    let show =
        "echo $RINGLEADER_GROUP $RINGLEADER_MEMBER $RINGLEADER_EPOCH $(( RINGLEADER_DEADLINE_MS > 600000 ))";
    let ran = under("variables", LEADS, &[], &["sh", "-c", show]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "main b 4 1\n"), "{}", ran.err);
    assert!(ran.err.contains("elect main: b leads, epoch 4, granted for"), "{}", ran.err);
    assert!(ran.err.contains("elect main: the command exited with 0"), "{}", ran.err);
    let ran = under("json", LEADS, &["--json"], &["echo", "data"]);
    assert_eq!(ran.out, "data\n", "stdout is the command's");
    for line in ran.err.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON Lines on stderr");
        assert_eq!(event["schema"], "ringleader.elect/1");
    }
    assert!(ran.err.contains(r#""event":"ended","group":"main","how":"command","exit":0"#), "{}", ran.err);
    assert_eq!(under("quiet", LEADS, &["-q"], &["true"]).err, "");
}

#[test]
fn who_does_not_lead_runs_nothing() {
    let touched = path("elect-touched");
    let _ = std::fs::remove_file(&touched);
    for (name, says, code) in [
        ("follows", Says::Follows, 75),
        // Hardly begun, it would have to be stopped.
        ("brief", Says::Leads { epoch: 1, valid_ms: 500 }, 75),
        ("leaves", Says::Leaves, 75),
        ("nothing", Says::Nothing, 4),
        ("foreign", Says::Bytes("{}"), 4),
        ("garbled", Says::Bytes("{\"schema\":7}"), 4),
    ] {
        let ran = under(name, says.clone(), &["--wait", "1s"], &["touch", &touched]);
        assert_eq!(ran.code, code, "{says:?}: {}", ran.err);
    }
    assert!(!std::path::Path::new(&touched).exists());
}

#[test]
fn impossible_request_is_refused_before_running() {
    let file = config("elect-usage.toml", "1s", "127.0.0.1:9");
    let refused = |args: &[&str], expected: &str| {
        let ran = run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    };
    let base = ["elect", "main", "--config", &file, "--name", "b"];
    let with = |more: &[&'static str]| -> Vec<String> {
        base.iter().copied().chain(more.iter().copied()).map(str::to_owned).collect()
    };
    for (more, expected) in [
        (&[][..], "ringleader elect main --name b -- ./serve --primary"),
        (&["--grace", "600ms", "--", "true"], "more than half of the lease of 1s"),
        (&["--grace", "100ms", "--kill-before", "200ms", "--", "true"], "KILL would come before TERM"),
        (&["--wait", "30", "--", "true"], "which has no unit"),
        (&["--at", "b", "--", "true"], "which has no port"),
    ] {
        let args = with(more);
        refused(&args.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
    refused(&["elect", "mine", "--config", &file, "--name", "b", "--", "true"], "its groups are main, door");
    refused(&["elect", "main", "--config", &file, "--name", "d", "--", "true"], "its members are a, b, c");
    refused(&["elect", "main", "--config", &file, "--name", "a", "--", "true"], "has no `status` address");
    let fake = Fake::new("c", LEADS);
    let wrong = ["elect", "main", "--config", &file, "--name", "b", "--at", &fake.address, "--", "true"];
    refused(&wrong, "is member `c`, not `b`");
}

#[test]
fn command_runs_while_leading() {
    // Each answer is good for 8 s; the command takes longer.
    let fake = Fake::new("b", Says::Leads { epoch: 1, valid_ms: 8000 });
    let file = config("elect-extends.toml", "8s", &fake.address);
    let ran = ran(elect(&file, &[], &["sleep", "9"]).output().expect("the binary runs"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(fake.asked() > 2, "it was asked again and again");
}

/// A shell and what it started, both deaf to TERM; it tells the number of each.
const DEAF: &[&str] =
    &["sh", "-c", "trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & echo $$; wait"];

#[test]
fn lost_leadership_stops_command_and_children() {
    for (name, then, why) in [
        ("follows", Says::Follows, "the member leads no more"),
        ("epoch", Says::Leads { epoch: 5, valid_ms: 600_000 }, "leads epoch 5 now, not 4"),
        ("leaves", Says::Leaves, "the member is about to stop"),
    ] {
        let fake = Fake::new("b", LEADS);
        let file = config(&format!("elect-lost-{name}.toml"), "2s", &fake.address);
        let lost = path(&format!("elect-lost-{name}"));
        let _ = std::fs::remove_file(&lost);
        let on_lost = format!("echo $RINGLEADER_GROUP > {lost}");
        let mut running = Background::new(elect(&file, &["--on-lost", &on_lost], DEAF));
        let processes = [running.line(), running.line()];
        assert!(processes.iter().all(|process| is_alive(process)), "{processes:?}");
        fake.says(then);
        let (code, err) = running.end();
        assert_eq!(code, 76, "{err}");
        assert!(err.contains(why) && err.contains("KILL to process group") && err.contains("LOST"), "{err}");
        for process in processes {
            eventually("it is gone", || !is_alive(&process));
        }
        assert_eq!(std::fs::read_to_string(&lost).expect("it was run"), "main\n");
    }
}

#[test]
fn vanished_node_loses_leadership_with_its_grants() {
    let fake = Fake::new("b", Says::Leads { epoch: 1, valid_ms: 2000 });
    let file = config("elect-vanish.toml", "2s", &fake.address);
    // It ends properly when it is asked to.
    let polite = "trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    let mut running = Background::new(elect(&file, &[], &["sh", "-c", polite]));
    assert_eq!(running.line(), "ready");
    fake.says(Says::Nothing);
    assert_eq!(running.line(), "asked", "TERM comes first");
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert!(err.contains("the member does not extend it") && !err.contains("KILL to"), "{err}");
}

#[test]
fn signals_are_passed_on_to_the_command() {
    for signal in ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"] {
        let fake = Fake::new("b", LEADS);
        let file = config(&format!("elect-signal-{signal}.toml"), "2s", &fake.address);
        let line = format!("trap 'exit 42' {signal}; echo ready; while :; do sleep 0.1; done");
        let mut running = Background::new(elect(&file, &[], &["sh", "-c", &line]));
        assert_eq!(running.line(), "ready");
        running.signal(signal);
        assert_eq!(running.end().0, 42, "{signal}");
    }
}

#[test]
fn signals_end_the_waiting() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        let fake = Fake::new("b", Says::Follows);
        let file = config(&format!("elect-wait-{signal}.toml"), "2s", &fake.address);
        let running = Background::new(elect(&file, &[], &["true"]));
        // Once it asks, it also listens.
        eventually("it asks", || fake.asked() > 0);
        running.signal(signal);
        assert_eq!(running.end().0, code, "{signal}");
    }
}

#[test]
fn the_command_does_not_outlive_us() {
    let fake = Fake::new("b", LEADS);
    let file = config("elect-killed.toml", "2s", &fake.address);
    let mut running =
        Background::new(elect(&file, &[], &["sh", "-c", "echo $$; while :; do sleep 0.1; done"]));
    let process = running.line();
    assert!(is_alive(&process));
    running.signal("KILL");
    running.child.wait().expect("it is killed");
    eventually("the command is gone too", || !is_alive(&process));
}

#[test]
fn nothing_is_left_behind() {
    let ran = under("left", LEADS, &[], &["sh", "-c", "sleep 1000 & echo $!; exit 3"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("stopping what it left behind"), "{}", ran.err);
    let process = ran.out.trim().to_owned();
    eventually("it is gone", || !is_alive(&process));
}
