//! A check in parts: some of its cases at a time come to the whole.

use super::check;
use crate::support::entry;
use ringleader::check::{Answer, Arrangements, Scope};
use ringleader::model::Links;

#[test]
fn parts_of_a_check_come_to_the_whole() {
    for (name, n) in [("peterson", 3), ("franklin", 3), ("chang-roberts", 4), ("ricart-agrawala", 2)] {
        let scope = Scope { ids: Arrangements::All, ..Scope::new(n) };
        let whole = check(name, &scope);
        let cases = entry(name).cases(&scope).unwrap();
        let parts = [0..cases / 3, cases / 3..cases / 3 + 1, cases / 3 + 1..cases + 7];
        let parts = parts.map(|cases| check(name, &Scope { cases: Some(cases), ..scope.clone() }));
        let sum = |of: fn(&ringleader::check::Findings) -> u64| parts.iter().map(of).sum::<u64>();
        assert_eq!((sum(|part| part.states), sum(|part| part.cases)), (whole.states, whole.cases), "{name}");
        let most = parts.iter().filter_map(|part| part.messages?.max).max();
        assert_eq!(most, whole.messages.and_then(|range| range.max), "{name}");
        assert!(parts.iter().all(|part| part.answer == Answer::Holds), "{name}");
    }
}

#[test]
fn violation_is_found_in_its_part_alone() {
    let links = Some(Links::Bag);
    let scope = Scope { ids: Arrangements::All, links, unsound: true, safety_only: true, ..Scope::new(4) };
    let name = "peterson";
    let cases = entry(name).cases(&scope).unwrap();
    let answers: Vec<Answer> = (0..cases)
        .map(|case| check(name, &Scope { cases: Some(case..case + 1), ..scope.clone() }).answer)
        .collect();
    assert!(answers.contains(&Answer::Violated) && answers.contains(&Answer::Holds), "{answers:?}");
}
