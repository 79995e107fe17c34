//! Central coordinator, surviving a crash: the others elect a new one, which first asks everybody how it stands.
//!
//! **Idea.** A coordinator lets in one after the other. If it crashes, the others elect a new one on the ring of the
//! living, which begins an epoch and lets nobody in before everybody has said how it stands; grants of older epochs are
//! void.
//!
//! **Needs.** FIFO links, or RELEASE may overtake the STATUS that says who is inside; a failure detector that is never
//! wrong. One process may crash, whoever it is; another only when a new coordinator has heard from everybody.
//!
//! **Cost.** 3 per entry of another process while nobody crashes; a crash of the coordinator costs an election among
//! n-1 processes, n-2 NEWCOORD and n-2 STATUS
//!
//! **Source.** after lecture slides; the rules are our own
//!
//! ```
//! use ringleader::{registry::{self, ALL}, sim::{Fault, Scenario}};
//! let scenario = Scenario { faults: vec![Fault::Crash { process: 0, at: 2 }], ..Scenario::new(4) };
//! let run = registry::find(ALL, "central-failover").unwrap().run(&scenario, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;
use std::collections::VecDeque;

state! {
    pub struct CentralFailover {
        me: Peer,
        hidden n: Size,
        hidden elector: Option<Elector>,
        user: Stage = Stage::Idle,
        epoch: u32 = 0,
        coordinator: Peer = Peer(0),
        /// Who is known to have crashed.
        dead: Peers = Peers::default(),
        hidden desk: Desk = Desk::default(),
        ..|me| me.desk.fields().into_iter().filter(|_| me.coordinator == me.me),
        /// The election of the next epoch's coordinator, while it goes on.
        hidden contest: Option<Contest> = None,
        electing = |me| me.contest.is_some(),
    }

    /// What a coordinator keeps in mind; nothing for the others.
    #[derive(Default)]
    struct Desk {
        /// Who was let in last and has not left.
        holder: Option<Peer>,
        queue: VecDeque<Peer>,
        /// Who has not yet said how it stands: nobody is let in before that.
        missing: Peers,
    }
}

