//! How the other end of a connection is known. It can be renewed while connections last: from then on new ones are met
//! with the new certificates, and those whose certificate is believed no more are told to end.

use crate::Problem;
use crate::config::Security;
use crate::tls::{self, Identity, Stranger, certificate, explain};
use rustls::CertificateError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_rustls::{TlsAcceptor, TlsConnector};
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::revocation_list::CertificateRevocationList;

/// The certificates that somebody has shown, the own one first.
pub type Shown = Vec<CertificateDer<'static>>;

/// What one side of a connection listens, dials and judges with.
#[derive(Clone)]
pub enum Means {
    /// Certificates.
    Tls {
        /// For connections that come in.
        acceptor: TlsAcceptor,
        /// For those that are dialled.
        connector: TlsConnector,
        /// Whom the listening side believes.
        callers: Arc<dyn ClientCertVerifier>,
        /// Whom the dialling side believes.
        called: Arc<WebPkiServerVerifier>,
        /// What both rest on.
        basis: Arc<Basis>,
    },
    /// It says so itself: on one machine, and only because the user asked for it.
    Plain,
}

impl Means {
    /// Of a member that listens to others.
    ///
    /// # Errors
    /// If a certificate is of no use.
    pub fn of_member(identity: &Identity) -> Result<Means, Problem> {
        Means::with(identity, tls::members(identity)?)
    }

    /// Of a server that listens to clients.
    ///
    /// # Errors
    /// As [`Means::of_member`].
    pub fn for_clients(identity: &Identity) -> Result<Means, Problem> {
        Means::with(identity, tls::clients(identity)?)
    }

    fn with(identity: &Identity, callers: Arc<dyn ClientCertVerifier>) -> Result<Means, Problem> {
        Ok(Means::Tls {
            acceptor: tls::listens(identity, Arc::clone(&callers))?.into(),
            connector: tls::client(identity)?.into(),
            callers,
            called: tls::verifier(identity)?,
            basis: Arc::new(Basis::of(identity)?),
        })
    }

    /// Whether whoever was believed on this ground, and has shown these, is believed still: it came in, or was dialled
    /// by this name. There may be many thousands to ask this about: signatures are only looked at again if an
    /// authority is gone.
    fn still_believes(
        &self,
        before: &Basis,
        shown: &Shown,
        dialled: Option<&ServerName<'_>>,
    ) -> Result<(), Stranger> {
        let Means::Tls { callers, called, basis, .. } = self else { return Ok(()) };
        let Some((first, rest)) = shown.split_first() else { return Ok(()) };
        if before.authorities.is_subset(&basis.authorities) {
            return match shown.iter().any(|certificate| basis.lists(certificate)) {
                true => Err(certificate(&CertificateError::Revoked)),
                false => Ok(()),
            };
        }
        let now = UnixTime::now();
        let judged = match dialled {
            None => callers.verify_client_cert(first, rest, now).map(|_| ()),
            Some(name) => called.verify_server_cert(first, rest, name, &[], now).map(|_| ()),
        };
        judged.map_err(|error| explain(&error))
    }

    fn basis(&self) -> Option<Arc<Basis>> {
        match self {
            Means::Tls { basis, .. } => Some(Arc::clone(basis)),
            Means::Plain => None,
        }
    }
}

/// Who signs, and what is revoked: the issuer and the number of each certificate.
pub struct Basis {
    authorities: HashSet<Vec<u8>>,
    revoked: HashSet<(Vec<u8>, Vec<u8>)>,
}

impl Basis {
    fn of(identity: &Identity) -> Result<Basis, Problem> {
        let bad = |why: String| Problem::environment("certificate_list", why);
        let mut subjects = HashSet::new();
        for authority in &identity.authority {
            let (_, read) = X509Certificate::from_der(authority)
                .map_err(|_| bad("the certificate of the authority cannot be read".to_owned()))?;
            subjects.insert(read.subject().as_raw().to_vec());
        }
        let mut revoked = HashSet::new();
        for list in &identity.revoked {
            let (_, read) = CertificateRevocationList::from_der(list)
                .map_err(|_| bad("the list of revoked certificates cannot be read".to_owned()))?;
            let issuer = read.issuer().as_raw().to_vec();
            if !subjects.contains(&issuer) {
                let why = format!(
                    "the list of revoked certificates is by {}, which is no authority here",
                    read.issuer()
                );
                return Err(bad(why)
                    .help("it is made with the key of the cluster's authority:")
                    .command("ringleader cert revoke FILE", ""));
            }
            revoked.extend(
                read.iter_revoked_certificates().map(|one| (issuer.clone(), one.raw_serial().to_vec())),
            );
        }
        let authorities = identity.authority.iter().map(|authority| authority.to_vec()).collect();
        Ok(Basis { authorities, revoked })
    }

    fn lists(&self, certificate: &CertificateDer<'_>) -> bool {
        // What cannot be read was never believed.
        let Ok((_, read)) = X509Certificate::from_der(certificate) else { return true };
        self.revoked.contains(&(read.issuer().as_raw().to_vec(), read.raw_serial().to_vec()))
    }
}

/// How the other end of a connection is known. Its clones are the same.
#[derive(Clone)]
pub struct Trust(Arc<watch::Sender<Means>>);

impl Trust {
    /// By these means, until they are renewed.
    #[must_use]
    pub fn new(means: Means) -> Trust {
        Trust(Arc::new(watch::Sender::new(means)))
    }

    /// As the configuration says; with TLS, who we are as well.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what it should be.
    pub fn read(security: &Security, cluster: &str) -> Result<(Trust, Option<Identity>), Problem> {
        let identity = Identity::read(security, cluster)?;
        let means = identity.as_ref().map_or(Ok(Means::Plain), Means::of_member)?;
        Ok((Trust::new(means), identity))
    }

    /// The means of now, and whatever takes their place.
    #[must_use]
    pub fn means(&self) -> (Means, Renewals) {
        let mut renewed = self.0.subscribe();
        let means = renewed.borrow_and_update().clone();
        let basis = means.basis();
        (means, Renewals { renewed, basis })
    }

    /// From now on it is by these.
    pub fn renew(&self, means: Means) {
        self.0.send_replace(means);
    }
}

/// What takes the place of the means by which somebody was believed.
#[derive(Clone)]
pub struct Renewals {
    renewed: watch::Receiver<Means>,
    basis: Option<Arc<Basis>>,
}

impl Renewals {
    /// Waits until whoever has shown these is believed no more: for ever, if that never happens.
    pub async fn ends(&mut self, shown: &Shown, dialled: Option<&ServerName<'_>>) -> Stranger {
        while self.renewed.changed().await.is_ok() {
            let means = self.renewed.borrow_and_update().clone();
            if let Some(before) = &self.basis
                && let Err(why) = means.still_believes(before, shown, dialled)
            {
                return why;
            }
            self.basis = means.basis();
        }
        std::future::pending().await
    }
}
