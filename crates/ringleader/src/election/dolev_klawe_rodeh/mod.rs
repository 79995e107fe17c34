//! Dolev–Klawe–Rodeh: each active process stands for the one before it, and stays if that one is a local maximum.
//!
//! **Idea.** Each phase an active process learns the values of the two active processes before it. If the nearer one
//! has the largest of the three values, it goes on with that value; otherwise it relays. At least half drop out each
//! phase. Who receives its own value is alone and announces it: the identity of another process.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a one-way ring. Everybody takes part: a process that is
//! reached by a message starts first. Without FIFO the two messages of a phase are mixed up.
//!
//! **Cost.** 2n(p-1)+n in p phases, 2 <= p <= ⌊log n⌋+1 for n >= 2; n announcements; the same whoever starts
//!
//! **Source.** D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3(3):245-260, 1982
//!
//! ```
//! use ringleader::{election::DolevKlaweRodeh, sim};
//! let run = sim::elect::<DolevKlaweRodeh>(&[3, 7, 4, 1]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(7), 12));
//! ```

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DolevKlaweRodeh {
    id: Id,
    mode: Mode,
}

/// What a process is, with the variables that it has then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Asleep,
    /// Active: it has sent its value and waits for that of the active process before it.
    AwaitOne {
        max: Id,
    },
    /// Active: it knows that value, and waits for the one before that.
    AwaitTwo {
        max: Id,
        nbr: Id,
    },
    Passive,
    /// It was alone and has said so; the value it had belongs to another process, unless there is no other.
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
        .at_most(Counts::Election, Basis::Proved("?"), "2n⌊log n⌋+n", |facts| {
            Some(2 * facts.n * floor_log2(facts.n) + facts.n)
        })
        .constant(2.0, "Dolev, Klawe and Rodeh 1982, the basic algorithm: 2n log n + O(n)")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

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
        match msg {
            Msg::One { id } => self.one(id, out),
            Msg::Two { id } => self.two(id, out),
            Msg::Elected { id } => self.elected(id, out),
        }
    }
}

impl State for DolevKlaweRodeh {
    fn fields(&self) -> Fields {
        let (mode, max, nbr, leader) = match self.mode {
            Mode::Asleep => ("asleep", None, None, None),
            Mode::AwaitOne { max } => ("await-one", Some(max), None, None),
            Mode::AwaitTwo { max, nbr } => ("await-two", Some(max), Some(nbr), None),
            Mode::Passive => ("passive", None, None, None),
            Mode::Announcer { leader } => ("announcer", None, None, Some(leader)),
            Mode::Done { leader } => ("done", None, None, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("mode", Value::Word(mode)),
            ("max", max.show()),
            ("nbr", nbr.show()),
            ("leader", leader.show()),
        ]
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

    /// The value of the active process before.
    #[inline(always)]
    fn one(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::AwaitOne { max } if id == max => {
                out.rule(Rule::Alone);
                self.mode = Mode::Announcer { leader: max };
                out.send(Next, Msg::Elected { id: max });
            }
            Mode::AwaitOne { max } => {
                out.rule(Rule::One);
                self.mode = Mode::AwaitTwo { max, nbr: id };
                out.send(Next, Msg::Two { id });
            }
            Mode::Passive => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::One { id });
            }
            Mode::AwaitTwo { .. } => out.impossible("after one comes two: links are FIFO"),
            Mode::Announcer { .. } | Mode::Done { .. } => {
                out.impossible("the last active process has its own value back: nothing else travels");
            }
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// The value of the active process before that.
    #[inline(always)]
    fn two(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::AwaitTwo { max, nbr } if nbr > id && nbr > max => {
                out.rule(Rule::Survive);
                self.phase(nbr, out);
            }
            Mode::AwaitTwo { .. } => {
                out.rule(Rule::Retire);
                self.mode = Mode::Passive;
            }
            Mode::Passive => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::Two { id });
            }
            Mode::AwaitOne { .. } => out.impossible("before two comes one: links are FIFO"),
            Mode::Announcer { .. } | Mode::Done { .. } => {
                out.impossible("the last active process sends no two");
            }
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// The announcement.
    #[inline(always)]
    fn elected(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Passive => {
                out.rule(Rule::Elected);
                self.mode = Mode::Done { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            Mode::Announcer { .. } => out.rule(Rule::Home),
            Mode::AwaitOne { .. } | Mode::AwaitTwo { .. } => out.impossible("only the announcer was active"),
            Mode::Done { .. } => out.impossible("the announcement makes one lap"),
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    fn leader(&self) -> Option<Id> {
        match self.mode {
            Mode::Announcer { leader } | Mode::Done { leader } => Some(leader),
            Mode::Asleep | Mode::AwaitOne { .. } | Mode::AwaitTwo { .. } | Mode::Passive => None,
        }
    }
}

impl Election for DolevKlaweRodeh {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl DolevKlaweRodeh {
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, self.leader())
    }

    fn knows(&self) -> Knows {
        self.leader().into()
    }
}

/// The chapter taken literally: a process is passive until it decides, and may decide at any moment (erratum 001-4).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct DolevKlaweRodehAsPrinted;

impl Variant for DolevKlaweRodehAsPrinted {
    type Right = DolevKlaweRodeh;
    const TEXT: Text = Text {
        name: "dolev-klawe-rodeh@as-printed",
        title: "Dolev–Klawe–Rodeh, as printed",
        erratum: "001-4",
        idea: "As printed, the state is passive at first: a process that is reached before it has decided to take part \
               passes messages on, and may decide later. Its identity is then missing from the first comparisons, or \
               altogether, and the largest identity need not lead.",
        rules: &[
            RuleText { name: "start", text: "at any moment: active; max := id; send one(id)" },
            RuleText { name: "relay", text: "on one(v) or two(v), passive, as all are at first: send it on" },
            RuleText { name: "one", text: "on one(v), active, v != max: nbr := v; send two(v)" },
            RuleText {
                name: "elected",
                text: "on elected(v), unless I announced it: remember v; leader if v = id; send it on",
            },
        ],
        example: "--ids 1,2 --initiators one",
    };
    const REACHED: Reached = Reached::MayStartLater;

    fn receive(
        &mut self,
        right: &mut DolevKlaweRodeh,
        from: Next,
        msg: Msg,
        out: &mut impl Outbox<DolevKlaweRodeh>,
    ) {
        match (&msg, right.mode) {
            (Msg::One { .. } | Msg::Two { .. }, Mode::Asleep) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            // With late starters one and two do not come in turn.
            (&Msg::One { .. }, Mode::AwaitTwo { max, .. }) => {
                right.mode = Mode::AwaitOne { max };
                right.receive(from, msg, out);
            }
            (Msg::Two { .. }, Mode::AwaitOne { .. }) => {
                out.rule(Rule::Retire);
                right.mode = Mode::Passive;
            }
            (&Msg::Elected { id }, Mode::Asleep | Mode::AwaitOne { .. } | Mode::AwaitTwo { .. }) => {
                out.rule(Rule::Elected);
                right.mode = Mode::Done { leader: id };
                out.send(Next, msg);
            }
            (
                Msg::One { .. } | Msg::Two { .. } | Msg::Elected { .. },
                Mode::AwaitOne { .. }
                | Mode::AwaitTwo { .. }
                | Mode::Passive
                | Mode::Announcer { .. }
                | Mode::Done { .. },
            ) => right.receive(from, msg, out),
        }
    }
}
