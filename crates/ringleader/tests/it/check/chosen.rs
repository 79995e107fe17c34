//! Some of the properties, and all violations of them.

use super::{check, try_check, violated};
use crate::support::entry;
use ringleader::check::{Answer, Findings, Reduce, Scope};
use ringleader::sim::Refusal;

fn only(properties: &[&str], scope: Scope) -> Scope {
    Scope { properties: properties.iter().map(|&name| name.to_owned()).collect(), ..scope }
}

fn all(n: u32) -> Scope {
    Scope { all_violations: true, unsound: true, max_states: Some(200_000), ..Scope::new(n) }
}

fn violations(findings: &Findings) -> Vec<&'static str> {
    let violated = findings.properties.iter().filter(|finding| finding.answer == Answer::Violated);
    violated.map(|finding| finding.name).collect()
}

#[test]
fn only_chosen_properties_are_reported() {
    let findings = check("peterson", &only(&["at-most-one-leader", "Every fair run ends"], Scope::new(3)));
    let names: Vec<_> = findings.properties.iter().map(|finding| finding.name).collect();
    assert_eq!(names, ["at most one leader", "every fair run ends"]);
    assert!(findings.holds());
}

#[test]
fn unknown_property_is_refused_with_all_names() {
    let refused =
        try_check("ra", &only(&["never three inside"], Scope::new(2))).expect_err("no such promise");
    let Refusal::NoSuchProperty { name, names } = &refused else { panic!("{refused}") };
    assert_eq!(name, "never three inside");
    assert!(names.contains(&"never two inside") && names.contains(&"messages within the bound"), "{names:?}");
    assert!(refused.to_string().starts_with("it has no property `never three inside`"), "{refused}");
}

#[test]
fn violation_of_an_unchosen_property_is_not_found() {
    let name = "ricart-agrawala@as-printed";
    let whole = check(name, &Scope::new(2));
    let wrong = violated(&whole).expect("it is broken on purpose");
    let other = whole.properties.iter().find(|finding| finding.name != wrong).expect("it promises more");
    let findings = check(name, &only(&[other.name], Scope::new(2)));
    assert_eq!(findings.properties.len(), 1);
    assert_eq!(violated(&findings), None);
}

#[test]
fn each_violation_is_the_one_found_alone() {
    let mut several = 0;
    for name in ["peterson@as-printed", "bully@as-printed", "ring-active-list@as-printed", "misra@z4"] {
        let findings = check(name, &all(3));
        let shown = findings.counterexample.iter().chain(&findings.others);
        for run in shown.clone() {
            let alone = check(name, &Scope { all_violations: false, ..only(&[run.property], all(3)) });
            let length = |findings: &Findings| {
                findings.properties.iter().find(|finding| finding.name == run.property)?.trace_steps
            };
            assert_eq!(violated(&alone), Some(run.property), "{name}");
            if run.shortest && alone.counterexample.is_some_and(|alone| alone.shortest) {
                let alone = check(name, &Scope { all_violations: false, ..only(&[run.property], all(3)) });
                assert_eq!(length(&findings), length(&alone), "{name}: {}", run.property);
            }
        }
        several += u32::from(shown.count() > 1);
        assert_eq!(findings.answer, Answer::Violated, "{name}");
    }
    assert!(several > 0, "none of them violates two properties");
}

#[test]
fn reduction_hides_no_violation() {
    for name in ["peterson@as-printed", "chang-roberts@as-printed", "bully@003-2", "van-leeuwen-tan@002-6"] {
        let reduced = check(name, &all(2));
        let whole = check(name, &Scope { reduce: Reduce::None, ..all(2) });
        assert_eq!(violations(&reduced), violations(&whole), "{name}");
    }
}

#[test]
fn two_leaders_are_seen_without_final_verdicts() {
    for entry in
        ["bully@as-printed", "bully@003-2", "ring-active-list@003-4b", "peterson@as-printed"].map(entry)
    {
        let scope = only(&["at most one leader"], Scope { unsound: true, ..Scope::new(2) });
        let reduced = entry.check(&scope, &[], &()).map(|findings| violations(&findings));
        let whole = entry.check(&Scope { reduce: Reduce::None, ..scope }, &[], &());
        let whole = whole.map(|findings| violations(&findings));
        assert_eq!(reduced.ok(), whole.ok(), "{}", entry.spec.name);
    }
}

#[test]
fn right_algorithm_has_no_violations() {
    let findings = check("peterson", &all(3));
    let usual = check("peterson", &Scope::new(3));
    assert!(findings.holds() && findings.others.is_empty());
    assert_eq!((findings.states, findings.properties), (usual.states, usual.properties));
}
