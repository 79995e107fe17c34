//! NTP: each of its functions against tables, then a client among sources that tell the truth and others that lie.

use crate::support::{clocks, entry};
use ringleader::check::{Answer, Scope};
use ringleader::clocks::ntp::cluster::cluster;
use ringleader::clocks::ntp::combine::combine;
use ringleader::clocks::ntp::filter::{Filter, Sample};
use ringleader::clocks::ntp::on_wire::{Measured, measure};
use ringleader::clocks::ntp::select::{Candidate, marzullo, select, surely};
use ringleader::model::Ticks;
use ringleader::sim::{Clocks, Delay, Scatter, Scenario, Schedule};

/// In halves of a tick.
fn half(halves: i64) -> Ticks {
    Ticks::ratio(halves, 2)
}

#[test]
fn offset_and_delay_of_four_stamps() {
    let stamps = [100, 250, 252, 130].map(Ticks::whole);
    assert_eq!(measure(stamps), Measured { offset: Ticks::whole(136), delay: Ticks::whole(28) });
    for (o, a, b) in (-4..=4).flat_map(|o| (1..=5).flat_map(move |a| (1..=5).map(move |b| (o, a, b)))) {
        let stamps = [0, a + o, a + o + 7, a + b + 7].map(Ticks::whole);
        let Measured { offset, delay } = measure(stamps);
        let true_offset = Ticks::whole(o);
        assert_eq!(delay, Ticks::whole(a + b));
        assert_eq!(offset - true_offset, half(a - b));
        assert!((offset - true_offset).abs() <= delay.over(2));
    }
}

/// The offset that is chosen in ms, the dispersion in ns, the jitter in ns, and whether it is used; the last digit is
/// rounded.
#[test]
fn filter_of_ten_samples() {
    let table = [
        (12, 30, 12, 7_938_000_000, 0, true),
        (10, 20, 10, 3_938_490_000, 2_000_000, true),
        (25, 60, 10, 1_939_335_000, 10_700_467, false),
        (11, 22, 10, 939_817_500, 8_755_950, false),
        (-3, 48, 10, 440_688_750, 9_987_492, false),
        (10, 21, 10, 191_019_375, 8_933_085, false),
        (14, 35, 10, 66_912_187, 8_316_650, false),
        (9, 19, 9, 3_182_344, 7_928_250, true),
        (13, 28, 9, 3_898_594, 7_991_066, false),
        (12, 24, 9, 3_774_844, 8_062_258, false),
    ];
    let mut filter = Filter::default();
    for (place, (offset, delay, chosen, dispersion, jitter, used)) in (1..).zip(table) {
        let found = filter.take(
            Sample {
                offset: Ticks::whole(offset),
                delay: Ticks::whole(delay),
                dispersion: Ticks::whole(1),
                at: Ticks::whole(64_000 * place),
            },
            15,
        );
        // A tick is a millisecond; of a nanosecond there are 63 parts.
        let near =
            |found: Ticks, nanoseconds: i64| (found - Ticks::of_parts(63 * nanoseconds)).abs().parts() <= 63;
        assert_eq!(found.best.offset, Ticks::whole(chosen), "sample {place}");
        assert!(near(found.dispersion, dispersion), "sample {place}: {}", found.dispersion);
        assert!(near(found.jitter, jitter), "sample {place}: {}", found.jitter);
        assert_eq!(found.is_new, used, "sample {place}");
    }
}

fn candidates(halves: &[(i64, i64)]) -> Vec<Candidate> {
    halves
        .iter()
        .map(|&(offset, distance)| Candidate { offset: half(offset), distance: half(distance) })
        .collect()
}

fn by_sources((sources, _points): (usize, usize), allow: usize) -> i64 {
    sources as i64 - allow as i64
}

/// What sources say, in halves: what is selected, and the interval and number of Marzullo's form.
type Row<'a> = (&'a [(i64, i64)], Option<((i64, i64), usize, Vec<usize>)>, Option<((i64, i64), usize)>);

#[test]
fn select_finds_the_majority() {
    let table: [Row<'_>; 5] = [
        (&[(20, 4), (24, 2), (22, 2)], Some(((20, 24), 1, vec![0, 1, 2])), Some(((22, 24), 3))),
        (&[(20, 4), (24, 2), (29, 1)], None, Some(((22, 24), 2))),
        (&[(20, 2), (21, 2), (40, 2), (41, 2)], None, Some(((19, 22), 2))),
        (&[(0, 20), (2, 20), (4, 6), (100, 2)], Some(((-2, 10), 1, vec![0, 1, 2])), None),
        (&[(0, 8), (2, 8), (4, 8), (16, 4), (-18, 6)], Some(((-4, 8), 2, vec![0, 1, 2])), None),
    ];
    for (says, expected, smallest) in table {
        let found = select(&candidates(says), by_sources);
        let expected =
            expected.map(|((low, high), allow, true_ones)| (half(low), half(high), allow, true_ones));
        assert_eq!(found.map(|a| (a.low, a.high, a.allow, a.truechimers)), expected, "{says:?}");
        if let Some(((low, high), count)) = smallest {
            assert_eq!(marzullo(&candidates(says)), Some((half(low), half(high), count)), "{says:?}");
        }
    }
}

