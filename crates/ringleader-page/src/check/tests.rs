//! What is prepared, what is refused, and what comes of a check. That findings are those of the command line is tested
//! there.

use super::*;
use crate::testing::Few;
use std::sync::atomic::{AtomicU64, Ordering};

fn asked(question: &str) -> Result<Prepared, Diagnostic> {
    prepare(&Few, question.as_bytes())
}

fn goes_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_check_that_holds() {
    let prepared = asked(r#"{"algorithm":"chang-roberts","options":{"nodes":"4"}}"#).expect("it may be made");
    let started =
        Started { job: "7".into(), command: "few check chang-roberts".into(), expected_states: Some(400) };
    assert_eq!(prepared.started("7"), started);
    let checked = prepared.run(&goes_on).expect("it is not refused");
    let findings = &checked.findings;
    assert_eq!((&findings["schema"], &findings["verdict"]), (&"ringleader.check/1".into(), &"holds".into()));
    assert_eq!(
        (&findings["again"], &findings["version"]),
        (&"few check chang-roberts".into(), &"few 0".into())
    );
    for gone in PASSING {
        assert!(findings.get(gone).is_none(), "{gone} differs from time to time");
    }
    assert_eq!((checked.recording.is_some(), checked.broken_off), (false, false));
    assert_eq!(findings["states"], checked.progress.states);
}

#[test]
fn a_check_that_finds_two_leaders() {
    let question =
        r#"{"algorithm":"peterson","options":{"nodes":"4","links":"bag","unsound":true,"all-ids":true}}"#;
    let checked = asked(question).expect("it may be made").run(&goes_on).expect("it is not refused");
    assert_eq!(checked.findings["verdict"], "violated");
    let recording = checked.recording.expect("there is a run that shows it");
    let steps = checked.findings["counterexample"].as_array().expect("it has steps");
    assert_eq!(steps.len(), recording.events.len());
    assert_eq!(checked.findings["violations"][0]["name"], "at most one leader");
}

#[test]
fn excluded_scope_is_refused_before_searching() {
    let refused = asked(r#"{"algorithm":"peterson","options":{"links":"bag"}}"#).expect_err("it needs FIFO");
    assert_eq!(refused.code, "needs_fifo");
    let unknown = asked(r#"{"algorithm":"petersen"}"#).expect_err("there is none");
    assert_eq!(unknown.code, "unknown_algorithm");
    let nonsense = asked("[]").expect_err("it is no question");
    assert!(nonsense.message.starts_with("the question to `check` cannot be read: "), "{}", nonsense.message);
    assert_eq!(job("look", br#"{"job":"3"}"#).expect("it is right"), "3");
    assert_eq!(job("look", b"{}").expect_err("which?").code, "bad_question");
}

#[test]
fn a_limit_leaves_it_unknown_and_says_which() {
    let question = r#"{"algorithm":"maekawa","options":{"nodes":"4","max-states":"5000"}}"#;
    let checked = asked(question).expect("it may be made").run(&goes_on).expect("it is not refused");
    assert_eq!(checked.findings["verdict"], "unknown");
    assert_eq!(checked.findings["limit"], serde_json::json!({ "kind": "states", "value": 5000 }));
    assert!(!checked.broken_off, "nobody stopped it");
    for asked_for in [r#""max-states":"9000000""#, r#""nodes":"4""#] {
        let question = format!(r#"{{"algorithm":"maekawa","options":{{{asked_for}}}}}"#);
        let scope = asked(&question).expect("it may be made").planned.scope;
        assert_eq!((scope.max_states, scope.max_bytes), (Some(STATES_MAX), Some(BYTES_MAX)));
    }
}

#[test]
fn observer_sees_progress_and_may_stop() {
    let prepared = asked(r#"{"algorithm":"maekawa","options":{"nodes":"4"}}"#).expect("it may be made");
    let most = AtomicU64::new(0);
    let watch = |progress: Progress| {
        assert_eq!((progress.cases, progress.cases_total), (1, Some(1)));
        most.fetch_max(progress.states, Ordering::Relaxed);
        if progress.states < 20_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let checked = prepared.run(&watch).expect("it is not refused");
    assert!(most.into_inner() >= 20_000);
    assert_eq!((checked.findings["verdict"].as_str(), checked.broken_off), (Some("unknown"), true));
    assert_eq!(checked.findings["limit"]["kind"], "time");
}
