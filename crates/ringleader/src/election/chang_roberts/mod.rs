//! Chang–Roberts: on a one-way ring, only the largest identity survives the trip home.
//!
//! **Idea.** Each initiator sends its identity round the ring. A process passes a larger identity on, replaces a
//! smaller one by its own if it had not taken part yet, and swallows it otherwise. An identity that comes home met
//! nobody larger: its owner leads.
//!
//! **Needs.** Distinct comparable identities. FIFO links are needed only for the count and the clean end: if messages
//! overtake each other, a late election message can reach a process that the announcement has already reset, and start
//! a harmless extra election (5 > 3 messages at n = 2).
//!
//! **Cost.** worst n(n+1)/2, average n·H(n), best 2n-1 (all start), n announcements; elected after n rounds if all
//! start, at most 2n-1 if one does
//!
//! **Source.** E. Chang, R. Roberts, CACM 22(5):281-283, 1979
//!
//! ```
//! use ringleader::{election::ChangRoberts, sim};
//! let run = sim::elect::<ChangRoberts>(&[3, 2, 1]); // falling: the worst case
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 6));
//! ```

use crate::model::*;
use core::cmp::Ordering::{Equal, Greater, Less};

state! {
    pub struct ChangRoberts {
        id: Id,
        participant: bool = false,
        leader: bool = false,
        coordinator: Option<Id> = None,
        drawn = [participant: joined, coordinator: leader],
    }
}

messages! {
    pub enum Msg {
        /// An identity that has met nobody larger so far.
        "election" Election { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// if not participant: participant := T; send election(id)
    Start,
    /// on election(j), j > id: participant := T; send election(j)
    Larger,
    /// on election(j), j < id, not participant: participant := T; send election(id)
    Replace,
    /// on election(j), j < id, participant: nothing
    Swallow,
    /// on election(j), j = id: leader := T; send elected(id)
    Home,
    /// on elected(j): coordinator := j; participant := F; if j != id: send elected(j)
    Elected,
}

impl Process for ChangRoberts {
    const SPEC: Spec = Spec::election("chang-roberts", 1979, include_str!("mod.rs"))
        .family(Family::Swallow)
        .errata(include_str!("errata.md"))
        .aliases(&["lcr"])
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .proved("counting: the k-th largest identity goes n+1-k links at most")
        .at_most(Counts::Election, "n(n+1)/2", |n| n * (n + 1) / 2)
        .average("n·H(n)", |facts| (facts.initiators == facts.n).then(|| facts.n as f64 * harmonic(facts.n)))
        .worst_on(Arranged::Descending)
        .example("--ids 3,7,4,1");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if !self.participant {
            out.rule(Rule::Start);
            self.participant = true;
            out.send(Next, Msg::Election { id: self.id });
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Election { id } => match (id.cmp(&self.id), self.participant) {
                (Greater, _) => {
                    out.rule(Rule::Larger);
                    self.participant = true;
                    out.send(Next, Msg::Election { id });
                }
                (Less, false) => {
                    out.rule(Rule::Replace);
                    self.participant = true;
                    out.send(Next, Msg::Election { id: self.id });
                }
                (Less, true) => out.rule(Rule::Swallow),
                (Equal, _) => {
                    out.rule(Rule::Home);
                    self.leader = true;
                    out.send(Next, Msg::Elected { id });
                }
            },
            Msg::Elected { id } => {
                out.rule(Rule::Elected);
                self.coordinator = Some(id);
                self.participant = false;
                if id != self.id {
                    out.send(Next, Msg::Elected { id });
                }
            }
        }
    }
}

impl Election for ChangRoberts {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        let verdict = match (self.leader, self.coordinator) {
            (true, _) => Verdict::Leader,
            (false, Some(_)) => Verdict::Lost,
            (false, None) => Verdict::Undecided,
        };
        Decision { verdict, knows: self.coordinator.into() }
    }
}
