//! Carvalho–Roucairol: a permission is good until somebody asks for it.
//!
//! **Idea.** As Ricart-Agrawala, but a reply stays good until the process that gave it asks in turn: only those whose
//! permission is not at hand are asked. Who gives way while it waits asks for the permission that it thereby lost.
//!
//! **Needs.** A complete graph of named processes, reliable links in any order. The clock must be raised to every time
//! stamp received.
//!
//! **Cost.** 0 to 2(n-1) per entry; n-1 in the mean for independent requests that come seldom; one message delay from
//! an exit to the next entry
//!
//! **Source.** O. S. F. Carvalho, G. Roucairol, CACM 26(2):146-147, 1983
//!
//! ```
//! use ringleader::{mutex::CarvalhoRoucairol, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![5, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<CarvalhoRoucairol>(&Scenario { workload, ..Scenario::new(3) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 2 * 2); // for the first of five entries
//! ```

use crate::model::*;

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
        .errata(include_str!("errata.md"))
        .reached(Reached::Relays)
        .talks(Talks::ToAll { keeps: 8 })
        .at_most(Counts::All, Basis::Proved("?"), "2(n-1) per entry", |facts| {
            Some(2 * facts.n.saturating_sub(1) * facts.entries)
        })
        .example("-n 3 --entries 2");
    type Given = (Peer, Size);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
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
                    out.rule(Rule::AskBack);
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

impl State for CarvalhoRoucairol {
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
        out.rule(Rule::Defer);
        if !self.deferred.insert(from) {
            out.impossible("it asks once, and not again before it has our reply");
        }
    }

    /// It gets our permission, and we lose its own; whether we held that.
    fn grant(&mut self, from: Peer, out: &mut impl Outbox<Self>) -> bool {
        out.rule(Rule::Grant);
        out.send(from, Msg::Reply {});
        self.auth.remove(from)
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
            RuleText {
                name: "grant",
                text: "on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j; auth := auth - j",
            },
            RuleText { name: "ask back", text: "(the retelling has no such rule)" },
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
