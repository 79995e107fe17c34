//! Probabilistic Franklin: how many rounds it takes, measured against what is expected.
//!
//! Seeds are fixed, so that a test passes always or never. Means are held within five standard errors: of a million
//! such comparisons of a right program one would fail.

use crate::support::{entry, record, run_well};
use ringleader::check::{Scope, Starts};
use ringleader::model::Orientation;
use ringleader::sim::{Ports, Scenario};

fn rounds(n: u32, range: u32, seed: u64) -> f64 {
    run_well("probabilistic-franklin", &Scenario { range, seed, ..Scenario::new(n) }).phases.unwrap() as f64
}

/// The mean, and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// The exact expectation, over all draws, of the checker; it is the same under every schedule.
fn expected(n: u32, range: u32) -> f64 {
    let scope = Scope { range, starts: Starts::All, ports: Ports::Kind(Orientation::Same), ..Scope::new(n) };
    let findings = entry("probabilistic-franklin").check(&scope, &[], &()).unwrap();
    let (least, most) = findings.probability.unwrap().expected_rounds.unwrap();
    assert!((most - least).abs() < 1e-9, "n={n} k={range}: {least} to {most}");
    least
}

#[test]
fn measured_rounds_match_the_checker() {
    for (n, range) in [(1, 2), (2, 2), (2, 3), (3, 2), (3, 3)] {
        let expected = expected(n, range);
        let measured: Vec<f64> = (0..4000).map(|seed| rounds(n, range, seed)).collect();
        let (mean, error) = mean(&measured);
        assert!(
            (mean - expected).abs() <= 5.0 * error,
            "n={n} k={range}: {mean} ± {error}, expected {expected}"
        );
    }
    // Two processes: they go on together as long as they draw the same, and one round more finds the one alone.
    assert!((expected(2, 2) - 3.0).abs() < 1e-9);
}

/// Of many active processes a round keeps (k+1)(2k+1)/6k²: those whose draw is not below those of both neighbours.
#[test]
fn a_round_keeps_the_expected_share() {
    for range in [2u32, 3, 8, 1000] {
        let k = f64::from(range);
        let share = (k + 1.0) * (2.0 * k + 1.0) / (6.0 * k * k);
        let scenario = Scenario { range, seed: 7, ..Scenario::new(6_000) };
        let mut draws = vec![0usize; 6_000];
        for event in record(entry("probabilistic-franklin"), &scenario).1.events {
            draws[event.process as usize] += event.choices.len();
        }
        let active = |round: usize| draws.iter().filter(|&&drawn| drawn >= round).count() as f64;
        let mut compared = 0;
        for round in (1..).take_while(|&round| active(round) >= 500.0) {
            // Whether one stays depends on the draws of three: on those up to two places away, four others, so that
            // the variance is at most five times that of independent ones.
            let spread = (5.0 * active(round) * share * (1.0 - share)).sqrt();
            let off = (active(round + 1) - active(round) * share).abs();
            assert!(
                off <= 4.0 * spread,
                "k={range} round {round}: {} of {}",
                active(round + 1),
                active(round)
            );
            compared += 1;
        }
        assert!(compared >= 2, "k={range}");
    }
}

/// The paper says that about half become passive in a round; for k = 2 it is 3/8, and 500 processes take 13.8 rounds.
#[test]
fn five_hundred_processes_take_fourteen_rounds() {
    let measured: Vec<f64> = (0..300).map(|seed| rounds(500, 2, seed)).collect();
    let (mean, error) = mean(&measured);
    assert!((mean - 13.8).abs() <= 5.0 * error.max(0.05), "{mean} ± {error}");
}
