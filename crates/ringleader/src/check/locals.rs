//! The states of single processes, as numbers, and the steps that lead from one to another.
//!
//! A search meets the same local step millions of times. It is taken once, by the algorithm's own code, and remembered;
//! after that the search moves numbers about.

use super::contained::Contained;
use super::stimulus::{Facts, Outcome, Stimulus};
use crate::hash::{Interned, Map};
use crate::model::{Bits, Fields, Reached, Shape, Stage, Ticks, Timing, Verdict};
use crate::population::{Effects, Handle, Input, Nature, Population, Position};
use crate::scenario::{Backward, Corrected, Hardware};
use core::hash::{Hash, Hasher};

/// Everything that is remembered of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Local {
    process: Kept,
    wake: Wake,
    down: bool,
    /// How many requests its user has yet to make.
    wants: u32,
    /// The ticks that each timer has left; empty if the algorithm has none.
    timers: Vec<Option<u32>>,
    /// Who went down, and in how many ticks this process may be told.
    alarms: Vec<(u32, u32)>,
    bypassed: Bits,
    /// Who had passed the doorway when this one asked, and has not entered since, where that is promised.
    ahead: Bits,
    lag: u32,
    /// What its hardware clock shows, and how it is corrected, where it has one.
    hardware: Ticks,
    corrected: Corrected,
}

/// The algorithm's own state: its number in the population. What is hashed is its content, for numbers are given in the
/// order in which threads come across it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kept {
    number: u32,
    hash: u64,
}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Wake {
    /// It starts of its own accord, but has not yet.
    ToStart,
    /// It sleeps until it is reached.
    Sleeps,
    Awake,
}

impl Wake {
    /// After a message.
    fn reached(self, reached: Reached) -> Wake {
        match (self, reached) {
            (Wake::ToStart, Reached::MayStartLater) => Wake::ToStart,
            (Wake::ToStart | Wake::Sleeps | Wake::Awake, _) => Wake::Awake,
        }
    }
}

/// How phases are watched.
pub(crate) struct Lag {
    pub(crate) cap: u32,
    /// Fingerprints of the processes that may still begin a phase, sorted.
    pub(crate) contenders: Vec<u64>,
}

/// The processes of one search, as numbers.
pub(crate) struct Locals {
    population: Box<dyn Population>,
    nature: &'static Nature,
    met: Interned<Local>,
    facts: Vec<Facts>,
    /// The ticks after which a process may be told of a crash.
    detection: u32,
    /// How far a process may fall behind before it does not matter any more, where phases are watched; for each state
    /// of a process whether it can ever begin another phase.
    lag: Option<Lag>,
    /// Steps that were taken: from a state to another, and whether a phase begins.
    moves: Vec<(u32, u32, bool)>,
    /// Processes with their rounds counted from later on: by the process and by how many.
    rebased: Map<u32>,
    /// What registers were seen to hold; number 0 is how they begin.
    memories: Interned<Box<[u32]>>,
    effects: Effects,
    /// The hardware clocks of the processes, where they have any.
    clocks: Vec<Hardware>,
}

impl Locals {
    /// Of processes that are newly made.
    pub(crate) fn new(
        population: Box<dyn Population>,
        detection: u32,
        lag: Option<Lag>,
        clocks: Vec<Hardware>,
    ) -> Locals {
        let mut memories = Interned::new();
        memories.number(population.memory().cells().into());
        Locals {
            nature: population.nature(),
            population,
            memories,
            met: Interned::new(),
            facts: Vec::new(),
            detection,
            lag,
            moves: Vec::new(),
            rebased: Map::new(),
            effects: Effects::new(false),
            clocks,
        }
    }

    fn kept(&self, number: u32) -> Kept {
        Kept { number, hash: self.population.hash(number) }
    }

    /// A process as it is made at this place.
    fn newborn(&mut self, index: u32) -> Kept {
        let number = self.population.number(index);
        self.kept(number)
    }

