//! The algorithm that is checked, with its type behind a few functions: all that a check needs to know of it.

use super::cases::Kind;
use super::space::Space;
use super::stimulus::Steps;
use super::typed::{Lag, Reading, Typed};
use crate::model::{Election, Exclusion, Given, Name, Port, Process, Shape, Spec, Timing, Told, is_told};
use crate::network::Wired;
use crate::sim::{self, Observer, Refusal, Report, Scenario, Setup};

/// An algorithm to be checked.
pub(crate) struct Subject {
    pub(crate) spec: &'static Spec,
    pub(crate) kind: Kind,
    /// The kinds of tokens.
    pub(crate) tokens: &'static [&'static str],
    pub(crate) setup: fn(&Scenario) -> Result<Setup, Refusal>,
    pub(crate) space: fn(&Setup) -> Space,
    pub(crate) steps: fn(&Setup, u32, Option<Lag>) -> Box<dyn Steps>,
    /// The name of a timer, and of a local step.
    pub(crate) timers: fn(u32) -> Option<&'static str>,
    pub(crate) locals: fn(u32) -> Option<&'static str>,
    /// Runs a recording.
    pub(crate) replay: fn(&Scenario, &mut dyn Observer) -> Result<Report, Refusal>,
}

impl Subject {
    pub(crate) const fn election<P: Election>() -> Subject
    where
        P::Port: Wired,
    {
        Subject::new::<P>(&[], steps_of_election::<P>, sim::run_election::<P>)
    }

    pub(crate) const fn exclusion<P: Exclusion>() -> Subject
    where
        P::Port: Wired,
    {
        Subject::new::<P>(P::TOKENS, steps_of_exclusion::<P>, sim::run_exclusion::<P>)
    }

    const fn new<P: Process>(
        tokens: &'static [&'static str],
        steps: fn(&Setup, u32, Option<Lag>) -> Box<dyn Steps>,
        replay: fn(&Scenario, &mut dyn Observer) -> Result<Report, Refusal>,
    ) -> Subject
    where
        P::Port: Wired,
    {
        Subject {
            spec: &P::SPEC,
            kind: Kind { shape: P::Port::SHAPE, told: P::Given::TOLD },
            tokens,
            setup: Setup::new::<P>,
            space: space_of::<P>,
            steps,
            timers: name_of::<P::Timer>,
            locals: name_of::<P::Local>,
            replay,
        }
    }
}

impl Kind {
    pub(crate) fn has_ids(self) -> bool {
        is_told(self.told, Told::Identity)
    }

    pub(crate) fn is_anonymous(self) -> bool {
        !self.has_ids() && !is_told(self.told, Told::Names)
    }

    /// Whether processes are told something that depends on their index.
    pub(crate) fn knows_its_place(self) -> bool {
        [Told::Names, Told::Holder, Told::TowardsRoot].into_iter().any(|told| is_told(self.told, told))
    }

    pub(crate) fn is_ring(self) -> bool {
        match self.shape {
            Shape::OneWayRing | Shape::TwoWayRing => true,
            Shape::Edges | Shape::Named => false,
        }
    }
}

fn name_of<N: Name>(number: u32) -> Option<&'static str> {
    N::ALL.get(number as usize).map(|name| name.name())
}

fn space_of<P: Process>(setup: &Setup) -> Space
where
    P::Port: Wired,
{
    let timing = P::SPEC.needs.timing;
    let max_delay = (timing == Timing::BoundedDelay).then(|| setup.max_delay());
    Space::new(setup.n, &P::Port::wire(&setup.plan), setup.links, max_delay, timing == Timing::LockStep)
}

fn steps_of_election<P: Election>(setup: &Setup, range: u32, lag: Option<Lag>) -> Box<dyn Steps>
where
    P::Port: Wired,
{
    Box::new(typed(Reading::<P>::election(), setup, range, lag))
}

fn steps_of_exclusion<P: Exclusion>(setup: &Setup, range: u32, lag: Option<Lag>) -> Box<dyn Steps>
where
    P::Port: Wired,
{
    Box::new(typed(Reading::<P>::exclusion(), setup, range, lag))
}

fn typed<P: Process>(reading: Reading<P>, setup: &Setup, range: u32, lag: Option<Lag>) -> Typed<P>
where
    P::Port: Wired,
{
    let net = P::Port::wire(&setup.plan);
    let newborn: Vec<P> = setup.processes(&net, range);
    // A crash is noticed when every message of the one that crashed has arrived, as in the simulator.
    // Without a clock it is noticed at any moment.
    let timed = P::SPEC.needs.timing == Timing::BoundedDelay;
    let detection = if timed { 2 * setup.max_delay() + 1 } else { 0 };
    Typed::new(reading, newborn, detection, lag)
}
