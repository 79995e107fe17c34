//! The states of single processes, and their steps: the only place of the checker that knows the algorithm's types.

use super::hash::{Interned, Map, fingerprint};
use super::stimulus::{Facts, Outcome, Steps, Stimulus};
use super::trial::Trial;
use crate::model::{
    Bits, Election, Exclusion, Fields, Knows, Message, Name, Port, Process, Reached, Shape, Stage, Timing,
    Value, Verdict,
};

/// How the problem reads a process, and how it hands over what users do.
pub(crate) enum Reading<P: Process> {
    Election {
        verdict: fn(&P) -> Verdict,
        knows: fn(&P) -> Knows,
    },
    Exclusion {
        stage: fn(&P) -> Stage,
        want: fn(&mut P, &mut Trial<P>),
        exit: fn(&mut P, &mut Trial<P>),
        priority: fn(&P) -> Option<(u64, u32)>,
        tokens: fn(&P) -> u32,
    },
}

impl<P: Election> Reading<P> {
    pub(crate) const fn election() -> Reading<P> {
        Reading::Election { verdict: P::verdict, knows: P::knows }
    }
}

impl<P: Exclusion> Reading<P> {
    pub(crate) const fn exclusion() -> Reading<P> {
        Reading::Exclusion {
            stage: P::stage,
            want: |process, out| process.request(out),
            exit: |process, out| process.release(out),
            priority: P::priority,
            tokens: P::tokens,
        }
    }
}

/// The number of a message.
fn number_of<M: Message>(messages: &mut Interned<M>, msg: M) -> u32 {
    messages.number_with(msg, |msg| elsewhere(msg, M::fields))
}

/// About how many bytes a value has elsewhere: lists that grow without end must not go unnoticed.
fn elsewhere<T>(value: &T, fields: fn(&T) -> Fields) -> u64 {
    if core::mem::needs_drop::<T>() { weight(&fields(value)) } else { 0 }
}

fn weight(fields: &Fields) -> u64 {
    fn leaves(value: &Value) -> u64 {
        match value {
            Value::List(values) => 3 + values.iter().map(leaves).sum::<u64>(),
            Value::Nothing
            | Value::Flag(_)
            | Value::Number(_)
            | Value::Identity(_)
            | Value::Process(_)
            | Value::Word(_) => 1,
        }
    }
    8 * fields.iter().map(|(_, value)| leaves(value)).sum::<u64>()
}

/// Everything that is remembered of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Local<P> {
    process: P,
    wake: Wake,
    down: bool,
    /// How many requests its user has yet to make.
    wants: u32,
    /// The ticks that each timer has left; empty if the algorithm has none.
    timers: Vec<Option<u32>>,
    /// Who went down, and in how many ticks this process may be told.
    alarms: Vec<(u32, u32)>,
    bypassed: Bits,
    lag: u32,
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
    fn reached<P: Process>(self) -> Wake {
        match (self, P::SPEC.needs.reached) {
            (Wake::ToStart, Reached::MayStartLater) => Wake::ToStart,
            (Wake::ToStart | Wake::Sleeps | Wake::Awake, _) => Wake::Awake,
        }
    }
}

/// The processes of one search, as numbers.
pub(crate) struct Typed<P: Process> {
    reading: Reading<P>,
    newborn: Vec<P>,
    locals: Interned<Local<P>>,
    facts: Vec<Facts>,
    messages: Interned<P::Msg>,
    /// The ticks after which a process may be told of a crash.
    detection: u32,
    /// How far a process may fall behind before it does not matter any more, where phases are watched; for each state
    /// of a process whether it can ever begin another phase.
    lag: Option<Lag>,
    /// Steps that were taken: from a state to another, and whether a phase begins.
    moves: Vec<(u32, u32, bool)>,
    /// Processes with their rounds counted from later on: by the process and by how many.
    rebased: Map<u32>,
    trial: Trial<P>,
}

/// How phases are watched.
pub(crate) struct Lag {
    pub(crate) cap: u32,
    /// Fingerprints of the processes that may still begin a phase, sorted.
    pub(crate) contenders: Vec<u64>,
}

impl<P: Process> Typed<P> {
    /// Whether time counts.
    const TIMED: bool = matches!(P::SPEC.needs.timing, Timing::BoundedDelay);

