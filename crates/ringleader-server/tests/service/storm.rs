//! Many strangers at once, of every bad kind, from one host; and clients and servers on other hosts, which must not
//! notice. Everything here is one machine: a host is an address of the loopback.

use crate::process::{Log, Manner, Servers};
use crate::support::{Client, TOKEN, Way, until};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;

/// Where the strangers come from.
const ELSEWHERE: [u8; 4] = [127, 0, 0, 66];

/// A stranger that is not cut off goes away after so long, and comes back.
const STAYS: Duration = Duration::from_secs(30);

/// What strangers do.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Silence,
    HalfHandshake,
    NoRequest,
    SlowHead,
    SlowBody,
    LargeBody,
    WrongToken,
    Garbage,
    SlowReader,
    UpgradeWithoutToken,
    PeerSilence,
    PeerHalfHandshake,
    PeerGarbage,
    PeerWrongCertificate,
}

const KINDS: [Kind; 14] = [
    Kind::Silence,
    Kind::HalfHandshake,
    Kind::NoRequest,
    Kind::SlowHead,
    Kind::SlowBody,
    Kind::LargeBody,
    Kind::WrongToken,
    Kind::Garbage,
    Kind::SlowReader,
    Kind::UpgradeWithoutToken,
    Kind::PeerSilence,
    Kind::PeerHalfHandshake,
    Kind::PeerGarbage,
    Kind::PeerWrongCertificate,
];

/// A server, as strangers see it.
#[derive(Clone)]
struct Target {
    api: SocketAddr,
    peer: SocketAddr,
    name: ServerName<'static>,
    anonymous: TlsConnector,
    /// With the certificate of a client.
    certified: TlsConnector,
}

impl Target {
    fn of(servers: &Servers, place: u16) -> Target {
        let parts = |certificate| match servers.cluster.tls(place, certificate, None).way {
            Way::Tls(config, _, name) => (config, name),
            Way::Socket(_) => unreachable!("TLS was asked for"),
        };
        let (anonymous, name): (Arc<ClientConfig>, _) = parts(None);
        let (certified, _) = parts(Some("client"));
        let server = &servers.cluster.config.servers[usize::from(place)];
        Target {
            api: server.api.parse().expect("an address"),
            peer: server.peer.parse().expect("an address"),
            name,
            anonymous: anonymous.into(),
            certified: certified.into(),
        }
    }

    async fn tls(&self) -> io::Result<impl AsyncRead + AsyncWrite + Unpin> {
        self.anonymous.connect(self.name.clone(), connect(self.api).await?).await
    }
}

async fn connect(to: SocketAddr) -> io::Result<tokio::net::TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((ELSEWHERE, 0).into())?;
    socket.connect(to).await
}

