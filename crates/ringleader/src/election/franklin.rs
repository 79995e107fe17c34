//! Franklin: on a two-way ring, only local maxima go on to the next round.
//!
//! **Idea.** Each round an active process sends its identity both ways and learns those of the nearest active process
//! on either side. If one of them is larger it becomes passive, and from then on only relays. Of two neighbouring
//! active processes at most one goes on, so each round at least halves them; the last one meets its own identity on
//! both sides.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a two-way ring; not the ring's size. Everybody takes part: a
//! process that is reached by a message starts first. Without FIFO the values of different rounds are mixed up.
//!
//! **Cost.** Exactly 2n messages a round, at most ⌊log n⌋ + 1 rounds (the last one finds the winner alone), and n for
//! the announcement. The same count under every schedule.
//!
//! **Source.** W. R. Franklin, On an improved algorithm for decentralized extrema finding in circular configurations of
//! processors, CACM 25(5):336–337, 1982. A textbook gives 2n(1 + log n), which leaves out the announcement (erratum
//! 001-6).
//!
//! ```
//! use ringleader::{election::Franklin, sim};
//! let run = sim::elect::<Franklin>(&[3, 7, 4, 1]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(7), 16));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};

use crate::model::{
    Arranged, Bound, Constant, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs,
    Never, Orientation, Outbox, Process, Promises, Rule, Schedules, Show, Side, Spec, Value, Verdict, Winner,
    floor_log2, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Franklin {
    id: Id,
    role: Role,
}

/// What a process is, with the variables that it has then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Role {
    Asleep,
    /// Values from one side wait, oldest first, for one from the other side to be compared with.
    Active {
        side: Side,
        waiting: [Option<Id>; 2],
    },
    Passive,
    Leader,
    Done {
        leader: Id,
    },
}

