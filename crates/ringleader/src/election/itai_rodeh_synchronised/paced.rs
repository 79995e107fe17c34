//! What travels with a synchroniser: the messages of the algorithm, and two that only close rounds.

use crate::model::*;

/// A message of the algorithm, or one of the synchroniser.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Paced<M> {
    /// One of the algorithm.
    Carry {
        /// The message.
        msg: M,
        /// Whether it is the last of its round on this link.
        last: bool,
    },
    /// No message in this round.
    Empty,
    /// No message in this round, nor in any later one.
    Done,
}

impl<M> Paced<M> {
    /// Whether it closes a round on its link.
    pub(super) fn closes(&self) -> bool {
        !matches!(self, Paced::Carry { last: false, .. })
    }
}

/// The most kinds of messages that an algorithm has, with those of the synchroniser.
const KINDS_MAX: usize = 16;

/// A list with two more at its end.
const fn with_two<T: Copy>(list: &[T], one: T, other: T) -> [T; KINDS_MAX] {
    let mut all = [other; KINDS_MAX];
    let mut place = 0;
    while place < list.len() {
        all[place] = list[place];
        place += 1;
    }
    all[place] = one;
    all
}

impl<M: Message> Paced<M> {
    const OWN: usize = M::KINDS.len();
    const ALL_KINDS: [&'static str; KINDS_MAX] = with_two(M::KINDS, "empty", "done");
    const ALL_ANNOUNCES: [bool; KINDS_MAX] = with_two(M::ANNOUNCES, true, true);
}

impl<M: Message> Message for Paced<M> {
    const KINDS: &'static [&'static str] = Self::ALL_KINDS.split_at(Self::OWN + 2).0;
    const ANNOUNCES: &'static [bool] = Self::ALL_ANNOUNCES.split_at(Self::OWN + 2).0;

    fn kind(&self) -> usize {
        match self {
            Paced::Carry { msg, .. } => msg.kind(),
            Paced::Empty => Self::OWN,
            Paced::Done => Self::OWN + 1,
        }
    }

    fn fields(&self) -> Fields {
        match self {
            Paced::Carry { msg, last } => {
                let mut fields = msg.fields();
                fields.push(("last", last.show()));
                fields
            }
            Paced::Empty | Paced::Done => Vec::new(),
        }
    }

    /// Two bits tell apart a message, the last one of a round, and the two of the synchroniser.
    fn bits(&self, sizes: Sizes) -> u64 {
        match self {
            Paced::Carry { msg, .. } => 2 + msg.bits(sizes),
            Paced::Empty | Paced::Done => 2,
        }
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.kind() as u8);
        if let Paced::Carry { msg, last } = self {
            last.put(bytes);
            msg.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let kind = usize::from(<u8 as Wire>::take(bytes)?);
        if kind == Self::OWN {
            return Ok(Paced::Empty);
        }
        if kind == Self::OWN + 1 {
            return Ok(Paced::Done);
        }
        if kind > Self::OWN + 1 {
            return Err(WireError::Range);
        }
        let (last, msg) = (bool::take(bytes)?, M::take(bytes)?);
        if msg.kind() == kind { Ok(Paced::Carry { msg, last }) } else { Err(WireError::Range) }
    }
}
