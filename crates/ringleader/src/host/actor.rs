//! One process, its type hidden.

use super::{Effects, Outgoing, Shown, Unfit};
use crate::model::{Knows, Message, Name, Port, Process, Stage, Verdict};
use crate::network::{Network, Wired};
use crate::rng::choices_key;
use crate::sim::{Setup, StepEffects};
use crate::trace::{as_call, shown};
use std::sync::Arc;

/// What a process says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// In an election.
    Verdict(Verdict),
    /// In mutual exclusion.
    User(Stage),
}

impl Position {
    /// Whether it claims what only one may have: it leads, or its user is inside.
    #[must_use]
    pub fn claims(self) -> bool {
        self == Position::Verdict(Verdict::Leader) || self == Position::User(Stage::Inside)
    }

    /// Its name in formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Position::Verdict(Verdict::Undecided) => "undecided",
            Position::Verdict(Verdict::Lost) => "lost",
            Position::Verdict(Verdict::Leader) => "leader",
            Position::User(Stage::Idle) => "idle",
            Position::User(Stage::Waiting) => "waiting",
            Position::User(Stage::Inside) => "inside",
        }
    }
}

/// A process that somebody drives by hand. Each input gives what the step asked for.
pub trait Actor: Send {
    /// It starts.
    fn start(&mut self) -> Effects;

    /// A message arrives.
    ///
    /// # Errors
    /// If it is no message, or there is no such port; nothing has happened then.
    fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Effects, Unfit>;

    /// Whether it would take exactly these waiting messages in one step. Only half-duplex links ask.
    ///
    /// # Errors
    /// As `receive`.
    fn accepts(&self, batch: &[(u32, Vec<u8>)]) -> Result<bool, Unfit>;

    /// Several messages arrive in one step.
    ///
    /// # Errors
    /// As `receive`.
    fn receive_several(&mut self, batch: &[(u32, Vec<u8>)]) -> Result<Effects, Unfit>;

    /// A timer runs out.
    ///
    /// # Errors
    /// If it has no such timer.
    fn timeout(&mut self, timer: usize) -> Result<Effects, Unfit>;

    /// The local steps that it could take now, one bit each.
    fn possible(&self) -> u32;

    /// It takes a local step.
    ///
    /// # Errors
    /// If it cannot.
    fn local(&mut self, step: usize) -> Result<Effects, Unfit>;

    /// It is told that this process is down.
    fn suspect(&mut self, who: u32) -> Effects;

    /// It comes back after a crash, newly made.
    fn recover(&mut self) -> Effects;

    /// Its user wants in.
    ///
    /// # Errors
    /// If the user does not stand outside.
    fn want(&mut self) -> Result<Effects, Unfit>;

    /// Its user leaves.
    ///
    /// # Errors
    /// If the user is not inside.
    fn exit(&mut self) -> Result<Effects, Unfit>;

    /// What it says of itself.
    fn position(&self) -> Position;

    /// The index of the leader, as far as it knows.
    fn leader(&self) -> Option<u32>;

    /// Its local variables.
    fn fields(&self) -> Shown;

    /// A message in words.
    ///
    /// # Errors
    /// If it is none.
    fn words(&self, bytes: &[u8]) -> Result<String, Unfit>;

    /// The names of its timers.
    fn timers(&self) -> Vec<&'static str>;

    /// The names of its local steps.
    fn steps(&self) -> Vec<&'static str>;

    /// The same process once more: to try a step, and forget it.
    fn copy(&self) -> Box<dyn Actor>;
}

/// How a problem reads a process, and what its users may do.
pub(super) struct Reading<P: Process> {
    pub(super) position: fn(&P) -> Position,
    pub(super) knows: fn(&P) -> Knows,
    pub(super) want: fn(&mut P, &mut StepEffects<P>) -> bool,
    pub(super) exit: fn(&mut P, &mut StepEffects<P>) -> bool,
}

impl<P: Process> Clone for Reading<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Process> Copy for Reading<P> {}

/// A process with what is needed to drive it.
pub(super) struct Played<P: Process> {
    pub(super) process: P,
    pub(super) index: u32,
    pub(super) setup: Arc<Setup>,
    pub(super) reading: Reading<P>,
    /// A number above that of every port.
    ports: u64,
    key: u64,
    drawn: u32,
}

/// Messages with the ports at which they arrive.
type Batch<P> = Vec<(<P as Process>::Port, <P as Process>::Msg)>;

