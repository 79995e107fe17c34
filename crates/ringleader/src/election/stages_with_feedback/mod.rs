//! Stages with feedback: on a two-way ring, a candidate goes on to the next stage with the votes of both neighbours.
//!
//! **Idea.** Each stage a candidate shows its identity both ways, and votes for the largest of its own and those of the
//! nearest candidates on either side. It goes on if both of them have voted for it. Two that go on have no voter in
//! common, so that at most a third do; that costs one message more on a link. The last one meets its own identity on
//! both sides.
//!
//! **Needs.** FIFO links: without them the identity of the next stage may overtake the vote before it. No orientation:
//! the sides are only told apart.
//!
//! **Cost.** exactly 2n identities a stage, at most n votes in each but the last; at most ⌊log₃(n/2)⌋+2 stages; n
//! announcements
//!
//! **Source.** N. Santoro, E. Korach, D. Rotem, Congressus Numerantium 34:401-412, 1982
//!
//! The rules are those of public lecture notes and of a program, mended; the papers themselves were not at hand. The
//! book form elects the smallest identity. The count is the same under every schedule and for every set of initiators.
//!
//! ```
//! use ringleader::{election::StagesWithFeedback, sim};
//! let run = sim::elect::<StagesWithFeedback>(&[6, 1, 2, 5, 3, 4]); // the worst case: 3 stages, 10 votes
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(6), 3 * 2 * 6 + 10));
//! ```

use crate::model::*;
use Role::*;

