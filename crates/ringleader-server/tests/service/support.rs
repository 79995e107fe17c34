//! A service in this process, and a client that can also misbehave.

use ringleader_live::Micros;
use ringleader_locks::Class;
use ringleader_net::config::Environment;
use ringleader_net::tls::{self, Identity};
use ringleader_server::config::{Config, Pace, Permission, Right, Rights, Secret, Token, Who, sha256};
use ringleader_server::embedded::Embedded;
use ringleader_server::local::{self, Plan};
use ringleader_server::reload::Source;
use ringleader_server::{Handle, Options, Service};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Nothing takes so long, unless it never happens.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The lease of a usual session.
pub(crate) const NORMAL_MS: u64 = 8000;

/// The token of `ci`, which may take locks that begin with `ci/` only.
pub(crate) const TOKEN: &str = "correct-horse-battery";

/// Waits for a condition.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

struct Running {
    handle: Handle,
    embedded: Embedded,
    thread: JoinHandle<Result<(), ringleader_net::Problem>>,
}

/// A service in this process.
pub(crate) struct Cluster {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) config: Config,
    pub(crate) options: Options,
    running: Vec<Option<Running>>,
}

impl Cluster {
    /// As many servers, all of which serve.
    pub(crate) fn new(servers: u16) -> Cluster {
        Cluster::with(servers, Options::default())
    }

    pub(crate) fn with(servers: u16, options: Options) -> Cluster {
        let mut cluster = Cluster::stopped(servers, options);
        for place in 0..servers {
            cluster.start(place);
        }
        for place in 0..servers {
            cluster.wait_ready(place);
        }
        cluster
    }

    /// The files, and nobody who runs.
    pub(crate) fn stopped(servers: u16, options: Options) -> Cluster {
        // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
        let mut short = tempfile::Builder::new();
        short.prefix("rl");
        let folder = short.tempdir_in("/dev/shm").or_else(|_| short.tempdir()).expect("there is room");
        // Long enough that nobody is given up because the machine has other things to do.
        let times = ringleader_locks::Times {
            leases: [Micros::millis(2000), Micros::millis(NORMAL_MS), Micros::millis(15_000)],
            ..ringleader_locks::Times::default()
        };
        let plan = Plan {
            program: "ringleader".into(),
            folder: folder.path().to_owned(),
            servers,
            cluster: "test".to_owned(),
            pace: Pace {
                times,
                suspect: Micros::millis(1500),
                heartbeat: Micros::millis(200),
                ..Pace::default()
            },
            classes: vec![("fast/".to_owned(), Class::Fast), ("batch/".to_owned(), Class::Batch)],
            drain: Duration::from_secs(2),
            etcd: false,
        };
        let (_, mut config) = local::make(plan).expect("a service can be made");
        config.tokens.push(Token { name: "ci".to_owned(), secret: Secret(sha256(TOKEN.as_bytes())) });
        config.permissions.push(Permission {
            who: Who::Token("ci".to_owned()),
            prefix: "ci/".to_owned(),
            allow: Rights::of(&[Right::Lock, Right::Observe]),
        });
        let running = (0..servers).map(|_| None).collect();
        let cluster = Cluster { folder, config, options, running };
        cluster.writes();
        cluster
    }

    /// Writes the configuration that the servers read when they start.
    pub(crate) fn writes(&self) {
        let file = self.folder.path().join("service.toml");
        std::fs::write(file, self.config.to_toml()).expect("there is room");
    }

    /// Waits until a server stops because it cannot go on, and gives what it says.
    pub(crate) fn stops(&mut self, place: u16) -> ringleader_net::Problem {
        let running = self.running[usize::from(place)].take().expect("it runs");
        until("it stops", || running.thread.is_finished().then_some(()));
        running.thread.join().expect("no panic").expect_err("it cannot go on")
    }

    /// The configuration as one server reads it.
    pub(crate) fn config_of(&self, place: u16) -> Config {
        let file = self.folder.path().join("service.toml");
        Config::read(&file, Some(self.config.name(place)), &Environment::empty()).expect("our own file")
    }

