//! The small world: three servers, one lock, two clients, and everything that can happen to them.
//!
//! Time passes, a read is answered, a message arrives, or arrives and stays, a client asks or gives back, the view
//! changes, a server restarts or is to leave. What is never delivered is lost. In a tick a slow clock gains two units
//! and a fast one three (ρ = 20 %), so a lease of six units is three ticks or two, and nothing is to spare. Reads are
//! answered with what the store had when they were sent or has now: those are the extremes. Keep-alives are one step,
//! which gives the longest deadline; clients have slow clocks, which keeps them longest.

use super::table::{Tables, tables};
use crate::server::Rules;
use crate::{
    Answer, Ask, Command, Denial, Event, Fence, Input, Limits, Message, Mode, Name, Output, Rid, Server,
    ServerSpec, Session, SessionId, Standing, Times, View,
};
use ringleader::check::{Model, Properties};
use ringleader_live::Micros;
use std::sync::{Arc, MutexGuard};

/// What a tick of a slow clock is twice of.
const UNIT: u64 = 25_000;
const LEASE: u64 = 6 * UNIT;
const TIMES: Times = Times { leases: [Micros(LEASE); 3], drift_ppm: 200_000 };
/// What every clock shows at first.
const BEGIN: u64 = 1_000_000;

/// How many messages are under way at most: one more, and the last in order is lost.
const ROOM: usize = 6;

/// What can happen.
#[derive(Clone, Copy)]
pub(super) enum Action {
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
    /// How each client wants to hold the lock.
    pub(super) modes: [Mode; 2],
}

/// A client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Person {
    /// At which server.
    at: usize,
    session: Session,
    waits: Option<Rid>,
    holds: Option<Fence>,
    rid: Rid,
}

/// Everything. Servers, views and messages are numbers of the tables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct World {
    rules: Rules,
    size: Size,
    tick: u32,
    servers: [u32; 3],
    runs: [u64; 3],
    reads: [Option<(u64, u32)>; 3],
    view: u32,
    flying: Vec<(usize, usize, u32)>,
    people: [Person; 2],
    /// Grants that are under way: to whom, for which request, with which fence.
    grants: Vec<(usize, Rid, Fence)>,
    last: Option<Fence>,
    /// How many view changes, restarts, repetitions and servers that leave are left.
    left: [u32; 4],
    fences_grow: bool,
}

/// The model is the world as it begins.
impl Model for World {
    type State = World;
    type Action = Action;

    fn initial(&self) -> Vec<World> {
        vec![self.clone()]
    }

    fn actions(&self, world: &World) -> Vec<Action> {
        let all = [
            &[Action::Tick][..],
            &[0, 1, 2].map(Action::Read),
            &[0, 1, 2].map(Action::Old),
            &[0, 1].map(Action::Acquire),
            &[0, 1].map(Action::Release),
            &[0, 1].map(Action::Keep),
            &[0, 1, 2].map(Action::Exclude),
            &[Action::Admit, Action::Home],
            &[0, 1, 2].map(Action::Restart),
            &[0, 1].map(Action::Hear),
            &[0, 1, 2, 3, 4, 5].map(Action::Arrives),
            &[0, 1, 2].map(Action::Stays),
            &[0, 1].map(Action::Drain),
        ];
        all.into_iter().flatten().copied().filter(|action| world.can_be(*action)).collect()
    }

    fn next(&self, world: &World, action: &Action) -> World {
        let mut world = world.clone();
        world.happens(*action);
        world
    }

