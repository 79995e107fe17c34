//! Carvalho–Roucairol: a permission is good until somebody asks for it.
//!
//! **Idea.** As Ricart-Agrawala, but a reply stays good until the process that gave it asks in turn: only those whose
//! permission is not at hand are asked. Who gives way while it waits asks for the permission that it thereby lost.
//!
//! **Needs.** A clock that is raised to every time stamp received, for the same reason as Ricart-Agrawala. Links may
//! deliver in any order.
//!
//! **Cost.** 0 to 2(n-1) per entry; n-1 in the mean for independent requests that come seldom; one message delay from
//! an exit to the next entry
//!
//! **Source.** O. S. F. Carvalho, G. Roucairol, CACM 26(2):146-147, 1983
//!
//! The mean tends towards 2(n-1) when everybody always wants in.
//!
//! ```
//! use ringleader::{mutex::CarvalhoRoucairol, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![5, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<CarvalhoRoucairol>(&Scenario { workload, ..Scenario::new(3) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 2 * 2); // for the first of five entries
//! ```

use crate::model::*;

state! {
    pub struct CarvalhoRoucairol {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        /// The highest time stamp used or seen.
        clock: Clock = Clock::default(),
        /// The time stamp of its own request; 0 if there is none.
        ts: u64 = 0,
        /// Whose permission we hold.
        auth: Peers = Peers::default(),
        /// Who waits for our reply.
        deferred: Peers = Peers::default(),
        drawn = [clock: clock, auth: quorum, deferred: waiting],
    }
}

messages! {
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 } serves Sender,
        /// You may, until I ask.
        "reply" Reply serves Receiver,
    }
}

rules! {
    /// C := C + 1; ts := C; send REQUEST(ts) to all others that are not in auth; enter if there are none
    Want,
    /// on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); remember j
    Defer,
    /// on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j; auth := auth - j
    Grant,
    /// likewise, waiting, and j was in auth: then send REQUEST(ts) to j
    AskBack = "ask back",
    /// on REPLY from j, others missing: auth := auth + j
    Reply,
    /// on REPLY from j, the last one missing: auth := auth + j; enter
    Enter,
    /// send REPLY to all that were remembered, auth := auth - these; forget them
    Exit,
}

impl Process for CarvalhoRoucairol {
    const SPEC: Spec = Spec::exclusion("carvalho-roucairol", 1983, include_str!("mod.rs"))
        .family(Family::Permission)
        .errata(include_str!("errata.md"))
        .talks(Talks::ToAll { keeps: 8 })
        .proved("counting: for an entry nobody is asked twice, and each request has one reply")
        .at_most_per_entry("2(n-1) per entry", |n| 2 * n.saturating_sub(1))
        .example("-n 3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { t }, user) => {
                self.clock.raise(t);
                let earlier = match user {
                    Stage::Idle => false,
                    Stage::Waiting => (self.ts, self.me) < (t, from),
                    Stage::Inside => true,
                };
                if earlier {
                    out.rule(Rule::Defer);
                    if !self.deferred.insert(from) {
                        out.impossible("it asks once, and not again before it has our reply");
                    }
                } else {
                    out.rule(Rule::Grant);
                    out.send(from, Msg::Reply {});
                    if self.auth.remove(from) && user == Stage::Waiting {
                        out.rule(Rule::AskBack);
                        out.send(from, Msg::Request { t: self.ts });
                    }
                }
            }
            (Msg::Reply {}, Stage::Waiting) => {
                if !self.auth.insert(from) {
                    out.impossible("who gave its permission is not asked again");
                }
                if self.may_enter() {
                    out.rule(Rule::Enter);
                    self.user = Stage::Inside;
                } else {
                    out.rule(Rule::Reply);
                }
            }
            (Msg::Reply {}, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters");
            }
        }
    }
}

impl CarvalhoRoucairol {
    /// Whether everybody's permission is here.
    fn may_enter(&self) -> bool {
        self.auth.len() + 1 >= self.n.0 as usize
    }
}

impl Exclusion for CarvalhoRoucairol {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.ts = self.clock.tick();
        self.user = if self.may_enter() { Stage::Inside } else { Stage::Waiting };
        for other in self.me.others(self.n).filter(|other| !self.auth.has(*other)) {
            out.send(other, Msg::Request { t: self.ts });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.ts = 0;
        for other in self.deferred.drain() {
            self.auth.remove(other);
            out.send(other, Msg::Reply {});
        }
    }
}
