//! A command runs under a lock, and not a moment longer: exit codes, signals, everything that it started.
//! All against a server that does what the test wants; real ones are in `tests/network`.

#[expect(dead_code, reason = "the tests of the client use the rest")]
#[path = "../../../ringleader-client/tests/fake/mod.rs"]
mod server;

use super::{Ran, ran, ringleader, run};
use server::{Fake, eventually};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

pub(super) struct Place {
    folder: tempfile::TempDir,
    server: Fake,
}

impl Place {
    /// A server that promises so many milliseconds.
    pub(super) fn new(valid_ms: u64) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Fake::new(folder.path(), "a");
        server.promises(valid_ms);
        Place { folder, server }
    }

    pub(super) fn url(&self) -> String {
        self.server.url()
    }

    pub(super) fn is_held(&self) -> bool {
        self.server.is_held("nightly")
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn lock(&self, more: &[&str], command: &[&str]) -> Command {
        self.asks("lock", more, command)
    }

    fn asks(&self, what: &str, more: &[&str], command: &[&str]) -> Command {
        let url = self.server.url();
        let mut all = vec![what, "nightly", "--server", &url];
        all.extend(more);
        all.push("--");
        all.extend(command);
        let mut command = ringleader(&all);
        command.env_remove("RINGLEADER_TOKEN").env_remove("RINGLEADER_CONFIG");
        command
    }

    fn under(&self, more: &[&str], command: &[&str]) -> Ran {
        ran(self.lock(more, command).output().expect("the binary runs"))
    }
}

/// One that runs in the background, with the lines of its stdout.
struct Background {
    child: Child,
    lines: BufReader<ChildStdout>,
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

/// Whether a process does anything still. What has ended and was not collected does not.
fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// A shell and what it started, both deaf to TERM; it tells the number of each, its own first.
const DEAF: &[&str] =
    &["sh", "-c", "trap '' TERM; echo $$; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait"];

/// Deaf to TERM, it writes the seconds since the machine was started, again and again; the last is when it
/// died.
const WRITER: &str =
    "trap '' TERM; echo $$; while :; do cut -d' ' -f1 /proc/uptime > $0.new; mv $0.new $0; sleep 0.01; done";

/// Milliseconds since the machine was started, as [`WRITER`] sees them.
fn uptime_ms(text: &str) -> u64 {
    let first = text.split_whitespace().next().unwrap_or("0");
    (first.parse::<f64>().unwrap_or(0.0) * 1000.0) as u64
}

fn now_ms() -> u64 {
    uptime_ms(&std::fs::read_to_string("/proc/uptime").expect("Linux"))
}

fn last_sign(path: &str) -> u64 {
    uptime_ms(&std::fs::read_to_string(path).expect("it has written"))
}

#[test]
fn exit_code_is_the_commands_and_lock_is_released() {
    let place = Place::new(30_000);
    for (command, code) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["no-such-command-anywhere"], 127),
        (&["/"], 126),
    ] {
        let ran = place.under(&[], command);
        assert_eq!(ran.code, code, "{command:?}: {}", ran.err);
        assert!(!place.server.is_held("nightly"), "{command:?}");
    }
    assert_eq!(place.server.asked("release").len(), 5);
}

#[test]
fn the_command_knows_for_what_it_runs() {
    let place = Place::new(30_000);
    let show = "echo $RINGLEADER_LOCK $RINGLEADER_NAME $RINGLEADER_FENCE ${#RINGLEADER_SESSION} \
                $(( RINGLEADER_DEADLINE_MS > 1000 ))";
    let ran = place.under(&["--value", "10.0.0.1"], &["sh", "-c", show]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "nightly nightly 101 32 1\n"), "{}", ran.err);
    assert_eq!(place.server.asked("acquire")[0].1["value"], "10.0.0.1");
    for words in
        ["lock nightly: held, fencing token 101, lease 2", "released after", "the command exited with 0"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    let ran = place.under(&["--json"], &["echo", "data"]);
    assert_eq!(ran.out, "data\n", "stdout is the command's");
    let events: Vec<serde_json::Value> =
        ran.err.lines().map(|line| serde_json::from_str(line).expect("JSON Lines on stderr")).collect();
    let names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(names, ["holds", "released", "ended"]);
    assert!(events.iter().all(|event| event["schema"] == "ringleader.lock/1"));
    assert_eq!((&events[0]["fence"], &events[2]["exit"]), (&"102".into(), &0.into()));
    assert_eq!(place.under(&["-q"], &["true"]).err, "");
}

