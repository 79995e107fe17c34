//! Le Lann: every candidate hears of every other, and all come to the same conclusion.
//!
//! **Idea.** Each initiator sends a token with its identity round the ring, and notes the largest identity that passes.
//! Its own token is the last to come by; then it has seen all candidates, and leads if none was larger. Whoever does
//! not start only passes tokens on.
//!
//! **Needs.** Distinct comparable identities, and FIFO links: the other candidates sent their tokens before they passed
//! this one on, so they come by before it is home. A process that has passed a token on must not start any more, for it
//! has not noted that one.
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
use Mode::*;

state! {
    pub struct LeLann {
        id: Id,
        mode: Mode = Idle,
        outcome = |me| me.mode.outcome(me.id),
        drawn = [best: leader],
    }

    /// What a process is, and the largest identity that it has noted.
    enum Mode {
        Idle,
        /// It has passed a token on before it started: too late to be a candidate.
        Relay,
        Candidate { best: Id },
        Done { best: Id } => knows best,
    }
}

messages! {
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
        .family(Family::Collect)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .elects(Winner::LargestInitiator, Informed::Initiators)
        .proved("counting: each token makes one lap")
        .at_most_of(Counts::Election, "n·k", |facts| facts.n.checked_mul(facts.initiators))
        .example("--ids 3,7,4,1");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode != Idle {
            return;
        }
        out.rule(Rule::Start);
        self.mode = Candidate { best: self.id };
        out.send(Next, Msg::Token { id: self.id });
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, Msg::Token { id }: Msg, out: &mut impl Outbox<Self>) {
        match self.mode {
            Idle | Relay => {
                out.rule(Rule::Relay);
                self.mode = Relay;
                out.send(Next, Msg::Token { id });
            }
            Candidate { best } if id == self.id => {
                out.rule(Rule::Home);
                self.mode = Done { best };
            }
            Candidate { best } => {
                out.rule(Rule::Note);
                self.mode = Candidate { best: best.max(id) };
                out.send(Next, Msg::Token { id });
            }
            Done { .. } => out.impossible("its own token is the last to come by"),
        }
    }
}
