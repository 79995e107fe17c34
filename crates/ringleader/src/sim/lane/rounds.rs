//! By rounds.
//!
//! In a round processes do not influence each other, so any order of handling them gives the same round, as long as each
//! takes its ports in increasing number and each link keeps its order. So messages are kept in plain vectors, one per
//! arrival port, in the order in which they were sent: on a ring that is nearly the order of the processes, and memory
//! is read and written in one direction.

use super::{Course, Finish, Road, Watch, arrive, ports, start, threads};
use crate::model::{Election, Port, Process};
use crate::network::Wired;
use crate::sim::Observer;
use crate::sim::meter::PER_ROUND;

/// Runs it, with as many threads as the scenario admits and the ring is worth.
pub(super) fn run<P: Election>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    observer: &mut dyn Observer,
) -> Finish
where
    P::Port: Wired,
{
    let n = processes.len();
    let threads = (course.scenario.threads.max(1) as usize).min(n.div_ceil(1024));
    let stretch = n.div_ceil(threads);
    let mut lanes: Vec<Lane<'_, P>> = (processes.chunks_mut(stretch).enumerate())
        .map(|(place, processes)| Lane::new(course, processes, (place * stretch) as u32))
        .collect();
    observer.begins(&|| course.setup.header(&P::SPEC, course.scenario, 1));
    for lane in &mut lanes {
        start(course, lane.processes, &mut lane.watch, &mut lane.street);
        lane.turn();
    }
    threads::hand_over(&mut lanes, stretch);
    let mut calendar = Calendar { round: 0, per_round: Vec::new(), complete: true };
    if let [lane] = lanes.as_mut_slice() {
        lane.alone(course, &mut calendar, observer);
    } else {
        threads::together(course, &mut lanes, &mut calendar, stretch, observer);
    }
    let mut lanes = lanes.into_iter().map(|lane| lane.watch);
    let mut watch = lanes.next().unwrap_or_else(|| Watch::new::<P>(course, 0, 0));
    for other in lanes {
        watch.add(&other);
    }
    Finish {
        watch,
        rounds: Some(calendar.round),
        time: Some(calendar.round as f64),
        per_round: calendar.per_round,
        complete: calendar.complete,
    }
}

/// How many rounds there were, and how wide they were.
pub(super) struct Calendar {
    pub(super) round: u64,
    pub(super) per_round: Vec<u64>,
    pub(super) complete: bool,
}

impl Calendar {
    #[inline]
    pub(super) fn turn(&mut self, width: u64) {
        self.round += 1;
        if self.per_round.len() < PER_ROUND {
            self.per_round.push(width);
        }
    }
}

/// A stretch of the ring, with what arrives there.
pub(super) struct Lane<'a, P: Process> {
    processes: &'a mut [P],
    /// What arrives in this round, by arrival port, in sending order.
    pub(super) now: [Vec<Letter<P>>; 2],
    pub(super) street: Street<P>,
    pub(super) watch: Watch,
}

/// A message and the process that it goes to.
pub(super) struct Letter<P: Process> {
    pub(super) to: u32,
    msg: P::Msg,
}

/// Where the messages of this round travel, to arrive in the next.
pub(super) struct Street<P: Process> {
    next: [Vec<Letter<P>>; 2],
    /// What goes to other stretches: the arrival port and the letter.
    pub(super) abroad: Vec<(u32, Letter<P>)>,
    first: u32,
    len: u32,
}

impl<P: Process> Road<P> for Street<P> {
    #[inline(always)]
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        let letter = Letter { to, msg };
        if to.wrapping_sub(self.first) < self.len {
            self.next[arrival.index() as usize % 2].push(letter);
        } else {
            self.abroad.push((arrival.index(), letter));
        }
    }
}

impl<'a, P: Election> Lane<'a, P>
where
    P::Port: Wired,
{
    fn new(course: &Course<'_, P::Port>, processes: &'a mut [P], first: u32) -> Lane<'a, P> {
        let len = processes.len();
        // One message per port and process is what a full round has; untouched, this takes address space only.
        let room =
            || core::array::from_fn(|port| Vec::with_capacity(if port < ports::<P>() { len } else { 0 }));
        Lane {
            now: room(),
            street: Street { next: room(), abroad: Vec::new(), first, len: len as u32 },
            watch: Watch::new::<P>(course, first, len),
            processes,
        }
    }

    /// Messages that arrive in the next round.
    #[inline]
    pub(super) fn width(&self) -> u64 {
        self.now.iter().map(|letters| letters.len() as u64).sum()
    }

    /// The round is over: what was sent in it arrives in the next.
    #[inline]
    pub(super) fn turn(&mut self) {
        core::mem::swap(&mut self.now, &mut self.street.next);
    }

    /// Handles everything that arrives in this round.
    #[inline(always)]
    fn round<const STARTED: bool>(&mut self, course: &Course<'_, P::Port>, round: u64) {
        let Lane { processes, now, street, watch } = self;
        for port in 0..ports::<P>() {
            let arrival = P::Port::from_index(port as u32);
            watch.steps += now[port].len() as u64;
            for Letter { to, msg } in now[port].drain(..) {
                let place = (to - street.first) as usize;
                let process = &mut processes[place];
                arrive::<P, STARTED>(course, process, place, (arrival, msg), round, watch, street);
            }
        }
    }

    /// One round of a stretch among several.
    pub(super) fn one_round(&mut self, course: &Course<'_, P::Port>, round: u64) {
        if self.watch.started.is_empty() {
            self.round::<true>(course, round);
        } else {
            self.round::<false>(course, round);
        }
        self.turn();
    }

    /// The whole ring is one stretch: round after round, without leaving the loop.
    fn alone(&mut self, course: &Course<'_, P::Port>, calendar: &mut Calendar, observer: &mut dyn Observer) {
        if self.watch.started.is_empty() {
            self.rounds::<true>(course, calendar, observer);
        } else {
            self.rounds::<false>(course, calendar, observer);
        }
    }

    fn rounds<const STARTED: bool>(
        &mut self,
        course: &Course<'_, P::Port>,
        calendar: &mut Calendar,
        observer: &mut dyn Observer,
    ) {
        loop {
            let width = self.width();
            if width == 0 {
                return;
            }
            calendar.turn(width);
            self.round::<STARTED>(course, calendar.round);
            self.turn();
            if !self.watch.goes_on(observer, calendar.round) {
                calendar.complete = false;
                return;
            }
        }
    }
}
