//! What all groups of a member share: its peers, the time, and where outputs go.

use super::exchange::{Notice, Output};
use super::view::View;
use super::{Beat, ClockWatch, Detector, Frame, GroupBeat, Link, MemberSpec, Micros, Payload, Place, Timing};

/// A peer, as far as it is known.
pub(super) struct Peer {
    pub(super) link: Link<Payload>,
    pub(super) connected: bool,
    /// Whether it has greeted on the connection that there is.
    pub(super) greeted: bool,
    pub(super) detector: Detector,
    /// Whether it is heard: its beats come in, and what is sent to it goes out.
    pub(super) heard: bool,
    pub(super) leaving: bool,
    /// Since when its link was too full to take something: what was to be carried is gone. It counts as down
    /// until everybody has had the time to notice and to go on without it.
    pub(super) full: Option<Micros>,
    pub(super) clock: ClockWatch,
    pub(super) clock_is_wrong: bool,
    /// Its last beat: when it was sent on its clock, when it came in on ours.
    pub(super) last_beat: Option<(Micros, Micros)>,
    pub(super) round_trip: Option<Micros>,
    /// What it said of the groups.
    pub(super) groups: Vec<GroupBeat>,
}

impl Peer {
    pub(super) fn new(incarnation: u64, timing: &Timing, groups: usize, now: Micros) -> Peer {
        Peer {
            link: Link::new(incarnation, timing.limits),
            connected: false,
            greeted: false,
            detector: Detector::new(timing.patience, now),
            heard: false,
            leaving: false,
            full: None,
            clock: ClockWatch::new(timing.terms.drift),
            clock_is_wrong: false,
            last_beat: None,
            round_trip: None,
            groups: vec![GroupBeat::default(); groups],
        }
    }
}

/// A member without its groups.
pub(super) struct Shared {
    pub(super) members: Vec<MemberSpec>,
    pub(super) timing: Timing,
    pub(super) me: Place,
    pub(super) incarnation: u64,
    pub(super) seed: u64,
    pub(super) boot: Micros,
    pub(super) peers: Vec<Peer>,
    pub(super) view: View,
    pub(super) leaving: bool,
    /// Whether others should hear of a change at once, and not with the next beat.
    pub(super) urgent: bool,
    /// The number of the next beat.
    pub(super) number: u64,
    /// What a beat says of the groups.
    pub(super) beats: Vec<GroupBeat>,
    pub(super) now: Micros,
    pub(super) out: Vec<Output>,
}

impl Shared {
    /// Says to everybody how things are.
    pub(super) fn beat(&mut self) {
        let (number, now) = (self.number, self.now);
        self.number += 1;
        // What was found out since the groups were asked last.
        let fit = self.view.is_fit() && !self.leaving;
        self.beats.iter_mut().for_each(|beat| beat.fit = fit);
        for to in self.others() {
            let last = self.peers[usize::from(to)].last_beat;
            let beat = Beat {
                number,
                sent: now,
                echo: last.map(|(sent, came)| (sent, now - came)),
                hears: self.view.mine(),
                leaving: self.leaving,
                groups: self.beats.clone(),
            };
            self.send(to, Frame::Beat(beat));
        }
    }

    /// Sends a frame that may be lost.
    pub(super) fn send(&mut self, to: Place, frame: Frame) {
        if self.peers[usize::from(to)].greeted {
            self.out.push(Output::Send(to, frame));
        }
    }

    /// Sends it to everybody.
    pub(super) fn send_all(&mut self, frame: &Frame) {
        for to in self.others() {
            self.send(to, frame.clone());
        }
    }

    /// Has a payload carried exactly once, in order; if that is impossible the peer counts as down.
    pub(super) fn carry(&mut self, to: Place, payload: Payload) {
        let peer = &mut self.peers[usize::from(to)];
        match peer.link.send(payload) {
            Ok(segment) if peer.greeted => self.out.push(Output::Send(to, Frame::Data(segment))),
            Ok(_) => {}
            Err(super::Full) => {
                if peer.link.peer().is_some() {
                    let known = peer.full.replace(self.now).is_some();
                    if !known {
                        self.notice(Notice::LinkFull(to));
                    }
                }
            }
        }
    }

    pub(super) fn notice(&mut self, notice: Notice) {
        self.out.push(Output::Notice(notice));
    }

    /// Everybody else.
    pub(super) fn others(&self) -> impl Iterator<Item = Place> + use<> {
        let me = self.me;
        (0..self.members.len() as Place).filter(move |&place| place != me)
    }

    /// The incarnation of a member, once it was met.
    pub(super) fn incarnation_of(&self, place: Place) -> u64 {
        if place == self.me {
            self.incarnation
        } else {
            self.peers[usize::from(place)].link.peer().unwrap_or(0)
        }
    }
}
