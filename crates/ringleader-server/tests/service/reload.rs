//! Certificates, tokens and permissions, read again under clients that hold locks: what is still allowed goes on, what
//! is not ends at once, and no lock is free before its holder must have stopped.

use crate::support::{Client, Cluster, Stream, TOKEN, Way, events, until};
use ringleader_net::cert::{self, Pair, Validity};
use ringleader_net::config::Security;
use ringleader_server::Options;
use ringleader_server::config::{Secret, Who, sha256};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A metric of a server.
fn metric(cluster: &Cluster, place: u16, line: &str) -> u64 {
    let text = String::from_utf8(cluster.client(place).text("/metrics")).expect("text");
    let begin = format!("ringleader_{line} ");
    let value = text.lines().find_map(|line| line.strip_prefix(&begin));
    value.map_or(0, |value| value.parse().expect("a whole number"))
}

/// The server reads its files again; waits until it has.
fn reload(cluster: &Cluster, place: u16, result: &str) {
    let line = format!("reloads_total{{result=\"{result}\"}}");
    let before = metric(cluster, place, &line);
    cluster.reload(place);
    until(&format!("{result} at {place}"), || (metric(cluster, place, &line) > before).then_some(()));
    assert_eq!(metric(cluster, place, "reload_last_succeeded"), u64::from(result == "applied"));
}

fn authority(folder: &Path) -> Pair {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("an authority");
    Pair { certificate: read("ca.pem"), key: read("ca.key") }
}

fn put(folder: &Path, name: &str, pair: &Pair) {
    for (ending, text) in [("pem", &pair.certificate), ("key", &pair.key)] {
        std::fs::write(folder.join(format!("{name}.{ending}")), text).expect("there is room");
    }
}

/// Whoever holds locks over a connection that lasts.
struct Holder {
    stream: Stream,
    session: String,
    asked: u64,
}

impl Holder {
    /// Holds this lock.
    fn of(client: &Client, name: &str, class: &str) -> (Holder, String) {
        // A service that is new grants nothing for the time of a lease.
        let (session, _) = client.takes(&name.replace('/', "%2F"), class);
        client.call("DELETE", &format!("/v1/sessions/{session}"), "");
        let mut holder = Holder { stream: client.stream(), session: String::new(), asked: 0 };
        let opened = until("a session", || {
            let opened = holder.ask(&json!({ "op": "open", "class": class, "meta": "holder" }));
            opened["opened"]["session"].as_str().map(str::to_owned)
        });
        holder.session = opened;
        let held = holder.acquires(name, 1);
        let fence = held["granted"]["fence"].as_str().unwrap_or_else(|| panic!("{held}")).to_owned();
        (holder, fence)
    }

    fn ask(&mut self, question: &Value) -> Value {
        self.asked += 1;
        let mut question = question.clone();
        question["id"] = json!(self.asked);
        self.stream.ask(&question)
    }

    fn acquires(&mut self, name: &str, rid: u64) -> Value {
        let session = self.session.clone();
        self.ask(&json!({ "op": "acquire", "name": name, "session": session, "rid": rid }))
    }

    fn keeps_alive(&mut self) -> Value {
        let session = self.session.clone();
        self.ask(&json!({ "op": "keepalive", "session": session }))
    }

    /// Whether the server says that it holds this.
    fn holds(&mut self, fence: &str) -> bool {
        let alive = self.keeps_alive();
        alive["alive"]["requests"].as_array().is_some_and(|all| all.iter().any(|one| one["fence"] == fence))
    }
}

/// Keeps a session alive until it is dropped, by whichever of these clients may: how slow this machine is must decide
/// nothing.
struct Kept(Arc<AtomicBool>, Option<std::thread::JoinHandle<()>>);

