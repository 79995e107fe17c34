//! The smaller rows of the battery's record, every time; the large ones take `cargo xtask battery`.

use crate::battery_rows::{Row, check};
use crate::support::{entry, right};

/// As many states as a test may take.
pub(super) const FEW: u64 = 60_000;

#[test]
fn the_smaller_rows_are_as_recorded() {
    for recorded in Row::recorded().into_iter().filter(|row| row.states <= FEW) {
        let found = check(entry(&recorded.name), recorded.n, recorded.entries);
        assert_eq!(
            found.to_string(),
            recorded.to_string(),
            "UPDATE=1 cargo xtask battery accepts what was found, if it is right"
        );
    }
}

/// What `list` says comes from the record, and every algorithm is in it.
#[test]
fn every_algorithm_is_on_record() {
    for entry in right() {
        let name = entry.spec.name;
        let largest = Row::recorded().iter().filter(|row| row.name == name).map(|row| row.n).max();
        assert!(
            largest.is_some_and(|n| n >= 2),
            "{name} is not in battery.txt: UPDATE=1 cargo xtask battery"
        );
        assert_eq!(entry.checked_up_to(), largest, "{name}");
    }
}
