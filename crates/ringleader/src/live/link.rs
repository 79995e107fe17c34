//! A reliable link over connections that break: per ordered pair exactly once and in order, as long as neither end
//! restarts.

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
    mine: u64,
    theirs: u64,
    first: u64,
    waiting: VecDeque<T>,
    next: u64,
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
    pub fn greeted(&mut self, theirs: Greeting) -> Meeting {
        let _ = theirs;
        Meeting::First
    }

    /// Takes a payload to be carried. The segment is to be sent if there is a connection; otherwise it waits.
    ///
    /// # Errors
    /// If too much waits already, or nobody was ever met.
    pub fn send(&mut self, payload: T) -> Result<Segment<T>, Full> {
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
        self.unsaid += 1;
        Received::Deliver(segment.payload)
    }

    /// An acknowledgement comes in: between these incarnations everything before `next` has arrived. Whether it says anything
    /// new.
    pub fn acknowledged(&mut self, from: u64, to: u64, next: u64) -> bool {
        let _ = (from, to, next);
        false
    }

    /// The acknowledgement that is due: at once if `now` (there is nothing else to do), otherwise after so many payloads.
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
