//! Dolev–Klawe–Rodeh, Algorithm B: a second message only for a value that beats the one before it, on a shorter way.
//!
//! **Idea.** An active process that receives a larger value waits with it; one that receives a smaller value becomes
//! passive and confirms its own to whoever waits with that, who begins the next phase. In phase p a value already waits
//! 2^p links from where it set out, so that confirmations have less far to go. The largest identity wins when it meets
//! its owner.
//!
//! **Needs.** Distinct comparable identities, and FIFO links: without them a confirmation may come before what it
//! confirms. Everybody takes part, and starts before its first message.
//!
//! **Cost.** worst 1.5 n log n+n: the leading term from the literature, the rest as measured; bit reversal takes 1.5 n
//! log n+1 for powers of two; n announcements
//!
//! **Source.** D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3(3):245-260, 1982
//!
//! Without confirmation a value that waits was beaten as well: the next message makes whoever waits with it passive.
//! The count is the same under every schedule: a process has one input, in one order. Written from public models and
//! programs of Algorithm B.
//!
//! ```
//! use ringleader::{election::DolevKlaweRodehB, sim};
//! let run = sim::elect::<DolevKlaweRodehB>(&[1, 3, 2, 4]); // bit reversal: the worst case
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(4), 13));
//! ```

use crate::model::*;
use Mode::*;

state! {
    pub struct DolevKlaweRodehB {
        id: Id,
        mode: Mode = Asleep,
        leader = |me| me.mode.leader(me.id),
        outcome = |me| me.mode.outcome(me.id),
        drawn = [leader: leader],
    }

    /// What a process is, with the variables that it has then: `max`, the largest value that it has stood for or let
    /// pass as a candidate, and the phase of that value.
    enum Mode {
        Asleep,
        /// It has sent its value and waits for another to compare.
        Active { max: Id, phase: u8 },
        /// It has a value from another process, which is not confirmed yet.
        Waiting { max: Id, phase: u8 },
        Passive { max: Id },
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
    pub enum Msg {
        /// A value, its phase, and how many links are left to the place where it waits; 0 where it is only compared.
        "one" One { id: Id, phase: u8, counter: u32 },
        /// A value that was larger than the one before it, for whoever waits with it.
        "two" Two { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// active; max := id; phase := 0; send one(max, 0, 1)
    Start,
    /// on one(v, p, c), v = id: leader; send elected(id)
    Leader,
    /// on one(v, p, c), active, v > max: max := v; waiting
    Wait,
    /// on one(v, p, c), active otherwise: passive; send two(max)
    Confirm,
    /// on one(v, p, c), waiting: passive, and then as passive
    Retire,
    /// on one(v, p, c), passive, v >= max, c > 1: max := v; send one(v, p, c - 1)
    Pass,
    /// on one(v, p, c), passive, v >= max, c = 1: max := v; phase := p; waiting; send one(v, p, 0)
    Rest,
    /// on one(v, p, c), passive otherwise: send one(v, p, 0)
    Compare,
    /// on two(v), waiting, v = max: active; phase := phase + 1; send one(max, phase, 2^phase)
    Activate,
    /// on two(v), passive, v >= max: send it on
    Relay,
    /// on two(v), passive, v < max: nothing
    Drop,
    /// on elected(v), not the leader: remember v; done; send it on
    Elected,
    /// on elected(v), leader: nothing
    Home,
}

impl Process for DolevKlaweRodehB {
    const SPEC: Spec = Spec::election("dolev-klawe-rodeh-b", 1982, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .measured("all arrangements up to n = 9, random and bad ones beyond")
        .at_most(Counts::Election, "1.5 n log n+n", |n| n_log_n(1.5, n))
        .constant(1.5, "Dolev, Klawe and Rodeh 1982, Algorithm B: 1.5 n log n + O(n)")
        .worst_on(Arranged::BitReversal)
        .example("--ids 1,3,2,4");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            out.rule(Rule::Start);
            self.activate(self.id, 0, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::One { id, .. }, Active { .. } | Waiting { .. } | Passive { .. }) if id == self.id => {
                out.rule(Rule::Leader);
                self.mode = Leader;
                out.send(Next, Msg::Elected { id });
            }
            (&Msg::One { id, .. }, Active { max, phase }) if id > max => {
                out.rule(Rule::Wait);
                self.mode = Waiting { max: id, phase };
            }
            (Msg::One { .. }, Active { max, .. }) => {
                out.rule(Rule::Confirm);
                self.mode = Passive { max };
                out.send(Next, Msg::Two { id: max });
            }
            (&Msg::One { id, phase, counter }, Waiting { max, .. }) => {
                out.rule(Rule::Retire);
                self.mode = Passive { max };
                self.pass(max, id, phase, counter, out);
            }
            (&Msg::One { id, phase, counter }, Passive { max }) => {
                self.pass(max, id, phase, counter, out);
            }
            (&Msg::Two { id }, Waiting { max, phase }) if id == max => {
                out.rule(Rule::Activate);
                self.activate(max, phase.saturating_add(1), out);
            }
            (&Msg::Two { id }, Passive { max }) if id >= max => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (Msg::Two { .. }, Passive { .. }) => out.rule(Rule::Drop),
            (&Msg::Elected { id }, Active { .. } | Waiting { .. } | Passive { .. }) => {
                out.rule(Rule::Elected);
                self.mode = Done { leader: id };
                out.send(Next, msg);
            }
            (Msg::Elected { .. }, Leader) => out.rule(Rule::Home),
            // At any time there are as many ones on their way as active processes, and here it is the last one: whoever
            // sees the largest value afterwards may wait with it, but is not active but for the one that sent it.
            (Msg::One { .. }, Leader | Done { .. }) => {
                out.impossible("the value that came home was the last one");
            }
            (Msg::Two { .. }, Waiting { .. }) => {
                out.impossible("nothing comes between a value that waits and its two");
            }
            (Msg::Two { .. }, Active { .. }) => {
                out.impossible("who waits with a value comes before the next active process");
            }
            (Msg::Two { .. }, Leader | Done { .. }) => {
                out.impossible("what was on its way came before the last one");
            }
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::One { .. } | Msg::Two { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl DolevKlaweRodehB {
    /// Active, with this value, in this phase.
    #[inline(always)]
    fn activate(&mut self, max: Id, phase: u8, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Active { max, phase };
        // There are at most log n phases; what is said beyond is for messages that no run sends.
        let counter = 1u32.checked_shl(u32::from(phase)).unwrap_or(u32::MAX);
        out.send(Next, Msg::One { id: max, phase, counter });
    }

    /// A value passes somebody passive, or comes to rest there.
    #[inline(always)]
    fn pass(&mut self, max: Id, id: Id, phase: u8, counter: u32, out: &mut impl Outbox<Self>) {
        if id < max || counter == 0 {
            out.rule(Rule::Compare);
            out.send(Next, Msg::One { id, phase, counter: 0 });
        } else if counter > 1 {
            out.rule(Rule::Pass);
            self.mode = Passive { max: id };
            out.send(Next, Msg::One { id, phase, counter: counter - 1 });
        } else {
            out.rule(Rule::Rest);
            self.mode = Waiting { max: id, phase };
            out.send(Next, Msg::One { id, phase, counter: 0 });
        }
    }
}
