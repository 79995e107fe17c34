//! The steps from some states, as they come out of an expansion: what changes, and where it leads.

use super::stimulus::Action;

/// One step from a state.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    /// The fingerprint of the state it leads to.
    pub(crate) fingerprint: u64,
    /// The place of its state among those that are expanded together.
    pub(crate) parent: u32,
    /// Where its changes begin, and how many there are.
    first_change: u32,
    changes: u16,
    pub(crate) messages: u16,
    pub(crate) announcements: u16,
    /// Whether it is the first outcome of its action.
    pub(crate) first: bool,
}

/// What happens in a step, whatever state it leads to.
#[derive(Clone, Copy)]
pub(crate) struct Detail {
    pub(crate) action: Action,
    /// The ticks that pass before it.
    pub(crate) ticks: u16,
    pub(crate) messages: u16,
    pub(crate) announcements: u16,
    /// By how much the largest number of phases grows.
    pub(crate) phases: u16,
    pub(crate) chance: f64,
    /// Whether it is the first outcome of its action.
    pub(crate) first: bool,
}

impl Detail {
    /// A step in which no process sends anything.
    pub(crate) fn silent(action: Action) -> Detail {
        Detail { action, ticks: 0, messages: 0, announcements: 0, phases: 0, chance: 1.0, first: true }
    }
}

/// The steps from some states.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) nexts: Vec<Next>,
    /// For each step, where details are asked for.
    pub(crate) details: Vec<Detail>,
    pub(crate) changes: Vec<(u32, u32)>,
    /// Violations: the place among `nexts`, the property, what is wrong.
    pub(crate) violations: Vec<(u32, usize, String)>,
    /// Whether something was added that happens sooner or later, and whether somebody may want in.
    pub(crate) is_due: bool,
    pub(crate) may_want: bool,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.nexts.clear();
        self.details.clear();
        self.changes.clear();
        self.violations.clear();
    }

    /// Adds a step whose changes from `start` on are written.
    #[inline]
    pub(crate) fn push(
        &mut self,
        parent: u32,
        start: usize,
        fingerprint: u64,
        messages: u16,
        announcements: u16,
        first: bool,
    ) {
        let changes = (self.changes.len() - start) as u16;
        let first_change = start as u32;
        self.nexts.push(Next { fingerprint, parent, first_change, changes, messages, announcements, first });
    }

    /// Writes the state that a step leads to.
    #[inline]
    pub(crate) fn write(&self, next: &Next, parent: &[u32], state: &mut Vec<u32>) {
        let start = state.len();
        state.extend_from_slice(parent);
        let first = next.first_change as usize;
        for &(position, number) in &self.changes[first..first + usize::from(next.changes)] {
            state[start + position as usize] = number;
        }
    }

    pub(crate) fn truncate(&mut self, nexts: usize) {
        if let Some(next) = self.nexts.get(nexts) {
            self.changes.truncate(next.first_change as usize);
        }
        self.nexts.truncate(nexts);
        self.details.truncate(nexts);
        self.violations.retain(|violation| (violation.0 as usize) < nexts);
        (self.is_due, self.may_want) = (false, false);
    }
}
