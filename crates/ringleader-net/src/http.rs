//! What a member says of itself by HTTP: `/healthz`, `/readyz`, `/metrics`, `/v1/status`. Every answer comes from
//! the loop of the member, so that a member whose loop does not turn does not answer as if it did.

use crate::limits::{Phases, Purse, accept, visit};
use crate::metrics::Metrics;
use crate::node::{Handle, Silent};
use crate::status::{is_ready, status_json};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ringleader_live::{Cluster, Status};
use serde_json::{Value, json};
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// How long the loop has for an answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// So many may ask at once; of more, the oldest is displaced.
const VISITORS: usize = 32;

#[derive(Clone)]
struct Desk {
    handle: Handle,
    cluster: Arc<Cluster>,
    metrics: Arc<Metrics>,
}

/// Serves in a thread of its own: questions, however many, do not keep the member from its work.
pub(crate) fn serve(
    listener: TcpListener,
    handle: Handle,
    cluster: Arc<Cluster>,
    metrics: Arc<Metrics>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stopped = handle.clone();
    let desk = Desk { handle, cluster, metrics };
    let router = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics_text))
        .route("/v1/status", get(status))
        .fallback(unknown)
        .with_state(desk);
    std::thread::Builder::new().name("status".into()).spawn(move || {
        runtime.block_on(async {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            let (purse, phases) = (Purse::new(VISITORS), Phases::default());
            let serves = accept(&listener, &purse, |stream, _, place| {
                tokio::spawn(visit(stream, router.clone(), place, phases));
            });
            tokio::select! {
                () = serves => {}
                () = stopped.stopped() => {}
            }
        });
    })?;
    Ok(())
}

fn said(code: StatusCode, object: &Value) -> Response {
    (code, [(header::CONTENT_TYPE, "application/json")], format!("{object}\n")).into_response()
}

async fn ask(desk: &Desk) -> Result<Status, Response> {
    desk.handle.status_within(PATIENCE).await.map_err(|Silent| {
        let error = json!({ "ok": false, "error": "the loop of this member does not answer" });
        said(StatusCode::SERVICE_UNAVAILABLE, &error)
    })
}

async fn healthz(State(desk): State<Desk>) -> Response {
    match ask(&desk).await {
        Ok(_) => said(StatusCode::OK, &json!({ "ok": true })),
        Err(response) => response,
    }
}

async fn readyz(State(desk): State<Desk>) -> Response {
    let status = match ask(&desk).await {
        Ok(status) => status,
        Err(response) => return response,
    };
    match is_ready(&desk.cluster, &status) {
        Ok(()) => said(StatusCode::OK, &json!({ "ok": true })),
        Err(why) => said(StatusCode::SERVICE_UNAVAILABLE, &json!({ "ok": false, "error": why })),
    }
}

async fn metrics_text(State(desk): State<Desk>) -> Response {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    match ask(&desk).await {
        Ok(status) => ([(header::CONTENT_TYPE, KIND)], desk.metrics.text(&status)).into_response(),
        Err(response) => response,
    }
}

async fn status(State(desk): State<Desk>) -> Response {
    match ask(&desk).await {
        Ok(status) => said(StatusCode::OK, &status_json(&desk.cluster, &status)),
        Err(response) => response,
    }
}

async fn unknown(uri: Uri) -> Response {
    let error =
        format!("there is nothing at {}; there is /v1/status, /metrics, /healthz, /readyz", uri.path());
    said(StatusCode::NOT_FOUND, &json!({ "ok": false, "error": error }))
}
