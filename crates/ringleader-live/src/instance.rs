//! One epoch of a group at one member: its process, driven by real messages and real time.
//!
//! Every input gives [`Step`]s: what happened, as a recording has it, and what is to be sent to whom.
//! Messages to itself (on a ring of one) are handed over here.

use super::{ClockStatus, Duplex, MAX_MEMBERS, Micros, Turn};
use ringleader::host::{Actor, Cast, Effects, Position, Unfit, Way};
use ringleader::model::{Estimate, Links, Stage, Synchrony, Verdict};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::TICKS_PER_UNIT;
use ringleader::trace::{Arrival, Event, Fate, Input, Outcome, Sent};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// One step of the process.
pub(super) struct Step {
    /// What happened; none if it is not worth a record.
    pub(super) event: Option<Event>,
    /// Messages for others: to which index, at which of its ports.
    pub(super) sends: Vec<(u32, u32, Vec<u8>)>,
    /// On half-duplex links: the right to send, for this index at this port, wished for or handed over.
    pub(super) right: Option<(u32, u32, Right)>,
}

/// What is said of the right to send on a half-duplex link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    Wish,
    Baton,
}

/// A process, with what its links ask for around it.
enum Body {
    Plain(Box<dyn Actor>),
    Duplex(Duplex),
}

/// A message on its way to the process, or kept for a while.
struct Waiting {
    ready: Micros,
    from: u32,
    port: u32,
    bytes: Vec<u8>,
}

/// The process of one member in one epoch.
pub(super) struct Instance {
    body: Body,
    /// What it said of itself after the last step.
    last: Position,
    pub(super) index: u32,
    cast: Cast,
    kinds: &'static [&'static str],
    /// Whether a start that does nothing is no step.
    starts_silently: bool,
    /// Whether messages circulate for ever: then each stays here for a while if nobody wants in.
    dwell: Micros,
    /// For how long a local step waits that could be taken.
    pause: Micros,
    ways: Vec<Way>,
    /// Where what arrives at a port comes from; empty if the wire may lead past somebody.
    into: Vec<(u32, u32)>,
    started: bool,
    began: Micros,
    unit: Micros,
    timers: Vec<(&'static str, Option<Micros>)>,
    locals: Vec<(&'static str, Option<Micros>)>,
    waiting: VecDeque<Waiting>,
    bypassed: Vec<bool>,
    /// What the numbers of messages to and from each process begin with: both ends say the same.
    salts: Vec<u64>,
    numbers: Vec<(u64, u64)>,
    pub(super) sent: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) received: u64,
    /// What it found out last of each other clock, and when.
    estimates: Vec<(Estimate, Micros)>,
}

/// What an instance is made of.
pub(super) struct Casting<'a> {
    pub(super) entry: &'static Entry,
    pub(super) cast: Cast,
    pub(super) index: u32,
    pub(super) n: u32,
    pub(super) seed: u64,
    pub(super) now: Micros,
    /// Where its time begins, if not now.
    pub(super) zero: Option<Micros>,
    pub(super) unit: Micros,
    pub(super) dwell: Micros,
    pub(super) salts: &'a dyn Fn(u32) -> u64,
}

impl Instance {
    pub(super) fn new(casting: Casting<'_>) -> Instance {
        let Casting { entry, cast, index, n, .. } = casting;
        let actor = cast.actor(index, casting.seed);
        let timers: Vec<_> = actor.timers().into_iter().map(|name| (name, None)).collect();
        let locals: Vec<_> = actor.steps().into_iter().map(|name| (name, None)).collect();
        let leads_here = |from: u32| {
            let ways = cast.ways(from).into_iter();
            ways.filter(|way| way.to == index).map(move |way| (way.arrival, from))
        };
        let passes = entry.spec.needs.bypass;
        let into = if passes { Vec::new() } else { (0..n).flat_map(leads_here).collect() };
        let circulates = match entry.spec.promises {
            ringleader::model::Promises::Exclusion { falls_silent, .. } => !falls_silent && locals.is_empty(),
            ringleader::model::Promises::Election { .. }
            | ringleader::model::Promises::Stabilisation
            | ringleader::model::Promises::Clocks { .. } => false,
        };
        let ways = cast.ways(index);
        let last = actor.position();
        let body = if entry.spec.needs.links == Links::HalfDuplex {
            // Only two-way rings have such links, and each process of those has two ports.
            Duplex::new(cast.actor(index, casting.seed), index, &ways)
                .map_or(Body::Plain(actor), Body::Duplex)
        } else {
            Body::Plain(actor)
        };
        Instance {
            body,
            last,
            index,
            kinds: entry.kinds,
            starts_silently: entry.problem != Problem::Election,
            dwell: if circulates { casting.dwell } else { Micros(0) },
            pause: casting.dwell,
            ways,
            into,
            cast,
            started: false,
            began: casting.zero.unwrap_or(casting.now),
            unit: casting.unit,
            timers,
            locals,
            waiting: VecDeque::new(),
            bypassed: vec![false; n as usize],
            salts: (0..n).map(casting.salts).collect(),
            numbers: vec![(0, 0); n as usize],
            sent: vec![0; entry.kinds.len()],
            bytes: 0,
            received: 0,
            estimates: Vec::new(),
        }
    }

