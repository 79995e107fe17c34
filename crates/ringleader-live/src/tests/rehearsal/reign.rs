//! Who led, from when to when in real time: up to what it had promised, whether it was still there or not.

use super::Clock;
use crate::{Notice, Place};

/// For so long somebody leads a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reign {
    pub(super) group: u16,
    pub(super) who: Place,
    pub(super) from: u64,
    pub(super) until: u64,
}

/// All of them, and for each group who led last.
#[derive(Default)]
pub(super) struct Reigns(pub(super) Vec<Reign>);

impl Reigns {
    /// A member says something, which may be that it leads.
    pub(super) fn hear(&mut self, real: u64, who: Place, clock: Clock, notice: &Notice) {
        match *notice {
            Notice::Leads(group, _, until) => {
                self.0.push(Reign { group, who, from: real, until: clock.reaches(until) });
            }
            Notice::Extends(group, _, until) => {
                let until = clock.reaches(until);
                let reign = self.last(group, who);
                assert!(real < reign.until, "{who} extends what has ended");
                reign.until = until;
            }
            Notice::Stops(group, _, since, _) => {
                let since = clock.reaches(since);
                let reign = self.last(group, who);
                reign.until = reign.until.min(since.max(reign.from));
            }
            Notice::Met(..)
            | Notice::RefusedBy(..)
            | Notice::Suspects(_)
            | Notice::Hears(_)
            | Notice::ClockWrong(..)
            | Notice::LinkFull(_)
            | Notice::Dropped(..)
            | Notice::OldEpoch(..)
            | Notice::Nonsense(..)
            | Notice::Opens(..)
            | Notice::Joins(..)
            | Notice::Step(..)
            | Notice::Grants(..)
            | Notice::Leader(..) => {}
        }
    }

    fn last(&mut self, group: u16, who: Place) -> &mut Reign {
        let mut of = self.0.iter_mut().rev().filter(|reign| (reign.group, reign.who) == (group, who));
        of.next().unwrap_or_else(|| panic!("{who} speaks of leading group {group}, and never did"))
    }

    /// Two reigns of different members that overlap, if there are any.
    pub(super) fn overlap(&self) -> Option<(Reign, Reign)> {
        let mut sorted = self.0.clone();
        sorted.retain(|reign| reign.from < reign.until);
        sorted.sort_by_key(|reign| (reign.group, reign.from));
        // Whoever ends last of those before is the one to overlap with; of the same member two never overlap.
        let mut latest: Option<Reign> = None;
        for reign in sorted {
            match latest {
                Some(before) if before.group == reign.group && reign.from < before.until => {
                    return Some((before, reign));
                }
                Some(_) | None => latest = Some(reign),
            }
        }
        None
    }
}
