//! Who a peer is: TLS 1.3, both sides with a certificate of the cluster's own authority. A certificate has exactly one
//! name, `MEMBER.CLUSTER.ringleader`, so that one authority may serve several clusters and none is taken for another.
//! Addresses may stand beside it.

use crate::Problem;
use crate::config::Security;
use core::fmt;
use ringleader_client::tls::{certificates, private_key, provider, roots};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerifier as _};
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientCertVerifierBuilder, WebPkiClientVerifier};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, OtherError, PeerIncompatible,
    RootCertStore, ServerConfig, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// What every certificate's name ends with.
pub const SUFFIX: &str = "ringleader";

/// Who this member is, and whom it believes.
pub struct Identity {
    /// The name of the cluster.
    pub cluster: String,
    /// The certificates of the authority.
    pub authority: Vec<CertificateDer<'static>>,
    /// The certificate of this member, and those between it and the authority.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
    /// The lists of certificates that are believed no more, each signed by an authority.
    pub revoked: Vec<CertificateRevocationListDer<'static>>,
}

impl Clone for Identity {
    fn clone(&self) -> Identity {
        Identity {
            cluster: self.cluster.clone(),
            authority: self.authority.clone(),
            chain: self.chain.clone(),
            key: self.key.clone_key(),
            revoked: self.revoked.clone(),
        }
    }
}

impl Identity {
    /// Reads the files that the configuration names; none in plain text.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what it should be.
    pub fn read(security: &Security, cluster: &str) -> Result<Option<Identity>, Problem> {
        let Security::Tls { authority, certificate, key, revoked } = security else { return Ok(None) };
        let revoked = revoked.as_deref().map(lists).transpose()?.unwrap_or_default();
        let read = |path: &Path, what: &str| {
            std::fs::read(path).map_err(|error| {
                let why = format!("cannot read {what}, {}: {error}", path.display());
                Problem::environment("certificate_file", why)
                    .help("the authority and the certificates of members are made by:")
                    .command(format!("ringleader cert init --cluster {cluster}"), "")
                    .command(format!("ringleader cert issue NAME --cluster {cluster}"), "")
            })
        };
        let pems = [
            read(authority, "the certificate of the authority")?,
            read(certificate, "the certificate of this member")?,
            read(key, "the key of this member")?,
        ];
        let [authority, certificate, key] =
            [authority, certificate, key].map(|path| path.display().to_string());
        let files: [(&str, &[u8]); 3] = [(&authority, &pems[0]), (&certificate, &pems[1]), (&key, &pems[2])];
        Ok(Some(Identity { revoked, ..Identity::from_pem(cluster, files)? }))
    }

    /// From the contents of the three files: authority, certificate, key; each with its name, for messages.
    ///
    /// # Errors
    /// If one of them is not what it should be.
    pub fn from_pem(cluster: &str, files: [(&str, &[u8]); 3]) -> Result<Identity, Problem> {
        let bad = |file: &str, what: &str| {
            Problem::environment("certificate_file", format!("{file} holds no {what} in PEM form"))
                .help("such as `ringleader cert init` and `ringleader cert issue` write them")
        };
        let certificates =
            |(file, pem): (&str, &[u8])| certificates(pem).ok_or_else(|| bad(file, "certificate"));
        let [authority, chain, (key_file, key)] = files;
        Ok(Identity {
            cluster: cluster.to_owned(),
            authority: certificates(authority)?,
            chain: certificates(chain)?,
            key: private_key(key).ok_or_else(|| bad(key_file, "private key"))?,
            revoked: Vec::new(),
        })
    }

    /// Until when the certificate of this member is valid, in seconds since 1970; 0 if that cannot be read.
    #[must_use]
    pub fn valid_until(&self) -> i64 {
        let first = self.chain.first().and_then(|first| X509Certificate::from_der(first).ok());
        first.map_or(0, |(_, certificate)| certificate.validity().not_after.timestamp())
    }

    /// Whether others believe the certificate of this member of theirs.
    ///
    /// # Errors
    /// If they would not, with the reason that they would give.
    pub fn is_believed(&self, member: &str) -> Result<(), Stranger> {
        let none = || Stranger::new("certificate_name", "the name cannot stand in a certificate");
        let name = server_name(member, &self.cluster).ok_or_else(none)?;
        let empty = || Stranger::new("no_certificate", "the file holds no certificate");
        let (first, rest) = self.chain.split_first().ok_or_else(empty)?;
        let verifier = verifier(self).map_err(|problem| Stranger::new(problem.code, problem.message))?;
        let verified = verifier.verify_server_cert(first, rest, &name, &[], UnixTime::now());
        verified.map(|_| ()).map_err(|error| explain(&error))
    }

