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
    Arranged, Bound, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs, Never,
    Orientation, Outbox, Process, Promises, Rule, Show, Side, Spec, Value, Verdict, Winner, fields,
    floor_log2, messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Franklin {
    id: Id,
    role: Role,
    /// What has come in from each side and is not yet compared; only an active process keeps anything.
    waiting: [Waiting; 2],
    leader: Option<Id>,
}

// Ten million of them fit in a small machine.
const _: () = assert!(size_of::<Franklin>() <= 32);

names! {
    /// What a process is.
    enum Role {
        Asleep = "asleep",
        Active = "active",
        Passive = "passive",
        Leader = "leader",
    }
}

/// The values that wait on one side, oldest first.
///
/// Two places are enough: what comes in as the k-th value is the round-k value of the nearest active process on that
/// side, which began round k only after it had received our round-(k−1) value. So a process in round r, which has taken
/// r−1 values from each side, has been sent at most r+1.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Waiting([Option<Id>; 2]);

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
        Franklin { id, role: Role::Asleep, waiting: Default::default(), leader: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule("start");
            self.round(out);
        }
    }

    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Id { id }, Role::Active) => {
                if !self.waiting[from as usize].put(id) {
                    out.impossible("a neighbour is never more than one round ahead");
                }
                match self.waiting {
                    [Waiting([Some(a), _]), Waiting([Some(b), _])] => self.compare(a, b, out),
                    [Waiting([None, _]), _] | [_, Waiting([None, _])] => out.rule("wait"),
                }
            }
            (Msg::Id { id }, Role::Passive) => {
                out.rule("relay");
                out.send(from.other(), Msg::Id { id });
            }
            (Msg::Id { .. }, Role::Leader) => {
                out.impossible("the last round ended before there was a leader")
            }
            (Msg::Elected { id }, Role::Passive) => {
                out.rule("elected");
                self.leader = Some(id);
                out.send(from.other(), Msg::Elected { id });
            }
            (Msg::Elected { .. }, Role::Leader) => out.rule("home"),
            (Msg::Elected { .. }, Role::Active) => out.impossible("only the leader was left active"),
            (Msg::Id { .. } | Msg::Elected { .. }, Role::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; id, role, waiting, leader)
    }
}

impl Franklin {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        self.role = Role::Active;
        out.phase_begins();
        for side in Side::BOTH {
            out.send(side, Msg::Id { id: self.id });
        }
    }

    /// The values of this round are in from both sides. The next round cannot be complete as well: the side of the
    /// message that came in last has nothing more.
    fn compare(&mut self, a: Id, b: Id, out: &mut impl Outbox<Self>) {
        for side in Side::BOTH {
            self.waiting[side as usize].take();
        }
        match a.max(b).cmp(&self.id) {
            Less => {
                out.rule("survive");
                self.round(out);
            }
            Greater => {
                out.rule("retire");
                self.role = Role::Passive;
                for side in Side::BOTH {
                    while let Some(id) = self.waiting[side as usize].take() {
                        out.send(side.other(), Msg::Id { id });
                    }
                }
            }
            Equal if a == b => {
                out.rule("alone");
                self.role = Role::Leader;
                self.leader = Some(self.id);
                out.send(Side::Right, Msg::Elected { id: self.id });
            }
            Equal => out.impossible("the own identity comes back on both sides or on none"),
        }
    }
}

impl Waiting {
    /// Adds a value, if there is room.
    fn put(&mut self, id: Id) -> bool {
        match self.0 {
            [None, _] => self.0 = [Some(id), None],
            [Some(first), None] => self.0 = [Some(first), Some(id)],
            [Some(_), Some(_)] => return false,
        }
        true
    }

    /// Takes the oldest value.
    fn take(&mut self) -> Option<Id> {
        let [first, second] = self.0;
        self.0 = [second, None];
        first
    }
}

impl Show for Waiting {
    fn show(&self) -> Value {
        Value::List(self.0.iter().flatten().map(Show::show).collect())
    }
}

impl Election for Franklin {
    fn verdict(&self) -> Verdict {
        match (self.role, self.leader) {
            (Role::Leader, _) => Verdict::Leader,
            (Role::Passive, Some(_)) => Verdict::Lost,
            (Role::Asleep | Role::Active | Role::Passive, _) => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        self.leader.into()
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
