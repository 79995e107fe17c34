//! Hirschberg–Sinclair: on a two-way ring, each candidate asks ever larger neighbourhoods whether it is the largest.
//!
//! **Idea.** A candidate asks the processes up to a distance on both sides whether it is the largest, then twice as
//! far, and so on. A larger process refuses; the last one that is asked agrees. Who is refused, or asked by a larger
//! candidate, has lost. A question that comes home has been put to everybody.
//!
//! **Needs.** Distinct comparable identities and a two-way ring. FIFO links and a common sense of direction are
//! declared as in the literature; nothing was seen to go wrong without them, for an answer goes back where its question
//! came from, and no two questions of a candidate are under way on one side.
//!
//! **Cost.** at most 4n in the first phase, 4r⌊n/(r/2+1)⌋ (less than 8n) in those of r = 2, 4, .. < n, 2n in the last
//! (2 in all for n = 1); n announcements; the count depends on the schedule, and is largest when all move together:
//! elected in round 2(2^⌈log n⌉-1)+n
//!
//! **Source.** D. S. Hirschberg, J. B. Sinclair, CACM 23(11):627-628, 1980
//!
//! The refusals are those of a widely used chapter. Schedules differ because whoever is asked by a larger candidate
//! before its answers are in saves a phase.
//!
//! ```
//! use ringleader::{election::HirschbergSinclair, sim};
//! let run = sim::elect::<HirschbergSinclair>(&[2, 1]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(2), 12));
//! ```

mod worst;

use crate::model::*;
use Mode::*;
use core::cmp::Ordering::{Equal, Greater, Less};
use worst::{most_messages, worst};

state! {
    pub struct HirschbergSinclair {
        id: Id,
        mode: Mode = Idle,
        winner = |me| me.mode.leader(me.id),
        outcome = |me| me.mode.outcome(me.id),
        drawn = [winner: leader],
    }

    enum Mode {
        /// It has not started, and nobody has reached it.
        Idle,
        /// It has asked so far on both sides; `first` is the answer of one side, once it is in.
        Candidate { lgmax: u32, first: Option<bool> },
        Lost => loses,
        Leader => leads,
        Done { winner: Id } => follows winner,
    }
}

messages! {
    pub enum Msg {
        /// A candidate's identity, which has come `lg` hops and may go `lgmax`.
        "cand" Cand { id: Id, lg: u32, lgmax: u32 },
        /// The answer to the candidate with this identity.
        "resp" Resp { ok: bool, id: Id },
        /// The winner's identity.
        announces "ended" Ended { id: Id },
    }
}

rules! {
    /// if idle: Launch(1)
    Start,
    /// on cand(v, lg, L), v < id, idle: send resp(F, v) back; Launch(1)
    Wake,
    /// on cand(v, lg, L), v < id, not idle: send resp(F, v) back
    Refuse,
    /// on cand(v, lg, L), v > id, lg + 1 < L: lost if idle or candidate; send cand(v, lg + 1, L) on
    Pass,
    /// on cand(v, lg, L), v > id, lg + 1 = L: lost if idle or candidate; send resp(T, v) back
    Agree,
    /// on cand(v, lg, L), v = id, first time: leader; winner := id; send ended(id) on
    Home,
    /// on cand(v, lg, L), v = id, leader: nothing
    Swallow,
    /// on resp(b, v), v != id: send it on
    Relay,
    /// on the first resp(b, id), candidate: keep b
    Wait,
    /// on the second resp(b, id), candidate, both agreed: Launch(2·lgmax). Launch(L): candidate; lgmax := L; send
    /// cand(id, 0, L) both ways
    Survive,
    /// on the second resp(b, id), candidate, one refused: lost
    Beaten,
    /// on resp(b, id), no candidate any more: nothing
    Late,
    /// on ended(v), lost: winner := v; send it on
    Ended,
    /// on ended(v), leader: nothing
    Stop,
}

