//! The auditor: it knows the real time and everybody's clock, and looks at every grant that a client takes.

use ringleader_locks::{Fence, Mode, SessionId};

/// Somebody holds a lock, until its own clock shows its deadline.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "who it is and in which order is read in the words of a violation")]
pub(crate) struct Holding {
    pub(crate) client: usize,
    pub(crate) session: SessionId,
    pub(crate) fence: Fence,
    /// In real time.
    pub(crate) until: u64,
    /// The place of the grant among all that were taken for this lock.
    pub(crate) order: u64,
    pub(crate) mode: Mode,
}

/// What is known of a lock.
#[derive(Clone, Default, Debug)]
struct Record {
    holdings: Vec<Holding>,
    taken: u64,
    last_taken: Option<Fence>,
    /// Of those who held it alone.
    last_alone: Option<Fence>,
    last_granted: Option<Fence>,
    /// The storage: the largest fence that wrote, and the order of its grant.
    written: Option<(Fence, u64)>,
    /// The first grant after everything was healed.
    first_after: Option<u64>,
}

/// What was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    /// I1 to I5, or the books of a server.
    pub(crate) invariant: &'static str,
    pub(crate) real: u64,
    pub(crate) what: String,
}

/// The auditor.
#[derive(Default, Debug)]
pub(crate) struct Auditor {
    locks: Vec<Record>,
    pub(crate) violation: Option<Violation>,
    pub(crate) taken: u64,
    pub(crate) written: u64,
    pub(crate) refused: u64,
    /// Grants that were taken while others held the same lock.
    pub(crate) beside: u64,
}

impl Auditor {
    pub(crate) fn new(locks: usize) -> Auditor {
        Auditor { locks: vec![Record::default(); locks], ..Auditor::default() }
    }

    /// The first thing that is wrong is kept.
    pub(crate) fn accuse(&mut self, invariant: &'static str, real: u64, what: String) {
        self.violation.get_or_insert(Violation { invariant, real, what });
    }

    /// A server says that it grants a lock (I2).
    pub(crate) fn granted(&mut self, real: u64, lock: usize, fence: Fence, server: usize) {
        let record = &mut self.locks[lock];
        if let Some(last) = record.last_granted.replace(fence)
            && fence <= last
        {
            let what = format!("lock {lock}: server {server} grants {fence:?} after {last:?} was granted");
            self.accuse("I2", real, what);
        }
    }

    /// A client holds from now on (I1, I2); the order of its grant.
    pub(crate) fn takes(&mut self, real: u64, lock: usize, holding: Holding, healed: bool) -> u64 {
        let record = &mut self.locks[lock];
        record.taken += 1;
        let order = record.taken;
        self.taken += 1;
        record.holdings.retain(|other| other.until > real);
        let is_same = |other: &Holding| (other.session, other.fence) == (holding.session, holding.fence);
        let others: Vec<Holding> = record.holdings.iter().filter(|other| !is_same(other)).copied().collect();
        record.holdings.push(Holding { order, ..holding });
        // Readers may learn of their grants in another order than that of the grants; a writer is after all readers
        // before it, and before all after it.
        let alone = matches!(holding.mode, Mode::Exclusive | Mode::Permits(1));
        let last = if alone { record.last_taken } else { record.last_alone };
        record.last_taken = record.last_taken.max(Some(holding.fence));
        if alone {
            record.last_alone = record.last_alone.max(Some(holding.fence));
        }
        if healed {
            record.first_after.get_or_insert(real);
        }
        self.beside += u64::from(!others.is_empty());
        // What a server goes by is not asked: how many may hold is counted here once more.
        let fits = |other: &Holding| match (holding.mode, other.mode) {
            (Mode::Shared, Mode::Shared) => true,
            (Mode::Permits(permits), Mode::Permits(other)) => {
                permits == other && others.len() < permits as usize
            }
            _ => false,
        };
        if let Some(other) = others.iter().find(|other| !fits(other)) {
            self.accuse("I1", real, format!("lock {lock}: {holding:?} while {other:?} of {}", others.len()));
        }
        if let Some(last) = last
            && holding.fence <= last
        {
            self.accuse("I2", real, format!("lock {lock}: {holding:?} is taken after {last:?} was"));
        }
        order
    }

    /// It lives on until then.
    pub(crate) fn extends(&mut self, session: SessionId, until: u64) {
        let holdings = self.locks.iter_mut().flat_map(|record| &mut record.holdings);
        holdings.filter(|holding| holding.session == session).for_each(|holding| holding.until = until);
    }

    /// It holds this no more.
    pub(crate) fn lets_go(&mut self, lock: usize, session: SessionId, fence: Fence) {
        let holdings = &mut self.locks[lock].holdings;
        holdings.retain(|holding| (holding.session, holding.fence) != (session, fence));
    }

    /// It holds nothing any more, and knows it.
    pub(crate) fn ended(&mut self, session: SessionId) {
        for record in &mut self.locks {
            record.holdings.retain(|holding| holding.session != session);
        }
    }

    /// A write of a holder reaches the storage, which refuses fences smaller than one that it has seen.
    pub(crate) fn write(&mut self, real: u64, lock: usize, fence: Fence, order: u64) {
        let record = &mut self.locks[lock];
        match record.written {
            Some((largest, _)) if fence < largest => self.refused += 1,
            Some((largest, later)) if later > order => {
                let what = format!("lock {lock}: a late write with {fence:?} is accepted after {largest:?}");
                self.accuse("I2", real, what);
            }
            Some(_) | None => {
                record.written = Some((fence, order));
                self.written += 1;
            }
        }
    }

    /// When each lock was granted first after everything was healed.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = Option<u64>> {
        self.locks.iter().map(|record| record.first_after)
    }
}