    pub(crate) fn new(reading: Reading<P>, newborn: Vec<P>, detection: u32, lag: Option<Lag>) -> Typed<P> {
        Typed {
            reading,
            newborn,
            locals: Interned::new(),
            facts: Vec::new(),
            messages: Interned::new(),
            detection,
            lag,
            moves: Vec::new(),
            rebased: Map::new(),
            trial: Trial::new(),
        }
    }

    fn number(&mut self, mut local: Local<P>) -> u32 {
        if let Some(lag) = &self.lag {
            let contends = lag.contenders.binary_search(&fingerprint(&local.process)).is_ok();
            local.lag = if contends { local.lag.min(lag.cap) } else { 0 };
        }
        let number = self.locals.number_with(local, |local| elsewhere(&local.process, P::fields));
        if number as usize == self.facts.len() {
            let facts = self.read(self.locals.value(number));
            self.facts.push(facts);
        }
        number
    }

    /// What is known of a state.
    fn read(&self, local: &Local<P>) -> Facts {
        let process = &local.process;
        let mut facts = Facts {
            verdict: Verdict::Undecided,
            knows: Knows::Nothing,
            stage: Stage::Idle,
            priority: None,
            tokens: 0,
            down: local.down,
            to_start: local.wake == Wake::ToStart && !local.down,
            to_want: if local.down { 0 } else { local.wants },
            is_due: local.timers.contains(&Some(0)),
            awaits_time: local.timers.iter().any(Option::is_some) || local.alarms.iter().any(|a| a.1 > 0),
            bypassed: local.bypassed.clone(),
            lag: local.lag,
            round: P::ROUNDS.filter(|_| !local.down).and_then(|rounds| (rounds.of)(process)),
            menu: Vec::new(),
        };
        match &self.reading {
            Reading::Election { verdict, knows } => {
                facts.verdict = verdict(process);
                facts.knows = knows(process);
            }
            Reading::Exclusion { stage, priority, tokens, .. } => {
                facts.stage = stage(process);
                facts.priority = priority(process);
                // What was here went down with it; the one that would come back is newly made.
                facts.tokens = if local.down { 0 } else { tokens(process) };
            }
        }
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
        for (step, &local) in P::Local::ALL.iter().enumerate() {
            if process.can(local) {
                menu.push(Stimulus::Local(step as u32));
            }
        }
        for &(who, ticks) in &local.alarms {
            if ticks == 0 {
                menu.push(Stimulus::Suspect(who));
            }
        }
        if let Reading::Exclusion { .. } = self.reading {
            match facts.stage {
                Stage::Inside => menu.push(Stimulus::Exit),
                Stage::Idle if local.wants > 0 => menu.push(Stimulus::Want),
                Stage::Idle | Stage::Waiting => {}
            }
        }
        facts
    }

    /// Whether a message that reaches this process makes it start first.
    fn wakes(wake: Wake) -> bool {
        match wake {
            Wake::ToStart => P::SPEC.needs.reached.starts_first(true),
            Wake::Sleeps => P::SPEC.needs.reached.starts_first(false),
            Wake::Awake => false,
        }
    }

