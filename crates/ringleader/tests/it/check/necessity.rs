//! Each declared need is needed: without it there is a counterexample, or a word on why there is none.
//!
//! The other side, that the needs are enough, is the battery's: it checks in the weakest environment that they admit.

use super::{check, violated};
use crate::support::right;
use ringleader::check::{Arrangements, Budget, Scope};
use ringleader::model::{Links, Orientation, Shape};
use ringleader::registry::Entry;
use ringleader::sim::Ports;

/// A need without which nothing goes wrong, and why it is declared all the same.
const HARMLESS: &[(&str, &str, &str)] = &[
    (
        "hirschberg-sinclair",
        "fifo",
        "a candidate asks again only when it has its answers, so that nothing of its own can be overtaken; what others \
         ask is taken in any order; declared as in the literature",
    ),
    (
        "hirschberg-sinclair",
        "orientation",
        "an answer goes back where the question came from, all else to the other side, whatever it is called; declared \
         as in the literature",
    ),
    (
        "van-leeuwen-tan",
        "fifo",
        "a chase that is overtaken by one of a later phase is dropped, and what comes before phase 0 is over waits; \
         assumed in the paper's proofs",
    ),
    (
        "alternate",
        "fifo",
        "what a candidate sends to a side follows an answer from there, so that no link ever carries two messages, and \
         none can be overtaken; declared as in the literature",
    ),
    (
        "franklin",
        "orientation",
        "a relay passes on to the other side, whatever it is called; declared as in the literature",
    ),
    (
        "itai-rodeh-sync",
        "lock-step",
        "with FIFO links it works asynchronously as well: a process has all n draws of a round before the next",
    ),
    (
        "itai-rodeh-sync",
        "fifo",
        "in lock-step no link ever carries two messages, so that none can be overtaken",
    ),
    (
        "chang-roberts",
        "no duplication",
        "a second copy of an identity is swallowed or goes where the first went",
    ),
    (
        "ring-collect",
        "no duplication",
        "a second copy makes the same laps, and comes to the same result at its own cost",
    ),
    (
        "token-ring-failover",
        "fifo",
        "an old token is swallowed wherever it turns up, and Chang and Roberts need no order; but most elections that \
         it may hold inside do",
    ),
    (
        "berkeley-failover",
        "fifo",
        "what comes late is known by its epoch and its round, and Chang and Roberts need no order; but most elections \
         that it may hold do",
    ),
    (
        "berkeley-failover",
        "failure-detector",
        "without it nobody is told of a crash, and whoever waits for the old master gives up; but nobody is elected",
    ),
    (
        "berkeley-failover",
        "no loss",
        "whoever hears nothing knows that it has lost contact; declared because an election that loses a message ends \
         nowhere",
    ),
    (
        "humblet",
        "fifo",
        "it elects all the same, and only the most that it sends grows (from 20 to 21 with four processes); declared \
         as in the literature",
    ),
    (
        "homed-chain-resend",
        "bounded-delay",
        "a request that is made again too early is known by its number; but without a bound nothing says how long to \
         wait, and there is no end to what may be on its way",
    ),
    (
        "cristian",
        "no crash",
        "whoever gets no answer knows that it has lost contact; declared because then nobody is set",
    ),
    ("berkeley", "no crash", "likewise: without the master nobody is set"),
    ("ntp", "no crash", "likewise: without its sources the client is not set"),
    (
        "ntp",
        "delay-bounds",
        "an answer that is later than that counts as lost; but without a bound nothing says how long to wait",
    ),
    ("bully", "no duplication", "every message may come twice: answers are late, elections are under way"),
];

/// What only a type can hold: there is no way to run the algorithm without it. Clocks of a check do not drift: what
/// comes of a bound that is wrong, `clocks::undeclared_drift_breaks_promises` shows.
const BY_TYPE: &[&str] = &["names", "known-n", "known-degree", "random-ids", "random-choices", "drift-bound"];

const NO_FAULTS: Budget =
    Budget { crashes: Some(0), recoveries: Some(0), losses: Some(0), duplications: Some(0) };