    fn roots(&self) -> Result<Arc<RootCertStore>, rustls::Error> {
        roots(&self.authority).map(Arc::new)
    }
}

/// The lists in a file: certificates that are believed no more.
fn lists(path: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>, Problem> {
    let bad = |why: String| {
        Problem::environment("certificate_file", why)
            .help("such a list is in PEM form, -----BEGIN X509 CRL----- and so on; it is made by:")
            .command("ringleader cert revoke FILE", "")
    };
    let pem = std::fs::read(path).map_err(|error| {
        bad(format!("cannot read the list of revoked certificates, {}: {error}", path.display()))
    })?;
    let all: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&pem).collect();
    let all = all.ok().filter(|all| !all.is_empty());
    all.ok_or_else(|| bad(format!("{} holds no list of revoked certificates in PEM form", path.display())))
}

/// Our own certificates are of no use.
fn unusable(error: &rustls::Error) -> Problem {
    let reason = explain(error);
    Problem::environment(reason.code, format!("the certificates of this member are of no use: {reason}"))
        .help("what is wrong with them is said by:")
        .command("ringleader doctor --config cluster.toml --name NAME", "")
}

/// The listening side: TLS 1.3 only, and nobody without a certificate of this cluster.
///
/// # Errors
/// If the certificate does not fit the key, or one of them is of no use.
pub fn server(identity: &Identity) -> Result<Arc<ServerConfig>, Problem> {
    listens(identity, members(identity)?)
}

/// What the listening side judges the certificates of other members by.
pub(crate) fn members(identity: &Identity) -> Result<Arc<dyn ClientCertVerifier>, Problem> {
    let inner = judge(identity, |builder| builder)?;
    Ok(Arc::new(OfCluster { inner, cluster: identity.cluster.clone() }))
}

/// The listening side for clients: TLS 1.3 only. A client may show a certificate of this cluster, a client's or a
/// member's; one that shows none must say otherwise who it is.
///
/// # Errors
/// As [`server`].
pub fn server_for_clients(identity: &Identity) -> Result<Arc<ServerConfig>, Problem> {
    listens(identity, clients(identity)?)
}

/// What the listening side judges the certificates of clients by.
pub(crate) fn clients(identity: &Identity) -> Result<Arc<dyn ClientCertVerifier>, Problem> {
    judge(identity, ClientCertVerifierBuilder::allow_unauthenticated)
}

fn authority(identity: &Identity) -> Result<Arc<RootCertStore>, Problem> {
    identity.roots().map_err(|error| unusable(&error))
}

/// A certificate is refused if a list says so. What no list speaks of is not: an authority that takes over from another
/// has revoked nothing yet. Nor is a list refused for its age: a list that nobody renewed must not stop a cluster.
fn judge(
    identity: &Identity,
    more: impl FnOnce(ClientCertVerifierBuilder) -> ClientCertVerifierBuilder,
) -> Result<Arc<dyn ClientCertVerifier>, Problem> {
    let builder = WebPkiClientVerifier::builder_with_provider(authority(identity)?, provider());
    let builder = builder.with_crls(identity.revoked.clone()).allow_unknown_revocation_status();
    more(builder).build().map_err(|error| no_judge(&error))
}

/// What the dialling side judges the certificates of others by.
pub(crate) fn verifier(identity: &Identity) -> Result<Arc<WebPkiServerVerifier>, Problem> {
    let builder = WebPkiServerVerifier::builder_with_provider(authority(identity)?, provider());
    let builder = builder.with_crls(identity.revoked.clone()).allow_unknown_revocation_status();
    builder.build().map_err(|error| no_judge(&error))
}

fn no_judge(error: &VerifierBuilderError) -> Problem {
    let what = match error {
        VerifierBuilderError::InvalidCrl(_) => "the list of revoked certificates",
        VerifierBuilderError::NoRootAnchors | _ => "the authority",
    };
    Problem::environment("certificate_issuer", format!("{what} is of no use: {error}"))
}

