//! Singhal, dynamic: of any two processes at least one asks the other, and which one changes.
//!
//! **Idea.** Each process keeps the set of those that it has to ask, and of those that it has to inform. At first
//! process i asks all before it: of any two, one asks the other. Who replies to another moves it into its own set of
//! those to ask; who has its reply takes it out. So the sets follow the activity: who enters often asks few.
//!
//! **Needs.** A complete graph of named processes, reliable links in any order. The clock must be raised to every time
//! stamp received.
//!
//! **Cost.** 0 to 2(n−1) messages per entry: 2i for the first entry of process i alone (counting from 0), n−1 in the
//! mean when independent requests come seldom, towards 2(n−1) when everybody always wants in. One message delay between
//! an exit and the next entry. Of requests that meet, the smaller (time stamp, name) comes first.
//!
//! **Source.** M. Singhal, A dynamic information-structure mutual exclusion algorithm for distributed systems, IEEE
//! TPDS 3(1):121–125, 1992; as told in textbooks, which put a process into its own sets, where it has no business.
//!
//! ```
//! use ringleader::{mutex::SinghalDynamic, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![0, 0, 0, 4]), ..Workload::default() };
//! let run = sim::run_exclusion::<SinghalDynamic>(&Scenario { workload, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 2 * 3); // for the first of four entries
//! ```

use crate::model::{
    Bound, Charge, Clock, Cost, Counts, Erratum, Exclusion, Fields, Needs, Never, Order, Outbox, Peer, Peers,
    Process, Promises, Reached, Rule, Spec, Stage, Talks, fields, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SinghalDynamic {
    me: Peer,
    /// The highest time stamp used or seen.
    clock: Clock,
    user: Stage,
    /// The time stamp of the own request; 0 if there is none.
    ts: u64,
    /// R: whom to ask, and while waiting whose reply is missing; in increasing order.
    request_set: Peers,
    /// I: who waits for our reply; in increasing order.
    inform_set: Peers,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 },
        /// You may, and this is my time.
        "reply" Reply { t: u64 },
    }
}

impl Process for SinghalDynamic {
    const SPEC: Spec = SPEC;
    type Given = Peer;
    type Port = Peer;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(me: Peer) -> Self {
        let request_set = (0..me.0).map(Peer).collect();
        let clock = Clock::default();
        SinghalDynamic { me, clock, user: Stage::Idle, ts: 0, request_set, inform_set: Peers::default() }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let (Msg::Request { t } | Msg::Reply { t }) = msg;
        self.clock.raise(t);
        match (msg, self.user) {
            (Msg::Request { .. }, Stage::Idle) => {
                out.rule("grant");
                self.request_set.insert(from);
                out.send(from, Msg::Reply { t: self.clock.now() });
            }
            (Msg::Request { .. }, Stage::Waiting) => {
                if (self.ts, self.me) < (t, from) {
                    self.defer(from, out);
                } else if self.request_set.insert(from) {
                    out.rule("give way");
                    out.send(from, Msg::Reply { t: self.clock.now() });
                    out.send(from, Msg::Request { t: self.ts });
                } else {
                    // While each has to ask the other, a reply is under way. It is the answer to our request, because
                    // its own is here and not answered; so it asked after it had ours, or gave way to ours.
                    out.impossible("who asks and has to be asked as well comes later");
                }
            }
            (Msg::Request { .. }, Stage::Inside) => self.defer(from, out),
            (Msg::Reply { .. }, Stage::Waiting) => {
                if !self.request_set.remove(from) {
                    out.impossible("who was asked is in R until it replies");
                }
                if self.request_set.is_empty() {
                    out.rule("enter");
                    self.user = Stage::Inside;
                } else {
                    out.rule("reply");
                }
            }
            (Msg::Reply { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters");
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; me, user, clock, ts, request_set, inform_set)
    }
}

impl SinghalDynamic {
    /// It has to wait for our reply.
    fn defer(&mut self, from: Peer, out: &mut impl Outbox<Self>) {
        out.rule("defer");
        if !self.inform_set.insert(from) {
            out.impossible("it asks once, and not again before it has our reply");
        }
    }
}

impl Exclusion for SinghalDynamic {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.ts = self.clock.tick();
        self.user = if self.request_set.is_empty() { Stage::Inside } else { Stage::Waiting };
        for other in self.request_set.iter() {
            out.send(other, Msg::Request { t: self.ts });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        self.ts = 0;
        for other in self.inform_set.drain() {
            self.request_set.insert(other);
            out.send(other, Msg::Reply { t: self.clock.now() });
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { .. } => Charge::Sender,
            Msg::Reply { .. } => Charge::Receiver,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "singhal-dynamic",
    aliases: &[],
    title: "Singhal, dynamic",
    year: 1992,
    source: "M. Singhal, IEEE TPDS 3(1):121-125, 1992",
    idea: "Each process keeps the set of those whom it has to ask. At first these are all before it, so that of any \
           two one asks the other. Who replies to another will ask it; who has a reply need not ask again. So who \
           enters often asks few.",
    needs: Needs { reached: Reached::Relays, talks: Talks::ToAll { keeps: 8 }, ..Needs::NOTHING },
    promises: Promises::Exclusion { order: Order::Fair, falls_silent: true },
    cost: Cost {
        worst: Some(Bound {
            formula: "2(n-1) per entry",
            counts: Counts::All,
            value: |facts| Some(2 * facts.n.saturating_sub(1) * facts.entries),
        }),
        average: None,
        words: "0 to 2(n-1) per entry; n-1 in the mean for independent requests that come seldom; one message \
                delay from an exit to the next entry",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule {
            name: "want",
            text: "C := C + 1; ts := C; send REQUEST(ts) to all in R; enter if there are none",
        },
        Rule {
            name: "defer",
            text: "on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); I := I + j",
        },
        Rule {
            name: "give way",
            text: "on REQUEST(t) from j, waiting with (t, j) < (ts, i): C := max(C, t); R := R + j; send REPLY(C), \
                   then REQUEST(ts) to j",
        },
        Rule {
            name: "grant",
            text: "on REQUEST(t) from j, idle: C := max(C, t); R := R + j; send REPLY(C) to j",
        },
        Rule { name: "reply", text: "on REPLY(t) from j, others missing: C := max(C, t); R := R - j" },
        Rule { name: "enter", text: "on REPLY(t) from j, the last one missing: likewise; enter" },
        Rule { name: "exit", text: "send REPLY(C) to all in I; R := R + I; I := {}" },
    ],
    errata: &[
        Erratum {
            id: "S2",
            text: "textbooks put the process itself into R and I, where it has nothing to ask or to tell; the \
                   request that catches up may carry ts or the time of the clock, both are right",
        },
        Erratum {
            id: "R2",
            text: "requests are not served in the order of time stamps over the whole run: who has nobody to ask \
                   enters before earlier requests have arrived",
        },
    ],
    example: "-n 4",
};
