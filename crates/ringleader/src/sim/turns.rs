//! What happens next: round by round, whatever is due first, or as the schedule picks.

#[cfg(test)]
mod tests;

use super::agenda::{Due, Next};
use super::problem::{Problem, UserInput};
use super::schedule::{Candidate, Picker};
use super::world::{Clock, World};
use super::{Fault, Progress};
use core::ops::ControlFlow;

/// How often an observer hears of progress, in steps.
const PROGRESS_EVERY: u64 = 1 << 16;

impl<B: Problem> World<'_, B> {
    /// Round by round. In each: faults, deliveries, then time-outs, exits, wants and local steps.
    pub(super) fn run_rounds(&mut self) -> bool {
        loop {
            debug_assert_eq!(self.arrived, self.arriving.len(), "the round before is over");
            self.frontier.deal(&mut self.arriving, self.setup.n);
            self.arrived = 0;
            let waiting = match &mut self.clock {
                Clock::Rounds { waiting } => core::mem::take(waiting),
                Clock::Timed { .. } | Clock::Steps | Clock::Recorded => Vec::new(),
            };
            if self.arriving.is_empty() && waiting.is_empty() {
                match self.agenda.next_time() {
                    Some(time) => self.now = time.max(self.now),
                    None if self.release(true) => continue,
                    None => match self.problem.on_quiet() {
                        Some(process) => {
                            self.now += 1;
                            self.user_or_busy(process, UserInput::Want);
                            continue;
                        }
                        None => return true,
                    },
                }
            } else {
                self.now += 1;
            }
            if !self.is_plain {
                self.handle_due(true);
            }
            if self.is_half_duplex() {
                let before = self.steps;
                if let Some(complete) = self.half_duplex_round(waiting) {
                    return complete;
                }
                // What waits is not accepted, and nothing else will happen that could change that.
                if self.steps == before && self.agenda.next_time().is_none() && !self.release(true) {
                    return true;
                }
            }
            while self.arrived < self.arriving.len() {
                if let Some(complete) = self.stops() {
                    return complete;
                }
                if self.is_plain {
                    self.arrive_together();
                } else {
                    self.arrived += 1;
                    self.arrive(self.arriving[self.arrived - 1]);
                }
                if !self.goes_on() {
                    return false;
                }
            }
            while let Some(due) = self.agenda.pop_by(self.now, false) {
                if let Some(complete) = self.stops() {
                    return complete;
                }
                self.handle(due);
            }
            if self.problem.is_idle()
                && let Some(process) = self.problem.on_quiet()
            {
                self.user_or_busy(process, UserInput::Want);
            }
            if let Some(complete) = self.stops() {
                return complete;
            }
        }
    }

    /// Event by event: whatever is due first.
    pub(super) fn run_timed(&mut self) -> bool {
        loop {
            if let Some(complete) = self.stops() {
                return complete;
            }
            let Some((time, next)) = self.agenda.pop() else {
                if self.release(true) {
                    continue;
                }
                match self.problem.on_quiet() {
                    Some(process) => {
                        self.now += self.ticks_per_unit();
                        self.user_or_busy(process, UserInput::Want);
                        continue;
                    }
                    None => return true,
                }
            };
            self.now = time;
            match next {
                Next::Due(due) => self.handle(due),
                Next::Flight(message, slot) => self.deliver_message(slot, message),
            }
            if self.problem.is_idle()
                && let Some(process) = self.problem.on_quiet()
            {
                self.user_or_busy(process, UserInput::Want);
            }
            if !self.goes_on() {
                return false;
            }
        }
    }

    /// Step by step: the schedule picks among what could happen.
    pub(super) fn run_steps(&mut self) -> bool {
        loop {
            self.handle_due(false);
            if let Some(complete) = self.stops() {
                return complete;
            }
            let picked = if matches!(self.picker, Picker::Greedy { .. }) {
                self.greediest()
            } else {
                self.picker.pick()
            };
            match picked {
                Some((candidate, message)) => {
                    self.move_on(candidate, message);
                    self.now += 1;
                }
                None => match self.agenda.next_time() {
                    Some(time) => self.now = time.max(self.now),
                    None if self.release(true) => {}
                    None => match self.problem.on_quiet() {
                        Some(process) => {
                            self.now += 1;
                            self.user_or_busy(process, UserInput::Want);
                        }
                        None => return true,
                    },
                },
            }
            if self.problem.is_idle()
                && let Some(process) = self.problem.on_quiet()
            {
                self.user_or_busy(process, UserInput::Want);
            }
            if !self.goes_on() {
                return false;
            }
        }
    }

    /// Carries out what the schedule picked.
    #[inline]
    fn move_on(&mut self, candidate: Candidate, message: Option<u64>) {
        match candidate.what(self.nature.locals.count) {
            Err((process, step)) => {
                self.picker.remove_picked();
                self.picker.remove(candidate);
                self.take_local(process, step as u32);
            }
            Ok(slot) => match message {
                Some(message) => self.deliver_message(slot, message),
                None if self.is_half_duplex() => self.deliver_some(slot),
                None => {
                    let k = if self.is_fifo() { 0 } else { self.picker.draw(self.links.len(slot)) };
                    if self.links.len(slot) == 1 {
                        self.picker.remove_picked();
                        if let Picker::Greedy { .. } = self.picker {
                            self.picker.remove(candidate);
                        }
                    }
                    self.deliver(slot, k);
                }
            },
        }
    }

    /// The candidate that causes most sends; the oldest of those.
    fn greediest(&mut self) -> Option<(Candidate, Option<u64>)> {
        let mut best: Option<(usize, core::cmp::Reverse<u64>, Candidate)> = None;
        for place in 0..self.picker.live().len() {
            let candidate = self.picker.live()[place];
            let (sends, age) = self.would_send(candidate);
            let rated = (sends, core::cmp::Reverse(age), candidate);
            if best.as_ref().is_none_or(|best| (best.0, best.1) < (rated.0, rated.1)) {
                best = Some(rated);
            }
        }
        best.map(|(_, _, candidate)| (candidate, None))
    }

    /// Takes a local step if it is still possible.
    fn take_local(&mut self, process: u32, step: u32) {
        self.locals[process as usize] &= !(1 << step);
        if !self.is_down(process) && self.can(process, step) {
            self.local(process, step);
        }
    }

    /// Handles everything that is due by now; only faults if asked.
    pub(super) fn handle_due(&mut self, only_faults: bool) {
        while let Some(due) = self.agenda.pop_by(self.now, only_faults) {
            self.handle(due);
        }
    }

    fn handle(&mut self, due: Due) {
        match due {
            Due::Fault(place) => match self.scenario.faults[place as usize] {
                Fault::Crash { process, .. } => self.crash(process),
                Fault::Recover { process, .. } => self.recover(process),
                Fault::Corrupt { process, .. } => self.corrupt(process),
                Fault::LoseNth { .. } | Fault::Loss(_) | Fault::Duplicate(_) | Fault::Partition { .. } => {}
            },
            Due::Start { process } => {
                if !self.started[process as usize] && !self.is_down(process) {
                    self.start(process);
                }
            }
            Due::Timeout { process, timer, generation } => {
                let state = &mut self.timers[process as usize * self.nature.timers.count + timer as usize];
                if *state == (generation, true) {
                    state.1 = false;
                    self.timeout(process, timer);
                }
            }
            Due::Suspect { process, who } => {
                if self.is_down(who) && !self.is_down(process) {
                    self.suspect(process, who);
                }
            }
            Due::User { input, process } => {
                self.user_or_busy(process, input);
            }
            Due::Arrival { process } => {
                self.user_or_busy(process, UserInput::Want);
                if let Some((after, process)) = self.problem.next_arrival() {
                    self.agenda.add(self.now + after, Due::Arrival { process });
                }
            }
            Due::Local { process, step } => self.take_local(process, step),
        }
    }

    fn user_or_busy(&mut self, process: u32, input: UserInput) {
        if self.is_down(process) {
            if input == UserInput::Want {
                self.problem.missed(process);
            }
            return;
        }
        if input == UserInput::Want && self.is_leaving(process) {
            // It wants in when it has left.
            self.agenda.add(self.now + self.ticks_per_unit(), Due::User { input, process });
        } else if B::may(self.statuses[process as usize], input) {
            self.user(process, input);
        } else if input == UserInput::Want {
            self.problem.busy(process);
        }
    }

    /// Whether a process that shares registers is still going through its exit lines.
    pub(super) fn is_leaving(&self, process: u32) -> bool {
        !self.nature.registers.is_empty()
            && B::may(self.statuses[process as usize], UserInput::Want)
            && self.population.possible(process) != 0
    }

    /// Whether to stop: a limit, an observer who has seen enough, or nothing left to do but to circulate.
    pub(super) fn stops(&mut self) -> Option<bool> {
        if self.problem.is_finished() || self.broken_edit.is_some() {
            return Some(true);
        }
        (self.steps >= self.limit).then_some(false)
    }

    /// How many steps may be taken before somebody asks for something in between: the limit, or progress.
    pub(super) fn steps_at_once(&self) -> u64 {
        (self.limit - self.steps).min(PROGRESS_EVERY - self.steps % PROGRESS_EVERY)
    }

    /// Tells the observer how far it is, from time to time; whether it wants to go on.
    pub(super) fn goes_on(&mut self) -> bool {
        if !self.steps.is_multiple_of(PROGRESS_EVERY) {
            return true;
        }
        let progress = Progress {
            steps: self.steps,
            messages: self.messages,
            time: self.now / self.ticks_per_unit(),
            entries: self.problem.entries(),
        };
        self.observer.progress(&progress) == ControlFlow::Continue(())
    }
}
