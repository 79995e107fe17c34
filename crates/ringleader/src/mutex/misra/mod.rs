//! Misra: two tokens go round a ring, and each notices when the other is lost.
//!
//! **Idea.** Two tokens go round the ring: the ping lets in, the pong watches. Both bear one number v, as v and -v,
//! which goes up when they meet; a process remembers the last one it saw. A token that finds its own number has met no
//! trace of the other for a whole round: the other is lost, and is made anew.
//!
//! **Needs.** A one-way ring with FIFO links, and one process that holds both tokens at first. Tokens may be lost in
//! transit or with a process that crashes, over which the ring is closed; but never both at once.
//!
//! **Cost.** no number per entry: the tokens circulate for ever; a lost token is back at the survivor's (n+1)-th
//! arrival at the latest
//!
//! **Source.** J. Misra, PODC 1983, 290-294
//!
//! ```
//! use ringleader::{mutex::Misra, sim::{self, Fault, Scenario}};
//! let lost = Fault::LoseNth { kind: "ping".into(), nth: 2 };
//! let run = sim::run_exclusion::<Misra>(&Scenario { faults: vec![lost], ..Scenario::new(3) }, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;

/// The numbers that the tokens bear. Misra's own grow without end; on a ring of known size a few are enough.
pub trait Numbers: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The contract.
    const SPEC: Spec;
    /// How a checker counts numbers that grow without end.
    const ROUNDS: Option<Rounds<PingPong<Self>>>;
    /// What a process is told at birth.
    type Given: Given;

    /// The ring's size, where it is known, and whether the tokens start here.
    fn told(given: Self::Given) -> (u32, bool);

    /// The first numbers of ping and pong.
    fn first(n: u32) -> (i32, i32) {
        let _ = n;
        (1, -1)
    }

    /// The numbers of ping and pong after this one, which one of them bears.
    fn next(bears: Token, nb: i32, n: u32) -> (i32, i32);
}

/// The two tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// It carries the privilege.
    Ping,
    /// It watches.
    Pong,
}

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PingPong<N> {
    numbers: PhantomData<N>,
    n: u32,
    user: Stage,
    /// The number of the token that was here last; 0 if none was.
    m: i32,
    /// The ping's number, if it is here.
    ping: Option<i32>,
    /// The pong's number, if it is here.
    pong: Option<i32>,
}

/// Misra's algorithm with numbers that grow without end.
pub type Misra = PingPong<Unbounded>;

/// 1, 2, 3, ...
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unbounded;

impl Numbers for Unbounded {
    const SPEC: Spec = Spec::exclusion("misra", 1983, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .bypass()
        .tolerates(Tolerates { crash: true, loss: true, ..Tolerates::NOTHING })
        .serves(Order::Ring)
        .circulates()
        .rules(&RULES)
        .example("-n 3 --lose ping@2");
    // Numbers are only compared, so they can be counted from the oldest that is remembered; that becomes 1, for 0 is
    // no number.
    const ROUNDS: Option<Rounds<Misra>> = Some(Rounds {
        of: |process| {
            let here = [Some(process.m), process.ping, process.pong].into_iter().flatten();
            here.filter(|&nb| nb != 0).map(|nb| nb.unsigned_abs()).min()
        },
        process: |process, by| {
            process.m = later(process.m, by);
            process.ping = process.ping.map(|nb| later(nb, by));
            process.pong = process.pong.map(|nb| later(nb, by));
        },
        message: |msg, by| match msg {
            Msg::Ping { nb } | Msg::Pong { nb } => *nb = later(*nb, by),
        },
    });
    type Given = Holder;

    fn told(Holder(holder): Holder) -> (u32, bool) {
        (0, holder)
    }

    fn next(_: Token, nb: i32, _: u32) -> (i32, i32) {
        let v = nb.abs().saturating_add(1);
        (v, -v)
    }
}

/// A number, counted from so many later on.
fn later(nb: i32, by: u32) -> i32 {
    nb.signum() * nb.unsigned_abs().saturating_sub(by) as i32
}

names! {
    /// A token may stay as long as it likes; at some moment it is sent on.
    pub enum Local {
        ReleasePing = "release ping",
        ReleasePong = "release pong",
    }
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The privilege, with its number v.
        "ping" Ping { nb: i32 },
        /// The watcher, with its number −v.
        "pong" Pong { nb: i32 },
    }
}

