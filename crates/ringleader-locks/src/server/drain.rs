//! Leaving in good order: no new sessions, nobody waits here any more, sessions go to other servers with what they hold
//! (`moving`), idle tokens go home, and when nobody holds anything the server asks to be excluded. It vouches for
//! itself then, so nobody has to wait for its leases; and it asks that this run be forgotten, so that nobody waits for
//! them when its next run comes in.

use super::sessions::Client;
use super::{Event, Output, Server, SessionKey};
use crate::{Command, Denial, Rid};
use ringleader_live::Micros;

/// How long idle tokens are given to go home.
const HOMEWARDS: Micros = Micros::millis(500);

/// How often it asks to be excluded, until it is.
const AGAIN: Micros = Micros::millis(500);

/// How long homes are given to answer its last report, and the store to forget it.
const PATIENCE: Micros = Micros::millis(2000);

/// How far it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Draining {
    since: Micros,
    /// Since when nobody holds anything here.
    free: Option<Micros>,
    asked: Option<Micros>,
    /// Since when it waits to be forgotten.
    leaving: Option<Micros>,
    done: bool,
}

impl Server {
    pub(super) fn drain(&mut self) {
        if self.draining.is_some() {
            return;
        }
        self.draining =
            Some(Draining { since: self.now, free: None, asked: None, leaving: None, done: false });
        self.sends_sessions_away();
        // Whoever waits can wait at another server.
        let waits: Vec<(SessionKey, Rid)> = self.waits().collect();
        self.withdraw_all(waits, Denial::Draining);
        for name in self.locks.names() {
            self.offer(&name);
        }
    }

    /// Every request that waits.
    fn waits(&self) -> impl Iterator<Item = (SessionKey, Rid)> {
        let waits = |(key, client): (&SessionKey, &Client)| {
            let key = *key;
            let waiting = client.requests.iter().filter(|(_, request)| !request.holds());
            waiting.map(move |(rid, _)| (key, *rid)).collect::<Vec<_>>()
        };
        self.sessions.iter().flat_map(waits)
    }

    /// Whether those who hold something have been waited for long enough: then their sessions are not extended.
    pub(super) fn patience_is_over(&self, now: Micros) -> bool {
        self.draining.as_ref().is_some_and(|draining| now >= draining.since + self.spec.drain)
    }

    /// What is next on the way out.
    pub(super) fn drains(&mut self) {
        if self.draining.as_ref().is_none_or(|draining| draining.done) {
            return;
        }
        let (held, reported) = (self.held, self.has_reported());
        let gone = !self.joined && self.pending.is_none() && self.view.is_some();
        let told = !gone || self.gone.values().all(|gone| gone.is_known(self.now));
        let away =
            self.locks.iter().all(|(_, lock)| lock.owner.token().is_none() || lock.home == self.spec.id);
        let (epoch, installed) = (self.epoch(), self.installed_at);
        let ((id, run), listed) = (self.run(), self.joined);
        let forgotten = self.view.as_ref().is_none_or(|view| !view.past.contains(&(id, run)));
        // It stays.
        let Some(draining) = self.draining.as_mut() else { return };
        let asked = draining.asked.is_some_and(|asked| self.now < asked + AGAIN);
        // A home that does not answer is not waited for: it waits for the leases instead.
        // Those whose sessions moved are told where to.
        if gone && told && (reported || self.now >= installed + PATIENCE) {
            // It has let go of everything: nobody can hold anything of this run. Should nobody answer, its next run is
            // waited for, and nothing else is lost.
            if !forgotten && self.now < *draining.leaving.get_or_insert(self.now) + PATIENCE {
                if !asked {
                    draining.asked = Some(self.now);
                    self.out.push(Output::Propose(Command::Left(epoch, id, run)));
                }
                return;
            }
            draining.done = true;
            return self.out.push(Output::Event(Event::Drained));
        }
        if held > 0 || !listed {
            draining.free = None;
            return;
        }
        let free = *draining.free.get_or_insert(self.now);
        if !asked && (away || self.now >= free + HOMEWARDS) {
            draining.asked = Some(self.now);
            self.out.push(Output::Propose(Command::Exclude(epoch, id)));
        }
    }
}
