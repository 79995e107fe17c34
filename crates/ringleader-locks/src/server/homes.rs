//! 4.2 as home, and what 4.3 says of re-creating tokens: the home of a lock numbers its owners. After a view change
//! it knows what is reported to it; what nobody reports it makes anew, but only when everybody who goes on has
//! reported and nobody's old lease can run any more.

use super::install::Page;
use super::known::Known;
use super::table::Table;
use super::waits::Waits;
use super::{Event, Output, Rule, Rules, Server, Timer};
use crate::message::Owned;
use crate::{Class, Command, Hold, Kind, Lent, MAX_COUNTER, Message, Name, Run, SHARDS, ServerId, View};
use ringleader::mutex::homed_chain::{Home, Pass, Token};
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Requests that are kept while a lock is not open; who is not among them asks again anyway.
const PARKED: usize = 100_000;

/// How often it is proposed that the past is over, or that a new epoch begins, until it is so.
const SETTLE: Micros = Micros::millis(1000);

/// At this counter a new epoch is asked for, long before there is none left.
const LARGE: u64 = MAX_COUNTER / 4 * 3;

/// What a home knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Homes {
    chains: Table<Chain>,
    /// For each shard the largest number and counter of the chains that were dropped: new ones go on from there.
    /// Without that for the number, an owner of the dropped chain would refuse the token of the new one.
    bases: Vec<(u64, u64)>,
    /// Which run has reported which pages.
    reports: BTreeMap<Run, BTreeSet<u32>>,
    /// Who goes on from an earlier view and has not reported yet.
    missing: BTreeSet<Run>,
    /// Whose old leases may still run.
    pub(super) waits: Waits,
    /// What is idle at home although nobody reported it.
    known: Known,
    /// What is held, by what was reported, although nobody has reported the token (4.7).
    held: BTreeMap<Name, Lent>,
    /// Requests that came while the lock was not open.
    parked: BTreeMap<Name, BTreeMap<ServerId, (u64, u32)>>,
    settle_at: Option<Micros>,
}

/// The chain of a lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Chain {
    home: Home<ServerId>,
    /// Elections: whether the one who was numbered last has the token; only then the next is numbered.
    taken: bool,
    /// Elections: who waits to be numbered, the most wanted first.
    queue: BTreeSet<(u32, u64, ServerId)>,
    asked: BTreeMap<ServerId, (u32, u64, u64)>,
    ticket: u64,
}

impl Chain {
    fn new(owner: ServerId, number: u64) -> Chain {
        Chain {
            home: Home::new(owner, number),
            taken: true,
            queue: BTreeSet::new(),
            asked: BTreeMap::new(),
            ticket: 0,
        }
    }

    /// Elections: a request waits to be numbered; repeated it keeps its turn, but may be wanted more.
    fn waits(&mut self, who: ServerId, number: u64, priority: u32) {
        let rank = u32::MAX - priority;
        let ticket = match self.asked.get(&who) {
            Some((before, ticket, _)) => {
                self.queue.remove(&(*before, *ticket, who));
                *ticket
            }
            None => {
                self.ticket += 1;
                self.ticket
            }
        };
        self.queue.insert((rank, ticket, who));
        self.asked.insert(who, (rank, ticket, number));
    }

    /// Elections: the next is numbered, if the last one has the token.
    fn next(&mut self) -> Option<Pass<ServerId>> {
        while self.taken {
            let (_, _, who) = self.queue.pop_first()?;
            let (_, _, number) = self.asked.remove(&who)?;
            if let Some(pass) = self.home.asked(who, number) {
                self.taken = false;
                return Some(pass);
            }
        }
        None
    }
}

impl Homes {
    /// What a home knows when it has installed a view; with the one that was installed before.
    pub(super) fn installed(
        rules: Rules,
        view: &View,
        before: Option<(&View, &Homes)>,
        own: ServerId,
        now: Micros,
    ) -> Homes {
        let goes_on = |(server, seat): (&ServerId, &crate::Seat)| {
            (seat.since < view.epoch && *server != own).then_some((*server, seat.incarnation))
        };
        let waits = Waits::installed(rules, view, before.map(|(last, homes)| (last, &homes.waits)), now);
        Homes {
            bases: vec![(0, 0); SHARDS],
            missing: view.members.iter().filter_map(goes_on).collect(),
            settle_at: Some(now + waits.longest()),
            known: Known::nothing(view),
            waits,
            ..Homes::default()
        }
    }

