//! One question as JSON to one of several servers, by HTTP or HTTPS, with a deadline.

use super::EtcdTls;
use crate::store::StoreError;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Uri};
use ringleader_client::http::{Address, Asked, late};
use ringleader_client::tls::{Chain, certificates, dials, private_key, roots};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::{Instant, timeout};

/// A view has at most 1 MiB, and base64 makes four bytes of three.
const BYTES_MAX: usize = 4 << 20;

/// Asks the servers of an etcd.
pub(super) struct Http {
    servers: Vec<Server>,
    /// The one that answered last.
    preferred: AtomicUsize,
}

/// One of them.
struct Server {
    endpoint: String,
    host: String,
    asked: Asked,
}

impl Http {
    pub(super) fn new(endpoints: &[String], tls: Option<&EtcdTls>) -> Result<Http, StoreError> {
        if endpoints.is_empty() {
            return Err(wrong("no endpoint of etcd is given: `endpoints = [\"https://host:2379\"]`"));
        }
        let tls = tls.map(trust).transpose()?;
        let servers = endpoints.iter().map(|endpoint| Server::new(endpoint, tls.as_ref()));
        Ok(Http { servers: servers.collect::<Result<_, _>>()?, preferred: AtomicUsize::new(0) })
    }

    /// Asks one server after the other until one answers.
    pub(super) async fn call(
        &self,
        path: &str,
        question: Value,
        deadline: Instant,
    ) -> Result<Value, StoreError> {
        let question = Bytes::from(question.to_string());
        let (first, all) = (self.preferred.load(Ordering::Relaxed), self.servers.len());
        let mut why = "no time was left".to_owned();
        for turn in 0..all {
            let place = (first + turn) % all;
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            // Time for the others must remain: one that hangs is like one that is gone.
            let share = left / u32::try_from(all - turn).unwrap_or(1);
            let server = &self.servers[place];
            match timeout(share, server.ask(path, question.clone()))
                .await
                .unwrap_or_else(|_| Err(late().to_string()))
            {
                Ok(answer) => {
                    self.preferred.store(place, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(error) => why = format!("etcd at {}: {error}", server.endpoint),
            }
        }
        Err(StoreError::Unavailable(why))
    }
}

impl Server {
    fn new(endpoint: &str, tls: Option<&Arc<ClientConfig>>) -> Result<Server, StoreError> {
        let is_secure = endpoint.starts_with("https://");
        if !is_secure && !endpoint.starts_with("http://") {
            return Err(wrong(&format!(
                "the endpoint `{endpoint}` of etcd does not begin with `http://` or `https://`"
            )));
        }
        let endpoint = endpoint.trim_end_matches('/').to_owned();
        let uri: Uri = endpoint.parse().map_err(|error| no_address(&endpoint, error))?;
        let host = uri.authority().map(|at| at.as_str().to_owned()).unwrap_or_default();
        let name = uri.host().unwrap_or_default();
        let at = format!("{name}:{}", uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 }));
        let address = match (is_secure, tls) {
            (false, _) => Address::Plain(at),
            (true, Some(tls)) => {
                let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = ServerName::try_from(name).map_err(|error| no_address(&endpoint, error))?;
                Address::Tls(at, name, Arc::clone(tls))
            }
            (true, None) => {
                return Err(wrong(&format!(
                    "the endpoint `{endpoint}` needs the certificate of the authority that vouches for etcd"
                )));
            }
        };
        Ok(Server { endpoint, host, asked: Asked::new(address, BYTES_MAX) })
    }

    async fn ask(&self, path: &str, question: Bytes) -> Result<Value, String> {
        let before = self.endpoint.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        let path = before.map_or_else(|| path.to_owned(), |(_, before)| format!("/{before}{path}"));
        let request = Request::post(path).header(HOST, &self.host).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::from(question)).map_err(|error| error.to_string())?;
        let answer = self.asked.call(request).await.map_err(|error| error.to_string())?;
        let (status, body) = (answer.status(), answer.body());
        if !status.is_success() {
            let said: String = String::from_utf8_lossy(body).chars().take(200).collect();
            return Err(format!("it answers {status}: {said}"));
        }
        serde_json::from_slice(body).map_err(|error| format!("its answer is not JSON: {error}"))
    }
}

/// Whom to believe, and who we are.
fn trust(tls: &EtcdTls) -> Result<Arc<ClientConfig>, StoreError> {
    let of_no_use = |error: rustls::Error| wrong(&format!("a certificate for etcd: {error}"));
    let chain = |pem: &[u8]| -> Result<Chain, StoreError> {
        certificates(pem)
            .ok_or_else(|| wrong("a certificate for etcd is expected, and there is none in the file"))
    };
    let own = match &tls.identity {
        None => None,
        Some((own, key)) => {
            let none = || wrong("the key for etcd: there is none in the file");
            Some((chain(own)?, private_key(key).ok_or_else(none)?))
        }
    };
    let roots = roots(&chain(&tls.authority)?).map_err(of_no_use)?;
    dials(rustls::DEFAULT_VERSIONS, roots, own).map(Arc::new).map_err(of_no_use)
}

fn no_address(endpoint: &str, why: impl std::fmt::Display) -> StoreError {
    wrong(&format!("the endpoint `{endpoint}` of etcd is no address: {why}"))
}

fn wrong(why: &str) -> StoreError {
    StoreError::Broken(why.to_owned())
}
