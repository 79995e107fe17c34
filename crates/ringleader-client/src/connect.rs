//! Connections: to a socket or over TLS, then HTTP/1.1, then the stream of questions and replies.

use crate::api::{Refusal, STREAM};
use crate::endpoint::Endpoint;
use crate::error::{Code, LockError};
use crate::http::{Address, Question, Stream};
use crate::options::{Credentials, Options};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, UPGRADE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::sync::Arc;

/// More of an answer is not read.
const BODY_MAX: usize = 8 << 20;

/// How servers are reached.
pub(crate) struct Connector {
    tls: Option<Arc<ClientConfig>>,
    token: Option<String>,
}

/// Nobody answers, or not as a server does.
pub(crate) fn unreached(endpoint: &Endpoint, why: impl core::fmt::Display) -> LockError {
    LockError::new(Code::NoServer, format!("{endpoint} does not answer: {why}"), "nothing")
}

impl Connector {
    /// # Errors
    /// If there is no server, or a file that is needed is of no use.
    pub(crate) fn new(options: &Options) -> Result<Connector, LockError> {
        if options.servers.is_empty() {
            return Err(LockError::new(Code::BadRequest, "no server was named", "nothing was asked"));
        }
        let over_tls = options.servers.iter().any(|server| matches!(server, Endpoint::Https { .. }));
        let tls = if over_tls { Some(crate::tls::of_options(options)?) } else { None };
        let token = match &options.credentials {
            Credentials::Token(token) => Some(token.clone()),
            Credentials::None | Credentials::Certificate { .. } => None,
        };
        Ok(Connector { tls, token })
    }

    fn address(&self, endpoint: &Endpoint) -> Result<Address, LockError> {
        match endpoint {
            Endpoint::Unix(path) => Ok(Address::Unix(path.clone())),
            Endpoint::Https { host, port, name } => {
                let name = name.as_ref().unwrap_or(host).clone();
                let name = ServerName::try_from(name.clone())
                    .map_err(|_| unreached(endpoint, format!("`{name}` is no name of a certificate")))?;
                let Some(tls) = &self.tls else {
                    return Err(unreached(endpoint, "there is no authority to know it by"));
                };
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                Ok(Address::Tls(format!("{host}:{port}"), name, Arc::clone(tls)))
            }
        }
    }

    fn request(&self, endpoint: &Endpoint, method: Method, path: &str) -> hyper::http::request::Builder {
        let host = match endpoint {
            Endpoint::Https { host, port, name } => format!("{}:{port}", name.as_ref().unwrap_or(host)),
            Endpoint::Unix(_) => "localhost".to_owned(),
        };
        let builder = Request::builder().method(method).uri(path).header(HOST, host);
        match &self.token {
            Some(token) => builder.header(AUTHORIZATION, format!("Bearer {token}")),
            None => builder,
        }
    }

    async fn send(&self, endpoint: &Endpoint, question: Question) -> Result<Response<Incoming>, LockError> {
        let stream = self.address(endpoint)?.dial().await.map_err(|error| unreached(endpoint, error))?;
        let connected = crate::http::connect(stream).await;
        let mut sender = connected.map_err(|error| unreached(endpoint, error))?;
        sender.send_request(question).await.map_err(|error| unreached(endpoint, error))
    }

    /// A stream of questions and replies, and what came of it already.
    pub(crate) async fn stream(&self, endpoint: &Endpoint) -> Result<(Box<dyn Stream>, Bytes), LockError> {
        let request = self
            .request(endpoint, Method::GET, "/v1/stream")
            .header(CONNECTION, "upgrade")
            .header(UPGRADE, STREAM)
            .body(Full::default())
            .map_err(|error| unreached(endpoint, error))?;
        let response = self.send(endpoint, request).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(refusal(endpoint, response).await);
        }
        let upgraded = hyper::upgrade::on(response).await.map_err(|error| unreached(endpoint, error))?;
        match upgraded.downcast::<TokioIo<Box<dyn Stream>>>() {
            Ok(parts) => Ok((parts.io.into_inner(), parts.read_buf)),
            Err(upgraded) => Ok((Box::new(TokioIo::new(upgraded)), Bytes::new())),
        }
    }

    /// An answer that goes on: server-sent events.
    pub(crate) async fn events(&self, endpoint: &Endpoint, path: &str) -> Result<Incoming, LockError> {
        let request = self.request(endpoint, Method::GET, path).body(Full::default());
        let response = self.send(endpoint, request.map_err(|error| unreached(endpoint, error))?).await?;
        if response.status() == StatusCode::OK {
            Ok(response.into_body())
        } else {
            Err(refusal(endpoint, response).await)
        }
    }

    /// The answer to one call.
    pub(crate) async fn call(
        &self,
        endpoint: &Endpoint,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> Result<Bytes, LockError> {
        let builder = self.request(endpoint, method, path).header(CONNECTION, "close");
        let request = match body {
            Some(body) => builder.header(CONTENT_TYPE, "application/json").body(Full::from(body)),
            None => builder.body(Full::default()),
        };
        let response = self.send(endpoint, request.map_err(|error| unreached(endpoint, error))?).await?;
        if !response.status().is_success() {
            return Err(refusal(endpoint, response).await);
        }
        let body = Limited::new(response.into_body(), BODY_MAX).collect().await;
        Ok(body.map_err(|error| unreached(endpoint, error))?.to_bytes())
    }
}

/// What a server says that does not do what it was asked.
async fn refusal(endpoint: &Endpoint, response: Response<Incoming>) -> LockError {
    let status = response.status();
    let body = Limited::new(response.into_body(), BODY_MAX).collect().await;
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    match serde_json::from_slice::<Refusal>(&body) {
        Ok(refusal) => refusal.into(),
        Err(_) => {
            let message = format!("{endpoint} answers `{status}`: it is no lock server, or another version");
            LockError::new(Code::Protocol, message, "nothing")
        }
    }
}

/// A name as a part of a path.
pub(crate) fn in_path(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let written = name
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    written.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_is_one_part_of_a_path() {
        assert_eq!(super::in_path("nightly-backup"), "nightly-backup");
        assert_eq!(super::in_path("a/b c?d=é%"), "a%2Fb%20c%3Fd%3D%C3%A9%25");
    }
}