    /// What this server knew as a home in the view before, from which it goes on.
    pub(super) fn carries_on(
        &mut self,
        rules: Rules,
        view: &View,
        last: &View,
        before: &Homes,
        own: ServerId,
    ) {
        // Whoever was reported to hold a lock may hold it on, whether or not it had a chain.
        let held = before.held.keys().filter(|_| rules.has(Rule::HeldBefore)).cloned();
        let chains = before.chains.iter().map(|(name, _)| name.clone()).chain(held);
        self.known = Known::carried(rules, view, (last, &before.known), chains, own);
    }

    /// When the waits are over: for each run that may have to be waited for, and for the past as a whole.
    pub(super) fn wakes(&self, now: Micros) -> BTreeSet<Micros> {
        self.waits.ends(now).into_iter().chain(self.settle_at.filter(|at| *at > now)).collect()
    }

    /// For how long others are gone.
    pub(super) fn gone(&self, now: Micros) -> Vec<(Run, Micros)> {
        self.waits.gone(now)
    }

    /// Whether there is a chain for this lock.
    pub(super) fn has(&self, name: &Name) -> bool {
        self.chains.contains_key(name)
    }

    /// Whether the token of this lock is idle at home: there is no chain, and nobody can hold it.
    pub(super) fn is_idle(&self, name: &Name, class: Class) -> bool {
        !self.has(name) && self.known.is_free(name, class)
    }

    /// Whether requests for this lock can be numbered.
    pub(super) fn is_open(&self, name: &Name, class: Class) -> bool {
        self.has(name) || self.is_idle(name, class)
    }

    /// A request that came too early is looked at again when the lock is open.
    pub(super) fn park(&mut self, name: &Name, who: ServerId, number: u64, priority: u32) {
        if self.parked.len() < PARKED || self.parked.contains_key(name) {
            self.parked.entry(name.clone()).or_default().insert(who, (number, priority));
        }
    }

    /// The token is made, idle at home or with who holds nevertheless.
    pub(super) fn create(&mut self, name: &Name, own: ServerId, goes_on: bool) -> (Token, Option<Lent>) {
        let (k, counter) = self.bases.get(View::shard(name)).copied().unwrap_or_default();
        let k = if goes_on { k } else { 0 };
        self.chains.insert(name, Chain::new(own, k));
        (Token { k, counter }, self.held.remove(name))
    }

    /// Somebody holds a lock whose token it does not have.
    fn is_held(&mut self, run: Run, Owned { name, lent, .. }: Owned) {
        // Who has the token knows who holds.
        let Some((mode, fences)) = lent.filter(|_| !self.has(&name)) else { return };
        let held = self.held.entry(name).or_insert_with(|| Lent { mode, holds: Vec::new() });
        held.holds.extend(fences.into_iter().map(|fence| Hold { run, fence }));
    }

    /// Locks that are open, and held by what was reported.
    fn open_and_held(&self, class: impl Fn(&Name) -> Class) -> Vec<Name> {
        self.held.keys().filter(|name| self.is_idle(name, class(name))).cloned().collect()
    }
}

impl Server {
    /// How many shards are at home here.
    pub(super) fn at_home(&self) -> usize {
        let homes = self.view.as_ref().filter(|_| self.joined).map(|view| view.homes.as_slice());
        homes.unwrap_or_default().iter().filter(|home| **home == self.spec.id).count()
    }

    /// How many of them have locks that cannot be granted yet.
    pub(super) fn recovering_shards(&self) -> usize {
        let view = self.view.as_ref().filter(|_| self.joined && !self.homes.known.all_free());
        view.map_or(0, |view| self.homes.known.recovering(view, self.spec.id))
    }