    fn properties(&self, must: &mut Properties<World>) {
        must.always("no two hold at once", |_, world| world.fit() || !(0..2).all(|who| world.holds(who)));
        must.always("each grant has a larger fence than the one before it", |_, world| world.fences_grow);
    }
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

impl World {
    /// All three are members, have reported and are open; a client has a session at each of the first two. If servers
    /// are to leave, or the first client reads and time passes, it holds the lock already.
    pub(super) fn new(rules: Rules, size: Size) -> World {
        let first = View::new(1, TIMES, Vec::new());
        let view = (0..3).fold(first, |view, id| {
            let admit = Command::Admit(view.epoch, id, spec(usize::from(id), 1).incarnation);
            view.after(&admit).expect("it is new")
        });
        let view = if size.modes == [Mode::Exclusive; 2] { view } else { View { proto: 2, ..view } };
        let homes = vec![size.home as u16; crate::SHARDS];
        let view = view.after(&Command::Rehome(view.epoch, homes)).expect("members");
        let view = view.after(&Command::Settle(view.epoch)).unwrap_or(view);
        let (view, servers) = {
            let mut tables = tables(rules).lock().expect("nobody panics here");
            let started = |id| Server::new(spec(id, 1), Micros(BEGIN)).follows(rules);
            let servers = [0, 1, 2].map(|id| tables.servers.place(started(id)));
            (tables.views.place(Arc::new(view)), servers)
        };
        let nobody = |at| Person {
            at,
            session: Session::opened(SessionId(0), TIMES, Micros(0), Micros(0)),
            waits: None,
            holds: None,
            rid: 0,
        };
        let mut world = World {
            rules,
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
            fences_grow: true,
        };
        (0..3).for_each(|server| world.input(server, Input::Tick));
        for _ in 0..4 {
            (0..3).for_each(|server| world.reads(server, world.view));
            while let Some((from, to, message)) = world.flying.pop() {
                world.arrives(from, to, message);
            }
        }
        (0..2).for_each(|who| world.opens(who));
        let reads = size.modes[0] == Mode::Shared && size.ticks > 0;
        if size.drains > 0 || reads {
            // What is on its way with a session must be held first, and a view be read.
            for action in [Action::Acquire(0), Action::Hear(0), Action::Tick] {
                world.happens(action);
            }
        }
        world
    }

    fn tables(&self) -> MutexGuard<'static, Tables> {
        tables(self.rules).lock().expect("nobody panics here")
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

    /// Whether both may hold at once.
    fn fit(&self) -> bool {
        let [one, other] = self.size.modes;
        one.fits(other, 1)
    }

    /// The first server whose newest run is not in the view.
    fn outsider(&self) -> Option<usize> {
        let view = Arc::clone(self.tables().views.at(self.view));
        (0..3).find(|server| !view.has(*server as u16, spec(*server, self.runs[*server]).incarnation))
    }

    fn next_home(&self) -> usize {
        let view = Arc::clone(self.tables().views.at(self.view));
        (view.homes.first().map_or(0, |home| usize::from(*home)) + 1) % 3
    }

    fn can_be(&self, action: Action) -> bool {
        let is_alive = |who: usize| self.people[who].session.clone().is_alive(self.persons_now());
        let is_in = |server: usize| {
            let view = Arc::clone(self.tables().views.at(self.view));
            view.members.get(&(server as u16)).map(|seat| seat.incarnation)
        };
        let [views, restarts, repetitions, drains] = self.left.map(|left| left > 0);
        match action {
            Action::Tick => self.tick < self.size.ticks,
            Action::Read(server) => self.reads[server].is_some(),
            Action::Old(server) => self.reads[server].is_some_and(|(_, view)| view != self.view),
            Action::Acquire(who) => {
                let person = &self.people[who];
                let idle = person.waits.is_none() && person.holds.is_none();
                idle && is_alive(who) && person.rid < u64::from(self.size.requests)
            }
            Action::Release(who) => self.holds(who),
            Action::Keep(who) => is_alive(who),
            Action::Exclude(server) => views && is_in(server).is_some(),
            Action::Admit => views && self.outsider().is_some(),
            Action::Home => views && is_in(self.next_home()).is_some(),
            Action::Restart(_) => restarts,
            Action::Hear(place) => place < self.grants.len(),
            Action::Arrives(place) => place < self.flying.len(),
            Action::Stays(place) => repetitions && place < self.flying.len(),
            Action::Drain(_) => drains,
        }
    }

