//! What a server answers, and what becomes of it.

use super::{Asked, Core, Key, Stage, Wait, session_id, times};
use crate::api::{KeptAlive, Outcome, Refusal, Reply, SessionOpened};
use crate::error::{Code, LockError};
use ringleader_live::Micros;
use ringleader_locks::{Class, Fence, Rid, Session, SessionId, Standing};

/// After so long something is tried again, if the server does not say.
const AGAIN: Micros = Micros::millis(100);

impl Core {
    /// A line has come.
    ///
    /// # Errors
    /// If it is no reply: then what answers is no server of this kind.
    pub(crate) fn line(&mut self, now: Micros, line: &[u8]) -> Result<(), LockError> {
        let reply: Reply = serde_json::from_slice(line).map_err(|error| {
            let message = format!("what the server answers cannot be read: {error}");
            LockError::new(Code::Protocol, message, "nothing")
        })?;
        let Some(asked) = self.asked.remove(&reply.id) else { return Ok(()) };
        if let Outcome::Error(refusal) = &reply.outcome
            && refusal.code == Code::Moved.word()
            && !matches!(asked, Asked::Open(_, _) | Asked::Close)
        {
            // It is said again there, with the same numbers.
            self.elsewhere(refusal.move_to.as_deref());
            return Ok(());
        }
        match (asked, reply.outcome) {
            (Asked::Open(class, sent), Outcome::Opened(opened)) => self.opened(now, class, sent, opened)?,
            (Asked::Open(class, _), Outcome::Error(refusal)) => self.not_opened(now, class, refusal),
            (Asked::Beat { class, session, sent, holds }, Outcome::Alive(alive)) => {
                self.alive(now, class, session, sent, &holds, alive);
            }
            (Asked::Beat { class, session, .. }, Outcome::Error(refusal)) => {
                self.not_alive(now, class, session, refusal);
            }
            (Asked::Acquire { key, class, session, rid }, Outcome::Granted(granted)) => {
                let fence = granted.fence.parse().map_err(|error: ringleader_locks::BadFence| {
                    LockError::new(Code::Protocol, error.to_string(), "nothing")
                })?;
                self.granted(now, key, class, session, rid, fence);
            }
            (Asked::Acquire { key, session, rid, .. }, Outcome::Error(refusal)) => {
                self.not_granted(now, key, session, rid, refusal);
            }
            (Asked::Release(key), Outcome::Done {}) => self.released(key, Ok(())),
            (Asked::Release(key), Outcome::Error(refusal)) => self.not_released(now, key, refusal),
            (Asked::Cancel(session, rid), Outcome::Done {} | Outcome::Error(_)) => {
                // An error says that there is no such session any more, or no such request.
                self.cancels.retain(|(_, of, number)| (*of, *number) != (session, rid));
            }
            (Asked::Close, _) => {}
            (
                Asked::Open(_, _)
                | Asked::Beat { .. }
                | Asked::Acquire { .. }
                | Asked::Release(_)
                | Asked::Cancel(_, _),
                Outcome::Opened(_) | Outcome::Alive(_) | Outcome::Granted(_) | Outcome::Done {},
            ) => {
                let message = "the server answers something else than it was asked";
                return Err(LockError::new(Code::Protocol, message, "nothing"));
            }
        }
        Ok(())
    }

    fn opened(
        &mut self,
        now: Micros,
        class: Class,
        sent: Micros,
        opened: SessionOpened,
    ) -> Result<(), LockError> {
        let id = session_id(&opened.session).ok_or_else(|| {
            let message = format!("`{}` is no session", opened.session);
            LockError::new(Code::Protocol, message, "nothing")
        })?;
        let valid = Micros::millis(opened.valid_ms);
        let slot = &mut self.slots[class.index()];
        slot.opening = None;
        slot.session = Some(Session::opened(id, times(opened.drift_ppm), sent, valid));
        slot.text = opened.session;
        slot.valid = valid;
        slot.beat_at = sent + Micros(valid.0 / 3);
        self.server = opened.server;
        self.refused = None;
        self.changed = true;
        // What waits is asked for, and a session that took too long to come is over already.
        self.tick(now);
        Ok(())
    }