/// All sets of so many sources with small offsets and distances, in which a majority holds the truth, 0.
fn every_set(m: u32, see: &mut dyn FnMut(&[Candidate], usize)) {
    let offsets: Vec<i64> = (-3..=3).collect();
    let distances = [1i64, 2, 3];
    let each = (offsets.len() * distances.len()) as u64;
    for number in 0..each.pow(m) {
        let mut rest = number;
        let set: Vec<Candidate> = (0..m)
            .map(|_| {
                let one = (rest % each) as usize;
                rest /= each;
                let offset = Ticks::whole(offsets[one % offsets.len()]);
                Candidate { offset, distance: Ticks::whole(distances[one / offsets.len()]) }
            })
            .collect();
        let liars = set.iter().filter(|one| one.offset.abs() > one.distance).count();
        if 2 * liars < m as usize {
            see(&set, liars);
        }
    }
}

#[test]
fn the_truth_is_inside_where_few_enough_lie() {
    for m in 1..=3 {
        every_set(m, &mut |set, liars| {
            let zero = Ticks::ZERO;
            if let Some(agreed) = select(set, by_sources)
                && agreed.allow >= liars
            {
                assert!(agreed.low <= zero && zero <= agreed.high, "{set:?}");
            }
            let most = (set.len() - 1) / 2;
            let (low, high) = surely(set, most).expect("a majority meets at 0");
            assert!(low <= zero && zero <= high, "{set:?}");
        });
    }
}

#[test]
fn the_skeleton_selects_nobody() {
    for m in 1..=3 {
        every_set(m, &mut |set, _| {
            assert_eq!(select(set, |(_, points), allow| points as i64 - allow as i64), None);
        });
    }
    let found = entry("ntp@skeleton").run(&Scenario::new(5), &mut ()).unwrap();
    assert_eq!(clocks(&found).promise, None, "nobody is followed");
    assert!(clocks(&entry("ntp").run(&Scenario::new(5), &mut ()).unwrap()).promise.is_some());
}

#[test]
fn closest_survive_and_are_combined() {
    let says = [(0, 8), (2, 8), (4, 4), (12, 16), (2, 16)];
    let all = candidates(&says);
    let offsets: Vec<Ticks> = all.iter().map(|one| one.offset).collect();
    let left = cluster(&offsets, &[Ticks::ratio(1, 10); 5]);
    assert_eq!(left, [0, 1, 4]);
    let survivors: Vec<Candidate> = left.iter().map(|&place| all[place]).collect();
    assert_eq!(combine(&survivors), Some(Ticks::ratio(3, 5)));
    assert_eq!(combine(&all), Some(Ticks::ratio(17, 10)));
    assert_eq!(combine(&[]), None);
}

fn day(polls: u32, seed: u64) -> Scenario {
    Scenario {
        schedule: Schedule::Delay(Delay::Uniform(5_000_000, 30_000_000)),
        clocks: Clocks {
            // Three tell the truth, one is half a second ahead; the client is off and drifts.
            offsets: Scatter::Listed(vec![0, 0, 0, 500, -300]),
            drifts: Scatter::Listed(vec![0, 0, 0, 0, 50]),
            ..Clocks::default()
        },
        settings: vec![("rounds".into(), polls.to_string())],
        seed,
        ..Scenario::new(5)
    }
}

#[test]
fn a_day_with_a_liar_is_kept_within_the_promise() {
    for seed in 0..5 {
        let report = entry("ntp").run(&day(1350, seed), &mut ()).unwrap();
        assert!(report.holds(), "{:?}", report.properties);
        assert_eq!(report.messages, 2 * 4 * 1350);
        let details = clocks(&report);
        assert!(details.error_final.unwrap() <= details.promise.unwrap());
        assert!(details.error_max.unwrap() < Ticks::whole(60), "{}", details.error_max.unwrap());
    }
}

/// The control: with two of four that lie alike the promise is broken.
#[test]
fn two_liars_of_four_are_too_many() {
    let offsets = Scatter::Listed(vec![0, 500, 500, 500, -300]);
    let clocks = Clocks { offsets, ..day(30, 0).clocks };
    let scenario = Scenario { clocks, ..day(30, 0) };
    assert!(entry("ntp").run(&scenario, &mut ()).is_err());
    let report = entry("ntp").run(&Scenario { unsound: true, ..scenario }, &mut ()).unwrap();
    assert!(!report.holds());
}

#[test]
fn every_delay_is_within_the_promise() {
    for n in 2..=3 {
        let found = entry("ntp").check(&Scope::new(n), &[], &()).unwrap();
        assert_eq!(found.answer, Answer::Holds, "{n}: {:?}", found.properties);
    }
}
