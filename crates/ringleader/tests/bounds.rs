//! What is claimed of message counts, measured at large n.
//!
//! The bounds: every election of the registry that claims one, for random identities and for the worst
//! arrangement that is known, from a hundred processes to a million. It prints measured, bound and ratio.
//!
//! It takes a minute, so it is not among the tests that run by default: `cargo xtask bounds` runs it, and so does the
//! gate. The tests do the same up to ten thousand processes.

#![expect(clippy::print_stdout, reason = "the table is what one runs it for")]

#[path = "it/large_mutex.rs"]
mod large_mutex;
#[path = "it/large_rings.rs"]
mod large_rings;
#[path = "it/mutex_means.rs"]
mod mutex_means;
#[expect(dead_code, reason = "the other tests need more of it")]
#[path = "it/support.rs"]
mod support;

#[test]
fn bounds_hold_up_to_a_million() {
    for line in large_rings::held(&[100, 1_000, 10_000, 100_000, 1_000_000]) {
        println!("{line}");
    }
}

#[test]
fn means_of_mutual_exclusion() {
    for line in [mutex_means::light(&[10, 31, 100]), mutex_means::saturated()].concat() {
        println!("{line}");
    }
}

#[test]
fn a_hundred_thousand_get_in() {
    for line in large_mutex::runs(100_000, 10_000) {
        println!("{line}");
    }
}
