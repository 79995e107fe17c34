//! Properties that have a value in each state: whether they hold here, and whether they held so far. What is promised
//! for the end is not here; nor what events do not show (whose turn it was, how many tokens there are).

use ringleader::sim::Property;
use ringleader::trace::{Event, Input, Outcome};

/// Whether a property holds here (none: nothing to say yet), and whether it held so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) here: Option<bool>,
    pub(crate) so_far: bool,
}

/// Before the first step.
const NOTHING_YET: Value = Value { here: None, so_far: true };

/// The kinds of properties that are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    AtMostOneLeader,
    FinalVerdicts,
    NeverTwoInside,
    NothingExcluded,
}

impl Kind {
    /// By the name that reports have.
    fn of(name: &str) -> Option<Kind> {
        match name {
            "at most one leader" => Some(Kind::AtMostOneLeader),
            "verdicts are final" => Some(Kind::FinalVerdicts),
            "never two inside" => Some(Kind::NeverTwoInside),
            "no case that the proof excludes" => Some(Kind::NothingExcluded),
            _ => None,
        }
    }
}

/// Whether a property with this name has a value in each state.
pub(crate) fn is_watched(name: &str) -> bool {
    Kind::of(name).is_some()
}

/// Where a process stands, as far as these properties care.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stand {
    #[default]
    Open,
    Leads,
    Lost,
    Inside,
}

/// Watches a run, event by event.
pub(crate) struct Monitor {
    watched: Vec<(usize, Kind, Value)>,
    stands: Vec<Stand>,
    became_leader: u64,
    leaders: u32,
    inside: u32,
}

impl Monitor {
    /// For a run of so many processes whose report has these properties.
    pub(crate) fn new(n: u32, properties: &[Property]) -> Monitor {
        let watched = properties
            .iter()
            .enumerate()
            .filter_map(|(place, property)| Kind::of(property.name).map(|kind| (place, kind, NOTHING_YET)));
        Monitor {
            watched: watched.collect(),
            stands: vec![Stand::default(); n as usize],
            became_leader: 0,
            leaders: 0,
            inside: 0,
        }
    }

    /// The next step; gives the properties whose values change with it.
    pub(crate) fn step(&mut self, event: &Event) -> Vec<(usize, Value)> {
        let wavers = self.moves(event);
        let mut changed = Vec::new();
        for (place, kind, value) in &mut self.watched {
            let here = match kind {
                Kind::AtMostOneLeader => self.leaders <= 1,
                Kind::FinalVerdicts => value.so_far && !wavers,
                Kind::NeverTwoInside => self.inside <= 1,
                Kind::NothingExcluded => value.so_far && event.impossible.is_none(),
            };
            let held = match kind {
                // One who led and no longer does counts too.
                Kind::AtMostOneLeader => here && self.became_leader <= 1,
                Kind::FinalVerdicts | Kind::NeverTwoInside | Kind::NothingExcluded => here,
            };
            let now = Value { here: Some(here), so_far: value.so_far && held };
            if now != *value {
                *value = now;
                changed.push((*place, now));
            }
        }
        changed
    }

    /// Sees where the process stands after it; whether it goes back on its verdict.
    fn moves(&mut self, event: &Event) -> bool {
        let Some(stand) = self.stands.get_mut(event.process as usize) else { return false };
        let before = *stand;
        *stand = match (&event.input, event.outcome) {
            // It comes back newly made: what it knew and where its user was is gone.
            (Input::Crash, _) => Stand::Open,
            (_, None) => before,
            (_, Some(Outcome::Leads)) => Stand::Leads,
            (_, Some(Outcome::Lost)) => Stand::Lost,
            (_, Some(Outcome::Enters)) => Stand::Inside,
            (_, Some(Outcome::Undecided | Outcome::Waits | Outcome::Leaves)) => Stand::Open,
            (_, Some(Outcome::Synchronises | Outcome::LosesContact)) => Stand::Open,
        };
        let is = |stand: Stand, which: Stand| u32::from(stand == which);
        self.became_leader += u64::from(event.outcome == Some(Outcome::Leads));
        self.leaders = self.leaders + is(*stand, Stand::Leads) - is(before, Stand::Leads);
        self.inside = self.inside + is(*stand, Stand::Inside) - is(before, Stand::Inside);
        event.outcome.is_some() && matches!(before, Stand::Leads | Stand::Lost)
    }
}
