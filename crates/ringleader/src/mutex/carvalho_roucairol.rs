//! Carvalho–Roucairol: a permission is good until somebody asks for it.
//!
//! **Idea.** As Ricart–Agrawala, but a reply stays valid for the next entries as well: a process asks only those whose
//! permission it does not hold, and loses a permission when it gives its own to that process. A waiting process that
//! gives way to an earlier request, and held the permission of that process, has to ask for it back.
//!
//! **Needs.** A complete graph of named processes, reliable links in any order. The clock must be raised to every time
//! stamp received.
//!
//! **Cost.** 0 to 2(n−1) messages per entry: nothing for a process that enters again and again, n−1 in the mean when
//! independent requests come seldom, towards 2(n−1) when everybody always wants in. One message delay between an exit
//! and the next entry. Of requests that meet, the smaller (time stamp, name) comes first; there is no order over the
//! whole run.
//!
//! **Source.** O. S. F. Carvalho and G. Roucairol, On mutual exclusion in computer networks, CACM 26(2):146–147, 1983.
//! Retold without the request that asks a permission back it comes to a standstill (erratum CR1).
//!
//! ```
//! use ringleader::{mutex::CarvalhoRoucairol, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![5, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<CarvalhoRoucairol>(&Scenario { workload, ..Scenario::new(3) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 2 * 2); // for the first of five entries
//! ```

use crate::model::{
    Bound, Charge, Clock, Cost, Counts, Erratum, Exclusion, Fields, Needs, Never, Order, Outbox, Peer, Peers,
    Process, Promises, Reached, Rule, Size, Spec, Stage, Talks, Text, Variant, fields, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CarvalhoRoucairol {
    me: Peer,
    n: Size,
    /// The highest time stamp used or seen.
    clock: Clock,
    user: Stage,
    /// The time stamp of the own request; 0 if there is none.
    ts: u64,
    /// Whose permission we hold: a set, in increasing order.
    auth: Peers,
    /// Who waits for our reply: a set, in increasing order.
    deferred: Peers,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 },
        /// You may, until I ask.
        "reply" Reply,
    }
}

impl Process for CarvalhoRoucairol {
    const SPEC: Spec = SPEC;
    type Given = (Peer, Size);
    type Port = Peer;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new((me, n): (Peer, Size)) -> Self {
        let clock = Clock::default();
        CarvalhoRoucairol {
            me,
            n,
            clock,
            user: Stage::Idle,
            ts: 0,
            auth: Peers::default(),
            deferred: Peers::default(),
        }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { t }, Stage::Idle) => {
                self.clock.raise(t);
                self.grant(from, out);
            }
            (Msg::Request { t }, Stage::Waiting) => {
                self.clock.raise(t);
                if (self.ts, self.me) < (t, from) {
                    self.defer(from, out);
                } else if self.grant(from, out) {
                    out.rule("ask back");
                    out.send(from, Msg::Request { t: self.ts });
                }
            }
            (Msg::Request { t }, Stage::Inside) => {
                self.clock.raise(t);
                self.defer(from, out);
            }
            (Msg::Reply {}, Stage::Waiting) => {
                if !self.auth.insert(from) {
                    out.impossible("who gave its permission is not asked again");
                }
                if self.may_enter() {
                    out.rule("enter");
                    self.user = Stage::Inside;
                } else {
                    out.rule("reply");
                }
            }
            (Msg::Reply {}, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters");
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; me, user, clock, ts, auth, deferred)
    }
}

impl CarvalhoRoucairol {
    /// Whether everybody's permission is here.
    fn may_enter(&self) -> bool {
        self.auth.len() + 1 >= self.n.0 as usize
    }

    /// It has to wait for our reply.
    fn defer(&mut self, from: Peer, out: &mut impl Outbox<Self>) {
        out.rule("defer");
        if !self.deferred.insert(from) {
            out.impossible("it asks once, and not again before it has our reply");
        }
    }

    /// It gets our permission, and we lose its own; whether we held that.
    fn grant(&mut self, from: Peer, out: &mut impl Outbox<Self>) -> bool {
        out.rule("grant");
        out.send(from, Msg::Reply {});
        self.auth.remove(from)
    }
}

impl Exclusion for CarvalhoRoucairol {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.ts = self.clock.tick();
        self.user = if self.may_enter() { Stage::Inside } else { Stage::Waiting };
        for other in self.me.others(self.n).filter(|other| !self.auth.has(*other)) {
            out.send(other, Msg::Request { t: self.ts });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        self.ts = 0;
        for other in self.deferred.drain() {
            self.auth.remove(other);
            out.send(other, Msg::Reply {});
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { .. } => Charge::Sender,
            Msg::Reply {} => Charge::Receiver,
        }
    }
}

/// The retelling taken literally: who gives a permission away while it waits does not ask for it back (erratum CR1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct CarvalhoRoucairolWithoutAskingBack;

impl Variant for CarvalhoRoucairolWithoutAskingBack {
    type Right = CarvalhoRoucairol;
    const TEXT: Text = Text {
        name: "carvalho-roucairol@cr1",
        title: "Carvalho–Roucairol, nothing is asked back",
        erratum: "CR1",
        idea: "As retold, a process asks only those whose permission it does not hold, and gives way to earlier \
               requests. One that gives way to a process whose permission it was counting on never asks that \
               process, and waits for ever.",
        rules: &[
            Rule {
                name: "grant",
                text: "on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j; auth := auth - j",
            },
            Rule { name: "ask back", text: "(the retelling has no such rule)" },
        ],
        example: "-n 3 --entries 2 --schedule random --seed 1",
    };

    fn receive(
        &mut self,
        right: &mut CarvalhoRoucairol,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<CarvalhoRoucairol>,
    ) {
        match (msg, right.user) {
            (Msg::Request { t }, Stage::Waiting) if (right.ts, right.me) > (t, from) => {
                right.clock.raise(t);
                right.grant(from, out);
            }
            (msg @ (Msg::Request { .. } | Msg::Reply {}), Stage::Idle | Stage::Waiting | Stage::Inside) => {
                right.receive(from, msg, out);
            }
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "carvalho-roucairol",
    aliases: &[],
    title: "Carvalho–Roucairol",
    year: 1983,
    source: "O. S. F. Carvalho, G. Roucairol, CACM 26(2):146-147, 1983",
    idea: "As Ricart-Agrawala, but a reply stays good until the process that gave it asks in turn: only those \
           whose permission is not at hand are asked. Who gives way while it waits asks for the permission \
           that it thereby lost.",
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
            text: "C := C + 1; ts := C; send REQUEST(ts) to all others that are not in auth; enter if there are none",
        },
        Rule {
            name: "defer",
            text: "on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); remember j",
        },
        Rule {
            name: "grant",
            text: "on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j; auth := auth - j",
        },
        Rule { name: "ask back", text: "likewise, waiting, and j was in auth: then send REQUEST(ts) to j" },
        Rule { name: "reply", text: "on REPLY from j, others missing: auth := auth + j" },
        Rule { name: "enter", text: "on REPLY from j, the last one missing: auth := auth + j; enter" },
        Rule {
            name: "exit",
            text: "send REPLY to all that were remembered, auth := auth - these; forget them",
        },
    ],
    errata: &[
        Erratum {
            id: "CR1",
            text: "a waiting process that gives away a permission it was counting on must ask for it back, or it \
                   waits for ever",
        },
        Erratum {
            id: "R2",
            text: "requests are not served in the order of time stamps over the whole run: who holds all \
                   permissions enters before earlier requests have arrived",
        },
    ],
    example: "-n 3 --entries 2",
};
