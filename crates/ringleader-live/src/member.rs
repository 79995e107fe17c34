//! A member of a cluster: what drives it hands in what happened and when, and carries out what comes back.

use super::exchange::{Input, Notice, Output};
use super::fingerprint::fingerprint;
use super::group::Group;
use super::shared::{Peer, Shared};
use super::view::View;
use super::{
    Beat, ClockWatch, Cluster, Detector, Epoch, Frame, GroupBeat, Hello, MAX_MEMBERS, Meeting, Micros,
    PROTOCOL, Payload, PeerStatus, Place, Received, Refused, Status,
};
use ringleader::sim::Refusal;

/// A member.
pub struct Member {
    name: String,
    config: u64,
    core: Shared,
    groups: Vec<Group>,
    next_beat: Micros,
}

impl Member {
    /// The member at this place. The incarnation grows with every start; the seed is what its processes draw from.
    ///
    /// # Errors
    /// If a group of the cluster asks for what its algorithm refuses.
    ///
    /// # Panics
    /// If there is no such place, or there are more than [`MAX_MEMBERS`].
    pub fn new(
        cluster: Cluster,
        place: Place,
        incarnation: u64,
        seed: u64,
        now: Micros,
    ) -> Result<Member, Refusal> {
        let members = cluster.members.len();
        assert!(usize::from(place) < members && members <= MAX_MEMBERS, "a cluster has 1 to 64 members");
        let config = fingerprint(&cluster);
        let timing = cluster.timing;
        let peer = |_| Peer::new(incarnation, &timing, cluster.groups.len(), now);
        let core = Shared {
            peers: (0..members).map(peer).collect(),
            view: View::new(place, members),
            members: cluster.members,
            timing,
            me: place,
            incarnation,
            seed,
            boot: now,
            leaving: false,
            urgent: false,
            number: 0,
            beats: Vec::new(),
            now,
            out: Vec::new(),
        };
        let group = |(number, spec)| Group::new(number as u16, spec, &core);
        let groups = cluster.groups.into_iter().enumerate().map(group).collect::<Result<_, _>>()?;
        Ok(Member { name: cluster.name, config, core, groups, next_beat: now })
    }

    /// Something happens. What is to be done is appended.
    pub fn handle(&mut self, now: Micros, input: Input, out: &mut Vec<Output>) {
        // A reading that went back is as if no time had passed.
        self.core.now = self.core.now.max(now);
        core::mem::swap(&mut self.core.out, out);
        // What has run out has run out before anything else happens.
        self.groups.iter_mut().for_each(|group| group.expire(&mut self.core));
        match input {
            Input::Connected(peer) => self.connected(peer),
            Input::Disconnected(peer) => {
                let peer = &mut self.core.peers[usize::from(peer)];
                (peer.connected, peer.greeted) = (false, false);
            }
            Input::Frame(from, frame) => self.frame(from, frame),
            Input::Wake => {}
            // A group that there is not has no user either.
            Input::Want(group) => drop(self.with(group, |group, core| group.user(core, true))),
            Input::Exit(group) => drop(self.with(group, |group, core| group.user(core, false))),
            Input::Leave => self.leave(),
        }
        self.look_around();
        for group in &mut self.groups {
            group.wake(&mut self.core);
            group.tend(&mut self.core);
            group.ask(&mut self.core);
            group.look_for_leader(&mut self.core);
        }
        self.say();
        core::mem::swap(&mut self.core.out, out);
    }

    fn with(&mut self, group: u16, act: impl FnOnce(&mut Group, &mut Shared)) -> bool {
        match self.groups.get_mut(usize::from(group)) {
            Some(group) => {
                act(group, &mut self.core);
                true
            }
            None => false,
        }
    }