    /// The state of a process before its start.
    pub(crate) fn initial(&mut self, index: u32, initiator: bool, wants: u32) -> u32 {
        let process = self.newborn(index);
        self.number(Local {
            process,
            wake: if initiator { Wake::ToStart } else { Wake::Sleeps },
            down: false,
            wants,
            timers: vec![None; self.nature.timers.count],
            alarms: Vec::new(),
            bypassed: Bits::default(),
            ahead: Bits::default(),
            lag: 0,
            hardware: self.clocks.get(index as usize).map_or(Ticks::ZERO, |clock| clock.at(0, 1)),
            corrected: Corrected::default(),
        })
    }

    fn number(&mut self, mut local: Local) -> u32 {
        if let Some(lag) = &self.lag {
            let contends = lag.contenders.binary_search(&local.process.hash).is_ok();
            local.lag = if contends { local.lag.min(lag.cap) } else { 0 };
        }
        let number = self.met.number(local);
        if number as usize == self.facts.len() {
            let facts = self.read(self.met.value(number));
            self.facts.push(facts);
        }
        number
    }

    /// What is known of a state.
    fn read(&self, local: &Local) -> Facts {
        let process = local.process.number;
        let status = self.population.status(process);
        let (verdict, stage) = match status.position() {
            Position::Verdict(verdict) => (verdict, None),
            Position::User(stage) => (Verdict::Undecided, Some(stage)),
            Position::Clock(_) => (Verdict::Undecided, None),
        };
        let mut facts = Facts {
            verdict,
            knows: self.population.knows(process),
            stage: stage.unwrap_or(Stage::Idle),
            belief: self.population.belief(process),
            clock: local.corrected.now(local.hardware),
            shown: local.corrected.shown(local.hardware, Backward::Stop),
            correction: local.corrected.correction,
            priority: self.population.priority(process),
            // What was here went down with it; the one that would come back is newly made.
            tokens: if local.down { 0 } else { status.tokens() },
            down: local.down,
            to_start: local.wake == Wake::ToStart && !local.down,
            to_want: if local.down { 0 } else { local.wants },
            is_due: local.timers.contains(&Some(0)),
            awaits_time: local.timers.iter().any(Option::is_some) || local.alarms.iter().any(|a| a.1 > 0),
            bypassed: local.bypassed.clone(),
            ahead: local.ahead.clone(),
            doorway: self.population.doorway(process),
            lag: local.lag,
            round: if local.down { None } else { self.population.round(process) },
            menu: Vec::new(),
        };
        if local.down {
            return facts;
        }
        let menu = &mut facts.menu;
        if facts.to_start {
            menu.push(Stimulus::Start);
        }
        for (timer, left) in local.timers.iter().enumerate() {
            if *left == Some(0) {
                menu.push(Stimulus::Timeout(timer as u32));
            }
        }
        let possible = self.population.can(process);
        menu.extend((0..u64::BITS).filter(|step| possible >> step & 1 == 1).map(Stimulus::Local));
        for &(who, ticks) in &local.alarms {
            if ticks == 0 {
                menu.push(Stimulus::Suspect(who));
            }
        }
        match stage {
            Some(Stage::Inside) => menu.push(Stimulus::Exit),
            // Whoever has just left goes through its exit lines first.
            Some(Stage::Idle) if local.wants > 0 && (possible == 0 || !self.shares()) => {
                menu.push(Stimulus::Want);
            }
            Some(Stage::Idle | Stage::Waiting) | None => {}
        }
        facts
    }

    /// Whether a message that reaches this process makes it start first.
    fn wakes(&self, wake: Wake) -> bool {
        wake != Wake::Awake && self.nature.wakes(false, wake == Wake::ToStart)
    }

