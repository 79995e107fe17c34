//! One step: an input is handed to a process, and its effects are carried out.

use super::agenda::Due;
use super::crowd::everybody;
use super::crowd::{Moved, Received};
use super::problem::{Problem, Seen, UserInput};
use super::schedule::Candidate;
use super::world::{Clock, World};
use crate::model::{Registers, Shape, Ticks};
use crate::network::Link;
use crate::population::{self, Handle, Letter, Status};
use crate::trace::{self, Arrival, Event, Input, Outcome, as_call, shown};
use std::borrow::Cow;

impl<B: Problem> World<'_, B> {
    /// A process starts of its own accord.
    pub(super) fn start(&mut self, index: u32) {
        self.enter(index);
        self.started[index as usize] = true;
        let after = self.population.react(index, population::Input::Start, &mut self.effects);
        // Where everybody starts as a matter of course, a start that does nothing is not worth a step.
        let says_nothing = after.position() == self.statuses[index as usize].position();
        if B::ALL_START && says_nothing && self.effects.sends.is_empty() && self.effects.timers.is_empty() {
            self.statuses[index as usize] = after;
            self.tell_silent_start(index);
            return;
        }
        self.leave(index, after, 0, &|| Input::Start);
    }

    /// The k-th message of a link arrives.
    #[inline]
    pub(super) fn deliver(&mut self, slot: u32, k: u32) {
        let link = self.links.link(slot);
        let Some((message, empty)) = self.links.take(slot, k) else { return };
        if !empty
            && self.is_fifo()
            && let Some(&next) = self.links.head(slot)
        {
            self.picker.next_in_line(slot, self.flight(next).number);
        }
        self.arrive(Letter { to: link.to(), port: link.port(), message });
    }

    /// A message arrives.
    #[inline]
    pub(super) fn arrive(&mut self, letter: Letter) {
        let Letter { to, port, message } = letter;
        let flight = *self.flight(message);
        self.is_told(to, message);
        self.frees_place(letter.link(), message);
        self.meter.delivered(to, flight.depth, self.now);
        self.gone += 1;
        self.has_left(to, flight.kind);
        if self.record {
            self.tell_arrival(to, message);
        }
        self.enter(to);
        let after = if self.is_down(to) {
            self.population.discard(message);
            self.statuses[to as usize]
        } else {
            let wakes = self.wake(to);
            self.population.receive(&[letter], wakes, None, &mut self.effects).status
        };
        self.leave(to, after, 0, &|| Input::Deliver(vec![Arrival { message: flight.number, port }]));
    }

    /// In a plain run: the next messages arrive, up to a step after which somebody has to look.
    pub(super) fn arrive_together(&mut self) {
        let first = self.arriving[self.arrived].to;
        self.enter(first);
        let wakes = !self.is_uniform && self.wake(first);
        let most = if wakes { 1 } else { self.steps_at_once() };
        let end = self.arriving.len().min(self.arrived.saturating_add(most as usize));
        let mut letters = &self.arriving[self.arrived..end];
        if !self.is_uniform {
            letters = letters.chunk_by(|a, b| a.to == b.to).next().unwrap_or(letters);
        }
        let received = self.population.receive(letters, wakes, self.tokens, &mut self.effects);
        letters = &letters[..received.letters];
        self.meter.delivered_alike(letters, self.now);
        self.arrived += letters.len();
        self.gone += letters.len() as u64;
        self.steps += letters.len() as u64 - 1;
        if self.tokens.is_some() {
            self.problem.travels(received.kind, -1); // of the others none carries a token
        }
        let last = self.arriving[self.arrived - 1].to;
        self.leave(last, received.status, received.sent_before, &|| Input::Start);
    }

    /// The message with this number arrives, if it is still in this link.
    #[inline]
    pub(super) fn deliver_message(&mut self, slot: u32, message: u64) {
        if self.is_half_duplex() {
            if self.place(slot, message).is_some() {
                self.deliver_some(slot);
            }
            return;
        }
        if self.links.head(slot).is_some_and(|&head| self.flight(head).number == message) {
            self.deliver(slot, 0);
            return;
        }
        if let Some(place) = self.place(slot, message) {
            self.deliver(slot, place);
        }
    }

    /// The place of a message among those that wait in a link.
    pub(super) fn place(&self, slot: u32, message: u64) -> Option<u32> {
        for (place, &waiting) in self.links.iter(slot).enumerate() {
            if self.flight(waiting).number == message {
                return Some(place as u32);
            }
        }
        None
    }

    /// A message reaches a process: whether it starts just before.
    #[inline]
    fn wake(&mut self, index: u32) -> bool {
        if self.started[index as usize] {
            return false;
        }
        self.started[index as usize] = self.nature.is_started_by_message();
        self.nature.wakes(false, self.setup.is_initiator(index))
    }

    /// A process takes a step, and its effects are carried out.
    fn take_step(&mut self, index: u32, input: population::Input, told: &dyn Fn() -> Input) {
        self.enter(index);
        let after = self.population.react(index, input, &mut self.effects);
        self.leave(index, after, 0, told);
    }

    /// A timer runs out.
    pub(super) fn timeout(&mut self, index: u32, timer: u32) {
        let name = self.nature.timers.name(timer);
        self.take_step(index, population::Input::Timeout(timer), &|| Input::Timeout(name.into()));
    }

    /// Whether a process could take this local step.
    pub(super) fn can(&self, index: u32, step: u32) -> bool {
        self.population.possible(index) >> step & 1 == 1
    }

    /// A process takes a local step.
    pub(super) fn local(&mut self, index: u32, step: u32) {
        let name = self.nature.locals.name(step);
        self.take_step(index, population::Input::Local(step), &|| Input::Local(name.into()));
    }

    /// A user wants in, or leaves.
    pub(super) fn user(&mut self, index: u32, input: UserInput) {
        match input {
            UserInput::Want => self.take_step(index, population::Input::Want, &|| Input::Want),
            UserInput::Exit => self.take_step(index, population::Input::Exit, &|| Input::Exit),
        }
    }

    /// A process stops. What is on its way to it is lost when it arrives; its timers are gone.
    pub(super) fn crash(&mut self, index: u32) {
        if self.is_down(index) {
            return;
        }
        self.problem.crashed(index, self.statuses[index as usize]);
        if !self.is_replaying {
            self.begin_effects(index);
        }
        let birth = self.setup.birth(index, self.net.degree(index), self.scenario.range);
        self.population.reset(index, &birth);
        self.statuses[index as usize] = self.population.status(index);
        self.down[index as usize] = true;
        let needs = &self.nature.spec.needs;
        if (self.messages == 0 || needs.tolerates.crash)
            && let Some(bypassed) = self.bypassed.get_mut(index as usize)
        {
            *bypassed = true;
            self.doom(index);
        }
        let timers = self.nature.timers.count;
        for timer in &mut self.timers[index as usize * timers..][..timers] {
            *timer = (timer.0 + 1, false);
        }
        if needs.detector && self.nature.shape == Shape::Named && !self.is_replaying {
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
        let mut lost = Vec::new();
        if !matches!(self.clock, Clock::Rounds { .. }) {
            for port in 0..self.net.degree(index) {
                if let Some(slot) = self.links.slot(Link::new(index, port)) {
                    lost.extend(self.links.iter(slot));
                }
            }
        }
        let letters = self.frontier.letters.iter().chain(&self.arriving[self.arrived..]);
        let letters = letters.chain(self.held.iter().map(|held| &held.letter));
        lost.extend(letters.filter(|letter| letter.to == index).map(|letter| letter.message));
        for message in lost {
            self.problem.travels(self.flight(message).kind, -1);
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
        self.take_step(index, population::Input::Recover, &|| Input::Recover);
    }

    /// A process is told that another is down.
    pub(super) fn suspect(&mut self, index: u32, who: u32) {
        self.take_step(index, population::Input::Suspect(who), &|| Input::Suspect(who));
    }

    /// A message is lost on its way to this process.
    pub(super) fn lose(&mut self, index: u32, arrival: Arrival) -> Result<(), String> {
        let (slot, place) = self.find(index, arrival)?;
        if let Some((message, _)) = self.links.take(slot, place) {
            self.frees_place(Link::new(index, arrival.port), message);
            self.vanish(index, message);
        }
        self.happened(index, Input::Lose(arrival));
        Ok(())
    }

    /// A message is doubled on its way to this process; the copy comes last in its link.
    pub(super) fn double(&mut self, index: u32, arrival: Arrival) -> Result<(), String> {
        let (slot, place) = self.find(index, arrival)?;
        let original = self.links.iter(slot).nth(place as usize).copied();
        if let Some(original) = original {
            let copy = self.doubled(Letter { to: index, port: arrival.port, message: original });
            self.travel(copy);
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
        self.places_after(index);
        self.tell_move(index, 0);
        self.intervene();
    }

    /// An empty buffer for the effects of a step of this process.
    #[inline]
    pub(super) fn begin_effects(&mut self, index: u32) {
        let drawn = self.drawn.get(index as usize).copied().unwrap_or(0);
        self.effects.begin(self.choices_key, index, drawn);
    }

    /// Before a step of this process.
    #[inline]
    pub(super) fn enter(&mut self, index: u32) {
        if !self.is_replaying {
            self.begin_effects(index);
        }
        if B::HAS_CLOCKS {
            self.effects.now = self.problem.before(&*self.population, index, self.now, &self.down);
            self.tell_clocks();
        }
    }

    /// After a step of this process, which stands there now: carries out what it asked for, and sees what it meant.
    /// If there were other steps of it just before, which did nothing but send, so many of the sends are theirs.
    #[inline]
    pub(super) fn leave(&mut self, index: u32, after: Status, earlier: usize, input: &dyn Fn() -> Input) {
        // What arrived is gone from the links by now, and nothing has been sent yet.
        let arrived = self.gone - self.gone_before;
        let before = core::mem::replace(&mut self.statuses[index as usize], after);
        if self.is_plain && before == after && self.effects.sends.is_empty() && !self.effects.asks_more {
            self.steps += 1;
            self.last_step = self.now;
            return;
        }
        let sends = core::mem::take(&mut self.effects.sends);
        let (earlier, sends_now) = sends.split_at(earlier);
        let mut outcome = None;
        if before != after {
            self.send_all(earlier);
            outcome = self.changed(index, before, after);
            self.send_all(sends_now);
        } else {
            self.send_all(&sends);
        }
        self.effects.sends = sends;
        self.effects.sends.clear();
        if self.effects.asks_more {
            self.do_more(index);
        }
        if self.record {
            let sent = core::mem::take(&mut self.sent);
            self.write(index, input(), sent, outcome);
        }
        self.steps += 1;
        self.last_step = self.now;
        if B::HAS_CLOCKS {
            let adjusted = self.effects.adjust != Ticks::ZERO;
            if adjusted || before != after {
                self.problem.afterwards(&*self.population, self.now, &self.down, adjusted);
                self.tell_clocks();
            }
        }
        if self.attends {
            self.places_after(index);
            self.tell_move(index, arrived);
            self.offer_locals(index);
            if self.nature.spec.needs.registers == Registers::Composite && !self.nature.spec.stabilises() {
                // What one of them writes others look at.
                (0..self.setup.n).for_each(|other| self.offer_locals(other));
            }
        }
        if self.problem.has_inputs() {
            self.schedule_users();
        }
        if self.attends {
            if !self.refused.is_empty() {
                self.offer_refused(index);
            }
            self.intervene();
        }
    }

    /// Tells an observer who wants to hear of clocks.
    fn tell_clocks(&mut self) {
        if self.observer.wants_clocks()
            && let Some(compared) = self.problem.compared()
        {
            self.observer.clocks(&compared);
        }
    }

    /// A process stands elsewhere after a step.
    fn changed(&mut self, index: u32, before: Status, after: Status) -> Option<Outcome> {
        self.problem.after(&Seen {
            index,
            before,
            after,
            population: &*self.population,
            now: self.now,
            depth: self.meter.depth_at(index),
        })
    }

    /// Carries out what a step asked for besides its sends.
    fn do_more(&mut self, index: u32) {
        if B::HAS_CLOCKS && self.effects.adjust != Ticks::ZERO {
            self.problem.adjust(index, self.effects.adjust, self.effects.slews, self.now);
        }
        if !self.effects.timers.is_empty() {
            self.set_timers(index);
        }
        if let Some(drawn) = self.drawn.get_mut(index as usize) {
            *drawn += self.effects.choices.len() as u32;
        }
        let (begun, reached) = (self.effects.phases_begun, self.effects.phase_reached);
        self.meter.phases(index, self.setup.n, begun, reached);
        if let Some(why) = self.effects.impossible {
            self.impossible.get_or_insert(why);
        }
    }

    /// Tells an observer who wants to hear of moves.
    #[inline(never)]
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
    pub(super) fn tell_arrival(&mut self, to: u32, message: Handle) {
        let (setup, population, kinds) = (self.setup, &*self.population, self.nature.kinds);
        let flight = self.flights[message.place()];
        self.observer.receives(&|| {
            let fields = shown(population.message_fields(message), &|id| setup.name(id));
            let text = as_call(kinds[flight.kind as usize], &fields);
            Received { message: flight.number, from: flight.from, to, text }
        });
    }

    /// Tells such an observer of a start that is not worth a step.
    pub(super) fn tell_silent_start(&mut self, process: u32) {
        if self.moves {
            self.observer.starts_silently(process, &everybody!(self));
        }
    }

    fn write(&mut self, index: u32, input: Input, sends: Vec<trace::Sent>, outcome: Option<Outcome>) {
        let event = Event {
            time: self.now,
            process: index,
            input,
            choices: self.effects.choices.clone(),
            rules: owned(&self.effects.rules),
            sends,
            outcome,
            impossible: self.effects.impossible.map(Into::into),
            accesses: self.effects.accesses.iter().map(|access| self.named(access)).collect(),
            clock: B::HAS_CLOCKS.then(|| trace::Reading {
                shows: self.effects.now.to_string(),
                adjusts: (self.effects.adjust != Ticks::ZERO).then(|| self.effects.adjust.to_string()),
            }),
        };
        self.observer.event(&event);
    }

    /// A read or a write, with the name of the register.
    fn named(&self, access: &population::Access) -> trace::Access {
        let population::Access { place, value, writes } = *access;
        trace::Access { register: self.population.memory().name(place).into(), value, writes }
    }

    fn set_timers(&mut self, index: u32) {
        let timers = self.nature.timers.count;
        let unit = self.ticks_per_unit();
        for place in 0..self.effects.timers.len() {
            let (timer, ticks) = self.effects.timers[place];
            let state = &mut self.timers[index as usize * timers + timer as usize];
            *state = (state.0 + 1, ticks.is_some());
            if let (Some(ticks), false) = (ticks, matches!(self.clock, Clock::Recorded)) {
                let due = Due::Timeout { process: index, timer, generation: state.0 };
                let at = if B::HAS_CLOCKS {
                    self.problem.alarm(index, self.now, ticks)
                } else {
                    self.now + u64::from(ticks) * unit
                };
                self.agenda.add(at, due);
            }
        }
    }

    /// Local steps that have become possible are candidates, or due one unit of time from now.
    pub(super) fn offer_locals(&mut self, index: u32) {
        // Whose machines move is for the daemon to say.
        if self.locals.is_empty() || self.is_down(index) || self.nature.spec.stabilises() {
            return;
        }
        let steps = self.nature.locals.count;
        let mut possible = self.population.possible(index) & !self.locals[index as usize];
        while possible != 0 {
            let step = possible.trailing_zeros();
            possible &= possible - 1;
            self.locals[index as usize] |= 1 << step;
            match self.clock {
                Clock::Rounds { .. } | Clock::Timed { .. } => {
                    let due = Due::Local { process: index, step };
                    self.agenda.add(self.now + self.ticks_per_unit(), due);
                }
                Clock::Steps => {
                    let candidate = Candidate::local(index, step as usize, steps);
                    self.picker.enabled(candidate, self.messages);
                }
                Clock::Recorded => {}
            }
        }
    }

    /// What users do next goes on the agenda.
    #[inline]
    pub(super) fn schedule_users(&mut self) {
        self.problem.next_inputs(&mut self.inputs);
        if self.is_replaying {
            self.inputs.clear();
        }
        let unit = self.ticks_per_unit();
        for (after, process, input) in self.inputs.drain(..) {
            let due = Due::User { input, process };
            self.agenda.add(self.now.saturating_add(after.saturating_mul(unit)), due);
        }
    }

    /// How many messages a candidate would cause, and how old it is.
    pub(super) fn would_send(&mut self, candidate: Candidate) -> (usize, u64) {
        let (process, input, age) = match candidate.what(self.nature.locals.count) {
            Err((process, step)) => (process, population::Input::Local(step as u32), self.messages),
            Ok(slot) => {
                let link = self.links.link(slot);
                let Some(&message) = self.links.head(slot) else { return (0, u64::MAX) };
                let (to, port) = (link.to(), link.port());
                let wakes = self.nature.wakes(self.started[to as usize], self.setup.is_initiator(to));
                (to, population::Input::Deliver { port, message, wakes }, self.flight(message).number)
            }
        };
        self.begin_effects(process);
        self.population.attempt(process, input, &mut self.effects);
        (self.forget_sends(), age)
    }

    /// What an attempt has sent was not sent; how much that was.
    pub(super) fn forget_sends(&mut self) -> usize {
        let count = self.effects.sends.len();
        for send in self.effects.sends.drain(..) {
            self.population.discard(send.message);
        }
        count
    }
}

fn owned(rules: &[&'static str]) -> Vec<Cow<'static, str>> {
    rules.iter().map(|&rule| rule.into()).collect()
}
