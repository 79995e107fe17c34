//! One step: an input is handed to a process, and its effects are carried out.

use super::Delay;
use super::agenda::Due;
use super::crowd::everybody;
use super::crowd::{Moved, Received};
use super::problem::{Passing, Problem, Seen, UserInput};
use super::schedule::Candidate;
use super::world::{Clock, Flight, World};
use crate::model::{Links, Message, Name, Port, Process, Reached, Shape};
use crate::network::{Network, Wired};
use crate::trace::{Arrival, Event, Fate, Input, Outcome, Sent, as_call, shown};
use std::borrow::Cow;

impl<P: Process, B: Problem<P>> World<'_, P, B>
where
    P::Port: Wired,
{
    /// A process starts of its own accord.
    pub(super) fn start(&mut self, index: u32) {
        let before = self.enter(index);
        self.started[index as usize] = true;
        self.processes[index as usize].start(&mut self.effects);
        // Where everybody starts as a matter of course, a start that does nothing is not worth a step.
        if B::ALL_START && self.effects.sends.is_empty() && self.effects.timers.is_empty() {
            self.tell_silent_start(index);
            return;
        }
        self.leave(index, before, &|| Input::Start);
    }

    /// The k-th message of a link arrives.
    #[inline]
    pub(super) fn deliver(&mut self, slot: u32, k: u32) {
        let (to, port) = self.net.end(self.links.link(slot));
        let Some((flight, empty)) = self.links.take(slot, k) else { return };
        if !empty
            && self.is_fifo()
            && let Some(next) = self.links.head(slot)
        {
            self.picker.next_in_line(slot, next.number);
        }
        self.arrive(to, port, flight);
    }

    /// A message arrives.
    #[inline]
    pub(super) fn arrive(&mut self, to: u32, port: P::Port, flight: Flight<P::Msg>) {
        self.meter.delivered(to, flight.depth, self.now);
        self.gone += 1;
        if self.bypassed.get(to as usize) != Some(&true) {
            self.problem.sent(&Passing { from: flight.from, to, msg: &flight.msg, in_transit: -1 });
        }
        if self.record {
            self.tell_arrival(to, &flight);
        }
        let before = self.enter(to);
        if !self.is_down(to) {
            self.wake(to);
            self.processes[to as usize].receive(port, flight.msg, &mut self.effects);
        }
        let number = flight.number;
        self.leave(to, before, &|| Input::Deliver(vec![Arrival { message: number, port: port.index() }]));
    }

    /// The message with this number arrives, if it is still in this link.
    #[inline]
    pub(super) fn deliver_message(&mut self, slot: u32, message: u64) {
        if Self::TWO_WAY && self.is_half_duplex() {
            if self.place(slot, message).is_some() {
                self.deliver_some(slot);
            }
            return;
        }
        if self.links.head(slot).is_some_and(|flight| flight.number == message) {
            self.deliver(slot, 0);
            return;
        }
        if let Some(place) = self.place(slot, message) {
            self.deliver(slot, place);
        }
    }

    /// The place of a message among those that wait in a link.
    pub(super) fn place(&self, slot: u32, message: u64) -> Option<u32> {
        for (place, flight) in self.links.iter(slot).enumerate() {
            if flight.number == message {
                return Some(place as u32);
            }
        }
        None
    }

    /// A process that has not started does so just before its first message, if it is to.
    #[inline]
    pub(super) fn wake(&mut self, index: u32) {
        if !self.started[index as usize] {
            if P::SPEC.needs.reached.starts_first(self.setup.is_initiator(index)) {
                self.processes[index as usize].start(&mut self.effects);
            }
            self.started[index as usize] = P::SPEC.needs.reached != Reached::MayStartLater;
        }
    }

    /// A timer runs out.
    pub(super) fn timeout(&mut self, index: u32, timer: P::Timer) {
        let before = self.enter(index);
        self.processes[index as usize].timeout(timer, &mut self.effects);
        self.leave(index, before, &|| Input::Timeout(timer.name().into()));
    }

    /// A process takes a local step.
    pub(super) fn local(&mut self, index: u32, step: P::Local) {
        let before = self.enter(index);
        self.processes[index as usize].step(step, &mut self.effects);
        self.leave(index, before, &|| Input::Local(step.name().into()));
    }

    /// A user wants in, or leaves.
    pub(super) fn user(&mut self, index: u32, input: UserInput) {
        let before = self.enter(index);
        let process = &mut self.processes[index as usize];
        match input {
            UserInput::Want => B::want(process, &mut self.effects),
            UserInput::Exit => B::exit(process, &mut self.effects),
        }
        self.leave(index, before, &|| match input {
            UserInput::Want => Input::Want,
            UserInput::Exit => Input::Exit,
        });
    }

    /// A process stops. What is on its way to it is lost when it arrives; its timers are gone.
    pub(super) fn crash(&mut self, index: u32) {
        if self.is_down(index) {
            return;
        }
        self.problem.crashed(index, &self.processes[index as usize]);
        if !self.is_replaying {
            self.begin_effects(index);
        }
        self.processes[index as usize] = self.setup.process(index, &self.net, self.scenario.range);
        self.down[index as usize] = true;
        if (self.messages == 0 || P::SPEC.needs.tolerates.crash)
            && let Some(bypassed) = self.bypassed.get_mut(index as usize)
        {
            *bypassed = true;
            self.doom(index);
        }
        let timers = P::Timer::ALL.len();
        for timer in &mut self.timers[index as usize * timers..][..timers] {
            *timer = (timer.0 + 1, false);
        }
        if P::SPEC.needs.detector && P::Port::SHAPE == Shape::Named && !self.is_replaying {
            let after = (2 * u64::from(self.setup.max_delay()) + 1) * self.ticks_per_unit();
            for process in (0..self.setup.n).filter(|&process| process != index) {
                self.agenda.add(self.now + after, Due::Suspect { process, who: index });
            }
        }
        // Nothing was asked of the process, so there are no effects to carry out.
        self.happened(index, Input::Crash);
    }

    /// What is on its way to a process over which the ring is closed is lost; it only has not arrived yet.
    fn doom(&mut self, index: u32) {
        let problem = &mut self.problem;
        let mut lose = |flight: &Flight<P::Msg>| {
            problem.sent(&Passing { from: flight.from, to: index, msg: &flight.msg, in_transit: -1 });
        };
        if !matches!(self.clock, Clock::Rounds { .. }) {
            for port in 0..self.net.degree(index) {
                if let Some(slot) = self.links.slot(self.net.link(index, P::Port::from_index(port))) {
                    for flight in self.links.iter(slot) {
                        lose(flight);
                    }
                }
            }
        }
        for list in [&self.frontier, &self.arriving] {
            for (link, flight) in list {
                if self.net.end(*link).0 == index {
                    lose(flight);
                }
            }
        }
        for held in &self.held {
            if self.net.end(held.link).0 == index {
                lose(&held.flight);
            }
        }
    }

    /// A stopped process comes back, without what it knew.
    pub(super) fn recover(&mut self, index: u32) {
        if !self.is_down(index) {
            return;
        }
        self.down[index as usize] = false;
        if let Some(bypassed) = self.bypassed.get_mut(index as usize) {
            *bypassed = false;
        }
        self.started[index as usize] = true;
        let before = self.enter(index);
        self.processes[index as usize].recover(&mut self.effects);
        self.leave(index, before, &|| Input::Recover);
    }

    /// A process is told that another is down.
    pub(super) fn suspect(&mut self, index: u32, who: u32) {
        let before = self.enter(index);
        self.processes[index as usize].suspect(P::Port::from_index(who), &mut self.effects);
        self.leave(index, before, &|| Input::Suspect(who));
    }

    /// A message is lost on its way to this process.
    pub(super) fn lose(&mut self, index: u32, arrival: Arrival) -> Result<(), String> {
        let (slot, place) = self.find(index, arrival)?;
        if let Some((flight, _)) = self.links.take(slot, place) {
            self.gone += 1;
            self.problem.sent(&Passing { from: flight.from, to: index, msg: &flight.msg, in_transit: -1 });
        }
        self.happened(index, Input::Lose(arrival));
        Ok(())
    }

    /// A message is doubled on its way to this process; the copy comes last in its link.
    pub(super) fn double(&mut self, index: u32, arrival: Arrival) -> Result<(), String> {
        let (slot, place) = self.find(index, arrival)?;
        let number = self.messages;
        self.messages += 1;
        let original = self.links.iter(slot).nth(place as usize);
        if let Some(copy) = original.map(|flight| Flight { msg: flight.msg.clone(), number, ..*flight }) {
            self.problem.sent(&Passing { from: copy.from, to: index, msg: &copy.msg, in_transit: 1 });
            self.enter_link(self.links.link(slot), copy);
        }
        self.happened(index, Input::Double(arrival));
        Ok(())
    }

    /// Something happened to a process in which it took no part.
    pub(super) fn happened(&mut self, index: u32, input: Input) {
        if self.record {
            self.write(index, input, Vec::new(), None);
        }
        self.steps += 1;
        self.last_step = self.now;
        self.tell_move(index, 0);
        self.intervene();
    }

    /// An empty buffer for the effects of a step of this process.
    #[inline]
    pub(super) fn begin_effects(&mut self, index: u32) {
        let drawn = if P::SPEC.needs.choices { self.drawn[index as usize] } else { 0 };
        self.effects.begin(self.choices_key, index, drawn);
    }

    /// Before a step of this process.
    #[inline]
    pub(super) fn enter(&mut self, index: u32) -> B::Before {
        if !self.is_replaying {
            self.begin_effects(index);
        }
        self.problem.before(&self.processes[index as usize])
    }

    /// After a step of this process: carries out what it asked for, and sees what it meant.
    #[inline]
    pub(super) fn leave(&mut self, index: u32, before: B::Before, input: &dyn Fn() -> Input) {
        // What arrived is gone from the links by now, and nothing has been sent yet.
        let arrived = self.gone - self.gone_before;
        let outcome = self.problem.after(&Seen {
            index,
            before,
            process: &self.processes[index as usize],
            now: self.now,
            depth: self.meter.depth_at(index),
        });
        let mut sends = core::mem::take(&mut self.effects.sends);
        let mut sent = Vec::new();
        for (port, msg) in sends.drain(..) {
            self.send(index, port, msg, &mut sent);
        }
        self.effects.sends = sends;
        if !P::Timer::ALL.is_empty() {
            self.set_timers(index);
        }
        if P::SPEC.needs.choices {
            self.drawn[index as usize] += self.effects.choices.len() as u32;
        }
        let (begun, reached) = (self.effects.phases_begun, self.effects.phase_reached);
        self.meter.phases(index, self.setup.n, begun, reached);
        if let Some(why) = self.effects.impossible {
            self.impossible.get_or_insert(why);
        }
        if self.record {
            self.write(index, input(), sent, outcome);
        }
        self.steps += 1;
        self.last_step = self.now;
        self.tell_move(index, arrived);
        self.offer_locals(index);
        self.schedule_users();
        if !self.refused.is_empty() {
            self.offer_refused(index);
        }
        self.intervene();
    }

    /// Tells an observer who wants to hear of moves.
    #[inline]
    fn tell_move(&mut self, process: u32, received: u64) {
        self.gone_before = self.gone;
        if self.steps == self.record_from {
            (self.record, self.effects.record) = (true, true);
        }
        if self.moves {
            let moved = Moved {
                time: self.now,
                process,
                messages: self.messages,
                in_transit: self.messages - self.gone,
                received: received as u32,
            };
            self.observer.moved(&moved, &everybody!(self));
        }
    }

    /// Tells an observer what arrives, if it asks.
    pub(super) fn tell_arrival(&mut self, to: u32, flight: &Flight<P::Msg>) {
        let setup = self.setup;
        self.observer.receives(&|| {
            let fields = shown(flight.msg.fields(), &|id| setup.name(id));
            let text = as_call(P::Msg::KINDS[flight.msg.kind()], &fields);
            Received { message: flight.number, from: flight.from, to, text }
        });
    }

    /// Tells such an observer of a start that is not worth a step.
    pub(super) fn tell_silent_start(&mut self, process: u32) {
        if self.moves {
            self.observer.starts_silently(process, &everybody!(self));
        }
    }

    fn write(&mut self, index: u32, input: Input, sends: Vec<Sent>, outcome: Option<Outcome>) {
        let event = Event {
            time: self.now,
            process: index,
            input,
            choices: self.effects.choices.clone(),
            rules: owned(&self.effects.rules),
            sends,
            outcome,
            impossible: self.effects.impossible.map(Into::into),
        };
        self.observer.event(&event);
    }

    #[inline]
    fn send(&mut self, from: u32, port: P::Port, msg: P::Msg, sent: &mut Vec<Sent>) {
        let (mut to, mut arrival) = self.net.route(from, port);
        while self.bypassed.get(to as usize) == Some(&true)
            && let Some(beyond) = self.net.past(to, arrival)
        {
            (to, arrival) = beyond;
        }
        let depth = self.meter.sent(from, &msg);
        let number = self.messages;
        self.messages += 1;
        let fate = self.fates.of(msg.kind(), from, to, self.now / self.ticks_per_unit());
        if self.record {
            let name = |id| self.setup.name(id);
            sent.push(Sent {
                message: number,
                port: port.index(),
                to,
                kind: P::Msg::KINDS[msg.kind()].into(),
                fields: shown(msg.fields(), &name),
                fate,
            });
        }
        let in_transit = match fate {
            Fate::Travels => 1,
            Fate::Lost => 0,
            Fate::Doubled => 2,
        };
        self.problem.sent(&Passing { from, to, msg: &msg, in_transit });
        match fate {
            Fate::Travels => self.travel(to, arrival, Flight { msg, number, from, depth }),
            Fate::Lost => self.gone += 1,
            Fate::Doubled => {
                self.travel(to, arrival, Flight { msg: msg.clone(), number, from, depth });
                let number = self.messages;
                self.messages += 1;
                self.travel(to, arrival, Flight { msg, number, from, depth });
            }
        }
    }

    /// A message enters its link.
    #[inline]
    pub(super) fn travel(&mut self, to: u32, arrival: P::Port, flight: Flight<P::Msg>) {
        let link = self.net.link(to, arrival);
        if self.held.is_empty() {
            self.enter_link(link, flight);
        } else if let Some(flight) = self.waits_behind(link, flight) {
            self.enter_link(link, flight);
        }
    }

    /// A message is in its link, and the schedule knows of it.
    #[inline]
    pub(super) fn enter_link(&mut self, link: u64, flight: Flight<P::Msg>) {
        let fifo = self.is_fifo();
        let (number, from) = (flight.number, flight.from);
        if matches!(self.clock, Clock::Rounds { .. }) && self.setup.links != Links::HalfDuplex {
            self.frontier.push((link, flight));
            return;
        }
        let (slot, was_empty) = self.links.push(link, flight);
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

    fn set_timers(&mut self, index: u32) {
        let timers = P::Timer::ALL.len();
        let unit = self.ticks_per_unit();
        for place in 0..self.effects.timers.len() {
            let (timer, ticks) = self.effects.timers[place];
            let state = &mut self.timers[index as usize * timers + timer.index()];
            *state = (state.0 + 1, ticks.is_some());
            if let (Some(ticks), false) = (ticks, matches!(self.clock, Clock::Recorded)) {
                let due = Due::Timeout { process: index, timer: timer.index() as u32, generation: state.0 };
                self.agenda.add(self.now + u64::from(ticks) * unit, due);
            }
        }
    }

    /// Local steps that have become possible are candidates, or due one unit of time from now.
    #[inline]
    pub(super) fn offer_locals(&mut self, index: u32) {
        const { assert!(P::Local::ALL.len() <= 64, "a process has at most 64 local steps") };
        for (step, &local) in P::Local::ALL.iter().enumerate() {
            let offered = self.locals[index as usize] >> step & 1 == 1;
            if offered || self.is_down(index) || !self.processes[index as usize].can(local) {
                continue;
            }
            self.locals[index as usize] |= 1 << step;
            match self.clock {
                Clock::Rounds { .. } | Clock::Timed { .. } => {
                    let due = Due::Local { process: index, step: step as u32 };
                    self.agenda.add(self.now + self.ticks_per_unit(), due);
                }
                Clock::Steps => {
                    let candidate = Candidate::local(index, step, P::Local::ALL.len());
                    self.picker.enabled(candidate, self.messages);
                }
                Clock::Recorded => {}
            }
        }
    }

    /// What users do next goes on the agenda.
    #[inline]
    pub(super) fn schedule_users(&mut self) {
        let inputs = self.problem.next_inputs();
        if self.is_replaying {
            return;
        }
        let unit = self.ticks_per_unit();
        for (after, process, input) in inputs {
            let due = Due::User { input: input.into(), process };
            self.agenda.add(self.now.saturating_add(after.saturating_mul(unit)), due);
        }
    }

    /// How many messages a candidate would cause, and how old it is.
    pub(super) fn would_send(&mut self, candidate: Candidate) -> (usize, u64) {
        match candidate.what(P::Local::ALL.len()) {
            Err((process, step)) => {
                let mut copy = self.processes[process as usize].clone();
                self.begin_effects(process);
                copy.step(P::Local::ALL[step], &mut self.effects);
                (self.effects.sends.len(), self.messages)
            }
            Ok(slot) => {
                let (to, port) = self.net.end(self.links.link(slot));
                self.begin_effects(to);
                let Some(flight) = self.links.head(slot) else { return (0, u64::MAX) };
                let mut copy = self.processes[to as usize].clone();
                if !self.started[to as usize]
                    && P::SPEC.needs.reached.starts_first(self.setup.is_initiator(to))
                {
                    copy.start(&mut self.effects);
                }
                copy.receive(port, flight.msg.clone(), &mut self.effects);
                (self.effects.sends.len(), flight.number)
            }
        }
    }
}

fn owned(rules: &[&'static str]) -> Vec<Cow<'static, str>> {
    rules.iter().map(|&rule| rule.into()).collect()
}
