//! An algorithm with everybody's part handed out.

use super::actor::{Actor, Played};
use crate::network::{Link, Wiring};
use crate::population::Nature;
use crate::scenario::{Refusal, Scenario, Setup};
use crate::trace::Header;
use std::sync::Arc;

/// Everybody's part. Equal scenarios give equal casts: every machine can make it by itself.
pub struct Cast {
    setup: Arc<Setup>,
    scenario: Scenario,
    nature: &'static Nature,
    net: Wiring,
}

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
    /// Of this algorithm.
    pub(crate) fn new(nature: &'static Nature, scenario: &Scenario) -> Result<Cast, Refusal> {
        let setup = Arc::new(Setup::new(nature, scenario)?);
        let net = Wiring::new(nature.shape, &setup.plan);
        Ok(Cast { setup, scenario: scenario.clone(), nature, net })
    }

    /// What a recording of the run begins with.
    #[must_use]
    pub fn header(&self) -> Header {
        self.setup.header(self.nature.spec, &self.scenario, self.scenario.schedule.ticks_per_unit())
    }

    /// Every way out of a process.
    #[must_use]
    pub fn ways(&self, from: u32) -> Vec<Way> {
        let way = |out| {
            let link = self.net.route(from, out);
            Way { out, to: link.to(), arrival: link.port() }
        };
        self.net.ports(from).into_iter().map(way).collect()
    }

    /// Where a message goes on that would arrive there, if the wire leads past that process; none where there is no
    /// way past.
    #[must_use]
    pub fn past(&self, at: u32, arrival: u32) -> Option<(u32, u32)> {
        self.net.past(Link::new(at, arrival)).map(|link| (link.to(), link.port()))
    }

    /// The process with this index, before its start. What it draws follows from the seed.
    #[must_use]
    pub fn actor(&self, index: u32, seed: u64) -> Box<dyn Actor> {
        let birth = self.setup.birth(index, self.net.degree(index), self.scenario.range);
        let setup = Arc::clone(&self.setup);
        let alone = self.nature.population(1, &|_| birth);
        Box::new(Played::new(alone, index, setup, &self.net, seed))
    }
}
