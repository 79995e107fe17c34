//! The link, searched through everything that a network may do to it.

use super::courier::{Courier, Flaw};
use crate::check::{self, Budget, Counterexample, Findings, Property, Scope, Starts, View, Watch};
use crate::model::{Name, Value};
use crate::sim::{self, Delay, Fault, Scenario, Schedule};

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
        // Of an earlier incarnation, or to one, everything may have been acknowledged before it was forgotten.
        if number(0, "peer") != number(1, "mine") {
            return Ok(());
        }
        let taken = if number(1, "peer") == number(0, "mine") { number(1, "got") } else { 0 };
        let acked = number(0, "acked");
        if acked <= taken { Ok(()) } else { Err(format!("{acked} acknowledged, {taken} taken")) }
    }
}

/// So many payloads, and what may go wrong on the way.
#[derive(Clone, Copy, Debug)]
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

#[test]
fn probe() {
    for restarts in ["none", "sender", "receiver", "both"] {
        for (payloads, losses, duplications) in
            [(1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0), (2, 1, 0), (2, 1, 1)]
        {
            let start = std::time::Instant::now();
            let c = case(payloads, restarts, 0, losses, duplications);
            let f = timed(c, Flaw::Nothing);
            println!(
                "timed {c:?}: {:?} {} states {:?} {:?}",
                f.answer,
                f.states,
                start.elapsed(),
                f.counterexample.map(|c| (c.property, c.detail))
            );
        }
    }
}

#[test]
fn probe2() {
    for restarts in ["none", "sender", "receiver", "both"] {
        for (payloads, tries, losses, duplications) in
            [(1, 0, 0, 1), (1, 1, 1, 0), (1, 1, 0, 1), (2, 0, 0, 1), (2, 1, 0, 0), (2, 1, 0, 1)]
        {
            let start = std::time::Instant::now();
            let c = case(payloads, restarts, tries, losses, duplications);
            let f = hoarded(c, Flaw::Nothing);
            println!(
                "hoarded {c:?}: {:?} {} states {:?} {:?}",
                f.answer,
                f.states,
                start.elapsed(),
                f.counterexample.map(|c| (c.property, c.detail))
            );
        }
    }
}