    fn connected(&mut self, peer: Place) {
        let greeting = {
            let peer = &mut self.core.peers[usize::from(peer)];
            (peer.connected, peer.greeted) = (true, false);
            peer.link.greeting()
        };
        let hello = Hello {
            cluster: self.name.clone(),
            config: self.config,
            versions: (PROTOCOL, PROTOCOL),
            place: self.core.me,
            greeting,
        };
        self.core.out.push(Output::Send(peer, Frame::Hello(hello)));
    }

    fn frame(&mut self, from: Place, frame: Frame) {
        let peer = &mut self.core.peers[usize::from(from)];
        if !peer.connected {
            return; // The rest of a connection that is gone.
        }
        match frame {
            Frame::Hello(_) if peer.greeted => self.close(from, Refused::Order),
            Frame::Hello(hello) => self.hello(from, hello),
            Frame::Refuse(why) => self.refused_by(from, why),
            Frame::Data(_)
            | Frame::Ack { .. }
            | Frame::Beat(_)
            | Frame::Ask { .. }
            | Frame::Granted { .. }
            | Frame::Denied { .. }
            | Frame::Release { .. }
                if !peer.greeted =>
            {
                self.close(from, Refused::Order);
            }
            Frame::Data(segment) => {
                let received = peer.link.receive(segment);
                let due = peer.link.acknowledgement(false);
                match received {
                    Received::Deliver(payload) => self.payload(from, payload),
                    Received::Duplicate => self.core.notice(Notice::Dropped(from, "duplicate")),
                    Received::Gap => self.core.notice(Notice::Dropped(from, "gap")),
                    Received::Stranger => self.core.notice(Notice::Dropped(from, "stranger")),
                }
                if let Some((mine, yours, next)) = due {
                    self.core.send(from, Frame::Ack { from: mine, to: yours, next });
                }
            }
            Frame::Ack { from: theirs, to, next } => {
                peer.link.acknowledged(theirs, to, next);
            }
            Frame::Beat(beat) => self.beat(from, beat),
            Frame::Ask { group, epoch, sent } => {
                self.or_nonsense(from, group, |group, core| group.asked(core, from, epoch, sent));
            }
            Frame::Granted { group, epoch, sent } => {
                self.or_nonsense(from, group, |group, core| group.granted(core, from, epoch, sent));
            }
            Frame::Denied { .. } => {} // It asks again anyway.
            Frame::Release { group, epoch } => {
                self.or_nonsense(from, group, |group, core| group.released(core, from, epoch));
            }
        }
    }

    fn or_nonsense(&mut self, from: Place, group: u16, act: impl FnOnce(&mut Group, &mut Shared)) {
        if !self.with(group, act) {
            self.core.notice(Notice::Nonsense(from, "a group that there is not"));
        }
    }

    fn payload(&mut self, from: Place, payload: Payload) {
        let group = match &payload {
            Payload::Open { group, participants, .. } => {
                let members = self.core.members.len();
                let rising = participants.windows(2).all(|pair| pair[0] < pair[1]);
                if !rising || participants.iter().any(|&who| usize::from(who) >= members) {
                    self.core.notice(Notice::Nonsense(from, "participants that there are not"));
                    return;
                }
                *group
            }
            Payload::Joined { group, .. }
            | Payload::Start { group, .. }
            | Payload::Message { group, .. }
            | Payload::Wish { group, .. }
            | Payload::Baton { group, .. } => *group,
        };
        self.or_nonsense(from, group, |group, core| group.payload(core, from, payload));
    }

    fn close(&mut self, peer: Place, why: Refused) {
        let state = &mut self.core.peers[usize::from(peer)];
        (state.connected, state.greeted) = (false, false);
        self.core.out.push(Output::Close(peer, why));
    }

