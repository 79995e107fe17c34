//! Clocks that are brought together: the numbers of theory, over all delays.

mod bench;
mod failover;
mod ntp;

use crate::support::{clocks, entry};
use bench::{Seen, Setting, every};
use ringleader::check::{Answer, Property, Scope, Step, View, Watch};
use ringleader::clocks::{Berkeley, Cristian, LundeliusLynch};
use ringleader::model::{Belief, Delays, Ticks};
use ringleader::sim::{Clocks, Delay, Scatter, Scenario, Schedule};
use std::collections::BTreeMap;

fn half(halves: i64) -> Ticks {
    Ticks::ratio(halves, 2)
}

/// Cristian's client and its server, tried so often with this round trip accepted.
fn client(round_trip: u32, tries: u32) -> Setting {
    Setting {
        offsets: vec![5000, 17],
        delays: Delays { lo: 2, hi: 5 },
        settings: [round_trip, tries, 1000, 1],
    }
}

fn error(seen: &Seen) -> Ticks {
    seen.clocks[1] - seen.clocks[0]
}

#[test]
fn errors_of_cristian() {
    let mut errors: BTreeMap<Ticks, u32> = BTreeMap::new();
    every::<Cristian>(&client(10, 1), &[2, 3, 4, 5], 2, &mut |seen| {
        assert_eq!(seen.messages, 2);
        *errors.entry(error(seen)).or_default() += 1;
    });
    let table = [(-3, 1), (-2, 2), (-1, 3), (0, 4), (1, 3), (2, 2), (3, 1)];
    assert_eq!(errors, table.into_iter().map(|(halves, count)| (half(halves), count)).collect());
}

#[test]
fn thresholds_of_cristian() {
    // Round trip; of 16 tries those that are good; twice the largest error; of 4096 triples those that fail.
    let table =
        [(4, 1, 0, 3375), (5, 3, 1, 2197), (6, 6, 2, 1000), (7, 10, 3, 216), (8, 13, 3, 27), (10, 16, 3, 0)];
    for (round_trip, good, largest, failing) in table {
        let mut accepted = Vec::new();
        every::<Cristian>(&client(round_trip, 1), &[2, 3, 4, 5], 2, &mut |seen| match seen.beliefs[1] {
            Belief::Within { bound, .. } => {
                assert!(error(seen).abs() <= bound);
                accepted.push(error(seen).abs());
            }
            Belief::Lost => assert_eq!(error(seen), Ticks::whole(17 - 5000)),
            other @ (Belief::Unsynchronised | Belief::Reference) => panic!("{other:?}"),
        });
        assert_eq!((accepted.len(), accepted.into_iter().max()), (good, Some(half(largest))), "{round_trip}");
        // p = good/16, so the mean number of tries is 16/good; three tries all fail with (1 - p)^3.
        let mut lost = 0;
        every::<Cristian>(&client(round_trip, 3), &[2, 3, 4, 5], 6, &mut |seen| {
            lost += u32::from(seen.beliefs[1] == Belief::Lost);
        });
        assert_eq!(lost, failing, "{round_trip}");
        assert_eq!(lost, (16 - good as u32).pow(3));
    }
}

#[test]
fn example_of_cristian() {
    // It asks at 1000, the server answers 5000, and at 1040 the answer is there: 5020, off by at most 12.
    let setting =
        Setting { offsets: vec![4985, 1000], delays: Delays { lo: 8, hi: 32 }, settings: [0, 1, 1000, 1] };
    let mut delays = [15, 25].into_iter();
    let seen = bench::run::<Cristian>(&setting, &mut || delays.next().unwrap());
    assert_eq!(seen.clocks[1] + Ticks::whole(40), Ticks::whole(5020));
    assert!(matches!(seen.beliefs[1], Belief::Within { bound, .. } if bound == Ticks::whole(12)));
}

#[test]
fn lundelius_lynch_is_as_close_as_possible() {
    for (n, worst) in [(2, 6), (3, 8), (4, 9)] {
        let setting = Setting {
            offsets: (0..n).map(|i| 3 * i - 4).collect(),
            delays: Delays { lo: 4, hi: 16 },
            settings: [12, 0, 0, 0],
        };
        let mut most = Ticks::ZERO;
        every::<LundeliusLynch>(&setting, &[4, 16], (n * (n - 1)) as u32, &mut |seen| {
            assert_eq!(seen.messages as i64, n * (n - 1));
            let (least, largest) = (seen.clocks.iter().min().unwrap(), seen.clocks.iter().max().unwrap());
            most = most.max(*largest - *least);
        });
        assert_eq!(most, Ticks::whole(worst));
        assert_eq!(most, (Ticks::whole(12) * (n - 1)).over(n), "u(1-1/n)");
    }
}

