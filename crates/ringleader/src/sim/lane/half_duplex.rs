//! By rounds, on half-duplex links: each process, in index order, takes all that waited for it when the round began and
//! that it accepts, and more if what it sends would pass something that waits. As in the general engine, but messages
//! are kept as in the lane for rounds: one vector for each way round the ring, in the order of the processes.
//!
//! A step is tried on a copy of the process, and what it does is kept only if it can stay.

use super::rounds::Calendar;
use super::{Course, Finish, KINDS, LaneOut, Road, Watch};
use crate::model::{Election, Message, Outbox, Port, Process, Verdict};
use crate::network::{Network, Wired};
use crate::population::UNDECLARED_CHOICE;
use crate::sim::Observer;

/// From so many processes on the two neighbours are different ones, and each way round has its own side.
pub(super) const LEAST: u32 = 3;

/// So many messages ahead it looks.
const AHEAD: usize = 16;

/// Runs it.
pub(super) fn run<P: Election>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    observer: &mut dyn Observer,
) -> Finish
where
    P::Port: Wired,
{
    let n = processes.len() as u32;
    let mut ring = Ring::<P> {
        n,
        watch: Watch::new::<P>(course, 0, processes.len()),
        sent: [Vec::new(), Vec::new()],
        left: [Vec::new(), Vec::new()],
        batch: Vec::new(),
        tried: Tried::default(),
    };
    observer.begins(&|| course.setup.header(&P::SPEC, course.scenario, 1));
    for (index, process) in processes.iter_mut().enumerate() {
        if course.setup.is_initiator(index as u32) {
            ring.start(course, index as u32, process);
        }
    }
    let mut calendar = Calendar { round: 0, per_round: Vec::new(), complete: true };
    let mut now = [Vec::new(), Vec::new()];
    loop {
        ring.next_round(&mut now);
        let width = ring.round(course, processes, &now, calendar.round + 1);
        // Nothing is on its way, or what waits is not accepted, and nothing else will happen that could change that.
        if width == 0 {
            break;
        }
        calendar.turn(width);
        if !ring.watch.goes_on(observer, calendar.round) {
            calendar.complete = false;
            break;
        }
    }
    Finish {
        watch: ring.watch,
        rounds: Some(calendar.round),
        time: Some(calendar.round as f64),
        per_round: calendar.per_round,
        complete: calendar.complete,
    }
}

/// A message, the process that it goes to, and the port at which it arrives there.
#[derive(Clone)]
struct Letter<P: Process> {
    to: u32,
    arrival: P::Port,
    msg: P::Msg,
}

/// What travels, by the way round: 0 to the next process, 1 to the one before.
type Ways<P> = [Vec<Letter<P>>; 2];

/// What a round changes. The room of the vectors is used again.
struct Ring<P: Process> {
    n: u32,
    watch: Watch,
    /// What was sent in this round, in the order of the senders.
    sent: Ways<P>,
    /// What waited in this round and was not taken, in the order of the receivers.
    left: Ways<P>,
    batch: Vec<(P::Port, P::Msg)>,
    tried: Tried<P>,
}

/// What one process sends.
struct Onwards<'a, P: Process> {
    sent: &'a mut Ways<P>,
    /// The next process: what goes elsewhere goes to the one before.
    next: u32,
}

impl<P: Process> Road<P> for Onwards<'_, P> {
    #[inline(always)]
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        self.sent[usize::from(to != self.next)].push(Letter { to, arrival, msg });
    }
}

/// Far apart, processes are read from memory one after the other, and that is what a round would wait for. Looked at
/// together they are read at the same time. How many.
#[inline(always)]
fn look_ahead<P: Election>(letters: &[Letter<P>], processes: &[P]) -> usize {
    let next = &letters[..letters.len().min(AHEAD)];
    let leaders =
        next.iter().filter(|letter| processes[letter.to as usize].outcome().verdict == Verdict::Leader);
    core::hint::black_box(leaders.count());
    next.len()
}

/// The process after this one.
fn after(index: u32, n: u32) -> u32 {
    if index + 1 == n { 0 } else { index + 1 }
}

/// What waits for one process: by side, which way round it came, and what of it waited when the round began.
struct Waiting<'a, P: Process> {
    index: u32,
    ways: [usize; 2],
    letters: [&'a [Letter<P>]; 2],
}

