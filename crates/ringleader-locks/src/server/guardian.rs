//! 4.4: who is here, and who starts a view change. Whoever may propose excludes members that are silent or get no
//! answers from the store, and admits those who want in.

use super::{Output, PROTO, Rule, Server, Timer};
use crate::{Class, Command, Message, Seat, ServerId, View};
use ringleader_live::Micros;
use std::collections::BTreeMap;

/// The first time between two admissions of a server; it doubles, so that one that flaps does not disturb the others.
const FIRST_BACK_OFF: Micros = Micros::millis(1000);

/// So often at most: to 16 seconds. Who comes in or goes takes some of the shards along, and what is free in those
/// waits for the leases of its earlier run, 15 seconds by default. After that its coming in makes nobody wait.
const DOUBLINGS: u32 = 4;

/// A server that stayed in for this long may flap anew.
const STABLE: Micros = Micros::millis(60_000);

/// What a server knows of the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Guardian {
    proposes: bool,
    /// Since when.
    proposing: Micros,
    /// Everybody is given time from here on.
    since: Micros,
    beat: Option<Micros>,
    proposed: Option<Micros>,
    heard: BTreeMap<ServerId, Heard>,
    seats: BTreeMap<ServerId, Admitted>,
}

/// How a server came in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Admitted {
    seat: Seat,
    at: Micros,
    /// How often in a row.
    times: u32,
}

/// The last ping of a server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Heard {
    pub(super) at: Micros,
    /// The last one that said that it is leased, and by which run.
    pub(super) leased: Option<(Micros, u64)>,
    pub(super) incarnation: u64,
    pub(super) epoch: u32,
    pub(super) is_leased: bool,
    pub(super) wants_in: bool,
    pub(super) proposes: bool,
    pub(super) proto: u16,
}

impl Guardian {
    pub(super) fn proposes(&mut self, now: Micros, proposes: bool) {
        if proposes && !self.proposes {
            self.proposing = now;
        }
        self.proposes = proposes;
    }

    pub(super) fn may_propose(&self) -> bool {
        self.proposes
    }

    /// A view was read: who is new in it has time to install it.
    pub(super) fn learns(&mut self, now: Micros, view: &View) {
        for (server, seat) in &view.members {
            let before = self.seats.get(server);
            if before.is_some_and(|before| before.seat == *seat) {
                continue;
            }
            let again = before.filter(|before| now < before.at + STABLE).map_or(0, |before| before.times);
            self.seats.insert(*server, Admitted { seat: *seat, at: now, times: again + 1 });
        }
    }
}

impl Server {
    fn wants_in(&self) -> bool {
        self.draining.is_none() && self.pending.is_none()
    }

    /// Tells everybody that this server is here, and sees who else is.
    pub(super) fn beat(&mut self) {
        let span = Micros(self.spec.renew.0 / 2).max(Micros(1000));
        self.at(self.now + span, Timer::Beat);
        let message = Message::Ping {
            epoch: self.epoch(),
            incarnation: self.spec.incarnation,
            leased: self.leased(self.now, Class::Fast),
            wants_in: self.wants_in(),
            proposes: self.guardian.proposes,
            proto: PROTO,
        };
        let others = self.spec.peers.iter().filter(|peer| **peer != self.spec.id);
        self.out.extend(others.map(|peer| Output::Send(*peer, message.clone())));
        // Who was paused has heard nobody meanwhile, and must not blame the others for it.
        if self.guardian.beat.is_none_or(|last| self.now > last + Micros(self.spec.suspect.0 / 2).max(span)) {
            self.guardian.since = self.now;
        }
        self.guardian.beat = Some(self.now);
        self.guards();
    }

    /// A ping, as it was heard; of a stranger none is.
    pub(super) fn pinged(&mut self, from: ServerId, ping: Heard) {
        if !self.spec.peers.contains(&from) {
            return;
        }
        let heard = self.guardian.heard.entry(from).or_default();
        let leased = if ping.is_leased { Some((ping.at, ping.incarnation)) } else { heard.leased };
        *heard = Heard { leased, ..ping };
    }

