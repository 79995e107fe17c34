//! 4.3: a newer view is installed, and tokens are reported to their homes. A member that goes on keeps its tokens,
//! its holders and its sessions; anybody else lets go of everything first, and comes in with nothing.

use super::homes::Homes;
use super::owners::patience;
use super::table::Table;
use super::{Event, Output, Rule, Server, Timer};
use crate::{Denial, MAX_MESSAGE, Message, Owned, Run, ServerId, View};
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pages that are on their way at once.
const PAGES: usize = 8;

/// Bytes of a page, at most: names may be long.
const PAGE_BYTES: usize = MAX_MESSAGE / 2;

/// A page of a report, as it comes.
pub(super) struct Page {
    pub(super) incarnation: u64,
    pub(super) page: u32,
    pub(super) pages: u32,
    pub(super) owns: Vec<Owned>,
    /// For how long these runs have got no lease with a seat that they have lost.
    pub(super) gone: Vec<(Run, Micros)>,
}

/// What is reported to a home until it has arrived.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reporting {
    pages: Vec<Vec<Owned>>,
    /// Pages that have not arrived.
    open: BTreeSet<u32>,
    sent: BTreeSet<u32>,
    resends: u32,
    at: Micros,
}

impl Server {
    /// A newer view was read.
    pub(super) fn install(&mut self, view: Arc<View>) {
        self.pending = Some(view);
        self.steps_on();
    }

    /// Whether this server goes on in this view with what it has.
    fn continues(&self, view: &View) -> bool {
        let seat = view.members.get(&self.spec.id);
        let listed = seat.filter(|seat| seat.incarnation == self.spec.incarnation);
        self.joined && listed.is_some_and(|seat| seat.since <= self.epoch() || !self.rules.has(Rule::Since))
    }

    /// Installs a view that was read, as soon as that may be. Who goes on may at once, unless a session is on its way
    /// to another server (4.5).
    pub(super) fn steps_on(&mut self) {
        // Nothing newer was read.
        let Some(view) = self.pending.clone() else { return };
        let continues = self.continues(&view);
        if self.sessions_are_on_their_way() {
            return;
        }
        if !continues {
            return self.steps_down(view);
        }
        let kept = self.carries_on(&view);
        let homes = self.homes_in(&view, self.now, true);
        self.begins(view.clone(), homes, true);
        self.tells_of_it(&view, kept);
        if self.draining.is_some() {
            self.sends_sessions_away();
        }
    }

    /// What this server knows as a home, when it has installed this view.
    fn homes_in(&self, view: &View, now: Micros, continues: bool) -> Homes {
        let before = self.view.as_deref().map(|last| (last, &self.homes));
        let mut homes = Homes::installed(self.rules, view, before, self.spec.id, now);
        if let Some((last, known)) = before.filter(|_| continues) {
            homes.carries_on(self.rules, view, last, known, self.spec.id);
        }
        homes
    }

    /// This run of this server.
    pub(super) fn run(&self) -> Run {
        (self.spec.id, self.spec.incarnation)
    }

    /// Who was excluded or comes in fresh installs only when none of its clients can hold: released, or session over.
    fn steps_down(&mut self, view: Arc<View>) {
        if self.held > 0 && self.rules.has(Rule::StepsDown) {
            return;
        }
        self.guests.clear();
        for (_, client) in core::mem::take(&mut self.sessions) {
            for (_, request) in client.requests {
                if let Some(asker) = request.asker {
                    self.denies(asker, Denial::SessionExpired);
                }
            }
        }
        self.timers.retain(|(_, timer)| {
            !matches!(
                timer,
                Timer::Wait(..) | Timer::Session(_) | Timer::Resend(_) | Timer::Idle(_) | Timer::Ask(_)
            )
        });
        self.locks = Table::default();
        (self.tokens, self.held, self.waiting) = (0, 0, 0);
        self.confirmed = None;
        let joined = view.has(self.spec.id, self.spec.incarnation);
        let homes = self.homes_in(&view, self.now, false);
        self.begins(view.clone(), homes, joined);
        self.tells_of_it(&view, 0);
        if self.joined {
            self.read();
        }
    }

    /// Each token becomes number 0 with counter 0; requests and chains are dropped, and asked again. How many tokens.
    fn carries_on(&mut self, view: &View) -> usize {
        let sessions = &mut self.sessions;
        self.locks.retain(|name, lock| {
            let home = view.home(name).unwrap_or_default();
            let class = view.class(name);
            lock.begin_epoch(class, home);
            // Classes may have changed: a session must not be promised more than its locks are.
            let beside = lock.shares_here().iter().map(|share| &share.who);
            for (session, _) in lock.holder.iter().chain(beside).chain(lock.waiters.values()) {
                if let Some(client) = sessions.get_mut(session) {
                    client.class = client.class.min(class);
                }
            }
            lock.owner.token().is_some() || !lock.waiters.is_empty() || lock.holders_here() > 0
        });
        self.tokens
    }

    fn begins(&mut self, view: Arc<View>, homes: Homes, joined: bool) {
        self.pending = None;
        self.joined = joined;
        self.installed_at = self.now;
        self.came.retain(|_, came| came.until > self.now && self.rules.has(Rule::Remembers));
        self.tally.installed += 1;
        self.stalled.clear();
        self.homes = homes;
        for at in self.homes.wakes(self.now) {
            self.at(at, Timer::Open);
        }
        self.view = Some(view);
        self.looks_again();
    }

