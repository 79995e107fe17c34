//! Peterson, improved: one comparison a round, which the own value must win in odd rounds, the other in even ones.
//!
//! **Idea.** Each round an active process compares its value with that of the active process before it. In odd rounds
//! it stays if its own is larger, in even rounds if the other is larger, whose value it then takes; otherwise it
//! relays. Who receives its own value is alone and announces it: the largest identity.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a one-way ring. Everybody takes part: a process that is
//! reached by a message starts first. Without FIFO the values of two rounds are mixed up.
//!
//! **Cost.** exactly n a round, n announcements; the rounds R satisfy F(R+1) <= n (Fibonacci numbers), hence R <=
//! 1.4405 log n + 1, and the most that this allows is attained for every n
//!
//! **Source.** G. L. Peterson, TOPLAS 4(4):758-762, 1982, second algorithm
//!
//! ```
//! use ringleader::{election::PetersonImproved, sim};
//! let run = sim::elect::<PetersonImproved>(&[1, 3, 5, 2, 4]); // the worst case: 4 rounds
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(5), 20));
//! ```

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PetersonImproved {
    id: Id,
    mode: Mode,
}

/// What a process is, with the variables that it has then. Of the round only the parity matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Asleep,
    /// Active in an odd round.
    Odd {
        tid: Id,
    },
    /// Active in an even round.
    Even {
        tid: Id,
    },
    Relay,
    /// It was alone and has said so; its value may be the identity of another process.
    Announcer {
        leader: Id,
    },
    Done {
        leader: Id,
    },
}