    /// h on REQ(n) from r.
    pub(super) fn requested(&mut self, from: ServerId, name: &Name, number: u64, priority: u32) {
        let asks_here = |view: &&Arc<View>| self.is_home(name) && view.members.contains_key(&from);
        let Some(view) = self.view.as_ref().filter(asks_here) else {
            // Members of one epoch know who is at home where: this is from somebody who is mistaken.
            return;
        };
        let class = view.class(name);
        if !self.homes.is_open(name, class) {
            return self.homes.park(name, from, number, priority);
        }
        self.created_at_home(name);
        let Some(chain) = self.homes.chains.get_mut(name) else {
            return self.impossible("an open lock has no chain");
        };
        let passes = match name.kind() {
            Kind::Lock => [chain.home.asked_above(from, number), None],
            Kind::Election => {
                // Should the word that the last one has the token be lost, it is told again when that is.
                let again = chain.home.last().filter(|_| !chain.taken);
                let numbered = chain.home.request(from).is_some_and(|last| number <= last);
                if chain.home.tail() != from && !numbered {
                    chain.waits(from, number, priority);
                }
                [again, chain.next()]
            }
        };
        for pass in passes.into_iter().flatten() {
            self.pass(name, pass);
        }
    }

    fn pass(&mut self, name: &Name, pass: Pass<ServerId>) {
        let Pass { from, k, to } = pass;
        if from == self.spec.id {
            return self.told_to_pass(name, k, to);
        }
        self.out.push(Output::Send(from, Message::Pass { epoch: self.epoch(), name: name.clone(), k, to }));
    }

    /// Elections: the token has arrived; the next is numbered.
    pub(super) fn taken(&mut self, name: &Name, k: u64) {
        if !self.is_home(name) {
            return;
        }
        // It has gone home since, and was forgotten.
        let Some(chain) = self.homes.chains.get_mut(name) else { return };
        if chain.home.number() != k {
            return;
        }
        chain.taken = true;
        if let Some(pass) = chain.next() {
            self.pass(name, pass);
        }
    }

    /// OFFER(x, k): the home treats it as its own request, if nobody was numbered since.
    pub(super) fn offered(&mut self, from: ServerId, name: &Name, k: u64) {
        if !self.is_home(name) {
            return;
        }
        let own = self.spec.id;
        // The offer came twice, and the token is home already.
        let Some(chain) = self.homes.chains.get(name) else { return };
        if chain.home.tail() != from || chain.home.number() != k {
            return;
        }
        let lock = self.lock_mut(name);
        // The home asks for it already.
        let Some(number) = lock.owner.wants_above() else { return };
        self.asks_again_later(name);
        self.requested(own, name, number, 0);
    }

    /// The token is idle at home and the last in the chain: nothing needs to be remembered of it but how far its
    /// numbers went.
    pub(super) fn retires(&mut self, name: &Name) {
        let Some(chain) = self.homes.chains.get(name) else {
            return self.impossible("a token is at home, and has no chain");
        };
        let Some(token) = self.locks.get(name).and_then(|lock| lock.owner.token()) else {
            return self.impossible("a token retires that is not here");
        };
        if chain.home.tail() != self.spec.id || chain.home.number() != token.k || !chain.queue.is_empty() {
            return;
        }
        if let Some((k, counter)) = self.homes.bases.get_mut(View::shard(name)) {
            *k = (*k).max(token.k);
            *counter = (*counter).max(token.counter);
        }
        self.homes.chains.remove(name);
        self.locks.remove(name);
        self.tokens -= 1;
    }

    /// At home: a page of a report (4.3). It counts for the run that sent it, and once.
    pub(super) fn reported(&mut self, from: ServerId, page: Page) {
        let Page { incarnation, page, pages, owns, gone } = page;
        let Some(view) = self.view.clone() else {
            return self.impossible("a member has no view");
        };
        if page >= pages {
            return;
        }
        let message = Message::Reported { epoch: view.epoch, incarnation, page };
        if from != self.spec.id {
            self.out.push(Output::Send(from, message));
        }
        let seat = view.members.get(&from);
        let seat = seat.filter(|seat| seat.incarnation == incarnation || !self.rules.has(Rule::Incarnations));
        let run = (from, seat.map_or(incarnation, |seat| seat.incarnation));
        let news = self.homes.waits.hears_of(self.rules, self.now, &gone);
        if news {
            for at in self.homes.wakes(self.now) {
                self.at(at, Timer::Open);
            }
        }
        let got = self.homes.reports.entry(run).or_default();
        let mut opened = Vec::new();
        if got.insert(page) && seat.is_some() {
            for owned in owns {
                let home = view.home(&owned.name) == Some(self.spec.id);
                if home && owned.lent.is_some() {
                    self.homes.is_held(run, owned);
                } else if home && !self.homes.has(&owned.name) {
                    // Who has the token knows who holds.
                    self.homes.held.remove(&owned.name);
                    self.homes.chains.insert(&owned.name, Chain::new(from, 0));
                    self.homes.known.found(&owned.name);
                    opened.push(owned.name);
                }
            }
        }
        let complete = self.homes.reports.get(&run).is_some_and(|got| got.len() as u64 == u64::from(pages));
        if complete {
            self.homes.missing.remove(&run);
            self.homes.waits.vouches(self.rules, run);
            self.homes.known.reported(self.rules, run, view.epoch);
        }
        for name in opened {
            self.unpark(&name);
        }
        if complete || news {
            self.opens();
        }
    }