messages! {
    /// What processes say to each other, each with its epoch.
    pub enum Msg {
        /// May I?
        "request" Request { epoch: u32 } serves Sender,
        /// You may.
        "granted" Granted { epoch: u32 } serves Receiver,
        /// I have left.
        "release" Release { epoch: u32 } serves Sender,
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
    /// on GRANTED of its own epoch: enter
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
        .family(Family::Coordinator)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .detector()
        .tolerates(Tolerates { crash: true, ..Tolerates::NOTHING })
        .talks(Talks::ToFew)
        .proved("counting: ask, grant, release")
        .at_most_of(Counts::All, "3 per entry", |facts| {
            (facts.top_down + facts.other_faults == 0).then_some(3 * facts.entries)
        })
        .settings(&[Setting {
            name: "election",
            about: "the ring election by which a new coordinator is found",
            values: SettingValues::RingElection { default: "chang-roberts" },
        }])
        .example("-n 4 --crash 0@3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let (late, leads) = (self.dead.has(from), self.coordinator == self.me);
        match msg {
            Msg::Request { .. } | Msg::Release { .. } | Msg::Status { .. } if late => out.rule(Rule::TooLate),
            Msg::Request { epoch } if leads && epoch == self.epoch => {
                out.rule(Rule::Queue);
                self.stands(from, Stage::Waiting as u8, out);
            }
            Msg::Request { .. } => out.impossible("who asks knows who coordinates"),
            Msg::Release { epoch } if leads && epoch == self.epoch && self.desk.holder == Some(from) => {
                out.rule(Rule::Free);
                self.desk.holder = None;
                self.serve(out);
            }
            Msg::Release { .. } => out.impossible("who leaves was let in last, and knows who coordinates"),
            Msg::Granted { epoch } if epoch < self.epoch => out.rule(Rule::Void),
            Msg::Granted { .. } if self.user == Stage::Waiting => {
                out.rule(Rule::Enter);
                self.user = Stage::Inside;
            }
            Msg::Granted { .. } => out.impossible("the coordinator grants what was asked for, once"),
            Msg::Elect { epoch, .. } if epoch <= self.epoch => out.rule(Rule::Late),
            Msg::Elect { epoch, port, msg } if epoch == self.epoch + 1 => {
                // Whoever has not heard of the crash hears of it now.
                out.rule(Rule::Elect);
                self.dead.insert(self.coordinator);
                self.elect(None, out);
                self.elect(Some((port.into(), msg)), out);
            }
            Msg::Elect { .. } => out.impossible("nobody is an election ahead"),
            Msg::NewCoord { epoch } => {
                out.rule(Rule::Follow);
                self.dead.insert(self.coordinator);
                (self.epoch, self.coordinator) = (epoch, from);
                (self.contest, self.desk) = (None, Desk::default());
                out.send(from, Msg::Status { epoch, user: self.user as u8 });
            }
            Msg::Status { epoch, user } if leads && epoch == self.epoch => {
                out.rule(Rule::Status);
                self.desk.missing.remove(from);
                self.stands(from, user, out);
            }
            Msg::Status { .. } => out.impossible("who answers knows who coordinates"),
        }
    }

    fn suspect(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        self.dead.insert(who);
        if who == self.coordinator {
            out.rule(Rule::Crashed);
            self.elect(None, out);
        } else if self.coordinator == self.me {
            out.rule(Rule::Mourn);
            self.desk.queue.retain(|&waiting| waiting != who);
            self.desk.missing.remove(who);
            self.desk.holder.take_if(|holder| *holder == who);
            self.serve(out);
        } else {
            out.rule(Rule::Note);
        }
    }
}

impl CentralFailover {
    /// Says something to the coordinator, which does not send to itself. If it has crashed, the new one will ask.
    fn tell(&mut self, msg: Msg, out: &mut impl Outbox<Self>) {
        if self.coordinator == self.me {
            self.receive(self.me, msg, out);
        } else {
            out.send(self.coordinator, msg);
        }
    }

    /// A process is inside, or waits, or neither. It is queued once, however often it says so.
    fn stands(&mut self, who: Peer, user: u8, out: &mut impl Outbox<Self>) {
        let desk = &mut self.desk;
        if user == Stage::Inside as u8 {
            desk.holder = Some(who);
        } else if user == Stage::Waiting as u8 && desk.holder != Some(who) && !desk.queue.contains(&who) {
            desk.queue.push_back(who);
        }
        self.serve(out);
    }

    /// The first in the queue is let in, if nobody is inside and all have said how they stand.
    fn serve(&mut self, out: &mut impl Outbox<Self>) {
        if self.desk.holder.is_some() || !self.desk.missing.is_empty() {
            return;
        }
        let Some(next) = self.desk.queue.pop_front() else { return };
        out.rule(Rule::Grant);
        self.desk.holder = Some(next);
        if next == self.me {
            self.user = Stage::Inside;
        } else {
            out.send(next, Msg::Granted { epoch: self.epoch });
        }
    }

    /// Starts the election on the ring of the living, or takes a message of it; what goes to itself is no message.
    fn elect(&mut self, first: Option<(u32, Vec<u8>)>, out: &mut impl Outbox<Self>) {
        if first.is_some() != self.contest.is_some() {
            return; // it has started already, or is over
        }
        let Some(elector) = self.elector else {
            return out.impossible("an election was chosen");
        };
        let part = elector.take_part(&mut self.contest, (self.me, self.n, &self.dead), first);
        if let Some(why) = part.impossible {
            out.impossible(why);
        }
        for (to, port, msg) in part.sends {
            out.send(to, Msg::Elect { epoch: self.epoch + 1, port, msg });
        }
        if part.leads {
            self.coordinate(out);
        }
    }

    /// This process is elected: it begins an epoch, and asks everybody how it stands.
    fn coordinate(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Lead);
        (self.epoch, self.coordinator, self.contest) = (self.epoch + 1, self.me, None);
        let others: Peers = self.me.others(self.n).filter(|peer| !self.dead.has(*peer)).collect();
        out.send_all(others.iter(), Msg::NewCoord { epoch: self.epoch });
        self.desk = Desk { missing: others, ..Desk::default() };
        self.stands(self.me, self.user as u8, out);
    }
}

impl Exclusion for CentralFailover {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        self.tell(Msg::Request { epoch: self.epoch }, out);
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.tell(Msg::Release { epoch: self.epoch }, out);
    }
}