    /// Takes one step for every answer to its random choices, from this state on. None if it does not accept the batch;
    /// otherwise also how many of the sends are those of the start with which it wakes.
    fn every_answer(&mut self, before: &Local, input: Input<'_>) -> Option<(Vec<Outcome>, usize)> {
        let timed = self.nature.spec.needs.timing == Timing::BoundedDelay;
        let mut outcomes = Vec::new();
        self.effects.begin_every();
        loop {
            self.effects.now = before.corrected.now(before.hardware);
            let of_start = self.population.attempt(before.process.number, input, &mut self.effects)?;
            let process = self.population.number_attempted();
            let mut local = Local { process: self.kept(process), ..before.clone() };
            for &(timer, ticks) in &self.effects.timers {
                // Without a clock a timer that runs may run out at any moment.
                local.timers[timer as usize] = ticks.map(|ticks| if timed { ticks } else { 0 });
            }
            if self.effects.adjust != Ticks::ZERO {
                let slews = self.effects.slews;
                local.corrected.adjust(self.effects.adjust, local.hardware, Backward::Stop, slews);
            }
            let begins = self.effects.phases_begun;
            local.lag = local.lag.saturating_sub(begins);
            let mut sends = Vec::with_capacity(self.effects.sends.len());
            let mut announcements = 0;
            for sent in self.effects.sends.drain(..) {
                announcements += u32::from(self.nature.announces[sent.kind as usize]);
                sends.push((sent.port, self.population.number_message(sent.message)));
            }
            let accesses = self.shares() && matches!(input, Input::Local(_));
            let memory = accesses.then(|| self.attempted_memory());
            outcomes.push(Outcome {
                is_silent: sends.is_empty() && self.effects.timers.is_empty(),
                sends,
                memory,
                announcements,
                begins,
                impossible: self.effects.impossible,
                ..Outcome::after(self.number(local), self.effects.tried())
            });
            if !self.effects.begin_next() {
                return Some((outcomes, of_start));
            }
        }
    }

    /// A step of a process that is in this state, apart from what the algorithm itself remembers.
    fn step(&mut self, before: &Local, input: Input<'_>) -> Vec<Outcome> {
        self.every_answer(before, input).map_or_else(Vec::new, |(outcomes, _)| outcomes)
    }

    /// Whether processes share registers.
    pub(crate) fn shares(&self) -> bool {
        !self.nature.registers.is_empty()
    }

    /// What the registers hold after an attempt.
    fn attempted_memory(&mut self) -> Contained {
        let cells = self.population.attempted_memory().cells().into();
        self.contained(cells)
    }

    fn contained(&mut self, cells: Box<[u32]>) -> Contained {
        let number = self.memories.number(cells);
        let hash = if number == 0 { 0 } else { self.memories.hashes()[number as usize] };
        Contained { number, hash }
    }

    /// What registers hold with their rounds counted from so many later on.
    pub(crate) fn rebased_memory(&mut self, memory: Contained, by: u32) -> Contained {
        let cells = self.memories.value(memory.number);
        let rebased = self.population.rebase_memory(cells, by);
        self.contained(rebased.into())
    }

    /// Whether this process is writing a register that holds its value only later.
    pub(crate) fn is_writing(&mut self, memory: u32, process: u32) -> bool {
        let memories = self.memories.value(memory);
        let memory = self.population.memory_mut();
        memory.set_cells(memories);
        memory.is_writing(process)
    }

    /// A stimulus of which the algorithm does not hear.
    fn note(&mut self, local: Local) -> Vec<Outcome> {
        vec![Outcome::after(self.number(local), &[])]
    }

    /// What it does.
    pub(crate) fn outcomes(&mut self, number: u32, stimulus: Stimulus) -> Vec<Outcome> {
        let outcomes = self.react(number, stimulus);
        self.remember(number, &outcomes);
        outcomes
    }

