//! Leaving out what cannot matter changes neither the answer nor the least and the largest number of messages.

use super::{check, violated};
use crate::support::all;
use ringleader::check::{Answer, Arrangements, Findings, Reduce, Scope, Starts};
use ringleader::model::{Links, Orientation, Timing};
use ringleader::registry::Problem;
use ringleader::sim::{Entries, Ports};

#[test]
fn reduced_search_agrees_with_full() {
    for entry in all() {
        let name = entry.spec.name;
        let largest = match (entry.problem, entry.spec.needs.timing) {
            (_, Timing::BoundedDelay) => 2,
            (Problem::Mutex, _) | (_, Timing::Asynchronous | Timing::LockStep) => 3,
        };
        for n in (1..=largest).filter(|&n| entry.spec.needs.processes.admits(n)) {
            for entries in if entry.problem == Problem::Mutex && n < 3 { 1..=2 } else { 1..=1 } {
                let scope = Scope {
                    ids: Arrangements::All,
                    entries: Entries::Each(entries),
                    expectations: n < 3,
                    ..Scope::new(n)
                };
                // What takes minutes is left to the smaller sizes.
                let few = Scope { max_states: Some(60_000), reduce: Reduce::None, ..scope.clone() };
                if check(name, &few).answer != Answer::Unknown {
                    agree(name, &scope);
                }
            }
        }
    }
}

#[test]
fn franklin_and_chang_roberts_at_four() {
    for name in ["chang-roberts", "peterson", "franklin"] {
        agree(name, &Scope { ids: Arrangements::All, ..Scope::new(4) });
    }
}

/// On a complete graph whose ports are numbered in every way, all arrangements of identities are alike: one of them has
/// its share of the states of all, and the findings are the same.
#[test]
fn one_arrangement_stands_for_all_on_a_complete_graph() {
    let all = Scope { ids: Arrangements::All, ..Scope::new(3) };
    let overtaking = Scope { links: Some(Links::Bag), unsound: true, ..all.clone() };
    let of = |name: &str, reduce: Reduce, scope: &Scope| check(name, &Scope { reduce, ..scope.clone() });
    for name in ["korach-moran-zaks", "humblet"] {
        for scope in [&all, &Scope { starts: Starts::AllLate, ..all.clone() }] {
            let (one, every) = (of(name, Reduce::Full, scope), of(name, Reduce::Por, scope));
            assert_eq!((one.arrangements, every.arrangements), (2, 2), "{name}");
            assert_eq!(2 * one.cases, every.cases, "{name}");
            assert_eq!((2 * one.states, 2 * one.transitions), (every.states, every.transitions), "{name}");
            assert_eq!((one.answer, one.depth), (every.answer, every.depth), "{name}");
            assert_eq!(one.messages, every.messages, "{name}");
            assert_eq!(one.election_messages, every.election_messages, "{name}");
        }
        // Where places differ, nothing is left out.
        for scope in [
            Scope { starts: Starts::Listed(vec![0, 1]), ..all.clone() },
            Scope { ports: Ports::Kind(Orientation::Same), ..all.clone() },
        ] {
            assert_eq!(of(name, Reduce::Full, &scope).cases, of(name, Reduce::Por, &scope).cases, "{name}");
        }
    }
    let (one, every) = (of("kings", Reduce::Full, &overtaking), of("kings", Reduce::Por, &overtaking));
    assert!(violated(&one).is_some(), "it needs FIFO links");
    assert_eq!((violated(&one), steps(&one)), (violated(&every), steps(&every)));
}

fn agree(name: &str, scope: &Scope) {
    let of = |reduce: Reduce| check(name, &Scope { reduce, ..scope.clone() });
    let [none, por, full] = [Reduce::None, Reduce::Por, Reduce::Full].map(of);
    for reduced in [&por, &full] {
        let context = format!("{name}, n = {}, {:?}", scope.n, scope.entries);
        assert_eq!(reduced.answer, none.answer, "{context}");
        assert_eq!(reduced.messages, none.messages, "{context}");
        assert_eq!(reduced.election_messages, none.election_messages, "{context}");
        // A search that ends at a violation may have to go a layer further, to a longer run of the same kind.
        assert!(none.answer == Answer::Violated || reduced.states <= none.states, "{context}");
        assert_eq!(violated(reduced).is_some(), violated(&none).is_some(), "{context}");
        assert_eq!(steps(reduced), steps(&none), "{context}: the shortest run is as long");
        let expected =
            |findings: &Findings| findings.probability.map(|p| (p.almost_sure, p.expected_messages));
        match (expected(reduced), expected(&none)) {
            (Some((sure, Some((a, b)))), Some((same, Some((c, d))))) => {
                assert!(sure == same && (a - c).abs() < 1e-8 && (b - d).abs() < 1e-8, "{context}");
            }
            (a, b) => assert_eq!(a, b, "{context}"),
        }
    }
}

fn steps(findings: &Findings) -> Option<usize> {
    findings.counterexample.as_ref().map(|example| example.recording.events.len())
}
