//! A reliable link over connections that break: per ordered pair exactly once and in order, as long as
//! neither end restarts.
//!
//! **Idea.** Payloads are numbered, kept until they are acknowledged, and sent again when a connection begins
//! anew. Whoever receives takes only the next number, and says up to where it has come; so what is lost comes
//! again, and what comes twice or too early is dropped. That is a sliding window whose receiver keeps nothing
//! out of order: connections keep the order, so a gap arises only where one broke.
//!
//! **Restarts.** An end that restarts has forgotten its numbers, and the network may keep old segments for
//! ever. So each end has an incarnation, a number that grows with every start, and everything that is said
//! names both: the one who speaks and the one who was meant. What does not fit the pair that is met now is
//! dropped, however late it comes. An end that meets a new incarnation begins anew in both directions; what
//! waited for the old one is dropped, because whoever comes back knows nothing of what was said before, and
//! those above are told (`Meeting::Restarted`).
//!
//! **Needs.** Incarnations of one end never repeat. If they do not always grow (a clock has gone back), a
//! greeting is of the connection on which it comes and outlives it never; then the smaller one is refused and
//! takes a number above the one in the refusal, but only if that is larger than its own: a refusal may be
//! late too. No bound on loss, duplication, reordering or delay; that everything arrives in the end needs
//! connections that now and then last long enough.
//!
//! **Proof.** `proofs/link.rs` has two ends searched exhaustively, over links that lose, double and reorder,
//! with restarts of both; and ends with one mistake each, which the search finds.
//!
//! **Source.** The alternating bit (K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, 1969) and its
//! windows (N. V. Stenning, A data transfer protocol, Computer Networks 1, 1976); that ends which forget need
//! a number of their own that never repeats: D. Belsnes, Single-message communication, IEEE Trans.
//! Communications 24(2), 1976.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

/// How much may wait for an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// The most payloads that wait; one more is refused.
    pub unacknowledged: usize,
    /// An acknowledgement is sent at the latest after so many payloads that came in.
    pub ack_every: u64,
}

/// What an end of a link says of itself when a connection begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Greeting {
    /// Its own incarnation: it grows with every restart.
    pub mine: u64,
    /// The incarnation of the other that it knows; 0 if none.
    pub yours: u64,
    /// The number of the payload that it expects next from that one.
    pub next: u64,
}

/// A payload on its way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Segment<T> {
    /// The incarnation of the sender.
    pub from: u64,
    /// The incarnation of the receiver to whom it was said.
    pub to: u64,
    /// Its number, from 0.
    pub number: u64,
    /// What is carried.
    pub payload: T,
}

/// Who is met when a connection begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// The first incarnation that is ever seen of it.
    First,
    /// The one that was there before: what it has not acknowledged is to be sent again.
    Same,
    /// A new one: what was meant for the old one is gone, and so is what the old one may still have sent.
    Restarted,
    /// An older one than was seen: refused. The newest that was seen is in it.
    Stale(u64),
}

/// What becomes of a segment that came in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received<T> {
    /// It is the next one.
    Deliver(T),
    /// It was here already.
    Duplicate,
    /// One before it is missing; it will come again.
    Gap,
    /// It is from, or for, another incarnation.
    Stranger,
}

/// There is no room: the other takes nothing in, or is cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// One end of a link: what it has sent and not seen acknowledged, and what it expects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Link<T> {
    limits: Limits,
    /// Its own incarnation.
    mine: u64,
    /// The incarnation of the other end; 0 before one was met.
    theirs: u64,
    /// The number of the first payload that waits.
    first: u64,
    /// What was sent from the first one on that is not acknowledged.
    waiting: VecDeque<T>,
    /// The number that is expected next.
    next: u64,
    /// How many segments came in since the last acknowledgement.
    unsaid: u64,
}

