//! One question as JSON to one of several servers, by HTTP or HTTPS, with a deadline.

use super::EtcdTls;
use crate::store::StoreError;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

/// A view has at most 1 MiB, and base64 makes four bytes of three.
const BYTES_MAX: u64 = 4 << 20;

/// Asks the servers of an etcd.
pub(super) struct Http {
    agent: ureq::Agent,
    endpoints: Arc<[String]>,
    /// The one that answered last.
    preferred: Arc<AtomicUsize>,
}

impl Http {
    pub(super) fn new(endpoints: &[String], tls: Option<&EtcdTls>) -> Result<Http, StoreError> {
        if endpoints.is_empty() {
            return Err(wrong("no endpoint of etcd is given: `endpoints = [\"https://host:2379\"]`"));
        }
        for endpoint in endpoints {
            let secure = endpoint.starts_with("https://");
            if !secure && !endpoint.starts_with("http://") {
                return Err(wrong(&format!(
                    "the endpoint `{endpoint}` of etcd does not begin with `http://` or `https://`"
                )));
            }
            if secure && tls.is_none() {
                return Err(wrong(&format!(
                    "the endpoint `{endpoint}` needs the certificate of the authority that vouches for etcd"
                )));
            }
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut trust = TlsConfig::builder().unversioned_rustls_crypto_provider(provider);
        if let Some(tls) = tls {
            trust = trust.root_certs(RootCerts::Specific(Arc::new(certificates(&tls.authority)?)));
            if let Some((chain, key)) = &tls.identity {
                let key = PrivateKey::from_pem(key)
                    .map_err(|error| wrong(&format!("the key for etcd: {error}")))?;
                trust = trust.client_cert(Some(ClientCert::new_with_certs(&certificates(chain)?, key)));
            }
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // What is asked of etcd is not for others to see, and a proxy would count as etcd.
            .proxy(None)
            .tls_config(trust.build())
            .build();
        let endpoints = endpoints.iter().map(|endpoint| endpoint.trim_end_matches('/').to_owned()).collect();
        Ok(Http { agent: ureq::Agent::new_with_config(config), endpoints, preferred: Arc::default() })
    }

    /// Asks one server after the other until one answers.
    pub(super) async fn call(
        &self,
        path: &str,
        question: Value,
        deadline: Instant,
    ) -> Result<Value, StoreError> {
        let (agent, endpoints, preferred) =
            (self.agent.clone(), self.endpoints.clone(), self.preferred.clone());
        let path = path.to_owned();
        // A thread for each question, a few times a second, and none for longer than the deadline.
        let asked = tokio::task::spawn_blocking(move || {
            let first = preferred.load(Ordering::Relaxed);
            let mut why = "no time was left".to_owned();
            for turn in 0..endpoints.len() {
                let place = (first + turn) % endpoints.len();
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                // Time for the others must remain: one that hangs is like one that is gone.
                let share = left / u32::try_from(endpoints.len() - turn).unwrap_or(1);
                match ask(&agent, &endpoints[place], &path, &question, share) {
                    Ok(answer) => {
                        preferred.store(place, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    Err(error) => why = format!("etcd at {}: {error}", endpoints[place]),
                }
            }
            Err(StoreError::Unavailable(why))
        });
        asked.await.map_err(|error| StoreError::Unavailable(error.to_string()))?
    }
}

fn ask(
    agent: &ureq::Agent,
    endpoint: &str,
    path: &str,
    question: &Value,
    within: Duration,
) -> Result<Value, String> {
    let request = agent.post(format!("{endpoint}{path}")).header("content-type", "application/json");
    let request = request.config().timeout_global(Some(within)).build();
    let mut answer = request.send(question.to_string()).map_err(|error| error.to_string())?;
    let body =
        answer.body_mut().with_config().limit(BYTES_MAX).read_to_vec().map_err(|error| error.to_string())?;
    let status = answer.status();
    if !status.is_success() {
        let said: String = String::from_utf8_lossy(&body).chars().take(200).collect();
        return Err(format!("it answers {status}: {said}"));
    }
    serde_json::from_slice(&body).map_err(|error| format!("its answer is not JSON: {error}"))
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, StoreError> {
    let mut found = Vec::new();
    for item in parse_pem(pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(wrong(&format!("a certificate for etcd: {error}"))),
        }
    }
    if found.is_empty() {
        Err(wrong("a certificate for etcd is expected, and there is none in the file"))
    } else {
        Ok(found)
    }
}

fn wrong(why: &str) -> StoreError {
    StoreError::Broken(why.to_owned())
}
