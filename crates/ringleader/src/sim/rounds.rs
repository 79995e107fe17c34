//! The fast lane: elections on rings in rounds, at ten million processes and more, on one thread or several.
//!
//! In a round processes do not influence each other, so any order of handling them gives the same round, as long as each
//! takes its ports in increasing number and each link keeps its order. So messages are kept in plain vectors, one per
//! arrival port, in the order in which they were sent: on a ring that is nearly the order of the processes, and memory is
//! read and written in one direction. Nothing is allocated per message, nothing is looked up.
//!
//! Several threads each own a stretch of the ring; what leaves it is handed to the neighbour at the end of the round.
//! Rounds with few messages are not worth that: one thread does them alone. A test holds this lane against the general
//! engine, event counts and all.

use super::effects::UNDECLARED_CHOICE;
use super::election::Ballot;
use super::meter::{PER_ROUND, Phases, fill_counts};
use super::problem::End;
use super::setup::{Setup, wire};
use super::{Observer, Progress, Report, Scenario, Schedule};
use crate::model::{Election, Links, Message, Name, Outbox, Port, Process, Reached, Shape};
use crate::network::{Network, Wired};
use crate::rng::{choices_key, draw};
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Mutex;

/// Kinds of messages that the lane can count.
const KINDS: usize = 16;
/// Below so many messages a round is not worth the meeting of threads.
const WORTH_SHARING: u64 = 4096;
/// How often an observer hears of progress, in deliveries, and at the least in rounds.
const PROGRESS_EVERY: u64 = 1 << 22;

/// Whether the lane can take this run; otherwise the general engine does.
pub(crate) fn takes<P: Process>(scenario: &Scenario, setup: &Setup, observer: &dyn Observer) -> bool {
    let ring = matches!(P::Port::SHAPE, Shape::OneWayRing | Shape::TwoWayRing);
    ring && matches!(scenario.schedule, Schedule::Rounds)
        && setup.links != Links::HalfDuplex
        && scenario.faults.is_empty()
        && scenario.max_steps.is_none()
        && !scenario.unsound
        && !scenario.meters.any()
        && !observer.wants_events()
        && P::Timer::ALL.is_empty()
        && P::Local::ALL.is_empty()
        && P::Msg::KINDS.len() <= KINDS
}

/// Runs an election in the lane.
pub(crate) fn run<P: Election>(
    scenario: &Scenario,
    setup: &Setup,
    observer: &mut dyn Observer,
    report: &mut Report,
) where
    P::Port: Wired,
{
    let net = wire::<P::Port>(setup);
    let mut processes: Vec<P> = setup.processes(&net, scenario.range);
    let n = setup.n as usize;
    let threads = (scenario.threads.max(1) as usize).min(n.div_ceil(1024));
    let stretch = n.div_ceil(threads);
    let mut lanes: Vec<Lane<'_, P>> = (processes.chunks_mut(stretch).enumerate())
        .map(|(place, processes)| Lane::new(processes, (place * stretch) as u32, &net, scenario, setup))
        .collect();

    observer.begins(&|| setup.header(&P::SPEC, scenario, 1));
    for lane in &mut lanes {
        lane.start();
    }
    hand_over(&mut lanes, stretch);
    let mut run = Course { round: 0, per_round: Vec::new(), reported: 0, complete: true };
    while run.complete {
        let width: u64 = lanes.iter().map(Lane::width).sum();
        if width == 0 {
            break;
        }
        if lanes.len() > 1 && width >= WORTH_SHARING {
            together(&mut lanes, &mut run, stretch, width);
        } else {
            run.round += 1;
            run.note_width(width);
            for lane in &mut lanes {
                lane.round(run.round);
            }
            hand_over(&mut lanes, stretch);
        }
        run.progress(&lanes, observer);
    }
    observer.ends();

    let mut total = Tally::default();
    let mut phases = None;
    for lane in lanes {
        total.add(&lane.effects.tally);
        phases = phases.max(lane.effects.phases.most());
    }
    fill_counts(report, P::Msg::KINDS, P::Msg::ANNOUNCES, &total.by_kind);
    report.phases = phases;
    report.steps = total.steps;
    report.rounds = Some(run.round);
    report.time = Some(run.round as f64);
    report.per_round = run.per_round;
    total.ballot.conclude(
        &End {
            setup,
            scenario,
            processes: &processes,
            down: &[],
            complete: run.complete,
            rounds: true,
            impossible: total.impossible,
        },
        report,
    );
}