pub(crate) fn listens(
    identity: &Identity,
    verifier: Arc<dyn ClientCertVerifier>,
) -> Result<Arc<ServerConfig>, Problem> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| unusable(&error))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())
        .map_err(|error| unusable(&error))?;
    // A resumed session would not look at the certificate again: an expired one would live on.
    config.send_tls13_tickets = 0;
    config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
    Ok(Arc::new(config))
}

/// The dialling side: presents its own certificate, and believes only the authority.
///
/// # Errors
/// As [`server`].
pub fn client(identity: &Identity) -> Result<Arc<ClientConfig>, Problem> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| unusable(&error))?
        .with_webpki_verifier(verifier(identity)?)
        .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
        .map_err(|error| unusable(&error))?;
    config.resumption = rustls::client::Resumption::disabled();
    Ok(Arc::new(config))
}

/// The name in a member's certificate.
#[must_use]
pub fn certificate_name(member: &str, cluster: &str) -> String {
    format!("{member}.{cluster}.{SUFFIX}")
}

/// The label that tells a client's name from a member's: a client's certificate is never taken for a member's.
pub const CLIENT: &str = "client";

/// The name in a client's certificate.
#[must_use]
pub fn client_name(client: &str, cluster: &str) -> String {
    format!("{client}.{CLIENT}.{cluster}.{SUFFIX}")
}

/// The client or member of this cluster whose certificate this is, the first of a chain that was verified.
///
/// # Errors
/// If it is of another cluster, or has no name, or several.
pub fn caller_of(chain: &[CertificateDer<'_>], cluster: &str) -> Result<String, Stranger> {
    let ending = format!(".{CLIENT}.{cluster}.{SUFFIX}");
    match only_name(chain)?.strip_suffix(&ending) {
        Some(client) if crate::config::is_name(client) => Ok(client.to_owned()),
        Some(_) | None => name_of(chain, cluster),
    }
}

/// The name that the dialling side asks for. None if these are no names.
#[must_use]
pub fn server_name(member: &str, cluster: &str) -> Option<ServerName<'static>> {
    ServerName::try_from(certificate_name(member, cluster)).ok()
}

/// Why a peer is turned away, or not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stranger {
    /// A word to search for and to count by.
    pub code: &'static str,
    /// The reason.
    pub message: String,
}

