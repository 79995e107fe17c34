//! The general engine: any schedule, any links, faults, timers, local steps, users, recording.
//!
//! `world` holds the state, `turns` decides what happens next, `step` hands an input to a process and carries out its
//! effects, `sending` sends; `half_duplex` hands over several messages at once; `replay` follows a recording.

use super::agenda::{Agenda, Due};
use super::crowd::everybody;
use super::fate::Fates;
use super::intervene::{Held, in_order};
use super::links::LinkTable;
use super::mail::Mail;
use super::meter::Meter;
use super::places::Places;
use super::problem::{End, Problem, UserInput};
use super::schedule::Picker;
use super::{Delay, Edit, Fault, Observer, Refusal, Report, Scenario, Schedule};
use crate::model::{Links, Shape};
use crate::network::Wiring;
use crate::population::{Effects, Handle, Letter, Nature, Population, Status};
use crate::rng::{Purpose, Rng, choices_key};
use crate::scenario::Setup;
use crate::trace::Sent;
use std::collections::VecDeque;

/// The limit on steps where a run may go on for ever and none was given.
const DEFAULT_LIMIT: u64 = 10_000_000;

/// Everything there is while a run goes on.
pub(crate) struct World<'a, B> {
    pub(super) scenario: &'a Scenario,
    pub(super) setup: &'a Setup,
    pub(super) nature: &'static Nature,
    pub(super) net: Wiring,
    pub(super) population: Box<dyn Population>,
    /// Where everybody stands.
    pub(super) statuses: Vec<Status>,
    pub(super) started: Vec<bool>,
    /// Which processes are down; empty if none can be.
    pub(super) down: Vec<bool>,
    /// Which processes the ring is closed over, where it is: those that were down before anything was sent, or (where
    /// the algorithm lives with crashes) are down. Empty otherwise.
    pub(super) bypassed: Vec<bool>,
    pub(super) links: LinkTable<Handle>,
    /// What else is known of the messages on their way, by their handles. Nothing where the run is plain.
    pub(super) flights: Vec<Flight>,
    /// Under `rounds`: what was sent in this round, to arrive in the next.
    pub(super) frontier: Mail,
    /// Under `rounds`: what arrives in this round, in this order.
    pub(super) arriving: Vec<Letter>,
    /// How many of them have arrived.
    pub(super) arrived: usize,
    pub(super) effects: Effects,
    /// What the step that is being taken has sent, for the record.
    pub(super) sent: Vec<Sent>,
    pub(super) choices_key: u64,
    /// How many random numbers each process has drawn; empty if it draws none.
    pub(super) drawn: Vec<u32>,
    pub(super) clock: Clock,
    pub(super) picker: Picker,
    pub(super) agenda: Agenda,
    /// Room for what users do next.
    pub(super) inputs: Vec<(u64, u32, UserInput)>,
    /// Per process and timer: how often it was set or stopped, and whether it runs.
    pub(super) timers: Vec<(u32, bool)>,
    /// Per process: which local steps are candidates.
    pub(super) locals: Vec<u64>,
    /// Links whose first message was not accepted: (process, slot).
    pub(super) refused: Vec<(u32, u32)>,
    pub(super) now: u64,
    /// Ticks in a unit of time.
    unit: u64,
    pub(super) steps: u64,
    /// When the last step was taken. The clock may be later: a timer that was stopped, a message that was taken early.
    pub(super) last_step: u64,
    pub(super) limit: u64,
    pub(super) messages: u64,
    /// Messages that are on their way no longer.
    pub(super) gone: u64,
    /// How many of them before the step that is being taken.
    pub(super) gone_before: u64,
    pub(super) fates: Fates,
    pub(super) meter: Meter,
    pub(super) problem: B,
    pub(super) impossible: Option<&'static str>,
    /// What somebody will do, in the order of their steps.
    pub(super) edits: VecDeque<Edit>,
    /// What somebody holds back.
    pub(super) held: Vec<Held>,
    /// The first edit that could not be carried out, and why.
    pub(super) broken_edit: Option<(Edit, String)>,
    /// Whether an edit is being carried out.
    pub(super) intervenes: bool,
    /// Whether a recording is being followed: its answers are taken, and nothing is drawn.
    pub(super) is_replaying: bool,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) record: bool,
    /// From which step on.
    pub(super) record_from: u64,
    /// Whether the observer wants to hear of every move.
    pub(super) moves: bool,
    /// Whether more than counting follows a step: somebody watches or reaches in, processes have local steps, or links
    /// are half-duplex.
    pub(super) attends: bool,
    /// Whether a message may meet anything but its receiver: faults, a recording, somebody who reaches in.
    pub(super) is_troubled: bool,
    /// The kinds of messages that carry tokens, one bit each, if there are tokens.
    pub(super) tokens: Option<u64>,
    /// Whether processes need not be told apart before a message arrives: all have started, and none draws.
    pub(super) is_uniform: bool,
    /// Whether all that can happen to a message is to arrive in the next round, and nobody asks for it by its number:
    /// then what a process receives in a round is handed over at once.
    pub(super) is_plain: bool,
    /// Which machines have moved at this time, where those that move at once read what was there before.
    pub(super) movers: Vec<u32>,
    pub(super) moved_at: Option<u64>,
    /// What machines and links hold, where machines tell their values by messages.
    pub(super) places: Option<Places>,
}

