//! Every fair run ends; where chance decides, with probability 1.

use super::super::chance::Actions;
use super::super::fairness::{Cycle, fair_cycle_of};
use super::super::ground::{Ground, How};
use super::super::search::Explored;

pub(crate) const NAME: &str = "every fair run ends";
pub(crate) const NAME_OF_CHANCE: &str = "every fair run ends with probability 1";

/// A fair run without end, if there is one.
pub(crate) fn endless(ground: &Ground<'_>, how: How, explored: &Explored) -> Option<Cycle> {
    fair_cycle_of(ground, how, explored, &|_, _| true)
}

/// A way for the scheduler to go on for ever, fairly, whatever chance says.
pub(crate) fn endless_by_chance(
    ground: &Ground<'_>,
    how: How,
    explored: &Explored,
    actions: &Actions<'_>,
) -> Option<Cycle> {
    let alive = actions.end_components();
    if alive.is_empty() {
        return None;
    }
    fair_cycle_of(ground, how, explored, &|_, place| alive[place])
}
