//! Looking: one lock, all that a server knows, and what changes.

use super::{Refused, Surface, json};
use crate::access::{Access, Principal};
use crate::config::Right;
use crate::core::Core;
use crate::words::{self, bad_request};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use ringleader_client::api::{Refusal, Watched};
use ringleader_locks::{Answer, Ask, Fence, Kind, LockState, Name};
use serde::Deserialize;
use serde_json::json as object;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

type Called = Result<Response, Refused>;
type Named = Result<Path<String>, PathRejection>;
type Asked<T> = Result<Query<T>, QueryRejection>;

/// What stands after the question mark.
fn query<T>(surface: &Surface, asked: Asked<T>) -> Result<T, Refused> {
    asked.map(|Query(asked)| asked).map_err(|why| surface.refused(bad_request(why.body_text())))
}

/// So often a lock that is watched is looked at.
const GLANCE: Duration = Duration::from_millis(200);

/// How long a look may take.
const LOOK: Duration = Duration::from_secs(3);

/// The most locks in one answer.
const PAGE: usize = 1000;

pub(super) async fn lock(state: State<Surface>, who: Extension<Principal>, name: Named) -> Called {
    look_at(state, who, Kind::Lock, name).await
}

pub(super) async fn election(state: State<Surface>, who: Extension<Principal>, name: Named) -> Called {
    look_at(state, who, Kind::Election, name).await
}

async fn look_at(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    kind: Kind,
    name: Named,
) -> Called {
    let name = allowed(&surface, &who, kind, name)?;
    let _busy = surface.0.gate.begins().map_err(|refusal| surface.refused(refusal))?;
    let state = look(surface.core(), &name).await.map_err(|refusal| surface.refused(refusal))?;
    let facts = surface.core().facts();
    Ok(json(StatusCode::OK, &words::lock_info(facts, &name, facts.class(&name), &state)))
}

fn allowed(surface: &Surface, who: &Principal, kind: Kind, name: Named) -> Result<Name, Refused> {
    let text = name.map_err(|why| words::refuse("bad_name", why.body_text(), words::NOTHING_DONE));
    let name = text.and_then(|Path(text)| words::named(kind, &text));
    let allowed = name.and_then(|name| who.may(Right::Observe, Some(&name)).map(|()| name));
    allowed.map_err(|refusal| surface.refused(refusal))
}

/// How a lock is, from its owner. The server asks again by itself, and gives up after a second.
pub(super) async fn look(core: &Core, name: &Name) -> Result<LockState, Refusal> {
    let asked = core.ask(Ask::Look { name: name.clone() });
    match tokio::time::timeout(LOOK, asked).await {
        Ok(Ok(Answer::State(state))) => Ok(state),
        Ok(Ok(Answer::Denied(denial))) => {
            Err(words::denied(core.facts(), &crate::core::Context::Other, denial))
        }
        Ok(Ok(
            Answer::Opened { .. }
            | Answer::Alive { .. }
            | Answer::Closed
            | Answer::Granted { .. }
            | Answer::Cancelled
            | Answer::Released,
        ))
        | Ok(Err(_))
        | Err(_) => Err(words::no_answer("the owner of the lock does not answer")),
    }
}

#[derive(Deserialize)]
pub(super) struct Page {
    /// After this one: `lock:NAME` or `election:NAME`.
    after: Option<String>,
    /// As many at most.
    limit: Option<usize>,
}

/// The locks that this server knows: of which it has the token, or for which somebody waits here.
pub(super) async fn list(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    page: Asked<Page>,
) -> Called {
    let page = query(&surface, page)?;
    who.may(Right::Observe, None).map_err(|refusal| surface.refused(refusal))?;
    let after = page.after.as_deref().map(place).transpose().map_err(|refusal| surface.refused(refusal))?;
    let most = page.limit.unwrap_or(PAGE).clamp(1, PAGE);
    let core = surface.core();
    let found = core.locks(after.as_ref(), most);
    let next = found.last().filter(|_| found.len() == most).map(|last| {
        let kind = match last.name.kind() {
            Kind::Lock => "lock",
            Kind::Election => "election",
        };
        format!("{kind}:{}", last.name)
    });
    let seen = found.iter().filter(|lock| who.sees(&lock.name));
    let locks: Vec<_> = seen.map(|lock| words::lock_status(core.facts(), lock)).collect();
    let object = object!({
        "schema": "ringleader.locks/1",
        "server": core.own_name(),
        "locks": locks,
        "next": next,
    });
    Ok(json(StatusCode::OK, &object))
}

