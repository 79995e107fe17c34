//! Carrying out edits: whoever reaches into a run does so between two steps.
//!
//! What is in transit may be in its link, or (under `rounds`) among what arrives in this round or in the next, or be
//! held back by an earlier edit.

use super::problem::{Problem, UserInput};
use super::schedule::Candidate;
use super::world::World;
use super::{Action, Edit, Refusal};
use crate::network::Link;
use crate::population::Letter;
use crate::trace::{Arrival, Input};

/// A message that waits because somebody wants it to.
pub(crate) struct Held {
    pub(super) letter: Letter,
    until: Until,
}

/// How long it waits; at the longest until nothing else can happen.
#[derive(Clone, Copy)]
enum Until {
    /// So many steps were taken.
    Step(u64),
    /// This message is no longer in transit.
    Gone(u64),
}

/// Where a message is.
#[derive(Clone, Copy)]
enum Place {
    /// In its link: the slot, and how many are ahead of it.
    Link(u32, u32),
    /// Among what arrives in this round.
    Arriving(usize),
    /// Among what arrives in the next round.
    Frontier(usize),
    /// Held back.
    Held(usize),
}

impl<B: Problem> World<'_, B> {
    /// Between two steps: what was held back long enough goes on, and edits are carried out.
    #[inline]
    pub(super) fn intervene(&mut self) {
        let is_due = self.edits.front().is_some_and(|edit| edit.step <= self.steps);
        if (is_due || !self.held.is_empty()) && !self.is_replaying && !self.intervenes {
            self.carry_out();
        }
    }

    #[cold]
    fn carry_out(&mut self) {
        // An edit is a step itself, after which this is asked for again.
        self.intervenes = true;
        self.release(false);
        while self.steps < self.limit
            && self.broken_edit.is_none()
            && let Some(edit) = self.edits.front().copied().filter(|edit| edit.step <= self.steps)
        {
            self.edits.pop_front();
            if let Err(why) = self.act(edit.action) {
                self.broken_edit = Some((edit, why));
            }
            self.release(false);
        }
        self.intervenes = false;
    }

    /// The first edit that could not be carried out; where the run was over before its step, that is why.
    pub(super) fn edits_done(&mut self, complete: bool) -> Result<(), Refusal> {
        let steps = self.steps;
        let left = || {
            let edit = *self.edits.front().filter(|_| complete)?;
            Some((edit, format!("the run is over after {steps} steps")))
        };
        match self.broken_edit.take().or_else(left) {
            None => Ok(()),
            Some((edit, why)) => Err(Refusal::BadEdit { edit, why }),
        }
    }

    /// What is held back goes on, if it is time; everything if `all`. Whether anything did.
    pub(super) fn release(&mut self, all: bool) -> bool {
        if self.held.is_empty() {
            return false;
        }
        let mut is_due = Vec::new();
        for held in &self.held {
            is_due.push(
                all || match held.until {
                    Until::Step(step) => self.steps >= step,
                    Until::Gone(message) => self.locate(message).is_none(),
                },
            );
        }
        let (mut due, mut kept) = (Vec::new(), Vec::new());
        for (place, held) in core::mem::take(&mut self.held).into_iter().enumerate() {
            if is_due[place] { &mut due } else { &mut kept }.push(held);
        }
        self.held = kept;
        let any = !due.is_empty();
        for Held { letter, .. } in due {
            self.enter_link(letter);
        }
        any
    }

    /// A message is sent into a link of which something may be held back: where the order is kept, it waits too.
    pub(super) fn waits_behind(&mut self, letter: Letter) -> bool {
        let ahead = self.held.iter().rfind(|held| held.letter.link() == letter.link());
        let until = ahead.map(|held| held.until).filter(|_| self.is_fifo());
        if let Some(until) = until {
            self.held.push(Held { letter, until });
        }
        until.is_some()
    }

    fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Deliver(message) => self.hand_over(message),
            Action::Drop(message) => {
                let (place, link) = self.whereabouts(message)?;
                let to = link.to();
                self.begin_effects(to);
                let letter = self.withdraw(place).ok_or_else(|| missing(message))?;
                self.frees_place(link, letter.message);
                self.vanish(to, letter.message);
                self.happened(to, Input::Lose(Arrival { message, port: link.port() }));
                self.offer_refused(to);
                Ok(())
            }
            Action::Duplicate(message) => {
                let (place, link) = self.whereabouts(message)?;
                let to = link.to();
                self.begin_effects(to);
                let original = self.letter(place).ok_or_else(|| missing(message))?;
                let copy = self.doubled(original);
                self.travel(copy);
                self.happened(to, Input::Double(Arrival { message, port: link.port() }));
                Ok(())
            }
            Action::Overtake(message) => {
                let (_, link) = self.whereabouts(message)?;
                if self.is_fifo() {
                    return Err("the links keep the order: no message overtakes another".into());
                }
                let (ahead, _) = parted(self.on_link(link), message);
                if ahead.is_empty() {
                    return Err(format!("no message is ahead of message {message} on its link"));
                }
                self.hold_all(&ahead, Until::Gone(message))
            }
            Action::Delay(message, steps) => {
                let (_, link) = self.whereabouts(message)?;
                let until = Until::Step(self.steps.saturating_add(steps));
                if !self.is_fifo() {
                    return self.hold(message, until);
                }
                let (_, behind) = parted(self.on_link(link), message);
                self.hold_all(&behind, until)
            }
            Action::Crash(process) if self.is_down(process) => {
                Err(format!("process {process} is down already"))
            }
            Action::Crash(process) => {
                self.crash(process);
                Ok(())
            }
            Action::Recover(process) if !self.is_down(process) => {
                Err(format!("process {process} is not down"))
            }
            Action::Recover(process) => {
                self.recover(process);
                Ok(())
            }
            Action::Want(process) if self.is_down(process) => Err(format!("process {process} is down")),
            Action::Want(process) if !B::may(self.statuses[process as usize], UserInput::Want) => {
                Err(format!("the user of process {process} cannot ask now"))
            }
            Action::Want(process) => {
                self.user(process, UserInput::Want);
                Ok(())
            }
        }
    }

    /// A message arrives now.
    fn hand_over(&mut self, message: u64) -> Result<(), String> {
        let (mut place, link) = self.whereabouts(message)?;
        let to = link.to();
        if let Some(first) = self.on_link(link).first().filter(|&&first| self.is_fifo() && first != message) {
            return Err(format!("the links keep the order: message {first} is ahead of message {message}"));
        }
        if self.is_half_duplex() {
            if let Place::Held(_) = place {
                self.release(true);
                place = self.whereabouts(message)?.0;
            }
            let mut counts = [0; 2];
            counts[link.port() as usize] = 1;
            let taken = matches!(place, Place::Link(..)) && self.take_batch(to, counts, None);
            return if taken { Ok(()) } else { Err(format!("process {to} does not take it now")) };
        }
        let letter = self.withdraw(place).ok_or_else(|| missing(message))?;
        self.arrive(letter);
        Ok(())
    }

    fn hold(&mut self, message: u64, until: Until) -> Result<(), String> {
        let (place, _) = self.whereabouts(message)?;
        let letter = self.withdraw(place).ok_or_else(|| missing(message))?;
        self.held.push(Held { letter, until });
        Ok(())
    }

    fn hold_all(&mut self, messages: &[u64], until: Until) -> Result<(), String> {
        for &message in messages {
            self.hold(message, until)?;
        }
        Ok(())
    }

    /// Where a message is, and on which link.
    fn whereabouts(&self, message: u64) -> Result<(Place, Link), String> {
        self.locate(message).ok_or_else(|| missing(message))
    }

    fn locate(&self, message: u64) -> Option<(Place, Link)> {
        let is_it = |letter: &Letter| self.flight(letter.message).number == message;
        for (place, letter) in self.arriving.iter().enumerate().skip(self.arrived) {
            if is_it(letter) {
                return Some((Place::Arriving(place), letter.link()));
            }
        }
        for (place, letter) in self.frontier.letters.iter().enumerate() {
            if is_it(letter) {
                return Some((Place::Frontier(place), letter.link()));
            }
        }
        for (place, held) in self.held.iter().enumerate() {
            if is_it(&held.letter) {
                return Some((Place::Held(place), held.letter.link()));
            }
        }
        for slot in self.links.slots() {
            if let Some(place) = self.place(slot, message) {
                return Some((Place::Link(slot, place), self.links.link(slot)));
            }
        }
        None
    }

    /// The numbers of the messages on a link, in their order.
    fn on_link(&self, link: Link) -> Vec<u64> {
        let mut numbers = Vec::new();
        if let Some(slot) = self.links.slot(link) {
            for &message in self.links.iter(slot) {
                numbers.push(self.flight(message).number);
            }
        }
        let letters = self.arriving[self.arrived..].iter().chain(&self.frontier.letters);
        for letter in letters.chain(self.held.iter().map(|held| &held.letter)) {
            if letter.link() == link {
                numbers.push(self.flight(letter.message).number);
            }
        }
        numbers
    }

    fn letter(&self, place: Place) -> Option<Letter> {
        match place {
            Place::Link(slot, place) => {
                let link = self.links.link(slot);
                let message = *self.links.iter(slot).nth(place as usize)?;
                Some(Letter { to: link.to(), port: link.port(), message })
            }
            Place::Arriving(place) => self.arriving.get(place).copied(),
            Place::Frontier(place) => self.frontier.letters.get(place).copied(),
            Place::Held(place) => self.held.get(place).map(|held| held.letter),
        }
    }

    /// Takes a message from where it is; the schedule forgets it.
    fn withdraw(&mut self, place: Place) -> Option<Letter> {
        let letter = self.letter(place);
        match place {
            Place::Link(slot, place) => {
                let (_, empty) = self.links.take(slot, place)?;
                if empty {
                    self.picker.remove(Candidate::link(slot));
                } else if self.is_fifo()
                    && place == 0
                    && let Some(&next) = self.links.head(slot)
                {
                    self.picker.next_in_line(slot, self.flight(next).number);
                }
            }
            Place::Arriving(place) => drop(self.arriving.remove(place)),
            Place::Frontier(place) => self.frontier.remove(place),
            Place::Held(place) => drop(self.held.remove(place)),
        }
        letter
    }
}

/// What is ahead of a message, and the message with what is behind it.
fn parted(mut numbers: Vec<u64>, message: u64) -> (Vec<u64>, Vec<u64>) {
    let place = numbers.iter().position(|&other| other == message).unwrap_or(numbers.len());
    let behind = numbers.split_off(place);
    (numbers, behind)
}

fn missing(message: u64) -> String {
    format!("message {message} is not on its way")
}

/// Edits in the order of their steps.
pub(super) fn in_order(edits: &[Edit]) -> std::collections::VecDeque<Edit> {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| edit.step);
    sorted.into()
}
