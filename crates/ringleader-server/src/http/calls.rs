//! Sessions, locks and elections, one call each.

use super::{Refused, Surface, json};
use crate::access::Principal;
use crate::core::Unanswered;
use crate::words::{self, bad_request};
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ringleader_client::api::{Acquire, Cancel, KeepAlive, Op, OpenSession, Outcome, Release};
use serde::de::DeserializeOwned;

type Called = Result<Response, Refused>;
type Named = Result<Path<String>, PathRejection>;

/// Asks the server, as this caller may.
async fn asked(surface: &Surface, who: &Principal, op: Op) -> Called {
    let _busy = surface.0.gate.begins().map_err(|refusal| surface.refused(refusal))?;
    let core = surface.core();
    let asked = words::asked(core, who, op).map_err(|refusal| surface.refused(refusal))?;
    let answer = match core.ask(asked.ask).await {
        Ok(answer) => answer,
        Err(Unanswered::Forbidden(refusal)) => return Err(surface.refused(*refusal)),
        // It stops before it has answered: that is nothing that a client could have done otherwise.
        Err(Unanswered::Stopped) => return Err(surface.refused(words::unanswered())),
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
fn read<T: DeserializeOwned>(surface: &Surface, body: &[u8]) -> Result<T, Refused> {
    let bytes: &[u8] = if body.is_empty() { b"{}" } else { body };
    // A list would be read as the fields in their order, whatever each is meant to be.
    if bytes.trim_ascii_start().first().is_some_and(|first| *first == b'[') {
        return Err(surface.refused(bad_request("the body is a list, and not an object".to_owned())));
    }
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
    Extension(who): Extension<Principal>,
    body: Bytes,
) -> Called {
    let open: OpenSession = read(&surface, &body)?;
    asked(&surface, &who, Op::Open(open)).await
}

pub(super) async fn keepalive(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    id: Named,
    body: Bytes,
) -> Called {
    let alive: KeepAlive = read(&surface, &body)?;
    let session = named(&surface, id)?;
    asked(&surface, &who, Op::Keepalive { session, alive }).await
}

pub(super) async fn close(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    id: Named,
) -> Called {
    let session = named(&surface, id)?;
    asked(&surface, &who, Op::Close { session }).await
}

pub(super) async fn cancel(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    id: Named,
    body: Bytes,
) -> Called {
    let Cancel { rid } = read(&surface, &body)?;
    let session = named(&surface, id)?;
    asked(&surface, &who, Op::Cancel { session, rid }).await
}

pub(super) async fn acquire(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    name: Named,
    body: Bytes,
) -> Called {
    let acquire: Acquire = read(&surface, &body)?;
    let name = named(&surface, name)?;
    asked(&surface, &who, Op::Acquire { name, acquire }).await
}

pub(super) async fn attempt(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    name: Named,
    body: Bytes,
) -> Called {
    let acquire = Acquire { wait_ms: Some(0), ..read(&surface, &body)? };
    let name = named(&surface, name)?;
    asked(&surface, &who, Op::Acquire { name, acquire }).await
}

pub(super) async fn campaign(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    name: Named,
    body: Bytes,
) -> Called {
    let acquire: Acquire = read(&surface, &body)?;
    let name = named(&surface, name)?;
    asked(&surface, &who, Op::Campaign { name, acquire }).await
}

pub(super) async fn release(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    name: Named,
    body: Bytes,
) -> Called {
    let release: Release = read(&surface, &body)?;
    let name = named(&surface, name)?;
    asked(&surface, &who, Op::Release { name, release }).await
}

pub(super) async fn resign(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    name: Named,
    body: Bytes,
) -> Called {
    let release: Release = read(&surface, &body)?;
    let name = named(&surface, name)?;
    asked(&surface, &who, Op::Resign { name, release }).await
}
