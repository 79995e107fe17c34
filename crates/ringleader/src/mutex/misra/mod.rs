//! Misra: two tokens go round a ring, and each notices when the other is lost.
//!
//! **Idea.** Two tokens go round the ring: the ping lets in, the pong watches. Both bear one number v, as v and -v,
//! which goes up when they meet; a process remembers the last one it saw. A token that finds its own number has met no
//! trace of the other for a whole round: the other is lost, and is made anew.
//!
//! **Needs.** A one-way ring with FIFO links: a token that overtakes the other unseen takes it for lost. One process
//! holds both tokens at first. They may be lost in transit, or with a process that crashes, over which the ring is
//! closed; but never both at once, for then nobody is left to notice.
//!
//! **Cost.** no number per entry: the tokens circulate for ever; a lost token is back at the survivor's (n+1)-th
//! arrival at the latest
//!
//! **Source.** J. Misra, PODC 1983, 290-294
//!
//! The paper is called "Detecting termination of distributed computations using markers"; the rules here are as told in
//! a textbook chapter. `misra-bounded` has the same clauses, with numbers that come round.
//!
//! ```
//! use ringleader::{mutex::Misra, sim::{self, Fault, Scenario}};
//! let lost = Fault::LoseNth { kind: "ping".into(), nth: 2 };
//! let run = sim::run_exclusion::<Misra>(&Scenario { faults: vec![lost], ..Scenario::new(3) }, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;
use core::{fmt::Debug, hash::Hash};

state! {
    pub struct PingPong<N: Numbers> {
        hidden numbers: N,
        user: Stage,
        /// The number of the token that was here last; 0 if none was.
        m: i32,
        /// The ping's number, if it is here.
        ping: Option<i32>,
        /// The pong's number, if it is here.
        pong: Option<i32>,
        drawn = [ping: token, pong: token],
    }
}

names! {
    /// A token may stay as long as it likes; at some moment it is sent on.
    pub enum Local {
        ReleasePing = "release ping",
        ReleasePong = "release pong",
    }
}

messages! {
    pub enum Msg {
        /// The privilege, with its number v.
        "ping" Ping { nb: i32 },
        /// The watcher, with its number −v.
        "pong" Pong { nb: i32 },
    }
}

rules! {
    /// on a token with number x, m != x, the other not here: m := x. A waiting user enters with the ping
    Arrive,
    /// on a token with number x, m != x, the other here: m := x; then v := next(v) = v + 1 for both
    Meet,
    /// on a token with number x, m = x: the other is lost; make it here, v := next(v) for both; m stays
    Regenerate,
    /// the ping is here, the user not inside: send it on
    SendPing = "send ping",
    /// the pong is here: send it on
    SendPong = "send pong",
    /// enter if the ping is here, wait for it otherwise
    Want,
    /// leave; send the ping on
    Exit,
}

/// The rules where numbers go up in another way, which is said where tokens meet.
pub const fn ping_pong_rules(meet: &'static str) -> [RuleText; 7] {
    let mut rules = *Rule::ALL.first_chunk().expect("there are seven");
    rules[Rule::Meet as usize].text = meet;
    rules
}

/// The numbers that the tokens bear. Misra's own grow without end; on a ring of known size a few are enough.
pub trait Numbers: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The contract.
    const SPEC: Spec;
    /// How a checker counts numbers that grow without end.
    const ROUNDS: Option<Rounds<PingPong<Self>>> = None;
    /// What a process is told at birth.
    type Given: Given;

    /// What it is told about numbers, and whether the tokens start here.
    fn told(given: Self::Given) -> (Self, Holder);

    /// The number after v.
    fn next(&self, v: i32) -> i32;

    /// -v, which the pong bears while the ping bears v.
    fn minus(&self, v: i32) -> i32 {
        v.saturating_neg()
    }
}

/// Misra's algorithm with numbers that grow without end.
pub type Misra = PingPong<Unbounded>;

