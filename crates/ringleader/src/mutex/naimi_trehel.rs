//! Naimi–Tréhel: a request runs to the last that asked, and turns the pointers on its way.
//!
//! **Idea.** Each process points to the one that it believes to have asked last; whoever points to nobody is the last
//! itself. A REQUEST is handed on along the pointers to that process, and whoever it passes from now on points to its
//! origin. The last remembers who comes next, and sends it the token when it leaves; if it does not need the token,
//! at once. So those that wait form a chain, and paths stay short on their own.
//!
//! **Needs.** Named processes that can send to each other, reliable links in any order, and one process that has the
//! token at first, known to all. The size is not needed, and no table grows with it.
//!
//! **Cost.** From 0 to n messages per entry. Under light load 1 + 1/2 + … + 1/(n−1) on average, which is about ln n;
//! 3 to 4 when everybody always wants in. One message delay between an exit and the next entry.
//!
//! **Source.** M. Naimi, M. Tréhel and A. Arnold, A log(N) distributed mutual exclusion algorithm based on path
//! reversal, J. Parallel and Distributed Computing 34(1):1–13, 1996; first published in 1987.
//!
//! ```
//! use ringleader::{mutex::NaimiTrehel, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<NaimiTrehel>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.messages <= 4 * 4); // four entries, n at most for each
//! ```

use crate::model::{
    Bound, Charge, Cost, Counts, Exclusion, Fields, Holder, Needs, Never, Order, Outbox, Peer, Process,
    Promises, Reached, Rule, Spec, Stage, Talks, fields, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NaimiTrehel {
    me: Peer,
    user: Stage,
    /// Who asked last, as far as this process knows; none if it was this one.
    last: Option<Peer>,
    /// Who gets the token after this process.
    next: Option<Peer>,
    /// Whether the token is here.
    token: bool,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// This process wants in.
        "request" Request { k: Peer },
        /// The right to enter.
        "token" Token,
    }
}

impl Process for NaimiTrehel {
    const SPEC: Spec = SPEC;
    type Given = (Peer, Holder);
    type Port = Peer;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new((me, Holder(token)): (Peer, Holder)) -> Self {
        let last = if token { None } else { Some(FIRST) };
        NaimiTrehel { me, user: Stage::Idle, last, next: None, token }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, _: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user, self.last) {
            (Msg::Request { k }, Stage::Idle | Stage::Waiting | Stage::Inside, _) if k == self.me => {
                out.impossible("a request does not come back to its origin")
            }
            (Msg::Request { k }, Stage::Idle | Stage::Waiting | Stage::Inside, Some(last)) => {
                out.rule("forward");
                out.send(last, Msg::Request { k });
                self.last = Some(k);
            }
            (Msg::Request { k }, Stage::Idle, None) => {
                out.rule("give");
                out.send(k, Msg::Token {});
                self.token = false;
                self.last = Some(k);
            }
            (Msg::Request { k }, Stage::Waiting | Stage::Inside, None) => {
                out.rule("remember");
                self.next = Some(k);
                self.last = Some(k);
            }
            (Msg::Token {}, Stage::Waiting, _) => {
                out.rule("token");
                self.token = true;
                self.user = Stage::Inside;
            }
            (Msg::Token {}, Stage::Idle | Stage::Inside, _) => {
                out.impossible("the token is sent to who waits for it")
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; me, user, last, next, token)
    }
}

/// Who has the token at first.
const FIRST: Peer = Peer(0);

impl Exclusion for NaimiTrehel {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        match (self.token, self.last.take()) {
            (true, None) => {
                out.rule("enter");
                self.user = Stage::Inside;
            }
            (false, Some(last)) => {
                out.rule("want");
                self.user = Stage::Waiting;
                out.send(last, Msg::Request { k: self.me });
            }
            (true, Some(_)) | (false, None) => {
                out.impossible("an idle process is the last if it has the token")
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        if let Some(next) = self.next.take() {
            self.token = false;
            out.send(next, Msg::Token {});
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { k } => Charge::Process(k.0),
            Msg::Token {} => Charge::Receiver,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "naimi-trehel",
    aliases: &[],
    title: "Naimi–Tréhel",
    year: 1987,
    source: "M. Naimi, M. Trehel, A. Arnold, JPDC 34(1):1-13, 1996",
    idea: "Each process points to the one that it believes to have asked last. A request runs along the pointers to \
           the last, and whoever it passes from now on points to its origin. The last remembers who is next, and \
           sends it the token when it leaves, or at once if it does not need it.",
    needs: Needs { reached: Reached::Relays, talks: Talks::ToFew, ..Needs::NOTHING },
    promises: Promises::Exclusion { order: Order::Fair, falls_silent: true },
    cost: Cost {
        worst: Some(Bound {
            formula: "n per entry",
            counts: Counts::All,
            value: |facts| Some(facts.n * facts.entries),
        }),
        average: None,
        words: "0 to n per entry; 1 + 1/2 + ... + 1/(n-1) on average under light load, 3 to 4 when everybody always \
                wants in; one message delay from an exit to the next entry",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule { name: "enter", text: "want, the token here: enter" },
        Rule {
            name: "want",
            text: "want, the token elsewhere: send REQUEST(i) to last; last := none; wait for the token",
        },
        Rule { name: "forward", text: "on REQUEST(k), last = j: send REQUEST(k) to j; last := k" },
        Rule { name: "give", text: "on REQUEST(k), last = none, the user idle: send TOKEN to k; last := k" },
        Rule {
            name: "remember",
            text: "on REQUEST(k), last = none, the user waiting or inside: next := k; last := k",
        },
        Rule { name: "token", text: "on TOKEN: enter" },
        Rule { name: "exit", text: "next = k: send TOKEN to k; next := none. Otherwise keep the token" },
    ],
    errata: &[],
    example: "-n 5 --entries 1",
};