    /// What nobody reported is re-created when (a) everybody who goes on has reported, and (b) everybody who was a
    /// member has vouched, or the old leases of the class are over; but whoever cannot hold it is not waited for
    /// (`known`). Called when one of these may be so.
    pub(super) fn opens(&mut self) {
        if !self.joined || self.at_home() == 0 {
            return;
        }
        let was = self.homes.known.all_free();
        let mut more = false;
        for class in Class::ALL {
            let Homes { missing, waits, known, .. } = &mut self.homes;
            let missing = missing.iter().copied().filter(|_| self.rules.has(Rule::Reports));
            more |= known.waits_for(class, missing.chain(waits.running(self.now, class)));
        }
        self.settles();
        if let Some(view) = self.view.clone() {
            for name in self.homes.open_and_held(|name| view.class(name)) {
                self.created_at_home(&name);
                self.serve(&name);
            }
        }
        if !more {
            return;
        }
        for name in self.homes.parked.keys().cloned().collect::<Vec<_>>() {
            let class = self.view.as_ref().map_or(Class::Normal, |view| view.class(&name));
            if self.homes.is_open(&name, class) {
                self.unpark(&name);
            }
        }
        if self.homes.known.all_free() && !was {
            let after = self.now - self.installed_at;
            self.out.push(Output::Event(Event::Recovered { epoch: self.epoch(), after }));
        }
    }

    /// The lock is open: requests that came before are numbered now, this server's own last.
    fn unpark(&mut self, name: &Name) {
        let own = self.spec.id;
        for (who, (number, priority)) in self.homes.parked.remove(name).unwrap_or_default() {
            if who != own {
                self.requested(who, name, number, priority);
            }
        }
        self.serve(name);
    }

    /// All leases of earlier epochs are over once a home has waited its longest wait: it proposes to forget the past.
    fn settles(&mut self) {
        let Some(view) = self.view.as_ref() else {
            return self.impossible("a home has no view");
        };
        let past = !view.past.is_empty() || view.running != view.times.leases;
        if !past || self.homes.settle_at.is_none_or(|at| self.now < at) {
            return;
        }
        self.out.push(Output::Propose(Command::Settle(view.epoch)));
        self.homes.settle_at = Some(self.now + SETTLE);
        self.at(self.now + SETTLE, Timer::Open);
    }

    /// The view was read again, in the same epoch: whether some of its past is over.
    pub(super) fn settled(&mut self, view: &Arc<View>) {
        let Some(before) = self.view.as_ref() else {
            return self.impossible("the view that is installed was read, and there is none");
        };
        // An answer may come after that of a later read.
        if before.past.len() <= view.past.len() {
            return;
        }
        self.view = Some(view.clone());
        self.homes.waits.forgets(&view.past);
        if view.past.is_empty() {
            self.homes.settle_at = None;
        }
        self.opens();
    }

    /// Counters run out long after this; a new epoch begins them anew.
    pub(super) fn counter_is_large(&mut self, counter: u64) {
        if counter >= LARGE {
            self.asks_for_an_epoch();
        }
    }

    /// The same homes in a new epoch: numbers begin anew, and records of locks that nobody uses are dropped.
    pub(super) fn asks_for_an_epoch(&mut self) {
        if self.renewal.is_some_and(|last| self.now < last + SETTLE) {
            return;
        }
        // Whoever is out asks for nothing.
        let Some(view) = self.view.as_ref().filter(|_| self.joined) else { return };
        self.renewal = Some(self.now);
        self.out.push(Output::Propose(Command::Rehome(view.epoch, view.homes.clone())));
    }

    /// For whom the home sends a question about a lock: whoever may have the token; none if it is idle at home.
    pub(super) fn may_have(&self, name: &Name) -> Option<BTreeSet<ServerId>> {
        self.homes.chains.get(name).map(|chain| chain.home.everybody())
    }
}
