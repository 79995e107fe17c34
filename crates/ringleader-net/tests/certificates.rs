//! Who is let in: every stranger is refused before anything of it is read, and the reason is said in words.

use ringleader_net::cert::{self, Pair, Validity};
use ringleader_net::tls::{self, Identity, Stranger};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

const DAY: i64 = 24 * 60 * 60;

struct Clusters {
    authority: Pair,
}

impl Clusters {
    fn new() -> Clusters {
        Clusters { authority: cert::authority("demo", Validity::days(10)).unwrap() }
    }

    fn pair(&self, cluster: &str, member: &str, validity: Validity) -> Pair {
        cert::issue(&self.authority, cluster, member, validity).unwrap()
    }

    fn identity(&self, cluster: &str, member: &str) -> Identity {
        identity(&self.authority, cluster, &self.pair(cluster, member, Validity::days(5)))
    }
}

fn identity(authority: &Pair, cluster: &str, pair: &Pair) -> Identity {
    let files = [
        ("ca.pem", authority.certificate.as_bytes()),
        ("own.pem", pair.certificate.as_bytes()),
        ("own.key", pair.key.as_bytes()),
    ];
    Identity::from_pem(cluster, files).unwrap()
}

/// A client that dials member `a` and says something; what each side thinks of it. The listening side gives who is
/// there and what was read.
type Both = (Result<(String, Vec<u8>), Stranger>, Result<(), Stranger>);

fn meet(server: &Identity, dial: impl FnOnce(TcpStream) -> Result<(), Stranger>) -> Both {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = tls::server(server).unwrap();
    let cluster = server.cluster.clone();
    let listening = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut connection = ServerConnection::new(config).unwrap();
        while connection.is_handshaking() {
            if let Err(error) = connection.complete_io(&mut socket) {
                return Err(tls::explain_io(&error));
            }
        }
        let name = tls::name_of(connection.peer_certificates().unwrap_or_default(), &cluster)?;
        let mut bytes = vec![0; 5];
        let mut stream = rustls::Stream::new(&mut connection, &mut socket);
        stream.read_exact(&mut bytes).map_err(|error| tls::explain_io(&error))?;
        stream.write_all(b"heard").map_err(|error| tls::explain_io(&error))?;
        Ok((name, bytes))
    });
    let dialled = dial(TcpStream::connect(address).unwrap());
    (listening.join().unwrap(), dialled)
}

/// Dials a member, says hello and waits for an answer.
fn with(config: Arc<ClientConfig>, member: &'static str) -> impl FnOnce(TcpStream) -> Result<(), Stranger> {
    move |mut socket| {
        let name: ServerName<'static> = tls::server_name(member, "demo").unwrap();
        let mut connection = ClientConnection::new(config, name).unwrap();
        let mut stream = rustls::Stream::new(&mut connection, &mut socket);
        let explained = |error: std::io::Error| tls::explain_io(&error);
        stream.write_all(b"hello").map_err(explained)?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer).map_err(explained)
    }
}

/// The codes with which the listening and the dialling side refuse.
fn codes(both: &Both) -> (Option<&'static str>, Option<&'static str>) {
    let code = |stranger: &Stranger| stranger.code;
    (both.0.as_ref().err().map(code), both.1.as_ref().err().map(code))
}

#[test]
fn members_know_each_other() {
    let clusters = Clusters::new();
    let (heard, said) = meet(
        &clusters.identity("demo", "a"),
        with(tls::client(&clusters.identity("demo", "b")).unwrap(), "a"),
    );
    assert_eq!(heard, Ok(("b".to_owned(), b"hello".to_vec())));
    assert_eq!(said, Ok(()));
}

#[test]
fn a_client_without_a_certificate_is_refused() {
    let clusters = Clusters::new();
    let mut roots = RootCertStore::empty();
    for root in clusters.identity("demo", "a").authority {
        roots.add(root).unwrap();
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let bare = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots.clone())
        .with_no_client_auth();
    let both = meet(&clusters.identity("demo", "a"), with(Arc::new(bare), "a"));
    assert_eq!(codes(&both), (Some("no_certificate"), Some("refused_by_peer")), "{both:?}");

    let old = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let both = meet(&clusters.identity("demo", "a"), with(Arc::new(old), "a"));
    assert_eq!(codes(&both), (Some("tls_version"), Some("refused_by_peer")), "{both:?}");
}

#[test]
fn foreign_certificate_is_refused_by_both_sides() {
    let (clusters, others) = (Clusters::new(), Clusters::new());
    // The dialling side notices first.
    let both =
        meet(&clusters.identity("demo", "a"), with(tls::client(&others.identity("demo", "b")).unwrap(), "a"));
    assert_eq!(codes(&both), (Some("refused_by_peer"), Some("certificate_issuer")), "{both:?}");
    // A dialler that believes the listening side, but is believed by nobody.
    let pair = others.pair("demo", "b", Validity::days(5));
    let sly = identity(&clusters.authority, "demo", &pair);
    let both = meet(&clusters.identity("demo", "a"), with(tls::client(&sly).unwrap(), "a"));
    assert_eq!(codes(&both), (Some("certificate_issuer"), Some("refused_by_peer")), "{both:?}");
}

#[test]
fn clusters_sharing_an_authority_stay_apart() {
    let clusters = Clusters::new();
    let pair = clusters.pair("other", "b", Validity::days(5));
    let other = identity(&clusters.authority, "demo", &pair);
    let both = meet(&clusters.identity("demo", "a"), with(tls::client(&other).unwrap(), "a"));
    assert_eq!(codes(&both), (Some("certificate_cluster"), Some("refused_by_peer")), "{both:?}");
    let words = both.0.unwrap_err().message;
    assert!(words.contains("`b.other.ringleader`, which is of cluster `other`, not `demo`"), "{words}");
}