#[test]
fn command_does_not_run_without_the_lock() {
    let place = Place::new(30_000);
    let touched = place.path("touched");
    place.server.occupy("nightly");
    for more in [&["--try"][..], &["--wait", "50ms"]] {
        let ran = place.under(more, &["touch", &touched]);
        assert_eq!(ran.code, 75, "{more:?}: {}", ran.err);
    }
    eventually("it is withdrawn", || place.server.waiters() == 0);
    assert!(!Path::new(&touched).exists());
    place.server.refuse("acquire", "forbidden");
    let ran = place.under(&[], &["touch", &touched]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(
        ran.err.contains("ringleader::forbidden") && ran.err.contains("what is certain: a test"),
        "{}",
        ran.err
    );
    assert!(!Path::new(&touched).exists());
}

#[test]
fn impossible_request_is_refused_before_running() {
    let place = Place::new(1000);
    for (args, code, expected) in [
        (&["lock", "x"][..], 2, "ringleader lock x -- ./backup.sh"),
        (&["elect", "x", "--server", "unix:none"], 2, "ringleader elect x -- ./backup.sh"),
        (&["lock", "x", "--server", "http://a:1", "--", "true"], 2, "plain text"),
        (&["lock", "x", "--config", "no-such.toml", "--", "true"], 2, "up --service"),
        (&["lock", "x", "--server", "https://127.0.0.1:1", "--", "true"], 4, "authority"),
        (&["lock", "x", "--try", "--wait", "1s", "--", "true"], 2, "--wait"),
        (&["lock", "x", "--wait", "30", "--", "true"], 2, "which has no unit"),
        (&["lock", "x", "--class", "slow", "--", "true"], 2, "fast"),
        (&["fence", "check", "0", "--last", "1"], 2, "no fencing number"),
        (&["fence", "proxy", "--upstream", "ftp://a"], 2, "http://127.0.0.1:9000"),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    for (more, expected) in [
        (&["--grace", "900ms"][..], "more than half of the lease"),
        (&["--grace", "100ms", "--kill-before", "200ms"], "KILL would come before TERM"),
    ] {
        let ran = place.under(more, &["true"]);
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{more:?}: {}", ran.err);
    }
    let absent = format!("unix:{}", place.path("absent"));
    let ran = run(&["lock", "x", "--server", &absent, "--", "true"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("absent does not answer"), "{}", ran.err);
}

#[test]
fn a_command_goes_on_while_the_lease_is_renewed() {
    let place = Place::new(6000);
    let ran = place.under(&[], &["sleep", "7"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(place.server.asked("keepalive").len() > 2);
}

#[test]
fn command_dies_before_lease_ends_without_server() {
    let place = Place::new(6000);
    let (sign, lost) = (place.path("sign"), place.path("lost"));
    let on_lost = format!("echo $RINGLEADER_FENCE > {lost}");
    let mut running = Background::new(place.lock(&["--on-lost", &on_lost], &["sh", "-c", WRITER, &sign]));
    let process = running.line();
    eventually("it has written", || Path::new(&sign).exists());
    // What the server answered before this moment is good for 6 s at most.
    place.server.mute(true);
    let ends = now_ms() + 6000;
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert!(!is_alive(&process));
    assert!(last_sign(&sign) < ends, "{} {ends} {err}", last_sign(&sign));
    for words in [
        "stopping the command (TERM to process group",
        "KILL to process group",
        "LOST",
        "token 101 is now stale",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert_eq!(std::fs::read_to_string(&lost).expect("it was run"), "101\n");
}

#[test]
fn children_stop_too_when_lock_is_lost() {
    let place = Place::new(6000);
    let mut running = Background::new(place.lock(&[], DEAF));
    let processes = [running.line(), running.line()];
    assert!(processes.iter().all(|process| is_alive(process)), "{processes:?}");
    place.server.forget();
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert!(err.contains("its server says so"), "{err}");
    for process in processes {
        eventually("it is gone", || !is_alive(&process));
    }
}

#[test]
fn command_dies_before_lease_ends_if_we_are_paused() {
    let place = Place::new(6000);
    let sign = place.path("sign");
    let mut running = Background::new(place.lock(&[], &["sh", "-c", WRITER, &sign]));
    let process = running.line();
    eventually("it has written", || Path::new(&sign).exists());
    running.signal("STOP");
    let ends = now_ms() + 6000;
    eventually("somebody else has stopped it", || !is_alive(&process));
    assert!(last_sign(&sign) < ends, "{} {ends}", last_sign(&sign));
    running.signal("CONT");
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert!(err.contains("LOST"), "{err}");
}

/// The warden of a command: the other child of whoever runs it.
fn warden_of(running: &Background) -> String {
    let parent = running.child.id();
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).expect("Linux");
    let is_warden = |process: &&str| {
        std::fs::read_to_string(format!("/proc/{process}/cmdline"))
            .is_ok_and(|line| line.contains("lease-warden"))
    };
    children.split_whitespace().find(is_warden).expect("it has one").to_owned()
}

#[test]
fn killed_or_paused_warden_changes_nothing() {
    let place = Place::new(6000);
    for signal in ["KILL", "STOP"] {
        // Longer than a lease: it is extended meanwhile, and the end is the command's own.
        let mut running = Background::new(place.lock(&[], &["sh", "-c", "echo up; sleep 7; exit 7"]));
        assert_eq!(running.line(), "up");
        kill(signal, &warden_of(&running));
        let (code, err) = running.end();
        assert_eq!(code, 7, "{signal}: {err}");
    }
    assert!(!place.server.is_held("nightly"));
}

#[test]
fn command_and_children_do_not_outlive_us() {
    let place = Place::new(30_000);
    let mut running = Background::new(place.lock(&[], DEAF));
    let processes = [running.line(), running.line()];
    assert!(processes.iter().all(|process| is_alive(process)), "{processes:?}");
    running.signal("KILL");
    running.child.wait().expect("it is killed");
    for process in processes {
        eventually("it is gone too", || !is_alive(&process));
    }
}

#[test]
fn signals_are_passed_on_to_the_command() {
    let place = Place::new(30_000);
    for signal in ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"] {
        let line = format!("trap 'exit 42' {signal}; echo ready; while :; do sleep 0.05; done");
        let mut running = Background::new(place.lock(&[], &["sh", "-c", &line]));
        assert_eq!(running.line(), "ready");
        running.signal(signal);
        assert_eq!(running.end().0, 42, "{signal}");
    }
}

/// It tells its number, and that it was asked to end.
const POLITE: &str = "trap 'echo asked > $0; exit 3' TERM; echo $$; while :; do sleep 1; done";

#[test]
fn stopped_command_is_asked_to_end_and_does() {
    let place = Place::new(30_000);
    let asked = place.path("asked");
    let mut running = Background::new(place.lock(&[], &["sh", "-c", POLITE, &asked]));
    let group = running.line();
    kill("STOP", &format!("-{group}"));
    running.signal("TERM");
    let (code, err) = running.end();
    assert_eq!(code, 3, "{err}");
    assert_eq!(std::fs::read_to_string(&asked).expect("it was asked"), "asked\n");
    assert!(!place.server.is_held("nightly"));
}

#[test]
fn suspended_command_dies_in_time() {
    let place = Place::new(60_000);
    let asked = place.path("asked");
    // Long between TERM and KILL: it has time to answer, however slow the machine is.
    let mut running = Background::new(place.lock(&["--grace", "30s"], &["sh", "-c", POLITE, &asked]));
    let group = running.line();
    kill("STOP", &format!("-{group}"));
    place.server.forget();
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert_eq!(std::fs::read_to_string(&asked).expect("it was asked"), "asked\n", "{err}");
    assert!(!is_alive(&group));
    // Deaf as well as stopped: KILL ends it.
    let place = Place::new(60_000);
    let mut running = Background::new(place.lock(&["--grace", "500ms"], DEAF));
    let group = running.line();
    kill("STOP", &format!("-{group}"));
    place.server.forget();
    let (code, err) = running.end();
    assert_eq!(code, 76, "{err}");
    assert!(!is_alive(&group));
}

#[test]
fn signal_withdraws_the_wait() {
    let place = Place::new(30_000);
    place.server.occupy("nightly");
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        let running = Background::new(place.lock(&[], &["true"]));
        eventually("it waits", || place.server.waiters() == 1);
        running.signal(signal);
        assert_eq!(running.end().0, code, "{signal}");
        eventually("it is withdrawn", || place.server.waiters() == 0);
    }
    // Also before there is any server.
    let silent = Place::new(1000);
    silent.server.mute(true);
    let running = Background::new(silent.lock(&[], &["true"]));
    eventually("it asks", || !silent.server.asked("open").is_empty());
    running.signal("TERM");
    assert_eq!(running.end().0, 143);
}

#[test]
fn who_leads_says_so_and_runs_its_hooks() {
    let place = Place::new(30_000);
    let gained = place.path("gained");
    let on_gain = format!("echo $RINGLEADER_ELECTION $RINGLEADER_FENCE > {gained}");
    let more = ["--priority", "7", "--value", "b:80", "--on-gain", &on_gain];
    let ran = ran(place.asks("elect", &more, &["cat", &gained]).output().expect("the binary runs"));
    assert_eq!((ran.code, ran.out.as_str()), (0, "nightly 101\n"), "{}", ran.err);
    let campaign = place.server.asked("campaign")[0].1.clone();
    assert_eq!((&campaign["priority"], &campaign["value"]), (&7.into(), &"b:80".into()));
    assert!(ran.err.contains("elect nightly: leads, fencing token 101"), "{}", ran.err);
    assert_eq!(place.server.asked("resign").len(), 1);
    // A hook that fails is a reason not to go on.
    let failed =
        super::ran(place.asks("elect", &["--on-gain", "exit 9"], &["true"]).output().expect("it runs"));
    assert_eq!(failed.code, 9, "{}", failed.err);
}

#[test]
fn changes_are_printed_one_line_each() {
    let place = Place::new(30_000);
    let url = place.server.url();
    let mut running = Background::new(ringleader(&["observe", "x", "--lock", "--server", &url, "--json"]));
    eventually("it watches", || place.server.watchers() == 1);
    place.server.announce("granted", 5, "me");
    let seen: serde_json::Value = serde_json::from_str(&running.line()).expect("JSON");
    assert_eq!(seen["schema"], "ringleader.observe/1");
    assert_eq!(
        (&seen["event"], &seen["fence"], &seen["value"]),
        (&"granted".into(), &"5".into(), &"me".into())
    );
    running.signal("TERM");
    assert_eq!(running.end().0, 0);
}

#[test]
fn a_script_refuses_what_is_stale() {
    let place = Place::new(1000);
    let last = place.path("last");
    for (fence, code) in [("100", 0), ("100", 0), ("99", 1), ("101", 0), ("100", 1)] {
        let ran = run(&["fence", "check", fence, "--last", &last]);
        assert_eq!(ran.code, code, "{fence}: {}", ran.err);
        assert_eq!(ran.err.contains("stale"), code == 1, "{}", ran.err);
    }
    assert_eq!(run(&["fence", "check", "5", "--last", "5"]).code, 0);
    assert_eq!(run(&["fence", "check", "4", "--last", "5"]).code, 1);
    std::fs::write(&last, "no number").expect("a file");
    let ran = run(&["fence", "check", "500", "--last", &last]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("do not write"), "{}", ran.err);
}
