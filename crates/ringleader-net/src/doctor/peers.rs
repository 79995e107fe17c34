//! The way to the others: the name resolves, something listens, it is whom we want, and its clock agrees.

use super::{Finding, Place, Question};
use crate::client::Unanswered;
use crate::clock;
use crate::tls::{self, Identity, Stranger};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme};
use std::io::{self, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);

/// A wall clock that is further off than this numbers starts and dates logs wrongly.
const WALL_OFF_MS: u64 = 5000;

/// Looks at every other member, all at once.
pub(super) fn examine(
    question: &Question<'_>,
    identity: Option<&Identity>,
    runs: bool,
    findings: &mut Vec<Finding>,
) {
    let wanted = |name: &str| match question.peer {
        Some(peer) => peer == name,
        None => question.name != Some(name),
    };
    let peers = question.subject.members.iter().filter(|member| wanted(member.name));
    let found: Vec<Vec<Finding>> = std::thread::scope(|scope| {
        let looking: Vec<_> =
            peers.map(|member| scope.spawn(move || peer(question, member, identity, runs))).collect();
        looking.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    findings.extend(found.into_iter().flatten());
}

fn peer(
    question: &Question<'_>,
    member: &Place<'_>,
    identity: Option<&Identity>,
    runs: bool,
) -> Vec<Finding> {
    let mut findings = vec![way(question, member, identity, runs)];
    if let Some(status) = member.status {
        findings.push(asked(question, member.name, status));
    }
    findings
}

/// The connection itself.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors are many, and not ours")]
fn way(question: &Question<'_>, member: &Place<'_>, identity: Option<&Identity>, runs: bool) -> Finding {
    let (name, at) = (member.name, member.peer);
    let unreachable = |why: &str| {
        Finding::wrong("peer", format!("{name} does not answer at {at}: {why}"))
            .help("on its machine:")
            .command(format!("ringleader node --config {} --name {name}", question.file))
    };
    let sockets: Vec<_> = match at.to_socket_addrs() {
        Ok(sockets) => sockets.collect(),
        Err(error) => {
            return Finding::wrong("peer", format!("{name}: the host of {at} is not known here: {error}"))
                .help("see what it resolves to:")
                .command(format!("getent hosts {}", at.rsplit_once(':').map_or(at, |(host, _)| host)));
        }
    };
    let before = clock::now();
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    let connected = sockets.iter().find_map(|socket| match TcpStream::connect_timeout(socket, PATIENCE) {
        Ok(stream) => Some(stream),
        Err(error) => {
            last = error;
            None
        }
    });
    let Some(mut stream) = connected else {
        return match last.kind() {
            io::ErrorKind::ConnectionRefused => unreachable("connection refused: nothing listens there"),
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => unreachable(
                "nothing comes back: is the machine up, and does a firewall let the port through?",
            ),
            _other => unreachable(&last.to_string()),
        };
    };
    let trip = clock::now() - before;
    let connected = format!("{name} at {at}: connected in {trip}");
    let Some(identity) = identity else { return Finding::well("peer", connected) };
    match greet(identity, name, &mut stream, runs) {
        Ok(()) if runs => Finding::well("peer", format!("{connected}; its certificate is its own")),
        Ok(()) => {
            Finding::well("peer", format!("{connected}; its certificate is its own, and ours is accepted"))
        }
        Err(stranger) => {
            let finding = Finding::wrong("peer", format!("{at} is not {name}: {stranger}"));
            match stranger.code {
                "refused_by_peer" => finding
                    .help("see what it thinks of this machine; on its machine:")
                    .command(format!("ringleader doctor --config {} --name {name}", question.file)),
                _other => finding
                    .help(format!("nothing was sent to it; a certificate for {name}:"))
                    .command(format!("ringleader cert issue {name} --cluster {}", identity.cluster)),
            }
        }
    }
}

/// A handshake. While our own member runs it is broken off as soon as the other's certificate was seen: a second
/// connection in its name would take the place of the first.
fn greet(identity: &Identity, name: &str, stream: &mut TcpStream, runs: bool) -> Result<(), Stranger> {
    let failed = |error: &io::Error| tls::explain_io(error);
    let config = tls::client(identity).map_err(|problem| own(problem.message))?;
    let config = if runs { look_only(identity, &config)? } else { config };
    let wanted = tls::server_name(name, &identity.cluster);
    let wanted = wanted.ok_or_else(|| Stranger::new("certificate_name", "it has no name"))?;
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let mut connection = ClientConnection::new(config, wanted).map_err(|error| tls::explain(&error))?;
    while connection.is_handshaking() {
        match connection.complete_io(stream) {
            Ok(_) => {}
            Err(error) if runs && is_enough(&error) => return Ok(()),
            Err(error) => return Err(failed(&error)),
        }
    }
    // Whether we are accepted is known only when something is read: an alert, or nothing for a while.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    match rustls::Stream::new(&mut connection, stream).read(&mut [0; 1]) {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// We saw what we wanted.
fn is_enough(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    inner.is_some_and(|inner| *inner == rustls::Error::General(ENOUGH.to_owned()))
}

const ENOUGH: &str = "seen";

/// Our own certificate is of no use.
fn own(words: String) -> Stranger {
    Stranger::new("own", words)
}

/// The same, but the handshake ends once the certificate was found to be good.
fn look_only(identity: &Identity, config: &ClientConfig) -> Result<Arc<ClientConfig>, Stranger> {
    let inner = tls::verifier(identity).map_err(|why| own(why.message))?;
    let mut looking = config.clone();
    looking.dangerous().set_certificate_verifier(Arc::new(LookOnly { inner }));
    Ok(Arc::new(looking))
}

#[derive(Debug)]
struct LookOnly {
    inner: Arc<rustls::client::WebPkiServerVerifier>,
}

impl ServerCertVerifier for LookOnly {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    /// The last thing that is checked: it has the key as well.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)?;
        Err(rustls::Error::General(ENOUGH.to_owned()))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// What it says of itself.
fn asked(question: &Question<'_>, name: &str, status: &str) -> Finding {
    let said = match (question.subject.ask)(status, PATIENCE) {
        Ok(said) => said,
        Err(Unanswered::Silent(why)) => {
            return Finding::warning("status", format!("{name} does not tell its status at {status}: {why}"))
                .help("members work without; but status and elect cannot ask it");
        }
        Err(Unanswered::Foreign(why)) => {
            return Finding::wrong("status", format!("{status} is not the status of {name}: {why}"))
                .help("another program has the port; give it another `status` address");
        }
    };
    let cluster = question.subject.cluster;
    if said.member != name || said.cluster != cluster {
        let words = format!("{status} is member `{}` of cluster `{}`", said.member, said.cluster);
        return Finding::wrong("status", words).help(format!("it should be `{name}` of `{cluster}`"));
    }
    // The answer was made between the question and now.
    let here = clock::wall() / 1000;
    let off = said.wall_ms.abs_diff(here).saturating_sub(said.took.0 / 1000);
    if off > WALL_OFF_MS {
        let direction = if said.wall_ms > here { "ahead of" } else { "behind" };
        let words = format!("the wall clock of {name} is {} s {direction} that of this machine", off / 1000);
        return Finding::warning("clock", words)
            .help("certificates and the numbers of starts go by it; with systemd, there and here:")
            .command("timedatectl set-ntp true");
    }
    let bound = u64::from(question.subject.drift_ppm);
    let wrong = said.peers.iter().find(|(_, _, off)| off.unsigned_abs() > bound);
    if let Some((peer, _, off)) = wrong.filter(|_| bound > 0) {
        let words = format!("{name} finds that the clock of {peer} runs wrong by {off} ppm");
        return Finding::wrong("clock", words).help("what such a member grants does not count");
    }
    let heard = said.peers.iter().filter(|(_, heard, _)| *heard).count();
    let words = format!("{name} says that it hears {heard} of {} others", said.peers.len());
    if (heard + 1) * 2 <= said.peers.len() + 1 {
        return Finding::warning("status", format!("{words}: with itself no majority"));
    }
    Finding::well("status", words)
}