#[test]
fn whoever_dials_gets_whom_it_dialled_or_nobody() {
    let clusters = Clusters::new();
    let both = meet(
        &clusters.identity("demo", "c"),
        with(tls::client(&clusters.identity("demo", "b")).unwrap(), "a"),
    );
    assert_eq!(codes(&both), (Some("refused_by_peer"), Some("certificate_name")), "{both:?}");
    let words = both.1.unwrap_err().message;
    assert_eq!(words, "its certificate is for `c.demo.ringleader`, not for `a.demo.ringleader`");
}

#[test]
fn a_certificate_counts_in_its_time_only() {
    let clusters = Clusters::new();
    let now = cert::seconds_now();
    for (validity, code) in [
        (Validity { from: now - 3 * DAY, until: now - DAY }, "certificate_expired"),
        (Validity { from: now + DAY, until: now + 3 * DAY }, "certificate_not_yet_valid"),
    ] {
        let bad = identity(&clusters.authority, "demo", &clusters.pair("demo", "b", validity));
        let good = clusters.identity("demo", "b");
        let both = meet(&clusters.identity("demo", "a"), with(tls::client(&bad).unwrap(), "a"));
        assert_eq!(codes(&both), (Some(code), Some("refused_by_peer")), "{both:?}");
        let bad = identity(&clusters.authority, "demo", &clusters.pair("demo", "a", validity));
        let both = meet(&bad, with(tls::client(&good).unwrap(), "a"));
        assert_eq!(codes(&both), (Some("refused_by_peer"), Some(code)), "{both:?}");
    }
}

#[test]
fn plain_text_is_not_heard() {
    let clusters = Clusters::new();
    for said in
        [&b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"[..], b"\0\0\0\x05hello", b"\xff\xff\xff\xff\xff\xff\xff\xff"]
    {
        let both = meet(&clusters.identity("demo", "a"), |mut socket| {
            socket.write_all(said).unwrap();
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let _ = socket.read(&mut [0; 64]);
            Ok(())
        });
        assert_eq!(codes(&both).0, Some("plain_text"), "{both:?}");
    }
    let both = meet(&clusters.identity("demo", "a"), |_| Ok(()));
    assert!(matches!(codes(&both).0, Some("closed" | "connection")), "{both:?}");
}

#[test]
fn certificates_say_whose_they_are() {
    let clusters = Clusters::new();
    let authority = &cert::show(clusters.authority.certificate.as_bytes()).unwrap()[0];
    assert!(authority.is_authority && authority.subject.contains("ringleader demo CA"), "{authority:?}");
    assert!(authority.has_key(&clusters.authority.key));
    let pair = clusters.pair("demo", "b", Validity::days(5));
    let member = &cert::show(pair.certificate.as_bytes()).unwrap()[0];
    assert_eq!(member.names, ["b.demo.ringleader"]);
    assert_eq!(member.issuer, authority.subject);
    assert!(!member.is_authority && member.has_key(&pair.key) && !member.has_key(&clusters.authority.key));
    assert_eq!(member.days_left(cert::seconds_now() + 60), 4, "five days, of which the first has begun");
    // It does not outlive the authority.
    let long = clusters.pair("demo", "b", Validity::days(9999));
    assert_eq!(cert::show(long.certificate.as_bytes()).unwrap()[0].validity.until, authority.validity.until);
}

#[test]
fn an_address_beside_the_name_says_nothing_about_who_it_is() {
    let clusters = Clusters::new();
    let addresses = ["10.0.0.2".parse().unwrap(), "fd00::2".parse().unwrap()];
    let (authority, days) = (&clusters.authority, Validity::days(5));
    let pair = cert::issue_at(authority, "demo", ("b", &addresses), days).unwrap();
    let shown = &cert::show(pair.certificate.as_bytes()).unwrap()[0];
    assert_eq!(shown.names, ["b.demo.ringleader", "10.0.0.2", "fd00::2"]);
    let own = identity(authority, "demo", &pair);
    assert_eq!(tls::name_of(&own.chain, "demo"), Ok("b".to_owned()));
    assert_eq!(tls::caller_of(&own.chain, "demo"), Ok("b".to_owned()));
    assert!(tls::name_of(&own.chain, "other").is_err());
}

#[test]
fn what_cannot_sign_does_not() {
    let clusters = Clusters::new();
    let refused = |authority: &Pair, member: &str, validity: Validity| {
        cert::issue(authority, "demo", member, validity)
            .err()
            .map(|problem| problem.to_string())
            .unwrap_or_default()
    };
    let days = Validity::days(5);
    let member = clusters.pair("demo", "b", days);
    assert!(refused(&member, "c", days).contains("the certificate of a member"));
    let other = Clusters::new().authority;
    let mixed = Pair { key: other.key, ..clusters.authority.clone() };
    assert!(refused(&mixed, "c", days).contains("its key is not that of its certificate"));
    let empty = Pair { key: String::new(), ..clusters.authority.clone() };
    assert!(refused(&empty, "c", days).contains("no private key"));
    let now = cert::seconds_now();
    let past = cert::authority("demo", Validity { from: now - 3 * DAY, until: now - DAY }).unwrap();
    assert!(refused(&past, "c", days).contains("it has expired"));
    for name in ["", "C", "a b", "a.b", "-a", "ü"] {
        assert!(
            refused(&clusters.authority, name, days).contains("cannot be the name of a member"),
            "{name}"
        );
    }
    assert!(cert::authority("demo", Validity { from: now, until: i64::MAX }).is_err());
    assert!(cert::show(b"").is_err() && cert::show(b"-----BEGIN CERTIFICATE-----\nAAAA\n").is_err());
}
