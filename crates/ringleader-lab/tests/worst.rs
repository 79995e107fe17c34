//! Worst arrangements of small rings: exact ones against tables worked out elsewhere, searched ones against exact ones.

use ringleader::check::{Arrangements, Extreme, Scope, Starts};
use ringleader::model::{Links, Orientation, Schedules, Shape, harmonic, largest_phase};
use ringleader::registry::{Entry, Problem, find};
use ringleader::sim::{Ids, Initiators, Ports, Scenario, Schedule};
use ringleader_errata::all;
use ringleader_lab::worst::{
    Found, Fraction, Method, Over, Question, Shown, Trouble, Unsuited, Worst, answer,
};

fn entry(name: &str) -> &'static Entry {
    find(all(), name).unwrap_or_else(|| panic!("no algorithm {name}"))
}

fn ask(question: &Question<'_>) -> Worst {
    answer(question, &()).unwrap_or_else(|trouble| panic!("{} {trouble:?}", question.entry.spec.name))
}

fn exact(name: &str, n: u32) -> Worst {
    let worst = ask(&Question { method: Method::Exact, threads: 2, ..Question::new(entry(name), n) });
    assert!(worst.exact && worst.found == Found::Exhaustive, "{name} n = {n}");
    worst
}

/// The ring elections of which every arrangement has one count that decides: the checker is not needed.
fn rings() -> impl Iterator<Item = &'static Entry> {
    all().iter().filter(|entry| {
        let ring = matches!(entry.shape, Shape::OneWayRing | Shape::TwoWayRing);
        let right = entry.problem == Problem::Election && !entry.is_literal();
        ring && right && !entry.spec.needs.choices && !entry.is_anonymous()
    })
}

#[test]
fn exact_maxima_are_those_of_the_tables() {
    let fibonacci_rounds = |n: u32| u64::from(n) * (largest_phase(u64::from(n)) + 1);
    for n in 1..=8u32 {
        let at = |table: &[u64]| table[n as usize - 1];
        let (wide, log) = (u64::from(n), u64::from(n.ilog2()));
        let known = [
            ("le-lann", wide * wide),
            ("chang-roberts", wide * (wide + 1) / 2),
            ("hirschberg-sinclair", at(&[2, 12, 26, 40, 62, 80, 96, 112])),
            ("dolev-klawe-rodeh", 2 * wide * log + wide),
            ("peterson", at(&[1, 5, 8, 16, 21, 27, 32, 46])),
            ("peterson-improved", if n == 1 { 1 } else { fibonacci_rounds(n) }),
            ("dolev-klawe-rodeh-b", at(&[1, 4, 7, 13, 17, 21, 26, 38])),
            ("higham-przytycka", at(&[1, 4, 8, 11, 18, 22, 26, 34])),
            ("franklin", 2 * wide * (log + 1)),
            ("stages-with-feedback", at(&[2, 10, 14, 19, 24, 46, 54, 62])),
            ("alternate", if n == 1 { 1 } else { fibonacci_rounds(n) }),
            ("ring-active-list", wide * wide),
            ("ring-collect", wide * wide),
        ];
        for (name, most) in known {
            assert_eq!(exact(name, n).election_messages, most, "{name} n = {n}");
        }
        let missing = rings().find(|entry| {
            let name = entry.spec.name;
            known.iter().all(|row| row.0 != name) && SCHEDULE_MATTERS.iter().all(|other| *other != name)
        });
        assert!(missing.is_none(), "{}: what is the most that it sends?", missing.unwrap().spec.name);
    }
}

/// The ring elections whose count depends on the schedule, for which the next test has tables.
const SCHEDULE_MATTERS: [&str; 2] = ["van-leeuwen-tan", "van-leeuwen-tan-half-duplex"];

/// Over every schedule, by the checker.
#[test]
fn exact_maxima_where_the_schedule_matters() {
    for (n, most) in (1..).zip([2, 6, 9, 12, 20]) {
        for name in SCHEDULE_MATTERS {
            let worst = exact(name, n);
            assert_eq!((worst.election_messages, worst.over), (most, Over::Every), "{name} n = {n}");
        }
    }
    // Every way to number the ports as well, announcements left out: n - 1 of them.
    for (name, n, most) in
        [("korach-moran-zaks", 2, 5), ("korach-moran-zaks", 3, 11), ("humblet", 2, 4), ("humblet", 3, 8)]
    {
        let mut question = Question { method: Method::Exact, ..Question::new(entry(name), n) };
        question.scenario.ports = Ports::Kind(Orientation::Random);
        let worst = ask(&question);
        assert_eq!(worst.election_messages + u64::from(n) - 1, most, "{name} n = {n}");
    }
    // Fewer messages are a matter of the schedule, even where the most is not.
    let best = ask(&Question { extreme: Extreme::Least, ..Question::new(entry("hirschberg-sinclair"), 5) });
    let rounds = ask(&Question {
        extreme: Extreme::Least,
        one_schedule: true,
        ..Question::new(entry("hirschberg-sinclair"), 5)
    });
    assert_eq!((best.over, rounds.over), (Over::Every, Over::Asked));
    assert!(best.exact && rounds.exact && best.election_messages <= rounds.election_messages);
}

