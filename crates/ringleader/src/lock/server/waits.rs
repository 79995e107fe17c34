//! Who must be waited for, and until when (T4, 4.3). A home makes anew what nobody reports, once no lease can run any
//! more that a server got with a seat that it has lost. It counts from the moment at which it learned of the loss, on
//! its own clock; a view that changes again makes nobody wait anew.

use super::Rules;
use crate::live::Micros;
use crate::lock::{Class, ServerId, View};
use std::collections::{BTreeMap, BTreeSet};

/// What a server knows of leases that may still run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(in crate::lock) struct Waits {
    /// Who was a member before, and has not vouched that nobody holds anything of then.
    unsure: BTreeSet<ServerId>,
    /// Since when, at the latest, no server there has got a lease with a seat that it has no more.
    out_since: BTreeMap<ServerId, Micros>,
    /// For how long leases of each class may run on.
    wait: [Micros; 3],
}

impl Waits {
    /// What is known when a view has been installed; with the one that was installed before, and what was known then.
    pub(in crate::lock) fn installed<R: Rules>(
        view: &View,
        before: Option<(&View, &Waits)>,
        now: Micros,
    ) -> Waits {
        let known = |server: &ServerId| {
            let (last, waits) = before.filter(|_| R::COUNTS_ON)?;
            let seats = (last.members.get(server), view.members.get(server));
            // Nobody who had no seat in the last view has lost one since, if that was the view before this one.
            let same = seats.0.is_some() && seats.0 == seats.1
                || seats.0.is_none() && last.epoch + 1 == view.epoch
                || !R::SEATS;
            waits.out_since.get(server).copied().filter(|_| same)
        };
        let servers = view.members.keys().chain(&view.past);
        let wait = |class: Class| if R::DRIFT { view.wait(class) } else { view.running[class.index()] };
        Waits {
            unsure: if R::WAITS { view.past.clone() } else { BTreeSet::new() },
            out_since: servers.map(|server| (*server, known(server).unwrap_or(now))).collect(),
            wait: Class::ALL.map(wait),
        }
    }

    /// The longest wait.
    pub(super) fn longest(&self) -> Micros {
        self.wait.into_iter().max().unwrap_or_default()
    }

    /// A server vouches that nobody holds anything from it of before. Whether that is news.
    pub(super) fn vouches(&mut self, server: ServerId) -> bool {
        self.unsure.remove(&server)
    }

    /// Everybody's leases of before are over.
    pub(super) fn settled(&mut self) {
        self.unsure.clear();
    }

    fn since(&self) -> impl Iterator<Item = (ServerId, Micros)> {
        self.unsure.iter().filter_map(|server| Some((*server, *self.out_since.get(server)?)))
    }

    /// For each class, whether nobody needs to be waited for any more.
    pub(in crate::lock) fn over(&self, now: Micros) -> [bool; 3] {
        self.wait.map(|wait| self.since().all(|(_, since)| now >= since + wait))
    }

    /// When the waits that are not over will be, for each server that is waited for.
    pub(super) fn ends(&self, now: Micros) -> BTreeSet<Micros> {
        let ends = self.since().flat_map(|(_, since)| self.wait.map(|wait| since + wait));
        ends.filter(|at| *at > now).collect()
    }

    /// For how long those who are not sure have got no lease with a seat that they have lost: what every server that
    /// saw it tells the homes, for a home may have come in later.
    pub(in crate::lock) fn gone(&self, now: Micros) -> Vec<(ServerId, Micros)> {
        self.since().map(|(server, since)| (server, now - since)).filter(|(_, span)| span.0 > 0).collect()
    }

    /// Somebody says for how long others are gone. It was so for as long by its clock when it said so, and a home's
    /// clock may be as fast as any: a wait counts from there. Whether anything was news.
    pub(in crate::lock) fn hears_of<R: Rules>(&mut self, now: Micros, gone: &[(ServerId, Micros)]) -> bool {
        let mut news = false;
        for (server, since) in &mut self.out_since {
            let said = gone.iter().filter(|(other, _)| other == server || !R::EACH).map(|(_, span)| *span);
            let earlier = said.max().map(|span| now - span);
            if let Some(earlier) = earlier.filter(|earlier| earlier < since) {
                *since = earlier;
                news = true;
            }
        }
        news
    }
}