    /// Takes one step for every answer to its random choices. What is tried comes behind a pointer: this is compiled
    /// once for each algorithm, not once for each kind of step.
    fn every_answer(
        &mut self,
        before: &Local<P>,
        act: &mut dyn FnMut(&mut Local<P>, &mut Trial<P>),
    ) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        self.trial.begin();
        loop {
            let mut local = before.clone();
            let mut trial = core::mem::replace(&mut self.trial, Trial::new());
            trial.clear();
            act(&mut local, &mut trial);
            for (timer, ticks) in trial.timers.drain(..) {
                // Without a clock a timer that runs may run out at any moment.
                let left = ticks.map(|ticks| if Self::TIMED { ticks } else { 0 });
                local.timers[timer.index()] = left;
            }
            local.lag = local.lag.saturating_sub(trial.begins);
            let mut sends = Vec::with_capacity(trial.sends.len());
            let mut announcements = 0;
            for (port, msg) in trial.sends.drain(..) {
                let msg = number_of(&mut self.messages, msg);
                announcements += u32::from(self.announces(msg));
                sends.push((port.index(), msg));
            }
            outcomes.push(Outcome {
                sends,
                announcements,
                begins: trial.begins,
                impossible: trial.impossible,
                ..Outcome::after(self.number(local), &trial.answers)
            });
            self.trial = trial;
            if !self.trial.next() {
                return outcomes;
            }
        }
    }

    fn announces(&self, msg: u32) -> bool {
        P::Msg::ANNOUNCES[self.messages.value(msg).kind()]
    }

    /// A stimulus that changes what is remembered, without asking the process.
    fn note(&mut self, mut local: Local<P>, change: &dyn Fn(&mut Local<P>)) -> Vec<Outcome> {
        change(&mut local);
        vec![Outcome::after(self.number(local), &[])]
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

impl<P: Process> Steps for Typed<P> {
    fn initial(&mut self, index: u32, initiator: bool, wants: u32) -> u32 {
        self.number(Local {
            process: self.newborn[index as usize].clone(),
            wake: if initiator { Wake::ToStart } else { Wake::Sleeps },
            down: false,
            wants,
            timers: vec![None; P::Timer::ALL.len()],
            alarms: Vec::new(),
            bypassed: Bits::default(),
            lag: 0,
        })
    }

    fn outcomes(&mut self, number: u32, stimulus: Stimulus) -> Vec<Outcome> {
        let outcomes = self.react(number, stimulus);
        self.remember(number, &outcomes);
        outcomes
    }

    fn batches(&mut self, number: u32, waiting: [&[Stimulus]; 2]) -> Vec<Outcome> {
        // Half-duplex links exist on two-way rings only; nobody else need be compiled for them.
        if const { !matches!(P::Port::SHAPE, Shape::TwoWayRing) } {
            return Vec::new();
        }
        let before = self.locals.value(number).clone();
        let mut found: Vec<Outcome> = Vec::new();
        let mut messages: [Vec<(P::Port, P::Msg)>; 2] = [Vec::new(), Vec::new()];
        for (messages, side) in messages.iter_mut().zip(waiting) {
            for stimulus in side {
                if let Some((port, msg)) = stimulus.delivery() {
                    messages.push((P::Port::from_index(port), self.messages.value(msg).clone()));
                }
            }
        }
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

    fn contenders(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for (local, contends) in who_may_begin(self.locals.len(), &self.moves).into_iter().enumerate() {
            if contends {
                found.push(fingerprint(&self.locals.value(local as u32).process));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn rounds_grow(&self) -> bool {
        P::ROUNDS.is_some()
    }

    fn rebased_local(&mut self, number: u32, by: u32) -> u32 {
        let Some(rounds) = P::ROUNDS else { return number };
        let key = u64::from(number) << 32 | u64::from(by);
        self.rebased.get(key).unwrap_or_else(|| {
            let mut local = self.locals.value(number).clone();
            (rounds.process)(&mut local.process, by);
            let rebased = self.number(local);
            self.moves.push((number, rebased, false));
            self.rebased.set(key, rebased);
            rebased
        })
    }

    fn rebased_msg(&mut self, number: u32, by: u32) -> u32 {
        let Some(rounds) = P::ROUNDS else { return number };
        let mut msg = self.messages.value(number).clone();
        (rounds.message)(&mut msg, by);
        number_of(&mut self.messages, msg)
    }

    fn facts(&self, local: u32) -> &Facts {
        &self.facts[local as usize]
    }

    fn local_hash(&self, local: u32) -> u64 {
        self.locals.hashes()[local as usize]
    }

    fn msg_hash(&self, msg: u32) -> u64 {
        self.messages.hashes()[msg as usize]
    }

    fn kind(&self, msg: u32) -> &'static str {
        P::Msg::KINDS[self.messages.value(msg).kind()]
    }

    fn fields(&self, local: u32) -> Fields {
        self.locals.value(local).process.fields()
    }

    fn locals(&self) -> usize {
        self.locals.len()
    }

    fn bytes(&self) -> u64 {
        self.locals.bytes() + self.messages.bytes() + (self.facts.capacity() * size_of::<Facts>()) as u64
    }
}

impl<P: Process> Typed<P> {
    /// What a process does.
    fn react(&mut self, number: u32, stimulus: Stimulus) -> Vec<Outcome> {
        let local = self.locals.value(number).clone();
        match stimulus {
            Stimulus::Start => self.every_answer(&local, &mut |local, out| {
                local.wake = Wake::Awake;
                local.process.start(out);
            }),
            // A process that is down misses what arrives.
            Stimulus::Deliver { .. } if local.down => self.note(local, &|_| {}),
            Stimulus::Deliver { port, msg } => {
                let msg = self.messages.value(msg).clone();
                self.every_answer(&local, &mut |local, out| {
                    if Self::wakes(local.wake) {
                        local.process.start(out);
                    }
                    local.wake = local.wake.reached::<P>();
                    local.process.receive(P::Port::from_index(port), msg.clone(), out);
                })
            }
            Stimulus::Timeout(timer) => self.every_answer(&local, &mut |local, out| {
                local.timers[timer as usize] = None;
                local.process.timeout(P::Timer::ALL[timer as usize], out);
            }),
            Stimulus::Local(step) => self.every_answer(&local, &mut |local, out| {
                local.process.step(P::Local::ALL[step as usize], out);
            }),
            Stimulus::Want | Stimulus::Exit => {
                let Reading::Exclusion { want, exit, .. } = self.reading else { return Vec::new() };
                self.every_answer(&local, &mut |local, out| {
                    if stimulus == Stimulus::Want {
                        local.wants -= 1;
                        local.bypassed = Bits::default();
                        want(&mut local.process, out);
                    } else {
                        exit(&mut local.process, out);
                    }
                })
            }
            Stimulus::Crash(index) => {
                let process = self.newborn[index as usize].clone();
                self.note(local, &|local| {
                    local.process = process.clone();
                    local.down = true;
                    local.timers.fill(None);
                    local.alarms.clear();
                    local.wants = 0;
                })
            }
            Stimulus::Recover => self.every_answer(&local, &mut |local, out| {
                local.down = false;
                local.wake = Wake::Awake;
                local.process.recover(out);
            }),
            Stimulus::Suspect(who) => self.every_answer(&local, &mut |local, out| {
                calm(&mut local.alarms, who);
                local.process.suspect(P::Port::from_index(who), out);
            }),
            Stimulus::Tick => self.note(local, &|local| {
                for left in local.timers.iter_mut().flatten() {
                    *left = left.saturating_sub(1);
                }
                for alarm in &mut local.alarms {
                    alarm.1 = alarm.1.saturating_sub(1);
                }
            }),
            Stimulus::Alarm(who) => {
                let ticks = self.detection;
                self.note(local, &|local| {
                    local.alarms.push((who, ticks));
                    local.alarms.sort_unstable();
                })
            }
            Stimulus::Calm(who) => self.note(local, &|local| calm(&mut local.alarms, who)),
            Stimulus::Bypassed(places) => self.note(local, &|local| {
                local.bypassed.set(places);
            }),
            Stimulus::Behind => self.note(local, &|local| local.lag += 1),
        }
    }

    fn remember(&mut self, number: u32, outcomes: &[Outcome]) {
        if P::SPEC.needs.choices {
            for outcome in outcomes {
                self.moves.push((number, outcome.local, outcome.begins > 0));
            }
        }
    }

    /// Takes this prefix of what waits on each side, or more where a send would pass what waits there.
    fn batch(
        &mut self,
        before: &Local<P>,
        waiting: &[Vec<(P::Port, P::Msg)>; 2],
        least: [usize; 2],
        found: &mut Vec<Outcome>,
    ) {
        let wakes = Self::wakes(before.wake);
        let mut counts = least;
        loop {
            let batch = [&waiting[0][..counts[0]], &waiting[1][..counts[1]]].concat();
            if !before.process.accepts(&batch) {
                return;
            }
            // The messages of a start cross those of its neighbours' starts: the rule is for what follows.
            let mut of_start = 0;
            let outcomes = self.every_answer(before, &mut |local, out| {
                if wakes {
                    local.process.start(out);
                }
                of_start = out.sends.len();
                local.wake = local.wake.reached::<P>();
                local.process.receive_several(&batch, out);
            });
            let left = [0, 1].map(|side| waiting[side].len() > counts[side]);
            let passed = passed(&outcomes, of_start, left);
            match passed {
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
}
