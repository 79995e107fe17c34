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

state! {
    pub struct DolevKlaweRodeh {
        id: Id,
        mode: Mode,
    }

    /// What a process is, with the variables that it has then.
    #[derive(Copy)]
    enum Mode {
        Asleep,
        /// Active: it has sent its value and waits for that of the active process before it.
        AwaitOne { max: Id },
        /// Active: it knows that value, and waits for the one before that.
        AwaitTwo { max: Id, nbr: Id },
        Passive,
        /// It was alone and has said so; the value it had belongs to another process, unless there is no other.
        Announcer { leader: Id },
        Done { leader: Id },
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
        .errata(include_str!("errata.md"))
        .aliases(&["dkr"])
        .links(Links::Fifo)
        .at_most(
            Counts::Election,
            Basis::Proved("counting: two on each link in each of ⌊log n⌋ phases, and one"),
            "2n⌊log n⌋+n",
            |facts| Some(2 * facts.n * floor_log2(facts.n) + facts.n),
        )
        .constant(2.0, "Dolev, Klawe and Rodeh 1982, the basic algorithm: 2n log n + O(n)")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    types! { Given = Id, Port = Next }

    fn new(id: Id) -> Self {
        DolevKlaweRodeh { id, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule(Rule::Start);
            self.phase(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::One { id }, Mode::AwaitOne { max }) if id == max => {
                out.rule(Rule::Alone);
                self.mode = Mode::Announcer { leader: max };
                out.send(Next, Msg::Elected { id: max });
            }
            (&Msg::One { id }, Mode::AwaitOne { max }) => {
                out.rule(Rule::One);
                self.mode = Mode::AwaitTwo { max, nbr: id };
                out.send(Next, Msg::Two { id });
            }
            (&Msg::Two { id }, Mode::AwaitTwo { max, nbr }) if nbr > id && nbr > max => {
                out.rule(Rule::Survive);
                self.phase(nbr, out);
            }
            (Msg::Two { .. }, Mode::AwaitTwo { .. }) => {
                out.rule(Rule::Retire);
                self.mode = Mode::Passive;
            }
            (Msg::One { .. } | Msg::Two { .. }, Mode::Passive) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (&Msg::Elected { id }, Mode::Passive) => {
                out.rule(Rule::Elected);
                self.mode = Mode::Done { leader: id };
                out.send(Next, msg);
            }
            (Msg::Elected { .. }, Mode::Announcer { .. }) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Mode::Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::One { .. }, Mode::Announcer { .. } | Mode::Done { .. }) => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            (Msg::Two { .. }, Mode::Announcer { .. } | Mode::Done { .. }) => {
                out.impossible("the last active process sends no two");
            }
            (Msg::One { .. }, Mode::AwaitTwo { .. }) => out.impossible("after one comes two: links are FIFO"),
            (Msg::Two { .. }, Mode::AwaitOne { .. }) => {
                out.impossible("before two comes one: links are FIFO");
            }
            (Msg::Elected { .. }, Mode::AwaitOne { .. } | Mode::AwaitTwo { .. }) => {
                out.impossible("only the announcer was active");
            }
            (Msg::One { .. } | Msg::Two { .. } | Msg::Elected { .. }, Mode::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }
}

impl DolevKlaweRodeh {
    /// A new phase with this value.
    #[inline(always)]
    fn phase(&mut self, max: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Mode::AwaitOne { max };
        out.send(Next, Msg::One { id: max });
    }
}

impl Election for DolevKlaweRodeh {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        match self.mode {
            Mode::Announcer { leader } | Mode::Done { leader } => Decision::of(self.id, Some(leader)),
            Mode::Asleep | Mode::AwaitOne { .. } | Mode::AwaitTwo { .. } | Mode::Passive => Decision::NONE,
        }
    }
}