/// How far the run is.
struct Course {
    round: u64,
    per_round: Vec<u64>,
    /// Steps at the last report to the observer.
    reported: u64,
    complete: bool,
}

impl Course {
    fn note_width(&mut self, width: u64) {
        if self.per_round.len() < PER_ROUND {
            self.per_round.push(width);
        }
    }

    #[inline]
    fn progress<P: Process>(&mut self, lanes: &[Lane<'_, P>], observer: &mut dyn Observer)
    where
        P::Port: Wired,
    {
        let steps: u64 = lanes.iter().map(|lane| lane.effects.tally.steps).sum();
        if steps - self.reported >= PROGRESS_EVERY {
            self.reported = steps;
            let messages = lanes.iter().flat_map(|lane| lane.effects.tally.by_kind).sum();
            let progress = Progress { steps, messages, time: self.round, entries: 0 };
            self.complete = observer.progress(&progress) == ControlFlow::Continue(());
        }
    }
}

/// A stretch of the ring, with what arrives there.
struct Lane<'a, P: Process>
where
    P::Port: Wired,
{
    processes: &'a mut [P],
    first: u32,
    net: &'a <P::Port as Wired>::Net,
    setup: &'a Setup,
    /// Who has started; empty if everybody starts in round 0.
    started: Vec<bool>,
    /// What arrives in this round, by arrival port, in sending order.
    now: [Vec<Letter<P>>; 2],
    next: [Vec<Letter<P>>; 2],
    effects: LaneEffects<P>,
}

/// What steps do besides sending within the stretch.
struct LaneEffects<P: Process> {
    /// What goes to other stretches: the arrival port and the letter.
    abroad: Vec<(u32, Letter<P>)>,
    tally: Tally,
    phases: Phases,
    key: u64,
    /// How many random numbers each process has drawn; empty if it draws none.
    drawn: Vec<u32>,
}

/// A message and the process that it goes to.
struct Letter<P: Process> {
    to: u32,
    msg: P::Msg,
}

/// What a lane counts.
#[derive(Default)]
struct Tally {
    by_kind: [u64; KINDS],
    steps: u64,
    ballot: Ballot,
    impossible: Option<&'static str>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        for (sum, count) in self.by_kind.iter_mut().zip(other.by_kind) {
            *sum += count;
        }
        self.steps += other.steps;
        self.ballot.add(&other.ballot);
        self.impossible = self.impossible.or(other.impossible);
    }
}

/// The number of ports of a process on the ring that `P` is for.
const fn ports<P: Process>() -> usize {
    match P::Port::SHAPE {
        Shape::OneWayRing => 1,
        Shape::TwoWayRing | Shape::Edges | Shape::Named => 2,
    }
}

