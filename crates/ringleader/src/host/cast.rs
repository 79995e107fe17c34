//! An algorithm with everybody's part handed out.

use super::Position;
use super::actor::{Actor, Played, Reading};
use crate::model::{Election, Exclusion, Knows, Port, Process, Shape, Stage};
use crate::network::{Network, Wired};
use crate::sim::{Refusal, Scenario, Setup};
use crate::trace::Header;
use core::marker::PhantomData;
use std::sync::Arc;

/// Everybody's part. Equal scenarios give equal casts: every machine can make it by itself.
pub struct Cast(Box<dyn Parts>);

/// A way from one process to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The port that a message leaves by.
    pub out: u32,
    /// Where it goes.
    pub to: u32,
    /// The port at which it arrives.
    pub arrival: u32,
}

impl Cast {
    /// What a recording of the run begins with.
    #[must_use]
    pub fn header(&self) -> Header {
        self.0.header()
    }

    /// Every way out of a process.
    #[must_use]
    pub fn ways(&self, from: u32) -> Vec<Way> {
        self.0.ways(from)
    }

    /// Where a message goes on that would arrive there, if the wire leads past that process; none where there is no
    /// way past.
    #[must_use]
    pub fn past(&self, at: u32, arrival: u32) -> Option<(u32, u32)> {
        self.0.past(at, arrival)
    }

    /// The process with this index, before its start. What it draws follows from the seed.
    #[must_use]
    pub fn actor(&self, index: u32, seed: u64) -> Box<dyn Actor> {
        self.0.actor(index, seed)
    }
}

trait Parts: Send {
    fn header(&self) -> Header;
    fn ways(&self, from: u32) -> Vec<Way>;
    fn past(&self, at: u32, arrival: u32) -> Option<(u32, u32)>;
    fn actor(&self, index: u32, seed: u64) -> Box<dyn Actor>;
}

struct Of<P: Process> {
    setup: Arc<Setup>,
    scenario: Scenario,
    reading: Reading<P>,
    algorithm: PhantomData<fn() -> P>,
}

impl<P: Process> Parts for Of<P>
where
    P::Port: Wired,
{
    fn header(&self) -> Header {
        self.setup.header(&P::SPEC, &self.scenario, self.scenario.schedule.ticks_per_unit())
    }

    fn ways(&self, from: u32) -> Vec<Way> {
        let net = P::Port::wire(&self.setup.plan);
        let ports = match P::Port::SHAPE {
            // Somebody's port has the name of the one behind it.
            Shape::Named => all_but(from, self.setup.n),
            Shape::OneWayRing | Shape::TwoWayRing | Shape::Edges => (0..net.degree(from)).collect(),
        };
        let mut ways = Vec::with_capacity(ports.len());
        for out in ports {
            let (to, arrival) = net.route(from, P::Port::from_index(out));
            ways.push(Way { out, to, arrival: arrival.index() });
        }
        ways
    }

    fn past(&self, at: u32, arrival: u32) -> Option<(u32, u32)> {
        let net = P::Port::wire(&self.setup.plan);
        net.past(at, P::Port::from_index(arrival)).map(|(to, port)| (to, port.index()))
    }

    fn actor(&self, index: u32, seed: u64) -> Box<dyn Actor> {
        let net = P::Port::wire(&self.setup.plan);
        let process = self.setup.process(index, &net, self.scenario.range);
        Box::new(Played::<P>::new(process, index, Arc::clone(&self.setup), self.reading, seed))
    }
}

fn cast<P: Process>(scenario: &Scenario, reading: Reading<P>) -> Result<Cast, Refusal>
where
    P::Port: Wired,
{
    let setup = Arc::new(Setup::new::<P>(scenario)?);
    Ok(Cast(Box::new(Of { setup, scenario: scenario.clone(), reading, algorithm: PhantomData })))
}

/// The cast of an election.
pub(crate) fn election<P: Election>(scenario: &Scenario) -> Result<Cast, Refusal>
where
    P::Port: Wired,
{
    cast::<P>(
        scenario,
        Reading {
            position: |process| Position::Verdict(process.verdict()),
            knows: Election::knows,
            want: |_, _| false,
            exit: |_, _| false,
        },
    )
}

/// The cast of mutual exclusion.
pub(crate) fn exclusion<P: Exclusion>(scenario: &Scenario) -> Result<Cast, Refusal>
where
    P::Port: Wired,
{
    cast::<P>(
        scenario,
        Reading {
            position: |process| Position::User(process.stage()),
            knows: |_| Knows::Nothing,
            want: |process, out| {
                let may = process.stage() == Stage::Idle;
                if may {
                    process.request(out);
                }
                may
            },
            exit: |process, out| {
                let may = process.stage() == Stage::Inside;
                if may {
                    process.release(out);
                }
                may
            },
        },
    )
}

fn all_but(one: u32, n: u32) -> Vec<u32> {
    (0..n).filter(|&other| other != one).collect()
}
