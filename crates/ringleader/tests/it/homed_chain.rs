//! The chain of the lock service: exact costs, what comes twice or not at all, one token, fences that rise.

use crate::support::{entry, exclusion, kind, record, run_well};
use ringleader::check::{Budget, Property, Scope, View, Watch};
use ringleader::model::Value;
use ringleader::sim::{Delay, Entries, Fault, Load, Refusal, Scenario, Schedule, Workload};
use ringleader::trace::{Input, Recording};

const ONCE: Budget = Budget { crashes: None, recoveries: None, losses: None, duplications: Some(0) };

fn script(wants: &[(u64, u32)]) -> Scenario {
    Scenario { workload: Workload { wants: wants.to_vec(), ..Workload::default() }, ..Scenario::new(4) }
}

fn saturated(n: u32, total: u64) -> Scenario {
    let workload = Workload { load: Some(Load::Saturated), total: Some(total), ..Workload::default() };
    Scenario { workload, ..Scenario::new(n) }
}

fn each(entries: u32, scenario: Scenario) -> Scenario {
    Scenario { workload: Workload { entries: Entries::Each(entries), ..Workload::default() }, ..scenario }
}

/// One request after the other: nothing where the token is, two messages if the home is one of the two, three else.
#[test]
fn an_entry_on_its_own_costs_none_two_or_three() {
    let counts = |wants: &[(u64, u32)]| {
        let report = run_well("homed-chain", &script(wants));
        ["req", "pass", "token"].map(|name| kind(&report, name))
    };
    assert_eq!(counts(&[(0, 0), (20, 0)]), [0, 0, 0], "the home, twice");
    assert_eq!(counts(&[(0, 2)]), [1, 0, 1], "the token is at the home");
    assert_eq!(counts(&[(0, 2), (20, 2)]), [1, 0, 1], "and stays where it was used");
    assert_eq!(counts(&[(0, 2), (20, 0)]), [1, 1, 2], "the home wants it back");
    assert_eq!(counts(&[(0, 2), (20, 3)]), [2, 1, 2], "from one to another");
}

/// The least and the most messages over all schedules, where nothing comes twice; the checker holds them against the
/// bound, too.
#[test]
fn exact_costs() {
    for (n, entries, least, most) in
        [(1, 3, 0, 0), (2, 1, 2, 4), (2, 2, 2, 8), (2, 3, 2, 12), (3, 1, 5, 7), (3, 2, 5, 14), (4, 1, 8, 10)]
    {
        let scope = Scope { entries: Entries::Each(entries), faults: ONCE, ..Scope::new(n) };
        let findings = entry("homed-chain").check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "n={n} entries={entries}: {findings:#?}");
        let messages = findings.messages.unwrap();
        assert_eq!((messages.min, messages.max), (least, Some(most)), "n={n} entries={entries}");
    }
}

#[test]
fn token_under_load_moves_in_one_delay() {
    for n in [3, 15, 100] {
        let report = run_well("homed-chain", &saturated(n, 20 * u64::from(n)));
        let details = exclusion(&report);
        let delay = details.sync_delay.expect("it is handed over");
        assert!(delay.min == 1.0 && delay.max == 1.0, "n={n}: {delay:?}");
        assert!(details.bypass_max < u64::from(n), "n={n}: {details:?}");
    }
}

