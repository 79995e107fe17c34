//! The link, searched through everything that a network may do to it.

use super::courier::{Courier, Flaw, RESTARTS};
use ringleader::check::{self, Budget, Findings, Property, Scope, Starts, View, Watch};
use ringleader::model::{Links, Name, Value};
use ringleader::sim::{self, Delay, Fault, Scenario, Schedule};

/// Whatever is acknowledged has been taken out at the other end.
struct AcknowledgedIsTaken;

impl Property for AcknowledgedIsTaken {
    fn name(&self) -> &'static str {
        "what is acknowledged has been taken"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let number = |process, name| match state.field(process, name) {
            Some(Value::Number(number)) => number,
            Some(_) | None => 0,
        };
        // Of an earlier incarnation, or to one, everything may have been acknowledged before it was
        // forgotten.
        if number(0, "peer") != number(1, "mine") {
            return Ok(());
        }
        let taken = if number(1, "peer") == number(0, "mine") { number(1, "got") } else { 0 };
        let acked = number(0, "acked");
        if acked <= taken { Ok(()) } else { Err(format!("{acked} acknowledged, {taken} taken")) }
    }
}

/// So many payloads, and what may go wrong on the way.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Case {
    payloads: u32,
    restarts: &'static str,
    tries: u32,
    losses: u32,
    duplications: u32,
}

fn scope(case: Case, flaw: Flaw) -> Scope {
    let Case { payloads, restarts, tries, losses, duplications } = case;
    Scope {
        starts: Starts::AllLate,
        faults: Budget {
            crashes: Some(0),
            losses: Some(losses),
            duplications: Some(duplications),
            ..Budget::default()
        },
        settings: settings(payloads, restarts, tries, flaw),
        // That an incarnation is smaller than an earlier one is noticed only if greetings do not outlive
        // their connection.
        links: restarts.contains("clock back").then_some(Links::Fifo),
        max_delay: Some(1),
        max_states: Some(3_000_000),
        ..Scope::new(2)
    }
}

fn settings(payloads: u32, restarts: &str, tries: u32, flaw: Flaw) -> Vec<(String, String)> {
    let given = [
        ("payloads", payloads.to_string()),
        ("restarts", restarts.to_string()),
        ("tries", tries.to_string()),
        ("flaw", flaw.index().to_string()),
    ];
    given.map(|(name, value)| (name.to_string(), value)).to_vec()
}

/// With a clock: everything arrives in the end.
fn timed(case: Case, flaw: Flaw) -> Findings {
    check::election::<Courier<true>>(&scope(case, flaw), &[&AcknowledgedIsTaken], &()).unwrap()
}

/// Without one: whenever connections are made anew, nothing wrong arrives.
fn hoarded(case: Case, flaw: Flaw) -> Findings {
    let scope = Scope { max_delay: None, safety_only: true, ..scope(case, flaw) };
    check::election::<Courier<false>>(&scope, &[&AcknowledgedIsTaken], &()).unwrap()
}

const fn case(payloads: u32, restarts: &'static str, tries: u32, losses: u32, duplications: u32) -> Case {
    Case { payloads, restarts, tries, losses, duplications }
}

/// Searches each row, and holds the table against what came of it.
fn table(search: fn(Case, Flaw) -> Findings, rows: &[(Case, u64)]) {
    let found: Vec<_> = rows.iter().map(|(case, _)| search(*case, Flaw::Nothing)).collect();
    for ((case, _), findings) in rows.iter().zip(&found) {
        assert!(findings.holds(), "{case:?}: {findings:?}");
    }
    let searched = rows.iter().zip(&found).map(|((case, _), findings)| (*case, findings.states));
    assert_eq!(searched.collect::<Vec<_>>(), rows, "the number of states");
}

/// Everything arrives in the end, exactly once and in order, and both ends learn it: with restarts at any
/// moment, and whichever messages are lost or doubled. In each row every run was searched; the last number is
/// of the states.
#[test]
fn everything_arrives() {
    #[rustfmt::skip]
    let rows = [
        (case(2, "none",                 0, 1, 1),   9_717),
        (case(3, "none",                 0, 2, 0),   6_730),
        (case(1, "sender",               0, 1, 1),  95_226),
        (case(1, "receiver",             0, 1, 1), 105_267),
        (case(2, "sender",               0, 1, 0),  63_471),
        (case(2, "receiver",             0, 1, 0),  83_390),
        (case(1, "sender, clock back",   0, 1, 0),   1_880),
        (case(1, "receiver, clock back", 0, 1, 0),   2_247),
        (case(1, "both",                 0, 0, 0), 257_802),
    ];
    table(timed, &rows);
}

