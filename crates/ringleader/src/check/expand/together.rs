//! Steps that everybody takes: all start, or in lock-step all messages on their way arrive.

use super::{Expander, From};
use crate::check::batch::{Batch, Draft};
use crate::check::memo::flag;
use crate::check::property::{Step, View};
use crate::check::stimulus::{Action, Stimulus};
use crate::model::Counts;

impl Expander<'_> {
    /// Everybody starts, or all messages on their way arrive: one step, for every answer to every choice.
    pub(super) fn together(&mut self, from: From<'_>, action: Action, batch: &mut Batch) {
        let n = self.space.n as usize;
        // What is handed over, in order: a process and the number of a stimulus.
        let mut handed: Vec<(u32, u32)> = Vec::new();
        let mut state = from.state.to_vec();
        let mut common = self.common(&state);
        if action == Action::Begin {
            common.begun = true;
            for process in 0..n as u32 {
                let mut shared = self.memo.shared();
                if shared.facts(state[process as usize]).to_start {
                    handed.push((process, shared.stimulus(Stimulus::Start)));
                }
            }
        } else {
            for process in 0..n {
                for &link in &self.space.incoming[process] {
                    let shared = self.memo.shared();
                    let flights = shared.contents.get(state[link as usize]);
                    handed.extend(flights.iter().map(|flight| (process as u32, flight.stimulus)));
                    drop(shared);
                    state[link as usize] = 0;
                }
            }
            if handed.is_empty() {
                return;
            }
        }
        state[self.space.common()] = self.memo.shared().commons.number(common);
        let whole = Whole { chance: 1.0, messages: 0, announcements: 0, phases: 0, flags: 0 };
        self.hand_over(from, action, &handed, state, whole, batch);
    }

    fn hand_over(
        &mut self,
        from: From<'_>,
        action: Action,
        handed: &[(u32, u32)],
        state: Vec<u32>,
        whole: Whole,
        batch: &mut Batch,
    ) {
        let Some((&(process, stimulus), rest)) = handed.split_first() else {
            let start = batch.changes.len();
            let mut state = state;
            if let Some(counts) = self.rules.count {
                let mut common = self.common(&state);
                let counted = match counts {
                    Counts::All => whole.messages,
                    Counts::Election => whole.messages - whole.announcements,
                };
                common.sent = common.sent.map(|sent| sent + u32::from(counted));
                state[self.space.common()] = self.memo.shared().commons.number(common);
            }
            batch
                .changes
                .extend(state.iter().enumerate().map(|(position, &number)| (position as u32, number)));
            if whole.flags != 0 || self.everything {
                self.judge_together(from, &state, whole.flags, batch);
            }
            let draft = Draft {
                action,
                messages: whole.messages,
                announcements: whole.announcements,
                phases: whole.phases,
                chance: whole.chance,
                first: batch.nexts.last().is_none_or(|next| next.parent != from.parent),
            };
            return self.add(from, &draft, start, batch);
        };
        let (first, last) = self.memo.step(state[process as usize], stimulus);
        for k in first..last {
            let out = self.memo.out(k);
            let mut changes = vec![(process, out.local)];
            self.carry(&state, process, &out, 0, &mut changes);
            let mut ahead = 0;
            if out.flags & flag::PHASE != 0 && self.rules.phases {
                ahead = self.phases(&state, process, u32::from(out.begins), 0, &mut changes);
            }
            let mut after = state.clone();
            for (position, number) in changes {
                after[position as usize] = number;
            }
            let whole = Whole {
                chance: whole.chance * out.chance,
                messages: whole.messages + out.messages() as u16,
                announcements: whole.announcements + out.announcements,
                phases: whole.phases + ahead,
                flags: whole.flags | out.flags & !flag::PHASE,
            };
            self.hand_over(from, action, rest, after, whole, batch);
        }
    }

    /// Asks the properties about a step that everybody took.
    fn judge_together(&self, from: From<'_>, after: &[u32], flags: u8, batch: &mut Batch) {
        let shared = self.memo.shared();
        let view = |state| View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let impossible = (flags & flag::IMPOSSIBLE != 0).then_some("one of these steps");
        let place = batch.nexts.len() as u32;
        for (number, property) in self.rules.properties.iter().enumerate() {
            let mut wrong = property.always(&view(after));
            for process in 0..self.space.n {
                let step = Step { before: view(from.state), after: view(after), process, impossible };
                wrong = wrong.and_then(|()| property.step(&step));
            }
            if let Err(detail) = wrong {
                batch.violations.push((place, number, detail));
            }
        }
    }
}

/// What the parts of a step of everybody add up to.
#[derive(Clone, Copy)]
struct Whole {
    chance: f64,
    messages: u16,
    announcements: u16,
    phases: u16,
    flags: u8,
}
