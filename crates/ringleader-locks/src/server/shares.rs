//! 4.7, locks that several hold: readers, and permits of a semaphore. Such a hold does not keep the token: the token
//! goes on, and takes along who holds nevertheless. Whoever has it grants what fits beside its own holders and those
//! elsewhere, and asks the servers of these when somebody waits for them.
//!
//! A hold that is listed may be over already, but one that runs is always listed: at the server that granted it, and
//! with the token. What a server says of its holds is that they are over, which stays true however late it is heard.

use super::owners::{Lock, patience};
use super::waits::Waits;
use super::{Output, Rule, Rules, Server, SessionKey, Timer};
use crate::{Class, Denial, Fence, Hold, Lent, Message, Mode, Name, Rid, Run, ServerId, View};
use ringleader_live::Micros;
use std::collections::BTreeMap;

/// What a server knows of a lock that several may hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shares {
    pub(super) mode: Mode,
    /// Who holds here.
    pub(super) here: Vec<Share>,
    /// With the token: who holds elsewhere, or did.
    pub(super) elsewhere: Vec<Hold>,
    /// What went along with the token when it left: it may have to be sent again.
    sent: Option<Box<Lent>>,
    /// Without the token: who asked for word when somebody lets go.
    asked_by: Option<ServerId>,
    /// With the token: when those elsewhere are asked again.
    asks_at: Option<Micros>,
    /// How often they were asked since somebody waits; none if nobody does.
    asks: Option<u32>,
}

/// A hold of a client here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Share {
    pub(super) who: (SessionKey, Rid),
    pub(super) fence: Fence,
}

impl Shares {
    fn new(mode: Mode) -> Shares {
        Shares {
            mode,
            here: Vec::new(),
            elsewhere: Vec::new(),
            sent: None,
            asked_by: None,
            asks_at: None,
            asks: None,
        }
    }

    /// How many hold, here and elsewhere.
    fn holders(&self, rules: Rules) -> usize {
        let elsewhere = if rules.has(Rule::Everywhere) { self.elsewhere.len() } else { 0 };
        self.here.len() + elsewhere
    }

    fn is_held(&self) -> bool {
        !self.here.is_empty() || !self.elsewhere.is_empty()
    }

    /// A new epoch: nobody was asked in it, and nothing was sent.
    pub(super) fn begin_epoch(&mut self) {
        (self.sent, self.asked_by, self.asks_at, self.asks) = (None, None, None, None);
    }
}

impl Lock {
    /// How it is held by several, and by how many.
    pub(super) fn shared(&self) -> Option<(Mode, usize)> {
        let shares = self.shares.as_ref().filter(|shares| shares.is_held())?;
        Some((shares.mode, shares.here.len() + shares.elsewhere.len()))
    }

    /// Whether one more fits beside those who hold it here.
    pub(super) fn has_room_here(&self, mode: Mode) -> bool {
        let here = self.shares_here();
        let others = self.shares.as_ref().map_or(mode, |shares| shares.mode);
        self.holder.is_none() && mode.fits(others, here.len())
    }

    /// How it is held here, if it is.
    pub(super) fn held_as(&self) -> Option<Mode> {
        let alone = self.holder.map(|_| Mode::Exclusive);
        alone.or_else(|| {
            self.shares.as_ref().filter(|shares| !shares.here.is_empty()).map(|shares| shares.mode)
        })
    }

    /// How many hold it here.
    pub(super) fn holders_here(&self) -> usize {
        usize::from(self.holder.is_some()) + self.shares_here().len()
    }

    pub(super) fn shares_here(&self) -> &[Share] {
        self.shares.as_ref().map_or(&[], |shares| &shares.here)
    }

    /// Whether one more fits beside those who hold it, here and elsewhere.
    pub(super) fn has_room(&self, mode: Mode, rules: Rules) -> bool {
        let others = self.shares.as_ref().map_or((mode, 0), |shares| (shares.mode, shares.holders(rules)));
        self.holder.is_none() && mode.fits(others.0, others.1)
    }

    /// Somebody holds it beside others.
    pub(super) fn shares_with(&mut self, mode: Mode, share: Share) {
        let shares = self.shares.get_or_insert_with(|| Box::new(Shares::new(mode)));
        shares.mode = mode;
        shares.here.push(share);
    }

    /// Nobody shares it, and nothing has to be sent again: nothing needs to be remembered.
    fn forgets_shares(&mut self) {
        if self.shares.as_ref().is_some_and(|shares| !shares.is_held() && shares.sent.is_none()) {
            self.shares = None;
        }
    }