    /// How long it runs, of which [`TICKS_PER_UNIT`] make a tick.
    fn time(&self, now: Micros) -> u64 {
        (u128::from((now - self.began).0) * u128::from(TICKS_PER_UNIT) / u128::from(self.unit.0.max(1)))
            as u64
    }

    /// It is so late: its clock, if it has one, shows it.
    fn passes(&mut self, now: Micros) {
        let time = self.time(now);
        if let Body::Plain(actor) = &mut self.body {
            actor.passes(time);
        }
    }

    /// When a timer runs out that is set now.
    fn due(&self, now: Micros, ticks: u32) -> Micros {
        match self.actor().alarm(ticks) {
            None => now + Micros(u64::from(ticks) * self.unit.0),
            Some(time) => {
                let micros =
                    (u128::from(time) * u128::from(self.unit.0)).div_ceil(u128::from(TICKS_PER_UNIT));
                self.began + Micros(u64::try_from(micros).unwrap_or(u64::MAX))
            }
        }
    }

    /// Its clock, if it has one.
    pub(super) fn clock(&self, now: Micros) -> Option<ClockStatus> {
        let mut copy = self.actor().copy();
        copy.passes(self.time(now));
        let rests = self.started && self.wakes_at().is_none();
        Some(ClockStatus { face: copy.clock()?, rests, estimates: self.estimates.clone() })
    }

    /// It starts, unless it has.
    pub(super) fn start(&mut self, now: Micros, steps: &mut Vec<Step>) {
        if !self.started {
            self.started = true;
            self.passes(now);
            let effects = match &mut self.body {
                Body::Plain(actor) => actor.start(),
                Body::Duplex(duplex) => duplex.start(),
            };
            let says_nothing = self.actor().position() == self.last;
            let does_nothing = effects.sends.is_empty() && effects.timers.is_empty();
            let silent = self.starts_silently && says_nothing && does_nothing;
            let input = (!silent).then_some(Input::Start);
            self.finish(now, input, effects, steps);
            self.take_turns(now, steps);
            // On a ring of one it has sent to itself, and what it sends is a message.
            let _ = self.deliver(now, steps);
        }
    }

    /// It comes back to an epoch that is under way.
    pub(super) fn recover(&mut self, now: Micros, steps: &mut Vec<Step>) {
        self.started = true;
        self.passes(now);
        if let Body::Plain(actor) = &mut self.body {
            let effects = actor.recover();
            self.finish(now, Some(Input::Recover), effects, steps);
        }
    }

