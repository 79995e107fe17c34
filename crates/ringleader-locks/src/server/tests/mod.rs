//! Servers wired by hand: a courier carries messages, reads and proposals at once and in order, and time passes only
//! when a test says so. Whoever is cut off hears nothing and is not heard.

mod basics;
mod books;
mod chains;
mod clients;
mod granting;
mod known;
mod leaving;
mod moving;
mod runs;
mod sharing;
mod views;

use super::{Event, Input, Output, Rule, Rules, Server, ServerSpec};
use crate::{
    Answer, Ask, Belief, Class, Command, Denial, Fence, Kind, Message, Mode, Name, Rid, ServerId, SessionId,
    Times, View,
};
use ringleader_live::Micros;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

struct Room {
    rules: Rules,
    now: Micros,
    view: View,
    servers: Vec<Option<Server>>,
    runs: u64,
    cut: BTreeSet<ServerId>,
    /// Messages that are on their way.
    mail: VecDeque<(ServerId, ServerId, Message)>,
    /// Everything but pings that was sent.
    sent: Vec<(ServerId, ServerId, Message)>,
    answers: Vec<(u64, Answer)>,
    events: Vec<(ServerId, Event)>,
    proposed: Vec<(ServerId, Command)>,
    asked: u64,
    /// Whether proposals of servers are carried out.
    proposals: bool,
    /// Messages that are lost.
    loses: fn(&Message) -> bool,
}

impl Room {
    fn new(servers: u16) -> Room {
        Room::with(servers, |_| {})
    }

    /// So many servers that never ran before, all of them members, everything open and settled.
    fn with(servers: u16, change: fn(&mut ServerSpec)) -> Room {
        Room::of(Rules::default(), servers, change)
    }

    /// Servers that leave out this rule.
    fn without(rule: Rule, servers: u16, change: fn(&mut ServerSpec)) -> Room {
        Room::of(Rules::without(rule), servers, change)
    }

    fn of(rules: Rules, servers: u16, change: fn(&mut ServerSpec)) -> Room {
        let classes = vec![("fast/".into(), Class::Fast), ("batch/".into(), Class::Batch)];
        let view = View::new(1, Times::default(), classes);
        let mut room = Room::begins(rules, view, servers, change);
        room.pass(Micros::millis(20_000));
        assert_eq!(room.view.members.len(), usize::from(servers));
        assert!(room.view.past.is_empty());
        room.quiet();
        room
    }

    /// So many servers that start with this view.
    fn begins(rules: Rules, view: View, servers: u16, change: fn(&mut ServerSpec)) -> Room {
        let mut room = Room {
            rules,
            now: Micros::millis(1000),
            view,
            servers: Vec::new(),
            runs: 0,
            cut: BTreeSet::new(),
            mail: VecDeque::new(),
            sent: Vec::new(),
            answers: Vec::new(),
            events: Vec::new(),
            proposed: Vec::new(),
            asked: 0,
            proposals: true,
            loses: |_| false,
        };
        for id in 0..servers {
            room.servers.push(None);
            room.start(id, servers, change);
        }
        room.input(0, Input::Proposes(true));
        room
    }

    /// A new run of a server.
    fn start(&mut self, id: ServerId, servers: u16, change: fn(&mut ServerSpec)) {
        self.runs += 1;
        let mut spec = ServerSpec::new(id, self.runs, (0..servers).collect());
        change(&mut spec);
        self.servers[usize::from(id)] = Some(Server::new(spec, self.now).follows(self.rules));
    }

    /// Forgets what was noted so far.
    fn quiet(&mut self) {
        self.sent.clear();
        self.answers.clear();
        self.events.clear();
        self.proposed.clear();
    }

    fn input(&mut self, id: ServerId, input: Input) {
        self.put(id, input);
        self.deliver();
    }

    fn put(&mut self, id: ServerId, input: Input) {
        let mut out = Vec::new();
        let Some(server) = self.servers[usize::from(id)].as_mut() else { return };
        server.handle(self.now, input, &mut out);
        assert_eq!(server.audit(), Ok(()));
        for output in out {
            match output {
                Output::Send(to, message) => {
                    if !matches!(message, Message::Ping { .. }) {
                        self.sent.push((id, to, message.clone()));
                    }
                    if !(self.loses)(&message) {
                        self.mail.push_back((id, to, message));
                    }
                }
                Output::Read(number) if self.cut.contains(&id) => self.put(id, Input::Read(number, None)),
                Output::Read(number) => self.put(id, Input::Read(number, Some(Arc::new(self.view.clone())))),
                Output::Propose(command) => {
                    if self.proposals && !self.cut.contains(&id) {
                        self.change(&command);
                    }
                    self.proposed.push((id, command));
                }
                Output::Answer(asker, answer) => self.answers.push((asker, answer)),
                Output::Event(event) => self.events.push((id, event)),
            }
        }
    }

