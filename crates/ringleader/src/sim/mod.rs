//! One run, as large as you like.
//!
//! A [`Scenario`] says what is to be run, a [`Report`] what came of it. Plain elections on rings, which is where size
//! matters, have fast lanes (`lane`); everything else goes through the general engine (`world`).

mod agenda;
mod crowd;
mod daemon;
mod election;
mod exclusion;
mod fate;
mod half_duplex;
mod intervene;
mod lane;
mod links;
mod machines;
mod mail;
mod meter;
mod places;
mod problem;
mod recorder;
mod replay;
mod report;
mod schedule;
mod sending;
mod step;
mod telling;
mod timekeeping;
mod turns;
mod world;

pub use crate::scenario::{
    Action, Backward, Clocks, Delay, Edit, Entries, Fault, Ids, Initiators, Load, Meters, Ports, Refusal,
    Scatter, Scenario, Schedule, TICKS_PER_UNIT, Topology, Workload, beginning, beginning_in_words, in_links,
};
pub use crowd::{Crowd, Moved, Received};
pub use recorder::Recorder;
pub use report::{
    BoundCheck, ClockDetails, Compared, Convergence, Details, ElectionDetails, ExclusionDetails, Expected,
    Leader, Property, Report, RunOutcome, Spread,
};

use self::election::Ballot;
use self::exclusion::Users;
use self::machines::Machines;
pub(crate) use self::places::told;
use self::timekeeping::Timepieces;
pub(crate) use self::timekeeping::{AT_ALL_TIMES, CLOCKS_NEVER_GO_BACK, EVERYBODY_KNOWS};
use self::world::World;
use crate::model::{Election, Exclusion, Promises, Timekeeping};
use crate::network::Wired;
use crate::population::Nature;
use crate::scenario::Setup;
use crate::trace::{Event, Header};
use core::ops::ControlFlow;

/// Somebody who watches a run. The library has no clock and no screen: an observer may have both.
pub trait Observer {
    /// Whether it wants every event. A run that nobody watches step by step is much faster.
    fn wants_events(&self) -> bool {
        false
    }
    /// Everything is arranged; the run itself begins.
    fn begins(&mut self, header: &dyn Fn() -> Header) {
        let _ = header;
    }
    /// A step was taken.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }
    /// From which step on it wants them, if it does.
    fn events_from(&self) -> u64 {
        0
    }
    /// A message is about to arrive in a step of which it wants the event; `what` says which.
    fn receives(&mut self, what: &dyn Fn() -> Received) {
        let _ = what;
    }
    /// Whether it wants to hear of every step and to see everybody after it: less than events, and much cheaper.
    fn wants_moves(&self) -> bool {
        false
    }
    /// Everybody is there, and nothing has happened yet.
    fn gathers(&mut self, crowd: &dyn Crowd) {
        let _ = crowd;
    }
    /// A process has started in silence, which is not worth a step: nothing was sent.
    fn starts_silently(&mut self, process: u32, crowd: &dyn Crowd) {
        let _ = (process, crowd);
    }
    /// A step was taken, and this is how everybody is after it. It comes after the event.
    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        let _ = (moved, crowd);
    }
    /// Whether it wants to hear how far clocks are apart, each time that is looked at.
    fn wants_clocks(&self) -> bool {
        false
    }
    /// Clocks were compared.
    fn clocks(&mut self, compared: &Compared) {
        let _ = compared;
    }
    /// From time to time: how far it is. `Break` stops the run, as a limit would.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }
    /// The run is over; only the report remains to be made.
    fn ends(&mut self) {}
}

/// Nobody watches.
impl Observer for () {}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps taken.
    pub steps: u64,
    /// Messages sent.
    pub messages: u64,
    /// The round or the time in units, where there is one.
    pub time: u64,
    /// Entries so far (mutual exclusion).
    pub entries: u64,
}

/// Runs an election.
///
/// # Errors
/// If the scenario is impossible, or outside the contract and not declared unsound.
pub fn run_election<P: Election>(scenario: &Scenario, observer: &mut dyn Observer) -> Result<Report, Refusal>
where
    P::Port: Wired,
{
    run(Nature::election::<P>(), lane_of::<P>(), scenario, observer)
}

/// The fast lane of an algorithm, if it has one. Where it has none, none is compiled.
pub(crate) const fn lane_of<P: Election>() -> Option<Lane>
where
    P::Port: Wired,
{
    if const { lane::are_for::<P>() } { Some(lane::run::<P>) } else { None }
}

/// Runs mutual exclusion.
///
/// # Errors
/// If the scenario is impossible, or outside the contract and not declared unsound.
pub fn run_exclusion<P: Exclusion>(
    scenario: &Scenario,
    observer: &mut dyn Observer,
) -> Result<Report, Refusal>
where
    P::Port: Wired,
{
    run(Nature::exclusion::<P>(), None, scenario, observer)
}

/// Runs an algorithm that brings clocks together.
///
/// # Errors
/// If the scenario is impossible, or outside the contract and not declared unsound.
pub fn run_clocks<P: Timekeeping>(scenario: &Scenario, observer: &mut dyn Observer) -> Result<Report, Refusal>
where
    P::Port: Wired,
{
    run(Nature::timekeeping::<P>(), None, scenario, observer)
}

/// A fast lane for one algorithm.
pub(crate) type Lane = fn(&Scenario, &Setup, &mut dyn Observer, &mut Report);

/// Runs an algorithm: in its lane, if that can take it.
pub(crate) fn run(
    nature: &'static Nature,
    lane: Option<Lane>,
    scenario: &Scenario,
    observer: &mut dyn Observer,
) -> Result<Report, Refusal> {
    let setup = Setup::new(nature, scenario)?;
    let mut report = Report::new(&setup);
    match lane {
        Some(lane) if lane::take(scenario, &setup, nature.spec.needs.choices, observer) => {
            lane(scenario, &setup, observer, &mut report);
        }
        _ if matches!(nature.spec.promises, Promises::Election { .. }) => {
            World::new((scenario, &setup), nature, Ballot::default(), observer).run(&mut report)?;
        }
        _ if nature.spec.stabilises() => {
            let machines = Machines::new(nature, scenario, &setup);
            World::new((scenario, &setup), nature, machines, observer).run(&mut report)?;
        }
        _ if nature.has_clocks() => {
            let clocks = Timepieces::new(nature, &setup, scenario.schedule.ticks_per_unit());
            World::new((scenario, &setup), nature, clocks, observer).run(&mut report)?;
        }
        _ => {
            let users = Users::new(nature, scenario, &setup, scenario.schedule.ticks_per_unit());
            World::new((scenario, &setup), nature, users, observer).run(&mut report)?;
        }
    }
    // Messages are sent for whoever asks, let in or not.
    let requests = match &report.details {
        Details::Exclusion(details) => details.requests,
        Details::Election(_) | Details::Clocks(_) => 0,
    };
    report.compare(nature.spec, &setup.facts(scenario, requests));
    Ok(report)
}

/// An election with these identities in ring order, everything else as usual.
///
/// # Panics
/// If the identities are not distinct, or there are none.
#[must_use]
pub fn elect<P: Election>(ids: &[u64]) -> Report
where
    P::Port: Wired,
{
    let scenario = Scenario { ids: Ids::Listed(ids.to_vec()), ..Scenario::new(ids.len() as u32) };
    run_election::<P>(&scenario, &mut ()).expect("distinct identities, at least one")
}