impl<P: Process> Played<P>
where
    P::Port: Wired,
{
    pub(super) fn new(
        process: P,
        index: u32,
        setup: Arc<Setup>,
        reading: Reading<P>,
        seed: u64,
    ) -> Played<P> {
        let ports = P::Port::wire(&setup.plan).stride();
        Played { process, index, setup, reading, ports, key: choices_key(seed), drawn: 0 }
    }

    fn port(&self, port: u32) -> Result<P::Port, Unfit> {
        if u64::from(port) < self.ports { Ok(P::Port::from_index(port)) } else { Err(Unfit::Port) }
    }

    fn decoded(&self, batch: &[(u32, Vec<u8>)]) -> Result<Batch<P>, Unfit> {
        let mut messages = Vec::with_capacity(batch.len());
        for (port, bytes) in batch {
            messages.push((self.port(*port)?, P::Msg::decode(bytes).map_err(Unfit::Bytes)?));
        }
        Ok(messages)
    }

    /// A step begins.
    fn begin(&self) -> StepEffects<P> {
        let mut effects = StepEffects::new(true);
        effects.begin(self.key, self.index, self.drawn);
        effects
    }

    /// A step is over: what it asked for.
    fn end(&mut self, effects: StepEffects<P>) -> Effects {
        self.drawn += effects.choices.len() as u32;
        let name = |id| self.setup.name(id);
        let mut sends = Vec::with_capacity(effects.sends.len());
        for (port, msg) in effects.sends {
            sends.push(Outgoing {
                port: port.index(),
                kind: msg.kind(),
                bytes: msg.encode(),
                fields: shown(msg.fields(), &name),
            });
        }
        let mut timers = Vec::with_capacity(effects.timers.len());
        for (timer, ticks) in effects.timers {
            timers.push((timer.index(), ticks));
        }
        Effects {
            sends,
            timers,
            choices: effects.choices,
            rules: effects.rules,
            phases: effects.phases_begun,
            impossible: effects.impossible,
        }
    }
}

impl<P: Process> Actor for Played<P>
where
    P::Port: Wired,
{
    fn start(&mut self) -> Effects {
        let mut out = self.begin();
        self.process.start(&mut out);
        self.end(out)
    }

    fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Effects, Unfit> {
        let port = self.port(port)?;
        let msg = P::Msg::decode(bytes).map_err(Unfit::Bytes)?;
        let mut out = self.begin();
        self.process.receive(port, msg, &mut out);
        Ok(self.end(out))
    }

    fn accepts(&self, batch: &[(u32, Vec<u8>)]) -> Result<bool, Unfit> {
        Ok(self.process.accepts(&self.decoded(batch)?))
    }

    fn receive_several(&mut self, batch: &[(u32, Vec<u8>)]) -> Result<Effects, Unfit> {
        let batch = self.decoded(batch)?;
        let mut out = self.begin();
        self.process.receive_several(&batch, &mut out);
        Ok(self.end(out))
    }

    fn timeout(&mut self, timer: usize) -> Result<Effects, Unfit> {
        let timer = *P::Timer::ALL.get(timer).ok_or(Unfit::Step)?;
        let mut out = self.begin();
        self.process.timeout(timer, &mut out);
        Ok(self.end(out))
    }

    fn possible(&self) -> u32 {
        let steps = P::Local::ALL.iter().enumerate();
        steps.fold(0, |all, (bit, &step)| all | u32::from(self.process.can(step)) << bit)
    }

    fn local(&mut self, step: usize) -> Result<Effects, Unfit> {
        let step = *P::Local::ALL.get(step).ok_or(Unfit::Step)?;
        if !self.process.can(step) {
            return Err(Unfit::Step);
        }
        let mut out = self.begin();
        self.process.step(step, &mut out);
        Ok(self.end(out))
    }

    fn suspect(&mut self, who: u32) -> Effects {
        let mut out = self.begin();
        self.process.suspect(P::Port::from_index(who), &mut out);
        self.end(out)
    }

    fn recover(&mut self) -> Effects {
        let mut out = self.begin();
        self.process.recover(&mut out);
        self.end(out)
    }

    fn want(&mut self) -> Result<Effects, Unfit> {
        let mut out = self.begin();
        let may = (self.reading.want)(&mut self.process, &mut out);
        let effects = self.end(out);
        if may { Ok(effects) } else { Err(Unfit::User) }
    }

    fn exit(&mut self) -> Result<Effects, Unfit> {
        let mut out = self.begin();
        let may = (self.reading.exit)(&mut self.process, &mut out);
        let effects = self.end(out);
        if may { Ok(effects) } else { Err(Unfit::User) }
    }

    fn position(&self) -> Position {
        (self.reading.position)(&self.process)
    }

    fn leader(&self) -> Option<u32> {
        match (self.reading.knows)(&self.process) {
            Knows::Nothing | Knows::ThereIsOne => None,
            Knows::Identity(id) => (0..self.setup.n).find(|&index| self.setup.id(index) == id),
            Knows::Name(peer) => Some(peer.0),
        }
    }

    fn fields(&self) -> Shown {
        shown(self.process.fields(), &|id| self.setup.name(id))
    }

    fn words(&self, bytes: &[u8]) -> Result<String, Unfit> {
        let msg = P::Msg::decode(bytes).map_err(Unfit::Bytes)?;
        let fields = shown(msg.fields(), &|id| self.setup.name(id));
        Ok(as_call(P::Msg::KINDS[msg.kind()], &fields))
    }

    fn timers(&self) -> Vec<&'static str> {
        names(P::Timer::ALL)
    }

    fn steps(&self) -> Vec<&'static str> {
        names(P::Local::ALL)
    }

    fn copy(&self) -> Box<dyn Actor> {
        Box::new(Played {
            process: self.process.clone(),
            index: self.index,
            setup: Arc::clone(&self.setup),
            reading: self.reading,
            ports: self.ports,
            key: self.key,
            drawn: self.drawn,
        })
    }
}

/// What they are called.
fn names<N: Name>(all: &[N]) -> Vec<&'static str> {
    all.iter().map(|&one| one.name()).collect()
}
