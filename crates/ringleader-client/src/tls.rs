//! TLS as a client: certificates and keys out of files in PEM form, whom a client believes, and who it is. Servers and
//! nodes dial each other with the same.

use crate::error::{Code, LockError};
use crate::options::{Credentials, Options};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use std::path::Path;
use std::sync::Arc;

/// Some certificates, in the order of their file.
pub type Chain = Vec<CertificateDer<'static>>;

/// The certificates in a text in PEM form; none if there are none, or one of them cannot be read.
#[must_use]
pub fn certificates(pem: &[u8]) -> Option<Chain> {
    let all: Result<Chain, _> = CertificateDer::pem_slice_iter(pem).collect();
    all.ok().filter(|all| !all.is_empty())
}

/// The private key in a text in PEM form, if there is one.
#[must_use]
pub fn private_key(pem: &[u8]) -> Option<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem).ok()
}

/// These authorities are believed, and no others.
///
/// # Errors
/// If one of them is of no use.
pub fn roots(authority: &[CertificateDer<'static>]) -> Result<RootCertStore, rustls::Error> {
    let mut roots = RootCertStore::empty();
    authority.iter().try_for_each(|certificate| roots.add(certificate.clone()))?;
    Ok(roots)
}

/// What all cryptography is done with.
#[must_use]
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The dialling side: whom it believes, and the certificates and the key that it shows, if it shows any.
///
/// # Errors
/// If a certificate does not fit the key, or one of them is of no use.
pub fn dials(
    versions: &[&'static SupportedProtocolVersion],
    roots: impl Into<Arc<RootCertStore>>,
    own: Option<(Chain, PrivateKeyDer<'static>)>,
) -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)?
        .with_root_certificates(roots);
    match own {
        Some((chain, key)) => builder.with_client_auth_cert(chain, key),
        None => Ok(builder.with_no_client_auth()),
    }
}

fn bad(message: String) -> LockError {
    LockError::new(Code::BadCredentials, message, "nothing was asked")
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, LockError> {
    std::fs::read(path).map_err(|error| bad(format!("cannot read {what}, {}: {error}", path.display())))
}

/// Something that nobody else knows.
///
/// # Errors
/// If the operating system gives nothing to draw from.
pub(crate) fn secret() -> Result<String, LockError> {
    let mut drawn = [0; 16];
    let nothing = |_| bad("the operating system gives no random numbers".to_owned());
    provider().secure_random.fill(&mut drawn).map_err(nothing)?;
    Ok(drawn.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whom a client of these options believes, and who it is: TLS 1.3 to a server whose certificate is of the cluster's
/// own authority and has its name.
///
/// # Errors
/// If there is no authority, or a file is of no use.
pub(crate) fn of_options(options: &Options) -> Result<Arc<ClientConfig>, LockError> {
    let Some(authority) = &options.authority else {
        let message = "a server over TLS needs the certificate of the cluster's authority".to_owned();
        return Err(bad(message).with_help("the file that `ringleader cert init` wrote, such as ca.pem"));
    };
    let read_chain = |path: &Path, what: &str| {
        let none = || bad(format!("{} holds no certificate in PEM form", path.display()));
        certificates(&read(path, what)?).ok_or_else(none)
    };
    let roots = roots(&read_chain(authority, "the certificate of the authority")?)
        .map_err(|error| bad(format!("{} is of no use: {error}", authority.display())))?;
    let own = match &options.credentials {
        Credentials::None | Credentials::Token(_) => None,
        Credentials::Certificate { chain, key } => {
            let certificates = read_chain(chain, "the certificate of this client")?;
            let none = || bad(format!("{} holds no private key in PEM form", key.display()));
            Some((certificates, private_key(&read(key, "the key of this client")?).ok_or_else(none)?))
        }
    };
    let config =
        dials(&[&rustls::version::TLS13], roots, own).map_err(|error| match &options.credentials {
            Credentials::Certificate { chain, key } => {
                bad(format!("{} and {} are of no use: {error}", chain.display(), key.display()))
            }
            Credentials::None | Credentials::Token(_) => bad(format!("TLS 1.3 is not to be had: {error}")),
        })?;
    Ok(Arc::new(config))
}
