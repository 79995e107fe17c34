//! Homed chain: a home numbers the owners, and the token goes from one to the next directly.
//!
//! **Idea.** One process is the home. Whoever wants the token asks it; the home gives out numbers in order and tells the
//! owner before to send the token on: REQ, PASS, TOKEN, however many processes there are. Whoever has the token keeps
//! it until somebody else is numbered, so entering again costs nothing.
//!
//! **Source.** The design of this project's lock service, section 4.2; the servers of [`crate::lock`] are made of the two
//! records here.

use std::collections::{BTreeMap, BTreeSet};

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
        let before = self.seats.get(&who);
        match before {
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
}

impl<S: Copy + Ord> Home<S> {
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
            (Some(token), _) if token.k == k => {
                self.next = Some(to);
                None
            }
            (_, Some((whom, sent))) if sent.k == k + 1 && whom == to => Some((whom, sent)),
            (_, _) if self.largest.is_none_or(|largest| k > largest) => {
                self.early = Some((k, to));
                None
            }
            (_, _) => None,
        }
    }

    /// A token comes. It is taken once: only with a number above all that were ever here.
    pub fn takes(&mut self, token: Token) -> bool {
        if self.largest.is_some_and(|largest| token.k <= largest) {
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

    /// The largest number that was ever here.
    pub fn largest(&self) -> Option<u64> {
        self.largest
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
