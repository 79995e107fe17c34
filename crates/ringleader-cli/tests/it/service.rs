//! A lock service of real processes on this machine, by the command line alone: taken, shown, given up, killed,
//! drained, examined.

use super::{json, ringleader, run};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(300);

/// A lock of the class with the longest lease: nobody loses it because the machine has other things to do.
const LOCK: &str = "batch/a b";

/// `ringleader up --service`, until the test is over.
struct Up {
    child: Child,
    /// What it tells people, line by line.
    err: Receiver<String>,
    servers: Value,
    config: String,
    _folder: tempfile::TempDir,
}

impl Up {
    fn new() -> Up {
        // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
        let folder =
            tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("there is room");
        let keep = folder.path().join("service").display().to_string();
        let mut command = ringleader(&["up", "--service", "--json", "--keep", &keep]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line when it serves");
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let config = ready["config"].as_str().expect("a file").to_owned();
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let (tell, err) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Up { child, err, servers: ready["servers"].clone(), config, _folder: folder }
    }

    /// A command of this service.
    fn asks(&self, words: &[&str], command: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        all.extend(["--config".to_owned(), self.config.clone()]);
        if !command.is_empty() {
            all.push("--".to_owned());
            all.extend(command.iter().map(|&word| word.to_owned()));
        }
        all
    }

    fn run(&self, words: &[&str], command: &[&str]) -> super::Ran {
        let all = self.asks(words, command);
        run(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn json(&self, words: &[&str]) -> Value {
        let all = self.asks(words, &[]);
        json(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Something in the background.
    fn spawn(&self, words: &[&str], command: &[&str]) -> Child {
        let all = self.asks(words, command);
        let mut command = ringleader(&all.iter().map(String::as_str).collect::<Vec<_>>());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().expect("the binary runs")
    }

    /// What `status` says of a server.
    fn status(&self, name: &str) -> Value {
        let all = self.json(&["status", "--json"]);
        let servers = all["servers"].as_array().cloned().unwrap_or_default();
        servers.into_iter().find(|server| server["server"] == name).unwrap_or_default()
    }

    /// The next line that it tells people.
    fn says(&self) -> String {
        self.err.recv_timeout(PATIENCE).expect("it says something")
    }

    fn pid(&self, name: &str) -> String {
        let servers = self.servers.as_array().cloned().unwrap_or_default();
        let server = servers.into_iter().find(|server| server["name"] == name).expect("one of three");
        server["pid"].to_string()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        signal("-TERM", &self.child.id().to_string());
        let _ = self.child.wait();
    }
}

fn signal(signal: &str, process: &str) {
    let _ = Command::new("kill").args([signal, process]).status();
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_service_on_this_machine() {
    let mut up = Up::new();
    locks(&up);
    leaders(&up);
    well(&up);
    killed(&up);
    drained(&mut up);
}

/// One holds it; others see that, and do not get it.
fn locks(up: &Up) {
    let mut holder = up
        .spawn(&["lock", LOCK, "--class", "batch"], &["sh", "-c", "echo $RINGLEADER_FENCE; exec sleep 300"]);
    let mut fence = String::new();
    let out = holder.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut fence).expect("the command runs");
    assert!(fence.trim_end().parse::<u64>().is_ok_and(|fence| fence > 0), "{fence}");
    let shown = up.json(&["locks", "--json"]);
    let lock = &shown["locks"][0];
    assert_eq!((&lock["name"], &lock["state"]), (&json!(LOCK), &json!("held")), "{shown}");
    assert_eq!(lock["fence"], fence.trim_end(), "{shown}");
    assert_eq!(up.run(&["lock", LOCK, "--try"], &["true"]).code, 75);
    assert_eq!(up.run(&["lock", LOCK, "--wait", "200ms"], &["true"]).code, 75);
    assert!(up.run(&["locks"], &[]).out.contains(LOCK));
    signal("-TERM", &holder.id().to_string());
    assert_eq!(holder.wait().expect("it ends").code(), Some(143), "the command's own end");
    // Free at once: it was given back, not left to run out.
    let next = up.run(&["lock", LOCK, "--try"], &["sh", "-c", "echo $RINGLEADER_FENCE"]);
    assert_eq!(next.code, 0, "{}", next.err);
    assert!(next.out.trim().parse::<u64>().ok() > fence.trim_end().parse().ok(), "fences grow");
    // A session can take locks of its own class and of longer ones.
    for (class, ttl, name, code) in
        [("fast", "500ms", "x", 0), ("batch", "10s", "batch/x", 0), ("batch", "10s", "x", 2)]
    {
        // Where everything is slow, half a second may be over before the command is.
        until(name, || {
            let ran = up.run(&["lock", name, "--class", class, "--ttl", ttl], &["true"]);
            assert!([code, 76].contains(&ran.code), "{class} {name}: {} {}", ran.code, ran.err);
            ran.code == code
        });
    }
}

/// Who leads is seen, and may give up.
fn leaders(up: &Up) {
    let program = env!("CARGO_BIN_EXE_ringleader");
    let line = format!("{program} resign primary --config {} && exec sleep 300", up.config);
    let mut leader =
        up.spawn(&["elect", "primary", "--value", "here:80"], &["sh", "-c", "echo up; sleep 300"]);
    let mut said = String::new();
    BufReader::new(leader.stdout.take().expect("a pipe")).read_line(&mut said).expect("it leads");
    let seen = up.json(&["observe", "primary", "--once", "--json"]);
    assert_eq!(seen["value"], "here:80", "{seen}");
    signal("-TERM", &leader.id().to_string());
    let _ = leader.wait();
    let resigned = up.run(&["elect", "primary"], &["sh", "-c", &line]);
    assert_eq!(resigned.code, 76, "who gave up leads no longer: {}", resigned.err);
    assert!(resigned.err.contains("given up, fence"), "{}", resigned.err);
}

/// Nothing is wrong, and `doctor` finds that.
fn well(up: &Up) {
    let mut found = Value::Null;
    // Where everything is slow, one of them may answer too late; sooner or later nobody does.
    until("nothing is wrong", || {
        let ran = up.run(&["doctor", "--name", "a", "--json"], &[]);
        found = serde_json::from_str(&ran.out).expect("an object");
        ran.code == 0
    });
    assert_eq!((&found["cluster"], &found["well"]), (&json!("local"), &json!(true)), "{found}");
    let text = found["findings"].to_string();
    for words in ["lock service local: 3 servers, 2 are a majority", "a runs", "its certificate is its own"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let members = up.json(&["members", "--json"]);
    assert_eq!(members["members"].as_array().map(Vec::len), Some(3), "{members}");
}

/// A server is killed: the others go on, and it is started again.
fn killed(up: &Up) {
    let before = up.status("b")["status"]["incarnation"].clone();
    signal("-KILL", &up.pid("b"));
    let line = up.says();
    assert!(line.contains("server b has ended") && line.contains("started again"), "{line}");
    assert_eq!(up.run(&["lock", "y"], &["true"]).code, 0, "two of three are enough");
    until("b is a member again", || {
        let status = &up.status("b")["status"];
        status["joined"] == true && status["incarnation"] != before
    });
}

/// A server leaves because somebody wants it to, and a command that runs under a lock of it goes on. Doctor says who is
/// missing.
fn drained(up: &mut Up) {
    let mut holder = up
        .spawn(&["lock", LOCK, "--class", "batch"], &["sh", "-c", "echo $RINGLEADER_FENCE; exec sleep 300"]);
    let mut fence = String::new();
    BufReader::new(holder.stdout.take().expect("a pipe")).read_line(&mut fence).expect("it runs");
    let held = |up: &Up| {
        let shown = up.json(&["locks", "--json"]);
        let locks = shown["locks"].as_array().cloned().unwrap_or_default();
        locks.into_iter().find(|lock| lock["name"] == LOCK && lock["state"] == "held")
    };
    let before = held(up).expect("it is held");
    let server = before["owner_server"].as_str().expect("a server").to_owned();
    let drained = up.run(&["members", "drain", &server], &[]);
    assert_eq!(drained.code, 0, "{}", drained.err);
    until("it is out", || up.status(&server)["status"]["joined"] == false);
    signal("-TERM", &up.pid(&server));
    assert!(up.says().contains(&format!("server {server} has left; it comes back with:")));
    assert!(up.says().contains("node --config"));
    let other = if server == "a" { "b" } else { "a" };
    let found = up.run(&["doctor", "--name", other, "--peer", &server], &[]);
    assert_eq!(found.code, 4, "{}", found.out);
    assert!(found.out.contains(&format!("{server} does not answer at")), "{}", found.out);
    assert_eq!(up.run(&["lock", "y"], &["true"]).code, 0);
    let after = held(up).expect("it is held");
    assert_eq!(after["fence"], fence.trim_end());
    assert_ne!(after["owner_server"], before["owner_server"]);
    signal("-TERM", &holder.id().to_string());
    assert_eq!(holder.wait().expect("it ends").code(), Some(143), "the command's own end");
    signal("-TERM", &up.child.id().to_string());
    assert_eq!(up.child.wait().expect("it ends").code(), Some(0));
    assert_eq!(up.err.iter().collect::<Vec<String>>(), [""; 0], "nothing went wrong");
}

/// A server that gives the same answer to every question, at this socket.
fn always(socket: &Path, answer: &'static str) {
    let listener = UnixListener::bind(socket).expect("a free name");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = BufReader::new(stream.try_clone().expect("a socket")).lines();
            while request.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let _ = stream.write_all(answer.as_bytes());
        }
    });
}

/// The answer with this status and body.
macro_rules! http {
    ($status:literal, $body:literal) => {
        concat!("HTTP/1.1 ", $status, "\r\nconnection: close\r\n\r\n", $body)
    };
}

/// A server whose folder was lost is the one that is to be added; it may be the first in the file.
#[test]
fn members_asks_on_where_a_server_knows_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = |case: &str| {
        let mut text = "schema = 'ringleader.service/1'\ncluster = 'demo'\ndata = 'data/{name}'\n\
                        [plain]\nallowed = true\n"
            .to_owned();
        for (place, name) in ["a", "b", "c"].into_iter().enumerate() {
            let (mesh, api) = (7431 + 2 * place, 7432 + 2 * place);
            text += &format!("[[server]]\nname = '{name}'\naddress = '127.0.0.1:{mesh}'\n");
            text += &format!("api = '127.0.0.1:{api}'\nsocket = '{case}-{name}.sock'\n");
        }
        let path = folder.path().join(format!("{case}.toml"));
        std::fs::write(&path, text).expect("there is room");
        path.display().to_string()
    };
    // Whoever has no answer closes the connection.
    let answers = |case: &str, answers: [&'static str; 3]| {
        for (name, answer) in ["a", "b", "c"].into_iter().zip(answers) {
            always(&folder.path().join(format!("{case}-{name}.sock")), answer);
        }
        file(case)
    };
    const LOST: &str = http!(
        "503 Service Unavailable",
        r#"{"code":"no_lease","message":"no leader is known","certain":"nothing was changed"}"#
    );
    let config = answers("done", [LOST, "", http!("204 No Content", "")]);
    let done = run(&["members", "add", "a", "--config", &config]);
    assert_eq!((done.code, done.err.trim_end()), (0, "a has a vote"));

    let config = answers("vain", [LOST, "", ""]);
    let vain = run(&["members", "add", "a", "--config", &config]);
    assert_eq!(vain.code, 4);
    assert!(vain.err.contains("no leader is known"), "{}", vain.err);

    let empty = http!("200 OK", r#"{"epoch":0,"server":"a","members":[]}"#);
    let full = http!("200 OK", r#"{"epoch":7,"server":"c","members":[]}"#);
    let list = json(&["members", "--json", "--config", &answers("list", [empty, "", full])]);
    assert_eq!(list["epoch"], 7);
}