impl<N: Numbers> Process for PingPong<N> {
    const SPEC: Spec = N::SPEC;
    const ROUNDS: Option<Rounds<Self>> = N::ROUNDS;
    type Given = N::Given;
    type Port = Next;
    type Msg = Msg;
    type Rule = &'static str;
    type Timer = Never;
    type Local = Local;

    fn new(given: N::Given) -> Self {
        let (n, holder) = N::told(given);
        let (ping, pong) = N::first(n);
        PingPong {
            numbers: PhantomData,
            n,
            user: Stage::Idle,
            m: 0,
            ping: holder.then_some(ping),
            pong: holder.then_some(pong),
        }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        if let Some((token, nb, other)) = self.arrives(&msg, out) {
            match (nb == self.m, other) {
                (true, None) => self.regenerate(token, nb, out),
                (true, Some(_)) => out.impossible("a token that is here has left its number here"),
                (false, None) => self.arrive(token, nb, out),
                (false, Some(_)) => self.meet(token, nb, out),
            }
            self.let_in();
        }
    }

    fn can(&self, step: Local) -> bool {
        match step {
            Local::ReleasePing => self.ping.is_some() && self.user != Stage::Inside,
            Local::ReleasePong => self.pong.is_some(),
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        match step {
            Local::ReleasePing => {
                out.rule("send ping");
                self.send_ping(out);
            }
            Local::ReleasePong => {
                out.rule("send pong");
                match self.pong.take() {
                    Some(nb) => out.send(Next, Msg::Pong { nb }),
                    None => out.impossible("the pong is sent on where it is"),
                }
            }
        }
    }
}

impl<N: Numbers> State for PingPong<N> {
    fn fields(&self) -> Fields {
        fields!(self; user, m, ping, pong)
    }
}

impl<N: Numbers> PingPong<N> {
    /// The token that arrives, its number, and that of the other token if it is here.
    fn arrives(&self, msg: &Msg, out: &mut impl Outbox<Self>) -> Option<(Token, i32, Option<i32>)> {
        match (msg, self.ping, self.pong) {
            (Msg::Ping { .. }, Some(_), _) => out.impossible("there is one ping"),
            (Msg::Pong { .. }, _, Some(_)) => out.impossible("there is one pong"),
            (&Msg::Ping { nb }, None, pong) => return Some((Token::Ping, nb, pong)),
            (&Msg::Pong { nb }, ping, None) => return Some((Token::Pong, nb, ping)),
        }
        None
    }

    /// A token arrives where the other is not.
    fn arrive(&mut self, token: Token, nb: i32, out: &mut impl Outbox<Self>) {
        out.rule("arrive");
        self.m = nb;
        self.put(token, nb);
    }

    /// A token arrives where the other is. The number was compared and is remembered first; only then do they meet.
    fn meet(&mut self, token: Token, nb: i32, out: &mut impl Outbox<Self>) {
        out.rule("meet");
        self.m = nb;
        self.count(token, nb);
    }

    /// The other token is lost: it is made here, with the next number. What is remembered here stays: the new token
    /// may leave after this one, and must find the place as if both had left together (erratum Z5).
    fn regenerate(&mut self, token: Token, nb: i32, out: &mut impl Outbox<Self>) {
        out.rule("regenerate");
        self.count(token, nb);
    }

