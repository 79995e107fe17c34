//! Dolev–Klawe–Rodeh: each active process stands for the one before it, and stays if that one is a local maximum.
//!
//! **Idea.** Each phase an active process learns the values of the two active processes before it. If the nearer one
//! has the largest of the three values, it goes on with that value; otherwise it relays. At least half drop out each
//! phase. Who receives its own value is alone and announces it: the identity of another process.
//!
//! **Needs.** Distinct comparable identities, and FIFO links: without them the two messages of a phase are mixed up.
//! Everybody takes part, and starts before its first message.
//!
//! **Cost.** 2n(p-1)+n in p phases, 2 <= p <= ⌊log n⌋+1 for n >= 2; n announcements; the same whoever starts
//!
//! **Source.** D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3(3):245-260, 1982
//!
//! The count is the same under every schedule: a process has one input, in one order.
//!
//! ```
//! use ringleader::{election::DolevKlaweRodeh, sim};
//! let run = sim::elect::<DolevKlaweRodeh>(&[3, 7, 4, 1]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(7), 12));
//! ```

use crate::model::*;
use Mode::*;

state! {
    pub struct DolevKlaweRodeh {
        id: Id,
        mode: Mode = Asleep,
        outcome = |me| me.mode.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Mode {
        Asleep,
        /// Active: it has sent its value and waits for that of the active process before it.
        AwaitOne { max: Id },
        /// Active: it knows that value, and waits for the one before that.
        AwaitTwo { max: Id, nbr: Id },
        Passive,
        /// It was alone and has said so; the value it had belongs to another process, unless there is no other.
        Announcer { leader: Id } => knows leader,
        Done { leader: Id } => knows leader,
    }
}

messages! {
    pub enum Msg {
        /// The value of an active process.
        "one" One { id: Id },
        /// The value of the active process before that.
        "two" Two { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// active; max := id; send one(max)
    Start,
    /// on one(v), active, v = max: announcer; remember v; send elected(v)
    Alone,
    /// on one(v), active, v != max: nbr := v; send two(v)
    One,
    /// on two(v), active, nbr > v and nbr > max: max := nbr; send one(max)
    Survive,
    /// on two(v), active otherwise: passive
    Retire,
    /// on one(v) or two(v), passive: send it on
    Relay,
    /// on elected(v), passive: remember v; leader if v = id; send it on
    Elected,
    /// on elected(v), announcer: nothing
    Home,
}

impl Process for DolevKlaweRodeh {
    const SPEC: Spec = Spec::election("dolev-klawe-rodeh", 1982, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .aliases(&["dkr"])
        .links(Links::Fifo)
        .proved("counting: two on each link in each of ⌊log n⌋ phases, and one")
        .at_most(Counts::Election, "2n⌊log n⌋+n", |n| 2 * n * floor_log2(n) + n)
        .constant(2.0, "Dolev, Klawe and Rodeh 1982, the basic algorithm: 2n log n + O(n)")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            out.rule(Rule::Start);
            self.phase(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::One { id }, AwaitOne { max }) if id == max => {
                out.rule(Rule::Alone);
                self.mode = Announcer { leader: max };
                out.send(Next, Msg::Elected { id: max });
            }
            (&Msg::One { id }, AwaitOne { max }) => {
                out.rule(Rule::One);
                self.mode = AwaitTwo { max, nbr: id };
                out.send(Next, Msg::Two { id });
            }
            (&Msg::Two { id }, AwaitTwo { max, nbr }) if nbr > id && nbr > max => {
                out.rule(Rule::Survive);
                self.phase(nbr, out);
            }
            (Msg::Two { .. }, AwaitTwo { .. }) => {
                out.rule(Rule::Retire);
                self.mode = Passive;
            }
            (Msg::One { .. } | Msg::Two { .. }, Passive) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (&Msg::Elected { id }, Passive) => {
                out.rule(Rule::Elected);
                self.mode = Done { leader: id };
                out.send(Next, msg);
            }
            (Msg::Elected { .. }, Announcer { .. }) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::One { .. }, Announcer { .. } | Done { .. }) => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            (Msg::Two { .. }, Announcer { .. } | Done { .. }) => {
                out.impossible("the last active process sends no two");
            }
            (Msg::One { .. }, AwaitTwo { .. }) => out.impossible("after one comes two: links are FIFO"),
            (Msg::Two { .. }, AwaitOne { .. }) => out.impossible("before two comes one: links are FIFO"),
            (Msg::Elected { .. }, AwaitOne { .. } | AwaitTwo { .. }) => {
                out.impossible("only the announcer was active");
            }
            (Msg::One { .. } | Msg::Two { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl DolevKlaweRodeh {
    /// A new phase with this value.
    #[inline(always)]
    fn phase(&mut self, max: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = AwaitOne { max };
        out.send(Next, Msg::One { id: max });
    }
}
