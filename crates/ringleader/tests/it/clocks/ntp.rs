//! NTP: each of its functions against tables, then a client among sources that tell the truth and others that lie.

use crate::support::{clocks, entry};
use ringleader::check::{Answer, Scope};
use ringleader::clocks::ntp::cluster::cluster;
use ringleader::clocks::ntp::combine::combine;
use ringleader::clocks::ntp::filter::{Filter, Sample};
use ringleader::clocks::ntp::on_wire::{Measured, measure};
use ringleader::clocks::ntp::select::{Candidate, marzullo, select, surely};
use ringleader::model::Ticks;
use ringleader::sim::{
    Clocks, Crowd, Delay, Fault, Moved, Observer, Scatter, Scenario, Schedule, TICKS_PER_UNIT,
};

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
    for m in 1..=4 {
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

/// A set of up to nine sources, of which fewer than half lie: intervals of any width, and offsets within them or not.
fn drawn_set(draw: &mut impl FnMut(i64) -> i64) -> (Vec<Candidate>, usize) {
    let m = 3 + draw(7);
    let liars = draw((m - 1) / 2 + 1);
    let set = (0..m).map(|place| {
        let distance = 1 + draw(20);
        let offset = if place < liars { distance + 1 + draw(30) } else { draw(distance + 1) };
        let offset = if draw(2) == 0 { offset } else { -offset };
        Candidate { offset: Ticks::whole(offset), distance: Ticks::whole(distance) }
    });
    (set.collect(), liars as usize)
}

#[test]
fn the_truth_is_inside_of_twenty_thousand_drawn_sets() {
    let mut state = 2010_u64;
    let mut draw = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below as u64) as i64
    };
    let (mut found, mut none, mut misled, mut none_lies) = (0, 0, 0, 0);
    for _ in 0..20_000 {
        let (set, liars) = drawn_set(&mut draw);
        let Some(agreed) = select(&set, by_sources) else {
            none += 1;
            none_lies += u32::from(liars == 0);
            continue;
        };
        found += 1;
        let inside = agreed.low <= Ticks::ZERO && Ticks::ZERO <= agreed.high;
        // Only those who lie alike mislead, and only where fewer are allowed to lie than do.
        assert!(inside || agreed.allow < liars, "{set:?}");
        misled += u32::from(!inside);
    }
    assert_eq!(found + none, 20_000);
    // Both happen: liars that agree by chance, and right sources whose middles are far apart.
    assert!(misled > 0 && none_lies > 0, "{misled}, {none_lies} of {none}");
    assert!(misled * 100 < found, "{misled} of {found}");
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
    let alike = [Ticks::whole(1); 5];
    let left = cluster(&offsets, &alike, &[Ticks::ratio(1, 10); 5]);
    assert_eq!(left, [0, 1, 4]);
    let survivors: Vec<Candidate> = left.iter().map(|&place| all[place]).collect();
    assert_eq!(combine(&survivors), Some(Ticks::ratio(3, 5)));
    assert_eq!(combine(&all), Some(Ticks::ratio(17, 10)));
    assert_eq!(combine(&[]), None);
    // Nobody goes where each alone is less certain than all together.
    assert_eq!(cluster(&offsets, &alike, &[Ticks::whole(10); 5]), [0, 1, 2, 3, 4]);
}

/// Weighed by its root distance, a source that is closer to the others but knows less goes first.
#[test]
fn who_knows_least_goes_first_where_distances_weigh() {
    let says = [(0, 4), (2, 4), (4, 4), (-3, 40)];
    let all = candidates(&says);
    let offsets: Vec<Ticks> = all.iter().map(|one| one.offset).collect();
    let weights: Vec<Ticks> = all.iter().map(|one| one.distance).collect();
    let (alike, jitters) = ([Ticks::whole(1); 4], [Ticks::ratio(1, 10); 4]);
    // Roots of the mean squares, in halves: of 0 √(29/3), of 2 √(33/3), of 4 √(69/3), of -3 √(83/3).
    assert_eq!(cluster(&offsets, &alike, &jitters), [0, 1, 2]);
    let says = [(0, 40), (2, 4), (4, 4), (-3, 4)];
    let wide: Vec<Ticks> = candidates(&says).iter().map(|one| one.distance).collect();
    assert_eq!(cluster(&offsets, &wide, &jitters), [1, 2, 3]);
    assert_eq!(cluster(&offsets, &weights, &jitters), [0, 1, 2]);
}

#[test]
fn both_ways_to_throw_out_keep_the_promise() {
    for word in ["offset", "weighed"] {
        let base = day(60, 3);
        let mut settings = base.settings.clone();
        settings.push(("cluster".into(), word.into()));
        let offsets = Scatter::Listed(vec![0, 0, 0, 0, 500, 400, -300]);
        let drifts = Scatter::Listed(vec![0, 0, 0, 0, 0, 0, 50]);
        let clocks = Clocks { offsets, drifts, ..base.clocks.clone() };
        let report = entry("ntp").run(&Scenario { n: 7, settings, clocks, ..base }, &mut ()).unwrap();
        assert!(report.holds(), "{word}: {:?}", report.properties);
    }
}

