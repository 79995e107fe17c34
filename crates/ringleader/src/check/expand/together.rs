//! Steps that everybody takes: all start, or in lock-step all messages on their way arrive.

use super::{Expander, From};
use crate::check::batch::{Batch, Detail};
use crate::check::memo::flag;
use crate::check::stimulus::{Action, Stimulus};

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
        self.hand_over(from, &handed, state, (Detail::silent(action), 0), batch);
    }

    /// Hands over what is left, for every answer; the draft says what the step comes to so far, and its flags.
    fn hand_over(
        &mut self,
        from: From<'_>,
        handed: &[(u32, u32)],
        mut state: Vec<u32>,
        (detail, flags): (Detail, u8),
        batch: &mut Batch,
    ) {
        let Some((&(process, stimulus), rest)) = handed.split_first() else {
            let start = batch.changes.len();
            let mut common = self.common(&state);
            if let Some(sent) = &mut common.sent {
                *sent += self.counted(detail.messages, detail.announcements);
                state[self.space.common()] = self.memo.shared().commons.number(common);
            }
            batch.changes.extend((0..).zip(state.iter().copied()));
            if flags != 0 || self.everything {
                let impossible = (flags & flag::IMPOSSIBLE != 0).then_some("one of these steps");
                self.ask(from.state, &state, 0..self.space.n, impossible, batch);
            }
            let first = batch.nexts.last().is_none_or(|next| next.parent != from.parent);
            return self.add(from, &Detail { first, ..detail }, start, batch);
        };
        let (first, last) = self.memo.step(state[process as usize], stimulus);
        for k in first..last {
            let out = self.memo.out(k);
            let mut changes = vec![(process, out.local)];
            self.carry(&state, process, &out, 0, &mut changes);
            let mut ahead = 0;
            if out.flags & flag::PHASE != 0 && self.how.phases {
                ahead = self.phases(&state, process, u32::from(out.begins), 0, &mut changes);
            }
            let mut after = state.clone();
            for (position, number) in changes {
                after[position as usize] = number;
            }
            let detail = Detail {
                chance: detail.chance * out.chance,
                messages: detail.messages + out.messages() as u16,
                announcements: detail.announcements + out.announcements,
                phases: detail.phases + ahead,
                ..detail
            };
            self.hand_over(from, rest, after, (detail, flags | out.flags & !flag::PHASE), batch);
        }
    }
}
