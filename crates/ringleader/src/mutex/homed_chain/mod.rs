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
//! The servers of [`crate::lock`] are made of the two records here, [`Home`] and [`Owner`].
//!
//! ```
//! use ringleader::{mutex::HomedChain, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<HomedChain>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 2 + 3 + 3); // the home enters at once, the token then goes from one to the next
//! ```

use crate::model::*;
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;
use std::collections::{BTreeMap, BTreeSet};

/// The homed chain where no message is lost.
pub type HomedChain = Chain<Patiently>;

/// Whoever has asked waits, and does nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Patiently;

/// The home.
const HOME: Peer = Peer(0);

state! {
    /// The local variables of one process.
    pub struct Chain<W: Waits> {
        me: Peer,
        user: Stage,
        hidden owner: Owner<Peer>,
        token = |me| me.owner.token.map(|token| token.k),
        next = |me| me.owner.next,
        fence = |me| me.owner.token.map(|token| token.counter),
        early = |me| me.owner.early,
        asks = |me| me.owner.asking(),
        /// The home's: whom it has numbered.
        hidden home: Option<Box<Home<Peer>>>,
        ..|me| me.home.iter().flat_map(|home| [("tail", home.tail.show()), ("numbered", home.number.show())]),
        hidden patience: u32,
        hidden waits: PhantomData<W>,
    }
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// I want the token; this is my n-th request.
        "req" Req { n: u64 },
        /// Owner number k sends the token on to this one.
        "pass" Pass { k: u64, to: Peer },
        /// You are owner number k; so many have entered.
        "token" Token { k: u64, fence: u64 },
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

impl Rule {
    /// The rules of a chain that asks again, which says what it does then.
    pub const fn and_resend(text: &'static str) -> [RuleText; Rule::ALL.len()] {
        let mut rules = *Rule::ALL.first_chunk().expect("as many as there are");
        rules[Rule::Resend as usize].text = text;
        rules
    }
}

/// What a process does besides while it waits: nothing where no message is lost, asking again where some are.
pub trait Waits: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The contract.
    const SPEC: Spec;
    /// What a process is told at birth.
    type Given: Given;
    /// Its timers.
    type Timer: Name;

    /// Its name, and how many ticks it is patient.
    fn told(given: Self::Given) -> (Peer, u32);

    /// It has asked, and waits.
    fn begins(chain: &Chain<Self>, out: &mut impl Outbox<Chain<Self>>) {
        let _ = (chain, out);
    }

    /// A timer runs out.
    fn timeout(chain: &mut Chain<Self>, timer: Self::Timer, out: &mut impl Outbox<Chain<Self>>) {
        let _ = (chain, timer, out);
    }

    /// The token has come.
    fn ends(out: &mut impl Outbox<Chain<Self>>) {
        let _ = out;
    }
}

impl Waits for Patiently {
    const SPEC: Spec = Spec::exclusion("homed-chain", 2026, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .rules(Rule::ALL.split_at(Rule::Resend as usize).0)
        .reached(Reached::Relays)
        .talks(Talks::ToFew)
        .tolerates(Tolerates { duplication: true, ..Tolerates::NOTHING })
        .at_most(
            Counts::All,
            Basis::Proved("by counting: REQ, PASS, TOKEN; of two, one is the home and saves REQ or PASS"),
            "min(n, 3) per entry",
            // A message that comes twice may be answered twice.
            |facts| (facts.other_faults == 0).then_some(facts.n.min(3) * facts.entries),
        )
        .settings(&[Setting {
            name: "resend",
            about: "after how many times the longest delay a request is made again, where messages are lost",
            values: SettingValues::Elsewhere("homed-chain-resend"),
        }])
        .example("-n 5 --entries 2");
    type Given = Peer;
    type Timer = Never;

    fn told(me: Peer) -> (Peer, u32) {
        (me, 0)
    }
}

impl<W: Waits> Process for Chain<W> {
    const SPEC: Spec = W::SPEC;
    type Given = W::Given;
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = W::Timer;
    type Local = Never;

    fn new(given: W::Given) -> Self {
        let (me, patience) = W::told(given);
        let is_home = me == HOME;
        let owner = if is_home { Owner::with(Token { k: 0, counter: 0 }) } else { Owner::default() };
        let home = is_home.then(|| Box::new(Home::new(me, 0)));
        Chain { me, user: Stage::Idle, owner, home, patience, waits: PhantomData }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

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
    /// A request goes to the home; the home asks itself.
    fn ask(&mut self, n: u64, out: &mut impl Outbox<Self>) {
        if self.me == HOME {
            self.asked(self.me, n, out);
        } else {
            out.send(HOME, Msg::Req { n });
        }
    }

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

    /// The request that waits is made once more, under its old number.
    pub fn asks_again(&mut self, out: &mut impl Outbox<Self>) {
        match self.owner.asking() {
            Some(n) => self.ask(n, out),
            None => out.impossible("who asks again waits"),
        }
    }

    /// How many ticks it waits before it asks again, if it does.
    pub fn patience(&self) -> u32 {
        self.patience
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

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Req { .. } => Charge::Sender,
            Msg::Pass { to, .. } => Charge::Process(to.0),
            Msg::Token { .. } => Charge::Receiver,
        }
    }
}

/// What the home knows: whom it numbered last, and what it told for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home<S> {
    tail: S,
    number: u64,
    seats: BTreeMap<S, Numbered<S>>,
}