#[test]
fn berkeley_over_all_delays() {
    let setting =
        Setting { offsets: vec![0, 25, -10], delays: Delays { lo: 1, hi: 3 }, settings: [60, 1000, 1, 0] };
    let (mut runs, mut slaves, mut master) = (0, Ticks::ZERO, Ticks::ZERO);
    // Two polls, two answers; what is sent then is a difference, and takes as long as it likes.
    every::<Berkeley>(&setting, &[1, 2, 3], 4, &mut |seen| {
        runs += 1;
        slaves = slaves.max((seen.clocks[1] - seen.clocks[2]).abs());
        let to_master = |slave: usize| (seen.clocks[slave] - seen.clocks[0]).abs();
        master = master.max(to_master(1)).max(to_master(2));
        assert_eq!(seen.messages, 6);
    });
    assert_eq!((runs, slaves, master), (81, Ticks::whole(2), Ticks::whole(1)));
}

#[test]
fn berkeley_keeps_the_mean() {
    let setting =
        Setting { offsets: vec![180, 205, 170], delays: Delays { lo: 1, hi: 1 }, settings: [60, 1000, 1, 0] };
    let seen = bench::run::<Berkeley>(&setting, &mut || 1);
    assert_eq!(seen.clocks, vec![Ticks::whole(185); 3]);
}

/// Clocks that are promised something are closer than this.
struct Closer(Ticks);

impl Property for Closer {
    fn name(&self) -> &'static str {
        "closer"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let set = |i: &u32| matches!(state.belief(*i), Belief::Within { .. } | Belief::Reference);
        let clocks = || state.everybody().filter(set).map(|i| state.clock(i));
        let apart = clocks().max().zip(clocks().min()).map_or(Ticks::ZERO, |(most, least)| most - least);
        if apart < self.0 { Ok(()) } else { Err(format!("{apart} apart")) }
    }
    fn step(&self, _: &Step<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// Every run, with these delays: the clocks come as far apart as this, and no further.
fn worst(name: &str, n: u32, delays: (u32, u32), settings: &[(&str, &str)], ticks: Ticks) {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let scope = Scope { delays, settings, ..Scope::new(n) };
    let further = Closer(ticks + Ticks::PART);
    let found = entry(name).check(&scope, &[&further], &()).unwrap();
    assert!(found.holds(), "{name} {n}: {found:?}");
    let found = entry(name).check(&scope, &[&Closer(ticks)], &()).unwrap();
    assert_eq!(found.answer, Answer::Violated, "{name} {n}");
    let run = found.counterexample.expect("a run shows it");
    assert_eq!(run.property, "closer");
}

#[test]
fn bounds_are_reached_in_every_run() {
    worst("lundelius-lynch", 2, (1, 3), &[], Ticks::whole(1));
    worst("lundelius-lynch", 3, (1, 3), &[], Ticks::ratio(4, 3));
    worst("berkeley", 2, (1, 3), &[], Ticks::whole(1));
    worst("cristian", 2, (2, 5), &[("round-trip", "10")], half(3));
    worst("cristian", 2, (2, 5), &[("round-trip", "6")], half(2));
    worst("cristian", 2, (2, 5), &[("round-trip", "5")], half(1));
}

#[test]
fn promises_hold_while_clocks_drift() {
    for name in ["cristian", "berkeley", "lundelius-lynch"] {
        for seed in 0..20 {
            let scenario = Scenario {
                schedule: Schedule::Delay(Delay::Uniform(2_000_000, 9_000_000)),
                clocks: Clocks { drifts: Scatter::Drawn(100), ..Clocks::default() },
                settings: if name == "lundelius-lynch" {
                    vec![]
                } else {
                    vec![("rounds".into(), "20".into())]
                },
                seed,
                ..Scenario::new(5)
            };
            let report = entry(name).run(&scenario, &mut ()).unwrap();
            assert!(report.holds(), "{name} {seed}: {:?}", report.properties);
            assert!(clocks(&report).skew_max.is_some() || name == "cristian");
        }
    }
}

/// A drift that nobody is told breaks the promise: the control of the test above.
#[test]
fn undeclared_drift_breaks_promises() {
    let broken = |name: &str| {
        (0..20).any(|seed| {
            let scenario = Scenario {
                clocks: Clocks { drifts: Scatter::Drawn(1000), bound: Some(0), ..Clocks::default() },
                settings: vec![("rounds".into(), "5".into())],
                unsound: true,
                seed,
                ..Scenario::new(5)
            };
            let report = entry(name).run(&scenario, &mut ()).unwrap();
            report.properties.iter().any(|property| property.name.contains("at all times") && !property.holds)
        })
    };
    assert!(broken("cristian") && broken("berkeley"));
}

#[test]
fn a_new_time_is_too_late() {
    let found =
        entry("berkeley@new-time").check(&Scope { delays: (1, 3), ..Scope::new(2) }, &[], &()).unwrap();
    assert_eq!(found.answer, Answer::Violated);
    let wrong = found.properties.iter().find(|finding| finding.answer == Answer::Violated).unwrap();
    assert_eq!(wrong.name, "within the promised distance at all times");
}