impl Stranger {
    /// With these words.
    pub fn new(code: &'static str, message: impl Into<String>) -> Stranger {
        Stranger { code, message: message.into() }
    }
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Stranger {}

/// The member of this cluster whose certificate this is, the first of a chain that was verified.
///
/// # Errors
/// If it is of another cluster, or has no name, or several.
pub fn name_of(chain: &[CertificateDer<'_>], cluster: &str) -> Result<String, Stranger> {
    let name = only_name(chain)?;
    let mut labels = name.split('.');
    match (labels.next(), labels.next(), labels.next(), labels.next()) {
        (Some(member), Some(of), Some(SUFFIX), None) if of == cluster && crate::config::is_name(member) => {
            Ok(member.to_owned())
        }
        (Some(_), Some(of), Some(SUFFIX), None) if of != cluster => {
            let words =
                format!("its certificate is for `{name}`, which is of cluster `{of}`, not `{cluster}`");
            Err(Stranger::new("certificate_cluster", words))
        }
        _none_of_ours => {
            let words = format!("its certificate is for `{name}`, which is no member of cluster `{cluster}`");
            Err(Stranger::new("certificate_name", words))
        }
    }
}

/// The one name in a certificate.
fn only_name(chain: &[CertificateDer<'_>]) -> Result<String, Stranger> {
    let first = chain.first().ok_or_else(|| Stranger::new("no_certificate", "it shows no certificate"))?;
    let malformed = || Stranger::new("certificate_malformed", "its certificate cannot be read");
    let (_, certificate) = X509Certificate::from_der(first).map_err(|_| malformed())?;
    let names = certificate.subject_alternative_name().map_err(|_| malformed())?;
    let mut names = names.map(|names| names.value.general_names.clone()).unwrap_or_default();
    // Where others look for it says nothing about who it is.
    names.retain(|name| !matches!(name, GeneralName::IPAddress(_)));
    let [GeneralName::DNSName(name)] = names.as_slice() else {
        let words = format!("its certificate has {} names; a member's has exactly one", names.len());
        return Err(Stranger::new("certificate_name", words));
    };
    Ok((*name).to_owned())
}

/// What went wrong between two sides, in words.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors are many, and not ours")]
pub fn explain(error: &rustls::Error) -> Stranger {
    use rustls::Error;
    match error {
        Error::InvalidCertificate(CertificateError::Other(OtherError(inner))) => {
            match inner.downcast_ref::<Stranger>() {
                Some(known) => known.clone(),
                None => Stranger::new("certificate_malformed", format!("its certificate: {inner}")),
            }
        }
        Error::InvalidCertificate(why) => certificate(why),
        Error::InvalidCertRevocationList(why) => Stranger::new(
            "certificate_list",
            format!("the list of revoked certificates of its authority is of no use here: {why:?}"),
        ),
        Error::NoCertificatesPresented => Stranger::new(
            "no_certificate",
            "it shows no certificate; members need one of the cluster's authority",
        ),
        Error::PeerIncompatible(why) => incompatible(why),
        Error::InvalidMessage(_) | Error::InappropriateMessage { .. } => {
            Stranger::new("plain_text", "it does not speak TLS; plain text is not heard here")
        }
        Error::AlertReceived(alert) => {
            let words = format!("it refuses us, by the alert {alert:?}; its log says why");
            Stranger::new("refused_by_peer", words)
        }
        Error::InconsistentKeys(_) => {
            Stranger::new("certificate_key", "the key is not that of the certificate")
        }
        _other => Stranger::new("tls", format!("TLS fails: {error}")),
    }
}

/// The same for an error of a stream.
#[must_use]
pub fn explain_io(error: &std::io::Error) -> Stranger {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(inner) => explain(inner),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Stranger::new("closed", "it closes the connection before anything was agreed")
        }
        None => Stranger::new("connection", error.to_string()),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors are many, and not ours")]
pub(crate) fn certificate(why: &CertificateError) -> Stranger {
    match why {
        CertificateError::Expired => Stranger::new("certificate_expired", "its certificate has expired"),
        CertificateError::ExpiredContext { not_after, .. } => {
            let words = format!("its certificate has expired, on {}", day(not_after.as_secs()));
            Stranger::new("certificate_expired", words)
        }
        CertificateError::NotValidYet => {
            Stranger::new("certificate_not_yet_valid", "its certificate is not valid yet; is a clock wrong?")
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            let words = format!(
                "its certificate is valid from {} only; is a clock wrong?",
                day(not_before.as_secs())
            );
            Stranger::new("certificate_not_yet_valid", words)
        }
        CertificateError::Revoked => Stranger::new(
            "certificate_revoked",
            "its certificate has been revoked: a list of the authority says so",
        ),
        CertificateError::UnknownIssuer | CertificateError::BadSignature => Stranger::new(
            "certificate_issuer",
            "its certificate is not of the cluster's authority: another one, or an older one, has signed it",
        ),
        CertificateError::NotValidForName => {
            Stranger::new("certificate_name", "its certificate is for another name")
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let expected = expected.to_str();
            // The library shows names as it holds them: DnsName("b.demo.ringleader").
            let names: Vec<&str> =
                presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name.as_str())).collect();
            let words = format!("its certificate is for `{}`, not for `{expected}`", names.join("`, `"));
            Stranger::new("certificate_name", words)
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            Stranger::new("certificate_purpose", "its certificate is not meant for members")
        }
        _other => Stranger::new("certificate_malformed", format!("its certificate: {why}")),
    }
}

fn incompatible(why: &PeerIncompatible) -> Stranger {
    if *why == PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon
        || *why == PeerIncompatible::NoSignatureSchemesInCommon
    {
        return Stranger::new("tls", format!("TLS fails: {why:?}"));
    }
    Stranger::new("tls_version", format!("it does not speak TLS 1.3 as we do ({why:?})"))
}

/// A day in the calendar, from seconds since 1970.
pub(crate) fn day(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    match x509_parser::time::ASN1Time::from_timestamp(seconds) {
        Ok(time) => {
            let date = time.to_datetime();
            format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
        }
        Err(_) => "a day beyond the calendar".to_owned(),
    }
}

/// Certificates of the authority, but only those of this cluster.
#[derive(Debug)]
struct OfCluster {
    inner: Arc<dyn ClientCertVerifier>,
    cluster: String,
}

impl ClientCertVerifier for OfCluster {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        let verified = self.inner.verify_client_cert(end_entity, intermediates, now)?;
        match name_of(core::slice::from_ref(end_entity), &self.cluster) {
            Ok(_) => Ok(verified),
            Err(known) => {
                Err(rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(known)))))
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