/// Reads until the other side has enough.
async fn drain(mut stream: impl AsyncRead + Unpin) -> io::Result<()> {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

/// Writes a byte at a time until the other side has enough.
async fn dribble(stream: impl AsyncRead + AsyncWrite) -> io::Result<()> {
    let (reader, mut writer) = tokio::io::split(stream);
    let writes = async {
        loop {
            writer.write_all(b"x").await?;
            writer.flush().await?;
            sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::select! {
        done = drain(reader) => done,
        done = writes => done,
    }
}

async fn misbehave(kind: Kind, target: &Target) -> io::Result<()> {
    match kind {
        Kind::Silence => drain(connect(target.api).await?).await,
        Kind::PeerSilence => drain(connect(target.peer).await?).await,
        Kind::HalfHandshake | Kind::PeerHalfHandshake => {
            let to = if matches!(kind, Kind::HalfHandshake) { target.api } else { target.peer };
            let mut stream = connect(to).await?;
            // The first bytes of a greeting of 512 bytes.
            stream.write_all(&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).await?;
            drain(stream).await
        }
        Kind::Garbage | Kind::PeerGarbage => {
            let to = if matches!(kind, Kind::Garbage) { target.api } else { target.peer };
            let mut stream = connect(to).await?;
            stream.write_all(&[0xa5; 300]).await?;
            drain(stream).await
        }
        Kind::PeerWrongCertificate => {
            let stream = connect(target.peer).await?;
            drain(target.certified.connect(target.name.clone(), stream).await?).await
        }
        Kind::NoRequest => drain(target.tls().await?).await,
        Kind::SlowHead => {
            let mut stream = target.tls().await?;
            stream.write_all(b"GET /v1/status HTTP/1.1\r\nhost: x\r\nx: ").await?;
            dribble(stream).await
        }
        Kind::SlowBody => {
            let mut stream = target.tls().await?;
            let head = b"POST /v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n";
            stream.write_all(head).await?;
            dribble(stream).await
        }
        Kind::LargeBody => {
            let mut stream = target.tls().await?;
            let head = format!(
                "POST /v1/sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\
                 content-length: 100000000\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await?;
            loop {
                stream.write_all(&[b' '; 16_384]).await?;
            }
        }
        Kind::WrongToken => {
            let mut stream = target.tls().await?;
            let head =
                b"GET /v1/status HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wrong-wrong-wrong\r\n\r\n";
            stream.write_all(head).await?;
            drain(stream).await
        }
        Kind::SlowReader => {
            // It asks, and never reads the answer; its own buffer is smaller than that.
            let socket = TcpSocket::new_v4()?;
            socket.set_recv_buffer_size(4096)?;
            socket.bind((ELSEWHERE, 0).into())?;
            let stream = socket.connect(target.api).await?;
            let mut stream = target.anonymous.connect(target.name.clone(), stream).await?;
            let head = format!("GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.flush().await?;
            sleep(STAYS).await;
            Ok(())
        }
        Kind::UpgradeWithoutToken => {
            let mut stream = target.tls().await?;
            let head =
                b"GET /v1/stream HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ringleader/1\r\n\r\n";
            stream.write_all(head).await?;
            drain(stream).await
        }
    }
}

/// Strangers that go on until this is dropped.
struct Storm {
    going: Arc<AtomicBool>,
    connected: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Storm {
    /// So many connections of these kinds, spread over the servers; each that ends begins again.
    fn begin(servers: &Servers, count: usize, kinds: &'static [Kind]) -> Storm {
        let targets: Vec<Target> = (0..servers.cluster.config.servers.len())
            .map(|place| Target::of(servers, place as u16))
            .collect();
        let (going, connected) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
        let (goes, counts) = (Arc::clone(&going), Arc::clone(&connected));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
            runtime.block_on(async {
                for number in 0..count {
                    let kind = kinds[number % kinds.len()];
                    let target = targets[number / kinds.len() % targets.len()].clone();
                    let counts = Arc::clone(&counts);
                    tokio::spawn(async move {
                        loop {
                            counts.fetch_add(1, Ordering::Relaxed);
                            let _ = timeout(STAYS, misbehave(kind, &target)).await;
                            sleep(Duration::from_millis(500 + (number % 500) as u64)).await;
                        }
                    });
                    if number % 50 == 0 {
                        sleep(Duration::from_millis(10)).await;
                    }
                }
                while goes.load(Ordering::Relaxed) {
                    sleep(Duration::from_millis(10)).await;
                }
            });
        });
        let storm = Storm { going, connected, thread: Some(thread) };
        until("all strangers have come", || (storm.connected() >= count).then_some(()));
        storm
    }

    /// How many connections were begun.
    fn connected(&self) -> usize {
        self.connected.load(Ordering::Relaxed)
    }
}

impl Drop for Storm {
    fn drop(&mut self) {
        self.going.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What clients saw.
#[derive(Default)]
struct Seen {
    took: Vec<Duration>,
    /// No answer, or one that a stranger would get.
    refused: Vec<(u16, Value)>,
    /// Answers that ask to wait: the server is behind, or has no lease at this moment.
    later: usize,
}

impl Seen {
    /// Calls, again as long as the server asks to wait: a machine that is busy with other things pauses servers.
    fn adds(&mut self, call: impl Fn() -> (u16, Value)) -> Option<Value> {
        let begun = Instant::now();
        until("an answer", || {
            let (code, answer) = call();
            let is_behind = answer["message"].as_str().is_some_and(|message| message.contains("is behind"));
            match code {
                200..=299 => {
                    self.took.push(begun.elapsed());
                    return Some(Some(answer));
                }
                429 if is_behind => self.later += 1,
                503 => self.later += 1,
                // The session ended while everything was slow.
                408 | 410 => {
                    self.later += 1;
                    return Some(None);
                }
                _ => {
                    self.refused.push((code, answer));
                    return Some(None);
                }
            }
            None
        })
    }

    fn figures(&mut self) -> String {
        self.took.sort_unstable();
        let at = |part: usize| self.took.get(self.took.len() * part / 100).copied().unwrap_or_default();
        format!("{:.1?} p50, {:.1?} p99 of {}, {} told to wait", at(50), at(99), self.took.len(), self.later)
    }
}

/// A client at each server by TLS and one at its socket, which use locks so many times, with a new connection for each
/// call.
fn work(servers: &Servers, rounds: usize) -> Seen {
    let clients: Vec<Client> = (0..servers.cluster.config.servers.len() as u16)
        .flat_map(|place| {
            let token = servers.cluster.tls(place, None, Some(TOKEN));
            [servers.client(place), servers.cluster.tls(place, Some("client"), None), token]
        })
        .collect();
    let threads = clients.into_iter().enumerate().map(|(number, client)| {
        std::thread::spawn(move || {
            let mut seen = Seen::default();
            for round in 0..rounds as u64 {
                let Some(opened) = seen.adds(|| client.post("/v1/sessions", &json!({}))) else { continue };
                let session = opened["session"].as_str().expect("a session");
                let name = format!("ci%2F{number}-{round}");
                if let Some(granted) = seen.adds(|| client.acquire(&name, session, 1, 60_000)) {
                    let fence = granted["fence"].as_str().expect("a fence");
                    seen.adds(|| client.release(&name, session, fence));
                }
                seen.adds(|| client.call("DELETE", &format!("/v1/sessions/{session}"), ""));
            }
            seen
        })
    });
    let threads: Vec<_> = threads.collect();
    threads.into_iter().fold(Seen::default(), |mut all, thread| {
        let seen = thread.join().expect("no panic");
        all.took.extend(seen.took);
        all.refused.extend(seen.refused);
        all.later += seen.later;
        all
    })
}

/// How many strangers there are at once: a share of what `RINGLEADER_STRANGERS=5000` makes of it.
fn strangers() -> Option<usize> {
    std::env::var("RINGLEADER_STRANGERS").ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn strangers_do_not_delay_clients() {
    let all = strangers();
    // With 256 files, 300 connections of strangers to one server are more than it can have.
    let files = if all.is_some() { 4096 } else { 256 };
    let mut servers = Servers::new(3, Manner { files: Some(files), ..Manner::default() });
    let mut report = String::new();
    let _ = writeln!(report, "quiet: {}", work(&servers, 10).figures());
    let mut storm = |name: &str, count: usize, kinds: &'static [Kind], servers: &mut Servers| {
        let storm = Storm::begin(servers, count, kinds);
        let mut seen = work(servers, 10);
        let begun = storm.connected();
        drop(storm);
        let _ = writeln!(report, "{name}, {count} at once, {begun} in all: {}", seen.figures());
        assert!(seen.refused.is_empty(), "{} refused: {:?}\n{report}", seen.refused.len(), seen.refused[0]);
        assert!((0..3).all(|place| servers.runs(place)), "a server has ended: {report}");
    };
    match all {
        None => storm("all kinds", 900, &KINDS, &mut servers),
        Some(count) => {
            for (number, kind) in KINDS.iter().enumerate() {
                storm(&format!("{kind:?}"), count, &KINDS[number..=number], &mut servers);
            }
            storm("all kinds", count, &KINDS, &mut servers);
        }
    }
    let _ = writeln!(report, "quiet again: {}", work(&servers, 10).figures());
    #[expect(clippy::print_stdout, reason = "figures are for whoever runs it")]
    {
        println!("{report}");
    }
}

/// Whether a server answers a client by TLS soon.
fn answers(servers: &Servers, place: u16) -> bool {
    let Way::Tls(config, address, name) = servers.cluster.tls(place, Some("client"), None).way else {
        return false;
    };
    let asks = || -> io::Result<bool> {
        let stream = TcpStream::connect(&address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let connection = rustls::ClientConnection::new(config, name).map_err(io::Error::other)?;
        let mut stream = rustls::StreamOwned::new(connection, stream);
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        Ok(answer.ends_with(b"200"))
    };
    asks().unwrap_or(false)
}

/// The control: without limits for strangers the same connections harm.
#[test]
fn strangers_without_limits_harm() {
    let manner = Manner { files: Some(256), hospitable: true, ..Manner::default() };
    let servers = Servers::new(1, manner);
    assert!(answers(&servers, 0));
    let storm = Storm::begin(&servers, 300, &KINDS[..1]);
    until("a client that is not answered", || (!answers(&servers, 0)).then_some(()));
    drop(storm);
    until("it answers again", || answers(&servers, 0).then_some(()));
}

/// An election, in which the store opens files, while strangers have taken every place that they can get.
#[test]
fn election_under_a_file_limit_ends_no_server() {
    let mut servers = Servers::new(3, Manner { files: Some(256), ..Manner::default() });
    let _storm = Storm::begin(&servers, 900, &KINDS[..1]);
    let proposes =
        |servers: &Servers, place: u16| servers.client(place).get("/v1/status").1["proposes"] == true;
    for _ in 0..2 {
        let leader = until("a leader", || (0..3).find(|place| proposes(&servers, *place)));
        servers.kill(leader);
        let others: Vec<u16> = (0..3).filter(|place| *place != leader).collect();
        until("the next leader", || others.iter().find(|place| proposes(&servers, **place)));
        for place in others {
            assert!(servers.runs(place), "a server has ended");
            assert!(answers(&servers, place), "by TLS");
            let client = servers.client(place);
            let session = client.session("normal");
            assert!(client.holds(&format!("x{place}-{leader}"), &session, 1).parse::<u64>().is_ok());
        }
        servers.restart(leader);
    }
}

/// Connections that came first and say nothing do not keep a server from coming back.
#[test]
fn half_open_handshakes_do_not_keep_peers_out() {
    let mut servers = Servers::new(3, Manner { files: Some(256), ..Manner::default() });
    let _storm = Storm::begin(&servers, 900, &KINDS[10..12]);
    servers.kill(2);
    servers.restart(2);
    let status = servers.client(2).get("/v1/status").1;
    assert_eq!(status["connected"], json!(["a", "b"]), "{status}");
}

/// What a server does that logs to a pipe which nobody reads, while strangers make it log.
fn with_a_full_pipe(log: Log) -> (Servers, bool) {
    let servers = Servers::new(3, Manner { log: Some(log), ..Manner::default() });
    servers.reads_log(0, false);
    let _storm = Storm::begin(&servers, 90, &KINDS[7..8]);
    let client = servers.client(1);
    let session = client.session("batch");
    let is_member = |servers: &Servers| {
        let members = servers.client(1).get("/v1/members").1;
        members["members"][0]["member"] == true
    };
    let is_kept = until("the pipe is full", || {
        if !is_member(&servers) {
            return Some(false);
        }
        client.keep_alive(&session);
        let dropped = || servers.counter(0, "ringleader_log_dropped_total") > 0;
        (log == Log::Usual && dropped()).then_some(true)
    });
    (servers, is_kept)
}

#[test]
fn log_that_nobody_reads_costs_no_membership() {
    let (mut servers, is_kept) = with_a_full_pipe(Log::Usual);
    assert!(is_kept && servers.runs(0));
    assert_eq!(servers.client(1).get("/v1/members").1["members"][0]["member"], true);
    // When it is read again, it says what is missing.
    servers.reads_log(0, true);
    until("the gap is told", || servers.has_logged(0, "\"event\":\"log_dropped\",\"lines\":").then_some(()));
}

/// The control: a server that waits for its log is excluded.
#[test]
fn log_that_blocks_costs_membership() {
    assert!(!with_a_full_pipe(Log::Blocking).1);
}