    /// A change of the view, if it is meant for this one.
    fn change(&mut self, command: &Command) {
        if let Ok(view) = self.view.after(command) {
            self.view = view;
        }
    }

    /// Everybody reads the view.
    fn hint(&mut self) {
        for id in 0..self.servers.len() {
            self.input(id as ServerId, Input::Hint(self.view.epoch));
        }
    }

    fn deliver(&mut self) {
        while let Some((from, to, message)) = self.mail.pop_front() {
            if !self.cut.contains(&from) && !self.cut.contains(&to) {
                self.put(to, Input::Peer(from, message));
            }
        }
    }

    /// Time passes; everybody is woken when it wants to be.
    fn pass(&mut self, span: Micros) {
        let end = self.now + span;
        loop {
            let wakes = self.servers.iter().flatten().map(Server::wakes_at).min();
            let next = wakes.unwrap_or(end).min(end).max(self.now);
            self.now = next;
            if next == end && wakes.is_none_or(|wakes| wakes > end) {
                return;
            }
            for id in 0..self.servers.len() {
                self.input(id as ServerId, Input::Tick);
            }
        }
    }

    fn server(&self, id: ServerId) -> &Server {
        self.servers[usize::from(id)].as_ref().expect("it runs")
    }

    /// What is answered at once, if anything.
    fn ask(&mut self, id: ServerId, ask: Ask) -> Option<Answer> {
        self.asked += 1;
        let asker = self.asked;
        self.input(id, Input::Client(asker, ask));
        self.answer_to(asker)
    }

    fn answer_to(&self, asker: u64) -> Option<Answer> {
        self.answers.iter().find(|(whom, _)| *whom == asker).map(|(_, answer)| answer.clone())
    }

    fn open(&mut self, id: ServerId) -> SessionId {
        let open = opening(3000, Class::Normal, "test");
        match self.ask(id, open) {
            Some(Answer::Opened { session, .. }) => session,
            other => panic!("{other:?}"),
        }
    }

    fn acquire(&mut self, id: ServerId, session: SessionId, rid: Rid, name: &Name) -> Option<Answer> {
        self.ask(id, acquire(session, rid, name, None))
    }

    /// The fence of a lock that is granted at once.
    fn gets(&mut self, id: ServerId, session: SessionId, rid: Rid, name: &Name) -> Fence {
        match self.acquire(id, session, rid, name) {
            Some(Answer::Granted { fence, .. }) => fence,
            other => panic!("{name} is not granted: {other:?}"),
        }
    }

    fn release(&mut self, id: ServerId, session: SessionId, name: &Name, fence: Fence) -> Option<Answer> {
        self.ask(id, Ask::Release { session, name: name.clone(), fence })
    }

    /// The first grant since the last [`Room::quiet`]: where, and with which fence.
    fn granted(&self) -> Option<(ServerId, Fence)> {
        self.events.iter().find_map(|(at, event)| {
            if let Event::Granted { fence, .. } = event { Some((*at, *fence)) } else { None }
        })
    }

    /// The kinds of the messages that were sent since the last time that was asked, pings apart.
    fn kinds(&mut self) -> String {
        let kinds: Vec<String> = self
            .sent
            .drain(..)
            .map(|(from, to, message)| format!("{} {from}>{to}", message.kind()))
            .collect();
        kinds.join(", ")
    }

    /// A lock that is at home at this server.
    fn lock_at(&self, home: ServerId) -> Name {
        self.name_at(Kind::Lock, home, 0)
    }

    fn name_at(&self, kind: Kind, home: ServerId, from: usize) -> Name {
        let names =
            (from..from + 1000).map(|number| Name::new(kind, &format!("lock {number}")).expect("a name"));
        let mut names = names;
        names.find(|name| self.view.home(name) == Some(home)).expect("every server is a home")
    }
}

/// A session whose client does not follow it.
fn opening(ttl: u64, class: Class, meta: &str) -> Ask {
    Ask::Open { ttl: Micros::millis(ttl), class, meta: meta.into(), owner: "".into(), follows: false }
}

fn acquire(session: SessionId, rid: Rid, name: &Name, wait: Option<Micros>) -> Ask {
    Ask::Acquire {
        session,
        rid,
        name: name.clone(),
        wait,
        priority: 0,
        value: Arc::from([]),
        mode: Mode::Exclusive,
    }
}
