//! Peterson, improved: one comparison a round, which its own value must win in odd rounds, the other in even ones.
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
use Mode::*;

state! {
    pub struct PetersonImproved {
        id: Id,
        mode: Mode = Asleep,
        outcome = |me| me.mode.outcome(me.id),
        drawn = [leader: leader],
    }

    /// What a process is, with the variables that it has then. Of the round only the parity matters.
    enum Mode {
        Asleep,
        /// Active in an odd round.
        Odd { tid: Id },
        /// Active in an even round.
        Even { tid: Id },
        Relay,
        /// It was alone and has said so; its value may be the identity of another process.
        Announcer { leader: Id } => knows leader,
        Done { leader: Id } => knows leader,
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
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .proved("counting: a(r+2) <= a(r) - a(r+1)")
        .at_most(Counts::Election, "n·R, F(R+1)<=n", |n| n * (largest_phase(n) + 1))
        .constant(Constant::GOLDEN, "Peterson 1982, the second algorithm: 1.44 n log n + O(n)")
        .worst_on(Arranged::Fibonacci)
        .example("--ids 1,3,5,2,4");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            out.rule(Rule::Start);
            self.mode = Odd { tid: self.id };
            self.round(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::Tid { id }, Odd { tid } | Even { tid }) if id == tid => {
                out.rule(Rule::Alone);
                self.mode = Announcer { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            (&Msg::Tid { id }, Odd { tid }) if tid > id => {
                out.rule(Rule::Keep);
                self.mode = Even { tid };
                self.round(tid, out);
            }
            (&Msg::Tid { id }, Even { tid }) if id > tid => {
                out.rule(Rule::Take);
                self.mode = Odd { tid: id };
                self.round(id, out);
            }
            (Msg::Tid { .. }, Odd { .. } | Even { .. }) => {
                out.rule(Rule::Retire);
                self.mode = Relay;
            }
            (Msg::Tid { .. }, Relay) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (Msg::Tid { .. }, Announcer { .. } | Done { .. }) => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            (&Msg::Elected { id }, Relay) => {
                out.rule(Rule::Elected);
                self.mode = Done { leader: id };
                out.send(Next, msg);
            }
            (Msg::Elected { .. }, Announcer { .. }) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Odd { .. } | Even { .. }) => {
                out.impossible("only the announcer was active");
            }
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::Tid { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
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
