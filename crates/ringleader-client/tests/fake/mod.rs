//! A server that does what the test wants: on a Unix socket, with the stream of the real one, one table of
//! locks, and a record of all that it was asked, with the time.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// So long a test waits for what must come: on a busy machine everything takes its time.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// A server.
#[derive(Clone)]
pub(super) struct Fake {
    pub(super) path: PathBuf,
    state: Arc<Mutex<State>>,
}

/// A request that waits, or holds.
#[derive(Clone)]
struct Asked {
    session: String,
    rid: u64,
    id: Value,
    name: String,
    connection: usize,
}

#[derive(Default)]
struct State {
    name: String,
    valid_ms: u64,
    /// Hears everything and says nothing, as one that is stopped.
    mute: bool,
    /// What it says to operations instead of doing them.
    refuse: BTreeMap<String, String>,
    /// What it says to HTTP requests instead of anything else.
    http: Option<String>,
    /// Grants are made and not told.
    swallow: bool,
    sessions: BTreeSet<String>,
    next_session: u64,
    next_fence: u64,
    holders: BTreeMap<String, (Asked, u64)>,
    waiters: Vec<Asked>,
    connections: Vec<UnixStream>,
    record: Vec<(Instant, Value)>,
    watchers: Vec<UnixStream>,
}