    pub(crate) fn start(&mut self, place: u16) {
        let config = self.config_of(place);
        let file = self.folder.path().join("service.toml");
        let source = Some(Source { file, environment: Environment::empty() });
        let options = Options { source, ..self.options.clone() };
        let service = Service::bind(&config, place, options).expect("the addresses are free");
        let handle = service.handle();
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            service.run(|embedded| {
                let _ = sender.send(embedded.clone());
            })
        });
        let embedded = receiver.recv_timeout(PATIENCE).expect("it starts");
        self.running[usize::from(place)] = Some(Running { handle, embedded, thread });
    }

    /// Asks a server to read its files again.
    pub(crate) fn reload(&self, place: u16) {
        self.running[usize::from(place)].as_ref().expect("it runs").handle.reload();
    }

    pub(crate) fn wait_ready(&self, place: u16) {
        until("a server that can grant", || (self.client(place).get("/readyz").0 == 200).then_some(()));
    }

    /// Asks a server to leave, and waits until it has.
    pub(crate) fn leave(&mut self, place: u16) {
        let running = self.running[usize::from(place)].take().expect("it runs");
        running.handle.leave();
        running.thread.join().expect("no panic").expect("it leaves in peace");
    }

    /// Stops a server as if it were killed: nobody is told.
    pub(crate) fn kill(&mut self, place: u16) {
        let running = self.running[usize::from(place)].take().expect("it runs");
        running.handle.stop();
        running.thread.join().expect("no panic").expect("it stops");
    }

    pub(crate) fn embedded(&self, place: u16) -> &Embedded {
        &self.running[usize::from(place)].as_ref().expect("it runs").embedded
    }

    /// Where clients of this machine find a server.
    pub(crate) fn socket(&self, place: u16) -> String {
        format!("unix:{}", self.folder.path().join(format!("{}.sock", self.config.name(place))).display())
    }

    /// Where the others find it.
    pub(crate) fn api(&self, place: u16) -> &str {
        &self.config.servers[usize::from(place)].api
    }

    /// A client of this machine.
    pub(crate) fn client(&self, place: u16) -> Client {
        let name = self.config.name(place);
        Client { way: Way::Socket(self.folder.path().join(format!("{name}.sock"))), token: None }
    }

    /// A client over TLS, with the certificate of this name, or none.
    pub(crate) fn tls(&self, place: u16, certificate: Option<&str>, token: Option<&str>) -> Client {
        let folder = self.folder.path();
        let read = |file: String| std::fs::read(folder.join(file)).expect("a certificate");
        let who = certificate.unwrap_or("client");
        let (authority, chain, key) =
            (read("ca.pem".into()), read(format!("{who}.pem")), read(format!("{who}.key")));
        let files: [(&str, &[u8]); 3] = [("ca", &authority), ("pem", &chain), ("key", &key)];
        let identity = Identity::from_pem("test", files).expect("our own certificates");
        let config = match certificate {
            Some(_) => tls::client(&identity).expect("they fit"),
            None => anonymous(&identity),
        };
        let server = &self.config.servers[usize::from(place)];
        let name = tls::server_name(&server.name, "test").expect("a name");
        Client { way: Way::Tls(config, server.api.clone(), name), token: token.map(str::to_owned) }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for running in self.running.drain(..).flatten() {
            running.handle.stop();
            let _ = running.thread.join();
        }
    }
}

fn anonymous(identity: &Identity) -> std::sync::Arc<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in &identity.authority {
        roots.add(certificate.clone()).expect("our own authority");
    }
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    std::sync::Arc::new(config)
}

/// How a client gets to a server.
#[derive(Clone)]
pub(crate) enum Way {
    Socket(PathBuf),
    Tls(std::sync::Arc<rustls::ClientConfig>, String, ServerName<'static>),
}

/// A client that knows HTTP, and can also misbehave.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) way: Way,
    pub(crate) token: Option<String>,
}

pub(crate) trait Both: Read + Write + Send {}
impl<T: Read + Write + Send> Both for T {}

impl Client {
    pub(crate) fn connect(&self) -> std::io::Result<Box<dyn Both>> {
        Ok(match &self.way {
            Way::Socket(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                Box::new(stream)
            }
            Way::Tls(config, address, name) => {
                let stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                let connection =
                    ClientConnection::new(config.clone(), name.clone()).map_err(std::io::Error::other)?;
                Box::new(StreamOwned::new(connection, stream))
            }
        })
    }

    /// Sends these bytes, and gives the number and the body of the answer.
    pub(crate) fn raw(&self, request: &[u8]) -> std::io::Result<(u16, Vec<u8>)> {
        let mut stream = self.connect()?;
        stream.write_all(request)?;
        stream.flush()?;
        let (code, length, mut reader) = head(stream)?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok((code, body))
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let token =
            self.token.as_ref().map_or_else(String::new, |it| format!("authorization: Bearer {it}\r\n"));
        let length = body.len();
        let request =
            format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{token}content-length: {length}\r\n\r\n{body}");
        match self.raw(request.as_bytes()) {
            Ok((code, body)) => (code, serde_json::from_slice(&body).unwrap_or(Value::Null)),
            Err(error) => (0, json!({ "code": error.to_string() })),
        }
    }

