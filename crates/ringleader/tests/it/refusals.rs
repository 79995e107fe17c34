//! What a contract excludes is refused with the reason, or run on request and labelled so.

use crate::support::{all, at_least, entry, run};
use ringleader::model::{Links, Orientation};
use ringleader::registry::Problem;
use ringleader::sim::{Fault, Ids, Initiators, Ports, Refusal, Scenario, Topology, Workload};

fn refusal(name: &str, scenario: &Scenario) -> Refusal {
    match entry(name).run(scenario, &mut ()) {
        Err(refusal) => refusal,
        Ok(report) => panic!("{name} was not refused: {report:?}"),
    }
}

#[test]
fn impossible_scenarios() {
    let eight = Scenario::new(8);
    let with = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = eight.clone();
        change(&mut scenario);
        scenario
    };
    assert_eq!(refusal("peterson", &Scenario::new(0)), Refusal::NoProcesses);
    let doubled = with(&|s| s.ids = Ids::Listed(vec![1, 2, 3, 4, 5, 6, 7, 3]));
    assert_eq!(refusal("peterson", &doubled), Refusal::DuplicateId { id: 3, first: 2, second: 7 });
    let short = with(&|s| s.ids = Ids::Listed(vec![1, 2]));
    assert!(matches!(refusal("peterson", &short), Refusal::WrongLength { got: 2, n: 8, .. }));
    let nobody = with(&|s| s.initiators = Initiators::Listed(Vec::new()));
    assert_eq!(refusal("peterson", &nobody), Refusal::NoInitiator);
    let stranger = with(&|s| s.initiators = Initiators::Listed(vec![8]));
    assert!(matches!(refusal("peterson", &stranger), Refusal::NoSuchProcess { process: 8, .. }));
    let tree = with(&|s| s.topology = Some(Topology::Binary));
    assert!(matches!(refusal("peterson", &tree), Refusal::WrongTopology { got: "binary", .. }));
    assert!(matches!(refusal("ricart-agrawala", &tree), Refusal::WrongTopology { .. }));
    let half = with(&|s| s.links = Some(Links::HalfDuplex));
    assert_eq!(refusal("peterson", &half), Refusal::NoHalfDuplexHere);
    let named = with(&|s| s.ids = Ids::Random);
    assert_eq!(refusal("probabilistic-franklin", &named), Refusal::Anonymous);
    let narrow = with(&|s| s.range = 1);
    assert!(matches!(refusal("probabilistic-franklin", &narrow), Refusal::OutOfRange { .. }));
    let worst = with(&|s| s.ids = Ids::Worst);
    assert_eq!(refusal("humblet", &worst), Refusal::NoWorstIds);
    let wants = with(&|s| s.workload = Workload { hold: 3, ..Workload::default() });
    assert_eq!(refusal("peterson", &wants), Refusal::NoWorkload);
    let kind = with(&|s| s.faults = vec![Fault::LoseNth { kind: "token".into(), nth: 1 }]);
    assert!(matches!(refusal("misra-bounded", &kind), Refusal::NoSuchKind { .. }));
    let unborn = with(&|s| s.faults = vec![Fault::Recover { process: 1, at: 5 }]);
    assert!(matches!(refusal("bully", &unborn), Refusal::OutOfRange { .. }));
    let setting = |name: &str, value: &str| with(&|s| s.settings = vec![(name.into(), value.into())]);
    assert!(matches!(refusal("peterson", &setting("ending", "both")), Refusal::BadSetting { .. }));
    assert!(matches!(
        refusal("probabilistic-franklin", &setting("ending", "never")),
        Refusal::BadSetting { .. }
    ));
}

#[test]
fn unsound_runs_are_labelled() {
    for algorithm in all() {
        let spec = algorithm.spec;
        let four = Scenario::new(at_least(algorithm, 4));
        let mut outside = Vec::new();
        if spec.needs.links != Links::Bag {
            outside.push(Scenario { links: Some(Links::Bag), ..four.clone() });
        }
        if spec.needs.orientation == Orientation::Same && spec.name == "franklin" {
            outside.push(Scenario { ports: Ports::Kind(Orientation::Random), ..four.clone() });
        }
        if !spec.needs.tolerates.crash {
            outside.push(Scenario { faults: vec![Fault::Crash { process: 1, at: 2 }], ..four.clone() });
        }
        if !spec.needs.tolerates.duplication {
            outside.push(Scenario { faults: vec![Fault::Duplicate(0.5)], ..four.clone() });
        }
        if !spec.needs.tolerates.loss {
            outside.push(Scenario { faults: vec![Fault::Loss(0.5)], ..four.clone() });
        }
        if !spec.needs.tolerates.partition && four.n >= 4 {
            let cut = Fault::Partition { left: vec![0, 1], right: vec![2, 3], from: 0, until: 3 };
            outside.push(Scenario { faults: vec![cut], ..four.clone() });
        }
        for scenario in outside {
            let refused = refusal(spec.name, &scenario);
            assert!(refused.is_about_assumptions(), "{}: {refused}", spec.name);
            for seed in 0..50 {
                let unsound = Scenario { unsound: true, seed, max_steps: Some(20_000), ..scenario.clone() };
                let report = run(spec.name, &unsound);
                assert_eq!(report.outside, [refused.to_string()], "{}", spec.name);
            }
        }
    }
}

#[test]
fn equal_identities_are_let_in_only_on_request() {
    let doubled = Scenario { ids: Ids::Listed(vec![5, 5, 2]), ..Scenario::new(3) };
    for entry in all().iter().filter(|entry| entry.problem == Problem::Election && !entry.is_anonymous()) {
        if entry.spec.name.starts_with("bully") {
            continue;
        }
        let unsound = Scenario { unsound: true, max_steps: Some(10_000), ..doubled.clone() };
        let report = run(entry.spec.name, &unsound);
        assert!(report.outside[0].contains("identity 5 is given to two processes"), "{:?}", report.outside);
    }
}
