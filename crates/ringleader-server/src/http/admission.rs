//! Before a call is looked at: who asks is settled by the head alone, and only then is the body read, within limits.

use super::connection::Guest;
use super::{Refused, Surface};
use crate::access::Caller;
use crate::words::{NOTHING_DONE, bad_request, refuse};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use std::sync::Arc;
use tokio::time::timeout;

/// What everybody may ask: whether the server is well.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// So many times what is allowed is read and thrown away, so that a client that only sends too much hears why it is
/// refused.
const PATIENT: usize = 8;

/// Lets a call through if its caller is known and its body comes in time.
pub(super) async fn admitted(State(surface): State<Surface>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let guest = parts.extensions.get::<Arc<Guest>>().cloned();
    if OPEN.contains(&parts.uri.path()) {
        let is_known = guest.is_none_or(|guest| guest.is_admitted());
        let response = next.run(Request::from_parts(parts, Body::empty())).await;
        // Whoever does not say who it is does not stay.
        return if is_known { response } else { closing(response) };
    }
    let caller = parts.extensions.get::<Caller>().unwrap_or(&Caller::Stranger);
    let who = match surface.principal(caller, &parts.headers) {
        Ok(who) => who,
        Err(refused) => return closing(refused.into_response()),
    };
    if let Some(Err(refusal)) = guest.map(|guest| guest.admit()) {
        return closing(surface.refused(refusal).into_response());
    }
    let body = if body.is_end_stream() {
        Bytes::new()
    } else {
        match read(&surface, body).await {
            Ok(body) => body,
            Err(refused) => return closing(refused.into_response()),
        }
    };
    surface.watches_queue();
    parts.extensions.insert(who);
    next.run(Request::from_parts(parts, Body::from(body))).await
}

/// This is the last answer on its connection.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The whole body, if it is not too large and comes in time.
async fn read(surface: &Surface, body: Body) -> Result<Bytes, Refused> {
    let limits = &surface.0.gate.limits;
    let (most, patience) = (limits.message, limits.phases.body);
    let too_large =
        || surface.refused(refuse("too_large", format!("the body has more than {most} bytes"), NOTHING_DONE));
    let late = || {
        let message = format!("the body did not come within {} s", patience.as_secs_f32());
        surface.refused(bad_request(message))
    };
    let all = async {
        let (mut whole, mut seen) = (Vec::new(), 0);
        let mut parts = body.into_data_stream();
        while let Some(part) = parts.next().await {
            let part = part.map_err(|why| surface.refused(bad_request(format!("a broken body: {why}"))))?;
            seen += part.len();
            if seen > most.saturating_mul(PATIENT) {
                return Err(too_large());
            }
            if seen <= most {
                whole.extend_from_slice(&part);
            }
        }
        if seen > most { Err(too_large()) } else { Ok(Bytes::from(whole)) }
    };
    timeout(patience, all).await.unwrap_or_else(|_| Err(late()))
}
