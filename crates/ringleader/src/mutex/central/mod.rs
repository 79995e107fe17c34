//! Central coordinator: one process keeps a queue and lets in the others.
//!
//! **Idea.** Who wants in asks the coordinator, which grants at once if nobody is inside and queues the request
//! otherwise. Who leaves tells it, and the first in the queue is granted.
//!
//! **Needs.** Named processes, each linked with the coordinator. Links may reorder, but lose nothing. Nobody crashes:
//! `central-failover` survives that.
//!
//! **Cost.** exactly 3 per entry of another process, 0 for the coordinator's own: 3(n-1)/n on average if all ask alike;
//! with --denied one more for each request that waits; two message delays from an exit to the next entry, one if the
//! coordinator is one of the two
//!
//! **Source.** lecture slides; folklore
//!
//! ```
//! use ringleader::{mutex::Central, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Central>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 3); // four entries, one of them the coordinator's own
//! ```

use crate::model::*;
use std::collections::VecDeque;

state! {
    pub struct Central {
        me: Peer,
        told settings: Settings,
        user: Stage = Stage::Idle,
        /// Whether those who have to wait are told.
        hidden denies: bool = settings.0[0] == 1,
        /// The coordinator's: who was let in last and has not left; nobody at first.
        hidden holder: Option<Peer> = None,
        /// The coordinator's: who has asked since, in the order of arrival.
        hidden queue: VecDeque<Peer> = VecDeque::new(),
        ..|me| [("holder", me.holder.show()), ("queue", me.queue.show())]
            .into_iter()
            .filter(|_| me.me == COORDINATOR),
        drawn = [queue: waiting],
    }
}

/// The coordinator.
const COORDINATOR: Peer = Peer(0);

messages! {
    /// What processes say to the coordinator, and it to them.
    pub enum Msg {
        /// May I?
        "request" Request serves Sender,
        /// You may.
        "granted" Granted serves Receiver,
        /// You have to wait.
        "denied" Denied serves Receiver,
        /// I have left.
        "release" Release serves Sender,
    }
}

rules! {
    /// send REQUEST to the coordinator; the coordinator asks itself
    Want,
    /// coordinator, on REQUEST from j, holder = nobody: holder := j; send GRANTED to j
    Grant,
    /// coordinator, on REQUEST from j otherwise: append j to the queue (and send DENIED to j, if denied)
    Queue,
    /// on GRANTED: enter
    Enter,
    /// on DENIED, whenever it comes: nothing
    Denied,
    /// leave; send RELEASE to the coordinator
    Exit,
    /// coordinator, on RELEASE, the queue empty: holder := nobody
    Free,
    /// coordinator, on RELEASE otherwise: take h off the queue; holder := h; send GRANTED to h
    Next,
}

impl Process for Central {
    const SPEC: Spec = Spec::exclusion("central", 1979, include_str!("mod.rs"))
        .family(Family::Coordinator)
        .errata(include_str!("errata.md"))
        .talks(Talks::ToFew)
        .proved("counting: 3, or 4 with DENIED")
        .at_most_of(Counts::All, "3 or 4 per entry", |facts| {
            Some((3 + u64::from(facts.settings.0[0])) * facts.entries)
        })
        .settings(&[
            Setting::one_of("denied", "whether those who have to wait are told so", &["no", "yes"]),
            Setting::elsewhere(
                "election",
                "the ring election by which a new coordinator is found after a crash",
                "central-failover",
            ),
        ])
        .example("-n 4 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request {}, _) if self.holder.is_none() => {
                out.rule(Rule::Grant);
                self.let_in(from, out);
            }
            (Msg::Request {}, _) => {
                out.rule(Rule::Queue);
                self.queue.push_back(from);
                if self.denies && from != self.me {
                    out.send(from, Msg::Denied {});
                }
            }
            (Msg::Release {}, _) if self.holder != Some(from) => out.impossible("who leaves was let in last"),
            (Msg::Release {}, _) => match self.queue.pop_front() {
                None => {
                    out.rule(Rule::Free);
                    self.holder = None;
                }
                Some(next) => {
                    out.rule(Rule::Next);
                    self.let_in(next, out);
                }
            },
            (Msg::Granted {}, Stage::Waiting) => {
                out.rule(Rule::Enter);
                self.user = Stage::Inside;
            }
            (Msg::Granted {}, Stage::Idle | Stage::Inside) => {
                out.impossible("the coordinator grants what was asked for, once");
            }
            // It may come after the grant, even with the next request under way.
            (Msg::Denied {}, _) => out.rule(Rule::Denied),
        }
    }
}

impl Central {
    /// Says something to the coordinator, which does not send to itself.
    fn tell(&mut self, msg: Msg, out: &mut impl Outbox<Self>) {
        if self.me == COORDINATOR {
            self.receive(self.me, msg, out);
        } else {
            out.send(COORDINATOR, msg);
        }
    }

    /// The next one enters.
    fn let_in(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        self.holder = Some(who);
        if who == self.me {
            self.user = Stage::Inside;
        } else {
            out.send(who, Msg::Granted {});
        }
    }
}

impl Exclusion for Central {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        self.tell(Msg::Request {}, out);
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.tell(Msg::Release {}, out);
    }
}
