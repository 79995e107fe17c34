//! The small world: three servers, one lock, two clients, and everything that can happen to them.
//!
//! It is one process, and everything is a local step: time passes, a read is answered, a message arrives,
//! or arrives and stays, a client asks or gives back, the view changes, a server restarts or is to leave. What is never
//! delivered is lost. In a tick a slow clock gains two units and a fast one three (ρ = 20 %), so a lease of
//! six units is three ticks or two, and nothing is to spare. Reads are answered with what the store had
//! when they were sent or has now: those are the extremes. Keep-alives are one step, which gives the
//! longest deadline; clients have slow clocks, which keeps them longest.

use super::table::{Tables, tables};
use crate::{
    Answer, Ask, Command, Denial, Event, Fence, Input, Limits, Message, Name, Output, Rid, Rules, Server,
    ServerSpec, SessionId, SessionOf, Standing, Times, View,
};
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;
use ringleader::model::{
    Decision, Election, Fields, Knows, Name as _, Needs, Never, Next, Outbox, Process, Setting,
    SettingValues, Settings, Spec, State, Verdict, fields, messages, names,
};
use ringleader_live::Micros;
use std::sync::{Arc, MutexGuard};

/// What a tick of a slow clock is twice of.
const UNIT: u64 = 25_000;
const LEASE: u64 = 6 * UNIT;
const TIMES: Times = Times { leases: [Micros(LEASE); 3], drift_ppm: 200_000 };
/// What every clock shows at first.
const BEGIN: u64 = 1_000_000;

names! {
    /// What can happen.
    pub(super) enum Move {
        Tick = "tick",
        Read0 = "read 0",
        Read1 = "read 1",
        Read2 = "read 2",
        Old0 = "old read 0",
        Old1 = "old read 1",
        Old2 = "old read 2",
        Acquire0 = "acquire A",
        Acquire1 = "acquire B",
        Release0 = "release A",
        Release1 = "release B",
        Keep0 = "keep alive A",
        Keep1 = "keep alive B",
        Exclude0 = "exclude 0",
        Exclude1 = "exclude 1",
        Exclude2 = "exclude 2",
        Admit = "admit",
        Moves = "homes move",
        Restart0 = "restart 0",
        Restart1 = "restart 1",
        Restart2 = "restart 2",
        Hear0 = "grant 0",
        Hear1 = "grant 1",
        Arrives0 = "message 0",
        Arrives1 = "message 1",
        Arrives2 = "message 2",
        Arrives3 = "message 3",
        Arrives4 = "message 4",
        Arrives5 = "message 5",
        Stays0 = "message 0, stays",
        Stays1 = "message 1, stays",
        Stays2 = "message 2, stays",
        Drain0 = "drain 0",
        Drain1 = "drain 1",
    }
}

/// How many messages are under way at most: one more, and the last in order is lost.
const ROOM: usize = 6;

/// A move, taken apart.
#[derive(Clone, Copy)]
enum What {
    Tick,
    Read(usize),
    Old(usize),
    Acquire(usize),
    Release(usize),
    Keep(usize),
    Exclude(usize),
    /// Whoever is out comes in, in its newest run.
    Admit,
    /// The lock is at home at the next server.
    Home,
    Restart(usize),
    Hear(usize),
    Arrives(usize),
    Stays(usize),
    Drain(usize),
}

impl Move {
    fn what(self) -> What {
        match self.index() {
            0 => What::Tick,
            place @ 1..4 => What::Read(place - 1),
            place @ 4..7 => What::Old(place - 4),
            place @ 7..9 => What::Acquire(place - 7),
            place @ 9..11 => What::Release(place - 9),
            place @ 11..13 => What::Keep(place - 11),
            place @ 13..16 => What::Exclude(place - 13),
            16 => What::Admit,
            17 => What::Home,
            place @ 18..21 => What::Restart(place - 18),
            place @ 21..23 => What::Hear(place - 21),
            place @ 23..29 => What::Arrives(place - 23),
            place @ 29..32 => What::Stays(place - 29),
            place => What::Drain(place - 32),
        }
    }
}

