//! Rounds, as one would write them down: an array of processes, two vectors of messages, a `match`.
//!
//! Nothing is packed, nothing is counted but the messages, nothing is checked. (`one_way` and `franklin` have the same
//! loops with identity and mode packed into one word and kept apart from the rest, for those who would go further.)

use crate::lap::{Lap, Outcome};

/// The kinds of messages; Franklin's and Chang–Roberts's identities are `Tid`s too.
#[derive(Clone, Copy)]
enum Kind {
    Tid,
    Max,
    Elected,
}

/// A message: where it goes, what it is, what it carries.
type Message = (u32, Kind, u32);

/// What a process does with a message: what it sends on.
trait OneWay: Sized {
    fn new(id: u32) -> Self;
    fn start(&mut self) -> (Kind, u32);
    fn receive(&mut self, kind: Kind, id: u32) -> Option<(Kind, u32)>;
    fn leads(&self) -> bool;
}

fn one_way<P: OneWay>(ids: &[u32]) -> Outcome {
    let n = ids.len() as u32;
    let next = |process: u32| if process + 1 == n { 0 } else { process + 1 };
    let mut processes: Vec<P> = ids.iter().map(|&id| P::new(id)).collect();
    let mut arriving: Vec<Message> = Vec::with_capacity(ids.len());
    let mut sent: Vec<Message> = Vec::with_capacity(ids.len());

    let lap = Lap::start();
    for process in 0..n {
        let (kind, id) = processes[process as usize].start();
        arriving.push((next(process), kind, id));
    }
    let mut messages = arriving.len() as u64;
    while !arriving.is_empty() {
        for &(process, kind, id) in &arriving {
            if let Some((kind, id)) = processes[process as usize].receive(kind, id) {
                sent.push((next(process), kind, id));
            }
        }
        messages += sent.len() as u64;
        core::mem::swap(&mut arriving, &mut sent);
        sent.clear();
    }
    lap.ends(messages, processes.iter().map(P::leads))
}

struct ChangRoberts {
    id: u32,
    participant: bool,
    leader: bool,
    coordinator: u32,
}

impl OneWay for ChangRoberts {
    fn new(id: u32) -> Self {
        ChangRoberts { id, participant: false, leader: false, coordinator: u32::MAX }
    }
    fn start(&mut self) -> (Kind, u32) {
        self.participant = true;
        (Kind::Tid, self.id)
    }
    fn receive(&mut self, kind: Kind, id: u32) -> Option<(Kind, u32)> {
        match kind {
            Kind::Tid | Kind::Max if id > self.id => {
                self.participant = true;
                Some((Kind::Tid, id))
            }
            Kind::Tid | Kind::Max if id == self.id => {
                self.leader = true;
                Some((Kind::Elected, id))
            }
            Kind::Tid | Kind::Max if self.participant => None,
            Kind::Tid | Kind::Max => {
                self.participant = true;
                Some((Kind::Tid, self.id))
            }
            Kind::Elected => {
                self.coordinator = id;
                self.participant = false;
                (id != self.id).then_some((Kind::Elected, id))
            }
        }
    }
    fn leads(&self) -> bool {
        self.leader && self.coordinator == self.id
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Wait1,
    Wait2,
    Relay,
    Leader,
    Done,
}

struct Peterson {
    id: u32,
    mode: Mode,
    tid: u32,
    ntid: u32,
    leader: u32,
}

impl OneWay for Peterson {
    fn new(id: u32) -> Self {
        Peterson { id, mode: Mode::Wait1, tid: id, ntid: id, leader: u32::MAX }
    }
    fn start(&mut self) -> (Kind, u32) {
        (Kind::Tid, self.id)
    }
    fn receive(&mut self, kind: Kind, id: u32) -> Option<(Kind, u32)> {
        match (kind, self.mode) {
            (Kind::Elected, _) if id == self.id => None,
            (Kind::Elected, _) => {
                self.leader = id;
                self.mode = Mode::Done;
                Some((kind, id))
            }
            (Kind::Tid | Kind::Max, Mode::Leader | Mode::Done) => None,
            (Kind::Tid | Kind::Max, _) if id == self.id => {
                self.mode = Mode::Leader;
                self.leader = id;
                Some((Kind::Elected, id))
            }
            (Kind::Tid | Kind::Max, Mode::Wait1) => {
                self.ntid = id;
                self.mode = Mode::Wait2;
                Some((Kind::Max, self.tid.max(id)))
            }
            (Kind::Tid | Kind::Max, Mode::Wait2) if self.ntid >= self.tid && self.ntid >= id => {
                self.tid = self.ntid;
                self.mode = Mode::Wait1;
                Some((Kind::Tid, self.tid))
            }
            (Kind::Tid | Kind::Max, Mode::Wait2) => {
                self.mode = Mode::Relay;
                None
            }
            (Kind::Tid | Kind::Max, Mode::Relay) => Some((kind, id)),
        }
    }
    fn leads(&self) -> bool {
        self.mode == Mode::Leader && self.leader == self.id
    }
}

pub(crate) fn chang_roberts(ids: &[u32]) -> Outcome {
    one_way::<ChangRoberts>(ids)
}

pub(crate) fn peterson(ids: &[u32]) -> Outcome {
    one_way::<Peterson>(ids)
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Active,
    Passive,
    Leader,
}

/// A process of Franklin's algorithm; at most two values wait on each side.
struct Franklin {
    id: u32,
    role: Role,
    waiting: [[u32; 2]; 2],
    waits: [u8; 2],
    leader: u32,
}

pub(crate) fn franklin(ids: &[u32]) -> Outcome {
    let n = ids.len() as u32;
    // Port 0 leads to the next process, where what it sends arrives at port 1.
    let ends = |process: u32| {
        let next = if process + 1 == n { 0 } else { process + 1 };
        let previous = if process == 0 { n - 1 } else { process - 1 };
        [next, previous]
    };
    let new =
        |&id| Franklin { id, role: Role::Active, waiting: [[0; 2]; 2], waits: [0; 2], leader: u32::MAX };
    let mut processes: Vec<Franklin> = ids.iter().map(new).collect();
    let room = || [Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len())];
    let mut arriving: [Vec<Message>; 2] = room();
    let mut sent: [Vec<Message>; 2] = room();