impl<P: Election> Ring<P>
where
    P::Port: Wired,
{
    fn start(&mut self, course: &Course<'_, P::Port>, index: u32, process: &mut P) {
        if let Some(started) = self.watch.started.get_mut(index as usize) {
            *started = true;
        }
        self.watch.steps += 1;
        let before = process.outcome().verdict;
        self.tried.clear();
        process.start(&mut self.tried);
        self.watch.after(process, index as usize, before, 0);
        self.keep(course, index);
    }

    /// What waits when the next round begins, in the order of the receivers; what is older comes first.
    fn next_round(&mut self, now: &mut Ways<P>) {
        // What closes the ring was sent by the last to the first, and by the first to the last.
        let from_last = self.sent[0].iter().rev().take_while(|letter| letter.to == 0).count();
        self.sent[0].rotate_right(from_last);
        let from_first = self.sent[1].iter().take_while(|letter| letter.to == self.n - 1).count();
        self.sent[1].rotate_left(from_first);
        for (way, now) in now.iter_mut().enumerate() {
            now.clear();
            let (left, sent) = (&mut self.left[way], &mut self.sent[way]);
            if left.is_empty() {
                core::mem::swap(now, sent);
                continue;
            }
            let mut sent = sent.drain(..).peekable();
            for letter in left.drain(..) {
                while let Some(earlier) = sent.next_if(|other| other.to < letter.to) {
                    now.push(earlier);
                }
                now.push(letter);
            }
            now.extend(sent);
        }
    }

    /// One round; how many messages were taken.
    fn round(&mut self, course: &Course<'_, P::Port>, processes: &mut [P], now: &Ways<P>, round: u64) -> u64 {
        let mut rest = [now[0].as_slice(), now[1].as_slice()];
        let mut width = 0;
        let mut looked_at = [0; 2];
        loop {
            for (way, looked_at) in looked_at.iter_mut().enumerate() {
                if *looked_at == 0 {
                    *looked_at = look_ahead(rest[way], processes);
                }
            }
            let [a, b] = rest.map(|way| way.first().map_or(u32::MAX, |letter| letter.to));
            let index = a.min(b);
            if index == u32::MAX {
                return width;
            }
            // Mostly one message waits: then nothing can be passed, and nothing be undone.
            let way = usize::from(b < a);
            if a != b
                && let [letter, others @ ..] = rest[way]
                && others.first().is_none_or(|other| other.to != index)
                && self.sent[0].last().is_none_or(|early| early.to != index)
                && index != self.n - 1
            {
                rest[way] = others;
                looked_at[way] -= 1;
                width += self.take_only(course, &mut processes[index as usize], way, letter, round);
                continue;
            }
            let groups = [0, 1].map(|way| {
                let count = rest[way].iter().take_while(|letter| letter.to == index).count();
                let (group, others) = rest[way].split_at(count);
                rest[way] = others;
                looked_at[way] = looked_at[way].saturating_sub(count);
                group
            });
            // Which side the messages of each way come in at; if one way has none, its side is the other.
            let side = match groups.map(|group| group.first().map(|letter| letter.arrival.index())) {
                [Some(side), _] => side as usize,
                [None, Some(other)] => 1 - other as usize,
                [None, None] => 0,
            };
            let mut waiting = Waiting { index, ways: [side, 1 - side], letters: groups };
            if side == 1 {
                waiting.letters.swap(0, 1);
            }
            let taken = self.step(course, &mut processes[index as usize], &waiting, round);
            width += u64::from(taken[0] + taken[1]);
        }
    }

    /// A process takes what it can; how many messages of each side.
    fn step(
        &mut self,
        course: &Course<'_, P::Port>,
        process: &mut P,
        waiting: &Waiting<'_, P>,
        round: u64,
    ) -> [u32; 2] {
        let index = waiting.index as usize;
        let taken = self.try_on(course, process, waiting);
        let counts = taken.as_ref().map_or([0; 2], |(_, counts)| *counts);
        for (side, &count) in counts.iter().enumerate() {
            let (letters, way) = (waiting.letters[side], waiting.ways[side]);
            if let Some(left) = letters.get(count as usize..) {
                self.left[way].extend_from_slice(left);
            } else {
                let early = count as usize - letters.len();
                let first = self.early(waiting, side).start;
                self.sent[way].drain(first..first + early);
            }
        }
        if let Some((mut after, _)) = taken {
            if let Some(started) = self.watch.started.get_mut(index) {
                *started = true;
            }
            core::mem::swap(process, &mut after);
            self.watch.steps += 1;
            self.watch.after(process, index, after.outcome().verdict, round);
            self.keep(course, waiting.index);
        }
        counts
    }

    /// A process takes the one message that waits, if it accepts it; how many it takes.
    #[inline(always)]
    fn take_only(
        &mut self,
        course: &Course<'_, P::Port>,
        process: &mut P,
        way: usize,
        letter: &Letter<P>,
        round: u64,
    ) -> u64 {
        let index = letter.to;
        if !process.accepts(&[(letter.arrival, letter.msg.clone())]) {
            self.left[way].push(letter.clone());
            return 0;
        }
        let wakes = match self.watch.started.get_mut(index as usize) {
            Some(started) => !core::mem::replace(started, true),
            None => false,
        };
        let before = process.outcome().verdict;
        let mut road = Onwards { sent: &mut self.sent, next: after(index, self.n) };
        let mut out = LaneOut { place: index, net: course.net, watch: &mut self.watch, road: &mut road };
        if wakes && P::SPEC.needs.reached.starts_first(course.setup.is_initiator(index)) {
            process.start(&mut out);
        }
        process.receive(letter.arrival, letter.msg.clone(), &mut out);
        self.watch.steps += 1;
        self.watch.after(process, index as usize, before, round);
        1
    }

    /// The process after its step, and how many messages of each side that takes; none if it accepts nothing.
    fn try_on(
        &mut self,
        course: &Course<'_, P::Port>,
        process: &P,
        waiting: &Waiting<'_, P>,
    ) -> Option<(P, [u32; 2])> {
        let mut counts = self.accepted(process, waiting);
        if counts == [0; 2] {
            return None;
        }
        let wakes = self.watch.started.get(waiting.index as usize) == Some(&false)
            && P::SPEC.needs.reached.starts_first(course.setup.is_initiator(waiting.index));
        loop {
            self.tried.clear();
            let mut copy = process.clone();
            if wakes {
                copy.start(&mut self.tried);
            }
            // The messages of a start cross those of its neighbours' starts: the rule is for what follows.
            let of_start = self.tried.sends.len();
            copy.receive_several(&self.batch, &mut self.tried);
            let waits = [0, 1].map(|side| waiting.letters[side].len() + self.early(waiting, side).len());
            let mut sides = self.tried.sends[of_start..].iter().map(|(port, _)| port.index() as usize);
            let Some(side) = sides.find(|&side| waits[side] > counts[side] as usize) else {
                return Some((copy, counts));
            };
            self.add(waiting, side, counts);
            counts[side] += 1;
            if !process.accepts(&self.batch) {
                return None;
            }
        }
    }

    /// The longest batch of what waited when the round began that the process accepts, grown message by message.
    fn accepted(&mut self, process: &P, waiting: &Waiting<'_, P>) -> [u32; 2] {
        self.batch.clear();
        let mut counts = [0; 2];
        'grow: loop {
            for side in 0..2 {
                if (counts[side] as usize) < waiting.letters[side].len() {
                    let place = self.add(waiting, side, counts);
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

    /// Adds the next message of a side to the batch; where it stands.
    fn add(&mut self, waiting: &Waiting<'_, P>, side: usize, counts: [u32; 2]) -> usize {
        let place = if side == 0 { counts[0] as usize } else { self.batch.len() };
        let (letters, next) = (waiting.letters[side], counts[side] as usize);
        let letter = match letters.get(next) {
            Some(letter) => letter,
            None => &self.sent[waiting.ways[side]][self.early(waiting, side).start + next - letters.len()],
        };
        self.batch.insert(place, (letter.arrival, letter.msg.clone()));
        place
    }

    /// What was sent to this side in this very round, by a neighbour that has moved: it waits as well, but is taken
    /// only by a step that would pass it. Where that is among what was sent.
    fn early(&self, waiting: &Waiting<'_, P>, side: usize) -> core::ops::Range<usize> {
        let way = waiting.ways[side];
        let sent = &self.sent[way];
        let is_for_it = |letter: &&Letter<P>| letter.to == waiting.index;
        if way == 0 {
            sent.len() - sent.iter().rev().take_while(is_for_it).count()..sent.len()
        } else if waiting.index == self.n - 1 {
            0..sent.iter().take_while(is_for_it).count()
        } else {
            0..0
        }
    }

    /// Carries out what the step did.
    fn keep(&mut self, course: &Course<'_, P::Port>, index: u32) {
        let mut road = Onwards { sent: &mut self.sent, next: after(index, self.n) };
        for (port, msg) in self.tried.sends.drain(..) {
            self.watch.by_kind[msg.kind() % KINDS] += 1;
            let (to, arrival) = course.net.route(index, port);
            road.put(to, arrival, msg);
        }
        if self.tried.begins > 0 {
            self.watch.phases.begins(index as usize, self.n as usize, self.tried.begins);
        }
        if let Some(phase) = self.tried.reached {
            self.watch.phases.reached(phase);
        }
        self.watch.impossible = self.watch.impossible.or(self.tried.impossible);
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
    fn rule(&mut self, _: P::Rule) {}
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