    /// What is told at a path; nothing if it is not told.
    pub(crate) fn text(&self, path: &str) -> Vec<u8> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        self.raw(request.as_bytes()).map(|(_, body)| body).unwrap_or_default()
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.call("GET", path, "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.call("POST", path, &body.to_string())
    }

    /// A session; waits until there can be one.
    pub(crate) fn session(&self, class: &str) -> String {
        until("a session", || {
            let (code, answer) = self.post("/v1/sessions", &json!({ "class": class, "meta": "test" }));
            if code != 201 {
                // Where everything is slow, a server may refuse what is new.
                assert!(matches!(code, 429 | 503), "{answer}");
                return None;
            }
            answer["session"].as_str().map(str::to_owned)
        })
    }

    pub(crate) fn keep_alive(&self, session: &str) -> (u16, Value) {
        self.post(&format!("/v1/sessions/{session}/keepalive"), &json!({}))
    }

    pub(crate) fn acquire(&self, name: &str, session: &str, rid: u64, wait_ms: u64) -> (u16, Value) {
        let body = json!({ "session": session, "rid": rid, "wait_ms": wait_ms });
        self.post(&format!("/v1/locks/{name}/acquire"), &body)
    }

    pub(crate) fn release(&self, name: &str, session: &str, fence: &str) -> (u16, Value) {
        self.post(&format!("/v1/locks/{name}/release"), &json!({ "session": session, "fence": fence }))
    }

    /// Takes a lock, however often it has to be asked for: a shard may be rebuilt. The session is kept alive meanwhile.
    pub(crate) fn holds(&self, name: &str, session: &str, rid: u64) -> String {
        let mut rid = rid;
        until("a grant", || {
            let (code, answer) = self.acquire(name, session, rid, 300);
            match code {
                200 => return answer["fence"].as_str().map(str::to_owned),
                // A wait that was withdrawn is asked for again by another number.
                408 => rid += 1_000_000,
                429 | 503 => {}
                _ => panic!("{code}: {answer}"),
            }
            self.keep_alive(session);
            None
        })
    }

    /// Takes a lock with a session of its own, however many it takes: where everything is slow, one may run out.
    pub(crate) fn takes(&self, name: &str, class: &str) -> (String, u64) {
        until("a grant", || {
            let session = self.session(class);
            let (code, answer) = self.acquire(name, &session, 1, 300);
            let fence = answer["fence"].as_str().filter(|_| code == 200)?;
            Some((session, fence.parse().expect("a fence")))
        })
    }

    /// A stream of questions and replies.
    pub(crate) fn stream(&self) -> Stream {
        let mut stream = self.connect().expect("it listens");
        let token =
            self.token.as_ref().map_or_else(String::new, |it| format!("authorization: Bearer {it}\r\n"));
        let request = format!(
            "GET /v1/stream HTTP/1.1\r\nhost: x\r\n{token}connection: upgrade\r\nupgrade: ringleader/1\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let (code, _, reader) = head(stream).expect("it answers");
        assert_eq!(code, 101);
        Stream { reader }
    }
}

/// The rest of a connection, after what was read of it.
type Rest = BufReader<Box<dyn Both>>;

/// The head of an answer: its number, the length of its body, and the rest.
fn head(stream: Box<dyn Both>) -> std::io::Result<(u16, usize, Rest)> {
    let mut reader = BufReader::new(stream);
    let (mut code, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            return Ok((code, length, reader));
        }
        if let Some(status) = line.strip_prefix("http/1.1 ") {
            code = status.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(0);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}

/// A stream of questions and replies.
pub(crate) struct Stream {
    reader: BufReader<Box<dyn Both>>,
}

impl Stream {
    pub(crate) fn send(&mut self, line: &str) {
        let stream = self.reader.get_mut();
        // In one piece: it is read at once.
        stream.write_all(format!("{line}\n").as_bytes()).expect("it reads");
        stream.flush().expect("it reads");
    }

    /// The next reply; none if it was closed.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => serde_json::from_str(&line).ok(),
        }
    }

    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        self.send(&question.to_string());
        self.next().expect("a reply")
    }
}

/// The lines of a file of events.
pub(crate) fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
