//! Mutual exclusion among very many: no tables of n × n where the algorithm needs none.

use crate::support::all;
use ringleader::registry::find;
use ringleader::sim::{Details, Load, Scenario, Workload};

/// Runs with so many processes each, and what came of them.
pub(crate) fn runs(many: u32, fewer: u32) -> Vec<String> {
    let once = Workload::default();
    let light = Workload { load: Some(Load::Light), total: Some(500), ..Workload::default() };
    let cases = [
        ("raymond", many, once.clone(), "one entry each"),
        ("naimi-trehel", many, once.clone(), "one entry each"),
        ("homed-chain", many, once.clone(), "one entry each"),
        ("token-ring", many, once, "one entry each"),
        ("suzuki-kasami", fewer, light, "500 entries, light load"),
    ];
    let mut lines = Vec::new();
    for (name, n, workload, what) in cases {
        let expected = workload.total.unwrap_or(u64::from(n));
        let report =
            find(all(), name).unwrap().run(&Scenario { workload, ..Scenario::new(n) }, &mut ()).unwrap();
        assert!(report.holds(), "{name}: {:?}", report.properties);
        let Details::Exclusion(details) = &report.details else { panic!("{name}") };
        assert_eq!((details.entries, details.in_section_max), (expected, 1), "{name}");
        lines.push(format!("{name:<16} n = {n:<7} {what:<24} {:>10} messages", report.messages));
    }
    lines
}

#[test]
fn a_thousand_get_in() {
    assert_eq!(runs(1000, 300).len(), 5);
}
