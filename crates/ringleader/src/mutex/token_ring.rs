//! The token ring: one token goes round, and whoever holds it may enter.
//!
//! **Idea.** A process that wants in waits for the token, enters with it, and sends it on when it leaves. Whoever does
//! not want in sends it on at once.
//!
//! **Needs.** A one-way ring, links in any order (there is one message), one token at first. If the token is lost
//! nobody enters any more; `misra` is the token ring that notices.
//!
//! **Cost.** The token circulates for ever, so there is no number of messages per entry: 1 to n deliveries from asking
//! to entering. Requests are served in ring order: while one waits every other process enters at most once.
//!
//! **Source.** G. Le Lann, Distributed systems: towards a formal approach, IFIP Congress 1977, 155–160; in lecture
//! slides. The text lets every process enter on every turn and says nothing of the first token (erratum Z0), and counts
//! "1 to n−1 messages" where deliveries are 1 to n and messages sent 0 to n−1 (P1).
//!
//! ```
//! use ringleader::{mutex::TokenRing, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<TokenRing>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 5); // to 0, 1, 2 and 3, and on
//! ```

use crate::model::{
    Charge, Cost, Erratum, Exclusion, Fields, Launch, Needs, Never, Next, Order, Outbox, Process, Promises,
    Reached, Rule, Spec, Stage, fields, messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TokenRing {
    user: Stage,
    token: Token,
}

names! {
    /// Where the token is, as far as this process knows.
    enum Token {
        Elsewhere = "elsewhere",
        ToSend = "to send first",
        Here = "here",
        Kept = "kept",
    }
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The privilege.
        "token" Token,
    }
}

impl Process for TokenRing {
    const SPEC: Spec = SPEC;
    type Given = Launch;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(launch: Launch) -> Self {
        let token = match launch {
            Launch::No => Token::Elsewhere,
            Launch::Sends => Token::ToSend,
            Launch::Keeps => Token::Kept,
        };
        TokenRing { user: Stage::Idle, token }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        match self.token {
            Token::ToSend => {
                out.rule("launch");
                self.send_on(out);
            }
            Token::Elsewhere | Token::Here | Token::Kept => {}
        }
    }

    fn receive(&mut self, _: Next, Msg::Token {}: Msg, out: &mut impl Outbox<Self>) {
        match (self.token, self.user) {
            (Token::Elsewhere, Stage::Waiting) => {
                out.rule("enter");
                (self.user, self.token) = (Stage::Inside, Token::Here);
            }
            (Token::Elsewhere, Stage::Idle) => {
                out.rule("pass");
                self.send_on(out);
            }
            (Token::Elsewhere, Stage::Inside) => out.impossible("who is inside has the token"),
            (Token::ToSend | Token::Here | Token::Kept, _) => out.impossible("there is one token"),
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; user, token)
    }
}

impl TokenRing {
    fn send_on(&mut self, out: &mut impl Outbox<Self>) {
        self.token = Token::Elsewhere;
        out.send(Next, Msg::Token {});
    }
}

impl Exclusion for TokenRing {
    const TOKENS: &'static [&'static str] = &["token"];

    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.user = match self.token {
            Token::Elsewhere => Stage::Waiting,
            Token::Kept => Stage::Inside,
            Token::ToSend | Token::Here => {
                return out.impossible(
                    "the token is sent before anybody asks, and is here only with a user inside",
                );
            }
        };
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        match self.token {
            Token::Here => self.send_on(out),
            Token::Kept => {}
            Token::Elsewhere | Token::ToSend => out.impossible("who is inside has the token"),
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(_: &Msg) -> Charge {
        Charge::Nobody
    }

    fn tokens(&self) -> u32 {
        match self.token {
            Token::Elsewhere => 0,
            Token::ToSend | Token::Here | Token::Kept => 1,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "token-ring",
    aliases: &[],
    title: "Token ring",
    year: 1977,
    source: "G. Le Lann, IFIP Congress 1977, 155-160",
    idea: "One token goes round the ring. Who wants in waits for it, enters with it, and sends it on when it leaves; \
           everybody else sends it on at once.",
    needs: Needs { reached: Reached::Relays, ..Needs::NOTHING },
    promises: Promises::Exclusion { order: Order::Ring, falls_silent: false },
    cost: Cost {
        worst: None,
        average: None,
        words: "no number per entry: the token circulates for ever; 1 to n deliveries from asking to entering, and as \
                many message delays from an exit to the next entry as there are steps between the two",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule {
            name: "launch",
            text: "at the beginning the last process sends TOKEN to the first; one alone keeps it",
        },
        Rule { name: "enter", text: "on TOKEN, waiting: enter" },
        Rule { name: "pass", text: "on TOKEN, otherwise: send it on" },
        Rule { name: "want", text: "wait for TOKEN; enter at once if alone" },
        Rule { name: "exit", text: "leave; send TOKEN on" },
    ],
    errata: &[
        Erratum {
            id: "Z0",
            text: "every process enters on every turn, and nobody has the first token: who does not want in sends it \
                   on, and one process has it at first",
        },
        Erratum {
            id: "P1",
            text: "'from 1 to n-1 messages to obtain a token' mixes two counts: 1 to n deliveries until the entry, 0 \
                   to n-1 messages sent after the request",
        },
    ],
    example: "-n 4 --entries 0,1,1,0",
};