/// The scopes in which a need is dropped, smallest first.
fn without(entry: &Entry, need: &str) -> Vec<Scope> {
    let scope = |n: u32| Scope {
        ids: Arrangements::All,
        unsound: true,
        expectations: false,
        max_states: Some(1_000_000),
        ..Scope::new(n)
    };
    let sizes = (2..=4).filter(|&n| entry.spec.needs.processes.admits(n));
    let every = |change: &dyn Fn(Scope) -> Scope| sizes.clone().map(|n| change(scope(n))).collect::<Vec<_>>();
    match need {
        // A link that holds one message has no order.
        "fifo" if entry.spec.stabilises() => every(&|scope| Scope {
            links: Some(Links::Bag),
            settings: vec![("capacity".into(), "2".into())],
            ..scope
        })
        .into_iter()
        .take(1)
        .collect(),
        "fifo" => every(&|scope| Scope { links: Some(Links::Bag), ..scope }),
        "half-duplex" => every(&|scope| Scope { links: Some(Links::Fifo), ..scope }),
        "orientation" => every(&|scope| Scope { ports: Ports::Kind(Orientation::Random), ..scope }),
        "distinct-ids" => [vec![2, 2], vec![2, 2, 1]]
            .into_iter()
            .map(|ids| Scope { ids: Arrangements::Listed(ids.clone()), ..scope(ids.len() as u32) })
            .collect(),
        "bounded-delay" => every(&|scope| Scope { max_delay: Some(2), faults: NO_FAULTS, ..scope })
            .into_iter()
            .take(2)
            .collect(),
        "delay-bounds" => {
            let faults = NO_FAULTS;
            every(&|scope| Scope { min_delay: Some(0), max_delay: Some(4), faults, ..scope })
                .into_iter()
                .take(2)
                .collect()
        }
        "failure-detector" => every(&|scope| Scope { detector: false, ..scope }),
        // The ring is closed over those that crash before the election, not over those that crash now.
        "no crash" | "bypass" => {
            every(&|scope| Scope { faults: Budget { crashes: Some(1), ..NO_FAULTS }, ..scope })
        }
        "no loss" => every(&|scope| Scope { faults: Budget { losses: Some(1), ..NO_FAULTS }, ..scope }),
        "no duplication" => {
            every(&|scope| Scope { faults: Budget { duplications: Some(1), ..NO_FAULTS }, ..scope })
        }
        other => panic!("{}: how is the need `{other}` dropped?", entry.spec.name),
    }
}

/// What an algorithm needs, the faults that must not happen included.
fn needs(entry: &Entry) -> Vec<&'static str> {
    let mut needs = entry.needs();
    let tolerates = entry.spec.needs.tolerates;
    let excluded = [
        (tolerates.crash, "no crash"),
        (tolerates.loss, "no loss"),
        (tolerates.duplication, "no duplication"),
    ];
    needs.extend(excluded.into_iter().filter(|(tolerated, _)| !tolerated).map(|(_, need)| need));
    needs.retain(|need| !BY_TYPE.contains(need));
    if entry.shape == Shape::Memory {
        // There are no messages to lose.
        needs.retain(|need| *need == "no crash");
    }
    if entry.spec.stabilises() {
        // Machines that begin anywhere have no faults but their beginning.
        needs.retain(|need| !need.starts_with("no "));
    }
    needs
}

#[test]
fn without_a_need_it_fails() {
    for entry in right() {
        let name = entry.spec.name;
        for need in needs(entry) {
            if HARMLESS.iter().any(|row| (row.0, row.1) == (name, need)) {
                continue;
            }
            let found = without(entry, need).into_iter().find_map(|scope| {
                let findings = check(name, &scope);
                violated(&findings).map(|property| (property, findings))
            });
            let (property, findings) = found.unwrap_or_else(|| {
                panic!(
                    "{name} does without {need}: take it out of the contract, or say in HARMLESS why it stays"
                )
            });
            assert!(
                !findings.outside.is_empty() || need.starts_with("no ") || need == "bypass",
                "{name} without {need}: {property}"
            );
            assert!(findings.counterexample.is_some(), "{name} without {need}");
        }
    }
}

/// What is said to be harmless is: nothing goes wrong without it, as far as a small search can tell.
#[test]
fn harmless_needs_are_harmless() {
    for &(name, need, why) in HARMLESS {
        let entry = crate::support::entry(name);
        assert!(needs(entry).contains(&need), "{name} does not declare {need} any more");
        if need == "lock-step" {
            // There is no asynchronous run of a lock-step algorithm to look at.
            continue;
        }
        for scope in without(entry, need)
            .into_iter()
            .filter(|scope| scope.n == 2 || scope.n == 3 && !["bully", "berkeley-failover"].contains(&name))
        {
            assert_eq!(violated(&check(name, &scope)), None, "{name} without {need}, though {why}");
        }
    }
}

/// Both tokens lost at once is what the contract of Misra's algorithm excludes.
#[test]
fn misra_cannot_lose_both_tokens() {
    let scope = Scope { unsound: true, faults: Budget { losses: Some(2), ..NO_FAULTS }, ..Scope::new(2) };
    assert_eq!(violated(&check("misra-bounded", &scope)), Some("nobody waits for ever"));
    let two_losses = Scope { unsound: false, ..scope };
    assert!(check("misra-bounded", &two_losses).holds(), "one after the other is tolerated");
}
