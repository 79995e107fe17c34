//! The loops for algorithms on a one-way ring, one per schedule.
//!
//! A process sends at most one message per step. Link `i` ends at process `i`.

use crate::lap::{Lap, Outcome};
use crate::queue::{Pool, Queue};
use crate::timed::Agenda;
use crate::word::NONE;
use ringleader::rng::Rng;

/// An algorithm: what a process does, and nothing else. Its state is one word that every step needs, and the rest.
pub(crate) trait OneWay {
    type Cold: Copy;
    fn new(id: u32) -> (u32, Self::Cold);
    fn start(hot: &mut u32) -> u32;
    /// What it sends on receiving `message`, or `NONE`.
    fn receive(hot: &mut u32, cold: &mut Self::Cold, message: u32) -> u32;
    fn leads(hot: u32) -> bool;
}

#[inline]
fn next(process: u32, n: u32) -> u32 {
    if process + 1 == n { 0 } else { process + 1 }
}

/// Two frontiers of (process, message): what arrives in this round, and what was sent in it.
pub(crate) fn rounds<P: OneWay>(ids: &[u32]) -> Outcome {
    let n = ids.len() as u32;
    let (mut hot, mut cold): (Vec<u32>, Vec<P::Cold>) = ids.iter().map(|&id| P::new(id)).unzip();
    let mut arriving: Vec<(u32, u32)> = Vec::with_capacity(ids.len());
    let mut sent: Vec<(u32, u32)> = Vec::with_capacity(ids.len());

    let lap = Lap::start();
    for (process, hot) in (0..n).zip(&mut hot) {
        arriving.push((next(process, n), P::start(hot)));
    }
    let mut messages = arriving.len() as u64;
    while !arriving.is_empty() {
        for &(process, message) in &arriving {
            let index = process as usize;
            let answer = P::receive(&mut hot[index], &mut cold[index], message);
            if answer != NONE {
                sent.push((next(process, n), answer));
            }
        }
        messages += sent.len() as u64;
        core::mem::swap(&mut arriving, &mut sent);
        sent.clear();
    }
    lap.ends(messages, hot.into_iter().map(P::leads))
}

/// A process with the link that ends at it: a step touches one place in memory, and the next one beside it.
struct Random<C> {
    hot: u32,
    cold: C,
    link: Queue,
}

/// A uniformly random non-empty link delivers next.
pub(crate) fn random<P: OneWay>(ids: &[u32], mut rng: Rng) -> Outcome {
    let n = ids.len() as u32;
    let slot = |(hot, cold)| Random { hot, cold, link: Queue::EMPTY };
    let mut slots: Vec<Random<P::Cold>> = ids.iter().map(|&id| slot(P::new(id))).collect();
    let mut pool = Pool::default();
    let mut busy: Vec<u32> = Vec::with_capacity(ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    for process in 0..n {
        let message = P::start(&mut slots[process as usize].hot);
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
        let answer = P::receive(&mut slot.hot, &mut slot.cold, message);
        if answer != NONE {
            let to = next(process, n);
            messages += 1;
            if slots[to as usize].link.push(answer, &mut pool) {
                busy.push(to);
            }
        }
    }
    lap.ends(messages, slots.iter().map(|slot| P::leads(slot.hot)))
}

struct Timed<C> {
    hot: u32,
    cold: C,
    /// When the last message on the link to this process arrives: none overtakes another.
    last: u64,
}

/// The message that arrives first is next.
pub(crate) fn timed<P: OneWay>(ids: &[u32], mut delay: impl FnMut() -> u64) -> Outcome {
    let n = ids.len() as u32;
    let slot = |(hot, cold)| Timed { hot, cold, last: 0 };
    let mut slots: Vec<Timed<P::Cold>> = ids.iter().map(|&id| slot(P::new(id))).collect();
    let mut agenda = Agenda::with_capacity(ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    for process in 0..n {
        let message = P::start(&mut slots[process as usize].hot);
        let to = next(process, n);
        messages += 1;
        agenda.send(&mut slots[to as usize].last, delay(), to, message);
    }
    while let Some((process, message)) = agenda.take() {
        let slot = &mut slots[process as usize];
        let answer = P::receive(&mut slot.hot, &mut slot.cold, message);
        if answer != NONE {
            let to = next(process, n);
            messages += 1;
            agenda.send(&mut slots[to as usize].last, delay(), to, answer);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| P::leads(slot.hot)))
}
