//! The client over a real socket, against a server that does what the test wants.

mod fake;

use fake::{Fake, eventually};
use ringleader_client::{Client, Code, Credentials, Guard, Options, blocking, clock};
use std::time::Duration;
use tokio::time::timeout;

/// So long a test waits for what must come.
const PATIENCE: Duration = fake::PATIENCE;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    fn server(&self, name: &str) -> Fake {
        Fake::new(self.folder.path(), name)
    }
}

fn options(servers: &[&Fake]) -> Options {
    Options::new(servers.iter().map(|server| server.url().parse().expect("a server")))
}

async fn connect(servers: &[&Fake]) -> Client {
    Client::connect(options(servers)).await.expect("a session")
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("it comes")
}

/// Lets the tasks of the client work until it is so.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let waits = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(timeout(PATIENCE, waits).await.is_ok(), "never: {what}");
}

#[tokio::test]
async fn a_lock_is_held_until_it_is_given_back() {
    let place = Place::new();
    let server = place.server("a");
    let client = connect(&[&server]).await;
    assert_eq!(client.server(), "a");
    let guard = soon(client.lock("x").value("v").acquire()).await.expect("granted");
    assert_eq!((guard.fence().number(), guard.is_held(), server.is_held("x")), (101, true, true));
    assert!(guard.deadline() > clock::now());
    assert_eq!(server.asked("acquire")[0].1["value"], "v");
    soon(guard.release()).await.expect("it is free");
    assert!(!server.is_held("x"));
    let lead = soon(client.elect("y").priority(3).campaign()).await.expect("granted");
    assert_eq!(server.asked("campaign")[0].1["priority"], 3);
    soon(lead.release()).await.expect("it is free");
    assert_eq!(server.asked("resign").len(), 1);
    soon(client.close()).await;
    assert_eq!(server.asked("close").len(), 1);
}

#[tokio::test]
async fn silent_server_loses_lock_by_deadline() {
    let place = Place::new();
    let server = place.server("a");
    server.promises(900);
    let client = connect(&[&server]).await;
    let guard = soon(client.lock("x").acquire()).await.expect("granted");
    // It lives longer than the first promise.
    until("signs of life", || server.asked("keepalive").len() >= 4).await;
    assert!(guard.is_held());
    // The server heard the last one that it answered before this moment, and promised 900 ms from then on.
    server.mute(true);
    let latest = clock::now() + ringleader_client::Micros::millis(900);
    let deadline = guard.deadline();
    assert!(deadline < latest, "{deadline} {latest}");
    let lost = soon(guard.lost()).await;
    assert_eq!(lost.why, "nothing was heard of its server in time");
    assert!(clock::now() >= deadline && !guard.is_held());
    // A server that wakes up does not bring it back.
    server.mute(false);
    until("a new session", || server.asked("open").len() >= 2).await;
    assert!(!guard.is_held());
    let error = soon(guard.release()).await.expect_err("it was lost");
    assert_eq!(error.code, Code::SessionExpired);
}

#[tokio::test]
async fn cut_connection_is_reopened_without_loss() {
    let place = Place::new();
    let server = place.server("a");
    server.occupy("y");
    let client = connect(&[&server]).await;
    let guard = soon(client.lock("x").acquire()).await.expect("granted");
    let waiting = tokio::spawn(client.lock("y").acquire());
    until("it waits", || server.waiters() == 1).await;
    server.cut();
    until("it asks again", || server.asked("acquire").len() >= 3).await;
    let asked = server.asked("acquire");
    assert_eq!(asked[1].1["rid"], asked[2].1["rid"]);
    assert_eq!(asked[1].1["session"], asked[2].1["session"]);
    server.vacate("y");
    let second = soon(waiting).await.expect("no panic").expect("granted");
    assert!(guard.is_held() && second.is_held());
    assert_eq!(server.asked("open").len(), 1, "the session is the same");
}

#[tokio::test]
async fn lost_grant_arrives_with_keep_alive() {
    let place = Place::new();
    let server = place.server("a");
    server.promises(900).swallow_grants(true);
    let client = connect(&[&server]).await;
    let guard = soon(client.lock("x").acquire()).await.expect("granted");
    assert!(guard.is_held() && server.is_held("x"));
}

#[tokio::test]
async fn cancelled_wait_releases_late_grant() {
    let place = Place::new();
    let server = place.server("a");
    server.occupy("x");
    let client = connect(&[&server]).await;
    let waiting = tokio::spawn(client.lock("x").acquire());
    until("it waits", || server.waiters() == 1).await;
    waiting.abort();
    until("it is withdrawn", || server.waiters() == 0).await;
    // Granted, and told too late for anybody to hear it.
    server.vacate("x");
    server.swallow_grants(true);
    let waiting = tokio::spawn(client.lock("x").acquire());
    until("it is granted", || server.is_held("x")).await;
    waiting.abort();
    until("it is given back", || !server.is_held("x")).await;
    // Granted and told, and the guard dropped: the last resort.
    server.swallow_grants(false);
    let guard = soon(client.lock("x").acquire()).await.expect("granted");
    drop(guard);
    until("it is given back", || !server.is_held("x")).await;
}