/// What is searched: which clocks are fast, where the lock is at home, how much time passes, how many view
/// changes, restarts and repeated messages there are, how often each client asks, and how many servers leave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Size {
    pub(super) fast: u32,
    pub(super) home: u32,
    pub(super) ticks: u32,
    pub(super) views: u32,
    pub(super) restarts: u32,
    pub(super) repetitions: u32,
    pub(super) requests: u32,
    pub(super) drains: u32,
}

impl Size {
    /// As the settings of a process.
    pub(super) fn packed(self) -> [u32; 4] {
        let digits = [self.views, self.restarts, self.repetitions, self.requests, self.drains];
        let events = digits.into_iter().rev().fold(0, |events, digit| 10 * events + digit);
        [self.fast, self.home, self.ticks, events]
    }

    fn unpacked([fast, home, ticks, events]: [u32; 4]) -> Size {
        let digit = |place: u32| events / 10_u32.pow(place) % 10;
        let [views, restarts, repetitions, requests, drains] = [0, 1, 2, 3, 4].map(digit);
        Size { fast, home, ticks, views, restarts, repetitions, requests, drains }
    }
}

/// A client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Person<R: Rules> {
    /// At which server.
    at: usize,
    session: SessionOf<R>,
    waits: Option<Rid>,
    holds: Option<Fence>,
    rid: Rid,
}

/// Everything. Servers, views and messages are numbers of the tables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct World<R: Rules> {
    size: Size,
    tick: u32,
    servers: [u32; 3],
    runs: [u64; 3],
    reads: [Option<(u64, u32)>; 3],
    view: u32,
    flying: Vec<(usize, usize, u32)>,
    people: [Person<R>; 2],
    /// Grants that are under way: to whom, for which request, with which fence.
    grants: Vec<(usize, Rid, Fence)>,
    last: Option<Fence>,
    /// How many view changes, restarts, repetitions and servers that leave are left.
    left: [u32; 4],
    wrong: Option<&'static str>,
    rules: PhantomData<R>,
}

messages! {
    /// Nothing: the world has nobody to talk to.
    pub(super) enum Msg {
        "nothing" Nothing,
    }
}

/// Rules that the world can be made of.
pub(super) trait Ruled: Rules + Clone + Eq + Hash + Debug + Send + Sync + 'static {}
impl<R: Rules + Clone + Eq + Hash + Debug + Send + Sync + 'static> Ruled for R {}

const fn number(name: &'static str, max: u32) -> Setting {
    Setting { name, about: "", values: SettingValues::Number { min: 0, max, default: 0 } }
}

impl<R: Ruled> Process for World<R> {
    const SPEC: Spec = Spec {
        needs: Needs::NOTHING,
        settings: &[
            number("fast", 7),
            number("home", 2),
            number("ticks", 20),
            // How many view changes, restarts, repeated messages, requests of each client and servers that
            // leave: a digit each.
            number("events", 99_999),
        ],
        ..Spec::election("servers", 2026, "")
    };
    type Given = Settings;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Move;

    fn new(Settings(settings): Settings) -> Self {
        World::begins(Size::unpacked(settings))
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, _: Next, Msg::Nothing {}: Msg, _: &mut impl Outbox<Self>) {}

    fn can(&self, step: Move) -> bool {
        self.can_be(step.what())
    }