// Ten million of them fit in a small machine.
const _: () = assert!(size_of::<Franklin>() <= 16);

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The identity of an active process.
        "id" Id { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

impl Process for Franklin {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Side;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        Franklin { id, role: Role::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule("start");
            self.round(Side::Right, None, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Id { id }, Role::Active { side, waiting }) => match waiting {
                [Some(first), second] if side != from => self.compare(id, first, second, from, out),
                // Two places are enough. What comes in as the k-th value is the round-k value of the nearest active
                // process on that side, which began round k only after it had our round-(k-1) value. So a process
                // in round r, which has compared r-1 values of each side, has been sent at most r+1.
                [Some(_), Some(_)] => out.impossible("a neighbour is never more than one round ahead"),
                [Some(first), None] => {
                    out.rule("wait");
                    self.role = Role::Active { side, waiting: [Some(first), Some(id)] };
                }
                [None, _] => {
                    out.rule("wait");
                    self.role = Role::Active { side: from, waiting: [Some(id), None] };
                }
            },
            (Msg::Id { id }, Role::Passive) => {
                out.rule("relay");
                out.send(from.other(), Msg::Id { id });
            }
            (Msg::Id { .. }, Role::Leader | Role::Done { .. }) => {
                out.impossible("the last round ended before there was a leader");
            }
            (Msg::Elected { id }, Role::Passive) => {
                out.rule("elected");
                self.role = Role::Done { leader: id };
                out.send(from.other(), Msg::Elected { id });
            }
            (Msg::Elected { .. }, Role::Leader) => out.rule("home"),
            (Msg::Elected { .. }, Role::Active { .. }) => out.impossible("only the leader was left active"),
            (Msg::Elected { .. }, Role::Done { .. }) => out.impossible("the lap ends at the leader"),
            (Msg::Id { .. } | Msg::Elected { .. }, Role::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }

    fn fields(&self) -> Fields {
        let (role, waiting, leader) = match self.role {
            Role::Asleep => ("asleep", Value::Nothing, None),
            Role::Active { waiting: [None, _], .. } => ("active", Value::Nothing, None),
            Role::Active { side, waiting } => ("active", (side, waiting).show(), None),
            Role::Passive => ("passive", Value::Nothing, None),
            Role::Leader => ("leader", Value::Nothing, Some(self.id)),
            Role::Done { leader } => ("done", Value::Nothing, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("role", Value::Word(role)),
            ("waiting", waiting),
            ("leader", leader.show()),
        ]
    }
}

impl Franklin {
    /// A new round. A value of it may have come in already.
    #[inline(always)]
    fn round(&mut self, side: Side, early: Option<Id>, out: &mut impl Outbox<Self>) {
        self.role = Role::Active { side, waiting: [early, None] };
        out.phase_begins();
        for side in Side::BOTH {
            out.send(side, Msg::Id { id: self.id });
        }
    }

    /// The values of this round are in from both sides: `a` has just come from one, `b` waited on the other, and behind
    /// it perhaps an early one of the next round.
    #[inline(always)]
    fn compare(&mut self, a: Id, b: Id, early: Option<Id>, from: Side, out: &mut impl Outbox<Self>) {
        match a.max(b).cmp(&self.id) {
            Less => {
                out.rule("survive");
                self.round(from.other(), early, out);
            }
            Greater => {
                out.rule("retire");
                self.role = Role::Passive;
                if let Some(id) = early {
                    out.send(from, Msg::Id { id });
                }
            }
            Equal if a == b => {
                out.rule("alone");
                self.role = Role::Leader;
                out.send(Side::Right, Msg::Elected { id: self.id });
            }
            Equal => out.impossible("the own identity comes back on both sides or on none"),
        }
    }
}

impl Election for Franklin {
    fn verdict(&self) -> Verdict {
        match self.role {
            Role::Leader => Verdict::Leader,
            Role::Done { .. } => Verdict::Lost,
            Role::Asleep | Role::Active { .. } | Role::Passive => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        match self.role {
            Role::Leader => Knows::Identity(self.id),
            Role::Done { leader } => Knows::Identity(leader),
            Role::Asleep | Role::Active { .. } | Role::Passive => Knows::Nothing,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "franklin",
    aliases: &[],
    title: "Franklin",
    year: 1982,
    source: "W. R. Franklin, CACM 25(5):336-337, 1982",
    idea: "Each round an active process sends its identity both ways and compares it with those of the nearest \
           active process on either side. It goes on if it is the largest of the three, and relays otherwise. At \
           least half drop out each round; the last one meets its own identity on both sides.",
    needs: Needs { links: Links::Fifo, orientation: Orientation::Same, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Largest, informed: Informed::All },
    cost: Cost {
        worst: Some(Bound {
            formula: "2n(⌊log n⌋+1)",
            counts: Counts::Election,
            value: |facts| Some(2 * facts.n * (floor_log2(facts.n) + 1)),
        }),
        average: None,
        words: "exactly 2n a round, at most ⌊log n⌋+1 rounds, n announcements",
        schedules: Schedules::Same,
        constant: Some(Constant {
            value: 2.0, source: "Franklin 1982: 2n⌊log n⌋+3n, announcement included"
        }),
    },
    worst_ids: Some(Arranged::BitReversal),
    settings: &[],
    rules: &[
        Rule { name: "start", text: "active; send id(id) both ways" },
        Rule { name: "wait", text: "on id(v), active, nothing yet from the other side: keep v" },
        Rule {
            name: "survive",
            text: "with a, b from both sides, max(a, b) < id: next round, send id(id) both ways",
        },
        Rule {
            name: "retire",
            text: "with a, b from both sides, max(a, b) > id: passive; relay what still waits",
        },
        Rule {
            name: "alone",
            text: "with a, b from both sides, a = b = id: leader; send elected(id) to the right",
        },
        Rule { name: "relay", text: "on id(v), passive: send it on" },
        Rule { name: "elected", text: "on elected(v), passive: remember v; send it on" },
        Rule { name: "home", text: "on elected(v), leader: nothing" },
    ],
    errata: &[Erratum {
        id: "001-6",
        text: "2n(1 + log n) is right for the election alone; with the announcement it is 2n⌊log n⌋+3n",
    }],
    example: "--ids 3,7,4,1",
};