/// Nothing arrives twice, out of order or from another pair of incarnations, and nothing is acknowledged that
/// was not taken, if the network keeps whatever it likes for as long as it likes. That a message is lost need
/// not be tried: it may as well never come.
#[test]
fn nothing_wrong_arrives() {
    #[rustfmt::skip]
    let rows = [
        (case(2, "none",                 1, 0, 1),  25_909),
        (case(1, "sender",               1, 0, 1), 197_124),
        (case(1, "receiver",             1, 0, 1), 253_773),
        (case(2, "sender",               0, 0, 1),  45_261),
        (case(2, "receiver",             0, 0, 1),  59_495),
        (case(1, "both",                 0, 0, 1), 415_871),
        (case(1, "sender twice",         0, 0, 1), 127_604),
        (case(1, "receiver twice",       0, 0, 1), 164_885),
        (case(1, "sender, clock back",   1, 0, 0),   1_627),
        (case(1, "receiver, clock back", 1, 0, 0),   1_844),
    ];
    table(hoarded, &rows);
}

/// Each mistake is found, in a scope in which the link itself holds.
#[test]
fn what_is_wrong_with_a_link_is_found() {
    const EXCLUDED: &str = "no case that the proof excludes";
    let unfounded = AcknowledgedIsTaken.name();
    for (flaw, case, property) in [
        (Flaw::AnySender, case(1, "sender", 0, 0, 0), EXCLUDED),
        (Flaw::AnyReceiver, case(1, "receiver", 0, 0, 0), EXCLUDED),
        (Flaw::TakesAgain, case(1, "none", 0, 0, 1), EXCLUDED),
        (Flaw::TakesEarly, case(2, "none", 0, 0, 0), EXCLUDED),
        (Flaw::AnyAck, case(1, "sender", 0, 0, 0), unfounded),
        (Flaw::AnyGreeting, case(1, "sender", 1, 0, 0), unfounded),
        (Flaw::OldGreeting, case(1, "sender", 0, 0, 1), unfounded),
        (Flaw::KeepsWaiting, case(1, "receiver", 0, 0, 0), EXCLUDED),
        (Flaw::KeepsCounting, case(1, "sender", 0, 0, 0), unfounded),
        (Flaw::ClaimsGap, case(2, "none", 0, 0, 0), unfounded),
        (Flaw::SameAgain, case(1, "receiver", 0, 0, 0), unfounded),
    ] {
        found(flaw, hoarded(case, flaw), property);
        assert!(hoarded(case, Flaw::Nothing).holds(), "{case:?}");
    }
    for flaw in [Flaw::SkipsFirst, Flaw::SilentOnDuplicate] {
        let case = case(1, "none", 0, 1, 0);
        found(flaw, timed(case, flaw), "every fair run ends");
        assert!(timed(case, Flaw::Nothing).holds(), "{case:?}");
    }
}

fn found(flaw: Flaw, findings: Findings, property: &str) {
    let example = findings.counterexample.unwrap_or_else(|| panic!("not found: a link that {}", flaw.name()));
    assert_eq!(example.property, property, "{}: {}", flaw.name(), example.detail);
}

/// Larger than can be searched: many payloads, and a third of all messages lost, a third doubled.
#[test]
fn many_random_runs_deliver_everything() {
    let units = sim::TICKS_PER_UNIT;
    for seed in 0..2_000 {
        let restarts = RESTARTS[seed as usize % RESTARTS.len()].0;
        let scenario = Scenario {
            seed,
            schedule: Schedule::Delay(Delay::Uniform(1, 4 * units)),
            faults: vec![Fault::Loss(0.33), Fault::Duplicate(0.33)],
            settings: settings(8, restarts, 0, Flaw::Nothing),
            max_steps: Some(100_000),
            ..Scenario::new(2)
        };
        let report = sim::run_election::<Courier<true>>(&scenario, &mut ()).unwrap();
        assert!(report.holds(), "seed {seed}, {restarts}: {report:?}");

        let schedule = if seed % 2 == 0 { Schedule::Random } else { Schedule::Lifo };
        let settings = settings(8, restarts, 9, Flaw::Nothing);
        let scenario = Scenario { schedule, settings, ..scenario };
        let report = sim::run_election::<Courier<false>>(&scenario, &mut ()).unwrap();
        assert!(report.holds(), "seed {seed}, {restarts}: {report:?}");
    }
}