    /// One of those who hold it here lets go: with which fence.
    pub(super) fn leaves(&mut self, who: (SessionKey, Rid)) -> Option<Fence> {
        let shares = self.shares.as_mut()?;
        let place = shares.here.iter().position(|share| share.who == who)?;
        let share = shares.here.remove(place);
        self.forgets_shares();
        Some(share.fence)
    }

    /// The token comes, with who holds elsewhere.
    pub(super) fn is_lent(&mut self, lent: Option<Lent>, own: Run) {
        if let Some(shares) = &mut self.shares {
            shares.begin_epoch();
            shares.elsewhere.clear();
        }
        if let Some(Lent { mode, mut holds }) = lent {
            // What is held here is known here.
            holds.retain(|hold| hold.run != own);
            if !holds.is_empty() {
                let shares = self.shares.get_or_insert_with(|| Box::new(Shares::new(mode)));
                (shares.mode, shares.elsewhere) = (mode, holds);
            }
        }
        self.forgets_shares();
    }

    /// The token goes: with who holds nevertheless.
    pub(super) fn lends(&mut self, rules: Rules, own: Run) -> Option<Lent> {
        let shares = self.shares.as_mut()?;
        let here = shares.here.iter().map(|share| Hold { run: own, fence: share.fence });
        let holds: Vec<Hold> = core::mem::take(&mut shares.elsewhere).into_iter().chain(here).collect();
        let lent = Lent { mode: shares.mode, holds };
        let lent = Some(lent).filter(|lent| !lent.holds.is_empty() && rules.has(Rule::Lends));
        shares.begin_epoch();
        shares.sent = lent.clone().filter(|_| rules.has(Rule::LendsAgain)).map(Box::new);
        self.forgets_shares();
        lent
    }

    /// The token is sent again, as it was.
    pub(super) fn lends_again(&self) -> Option<Lent> {
        self.shares.as_ref().and_then(|shares| shares.sent.as_deref().cloned())
    }
}

/// Whether a hold is of a run that has its seat since before the grant: it goes on, and can be asked.
fn goes_on(rules: Rules, view: &View, hold: &Hold) -> bool {
    let seat = view.seat(hold.run).filter(|seat| seat.since <= hold.fence.epoch());
    seat.is_some() || !rules.has(Rule::SameSeat) && view.members.contains_key(&hold.run.0)
}

/// Whether a hold may run: its server goes on, or has not been gone for long enough (T4).
fn may_run(rules: Rules, view: &View, waits: &Waits, (class, now): (Class, Micros), hold: &Hold) -> bool {
    let waits = || rules.has(Rule::OutlastsGone) && waits.may_run(hold.run, class, now);
    goes_on(rules, view, hold) || waits()
}

impl Server {
    /// Forgets holds elsewhere that are over because their server has been gone for long enough.
    pub(super) fn forgets_the_gone(&mut self, name: &Name) {
        let (rules, now, waits) = (self.rules, self.now, &self.homes.waits);
        let (Some(view), Some(lock)) = (self.view.as_ref(), self.locks.get_mut(name)) else { return };
        let class = lock.class;
        if let Some(shares) = lock.shares.as_mut().filter(|shares| !shares.elsewhere.is_empty()) {
            shares.elsewhere.retain(|hold| may_run(rules, view, waits, (class, now), hold));
            lock.forgets_shares();
        }
    }

    /// Somebody waits for those who hold elsewhere, or nobody does: they are asked soon, or once in a while.
    pub(super) fn asks_around_holders(&mut self, name: &Name, waited_for: bool) {
        let Some(shares) = self.locks.get_mut(name).and_then(|lock| lock.shares.as_mut()) else { return };
        let asked = shares.asks.is_some();
        if shares.elsewhere.is_empty() || waited_for && asked {
            return;
        }
        shares.asks = waited_for.then_some(0);
        if waited_for {
            return self.asks_holders(name);
        }
        if shares.asks_at.is_some() {
            return;
        }
        let at = self.now + self.spec.idle;
        shares.asks_at = Some(at);
        self.at(at, Timer::Ask(name.clone()));
    }

    /// ASK to everybody where somebody holds, and when that is repeated.
    fn asks_holders(&mut self, name: &Name) {
        let (rules, now, epoch) = (self.rules, self.now, self.epoch());
        let Some(view) = self.view.clone() else { return };
        let waits = &self.homes.waits;
        let Some(lock) = self.locks.get_mut(name) else { return };
        let class = lock.class;
        let Some(shares) = lock.shares.as_mut() else { return };
        let mut asked: BTreeMap<ServerId, Vec<Fence>> = BTreeMap::new();
        let mut at = now + shares.asks.map_or(self.spec.idle, patience);
        for hold in &shares.elsewhere {
            if goes_on(rules, &view, hold) {
                asked.entry(hold.run.0).or_default().push(hold.fence);
            } else if let Some(end) = waits.end(hold.run, class).filter(|end| *end > now) {
                at = at.min(end);
            }
        }
        shares.asks_at = Some(at);
        self.at(at, Timer::Ask(name.clone()));
        for (server, fences) in asked {
            self.out.push(Output::Send(server, Message::Ask { epoch, name: name.clone(), fences }));
        }
    }

