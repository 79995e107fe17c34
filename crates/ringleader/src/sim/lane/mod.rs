//! Fast lanes: elections on rings, at ten million processes and more.
//!
//! The general engine can do everything; a lane does only what a plain election on a ring needs, and does it with flat
//! arrays, no allocation per message and no lookup. There is one lane per way in which messages travel: by `rounds` (on
//! one thread or several), in `random` order, with a delay (`timed`). Each gives the same run as the general engine,
//! message for message; a test holds them against each other.

mod half_duplex;
mod inbox;
mod random;
mod rounds;
mod threads;
mod time_queue;
mod timed;

use super::election::Ballot;
use super::meter::{Phases, fill_counts};
use super::problem::End;
use super::{Observer, Progress, Report, Scenario, Schedule};
use crate::model::{Election, Links, Message, Name, Outbox, Port, Process, Shape, Verdict};
use crate::network::{Network, Wired};
use crate::population::UNDECLARED_CHOICE;
use crate::rng::{choices_key, draw};
use crate::scenario::Setup;
use core::ops::ControlFlow;

/// Kinds of messages that a lane can count.
const KINDS: usize = 16;
/// How often an observer hears of progress, in deliveries.
const PROGRESS_EVERY: u64 = 1 << 22;

/// Whether there are lanes for this algorithm: on rings, without timers and local steps. As-printed variants do
/// without: they are run to be seen going wrong, and each lane takes its time to compile.
pub(crate) const fn are_for<P: Process>() -> bool {
    matches!(P::Port::SHAPE, Shape::OneWayRing | Shape::TwoWayRing)
        && P::Timer::ALL.is_empty()
        && P::Local::ALL.is_empty()
        && P::Msg::KINDS.len() <= KINDS
        && !P::SPEC.is_literal()
}

/// Whether a lane can take this run; otherwise the general engine does.
pub(crate) fn take(scenario: &Scenario, setup: &Setup, draws: bool, observer: &dyn Observer) -> bool {
    let travels = match scenario.schedule {
        Schedule::Rounds => setup.links != Links::HalfDuplex || !draws && setup.n >= half_duplex::LEAST,
        Schedule::Random | Schedule::Delay(_) => setup.links == Links::Fifo,
        Schedule::Lifo | Schedule::Fifo | Schedule::Greedy | Schedule::Starve(_) | Schedule::Replay(_) => {
            false
        }
    };
    travels
        && scenario.faults.is_empty()
        && setup.late.is_empty()
        && scenario.max_steps.is_none()
        && !scenario.unsound
        && !scenario.meters.any()
        && !observer.wants_events()
        && !observer.wants_moves()
        && scenario.edits.is_empty()
}

/// Runs an election in a lane.
pub(crate) fn run<P: Election>(
    scenario: &Scenario,
    setup: &Setup,
    observer: &mut dyn Observer,
    report: &mut Report,
) where
    P::Port: Wired,
{
    let net = P::Port::wire(&setup.plan);
    let mut processes: Vec<P> = setup.processes(&net, scenario.range);
    let course = Course { scenario, setup, net: &net };
    let finish = match scenario.schedule {
        Schedule::Delay(delay) => timed::run(&course, delay, &mut processes, observer),
        Schedule::Random => random::run(&course, &mut processes, observer),
        Schedule::Rounds if const { ports::<P>() == 2 } && setup.links == Links::HalfDuplex => {
            half_duplex::run(&course, &mut processes, observer)
        }
        Schedule::Rounds
        | Schedule::Lifo
        | Schedule::Fifo
        | Schedule::Greedy
        | Schedule::Starve(_)
        | Schedule::Replay(_) => rounds::run(&course, &mut processes, observer),
    };
    observer.ends();
    fill_counts(report, P::Msg::KINDS, P::Msg::ANNOUNCES, &finish.watch.by_kind);
    report.phases = finish.watch.phases.most();
    report.steps = finish.watch.steps;
    report.rounds = finish.rounds;
    report.time = finish.time;
    report.per_round = finish.per_round;
    finish.watch.ballot.conclude_typed(
        &processes,
        &End {
            setup,
            scenario,
            down: &[],
            complete: finish.complete,
            rounds: finish.rounds.is_some(),
            impossible: finish.watch.impossible,
        },
        report,
    );
}

/// What stays the same throughout a run.
struct Course<'a, Q: Wired> {
    scenario: &'a Scenario,
    setup: &'a Setup,
    net: &'a Q::Net,
}

/// What a lane gives back.
struct Finish {
    watch: Watch,
    rounds: Option<u64>,
    time: Option<f64>,
    per_round: Vec<u64>,
    complete: bool,
}

/// The number of ports of a process on the ring that `P` is for.
const fn ports<P: Process>() -> usize {
    match P::Port::SHAPE {
        Shape::OneWayRing => 1,
        Shape::TwoWayRing | Shape::Edges | Shape::Named | Shape::Memory => 2,
    }
}

/// What is seen and counted of a stretch of the ring.
struct Watch {
    by_kind: [u64; KINDS],
    steps: u64,
    ballot: Ballot,
    phases: Phases,
    impossible: Option<&'static str>,
    /// Who has started; empty if everybody starts before the first delivery.
    started: Vec<bool>,
    /// How many random numbers each process has drawn; empty if it draws none.
    drawn: Vec<u32>,
    key: u64,
    /// The first process of the stretch, and how many there are.
    first: u32,
    len: u32,
    reported: u64,
}

