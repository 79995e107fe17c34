//! What a detector makes of beats: regular ones, irregular ones, outages, and clocks that are no good.

use super::*;
use ringleader::rng::{Purpose, Rng};

const PATIENCE: Patience = Patience {
    heartbeat: Micros::millis(100),
    phi: 8,
    window: 100,
    least_deviation: Micros::millis(20),
    pause: Micros::millis(150),
};

/// A detector after beats at these intervals, from a beat at 0 on.
fn after(patience: Patience, intervals: impl IntoIterator<Item = u64>) -> Detector {
    let mut now = Micros(0);
    let mut detector = Detector::new(patience, now);
    detector.heard(now);
    for interval in intervals {
        now = now + Micros(interval);
        detector.heard(now);
    }
    detector
}

fn patience_left(detector: &Detector) -> Micros {
    detector.deadline() - detector.last
}

/// The probability that a normal variable is more than `from` deviations above its mean, by Simpson's rule.
fn tail(from: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (steps, width) = (20_000, 12.0 / 20_000.0);
    let inner: f64 =
        (1..steps).map(|k| if k % 2 == 1 { 4.0 } else { 2.0 } * density(from + f64::from(k) * width)).sum();
    (density(from) + inner + density(from + 12.0)) * width / 3.0
}

#[test]
fn quantiles_are_normal_rounded_up() {
    for (place, &quantile) in QUANTILES.iter().enumerate() {
        let chance = 10f64.powi(-(place as i32 + 1));
        let z = quantile as f64 / 1000.0;
        assert!(tail(z) <= chance && chance < tail(z - 0.001), "{quantile}: {} for {chance}", tail(z));
    }
}

#[test]
fn regular_beats_give_mean_deviation_and_pause() {
    let detector = after(PATIENCE, [100_000; 50]);
    let expected = Micros::millis(100) + Micros(20 * 5613) + Micros::millis(150);
    assert_eq!(patience_left(&detector), expected);
    let deadline = detector.deadline();
    assert!(!detector.suspects(deadline - Micros(1)));
    assert!(detector.suspects(deadline));
}

#[test]
fn nothing_is_believed_before_enough_was_heard() {
    let fresh = Detector::new(PATIENCE, Micros(7));
    let wide = Micros::millis(100) + Micros(50 * 5613) + Micros::millis(150);
    assert_eq!(fresh.deadline(), Micros(7) + wide);
    // The time until the first beat is no interval.
    let mut late = Detector::new(PATIENCE, Micros(0));
    late.heard(Micros::millis(90_000));
    assert!(late.intervals.is_empty());
    for few in 0..ENOUGH {
        assert_eq!(patience_left(&after(PATIENCE, vec![100_000; few])), wide, "{few} intervals");
    }
    assert!(patience_left(&after(PATIENCE, vec![100_000; ENOUGH])) < wide);
}

#[test]
fn irregular_beats_make_it_more_patient() {
    let regular = after(PATIENCE, [100_000; 100]);
    let irregular = after(PATIENCE, [40_000, 160_000].repeat(50));
    // The mean is the same and the deviation 60 ms instead of 20 ms.
    let more = patience_left(&irregular) - patience_left(&regular);
    assert!(more >= Micros(40 * 5613) && more <= Micros(41 * 5613), "{more}");
    // And regular ones make it forget, after a window.
    let mut calm = irregular;
    for _ in 0..100 {
        calm.heard(calm.last + Micros::millis(100));
    }
    assert_eq!(patience_left(&calm), patience_left(&regular));
}

#[test]
fn outage_does_not_raise_tolerance() {
    let before = after(PATIENCE, [100_000; 100]);
    let mut detector = before.clone();
    detector.heard(before.last + Micros::millis(3_600_000));
    // What waited on the way comes all at once.
    for _ in 0..20 {
        detector.heard(detector.last + Micros(10));
    }
    let least = Micros::millis(250);
    assert!(patience_left(&detector) > least, "{}", patience_left(&detector));
    assert!(patience_left(&detector).0 < 2 * patience_left(&before).0, "{}", patience_left(&detector));
}

#[test]
fn tolerance_adapts_to_late_beats() {
    let mut detector = after(PATIENCE, [100_000; 100]);
    let slow = Micros::millis(600);
    assert!(detector.suspects(detector.last + slow));
    for _ in 0..100 {
        detector.heard(detector.last + slow);
    }
    assert!(!detector.suspects(detector.last + slow));
}

#[test]
fn level_reaches_phi_at_suspicion() {
    let mut rng = Rng::new(1, Purpose::Schedule);
    for phi in 1..=16 {
        for least_deviation in [Micros(0), Micros(3), Micros::millis(20)] {
            let patience = Patience { phi, least_deviation, ..PATIENCE };
            let intervals: Vec<u64> = (0..rng.below(40)).map(|_| rng.exponential(100_000)).collect();
            let detector = after(patience, intervals);
            let (deadline, level) = (detector.deadline(), 10 * u32::from(phi));
            assert!(detector.phi_tenths(deadline - Micros(1)) < level, "{detector:?}");
            assert!(detector.phi_tenths(deadline) >= level, "{detector:?}");
            let mut now = detector.last;
            let mut before = 0;
            assert_eq!(detector.phi_tenths(now), 0);
            while before < 160 {
                now = now + Micros(1 + rng.below(5_000));
                let tenths = detector.phi_tenths(now);
                assert!(tenths >= before, "{before} and then {tenths}");
                assert_eq!(detector.suspects(now), tenths >= level);
                before = tenths;
            }
        }
    }
}

#[test]
fn no_clock_and_no_setting_does_harm() {
    let numbers = [0, 1, 1000, u64::from(u32::MAX), u64::MAX];
    for (heartbeat, phi, window) in numbers
        .iter()
        .flat_map(|&h| [0, 1, 16, 255].map(|phi| (h, phi)))
        .flat_map(|(h, phi)| [0, 1, 2, u16::MAX].map(|window| (Micros(h), phi, window)))
    {
        for (least, pause) in numbers.iter().flat_map(|&least| numbers.map(|p| (Micros(least), Micros(p)))) {
            let patience = Patience { heartbeat, phi, window, least_deviation: least, pause };
            let mut detector = Detector::new(patience, Micros(0));
            for now in [0, 0, 5, 3, u64::MAX / 2, 7, u64::MAX, 0, u64::MAX] {
                detector.heard(Micros(now));
                assert!(detector.deadline() >= detector.last);
                assert!(detector.phi_tenths(Micros(now)) <= 160);
                assert!(detector.intervals.len() <= usize::from(window));
            }
        }
    }
    // A clock that goes back is taken to stand still.
    let mut detector = after(PATIENCE, [100_000; 20]);
    let before = detector.last;
    detector.heard(Micros(0));
    assert_eq!(detector.last, before);
}
