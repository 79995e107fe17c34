//! Franklin: on a two-way ring, only local maxima go on to the next round.
//!
//! **Idea.** Each round an active process sends its identity both ways and compares it with those of the nearest active
//! process on either side. It goes on if it is the largest of the three, and relays otherwise. At least half drop out
//! each round; the last one meets its own identity on both sides.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a two-way ring; not the ring's size. Everybody takes part: a
//! process that is reached by a message starts first. Without FIFO the values of different rounds are mixed up.
//!
//! **Cost.** exactly 2n a round, at most ⌊log n⌋+1 rounds, n announcements
//!
//! **Source.** W. R. Franklin, CACM 25(5):336-337, 1982
//!
//! ```
//! use ringleader::{election::Franklin, sim};
//! let run = sim::elect::<Franklin>(&[3, 7, 4, 1]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(7), 16));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};

use crate::model::*;

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

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The identity of an active process.
        "id" Id { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// active; send id(id) both ways
    Start,
    /// on id(v), active, nothing yet from the other side: keep v
    Wait,
    /// with a, b from both sides, max(a, b) < id: next round, send id(id) both ways
    Survive,
    /// with a, b from both sides, max(a, b) > id: passive; relay what still waits
    Retire,
    /// with a, b from both sides, a = b = id: leader; send elected(id) to the right
    Alone,
    /// on id(v), passive: send it on
    Relay,
    /// on elected(v), passive: remember v; send it on
    Elected,
    /// on elected(v), leader: nothing
    Home,
}

impl Process for Franklin {
    const SPEC: Spec = Spec::election("franklin", 1982, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .oriented()
        .at_most(Counts::Election, Basis::Proved("?"), "2n(⌊log n⌋+1)", |facts| {
            Some(2 * facts.n * (floor_log2(facts.n) + 1))
        })
        .schedules(Schedules::Same)
        .constant(2.0, "Franklin 1982: 2n⌊log n⌋+3n, announcement included")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    type Given = Id;
    type Port = Side;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        Franklin { id, role: Role::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
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
                    out.rule(Rule::Wait);
                    self.role = Role::Active { side, waiting: [Some(first), Some(id)] };
                }
                [None, _] => {
                    out.rule(Rule::Wait);
                    self.role = Role::Active { side: from, waiting: [Some(id), None] };
                }
            },
            (Msg::Id { id }, Role::Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), Msg::Id { id });
            }
            (Msg::Id { .. }, Role::Leader | Role::Done { .. }) => {
                out.impossible("the last round ended before there was a leader");
            }
            (Msg::Elected { id }, Role::Passive) => {
                out.rule(Rule::Elected);
                self.role = Role::Done { leader: id };
                out.send(from.other(), Msg::Elected { id });
            }
            (Msg::Elected { .. }, Role::Leader) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Role::Active { .. }) => out.impossible("only the leader was left active"),
            (Msg::Elected { .. }, Role::Done { .. }) => out.impossible("the lap ends at the leader"),
            (Msg::Id { .. } | Msg::Elected { .. }, Role::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }
}

impl State for Franklin {
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
                out.rule(Rule::Survive);
                self.round(from.other(), early, out);
            }
            Greater => {
                out.rule(Rule::Retire);
                self.role = Role::Passive;
                if let Some(id) = early {
                    out.send(from, Msg::Id { id });
                }
            }
            Equal if a == b => {
                out.rule(Rule::Alone);
                self.role = Role::Leader;
                out.send(Side::Right, Msg::Elected { id: self.id });
            }
            Equal => out.impossible("the own identity comes back on both sides or on none"),
        }
    }
}

impl Election for Franklin {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl Franklin {
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
