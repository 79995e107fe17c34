//! How is a lock? Asked at its owner, through its home; the answer is true at some moment between the question and
//! it. Only who has the token and a lease answers, or the home of a lock that is idle there: nobody else knows.

use super::requests::{Request, State};
use super::{Answer, Asker, Output, Server, SessionKey, Timer, answer};
use crate::{Class, Denial, LockState, Message, Mode, Name, Rid, ServerId};
use ringleader_live::Micros;
use std::collections::btree_map::Entry;

/// A question that is not answered is repeated after this time: the token may be on its way.
const AGAIN: Micros = Micros::millis(100);

/// After so many it is given up: the state is not known.
const TIMES: u32 = 10;

/// Questions that may be open at once.
const QUESTIONS: usize = 100_000;

/// Who wants to know.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Question {
    name: Name,
    who: Who,
    times: u32,
    /// When it is repeated.
    at: Micros,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Who {
    Client(Asker),
    Try(SessionKey, Rid),
    /// Who waits already.
    Waiter(SessionKey, Rid),
}

impl Server {
    pub(super) fn recovering(&self) -> Denial {
        Denial::Recovering { retry: AGAIN }
    }

    pub(super) fn look(&mut self, asker: Asker, name: &Name) -> Result<(), Denial> {
        match self.known(self.now, name).transpose()? {
            Some(state) => answer(&mut self.out, asker, Answer::State(state)),
            None if self.looks.len() >= QUESTIONS => return Err(Denial::Limit("questions about locks")),
            None => self.question(name, Who::Client(asker)),
        }
        Ok(())
    }

    /// A try for a lock whose token is elsewhere: is it free? If so the token is asked for; otherwise the chain is
    /// left in peace, for a token that went to somebody who gave up would cost the others.
    pub(super) fn try_elsewhere(
        &mut self,
        key: SessionKey,
        rid: Rid,
        request: Request,
        class: Class,
    ) -> Result<(), Denial> {
        if self.is_home(&request.name) && !self.homes.is_open(&request.name, class) {
            return Err(self.recovering());
        }
        if self.looks.len() >= QUESTIONS {
            return Err(Denial::Limit("questions about locks"));
        }
        let name = request.name.clone();
        let Some(client) = self.sessions.get_mut(&key) else { return Err(self.not_open()) };
        client.requests.insert(rid, request);
        self.question(&name, Who::Try(key, rid));
        Ok(())
    }

    /// What is known here: how the lock is, why nothing is known, or nothing because somebody else knows.
    fn known(&self, now: Micros, name: &Name) -> Option<Result<LockState, Denial>> {
        let Some(view) = self.view.as_ref().filter(|_| self.joined) else {
            return Some(Err(self.no_lease()));
        };
        let class = view.class(name);
        if !self.leased(now, class) {
            return Some(Err(self.no_lease()));
        }
        if let Some(lock) = self.locks.get(name).filter(|lock| self.has_token(lock)) {
            return Some(Ok(self.state_of(now, lock)));
        }
        if !self.is_home(name) || self.homes.has(name) {
            return None;
        }
        if !self.homes.is_idle(name, class) {
            return Some(Err(self.recovering()));
        }
        Some(Ok(LockState { owner: Some(self.spec.id), ..LockState::default() }))
    }

    /// Somebody waits for a permit whose token is elsewhere: it may be with somebody who holds the lock in another way,
    /// and would not come for long.
    pub(super) fn looks_whether_mixed(&mut self, name: &Name, key: SessionKey, rid: Rid) {
        if self.waits_for(key, rid, name) && self.looks.len() < QUESTIONS {
            self.question(name, Who::Waiter(key, rid));
        }
    }

    fn waits_for(&self, key: SessionKey, rid: Rid, name: &Name) -> bool {
        let request = self.sessions.get(&key).and_then(|client| client.requests.get(&rid));
        request.is_some_and(|request| request.name == *name && matches!(request.state, State::Waits { .. }))
    }

    fn question(&mut self, name: &Name, who: Who) {
        self.look_number += 1;
        let number = self.look_number;
        self.looks.insert(number, Question { name: name.clone(), who, times: 0, at: self.now });
        self.ask_around(number);
    }

