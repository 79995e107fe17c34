//! The states of a small search, shown: as many as are counted, and the run that violates something among them.

use super::check;
use ringleader::check::{Reduce, Scope, States};
use ringleader::sim::Entries;

fn keep(most: u32, scope: Scope) -> Scope {
    Scope { keep_states: Some(most), ..scope }
}

/// Whether each state of the way follows from the one before it.
fn is_a_way(states: &States) -> bool {
    states.way.windows(2).all(|pair| states.steps.contains(&(pair[0], pair[1])))
}

#[test]
fn all_states_are_shown_with_their_steps() {
    let scope = Scope { reduce: Reduce::None, ..Scope::new(3) };
    let findings = check("chang-roberts", &keep(1000, scope));
    let states = findings.graph.expect("they are few");
    let first = states.depths.iter().filter(|&&depth| depth == 0).count();
    assert_eq!(first, 1);
    assert_eq!(states.depths.iter().max().copied().map(u64::from), Some(findings.depth));
    // Each state but the first follows from one that is met a step before.
    for (state, &depth) in states.depths.iter().enumerate().filter(|(_, depth)| **depth > 0) {
        let before =
            |&(from, to): &(u32, u32)| to as usize == state && states.depths[from as usize] + 1 == depth;
        assert!(states.steps.iter().any(before), "{state}");
    }
    // A run ends where nothing follows.
    for state in 0..states.depths.len() as u32 {
        let goes_on = states.steps.iter().any(|&(from, _)| from == state);
        assert_eq!(states.ends.contains(&state), !goes_on, "{state}");
    }
    assert!(states.way.is_empty());
}

#[test]
fn the_run_that_violates_something_is_a_way_in_them() {
    for (name, n, entries) in
        [("ricart-agrawala@as-printed", 2, 2), ("le-lann@001-8", 2, 1), ("peterson@as-printed", 3, 1)]
    {
        let scope = Scope { entries: Entries::Each(entries), ..Scope::new(n) };
        let findings = check(name, &keep(100_000, scope));
        let states = findings.graph.expect("they are few");
        let violated = findings.properties.iter().find_map(|finding| finding.trace_steps);
        assert_eq!(states.way.len() as u64, violated.expect("it is violated") + 1, "{name}");
        assert!(is_a_way(&states), "{name}");
    }
}

#[test]
fn many_states_are_not_shown() {
    let findings = check("chang-roberts", &keep(3, Scope::new(4)));
    assert!(findings.states > 3 && findings.graph.is_none());
    assert!(check("chang-roberts", &Scope::new(3)).graph.is_none());
}