/// What contracts say about schedules, and what follows from one input in one order, against every schedule.
#[test]
fn what_is_said_about_schedules_is_so() {
    let mut said = 0;
    for entry in all().iter().filter(|entry| entry.problem == Problem::Election && !entry.is_literal()) {
        let needs = &entry.spec.needs;
        let one_input = entry.shape == Shape::OneWayRing && needs.links != Links::Bag && !needs.choices;
        if needs.choices || entry.is_anonymous() || entry.shape == Shape::Named {
            continue;
        }
        for n in 1..=4u32 {
            let base = Question::new(entry, n).scenario;
            for ids in arrangements(n) {
                let scope = Scope {
                    ids: Arrangements::Listed(ids.clone()),
                    starts: Starts::All,
                    ports: base.ports.clone(),
                    ..Scope::new(n)
                };
                let range = entry.check(&scope, &[], &()).expect("admitted").election_messages.expect("ends");
                let rounds = Scenario { ids: Ids::Listed(ids.clone()), ..base.clone() };
                let rounds = entry.run(&rounds, &mut ()).expect("admitted").election_messages;
                let (name, most) = (entry.spec.name, range.max.expect("no cycles"));
                match entry.spec.cost.schedules {
                    Schedules::Unknown if !one_input => {}
                    Schedules::Unknown | Schedules::Same => {
                        assert_eq!((range.min, most), (rounds, rounds), "{name} {ids:?}");
                        said += 1;
                    }
                    Schedules::RoundsSendMost => {
                        assert_eq!(most, rounds, "{name} {ids:?}");
                        said += 1;
                    }
                }
            }
        }
    }
    assert!(said > 100, "{said}");
}

fn arrangements(n: u32) -> Vec<Vec<u64>> {
    let mut all = vec![vec![1u64]];
    for next in 2..=u64::from(n) {
        let places = |ids: Vec<u64>| {
            (1..=ids.len()).map(move |place| {
                let mut ids = ids.clone();
                ids.insert(place, next);
                ids
            })
        };
        all = all.into_iter().flat_map(places).collect();
    }
    all
}

#[test]
fn chang_roberts_mean_is_n_times_harmonic_n() {
    for n in 1..=7u32 {
        let worst = exact("chang-roberts", n);
        let all = worst.distribution.expect("every arrangement was tried");
        // n·H(n) over the common denominator n!.
        let factorial: u128 = (1..=u128::from(n)).product();
        let sum: u128 = (1..=u128::from(n)).map(|k| factorial / k).sum();
        assert_eq!(all.mean(), Fraction::new(u128::from(n) * sum, factorial), "n = {n}");
        assert!((all.mean().value() - f64::from(n) * harmonic(u64::from(n))).abs() < 1e-9);
        assert_eq!(all.arrangements(), (1..u64::from(n)).product::<u64>());
        let (least, most) = (all.counts.keys().next(), all.counts.keys().last());
        assert_eq!((least, most), (Some(&(2 * u64::from(n) - 1)), Some(&worst.election_messages)));
    }
}

/// Without the families, so that nobody tells it.
#[test]
fn the_search_finds_the_worst_of_eight_by_itself() {
    for entry in rings() {
        let name = entry.spec.name;
        let in_rounds = Question { one_schedule: true, threads: 2, ..Question::new(entry, 8) };
        let most = ask(&Question { method: Method::Exact, ..in_rounds.clone() }).election_messages;
        let bare =
            Question { method: Method::Search, families: false, budget: Some(4000), ..in_rounds.clone() };
        let found = ask(&bare);
        assert!(found.found == Found::Annealing, "{name}");
        assert!(100 * found.election_messages >= 95 * most, "{name}: {} of {most}", found.election_messages);
        let told = ask(&Question { families: true, ..bare });
        assert!(100 * told.election_messages >= 95 * most, "{name}: {} of {most}", told.election_messages);
    }
}

/// Nor is a larger ring found to be better than what is known already.
#[test]
fn the_search_is_no_worse_than_what_is_known() {
    for entry in rings() {
        let question = Question {
            method: Method::Search,
            one_schedule: true,
            budget: Some(300),
            threads: 2,
            ..Question::new(entry, 64)
        };
        let found = ask(&question);
        assert!(found.evaluations <= 300, "{}: {}", entry.spec.name, found.evaluations);
        for ids in [Ids::Worst, Ids::Random] {
            if let Ok(report) = entry.run(&Scenario { ids, ..question.scenario.clone() }, &mut ()) {
                assert!(found.election_messages >= report.election_messages, "{}", entry.spec.name);
            }
        }
        let again = Scenario { ids: Ids::Listed(found.ids), ..question.scenario.clone() };
        let again = entry.run(&again, &mut ()).expect("admitted");
        assert_eq!(again.election_messages, found.election_messages, "{}", entry.spec.name);
    }
}

