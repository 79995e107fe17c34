//! How the server is, who the others are, and changes of them.

use super::{Refused, Surface, json};
use crate::access::Principal;
use crate::config::Right;
use crate::words::{NOTHING_DONE, bad_request, refuse};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ringleader_client::api::Refusal;
use ringleader_locks::{Class, ServerId};
use ringleader_net::clock;
use serde_json::{Map, Value, json as object};

type Called = Result<Response, Refused>;

/// The schema of a server's status.
pub(super) const STATUS_SCHEMA: &str = "ringleader.service-status/1";

pub(super) async fn healthz(State(surface): State<Surface>) -> Response {
    // Whoever answers this has the lock of the server: its loop turns.
    let status = surface.core().status();
    json(StatusCode::OK, &object!({ "ok": true, "epoch": status.epoch }))
}

pub(super) async fn readyz(State(surface): State<Surface>) -> Response {
    let status = surface.core().status();
    let why = if status.draining {
        "this server is about to leave"
    } else if !status.joined {
        "this server is not a member of the view yet"
    } else if status.lease[Class::Fast.index()].0 == 0 {
        "this server has no lease: it hears nothing of a majority"
    } else {
        return json(StatusCode::OK, &object!({ "ok": true }));
    };
    json(StatusCode::SERVICE_UNAVAILABLE, &object!({ "ok": false, "error": why }))
}

fn observer(surface: &Surface, who: &Principal) -> Result<(), Refused> {
    who.may(Right::Observe, None).map_err(|refusal| surface.refused(refusal))
}

pub(super) async fn metrics(State(surface): State<Surface>, Extension(who): Extension<Principal>) -> Called {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    observer(&surface, &who)?;
    let text = surface.core().metrics().text(surface.core());
    Ok(([(header::CONTENT_TYPE, KIND)], text).into_response())
}

pub(super) async fn status(State(surface): State<Surface>, Extension(who): Extension<Principal>) -> Called {
    observer(&surface, &who)?;
    Ok(json(StatusCode::OK, &status_json(&surface)))
}

fn status_json(surface: &Surface) -> Value {
    let core = surface.core();
    let (status, tally, spec) = (core.status(), core.tally(), core.spec());
    let lease: Map<String, Value> = Class::ALL
        .into_iter()
        .map(|class| (class.name().to_owned(), object!(status.lease[class.index()].0 / 1000)))
        .collect();
    let store: Map<String, Value> =
        core.store().figures().into_iter().map(|(word, number)| (word.to_owned(), object!(number))).collect();
    let names = |places: Vec<ServerId>| places.iter().map(|place| core.name(*place).to_owned()).collect();
    let connected: Vec<String> = names(core.mesh().connected());
    object!({
        "schema": STATUS_SCHEMA,
        "cluster": core.facts().cluster,
        "server": core.own_name(),
        "place": core.own(),
        "incarnation": format!("{:016x}", spec.incarnation),
        "at_us": clock::now().0,
        "wall_ms": clock::wall() / 1000,
        "version": env!("CARGO_PKG_VERSION"),
        "epoch": status.epoch,
        "joined": status.joined,
        "draining": status.draining,
        "proposes": status.proposes,
        "lease_ms": lease,
        "sessions": status.sessions,
        "tokens": status.tokens,
        "held": status.held,
        "waiters": status.waiters,
        "homes": status.homes,
        "recovering": status.recovering,
        "connected": connected,
        "members": members_json(surface),
        "store": store,
        "grants": tally.grants.iter().sum::<u64>(),
        "token_hops": tally.hops,
        "sessions_expired": tally.expired,
        "views_installed": tally.installed,
        "tokens_recreated": tally.recreated,
        "resent": tally.resent,
        "sessions_left": tally.left,
        "sessions_arrived": tally.arrived,
    })
}

fn members_json(surface: &Surface) -> Vec<Value> {
    let core = surface.core();
    let (view, connected) = (core.view(), core.mesh().connected());
    let voters = surface.0.core.voters();
    let facts = core.facts();
    let places = facts.names.iter().enumerate().filter_map(|(place, name)| {
        let place = ServerId::try_from(place).ok()?;
        let seat = view.as_ref().and_then(|view| view.members.get(&place));
        let homes = view.as_ref().map_or(0, |view| view.homes.iter().filter(|home| **home == place).count());
        Some(object!({
            "name": name,
            "place": place,
            "api": facts.apis.get(usize::from(place)),
            "member": seat.is_some(),
            "since": seat.map(|seat| seat.since),
            "incarnation": seat.map(|seat| format!("{:016x}", seat.incarnation)),
            "homes": homes,
            "votes": voters.as_ref().map(|voters| voters.contains(&place)),
            "connected": place == core.own() || connected.contains(&place),
        }))
    });
    places.collect()
}

pub(super) async fn members(State(surface): State<Surface>, Extension(who): Extension<Principal>) -> Called {
    observer(&surface, &who)?;
    let object = object!({
        "schema": "ringleader.members/1",
        "cluster": surface.core().facts().cluster,
        "server": surface.core().own_name(),
        "epoch": surface.core().status().epoch,
        "members": members_json(&surface),
    });
    Ok(json(StatusCode::OK, &object))
}

/// `POST /v1/members/{id}/drain|remove|add`
pub(super) async fn change(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Called {
    who.may(Right::Admin, None).map_err(|refusal| surface.refused(refusal))?;
    let path = path.map_err(|why| surface.refused(bad_request(why.body_text())));
    let Path((id, what)) = path?;
    let refuse_with = |refusal| Err(surface.refused(refusal));
    let core = surface.core();
    let Some(place) = core.facts().names.iter().position(|name| *name == id) else {
        let help = format!("the servers are {}", core.facts().names.join(", "));
        let message = format!("no server is called `{id}`");
        return refuse_with(Refusal { help: Some(help), ..refuse("not_found", message, NOTHING_DONE) });
    };
    let place = ServerId::try_from(place).unwrap_or(ServerId::MAX);
    tracing::info!(event = "membership_change_requested", what, server = id, by = %who.key());
    match what.as_str() {
        "drain" if place == core.own() => {
            core.drain();
            Ok(StatusCode::ACCEPTED.into_response())
        }
        "drain" => Ok(moved(&surface, place, &id)),
        "remove" if core.view().is_some_and(|view| view.members.contains_key(&place)) => {
            let message = format!("`{id}` is a member of the view: drain it, or stop it, first");
            refuse_with(refuse("not_drained", message, NOTHING_DONE))
        }
        "remove" | "add" => match core.change_voters(place, what == "add").await {
            Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
            Err(why) => refuse_with(refuse(
                "no_lease",
                why,
                "nothing is certain: see who votes now before you try again",
            )),
        },
        other => {
            let message = format!("a server cannot `{other}`; there are drain, remove and add");
            refuse_with(refuse("bad_request", message, NOTHING_DONE))
        }
    }
}

/// Only the server itself can do it.
fn moved(surface: &Surface, place: ServerId, id: &str) -> Response {
    let facts = surface.core().facts();
    let api = facts.apis.get(usize::from(place)).map(String::as_str).unwrap_or_default();
    let refusal = Refusal {
        help: Some(format!("ask {api}")),
        ..refuse("moved", format!("only `{id}` itself can do this"), NOTHING_DONE)
    };
    let mut response = surface.refused(refusal).into_response();
    if let Ok(location) = HeaderValue::from_str(&format!("https://{api}/v1/members/{id}/drain")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
