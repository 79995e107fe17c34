//! Peterson: a two-way comparison on a one-way ring, by letting every active process see the two before it.
//!
//! **Idea.** Each round an active process learns the temporary identity of the active process before it (`ntid`), and
//! the larger of the two before that (`nntid`). It stays active, with the value `ntid`, if that is a local maximum;
//! otherwise it becomes a relay. So at least half of the active processes drop out each round, and the largest identity
//! moves on until it meets its owner, usually a relay by then.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a one-way ring. Everybody takes part: a process that is
//! reached by a message starts first. Without FIFO the two values of a round are mixed up, and two may lead.
//!
//! **Cost.** At most 2n⌊log n⌋ + n election messages, n for the announcement. The causal depth of the election is at
//! most 2n−1. The same count under every schedule: a process has one input, in one order.
//!
//! **Source.** G. L. Peterson, An O(n log n) unidirectional algorithm for the circular extrema problem, TOPLAS
//! 4(4):758–762, 1982; as Algorithm 4.20 in lecture notes. The notes let the maximum circulate for ever (erratum 000-1)
//! and forget the last round in the count (000-4).
//!
//! ```
//! use ringleader::{election::Peterson, sim};
//! let run = sim::elect::<Peterson>(&[3, 7, 4, 1]);
//! assert_eq!(run.leader_id(), Some(7));
//! ```

use crate::model::{
    Arranged, Bound, Constant, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs,
    Never, Next, Outbox, Process, Promises, Rule, Show, Spec, Text, Value, Variant, Verdict, Winner,
    floor_log2, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Peterson {
    id: Id,
    mode: Mode,
}

/// Where a process is in its loop, with the variables that it has there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Asleep,
    /// It has sent its value and waits for that of the active process before it.
    Wait1 {
        tid: Id,
    },
    /// It waits for the larger of the two values before that.
    Wait2 {
        tid: Id,
        ntid: Id,
    },
    Relay,
    Leader,
    Done {
        leader: Id,
    },
}

