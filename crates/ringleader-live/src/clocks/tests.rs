//! Clocks that run too fast, and those that only seem to.

use super::*;
use ringleader::rng::{Purpose, Rng};

/// Two clocks that run so many parts per million too fast, and beats whose delay is drawn.
struct Pair {
    ours: i64,
    theirs: i64,
    every: u64,
    offset: u64,
}

impl Pair {
    fn reading(at: u64, fast: i64) -> u64 {
        (i128::from(at) * (1_000_000 + i128::from(fast)) / 1_000_000) as u64
    }

    /// What the watch says after each beat of so many seconds, in order.
    fn watch(&self, seconds: u64, drift: u32, mut delay: impl FnMut(u64) -> u64) -> Vec<i64> {
        let mut watch = ClockWatch::new(drift);
        let mut last = 0;
        let said = (0..seconds * 1_000_000 / self.every).map(|number| {
            let sent = number * self.every;
            // On one connection nothing overtakes.
            last = last.max(sent + delay(sent));
            watch.beat(
                Micros(self.offset + Pair::reading(sent, self.theirs)),
                Micros(Pair::reading(last, self.ours)),
            );
            watch.off()
        });
        said.collect()
    }
}

#[test]
fn a_wrong_clock_is_found_within_half_a_minute() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed, Purpose::Faults);
        for (ours, theirs, drift) in [
            (0, 15_500, 5000),
            (0, -15_500, 5000),
            (9000, -7000, 5000),
            (0, 10_000, 2000),
            (0, 500_000, 5000),
        ] {
            let pair = Pair { ours, theirs, every: 100_000, offset: rng.below(1 << 50) };
            let said = pair.watch(35, drift, |_| rng.below(20_000));
            let found = *said.last().unwrap();
            let really = (theirs - ours) as f64 / (1.0 + ours as f64 / 1e6);
            assert_eq!(found.signum(), (theirs - ours).signum(), "seed {seed}: {ours} {theirs}");
            // It says what is certain: not more than there is, bar what chance adds to either end.
            assert!(found.abs() as f64 <= really.abs() + 500.0, "seed {seed}: {found} of {really}");
            assert!(said[..240].iter().all(|&off| off == 0), "nothing is certain before 24 seconds");
        }
    }
}

#[test]
fn clocks_within_their_bounds_are_never_accused() {
    for seed in 0..400 {
        let mut rng = Rng::new(seed, Purpose::Faults);
        let sign = |rng: &mut Rng| if rng.below(2) == 0 { 4000 } else { -4000 };
        let pair = Pair {
            ours: sign(&mut rng),
            theirs: sign(&mut rng),
            every: [50_000, 100_000, 1_000_000][rng.below(3) as usize],
            offset: rng.below(1 << 50),
        };
        let said = match seed % 4 {
            0 => pair.watch(120, 5000, |_| rng.below(200_000)),
            1 => pair.watch(120, 5000, |_| rng.below(20_000)),
            // Now and then a long pause, in which everything piles up.
            2 => pair.watch(120, 5000, |_| if rng.below(50) == 0 { 3_000_000 } else { rng.below(5000) }),
            // The way becomes longer, and shorter again.
            _ => {
                pair.watch(120, 5000, |at| rng.below(50_000) + if at / 40_000_000 == 1 { 200_000 } else { 0 })
            }
        };
        assert!(said.iter().all(|&off| off == 0), "seed {seed}: {said:?}");
    }
}

#[test]
fn whoever_runs_right_again_is_trusted_again() {
    let mut watch = ClockWatch::new(5000);
    let (mut theirs, mut wrong) = (0, Vec::new());
    for number in 0..1000u64 {
        theirs += if number < 400 { 105_000 } else { 100_000 };
        watch.beat(Micros(theirs), Micros(number * 100_000));
        wrong.push(watch.is_wrong());
    }
    assert!(wrong[399] && !wrong[999]);
}

#[test]
fn a_peer_may_say_anything_at_all() {
    let goes_back = |drift: u32| {
        let mut watch = ClockWatch::new(drift);
        for number in 0..1000u64 {
            watch.beat(Micros(u64::MAX - number * (u64::MAX / 1000)), Micros(number * 100_000));
        }
        watch.off()
    };
    assert!(goes_back(999_999) < 0);
    assert_eq!(goes_back(u32::MAX), 0, "nothing is wrong where everything is allowed");
    let mut watch = ClockWatch::new(0);
    (0..1000).for_each(|_| watch.beat(Micros(7), Micros(7)));
    assert_eq!(watch.off(), 0, "no time has passed");
}