impl Process for HirschbergSinclair {
    const SPEC: Spec = Spec::election("hirschberg-sinclair", 1980, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .aliases(&["hs"])
        .links(Links::Fifo)
        .oriented()
        .reached(Reached::Relays)
        .proved("counting: of r/2+1 processes in a row at most one asks r far")
        .at_most(Counts::Election, "6n+Σ4r⌊n/(r/2+1)⌋", most_messages)
        .schedules(Schedules::RoundsSendMost)
        .constant(8.0, "Hirschberg and Sinclair 1980: 8n+8⌈n log n⌉")
        .worst_on(Arranged::Custom("each stretch split where most is sent", worst))
        .example("--ids 3,7,4,1");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Idle {
            out.rule(Rule::Start);
            self.launch(1, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Cand { id, lg, lgmax } => match (id.cmp(&self.id), self.mode) {
                (Less, Idle) => {
                    out.rule(Rule::Wake);
                    out.send(from, Msg::Resp { ok: false, id });
                    self.launch(1, out);
                }
                // Whatever has come of us since: it gets its answer, for it waits for two.
                (Less, _) => {
                    out.rule(Rule::Refuse);
                    out.send(from, Msg::Resp { ok: false, id });
                }
                (Greater, _) => self.yield_to(from, id, lg.saturating_add(1), lgmax, out),
                (Equal, Candidate { .. }) => {
                    out.rule(Rule::Home);
                    self.mode = Leader;
                    out.send(from.other(), Msg::Ended { id });
                }
                (Equal, Leader) => out.rule(Rule::Swallow),
                (Equal, Idle) => out.impossible("it has not asked yet"),
                (Equal, Lost | Done { .. }) => out.impossible("whoever beat it refuses its candidature, too"),
            },
            Msg::Resp { id, .. } if id != self.id => {
                out.rule(Rule::Relay);
                out.send(from.other(), msg);
            }
            Msg::Resp { ok, .. } => match self.mode {
                Candidate { lgmax, first: None } => {
                    out.rule(Rule::Wait);
                    self.mode = Candidate { lgmax, first: Some(ok) };
                }
                Candidate { lgmax, first: Some(first) } if first && ok => {
                    out.rule(Rule::Survive);
                    self.launch(lgmax.saturating_mul(2), out);
                }
                Candidate { first: Some(_), .. } => {
                    out.rule(Rule::Beaten);
                    self.mode = Lost;
                }
                Lost | Done { .. } => out.rule(Rule::Late),
                Idle => out.impossible("it has not asked yet"),
                Leader => out.impossible("the last candidature comes home on both sides, without an answer"),
            },
            Msg::Ended { id } => match self.mode {
                Lost => {
                    out.rule(Rule::Ended);
                    self.mode = Done { winner: id };
                    out.send(from.other(), msg);
                }
                Leader => out.rule(Rule::Stop),
                Idle | Candidate { .. } => out.impossible("the winner's candidature came by here before"),
                Done { .. } => out.impossible("the lap ends at the leader"),
            },
        }
    }
}

impl HirschbergSinclair {
    /// A candidature on paths of this length.
    #[inline(always)]
    fn launch(&mut self, lgmax: u32, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Candidate { lgmax, first: None };
        out.send_all(Side::BOTH, Msg::Cand { id: self.id, lg: 0, lgmax });
    }

    /// A larger candidate asks, over a way of this length so far.
    #[inline(always)]
    fn yield_to(&mut self, from: Side, id: Id, lg: u32, lgmax: u32, out: &mut impl Outbox<Self>) {
        match self.mode {
            Idle | Candidate { .. } => self.mode = Lost,
            // The second copy of the winner's candidature may come after the announcement: that stands.
            Lost | Done { .. } => {}
            Leader => out.impossible("nobody is larger than the leader"),
        }
        if lg < lgmax {
            out.rule(Rule::Pass);
            out.send(from.other(), Msg::Cand { id, lg, lgmax });
        } else {
            out.rule(Rule::Agree);
            out.send(from, Msg::Resp { ok: true, id });
        }
    }
}
