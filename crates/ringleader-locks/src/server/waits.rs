//! Who must be waited for, and until when (T4, 4.3). A home makes anew what nobody reports, once no lease can run any
//! more that a run of a server got with a seat that it has lost. It counts from the moment at which it learned of the
//! loss, on its own clock; a view that changes again makes nobody wait anew.
//!
//! Everything is about runs, never about servers: a server that starts again may have lost its disk, and knows nothing
//! of what its earlier run granted. Only a run itself vouches for itself.

use super::{Rule, Rules};
use crate::view::NOBODY_KNOWS;
use crate::{Class, Run, View};
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// What a server knows of leases that may still run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Waits {
    /// Runs that were members before, and have not vouched that nobody holds anything of then.
    unsure: BTreeSet<Run>,
    /// Since when, at the latest, a run has got no lease with a seat that it has no more.
    out_since: BTreeMap<Run, Micros>,
    /// For how long leases of each class may run on.
    wait: [Micros; 3],
}

impl Waits {
    /// What is known when a view has been installed; with the one that was installed before, and what was known then.
    pub(crate) fn installed(
        rules: Rules,
        view: &View,
        before: Option<(&View, &Waits)>,
        now: Micros,
    ) -> Waits {
        let known = |run: &Run| {
            let (last, waits) = before.filter(|_| rules.has(Rule::CountsOn))?;
            let seats = (last.members.get(&run.0), view.members.get(&run.0));
            // A run that had no seat in the last view has lost none since, if that was the view before this one; nor
            // has any run of a server whose seat is the same.
            let same = seats.0.is_some() && seats.0 == seats.1
                || last.seat(*run).is_none() && last.epoch + 1 == view.epoch
                || !rules.has(Rule::Seats);
            waits.out_since.get(run).copied().filter(|_| same)
        };
        let runs = view.runs().chain(view.past.iter().copied());
        let wait = |class: Class| {
            if rules.has(Rule::Drift) { view.wait(class) } else { view.running[class.index()] }
        };
        Waits {
            unsure: if rules.has(Rule::Waits) { view.past.clone() } else { BTreeSet::new() },
            out_since: runs.map(|run| (run, known(&run).unwrap_or(now))).collect(),
            wait: Class::ALL.map(wait),
        }
    }

    /// The longest wait.
    pub(super) fn longest(&self) -> Micros {
        self.wait.into_iter().max().unwrap_or_default()
    }

    /// A run vouches that nobody holds anything from it of before.
    pub(crate) fn vouches(&mut self, rules: Rules, run: Run) {
        let speaks_for = |other: &Run| *other == run || !rules.has(Rule::OwnRun) && other.0 == run.0;
        self.unsure.retain(|other| !speaks_for(other));
    }

    /// The view was read again, in the same epoch, and has less of a past.
    pub(super) fn forgets(&mut self, past: &BTreeSet<Run>) {
        self.unsure.retain(|run| past.contains(run));
    }

    fn since(&self) -> impl Iterator<Item = (Run, Micros)> {
        self.unsure.iter().filter_map(|run| Some((*run, *self.out_since.get(run)?)))
    }

    /// The runs of which leases of this class may still run.
    pub(crate) fn running(&self, now: Micros, class: Class) -> impl Iterator<Item = Run> {
        let wait = self.wait[class.index()];
        self.since().filter(move |(_, since)| now < *since + wait).map(|(run, _)| run)
    }

    /// Until when leases of a run without a seat may run, of this class; at any time if nobody knows of it.
    pub(super) fn end(&self, run: Run, class: Class) -> Option<Micros> {
        // Runs that nobody remembers one by one are waited for together.
        let unknown = self.out_since.iter().filter(|((server, _), _)| *server == NOBODY_KNOWS);
        let since = self.out_since.get(&run).copied().or_else(|| unknown.map(|(_, since)| *since).max());
        Some(since? + self.wait[class.index()])
    }

    /// Whether leases of a run without a seat may run. Of one that is not listed none do: the past is settled, or it
    /// has left in good order.
    pub(super) fn may_run(&self, run: Run, class: Class, now: Micros) -> bool {
        self.end(run, class).is_some_and(|end| now < end)
    }

    /// When the waits that are not over will be, for each run that is waited for.
    pub(super) fn ends(&self, now: Micros) -> BTreeSet<Micros> {
        let ends = self.since().flat_map(|(_, since)| self.wait.map(|wait| since + wait));
        ends.filter(|at| *at > now).collect()
    }

    /// For how long those who are not sure have got no lease with a seat that they have lost: what every server that
    /// saw it tells the homes, for a home may have come in later.
    pub(crate) fn gone(&self, now: Micros) -> Vec<(Run, Micros)> {
        self.since().map(|(run, since)| (run, now - since)).filter(|(_, span)| span.0 > 0).collect()
    }

    /// Somebody says for how long others are gone. It was so for as long by its clock when it said so, and a home's
    /// clock may be as fast as any: a wait counts from there. Whether anything was news.
    pub(crate) fn hears_of(&mut self, rules: Rules, now: Micros, gone: &[(Run, Micros)]) -> bool {
        let said: BTreeMap<Run, Micros> = gone.iter().copied().collect();
        let longest = gone.iter().map(|(_, span)| *span).max().filter(|_| !rules.has(Rule::Each));
        let mut news = false;
        for (run, since) in &mut self.out_since {
            let earlier = longest.or_else(|| said.get(run).copied()).map(|span| now - span);
            if let Some(earlier) = earlier.filter(|earlier| earlier < since) {
                *since = earlier;
                news = true;
            }
        }
        news
    }
}
