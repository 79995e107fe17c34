//! Who must be waited for, and until when, searched by itself: what `Waits` says, with nothing else of a server around
//! it. Three servers read the view, get leases with their seats, install what is new, and tell each other for how long
//! others are gone; somebody excludes and admits. Wherever a wait is over, no lease may run that was got with a seat
//! which its server has lost.
//!
//! A read takes effect, is answered and installed in one step: that is the longest lease and the earliest install. What
//! is told arrives at once: later it would be true by a wider margin.

use crate::server::{Rule, Rules, Waits};
use crate::{Class, Command, Seat, Times, View};
use core::fmt::{self, Display};
use ringleader::check::{self, Effort, Model, ModelFindings, Properties};
use ringleader_live::Micros;
use std::sync::Arc;

/// In a tick a slow clock gains two units and a fast one three (ρ = 20 %): a lease is two ticks of either, and a wait
/// of six units is three or two.
const LEASE: u64 = 4;
const TIMES: Times = Times { leases: [Micros(LEASE); 3], drift_ppm: 200_000 };

/// What can happen.
#[derive(Clone, Copy)]
enum Action {
    Tick,
    Read(usize),
    Exclude(usize),
    Admit(usize),
    Tell(usize, usize),
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Tick => f.write_str("tick"),
            Action::Read(server) => write!(f, "read {server}"),
            Action::Exclude(server) => write!(f, "exclude {server}"),
            Action::Admit(server) => write!(f, "admit {server}"),
            Action::Tell(from, to) => write!(f, "{from} tells {to}"),
        }
    }
}

/// A server: what it has installed, and what it knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Reader {
    view: Arc<View>,
    waits: Waits,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    rules: Rules,
    /// For each server whether its clock is fast.
    fast: u32,
    ticks: u32,
    tick: u32,
    /// How many view changes are left.
    changes: u32,
    view: Arc<View>,
    readers: [Reader; 3],
    /// Leases that run: whose, with which seat, and when the read was sent.
    leases: Vec<(usize, Seat, u32)>,
}

/// The model is the world as it begins.
impl Model for World {
    type State = World;
    type Action = Action;

    fn initial(&self) -> Vec<World> {
        vec![self.clone()]
    }

    fn actions(&self, world: &World) -> Vec<Action> {
        let is_in = |server: &usize| world.view.members.contains_key(&(*server as u16));
        let mut actions = Vec::new();
        actions.extend((world.tick < world.ticks).then_some(Action::Tick));
        actions.extend((0..3).map(Action::Read));
        if world.changes > 0 {
            actions.extend((0..3).filter(is_in).map(Action::Exclude));
            actions.extend((0..3).filter(|server| !is_in(server)).map(Action::Admit));
        }
        let pairs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)].into_iter();
        let same =
            |(from, to): &(usize, usize)| world.readers[*from].view.epoch == world.readers[*to].view.epoch;
        actions.extend(pairs.filter(same).map(|(from, to)| Action::Tell(from, to)));
        actions
    }

    fn next(&self, world: &World, action: &Action) -> World {
        let mut world = world.clone();
        match *action {
            Action::Tick => {
                world.tick += 1;
                let (tick, rates) = (world.tick, [0, 1, 2].map(|server| world.rate(server)));
                world.leases.retain(|(server, _, sent)| u64::from(tick - sent) * rates[*server] < LEASE);
            }
            Action::Read(server) => world.reads(server),
            Action::Exclude(server) => world.changes(&Command::Exclude(world.view.epoch, server as u16)),
            Action::Admit(server) => {
                world.changes(&Command::Admit(world.view.epoch, server as u16, server as u64));
            }
            Action::Tell(from, to) => {
                let gone = world.readers[from].waits.gone(world.now(from));
                let now = world.now(to);
                world.readers[to].waits.hears_of(world.rules, now, &gone);
            }
        }
        world
    }

    fn properties(&self, must: &mut Properties<World>) {
        must.always("no lease runs when a wait is over", |_, world| (0..3).all(|home| !world.is_wrong(home)));
    }
}

/// What every clock shows at first.
fn begin() -> Micros {
    Micros(1000)
}

impl World {
    fn new(rules: Rules, fast: u32, ticks: u32, changes: u32) -> World {
        let first = View::new(1, TIMES, Vec::new());
        let view = (0..3).fold(first, |view, id| {
            view.after(&Command::Admit(view.epoch, id, u64::from(id))).expect("it is new")
        });
        let view = Arc::new(view.after(&Command::Settle(view.epoch)).unwrap_or(view));
        let reader = || Reader { view: view.clone(), waits: Waits::installed(rules, &view, None, begin()) };
        let readers = [reader(), reader(), reader()];
        World { rules, fast, ticks, tick: 0, changes, view, readers, leases: Vec::new() }
    }

    fn rate(&self, server: usize) -> u64 {
        2 + u64::from(self.fast >> server & 1)
    }

    fn now(&self, server: usize) -> Micros {
        begin() + Micros(u64::from(self.tick) * self.rate(server))
    }

    fn changes(&mut self, command: &Command) {
        self.changes -= 1;
        self.view = Arc::new(self.view.after(command).expect("it is meant for this epoch"));
    }

    fn reads(&mut self, server: usize) {
        let now = self.now(server);
        let Reader { view, waits } = &self.readers[server];
        if view.epoch != self.view.epoch {
            let waits = Waits::installed(self.rules, &self.view, Some((view, waits)), now);
            self.readers[server] = Reader { view: self.view.clone(), waits };
        }
        if let Some(seat) = self.view.members.get(&(server as u16)) {
            self.leases.retain(|(other, with, _)| (*other, with) != (server, seat));
            self.leases.push((server, *seat, self.tick));
            self.leases.sort_unstable_by_key(|(server, seat, _)| (*server, seat.since));
        }
    }

    /// Whether a home that has installed its view would make anew what somebody may hold.
    fn is_wrong(&self, home: usize) -> bool {
        let Reader { view, waits } = &self.readers[home];
        let lost = |(server, seat, _): &(usize, Seat, u32)| {
            seat.since <= view.epoch && view.members.get(&(*server as u16)) != Some(seat)
        };
        waits.running(self.now(home), Class::Normal).next().is_none() && self.leases.iter().any(lost)
    }
}

fn searched(rules: Rules, fast: u32, ticks: u32, changes: u32) -> ModelFindings<World> {
    check::model(&World::new(rules, fast, ticks, changes), &Effort::default(), &())
}

/// The home that may be wrong first is one with a fast clock. (Three ticks and two changes are 677,002 states, two and
/// three 2,367,569: the same, for whoever has minutes.)
#[test]
fn nobody_is_forgotten() {
    let found = [(3, 1), (2, 2)].map(|(ticks, changes)| {
        let findings = searched(Rules::default(), 0b001, ticks, changes);
        assert!(findings.holds(), "{ticks} ticks, {changes} changes: {findings:?}");
        findings.states
    });
    assert_eq!(found, [19_053, 150_586]);
}

#[test]
fn a_seat_that_was_lost_before_is_another_one() {
    let run = searched(Rules::without(Rule::Seats), 0b001, 3, 2).counterexample.expect("a lease runs");
    assert_eq!(run.to_string(), "tick; tick; read 0; exclude 0; read 0");
}

#[test]
fn who_is_gone_is_gone_alone() {
    let run = searched(Rules::without(Rule::Each), 0b001, 3, 2).counterexample.expect("a lease runs");
    assert_eq!(run.to_string(), "tick; tick; read 0; exclude 0; read 0; read 1; 0 tells 1");
}
