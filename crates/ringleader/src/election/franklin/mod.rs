//! Franklin: on a two-way ring, only local maxima go on to the next round.
//!
//! **Idea.** Each round an active process sends its identity both ways and compares it with those of the nearest active
//! process on either side. It goes on if it is the largest of the three, and relays otherwise. At least half drop out
//! each round; the last one meets its own identity on both sides.
//!
//! **Needs.** FIFO links: without them the values of different rounds are mixed up.
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

use crate::model::*;
use Role::*;

state! {
    pub struct Franklin {
        id: Id,
        role: Role = Asleep,
        /// Nothing is shown where nothing waits.
        waiting = |me| if let Active { waiting: it @ (_, [Some(_), _]) } = me.role { Some(it) } else { None },
        leader = |me| me.role.leader(me.id),
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Role {
        Asleep,
        /// Values from one side wait, oldest first, for one from the other side to be compared with.
        Active { waiting: (Side, [Option<Id>; 2]) },
        Passive,
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
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
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .oriented()
        .proved("Franklin 1982")
        .at_most(Counts::Election, "2n(⌊log n⌋+1)", |n| 2 * n * (floor_log2(n) + 1))
        .schedules(Schedules::Same)
        .constant(2.0, "Franklin 1982: 2n⌊log n⌋+3n, announcement included")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.round(Side::Right, None, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.role) {
            (&Msg::Id { id }, Active { waiting: (side, [Some(first), early]) }) if side != from => {
                self.compare(id, first, early, from, out);
            }
            // Two places are enough. What comes in as the k-th value is the round-k value of the nearest active
            // process on that side, which began round k only after it had our round-(k-1) value. So a process
            // in round r, which has compared r-1 values of each side, has been sent at most r+1.
            (Msg::Id { .. }, Active { waiting: (_, [Some(_), Some(_)]) }) => {
                out.impossible("a neighbour is never more than one round ahead");
            }
            (&Msg::Id { id }, Active { waiting: (side, [Some(first), None]) }) => {
                out.rule(Rule::Wait);
                self.role = Active { waiting: (side, [Some(first), Some(id)]) };
            }
            (&Msg::Id { id }, Active { waiting: (_, [None, _]) }) => {
                out.rule(Rule::Wait);
                self.role = Active { waiting: (from, [Some(id), None]) };
            }
            (Msg::Id { .. }, Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), msg);
            }
            (Msg::Id { .. }, Leader | Done { .. }) => {
                out.impossible("the last round ended before there was a leader");
            }
            (&Msg::Elected { id }, Passive) => {
                out.rule(Rule::Elected);
                self.role = Done { leader: id };
                out.send(from.other(), msg);
            }
            (Msg::Elected { .. }, Leader) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Active { .. }) => out.impossible("only the leader was left active"),
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the lap ends at the leader"),
            (Msg::Id { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl Franklin {
    /// A new round. A value of it may have come in already.
    #[inline(always)]
    fn round(&mut self, side: Side, early: Option<Id>, out: &mut impl Outbox<Self>) {
        self.role = Active { waiting: (side, [early, None]) };
        out.phase_begins();
        out.send_all(Side::BOTH, Msg::Id { id: self.id });
    }

    /// The values of this round are in from both sides: `a` has just come from one, `b` waited on the other, and behind
    /// it perhaps an early one of the next round.
    #[inline(always)]
    fn compare(&mut self, a: Id, b: Id, early: Option<Id>, from: Side, out: &mut impl Outbox<Self>) {
        let larger = a.max(b);
        if larger < self.id {
            out.rule(Rule::Survive);
            self.round(from.other(), early, out);
        } else if larger > self.id {
            out.rule(Rule::Retire);
            self.role = Passive;
            if let Some(id) = early {
                out.send(from, Msg::Id { id });
            }
        } else if a == b {
            out.rule(Rule::Alone);
            self.role = Leader;
            out.send(Side::Right, Msg::Elected { id: self.id });
        } else {
            out.impossible("its own identity comes back on both sides or on none");
        }
    }
}
