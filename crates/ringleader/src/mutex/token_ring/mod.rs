//! Token ring: one token goes round, and whoever holds it may enter.
//!
//! **Idea.** One token goes round the ring. Who wants in waits for it, enters with it, and sends it on when it leaves;
//! everybody else sends it on at once.
//!
//! **Needs.** One token at first, and links that lose nothing: without the token nobody enters any more, and `misra` is
//! the token ring that notices. Links may deliver in any order, for there is one message.
//!
//! **Cost.** no number per entry: the token circulates for ever; 1 to n deliveries from asking to entering, and as many
//! message delays from an exit to the next entry as there are steps between the two
//!
//! **Source.** G. Le Lann, IFIP Congress 1977, 155-160
//!
//! ```
//! use ringleader::{mutex::TokenRing, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<TokenRing>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 5); // to 0, 1, 2 and 3, and on
//! ```

use crate::model::*;

state! {
    pub struct TokenRing {
        told launch: Launch,
        user: Stage = Stage::Idle,
        token: Token = match launch {
            Launch::No => Token::Elsewhere,
            Launch::Sends => Token::ToSend,
            Launch::Keeps => Token::Kept,
        },
        drawn = [token: token],
    }

    /// Where the token is, as far as this process knows.
    enum Token {
        Elsewhere,
        ToSend = "to send first",
        Here,
        Kept,
    }
}

messages! {
    pub enum Msg {
        /// The privilege.
        "token" Token,
    }
}

rules! {
    /// at the beginning the last process sends TOKEN to the first; one alone keeps it
    Launch,
    /// on TOKEN, waiting: enter
    Enter,
    /// on TOKEN, otherwise: send it on
    Pass,
    /// wait for TOKEN; enter at once if alone
    Want,
    /// leave; send TOKEN on
    Exit,
}

impl Process for TokenRing {
    const SPEC: Spec = Spec::exclusion("token-ring", 1977, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .serves(Order::Ring)
        .circulates()
        .example("-n 4 --entries 0,1,1,0");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.token == Token::ToSend {
            out.rule(Rule::Launch);
            self.send_on(out);
        }
    }

    fn receive(&mut self, _: Next, Msg::Token {}: Msg, out: &mut impl Outbox<Self>) {
        match (self.token, self.user) {
            (Token::Elsewhere, Stage::Waiting) => {
                out.rule(Rule::Enter);
                (self.user, self.token) = (Stage::Inside, Token::Here);
            }
            (Token::Elsewhere, Stage::Idle) => {
                out.rule(Rule::Pass);
                self.send_on(out);
            }
            (Token::Elsewhere, Stage::Inside) => out.impossible("who is inside has the token"),
            (Token::ToSend | Token::Here | Token::Kept, _) => out.impossible("there is one token"),
        }
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
        out.rule(Rule::Want);
        match self.token {
            Token::Elsewhere => self.user = Stage::Waiting,
            Token::Kept => self.user = Stage::Inside,
            Token::ToSend | Token::Here => {
                out.impossible("the token is sent before anybody asks, and is here only with a user inside");
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        match self.token {
            Token::Here => self.send_on(out),
            Token::Kept => {}
            Token::Elsewhere | Token::ToSend => out.impossible("who is inside has the token"),
        }
    }

    fn tokens(&self) -> u32 {
        u32::from(self.token != Token::Elsewhere)
    }
}