    /// A message comes in. It starts first, if it has not: everybody is an initiator.
    pub(super) fn arrives(
        &mut self,
        now: Micros,
        from: u32,
        port: u32,
        bytes: Vec<u8>,
        steps: &mut Vec<Step>,
    ) -> Result<(), &'static str> {
        if !self.into.is_empty() && !self.into.contains(&(port, from)) {
            return Err("a message that no wire carries");
        }
        // What is no message is not kept: the sender hears of it now.
        self.actor().words(&bytes).map_err(unfit)?;
        self.start(now, steps);
        let idle = self.last == Position::User(Stage::Idle);
        let ready = if idle { now + self.dwell } else { now };
        self.waiting.push_back(Waiting { ready, from, port, bytes });
        self.deliver(now, steps)
    }

    /// Hands over what waits and is ready, in order.
    fn deliver(&mut self, now: Micros, steps: &mut Vec<Step>) -> Result<(), &'static str> {
        self.passes(now);
        while let Some(first) = self.waiting.front()
            && (first.ready <= now || self.last != Position::User(Stage::Idle))
            && let Some(Waiting { from, port, bytes, .. }) = self.waiting.pop_front()
        {
            let message = self.number_in(from);
            self.received += 1;
            match &mut self.body {
                Body::Plain(actor) => {
                    let effects = actor.receive(port, &bytes).map_err(unfit)?;
                    let input = Input::Deliver(vec![Arrival { message, port }]);
                    self.finish(now, Some(input), effects, steps);
                }
                Body::Duplex(duplex) => {
                    duplex.arrived(port, message, bytes).map_err(unfit)?;
                    self.take_turns(now, steps);
                }
            }
        }
        Ok(())
    }

    /// The other end of a half-duplex link wishes for the right to send, or hands it over.
    pub(super) fn right(
        &mut self,
        now: Micros,
        port: u32,
        right: Right,
        steps: &mut Vec<Step>,
    ) -> Result<(), &'static str> {
        self.start(now, steps);
        let Body::Duplex(duplex) = &mut self.body else { return Err("a right to send that nobody needs") };
        let taken = match right {
            Right::Wish => duplex.wished(port),
            Right::Baton => duplex.baton(port),
        };
        taken.map_err(unfit)?;
        self.take_turns(now, steps);
        Ok(())
    }

    /// What half-duplex links let it do.
    fn take_turns(&mut self, now: Micros, steps: &mut Vec<Step>) {
        while let Body::Duplex(duplex) = &mut self.body
            && let Some(turn) = duplex.next()
        {
            let (port, right) = match turn {
                Turn::Step(arrivals, effects) => {
                    self.finish(now, Some(Input::Deliver(arrivals)), *effects, steps);
                    continue;
                }
                Turn::Wish(port) => (port, Right::Wish),
                Turn::Baton(port) => (port, Right::Baton),
            };
            if let Some(way) = self.ways.iter().find(|way| way.out == port) {
                let right = Some((way.to, way.arrival, right));
                steps.push(Step { event: None, sends: Vec::new(), right });
            }
        }
    }

    /// Its process, to look at.
    pub(super) fn actor(&self) -> &dyn Actor {
        match &self.body {
            Body::Plain(actor) => &**actor,
            Body::Duplex(duplex) => duplex.actor(),
        }
    }

    /// A process is down: it is told, if its algorithm asks for that, and the ring is closed over it.
    pub(super) fn suspect(&mut self, now: Micros, who: u32, entry: &Entry, steps: &mut Vec<Step>) {
        self.passes(now);
        if entry.spec.needs.bypass {
            self.bypassed[who as usize] = true;
        }
        if let Body::Plain(actor) = &mut self.body
            && entry.spec.needs.detector
            && self.started
        {
            let effects = actor.suspect(who);
            self.finish(now, Some(Input::Suspect(who)), effects, steps);
        }
    }

    /// A process that was down is back, newly made.
    pub(super) fn returns(&mut self, who: u32, salt: u64) {
        self.bypassed[who as usize] = false;
        self.salts[who as usize] = salt;
        self.numbers[who as usize] = (0, 0);
    }

    /// Its user wants in, or leaves.
    pub(super) fn user(&mut self, now: Micros, wants: bool, steps: &mut Vec<Step>) -> Result<(), Unfit> {
        let Body::Plain(actor) = &mut self.body else { return Err(Unfit::User) };
        let effects = if wants { actor.want()? } else { actor.exit()? };
        let input = if wants { Input::Want } else { Input::Exit };
        self.finish(now, Some(input), effects, steps);
        self.deliver(now, steps).map_err(|_| Unfit::Step)
    }

    /// What is due by now: messages that were kept, timers, local steps.
    pub(super) fn wake(&mut self, now: Micros, steps: &mut Vec<Step>) {
        if !self.started {
            return;
        }
        // A message that was looked at when it came in is still one.
        let _ = self.deliver(now, steps);
        for timer in 0..self.timers.len() {
            if self.timers[timer].1.is_some_and(|due| due <= now) {
                self.timers[timer].1 = None;
                if let Body::Plain(actor) = &mut self.body
                    && let Ok(effects) = actor.timeout(timer)
                {
                    let input = Input::Timeout(self.timers[timer].0.into());
                    self.finish(now, Some(input), effects, steps);
                }
            }
        }
        for step in 0..self.locals.len() {
            if self.locals[step].1.is_some_and(|due| due <= now) {
                self.locals[step].1 = None;
                if let Body::Plain(actor) = &mut self.body
                    && let Ok(effects) = actor.local(step)
                {
                    let input = Input::Local(self.locals[step].0.into());
                    self.finish(now, Some(input), effects, steps);
                }
            }
        }
    }

    /// When it is to be woken, if ever.
    pub(super) fn wakes_at(&self) -> Option<Micros> {
        let due = self.timers.iter().chain(&self.locals).filter_map(|&(_, due)| due);
        due.chain(self.waiting.front().map(|first| first.ready)).min()
    }

    /// Carries out what a step asked for, as far as that is done here.
    fn finish(&mut self, now: Micros, input: Option<Input>, effects: Effects, steps: &mut Vec<Step>) {
        for &(timer, ticks) in &effects.timers {
            self.timers[timer].1 = ticks.map(|ticks| self.due(now, ticks));
        }
        for found in effects.estimates {
            self.estimates.retain(|(earlier, _)| earlier.of != found.of);
            self.estimates.push((found, now));
            self.estimates.sort_unstable_by_key(|(found, _)| found.of);
        }
        let possible = self.actor().possible();
        let after = self.actor().position();
        let before = core::mem::replace(&mut self.last, after);
        for (bit, (_, due)) in self.locals.iter_mut().enumerate() {
            match possible >> bit & 1 {
                1 => *due = due.or(Some(now + self.pause)),
                _ => *due = None,
            }
        }
        let (mut sends, mut sent) = (Vec::new(), Vec::new());
        for message in effects.sends {
            let Some(way) = self.ways.iter().find(|way| way.out == message.port) else { continue };
            let (mut to, mut port) = (way.to, way.arrival);
            while self.bypassed[to as usize]
                && let Some(beyond) = self.cast.past(to, port)
            {
                (to, port) = beyond;
            }
            self.sent[message.kind] += 1;
            self.bytes += message.bytes.len() as u64;
            sent.push(Sent {
                message: self.number_out(to),
                port: message.port,
                to,
                kind: self.kinds[message.kind].into(),
                fields: message.fields,
                fate: Fate::Travels,
            });
            if to == self.index {
                let waiting = Waiting { ready: now, from: to, port, bytes: message.bytes };
                self.waiting.push_back(waiting);
            } else {
                sends.push((to, port, message.bytes));
            }
        }
        let event = input.map(|input| Event {
            time: self.time(now),
            process: self.index,
            input,
            choices: effects.choices,
            rules: effects.rules.into_iter().map(Into::into).collect(),
            sends: sent,
            outcome: outcome(before, after),
            impossible: effects.impossible.map(Into::into),
            accesses: Vec::new(),
            clock: effects.clock,
        });
        steps.push(Step { event, sends, right: None });
    }

    fn number_out(&mut self, to: u32) -> u64 {
        let count = &mut self.numbers[to as usize].0;
        *count += 1;
        provisional(self.index, to, self.salts[to as usize], *count - 1)
    }

    fn number_in(&mut self, from: u32) -> u64 {
        let count = &mut self.numbers[from as usize].1;
        *count += 1;
        provisional(from, self.index, self.salts[from as usize], *count - 1)
    }
}