#[tokio::test]
async fn unknown_session_is_replaced() {
    let place = Place::new();
    let server = place.server("a");
    server.promises(900).occupy("y");
    let client = connect(&[&server]).await;
    let guard = soon(client.lock("x").acquire()).await.expect("granted");
    let waiting = tokio::spawn(client.lock("y").acquire());
    until("it waits", || server.waiters() == 1).await;
    server.forget();
    assert_eq!(soon(guard.lost()).await.why, "its server says so");
    let second = soon(waiting).await.expect("no panic").expect("granted");
    assert!(second.is_held() && !guard.is_held());
    let asked = server.asked("acquire");
    assert_ne!(asked.first().expect("one").1["session"], asked.last().expect("another").1["session"]);
}

#[tokio::test]
async fn a_server_that_is_lost_is_left_for_another() {
    let place = Place::new();
    let (first, second) = (place.server("a"), place.server("b"));
    first.promises(600).occupy("x");
    let client = connect(&[&first, &second]).await;
    let waiting = tokio::spawn(client.lock("x").acquire());
    until("it waits", || first.waiters() == 1).await;
    first.mute(true);
    let guard: Guard = soon(waiting).await.expect("no panic").expect("granted");
    assert!(guard.is_held() && second.is_held("x"));
    assert_eq!(client.server(), "b");
}

#[tokio::test]
async fn time_and_others_are_reasons_not_to_get_it() {
    let place = Place::new();
    let server = place.server("a");
    server.occupy("x");
    let client = connect(&[&server]).await;
    let error = soon(client.lock("x").try_now().acquire()).await.expect_err("somebody has it");
    assert_eq!((error.code, error.certain.as_str()), (Code::Locked, "a test"));
    let error = soon(client.lock("x").timeout(Duration::from_millis(50)).acquire()).await;
    assert_eq!(error.expect_err("somebody has it").code, Code::Timeout);
    until("it is withdrawn", || server.waiters() == 0).await;
    for (name, value, code) in [("", "", Code::BadName), ("x", &"v".repeat(4097), Code::BadRequest)] {
        let error = soon(client.lock(name).value(value).acquire()).await.expect_err("refused");
        assert_eq!(error.code, code);
    }
    server.refuse("acquire", "forbidden");
    let error = soon(client.lock("y").acquire()).await.expect_err("refused");
    assert_eq!(error.code, Code::Forbidden);
}

#[tokio::test]
async fn who_cannot_be_reached_or_is_no_server_is_said() {
    let place = Place::new();
    let patience = Duration::from_millis(300);
    let absent = format!("unix:{}", place.folder.path().join("absent").display());
    let nobody = Options { patience, ..Options::new([absent.parse().expect("a server")]) };
    let refused = async |options: Options| soon(Client::connect(options)).await.err().expect("refused");
    let error = refused(nobody).await;
    assert_eq!(error.code, Code::NoServer);
    assert!(error.message.contains("absent does not answer"), "{error}");
    let body = r#"{"code":"unauthenticated","message":"who are you?","certain":"nothing was done"}"#;
    for (answer, code) in [
        ("404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(), Code::Protocol),
        (format!("401 Unauthorized\r\ncontent-length: {}\r\n\r\n{body}", body.len()), Code::Unauthenticated),
    ] {
        let server = place.server(code.word());
        server.only_says(&answer);
        let error = refused(options(&[&server])).await;
        assert_eq!(error.code, code);
    }
    assert_eq!(refused(Options::new([])).await.code, Code::BadRequest);
    let tls = || "https://127.0.0.1:1".parse().expect("a server");
    assert_eq!(refused(Options::new([tls()])).await.code, Code::BadCredentials);
    let missing = place.folder.path().join("ca.pem");
    let error = refused(Options { authority: Some(missing), ..Options::new([tls()]) }).await;
    assert!(error.message.contains("cannot read the certificate of the authority"), "{error}");
    let secret = Credentials::Token("secret".to_owned());
    assert!(!format!("{secret:?}").contains("secret"));
}

#[tokio::test]
async fn observer_sees_each_change_once() {
    let place = Place::new();
    let server = place.server("a");
    let client = connect(&[&server]).await;
    let mut observer = client.observe("x");
    let seen = tokio::spawn(async move {
        let mut seen = Vec::new();
        while seen.len() < 3 {
            let watched = observer.next().await.expect("an event");
            seen.push((watched.event, watched.lock.fence.unwrap_or_default(), watched.lock.value));
        }
        seen
    });
    until("it watches", || server.watchers() == 1).await;
    server.announce("granted", 5, "me");
    server.announce("granted", 5, "me");
    server.announce("released", 5, "");
    server.announce("granted", 6, "you");
    let seen = soon(seen).await.expect("no panic");
    let words: Vec<String> =
        seen.iter().map(|(event, fence, value)| format!("{event} {fence} {value}")).collect();
    assert_eq!(words, ["granted 5 me", "released 5 ", "granted 6 you"]);
}

#[test]
fn programs_without_a_runtime_do_the_same() {
    let place = Place::new();
    let server = place.server("a");
    let client = blocking::Client::connect(options(&[&server])).expect("a session");
    let guard = client.acquire(client.inner().lock("x")).expect("granted");
    assert!(guard.is_held() && guard.why_lost().is_none());
    guard.release().expect("it is free");
    server.occupy("x");
    let waiting = client.acquire_then(client.inner().lock("x"), |_| {});
    eventually("it waits", || server.waiters() == 1);
    drop(waiting);
    eventually("it is withdrawn", || server.waiters() == 0);
    let guard = client.acquire(client.inner().lock("y")).expect("granted");
    drop(client);
    assert!(guard.is_held(), "a guard keeps its session");
    drop(guard);
}
