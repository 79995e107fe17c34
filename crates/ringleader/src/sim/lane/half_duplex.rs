//! By rounds, on half-duplex links: each process, in index order, takes all that waited for it when the round began and
//! that it accepts, and more if what it sends would pass something that waits. As in the general engine, without its
//! lists: a step is tried on a copy of the process, and what it does is kept only if it can stay.

use super::rounds::Calendar;
use super::{Course, Finish, KINDS, Road, Watch, start};
use crate::model::{Election, Message, Outbox, Port, Process};
use crate::network::{Network, Wired};
use crate::sim::links::LinkTable;
use crate::sim::{Observer, UNDECLARED_CHOICE};

/// Runs it.
pub(super) fn run<P: Election>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    observer: &mut dyn Observer,
) -> Finish
where
    P::Port: Wired,
{
    let n = processes.len();
    let mut ring: Ring<P> = Ring { links: LinkTable::new(2 * n as u64, true), reached: Vec::new() };
    let mut watch = Watch::new::<P>(course, 0, n);
    observer.begins(&|| course.setup.header(&P::SPEC, course.scenario, 1));
    start(course, processes, &mut watch, &mut ring);
    let mut calendar = Calendar { round: 0, per_round: Vec::new(), complete: true };
    let mut bench = Bench { batch: Vec::new(), tried: Tried::default() };
    let mut line = Vec::new();
    loop {
        ring.line_up(n as u32, &mut line);
        let mut width = 0;
        for &(index, waited) in &line {
            let process = &mut processes[index as usize];
            width += bench.step(course, process, (index, waited), calendar.round + 1, &mut watch, &mut ring);
        }
        // Nothing is on its way, or what waits is not accepted, and nothing else will happen that could change that.
        if width == 0 {
            break;
        }
        calendar.turn(width);
        for &(index, _) in &line {
            if ring.waits(index) != [0; 2] {
                ring.reached.push(index);
            }
        }
        if !watch.goes_on(observer, calendar.round) {
            calendar.complete = false;
            break;
        }
    }
    Finish {
        watch,
        rounds: Some(calendar.round),
        time: Some(calendar.round as f64),
        per_round: calendar.per_round,
        complete: calendar.complete,
    }
}

/// The links, and the processes at which something may wait.
struct Ring<P: Process> {
    links: LinkTable<P::Msg>,
    reached: Vec<u32>,
}

impl<P: Process> Ring<P> {
    /// How much waits on each side of a process.
    fn waits(&self, index: u32) -> [u32; 2] {
        [self.links.len(2 * index), self.links.len(2 * index + 1)]
    }

    /// Where something waits, in index order, and how much.
    fn line_up(&mut self, n: u32, line: &mut Vec<(u32, [u32; 2])>) {
        line.clear();
        if self.reached.len() > n as usize / 4 {
            // Nearly everybody: to look at all of them is quicker than to sort.
            line.extend((0..n).map(|index| (index, self.waits(index))).filter(|(_, waits)| *waits != [0; 2]));
        } else {
            self.reached.sort_unstable();
            self.reached.dedup();
            line.extend(self.reached.iter().map(|&index| (index, self.waits(index))));
        }
        self.reached.clear();
    }

    /// The k-th message on one side of a process.
    fn message(&self, index: u32, side: usize, k: u32) -> Option<(P::Port, P::Msg)> {
        let msg = self.links.iter(2 * index + side as u32).nth(k as usize)?;
        Some((P::Port::from_index(side as u32), msg.clone()))
    }
}

impl<P: Process> Road<P> for Ring<P> {
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        self.links.push(2 * u64::from(to) + u64::from(arrival.index()), msg);
        self.reached.push(to);
    }
}

/// Where steps are tried; its room is used again.
struct Bench<P: Process> {
    batch: Vec<(P::Port, P::Msg)>,
    tried: Tried<P>,
}