fn keeps(clients: Vec<Client>, session: &str) -> Kept {
    let (over, session) = (Arc::new(AtomicBool::new(false)), session.to_owned());
    let ends = Arc::clone(&over);
    let thread = std::thread::spawn(move || {
        while !ends.load(Ordering::Relaxed) {
            for client in &clients {
                let _ = client.keep_alive(&session);
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    Kept(over, Some(thread))
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        let _ = self.1.take().map(std::thread::JoinHandle::join);
    }
}

/// The certificate that a server shows to whoever connects now.
fn shown(client: &Client) -> Vec<u8> {
    let Way::Tls(config, address, name) = &client.way else { panic!("no TLS") };
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let mut tls = rustls::ClientConnection::new(config.clone(), name.clone()).expect("a client");
    while tls.peer_certificates().is_none() {
        tls.complete_io(&mut stream).expect("a handshake");
    }
    tls.peer_certificates().and_then(<[_]>::first).expect("a certificate").to_vec()
}

#[test]
fn certificates_are_rotated_under_a_holder() {
    let cluster = Cluster::new(3);
    let folder = cluster.folder.path();
    let client = cluster.tls(0, Some("client"), None);
    let (mut holder, fence) = Holder::of(&client, "batch/x", "batch");
    let _kept = keeps(vec![client.clone()], &holder.session);
    let (first, old) = (shown(&client), authority(folder));

    // New certificates of the same authority.
    for name in ["a", "b", "c"] {
        put(folder, name, &cert::issue(&old, "test", name, Validity::days(5)).expect("a certificate"));
    }
    (0..3).for_each(|place| reload(&cluster, place, "applied"));
    assert_ne!(shown(&client), first, "whoever connects now sees the new one");
    assert!(holder.holds(&fence), "whoever was there goes on");

    // Another authority: first everybody believes both, then it signs, then the old one goes.
    let new = cert::authority("test", Validity::days(9)).expect("an authority");
    let both = format!("{}{}", old.certificate, new.certificate);
    std::fs::write(folder.join("ca.pem"), &both).expect("there is room");
    (0..3).for_each(|place| reload(&cluster, place, "applied"));
    for name in ["a", "b", "c"] {
        put(folder, name, &cert::issue(&new, "test", name, Validity::days(5)).expect("a certificate"));
    }
    put(
        folder,
        "new",
        &cert::issue_client(&new, "test", "client", Validity::days(5)).expect("a certificate"),
    );
    (0..3).for_each(|place| reload(&cluster, place, "applied"));
    assert!(holder.holds(&fence));
    let renewed = cluster.tls(0, Some("new"), None);
    let _goes_on = keeps(vec![renewed.clone()], &holder.session);
    std::fs::write(folder.join("ca.pem"), &new.certificate).expect("there is room");
    (0..3).for_each(|place| reload(&cluster, place, "applied"));
    // Its certificate is of the old authority: the connection ends, the session does not.
    until("the old connection ends", || holder.stream.next().is_none().then_some(()));
    let (code, alive) = renewed.keep_alive(&holder.session);
    assert_eq!(code, 200, "{alive}");
    assert_eq!(renewed.release("batch%2Fx", &holder.session, &fence).0, 204);
    until("all servers hear each other", || {
        let connected =
            |place: u16| cluster.client(place).get("/v1/status").1["connected"].as_array().map(Vec::len);
        (0..3).all(|place| connected(place) == Some(2)).then_some(())
    });
    let (_, next) = renewed.takes("batch%2Fx", "batch");
    assert!(next > fence.parse::<u64>().expect("a number"), "fences grow");
}

#[test]
fn token_that_is_gone_is_refused_at_once_and_its_lock_later() {
    let mut cluster = Cluster::new(1);
    let token = cluster.tls(0, None, Some(TOKEN));
    let other = cluster.tls(0, Some("client"), None);
    let (mut holder, fence) = Holder::of(&token, "ci/x", "fast");
    let (mut waiter, _) = Holder::of(&token, "ci/y", "fast");
    let session = waiter.session.clone();
    waiter.stream.send(
        &json!({ "id": 99, "op": "acquire", "name": "ci/x", "session": session, "rid": 2 }).to_string(),
    );
    let sent = Instant::now();
    let alive = holder.keeps_alive();
    let valid = alive["alive"]["valid_ms"].as_u64().unwrap_or_else(|| panic!("{alive}"));

    cluster.config.tokens.clear();
    cluster.config.permissions.retain(|one| one.who != Who::Token("ci".to_owned()));
    cluster.writes();
    reload(&cluster, 0, "applied");
    // What is open is told, and closed.
    let told = holder.stream.next().expect("a word");
    assert_eq!(told["error"]["code"], "unauthenticated", "{told}");
    assert!(holder.stream.next().is_none(), "the connection ends");
    let told: Vec<Value> = std::iter::from_fn(|| waiter.stream.next()).collect();
    assert!(!told.is_empty() && told.iter().all(|reply| reply.get("granted").is_none()), "{told:?}");
    assert_eq!(token.keep_alive(&holder.session).0, 401);
    assert_eq!(token.release("ci%2Fx", &holder.session, &fence).0, 401);
    // The lock is free when its holder must have stopped, not before.
    let (_, next) = other.takes("ci%2Fx", "fast");
    let drift = Duration::from_millis(valid) * 995 / 1005;
    assert!(sent.elapsed() >= drift, "{:?} of {drift:?}", sent.elapsed());
    assert!(next > fence.parse::<u64>().expect("a number"));
    assert!(metric(&cluster, 0, "session_expired_total") > 0, "it ran out");
}

#[test]
fn permission_that_is_gone_ends_the_session() {
    let mut cluster = Cluster::new(1);
    let token = cluster.tls(0, None, Some(TOKEN));
    let other = cluster.tls(0, Some("client"), None);
    let (mut holder, fence) = Holder::of(&token, "ci/x", "normal");
    let (mut waiter, _) = Holder::of(&token, "ci/y", "normal");
    let (mut bystander, kept) = Holder::of(&other, "batch/z", "batch");
    let session = waiter.session.clone();
    waiter.stream.send(
        &json!({ "id": 99, "op": "acquire", "name": "ci/x", "session": session, "rid": 2 }).to_string(),
    );
    let third = token.session("normal");
    let calls = {
        let (token, third) = (token.clone(), third.clone());
        std::thread::spawn(move || token.acquire("ci%2Fx", &third, 1, 200_000))
    };
    let waiting = [keeps(vec![token.clone()], &waiter.session), keeps(vec![token.clone()], &third)];
    let holding = keeps(vec![token.clone()], &holder.session);
    let _bystands = keeps(vec![other.clone()], &bystander.session);
    until("two wait", || (cluster.client(0).get("/v1/status").1["waiters"] == 2).then_some(()));
    let mut watching = token.connect().expect("it listens");
    let question =
        format!("GET /v1/locks/ci%2Fx/watch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\r\n");
    std::io::Write::write_all(&mut watching, question.as_bytes()).expect("it reads");

    cluster.config.permissions.retain(|one| one.who != Who::Token("ci".to_owned()));
    cluster.writes();
    reload(&cluster, 0, "applied");
    // Those who wait are told so, on the stream and in a call.
    let told = waiter.stream.next().expect("a word");
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(99), &json!("forbidden")), "{told}");
    let (code, told) = calls.join().expect("no panic");
    assert_eq!((code, &told["code"]), (403, &json!("forbidden")), "{told}");
    // Nobody goes on, and the refusal says what is certain.
    let alive = holder.keeps_alive();
    assert_eq!(alive["error"]["code"], "forbidden", "{alive}");
    let certain = alive["error"]["certain"].as_str().unwrap_or_default();
    assert!(certain.contains("until the deadline that was told last"), "{alive}");
    assert_eq!(holder.acquires("ci/z", 7)["error"]["code"], "forbidden");
    assert_eq!(metric(&cluster, 0, "session_forbidden_total"), 3);
    // Whoever watched sees no more.
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n0\r\n\r\n") {
        let mut bytes = [0; 1024];
        match std::io::Read::read(&mut watching, &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(count) => seen.extend_from_slice(&bytes[..count]),
        }
    }
    assert!(seen.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&seen));
    drop((waiting, holding));
    // It may still give back what it holds, while its session lasts; others are not concerned.
    let code = token.release("ci%2Fx", &holder.session, &fence).0;
    assert!(code == 204 || code == 410, "{code}");
    let (_, next) = other.takes("ci%2Fx", "normal");
    assert!(next > fence.parse::<u64>().expect("a number"));
    assert!(bystander.holds(&kept));
}

