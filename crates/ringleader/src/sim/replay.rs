//! Following a recording: its inputs, its answers, its losses; nothing is drawn.

use super::Refusal;
use super::agenda::Due;
use super::problem::{Problem, UserInput};
use super::world::World;
use crate::network::Link;
use crate::population::{self, Names};
use crate::trace::{Arrival, Event, Input, Recording};
use std::collections::BTreeSet;

impl<B: Problem> World<'_, B> {
    /// Takes the recorded steps; whether nothing can happen after them.
    pub(super) fn follow(&mut self, recording: &Recording) -> Result<bool, Refusal> {
        if B::ALL_START {
            self.start_silently(recording);
        }
        if self.has_daemon() {
            self.machines_begin();
        }
        for (place, event) in recording.events.iter().enumerate() {
            if self.edits.front().is_some_and(|edit| edit.step <= self.steps) {
                return Ok(self.go_on());
            }
            self.take(event).map_err(|why| Refusal::BrokenReplay { step: place + 1, why })?;
        }
        self.all_have_moved();
        if !self.edits.is_empty() {
            return Ok(self.go_on());
        }
        let still = self.links.in_transit() == 0
            || self.is_half_duplex() && self.links.slots().all(|slot| self.is_stuck(slot));
        let still = still && (self.nature.registers.is_empty() || !self.anybody_steps());
        let quiet = still && self.timers.iter().all(|&(_, runs)| !runs);
        Ok(quiet || self.problem.is_finished())
    }

    /// Whether anybody could take a local step.
    fn anybody_steps(&self) -> bool {
        (0..self.setup.n).any(|index| self.population.possible(index) != 0)
    }

    /// From here on nothing is recorded: somebody reaches into the run, and it goes on, the oldest message first.
    /// Whoever is inside leaves after a while; whoever has not started does.
    fn go_on(&mut self) -> bool {
        self.is_replaying = false;
        if self.has_daemon() {
            self.all_have_moved();
            self.intervene();
            return self.run_daemon();
        }
        self.problem.nobody_else_asks();
        self.fates.forget();
        let unit = self.ticks_per_unit();
        for process in 0..self.setup.n {
            let starts = B::ALL_START || self.setup.is_initiator(process);
            if starts && !self.started[process as usize] {
                self.agenda.add(self.now, Due::Start { process });
            }
            if B::may(self.statuses[process as usize], UserInput::Exit) {
                let after = self.scenario.workload.hold.saturating_mul(unit);
                self.agenda.add(self.now + after, Due::User { input: UserInput::Exit, process });
            }
        }
        self.intervene();
        self.run_steps()
    }

    /// Where everybody starts as a matter of course, a start that does nothing is not on record.
    fn start_silently(&mut self, recording: &Recording) {
        let starts = recording.events.iter().filter(|event| event.input == Input::Start);
        let on_record: BTreeSet<u32> = starts.map(|event| event.process).collect();
        for index in (0..self.setup.n).filter(|index| !on_record.contains(index)) {
            self.begin_effects(index);
            self.population.attempt(index, population::Input::Start, &mut self.effects);
            if self.forget_sends() == 0 && self.effects.timers.is_empty() {
                self.statuses[index as usize] = self.population.keep(index);
                self.started[index as usize] = true;
                self.tell_silent_start(index);
            }
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), String> {
        let index = event.process;
        if index >= self.setup.n {
            return Err(format!("there is no process {index}"));
        }
        if event.time < self.now {
            return Err(format!("time goes back from {} to {}", self.now, event.time));
        }
        self.now = event.time;
        let down = self.is_down(index);
        let may_be_down =
            matches!(event.input, Input::Recover | Input::Deliver(_) | Input::Lose(_) | Input::Double(_));
        if down && !may_be_down {
            return Err(format!("process {index} is down"));
        }
        self.effects.begin_recorded(&event.choices);
        self.fates.record(&event.sends);
        match &event.input {
            Input::Start => {
                if self.started[index as usize] {
                    return Err(format!("process {index} has started already"));
                }
                self.start(index);
            }
            Input::Deliver(arrivals) => self.take_arrivals(index, arrivals, &event.choices)?,
            Input::Timeout(name) => {
                let timer = named(&self.nature.timers, name)?;
                let state = &mut self.timers[index as usize * self.nature.timers.count + timer as usize];
                if !state.1 {
                    return Err(format!("timer {name} of process {index} does not run"));
                }
                state.1 = false;
                self.timeout(index, timer);
            }
            Input::Local(name) => {
                let step = named(&self.nature.locals, name)?;
                if self.nature.spec.stabilises() && step + 1 == self.nature.locals.count as u32 {
                    self.corrupt(index);
                    return self.answers_fit();
                }
                if self.has_daemon() {
                    self.moves_at(event.time);
                    self.movers.push(index);
                }
                if !self.can(index, step) {
                    return Err(format!("process {index} cannot take the step {name}"));
                }
                self.local(index, step);
            }
            Input::Want | Input::Exit => {
                let input = if event.input == Input::Want { UserInput::Want } else { UserInput::Exit };
                let too_early = input == UserInput::Want && self.is_leaving(index);
                if too_early || !B::may(self.statuses[index as usize], input) {
                    return Err(format!("the user of process {index} cannot do that now"));
                }
                self.user(index, input);
            }
            Input::Crash => self.crash(index),
            Input::Recover => {
                if !down {
                    return Err(format!("process {index} is not down"));
                }
                self.recover(index);
            }
            Input::Suspect(who) => {
                if *who >= self.setup.n {
                    return Err(format!("there is no process {who}"));
                }
                self.suspect(index, *who);
            }
            Input::Lose(arrival) => self.lose(index, *arrival)?,
            Input::Double(arrival) => self.double(index, *arrival)?,
        }
        self.answers_fit()?;
        if !self.fates.fit() {
            return Err("fewer messages were sent than recorded".into());
        }
        Ok(())
    }

    fn answers_fit(&self) -> Result<(), String> {
        let fit = self.effects.answers_fit();
        if fit { Ok(()) } else { Err("the recorded random choices do not fit the step".into()) }
    }

    /// Where a message waits: the slot of its link, and its place there.
    pub(super) fn find(&self, index: u32, arrival: Arrival) -> Result<(u32, u32), String> {
        let unknown = || {
            format!("message {} does not wait at port {} of process {index}", arrival.message, arrival.port)
        };
        if arrival.port >= self.net.stride() {
            return Err(unknown());
        }
        let slot = self.links.slot(Link::new(index, arrival.port)).ok_or_else(unknown)?;
        Ok((slot, self.place(slot, arrival.message).ok_or_else(unknown)?))
    }

    fn take_arrivals(&mut self, index: u32, arrivals: &[Arrival], answers: &[u32]) -> Result<(), String> {
        let mut counts = [0u32; 2];
        for arrival in arrivals {
            let (slot, place) = self.find(index, *arrival)?;
            if self.is_half_duplex() {
                let taken = &mut counts[arrival.port as usize];
                if place != *taken {
                    return Err(format!("message {} overtakes another on its link", arrival.message));
                }
                *taken += 1;
                continue;
            }
            if self.is_fifo() && place != 0 {
                return Err(format!("message {} overtakes another on its link", arrival.message));
            }
            if arrivals.len() != 1 {
                return Err("several messages at once, but the links are not half-duplex".into());
            }
            self.deliver(slot, place);
        }
        if arrivals.is_empty() {
            return Err("no message".into());
        }
        if self.is_half_duplex() && !self.take_batch(index, counts, Some(answers)) {
            return Err(format!("process {index} does not take exactly these messages in one step"));
        }
        Ok(())
    }
}

fn named(names: &Names, name: &str) -> Result<u32, String> {
    names.place(name).ok_or_else(|| format!("there is no {name}"))
}
