//! Homed chain: a home numbers the owners, and the token goes from one to the next directly.
//!
//! **Idea.** Whoever wants the token asks the home, which numbers those who ask and tells each owner to send the token
//! on to the next, directly. Whoever has the token keeps it until somebody else is numbered.
//!
//! **Needs.** Named processes that can send to each other, one of which, index 0, all know as the home; it has the
//! token at first. Messages may come in any order and twice, for everything is numbered; but none may be lost
//! (`homed-chain-resend` asks again), and nobody may crash (the lock service then begins a new epoch).
//!
//! **Cost.** 0 per entry if the token is still here, 2 if it is at the home or the home wants it, 3 otherwise;
//! (n-1)(3n-2)/n^2 on average under light load, 3-2/n when everybody always wants in; one message delay from an exit to
//! the next entry
//!
//! **Source.** the lock service of this project
//!
//! With the token goes a counter of entries, the fence by which a storage can tell an older holder from a newer one.
//! The lock servers of `ringleader-locks` are made of the same two records, [`Home`] and [`Owner`].
//!
//! ```
//! use ringleader::{mutex::HomedChain, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<HomedChain>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 2 + 3 + 3); // the home enters at once, the token then goes from one to the next
//! ```

mod home;
mod owner;
mod waits;

pub use home::{Home, Pass};
pub use owner::{Owner, Token};
pub use waits::{Patiently, Waits};

use crate::model::*;
use core::marker::PhantomData;

/// The homed chain where no message is lost.
pub type HomedChain = Chain<Patiently>;

/// The home.
const HOME: Peer = Peer(0);

state! {
    pub struct Chain<W: Waits> {
        me: Peer,
        user: Stage,
        hidden owner: Owner<Peer>,
        token = |me| me.owner.token.map(|token| token.k),
        next = |me| me.owner.next,
        fence = |me| me.owner.token.map(|token| token.counter),
        early = |me| me.owner.early,
        asks = |me| me.owner.asking(),
        hidden home: Option<Box<Home<Peer>>>,
        ..|me| me.home.iter().flat_map(|home| [("tail", home.tail.show()), ("numbered", home.number.show())]),
        hidden patience: u32,
        hidden waits: PhantomData<W>,
        drawn = [token: token, next: pointer],
    }
}

messages! {
    pub enum Msg {
        /// I want the token; this is my n-th request.
        "req" Req { n: u64 } serves Sender,
        /// Owner number k sends the token on to this one.
        "pass" Pass { k: u64, to: Peer } serves Process(to),
        /// You are owner number k; so many have entered.
        "token" Token { k: u64, fence: u64 } serves Receiver,
    }
}

rules! {
    /// want, the token here: ctr := ctr + 1; enter
    Enter,
    /// want otherwise: n := n + 1; send REQ(n) to the home, or ask itself; wait
    Want,
    /// home, on a new REQ(n) from r: send PASS(tk, r) to tail, or tell itself; tail := r, tk := tk + 1
    Number,
    /// home, on REQ(n) from r once more: send the PASS that it led to once more
    Repeat,
    /// home, on REQ(n) from r, a later one of r's numbered: nothing
    Old,
    /// on PASS(k, r), token k here, the user outside: send TOKEN(k + 1, ctr) to r
    Give,
    /// on PASS(k, r), token k here, the user inside: next := r
    Next,
    /// on PASS(k, r), TOKEN(k) not yet here: remember it until then
    Early,
    /// on PASS(k, r), TOKEN(k + 1) sent to r and none later: send it once more
    Again,
    /// on PASS(k, r) otherwise: nothing
    Past,
    /// on TOKEN(k, ctr), k above all that were here: ctr := ctr + 1; enter
    Token,
    /// on TOKEN(k, ctr) otherwise: nothing
    Twice,
    /// next = r: send TOKEN(k + 1, ctr) to r; next := none. Otherwise keep the token
    Exit,
    /// waiting, and T is over: what a chain that asks again says
    Resend,
}

impl Waits for Patiently {
    const SPEC: Spec = Spec::exclusion("homed-chain", 2026, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .rules(Rule::ALL.split_at(Rule::Resend as usize).0)
        .talks(Talks::ToFew)
        .tolerates(Tolerates { duplication: true, ..Tolerates::NOTHING })
        .proved("counting: REQ, PASS, TOKEN; of two, one is the home and saves REQ or PASS")
        .at_most_of(
            Counts::All,
            "min(n, 3) per entry",
            // A message that comes twice may be answered twice.
            |facts| (facts.other_faults == 0).then_some(facts.n.min(3) * facts.entries),
        )
        .settings(&[Setting::elsewhere(
            "resend",
            "after how many times the longest delay a request is made again, where messages are lost",
            "homed-chain-resend",
        )])
        .example("-n 5 --entries 2");
    type Given = Peer;
    type Timer = Never;

    fn told(me: Peer) -> (Peer, u32) {
        (me, 0)
    }
}

impl<W: Waits> Process for Chain<W> {
    const SPEC: Spec = W::SPEC;
    types! { Given = W::Given, Port = Peer, Timer = W::Timer }

    fn new(given: W::Given) -> Self {
        let (me, patience) = W::told(given);
        let is_home = me == HOME;
        let owner = if is_home { Owner::with(Token { k: 0, counter: 0 }) } else { Owner::default() };
        let home = is_home.then(|| Box::new(Home::new(me, 0)));
        Chain { me, user: Stage::Idle, owner, home, patience, waits: PhantomData }
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Req { n } => self.asked(from, n, out),
            Msg::Pass { k, to } => self.told(k, to, out),
            Msg::Token { k, fence } => self.comes(Token { k, counter: fence }, out),
        }
    }