    /// One change at a time, and a pause between two.
    fn guards(&mut self) {
        // Nothing was read yet.
        let Some(view) = self.pending.clone().or_else(|| self.view.clone()) else { return };
        // Pings go to everybody, so whoever begins to propose mostly knows who is silent, and who comes and goes; one
        // round more is enough.
        let begins = self.now < self.guardian.proposing + self.spec.renew && !view.members.is_empty();
        let early = self.guardian.proposed.is_some_and(|last| self.now < last + self.spec.pause);
        if !self.guardian.proposes || begins || early || self.defers(self.now) {
            return;
        }
        let change = self.excludes(self.now, &view).or_else(|| self.admits(self.now, &view));
        let change = change.or_else(|| self.raises_proto(self.now, &view));
        if let Some(command) = change {
            self.guardian.proposed = Some(self.now);
            self.out.push(Output::Propose(command));
        }
    }

    /// Of several who may propose, the first who is leased does.
    fn defers(&self, now: Micros) -> bool {
        let own = (!self.leased(now, Class::Fast), self.spec.id);
        let alive = |heard: &Heard| now < heard.at + self.spec.suspect;
        let others = self.guardian.heard.iter().filter(|(_, heard)| heard.proposes && alive(heard));
        others.map(|(server, heard)| (!heard.is_leased, *server)).any(|other| other < own)
    }

    /// A member from which for so long no ping came that says that it is leased. One that came in has time to
    /// install, as long as it can be heard.
    fn excludes(&self, now: Micros, view: &View) -> Option<Command> {
        let own = (self.spec.id, self.spec.incarnation);
        let patience = self.spec.suspect;
        let silent = |server: &ServerId, seat: &Seat| {
            if *server == own.0 {
                // An earlier run of this server, which has ended.
                return seat.incarnation != own.1 && self.rules.has(Rule::OneRun);
            }
            let heard = self.guardian.heard.get(server);
            let leased = heard.and_then(|heard| heard.leased).filter(|(_, run)| *run == seat.incarnation);
            let last = leased.map_or(Micros(0), |(at, _)| at);
            let came = self.guardian.seats.get(server).map_or(now, |admitted| admitted.at);
            let any = heard.map_or(Micros(0), |heard| heard.at);
            now >= last.max(came).min(any).max(self.guardian.since) + patience
        };
        let mut suspects = view.members.iter().filter(|(server, seat)| silent(server, seat));
        suspects.next().map(|(server, _)| Command::Exclude(view.epoch, *server))
    }

    /// Whether a member may serve: then one that flaps would disturb it.
    fn somebody_may_serve(&self, now: Micros, view: &View) -> bool {
        let own = view.has(self.spec.id, self.spec.incarnation) && self.leased(now, Class::Fast);
        let leased = |(server, heard): (&ServerId, &Heard)| {
            heard.leased.is_some_and(|(at, run)| view.has(*server, run) && now < at + self.spec.suspect)
        };
        let listened = now >= self.guardian.since + self.spec.suspect;
        own || !listened || self.guardian.heard.iter().any(leased)
    }

    /// A server that wants in and is not, in this run of it; with a back-off for each, unless nobody is there to be
    /// disturbed.
    fn admits(&self, now: Micros, view: &View) -> Option<Command> {
        let own = (self.spec.id, self.spec.incarnation);
        let patience = self.spec.suspect;
        let heard = self.guardian.heard.iter();
        // It must have read this view: a ping that was on its way for long does not bring back who is dead.
        let reads = |heard: &Heard| heard.epoch >= view.epoch && now < heard.at + patience;
        let others = heard.filter(|(_, heard)| heard.wants_in && reads(heard));
        // Everybody speaks the version of the view: what they send may be of that.
        let others = others.filter(|(_, heard)| heard.proto >= view.proto);
        let others = others.map(|(server, heard)| (*server, heard.incarnation));
        let me = (self.wants_in() && PROTO >= view.proto).then_some(own);
        let mut wanting = me.into_iter().chain(others).filter(|(server, run)| !view.has(*server, *run));
        let (seats, alone) =
            (&self.guardian.seats, self.rules.has(Rule::Undisturbed) && !self.somebody_may_serve(now, view));
        let (server, incarnation) = wanting.find(|(server, _)| {
            seats.get(server).is_none_or(|admitted| {
                alone || now >= admitted.at + Micros(FIRST_BACK_OFF.0 << (admitted.times - 1).min(DOUBLINGS))
            })
        })?;
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
