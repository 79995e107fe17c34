//! 4.4: who is here, and who starts a view change. Whoever may propose excludes members that are silent or get no answers
//! from the store, and admits those who want in.

use super::{Output, PROTO, Rules, Server, Timer};
use crate::live::Micros;
use crate::lock::{Class, Command, Message, ServerId, View};
use std::collections::BTreeMap;

/// The first time between two admissions of a server; it doubles, so that one that flaps does not disturb the others.
const FIRST_BACK_OFF: Micros = Micros::millis(1000);

/// A server that stayed in for this long may flap anew.
const STABLE: Micros = Micros::millis(60_000);

/// What a server knows of the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Guardian {
    proposes: bool,
    /// Everybody is given time from here on.
    since: Micros,
    beat: Option<Micros>,
    proposed: Option<Micros>,
    heard: BTreeMap<ServerId, Heard>,
    admitted: BTreeMap<ServerId, (Micros, u32)>,
}

/// The last ping of a server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Heard {
    at: Micros,
    /// The last one that said that it is leased, and by which run.
    leased: Option<(Micros, u64)>,
    incarnation: u64,
    is_leased: bool,
    wants_in: bool,
    proposes: bool,
    proto: u16,
}

impl Guardian {
    pub(super) fn proposes(&mut self, now: Micros, proposes: bool) {
        if proposes && !self.proposes {
            self.since = now;
        }
        self.proposes = proposes;
    }

    pub(super) fn may_propose(&self) -> bool {
        self.proposes
    }
}

impl<R: Rules> Server<R> {
    fn wants_in(&self) -> bool {
        self.draining.is_none() && self.pending.is_none()
    }

    /// Tells everybody that this server is here, and sees who else is.
    pub(super) fn beat(&mut self, now: Micros, out: &mut Vec<Output>) {
        let span = Micros(self.spec.renew.0 / 2).max(Micros(1000));
        self.at(now + span, Timer::Beat);
        let message = Message::Ping {
            epoch: self.epoch(),
            incarnation: self.spec.incarnation,
            leased: self.leased(now, Class::Fast),
            wants_in: self.wants_in(),
            proposes: self.guardian.proposes,
            proto: PROTO,
        };
        let others = self.spec.peers.iter().filter(|peer| **peer != self.spec.id);
        out.extend(others.map(|peer| Output::Send(*peer, message.clone())));
        // Who was paused has heard nobody meanwhile, and must not blame the others for it.
        if self.guardian.beat.is_none_or(|last| now > last + Micros(self.spec.suspect.0 / 2).max(span)) {
            self.guardian.since = now;
        }
        self.guardian.beat = Some(now);
        self.guards(now, out);
    }

    pub(super) fn pinged(&mut self, now: Micros, from: ServerId, ping: &Message) {
        let Message::Ping { incarnation, leased, wants_in, proposes, proto, .. } = ping else { return };
        if !self.spec.peers.contains(&from) {
            return;
        }
        let heard = self.guardian.heard.entry(from).or_default();
        *heard = Heard {
            at: now,
            leased: if *leased { Some((now, *incarnation)) } else { heard.leased },
            incarnation: *incarnation,
            is_leased: *leased,
            wants_in: *wants_in,
            proposes: *proposes,
            proto: *proto,
        };
    }

    /// One change at a time, and a pause between two.
    fn guards(&mut self, now: Micros, out: &mut Vec<Output>) {
        let Some(view) = self.view.clone() else { return };
        let early = self.guardian.proposed.is_some_and(|last| now < last + self.spec.pause);
        if !self.guardian.proposes || early || self.pending.is_some() || self.defers(now) {
            return;
        }
        let change = self.excludes(now, &view).or_else(|| self.admits(now, &view));
        let change = change.or_else(|| self.raises_proto(now, &view));
        if let Some(command) = change {
            self.guardian.proposed = Some(now);
            out.push(Output::Propose(command));
        }
    }

    /// Of several who may propose, the first who is leased does.
    fn defers(&self, now: Micros) -> bool {
        let own = (!self.leased(now, Class::Fast), self.spec.id);
        let alive = |heard: &Heard| now < heard.at + self.spec.suspect;
        let others = self.guardian.heard.iter().filter(|(_, heard)| heard.proposes && alive(heard));
        others.map(|(server, heard)| (!heard.is_leased, *server)).any(|other| other < own)
    }

    /// A member from which for so long no ping came that says that it is leased. One that came in has time to install.
    fn excludes(&self, now: Micros, view: &View) -> Option<Command> {
        let patience = self.spec.suspect;
        let silent = |server: &ServerId, incarnation: u64, since: u32| {
            let heard = self.guardian.heard.get(server).and_then(|heard| heard.leased);
            let last = heard.filter(|(_, run)| *run == incarnation).map_or(Micros(0), |(at, _)| at);
            let fresh = if since == view.epoch { self.installed_at } else { Micros(0) };
            now >= last.max(self.guardian.since).max(fresh) + patience
        };
        let others = view.members.iter().filter(|(server, _)| **server != self.spec.id);
        let mut suspects = others.filter(|(server, seat)| silent(server, seat.incarnation, seat.since));
        suspects.next().map(|(server, _)| Command::Exclude(view.epoch, *server))
    }

    /// A server that wants in and is not, in this run of it; with a back-off for each.
    fn admits(&mut self, now: Micros, view: &View) -> Option<Command> {
        let own = (self.spec.id, self.spec.incarnation);
        let patience = self.spec.suspect;
        let heard = self.guardian.heard.iter();
        let others = heard.filter(|(_, heard)| heard.wants_in && now < heard.at + patience);
        let others = others.map(|(server, heard)| (*server, heard.incarnation));
        let me = self.wants_in().then_some(own);
        let mut wanting = me.into_iter().chain(others).filter(|(server, run)| !view.has(*server, *run));
        let admitted = &self.guardian.admitted;
        let (server, incarnation) = wanting.find(|(server, _)| {
            admitted.get(server).is_none_or(|(last, times)| {
                now >= *last + Micros(FIRST_BACK_OFF.0 << (*times).min(6).saturating_sub(1))
            })
        })?;
        let (last, times) = self.guardian.admitted.get(&server).copied().unwrap_or_default();
        let times = if now > last + STABLE { 1 } else { times + 1 };
        self.guardian.admitted.insert(server, (now, times));
        Some(Command::Admit(view.epoch, server, incarnation))
    }

    /// A newer version of the protocol is spoken when every member can.
    fn raises_proto(&self, now: Micros, view: &View) -> Option<Command> {
        let spoken = view.members.keys().map(|server| {
            let heard = self.guardian.heard.get(server).filter(|heard| now < heard.at + self.spec.suspect);
            if *server == self.spec.id { PROTO } else { heard.map_or(0, |heard| heard.proto) }
        });
        let lowest = spoken.min()?;
        (lowest > view.proto).then_some(Command::SetProto(view.epoch, lowest))
    }
}
