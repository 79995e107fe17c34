//! Singhal, dynamic: of any two processes at least one asks the other, and which one changes.
//!
//! **Idea.** Each process keeps the set of those whom it has to ask. At first these are all before it, so that of any
//! two one asks the other. Who replies to another will ask it; who has a reply need not ask again. So who enters often
//! asks few.
//!
//! **Needs.** A complete graph, and names: they say whom a process asks at first, and decide between equal time stamps.
//!
//! **Cost.** 0 to 2(n-1) per entry; n-1 in the mean for independent requests that come seldom; one message delay from
//! an exit to the next entry
//!
//! **Source.** M. Singhal, IEEE TPDS 3(1):121-125, 1992
//!
//! The rules are as textbooks tell them. The first entry of process i alone costs 2i; when everybody always wants in,
//! an entry costs towards 2(n-1).
//!
//! ```
//! use ringleader::{mutex::SinghalDynamic, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![0, 0, 0, 4]), ..Workload::default() };
//! let run = sim::run_exclusion::<SinghalDynamic>(&Scenario { workload, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 2 * 3); // for the first of four entries
//! ```

use crate::model::*;

state! {
    pub struct SinghalDynamic {
        me: Peer,
        user: Stage = Stage::Idle,
        /// The highest time stamp used or seen.
        clock: Clock = Clock::default(),
        /// The time stamp of its own request; 0 if there is none.
        ts: u64 = 0,
        /// R: whom to ask, and while waiting whose reply is missing; in increasing order.
        request_set: Peers = me.smaller().collect(),
        /// I: who waits for our reply; in increasing order.
        inform_set: Peers = Peers::default(),
        drawn = [clock: clock, request_set: quorum, inform_set: waiting],
    }
}

messages! {
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 } serves Sender,
        /// You may, and this is my time.
        "reply" Reply { t: u64 } serves Receiver,
    }
}

rules! {
    /// C := C + 1; ts := C; send REQUEST(ts) to all in R; enter if there are none
    Want,
    /// on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); I := I + j
    Defer,
    /// on REQUEST(t) from j, waiting with (t, j) < (ts, i): C := max(C, t); R := R + j; send REPLY(C), then REQUEST(ts)
    /// to j
    GiveWay = "give way",
    /// on REQUEST(t) from j, idle: C := max(C, t); R := R + j; send REPLY(C) to j
    Grant,
    /// on REPLY(t) from j, others missing: C := max(C, t); R := R - j
    Reply,
    /// on REPLY(t) from j, the last one missing: likewise; enter
    Enter,
    /// send REPLY(C) to all in I; R := R + I; I := {}
    Exit,
}

impl Process for SinghalDynamic {
    const SPEC: Spec = Spec::exclusion("singhal-dynamic", 1992, include_str!("mod.rs"))
        .family(Family::Permission)
        .errata(include_str!("errata.md"))
        .talks(Talks::ToAll { keeps: 8 })
        .proved("counting: nobody is asked twice for an entry")
        .at_most_per_entry("2(n-1) per entry", |n| 2 * n.saturating_sub(1))
        .example("-n 4");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let (Msg::Request { t } | Msg::Reply { t }) = msg;
        self.clock.raise(t);
        match (msg, self.user) {
            (Msg::Request { .. }, Stage::Idle) => {
                out.rule(Rule::Grant);
                self.request_set.insert(from);
                out.send(from, Msg::Reply { t: self.clock.now() });
            }
            (Msg::Request { .. }, Stage::Waiting) if (t, from) < (self.ts, self.me) => {
                if self.request_set.insert(from) {
                    out.rule(Rule::GiveWay);
                    out.send(from, Msg::Reply { t: self.clock.now() });
                    out.send(from, Msg::Request { t: self.ts });
                } else {
                    // While each has to ask the other, a reply is under way. It is the answer to our request, because
                    // its own is here and not answered; so it asked after it had ours, or gave way to ours.
                    out.impossible("who asks and has to be asked as well comes later");
                }
            }
            (Msg::Request { .. }, Stage::Waiting | Stage::Inside) => {
                out.rule(Rule::Defer);
                if !self.inform_set.insert(from) {
                    out.impossible("it asks once, and not again before it has our reply");
                }
            }
            (Msg::Reply { .. }, Stage::Waiting) => {
                if !self.request_set.remove(from) {
                    out.impossible("who was asked is in R until it replies");
                }
                if self.request_set.is_empty() {
                    out.rule(Rule::Enter);
                    self.user = Stage::Inside;
                } else {
                    out.rule(Rule::Reply);
                }
            }
            (Msg::Reply { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters");
            }
        }
    }
}

impl Exclusion for SinghalDynamic {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.ts = self.clock.tick();
        self.user = if self.request_set.is_empty() { Stage::Inside } else { Stage::Waiting };
        out.send_all(self.request_set.iter(), Msg::Request { t: self.ts });
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.ts = 0;
        for other in self.inform_set.drain() {
            self.request_set.insert(other);
            out.send(other, Msg::Reply { t: self.clock.now() });
        }
    }
}