    /// Both tokens are here, and take the next number after that of one of them.
    fn count(&mut self, bears: Token, nb: i32) {
        let (ping, pong) = N::next(bears, nb, self.n);
        (self.ping, self.pong) = (Some(ping), Some(pong));
    }

    /// A token is here now.
    fn put(&mut self, token: Token, nb: i32) {
        match token {
            Token::Ping => self.ping = Some(nb),
            Token::Pong => self.pong = Some(nb),
        }
    }

    /// A waiting user enters with the ping.
    fn let_in(&mut self) {
        if self.user == Stage::Waiting && self.ping.is_some() {
            self.user = Stage::Inside;
        }
    }

    /// The ping is sent on.
    fn send_ping(&mut self, out: &mut impl Outbox<Self>) {
        match self.ping.take() {
            Some(nb) => out.send(Next, Msg::Ping { nb }),
            None => out.impossible("the ping is sent on where it is"),
        }
    }
}

impl<N: Numbers> Exclusion for PingPong<N> {
    const TOKENS: &'static [&'static str] = &["ping", "pong"];

    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.user = Stage::Waiting;
        self.let_in();
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        self.send_ping(out);
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Ping { .. } | Msg::Pong { .. } => Charge::Nobody,
        }
    }

    fn tokens(&self) -> u32 {
        u32::from(self.ping.is_some()) | u32::from(self.pong.is_some()) << 1
    }
}

impl Misra {
    /// The number that a token bears now is remembered, as texts do that get the order wrong.
    fn remember(&mut self, token: Token) {
        self.m = match token {
            Token::Ping => self.ping,
            Token::Pong => self.pong,
        }
        .unwrap_or(0);
    }
}

/// The other order: the tokens meet first, and the new number is compared and remembered (erratum Z4).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MisraMeetsFirst;

impl Variant for MisraMeetsFirst {
    type Right = Misra;
    const TEXT: Text = Text {
        name: "misra@z4",
        title: "Misra, meeting before reception",
        erratum: "Z4",
        idea: "Read in this order, tokens that meet leave their new number behind. The one that was here may leave \
               after the other; the other comes round, finds its own number, and makes a second partner.",
        rules: &[RuleText {
            name: "meet",
            text: "on a token, the other here: v := next(v) for both; then m := the new number",
        }],
        example: "-n 2 --schedule random --entries 2 --seed 3",
    };

    fn receive(&mut self, right: &mut Misra, _: Next, msg: Msg, out: &mut impl Outbox<Misra>) {
        if let Some((token, nb, other)) = right.arrives(&msg, out) {
            match other {
                Some(_) => {
                    out.rule("meet");
                    right.count(token, nb);
                    right.remember(token);
                }
                None if nb == right.m => right.regenerate(token, nb, out),
                None => right.arrive(token, nb, out),
            }
            right.let_in();
        }
    }
}

/// The number is remembered after a regeneration, too, as if its absence were an omission (erratum Z5).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MisraRemembersAll;

impl Variant for MisraRemembersAll {
    type Right = Misra;
    const TEXT: Text = Text {
        name: "misra@z5",
        title: "Misra, every number remembered",
        erratum: "Z5",
        idea: "Taken for an omission, the number of the survivor is remembered where it makes its partner anew. The \
               partner may leave after it; the survivor comes round, finds its own number, and makes a second one.",
        rules: &[RuleText {
            name: "regenerate",
            text: "on a token with number x, m = x: make the other here, v := next(v) for both; m := the new number",
        }],
        example: "-n 2 --schedule random --entries 4 --lose pong@2 --seed 1",
    };

    fn receive(&mut self, right: &mut Misra, _: Next, msg: Msg, out: &mut impl Outbox<Misra>) {
        if let Some((token, nb, other)) = right.arrives(&msg, out) {
            match (nb == right.m, other) {
                (true, _) => {
                    right.regenerate(token, nb, out);
                    right.remember(token);
                }
                (false, None) => right.arrive(token, nb, out),
                (false, Some(_)) => right.meet(token, nb, out),
            }
            right.let_in();
        }
    }
}

