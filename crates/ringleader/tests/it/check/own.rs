//! Properties of one's own.

use crate::support::entry;
use ringleader::check::{Answer, Property, Scope, Starts, View, Watch};
use ringleader::model::{Value, Verdict};

/// Nobody learns that it lost before somebody leads. True: the announcement comes from the leader.
struct LostAfterLed;

impl Property for LostAfterLed {
    fn name(&self) -> &'static str {
        "nobody has lost before somebody leads"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let any = |verdict: Verdict| state.everybody().any(|i| state.verdict(i) == verdict);
        if any(Verdict::Lost) && !any(Verdict::Leader) { Err("somebody has".into()) } else { Ok(()) }
    }
}

/// Process 1 never takes part. False, and found at its first step.
struct Bystander;

impl Property for Bystander {
    fn name(&self) -> &'static str {
        "process 1 stands by"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        match state.field(1, "participant") {
            Some(Value::Flag(true)) => Err(format!("with {} on their way", state.in_transit("election"))),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_true_property_holds_and_a_false_one_has_a_shortest_run() {
    let chang_roberts = entry("chang-roberts");
    let scope = Scope { starts: Starts::AllLate, ..Scope::new(3) };
    let findings = chang_roberts.check(&scope, &[&LostAfterLed], &()).unwrap();
    assert!(findings.holds());
    assert!(findings.properties.iter().any(|finding| finding.name == LostAfterLed.name()));

    let findings = chang_roberts.check(&scope, &[&LostAfterLed, &Bystander], &()).unwrap();
    assert_eq!(findings.answer, Answer::Violated);
    let example = findings.counterexample.unwrap();
    assert_eq!((example.property, example.detail.as_str()), (Bystander.name(), "with 1 on their way"));
    assert_eq!(example.recording.events.len(), 1);
}

/// A property that looks at everything turns the reduction off, so that no state is missed.
#[test]
fn looking_at_everything_leaves_nothing_out() {
    let scope = Scope { starts: Starts::All, ..Scope::new(5) };
    let findings = entry("chang-roberts").check(&scope, &[&LostAfterLed], &()).unwrap();
    assert_eq!(findings.states, 137);
}