state! {
    pub struct StagesWithFeedback {
        id: Id,
        role: Role = Asleep,
        leader = |me| me.role.leader(me.id),
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Role {
        Asleep,
        /// It has shown its identity, and waits for those of the nearest candidates: what one side has sent, for the
        /// other.
        Asking { heard: Option<(Side, Heard)> },
        /// It has voted, and waits for votes: one side may have voted for it, and sent an identity of the next stage.
        Counting { voted: Option<(Side, Option<Id>)> },
        Passive,
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

/// What one side has sent in a stage: the identity of the nearest candidate there, its vote, and an identity of the
/// next stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Heard {
    id: Id,
    vote: bool,
    next: Option<Id>,
}

impl Show for Heard {
    fn show(&self) -> Value {
        Value::List(vec![self.id.show(), self.vote.show(), self.next.show()])
    }
}

messages! {
    pub enum Msg {
        /// The identity of a candidate.
        "id" Id { id: Id },
        /// A vote for the candidate with this identity.
        "vote" Vote { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// stage: candidate; send id(id) both ways
    Start,
    /// on id(v) or vote(id), nothing yet from the other side; or on id(v) behind a vote: keep it
    Wait,
    /// with a, b from both sides, y = max(a, b) > id: send vote(y) to where y came from; then count
    Vote,
    /// with a, b from both sides, max(a, b) < id: vote for itself, without a message; then count
    Own,
    /// on vote(id), the first: keep count
    Count,
    /// on vote(id), the second: next stage, send id(id) both ways
    Survive,
    /// on id(v), counting, no vote from that side: passive; send it on, and what waits on the other side
    Beaten,
    /// with a, b from both sides, a = b = id: leader; send elected(id) to the right
    Alone,
    /// on id(v), or vote(v) for another, passive: send it on
    Relay,
    /// on vote(id), passive: nothing
    Late,
    /// on elected(v), passive: remember v; send it on
    Elected,
    /// on elected(v), leader: nothing
    Home,
}

impl Process for StagesWithFeedback {
    const SPEC: Spec = Spec::election("stages-with-feedback", 1982, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .proved("counting: two that survive a stage share no voter")
        .at_most(Counts::Election, "n(3⌊log₃(n/2)⌋+5)", |n| n * (3 * most_stages(n) - 1))
        .schedules(Schedules::Same)
        .constant(
            Constant::TERNARY,
            "Santoro, Korach and Rotem 1982: 3n log₃ n + O(n) = 1.893 n log n + O(n)",
        )
        .measured_at(GrowingSizes::POWERS_OF_THREE)
        .worst_on(Arranged::Custom(
            "in order of reversed ternary digits, the rest beside the largest",
            worst_ranks,
        ))
        .example("--ids 6,1,5,4,2,3");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.stage(None, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.role) {
            (&Msg::Id { id }, Asking { heard: None }) => {
                out.rule(Rule::Wait);
                self.role = Asking { heard: Some((from, Heard { id, vote: false, next: None })) };
            }
            (&Msg::Id { id }, Asking { heard: Some((side, heard)) }) if side != from => {
                self.compare(from, id, side, heard, out);
            }
            // From one side there come an identity, perhaps a vote, and an identity of the next stage; nothing more,
            // for nobody there ends the next stage without our identity of it.
            (&Msg::Id { id }, Asking { heard: Some((side, heard @ Heard { next: None, .. })) }) => {
                out.rule(Rule::Wait);
                self.role = Asking { heard: Some((side, Heard { next: Some(id), ..heard })) };
            }
            (Msg::Id { .. }, Asking { heard: Some(_) }) => {
                out.impossible("a neighbour is never more than one stage ahead");
            }
            (&Msg::Id { id }, Counting { voted: Some((side, None)) }) if side == from => {
                out.rule(Rule::Wait);
                self.role = Counting { voted: Some((side, Some(id))) };
            }
            (Msg::Id { .. }, Counting { voted: Some((side, Some(_))) }) if side == from => {
                out.impossible("a neighbour is never more than one stage ahead");
            }
            (&Msg::Id { id }, Counting { voted }) => {
                self.beaten(from, id, out);
                if let Some((side, Some(next))) = voted {
                    out.send(side.other(), Msg::Id { id: next });
                }
            }
            (&Msg::Vote { id }, Asking { .. } | Counting { .. }) if id != self.id => {
                out.impossible("a vote is for the nearest candidate");
            }
            (
                Msg::Vote { .. },
                Asking { heard: Some((side, heard @ Heard { vote: false, next: None, .. })) },
            ) if side == from => {
                out.rule(Rule::Wait);
                self.role = Asking { heard: Some((side, Heard { vote: true, ..heard })) };
            }
            (Msg::Vote { .. }, Asking { .. }) => out.impossible("a neighbour shows itself, and votes once"),
            (Msg::Vote { .. }, Counting { voted: None }) => {
                out.rule(Rule::Count);
                self.role = Counting { voted: Some((from, None)) };
            }
            (Msg::Vote { .. }, Counting { voted: Some((side, next)) }) if side != from => {
                out.rule(Rule::Survive);
                self.stage(next.map(|id| (side, id)), out);
            }
            (Msg::Vote { .. }, Counting { .. }) => out.impossible("a neighbour votes once"),
            (&Msg::Vote { id }, Passive) if id == self.id => out.rule(Rule::Late),
            (Msg::Id { .. } | Msg::Vote { .. }, Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), msg);
            }
            (Msg::Id { .. } | Msg::Vote { .. }, Leader | Done { .. }) => {
                out.impossible("the leader's identity came home behind everything else");
            }
            (&Msg::Elected { id }, Passive) => {
                out.rule(Rule::Elected);
                self.role = Done { leader: id };
                out.send(from.other(), msg);
            }
            (Msg::Elected { .. }, Leader) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Asking { .. } | Counting { .. }) => {
                out.impossible("only the leader was left as a candidate");
            }
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the lap ends at the leader"),
            (Msg::Id { .. } | Msg::Vote { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl StagesWithFeedback {
    /// A new stage. An identity of it may have come in already.
    #[inline(always)]
    fn stage(&mut self, next: Option<(Side, Id)>, out: &mut impl Outbox<Self>) {
        let heard = next.map(|(side, id)| (side, Heard { id, vote: false, next: None }));
        self.role = Asking { heard };
        out.phase_begins();
        out.send_all(Side::BOTH, Msg::Id { id: self.id });
    }

    /// The identities of this stage are in from both sides, one just now: it votes, and then looks at what has come
    /// behind the one that waited.
    #[inline(always)]
    fn compare(&mut self, from: Side, id: Id, side: Side, heard: Heard, out: &mut impl Outbox<Self>) {
        let largest = id.max(heard.id);
        if largest > self.id {
            out.rule(Rule::Vote);
            if id == largest {
                out.send(from, Msg::Vote { id: largest });
            }
            if heard.id == largest {
                out.send(side, Msg::Vote { id: largest });
            }
        } else if largest < self.id {
            out.rule(Rule::Own);
        } else if id == heard.id {
            out.rule(Rule::Alone);
            self.role = Leader;
            out.send(Side::Right, Msg::Elected { id });
            return;
        } else {
            out.impossible("its own identity comes back on both sides or on none");
            return;
        }
        match (heard.vote, heard.next) {
            (false, None) => self.role = Counting { voted: None },
            (true, next) => self.role = Counting { voted: Some((side, next)) },
            (false, Some(next)) => self.beaten(side, next, out),
        }
    }

    /// The next stage has begun on that side, without a vote from there.
    #[inline(always)]
    fn beaten(&mut self, from: Side, id: Id, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Beaten);
        self.role = Passive;
        out.send(from.other(), Msg::Id { id });
    }
}

/// The most stages: n candidates leave at most a third, two leave one.
const fn most_stages(n: u64) -> u64 {
    if n < 2 { 1 } else { 2 + (n / 2).ilog(3) as u64 }
}

/// Of 2·3^k processes, the ranks of the reversed ternary digits: in each stage the middle one of three goes on, and of
/// the others each votes for it. The last two are as far apart as can be, and all links carry a vote.
///
/// The rest of the n are smaller than these and stand beside the largest of all, falling: they fall in the first stage,
/// and every link between them carries a vote in each, for the largest is voted for from both sides. The more of them
/// there are, the nearer every stage comes to n votes, at the price of a stage for a third as many others; what costs
/// most is taken.
fn worst_ranks(n: u32) -> Vec<u32> {
    let cost = |stages: u32| {
        let (n, others) = (u64::from(n), 2 * 3u64.pow(stages - 2));
        2 * n * u64::from(stages) + n + u64::from(stages - 2) * (n - others / 3)
    };
    let stages = (2..=most_stages(n.into()) as u32).max_by_key(|&stages| cost(stages));
    let Some(stages) = stages else { return (0..n).collect() };
    let others = 2 * 3u32.pow(stages - 2);
    let run = n - others;
    let mut ranks = Vec::with_capacity(n as usize);
    for place in 0..others {
        let (mut rank, mut left, mut group) = (run, place, others);
        while group > 2 {
            group /= 3;
            rank += group * [1, 2, 0][(left % 3) as usize];
            left /= 3;
        }
        ranks.push(rank + left);
        if rank + left == n - 1 {
            ranks.extend((0..run).rev());
        }
    }
    ranks
}