    /// ASK again: it or the answer may have been lost.
    pub(super) fn ask_is_due(&mut self, at: Micros, name: &Name) {
        // The token went away, nobody holds elsewhere any more, or they were asked meanwhile.
        let Some(lock) = self.locks.get_mut(name).filter(|lock| lock.owner.token().is_some()) else { return };
        let waited_for = !lock.waiters.is_empty();
        let Some(shares) = lock.shares.as_mut().filter(|shares| shares.asks_at == Some(at)) else { return };
        shares.asks_at = None;
        shares.asks = if waited_for { Some(shares.asks.map_or(0, |asks| asks + 1)) } else { None };
        if shares.asks.is_some_and(|asks| asks > 0) {
            self.tally.resent += 1;
        }
        self.asks_holders(name);
        self.serve(name);
    }

    /// At a server where some held: which of these are over? Who asks is told when others end.
    pub(super) fn asked_who_holds(&mut self, from: ServerId, name: &Name, fences: Vec<Fence>) {
        let mut lock = self.locks.get_mut(name);
        // Also if the token is here by now: this answer may be heard when it is there again.
        let here = lock.as_ref().map_or(&[][..], |lock| lock.shares_here());
        let runs = |fence: &Fence| here.iter().any(|share| share.fence == *fence);
        let (running, over): (Vec<Fence>, Vec<Fence>) = fences.into_iter().partition(runs);
        let away = lock.as_mut().filter(|lock| !running.is_empty() && lock.owner.token().is_none());
        if let Some(shares) = away.and_then(|lock| lock.shares.as_mut()) {
            shares.asked_by = Some(from);
        }
        self.out.push(Output::Send(
            from,
            Message::Over { epoch: self.epoch(), name: name.clone(), fences: over },
        ));
    }

    /// Somebody has let go here; whoever asked for word has it.
    pub(super) fn tells_who_asked(&mut self, name: &Name, fence: Fence, asked_by: Option<ServerId>) {
        let Some(owner) = asked_by else { return };
        let message = Message::Over { epoch: self.epoch(), name: name.clone(), fences: vec![fence] };
        self.out.push(Output::Send(owner, message));
    }

    /// Who wants word when somebody lets go of this lock here: its owner, if that is another server.
    pub(super) fn wants_word(lock: &Lock) -> Option<ServerId> {
        let away = lock.owner.token().is_none();
        lock.shares.as_ref().filter(|_| away).and_then(|shares| shares.asked_by)
    }

    /// At the owner: these are over.
    pub(super) fn holds_are_over(&mut self, from: ServerId, name: &Name, fences: &[Fence]) {
        let rules = self.rules;
        let Some(view) = self.view.clone() else { return };
        // The token has gone on; who has it asks as well.
        let Some(lock) = self.locks.get_mut(name).filter(|lock| lock.owner.token().is_some()) else { return };
        let Some(shares) = lock.shares.as_mut() else { return };
        let is_theirs = |hold: &Hold| hold.run.0 == from && goes_on(rules, &view, hold);
        shares.elsewhere.retain(|hold| !(is_theirs(hold) && fences.contains(&hold.fence)));
        let runs_on = shares.elsewhere.iter().any(is_theirs);
        lock.forgets_shares();
        if runs_on {
            self.some_do_not_wait(name);
        }
        self.serve(name);
    }

    /// Holders elsewhere go on: who only tried does not wait for them, nor who wants to hold in another way.
    fn some_do_not_wait(&mut self, name: &Name) {
        let Some(lock) = self.locks.get(name) else { return };
        let mixed = |who: &(SessionKey, Rid)| {
            lock.shared().zip(self.mode_of(*who)).is_some_and(|((held, _), mode)| held.clashes(mode))
        };
        let waiting = lock.waiters.values().copied();
        let (mixed, others): (Vec<_>, Vec<_>) = waiting.partition(mixed);
        let trying = others.into_iter().take_while(|who| self.tries(*who)).collect();
        self.withdraw_all(mixed, Denial::Mixed);
        self.withdraw_all(trying, Denial::Locked);
    }

    /// What is reported of a lock whose token is elsewhere: who holds it here.
    pub(super) fn reports_shares(lock: &Lock) -> Option<(Mode, Vec<Fence>)> {
        let shares = lock.shares.as_ref().filter(|shares| !shares.here.is_empty())?;
        Some((shares.mode, shares.here.iter().map(|share| share.fence).collect()))
    }
}
