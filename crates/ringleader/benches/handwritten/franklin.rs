//! Franklin's algorithm by hand, with its loops: a two-way ring has two links to each process.
//!
//! Port 0 leads to the next process, port 1 to the one before. Link `2 * i + p` ends at port `p` of process `i`.

use crate::lap::{Lap, Outcome};
use crate::queue::{Pool, Queue};
use crate::timed::Agenda;
use crate::word::{ELECTED, NONE, id_of, mode_of, word};
use ringleader::rng::Rng;

/// Active, and what waits (if anything does) came in at port 0.
const ACTIVE0: u32 = 0;
/// Active, and what waits came in at port 1.
const ACTIVE1: u32 = 1;
const PASSIVE: u32 = 2;
const LEADER: u32 = 3;

/// What waits for its counterpart, all of it from one port. One neighbour can be a phase ahead, not two: at most two
/// values wait. In the end the announcement that was seen.
type Waiting = [u32; 2];

#[inline]
fn receive(hot: &mut u32, waiting: &mut Waiting, port: u32, message: u32, mut send: impl FnMut(u32, u32)) {
    let (mode, id) = (mode_of(*hot), id_of(*hot));
    if mode == PASSIVE {
        if message & ELECTED != 0 {
            waiting[0] = message;
        }
        return send(1 - port, message);
    }
    if mode == LEADER {
        return;
    }
    let [first, second] = *waiting;
    if first == NONE {
        waiting[0] = message;
        *hot = word(if port == 0 { ACTIVE0 } else { ACTIVE1 }, id);
    } else if (mode == ACTIVE0) == (port == 0) {
        debug_assert_eq!(second, NONE);
        waiting[1] = message;
    } else if first == id && message == id {
        *hot = word(LEADER, id);
        send(0, message | ELECTED);
    } else if first.max(message) > id {
        *hot = word(PASSIVE, id);
        if second != NONE {
            send(port, second);
        }
    } else {
        *waiting = [second, NONE];
        send(0, id);
        send(1, id);
    }
}

fn leads(hot: u32) -> bool {
    mode_of(hot) == LEADER
}

/// Where a message goes that leaves `process` by `port`: the process; it arrives at port `1 - port`.
#[inline]
fn neighbour(process: u32, port: u32, n: u32) -> u32 {
    if port == 0 {
        if process + 1 == n { 0 } else { process + 1 }
    } else if process == 0 {
        n - 1
    } else {
        process - 1
    }
}

/// Two frontiers per round, one for each port of arrival, port 0 first.
pub(crate) fn rounds(ids: &[u32]) -> Outcome {
    let n = ids.len() as u32;
    let mut hot: Vec<u32> = ids.iter().map(|&id| word(ACTIVE0, id)).collect();
    let mut cold: Vec<Waiting> = vec![[NONE; 2]; ids.len()];
    let frontier = || Vec::<(u32, u32)>::with_capacity(ids.len());
    let mut arriving = [frontier(), frontier()];
    let [mut at0, mut at1] = [frontier(), frontier()];

    let lap = Lap::start();
    for (process, &id) in (0..n).zip(ids) {
        arriving[1].push((neighbour(process, 0, n), id));
        arriving[0].push((neighbour(process, 1, n), id));
    }
    let mut messages = 0;
    loop {
        let sent = arriving[0].len() + arriving[1].len();
        if sent == 0 {
            break;
        }
        messages += sent as u64;
        for port in [0, 1] {
            for &(process, message) in &arriving[port as usize] {
                let index = process as usize;
                receive(&mut hot[index], &mut cold[index], port, message, |out, message| {
                    let to = neighbour(process, out, n);
                    if out == 0 { at1.push((to, message)) } else { at0.push((to, message)) }
                });
            }
        }
        core::mem::swap(&mut arriving[0], &mut at0);
        core::mem::swap(&mut arriving[1], &mut at1);
        at0.clear();
        at1.clear();
    }
    lap.ends(messages, hot.into_iter().map(leads))
}

/// A process with the two links that end at it.
struct Random {
    hot: u32,
    waiting: Waiting,
    links: [Queue; 2],
}

/// A uniformly random non-empty link delivers next.
pub(crate) fn random(ids: &[u32], mut rng: Rng) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Random> = ids
        .iter()
        .map(|&id| Random { hot: word(ACTIVE0, id), waiting: [NONE; 2], links: [Queue::EMPTY; 2] })
        .collect();
    let mut pool = Pool::default();
    let mut busy: Vec<u32> = Vec::with_capacity(2 * ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    let mut send = |slots: &mut [Random], pool: &mut Pool, busy: &mut Vec<u32>, process, port, message| {
        let to = neighbour(process, port, n);
        messages += 1;
        if slots[to as usize].links[1 - port as usize].push(message, pool) {
            busy.push(2 * to + 1 - port);
        }
    };
    for (process, &id) in (0..n).zip(ids) {
        send(&mut slots, &mut pool, &mut busy, process, 0, id);
        send(&mut slots, &mut pool, &mut busy, process, 1, id);
    }
    while !busy.is_empty() {
        let chosen = rng.below(busy.len() as u64) as usize;
        let (process, port) = (busy[chosen] / 2, busy[chosen] % 2);
        let slot = &mut slots[process as usize];
        let (message, emptied) = slot.links[port as usize].pop(&mut pool);
        if emptied {
            busy.swap_remove(chosen);
        }
        let mut sends = [(0, NONE); 2];
        let mut count = 0;
        receive(&mut slot.hot, &mut slot.waiting, port, message, |out, message| {
            sends[count] = (out, message);
            count += 1;
        });
        for &(out, message) in &sends[..count] {
            send(&mut slots, &mut pool, &mut busy, process, out, message);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| leads(slot.hot)))
}

/// A process with the times at which the last messages on its two links arrive.
struct Timed {
    hot: u32,
    waiting: Waiting,
    last: [u64; 2],
}

/// The message that arrives first is next.
pub(crate) fn timed(ids: &[u32], mut delay: impl FnMut() -> u64) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Timed> =
        ids.iter().map(|&id| Timed { hot: word(ACTIVE0, id), waiting: [NONE; 2], last: [0; 2] }).collect();
    let mut agenda = Agenda::with_capacity(2 * ids.len());

    let lap = Lap::start();
    let mut messages = 0u64;
    let mut send = |slots: &mut [Timed], agenda: &mut Agenda, process, port, message| {
        let to = neighbour(process, port, n);
        messages += 1;
        let last = &mut slots[to as usize].last[1 - port as usize];
        agenda.send(last, delay(), 2 * to + 1 - port, message);
    };
    for (process, &id) in (0..n).zip(ids) {
        send(&mut slots, &mut agenda, process, 0, id);
        send(&mut slots, &mut agenda, process, 1, id);
    }
    while let Some((link, message)) = agenda.take() {
        let (process, port) = (link / 2, link % 2);
        let mut sends = [(0, NONE); 2];
        let mut count = 0;
        let slot = &mut slots[process as usize];
        receive(&mut slot.hot, &mut slot.waiting, port, message, |out, message| {
            sends[count] = (out, message);
            count += 1;
        });
        for &(out, message) in &sends[..count] {
            send(&mut slots, &mut agenda, process, out, message);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| leads(slot.hot)))
}