// Ten million of them fit in a small machine.
const _: () = assert!(size_of::<Peterson>() <= 16);

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The temporary identity of an active process.
        "tid" Tid { id: Id },
        /// The larger of an active process's value and the one before it.
        "max" Max { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

impl Process for Peterson {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        Peterson { id, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule("start");
            self.round(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Tid { id } | Msg::Max { id } if id == self.id => self.home(out),
            Msg::Tid { id } | Msg::Max { id } => self.value(id, msg, out),
            Msg::Elected { id } if id == self.id => out.rule("elected"),
            Msg::Elected { id } => {
                out.rule("elected");
                self.mode = Mode::Done { leader: id };
                out.send(Next, Msg::Elected { id });
            }
        }
    }

    fn fields(&self) -> Fields {
        let (mode, tid, ntid, leader) = match self.mode {
            Mode::Asleep => ("asleep", None, None, None),
            Mode::Wait1 { tid } => ("wait1", Some(tid), None, None),
            Mode::Wait2 { tid, ntid } => ("wait2", Some(tid), Some(ntid), None),
            Mode::Relay => ("relay", None, None, None),
            Mode::Leader => ("leader", None, None, Some(self.id)),
            Mode::Done { leader } => ("done", None, None, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("mode", Value::Word(mode)),
            ("tid", tid.show()),
            ("ntid", ntid.show()),
            ("leader", leader.show()),
        ]
    }
}

impl Peterson {
    /// A new round with this value.
    #[inline(always)]
    fn round(&mut self, tid: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Mode::Wait1 { tid };
        out.send(Next, Msg::Tid { id: tid });
    }

    /// A value arrives, in either kind of message: where the process stands says what it is.
    #[inline(always)]
    fn value(&mut self, id: Id, msg: Msg, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Wait1 { tid } => {
                out.rule("wait1");
                self.mode = Mode::Wait2 { tid, ntid: id };
                out.send(Next, Msg::Max { id: tid.max(id) });
            }
            Mode::Wait2 { tid, ntid } if ntid >= tid && ntid >= id => {
                out.rule("survive");
                self.round(ntid, out);
            }
            Mode::Wait2 { .. } => {
                out.rule("retire");
                self.mode = Mode::Relay;
            }
            Mode::Relay => {
                out.rule("relay");
                out.send(Next, msg);
            }
            Mode::Leader | Mode::Done { .. } => out.rule("absorb"),
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// The own identity is back.
    #[inline(always)]
    fn home(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Leader {
            out.rule("absorb");
        } else {
            out.rule("home");
            self.mode = Mode::Leader;
            out.send(Next, Msg::Elected { id: self.id });
        }
    }
}

impl Election for Peterson {
    fn verdict(&self) -> Verdict {
        match self.mode {
            Mode::Leader => Verdict::Leader,
            Mode::Done { .. } => Verdict::Lost,
            Mode::Asleep | Mode::Wait1 { .. } | Mode::Wait2 { .. } | Mode::Relay => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        match self.mode {
            Mode::Leader => Knows::Identity(self.id),
            Mode::Done { leader } => Knows::Identity(leader),
            Mode::Asleep | Mode::Wait1 { .. } | Mode::Wait2 { .. } | Mode::Relay => Knows::Nothing,
        }
    }
}

/// The notes taken literally: to be elected is a flag, and nobody stops (erratum 000-1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct PetersonAsPrinted {
    elected: bool,
}

impl Variant for PetersonAsPrinted {
    type Right = Peterson;
    const TEXT: Text = Text {
        name: "peterson@as-printed",
        title: "Peterson, as printed",
        erratum: "000-1",
        idea: "As printed, a process that sees its own identity sets a flag and goes on as if nothing had happened: \
               both loops run for ever. The largest identity circulates without end, and nobody but its owner \
               learns who leads.",
        rules: &[
            Rule { name: "home", text: "on v = id, each time: elected := T; then as on any other value" },
            Rule { name: "absorb", text: "not in the text: nobody stops" },
            Rule { name: "elected", text: "not in the text: nothing is announced" },
        ],
        example: "--ids 3,7,4,1 --max-steps 40",
    };

    fn receive(&mut self, right: &mut Peterson, from: Next, msg: Msg, out: &mut impl Outbox<Peterson>) {
        match msg {
            Msg::Tid { id } | Msg::Max { id } => {
                if id == right.id {
                    out.rule("home");
                    self.elected = true;
                }
                right.value(id, msg, out);
            }
            Msg::Elected { .. } => right.receive(from, msg, out),
        }
    }

    fn fields(&self, right: &Peterson) -> Fields {
        let mut fields = right.fields();
        fields.push(("elected", self.elected.show()));
        fields
    }

    fn verdict(&self, right: &Peterson) -> Verdict {
        if self.elected { Verdict::Leader } else { right.verdict() }
    }

    fn knows(&self, right: &Peterson) -> Knows {
        if self.elected { Knows::Identity(right.id) } else { right.knows() }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "peterson",
    aliases: &[],
    title: "Peterson",
    year: 1982,
    source: "G. L. Peterson, TOPLAS 4(4):758-762, 1982",
    idea: "Each round an active process learns the value of the active process before it, and the larger of the \
           two before that. It stays active, with the first value, if that is a local maximum, and relays \
           otherwise. At least half drop out each round; the largest identity wins when it meets its owner.",
    needs: Needs { links: Links::Fifo, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Largest, informed: Informed::All },
    cost: Cost {
        worst: Some(Bound {
            formula: "2n⌊log n⌋+n",
            counts: Counts::Election,
            value: |facts| Some(2 * facts.n * floor_log2(facts.n) + facts.n),
        }),
        average: None,
        words: "worst 2n⌊log n⌋+n, n announcements; causal depth of the election at most 2n-1",
        constant: Some(Constant {
            value: 2.0,
            source: "Peterson 1982, the first algorithm: 2n log n + O(n)",
        }),
        ..Cost::UNKNOWN
    },
    worst_ids: Some(Arranged::BitReversal),
    settings: &[],
    rules: &[
        Rule { name: "start", text: "tid := id; send tid(tid); wait1" },
        Rule { name: "home", text: "on tid(v) or max(v), v = id, first time: leader; send elected(id)" },
        Rule { name: "wait1", text: "on v in wait1: ntid := v; send max(max(tid, ntid)); wait2" },
        Rule {
            name: "survive",
            text: "on v in wait2, ntid >= tid and ntid >= v: tid := ntid; send tid(tid); wait1",
        },
        Rule { name: "retire", text: "on v in wait2 otherwise: relay" },
        Rule { name: "relay", text: "on v as a relay: send it on" },
        Rule { name: "absorb", text: "on v as the leader or when done: nothing" },
        Rule { name: "elected", text: "on elected(v): remember v; done; send it on unless it is my own" },
    ],
    errata: &[
        Erratum {
            id: "000-1",
            text: "'elected := true' is only a flag: the maximum circulates for ever and nobody else learns. Here \
                   the first sighting of the own identity sends one announcement lap, and everything else is \
                   absorbed",
        },
        Erratum {
            id: "000-2",
            text: "the own identity may return as tid, as max or to a relay: one latched test covers all three",
        },
        Erratum {
            id: "000-4",
            text: "'at most 2n log n messages' forgets the last round: 1 > 0 for n = 1, 5 > 4 for n = 2; \
                   2n⌊log n⌋+n is right",
        },
        Erratum {
            id: "000-7",
            text: "a process that relays before it has started breaks the pairing: everybody starts before its \
                   first message",
        },
    ],
    example: "--ids 3,7,4,1",
};