/// The tokens of a run as they were first sent: their numbers and fences.
fn tokens(recording: &Recording) -> Vec<(u64, u64)> {
    let sent = recording.events.iter().flat_map(|event| &event.sends).filter(|sent| sent.kind == "token");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let mut tokens: Vec<(u64, u64)> =
        sent.map(|sent| (number(&sent.fields[0].1), number(&sent.fields[1].1))).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Whatever comes twice, each owner has its number, and each entry its fence.
#[test]
fn what_comes_twice_changes_nothing() {
    let (mut again, mut twice) = (0, 0);
    for seed in 0..200 {
        let faults = vec![Fault::Duplicate(0.4)];
        let scenario = each(4, Scenario { seed, schedule: Schedule::Random, faults, ..Scenario::new(4) });
        let (report, recording) = record(entry("homed-chain"), &scenario);
        assert!(report.holds(), "seed {seed}: {report:#?}");
        assert_eq!(exclusion(&report).entries, 16);
        let tokens = tokens(&recording);
        assert!(tokens.iter().zip(1..).all(|(token, k)| token.0 == k), "seed {seed}: {tokens:?}");
        assert!(tokens.windows(2).all(|pair| pair[0].1 < pair[1].1), "seed {seed}: {tokens:?}");
        let rules = || recording.events.iter().flat_map(|event| &event.rules);
        again += rules().filter(|rule| **rule == "again").count();
        twice += rules().filter(|rule| **rule == "twice").count();
    }
    assert!(again > 50 && twice > 500, "{again} tokens were sent again, {twice} were not taken");
}

/// At most one process has the token, and where nothing comes twice there is one, here or on its way.
struct OneToken {
    copies: bool,
}

impl Property for OneToken {
    fn name(&self) -> &'static str {
        "there is one token"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let has = |i: &u32| matches!(state.field(*i, "token"), Some(Value::Number(_)));
        let (here, travel) = (state.everybody().filter(has).count(), state.in_transit("token"));
        match (here, travel) {
            (1, 0) | (0, 1) => Ok(()),
            (0 | 1, _) if self.copies => Ok(()),
            (here, travel) => Err(format!("{here} tokens here, {travel} on their way")),
        }
    }
}

#[test]
fn there_is_one_token() {
    for (n, entries) in [(2, 2), (3, 1)] {
        for (copies, faults) in [(false, ONCE), (true, Budget::default())] {
            let scope = Scope { entries: Entries::Each(entries), faults, ..Scope::new(n) };
            let findings = entry("homed-chain").check(&scope, &[&OneToken { copies }], &()).unwrap();
            assert!(findings.holds(), "n={n} entries={entries}: {findings:#?}");
        }
    }
}

/// Whoever waits makes good what was lost: any message, again and again.
#[test]
fn who_asks_again_is_served_whatever_is_lost() {
    let schedules = [Schedule::Rounds, Schedule::Delay(Delay::Uniform(1_000_000, 10_000_000))];
    let (mut lost, mut resent) = (0, 0);
    for seed in 0..150 {
        let schedule = schedules[seed as usize % 2].clone();
        let faults = vec![Fault::Loss(0.3), Fault::Duplicate(0.2)];
        let scenario = each(3, Scenario { seed, schedule, faults, ..Scenario::new(4) });
        let (report, recording) = record(entry("homed-chain-resend"), &scenario);
        assert!(report.holds(), "seed {seed}: {report:#?}");
        assert_eq!(exclusion(&report).entries, 12, "seed {seed}");
        let tokens = tokens(&recording);
        assert!(tokens.windows(2).all(|pair| pair[0].1 < pair[1].1), "seed {seed}: {tokens:?}");
        let fates = recording.events.iter().flat_map(|event| &event.sends).map(|sent| sent.fate);
        lost += fates.filter(|fate| *fate == ringleader::trace::Fate::Lost).count();
        resent += recording.events.iter().filter(|e| matches!(e.input, Input::Timeout(_))).count();
    }
    assert!(lost > 1000 && resent > 1000, "{lost} lost, {resent} times asked again");
}

/// As long as nothing is lost, asking again costs nothing where nobody waits longer than it takes.
#[test]
fn without_loss_it_costs_what_the_chain_costs() {
    for wants in [&[(0, 2)][..], &[(0, 2), (20, 0)], &[(0, 2), (20, 3)]] {
        let [chain, resend] =
            ["homed-chain", "homed-chain-resend"].map(|name| run_well(name, &script(wants)));
        assert_eq!(chain.by_kind, resend.by_kind);
    }
}

/// The setting leads to the other contract, which counts on time.
#[test]
fn setting_selects_the_resending_chain() {
    let settings = vec![("resend".to_owned(), "5".to_owned())];
    let lost = Scenario { faults: vec![Fault::LoseNth { kind: "token".into(), nth: 1 }], ..Scenario::new(3) };
    let chain = entry("homed-chain");
    assert!(matches!(chain.run(&lost, &mut ()), Err(Refusal::FaultExcluded { .. })));
    assert!(chain.run(&Scenario { settings, ..lost.clone() }, &mut ()).unwrap().holds());
    let random = Scenario { schedule: Schedule::Random, ..Scenario::new(3) };
    let refused = entry("homed-chain-resend").run(&random, &mut ());
    assert!(matches!(refused, Err(Refusal::NeedsBoundedDelay { .. })));
}
