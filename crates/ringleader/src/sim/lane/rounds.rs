//! By rounds.
//!
//! In a round processes do not influence each other, so any order of handling them gives the same round, as long as
//! each takes its ports in increasing number and each link keeps its order. So messages are kept in plain vectors, one
//! per arrival port, in the order in which they were sent: on a ring that is nearly the order of the processes, and
//! memory is read and written in one direction.

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
        lane.start(course);
    }
    let mut calendar = Calendar { round: 0, per_round: Vec::new(), complete: true };
    if lanes.len() > 1 {
        threads::together(course, &mut lanes, &mut calendar, stretch, observer);
    }
    let parts: Vec<Part<P>> = lanes.into_iter().map(|lane| (lane.streets, lane.turn, lane.watch)).collect();
    let mut parts = parts.into_iter();
    let first = parts.next();
    let mut lane = Lane::whole(course, processes, first);
    for part in parts {
        lane.append(part);
    }
    if calendar.complete {
        lane.alone(course, &mut calendar, observer);
    }
    let watch = lane.watch;
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
    /// What arrives in this round and what is sent in it, in turn: nothing is moved at the end of a round.
    streets: [Street<P>; 2],
    turn: usize,
    pub(super) watch: Watch,
}

/// What a stretch has besides its processes.
type Part<P> = ([Street<P>; 2], usize, Watch);

/// A message and the process that it goes to.
pub(super) struct Letter<P: Process> {
    pub(super) to: u32,
    msg: P::Msg,
}

/// Where the messages of a round travel, to arrive in the next.
pub(super) struct Street<P: Process> {
    /// By arrival port, in sending order.
    pub(super) letters: [Vec<Letter<P>>; 2],
    /// What goes to other stretches: the arrival port and the letter.
    pub(super) abroad: Vec<(u32, Letter<P>)>,
    first: u32,
    len: u32,
}

impl<P: Process> Street<P> {
    #[inline(always)]
    pub(super) fn width(&self) -> u64 {
        (0..ports::<P>()).map(|port| self.letters[port].len() as u64).sum()
    }
}

/// A street, and whether it is the whole ring.
struct Onto<'a, P: Process, const WHOLE: bool>(&'a mut Street<P>);

impl<P: Process, const WHOLE: bool> Road<P> for Onto<'_, P, WHOLE> {
    #[inline(always)]
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        let letter = Letter { to, msg };
        if WHOLE || to.wrapping_sub(self.0.first) < self.0.len {
            self.0.letters[arrival.index() as usize % 2].push(letter);
        } else {
            self.0.abroad.push((arrival.index(), letter));
        }
    }
}

/// One round: handles everything on one street; what is sent goes onto the other.
#[inline(always)]
fn pass<P: Election, const STARTED: bool, const WHOLE: bool>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    now: &mut Street<P>,
    next: &mut Street<P>,
    round: u64,
    watch: &mut Watch,
) where
    P::Port: Wired,
{
    let first = if WHOLE { 0 } else { now.first };
    let mut road = Onto::<P, WHOLE>(next);
    for port in 0..ports::<P>() {
        let arrival = P::Port::from_index(port as u32);
        watch.steps += now.letters[port].len() as u64;
        for Letter { to, msg } in now.letters[port].drain(..) {
            let place = (to - first) as usize;
            arrive::<P, STARTED>(
                course,
                &mut processes[place],
                place,
                (arrival, msg),
                round,
                watch,
                &mut road,
            );
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
        let room = |port| Vec::with_capacity(if port < ports::<P>() { len } else { 0 });
        let street =
            |_| Street { letters: core::array::from_fn(room), abroad: Vec::new(), first, len: len as u32 };
        Lane {
            streets: core::array::from_fn(street),
            turn: 0,
            watch: Watch::new::<P>(course, first, len),
            processes,
        }
    }

    /// The whole ring, beginning with what a first stretch has.
    fn whole(course: &Course<'_, P::Port>, processes: &'a mut [P], first: Option<Part<P>>) -> Lane<'a, P> {
        match first {
            Some((streets, turn, watch)) => Lane { processes, streets, turn, watch },
            None => Lane::new(course, processes, 0),
        }
    }

    /// The next stretch joins those before it.
    fn append(&mut self, (mut streets, turn, watch): Part<P>) {
        for (own, letters) in self.streets[self.turn].letters.iter_mut().zip(&mut streets[turn].letters) {
            own.append(letters);
        }
        self.watch.append(watch);
    }

    /// What arrives in the next round.
    pub(super) fn arriving(&mut self) -> &mut Street<P> {
        &mut self.streets[self.turn]
    }

    /// The initiators start.
    fn start(&mut self, course: &Course<'_, P::Port>) {
        let mut road = Onto::<P, false>(&mut self.streets[self.turn]);
        start(course, self.processes, &mut self.watch, &mut road);
    }

    /// One round of a stretch among several.
    pub(super) fn one_round(&mut self, course: &Course<'_, P::Port>, round: u64) {
        let [one, two] = &mut self.streets;
        let (now, next) = if self.turn == 0 { (one, two) } else { (two, one) };
        if self.watch.started.is_empty() {
            pass::<P, true, false>(course, self.processes, now, next, round, &mut self.watch);
        } else {
            pass::<P, false, false>(course, self.processes, now, next, round, &mut self.watch);
        }
        self.turn = 1 - self.turn;
    }

    /// The whole ring is one stretch: round after round, without leaving the loop.
    fn alone(&mut self, course: &Course<'_, P::Port>, calendar: &mut Calendar, observer: &mut dyn Observer) {
        calendar.complete = if self.watch.started.is_empty() {
            self.rounds::<true>(course, calendar, observer)
        } else {
            self.rounds::<false>(course, calendar, observer)
        };
    }

    /// Whether it came to an end of its own.
    fn rounds<const STARTED: bool>(
        &mut self,
        course: &Course<'_, P::Port>,
        calendar: &mut Calendar,
        observer: &mut dyn Observer,
    ) -> bool {
        let Lane { processes, streets: [one, two], turn, watch } = self;
        let (mut now, mut next) = if *turn == 0 { (one, two) } else { (two, one) };
        loop {
            let width = now.width();
            if width == 0 {
                return true;
            }
            calendar.turn(width);
            pass::<P, STARTED, true>(course, processes, now, next, calendar.round, watch);
            if !watch.goes_on(observer, calendar.round) {
                return false;
            }
            core::mem::swap(&mut now, &mut next);
        }
    }
}
