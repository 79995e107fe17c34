//! Alternate: a candidate shows its identity to one side and to the other in turn, and must beat whoever is there.
//!
//! **Idea.** A candidate sends its identity to the right and waits for one from the left. If that is smaller, it sends
//! its own back there and waits for one from the right, and so on in turn; if it is larger, the candidate gives up and
//! relays. Who receives its own identity is alone. Identities stay where they are: it is the two-way form of Peterson's
//! improved algorithm, where they move instead.
//!
//! **Needs.** Orientation: without it two candidates may first send away from each other, and wait for ever. FIFO
//! links, as the sources assume them; but what a candidate sends to a side, it sends after an answer to what it sent
//! there before, so that no link ever carries two messages one behind the other, and none can be overtaken.
//!
//! **Cost.** exactly n a round, n announcements; the rounds R satisfy F(R+1) <= n (Fibonacci numbers), hence R <=
//! 1.4405 log n + 1, and the most that this allows is attained for every n
//!
//! **Source.** N. Santoro, Design and Analysis of Distributed Algorithms, Wiley 2007
//!
//! Between a candidate that survives round r+1 and the neighbour that it beats there, somebody fell in round r: with
//! a(r) candidates in round r, a(r+2) <= a(r) - a(r+1). On every arrangement it sends as many messages as
//! `peterson-improved`. The rules are those of a teaching program, completed with what waits; the book itself was not
//! at hand.
//!
//! ```
//! use ringleader::{election::Alternate, sim};
//! let run = sim::elect::<Alternate>(&[1, 3, 5, 2, 4]); // the worst case: 4 rounds
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(5), 20));
//! ```

use crate::model::*;
use Role::*;

state! {
    pub struct Alternate {
        id: Id,
        role: Role = Asleep,
        leader = |me| me.role.leader(me.id),
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Role {
        Asleep,
        /// It waits for an identity from one side; one from the other side is for the next round, and waits.
        Candidate { expects: Side, waiting: Option<Id> },
        Passive,
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
    pub enum Msg {
        /// The identity of a candidate.
        "id" Id { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// candidate; send id(id) to the right; expect one from the left
    Start,
    /// on id(v), candidate, from the side that it does not expect: keep v
    Wait,
    /// on id(v), candidate, from the side that it expects, v < id: send id(id) back; expect one from the other side
    Survive,
    /// on id(v), candidate, from the side that it expects, v > id: passive; send on what waits
    Retire,
    /// on id(v), candidate, from the side that it expects, v = id: leader; send elected(id) to the right
    Alone,
    /// on id(v), passive: send it on
    Relay,
    /// on elected(v), passive: remember v; send it on
    Elected,
    /// on elected(v), leader: nothing
    Home,
}

impl Process for Alternate {
    const SPEC: Spec = Spec::election("alternate", 2007, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .oriented()
        .proved("counting: a(r+2) <= a(r) - a(r+1)")
        .at_most(Counts::Election, "n·R, F(R+1)<=n", |n| n * (largest_phase(n) + 1))
        .schedules(Schedules::Same)
        .constant(Constant::GOLDEN, "Santoro 2007: 1.44 n log n + O(n)")
        .worst_on(Arranged::Fibonacci)
        .example("--ids 1,3,5,2,4");
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
            (&Msg::Id { id }, Candidate { expects, waiting }) if from == expects => {
                self.compare(id, from, waiting, out);
            }
            (&Msg::Id { id }, Candidate { expects, waiting: None }) => {
                out.rule(Rule::Wait);
                self.role = Candidate { expects, waiting: Some(id) };
            }
            // The next one from there is an answer to what we have not sent yet.
            (Msg::Id { .. }, Candidate { waiting: Some(_), .. }) => {
                out.impossible("a neighbour is never more than one round ahead");
            }
            (Msg::Id { .. }, Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), msg);
            }
            (Msg::Id { .. }, Leader | Done { .. }) => {
                out.impossible("the last candidate has its own identity back: nothing else travels");
            }
            (&Msg::Elected { id }, Passive) => {
                out.rule(Rule::Elected);
                self.role = Done { leader: id };
                out.send(from.other(), msg);
            }
            (Msg::Elected { .. }, Leader) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Candidate { .. }) => {
                out.impossible("only the leader was left as a candidate")
            }
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the lap ends at the leader"),
            (Msg::Id { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl Alternate {
    /// A new round: its identity to one side, and what it expects from the other. That may have come in already.
    #[inline(always)]
    fn round(&mut self, to: Side, came: Option<Id>, out: &mut impl Outbox<Self>) {
        self.role = Candidate { expects: to.other(), waiting: None };
        out.phase_begins();
        out.send(to, Msg::Id { id: self.id });
        if let Some(id) = came {
            self.compare(id, to.other(), None, out);
        }
    }

    /// The identity that was expected has come; what waits came from the other side.
    fn compare(&mut self, id: Id, from: Side, waiting: Option<Id>, out: &mut impl Outbox<Self>) {
        if id < self.id {
            out.rule(Rule::Survive);
            self.round(from, waiting, out);
        } else if id > self.id {
            out.rule(Rule::Retire);
            self.role = Passive;
            if let Some(id) = waiting {
                out.send(from, Msg::Id { id });
            }
        } else {
            out.rule(Rule::Alone);
            self.role = Leader;
            out.send(Side::Right, Msg::Elected { id });
        }
    }
}
