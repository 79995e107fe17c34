//! Asking the properties.

use super::{Expander, From};
use crate::check::batch::Batch;
use crate::check::memo::{Out, flag};
use crate::check::property::{Property, Step, View};
use crate::check::space::{Parts, Space};
use crate::check::stimulus::{Action, Stimulus};

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
        self.after.clear();
        self.after.extend_from_slice(from.state);
        for &(position, number) in &batch.changes[start..] {
            self.after[position as usize] = number;
        }
        let mut shared = self.memo.shared();
        let impossible = (out.flags & flag::IMPOSSIBLE != 0)
            .then(|| why_impossible(&mut shared, self.space, from.state, action, out))
            .flatten();
        let view = |state| View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let step = Step { before: view(from.state), after: view(&self.after), process, impossible };
        let place = batch.nexts.len() as u32;
        for (number, property) in self.rules.properties.iter().enumerate() {
            let wrong = property.step(&step).and_then(|()| property.always(&step.after));
            if let Err(detail) = wrong {
                batch.violations.push((place, number, detail));
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
        let view = View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let mut properties = self.rules.properties.iter().enumerate();
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
            shared.locals.outcomes(state[space.link(link).to as usize], stimulus)
        }
        Action::Batch { process, .. } => {
            let waiting = [0, 1].map(|side| -> Vec<Stimulus> {
                let link = space.incoming[process as usize][side];
                let flights = shared.contents.get(state[link as usize]).iter();
                flights.map(|flight| *shared.stimuli.value(flight.stimulus)).collect()
            });
            shared.locals.batches(state[process as usize], [&waiting[0], &waiting[1]])
        }
        Action::Lose { .. } | Action::Double { .. } | Action::Begin | Action::Round => Vec::new(),
    };
    outcomes.into_iter().find(|outcome| outcome.local == out.local).and_then(|outcome| outcome.impossible)
}
