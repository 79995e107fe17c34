//! Numbers that other tools give for the same model.

use super::check;
use ringleader::check::{Reduce, Scope, Starts};

/// Chang–Roberts on the descending ring, everybody started, FIFO links, one transition a delivery, announcement
/// included. Spin 6.5 and Stateright 0.31 give the same states, and the same transitions.
#[test]
fn chang_roberts_has_as_many_states_as_elsewhere() {
    let known =
        [(3, 17, 24), (4, 46, 88), (5, 137, 335), (6, 435, 1293), (7, 1437, 5012), (9, 16_805, 75_591)];
    for (n, states, transitions) in known {
        let scope = Scope { starts: Starts::All, reduce: Reduce::None, ..Scope::new(n) };
        let findings = check("chang-roberts", &scope);
        assert_eq!((findings.states, findings.transitions), (states, transitions), "n = {n}");
        let worst = u64::from(n) * (u64::from(n) + 1) / 2;
        let messages = findings.election_messages.unwrap();
        assert_eq!((messages.min, messages.max), (worst, Some(worst)), "n = {n}");
    }
}

#[test]
fn chang_roberts_at_eleven() {
    let scope = Scope { starts: Starts::All, reduce: Reduce::None, safety_only: true, ..Scope::new(11) };
    assert_eq!(check("chang-roberts", &scope).states, 208_023);
}

/// With one input for each process one interleaving stands for all: as many states as messages, and a few.
#[test]
fn one_way_rings_of_a_hundred_are_checked_at_once() {
    for name in ["chang-roberts", "peterson"] {
        let findings = check(name, &Scope { starts: Starts::All, ..Scope::new(100) });
        let messages = findings.messages.and_then(|messages| messages.max).unwrap();
        assert!(findings.holds(), "{name}");
        assert!(findings.states <= messages + 101, "{name}: {} states", findings.states);
    }
}

/// The extremes that the specification gives for the exhaustive search of its own implementation.
#[test]
fn ricart_agrawala_costs_exactly_as_much_as_proved() {
    for (n, per_entry) in [(2, 2), (3, 4)] {
        let findings = check("ricart-agrawala", &Scope::new(n));
        let messages = findings.messages.unwrap();
        assert_eq!((messages.min, messages.max), (u64::from(n) * per_entry, Some(u64::from(n) * per_entry)));
    }
}