    fn hello(&mut self, from: Place, hello: Hello) {
        let wrong = if hello.cluster != self.name {
            Some(Refused::Cluster)
        } else if hello.versions.0 > PROTOCOL || hello.versions.1 < PROTOCOL {
            Some(Refused::Version)
        } else if hello.config != self.config {
            Some(Refused::Config)
        } else if hello.place != from {
            Some(Refused::Name)
        } else {
            None
        };
        if let Some(why) = wrong {
            return self.close(from, why);
        }
        let now = self.core.now;
        let peer = &mut self.core.peers[usize::from(from)];
        let met = peer.link.greeted(hello.greeting);
        match met {
            Meeting::Stale(known) => {
                self.core.notice(Notice::Met(from, met));
                return self.close(from, Refused::Stale(known));
            }
            Meeting::First | Meeting::Restarted => {
                peer.detector = Detector::new(self.core.timing.patience, now);
                peer.clock = ClockWatch::new(self.core.timing.terms.drift);
                peer.clock_is_wrong = false;
                (peer.last_beat, peer.round_trip) = (None, None);
                (peer.full, peer.leaving) = (None, false);
                peer.groups.fill(GroupBeat::default());
            }
            Meeting::Same => {}
        }
        peer.greeted = true;
        let again: Vec<_> = peer.link.again().collect();
        self.core.notice(Notice::Met(from, met));
        for segment in again {
            self.core.send(from, Frame::Data(segment));
        }
        if met == Meeting::Restarted {
            // Whatever it was, it is not that any more.
            for group in &mut self.groups {
                group.lose(&mut self.core, from);
            }
        }
        self.core.urgent = true;
    }

    fn refused_by(&mut self, from: Place, why: Refused) {
        let state = &mut self.core.peers[usize::from(from)];
        (state.connected, state.greeted) = (false, false);
        self.core.notice(Notice::RefusedBy(from, why.clone()));
        if let Refused::Stale(known) = why
            && known >= self.core.incarnation
        {
            self.renumber(known + 1);
        }
    }

    /// The clock went back between two starts: others have seen a newer incarnation. It goes on as the newest.
    fn renumber(&mut self, incarnation: u64) {
        self.core.incarnation = incarnation;
        let (now, timing, groups) = (self.core.now, self.core.timing, self.groups.len());
        for place in self.core.others() {
            self.core.peers[usize::from(place)] = Peer::new(incarnation, &timing, groups, now);
            self.core.view.i_hear(place, false);
        }
        for group in &mut self.groups {
            group.leave_epoch(&mut self.core);
            (group.epoch, group.participants) = (Epoch::default(), Vec::new());
            group.opening = None;
        }
        self.core.out.push(Output::Renumbered(incarnation));
    }

    fn beat(&mut self, from: Place, beat: Beat) {
        let now = self.core.now;
        let peer = &mut self.core.peers[usize::from(from)];
        peer.detector.heard(now);
        peer.clock.beat(beat.sent, now);
        peer.last_beat = Some((beat.sent, now));
        peer.leaving = beat.leaving;
        if let Some((sent, kept)) = beat.echo {
            peer.round_trip = Some((now - sent) - kept);
        }
        let fit = beat.groups.first().is_some_and(|group| group.fit);
        for (group, said) in self.groups.iter_mut().zip(&beat.groups) {
            group.newest = group.newest.max(said.epoch);
        }
        if beat.groups.len() == peer.groups.len() {
            peer.groups.clone_from(&beat.groups);
        }
        let off = peer.clock.off();
        if peer.clock.is_wrong() != peer.clock_is_wrong {
            peer.clock_is_wrong = !peer.clock_is_wrong;
            if peer.clock_is_wrong {
                self.core.notice(Notice::ClockWrong(from, off));
                self.groups.iter_mut().for_each(|group| group.discount(from));
            }
        }
        self.core.view.says(from, beat.hears, fit);
    }

