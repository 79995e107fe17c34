//! The record that everybody has, and what the lock service asks it besides.

/// What everybody knows of the token: whether it is here, where it goes next, and where it went.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owner<S> {
    pub(super) token: Option<Token>,
    pub(super) next: Option<S>,
    pub(super) early: Option<(u64, S)>,
    pub(super) sent: Option<(S, Token)>,
    pub(super) largest: Option<u64>,
    pub(super) request: u64,
    pub(super) asks: bool,
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

    /// The token goes to somebody else under the number that it has, with whoever uses it; and who gets it next, if
    /// that is known. It does not come back with that number.
    pub fn gives(&mut self) -> Option<(Token, Option<S>)> {
        self.token.take().map(|token| (token, self.next.take()))
    }
}