#[test]
fn permission_that_comes_back_saves_the_session() {
    let mut cluster = Cluster::new(1);
    let token = cluster.tls(0, None, Some(TOKEN));
    let (mut holder, fence) = Holder::of(&token, "ci/x", "normal");
    let permissions = cluster.config.permissions.clone();
    cluster.config.permissions.clear();
    cluster.writes();
    reload(&cluster, 0, "applied");
    assert_eq!(holder.keeps_alive()["error"]["code"], "forbidden");
    cluster.config.permissions = permissions;
    // The token has another secret, too: whoever shows the old one is gone, whoever shows the new one goes on.
    cluster.config.tokens[0].secret = Secret(sha256(b"another-horse-battery"));
    cluster.writes();
    reload(&cluster, 0, "applied");
    assert_eq!(token.keep_alive(&holder.session).0, 401);
    let renewed = cluster.tls(0, None, Some("another-horse-battery"));
    let (code, alive) = renewed.keep_alive(&holder.session);
    // On a machine that stands still for 15 s the session is over.
    assert!(code == 200 && alive["requests"][0]["fence"] == fence.as_str() || code == 410, "{alive}");
}

#[test]
fn broken_file_changes_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("events");
    let mut cluster = Cluster::with(1, Options { events: Some(file.clone()), ..Options::default() });
    let token = cluster.tls(0, None, Some(TOKEN));
    let (mut holder, fence) = Holder::of(&token, "ci/x", "normal");
    let _kept = keeps(vec![token.clone()], &holder.session);
    let home = cluster.folder.path().to_owned();
    let (service, good) = (home.join("service.toml"), cluster.config.to_toml());
    let pem = |name: &str| std::fs::read_to_string(home.join(name)).expect("a file");
    let (own, client) = ((pem("a.pem"), pem("a.key")), (pem("client.pem"), pem("client.key")));
    let stranger = cert::authority("test", Validity::days(3)).expect("an authority");
    let stray = cert::revoke(&stranger, None, &[]).expect("a list").pem;
    let before = shown(&cluster.tls(0, Some("client"), None));
    // Each of these is also a token less: nothing of the file may be used.
    let less = good.replace(
        "[[token]]",
        "[[token]]\nname = \"other\"\nsecret = \"correct-horse-battery-staple\"\n[[token]]",
    );
    let without = less.replace("name = \"ci\"", "name = \"gone\"");
    let listed = |text: &str| good.replace("[tls]", &format!("[tls]\nrevoked = \"{text}\""));
    type Change<'a> = (&'a str, Box<dyn Fn() -> Vec<(&'a str, String)> + 'a>, &'a str);
    let changes: [Change<'_>; 9] = [
        ("TOML", Box::new(|| vec![("service.toml", format!("{good}\n[[token]\n"))]), "line "),
        ("name", Box::new(|| vec![("service.toml", without.clone())]), "no [[token]] is called `ci`"),
        (
            "key",
            Box::new(|| vec![("service.toml", good.replace("[tls]", "[tls]\nkeys = 1"))]),
            "there is no `keys` here",
        ),
        ("pair", Box::new(|| vec![("a.key", client.1.clone())]), "certificates of this member are of no use"),
        (
            "certificate",
            Box::new(|| vec![("a.pem", client.0.clone()), ("a.key", client.1.clone())]),
            "would be refused",
        ),
        (
            "authority",
            Box::new(|| vec![("ca.pem", stranger.certificate.clone())]),
            "not of the cluster's authority",
        ),
        ("no list", Box::new(|| vec![("service.toml", listed("none.pem"))]), "cannot read the list"),
        (
            "list",
            Box::new(|| vec![("service.toml", listed("list.pem")), ("list.pem", stray.clone())]),
            "list of revoked certificates",
        ),
        (
            "plain",
            Box::new(|| {
                let begin = good.find("[tls]").expect("a section");
                let end = begin + good[begin..].find("\n[[").expect("another section");
                vec![("service.toml", format!("{}[plain]\nallowed = true{}", &good[..begin], &good[end..]))]
            }),
            "cannot change between [tls] and [plain]",
        ),
    ];
    for (what, change, expected) in &changes {
        let authority = pem("ca.pem");
        for (name, text) in change() {
            std::fs::write(home.join(name), text).expect("there is room");
        }
        reload(&cluster, 0, "failed");
        let all = events(&file);
        let told = all.iter().rfind(|line| line["event"] == "reload_failed").expect("a line");
        let why = told["why"].as_str().unwrap_or_default();
        assert!(why.contains(expected) && why.ends_with("everything stays as it was"), "{what}: {why}");
        assert!(told["reason"].is_string(), "{told}");
        assert!(holder.holds(&fence), "{what}");
        std::fs::write(home.join("ca.pem"), authority).expect("there is room");
        std::fs::write(&service, &good).expect("there is room");
        std::fs::write(home.join("a.pem"), &own.0).expect("there is room");
        std::fs::write(home.join("a.key"), &own.1).expect("there is room");
        assert_eq!(shown(&cluster.tls(0, Some("client"), None)), before, "{what}");
    }
    // A file that is right, and says more than can be read again.
    cluster.config.classes.clear();
    cluster.config.pace.renew = ringleader_live::Micros::millis(250);
    cluster.writes();
    reload(&cluster, 0, "applied");
    let all = events(&file);
    let told = all.iter().rfind(|line| line["event"] == "reloaded").expect("a line");
    assert_eq!(told["needs_restart"], "class, times", "{told}");
    assert!(holder.holds(&fence));
}