impl<'a, P: Election> Lane<'a, P>
where
    P::Port: Wired,
{
    fn new(
        processes: &'a mut [P],
        first: u32,
        net: &'a <P::Port as Wired>::Net,
        scenario: &Scenario,
        setup: &'a Setup,
    ) -> Lane<'a, P> {
        let len = processes.len();
        // One message per port and process is what a full round has; untouched, this takes address space only.
        let room =
            || core::array::from_fn(|port| Vec::with_capacity(if port < ports::<P>() { len } else { 0 }));
        Lane {
            first,
            net,
            setup,
            started: vec![false; if setup.initiators.is_some() { len } else { 0 }],
            now: room(),
            next: room(),
            effects: LaneEffects {
                abroad: Vec::new(),
                tally: Tally::default(),
                phases: Phases::default(),
                key: choices_key(scenario.seed),
                drawn: vec![0; if P::SPEC.needs.choices { len } else { 0 }],
            },
            processes,
        }
    }

    /// Messages that arrive in the next round.
    fn width(&self) -> u64 {
        self.now.iter().map(|letters| letters.len() as u64).sum()
    }

    /// Round 0: the initiators of this stretch start.
    fn start(&mut self) {
        for place in 0..self.processes.len() {
            if self.setup.is_initiator(self.first + place as u32) {
                if let Some(started) = self.started.get_mut(place) {
                    *started = true;
                }
                self.effects.tally.steps += 1;
                self.step(place, 0, |process, out| process.start(out));
            }
        }
    }

    /// Handles everything that arrives in this round.
    #[inline]
    fn round(&mut self, round: u64) {
        for port in 0..ports::<P>() {
            let arrival = P::Port::from_index(port as u32);
            let mut letters = core::mem::take(&mut self.now[port]);
            self.effects.tally.steps += letters.len() as u64;
            if self.started.is_empty() {
                for letter in letters.drain(..) {
                    let place = (letter.to - self.first) as usize;
                    self.step(place, round, |process, out| process.receive(arrival, letter.msg, out));
                }
            } else {
                for letter in letters.drain(..) {
                    let place = (letter.to - self.first) as usize;
                    let asleep = !core::mem::replace(&mut self.started[place], true);
                    let wakes = asleep
                        && (P::SPEC.needs.reached == Reached::Wakes || self.setup.is_initiator(letter.to));
                    self.step(place, round, |process, out| {
                        if wakes {
                            process.start(out);
                        }
                        process.receive(arrival, letter.msg, out);
                    });
                }
            }
            self.now[port] = letters;
        }
    }

    /// The round is over: what was sent in it arrives in the next.
    fn turn(&mut self) {
        core::mem::swap(&mut self.now, &mut self.next);
    }

    /// One step of one process.
    #[inline(always)]
    fn step(&mut self, place: usize, round: u64, act: impl FnOnce(&mut P, &mut LaneOut<'_, P>)) {
        let len = self.processes.len() as u32;
        let process = &mut self.processes[place];
        let before = process.verdict();
        let mut out = LaneOut {
            place: place as u32,
            first: self.first,
            len,
            net: self.net,
            next: &mut self.next,
            effects: &mut self.effects,
        };
        act(process, &mut out);
        let after = process.verdict();
        if after != before {
            self.effects.tally.ballot.change(self.first + place as u32, before, after, round, 0);
        }
    }
}

/// The outbox of the lane: messages go straight to where they arrive.
struct LaneOut<'a, P: Process>
where
    P::Port: Wired,
{
    /// The process that moves, counted from the first of the stretch.
    place: u32,
    first: u32,
    len: u32,
    net: &'a <P::Port as Wired>::Net,
    next: &'a mut [Vec<Letter<P>>; 2],
    effects: &'a mut LaneEffects<P>,
}

impl<P: Process> Outbox<P> for LaneOut<'_, P>
where
    P::Port: Wired,
{
    #[inline(always)]
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.effects.tally.by_kind[msg.kind() % KINDS] += 1;
        let (to, arrival) = self.net.route(self.first + self.place, to);
        let letter = Letter { to, msg };
        if to.wrapping_sub(self.first) < self.len {
            self.next[arrival.index() as usize].push(letter);
        } else {
            self.effects.abroad.push((arrival.index(), letter));
        }
    }

    fn set_timer(&mut self, _: P::Timer, _: u32) {}
    fn stop_timer(&mut self, _: P::Timer) {}

    fn choose(&mut self, k: u32) -> u32 {
        let Some(drawn) = self.effects.drawn.get_mut(self.place as usize) else {
            self.impossible(UNDECLARED_CHOICE);
            return 0;
        };
        let ordinal = *drawn;
        *drawn += 1;
        draw(self.effects.key, self.first + self.place, ordinal, k)
    }

    #[inline(always)]
    fn rule(&mut self, _: &'static str) {}

    #[inline]
    fn phase_begins(&mut self) {
        self.effects.phases.begins(self.place as usize, self.len as usize, 1);
    }

    #[inline]
    fn phase_reached(&mut self, phase: u32) {
        self.effects.phases.reached(phase);
    }

    #[cold]
    fn impossible(&mut self, why: &'static str) {
        self.effects.tally.impossible.get_or_insert(why);
    }
}