    fn not_opened(&mut self, now: Micros, class: Class, refusal: Refusal) {
        let error = LockError::from(refusal);
        let slot = &mut self.slots[class.index()];
        slot.opening = None;
        slot.not_before = now + error.retry_after_ms.map_or(AGAIN, Micros::millis);
        self.changed = true;
        match error.code {
            Code::BadRequest | Code::BadName | Code::Unauthenticated | Code::Forbidden => {
                slot.not_before = now + Micros::millis(1000);
                self.refuse_waiting(class, &error);
                self.refused = Some(error);
            }
            Code::Locked
            | Code::Timeout
            | Code::SessionExpired
            | Code::SessionUnknown
            | Code::ModeMixed
            | Code::NotHolder
            | Code::NoLease
            | Code::Recovering
            | Code::Draining
            | Code::Moved
            | Code::Limit
            | Code::NoServer
            | Code::BadCredentials
            | Code::Protocol
            | Code::Other(_) => {
                self.wake = self.wake.min(slot.not_before);
                self.leave_server(error);
            }
        }
    }

    /// There will be no session of this class: those who wait need not.
    fn refuse_waiting(&mut self, class: Class, error: &LockError) {
        self.requests.retain(|_, request| match &mut request.stage {
            Stage::Waits(grants) if request.wish.class == class => {
                if let Some(grants) = grants.take() {
                    let _ = grants.send(Err(error.clone()));
                }
                false
            }
            Stage::Waits(_) | Stage::Holds(_, _) | Stage::Leaves(_, _) => true,
        });
    }

    fn alive(
        &mut self,
        now: Micros,
        class: Class,
        id: SessionId,
        sent: Micros,
        believed: &[Rid],
        alive: KeptAlive,
    ) {
        let slot = &mut self.slots[class.index()];
        let Some(session) = slot.session.as_mut().filter(|session| session.id() == id) else { return };
        let valid = Micros::millis(alive.valid_ms);
        if !session.kept_alive(now, sent, valid) {
            self.tick(now);
            return;
        }
        slot.valid = valid;
        slot.beat_at = slot.beat_at.min(sent + Micros(valid.0 / 3)).max(now);
        self.wake = self.wake.min(slot.beat_at);
        self.changed = true;
        let with_rid = |core: &Core, rid: Rid| {
            core.requests.iter().find(|(_, each)| each.asked == Some((id, rid))).map(|(key, _)| *key)
        };
        for request in &alive.requests {
            let fence: Option<Fence> = request.fence.as_deref().and_then(|text| text.parse().ok());
            match (with_rid(self, request.rid), fence) {
                // The grant itself was lost; this heals it.
                (Some(key), Some(fence)) if request.state == "holds" => {
                    self.granted(now, key, class, id, request.rid, fence);
                }
                (Some(_), _) => {}
                (None, _) => self.give_back(class, id, request.rid),
            }
        }
        for rid in believed {
            if alive.requests.iter().any(|request| request.rid == *rid) {
                continue;
            }
            let lost = with_rid(self, *rid).and_then(|key| self.requests.get_mut(&key));
            if let Some(Stage::Holds(_, why)) = lost.map(|request| &mut request.stage) {
                *why = Some("its server does not know of it any more".to_owned());
            }
        }
        self.draining = alive.draining;
        self.looked(now, class, true);
        if alive.draining {
            let leaves = self.requests.values().any(|each| matches!(each.stage, Stage::Leaves(_, _)));
            if !leaves {
                let certain = "nothing is held here";
                self.leave_server(LockError::new(Code::Draining, "the server is about to leave", certain));
            }
        }
    }

