//! Servers, clients, a store and the network between them, all from one seed. What happens when is in one
//! queue, and nothing happens in between: hours in which nothing is due cost nothing.

use crate::auditor::Auditor;
use crate::client::{Client, Flaw};
use crate::clock::Clock;
use crate::setup::Setup;
use crate::store::Store;
use crate::totals::Counts;
use ringleader::rng::{Purpose, Rng};
use ringleader_locks::{
    Answer, Ask, Asker, Command, Event, Fence, Input, LockStatus, Message, Name, Output, Rules, Server, View,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// A machine and the server on it, if one runs.
pub(crate) struct Host {
    pub(crate) clock: Clock,
    pub(crate) server: Option<Server>,
    /// How often it was started: what was meant for an earlier run does not arrive.
    pub(crate) run: u32,
    pub(crate) incarnation: u64,
    /// Until then it does nothing; what comes meanwhile waits.
    pub(crate) paused_until: u64,
    backlog: VecDeque<Input>,
    /// For when the next wake is in the queue.
    wake: u64,
    /// Nothing of what it asks reaches the store, or no answer comes back.
    pub(crate) store_cut: [bool; 2],
    pub(crate) draining: bool,
}

/// What is in the queue.
pub(crate) enum Due {
    Wake(usize, u32),
    Resume(usize, u32),
    Message(usize, usize, Message),
    /// A read reaches the store.
    Reads(usize, u32, u64),
    ReadAnswer(usize, u32, u64, Option<Arc<View>>),
    Proposal(Command),
    /// The leader of the store applies some more of its log.
    Applies(u64),
    Hint(usize, u32),
    Ask(usize, usize, Asker, Ask),
    Gone(usize, Asker),
    Answer(usize, Asker, Answer),
    ClientWake(usize),
    Write(usize, Fence, u64),
    Leader(usize),
    Boot(usize),
}

/// Everything.
pub(crate) struct World {
    rules: Rules,
    pub(crate) setup: Setup,
    pub(crate) rng: Rng,
    pub(crate) real: u64,
    queue: BinaryHeap<Reverse<(u64, u64, usize)>>,
    slots: Vec<Option<Due>>,
    free: Vec<usize>,
    sequence: u64,
    pub(crate) hosts: Vec<Host>,
    /// The newest view of the store.
    pub(crate) view: Arc<View>,
    pub(crate) store: Store,
    pub(crate) leader: usize,
    pub(crate) clients: Vec<Client>,
    /// For each ordered pair of servers whether nothing gets through.
    pub(crate) cut: Vec<Vec<bool>>,
    pub(crate) auditor: Auditor,
    pub(crate) counts: Counts,
    /// Since when everything is healed.
    pub(crate) healed: Option<u64>,
    /// When the last thing happened that is not up to the servers: somebody was elected, somebody started.
    pub(crate) stirred: u64,
    pub(crate) flaw: Flaw,
    pub(crate) log: Option<Vec<String>>,
    out: Vec<Output>,
}

impl World {
    pub(crate) fn new(rules: Rules, setup: Setup, seed: u64, flaw: Flaw, log: bool) -> World {
        let mut rng = Rng::new(seed, Purpose::Schedule);
        let (drift, extreme) = (setup.times.drift_ppm, setup.extreme);
        let hosts = (0..setup.servers).map(|_| Host {
            clock: Clock::drawn(&mut rng, drift, extreme),
            server: None,
            run: 0,
            incarnation: 0,
            paused_until: 0,
            backlog: VecDeque::new(),
            wake: u64::MAX,
            store_cut: [false; 2],
            draining: false,
        });
        let hosts: Vec<Host> = hosts.collect();
        let clients = (0..setup.clients).map(|_| Client::new(&setup, &mut rng)).collect();
        let begins = if setup.ran_before { View::first } else { View::new };
        let mut view = begins(1, setup.times, setup.classes.clone());
        view.proto += u16::from(setup.shares);
        let view = Arc::new(view);
        let mut world = World {
            rules,
            store: Store::new(Arc::clone(&view)),
            view,
            real: 0,
            queue: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            sequence: 0,
            hosts,
            leader: rng.below(setup.servers as u64) as usize,
            clients,
            cut: vec![vec![false; setup.servers]; setup.servers],
            auditor: Auditor::new(setup.names.len()),
            counts: Counts::default(),
            healed: None,
            stirred: 0,
            flaw,
            log: log.then(Vec::new),
            out: Vec::new(),
            rng,
            setup,
        };
        (0..world.hosts.len()).for_each(|host| world.boot(host));
        (0..world.clients.len()).for_each(|client| {
            let at = world.rng.below(world.setup.renew);
            world.due(at, Due::ClientWake(client));
        });
        world
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        let real = self.real;
        if let Some(log) = &mut self.log {
            log.push(format!("{real:>10} {}", what()));
        }
    }

    /// This happens after so long.
    pub(crate) fn due(&mut self, after: u64, due: Due) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[slot] = Some(due);
        self.sequence += 1;
        self.queue.push(Reverse((self.real + after, self.sequence, slot)));
    }

    /// How long something takes on its way.
    pub(crate) fn travels(&mut self) -> u64 {
        if self.healed.is_none() && self.rng.below(self.setup.late) == 0 {
            return self.rng.below(2 * self.setup.times.leases[1].0);
        }
        if self.setup.steady { self.setup.delay } else { 1 + self.rng.below(self.setup.delay) }
    }

    pub(crate) fn is_lost(&mut self) -> bool {
        self.healed.is_none() && self.rng.below(1000) < self.setup.loss
    }

    pub(crate) fn is_doubled(&mut self) -> bool {
        self.healed.is_none() && self.rng.below(1000) < self.setup.doubled
    }

    /// Lets everything happen up to this real moment, or until the condition holds, or something is
    /// violated.
    pub(crate) fn run(&mut self, until: u64, done: &dyn Fn(&World) -> bool) -> bool {
        while let Some(Reverse((at, _, slot))) = self.queue.peek().copied() {
            if self.auditor.violation.is_some() {
                return false;
            }
            if at >= until {
                break;
            }
            self.queue.pop();
            self.real = at;
            self.counts.steps += 1;
            self.free.push(slot);
            if let Some(due) = self.slots[slot].take() {
                self.happens(due);
            }
            if done(self) {
                return true;
            }
        }
        self.real = self.real.max(until);
        done(self)
    }

    fn happens(&mut self, due: Due) {
        match due {
            Due::Wake(host, run) => {
                let machine = &mut self.hosts[host];
                if machine.run == run && machine.wake <= self.real {
                    machine.wake = u64::MAX;
                    if machine.paused_until > self.real {
                        return;
                    }
                    let now = machine.clock.shows(self.real);
                    if machine.server.as_ref().is_some_and(|server| server.wakes_at() <= now) {
                        self.handles(host, Input::Tick);
                    } else {
                        self.arm(host);
                    }
                }
            }
            Due::Resume(host, run) => {
                if self.hosts[host].run == run && self.hosts[host].paused_until <= self.real {
                    self.resumes(host);
                }
            }
            Due::Message(from, to, message) => self.arrives(from, to, message),
            Due::Reads(host, run, number) => self.read_arrives(host, run, number),
            Due::ReadAnswer(host, run, number, answer) => {
                if self.hosts[host].run == run {
                    self.input(host, Input::Read(number, answer));
                }
            }
            Due::Proposal(command) => self.proposal_arrives(command),
            Due::Applies(times) => self.applies(times),
            Due::Hint(host, epoch) => self.input(host, Input::Hint(epoch)),
            Due::Ask(client, host, asker, ask) => {
                if self.clients[client].reaches(host) {
                    self.input(host, Input::Client(asker, ask));
                }
            }
            Due::Gone(host, asker) => self.input(host, Input::Gone(asker)),
            Due::Answer(client, asker, answer) => self.client_hears(client, asker, answer),
            Due::ClientWake(client) => self.client_wakes(client),
            Due::Write(lock, fence, order) => self.auditor.write(self.real, lock, fence, order),
            Due::Leader(host) => self.leads(host),
            Due::Boot(host) => {
                if self.hosts[host].server.is_none() {
                    self.boot(host);
                }
            }
        }
    }

    /// A server starts on this machine.
    pub(crate) fn boot(&mut self, host: usize) {
        let incarnation = self.rng.next_u64();
        let machine = &mut self.hosts[host];
        let spec = self.setup.spec(host, incarnation);
        machine.run += 1;
        machine.incarnation = incarnation;
        machine.server = Some(Server::new(spec, machine.clock.shows(self.real)).follows(self.rules));
        machine.backlog.clear();
        (machine.paused_until, machine.wake, machine.draining) = (0, u64::MAX, false);
        self.stirred = self.stirred.max(self.real);
        self.note(|| format!("server {host} starts"));
        let proposes = self.setup.anybody || self.leader == host;
        self.input(host, Input::Proposes(proposes));
        self.arm(host);
    }

    /// It is gone, with everything that it knew.
    pub(crate) fn kill(&mut self, host: usize) {
        self.stops(host);
        if self.leader == host {
            self.elects();
        }
    }

    /// It stops, and nobody else is elected for it.
    pub(crate) fn stops(&mut self, host: usize) {
        self.stirred = self.stirred.max(self.real);
        self.note(|| format!("server {host} is killed"));
        let machine = &mut self.hosts[host];
        machine.server = None;
        machine.run += 1;
        machine.backlog.clear();
    }

    /// Something happens to a server, unless it is paused.
    pub(crate) fn input(&mut self, host: usize, input: Input) {
        let machine = &mut self.hosts[host];
        if machine.server.is_none() {
            return;
        }
        if machine.paused_until > self.real {
            machine.backlog.push_back(input);
        } else {
            self.handles(host, input);
        }
    }

    fn resumes(&mut self, host: usize) {
        self.note(|| format!("server {host} goes on"));
        while let Some(input) = self.hosts[host].backlog.pop_front() {
            self.handles(host, input);
        }
        self.arm(host);
    }

    fn arm(&mut self, host: usize) {
        let machine = &mut self.hosts[host];
        let Some(server) = &machine.server else { return };
        let at = machine.clock.reaches(server.wakes_at()).max(self.real);
        if at < machine.wake {
            machine.wake = at;
            let run = machine.run;
            self.due(at - self.real, Due::Wake(host, run));
        }
    }

    fn handles(&mut self, host: usize, input: Input) {
        if self.log.is_some() && !matches!(input, Input::Tick | Input::Peer(_, Message::Ping { .. })) {
            self.note(|| format!("server {host} <- {input:?}"));
        }
        let mut out = core::mem::take(&mut self.out);
        let machine = &mut self.hosts[host];
        if let Some(server) = &mut machine.server {
            server.handle(machine.clock.shows(self.real), input, &mut out);
            if let Err(what) = server.audit() {
                self.auditor.accuse("books", self.real, format!("server {host}: {what}"));
            }
        }
        for output in out.drain(..) {
            self.carries_out(host, output);
        }
        self.out = out;
        self.arm(host);
    }

    fn carries_out(&mut self, host: usize, output: Output) {
        match output {
            Output::Send(to, message) => self.sends(host, usize::from(to), message),
            Output::Read(number) => {
                let run = self.hosts[host].run;
                if self.hosts[host].store_cut[0] || self.is_lost() {
                    self.due(self.setup.renew * 2, Due::ReadAnswer(host, run, number, None));
                } else {
                    let after = self.travels();
                    self.due(after, Due::Reads(host, run, number));
                }
            }
            Output::Propose(command) => {
                self.note(|| format!("server {host} proposes {command:?}"));
                if !self.hosts[host].store_cut[0] && !self.is_lost() {
                    if self.is_doubled() {
                        let after = self.travels();
                        self.due(after, Due::Proposal(command.clone()));
                    }
                    let after = self.travels();
                    self.due(after, Due::Proposal(command));
                }
            }
            Output::Answer(asker, answer) => {
                let client = (asker >> 32) as usize;
                self.note(|| format!("server {host} answers client {client} ({asker:x}) {answer:?}"));
                if self.clients[client].hears(host) && !self.is_lost() {
                    if self.is_doubled() {
                        let after = self.travels();
                        self.due(after, Due::Answer(client, asker, answer.clone()));
                    }
                    let after = self.travels();
                    self.due(after, Due::Answer(client, asker, answer));
                }
            }
            Output::Event(event) => self.event(host, &event),
        }
    }

    fn event(&mut self, host: usize, event: &Event) {
        self.note(|| format!("server {host}: {event:?}"));
        match event {
            Event::Granted { name, fence, .. } => {
                self.counts.granted += 1;
                if let Some(lock) = self.setup.names.iter().position(|other| other == name) {
                    self.auditor.granted(self.real, lock, *fence, host);
                    self.one_token(host, name);
                }
            }
            Event::Expired(_) => self.counts.expired += 1,
            Event::Installed { .. } => self.counts.installed += 1,
            Event::Drained => {
                self.counts.drained += 1;
                self.kill(host);
                // Once everything is healed nobody stays away for long, or nobody might be left.
                let longest = if self.healed.is_some() { self.setup.suspect } else { self.setup.gap };
                let after = self.rng.below(longest.min(self.setup.gap));
                self.due(after, Due::Boot(host));
            }
            Event::Left { .. } => self.counts.left += 1,
            Event::Arrived { held, .. } => {
                self.counts.arrived += 1;
                self.counts.carried += *held as u64;
            }
            Event::Released { .. } | Event::Lost { .. } | Event::Recovered { .. } => {}
        }
    }

    /// I3: nobody else of this epoch has the token, nor anybody else whose lease runs.
    fn one_token(&mut self, host: usize, name: &Name) {
        let epoch = |host: &Host| host.server.as_ref().and_then(Server::view).map_or(0, |view| view.epoch);
        let here = epoch(&self.hosts[host]);
        let mut found = None;
        for (place, other) in self.hosts.iter().enumerate().filter(|(place, _)| *place != host) {
            let Some(server) = &other.server else { continue };
            let now = other.clock.shows(self.real);
            let has = |lock: &LockStatus| lock.name == *name && lock.state.owner == Some(place as u16);
            if let Some(lock) = server.locks(now, None, 100).iter().find(|lock| has(lock)) {
                let leased = server.status(now).lease[lock.class.index()].0 > 0;
                let there = epoch(other);
                if there == here || leased {
                    found = Some(format!(
                        "{name}: server {host} grants in epoch {here} while server {place} has the token in \
                         epoch {there}, {} leased",
                        if leased { "and is" } else { "not" }
                    ));
                }
            }
        }
        if let Some(what) = found {
            self.auditor.accuse("I3", self.real, what);
        }
    }

    fn sends(&mut self, from: usize, to: usize, message: Message) {
        if self.is_lost() {
            return;
        }
        if self.is_doubled() {
            let after = self.travels();
            self.due(after, Due::Message(from, to, message.clone()));
        }
        let after = self.travels();
        self.due(after, Due::Message(from, to, message));
    }

    /// What meets a cut is lost, mostly; or it comes when the cut is healed.
    fn arrives(&mut self, from: usize, to: usize, message: Message) {
        if self.cut[from][to] {
            self.counts.held_up += 1;
            if self.rng.below(8) == 0 {
                // Not for ever: a ping of somebody who is long dead would have it admitted again and again.
                let after = self.rng.below(2 * self.setup.times.leases[0].0);
                self.due(after, Due::Message(from, to, message));
            }
        } else {
            self.input(to, Input::Peer(from as u16, message));
        }
    }

    /// A command reaches the store.
    pub(crate) fn proposed(&mut self, command: &Command) {
        let Ok(next) = self.view.after(command) else { return };
        self.counts.views += 1;
        self.counts.settled += u64::from(matches!(command, Command::Settle(_)));
        self.counts.left_in_order += u64::from(matches!(command, Command::Left(..)));
        self.note(|| format!("the store: {command:?} is epoch {}", next.epoch));
        let epoch = next.epoch;
        self.view = Arc::new(next);
        self.appends(Arc::clone(&self.view));
        for host in 0..self.hosts.len() {
            if self.rng.below(2) == 0 && !self.hosts[host].store_cut[1] {
                let after = self.travels();
                self.due(after, Due::Hint(host, epoch));
            }
        }
    }

    /// A client asks a server.
    pub(crate) fn asks(&mut self, client: usize, host: usize, asker: Asker, ask: Ask) {
        self.note(|| format!("client {client} asks server {host} ({asker:x}) {ask:?}"));
        if self.is_lost() {
            return;
        }
        if self.is_doubled() {
            let after = self.travels();
            self.due(after, Due::Ask(client, host, asker, ask.clone()));
        }
        let after = self.travels();
        self.due(after, Due::Ask(client, host, asker, ask));
    }

    /// What is still on its way arrives soon, or when it was going to; when the last of it does.
    pub(crate) fn strays(&mut self, soon: bool) -> u64 {
        let mut last = self.real;
        let queue = core::mem::take(&mut self.queue);
        for Reverse((at, sequence, slot)) in queue {
            let strays = match &self.slots[slot] {
                Some(
                    Due::Message(..)
                    | Due::Reads(..)
                    | Due::ReadAnswer(..)
                    | Due::Proposal(_)
                    | Due::Applies(_)
                    | Due::Hint(..)
                    | Due::Ask(..)
                    | Due::Answer(..),
                ) => true,
                Some(
                    Due::Wake(..)
                    | Due::Resume(..)
                    | Due::Gone(..)
                    | Due::ClientWake(_)
                    | Due::Write(..)
                    | Due::Leader(_)
                    | Due::Boot(_),
                )
                | None => false,
            };
            let at = if strays && soon { at.min(self.real + self.setup.delay) } else { at };
            last = if strays { last.max(at) } else { last };
            self.queue.push(Reverse((at, sequence, slot)));
        }
        last
    }

    /// Whether every lock can be granted: all members are there, leased in this view, and their homes open.
    pub(crate) fn is_open(&self) -> bool {
        let serves = |place: &u16| {
            let host = &self.hosts[usize::from(*place)];
            let status = host.server.as_ref().map(|server| server.status(host.clock.shows(self.real)));
            status.is_some_and(|it| {
                let leased = it.lease.iter().all(|left| left.0 > 0);
                it.epoch == self.view.epoch && it.joined && leased && it.recovering == 0
            })
        };
        !self.view.members.is_empty() && self.view.members.keys().all(serves)
    }

    /// Whether a server runs there.
    pub(crate) fn runs(&self, host: usize) -> bool {
        self.hosts[host].server.is_some()
    }
}