/// What users see of the client's clock, from one step to the next.
fn seen(step: &str) -> Vec<f64> {
    #[derive(Default)]
    struct Shown(Vec<f64>);
    impl Observer for Shown {
        fn wants_moves(&self) -> bool {
            true
        }
        fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
            let client = crowd.count() - 1;
            let all = crowd.variables(client);
            let shown = all.iter().find(|(name, _)| *name == "shown").expect("it has a clock");
            // A number, or a fraction.
            let number = |text: &str| text.parse::<f64>().expect("a number of ticks");
            let shown =
                shown.1.split_once('/').map_or_else(|| number(&shown.1), |(a, b)| number(a) / number(b));
            self.0.push(shown - moved.time as f64 / 1e6);
        }
    }
    let base = day(40, 1);
    let mut settings = base.settings.clone();
    settings.push(("step".into(), step.into()));
    let offsets = Scatter::Listed(vec![0, 0, 0, 500, 100]);
    let clocks = Clocks { offsets, drifts: Scatter::Drawn(0), ..base.clocks.clone() };
    let mut shown = Shown::default();
    let report = entry("ntp").run(&Scenario { settings, clocks, ..base }, &mut shown).unwrap();
    assert!(report.holds(), "{:?}", report.properties);
    shown.0
}

/// 100 ticks are less than 128: users see them go at one in 2,000. More than the step they see at once.
#[test]
fn small_corrections_are_slewed_and_large_ones_are_not() {
    let (slewed, set) = (seen("128"), seen("50"));
    let largest = |shown: &[f64]| shown.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    // Between two steps of the run there are 64 seconds at most.
    assert!(largest(&slewed) <= 64_100.0 / 2_000.0, "{}", largest(&slewed));
    assert!(largest(&set) > 64_100.0 / 2_000.0, "{}", largest(&set));
    let last = |shown: &[f64]| shown.last().copied().map(f64::abs);
    assert!(last(&slewed) < Some(20.0) && last(&set) < Some(20.0), "both are near the truth in the end");
}

/// On the wire: an answer counts once, and only to the question that is out.
#[test]
fn doubled_late_and_forged_answers_are_refused() {
    let cast = entry("ntp").cast(&Scenario { seed: 1, ..Scenario::new(3) }).unwrap();
    let (mut client, mut sources) = (cast.actor(2, 0), [cast.actor(0, 0), cast.actor(1, 0)]);
    let at = |time: u64| time * TICKS_PER_UNIT;
    let poll = client.start();
    assert_eq!(poll.sends.len(), 2, "one question to each source");
    let to = |port: u32| cast.ways(2).into_iter().find(|way| way.out == port).expect("a way");
    // Each source answers one tick later; the second answer comes when the client has given up.
    let mut answers = Vec::new();
    for sent in &poll.sends {
        let way = to(sent.port);
        let source = &mut sources[way.to as usize];
        source.passes(at(1));
        let effects = source.receive(way.arrival, &sent.bytes).unwrap();
        let back =
            cast.ways(way.to).into_iter().find(|back| back.out == effects.sends[0].port).expect("a way");
        answers.push((back.arrival, effects.sends[0].bytes.clone()));
    }
    client.passes(at(2));
    assert_eq!(client.receive(answers[0].0, &answers[0].1).unwrap().rules, ["filter"]);
    let known = client.fields();
    // The same once more.
    assert_eq!(client.receive(answers[0].0, &answers[0].1).unwrap().rules, ["stray"]);
    assert_eq!(client.fields(), known);
    // The wait is over; then the other answer comes.
    client.passes(at(3));
    let collect = client.timers().iter().position(|name| *name == "collect").expect("it waits");
    client.timeout(collect).unwrap();
    let known = client.fields();
    assert_eq!(client.receive(answers[1].0, &answers[1].1).unwrap().rules, ["stray"]);
    assert_eq!(client.fields(), known);
    // A question that the client never asked: what the source answers to that is not for it.
    let mut other = cast.actor(2, 0);
    other.passes(at(7));
    let asked = other.start();
    let way = to(asked.sends[1].port);
    let effects = sources[way.to as usize].receive(way.arrival, &asked.sends[1].bytes).unwrap();
    let mut fresh = cast.actor(2, 0);
    fresh.start();
    assert_eq!(fresh.receive(answers[1].0, &effects.sends[0].bytes).unwrap().rules, ["stray"]);
    // The control: the answer to its own question counts.
    assert_eq!(fresh.receive(answers[1].0, &answers[1].1).unwrap().rules, ["filter"]);
}

#[test]
fn every_answer_twice_is_as_every_answer_once() {
    let twice = Scenario { faults: vec![Fault::Duplicate(1.0)], ..day(20, 2) };
    let report = entry("ntp").run(&twice, &mut ()).unwrap();
    assert!(report.holds(), "{:?}", report.properties);
    let (_, strays) = report.by_kind.iter().find(|(kind, _)| *kind == "resp").expect("there are answers");
    // Each question comes twice, and each of the two answers.
    assert!(*strays >= 2 * 4 * 20, "{strays}");
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
