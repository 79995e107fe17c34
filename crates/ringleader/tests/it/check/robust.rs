//! Limits, threads, and what is refused.

use super::{check, try_check};
use ringleader::check::{Answer, Arrangements, Budget, Limit, Progress, Reduce, Scope, Starts, Watcher};
use ringleader::sim::{Entries, Refusal};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

#[test]
fn counts_do_not_depend_on_threads() {
    let one_large = Scope { starts: Starts::All, reduce: Reduce::None, ..Scope::new(10) };
    let many_small = Scope { ids: Arrangements::All, ..Scope::new(4) };
    for (name, scope) in
        [("chang-roberts", one_large), ("franklin", many_small.clone()), ("peterson", many_small)]
    {
        let [one, two, three] = [1, 2, 3].map(|threads| check(name, &Scope { threads, ..scope.clone() }));
        for other in [two, three] {
            assert_eq!(
                (one.states, one.transitions, one.depth, one.messages, one.cases),
                (other.states, other.transitions, other.depth, other.messages, other.cases),
                "{name}"
            );
        }
    }
}

#[test]
fn a_limit_ends_in_unknown() {
    let scope = Scope { starts: Starts::All, reduce: Reduce::None, ..Scope::new(9) };
    let by_states = check("chang-roberts", &Scope { max_states: Some(1000), ..scope.clone() });
    assert_eq!((by_states.answer, by_states.states), (Answer::Unknown, 1000));
    assert_eq!(by_states.limit, Some(Limit::States(1000)));
    assert!(by_states.messages.is_none(), "nothing is claimed of runs that were not seen");
    assert!(by_states.properties.iter().all(|finding| finding.answer == Answer::Unknown));
    let by_bytes = check("chang-roberts", &Scope { max_bytes: Some(100_000), ..scope.clone() });
    assert_eq!(by_bytes.limit, Some(Limit::Bytes(100_000)));
    // The same limit is none if there is just as much to do.
    let enough = check("chang-roberts", &Scope { max_states: Some(16_805), ..scope });
    assert!(enough.holds());
}

#[test]
fn a_limit_holds_for_all_cases_together() {
    let scope = Scope { ids: Arrangements::All, max_states: Some(500), ..Scope::new(4) };
    let findings = check("peterson", &scope);
    assert_eq!((findings.answer, findings.states), (Answer::Unknown, 500));
    assert!(findings.cases < 90);
}

/// Stops after some states, and counts how often it was told.
struct Impatient(AtomicU64);

impl Watcher for Impatient {
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        if progress.states > 3000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_watcher_can_stop_it() {
    let watcher = Impatient(AtomicU64::new(0));
    let scope = Scope { starts: Starts::All, reduce: Reduce::None, ..Scope::new(11) };
    let findings = crate::support::entry("chang-roberts").check(&scope, &[], &watcher).unwrap();
    assert_eq!((findings.answer, findings.limit), (Answer::Unknown, Some(Limit::Stopped)));
    assert!(watcher.0.load(Ordering::Relaxed) > 1);
}

/// The most bytes that a case took in this thread, and in any other.
struct Scales(ThreadId, [AtomicU64; 2]);

impl Watcher for Scales {
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        let elsewhere = usize::from(thread::current().id() != self.0);
        self.1[elsewhere].fetch_max(progress.bytes, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

#[test]
fn cases_side_by_side_share_the_memory() {
    let scope = Scope { ids: Arrangements::All, reduce: Reduce::None, ..Scope::new(5) };
    let alone = check("chang-roberts", &scope);
    // As much as the largest case needs, and not twice.
    let limit = alone.peak_bytes;
    let scope = Scope { threads: 2, max_bytes: Some(limit), ..scope };
    let scales = Scales(thread::current().id(), Default::default());
    let findings = crate::support::entry("chang-roberts").check(&scope, &[], &scales).unwrap();
    assert_eq!((findings.answer, findings.states), (alone.answer, alone.states));
    let [here, elsewhere] = scales.1.map(AtomicU64::into_inner);
    assert!(0 < elsewhere && elsewhere <= limit / 2, "{elsewhere} of {limit} bytes side by side");
    assert!(limit / 2 < here, "{here} of {limit} bytes: what needs more is searched alone");
}

#[test]
fn a_violation_counts_more_than_a_limit() {
    let scope = Scope { max_states: Some(100_000), ids: Arrangements::All, ..Scope::new(5) };
    assert_eq!(check("chang-roberts@as-printed", &scope).answer, Answer::Violated);
}

#[test]
fn the_visited_set_is_small() {
    let scope = Scope { starts: Starts::All, reduce: Reduce::None, ..Scope::new(11) };
    let findings = check("chang-roberts", &scope);
    let each = findings.visited_bytes as f64 / findings.visited_states as f64;
    assert!(each <= 24.0, "{each} bytes a state");
    assert!(findings.missed > 0.0 && findings.missed < 1e-8);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let refused = |name: &str, scope: Scope| try_check(name, &scope).expect_err(name);
    assert_eq!(refused("peterson", Scope::new(0)), Refusal::NoProcesses);
    assert!(matches!(refused("peterson", Scope::new(100)), Refusal::TooManyCases { .. }));
    assert!(matches!(
        refused("chang-roberts", Scope { ids: Arrangements::All, starts: Starts::All, ..Scope::new(40) }),
        Refusal::TooManyCases { .. }
    ));
    assert!(matches!(
        refused("peterson", Scope { starts: Starts::Listed(vec![7]), ..Scope::new(3) }),
        Refusal::NoSuchProcess { .. }
    ));
    assert!(matches!(
        refused("ricart-agrawala", Scope { entries: Entries::Listed(vec![1]), ..Scope::new(3) }),
        Refusal::WrongLength { .. }
    ));
    let crash = Budget { crashes: Some(1), ..Budget::default() };
    assert!(matches!(
        refused("peterson", Scope { faults: crash, ..Scope::new(3) }),
        Refusal::FaultExcluded { .. }
    ));
    let listed = Arrangements::Listed(vec![3, 1, 2]);
    assert_eq!(refused("itai-rodeh-coin", Scope { ids: listed, ..Scope::new(3) }), Refusal::Anonymous);
    assert!(matches!(refused("bully", Scope::new(2000)), Refusal::OutOfRange { .. }));
    assert!(matches!(
        refused("bully", Scope { starts: Starts::All, ..Scope::new(999) }),
        Refusal::OutOfRange { .. }
    ));
}

/// A ring of one, and entries that nobody wants.
#[test]
fn the_smallest_cases() {
    for entry in crate::support::right() {
        let findings = check(entry.spec.name, &Scope::new(entry.spec.needs.processes.nearest(1).1));
        assert!(findings.holds(), "{}: {findings:?}", entry.spec.name);
    }
    let nobody = Scope { entries: Entries::Each(0), ..Scope::new(2) };
    assert!(check("ricart-agrawala", &nobody).holds());
}
