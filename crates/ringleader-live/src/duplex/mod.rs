//! Half-duplex links between real machines: the right to send travels with the messages.
//!
//! **What is to hold** is what the simulator does (`sim/half_duplex.rs`): a step takes a prefix of what waits
//! on each side, and sends on a side only if nothing is left in the link towards it there. Messages of a
//! start are exempt: they may cross.
//!
//! **How.** Each edge has a *baton*, and only who has it sends. It travels in order behind the messages of
//! the one who gives it away; so whoever has it has everything the other has sent, and what waits in its
//! queue is all that is in the link. At first it is with the higher index, which starts, sends what its start
//! asks for, and gives it away at once: a start that has not come in yet would otherwise be passed. Whoever
//! wants it says so with a *wish*. A wish that finds the baton gone has crossed it, and is forgotten.
//!
//! **Nobody waits for ever.** Edges are ordered, everywhere in the same way, by their smaller end. A process
//! that wants to take a step that sends on several edges wishes for the first that it misses, keeps those
//! before it, and gives away every other that is wished for. Suppose that nobody takes a step any more. Then
//! nothing new arrives, and what everybody wants stays as it is. What a process misses first can only move to
//! later edges, so at some moment it stays as well. Of those that miss something, let one miss the latest
//! edge. The other end of that edge has it, or is about to, and may not keep it: it would have to miss a
//! later one. So it gives it away, and the first one takes its step or misses a later one: a contradiction.
//!
//! **A ring of one** is an edge from a process to itself. It needs no baton, for nothing is under way that it
//! does not know of; what it sends itself is handed in again before anything else happens. **A ring of two**
//! has two edges, each with its own.
//!
//! Only messages move such a process: no algorithm for half-duplex links has timers or local steps.

#[cfg(test)]
mod tests;

use ringleader::host::{Actor, Effects, Unfit, Way};
use ringleader::trace::Arrival;
use std::collections::VecDeque;

/// The most messages that wait on a side. In a ring of 64 no algorithm has more than a dozen of them; whoever
/// sends more is broken.
const MOST_WAITING: usize = 64;

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Turn {
    /// It took a step, with these messages in this order: what the step asked for is to be carried out.
    Step(Vec<Arrival>, Box<Effects>),
    /// Say on this port that the right to send is wished for.
    Wish(u32),
    /// Hand over the right to send on this port, behind everything that was sent on it.
    Baton(u32),
}

/// A process at the end of half-duplex links.
pub struct Duplex {
    actor: Box<dyn Actor>,
    started: bool,
    sides: [Side; 2],
}

struct Side {
    /// Its edge: the smaller of its two ends, each an index and a port.
    edge: (u32, u32),
    baton: Baton,
    /// The other end has asked for the baton.
    wished: bool,
    /// The other end was asked for it.
    asked: bool,
    /// What has arrived and was not taken, with the numbers that it came in with.
    waiting: VecDeque<(u64, Vec<u8>)>,
}

/// Where the right to send is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Baton {
    /// Here, until the start: then it is given away, wished for or not.
    First,
    Here,
    Away,
    /// The edge leads from the process to itself.
    Always,
}

/// A step that could be taken: how many of each side, and what comes of it.
struct Try {
    counts: [usize; 2],
    after: Box<dyn Actor>,
    effects: Effects,
}

impl Duplex {
    /// The process with this index, before its start, and its ways out.
    ///
    /// # Errors
    /// If it does not have two ports, 0 and 1: half-duplex links exist on two-way rings only.
    pub fn new(actor: Box<dyn Actor>, index: u32, ways: &[Way]) -> Result<Duplex, Unfit> {
        let side = |port: u32| {
            let way = ways.iter().find(|way| way.out == port).ok_or(Unfit::Port)?;
            let baton = match way.to.cmp(&index) {
                core::cmp::Ordering::Less => Baton::First,
                core::cmp::Ordering::Equal => Baton::Always,
                core::cmp::Ordering::Greater => Baton::Away,
            };
            let edge = (index, port).min((way.to, way.arrival));
            Ok(Side { edge, baton, wished: false, asked: false, waiting: VecDeque::new() })
        };
        Ok(Duplex { actor, started: false, sides: [side(0)?, side(1)?] })
    }

    /// The process itself, to look at.
    #[must_use]
    pub fn actor(&self) -> &dyn Actor {
        &*self.actor
    }