#[test]
fn revoked_certificates_are_cut_off() {
    let mut cluster = Cluster::new(3);
    let folder = cluster.folder.path().to_owned();
    let authority = authority(&folder);
    let thief = cert::issue_client(&authority, "test", "client", Validity::days(5)).expect("a certificate");
    put(&folder, "thief", &thief);
    let (client, stolen) = (cluster.tls(0, Some("client"), None), cluster.tls(0, Some("thief"), None));
    let (mut holder, fence) = Holder::of(&client, "batch/x", "batch");
    let (mut other, _) = Holder::of(&stolen, "batch/y", "batch");
    let _kept = keeps(vec![client.clone()], &holder.session);

    let list = cert::revoke(&authority, None, &[thief.certificate.clone().into_bytes()]).expect("a list");
    let list_file = folder.join("revoked.pem");
    std::fs::write(&list_file, &list.pem).expect("there is room");
    if let Security::Tls { revoked, .. } = &mut cluster.config.security {
        *revoked = Some(list_file.clone());
    }
    cluster.writes();
    (0..3).for_each(|place| reload(&cluster, place, "applied"));
    assert!(other.stream.next().is_none(), "an open connection ends");
    assert!(metric(&cluster, 0, "refusals_total{code=\"certificate_revoked\"}") > 0);
    let refused = stolen.get("/v1/status");
    assert_eq!(refused.0, 0, "a new one is refused: {}", refused.1);
    // Another certificate of the same name is another certificate.
    assert!(holder.holds(&fence));

    // A server's: the others hear it no more, and it hears them no more.
    let own = std::fs::read(folder.join("c.pem")).expect("a certificate");
    let list = cert::revoke(&authority, Some(list.pem.as_bytes()), &[own]).expect("a list");
    assert_eq!(list.serials.len(), 2);
    std::fs::write(&list_file, &list.pem).expect("there is room");
    reload(&cluster, 0, "applied");
    reload(&cluster, 1, "applied");
    for place in [0, 1] {
        until("c is cut off", || {
            let status = cluster.client(place).get("/v1/status").1;
            let connected = status["connected"].as_array().cloned().unwrap_or_default();
            let member = status["members"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one["name"] == "c" && one["member"] == true));
            (!connected.contains(&json!("c")) && !member).then_some(())
        });
    }
    // To itself its own certificate would be of no use, so it keeps what it has.
    reload(&cluster, 2, "failed");
    let (_, next) = client.takes("batch%2Fq", "batch");
    assert!(next > 0, "the others go on");
    assert!(holder.holds(&fence));
}
