//! What doctor finds on the way to a peer that is there; and that looking does not disturb a member that runs.

use ringleader_net::cert::{self, Validity};
use ringleader_net::config::{Config, Environment};
use ringleader_net::doctor::{Finding, Level, Question, Subject, examine};
use ringleader_net::tls::{self, Identity};
use rustls::{ServerConfig, ServerConnection};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A cluster of `a`, `b` and `c` in a folder of its own; only the first two are looked at.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    fn new() -> Cluster {
        let folder = tempfile::tempdir().unwrap();
        let authority = cert::authority("demo", Validity::days(100)).unwrap();
        std::fs::write(folder.path().join("ca.pem"), &authority.certificate).unwrap();
        for name in ["a", "b", "c"] {
            let pair = cert::issue(&authority, "demo", name, Validity::days(90)).unwrap();
            std::fs::write(folder.path().join(format!("{name}.pem")), pair.certificate).unwrap();
            std::fs::write(folder.path().join(format!("{name}.key")), pair.key).unwrap();
        }
        Cluster { folder }
    }

    /// The configuration for `b`, with `a` at this address, and `b`'s own status there.
    fn config(&self, a: SocketAddr, status: SocketAddr) -> Config {
        let own = free();
        let text = format!(
            "schema = 'ringleader.cluster/1'\ncluster = 'demo'\n\
             [tls]\nauthority = 'ca.pem'\ncertificate = '{{name}}.pem'\nkey = '{{name}}.key'\n\
             [[member]]\nname = 'a'\naddress = '{a}'\n\
             [[member]]\nname = 'b'\naddress = '{own}'\nstatus = '{status}'\n\
             [[member]]\nname = 'c'\naddress = '127.0.0.1:1'\n\
             [[group]]\nname = 'main'\nalgorithm = 'franklin'\n"
        );
        let file = self.folder.path().join("cluster.toml");
        std::fs::write(&file, text).unwrap();
        Config::read(&file, ringleader::registry::ALL, Some("b"), &Environment::empty()).unwrap()
    }

    /// A listening side with the certificate of this member; what it thinks of each that comes.
    fn listen(&self, name: &str) -> (SocketAddr, Receiver<Result<String, &'static str>>) {
        let read = |ending: &str| std::fs::read(self.folder.path().join(format!("{name}.{ending}"))).unwrap();
        let authority = std::fs::read(self.folder.path().join("ca.pem")).unwrap();
        let files = [("ca", authority.as_slice()), ("pem", &read("pem")), ("key", &read("key"))];
        let server = tls::server(&Identity::from_pem("demo", files).unwrap()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, heard) = channel();
        std::thread::spawn(move || accept(&listener, &server, &tell));
        (address, heard)
    }
}

fn accept(
    listener: &TcpListener,
    server: &Arc<ServerConfig>,
    tell: &mpsc::Sender<Result<String, &'static str>>,
) {
    for mut stream in listener.incoming().flatten() {
        let mut connection = ServerConnection::new(Arc::clone(server)).unwrap();
        let mut met = Ok(());
        while connection.is_handshaking() && met.is_ok() {
            met = connection.complete_io(&mut stream).map(|_| ()).map_err(|error| tls::explain_io(&error));
        }
        let certificates = connection.peer_certificates().unwrap_or_default();
        let who = met.and_then(|()| tls::name_of(certificates, "demo"));
        if tell.send(who.map_err(|stranger| stranger.code)).is_err() {
            return;
        }
        // The peer waits a little for an answer, as a member would.
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let _ = rustls::Stream::new(&mut connection, &mut stream).read(&mut [0]);
    }
}

/// A port that was free a moment ago.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn examined(config: &Config) -> Vec<Finding> {
    examine(&Question {
        subject: Subject::from(config),
        file: "cluster.toml",
        name: Some("b"),
        peer: Some("a"),
    })
}

fn peer(findings: &[Finding]) -> (Level, &str) {
    let finding = findings.iter().find(|finding| finding.about == "peer").unwrap();
    (finding.level, &finding.words)
}

#[test]
fn a_peer_that_is_there_and_believes_us() {
    let cluster = Cluster::new();
    let (address, heard) = cluster.listen("a");
    let findings = examined(&cluster.config(address, free()));
    let (level, words) = peer(&findings);
    assert_eq!(level, Level::Well, "{findings:?}");
    assert!(words.contains("its certificate is its own, and ours is accepted"), "{words}");
    assert_eq!(heard.recv().unwrap(), Ok("b".to_owned()));
}

#[test]
fn somebody_else_has_its_port() {
    let cluster = Cluster::new();
    let (address, heard) = cluster.listen("c");
    let findings = examined(&cluster.config(address, free()));
    let (level, words) = peer(&findings);
    assert_eq!(level, Level::Wrong);
    assert!(words.contains("is not a: its certificate is for `c.demo.ringleader`, not for"), "{words}");
    assert_eq!(heard.recv().unwrap(), Err("refused_by_peer"), "nothing was sent to it");
}

#[test]
fn a_member_that_runs_is_not_disturbed() {
    let cluster = Cluster::new();
    let (address, heard) = cluster.listen("a");
    // Our own member answers: it has a connection to `a`, which a second one in its name would take the place of.
    let status = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = status.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in status.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let body = r#"{"schema":"ringleader.status/1","cluster":"demo","member":"b"}"#;
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    let findings = examined(&cluster.config(address, at));
    assert!(findings.iter().any(|finding| finding.words.starts_with("b runs")), "{findings:?}");
    let (level, words) = peer(&findings);
    assert_eq!(level, Level::Well, "{findings:?}");
    assert!(words.ends_with("its certificate is its own"), "{words}");
    assert!(heard.recv().unwrap().is_err(), "we never said who we are");
    // A stranger is found out all the same.
    let (address, _heard) = cluster.listen("c");
    assert_eq!(peer(&examined(&cluster.config(address, at))).0, Level::Wrong);
}