impl Fake {
    /// One that promises 3 s.
    pub(super) fn new(folder: &Path, name: &str) -> Fake {
        let path = folder.join(format!("{name}.sock"));
        let listener = UnixListener::bind(&path).expect("a socket");
        let first = State { name: name.to_owned(), valid_ms: 3000, next_fence: 100, ..State::default() };
        let fake = Fake { path, state: Arc::new(Mutex::new(first)) };
        let server = fake.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                std::thread::spawn(move || server.serve(stream));
            }
        });
        fake
    }

    pub(super) fn url(&self) -> String {
        format!("unix:{}", self.path.display())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics")
    }

    pub(super) fn promises(&self, valid_ms: u64) -> &Fake {
        self.state().valid_ms = valid_ms;
        self
    }

    pub(super) fn mute(&self, mute: bool) {
        self.state().mute = mute;
    }

    pub(super) fn swallow_grants(&self, swallow: bool) {
        self.state().swallow = swallow;
    }

    pub(super) fn refuse(&self, op: &str, code: &str) -> &Fake {
        self.state().refuse.insert(op.to_owned(), code.to_owned());
        self
    }

    /// An HTTP answer to everything, from the status on.
    pub(super) fn only_says(&self, answer: &str) {
        self.state().http = Some(answer.to_owned());
    }

    /// Every connection is closed.
    pub(super) fn cut(&self) {
        for stream in &self.state().connections {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// As after a restart: no session is known.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.sessions.clear();
        state.holders.clear();
        state.waiters.clear();
    }

    /// Somebody else has this lock.
    pub(super) fn occupy(&self, name: &str) {
        let other = Asked {
            session: "other".into(),
            rid: 0,
            id: json!(0),
            name: name.into(),
            connection: usize::MAX,
        };
        let mut state = self.state();
        state.next_fence += 1;
        let fence = state.next_fence;
        state.holders.insert(name.to_owned(), (other, fence));
    }

    /// Whoever has it gives it back.
    pub(super) fn vacate(&self, name: &str) {
        let mut state = self.state();
        state.holders.remove(name);
        state.serve_next(name);
    }

    pub(super) fn is_held(&self, name: &str) -> bool {
        self.state().holders.contains_key(name)
    }

    pub(super) fn waiters(&self) -> usize {
        self.state().waiters.len()
    }

    /// What it was asked of this kind, and when.
    pub(super) fn asked(&self, op: &str) -> Vec<(Instant, Value)> {
        self.state().record.iter().filter(|(_, each)| each["op"] == op).cloned().collect()
    }

    /// Tells everybody who watches.
    pub(super) fn announce(&self, event: &str, fence: u64, value: &str) {
        let data = json!({ "event": event, "name": "x", "kind": "lock", "class": "normal",
            "state": if event == "granted" { "held" } else { "free" }, "fence": fence.to_string(), "value": value });
        for stream in &mut self.state().watchers {
            let _ = write!(stream, "data: {data}\n\n");
        }
    }

    pub(super) fn watchers(&self) -> usize {
        self.state().watchers.len()
    }

    fn serve(&self, stream: UnixStream) {
        let mut lines = BufReader::new(stream.try_clone().expect("a socket"));
        let mut stream = stream;
        let mut first = String::new();
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if first.is_empty() {
                first = line.clone();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        if let Some(answer) = self.state().http.clone() {
            let _ = write!(stream, "HTTP/1.1 {answer}");
            return;
        }
        if first.contains("/watch ") {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: hello\n\n";
            let _ = stream.write_all(head.as_bytes());
            self.state().watchers.push(stream);
            return;
        }
        let head = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ringleader/1\r\n\r\n";
        if stream.write_all(head.as_bytes()).is_err() {
            return;
        }
        let number = {
            let mut state = self.state();
            state.connections.push(stream);
            state.connections.len() - 1
        };
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap_or(0) > 0 {
            let question: Value = serde_json::from_str(&line).expect("a question is JSON");
            line.clear();
            self.state().hear(number, question);
        }
    }
}

impl State {
    fn say(&mut self, connection: usize, id: &Value, outcome: Value) {
        let mut reply = json!({ "id": id });
        reply.as_object_mut().expect("an object").extend(outcome.as_object().expect("an object").clone());
        if let Some(stream) = self.connections.get_mut(connection) {
            let _ = writeln!(stream, "{reply}");
        }
    }

    fn deny(&mut self, connection: usize, id: &Value, code: &str) {
        let refusal =
            json!({ "code": code, "message": format!("the test says {code}"), "certain": "a test" });
        self.say(connection, id, json!({ "error": refusal }));
    }

    fn grant(&mut self, asked: Asked, fence: u64) {
        if !self.swallow {
            let granted = json!({ "name": asked.name, "fence": fence.to_string(), "held_at": 0,
                "valid_ms": self.valid_ms });
            self.say(asked.connection, &asked.id.clone(), json!({ "granted": granted }));
        }
        self.holders.insert(asked.name.clone(), (asked, fence));
    }

    fn serve_next(&mut self, name: &str) {
        let next = self.waiters.iter().position(|waiter| waiter.name == name);
        if let (Some(next), false) = (next, self.holders.contains_key(name)) {
            let waiter = self.waiters.remove(next);
            self.next_fence += 1;
            self.grant(waiter, self.next_fence);
        }
    }

    fn free(&mut self, gone: impl Fn(&Asked) -> bool) {
        self.waiters.retain(|waiter| !gone(waiter));
        let free: Vec<String> = self
            .holders
            .iter()
            .filter(|(_, (holder, _))| gone(holder))
            .map(|(name, _)| name.clone())
            .collect();
        for name in free {
            self.holders.remove(&name);
            self.serve_next(&name);
        }
    }

    fn hear(&mut self, connection: usize, question: Value) {
        self.record.push((Instant::now(), question.clone()));
        if self.mute {
            return;
        }
        let (id, op) = (question["id"].clone(), question["op"].as_str().expect("an operation").to_owned());
        if let Some(code) = self.refuse.get(&op).cloned() {
            return self.deny(connection, &id, &code);
        }
        if op == "open" {
            self.next_session += 1;
            let session = format!("{:032x}", self.next_session);
            self.sessions.insert(session.clone());
            let opened = json!({ "session": session, "valid_ms": self.valid_ms, "drift_ppm": 5000,
                "server": self.name });
            return self.say(connection, &id, json!({ "opened": opened }));
        }
        let session = question["session"].as_str().expect("a session").to_owned();
        if !self.sessions.contains(&session) {
            return self.deny(connection, &id, "session_unknown");
        }
        match op.as_str() {
            "keepalive" => {
                let holders = self.holders.values().filter(|(holder, _)| holder.session == session);
                let holds = holders.map(|(holder, fence)| {
                    json!({ "rid": holder.rid, "state": "holds", "fence": fence.to_string() })
                });
                let waiters = self.waiters.iter().filter(|waiter| waiter.session == session);
                let waits = waiters.map(|waiter| json!({ "rid": waiter.rid, "state": "waits" }));
                let requests: Vec<Value> = holds.chain(waits).collect();
                let alive = json!({ "valid_ms": self.valid_ms, "requests": requests });
                self.say(connection, &id, json!({ "alive": alive }));
            }
            "close" => {
                self.sessions.remove(&session);
                self.free(|asked| asked.session == session);
                self.say(connection, &id, json!({ "done": {} }));
            }
            "cancel" => {
                self.free(|asked| asked.session == session && json!(asked.rid) == question["rid"]);
                self.say(connection, &id, json!({ "done": {} }));
            }
            "release" | "resign" => {
                let name = question["name"].as_str().expect("a name");
                let fits = |(holder, fence): &(Asked, u64)| {
                    holder.session == session && question["fence"] == json!(fence.to_string())
                };
                if self.holders.get(name).is_some_and(fits) {
                    self.free(|asked| asked.session == session && asked.name == name);
                    self.say(connection, &id, json!({ "done": {} }));
                } else {
                    self.deny(connection, &id, "not_holder");
                }
            }
            "acquire" | "campaign" => {
                let name = question["name"].as_str().expect("a name").to_owned();
                let rid = question["rid"].as_u64().expect("a number");
                let asked = Asked { session, rid, id: id.clone(), name: name.clone(), connection };
                let same = |other: &Asked| (&other.session, other.rid) == (&asked.session, asked.rid);
                match self.holders.get(&name).cloned() {
                    Some((holder, fence)) if same(&holder) => self.grant(asked, fence),
                    Some(_) if question["wait_ms"] == 0 => self.deny(connection, &id, "locked"),
                    Some(_) => {
                        self.waiters.retain(|waiter| !same(waiter));
                        self.waiters.push(asked);
                    }
                    None => {
                        self.next_fence += 1;
                        self.grant(asked, self.next_fence);
                    }
                }
            }
            other => panic!("what is `{other}`?"),
        }
    }
}

/// Waits for what must come.
#[track_caller]
pub(super) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
