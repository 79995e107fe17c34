//! Expected values, against those that PRISM publishes for its case studies, and against formulas.

use super::check;
use ringleader::check::{Findings, Scope, Starts};

fn rounds(findings: &Findings) -> (f64, f64) {
    let probability = findings.probability.unwrap();
    assert!(probability.almost_sure && findings.holds());
    probability.expected_rounds.unwrap()
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected, "{value} instead of {expected}");
}

#[test]
fn itai_rodeh_in_lock_step() {
    for (n, range, expected) in [(3, 2, 4.0 / 3.0), (3, 3, 9.0 / 8.0), (4, 2, 2.0), (5, 3, 27.0 / 20.0)] {
        let findings = check("itai-rodeh-sync", &Scope { range, ..Scope::new(n) });
        let (least, most) = rounds(&findings);
        near(least, expected);
        near(most, expected);
        // Every round costs n messages in each of its n steps.
        let messages = findings.probability.unwrap().expected_messages.unwrap();
        near(messages.0, f64::from(n * n) * expected);
    }
}

/// A synchroniser changes neither the rounds nor what they cost, whatever the schedule.
#[test]
fn a_synchroniser_keeps_the_expected_rounds() {
    for (n, expected) in [(2, 2.0), (3, 4.0 / 3.0), (4, 2.0)] {
        let findings = check("itai-rodeh-synchronised", &Scope::new(n));
        let (least, most) = rounds(&findings);
        near(least, expected);
        near(most, expected);
        // Beside the messages of lock-step there is one for each link at the end.
        let messages = findings.probability.unwrap().expected_messages.unwrap();
        near(messages.0, f64::from(n * n) * expected + f64::from(n));
        near(messages.1, f64::from(n * n) * expected + f64::from(n));
    }
}

#[test]
fn itai_rodeh_with_a_coin_under_every_schedule() {
    for (n, expected) in [(3, 10.0 / 3.0), (4, 30.0 / 7.0)] {
        let (least, most) = rounds(&check("itai-rodeh-coin", &Scope::new(n)));
        near(least, expected);
        near(most, expected);
    }
}

/// It sends 2n messages a round and n more, whatever the schedule: what is expected of one follows from the other.
#[test]
fn probabilistic_franklin() {
    let findings = check("probabilistic-franklin", &Scope { starts: Starts::AllLate, ..Scope::new(3) });
    let (least, most) = rounds(&findings);
    near(least, most);
    let messages = findings.probability.unwrap().expected_messages.unwrap();
    near(messages.0, 6.0 * least + 3.0);
    near(messages.1, 6.0 * least + 3.0);
    assert_eq!(findings.messages.unwrap().max, None, "there is no largest number");
}

/// A larger range lets fewer draw the same.
#[test]
fn a_larger_range_is_faster() {
    let of = |range| rounds(&check("itai-rodeh-sync", &Scope { range, ..Scope::new(4) })).0;
    let all: Vec<f64> = [2, 3, 4, 6].into_iter().map(of).collect();
    assert!(all.windows(2).all(|pair| pair[0] > pair[1]), "{all:?}");
}