/// 1, 2, 3, ...
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unbounded;

impl Numbers for Unbounded {
    const SPEC: Spec = Spec::exclusion("misra", 1983, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .bypass()
        .tolerates(Tolerates { crash: true, loss: true, ..Tolerates::NOTHING })
        .serves(Order::Ring)
        .circulates()
        .example("-n 3 --lose ping@2");
    // Numbers are only compared, so they can be counted from the oldest that is remembered; that becomes 1, for 0 is
    // no number.
    const ROUNDS: Option<Rounds<Misra>> = Some(Rounds {
        of: |process| {
            let here = [Some(process.m), process.ping, process.pong].into_iter().flatten();
            here.filter(|&nb| nb != 0).map(i32::unsigned_abs).min()
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

    fn told(holder: Holder) -> (Self, Holder) {
        (Unbounded, holder)
    }

    fn next(&self, v: i32) -> i32 {
        v.saturating_add(1)
    }
}

/// A number, counted from so many later on.
fn later(nb: i32, by: u32) -> i32 {
    nb.signum() * nb.unsigned_abs().saturating_sub(by) as i32
}

impl<N: Numbers> Process for PingPong<N> {
    const SPEC: Spec = N::SPEC;
    const ROUNDS: Option<Rounds<Self>> = N::ROUNDS;
    types! { Given = N::Given, Port = Next, Local = Local }

    fn new(given: N::Given) -> Self {
        let (numbers, Holder(holder)) = N::told(given);
        let mut new = PingPong { numbers, user: Stage::Idle, m: 0, ping: None, pong: None };
        if holder {
            new.both(1);
        }
        new
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        // Its number, v, and whether the other token is here.
        let (nb, v, other) = match (&msg, self.ping, self.pong) {
            (Msg::Ping { .. }, Some(_), _) => return out.impossible("there is one ping"),
            (Msg::Pong { .. }, _, Some(_)) => return out.impossible("there is one pong"),
            (&Msg::Ping { nb }, None, pong) => (nb, nb, pong.is_some()),
            (&Msg::Pong { nb }, ping, None) => (nb, self.numbers.minus(nb), ping.is_some()),
        };
        let next = self.numbers.next(v);
        match (nb == self.m, other) {
            (false, false) => {
                out.rule(Rule::Arrive);
                self.m = nb;
                self.keep(msg);
            }
            // The number was compared and is remembered first; only then do they meet (erratum Z4).
            (false, true) => {
                out.rule(Rule::Meet);
                self.m = nb;
                self.both(next);
            }
            // What is remembered here stays: the new token may leave after this one, and must find the place as if
            // both had left together (erratum Z5).
            (true, false) => {
                out.rule(Rule::Regenerate);
                self.both(next);
            }
            (true, true) => out.impossible("a token that is here has left its number here"),
        }
        self.let_in();
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
                out.rule(Rule::SendPing);
                self.send_ping(out);
            }
            Local::ReleasePong => {
                out.rule(Rule::SendPong);
                match self.pong.take() {
                    Some(nb) => out.send(Next, Msg::Pong { nb }),
                    None => out.impossible("the pong is sent on where it is"),
                }
            }
        }
    }
}

impl<N: Numbers> PingPong<N> {
    /// A token stays here for now.
    fn keep(&mut self, token: Msg) {
        match token {
            Msg::Ping { nb } => self.ping = Some(nb),
            Msg::Pong { nb } => self.pong = Some(nb),
        }
    }

    /// Both tokens are here, and bear v.
    fn both(&mut self, v: i32) {
        (self.ping, self.pong) = (Some(v), Some(self.numbers.minus(v)));
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
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        self.let_in();
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.send_ping(out);
    }

    fn tokens(&self) -> u32 {
        u32::from(self.ping.is_some()) | u32::from(self.pong.is_some()) << 1
    }
}