impl<P: Election> Bench<P>
where
    P::Port: Wired,
{
    /// A process takes what it can; how many messages that is.
    fn step(
        &mut self,
        course: &Course<'_, P::Port>,
        process: &mut P,
        (index, waited): (u32, [u32; 2]),
        round: u64,
        watch: &mut Watch,
        ring: &mut Ring<P>,
    ) -> u64 {
        let mut counts = self.accepted(process, index, waited, ring);
        if counts == [0; 2] {
            return 0;
        }
        let wakes = watch.started.get(index as usize) == Some(&false)
            && P::SPEC.needs.reached.starts_first(course.setup.is_initiator(index));
        let mut copy = loop {
            self.tried.clear();
            let mut copy = process.clone();
            if wakes {
                copy.start(&mut self.tried);
            }
            // The messages of a start cross those of its neighbours' starts: the rule is for what follows.
            let of_start = self.tried.sends.len();
            copy.receive_several(&self.batch, &mut self.tried);
            let waits = ring.waits(index);
            let mut ports = self.tried.sends[of_start..].iter().map(|(port, _)| port.index() as usize);
            let Some(side) = ports.find(|&side| waits[side] > counts[side]) else { break copy };
            self.add(side, counts, index, ring);
            counts[side] += 1;
            if !process.accepts(&self.batch) {
                return 0;
            }
        };
        for (side, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                ring.links.pop(2 * index + side as u32);
            }
        }
        if let Some(started) = watch.started.get_mut(index as usize) {
            *started = true;
        }
        core::mem::swap(process, &mut copy);
        watch.steps += 1;
        watch.after(process, index as usize, copy.verdict(), round);
        self.keep(course, index, watch, ring);
        u64::from(counts[0] + counts[1])
    }

    /// The longest batch within what waited that the process accepts, grown message by message.
    fn accepted(&mut self, process: &P, index: u32, waited: [u32; 2], ring: &Ring<P>) -> [u32; 2] {
        self.batch.clear();
        let mut counts = [0; 2];
        'grow: loop {
            for side in 0..2 {
                if counts[side] < waited[side] {
                    let place = self.add(side, counts, index, ring);
                    if process.accepts(&self.batch) {
                        counts[side] += 1;
                        continue 'grow;
                    }
                    self.batch.remove(place);
                }
            }
            return counts;
        }
    }

    /// Adds the next message of a side; where it stands.
    fn add(&mut self, side: usize, counts: [u32; 2], index: u32, ring: &Ring<P>) -> usize {
        let place = if side == 0 { counts[0] as usize } else { self.batch.len() };
        if let Some(next) = ring.message(index, side, counts[side]) {
            self.batch.insert(place, next);
        }
        place
    }

    /// Carries out what the step did.
    fn keep(&mut self, course: &Course<'_, P::Port>, index: u32, watch: &mut Watch, ring: &mut Ring<P>) {
        for (port, msg) in self.tried.sends.drain(..) {
            watch.by_kind[msg.kind() % KINDS] += 1;
            let (to, arrival) = course.net.route(index, port);
            ring.put(to, arrival, msg);
        }
        if self.tried.begins > 0 {
            watch.phases.begins(index as usize, watch.len as usize, self.tried.begins);
        }
        if let Some(phase) = self.tried.reached {
            watch.phases.reached(phase);
        }
        watch.impossible = watch.impossible.or(self.tried.impossible);
    }
}

/// The outbox of a step that may be undone.
struct Tried<P: Process> {
    sends: Vec<(P::Port, P::Msg)>,
    begins: u32,
    reached: Option<u32>,
    impossible: Option<&'static str>,
}

impl<P: Process> Default for Tried<P> {
    fn default() -> Self {
        Tried { sends: Vec::new(), begins: 0, reached: None, impossible: None }
    }
}

impl<P: Process> Tried<P> {
    fn clear(&mut self) {
        self.sends.clear();
        (self.begins, self.reached, self.impossible) = (0, None, None);
    }
}

impl<P: Process> Outbox<P> for Tried<P> {
    #[inline]
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.sends.push((to, msg));
    }
    fn set_timer(&mut self, _: P::Timer, _: u32) {}
    fn stop_timer(&mut self, _: P::Timer) {}
    /// Who draws goes through the general engine, which knows how to undo a draw.
    fn choose(&mut self, _: u32) -> u32 {
        self.impossible(UNDECLARED_CHOICE);
        0
    }
    #[inline]
    fn rule(&mut self, _: &'static str) {}
    fn phase_begins(&mut self) {
        self.begins += 1;
    }
    fn phase_reached(&mut self, phase: u32) {
        self.reached = self.reached.max(Some(phase));
    }
    #[cold]
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}