    fn step(&mut self, step: Move, out: &mut impl Outbox<Self>) {
        self.happens(step.what());
        if (0..2).all(|who| self.holds(who)) {
            self.wrong = Some("two hold at once");
        }
        if let Some(wrong) = self.wrong {
            out.impossible(wrong);
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

fn locked<R: Ruled>() -> MutexGuard<'static, Tables<R>> {
    tables::<R>().lock().expect("nobody panics here")
}

fn spec(id: usize, run: u64) -> ServerSpec {
    ServerSpec {
        renew: Micros(2 * UNIT),
        idle: Micros(1_000 * UNIT),
        bypass: 0,
        limits: Limits { shortest: Micros(1), ..Limits::default() },
        // Nobody else is told that it is here: who is excluded, and when, is up to the world.
        ..ServerSpec::new(id as u16, 100 * (id as u64 + 1) + run, vec![id as u16])
    }
}

impl<R: Ruled> World<R> {
    /// All three are members, have reported and are open; a client has a session at each of the first two. If servers
    /// are to leave, the first client holds the lock already.
    fn begins(size: Size) -> World<R> {
        let first = View::new(1, TIMES, Vec::new());
        let view = (0..3).fold(first, |view, id| {
            let admit = Command::Admit(view.epoch, id, spec(usize::from(id), 1).incarnation);
            view.after(&admit).expect("it is new")
        });
        let homes = vec![size.home as u16; crate::SHARDS];
        let view = view.after(&Command::Rehome(view.epoch, homes)).expect("members");
        let view = view.after(&Command::Settle(view.epoch)).unwrap_or(view);
        let (view, servers) = {
            let mut tables = locked::<R>();
            let servers =
                [0, 1, 2].map(|id| tables.servers.place(Server::<R>::new(spec(id, 1), Micros(BEGIN))));
            (tables.views.place(Arc::new(view)), servers)
        };
        let nobody = |at| Person {
            at,
            session: SessionOf::opened(SessionId(0), TIMES, Micros(0), Micros(0)),
            waits: None,
            holds: None,
            rid: 0,
        };
        let mut world = World {
            size,
            tick: 0,
            servers,
            runs: [1; 3],
            reads: [None; 3],
            view,
            flying: Vec::new(),
            people: [nobody(0), nobody(1)],
            grants: Vec::new(),
            last: None,
            left: [size.views, size.restarts, size.repetitions, size.drains],
            wrong: None,
            rules: PhantomData,
        };
        (0..3).for_each(|server| world.input(server, Input::Tick));
        for _ in 0..4 {
            (0..3).for_each(|server| world.reads(server, world.view));
            while let Some((from, to, message)) = world.flying.pop() {
                world.arrives(from, to, message);
            }
        }
        (0..2).for_each(|who| world.opens(who));
        if size.drains > 0 {
            // What is on its way with a session must be held first, and a view be read.
            for what in [What::Acquire(0), What::Hear(0), What::Tick] {
                world.happens(what);
            }
        }
        world
    }

    fn rate(&self, server: usize) -> u64 {
        if self.size.fast >> server & 1 == 1 { 3 * UNIT } else { 2 * UNIT }
    }

    fn now(&self, server: usize) -> Micros {
        Micros(BEGIN + u64::from(self.tick) * self.rate(server))
    }

    /// On the clock of a client.
    fn persons_now(&self) -> Micros {
        Micros(BEGIN + u64::from(self.tick) * 2 * UNIT)
    }

    fn name(&self) -> Name {
        Name::lock("x").expect("a name")
    }

    fn holds(&self, who: usize) -> bool {
        let person = &self.people[who];
        person.holds.is_some() && person.session.clone().is_held(self.persons_now(), person.rid)
    }

    /// The first server whose newest run is not in the view.
    fn outsider(&self) -> Option<usize> {
        let view = Arc::clone(locked::<R>().views.at(self.view));
        (0..3).find(|server| !view.has(*server as u16, spec(*server, self.runs[*server]).incarnation))
    }

    fn next_home(&self) -> usize {
        let view = Arc::clone(locked::<R>().views.at(self.view));
        (view.homes.first().map_or(0, |home| usize::from(*home)) + 1) % 3
    }

    fn can_be(&self, what: What) -> bool {
        let is_alive = |who: usize| self.people[who].session.clone().is_alive(self.persons_now());
        let is_in = |server: usize| {
            let view = Arc::clone(locked::<R>().views.at(self.view));
            view.members.get(&(server as u16)).map(|seat| seat.incarnation)
        };
        let [views, restarts, repetitions, drains] = self.left.map(|left| left > 0);
        match what {
            // At the end of time a tick does nothing: no state is an end, which an election would have to answer for.
            What::Tick => true,
            What::Read(server) => self.reads[server].is_some(),
            What::Old(server) => self.reads[server].is_some_and(|(_, view)| view != self.view),
            What::Acquire(who) => {
                let person = &self.people[who];
                let idle = person.waits.is_none() && person.holds.is_none();
                idle && is_alive(who) && person.rid < u64::from(self.size.requests)
            }
            What::Release(who) => self.holds(who),
            What::Keep(who) => is_alive(who),
            What::Exclude(server) => views && is_in(server).is_some(),
            What::Admit => views && self.outsider().is_some(),
            What::Home => views && is_in(self.next_home()).is_some(),
            What::Restart(_) => restarts,
            What::Hear(place) => place < self.grants.len(),
            What::Arrives(place) => place < self.flying.len(),
            What::Stays(place) => repetitions && place < self.flying.len(),
            What::Drain(_) => drains,
        }
    }

    fn happens(&mut self, what: What) {
        match what {
            What::Tick if self.tick == self.size.ticks => {}
            What::Tick => {
                self.tick += 1;
                for server in 0..3 {
                    let due = locked::<R>().servers.at(self.servers[server]).wakes_at() <= self.now(server);
                    if due {
                        self.input(server, Input::Tick);
                    }
                }
            }
            What::Read(server) => self.reads(server, self.view),
            What::Old(server) => {
                let view = self.reads[server].map_or(self.view, |(_, view)| view);
                self.reads(server, view);
            }
            What::Acquire(who) => {
                let person = &mut self.people[who];
                person.rid += 1;
                let rid = person.rid;
                person.session.waits(rid);
                person.waits = Some(rid);
                let (session, name) = (person.session.id(), self.name());
                let ask = Ask::Acquire { session, rid, name, wait: None, priority: 0, value: Arc::from([]) };
                self.asks(who, ask);
            }
            What::Release(who) => {
                let person = &mut self.people[who];
                if let Some(fence) = person.holds.take() {
                    person.session.lets_go(person.rid);
                    let (session, name) = (person.session.id(), self.name());
                    self.asks(who, Ask::Release { session, name, fence });
                }
            }
            What::Keep(who) => {
                let session = self.people[who].session.id();
                let beliefs = self.people[who].session.beliefs();
                self.asks(who, Ask::KeepAlive { session, beliefs });
            }
            What::Exclude(server) => self.changes(|epoch| Command::Exclude(epoch, server as u16)),
            What::Admit => {
                if let Some(server) = self.outsider() {
                    let incarnation = spec(server, self.runs[server]).incarnation;
                    self.changes(|epoch| Command::Admit(epoch, server as u16, incarnation));
                }
            }
            What::Home => {
                let homes = vec![self.next_home() as u16; crate::SHARDS];
                self.changes(|epoch| Command::Rehome(epoch, homes));
            }
            What::Restart(server) => {
                self.left[1] -= 1;
                self.runs[server] += 1;
                self.reads[server] = None;
                let started = Server::<R>::new(spec(server, self.runs[server]), self.now(server));
                self.servers[server] = locked::<R>().servers.place(started);
                self.input(server, Input::Tick);
            }
            What::Hear(place) => {
                let (who, rid, fence) = self.grants.remove(place);
                let now = self.persons_now();
                let person = &mut self.people[who];
                let session = person.session.id();
                match person.session.granted(now, session, rid, fence) {
                    Standing::Held => {
                        (person.waits, person.holds) = (None, Some(fence));
                    }
                    Standing::GiveBack => {
                        let name = self.name();
                        self.asks(who, Ask::Release { session, name, fence });
                    }
                }
            }
            What::Arrives(place) => {
                let (from, to, message) = self.flying.remove(place);
                self.arrives(from, to, message);
            }
            What::Stays(place) => {
                self.left[2] -= 1;
                let (from, to, message) = self.flying[place];
                self.arrives(from, to, message);
            }
            What::Drain(server) => {
                self.left[3] -= 1;
                self.input(server, Input::Drain);
            }
        }
    }

    fn asks(&mut self, who: usize, ask: Ask) {
        self.input(self.people[who].at, Input::Client(who as u64, ask));
    }

    fn changes(&mut self, command: impl FnOnce(u32) -> Command) {
        self.left[0] -= 1;
        let mut tables = locked::<R>();
        let view = Arc::clone(tables.views.at(self.view));
        if let Ok(next) = view.after(&command(view.epoch)) {
            self.view = tables.views.place(Arc::new(next));
        }
    }

    fn reads(&mut self, server: usize, view: u32) {
        if let Some((number, _)) = self.reads[server].take() {
            let view = Arc::clone(locked::<R>().views.at(view));
            self.input(server, Input::Read(number, Some(view)));
        }
    }

    fn arrives(&mut self, from: usize, to: usize, message: u32) {
        let message = locked::<R>().messages.at(message).clone();
        self.input(to, Input::Peer(from as u16, message));
    }

    fn opens(&mut self, who: usize) {
        let ask = Ask::Open {
            ttl: Micros(LEASE),
            class: crate::Class::Normal,
            meta: "".into(),
            owner: "".into(),
            follows: self.size.drains > 0,
        };
        self.input(who, Input::Client(who as u64, ask));
    }

    fn input(&mut self, server: usize, input: Input) {
        let now = self.now(server);
        let (next, outputs) = locked::<R>().step(self.servers[server], now, input);
        self.servers[server] = next;
        for output in outputs.iter() {
            self.carries_out(server, output);
        }
    }

    fn carries_out(&mut self, server: usize, output: &Output) {
        match output {
            Output::Send(_, Message::Ping { .. }) | Output::Propose(_) => {}
            Output::Send(to, message) => {
                let message = locked::<R>().messages.place(message.clone());
                let flying = (server, usize::from(*to), message);
                if let Err(place) = self.flying.binary_search(&flying) {
                    self.flying.insert(place, flying);
                    self.flying.truncate(ROOM);
                }
            }
            Output::Read(number) => self.reads[server] = Some((*number, self.view)),
            Output::Answer(asker, answer) => self.answered(*asker as usize, answer),
            Output::Event(Event::Granted { fence, .. }) => {
                if self.last.is_some_and(|last| *fence <= last) {
                    self.wrong = Some("a grant has no larger fence than one before it");
                }
                self.last = Some(*fence);
            }
            Output::Event(
                Event::Released { .. }
                | Event::Lost { .. }
                | Event::Expired(_)
                | Event::Left { .. }
                | Event::Arrived { .. }
                | Event::Installed { .. }
                | Event::Recovered { .. }
                | Event::Drained,
            ) => {}
        }
    }

    fn answered(&mut self, who: usize, answer: &Answer) {
        let now = self.persons_now();
        match answer {
            Answer::Opened { session, valid } => {
                self.people[who].session = SessionOf::opened(*session, TIMES, now, *valid);
            }
            Answer::Alive { valid, .. } => {
                self.people[who].session.kept_alive(now, now, *valid);
            }
            Answer::Granted { rid, fence, .. } => {
                let grant = (who, *rid, *fence);
                if let Err(place) = self.grants.binary_search(&grant) {
                    self.grants.insert(place, grant);
                    self.grants.truncate(4);
                }
            }
            Answer::Denied(Denial::Moved(to)) => self.people[who].at = usize::from(*to),
            // Any other refusal only ends what a client believes; not to hear it is the worse case.
            Answer::Closed | Answer::Cancelled | Answer::Released | Answer::State(_) | Answer::Denied(_) => {}
        }
    }

    /// What a move means now, for whoever reads a trace.
    pub(super) fn told(&self, step: Move) -> String {
        match step.what() {
            What::Arrives(place) | What::Stays(place) => {
                let (from, to, message) = self.flying[place];
                let message = locked::<R>().messages.at(message).clone();
                let stays = if matches!(step.what(), What::Stays(_)) { ", stays" } else { "" };
                format!("{} {from}{to}{stays}", message.kind())
            }
            What::Hear(place) => format!("grant to {}", ["A", "B"][self.grants[place].0]),
            What::Tick
            | What::Read(_)
            | What::Old(_)
            | What::Acquire(_)
            | What::Release(_)
            | What::Keep(_)
            | What::Exclude(_)
            | What::Admit
            | What::Home
            | What::Restart(_)
            | What::Drain(_) => step.name().to_owned(),
        }
    }

    pub(super) fn takes(&mut self, step: Move) {
        self.happens(step.what());
    }
}