/// A token that waits at a process is not met by one that arrives there (erratum Z7).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MisraNeverMeets;

impl Variant for MisraNeverMeets {
    type Right = Misra;
    const TEXT: Text = Text {
        name: "misra@z7",
        title: "Misra, no meeting where a token waits",
        erratum: "Z7",
        idea: "If only tokens that move can meet, a ping that stays in a critical section is passed by the pong, which \
               comes round with the same number and takes the ping for lost.",
        rules: &[RuleText { name: "meet", text: "on a token with number x, m != x, the other here: m := x" }],
        example: "-n 2 --schedule random --entries 2 --seed 2",
    };

    fn receive(&mut self, right: &mut Misra, _: Next, msg: Msg, out: &mut impl Outbox<Misra>) {
        if let Some((token, nb, other)) = right.arrives(&msg, out) {
            match (nb == right.m, other) {
                (true, _) => right.regenerate(token, nb, out),
                (false, None) => right.arrive(token, nb, out),
                (false, Some(_)) => {
                    out.rule("meet");
                    right.m = nb;
                    right.put(token, nb);
                }
            }
            right.let_in();
        }
    }
}

/// Both tokens begin with the number 0 (erratum Z8).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MisraFromZero;

impl Variant for MisraFromZero {
    type Right = Misra;
    const TEXT: Text = Text {
        name: "misra@z8",
        title: "Misra, numbers from 0",
        erratum: "Z8",
        idea: "If v begins with 0, a token that arrives where none has been finds its own number, and makes its \
               partner although nothing was lost.",
        rules: &[RuleText {
            name: "arrive",
            text: "(v = 0 at first) on a token with number x, m != x, the other not here: m := x",
        }],
        example: "-n 2 --entries 1",
    };

    fn start(&mut self, right: &mut Misra, _: &mut impl Outbox<Misra>) {
        (right.ping, right.pong) = (right.ping.map(|_| 0), right.pong.map(|_| 0));
    }
}

/// Every process remembers 1 at first (erratum Z9).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MisraRemembersOne;

impl Variant for MisraRemembersOne {
    type Right = Misra;
    const TEXT: Text = Text {
        name: "misra@z9",
        title: "Misra, 1 remembered at first",
        erratum: "Z9",
        idea: "If m begins with 1, the ping finds its own number where none has been, and makes a second pong although \
               nothing was lost.",
        rules: &[RuleText {
            name: "arrive",
            text: "(m = 1 everywhere at first) on a token with number x, m != x, the other not here: m := x",
        }],
        example: "-n 2 --entries 1",
    };

    fn start(&mut self, right: &mut Misra, _: &mut impl Outbox<Misra>) {
        right.m = 1;
    }
}

/// The rules, whatever the numbers; how these go up is said where tokens meet.
pub const fn ping_pong_rules(meet: &'static str) -> [RuleText; 7] {
    let mut rules = RULES;
    rules[1] = RuleText { name: "meet", text: meet };
    rules
}

const RULES: [RuleText; 7] = [
    RuleText {
        name: "arrive",
        text: "on a token with number x, m != x, the other not here: m := x. A waiting user enters with the ping",
    },
    RuleText {
        name: "meet",
        text: "on a token with number x, m != x, the other here: m := x; then v := next(v) = v + 1 for both",
    },
    RuleText {
        name: "regenerate",
        text: "on a token with number x, m = x: the other is lost; make it here, v := next(v) for both; m stays",
    },
    RuleText { name: "send ping", text: "the ping is here, the user not inside: send it on" },
    RuleText { name: "send pong", text: "the pong is here: send it on" },
    RuleText { name: "want", text: "enter if the ping is here, wait for it otherwise" },
    RuleText { name: "exit", text: "leave; send the ping on" },
];
