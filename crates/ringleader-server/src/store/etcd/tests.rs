//! Against a real etcd, where there is one (`apt-get install etcd-server`); the gate has it.

mod contract;

use super::*;
use ringleader_locks::Times;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::{Child, Command as Program, Stdio};
use tempfile::TempDir;

/// Far beyond what anything can take that happens at all.
const PATIENCE: Duration = Duration::from_secs(300);

/// An etcd of one server, ended with this.
struct Etcd {
    dir: TempDir,
    client: u16,
    peer: u16,
    child: Child,
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

/// With all the time in the world: what is gone refuses at once, and what is there may be slow.
fn patient(options: EtcdOptions) -> EtcdOptions {
    EtcdOptions { read_within: PATIENCE, propose_within: PATIENCE, ..options }
}

fn spawn(dir: &TempDir, client: u16, peer: u16, tls: bool) -> Option<Child> {
    let scheme = if tls { "https" } else { "http" };
    let (client, peer) = (format!("{scheme}://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
    let mut program = Program::new("etcd");
    if tls {
        let file = |name: &str| dir.path().join(name);
        program.arg("--client-cert-auth").arg("--trusted-ca-file").arg(file("authority.pem"));
        program.arg("--cert-file").arg(file("own.pem")).arg("--key-file").arg(file("own.key"));
    }
    program
        .args(["--name", "one", "--data-dir"])
        .arg(dir.path().join("data"))
        .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
        .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
        .arg(format!("--initial-cluster=one={peer}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

impl Etcd {
    /// None where there is no etcd.
    fn start() -> Option<Etcd> {
        Etcd::start_in(folder(), false)
    }

    #[expect(clippy::print_stderr, reason = "a test that was not made says so")]
    fn start_in(dir: TempDir, tls: bool) -> Option<Etcd> {
        let (client, peer) = (free_port(), free_port());
        let child = spawn(&dir, client, peer, tls);
        if child.is_none() {
            let demanded = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!demanded, "the program `etcd` is not here: apt-get install etcd-server");
            eprintln!("not tested: the program `etcd` is not here (apt-get install etcd-server)");
        }
        Some(Etcd { dir, client, peer, child: child? })
    }

    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ran");
    }

    fn restart(&mut self) {
        self.child = spawn(&self.dir, self.client, self.peer, false).expect("it ran before");
    }

    fn options(&self, epoch: u32) -> EtcdOptions {
        // The first is never there: the next one is asked.
        let endpoints = vec!["http://127.0.0.1:1".to_owned(), format!("http://127.0.0.1:{}/", self.client)];
        patient(EtcdOptions::new(
            endpoints,
            "test".to_owned(),
            View::first(epoch, Times::default(), Vec::new()),
        ))
    }

    async fn open(&self, options: EtcdOptions) -> EtcdStore {
        eventually(|| EtcdStore::open(options.clone())).await
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Until it works.
async fn eventually<T, F: Future<Output = Result<T, StoreError>>>(ask: impl Fn() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => assert!(Instant::now() < deadline, "not within five minutes: {error}"),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_proposals_for_one_epoch_one_is_made() {
    let Some(etcd) = Etcd::start() else { return };
    let first = etcd.open(etcd.options(100)).await;
    let second = etcd.open(etcd.options(200)).await;
    let mut view = first.read().await.expect("it answers");
    assert_eq!(view.epoch, 100, "the first one that came says how it begins");
    for _ in 0..5 {
        let mut proposals = tokio::task::JoinSet::new();
        for number in 0..8 {
            let store = if number % 2 == 0 { first.clone() } else { second.clone() };
            let command = Command::SetProto(view.epoch, 100 + number);
            proposals.spawn(async move { store.propose(command).await });
        }
        let mut seen = BTreeSet::new();
        while let Some(answer) = proposals.join_next().await {
            let next = answer.expect("no panic").expect("etcd is there");
            seen.insert((next.epoch, next.proto));
        }
        assert_eq!(seen.len(), 1, "{seen:?}");
        let next = second.read().await.expect("it answers");
        assert_eq!(next.epoch, view.epoch + 1);
        view = next;
    }
    // Without asking, it hears of it by and by.
    let mut hints = first.hints();
    hints.wait_for(|epoch| *epoch == view.epoch).await.expect("it looks by itself");
    let floor = EtcdOptions { epoch_floor: Some(5_000), ..etcd.options(1) };
    assert_eq!(etcd.open(floor).await.read().await.expect("it answers").epoch, 5_000);
    first.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "figures are for people")]
async fn store_stops_without_etcd_and_resumes_with_it() {
    let Some(mut etcd) = Etcd::start() else { return };
    let store = etcd.open(etcd.options(7)).await;
    let view = store.propose(Command::SetProto(7, 3)).await.expect("etcd is there");
    let since = Instant::now();
    for _ in 0..20 {
        store.read().await.expect("etcd is there");
    }
    eprintln!("a read of etcd takes {:?}", since.elapsed() / 20);
    etcd.kill();
    let error = store.read().await.expect_err("etcd is gone");
    assert!(matches!(&error, StoreError::Unavailable(why) if why.contains("etcd at")), "{error:?}");
    let error = store.propose(Command::SetProto(8, 4)).await.expect_err("etcd is gone");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    etcd.restart();
    assert_eq!(eventually(|| store.read()).await, view);
    let next = eventually(|| store.propose(Command::SetProto(8, 4))).await;
    assert_eq!((next.epoch, next.proto), (9, 4));
    // Somebody puts back what was, or takes it away: nobody goes on as if it had always been so.
    let deadline = Instant::now() + PATIENCE;
    let (revision, _) = store.inner.seen(deadline).await.expect("etcd is there");
    assert!(store.inner.swap(deadline, revision, &view).await.expect("etcd is there"));
    let error = store.read().await.expect_err("it went back");
    assert!(matches!(&error, StoreError::Broken(why) if why.contains("--epoch-floor 10")), "{error:?}");
    let key = serde_json::json!({ "key": encoded(store.inner.key.as_bytes()) });
    store.inner.http.call("/v3/kv/deleterange", key, deadline).await.expect("etcd is there");
    let error = store.read().await.expect_err("it is gone");
    assert!(matches!(&error, StoreError::Broken(why) if why.contains("is gone from etcd")), "{error:?}");
}

/// Serves one connection: what it is asked, and its answers.
fn answers(listener: TcpListener, answers: Vec<&'static str>) -> std::thread::JoinHandle<Vec<String>> {
    use std::io::{BufRead, BufReader, Read, Write};
    std::thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().expect("a client").0);
        let asks = answers.into_iter().map(|answer| {
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") {
                let begun = head.len();
                stream.read_line(&mut head).expect("a question");
                let found = head[begun..].strip_prefix("content-length: ");
                length = found.map_or(length, |found| found.trim().parse().expect("a length"));
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("a body");
            write!(stream.get_mut(), "HTTP/1.1 {answer}").expect("it reads");
            format!("{} {}", head.lines().next().expect("a line"), String::from_utf8_lossy(&body))
        });
        asks.collect()
    })
}

#[tokio::test]
async fn next_endpoint_is_asked_and_its_connection_kept() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    let wrong = "503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy";
    let served = answers(listener, vec!["200 OK\r\ncontent-length: 8\r\n\r\n{\"a\": 1}", wrong]);
    let endpoints = ["http://127.0.0.1:1".to_owned(), format!("http://{at}/before/")];
    let (http, deadline) = (Http::new(&endpoints, None).expect("endpoints"), Instant::now() + PATIENCE);
    let answer = http.call("/v3/kv/range", json!({ "key": "x" }), deadline).await;
    assert_eq!(answer, Ok(json!({ "a": 1 })));
    let error = http.call("/v3/kv/txn", json!({}), deadline).await.expect_err("etcd is busy");
    // The one that answered is asked first, the other last.
    assert!(error.to_string().contains("etcd at http://127.0.0.1:1: "), "{error}");
    let asked = served.join().expect("it ends");
    assert_eq!(asked[0], "POST /before/v3/kv/range HTTP/1.1 {\"key\":\"x\"}");
    assert_eq!(asked[1], "POST /before/v3/kv/txn HTTP/1.1 {}");
}

#[tokio::test]
async fn a_wrong_endpoint_says_what_is_wrong() {
    let first = View::first(1, Times::default(), Vec::new());
    for (endpoints, expected) in [
        (vec![], "no endpoint of etcd is given"),
        (vec!["localhost:2379".to_owned()], "does not begin with `http://`"),
        (vec!["https://localhost:2379".to_owned()], "needs the certificate of the authority"),
    ] {
        let options = EtcdOptions::new(endpoints, "test".to_owned(), first.clone());
        let error = EtcdStore::open(options).await.map(|_| ()).expect_err("it is wrong");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let mut options = EtcdOptions::new(vec!["https://localhost:1".to_owned()], "test".to_owned(), first);
    options.tls = Some(EtcdTls { authority: b"nothing".to_vec(), identity: None });
    let error = EtcdStore::open(options).await.map(|_| ()).expect_err("it is wrong");
    assert!(error.to_string().contains("there is none in the file"), "{error}");
}

/// A certificate and its key, signed by an authority or by itself.
fn certificate(
    authority: Option<&rcgen::Issuer<'_, rcgen::KeyPair>>,
) -> (rcgen::CertificateParams, String, rcgen::KeyPair) {
    let mut params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
    let key = rcgen::KeyPair::generate().expect("a key");
    let pem = match authority {
        Some(authority) => {
            use rcgen::ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
            params.extended_key_usages = vec![ServerAuth, ClientAuth];
            params.signed_by(&key, authority).expect("signed").pem()
        }
        None => {
            params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
            params.self_signed(&key).expect("signed").pem()
        }
    };
    (params, pem, key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_reads_need_the_right_certificate() {
    let dir = folder();
    let (params, authority, key) = certificate(None);
    let issuer = rcgen::Issuer::new(params, key);
    let (_, own, own_key) = certificate(Some(&issuer));
    let (_, stranger, _) = certificate(None);
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("room");
    write("authority.pem", &authority);
    write("own.pem", &own);
    write("own.key", &own_key.serialize_pem());
    let Some(etcd) = Etcd::start_in(dir, true) else { return };
    let options = |authority: &str, identity: bool| {
        let identity = identity.then(|| (own.clone().into_bytes(), own_key.serialize_pem().into_bytes()));
        let endpoints = vec![format!("https://127.0.0.1:{}", etcd.client)];
        let first = View::first(7, Times::default(), Vec::new());
        let tls = Some(EtcdTls { authority: authority.as_bytes().to_vec(), identity });
        patient(EtcdOptions { tls, ..EtcdOptions::new(endpoints, "test".to_owned(), first) })
    };
    let store = etcd.open(options(&authority, true)).await;
    assert_eq!(store.read().await.expect("it answers").epoch, 7);
    for wrong in [options(&stranger, true), options(&authority, false)] {
        let error = EtcdStore::open(wrong).await.map(|_| ()).expect_err("it is refused");
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }
}
