//! One process, its type hidden.

use super::{ClockFace, Effects, Outgoing, Shown, Unfit};
use crate::model::{Knows, Stage, Ticks};
use crate::network::Wiring;
use crate::population::{self, Handle, Input, Names, Population, Position};
use crate::rng::choices_key;
use crate::scenario::{Corrected, Setup, TICKS_PER_UNIT};
use crate::trace::{Reading, as_call, shown};
use std::sync::Arc;

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

    /// It is this time now, of which [`TICKS_PER_UNIT`](crate::sim::TICKS_PER_UNIT) make a tick: what its clock shows
    /// follows from that, if it has one.
    fn passes(&mut self, time: u64);

    /// When its clock has counted so many ticks from now on; none if it has no clock.
    fn alarm(&self, ticks: u32) -> Option<u64>;

    /// Its clock, if it has one.
    fn clock(&self) -> Option<ClockFace>;

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

/// A process with what is needed to drive it.
pub(super) struct Played {
    /// It is the only one in it.
    pub(super) population: Box<dyn Population>,
    pub(super) index: u32,
    pub(super) setup: Arc<Setup>,
    /// A number above that of every port.
    ports: u32,
    key: u64,
    drawn: u32,
    /// The time, and how its clock is corrected, if it has one.
    now: u64,
    corrected: Corrected,
}

/// The place of the process in its population.
const HERE: u32 = 0;

impl Played {
    pub(super) fn new(
        population: Box<dyn Population>,
        index: u32,
        setup: Arc<Setup>,
        net: &Wiring,
        seed: u64,
    ) -> Played {
        Played {
            population,
            index,
            setup,
            ports: net.stride(),
            key: choices_key(seed),
            drawn: 0,
            now: 0,
            corrected: Corrected::default(),
        }
    }

    fn port(&self, port: u32) -> Result<u32, Unfit> {
        if port < self.ports { Ok(port) } else { Err(Unfit::Port) }
    }

    /// Reads messages, each of which arrives at a port: all of them or none.
    fn decoded(
        population: &mut dyn Population,
        ports: u32,
        batch: &[(u32, Vec<u8>)],
    ) -> Result<Vec<(u32, Handle)>, Unfit> {
        let mut messages = Vec::with_capacity(batch.len());
        for (port, bytes) in batch {
            let decoded =
                if *port < ports { population.decode(bytes).map_err(Unfit::Bytes) } else { Err(Unfit::Port) };
            match decoded {
                Ok(message) => messages.push((*port, message)),
                Err(why) => {
                    discard(population, &messages);
                    return Err(why);
                }
            }
        }
        Ok(messages)
    }

    fn begin(&self) -> population::Effects {
        let mut effects = population::Effects::new(true);
        effects.begin(self.key, self.index, self.drawn);
        effects.now = self.hardware().map_or(Ticks::ZERO, |hardware| self.corrected.now(hardware));
        effects
    }

    fn takes(&mut self, input: Input<'_>) -> Effects {
        let mut effects = self.begin();
        self.population.react(HERE, input, &mut effects);
        self.end(effects)
    }

    /// A step is over: what it asked for.
    fn end(&mut self, effects: population::Effects) -> Effects {
        self.drawn += effects.choices.len() as u32;
        let adjusts = (effects.adjust != Ticks::ZERO).then_some(effects.adjust);
        if let (Some(by), Some(hardware)) = (adjusts, self.hardware()) {
            self.corrected.adjust(by, hardware, self.setup.backward, effects.slews);
        }
        let reading =
            || Reading { shows: effects.now.to_string(), adjusts: adjusts.map(|by| by.to_string()) };
        let clock = self.hardware().map(|_| reading());
        let name = |id| self.setup.name(id);
        let mut sends = Vec::with_capacity(effects.sends.len());
        for send in effects.sends {
            sends.push(Outgoing {
                port: send.port,
                kind: send.kind as usize,
                bytes: self.population.encode(send.message),
                fields: shown(self.population.message_fields(send.message), &name),
            });
            self.population.discard(send.message);
        }
        Effects {
            sends,
            timers: effects.timers.iter().map(|&(timer, ticks)| (timer as usize, ticks)).collect(),
            choices: effects.choices,
            rules: effects.rules,
            phases: effects.phases_begun,
            impossible: effects.impossible,
            clock,
            estimates: effects.estimates,
        }
    }

    /// What its hardware clock shows, if it has one.
    fn hardware(&self) -> Option<Ticks> {
        Some(self.setup.clocks.get(self.index as usize)?.at(self.now, TICKS_PER_UNIT))
    }