/// What became of somebody's last request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Numbered<S> {
    request: u64,
    before: S,
    k: u64,
}

/// The home tells owner number `k`, which is `from`, to send the token on to `to`, which is owner number k + 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pass<S> {
    /// Who is told.
    pub from: S,
    /// Its number.
    pub k: u64,
    /// Who is to get the token.
    pub to: S,
}

impl<S: Copy + Ord> Home<S> {
    /// A chain of one owner, with this number.
    pub fn new(owner: S, number: u64) -> Home<S> {
        Home { tail: owner, number, seats: BTreeMap::new() }
    }

    /// Who was numbered last.
    pub fn tail(&self) -> S {
        self.tail
    }

    /// With which number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What was told for whoever was numbered last; nothing if that is who had the token first.
    pub fn last(&self) -> Option<Pass<S>> {
        let seat = self.seats.get(&self.tail).filter(|seat| seat.k == self.number)?;
        Some(Pass { from: seat.before, k: seat.k - 1, to: self.tail })
    }

    /// The number of somebody's last request that was numbered.
    pub fn request(&self, who: S) -> Option<u64> {
        self.seats.get(&who).map(|seat| seat.request)
    }

    /// Everybody who may have the token: whoever was ever numbered, and those before them.
    pub fn everybody(&self) -> BTreeSet<S> {
        let numbered = self.seats.iter().flat_map(|(who, seat)| [*who, seat.before]);
        numbered.chain([self.tail]).collect()
    }

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
                self.seats.insert(who, Numbered { request, before: self.tail, k: self.number });
                self.tail = who;
                Some(pass)
            }
        }
    }

    /// A request by a number of [`Owner::wants_above`]. A chain may be dropped while a copy of an old request is on its
    /// way: whoever made that is then numbered without asking, and should its token be lost nobody asks for it again.
    /// Its next request says that it never had that number, and is taken for a repetition.
    pub fn asked_above(&mut self, who: S, request: u64) -> Option<Pass<S>> {
        if let Some(seat) = self.seats.get_mut(&who)
            && seat.request < request
            && request <= seat.k + 1
        {
            seat.request = request;
        }
        self.asked(who, request)
    }
}

/// What everybody knows of the token: whether it is here, where it goes next, and where it went.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owner<S> {
    token: Option<Token>,
    next: Option<S>,
    early: Option<(u64, S)>,
    sent: Option<(S, Token)>,
    largest: Option<u64>,
    request: u64,
    asks: bool,
}

/// The token: the number of its owner, and how many grants there were.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    /// The number of its owner.
    pub k: u64,
    /// The counter of the last grant.
    pub counter: u64,
}

impl<S> Default for Owner<S> {
    fn default() -> Owner<S> {
        Owner { token: None, next: None, early: None, sent: None, largest: None, request: 0, asks: false }
    }
}

impl<S: Copy + Ord> Owner<S> {
    /// Somebody who has this token from the start.
    pub fn with(token: Token) -> Owner<S> {
        Owner { token: Some(token), largest: Some(token.k), ..Owner::default() }
    }

    /// The token, if it is here.
    pub fn token(&self) -> Option<Token> {
        self.token
    }

    /// Who gets it next, if that is known and it is here.
    pub fn next(&self) -> Option<S> {
        self.next
    }

    /// The number of the request that is not answered yet.
    pub fn asking(&self) -> Option<u64> {
        self.asks.then_some(self.request)
    }

    /// The token is wanted here: the number of a new request, unless it is here or has been asked for.
    pub fn wants(&mut self) -> Option<u64> {
        if self.token.is_some() || self.asks {
            return None;
        }
        self.request += 1;
        self.asks = true;
        Some(self.request)
    }

    /// The same, with a request whose number is above all numbers that were had here: two more than the largest.
    pub fn wants_above(&mut self) -> Option<u64> {
        self.wants()?;
        self.request = self.largest.map_or(1, |largest| largest + 2);
        Some(self.request)
    }

    /// Whether it is told to send a token on that never came, and that it does not ask for.
    pub fn is_owed(&self) -> bool {
        self.early.is_some() && self.token.is_none() && !self.asks
    }

    /// One more grant: its counter.
    pub fn grants(&mut self) -> Option<u64> {
        let token = self.token.as_mut()?;
        token.counter += 1;
        Some(token.counter)
    }

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

    /// A token comes, and is taken whatever its number: the mistake that [`Owner::takes`] avoids.
    pub fn takes_again(&mut self, token: Token) {
        self.largest = None;
        self.takes(token);
    }

    /// Whether nothing was ever asked, told or taken: forgetting it loses nothing.
    pub fn is_blank(&self) -> bool {
        let Owner { token, next, early, sent, largest, request, asks } = self;
        let told = next.is_some() || early.is_some() || sent.is_some();
        token.is_none() && !told && largest.is_none() && *request == 0 && !asks
    }

    /// Whether this number is above all that were ever here.
    fn is_new(&self, k: u64) -> bool {
        self.largest.is_none_or(|largest| k > largest)
    }

    /// The largest number that was ever here.
    pub fn largest(&self) -> Option<u64> {
        self.largest
    }

    /// The token goes to somebody else under the number that it has, with whoever uses it; and who gets it next, if
    /// that is known. It does not come back with that number.
    pub fn gives(&mut self) -> Option<(Token, Option<S>)> {
        self.token.take().map(|token| (token, self.next.take()))
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
}
