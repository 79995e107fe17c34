//! Humblet: whoever captures half of the others leads; a captured process asks its owner before it changes sides.
//!
//! **Idea.** An active process captures the others one at a time; its level is how many it has. A claim captures a
//! process that nobody owns if it is larger: of a higher level, or of the same one and a larger identity. A process
//! that is owned asks its owner, who lets it go and gives up if the claim is larger than its own. Whoever has half of
//! all leads.
//!
//! **Needs.** A complete graph whose ports are numbered anyhow, the number of ports, distinct identities. Everybody
//! takes part: a process that is reached by a message starts first.
//!
//! **Cost.** at most n/(l+1) processes reach level l, and each capture costs at most four messages: 4n·H(⌊n/2⌋+1)+n-1
//! with n-1 announcements
//!
//! **Source.** P. A. Humblet, 23rd IEEE CDC 1984, 1139-1140
//!
//! At best 2(n-1)+2⌊n/2⌋: everybody claims once, the winner ⌊n/2⌋ times, and all its claims are accepted. Links are
//! FIFO by the contract; without it all runs of four processes elect as well, with at most 21 messages instead of 20.
//!
//! ```
//! use ringleader::{election::Humblet, sim};
//! let run = sim::elect::<Humblet>(&[1, 2]); // both claim, one accepts and is told
//! assert_eq!((run.leader_id(), run.messages), (Some(2), 4));
//! ```

use crate::model::*;
use Role::*;
use std::collections::VecDeque;