    fn place(names: Names, place: usize) -> Result<u32, Unfit> {
        if place < names.count { Ok(place as u32) } else { Err(Unfit::Step) }
    }
}

fn discard(population: &mut dyn Population, messages: &[(u32, Handle)]) {
    for &(_, message) in messages {
        population.discard(message);
    }
}

impl Actor for Played {
    fn start(&mut self) -> Effects {
        self.takes(Input::Start)
    }

    fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Effects, Unfit> {
        let port = self.port(port)?;
        let message = self.population.decode(bytes).map_err(Unfit::Bytes)?;
        Ok(self.takes(Input::Deliver { port, message, wakes: false }))
    }

    fn accepts(&self, batch: &[(u32, Vec<u8>)]) -> Result<bool, Unfit> {
        let mut copy = self.population.copy();
        let messages = Played::decoded(&mut *copy, self.ports, batch)?;
        Ok(copy.accepts(HERE, &messages))
    }

    fn receive_several(&mut self, batch: &[(u32, Vec<u8>)]) -> Result<Effects, Unfit> {
        let messages = Played::decoded(&mut *self.population, self.ports, batch)?;
        let mut effects = self.begin();
        self.population.react(HERE, Input::Batch { messages: &messages, wakes: false }, &mut effects);
        discard(&mut *self.population, &messages);
        Ok(self.end(effects))
    }

    fn timeout(&mut self, timer: usize) -> Result<Effects, Unfit> {
        let timer = Played::place(self.population.nature().timers, timer)?;
        Ok(self.takes(Input::Timeout(timer)))
    }

    fn possible(&self) -> u32 {
        self.population.possible(HERE) as u32
    }

    fn local(&mut self, step: usize) -> Result<Effects, Unfit> {
        let step = Played::place(self.population.nature().locals, step)?;
        if self.population.possible(HERE) >> step & 1 == 0 {
            return Err(Unfit::Step);
        }
        Ok(self.takes(Input::Local(step)))
    }

    fn suspect(&mut self, who: u32) -> Effects {
        self.takes(Input::Suspect(who))
    }

    fn recover(&mut self) -> Effects {
        self.takes(Input::Recover)
    }

    fn want(&mut self) -> Result<Effects, Unfit> {
        let may = self.position() == Position::User(Stage::Idle);
        if may { Ok(self.takes(Input::Want)) } else { Err(Unfit::User) }
    }

    fn exit(&mut self) -> Result<Effects, Unfit> {
        let may = self.position() == Position::User(Stage::Inside);
        if may { Ok(self.takes(Input::Exit)) } else { Err(Unfit::User) }
    }

    fn passes(&mut self, time: u64) {
        self.now = self.now.max(time);
    }

    fn alarm(&self, ticks: u32) -> Option<u64> {
        let clock = self.setup.clocks.get(self.index as usize)?;
        let due = clock.at(self.now, TICKS_PER_UNIT) + Ticks::whole(i64::from(ticks));
        Some(clock.when(due, self.now, TICKS_PER_UNIT))
    }

    fn clock(&self) -> Option<ClockFace> {
        let shows = self.corrected.now(self.hardware()?);
        let promise = self.population.belief(HERE).promise(shows, self.setup.drift);
        Some(ClockFace { shows, correction: self.corrected.correction, promise })
    }

    fn position(&self) -> Position {
        self.population.status(HERE).position()
    }

    fn leader(&self) -> Option<u32> {
        match self.population.knows(HERE) {
            Knows::Nothing | Knows::ThereIsOne => None,
            Knows::Identity(id) => (0..self.setup.n).find(|&index| self.setup.id(index) == id),
            Knows::Name(peer) => Some(peer.0),
        }
    }

    fn fields(&self) -> Shown {
        shown(self.population.fields(HERE), &|id| self.setup.name(id))
    }

    fn words(&self, bytes: &[u8]) -> Result<String, Unfit> {
        let (kind, fields) = self.population.read(bytes).map_err(Unfit::Bytes)?;
        let fields = shown(fields, &|id| self.setup.name(id));
        Ok(as_call(self.population.nature().kinds[kind], &fields))
    }

    fn timers(&self) -> Vec<&'static str> {
        self.population.nature().timers.all().collect()
    }

    fn steps(&self) -> Vec<&'static str> {
        self.population.nature().locals.all().collect()
    }

    fn copy(&self) -> Box<dyn Actor> {
        Box::new(Played { population: self.population.copy(), setup: Arc::clone(&self.setup), ..*self })
    }
}