    /// How many messages have arrived and were not taken.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.sides.iter().map(|side| side.waiting.len()).sum()
    }

    /// It starts, once; what arrived before waits. Then [`Duplex::next`] is to be asked.
    pub fn start(&mut self) -> Effects {
        self.started = true;
        self.actor.start()
    }

    /// A message arrives. Its number is given back with the step that takes it.
    ///
    /// # Errors
    /// If it is no message, there is no such port, or more wait there than can; nothing has happened then.
    pub fn arrived(&mut self, port: u32, number: u64, bytes: Vec<u8>) -> Result<(), Unfit> {
        let side = side(&mut self.sides, port)?;
        self.actor.words(&bytes)?;
        if side.waiting.len() >= MOST_WAITING {
            return Err(Unfit::Step);
        }
        side.waiting.push_back((number, bytes));
        Ok(())
    }

    /// The other end of this port wishes for the baton.
    ///
    /// # Errors
    /// If there is no such port.
    pub fn wished(&mut self, port: u32) -> Result<(), Unfit> {
        let side = side(&mut self.sides, port)?;
        side.wished = side.baton == Baton::Here;
        Ok(())
    }

    /// The other end of this port hands over the baton.
    ///
    /// # Errors
    /// If there is no such port, or it is here already.
    pub fn baton(&mut self, port: u32) -> Result<(), Unfit> {
        let side = side(&mut self.sides, port)?;
        if side.baton != Baton::Away {
            return Err(Unfit::Step);
        }
        (side.baton, side.asked) = (Baton::Here, false);
        Ok(())
    }

    /// What is to be done next; none if it waits for others. To be carried out before it is asked again, and
    /// to be asked until there is nothing, after whatever has happened.
    #[expect(clippy::should_implement_trait, reason = "what comes next depends on what arrives in between")]
    pub fn next(&mut self) -> Option<Turn> {
        if !self.started {
            return None;
        }
        if let Some(port) = self.sides.iter().position(|side| side.baton == Baton::First) {
            return Some(self.hand_over(port));
        }
        let needed = match self.plan() {
            Some(step) if self.missing(&step.effects).is_none() => return Some(self.take(step)),
            Some(step) => Some(step),
            None => None,
        };
        let missing = needed.as_ref().and_then(|step| self.missing(&step.effects));
        let keeps = |port: usize| match (&needed, missing) {
            (Some(step), Some(missing)) => {
                sends_on(&step.effects, port) && self.sides[port].edge < self.sides[missing].edge
            }
            (Some(_) | None, _) => false,
        };
        if let Some(port) = (0..2).find(|&port| self.sides[port].wished && !keeps(port)) {
            return Some(self.hand_over(port));
        }
        let port = missing.filter(|&port| !self.sides[port].asked)?;
        self.sides[port].asked = true;
        Some(Turn::Wish(port as u32))
    }

    fn hand_over(&mut self, port: usize) -> Turn {
        let side = &mut self.sides[port];
        (side.baton, side.wished) = (Baton::Away, false);
        Turn::Baton(port as u32)
    }

    /// The first edge whose baton this step needs and that is not here.
    fn missing(&self, effects: &Effects) -> Option<usize> {
        (0..2)
            .filter(|&port| sends_on(effects, port) && self.sides[port].baton == Baton::Away)
            .min_by_key(|&port| self.sides[port].edge)
    }

    fn take(&mut self, step: Try) -> Turn {
        self.actor = step.after;
        let mut arrivals = Vec::new();
        for (port, (side, &count)) in (0..).zip(self.sides.iter_mut().zip(&step.counts)) {
            let taken = side.waiting.drain(..count);
            arrivals.extend(taken.map(|(message, _)| Arrival { message, port }));
        }
        Turn::Step(arrivals, Box::new(step.effects))
    }

    /// A step that can be taken now; otherwise the first that could be, had it the batons. Shorter prefixes
    /// come first. Which step that is without batons follows from what waits alone: the argument above rests
    /// on it.
    fn plan(&self) -> Option<Try> {
        let [first, second] = [self.sides[0].waiting.len(), self.sides[1].waiting.len()];
        let mut wanted = None;
        for total in 1..=first + second {
            for from_first in total.saturating_sub(second)..=total.min(first) {
                let Some(step) = self.tried([from_first, total - from_first]) else { continue };
                if self.missing(&step.effects).is_none() {
                    return Some(step);
                }
                wanted = wanted.or(Some(step));
            }
        }
        wanted
    }

    /// Tries this prefix, or a longer one if a send would pass what waits.
    fn tried(&self, mut counts: [usize; 2]) -> Option<Try> {
        loop {
            let batch = self.prefix(counts);
            if !self.actor.accepts(&batch).ok()? {
                return None;
            }
            let mut after = self.actor.copy();
            let effects = after.receive_several(&batch).ok()?;
            let passes = (0..2)
                .find(|&port| sends_on(&effects, port) && counts[port] < self.sides[port].waiting.len());
            match passes {
                Some(port) => counts[port] += 1,
                None => return Some(Try { counts, after, effects }),
            }
        }
    }

    fn prefix(&self, counts: [usize; 2]) -> Vec<(u32, Vec<u8>)> {
        let sides = (0..).zip(self.sides.iter().zip(counts));
        let taken = |(port, (side, count)): (u32, (&Side, usize))| {
            side.waiting.iter().take(count).map(|(_, bytes)| (port, bytes.clone())).collect::<Vec<_>>()
        };
        sides.flat_map(taken).collect()
    }
}

fn side(sides: &mut [Side; 2], port: u32) -> Result<&mut Side, Unfit> {
    sides.get_mut(port as usize).ok_or(Unfit::Port)
}

fn sends_on(effects: &Effects, port: usize) -> bool {
    effects.sends.iter().any(|sent| sent.port as usize == port)
}
