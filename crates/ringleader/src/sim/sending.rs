//! Messages that set out, and what is known of them on their way.

use super::Delay;
use super::problem::Problem;
use super::world::{Clock, Flight, World};
use crate::model::{Charge, Links};
use crate::network::Link;
use crate::population::{Handle, Letter, Sent};
use crate::trace::{self, Fate, shown};

impl<B: Problem> World<'_, B> {
    /// What is known of a message on its way.
    #[inline]
    pub(super) fn flight(&self, message: Handle) -> &Flight {
        &self.flights[message.place()]
    }

    pub(super) fn send_all(&mut self, sends: &[Sent]) {
        if sends.is_empty() {
            return;
        }
        if !self.is_plain {
            for &send in sends {
                self.send(send);
            }
            return;
        }
        if let &[Sent { from, port, message, kind, charge }] = sends {
            let link = self.net.route(from, port);
            let letter = Letter { to: link.to(), port: link.port(), message };
            self.frontier.add(letter);
            self.count_alike(sends, &[letter], kind, charge);
            return;
        }
        let are_alike =
            |a: &Sent, b: &Sent| a.message == b.message || (a.kind, a.charge) == (b.kind, b.charge);
        // Taken out meanwhile: what is at hand stays in registers.
        let mut mail = core::mem::take(&mut self.frontier);
        for alike in sends.chunk_by(are_alike) {
            let begin = mail.letters.len();
            mail.letters.reserve(alike.len());
            let routed = alike.iter().map(|send| (send.from, send.port, send.message));
            self.net.route_all(routed, |link, message| {
                mail.add(Letter { to: link.to(), port: link.port(), message });
            });
            self.count_alike(alike, &mail.letters[begin..], alike[0].kind, alike[0].charge);
        }
        self.frontier = mail;
    }

    /// Messages of one kind are sent, charged alike.
    #[inline]
    fn count_alike(&mut self, sends: &[Sent], letters: &[Letter], kind: u32, charge: Charge) {
        let count = sends.len() as u64;
        self.meter.sent_alike(kind, count);
        self.messages += count;
        self.problem.sent(sends, letters, charge);
        if self.tokens.is_some() {
            self.problem.travels(kind, count as i64);
        }
    }

    fn send(&mut self, send: Sent) {
        let Sent { from, port, message, kind, charge } = send;
        let mut link = self.net.route(from, port);
        let depth = self.meter.sent(from, kind, |sizes| self.population.message_bits(message, sizes));
        let number = self.messages;
        self.messages += 1;
        let mut fate = Fate::Travels;
        if self.is_troubled {
            while self.bypassed.get(link.to() as usize) == Some(&true)
                && let Some(beyond) = self.net.past(link)
            {
                link = beyond;
            }
            fate = self.fates.of(kind as usize, from, link.to(), self.now / self.ticks_per_unit());
        }
        if self.places.as_ref().is_some_and(|places| places.is_full(link)) {
            fate = Fate::Lost;
        }
        if self.record {
            self.note_sent(&send, link, fate);
        }
        let travels = match fate {
            Fate::Travels => 1,
            Fate::Lost => 0,
            Fate::Doubled => 2,
        };
        let letter = Letter { to: link.to(), port: link.port(), message };
        self.problem.sent(&[send], &[letter], charge);
        self.problem.travels(kind, travels);
        self.note(message, Flight { number, kind, from, depth });
        match fate {
            Fate::Travels => self.travel(letter),
            Fate::Lost => {
                self.gone += 1;
                self.population.discard(message);
            }
            Fate::Doubled => {
                let copy = self.again(letter);
                self.travel(letter);
                self.travel(copy);
            }
        }
    }

    /// What a recording says of a message that is sent.
    #[cold]
    fn note_sent(&mut self, send: &Sent, link: Link, fate: Fate) {
        let name = |id| self.setup.name(id);
        self.sent.push(trace::Sent {
            message: self.messages - 1,
            port: send.port,
            to: link.to(),
            kind: self.nature.kinds[send.kind as usize].into(),
            fields: shown(self.population.message_fields(send.message), &name),
            fate,
        });
    }

    /// A message enters its link.
    #[inline]
    pub(super) fn travel(&mut self, letter: Letter) {
        self.fills_place(letter.link(), letter.message);
        if !self.is_troubled || self.held.is_empty() || !self.waits_behind(letter) {
            self.enter_link(letter);
        }
    }

    /// A message is in its link, and the schedule knows of it.
    #[inline]
    pub(super) fn enter_link(&mut self, letter: Letter) {
        if matches!(self.clock, Clock::Rounds { .. }) && self.setup.links != Links::HalfDuplex {
            self.frontier.add(letter);
        } else {
            self.queue(letter);
        }
    }

    fn queue(&mut self, letter: Letter) {
        let fifo = self.is_fifo();
        let Flight { number, from, .. } = *self.flight(letter.message);
        let (slot, was_empty) = self.links.push(Link::new(letter.to, letter.port), letter.message);
        match &mut self.clock {
            Clock::Rounds { waiting } => waiting.push(slot),
            Clock::Timed { delay, rng, last_due } => {
                let travels = match *delay {
                    Delay::Constant(ticks) => ticks,
                    Delay::Uniform(least, most) => least + rng.below(most - least + 1),
                    Delay::Exponential(mean) => rng.exponential(mean),
                };
                let mut due = self.now + travels;
                if fifo {
                    if last_due.len() <= slot as usize {
                        last_due.resize(slot as usize + 1, 0);
                    }
                    let last = &mut last_due[slot as usize];
                    if !was_empty {
                        due = due.max(*last);
                    }
                    *last = due;
                }
                self.agenda.add_flight(due, number, slot);
            }
            Clock::Steps => self.picker.sent(slot, was_empty, number, from, fifo),
            Clock::Recorded => {}
        }
    }

    /// A message is on its way no longer. One to a process over which the ring is closed was lost before.
    #[inline]
    pub(super) fn has_left(&mut self, to: u32, kind: u32) {
        if !self.is_troubled || self.bypassed.get(to as usize) != Some(&true) {
            self.problem.travels(kind, -1);
        }
    }

    /// A message is lost on its way to this process.
    pub(super) fn vanish(&mut self, to: u32, message: Handle) {
        self.gone += 1;
        self.has_left(to, self.flight(message).kind);
        self.population.discard(message);
    }

    /// A message that is on its way, once more.
    pub(super) fn doubled(&mut self, original: Letter) -> Letter {
        let flight = *self.flight(original.message);
        let copy = self.again(original);
        if self.bypassed.get(copy.to as usize) != Some(&true) {
            let charge = self.population.message_charge(copy.message);
            let sent = Sent { from: flight.from, port: 0, message: copy.message, kind: flight.kind, charge };
            self.problem.sent(&[sent], &[copy], charge);
            self.problem.travels(flight.kind, 1);
        }
        copy
    }

    /// A letter once more, under a number of its own.
    fn again(&mut self, original: Letter) -> Letter {
        let flight = Flight { number: self.messages, ..*self.flight(original.message) };
        let message = self.population.duplicate(original.message);
        self.messages += 1;
        self.note(message, flight);
        Letter { message, ..original }
    }

    /// Keeps what is known of a message that sets out.
    #[inline]
    fn note(&mut self, message: Handle, flight: Flight) {
        let place = message.place();
        if place >= self.flights.len() {
            self.flights.resize(place + 1, Flight::default());
        }
        self.flights[place] = flight;
    }
}