#[test]
fn threads_do_not_change_the_answer() {
    let one = Question { budget: Some(2000), ..Question::new(entry("higham-przytycka"), 30) };
    let several = Question { threads: 5, ..one.clone() };
    let (a, b) = (ask(&one), ask(&several));
    assert_eq!((&a.ids, a.election_messages, &a.found), (&b.ids, b.election_messages, &b.found));
    let mut other = one.clone();
    other.scenario.seed = 1;
    assert_eq!(ask(&other).evaluations, a.evaluations);
    assert!(a.evaluations <= 2000, "{}", a.evaluations);
    let (a, b) = (exact("peterson", 7), ask(&Question { threads: 1, ..Question::new(entry("peterson"), 7) }));
    assert_eq!((a.ids, a.distribution), (b.ids, b.distribution));
}

/// Who starts is somewhere on the ring: then rotations differ.
#[test]
fn with_one_initiator_every_rotation_counts() {
    let mut question = Question { method: Method::Exact, ..Question::new(entry("chang-roberts"), 5) };
    question.scenario.initiators = Initiators::One;
    let worst = ask(&question);
    let all = worst.distribution.expect("every arrangement was tried");
    assert_eq!(all.arrangements(), 120);
    let (least, most) = (all.counts.keys().next().copied(), all.counts.keys().last().copied());
    assert_eq!((least, most), (Some(5), Some(worst.election_messages)));
    assert_eq!(
        question
            .entry
            .run(&Scenario { ids: Ids::Listed(worst.ids), ..question.scenario }, &mut ())
            .expect("admitted")
            .election_messages,
        worst.election_messages
    );
}

/// No schedule with a name sends as many with five; the checker knows a run that does.
#[test]
fn run_without_named_schedule_is_shown() {
    let worst = exact("korach-moran-zaks", 5);
    assert_eq!(worst.over, Over::Every);
    let Shown::Recorded(recording) = &worst.shown else { panic!("{:?}", worst.shown) };
    let sent = recording.events.iter().flat_map(|event| &event.sends);
    assert_eq!(sent.filter(|sent| sent.kind != "leader").count() as u64, worst.election_messages);
    assert!(worst.bound.expect("it has one").holds);
    for schedule in [Schedule::Rounds, Schedule::Lifo, Schedule::Random] {
        let ids = Ids::Listed(worst.ids.clone());
        let scenario = Scenario { ids, schedule, ..Question::new(entry("korach-moran-zaks"), 5).scenario };
        let report = entry("korach-moran-zaks").run(&scenario, &mut ()).expect("admitted");
        assert!(report.election_messages < worst.election_messages);
    }
}

#[test]
fn what_has_no_worst_arrangement() {
    for (name, expected) in [
        ("lamport", Unsuited::Exclusion),
        ("peterson@as-printed", Unsuited::Literal),
        ("itai-rodeh", Unsuited::Random),
        ("probabilistic-franklin", Unsuited::Random),
        ("bully", Unsuited::Named),
    ] {
        match answer(&Question::new(entry(name), 4), &()) {
            Err(Trouble::Unsuited(why)) => assert_eq!(why, expected, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    let too_many = Question { method: Method::Exact, ..Question::new(entry("peterson"), 20) };
    assert!(matches!(answer(&too_many, &()), Err(Trouble::TooLarge { .. })));
    let none = Question::new(entry("peterson"), 0);
    assert!(matches!(answer(&none, &()), Err(Trouble::Refused(_))));
}

/// n in each phase, and the most phases with F(P+3) <= n.
#[test]
fn the_worst_of_van_leeuwen_and_tan_for_every_n() {
    for name in ["van-leeuwen-tan", "van-leeuwen-tan-half-duplex"] {
        for n in (3..=60).chain([88, 89, 100, 232, 233, 610, 1000, 1596]) {
            let scenario = Scenario { ids: Ids::Worst, ..Question::new(entry(name), n).scenario };
            let report = entry(name).run(&scenario, &mut ()).expect("admitted");
            let phases = largest_phase(u64::from(n)) - 1;
            assert_eq!(report.phases, Some(phases), "{name} n = {n}");
            assert_eq!(report.election_messages, u64::from(n) * (phases + 2), "{name} n = {n}");
        }
    }
}

/// What a search finds is the worst if nothing worse is possible.
#[test]
fn a_count_that_is_the_bound_is_exact() {
    let found = |name: &str, extreme| {
        let entry = find(all(), name).unwrap();
        let question =
            Question { method: Method::Search, extreme, budget: Some(500), ..Question::new(entry, 16) };
        answer(&question, &()).unwrap()
    };
    let franklin = found("franklin", Extreme::Most);
    assert_eq!((franklin.exact, franklin.election_messages), (true, 2 * 16 * 5));
    assert!(!found("higham-przytycka", Extreme::Most).exact, "nobody knows an arrangement that attains it");
    assert!(!found("franklin", Extreme::Least).exact);
}
