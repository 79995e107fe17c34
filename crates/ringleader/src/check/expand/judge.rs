//! Asking the properties.

use super::{Expander, From};
use crate::check::batch::Batch;
use crate::check::memo::{Out, flag};
use crate::check::property::{Property, Step, View};
use crate::check::space::{Parts, Space};
use crate::check::stimulus::Action;
use core::ops::Range;

impl Expander<'_> {
    /// Asks the properties about a step whose changes are written from `start` on.
    #[cold]
    pub(super) fn judge(
        &mut self,
        from: From<'_>,
        process: u32,
        out: &Out,
        action: Action,
        start: usize,
        batch: &mut Batch,
    ) {
        self.write_after(from, &batch.changes[start..]);
        let impossible = (out.flags & flag::IMPOSSIBLE != 0)
            .then(|| why_impossible(&mut self.memo.shared(), self.space, from.state, action, out))
            .flatten();
        self.ask(from.state, &self.after, process..process + 1, impossible, batch);
    }

    /// Asks them about a step of these processes between these states, which is to be added to the batch.
    pub(super) fn ask(
        &self,
        before: &[u32],
        after: &[u32],
        processes: Range<u32>,
        impossible: Option<&'static str>,
        batch: &mut Batch,
    ) {
        let shared = self.memo.shared();
        let (before, after) = (self.view(&shared, before), self.view(&shared, after));
        for (number, property) in self.ground.properties.iter().enumerate() {
            let step = |process| property.step(&Step { before, after, process, impossible });
            let wrong = processes.clone().try_for_each(step).and_then(|()| property.always(&after));
            if let Err(detail) = wrong {
                batch.violations.push((batch.nexts.len() as u32, number, detail));
            }
        }
    }

    /// The first property that this state violates.
    pub(super) fn wrong(
        &self,
        state: &[u32],
        ask: impl Fn(&dyn Property, &View<'_>) -> Result<(), String>,
    ) -> Option<(usize, String)> {
        let shared = self.memo.shared();
        let view = self.view(&shared, state);
        let mut properties = self.ground.properties.iter().enumerate();
        properties.find_map(|(number, property)| Some((number, ask(*property, &view).err()?)))
    }
}

/// Takes a step again to hear which case the proof excludes.
fn why_impossible(
    shared: &mut Parts,
    space: &Space,
    state: &[u32],
    action: Action,
    out: &Out,
) -> Option<&'static str> {
    let outcomes = match action {
        Action::Own { process, stimulus } => shared.locals.outcomes(state[process as usize], stimulus),
        Action::Deliver { link, place } => {
            let stimulus = shared.contents.get(state[link as usize])[place as usize].stimulus;
            let stimulus = *shared.stimuli.value(stimulus);
            shared.locals.outcomes(state[space.link(link).to() as usize], stimulus)
        }
        Action::Batch { process, .. } => {
            let sides = [0, 1].map(|side| space.incoming[process as usize][side]);
            shared.batches(state[process as usize], sides.map(|link| state[link as usize]))
        }
        Action::Lose { .. } | Action::Double { .. } | Action::Begin | Action::Round => Vec::new(),
    };
    outcomes.into_iter().find(|outcome| outcome.local == out.local).and_then(|outcome| outcome.impossible)
}
