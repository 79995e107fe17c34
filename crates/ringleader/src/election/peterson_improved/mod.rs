//! Peterson, improved: one comparison a round, which the own value must win in odd rounds, the other in even ones.
//!
//! **Idea.** Each round an active process compares its value with that of the active process before it. In odd rounds
//! it stays if its own is larger, in even rounds if the other is larger, whose value it then takes; otherwise it
//! relays. Who receives its own value is alone and announces it: the largest identity.
//!
//! **Needs.** FIFO links: without them the values of two rounds are mixed up.
//!
//! **Cost.** exactly n a round, n announcements; the rounds R satisfy F(R+1) <= n (Fibonacci numbers), hence R <=
//! 1.4405 log n + 1, and the most that this allows is attained for every n
//!
//! **Source.** G. L. Peterson, TOPLAS 4(4):758-762, 1982, second algorithm
//!
//! Of two neighbours that survive a round the second falls in the next: with a(r) active processes in round r, a(r+2)
//! <= a(r) - a(r+1). The count is the same under every schedule and for every set of initiators. The rules are those
//! of a public model, mended; the paper itself was not at hand.
//!
//! ```
//! use ringleader::{election::PetersonImproved, sim};
//! let run = sim::elect::<PetersonImproved>(&[1, 3, 5, 2, 4]); // the worst case: 4 rounds
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(5), 20));
//! ```

use crate::model::*;

state! {
    pub struct PetersonImproved {
        id: Id,
        mode: Mode,
    }

    /// What a process is, with the variables that it has then. Of the round only the parity matters.
    #[derive(Copy)]
    enum Mode {
        Asleep,
        /// Active in an odd round.
        Odd { tid: Id },
        /// Active in an even round.
        Even { tid: Id },
        Relay,
        /// It was alone and has said so; its value may be the identity of another process.
        Announcer { leader: Id },
        Done { leader: Id },
    }
}

messages! {
    pub enum Msg {
        /// The temporary identity of an active process.
        "tid" Tid { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// active; tid := id; round 1; send tid(tid)
    Start,
    /// on tid(v), active, v = tid: announcer; remember v; send elected(v)
    Alone,
    /// on tid(v), active in an odd round, tid > v: next round; send tid(tid)
    Keep,
    /// on tid(v), active in an even round, v > tid: tid := v; next round; send tid(tid)
    Take,
    /// on tid(v), active otherwise: relay
    Retire,
    /// on tid(v) as a relay: send it on
    Relay,
    /// on elected(v) as a relay: remember v; leader if v = id; send it on
    Elected,
    /// on elected(v) as the announcer: nothing
    Home,
}

impl Process for PetersonImproved {
    const SPEC: Spec = Spec::election("peterson-improved", 1982, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .at_most(
            Counts::Election,
            Basis::Proved("counting: a(r+2) <= a(r) - a(r+1)"),
            "n·R, F(R+1)<=n",
            |facts| Some(facts.n * (largest_phase(facts.n) + 1)),
        )
        .constant(Constant::GOLDEN, "Peterson 1982, the second algorithm: 1.44 n log n + O(n)")
        .worst_on(Arranged::Fibonacci)
        .example("--ids 1,3,5,2,4");
    types! { Given = Id, Port = Next }

    fn new(id: Id) -> Self {
        PetersonImproved { id, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule(Rule::Start);
            self.mode = Mode::Odd { tid: self.id };
            self.round(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::Tid { id }, Mode::Odd { tid } | Mode::Even { tid }) if id == tid => {
                out.rule(Rule::Alone);
                self.mode = Mode::Announcer { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            (&Msg::Tid { id }, Mode::Odd { tid }) if tid > id => {
                out.rule(Rule::Keep);
                self.mode = Mode::Even { tid };
                self.round(tid, out);
            }
            (&Msg::Tid { id }, Mode::Even { tid }) if id > tid => {
                out.rule(Rule::Take);
                self.mode = Mode::Odd { tid: id };
                self.round(id, out);
            }
            (Msg::Tid { .. }, Mode::Odd { .. } | Mode::Even { .. }) => {
                out.rule(Rule::Retire);
                self.mode = Mode::Relay;
            }
            (Msg::Tid { .. }, Mode::Relay) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (Msg::Tid { .. }, Mode::Announcer { .. } | Mode::Done { .. }) => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            (&Msg::Elected { id }, Mode::Relay) => {
                out.rule(Rule::Elected);
                self.mode = Mode::Done { leader: id };
                out.send(Next, msg);
            }
            (Msg::Elected { .. }, Mode::Announcer { .. }) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Mode::Odd { .. } | Mode::Even { .. }) => {
                out.impossible("only the announcer was active");
            }
            (Msg::Elected { .. }, Mode::Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::Tid { .. } | Msg::Elected { .. }, Mode::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }
}

impl PetersonImproved {
    /// A new round with this value.
    #[inline(always)]
    fn round(&mut self, tid: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        out.send(Next, Msg::Tid { id: tid });
    }
}

impl Election for PetersonImproved {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        match self.mode {
            Mode::Announcer { leader } | Mode::Done { leader } => Decision::of(self.id, Some(leader)),
            Mode::Asleep | Mode::Odd { .. } | Mode::Even { .. } | Mode::Relay => Decision::NONE,
        }
    }
}