/// The number of a message before all recordings of a run are put together: both ends can tell it without the other.
/// From the top: six bits for each of the members, eight of the salt. The rest counts for a lifetime.
fn provisional(from: u32, to: u32, salt: u64, count: u64) -> u64 {
    const { assert!(MAX_MEMBERS <= 64, "a member is six bits") };
    debug_assert!(count < 1 << 44, "some messages a second for some years");
    u64::from(from) << 58 | u64::from(to) << 52 | (salt & 0xff) << 44 | count
}

fn unfit(why: Unfit) -> &'static str {
    match why {
        Unfit::Bytes(_) => "bytes that are no message",
        Unfit::Port => "a port that there is not",
        Unfit::Step => "a step that cannot be taken",
        Unfit::User => "a user who cannot do that",
    }
}

fn outcome(before: Position, after: Position) -> Option<Outcome> {
    (before != after).then_some(match after {
        Position::Verdict(Verdict::Undecided) => Outcome::Undecided,
        Position::Verdict(Verdict::Lost) => Outcome::Lost,
        Position::Verdict(Verdict::Leader) => Outcome::Leads,
        Position::User(Stage::Waiting) => Outcome::Waits,
        Position::User(Stage::Inside) => Outcome::Enters,
        Position::User(Stage::Idle) => Outcome::Leaves,
        Position::Clock(Synchrony::Synchronised) => Outcome::Synchronises,
        Position::Clock(Synchrony::Lost) => Outcome::LosesContact,
        Position::Clock(Synchrony::Unsynchronised | Synchrony::Reference) => Outcome::Undecided,
    })
}
