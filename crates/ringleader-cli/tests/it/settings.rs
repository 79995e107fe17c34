//! The algorithms' own settings: coordinators that tell, survive and elect, as many tokens as one likes.

use crate::{json, run};

fn kinds(report: &serde_json::Value) -> Vec<String> {
    report["messages"]["by_kind"].as_object().expect("kinds").keys().cloned().collect()
}

#[test]
fn a_coordinator_that_denies() {
    let plain = json(&["run", "central", "-n", "4", "--seed", "1", "--json"]);
    assert_eq!(
        (&plain["messages"]["total"], &plain["messages"]["by_kind"]["denied"]),
        (&9.into(), &0.into())
    );
    let told = json(&["run", "central", "-n", "4", "--denied", "--seed", "1", "--json"]);
    // The coordinator is in at once, the three others have to wait.
    assert_eq!((&told["messages"]["total"], &told["messages"]["by_kind"]["denied"]), (&12.into(), &3.into()));
    assert!(told["again"].as_str().is_some_and(|again| again.contains("--denied")));
}

#[test]
fn a_coordinator_that_is_elected() {
    let args = ["central", "-n", "5", "--election", "franklin", "--crash", "0@3", "--seed", "1", "--json"];
    let report = json(&[&["run"], &args[..]].concat());
    assert_eq!((&report["algorithm"], &report["links"]), (&"central".into(), &"fifo".into()));
    assert_eq!((&report["outcome"], &report["within_assumptions"]), (&"done".into(), &true.into()));
    assert_eq!(kinds(&report), ["request", "granted", "release", "elect", "newcoord", "status"]);
    let check = ["check", "central", "-n", "3", "--election", "peterson", "--json"];
    assert_eq!(json(&check)["verdict"], "holds");
    // Without an election a crash is what the contract excludes, and that is the way out.
    let ran = run(&["run", "central", "-n", "5", "--crash", "0@3"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("excludes crashes") && ran.err.contains("--election"), "{}", ran.err);
}

/// What is refused is refused by the algorithm that it is with its settings.
#[test]
fn a_setting_of_the_other_form() {
    for command in ["run", "check"] {
        let ran = run(&[command, "central", "-n", "3", "--election", "franklin", "--denied"]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("setting `denied` of `central-failover`"), "{}", ran.err);
        assert!(ran.err.contains("show central-failover"), "{}", ran.err);
    }
}

#[test]
fn an_election_that_cannot_be_held() {
    for name in ["itai-rodeh", "bully", "nonsense"] {
        let ran = run(&["run", "central", "--election", name]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(name) && ran.err.contains("chang-roberts"), "{}", ran.err);
    }
}

#[test]
fn as_many_tokens_as_one_likes() {
    let report = json(&["run", "misra-k", "-n", "3", "--tokens", "4", "--seed", "1", "--json"]);
    assert_eq!(kinds(&report), ["token-0", "token-1", "token-2", "token-3"]);
    assert_eq!(kinds(&json(&["run", "misra-k", "-n", "3", "--seed", "1", "--json"])).len(), 3);
    for wrong in ["1", "9", "0"] {
        let ran = run(&["run", "misra-k", "--tokens", wrong]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("from 2 to 8"), "{}", ran.err);
    }
}

#[test]
fn a_size_that_is_not_admitted() {
    let ran = run(&["run", "tree-quorum", "-n", "6"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`-n 3`") && ran.err.contains("`-n 7`"), "{}", ran.err);
}

/// What it needs is estimated by what it does: a few messages under way, or all to all, and tables.
#[test]
fn many_fit_where_few_talk() {
    let report = json(&["run", "naimi-trehel", "-n", "50_000", "--seed", "1", "--json"]);
    assert_eq!((&report["outcome"], &report["entries"]), (&"done".into(), &50_000.into()));
    let ran = run(&["run", "suzuki-kasami", "-n", "2M", "--load", "light"]);
    assert!(ran.code == 2 && ran.err.contains("would need about"), "{}", ran.err);
}