impl<T: Clone> Link<T> {
    /// An end of this incarnation, which has met nobody.
    #[must_use]
    pub fn new(mine: u64, limits: Limits) -> Link<T> {
        Link { limits, mine, theirs: 0, first: 0, waiting: VecDeque::new(), next: 0, unsaid: 0 }
    }

    /// What to say when a connection begins.
    #[must_use]
    pub fn greeting(&self) -> Greeting {
        Greeting { mine: self.mine, yours: self.theirs, next: self.next }
    }

    /// The other end greets. Unless it is stale, what [`Link::again`] gives is to be sent now.
    ///
    /// Greetings may be old: one that does not know this incarnation acknowledges nothing, and one of an
    /// incarnation older than the newest that was met is refused. No end has the incarnation 0, so that is
    /// refused too.
    pub fn greeted(&mut self, theirs: Greeting) -> Meeting {
        if theirs.mine < self.theirs || theirs.mine == 0 {
            return Meeting::Stale(self.theirs);
        }
        if theirs.mine == self.theirs {
            self.acknowledged(theirs.mine, theirs.yours, theirs.next);
            return Meeting::Same;
        }
        let meeting = if self.theirs == 0 { Meeting::First } else { Meeting::Restarted };
        *self = Link { theirs: theirs.mine, ..Link::new(self.mine, self.limits) };
        meeting
    }

    /// Takes a payload to be carried. The segment is to be sent if there is a connection; otherwise it waits.
    ///
    /// # Errors
    /// If too much waits already; or nobody was ever met, for then there is no incarnation that it could be
    /// meant for, and whoever is met first would drop it anyway.
    pub fn send(&mut self, payload: T) -> Result<Segment<T>, Full> {
        if self.theirs == 0 || self.waiting.len() >= self.limits.unacknowledged {
            return Err(Full);
        }
        let number = self.first + self.waiting.len() as u64;
        self.waiting.push_back(payload.clone());
        Ok(Segment { from: self.mine, to: self.theirs, number, payload })
    }

    /// Everything that is not acknowledged, in order.
    pub fn again(&self) -> impl Iterator<Item = Segment<T>> {
        let numbers = self.first..;
        numbers.zip(&self.waiting).map(|(number, payload)| Segment {
            from: self.mine,
            to: self.theirs,
            number,
            payload: payload.clone(),
        })
    }

    /// A segment comes in.
    pub fn receive(&mut self, segment: Segment<T>) -> Received<T> {
        if self.theirs == 0 || segment.from != self.theirs || segment.to != self.mine {
            return Received::Stranger;
        }
        if segment.number > self.next {
            return Received::Gap;
        }
        // What comes again was perhaps acknowledged in vain, so that is said again too.
        self.unsaid += 1;
        if segment.number < self.next {
            return Received::Duplicate;
        }
        self.next += 1;
        Received::Deliver(segment.payload)
    }

    /// An acknowledgement comes in: between these incarnations everything before `next` has arrived. Whether
    /// it says anything new. One that is old says nothing, nor does one of what was never sent.
    pub fn acknowledged(&mut self, from: u64, to: u64, next: u64) -> bool {
        let sent = self.first + self.waiting.len() as u64;
        if self.theirs == 0 || from != self.theirs || to != self.mine || next <= self.first || next > sent {
            return false;
        }
        self.waiting.drain(..(next - self.first) as usize);
        self.first = next;
        true
    }

    /// The acknowledgement that is due: at once if `now` (there is nothing else to do), otherwise after so
    /// many payloads.
    pub fn acknowledgement(&mut self, now: bool) -> Option<(u64, u64, u64)> {
        let due = self.unsaid > 0 && (now || self.unsaid >= self.limits.ack_every);
        due.then(|| {
            self.unsaid = 0;
            (self.mine, self.theirs, self.next)
        })
    }

    /// How many payloads wait for an acknowledgement.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The incarnation of the other end, once it was met.
    #[must_use]
    pub fn peer(&self) -> Option<u64> {
        (self.theirs != 0).then_some(self.theirs)
    }
}
