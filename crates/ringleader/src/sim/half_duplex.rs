//! Half-duplex links: two messages never pass each other.
//!
//! A step takes any prefix of what waits on each side. If it would send on a side where something still waits, it is
//! undone and tried again with that message taken too. What a process does not accept stays in the link.

#[cfg(test)]
mod tests;

use super::problem::Problem;
use super::schedule::Candidate;
use super::world::{Clock, Flight, World};
use crate::network::Link;
use crate::population::{self, Handle};
use crate::trace::{Arrival, Input};

impl<B: Problem> World<'_, B> {
    /// The slot of the link into a port, if it carries anything, and how much.
    fn waiting(&self, index: u32, port: u32) -> (Option<u32>, u32) {
        let slot = self.links.slot(Link::new(index, port));
        (slot, slot.map_or(0, |slot| self.links.len(slot)))
    }

    /// The first so many messages of each side.
    fn prefix(&self, index: u32, counts: [u32; 2]) -> Vec<(u32, Handle)> {
        let mut batch = Vec::new();
        for (port, &count) in counts.iter().enumerate() {
            if let (Some(slot), _) = self.waiting(index, port as u32) {
                let messages = self.links.iter(slot).take(count as usize);
                batch.extend(messages.map(|&message| (port as u32, message)));
            }
        }
        batch
    }

    /// Takes this prefix in one step, or a longer one if a send would pass what waits; whether it could.
    pub(super) fn take_batch(&mut self, index: u32, mut counts: [u32; 2], answers: Option<&[u32]>) -> bool {
        let wakes = self.nature.wakes(self.started[index as usize], self.setup.is_initiator(index));
        loop {
            match answers {
                Some(answers) => self.effects.begin_recorded(answers),
                None => self.begin_effects(index),
            }
            let batch = self.prefix(index, counts);
            let input = population::Input::Batch { messages: &batch, wakes };
            let Some(started) = self.population.attempt(index, input, &mut self.effects) else {
                return false;
            };
            // The messages of a start cross those of its neighbours' starts: the rule is for what follows.
            let passes = (self.effects.sends[started..].iter())
                .map(|send| send.port)
                .find(|&port| self.waiting(index, port).1 > counts[port as usize]);
            match passes {
                // A recording has all that was taken: needing more means that it is not of this run.
                Some(_) if answers.is_some() => {
                    self.forget_sends();
                    return false;
                }
                Some(port) => {
                    self.forget_sends();
                    counts[port as usize] += 1;
                }
                None => {
                    let arrivals = self.pop_batch(index, counts);
                    self.started[index as usize] = self.nature.is_started_by_message();
                    let after = if self.is_down(index) {
                        // It has taken no step: nothing of it counts.
                        self.forget_sends();
                        self.effects.clear();
                        self.statuses[index as usize]
                    } else {
                        self.population.keep(index)
                    };
                    self.leave(index, after, 0, &|| Input::Deliver(arrivals.clone()));
                    return true;
                }
            }
        }
    }

    fn pop_batch(&mut self, index: u32, counts: [u32; 2]) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        for (port, &count) in counts.iter().enumerate() {
            let (Some(slot), _) = self.waiting(index, port as u32) else { continue };
            for _ in 0..count {
                let Some((message, empty)) = self.links.pop(slot) else { break };
                if self.record {
                    self.tell_arrival(index, message);
                }
                let flight = *self.flight(message);
                self.meter.delivered(index, flight.depth, self.now);
                self.gone += 1;
                self.problem.travels(flight.kind, -1);
                self.population.discard(message);
                arrivals.push(Arrival { message: flight.number, port: port as u32 });
                if empty {
                    self.picker.remove(Candidate::link(slot));
                    break;
                }
                if let Some(&next) = self.links.head(slot) {
                    self.picker.next_in_line(slot, self.flight(next).number);
                }
            }
        }
        arrivals
    }

    /// A link was picked: its process takes its first message, and more at random under a random schedule.
    pub(super) fn deliver_some(&mut self, slot: u32) {
        let link = self.links.link(slot);
        let index = link.to();
        let mut least = [0; 2];
        least[link.port() as usize] = 1;
        let mut more = least;
        for (side, count) in more.iter_mut().enumerate() {
            let (_, waiting) = self.waiting(index, side as u32);
            *count += self.picker.draw(waiting - *count + 1);
        }
        if !self.take_batch(index, more, None) && (more == least || !self.take_batch(index, least, None)) {
            self.picker.remove(Candidate::link(slot));
            self.refused.push((index, slot));
        }
    }

    /// What this process refused may be accepted now that it has moved.
    pub(super) fn offer_refused(&mut self, index: u32) {
        let mut again = Vec::new();
        self.refused.retain(|&(process, slot)| {
            let keep = process != index;
            if !keep {
                again.push(slot);
            }
            keep
        });
        for slot in again {
            let Some(&head) = self.links.head(slot) else { continue };
            let Flight { number, from, .. } = *self.flight(head);
            match &mut self.clock {
                Clock::Timed { .. } => self.agenda.add_flight(self.now, number, slot),
                Clock::Steps => self.picker.sent(slot, true, number, from, true),
                Clock::Rounds { .. } | Clock::Recorded => {}
            }
        }
    }

    /// One round: each process, in index order, takes all that waited for it when the round began and that it accepts.
    pub(super) fn half_duplex_round(&mut self, mut arriving: Vec<u32>) -> Option<bool> {
        arriving.sort_unstable();
        let mut place = 0;
        while place < arriving.len() {
            let index = self.links.link(arriving[place]).to();
            let mut waited = [0; 2];
            while let Some(&slot) = arriving.get(place) {
                let link = self.links.link(slot);
                if link.to() != index {
                    break;
                }
                waited[link.port() as usize] += 1;
                place += 1;
            }
            if self.steps >= self.limit {
                return Some(false);
            }
            // Some may have been taken early, by a step that would have passed them.
            for (port, count) in waited.iter_mut().enumerate() {
                *count = (*count).min(self.waiting(index, port as u32).1);
            }
            let counts = self.accepted(index, waited);
            if counts != [0; 2] {
                self.take_batch(index, counts, None);
            }
        }
        // The next round sees whatever is still in a link, whenever it was sent.
        if let Clock::Rounds { waiting } = &mut self.clock {
            arriving.append(waiting);
            arriving.sort_unstable();
            arriving.dedup();
            let len = |slot: &u32| self.links.len(*slot) as usize;
            waiting.extend(arriving.iter().flat_map(|slot| core::iter::repeat_n(*slot, len(slot))));
        }
        None
    }

    /// Whether the process at the end of this link accepts nothing of what waits for it.
    pub(super) fn is_stuck(&self, slot: u32) -> bool {
        let index = self.links.link(slot).to();
        self.accepted(index, [self.waiting(index, 0).1, self.waiting(index, 1).1]) == [0; 2]
    }

    /// The longest prefix within `most` that the process accepts, grown message by message.
    fn accepted(&self, index: u32, most: [u32; 2]) -> [u32; 2] {
        let mut counts = [0; 2];
        loop {
            let grown = [0, 1].into_iter().find_map(|port: usize| {
                let mut longer = counts;
                longer[port] += 1;
                let fits = longer[port] <= most[port];
                (fits && self.population.accepts(index, &self.prefix(index, longer))).then_some(longer)
            });
            match grown {
                Some(longer) => counts = longer,
                None => return counts,
            }
        }
    }
}
