//! The loops for algorithms on a one-way ring, one per schedule.
//!
//! A message is one word: the identity it carries, with the top bit set in an announcement. A process sends at most
//! one message per step. Link `i` ends at process `i`.

use crate::lap::{Lap, Outcome};
use crate::queue::{NONE, Pool, Queue};
use crate::timed::{Agenda, Event};
use ringleader::rng::Rng;

/// The bit that makes a message an announcement.
pub(crate) const ELECTED: u32 = 1 << 31;

/// A process: what it does, and nothing else.
pub(crate) trait OneWay: Clone {
    fn new(id: u32) -> Self;
    fn start(&mut self) -> u32;
    /// What it sends on receiving `message`, or `NONE`.
    fn receive(&mut self, message: u32) -> u32;
    fn leads(&self) -> bool;
}

#[inline]
fn next(process: u32, n: u32) -> u32 {
    if process + 1 == n { 0 } else { process + 1 }
}

/// Two frontiers of (process, message): what arrives in this round, and what was sent in it.
pub(crate) fn rounds<P: OneWay>(ids: &[u32]) -> Outcome {
    let n = ids.len() as u32;
    let mut nodes: Vec<P> = ids.iter().map(|&id| P::new(id)).collect();
    let mut arriving = vec![(0u32, 0u32); ids.len()];
    let mut sent = arriving.clone();

    let lap = Lap::start();
    for (process, (node, slot)) in nodes.iter_mut().zip(&mut arriving).enumerate() {
        *slot = (next(process as u32, n), node.start());
    }
    let mut waiting = arriving.len();
    let mut messages = waiting as u64;
    while waiting > 0 {
        let mut kept = 0;
        for &(process, message) in &arriving[..waiting] {
            let answer = nodes[process as usize].receive(message);
            sent[kept] = (next(process, n), answer);
            kept += usize::from(answer != NONE);
        }
        messages += kept as u64;
        waiting = kept;
        core::mem::swap(&mut arriving, &mut sent);
    }
    lap.ends(messages, nodes.iter().map(P::leads))
}

/// A process with the link that ends at it: a step touches one place in memory, and the next one beside it.
struct Random<P> {
    node: P,
    link: Queue,
}

/// A uniformly random non-empty link delivers next.
pub(crate) fn random<P: OneWay>(ids: &[u32], mut rng: Rng) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Random<P>> =
        ids.iter().map(|&id| Random { node: P::new(id), link: Queue::EMPTY }).collect();
    let mut pool = Pool::default();
    let mut busy: Vec<u32> = Vec::with_capacity(ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    for process in 0..n {
        let message = slots[process as usize].node.start();
        let to = next(process, n);
        messages += 1;
        if slots[to as usize].link.push(message, &mut pool) {
            busy.push(to);
        }
    }
    while !busy.is_empty() {
        let chosen = rng.below(busy.len() as u64) as usize;
        let process = busy[chosen];
        let slot = &mut slots[process as usize];
        let (message, emptied) = slot.link.pop(&mut pool);
        if emptied {
            busy.swap_remove(chosen);
        }
        let answer = slot.node.receive(message);
        if answer != NONE {
            let to = next(process, n);
            messages += 1;
            if slots[to as usize].link.push(answer, &mut pool) {
                busy.push(to);
            }
        }
    }
    lap.ends(messages, slots.iter().map(|slot| slot.node.leads()))
}

struct Timed<P> {
    node: P,
    /// When the last message on the link to this process arrives: none overtakes another.
    last: u64,
}

/// The message that arrives first is next; equals in the order of sending.
pub(crate) fn timed<P: OneWay>(ids: &[u32], mut delay: impl FnMut() -> u64) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Timed<P>> = ids.iter().map(|&id| Timed { node: P::new(id), last: 0 }).collect();
    let mut agenda = Agenda::with_capacity(ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    for process in 0..n {
        let message = slots[process as usize].node.start();
        let to = next(process, n);
        messages += 1;
        agenda.send(&mut slots[to as usize].last, delay(), to, message);
    }
    while let Some(Event { link: process, message, .. }) = agenda.take() {
        let answer = slots[process as usize].node.receive(message);
        if answer != NONE {
            let to = next(process, n);
            messages += 1;
            agenda.send(&mut slots[to as usize].last, delay(), to, answer);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| slot.node.leads()))
}