/// Hands what left a stretch to the stretch where it arrives; the round is over.
fn hand_over<P: Election>(lanes: &mut [Lane<'_, P>], stretch: usize)
where
    P::Port: Wired,
{
    for lane in lanes.iter_mut() {
        lane.turn();
    }
    for place in 0..lanes.len() {
        let mut abroad = core::mem::take(&mut lanes[place].effects.abroad);
        for (port, letter) in abroad.drain(..) {
            lanes[letter.to as usize / stretch].now[port as usize].push(letter);
        }
        lanes[place].effects.abroad = abroad;
    }
}

/// Rounds done by one thread per stretch, until one is narrow or it is time to report. All threads see the same widths
/// and so stop after the same round.
fn together<P: Election>(lanes: &mut [Lane<'_, P>], run: &mut Course, stretch: usize, width: u64)
where
    P::Port: Wired,
{
    let post = Post {
        // Two of each, used in turn: a thread that is a round ahead does not disturb one that still reads.
        boxes: core::array::from_fn(|_| lanes.iter().map(|_| Mutex::new(Vec::new())).collect()),
        widths: core::array::from_fn(|_| lanes.iter().map(|_| AtomicU64::new(0)).collect()),
        meeting: Meeting { threads: lanes.len(), arrived: AtomicUsize::new(0), held: AtomicUsize::new(0) },
    };
    let first_round = run.round;
    let widths = std::thread::scope(|scope| {
        let post = &post;
        let mut others = lanes.iter_mut().enumerate();
        let own = others.next();
        for (place, lane) in others {
            scope.spawn(move || share(lane, place, post, first_round, width, stretch));
        }
        own.map_or_else(Vec::new, |(place, lane)| share(lane, place, post, first_round, width, stretch))
    });
    run.round += widths.len() as u64;
    for width in widths {
        run.note_width(width);
    }
}

/// One thread's part; the widths of the rounds that it did.
fn share<P: Election>(
    lane: &mut Lane<'_, P>,
    place: usize,
    post: &Post<P>,
    mut round: u64,
    mut width: u64,
    stretch: usize,
) -> Vec<u64>
where
    P::Port: Wired,
{
    let mut widths = Vec::new();
    let mut done = 0;
    while width >= WORTH_SHARING && done < PROGRESS_EVERY {
        round += 1;
        done += width;
        widths.push(width);
        let turn = (round % 2) as usize;
        lane.round(round);
        lane.turn();
        let mut sent = lane.width();
        for (port, letter) in lane.effects.abroad.drain(..) {
            sent += 1;
            let mailbox = &post.boxes[turn][letter.to as usize / stretch];
            mailbox.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((port, letter));
        }
        post.widths[turn][place].store(sent, Ordering::Release);
        post.meeting.wait();
        let mailbox = &post.boxes[turn][place];
        for (port, letter) in mailbox.lock().unwrap_or_else(std::sync::PoisonError::into_inner).drain(..) {
            lane.now[port as usize].push(letter);
        }
        width = post.widths[turn].iter().map(|width| width.load(Ordering::Acquire)).sum();
    }
    widths
}

/// Letters between stretches: the arrival port and the letter.
type Mailbox<P> = Mutex<Vec<(u32, Letter<P>)>>;

/// Where threads leave letters for each other.
struct Post<P: Process> {
    boxes: [Vec<Mailbox<P>>; 2],
    widths: [Vec<AtomicU64>; 2],
    meeting: Meeting,
}

/// Where threads wait for each other. Rounds take microseconds, so they spin before they give up their turn.
struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
    held: AtomicUsize,
}

impl Meeting {
    fn wait(&self) {
        let held = self.held.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.held.store(held.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0u32;
        while self.held.load(Ordering::Acquire) == held {
            spins += 1;
            if spins < 20_000 {
                core::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