    /// Who is heard, and who is not any more.
    fn look_around(&mut self) {
        let now = self.core.now;
        let noticed = Micros(self.core.timing.patience.heartbeat.0.saturating_mul(10));
        for place in self.core.others() {
            let peer = &mut self.core.peers[usize::from(place)];
            if peer.full.is_some_and(|since| now >= since + noticed && peer.link.waiting() == 0) {
                peer.full = None;
            }
            let alive = peer.last_beat.is_some() && !peer.detector.suspects(now);
            // With a clock that cannot be trusted nothing can be held together.
            let heard = alive && peer.full.is_none() && !peer.leaving && !peer.clock_is_wrong;
            if heard == peer.heard {
                continue;
            }
            self.core.peers[usize::from(place)].heard = heard;
            self.core.view.i_hear(place, heard);
            self.core.urgent = true;
            self.core.notice(if heard { Notice::Hears(place) } else { Notice::Suspects(place) });
            if !heard {
                for group in &mut self.groups {
                    group.lose(&mut self.core, place);
                }
            }
        }
    }

    /// Stops: what it leads is given back, and everybody is told.
    fn leave(&mut self) {
        if self.core.leaving {
            return;
        }
        for group in &mut self.groups {
            if group.leading.holds && !group.is_election() {
                group.user_leaves(&mut self.core);
            }
            group.leave_epoch(&mut self.core);
        }
        self.core.leaving = true;
        self.say_now();
        self.core.out.push(Output::Left);
    }

    /// Beats, if it is time or something is worth it.
    fn say(&mut self) {
        let beats = self.core.now >= self.next_beat;
        if beats || self.core.urgent {
            self.say_now();
        } else {
            self.refresh();
        }
        if beats {
            self.next_beat = self.core.now + self.core.timing.patience.heartbeat;
            for place in self.core.others() {
                let due = self.core.peers[usize::from(place)].link.acknowledgement(true);
                if let Some((from, to, next)) = due {
                    self.core.send(place, Frame::Ack { from, to, next });
                }
                // A link that is full and hears nothing asks once more: what is there already is acknowledged again.
                let peer = &self.core.peers[usize::from(place)];
                let first = if peer.full.is_some() { peer.link.again().next() } else { None };
                if let Some(first) = first {
                    self.core.send(place, Frame::Data(first));
                }
            }
        }
    }

    fn say_now(&mut self) {
        self.refresh();
        self.core.urgent = false;
        self.core.beat();
    }

    /// What a beat says of the groups.
    fn refresh(&mut self) {
        let fit = self.core.view.is_fit() && !self.core.leaving;
        let now = self.core.now;
        let beat = |group: &Group| GroupBeat {
            // Not what it has heard of: two stewards that do not hear each other would outbid each other for ever.
            epoch: group.epoch,
            fit,
            leader: group.granter.held(now).map(|(claimant, _)| claimant.place),
            leads: group.leading.holds,
        };
        self.core.beats = self.groups.iter().map(beat).collect();
    }

    /// When it wants to be woken at the latest.
    #[must_use]
    pub fn wakes_at(&self) -> Micros {
        let heard = self.core.others().map(|place| &self.core.peers[usize::from(place)]);
        let suspicions = heard.filter(|peer| peer.heard).map(|peer| peer.detector.deadline() + Micros(1));
        let groups = self.groups.iter().filter_map(Group::wakes_at);
        suspicions.chain(groups).fold(self.next_beat, Micros::min)
    }

    /// How it is.
    #[must_use]
    pub fn status(&self, now: Micros) -> Status {
        let now = self.core.now.max(now);
        let peer = |place: Place| {
            let peer = &self.core.peers[usize::from(place)];
            PeerStatus {
                place,
                incarnation: peer.link.peer(),
                connected: peer.greeted,
                heard: peer.heard,
                phi_tenths: peer.detector.phi_tenths(now),
                round_trip: peer.round_trip,
                waiting: peer.link.waiting(),
                clock_off: peer.clock.off(),
            }
        };
        Status {
            now,
            place: self.core.me,
            incarnation: self.core.incarnation,
            leaving: self.core.leaving,
            peers: self.core.others().map(peer).collect(),
            groups: self.groups.iter().map(|group| group.status(&self.core, now)).collect(),
        }
    }

    /// A fingerprint of the members, groups and times: two members that are to work together must have the same.
    #[must_use]
    pub fn config(&self) -> u64 {
        self.config
    }
}