    /// REPORT to every home; then everything that is wanted is asked for again.
    fn tells_of_it(&mut self, view: &View, kept: usize) {
        self.out.push(Output::Event(Event::Installed { epoch: self.epoch(), joined: self.joined, kept }));
        self.reports.clear();
        if self.joined || view.past.contains(&self.run()) || !self.rules.has(Rule::Incarnations) {
            let mut owns: BTreeMap<ServerId, Vec<Owned>> =
                view.homes.iter().map(|home| (*home, Vec::new())).collect();
            for (name, lock) in self.locks.iter() {
                let held = lock.holders_here() > 0;
                let owned = if lock.owner.token().is_some() {
                    Some(Owned { name: name.clone(), held, lent: None })
                } else {
                    // Its token may be lost: the home must know who holds it when it makes that anew.
                    let lent = Server::reports_shares(lock).filter(|_| self.rules.has(Rule::ReportsHolds));
                    lent.map(|lent| Owned { name: name.clone(), held, lent: Some(lent) })
                };
                owns.entry(lock.home).or_default().extend(owned);
            }
            for (home, owns) in owns {
                let pages = pages(owns, self.spec.limits.page);
                if home == self.spec.id {
                    self.reports_to_itself(pages);
                } else {
                    let open = (0..pages.len()).filter_map(|page| u32::try_from(page).ok()).collect();
                    let report = Reporting { pages, open, sent: BTreeSet::new(), resends: 0, at: self.now };
                    self.reports.insert(home, report);
                    self.report(home);
                }
            }
        }
        self.opens();
        for name in self.locks.names() {
            self.serve(&name);
        }
    }

    fn reports_to_itself(&mut self, pages: Vec<Vec<Owned>>) {
        if !self.joined {
            return;
        }
        let (own, incarnation) = (self.spec.id, self.spec.incarnation);
        let count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        for (page, owns) in (0..).zip(pages) {
            let page = Page { incarnation, page, pages: count, owns, gone: Vec::new() };
            self.reported(own, page);
        }
    }

    /// Sends pages that have not arrived and are not on their way.
    fn report(&mut self, home: ServerId) {
        let (epoch, incarnation) = (self.epoch(), self.spec.incarnation);
        let gone = self.homes.gone(self.now);
        let Some(report) = self.reports.get_mut(&home) else {
            return self.impossible("nothing is to be reported to a home that waits for it");
        };
        let count = u32::try_from(report.pages.len()).unwrap_or(u32::MAX);
        let next = report.open.difference(&report.sent).copied();
        let room = PAGES.saturating_sub(report.open.intersection(&report.sent).count());
        for page in next.take(room).collect::<Vec<_>>() {
            report.sent.insert(page);
            let owns = report.pages.get(page as usize).cloned().unwrap_or_default();
            let gone = if page == 0 { gone.clone() } else { Vec::new() };
            let message = Message::Report { epoch, incarnation, page, pages: count, owns, gone };
            self.out.push(Output::Send(home, message));
        }
        if report.open.is_empty() {
            return;
        }
        report.at = self.now + patience(report.resends);
        let at = report.at;
        self.at(at, Timer::Report(home));
    }

    pub(super) fn report_is_due(&mut self, at: Micros, home: ServerId) {
        // It has arrived, or was sent again meanwhile.
        let Some(report) = self.reports.get_mut(&home).filter(|report| report.at == at) else { return };
        report.resends += 1;
        report.sent.clear();
        self.tally.resent += 1;
        self.report(home);
    }

    /// The home has got a page.
    pub(super) fn report_arrived(&mut self, home: ServerId, incarnation: u64, page: u32) {
        // The answer came twice.
        let Some(report) = self.reports.get_mut(&home) else { return };
        if incarnation != self.spec.incarnation || !report.open.remove(&page) {
            return;
        }
        report.resends = 0;
        if !report.open.is_empty() {
            return self.report(home);
        }
        self.reports.remove(&home);
        if self.draining.is_some() {
            self.sends_sessions_away();
        }
    }

    /// Whether everything that had to be reported to this home has arrived.
    pub(super) fn has_reported_to(&self, home: ServerId) -> bool {
        !self.reports.contains_key(&home)
    }

    /// Whether everything that had to be reported has arrived.
    pub(super) fn has_reported(&self) -> bool {
        self.reports.is_empty()
    }
}

/// What is reported, in pages of so many locks at most, and not too many bytes. There is always one.
fn pages(owns: Vec<Owned>, most: usize) -> Vec<Vec<Owned>> {
    let mut pages = vec![Vec::new()];
    let mut bytes = 0;
    for owned in owns {
        let size =
            owned.name.text().len() + 8 + owned.lent.as_ref().map_or(0, |(_, fences)| 10 * fences.len());
        let full = pages.last().is_some_and(|page: &Vec<Owned>| page.len() >= most.max(1));
        if full || bytes + size > PAGE_BYTES {
            pages.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(page) = pages.last_mut() {
            page.push(owned);
        }
    }
    pages
}
