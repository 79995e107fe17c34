//! Central coordinator, surviving a crash: the others elect a new one, which first asks everybody how it stands.
//!
//! **Idea.** A coordinator lets in one after the other. If it crashes, the others elect a new one on the ring of the
//! living, which begins an epoch and lets nobody in before everybody has said how it stands; grants of older epochs are
//! void.
//!
//! **Needs.** A complete graph of named processes, FIFO links, a failure detector that is never wrong. One process may
//! crash, whoever it is; another only when a new coordinator has heard from everybody.
//!
//! **Cost.** 3 per entry of another process while nobody crashes; a crash of the coordinator costs an election among
//! n-1 processes, n-2 NEWCOORD and n-2 STATUS
//!
//! **Source.** after lecture slides; the rules are our own
//!
//! ```
//! use ringleader::registry::{self, ALL};
//! use ringleader::sim::{Fault, Scenario};
//! let scenario = Scenario { faults: vec![Fault::Crash { process: 0, at: 2 }], ..Scenario::new(4) };
//! let run = registry::find(ALL, "central-failover").unwrap().run(&scenario, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;
use std::collections::VecDeque;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CentralFailover {
    me: Peer,
    n: Size,
    elector: Option<Elector>,
    user: Stage,
    epoch: u32,
    coordinator: Peer,
    /// Who is known to have crashed, in increasing order.
    dead: Vec<Peer>,
    /// What a coordinator has to keep in mind; nothing for the others.
    desk: Option<Desk>,
    /// The election of the next epoch's coordinator, while it goes on.
    contest: Option<Contest>,
}

/// What a coordinator keeps in mind.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Desk {
    /// Who was let in last and has not left.
    holder: Option<Peer>,
    /// Who waits.
    queue: VecDeque<Peer>,
    /// Who has not yet said how it stands: nobody is let in before that.
    missing: Vec<Peer>,
}

messages! {
    /// What processes say to each other, each with its epoch.
    pub enum Msg {
        /// May I?
        "request" Request { epoch: u32 },
        /// You may.
        "granted" Granted { epoch: u32 },
        /// I have left.
        "release" Release { epoch: u32 },
        /// A message of the election on the ring of the living: the port that it arrives at, and its wire form.
        "elect" Elect { epoch: u32, port: u8, msg: Vec<u8> },
        /// I coordinate from now on.
        "newcoord" NewCoord { epoch: u32 },
        /// This is how I stand: 0 idle, 1 waiting, 2 inside.
        "status" Status { epoch: u32, user: u8 },
    }
}

rules! {
    /// send REQUEST(e) to the coordinator; the coordinator asks itself
    Want,
    /// coordinator, on REQUEST(e) from j: append j to the queue, if it is not there
    Queue,
    /// coordinator, nobody inside, no STATUS missing: take h off the queue; holder := h; send GRANTED(e)
    Grant,
    /// on GRANTED of the own epoch: enter
    Enter,
    /// on GRANTED of an older epoch: nothing
    Void,
    /// leave; send RELEASE(e) to the coordinator
    Exit,
    /// coordinator, on RELEASE(e) from the holder: holder := nobody
    Free,
    /// the coordinator has crashed: take part in an election for epoch e+1
    Crashed,
    /// coordinator, j has crashed: forget it; if it was inside nobody is any more
    Mourn,
    /// somebody else has crashed: remember it
    Note,
    /// on a message of one that has crashed: nothing
    TooLate = "too late",
    /// on a message of the election for e+1: take part
    Elect,
    /// on a message of an election that is over: nothing
    Late,
    /// elected: e := e+1; send NEWCOORD(e) to all that live; wait for STATUS(e) of each
    Lead,
    /// on NEWCOORD(e'): e := e'; that is the coordinator; answer STATUS(e, where I stand)
    Follow,
    /// coordinator, on STATUS(e, s) from j: inside: holder := j; waiting: append j to the queue, once
    Status,
}

