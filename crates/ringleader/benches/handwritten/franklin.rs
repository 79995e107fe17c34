//! Franklin's algorithm by hand, with its loops: a two-way ring has two links to each process.
//!
//! Port 0 leads to the next process, port 1 to the one before. Link `2 * i + p` ends at port `p` of process `i`.

use crate::lap::{Lap, Outcome};
use crate::one_way::ELECTED;
use crate::queue::{NONE, Pool, Queue};
use crate::timed::{Agenda, Event};
use ringleader::rng::Rng;

#[derive(Clone)]
struct Franklin {
    id: u32,
    mode: Mode,
    /// What waits for its counterpart, all of it from one port. One neighbour can be a phase ahead, not two: at most
    /// two values wait.
    waiting: [u32; 2],
}

#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
enum Mode {
    /// Nothing waits, or the values of this port do.
    Active0,
    Active1,
    Passive,
    Leader,
}

impl Franklin {
    fn new(id: u32) -> Franklin {
        Franklin { id, mode: Mode::Active0, waiting: [NONE; 2] }
    }

    #[inline]
    fn receive(&mut self, port: u32, message: u32, mut send: impl FnMut(u32, u32)) {
        let side = match self.mode {
            Mode::Passive => {
                if message & ELECTED != 0 {
                    self.waiting[0] = message;
                }
                return send(1 - port, message);
            }
            Mode::Leader => return,
            Mode::Active0 => 0,
            Mode::Active1 => 1,
        };
        let [first, second] = self.waiting;
        if first == NONE {
            self.waiting[0] = message;
            self.mode = if port == 0 { Mode::Active0 } else { Mode::Active1 };
        } else if side == port {
            self.waiting[1] = message;
        } else if first == self.id && message == self.id {
            self.mode = Mode::Leader;
            send(0, message | ELECTED);
        } else if first.max(message) > self.id {
            self.mode = Mode::Passive;
            if second != NONE {
                send(port, second);
            }
        } else {
            self.waiting = [second, NONE];
            send(0, self.id);
            send(1, self.id);
        }
    }

    fn leads(&self) -> bool {
        self.mode == Mode::Leader
    }
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
    let mut nodes: Vec<Franklin> = ids.iter().map(|&id| Franklin::new(id)).collect();
    let frontier = || Vec::<(u32, u32)>::with_capacity(ids.len());
    let mut arriving = [frontier(), frontier()];
    let [mut at0, mut at1] = [frontier(), frontier()];

    let lap = Lap::start();
    for (process, node) in (0..n).zip(&nodes) {
        arriving[1].push((neighbour(process, 0, n), node.id));
        arriving[0].push((neighbour(process, 1, n), node.id));
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
                nodes[process as usize].receive(port, message, |out, message| {
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
    lap.ends(messages, nodes.iter().map(Franklin::leads))
}

/// A process with the two links that end at it.
struct Random {
    node: Franklin,
    links: [Queue; 2],
}

/// A uniformly random non-empty link delivers next.
pub(crate) fn random(ids: &[u32], mut rng: Rng) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Random> =
        ids.iter().map(|&id| Random { node: Franklin::new(id), links: [Queue::EMPTY; 2] }).collect();
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
        slot.node.receive(port, message, |out, message| {
            sends[count] = (out, message);
            count += 1;
        });
        for &(out, message) in &sends[..count] {
            send(&mut slots, &mut pool, &mut busy, process, out, message);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| slot.node.leads()))
}

/// A process with the times at which the last messages on its two links arrive.
struct Timed {
    node: Franklin,
    last: [u64; 2],
}

/// The message that arrives first is next; equals in the order of sending.
pub(crate) fn timed(ids: &[u32], mut delay: impl FnMut() -> u64) -> Outcome {
    let n = ids.len() as u32;
    let mut slots: Vec<Timed> =
        ids.iter().map(|&id| Timed { node: Franklin::new(id), last: [0; 2] }).collect();
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
    while let Some(Event { link, message, .. }) = agenda.take() {
        let (process, port) = (link / 2, link % 2);
        let mut sends = [(0, NONE); 2];
        let mut count = 0;
        slots[process as usize].node.receive(port, message, |out, message| {
            sends[count] = (out, message);
            count += 1;
        });
        for &(out, message) in &sends[..count] {
            send(&mut slots, &mut agenda, process, out, message);
        }
    }
    lap.ends(messages, slots.iter().map(|slot| slot.node.leads()))
}
