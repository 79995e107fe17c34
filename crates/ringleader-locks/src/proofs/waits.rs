//! Who must be waited for, and until when, searched by itself: what `Waits` says, with nothing else of a server around
//! it. Three servers read the view, get leases with their seats, install what is new, and tell each other for how long
//! others are gone; somebody excludes and admits. Wherever a wait is over, no lease may run that was got with a seat
//! which its server has lost.
//!
//! A read takes effect, is answered and installed in one step: that is the longest lease and the earliest install. What
//! is told arrives at once: later it would be true by a wider margin.

use super::world::Ruled;
use crate::server::Waits;
use crate::{Class, Command, Flawless, Rules, Seat, Times, View};
use core::marker::PhantomData;
use ringleader::check::{self, Findings, Scope, Starts};
use ringleader::model::{
    Decision, Election, Fields, Knows, Name as _, Needs, Never, Next, Outbox, Process, Setting,
    SettingValues, Settings, Spec, State, Verdict, fields, messages, names,
};
use ringleader_live::Micros;
use std::sync::Arc;

/// In a tick a slow clock gains two units and a fast one three (ρ = 20 %): a lease is two ticks of either, and a wait
/// of six units is three or two.
const LEASE: u64 = 4;
const TIMES: Times = Times { leases: [Micros(LEASE); 3], drift_ppm: 200_000 };

names! {
    /// What can happen.
    enum Move {
        Tick = "tick",
        Read0 = "read 0",
        Read1 = "read 1",
        Read2 = "read 2",
        Exclude0 = "exclude 0",
        Exclude1 = "exclude 1",
        Exclude2 = "exclude 2",
        Admit0 = "admit 0",
        Admit1 = "admit 1",
        Admit2 = "admit 2",
        Tell01 = "0 tells 1",
        Tell12 = "1 tells 2",
        Tell20 = "2 tells 0",
        Tell10 = "1 tells 0",
        Tell21 = "2 tells 1",
        Tell02 = "0 tells 2",
    }
}

enum What {
    Tick,
    Read(usize),
    Exclude(usize),
    Admit(usize),
    Tell(usize, usize),
}