impl Process for CentralFailover {
    const SPEC: Spec = Spec::exclusion("central-failover", 1979, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .detector()
        .tolerates(Tolerates { crash: true, ..Tolerates::NOTHING })
        .talks(Talks::ToFew)
        .at_most(Counts::All, Basis::Proved("?"), "3 per entry", |facts| {
            (facts.top_down + facts.other_faults == 0).then_some(3 * facts.entries)
        })
        .settings(&[Setting {
            name: "election",
            about: "the ring election by which a new coordinator is found",
            values: SettingValues::RingElection { default: "chang-roberts" },
        }])
        .example("-n 4 --crash 0@3 --entries 2");
    type Given = (Peer, Size, Option<Elector>);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new((me, n, elector): (Peer, Size, Option<Elector>)) -> Self {
        let coordinator = Peer(0);
        CentralFailover {
            me,
            n,
            elector,
            user: Stage::Idle,
            epoch: 0,
            coordinator,
            dead: Vec::new(),
            desk: (me == coordinator).then(Desk::default),
            contest: None,
        }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Request { epoch } => self.asked(from, epoch, out),
            Msg::Release { epoch } => self.released(from, epoch, out),
            Msg::Granted { epoch } if epoch < self.epoch => out.rule(Rule::Void),
            Msg::Granted { .. } => match self.user {
                Stage::Waiting => {
                    out.rule(Rule::Enter);
                    self.user = Stage::Inside;
                }
                Stage::Idle | Stage::Inside => {
                    out.impossible("the coordinator grants what was asked for, once")
                }
            },
            Msg::Elect { epoch, .. } if epoch <= self.epoch => out.rule(Rule::Late),
            Msg::Elect { epoch, port, msg } => self.elect(epoch, port, &msg, out),
            Msg::NewCoord { epoch } => {
                out.rule(Rule::Follow);
                mark_dead(&mut self.dead, self.coordinator);
                (self.epoch, self.coordinator) = (epoch, from);
                (self.contest, self.desk) = (None, None);
                out.send(from, Msg::Status { epoch, user: self.user as u8 });
            }
            Msg::Status { epoch, user } => self.status(from, epoch, user, out),
        }
    }

    fn suspect(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        mark_dead(&mut self.dead, who);
        if who == self.coordinator {
            out.rule(Rule::Crashed);
            self.contend(out);
        } else if let Some(desk) = &mut self.desk {
            out.rule(Rule::Mourn);
            desk.forget(who);
            self.serve(out);
        } else {
            out.rule(Rule::Note);
        }
    }
}

impl State for CentralFailover {
    fn fields(&self) -> Fields {
        let mut fields = fields!(self; me, user, epoch, coordinator, dead);
        if let Some(desk) = &self.desk {
            fields.push(("holder", desk.holder.show()));
            fields.push(("queue", desk.queue.iter().copied().collect::<Vec<Peer>>().show()));
            fields.push(("missing", desk.missing.show()));
        }
        fields.push(("electing", self.contest.is_some().show()));
        fields
    }
}

/// Somebody has crashed.
fn mark_dead(dead: &mut Vec<Peer>, who: Peer) {
    if let Err(place) = dead.binary_search(&who) {
        dead.insert(place, who);
    }
}

impl Desk {
    /// A process waits; it is queued once, however often it says so.
    fn queue_once(&mut self, who: Peer) {
        if self.holder != Some(who) && !self.queue.contains(&who) {
            self.queue.push_back(who);
        }
    }

    /// A process has crashed: it is not inside, does not wait, and will say nothing.
    fn forget(&mut self, who: Peer) {
        self.queue.retain(|&waiting| waiting != who);
        self.missing.retain(|&missing| missing != who);
        if self.holder == Some(who) {
            self.holder = None;
        }
    }
}

impl CentralFailover {
    /// The coordinator is asked; by itself, too.
    fn asked(&mut self, by: Peer, epoch: u32, out: &mut impl Outbox<Self>) {
        match &mut self.desk {
            _ if self.dead.contains(&by) => out.rule(Rule::TooLate),
            Some(desk) if epoch == self.epoch => {
                out.rule(Rule::Queue);
                desk.queue_once(by);
                self.serve(out);
            }
            Some(_) | None => out.impossible("who asks knows who coordinates"),
        }
    }

    /// The coordinator is told that somebody has left.
    fn released(&mut self, by: Peer, epoch: u32, out: &mut impl Outbox<Self>) {
        match &mut self.desk {
            _ if self.dead.contains(&by) => out.rule(Rule::TooLate),
            Some(desk) if epoch == self.epoch && desk.holder == Some(by) => {
                out.rule(Rule::Free);
                desk.holder = None;
                self.serve(out);
            }
            Some(_) | None => out.impossible("who leaves was let in last, and knows who coordinates"),
        }
    }