    fn timeout(&mut self, timer: W::Timer, out: &mut impl Outbox<Self>) {
        W::timeout(self, timer, out);
    }
}

impl<W: Waits> Chain<W> {
    /// The home is asked; by itself, too.
    fn asked(&mut self, who: Peer, n: u64, out: &mut impl Outbox<Self>) {
        let Some(home) = &mut self.home else {
            return out.impossible("requests go to the home");
        };
        let last = home.request(who);
        match home.asked(who, n) {
            Some(pass) => {
                out.rule(if last == Some(n) { Rule::Repeat } else { Rule::Number });
                if pass.from == self.me {
                    self.told(pass.k, pass.to, out);
                } else {
                    out.send(pass.from, Msg::Pass { k: pass.k, to: pass.to });
                }
            }
            None if last.is_some_and(|last| last > n) => out.rule(Rule::Old),
            None => out.impossible("the last in the chain has the token, or waits for it"),
        }
    }

    /// Owner number k is told where the token goes.
    fn told(&mut self, k: u64, to: Peer, out: &mut impl Outbox<Self>) {
        if let Some(sent) = self.owner.passed(k, to) {
            out.rule(Rule::Again);
            return send(sent, out);
        }
        let is_here = self.owner.token.is_some_and(|token| token.k == k);
        match (is_here, self.user) {
            (true, Stage::Inside) => out.rule(Rule::Next),
            (true, Stage::Idle) => {
                out.rule(Rule::Give);
                self.hand_over(out);
            }
            (true, Stage::Waiting) => out.impossible("who has the token does not wait for it"),
            (false, _) if self.owner.early == Some((k, to)) => out.rule(Rule::Early),
            (false, _) => out.rule(Rule::Past),
        }
    }

    /// A token comes. Whoever waits for it is served before it goes on, or it might go round for ever.
    fn comes(&mut self, token: Token, out: &mut impl Outbox<Self>) {
        match (self.owner.takes(token), self.user) {
            (false, _) => out.rule(Rule::Twice),
            (true, Stage::Waiting) => {
                out.rule(Rule::Token);
                W::ends(out);
                self.owner.grants();
                self.user = Stage::Inside;
            }
            (true, Stage::Idle | Stage::Inside) => out.impossible("the token is sent to who waits for it"),
        }
    }

    /// The token goes on, if it is known where.
    fn hand_over(&mut self, out: &mut impl Outbox<Self>) {
        if let Some(sent) = self.owner.sends() {
            send(sent, out);
        }
    }
}

fn send<W: Waits>((to, token): (Peer, Token), out: &mut impl Outbox<Chain<W>>) {
    out.send(to, Msg::Token { k: token.k, fence: token.counter });
}

impl<W: Waits> Exclusion for Chain<W> {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        if self.owner.grants().is_some() {
            out.rule(Rule::Enter);
            self.user = Stage::Inside;
        } else if let Some(n) = self.owner.wants() {
            out.rule(Rule::Want);
            self.user = Stage::Waiting;
            self.ask(n, out);
            W::begins(self, out);
        } else {
            out.impossible("who is idle has not asked");
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.hand_over(out);
    }
}

impl<S: Copy + Ord> Home<S> {
    /// A request: a new one gets the next number, one that is repeated the answer that it had. The last in the chain
    /// has the token, or will.
    pub fn asked(&mut self, who: S, request: u64) -> Option<Pass<S>> {
        match self.seats.get(&who) {
            Some(seat) if seat.request == request => Some(Pass { from: seat.before, k: seat.k - 1, to: who }),
            Some(seat) if seat.request > request => None,
            Some(_) | None if who == self.tail => None,
            Some(_) | None => {
                let pass = Pass { from: self.tail, k: self.number, to: who };
                self.number += 1;
                self.seats.insert(who, home::Numbered { request, before: self.tail, k: self.number });
                self.tail = who;
                Some(pass)
            }
        }
    }
}

impl<S: Copy + Ord> Owner<S> {
    /// The home says: owner number `k` sends the token on to `to`. What was sent already is sent again, as it was.
    pub fn passed(&mut self, k: u64, to: S) -> Option<(S, Token)> {
        match (self.token, self.sent) {
            (Some(token), _) if token.k == k => self.next = Some(to),
            (_, Some((whom, sent))) if sent.k == k + 1 && whom == to => return self.sent,
            (_, _) if self.is_new(k) => self.early = Some((k, to)),
            (_, _) => {}
        }
        None
    }

    /// A token comes. It is taken once: only with a number above all that were ever here.
    pub fn takes(&mut self, token: Token) -> bool {
        if !self.is_new(token.k) {
            return false;
        }
        self.largest = Some(token.k);
        self.token = Some(token);
        self.asks = false;
        self.next = self.early.take_if(|(k, _)| *k == token.k).map(|(_, to)| to);
        true
    }

    /// Nobody needs it here any more: to whom it goes now, if that is known.
    pub fn sends(&mut self) -> Option<(S, Token)> {
        let token = self.token?;
        let to = self.next.take()?;
        self.token = None;
        let sent = (to, Token { k: token.k + 1, ..token });
        self.sent = Some(sent);
        Some(sent)
    }

    /// Whether this number is above all that were ever here.
    fn is_new(&self, k: u64) -> bool {
        self.largest.is_none_or(|largest| k > largest)
    }
}