    fn react(&mut self, number: u32, stimulus: Stimulus) -> Vec<Outcome> {
        let mut local = self.met.value(number).clone();
        match stimulus {
            Stimulus::Start => {
                local.wake = Wake::Awake;
                self.step(&local, Input::Start)
            }
            // A process that is down misses what arrives.
            Stimulus::Deliver { .. } if local.down => self.note(local),
            Stimulus::Deliver { port, msg } => {
                let wakes = self.wakes(local.wake);
                local.wake = local.wake.reached(self.nature.spec.needs.reached);
                self.step(&local, Input::Deliver { port, message: msg, wakes })
            }
            Stimulus::Timeout(timer) => {
                local.timers[timer as usize] = None;
                self.step(&local, Input::Timeout(timer))
            }
            Stimulus::Local(step) => self.step(&local, Input::Local(step)),
            Stimulus::Access { process, step, memory } => {
                let cells = self.memories.value(memory);
                self.population.memory_mut().set_cells(cells);
                self.population.memory_mut().act_as(process);
                self.step(&local, Input::Local(step))
            }
            Stimulus::Want => {
                if local.wants < u32::MAX {
                    local.wants -= 1;
                }
                local.bypassed = Bits::default();
                local.ahead = Bits::default();
                self.step(&local, Input::Want)
            }
            Stimulus::Exit => self.step(&local, Input::Exit),
            Stimulus::Crash(index) => {
                local.process = self.newborn(index);
                local.down = true;
                local.timers.fill(None);
                local.alarms.clear();
                local.wants = 0;
                self.note(local)
            }
            Stimulus::Recover => {
                local.down = false;
                local.wake = Wake::Awake;
                self.step(&local, Input::Recover)
            }
            Stimulus::Suspect(who) => {
                calm(&mut local.alarms, who);
                self.step(&local, Input::Suspect(who))
            }
            Stimulus::Tick => {
                for left in local.timers.iter_mut().flatten() {
                    *left = left.saturating_sub(1);
                }
                for alarm in &mut local.alarms {
                    alarm.1 = alarm.1.saturating_sub(1);
                }
                if !self.clocks.is_empty() {
                    local.hardware += Ticks::whole(1);
                    local.corrected.catch_up(local.hardware, Backward::Stop);
                }
                self.note(local)
            }
            Stimulus::Alarm(who) => {
                local.alarms.push((who, self.detection));
                local.alarms.sort_unstable();
                self.note(local)
            }
            Stimulus::Calm(who) => {
                calm(&mut local.alarms, who);
                self.note(local)
            }
            Stimulus::Bypassed(places) => {
                local.bypassed.set(places);
                self.note(local)
            }
            Stimulus::Behind => {
                local.lag += 1;
                self.note(local)
            }
            Stimulus::Ahead(process) => {
                local.ahead.set(process);
                self.note(local)
            }
            Stimulus::Served(process) => {
                local.ahead.clear(process);
                self.note(local)
            }
        }
    }

    /// What it does with any part of what waits on both sides of a half-duplex link; the ports are in the stimuli.
    pub(crate) fn batches(&mut self, number: u32, waiting: [Vec<Stimulus>; 2]) -> Vec<Outcome> {
        // Half-duplex links exist on two-way rings only.
        if self.nature.shape != Shape::TwoWayRing {
            return Vec::new();
        }
        let messages =
            waiting.map(|side| side.iter().filter_map(|stimulus| stimulus.delivery()).collect::<Vec<_>>());
        let before = self.met.value(number).clone();
        let mut found: Vec<Outcome> = Vec::new();
        for right in 0..=messages[0].len() {
            for left in 0..=messages[1].len() {
                if right + left > 0 {
                    self.batch(&before, &messages, [right, left], &mut found);
                }
            }
        }
        self.remember(number, &found);
        found
    }