    fn not_alive(&mut self, now: Micros, class: Class, id: SessionId, refusal: Refusal) {
        let error = LockError::from(refusal);
        let slot = &mut self.slots[class.index()];
        if slot.session.as_ref().is_none_or(|session| session.id() != id) {
            return;
        }
        if error.code == Code::SessionUnknown && self.seeking {
            self.looked(now, class, false);
        } else if matches!(error.code, Code::SessionExpired | Code::SessionUnknown) {
            self.end(class, "its server says so");
            self.tick(now);
        } else {
            // What was promised lasts; whether there is more is asked again soon.
            let soon = Micros(slot.valid.0 / 10).max(Micros::millis(10));
            slot.beat_at =
                slot.beat_at.min(now + error.retry_after_ms.map_or(soon, Micros::millis).min(soon));
            self.wake = self.wake.min(slot.beat_at);
            self.leave_server(error);
        }
    }

    fn granted(&mut self, now: Micros, key: Key, class: Class, id: SessionId, rid: Rid, fence: Fence) {
        let asked = self.requests.get(&key).is_some_and(|request| request.asked == Some((id, rid)));
        let session = self.slots[class.index()].session.as_mut().filter(|session| session.id() == id);
        let Some(session) = session else { return };
        if !asked || session.granted(now, id, rid, fence) == Standing::GiveBack {
            self.give_back(class, id, rid);
            return;
        }
        let Some(request) = self.requests.get_mut(&key) else { return };
        if let Stage::Waits(grants) = &mut request.stage {
            let grants = grants.take();
            request.stage = Stage::Holds(fence, None);
            if let Some(grants) = grants {
                // Who does not listen any more abandons the request, and it is given back then.
                let _ = grants.send(Ok(fence));
            }
        }
    }

    fn not_granted(&mut self, now: Micros, key: Key, id: SessionId, rid: Rid, refusal: Refusal) {
        let error = LockError::from(refusal);
        let Some(request) = self.requests.get_mut(&key) else { return };
        if request.asked != Some((id, rid)) {
            return;
        }
        let class = request.wish.class;
        let retry = now + error.retry_after_ms.map_or(AGAIN, Micros::millis);
        let waits = !matches!(request.wish.wait, Wait::Try(_));
        match error.code {
            Code::SessionExpired | Code::SessionUnknown => {
                self.end(class, "its server says so");
                self.tick(now);
                return;
            }
            // Not now; who has time asks again, with another number, here or elsewhere.
            Code::NoLease | Code::Recovering | Code::Draining if waits => {
                request.not_before = retry;
                self.withdraw(now, key);
                self.wake = self.wake.min(retry);
                if error.code != Code::Recovering {
                    self.leave_server(error);
                }
                return;
            }
            Code::Locked
            | Code::Timeout
            | Code::ModeMixed
            | Code::NotHolder
            | Code::NoLease
            | Code::Recovering
            | Code::Draining
            | Code::Moved
            | Code::Limit
            | Code::BadName
            | Code::BadRequest
            | Code::Unauthenticated
            | Code::Forbidden
            | Code::NoServer
            | Code::BadCredentials
            | Code::Protocol
            | Code::Other(_) => {}
        }
        if let Some(session) = self.slots[class.index()].session.as_mut() {
            session.withdraws(rid);
        }
        let Some(request) = self.requests.remove(&key) else { return };
        if let Stage::Waits(Some(grants)) = request.stage {
            let _ = grants.send(Err(error));
        }
    }

    fn released(&mut self, key: Key, outcome: Result<(), LockError>) {
        let Some(request) = self.requests.remove(&key) else { return };
        if let Stage::Leaves(_, Some(releases)) = request.stage {
            let _ = releases.send(outcome);
        }
    }

    fn not_released(&mut self, now: Micros, key: Key, refusal: Refusal) {
        let error = LockError::from(refusal);
        let class = self.requests.get(&key).map(|request| request.wish.class);
        let over = matches!(error.code, Code::SessionExpired | Code::SessionUnknown);
        self.released(key, Err(error));
        if let (Some(class), true) = (class, over) {
            self.end(class, "its server says so");
            self.tick(now);
        }
    }
}
