//! Sessions, locks and elections, one call each.

use super::{Refused, Surface, json};
use crate::access::Caller;
use crate::words::{self, bad_request};
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use ringleader_client::api::{Acquire, Cancel, KeepAlive, Op, OpenSession, Outcome, Release};
use serde::de::DeserializeOwned;

type Called = Result<Response, Refused>;
type Named = Result<Path<String>, PathRejection>;
type Body = Result<Bytes, BytesRejection>;

/// Asks the server, as this caller may.
async fn asked(surface: &Surface, caller: &Caller, headers: &HeaderMap, op: Op) -> Called {
    let who = surface.principal(caller, headers)?;
    let _busy = surface.0.limits.begins().map_err(|refusal| surface.refused(refusal))?;
    let core = surface.core();
    let asked = words::asked(core, &who, op).map_err(|refusal| surface.refused(refusal))?;
    let answer = core.ask(asked.ask).await;
    let Ok(answer) = answer else {
        return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
    };
    match words::outcome(core.facts(), &asked.context, answer) {
        Outcome::Opened(opened) => Ok(json(StatusCode::CREATED, &opened)),
        Outcome::Alive(alive) => Ok(json(StatusCode::OK, &alive)),
        Outcome::Granted(granted) => Ok(json(StatusCode::OK, &granted)),
        Outcome::Done {} => Ok(StatusCode::NO_CONTENT.into_response()),
        Outcome::Error(refusal) => Err(surface.refused(refusal)),
    }
}

/// What was sent, as what it should be. An empty body is an empty object.
fn read<T: DeserializeOwned>(surface: &Surface, body: Body) -> Result<T, Refused> {
    let body = body.map_err(|why| {
        let code = if why.status() == StatusCode::PAYLOAD_TOO_LARGE { "too_large" } else { "bad_request" };
        surface.refused(words::refuse(code, why.body_text(), words::NOTHING_DONE))
    })?;
    let bytes: &[u8] = if body.is_empty() { b"{}" } else { &body };
    serde_json::from_slice(bytes)
        .map_err(|why| surface.refused(bad_request(format!("the body is not what it should be: {why}"))))
}

fn named(surface: &Surface, name: Named) -> Result<String, Refused> {
    let name =
        name.map_err(|why| surface.refused(words::refuse("bad_name", why.body_text(), words::NOTHING_DONE)));
    name.map(|Path(name)| name)
}

pub(super) async fn open(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Called {
    let open: OpenSession = read(&surface, body)?;
    asked(&surface, &caller, &headers, Op::Open(open)).await
}

pub(super) async fn keepalive(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    id: Named,
    body: Body,
) -> Called {
    let alive: KeepAlive = read(&surface, body)?;
    let session = named(&surface, id)?;
    asked(&surface, &caller, &headers, Op::Keepalive { session, alive }).await
}

pub(super) async fn close(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    id: Named,
) -> Called {
    let session = named(&surface, id)?;
    asked(&surface, &caller, &headers, Op::Close { session }).await
}

pub(super) async fn cancel(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    id: Named,
    body: Body,
) -> Called {
    let Cancel { rid } = read(&surface, body)?;
    let session = named(&surface, id)?;
    asked(&surface, &caller, &headers, Op::Cancel { session, rid }).await
}

pub(super) async fn acquire(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    name: Named,
    body: Body,
) -> Called {
    let acquire: Acquire = read(&surface, body)?;
    let name = named(&surface, name)?;
    asked(&surface, &caller, &headers, Op::Acquire { name, acquire }).await
}

pub(super) async fn attempt(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    name: Named,
    body: Body,
) -> Called {
    let acquire = Acquire { wait_ms: Some(0), ..read(&surface, body)? };
    let name = named(&surface, name)?;
    asked(&surface, &caller, &headers, Op::Acquire { name, acquire }).await
}

pub(super) async fn campaign(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    name: Named,
    body: Body,
) -> Called {
    let acquire: Acquire = read(&surface, body)?;
    let name = named(&surface, name)?;
    asked(&surface, &caller, &headers, Op::Campaign { name, acquire }).await
}

pub(super) async fn release(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    name: Named,
    body: Body,
) -> Called {
    let release: Release = read(&surface, body)?;
    let name = named(&surface, name)?;
    asked(&surface, &caller, &headers, Op::Release { name, release }).await
}

pub(super) async fn resign(
    State(surface): State<Surface>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    name: Named,
    body: Body,
) -> Called {
    let release: Release = read(&surface, body)?;
    let name = named(&surface, name)?;
    asked(&surface, &caller, &headers, Op::Resign { name, release }).await
}
