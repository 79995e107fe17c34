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
    Arranged, Bound, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs, Never, Next,
    Outbox, Process, Promises, Rule, Spec, Verdict, Winner, fields, floor_log2, messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Peterson {
    id: Id,
    mode: Mode,
    tid: Id,
    ntid: Id,
    leader: Option<Id>,
}

names! {
    /// Where a process is in its loop.
    enum Mode {
        Asleep = "asleep",
        Wait1 = "wait1",
        Wait2 = "wait2",
        Relay = "relay",
        Leader = "leader",
        Done = "done",
    }
}

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
        Peterson { id, mode: Mode::Asleep, tid: id, ntid: id, leader: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule("start");
            self.begin(out);
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Tid { id } | Msg::Max { id } if id == self.id => self.home(out),
            Msg::Tid { id } | Msg::Max { id } => match self.mode {
                Mode::Wait1 => {
                    out.rule("wait1");
                    self.ntid = id;
                    out.send(Next, Msg::Max { id: self.tid.max(self.ntid) });
                    self.mode = Mode::Wait2;
                }
                Mode::Wait2 if self.ntid >= self.tid && self.ntid >= id => {
                    out.rule("survive");
                    self.tid = self.ntid;
                    self.begin(out);
                }
                Mode::Wait2 => {
                    out.rule("retire");
                    self.mode = Mode::Relay;
                }
                Mode::Relay => {
                    out.rule("relay");
                    out.send(Next, msg);
                }
                Mode::Leader | Mode::Done => out.rule("absorb"),
                Mode::Asleep => out.impossible("everybody starts before its first message"),
            },
            Msg::Elected { id } => {
                out.rule("elected");
                self.leader = Some(id);
                if id != self.id {
                    self.mode = Mode::Done;
                    out.send(Next, Msg::Elected { id });
                }
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; id, mode, tid, ntid, leader)
    }
}

impl Peterson {
    /// A new round.
    fn begin(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        out.send(Next, Msg::Tid { id: self.tid });
        self.mode = Mode::Wait1;
    }

    /// The own identity is back.
    fn home(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Leader {
            out.rule("absorb");
        } else {
            out.rule("home");
            self.mode = Mode::Leader;
            self.leader = Some(self.id);
            out.send(Next, Msg::Elected { id: self.id });
        }
    }
}

impl Election for Peterson {
    fn verdict(&self) -> Verdict {
        match self.mode {
            Mode::Leader => Verdict::Leader,
            Mode::Done => Verdict::Lost,
            Mode::Asleep | Mode::Wait1 | Mode::Wait2 | Mode::Relay => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        self.leader.into()
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