/// What is known of a message in transit besides what the population knows.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flight {
    pub(super) number: u64,
    pub(super) kind: u32,
    pub(super) from: u32,
    /// The length of the longest chain of messages that ends with this one, if metered.
    pub(super) depth: u32,
}

/// How time passes.
pub(crate) enum Clock {
    /// By rounds. What was sent in a round is in `World::frontier`; half-duplex links keep it, and this is where it
    /// waits: the slots of the links, one for each message.
    Rounds { waiting: Vec<u32> },
    /// Messages travel for a while. Per slot: when the last message of the link arrives.
    Timed { delay: Delay, rng: Rng, last_due: Vec<u64> },
    /// By steps.
    Steps,
    /// As recorded.
    Recorded,
}

impl<'a, B: Problem> World<'a, B> {
    /// Of an algorithm, before its start.
    pub(crate) fn new(
        (scenario, setup): (&'a Scenario, &'a Setup),
        nature: &'static Nature,
        problem: B,
        observer: &'a mut dyn Observer,
    ) -> World<'a, B> {
        let needs = &nature.spec.needs;
        let net = Wiring::new(nature.shape, &setup.plan);
        let population = setup.population(nature, &net, scenario.range);
        let n = setup.n as usize;
        let record_from = if observer.wants_events() { observer.events_from() } else { u64::MAX };
        let record = record_from == 0;
        let moves = observer.wants_moves();
        let rng = Rng::new(scenario.seed, Purpose::Schedule);
        let (clock, picker) = match &scenario.schedule {
            Schedule::Rounds => (Clock::Rounds { waiting: Vec::new() }, Picker::Elsewhere),
            Schedule::Delay(delay) => {
                (Clock::Timed { delay: *delay, rng, last_due: Vec::new() }, Picker::Elsewhere)
            }
            Schedule::Random => (Clock::Steps, Picker::Random { live: Vec::new(), rng, picked: 0 }),
            Schedule::Lifo => (Clock::Steps, Picker::Newest { heap: Default::default() }),
            Schedule::Fifo => (Clock::Steps, Picker::oldest(None)),
            Schedule::Starve(process) => (Clock::Steps, Picker::oldest(Some(*process))),
            Schedule::Greedy => (Clock::Steps, Picker::Greedy { live: Vec::new() }),
            // Where somebody reaches into a recording, it goes on from there: the oldest message first.
            Schedule::Replay(_) if !scenario.edits.is_empty() => (Clock::Steps, Picker::oldest(None)),
            Schedule::Replay(_) => (Clock::Recorded, Picker::Elsewhere),
        };
        let is_replaying = matches!(scenario.schedule, Schedule::Replay(_));
        let can_crash = !scenario.faults.is_empty() || !scenario.edits.is_empty() || is_replaying;
        // Under `rounds` only half-duplex links keep anything.
        let keeps = !matches!(clock, Clock::Rounds { .. }) || setup.links == Links::HalfDuplex;
        let dense = net.stride() <= 4;
        let fates = Fates::new(nature.kinds, scenario);
        let reaches_in = is_replaying || !scenario.edits.is_empty();
        let watches = record_from < u64::MAX || moves;
        let attends = B::HAS_CLOCKS
            || watches
            || reaches_in
            || nature.locals.count > 0
            || setup.links == Links::HalfDuplex;
        let shares = !nature.registers.is_empty();
        let is_troubled = can_crash || reaches_in || !fates.are_sealed();
        let meter = Meter::new(nature, scenario, setup);
        let in_rounds = matches!(clock, Clock::Rounds { .. });
        let is_plain =
            in_rounds && !attends && !is_troubled && meter.counts_alike() && nature.kinds.len() <= 64;
        let mut effects = Effects::new(record);
        effects.shares = is_plain;
        World {
            links: LinkTable::new(if keeps { setup.n } else { 0 }, net.stride(), dense),
            net,
            statuses: (0..setup.n).map(|index| population.status(index)).collect(),
            population,
            started: vec![false; n],
            down: vec![false; if can_crash { n } else { 0 }],
            bypassed: vec![false; if can_crash && needs.bypass { n } else { 0 }],
            flights: Vec::new(),
            frontier: Mail::default(),
            arriving: Vec::new(),
            arrived: 0,
            effects,
            sent: Vec::new(),
            choices_key: choices_key(scenario.seed),
            drawn: vec![0; if needs.choices || shares { n } else { 0 }],
            clock,
            picker,
            agenda: Agenda::default(),
            inputs: Vec::new(),
            timers: vec![(0, false); n * nature.timers.count],
            locals: vec![0; if nature.locals.count == 0 { 0 } else { n }],
            refused: Vec::new(),
            now: 0,
            unit: scenario.schedule.ticks_per_unit(),
            steps: 0,
            last_step: 0,
            limit: limit(scenario, problem.may_never_end()),
            messages: 0,
            gone: 0,
            gone_before: 0,
            attends,
            is_troubled,
            is_plain,
            is_uniform: B::ALL_START && setup.late.is_empty() && !needs.choices,
            tokens: problem.tokens(),
            fates,
            meter,
            problem,
            impossible: None,
            edits: in_order(&scenario.edits),
            held: Vec::new(),
            broken_edit: None,
            intervenes: false,
            movers: Vec::new(),
            moved_at: None,
            places: nature.spec.capacity(&setup.settings).map(|capacity| Places::new(setup.n, capacity)),
            is_replaying,
            record,
            record_from,
            moves,
            observer,
            setup,
            scenario,
            nature,
        }
    }

    /// Runs to the end, or to a limit.
    pub(crate) fn run(mut self, report: &mut Report) -> Result<(), Refusal> {
        let (setup, scenario, unit) = (self.setup, self.scenario, self.ticks_per_unit());
        let spec = self.nature.spec;
        self.observer.begins(&|| setup.header(spec, scenario, unit));
        for &status in &self.statuses {
            self.problem.born(status);
        }
        if self.moves {
            self.observer.gathers(&everybody!(self));
        }
        let complete = if let Schedule::Replay(recording) = &scenario.schedule {
            self.follow(recording)?
        } else {
            self.intervene();
            match (self.begin(), &self.clock) {
                (Some(complete), _) => complete,
                (None, _) if self.has_daemon() => self.run_daemon(),
                (None, Clock::Rounds { .. }) => self.run_rounds(),
                (None, Clock::Timed { .. }) => self.run_timed(),
                (None, Clock::Steps | Clock::Recorded) => self.run_steps(),
            }
        };
        self.edits_done(complete)?;
        self.observer.ends();
        self.meter.fill(report, self.steps);
        let counts_rounds = scenario.schedule.counts_rounds() && !matches!(self.clock, Clock::Steps);
        report.rounds = counts_rounds.then_some(self.meter.last_delivery);
        report.time = (unit > 1 || counts_rounds).then(|| self.last_step as f64 / unit as f64);
        self.problem.conclude(
            &*self.population,
            &End {
                setup,
                scenario,
                down: &self.down,
                complete,
                rounds: counts_rounds,
                impossible: self.impossible,
            },
            report,
        );
        Ok(())
    }

    pub(super) fn ticks_per_unit(&self) -> u64 {
        self.unit
    }

    /// Whether a daemon chooses who moves: where machines read each other.
    pub(super) fn has_daemon(&self) -> bool {
        self.nature.spec.stabilises() && self.places.is_none()
    }

    /// Whether links keep the sending order.
    pub(super) fn is_fifo(&self) -> bool {
        self.setup.links != Links::Bag
    }

    /// Whether several messages may be taken in one step: on two-way rings only.
    pub(super) fn is_half_duplex(&self) -> bool {
        self.setup.links == Links::HalfDuplex && self.nature.shape == Shape::TwoWayRing
    }

    pub(super) fn is_down(&self, process: u32) -> bool {
        !self.down.is_empty() && self.down[process as usize]
    }

    /// Time 0: what fails, who starts, who wants in. Whether it is over already.
    fn begin(&mut self) -> Option<bool> {
        let unit = self.ticks_per_unit();
        for (place, fault) in self.scenario.faults.iter().enumerate() {
            if let Fault::Crash { at, .. } | Fault::Recover { at, .. } | Fault::Corrupt { at, .. } = fault {
                self.agenda.add(at.saturating_mul(unit), Due::Fault(place as u32));
            }
        }
        self.handle_due(true);
        for index in 0..self.setup.n {
            let starts = B::ALL_START || self.setup.is_initiator(index);
            let is_late = self.setup.late.binary_search_by_key(&index, |late| late.0).is_ok();
            // Whoever reaches into a run may have woken it.
            let is_awake = self.started[index as usize];
            if starts && !is_late && !is_awake && !self.is_down(index) {
                if let Some(complete) = self.stops() {
                    return Some(complete);
                }
                self.start(index);
            }
        }
        for &(process, at) in &self.setup.late {
            self.agenda.add(at.saturating_mul(unit), Due::Start { process });
        }
        for index in 0..self.setup.n {
            self.offer_locals(index);
        }
        self.schedule_users();
        if let Some((after, process)) = self.problem.next_arrival() {
            self.agenda.add(after, Due::Arrival { process });
        }
        self.handle_due(false);
        None
    }
}

/// The most steps. A run that has left its assumptions, or that nobody asks anything of, may go on for ever.
fn limit(scenario: &Scenario, may_never_end: bool) -> u64 {
    let default = if scenario.unsound || may_never_end { DEFAULT_LIMIT } else { u64::MAX };
    scenario.max_steps.unwrap_or(default)
}