    fn happens(&mut self, action: Action) {
        match action {
            Action::Tick => {
                self.tick += 1;
                for server in 0..3 {
                    let due = self.tables().servers.at(self.servers[server]).wakes_at() <= self.now(server);
                    if due {
                        self.input(server, Input::Tick);
                    }
                }
            }
            Action::Read(server) => self.reads(server, self.view),
            Action::Old(server) => {
                let view = self.reads[server].map_or(self.view, |(_, view)| view);
                self.reads(server, view);
            }
            Action::Acquire(who) => {
                let person = &mut self.people[who];
                person.rid += 1;
                let rid = person.rid;
                person.session.waits(rid);
                person.waits = Some(rid);
                let (session, name) = (person.session.id(), self.name());
                let ask = Ask::Acquire {
                    session,
                    rid,
                    name,
                    wait: None,
                    priority: 0,
                    value: Arc::from([]),
                    mode: self.size.modes[who],
                };
                self.asks(who, ask);
            }
            Action::Release(who) => {
                let person = &mut self.people[who];
                if let Some(fence) = person.holds.take() {
                    person.session.lets_go(person.rid);
                    let (session, name) = (person.session.id(), self.name());
                    self.asks(who, Ask::Release { session, name, fence });
                }
            }
            Action::Keep(who) => {
                let session = self.people[who].session.id();
                let beliefs = self.people[who].session.beliefs();
                self.asks(who, Ask::KeepAlive { session, beliefs });
            }
            Action::Exclude(server) => self.changes(|epoch| Command::Exclude(epoch, server as u16)),
            Action::Admit => {
                if let Some(server) = self.outsider() {
                    let incarnation = spec(server, self.runs[server]).incarnation;
                    self.changes(|epoch| Command::Admit(epoch, server as u16, incarnation));
                }
            }
            Action::Home => {
                let homes = vec![self.next_home() as u16; crate::SHARDS];
                self.changes(|epoch| Command::Rehome(epoch, homes));
            }
            Action::Restart(server) => {
                self.left[1] -= 1;
                self.runs[server] += 1;
                self.reads[server] = None;
                let started =
                    Server::new(spec(server, self.runs[server]), self.now(server)).follows(self.rules);
                self.servers[server] = self.tables().servers.place(started);
                self.input(server, Input::Tick);
            }
            Action::Hear(place) => {
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
            Action::Arrives(place) => {
                let (from, to, message) = self.flying.remove(place);
                self.arrives(from, to, message);
            }
            Action::Stays(place) => {
                self.left[2] -= 1;
                let (from, to, message) = self.flying[place];
                self.arrives(from, to, message);
            }
            Action::Drain(server) => {
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
        let mut tables = self.tables();
        let view = Arc::clone(tables.views.at(self.view));
        if let Ok(next) = view.after(&command(view.epoch)) {
            self.view = tables.views.place(Arc::new(next));
        }
    }

    fn reads(&mut self, server: usize, view: u32) {
        if let Some((number, _)) = self.reads[server].take() {
            let view = Arc::clone(self.tables().views.at(view));
            self.input(server, Input::Read(number, Some(view)));
        }
    }

    fn arrives(&mut self, from: usize, to: usize, message: u32) {
        let message = self.tables().messages.at(message).clone();
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
        let (next, outputs) = self.tables().step(self.servers[server], now, input);
        self.servers[server] = next;
        for output in outputs.iter() {
            self.carries_out(server, output);
        }
    }

    fn carries_out(&mut self, server: usize, output: &Output) {
        match output {
            Output::Send(_, Message::Ping { .. }) | Output::Propose(_) => {}
            Output::Send(to, message) => {
                let message = self.tables().messages.place(message.clone());
                let flying = (server, usize::from(*to), message);
                if let Err(place) = self.flying.binary_search(&flying) {
                    self.flying.insert(place, flying);
                    self.flying.truncate(ROOM);
                }
            }
            Output::Read(number) => self.reads[server] = Some((*number, self.view)),
            Output::Answer(asker, answer) => self.answered(*asker as usize, answer),
            Output::Event(Event::Granted { fence, .. }) => {
                self.fences_grow &= self.last.is_none_or(|last| *fence > last);
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
                self.people[who].session = Session::opened(*session, TIMES, now, *valid);
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

    /// What an action means now, for whoever reads a run.
    pub(super) fn told(&self, action: Action) -> String {
        let client = |who: usize| ["A", "B"][who];
        match action {
            Action::Tick => "tick".to_owned(),
            Action::Read(server) => format!("read {server}"),
            Action::Old(server) => format!("old read {server}"),
            Action::Acquire(who) => format!("acquire {}", client(who)),
            Action::Release(who) => format!("release {}", client(who)),
            Action::Keep(who) => format!("keep alive {}", client(who)),
            Action::Exclude(server) => format!("exclude {server}"),
            Action::Admit => "admit".to_owned(),
            Action::Home => "homes move".to_owned(),
            Action::Restart(server) => format!("restart {server}"),
            Action::Hear(place) => format!("grant to {}", client(self.grants[place].0)),
            Action::Arrives(place) | Action::Stays(place) => {
                let (from, to, message) = self.flying[place];
                let message = self.tables().messages.at(message).clone();
                let stays = if matches!(action, Action::Stays(_)) { ", stays" } else { "" };
                format!("{} {from}{to}{stays}", message.kind())
            }
            Action::Drain(server) => format!("drain {server}"),
        }
    }
}
