//! TLS 1.3 to a server: its certificate is of the cluster's own authority and has its name; ours is shown if
//! there is one.

use crate::error::{Code, LockError};
use crate::options::{Credentials, Options};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

fn bad(message: String) -> LockError {
    LockError::new(Code::BadCredentials, message, "nothing was asked")
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, LockError> {
    std::fs::read(path).map_err(|error| bad(format!("cannot read {what}, {}: {error}", path.display())))
}

fn certificates(path: &Path, what: &str) -> Result<Vec<CertificateDer<'static>>, LockError> {
    let pem = read(path, what)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) | Err(_) => Err(bad(format!("{} holds no certificate in PEM form", path.display()))),
    }
}

/// Something that nobody else knows.
///
/// # Errors
/// If the operating system gives nothing to draw from.
pub(crate) fn secret() -> Result<String, LockError> {
    let mut drawn = [0; 16];
    let nothing = |_| bad("the operating system gives no random numbers".to_owned());
    aws_lc_rs::default_provider().secure_random.fill(&mut drawn).map_err(nothing)?;
    Ok(drawn.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whom the client believes, and who it is.
///
/// # Errors
/// If there is no authority, or a file is of no use.
pub(crate) fn config(options: &Options) -> Result<Arc<ClientConfig>, LockError> {
    let Some(authority) = &options.authority else {
        let message = "a server over TLS needs the certificate of the cluster's authority".to_owned();
        return Err(bad(message).with_help("the file that `ringleader cert init` wrote, such as ca.pem"));
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authority, "the certificate of the authority")? {
        let of_no_use = |error| bad(format!("{} is of no use: {error}", authority.display()));
        roots.add(certificate).map_err(of_no_use)?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| bad(format!("TLS 1.3 is not to be had: {error}")))?
        .with_root_certificates(roots);
    let config = match &options.credentials {
        Credentials::None | Credentials::Token(_) => builder.with_no_client_auth(),
        Credentials::Certificate { chain, key } => {
            let certificates = certificates(chain, "the certificate of this client")?;
            let pem = read(key, "the key of this client")?;
            let no_key = |_| bad(format!("{} holds no private key in PEM form", key.display()));
            let secret = PrivateKeyDer::from_pem_slice(&pem).map_err(no_key)?;
            let of_no_use =
                |error| bad(format!("{} and {} are of no use: {error}", chain.display(), key.display()));
            builder.with_client_auth_cert(certificates, secret).map_err(of_no_use)?
        }
    };
    Ok(Arc::new(config))
}