fn place(text: &str) -> Result<Name, Refusal> {
    let (kind, name) = match text.split_once(':') {
        Some(("lock", name)) => (Kind::Lock, name),
        Some(("election", name)) => (Kind::Election, name),
        Some(_) | None => {
            return Err(bad_request("`after` is `lock:NAME` or `election:NAME`".to_owned()));
        }
    };
    words::named(kind, name)
}

#[derive(Deserialize)]
pub(super) struct From {
    /// Only what is newer than this fence.
    from_fence: Option<String>,
}

pub(super) async fn watch(
    state: State<Surface>,
    who: Extension<Principal>,
    name: Named,
    from: Asked<From>,
) -> Called {
    watched(state, who, Kind::Lock, name, from)
}

pub(super) async fn observe(
    state: State<Surface>,
    who: Extension<Principal>,
    name: Named,
    from: Asked<From>,
) -> Called {
    watched(state, who, Kind::Election, name, from)
}

fn watched(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    kind: Kind,
    name: Named,
    from: Asked<From>,
) -> Called {
    let from = query(&surface, from)?;
    let name = allowed(&surface, &who, kind, name)?;
    let from = from.from_fence.as_deref().map(str::parse::<Fence>).transpose();
    let from = from.map_err(|why| surface.refused(bad_request(why.to_string())))?;
    let busy = surface.0.gate.begins().map_err(|refusal| surface.refused(refusal))?;
    let glances = surface.0.watchers.join(&surface, &name);
    let access = surface.core().access();
    let seen = Seen { glances, surface, who, access, name, fence: from, last: None, _busy: busy };
    let events = futures_util::stream::unfold(seen, |mut seen| async move {
        let event = seen.next().await?;
        Some((Ok::<_, Infallible>(event), seen))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// What a watcher has seen.
struct Seen {
    glances: watch::Receiver<Option<LockState>>,
    surface: Surface,
    who: Principal,
    access: watch::Receiver<Arc<Access>>,
    name: Name,
    /// The newest fence: older ones are not shown again.
    fence: Option<Fence>,
    last: Option<(bool, Option<Fence>, Arc<[u8]>)>,
    _busy: super::connection::Busy,
}

impl Seen {
    async fn next(&mut self) -> Option<Event> {
        loop {
            let state = self.glances.borrow_and_update().clone();
            if let Some(event) = state.and_then(|state| self.event(state)) {
                return Some(event);
            }
            tokio::select! {
                biased;
                _ = self.access.changed() => self.may_still()?,
                glanced = self.glances.changed() => glanced.ok()?,
            }
        }
    }

    /// Whether its watcher may watch still.
    fn may_still(&mut self) -> Option<()> {
        self.who = self.access.borrow_and_update().again(&self.who).ok()?;
        self.who.sees(&self.name).then_some(())
    }

    fn event(&mut self, mut state: LockState) -> Option<Event> {
        // A new epoch forgets who was last: what a watcher has seen only grows.
        if !state.held {
            state.fence = state.fence.max(self.fence);
        }
        let is_old = state.held && state.fence < self.fence
            || self.last.is_none() && state.held && self.fence.is_some() && state.fence == self.fence;
        // Who leads may show another value meanwhile.
        let now = Some((state.held, state.fence, Arc::clone(&state.value)));
        if is_old || self.last == now {
            return None;
        }
        self.last = now;
        self.fence = state.fence;
        let facts = self.surface.core().facts();
        let watched = Watched {
            event: if state.held { "granted".to_owned() } else { "released".to_owned() },
            lock: words::lock_info(facts, &self.name, facts.class(&self.name), &state),
        };
        Some(Event::default().data(serde_json::to_string(&watched).ok()?))
    }
}

/// Everybody who watches a lock here looks through the same eyes.
#[derive(Default)]
pub(super) struct Watchers(Arc<Mutex<BTreeMap<Name, watch::Sender<Option<LockState>>>>>);

impl Watchers {
    pub(super) fn join(&self, surface: &Surface, name: &Name) -> watch::Receiver<Option<LockState>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = all.get(name) {
            return sender.subscribe();
        }
        let sender = watch::Sender::new(None);
        let receiver = sender.subscribe();
        all.insert(name.clone(), sender);
        let (core, name, all) = (surface.core().clone(), name.clone(), Arc::clone(&self.0));
        surface.0.clients.spawn(async move {
            loop {
                let found = look(&core, &name).await.ok();
                {
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some(sender) = all.get(&name) else { return };
                    if sender.receiver_count() == 0 {
                        all.remove(&name);
                        return;
                    }
                    if let Some(found) = found {
                        sender.send_replace(Some(found));
                    }
                }
                tokio::time::sleep(GLANCE).await;
            }
        });
        receiver
    }
}