impl Move {
    fn what(self) -> What {
        match self.index() {
            0 => What::Tick,
            place @ 1..4 => What::Read(place - 1),
            place @ 4..7 => What::Exclude(place - 4),
            place @ 7..10 => What::Admit(place - 7),
            place @ 10..13 => What::Tell(place - 10, (place - 9) % 3),
            place => What::Tell((place - 12) % 3, place - 13),
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
struct World<R: Rules> {
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
    rules: PhantomData<R>,
}

messages! {
    /// Nothing: the world has nobody to talk to.
    enum Msg {
        "nothing" Nothing,
    }
}

const fn number(name: &'static str, max: u32) -> Setting {
    Setting { name, about: "", values: SettingValues::Number { min: 0, max, default: 0 } }
}

impl<R: Ruled> Process for World<R> {
    const SPEC: Spec = Spec {
        needs: Needs::NOTHING,
        settings: &[number("fast", 7), number("ticks", 20), number("changes", 9)],
        ..Spec::election("waits", 2026, "")
    };
    type Given = Settings;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Move;

    fn new(Settings([fast, ticks, changes, ..]): Settings) -> Self {
        let first = View::new(1, TIMES, Vec::new());
        let view = (0..3).fold(first, |view, id| {
            view.after(&Command::Admit(view.epoch, id, u64::from(id))).expect("it is new")
        });
        let view = Arc::new(view.after(&Command::Settle(view.epoch)).unwrap_or(view));
        let reader = || Reader { view: view.clone(), waits: Waits::installed::<R>(&view, None, begin()) };
        let readers = [reader(), reader(), reader()];
        World { fast, ticks, tick: 0, changes, view, readers, leases: Vec::new(), rules: PhantomData }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, _: Next, Msg::Nothing {}: Msg, _: &mut impl Outbox<Self>) {}

    fn can(&self, step: Move) -> bool {
        let is_in = |server: usize| self.view.members.contains_key(&(server as u16));
        match step.what() {
            // At the end of time a tick does nothing: no state is an end, which an election would have to answer for.
            What::Tick | What::Read(_) => true,
            What::Exclude(server) => self.changes > 0 && is_in(server),
            What::Admit(server) => self.changes > 0 && !is_in(server),
            What::Tell(from, to) => self.readers[from].view.epoch == self.readers[to].view.epoch,
        }
    }

    fn step(&mut self, step: Move, out: &mut impl Outbox<Self>) {
        match step.what() {
            What::Tick => {
                self.tick = (self.tick + 1).min(self.ticks);
                let (tick, rates) = (self.tick, [0, 1, 2].map(|server| self.rate(server)));
                self.leases.retain(|(server, _, sent)| u64::from(tick - sent) * rates[*server] < LEASE);
            }
            What::Read(server) => self.reads(server),
            What::Exclude(server) => self.changes(&Command::Exclude(self.view.epoch, server as u16)),
            What::Admit(server) => {
                self.changes(&Command::Admit(self.view.epoch, server as u16, server as u64));
            }
            What::Tell(from, to) => {
                let gone = self.readers[from].waits.gone(self.now(from));
                let now = self.now(to);
                self.readers[to].waits.hears_of::<R>(now, &gone);
            }
        }
        if (0..3).any(|home| self.is_wrong(home)) {
            out.impossible("a wait is over while a lease runs");
        }
    }
}

impl<R: Ruled> State for World<R> {
    fn fields(&self) -> Fields {
        fields!(self; tick)
    }
}

impl<R: Ruled> Election for World<R> {
    fn outcome(&self) -> Decision {
        let verdict = Verdict::Undecided;
        let knows = Knows::Nothing;
        Decision { verdict, knows }
    }
}

/// What every clock shows at first.
fn begin() -> Micros {
    Micros(1000)
}

impl<R: Rules> World<R> {
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
            let waits = Waits::installed::<R>(&self.view, Some((view, waits)), now);
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

fn searched<R: Ruled>(fast: u32, ticks: u32, changes: u32) -> Findings {
    let names = World::<R>::SPEC.settings.iter().map(|setting| setting.name.to_owned());
    let settings = names.zip([fast, ticks, changes].map(|value| value.to_string())).collect();
    let scope = Scope { settings, starts: Starts::All, safety_only: true, ..Scope::new(1) };
    check::election::<World<R>>(&scope, &[], &()).expect("a scope that is possible")
}

/// The home that may be wrong first is one with a fast clock. (Three ticks and two changes are 677,002 states, two and
/// three 2,367,569: the same, for whoever has minutes.)
#[test]
fn nobody_is_forgotten() {
    let found = [(3, 1), (2, 2)].map(|(ticks, changes)| {
        let findings = searched::<Flawless>(0b001, ticks, changes);
        assert!(findings.holds(), "{ticks} ticks, {changes} changes: {:?}", findings.counterexample);
        findings.states
    });
    assert_eq!(found, [19_053, 150_586]);
}

macro_rules! wrong {
    ($($name:ident $rule:ident $test:ident $words:literal)*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            enum $name {}

            impl Rules for $name {
                const $rule: bool = false;
            }

            #[test]
            fn $test() {
                let run = searched::<$name>(0b001, 3, 2).counterexample.expect("a lease runs");
                let steps = run.recording.events.iter().filter_map(|event| match &event.input {
                    ringleader::trace::Input::Local(name) => Some(name.to_string()),
                    _ => None,
                });
                assert_eq!(steps.collect::<Vec<_>>().join("; "), $words);
            }
        )*
    };
}

wrong! {
    AnySeat SEATS a_seat_that_was_lost_before_is_another_one
        "tick; tick; read 0; exclude 0; read 0"
    Everybody EACH who_is_gone_is_gone_alone
        "tick; tick; read 0; exclude 0; read 0; read 1; 0 tells 1"
}