    /// The coordinator hears how a process stands.
    fn status(&mut self, from: Peer, epoch: u32, user: u8, out: &mut impl Outbox<Self>) {
        match &mut self.desk {
            _ if self.dead.contains(&from) => out.rule(Rule::TooLate),
            Some(desk) if epoch == self.epoch => {
                out.rule(Rule::Status);
                desk.missing.retain(|&missing| missing != from);
                if user == Stage::Inside as u8 {
                    desk.holder = Some(from);
                } else if user == Stage::Waiting as u8 {
                    desk.queue_once(from);
                }
                self.serve(out);
            }
            Some(_) | None => out.impossible("who answers knows who coordinates"),
        }
    }

    /// The first in the queue is let in, if nobody is inside and all have said how they stand.
    fn serve(&mut self, out: &mut impl Outbox<Self>) {
        let Some(desk) = &mut self.desk else { return };
        if desk.holder.is_some() || !desk.missing.is_empty() {
            return;
        }
        let Some(next) = desk.queue.pop_front() else { return };
        out.rule(Rule::Grant);
        desk.holder = Some(next);
        if next == self.me {
            self.user = Stage::Inside;
        } else {
            out.send(next, Msg::Granted { epoch: self.epoch });
        }
    }

    /// The living, in the order of the ring.
    fn ring(&self) -> Vec<Peer> {
        (0..self.n.0).map(Peer).filter(|peer| !self.dead.contains(peer)).collect()
    }

    /// The coordinator is gone: this process takes part in the election of the next.
    fn contend(&mut self, out: &mut impl Outbox<Self>) {
        if self.contest.is_some() {
            return;
        }
        let ring = self.ring();
        let place = ring.iter().position(|&peer| peer == self.me).unwrap_or(0) as u32;
        let Some(elector) = self.elector else {
            return out.impossible("an election was chosen");
        };
        let mut contest = elector.candidate(place, ring.len() as u32, place);
        let asks = contest.start();
        self.contest = Some(contest);
        self.carry(asks, out);
    }

    /// A message of the election. Whoever has not heard of the crash hears of it now.
    fn elect(&mut self, epoch: u32, port: u8, msg: &[u8], out: &mut impl Outbox<Self>) {
        if epoch != self.epoch + 1 {
            return out.impossible("nobody is an election ahead");
        }
        out.rule(Rule::Elect);
        mark_dead(&mut self.dead, self.coordinator);
        self.contend(out);
        if let Some(contest) = &mut self.contest {
            match contest.receive(u32::from(port), msg) {
                Ok(asks) => self.carry(asks, out),
                Err(_) => out.impossible("all hold the same election"),
            }
        }
    }

    /// Carries out what the election asks for; what goes to this process itself is no message.
    fn carry(&mut self, asks: Asks, out: &mut impl Outbox<Self>) {
        let ring = self.ring();
        let place = ring.iter().position(|&peer| peer == self.me).unwrap_or(0);
        let epoch = self.epoch + 1;
        let mut waiting = VecDeque::from([asks]);
        while let Some(asks) = waiting.pop_front() {
            if let Some(why) = asks.impossible {
                out.impossible(why);
            }
            for (port, msg) in asks.sends {
                let (to, arrival) = match port {
                    0 => (ring[(place + 1) % ring.len()], self.other_side(0)),
                    _ => (ring[(place + ring.len() - 1) % ring.len()], self.other_side(1)),
                };
                match &mut self.contest {
                    Some(contest) if to == self.me => match contest.receive(arrival, &msg) {
                        Ok(more) => waiting.push_back(more),
                        Err(_) => out.impossible("all hold the same election"),
                    },
                    _ => out.send(to, Msg::Elect { epoch, port: arrival as u8, msg }),
                }
            }
        }
        if self.contest.as_ref().is_some_and(Contest::leads) {
            self.coordinate(epoch, out);
        }
    }

    /// Where a message arrives that leaves by this port: at the other side, if the ring has two.
    fn other_side(&self, port: u32) -> u32 {
        if self.elector.is_some_and(|elector| elector.two_way) { 1 - port } else { port }
    }