    /// Takes this prefix of what waits on each side, or more where a send would pass what waits there.
    fn batch(
        &mut self,
        before: &Local,
        waiting: &[Vec<(u32, Handle)>; 2],
        least: [usize; 2],
        found: &mut Vec<Outcome>,
    ) {
        let wakes = self.wakes(before.wake);
        let woken = Local { wake: before.wake.reached(self.nature.spec.needs.reached), ..before.clone() };
        let mut counts = least;
        loop {
            let batch = [&waiting[0][..counts[0]], &waiting[1][..counts[1]]].concat();
            let Some((outcomes, of_start)) =
                self.every_answer(&woken, Input::Batch { messages: &batch, wakes })
            else {
                return;
            };
            // The messages of a start cross those of its neighbours' starts: the rule is for what follows.
            let left = [0, 1].map(|side| waiting[side].len() > counts[side]);
            match passed(&outcomes, of_start, left) {
                Some(port) => counts[port] += 1,
                None => {
                    let took = counts.map(|count| count as u32);
                    if !found.iter().any(|other| other.took == took) {
                        found.extend(outcomes.into_iter().map(|outcome| Outcome { took, ..outcome }));
                    }
                    return;
                }
            }
        }
    }

    fn remember(&mut self, number: u32, outcomes: &[Outcome]) {
        if self.nature.spec.needs.choices {
            for outcome in outcomes {
                self.moves.push((number, outcome.local, outcome.begins > 0));
            }
        }
    }

    /// The processes, as they were met in steps so far, that may still begin a phase: their fingerprints, sorted.
    pub(crate) fn contenders(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for (local, contends) in who_may_begin(self.met.len(), &self.moves).into_iter().enumerate() {
            if contends {
                found.push(self.met.value(local as u32).process.hash);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether rounds grow without end, so that they are to be counted from the oldest that matters.
    pub(crate) fn rounds_grow(&self) -> bool {
        // What is read of a safe register while it is written has no oldest.
        self.nature.has_rounds && !self.population.memory().is_safe()
    }

    /// A process with its rounds counted from so many later on.
    pub(crate) fn rebased_local(&mut self, number: u32, by: u32) -> u32 {
        let key = u64::from(number) << 32 | u64::from(by);
        self.rebased.get(key).unwrap_or_else(|| {
            let mut local = self.met.value(number).clone();
            let process = self.population.rebase(local.process.number, by);
            local.process = self.kept(process);
            let rebased = self.number(local);
            self.moves.push((number, rebased, false));
            self.rebased.set(key, rebased);
            rebased
        })
    }

    /// A message likewise.
    pub(crate) fn rebased_message(&mut self, message: Handle, by: u32) -> Handle {
        self.population.rebase_message(message, by)
    }

    /// What is known of a state.
    pub(crate) fn facts(&self, local: u32) -> &Facts {
        &self.facts[local as usize]
    }

    /// The fingerprints of all states of processes that were met.
    pub(crate) fn hashes(&self) -> &[u64] {
        self.met.hashes()
    }

    /// The fingerprint of a message.
    pub(crate) fn message_hash(&self, message: Handle) -> u64 {
        self.population.message_hash(message)
    }

    /// The kind of a message.
    pub(crate) fn kind(&self, message: Handle) -> &'static str {
        self.nature.kinds[self.population.message_kind(message)]
    }

    /// The local variables.
    pub(crate) fn fields(&self, local: u32) -> Fields {
        self.population.fields(self.met.value(local).process.number)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        let facts = self.facts.capacity() * size_of::<Facts>();
        self.met.bytes() + self.population.bytes() + facts as u64
    }
}

fn calm(alarms: &mut Vec<(u32, u32)>, who: u32) {
    alarms.retain(|alarm| alarm.0 != who);
}

/// The states from which a phase may begin, by these moves.
fn who_may_begin(states: usize, moves: &[(u32, u32, bool)]) -> Vec<bool> {
    let mut contends = vec![false; states];
    let mut grows = true;
    while grows {
        grows = false;
        for &(from, to, begins) in moves {
            if !contends[from as usize] && (begins || contends[to as usize]) {
                contends[from as usize] = true;
                grows = true;
            }
        }
    }
    contends
}

/// A port at which something is left that a send, behind those of the start, would pass.
fn passed(outcomes: &[Outcome], of_start: usize, left: [bool; 2]) -> Option<usize> {
    let sends = outcomes.iter().flat_map(|outcome| &outcome.sends[of_start..]);
    sends.map(|&(port, _)| port as usize).find(|&port| left[port])
}
