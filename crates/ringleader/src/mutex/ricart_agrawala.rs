//! Ricart–Agrawala: ask everybody; whoever asked earlier answers later.
//!
//! **Idea.** A process that wants in sends a time-stamped REQUEST to all others and enters when all have replied. A
//! process replies at once unless it is inside, or wants in itself and asked earlier; then it replies when it leaves.
//! Of two requests that meet, both processes see the same one as earlier: the smaller pair (time stamp, name).
//!
//! **Needs.** A complete graph of named processes, reliable links in any order. The clock must be raised to every time
//! stamp received, or a later request may get a smaller stamp than one that was already granted.
//!
//! **Cost.** Exactly 2(n−1) messages per entry. One message delay between an exit and the next entry. Requests are
//! served in the order of (time stamp, name) over the whole run, which is not the order of asking.
//!
//! **Source.** G. Ricart and A. K. Agrawala, An optimal algorithm for mutual exclusion in computer networks, CACM
//! 24(1):9–17, 1981. Lecture slides leave the rule for the clock out (erratum R1).
//!
//! ```
//! use ringleader::{mutex::RicartAgrawala, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<RicartAgrawala>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 4 * 2 * 3); // four entries, one each
//! ```

use crate::model::{
    Bound, Charge, Clock, Cost, Counts, Erratum, Exclusion, Fields, Needs, Never, Order, Outbox, Peer, Peers,
    Process, Promises, Reached, Rule, Size, Spec, Stage, Text, Variant, fields, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawala {
    me: Peer,
    n: Size,
    /// The highest time stamp used or seen.
    clock: Clock,
    user: Stage,
    /// The time stamp of the own request.
    ts: u64,
    /// How many replies have not come yet. Everybody replies once, so they need not be told apart.
    missing: u32,
    /// Who waits for our reply.
    deferred: Peers,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 },
        /// You may, as far as I am concerned.
        "reply" Reply,
    }
}

impl Process for RicartAgrawala {
    const SPEC: Spec = SPEC;
    type Given = (Peer, Size);
    type Port = Peer;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new((me, n): (Peer, Size)) -> Self {
        RicartAgrawala {
            me,
            n,
            clock: Clock::default(),
            user: Stage::Idle,
            ts: 0,
            missing: 0,
            deferred: Peers::default(),
        }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

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
                    out.rule("defer");
                    if !self.deferred.insert(from) {
                        out.impossible("it asks once, and not again before it has our reply");
                    }
                } else {
                    out.rule("grant");
                    out.send(from, Msg::Reply {});
                }
            }
            (Msg::Reply {}, Stage::Waiting) => {
                self.missing -= 1;
                if self.missing == 0 {
                    out.rule("enter");
                    self.user = Stage::Inside;
                } else {
                    out.rule("reply");
                }
            }
            (Msg::Reply {}, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters")
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; me, user, clock, ts, missing, deferred)
    }
}

impl Exclusion for RicartAgrawala {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.ts = self.clock.tick();
        self.missing = self.n.0.saturating_sub(1);
        self.user = if self.missing == 0 { Stage::Inside } else { Stage::Waiting };
        for other in self.me.others(self.n) {
            out.send(other, Msg::Request { t: self.ts });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        self.ts = 0;
        for other in self.deferred.drain() {
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

    fn priority(&self) -> Option<(u64, u32)> {
        match self.user {
            Stage::Idle => None,
            Stage::Waiting | Stage::Inside => Some((self.ts, self.me.0)),
        }
    }
}

/// The slides taken literally: no rule raises the clock (erratum R1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaAsPrinted;

impl Variant for RicartAgrawalaAsPrinted {
    type Right = RicartAgrawala;
    const TEXT: Text = Text {
        name: "ricart-agrawala@as-printed",
        title: "Ricart–Agrawala, as printed",
        erratum: "R1",
        idea: "As printed, a request carries the time of a clock that only its owner's requests advance. A process \
               that granted a request can ask later with an earlier time stamp, is granted in turn by those that \
               are waiting, and two are inside.",
        rules: &[
            Rule {
                name: "defer",
                text: "on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): remember j",
            },
            Rule { name: "grant", text: "on REQUEST(t) from j otherwise: send REPLY to j" },
        ],
        example: "-n 3 --load open:0.3 --total 2 --seed 8",
    };

    fn receive(
        &mut self,
        right: &mut RicartAgrawala,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<RicartAgrawala>,
    ) {
        let clock = right.clock;
        right.receive(from, msg, out);
        right.clock = clock;
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "ricart-agrawala",
    aliases: &["ra"],
    title: "Ricart–Agrawala",
    year: 1981,
    source: "G. Ricart, A. K. Agrawala, CACM 24(1):9-17, 1981",
    idea: "A process that wants in sends a time-stamped request to all others and enters when all have replied. \
           Whoever is inside, or wants in and asked earlier, replies when it leaves; everybody else at once.",
    needs: Needs { reached: Reached::Relays, ..Needs::NOTHING },
    promises: Promises::Exclusion { order: Order::Priority, falls_silent: true },
    cost: Cost {
        worst: Some(Bound {
            formula: "2(n-1) per entry",
            counts: Counts::All,
            value: |facts| Some(2 * facts.n.saturating_sub(1) * facts.entries),
        }),
        average: None,
        words: "exactly 2(n-1) per entry; one message delay from an exit to the next entry",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule {
            name: "want",
            text: "C := C + 1; ts := C; send REQUEST(ts) to all others; enter when n - 1 replies are in",
        },
        Rule {
            name: "defer",
            text: "on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); remember j",
        },
        Rule { name: "grant", text: "on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j" },
        Rule { name: "reply", text: "on REPLY, others missing: one less is missing" },
        Rule { name: "enter", text: "on the last REPLY: enter" },
        Rule { name: "exit", text: "send REPLY to all that were remembered; forget them" },
    ],
    errata: &[
        Erratum {
            id: "R1",
            text: "the slides give no rule for the clock: without C := max(C, t) on REQUEST a later request can \
                   get a smaller time stamp than one already granted, and two are inside",
        },
        Erratum {
            id: "R3",
            text: "'in time-stamp order' is not 'first come, first served': a process whose clock lags can \
                   overtake another more than once until its request has arrived",
        },
    ],
    example: "-n 3 --entries 2",
};