    /// This process is elected: it begins an epoch, and asks everybody how it stands.
    fn coordinate(&mut self, epoch: u32, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Lead);
        (self.epoch, self.coordinator, self.contest) = (epoch, self.me, None);
        let others: Vec<Peer> = self.ring().into_iter().filter(|&peer| peer != self.me).collect();
        for &other in &others {
            out.send(other, Msg::NewCoord { epoch });
        }
        let mut desk = Desk { missing: others, ..Desk::default() };
        match self.user {
            Stage::Idle => {}
            Stage::Waiting => desk.queue_once(self.me),
            Stage::Inside => desk.holder = Some(self.me),
        }
        self.desk = Some(desk);
        self.serve(out);
    }
}

impl Exclusion for CentralFailover {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        if self.coordinator == self.me {
            self.asked(self.me, self.epoch, out);
        } else {
            // If it has crashed the request is lost, and the new one will ask.
            out.send(self.coordinator, Msg::Request { epoch: self.epoch });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        if self.coordinator == self.me {
            self.released(self.me, self.epoch, out);
        } else {
            out.send(self.coordinator, Msg::Release { epoch: self.epoch });
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { .. } | Msg::Release { .. } => Charge::Sender,
            Msg::Granted { .. } => Charge::Receiver,
            Msg::Elect { .. } | Msg::NewCoord { .. } | Msg::Status { .. } => Charge::Nobody,
        }
    }
}

/// Without epochs: a grant of the old coordinator is as good as one of the new (erratum C6, first half).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct CentralWithoutEpochs;

impl Variant for CentralWithoutEpochs {
    type Right = CentralFailover;
    const TEXT: Text = Text {
        name: "central@x1",
        title: "Central coordinator with an election and without epochs",
        erratum: "C6",
        idea: "Without epochs a grant of the dead coordinator may still arrive after the new one has heard that its \
               receiver waits and has let somebody else in: two are inside.",
        rules: &[RuleText { name: "void", text: "never: on GRANTED of any epoch, waiting: enter" }],
        example: "-n 3 --schedule delay:exp:8 --crash 0@6 --entries 0,1,1 --hold 9 --seed 187",
    };

    fn receive(
        &mut self,
        right: &mut CentralFailover,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<CentralFailover>,
    ) {
        let counts = matches!(msg, Msg::Granted { .. }) && right.user == Stage::Waiting;
        let msg = if counts { Msg::Granted { epoch: right.epoch } } else { msg };
        right.receive(from, msg, out);
    }

    /// A coordinator that was let in by the one before it has nothing to tell itself.
    fn release(&mut self, right: &mut CentralFailover, out: &mut impl Outbox<CentralFailover>) {
        match &right.desk {
            Some(desk) if desk.holder != Some(right.me) => {
                out.rule(Rule::Exit);
                right.user = Stage::Idle;
            }
            Some(_) | None => right.release(out),
        }
    }
}

/// Without STATUS: the new coordinator lets in at once (erratum C6, second half).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct CentralWithoutStatus;

impl CentralWithoutStatus {
    fn wait_for_nobody(right: &mut CentralFailover, out: &mut impl Outbox<CentralFailover>) {
        if let Some(desk) = &mut right.desk {
            desk.missing.clear();
        }
        right.serve(out);
    }
}

impl Variant for CentralWithoutStatus {
    type Right = CentralFailover;
    const TEXT: Text = Text {
        name: "central@x2",
        title: "Central coordinator with an election that asks nobody",
        erratum: "C6",
        idea: "A new coordinator that lets in before it has heard from everybody does not know who is inside: two are.",
        rules: &[RuleText {
            name: "lead",
            text: "elected: epoch + 1; send NEWCOORD to all that live; let in at once",
        }],
        example: "-n 3 --crash 0@4 --hold 30 --entries 0,1,1",
    };

    fn receive(
        &mut self,
        right: &mut CentralFailover,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<CentralFailover>,
    ) {
        right.receive(from, msg, out);
        Self::wait_for_nobody(right, out);
    }

    fn suspect(&mut self, right: &mut CentralFailover, who: Peer, out: &mut impl Outbox<CentralFailover>) {
        right.suspect(who, out);
        Self::wait_for_nobody(right, out);
    }
}
