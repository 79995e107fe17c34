//! Le Lann: every candidate hears of every other, and all come to the same conclusion.
//!
//! **Idea.** Each initiator sends a token with its identity round the ring, and notes the largest identity that passes.
//! Its own token is the last to come by; then it has seen all candidates, and leads if none was larger. Whoever does
//! not start only passes tokens on.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a one-way ring; not its size. Whoever does not start only
//! passes tokens on, and never learns who leads: it cannot know when it has seen all candidates. A process that has
//! passed a token on must not start any more, for that token would be missing from its list.
//!
//! **Cost.** exactly n·k for k initiators, n² if all start; nothing is announced, and those that do not start never
//! learn the result
//!
//! **Source.** G. Le Lann, IFIP Congress 1977, 155-160
//!
//! ```
//! use ringleader::{election::LeLann, sim};
//! let run = sim::elect::<LeLann>(&[3, 7, 4]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(7), 9));
//! ```

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LeLann {
    id: Id,
    mode: Mode,
}

/// What a process is, and the largest identity that it has noted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Idle,
    /// It has passed a token on before it started: too late to be a candidate.
    Relay,
    Candidate {
        best: Id,
    },
    Done {
        best: Id,
    },
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// A candidate's identity, on its way home.
        "token" Token { id: Id },
    }
}

rules! {
    /// if idle: candidate; best := id; send token(id)
    Start,
    /// on token(j), no candidate: send token(j); never start from now on
    Relay,
    /// on token(j), candidate, j != id: best := max(best, j); send token(j)
    Note,
    /// on token(id), candidate: done; best leads
    Home,
}

impl Process for LeLann {
    const SPEC: Spec = Spec::election("le-lann", 1977, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .elects(Winner::LargestInitiator, Informed::Initiators)
        .at_most(Counts::Election, Basis::Proved("?"), "n·k", |facts| facts.n.checked_mul(facts.initiators))
        .example("--ids 3,7,4,1");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        LeLann { id, mode: Mode::Idle }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Idle => self.stand(out),
            Mode::Relay | Mode::Candidate { .. } | Mode::Done { .. } => {}
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, Msg::Token { id }: Msg, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Idle | Mode::Relay => {
                out.rule(Rule::Relay);
                self.mode = Mode::Relay;
                out.send(Next, Msg::Token { id });
            }
            Mode::Candidate { best } if id == self.id => {
                out.rule(Rule::Home);
                self.mode = Mode::Done { best };
            }
            Mode::Candidate { best } => {
                out.rule(Rule::Note);
                self.mode = Mode::Candidate { best: best.max(id) };
                out.send(Next, Msg::Token { id });
            }
            Mode::Done { .. } => out.impossible("the own token is the last to come by"),
        }
    }
}

impl State for LeLann {
    fn fields(&self) -> Fields {
        let (mode, best) = match self.mode {
            Mode::Idle => ("idle", None),
            Mode::Relay => ("relay", None),
            Mode::Candidate { best } => ("candidate", Some(best)),
            Mode::Done { best } => ("done", Some(best)),
        };
        vec![("id", self.id.show()), ("mode", Value::Word(mode)), ("best", best.show())]
    }
}

impl LeLann {
    /// Becomes a candidate.
    fn stand(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Start);
        self.mode = Mode::Candidate { best: self.id };
        out.send(Next, Msg::Token { id: self.id });
    }

    /// The leader, once the own token is home.
    fn leader(&self) -> Option<Id> {
        match self.mode {
            Mode::Idle | Mode::Relay | Mode::Candidate { .. } => None,
            Mode::Done { best } => Some(best),
        }
    }
}

impl Election for LeLann {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl LeLann {
    #[inline(always)]
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, self.leader())
    }

    fn knows(&self) -> Knows {
        self.leader().into()
    }
}

/// The chapter taken literally: nothing keeps a process that has passed tokens on from starting (erratum 001-8).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct LeLannLateCandidates;

impl Variant for LeLannLateCandidates {
    type Right = LeLann;
    const TEXT: Text = Text {
        name: "le-lann@001-8",
        title: "Le Lann, with late candidates",
        erratum: "001-8",
        idea: "As the chapter has it, a process may become a candidate at any moment, also after it has passed tokens \
               on. It has not noted those; and who has sent them may be done before the late token comes by. So two \
               may lead.",
        rules: &[RuleText { name: "start", text: "at any moment: candidate; best := id; send token(id)" }],
        example: "--ids 1,2 --initiators 0,1@1",
    };
    const REACHED: Reached = Reached::MayStartLater;

    fn start(&mut self, right: &mut LeLann, out: &mut impl Outbox<LeLann>) {
        right.stand(out);
    }

    /// After the own token others may come by: the late ones.
    fn receive(&mut self, right: &mut LeLann, from: Next, msg: Msg, out: &mut impl Outbox<LeLann>) {
        match (&right.mode, &msg) {
            (Mode::Done { .. }, Msg::Token { .. }) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (Mode::Idle | Mode::Relay | Mode::Candidate { .. }, Msg::Token { .. }) => {
                right.receive(from, msg, out);
            }
        }
    }
}