impl Watch {
    fn new<P: Process>(course: &Course<'_, P::Port>, first: u32, len: usize) -> Watch
    where
        P::Port: Wired,
    {
        Watch {
            by_kind: [0; KINDS],
            steps: 0,
            ballot: Ballot::default(),
            phases: Phases::default(),
            impossible: None,
            started: vec![false; if course.setup.initiators.is_some() { len } else { 0 }],
            drawn: vec![0; if P::SPEC.needs.choices { len } else { 0 }],
            key: choices_key(course.scenario.seed),
            first,
            len: len as u32,
            reported: 0,
        }
    }

    /// Appends what was seen of the next stretch.
    fn append(&mut self, other: Watch) {
        for (sum, count) in self.by_kind.iter_mut().zip(other.by_kind) {
            *sum += count;
        }
        self.steps += other.steps;
        self.ballot.add(&other.ballot);
        self.impossible = self.impossible.or(other.impossible);
        self.started.extend(other.started);
        self.drawn.extend(other.drawn);
        self.phases.append(other.phases, self.len as usize, other.len as usize);
        self.len += other.len;
    }

    /// Sees what a step did to the verdict of its process.
    #[inline(always)]
    fn after<P: Election>(&mut self, process: &P, place: usize, before: Verdict, now: u64) {
        let after = process.outcome().verdict;
        if after != before {
            self.ballot.change(self.first + place as u32, before, after, now, 0);
        }
    }

    /// Tells the observer how far it is, from time to time; whether it wants to go on.
    #[inline]
    fn goes_on(&mut self, observer: &mut dyn Observer, time: u64) -> bool {
        self.steps - self.reported < PROGRESS_EVERY || self.report(observer, time)
    }

    #[cold]
    fn report(&mut self, observer: &mut dyn Observer, time: u64) -> bool {
        self.reported = self.steps;
        let messages = self.by_kind.iter().sum();
        observer.progress(&Progress { steps: self.steps, messages, time, entries: 0 })
            == ControlFlow::Continue(())
    }
}

/// Where messages travel.
trait Road<P: Process> {
    /// A message is on its way to this port of this process.
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg);
}

/// The initiators of a stretch start.
fn start<P: Election>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    watch: &mut Watch,
    road: &mut impl Road<P>,
) where
    P::Port: Wired,
{
    for (place, process) in processes.iter_mut().enumerate() {
        if course.setup.is_initiator(watch.first + place as u32) {
            if let Some(started) = watch.started.get_mut(place) {
                *started = true;
            }
            watch.steps += 1;
            let before = process.outcome().verdict;
            process.start(&mut LaneOut { place: place as u32, net: course.net, watch, road });
            watch.after(process, place, before, 0);
        }
    }
}

/// A message arrives at a process; `STARTED` says that everybody has started long ago.
#[inline(always)]
fn arrive<P: Election, const STARTED: bool>(
    course: &Course<'_, P::Port>,
    process: &mut P,
    place: usize,
    letter: (P::Port, P::Msg),
    now: u64,
    watch: &mut Watch,
    road: &mut impl Road<P>,
) where
    P::Port: Wired,
{
    let (arrival, msg) = letter;
    let before = process.outcome().verdict;
    let mut out = LaneOut { place: place as u32, net: course.net, watch, road };
    if !STARTED && !core::mem::replace(&mut out.watch.started[place], true) {
        let index = out.watch.first + place as u32;
        if P::SPEC.needs.reached.starts_first(course.setup.is_initiator(index)) {
            process.start(&mut out);
        }
    }
    process.receive(arrival, msg, &mut out);
    watch.after(process, place, before, now);
}

/// The outbox of a lane: messages go straight to where they arrive.
struct LaneOut<'a, P: Process, R>
where
    P::Port: Wired,
{
    /// The process that moves, counted from the first of the stretch.
    place: u32,
    net: &'a <P::Port as Wired>::Net,
    watch: &'a mut Watch,
    road: &'a mut R,
}

impl<P: Process, R: Road<P>> Outbox<P> for LaneOut<'_, P, R>
where
    P::Port: Wired,
{
    #[inline(always)]
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.watch.by_kind[msg.kind() % KINDS] += 1;
        let (to, arrival) = self.net.route(self.watch.first + self.place, to);
        self.road.put(to, arrival, msg);
    }

    fn set_timer(&mut self, _: P::Timer, _: u32) {}
    fn stop_timer(&mut self, _: P::Timer) {}

    fn choose(&mut self, k: u32) -> u32 {
        let Some(drawn) = self.watch.drawn.get_mut(self.place as usize) else {
            self.impossible(UNDECLARED_CHOICE);
            return 0;
        };
        let ordinal = *drawn;
        *drawn += 1;
        draw(self.watch.key, self.watch.first + self.place, ordinal, k)
    }

    #[inline(always)]
    fn rule(&mut self, _: P::Rule) {}

    #[inline]
    fn phase_begins(&mut self) {
        self.watch.phases.begins(self.place as usize, self.watch.len as usize, 1);
    }

    #[inline]
    fn phase_reached(&mut self, phase: u32) {
        self.watch.phases.reached(phase);
    }

    #[cold]
    fn impossible(&mut self, why: &'static str) {
        self.watch.impossible.get_or_insert(why);
    }
}