state! {
    pub struct Humblet {
        id: Id,
        hidden degree: Degree,
        role: Role = Asleep,
        /// Claims that wait until its owner has decided on the one before, oldest first.
        hidden queue: VecDeque<(Edge, u32, Id)> = VecDeque::new(),
        queue = |me| me.queue.iter().map(|(from, ..)| *from).collect::<Vec<Edge>>(),
        leader = |me| me.role.leader(me.id),
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Role {
        Asleep,
        /// It has the processes behind its first `level` ports, and has asked for the next.
        Active { level: u32 },
        /// It has given up, and nobody owns it.
        Beaten { level: u32 },
        /// It is owned; a contender for it waits for the owner's word.
        Captured { level: u32, owner: Edge, contender: Option<Edge> },
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
    pub enum Msg {
        /// Be mine.
        "capture" Capture { level: u32, id: Id },
        /// To the owner: somebody claims me.
        "forward" Forward { level: u32, id: Id },
        /// The owner's word: go.
        "yes" Yes,
        /// The owner's word: stay.
        "no" No,
        /// I am yours.
        "accept" Accept,
        /// I have half of you.
        announces "leader" Leader { id: Id },
    }
}

rules! {
    /// active; level := 0; next: send capture(level, id) through the lowest unused port
    Start,
    /// next, 2(level + 1) > n: leader instead; send leader(id) to all
    Lead,
    /// on capture(c), not owned, c > (level, id): not active; owner := port; send accept back
    Captured,
    /// on capture(c), not owned, c < (level, id): nothing
    Ignore,
    /// on capture(c), owned: queue it
    Claimed,
    /// owned, something queued, no contender: contender := its port; send forward(c) to owner
    Forward,
    /// on forward(c), c > (level, id): not active; send yes back
    Yes,
    /// on forward(c), c < (level, id): send no back
    No,
    /// on yes: owner := contender; send accept to it; no contender
    Go,
    /// on no: no contender
    Stay,
    /// on accept, active: level := level + 1; next
    Grow,
    /// on accept, not active: level := level + 1
    TooLate = "too late",
    /// on leader(v): remember v; done
    Leader,
    /// on anything, leader or done: nothing
    Over,
}

impl Process for Humblet {
    const SPEC: Spec = Spec::election("humblet", 1984, include_str!("mod.rs"))
        .family(Family::Capture)
        .links(Links::Fifo)
        .elects(Winner::Any, Informed::All)
        .proved("counting: n/(l+1) at level l")
        .at_most_of(Counts::All, "4n·H(n/2+1)+n-1", |facts| {
            let n = facts.n as f64;
            let captures = 4.0 * n * harmonic(facts.n / 2 + 1);
            // Where it is a whole number, the sum of fractions must not fall short of it.
            Some(((captures + n - 1.0) * (1.0 + 1e-12)) as u64)
        })
        .example("-n 5 --seed 1");
    types! { Port = Edge }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.capture_next(0, out);
        }
    }

    fn receive(&mut self, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Capture { level, id }, Active { level: own } | Beaten { level: own })
                if (level, id) > (own, self.id) =>
            {
                out.rule(Rule::Captured);
                self.role = Captured { level: own, owner: from, contender: None };
                out.send(from, Msg::Accept {});
            }
            (Msg::Capture { .. }, Active { .. } | Beaten { .. }) => out.rule(Rule::Ignore),
            (Msg::Capture { level, id }, Captured { .. }) => {
                out.rule(Rule::Claimed);
                self.queue.push_back((from, level, id));
                self.ask_owner(out);
            }
            // Who gives one up gives up hope.
            (
                Msg::Forward { level, id },
                Active { level: own } | Beaten { level: own } | Captured { level: own, .. },
            ) if (level, id) > (own, self.id) => {
                out.rule(Rule::Yes);
                if let Active { level } = self.role {
                    self.role = Beaten { level };
                }
                out.send(from, Msg::Yes {});
            }
            (Msg::Forward { .. }, Active { .. } | Beaten { .. } | Captured { .. }) => {
                out.rule(Rule::No);
                out.send(from, Msg::No {});
            }
            (Msg::Yes {}, Captured { level, contender: Some(contender), .. }) => {
                out.rule(Rule::Go);
                self.role = Captured { level, owner: contender, contender: None };
                out.send(contender, Msg::Accept {});
                self.ask_owner(out);
            }
            (Msg::No {}, Captured { level, owner, contender: Some(_) }) => {
                out.rule(Rule::Stay);
                self.role = Captured { level, owner, contender: None };
                self.ask_owner(out);
            }
            (Msg::Accept {}, Active { level }) => {
                out.rule(Rule::Grow);
                self.capture_next(level + 1, out);
            }
            (Msg::Accept {}, Beaten { level }) => {
                out.rule(Rule::TooLate);
                self.role = Beaten { level: level + 1 };
            }
            (Msg::Accept {}, Captured { level, owner, contender }) => {
                out.rule(Rule::TooLate);
                self.role = Captured { level: level + 1, owner, contender };
            }
            (Msg::Leader { id }, Active { .. } | Beaten { .. } | Captured { .. }) => {
                out.rule(Rule::Leader);
                self.role = Done { leader: id };
                self.queue = VecDeque::new();
            }
            (Msg::Capture { .. } | Msg::Forward { .. }, Leader | Done { .. })
            | (Msg::Yes {} | Msg::No {} | Msg::Accept {}, Done { .. }) => out.rule(Rule::Over),
            (
                Msg::Yes {} | Msg::No {},
                Active { .. } | Beaten { .. } | Captured { contender: None, .. } | Leader,
            ) => out.impossible("an owner is asked before it says anything"),
            (Msg::Accept {}, Leader) => out.impossible("it captures one at a time"),
            (Msg::Leader { .. }, Leader | Done { .. }) => out.impossible("two cannot have half of all"),
            (_, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl Humblet {
    /// With half of all it leads; otherwise it goes on to the next port. The ports before were all answered.
    fn capture_next(&mut self, level: u32, out: &mut impl Outbox<Self>) {
        if 2 * (u64::from(level) + 1) > u64::from(self.degree.0) + 1 {
            out.rule(Rule::Lead);
            self.role = Leader;
            out.send_all((0..self.degree.0).map(Edge), Msg::Leader { id: self.id });
        } else {
            self.role = Active { level };
            out.send(Edge(level), Msg::Capture { level, id: self.id });
        }
    }

    /// Passes the next claim to the owner, unless it has one to decide on already.
    fn ask_owner(&mut self, out: &mut impl Outbox<Self>) {
        if let Captured { level, owner, contender: None } = self.role
            && let Some((from, claim, id)) = self.queue.pop_front()
        {
            out.rule(Rule::Forward);
            self.role = Captured { level, owner, contender: Some(from) };
            out.send(owner, Msg::Forward { level: claim, id });
        }
    }
}