    /// To the home, which knows who may have the token.
    fn ask_around(&mut self, number: u64) {
        let Some(question) = self.looks.get_mut(&number) else {
            return self.impossible("a question is asked that is not open");
        };
        question.at = self.now + AGAIN;
        let name = question.name.clone();
        self.at(self.now + AGAIN, Timer::Look(number));
        let home = self.view.as_ref().and_then(|view| view.home(&name));
        let own = self.spec.id;
        match home {
            Some(home) if home == own => self.looked_for(&name, own, number),
            Some(home) => {
                let message = Message::Look { epoch: self.epoch(), name, asker: own, number };
                self.out.push(Output::Send(home, message));
            }
            None => {}
        }
    }

    /// Somebody wants to know. Who has the token answers; the home asks those who may have it.
    pub(super) fn looked_for(&mut self, name: &Name, asker: ServerId, number: u64) {
        let (own, epoch) = (self.spec.id, self.epoch());
        let handed = self.locks.get(name).and_then(|lock| lock.handed).map(|(_, there)| there);
        // Who holds elsewhere may have let go: it is known soon.
        if self.locks.get(name).is_some_and(|lock| lock.owner.token().is_some()) {
            self.asks_around_holders(name, true);
        }
        match self.known(self.now, name) {
            Some(Ok(state)) if asker == own => self.look_answered(name, number, state),
            Some(Ok(state)) => {
                self.out
                    .push(Output::Send(asker, Message::Looked { epoch, name: name.clone(), number, state }));
            }
            Some(Err(_)) => {}
            None if self.is_home(name) => {
                let others = self.may_have(name).unwrap_or_default().into_iter().chain(handed);
                self.out.extend(others.filter(|other| *other != own).map(|other| {
                    Output::Send(other, Message::Look { epoch, name: name.clone(), asker, number })
                }));
            }
            // The home may not know where it went; if it went there, it has looked, and would ask us again.
            None => {
                let home = self.view.as_ref().and_then(|view| view.home(name));
                self.out.extend(handed.filter(|there| Some(*there) != home).map(|there| {
                    Output::Send(there, Message::Look { epoch, name: name.clone(), asker, number })
                }));
            }
        }
    }

    pub(super) fn look_answered(&mut self, name: &Name, number: u64, state: LockState) {
        // It was answered already, or given up.
        let Some(question) = self.looks.remove(&number) else { return };
        if question.name != *name {
            return;
        }
        match question.who {
            Who::Client(asker) => answer(&mut self.out, asker, Answer::State(state)),
            Who::Try(key, rid) => {
                let Some(mode) = self.mode_of((key, rid)) else { return };
                let free = mode.fits(state.mode, state.holders as usize) && state.waiters == 0;
                let clashes = state.held && state.mode.clashes(mode);
                let found = match (free, clashes) {
                    (true, _) => Ok(()),
                    (false, true) => Err(Denial::Mixed),
                    (false, false) => Err(Denial::Locked),
                };
                self.try_goes_on(key, rid, found);
            }
            Who::Waiter(key, rid) => {
                // From others the token comes soon, and says who holds.
                let alone = state.held && state.mode == Mode::Exclusive;
                if alone && self.waits_for(key, rid, name) {
                    self.withdraw(key, rid, Denial::Mixed);
                }
            }
        }
    }

    pub(super) fn look_is_due(&mut self, at: Micros, number: u64) {
        // It was answered, or asked again meanwhile.
        let Entry::Occupied(mut question) = self.looks.entry(number) else { return };
        if question.get().at != at {
            return;
        }
        question.get_mut().times += 1;
        if question.get().times < TIMES {
            self.tally.resent += 1;
            return self.ask_around(number);
        }
        let who = question.remove().who;
        let denial = self.recovering();
        match who {
            Who::Client(asker) => self.denies(asker, denial),
            Who::Try(key, rid) => self.try_goes_on(key, rid, Err(denial)),
            // It waits on.
            Who::Waiter(..) => {}
        }
    }

    /// In a new view every question is asked again, of the new home.
    pub(super) fn looks_again(&mut self) {
        for number in self.looks.keys().copied().collect::<Vec<_>>() {
            self.ask_around(number);
        }
    }
}
