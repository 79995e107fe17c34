//! The way to a collector: one request at a time, each with a limit of time.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use prost::Message;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// Where telemetry goes.
pub(crate) struct Collector {
    address: String,
    patience: Duration,
    runtime: Runtime,
}

/// The address in this URL.
pub(crate) fn address(url: &str) -> Result<&str, String> {
    let expected =
        "expected a collector such as \"http://127.0.0.1:4318\": plain HTTP, to this machine or network";
    let address = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let has_port = |address: &&str| {
        let parts = address.rsplit_once(':');
        parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    };
    let address = address.filter(has_port).filter(|address| !address.contains('/'));
    address.ok_or_else(|| format!("{expected}, found `{url}`"))
}

impl Collector {
    pub(crate) fn new(url: &str, patience: Duration) -> Result<Collector, String> {
        let address = address(url)?.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("there is no runtime for telemetry: {error}"))?;
        Ok(Collector { address, patience, runtime })
    }

    /// Sends one message, and waits for the answer.
    pub(crate) fn post(&self, path: &str, message: &impl Message) -> Result<(), String> {
        let body = Full::new(Bytes::from(message.encode_to_vec()));
        let request = Request::post(path)
            .header("host", &self.address)
            .header("content-type", "application/x-protobuf")
            .body(body)
            .map_err(|error| error.to_string())?;
        let told = self.runtime.block_on(async { timeout(self.patience, self.asks(request)).await });
        told.unwrap_or_else(|_| Err(format!("no answer within {} s", self.patience.as_secs_f32())))
    }

    async fn asks(&self, request: Request<Full<Bytes>>) -> Result<(), String> {
        let said = |error: &dyn std::error::Error| error.to_string();
        let stream = TcpStream::connect(&self.address).await.map_err(|error| said(&error))?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| said(&error))?;
        let driver = tokio::spawn(connection);
        let answer = async {
            let response = sender.send_request(request).await.map_err(|error| said(&error))?;
            let status = response.status();
            // A collector that wants to say more than this is not heard out.
            let _ = http_body_util::Limited::new(response.into_body(), 64 * 1024).collect().await;
            if status.is_success() { Ok(()) } else { Err(format!("the collector answers {status}")) }
        };
        let answer = answer.await;
        driver.abort();
        answer
    }
}