    let lap = Lap::start();
    for process in 0..n {
        for (port, to) in ends(process).into_iter().enumerate() {
            arriving[1 - port].push((to, Kind::Tid, processes[process as usize].id));
        }
    }
    let mut messages = 2 * u64::from(n);
    while arriving.iter().any(|letters| !letters.is_empty()) {
        for port in [0, 1] {
            for &(process, kind, id) in &arriving[port] {
                let state = &mut processes[process as usize];
                let ends = ends(process);
                match (kind, state.role) {
                    (Kind::Tid | Kind::Max, Role::Passive) => {
                        sent[port].push((ends[1 - port], Kind::Tid, id))
                    }
                    (Kind::Tid | Kind::Max, Role::Active) => {
                        state.waiting[port][state.waits[port] as usize] = id;
                        state.waits[port] += 1;
                        if state.waits[1 - port] == 0 {
                            continue;
                        }
                        let largest = state.waiting[0][0].max(state.waiting[1][0]);
                        for side in [0, 1] {
                            state.waiting[side][0] = state.waiting[side][1];
                            state.waits[side] -= 1;
                        }
                        if largest < state.id {
                            sent[1].push((ends[0], Kind::Tid, state.id));
                            sent[0].push((ends[1], Kind::Tid, state.id));
                        } else if largest == state.id {
                            state.role = Role::Leader;
                            state.leader = state.id;
                            sent[1].push((ends[0], Kind::Elected, state.id));
                        } else {
                            state.role = Role::Passive;
                            for side in [0, 1] {
                                if state.waits[side] == 1 {
                                    sent[side].push((ends[1 - side], Kind::Tid, state.waiting[side][0]));
                                }
                            }
                        }
                    }
                    (Kind::Elected, Role::Passive) => {
                        state.leader = id;
                        sent[port].push((ends[1 - port], Kind::Elected, id));
                    }
                    (Kind::Tid | Kind::Max, Role::Leader) | (Kind::Elected, Role::Active | Role::Leader) => {}
                }
            }
        }
        messages += sent.iter().map(|letters| letters.len() as u64).sum::<u64>();
        core::mem::swap(&mut arriving, &mut sent);
        sent.iter_mut().for_each(Vec::clear);
    }
    lap.ends(messages, processes.iter().map(|state| state.role == Role::Leader && state.leader == state.id))
}