messages! {
    /// What travels on the ring.
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
        .at_most(Counts::Election, Basis::Proved("?"), "n·R, F(R+1)<=n", |facts| {
            Some(facts.n * most_rounds(facts.n))
        })
        .constant(Constant::GOLDEN, "Peterson 1982, the second algorithm: 1.44 n log n + O(n)")
        .worst_on(Arranged::Fibonacci)
        .example("--ids 1,3,5,2,4");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

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
        match (msg, self.mode) {
            (Msg::Tid { id }, Mode::Odd { tid } | Mode::Even { tid }) if id == tid => self.announce(tid, out),
            (Msg::Tid { id }, _) => self.value(id, out),
            (Msg::Elected { id }, Mode::Relay) => {
                out.rule(Rule::Elected);
                self.mode = Mode::Done { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            (Msg::Elected { .. }, Mode::Announcer { .. }) => out.rule(Rule::Home),
            (Msg::Elected { .. }, Mode::Odd { .. } | Mode::Even { .. }) => {
                out.impossible("only the announcer was active");
            }
            (Msg::Elected { .. }, Mode::Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::Elected { .. }, Mode::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }
}

impl State for PetersonImproved {
    fn fields(&self) -> Fields {
        let (mode, tid, leader) = match self.mode {
            Mode::Asleep => ("asleep", None, None),
            Mode::Odd { tid } => ("odd", Some(tid), None),
            Mode::Even { tid } => ("even", Some(tid), None),
            Mode::Relay => ("relay", None, None),
            Mode::Announcer { leader } => ("announcer", None, Some(leader)),
            Mode::Done { leader } => ("done", None, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("mode", Value::Word(mode)),
            ("tid", tid.show()),
            ("leader", leader.show()),
        ]
    }
}

impl PetersonImproved {
    /// A new round with this value.
    #[inline(always)]
    fn round(&mut self, tid: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        out.send(Next, Msg::Tid { id: tid });
    }

    /// A value other than its own arrives.
    #[inline(always)]
    fn value(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Odd { tid } if tid > id => {
                out.rule(Rule::Keep);
                self.mode = Mode::Even { tid };
                self.round(tid, out);
            }
            Mode::Even { tid } if id > tid => {
                out.rule(Rule::Take);
                self.mode = Mode::Odd { tid: id };
                self.round(id, out);
            }
            Mode::Odd { .. } | Mode::Even { .. } => {
                out.rule(Rule::Retire);
                self.mode = Mode::Relay;
            }
            Mode::Relay => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::Tid { id });
            }
            Mode::Announcer { .. } | Mode::Done { .. } => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// Nobody else is active.
    #[inline(always)]
    fn announce(&mut self, leader: Id, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Alone);
        self.mode = Mode::Announcer { leader };
        out.send(Next, Msg::Elected { id: leader });
    }

    fn leader(&self) -> Option<Id> {
        match self.mode {
            Mode::Announcer { leader } | Mode::Done { leader } => Some(leader),
            Mode::Asleep | Mode::Odd { .. } | Mode::Even { .. } | Mode::Relay => None,
        }
    }
}

impl Election for PetersonImproved {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl PetersonImproved {
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, self.leader())
    }

    fn knows(&self) -> Knows {
        self.leader().into()
    }
}

/// With the test of Peterson's first algorithm: who sees its own identity is elected (erratum own-id).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct PetersonImprovedOwnId;

impl Variant for PetersonImprovedOwnId {
    type Right = PetersonImproved;
    const TEXT: Text = Text {
        name: "peterson-improved@own-id",
        title: "Peterson, improved, elected by the own identity",
        erratum: "own-id",
        idea: "The first algorithm elects who sees its own identity, and one is tempted to keep that test. But here \
               an active process may already stand for a larger value while its own identity, taken over by the \
               process after it, still travels: with five processes the second largest can be elected.",
        rules: &[
            RuleText {
                name: "alone",
                text: "on tid(v), v = id, not yet elected, active or not: leader; send elected(id)",
            },
            RuleText { name: "home", text: "on anything that comes to one who is elected, or done: nothing" },
        ],
        example: "--ids 5,1,4,2,3",
    };

    fn receive(
        &mut self,
        right: &mut PetersonImproved,
        from: Next,
        msg: Msg,
        out: &mut impl Outbox<PetersonImproved>,
    ) {
        match (&msg, right.mode) {
            (&Msg::Tid { id }, Mode::Odd { .. } | Mode::Even { .. } | Mode::Relay) => {
                if id == right.id {
                    right.announce(id, out);
                } else {
                    right.value(id, out);
                }
            }
            (_, Mode::Announcer { .. }) | (Msg::Tid { .. }, Mode::Done { .. }) => out.rule(Rule::Home),
            (
                &Msg::Elected { id },
                Mode::Odd { .. } | Mode::Even { .. } | Mode::Relay | Mode::Done { .. },
            ) => {
                out.rule(Rule::Elected);
                right.mode = Mode::Done { leader: id };
                out.send(Next, msg);
            }
            (_, Mode::Asleep) => right.receive(from, msg, out),
        }
    }
}

/// The public model taken literally: whether somebody is alone is tested in odd rounds only (erratum odd-only).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct PetersonImprovedOddOnly;

impl Variant for PetersonImprovedOddOnly {
    type Right = PetersonImproved;
    const TEXT: Text = Text {
        name: "peterson-improved@odd-only",
        title: "Peterson, improved, alone in odd rounds only",
        erratum: "odd-only",
        idea: "A process tests only in odd rounds whether the value that comes in is its own. With two processes \
               the larger is alone in round 2, takes its own value for one that is not larger, and becomes a relay: \
               nobody is active any more, and nobody is elected.",
        rules: &[RuleText {
            name: "alone",
            text: "on tid(v), active in an odd round, v = tid: announcer; remember v; send elected(v)",
        }],
        example: "--ids 1,2",
    };

    fn receive(
        &mut self,
        right: &mut PetersonImproved,
        from: Next,
        msg: Msg,
        out: &mut impl Outbox<PetersonImproved>,
    ) {
        match (&msg, right.mode) {
            (&Msg::Tid { id }, Mode::Even { .. }) => right.value(id, out),
            (
                Msg::Tid { .. },
                Mode::Asleep | Mode::Odd { .. } | Mode::Relay | Mode::Announcer { .. } | Mode::Done { .. },
            )
            | (Msg::Elected { .. }, _) => right.receive(from, msg, out),
        }
    }
}

/// The most rounds that n processes allow: the largest R with F(R+1) <= n, where F(1) = F(2) = 1.
const fn most_rounds(n: u64) -> u64 {
    let (mut rounds, mut fib, mut next) = (1, 1u64, 2u64);
    while next <= n {
        (fib, next) = (next, fib.saturating_add(next));
        rounds += 1;
    }
    rounds
}
