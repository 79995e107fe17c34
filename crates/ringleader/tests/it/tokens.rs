//! Mutual exclusion with one token that is asked for: exact costs over all schedules, order of service, one token.

use crate::support::{entry, exclusion, kind, run, run_well, schedules};
use ringleader::check::{Findings, Property, Scope, View, Watch};
use ringleader::model::{Links, Value, harmonic};
use ringleader::sim::{Entries, Load, Scenario, Topology, Workload};

const ALL: [&str; 5] =
    ["ricart-agrawala-token", "suzuki-kasami", "raymond", "singhal-heuristic", "naimi-trehel"];

fn entries(each: u32) -> Workload {
    Workload { entries: Entries::Each(each), ..Workload::default() }
}

fn script(wants: &[(u64, u32)]) -> Workload {
    Workload { wants: wants.to_vec(), ..Workload::default() }
}

fn load(load: Load, total: u64) -> Workload {
    Workload { load: Some(load), total: Some(total), ..Workload::default() }
}

fn checked(name: &str, scope: &Scope) -> Findings {
    let findings = entry(name).check(scope, &[], &()).unwrap();
    assert!(findings.holds(), "{name}: {findings:#?}");
    findings
}

/// The least and the most messages over all schedules, of so many processes with so many entries each.
fn range(name: &str, scope: Scope, each: u32) -> (u64, u64) {
    let findings = checked(name, &Scope { entries: Entries::Each(each), ..scope });
    let messages = findings.messages.expect("numbers of messages are known");
    (messages.min, messages.max.expect("there is a most"))
}

/// Every entry costs n or nothing: least where everybody but the first is served once and then goes on with the token
/// in hand, most where the token always moves.
#[test]
fn asking_everybody_costs_n_or_nothing() {
    for name in ["ricart-agrawala-token", "suzuki-kasami"] {
        for (n, each) in [(1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)] {
            let most = if n == 1 { 0 } else { n * n * each };
            let least = n * (n - 1);
            assert_eq!(
                range(name, Scope::new(n), each),
                (u64::from(least), u64::from(most)),
                "{name} n={n} entries={each}"
            );
        }
        for n in [2u32, 3, 8, 31] {
            for (schedule_name, schedule) in schedules() {
                let report = run_well(name, &Scenario { schedule, workload: entries(3), ..Scenario::new(n) });
                let (least, most) = exclusion(&report).per_entry_range.expect("a request has its messages");
                assert!([0, n].map(u64::from).contains(&least), "{name} n={n} {schedule_name}: {least}");
                assert_eq!(most, u64::from(n), "{name} n={n} {schedule_name}");
                assert_eq!(kind(&report, "request"), kind(&report, "token") * u64::from(n - 1));
            }
        }
    }
}

/// As the specification has it, and the reference implementation.
#[test]
fn exact_costs_of_singhals_heuristic_and_naimi_trehel() {
    let fifo = |n| Scope { links: Some(Links::Fifo), ..Scope::new(n) };
    for (scope, each, least, most) in [
        (Scope::new(1), 3, 0, 0),
        (Scope::new(2), 1, 2, 4),
        (Scope::new(2), 2, 2, 8),
        (Scope::new(2), 3, 2, 12),
        (Scope::new(3), 1, 5, 12),
        (Scope::new(3), 2, 5, 33),
        (fifo(3), 2, 5, 22),
        (fifo(4), 1, 9, 20),
    ] {
        let what = format!("n={} entries={each} {:?}", scope.n, scope.links);
        assert_eq!(range("singhal-heuristic", scope, each), (least, most), "{what}");
    }
    for (n, each, least, most) in [
        (1, 3, 0, 0),
        (2, 1, 2, 4),
        (2, 2, 2, 8),
        (2, 3, 2, 12),
        (3, 1, 5, 7),
        (3, 2, 5, 15),
        (3, 3, 5, 22),
        (4, 1, 8, 10),
        (4, 2, 8, 22),
        (5, 1, 11, 13),
    ] {
        assert_eq!(range("naimi-trehel", Scope::new(n), each), (least, most), "n={n} entries={each}");
    }
}

/// Never more than 2D per entry in any run, on any tree; the checker holds it against that bound.
#[test]
fn exact_costs_of_raymond() {
    use Topology::{Binary, Line, Star};
    for (topology, n, each, least, most) in [
        (Line, 1, 3, 0, 0),
        (Line, 2, 1, 2, 4),
        (Line, 2, 3, 2, 12),
        (Line, 3, 2, 4, 18),
        (Star, 3, 2, 6, 16),
        (Line, 4, 1, 6, 18),
        (Star, 4, 1, 10, 12),
        (Binary, 4, 1, 8, 16),
        (Line, 4, 2, 6, 34),
        (Line, 5, 1, 8, 28),
        (Star, 5, 1, 14, 16),
        (Binary, 5, 1, 12, 22),
    ] {
        let what = format!("{topology:?} n={n} entries={each}");
        let scope = Scope { topology: Some(topology), ..Scope::new(n) };
        assert_eq!(range("raymond", scope, each), (least, most), "{what}");
    }
}

#[test]
fn alone_one_enters_at_once_without_a_word() {
    for name in ALL {
        let report = run_well(name, &Scenario { workload: entries(3), ..Scenario::new(1) });
        let details = exclusion(&report);
        assert_eq!((report.messages, details.entries), (0, 3), "{name}");
        assert_eq!(details.waiting.map(|waiting| waiting.max), Some(0.0), "{name}");
    }
}

/// The queue in the token is what tells the two apart (erratum T12): while p2 is inside, p1 and p3 ask.
#[test]
fn the_token_goes_round_or_along_its_queue() {
    let workload = Workload { hold: 3, ..script(&[(0, 0), (0, 2), (4, 1), (4, 3)]) };
    let scenario = Scenario { workload, ..Scenario::new(4) };
    let order = |name| exclusion(&run_well(name, &scenario)).entry_order.clone();
    assert_eq!(order("ricart-agrawala-token"), [0, 2, 3, 1], "from the holder on");
    assert_eq!(order("suzuki-kasami"), [0, 2, 1, 3], "by name, as they were found waiting together");
    assert_eq!(order("naimi-trehel"), [0, 2, 1, 3], "as they came to the last");
}

/// When somebody waits already, one message from an exit to the next entry. On a tree the token may have to travel.
#[test]
fn the_token_is_handed_over_in_one_delay() {
    for name in ALL {
        let report = run_well(name, &Scenario { workload: load(Load::Saturated, 300), ..Scenario::new(15) });
        let delay = exclusion(&report).sync_delay.expect("it is handed over");
        // The diameter of a binary tree of fifteen.
        let most = if name == "raymond" { 6.0 } else { 1.0 };
        assert!(delay.min == 1.0 && delay.max <= most, "{name}: {delay:?}");
    }
}

/// Once everybody has a request, at most n - 1 others enter before it. Under `rounds` that takes one round.
#[test]
fn nobody_is_passed_over_more_than_once_by_each() {
    for name in ["ricart-agrawala-token", "suzuki-kasami", "naimi-trehel"] {
        for n in [2u32, 3, 5, 8] {
            let report =
                run_well(name, &Scenario { workload: load(Load::Saturated, 200), ..Scenario::new(n) });
            assert!(exclusion(&report).bypass_max < u64::from(n), "{name} n={n}");
        }
    }
}

#[test]
fn lone_entry_costs_twice_the_token_distance() {
    let depth = |index: u32| u64::from((index + 1).ilog2());
    for index in 0..31 {
        let alone = |topology| {
            let workload = script(&[(0, index)]);
            let scenario = Scenario { topology: Some(topology), workload, ..Scenario::new(31) };
            let report = run_well("raymond", &scenario);
            assert_eq!(kind(&report, "request"), kind(&report, "privilege"));
            report.messages
        };
        assert_eq!(alone(Topology::Line), 2 * u64::from(index));
        assert_eq!(alone(Topology::Star), 2 * u64::from(index > 0));
        assert_eq!(alone(Topology::Binary), 2 * depth(index));
    }
    // From p30 to p3 on a line, after from p0 to p30.
    let workload = script(&[(0, 30), (100, 3)]);
    let scenario = Scenario { topology: Some(Topology::Line), workload, ..Scenario::new(31) };
    assert_eq!(run_well("raymond", &scenario).messages, 2 * 30 + 2 * 27);
}

/// Each edge carries one request for all that wait behind it: four messages per entry, whatever the tree.
#[test]
fn saturated_trees_cost_about_four_per_entry() {
    for topology in [Topology::Line, Topology::Star, Topology::Binary] {
        let what = format!("{topology:?}");
        let workload = load(Load::Saturated, 31 * 100);
        let scenario = Scenario { topology: Some(topology), workload, ..Scenario::new(31) };
        let mean = exclusion(&run_well("raymond", &scenario)).per_entry_mean.unwrap();
        assert!((3.7..=4.0).contains(&mean), "{what}: {mean}");
    }
}

/// The means under light load, with independent requests and a quiet system between them.
#[test]
fn light_load_costs_what_it_should_on_average() {
    let n = 10;
    let (size, others) = (f64::from(n), f64::from(n - 1));
    // Two independent nodes of a heap-numbered tree: the distance by way of the deepest common ancestor.
    let distance = |a: u32, b: u32| {
        let (mut a, mut b, mut steps) = (a + 1, b + 1, 0);
        while a != b {
            if a > b {
                a /= 2
            } else {
                b /= 2
            }
            steps += 1;
        }
        f64::from(steps)
    };
    let pairs = (0..n).flat_map(|a| (0..n).map(move |b| distance(a, b)));
    let mean_distance = pairs.sum::<f64>() / (size * size);
    for (name, expected) in [
        ("ricart-agrawala-token", others),
        ("suzuki-kasami", others),
        ("raymond", 2.0 * mean_distance),
        ("singhal-heuristic", others / 2.0 + others / size),
        ("naimi-trehel", harmonic(u64::from(n) - 1)),
    ] {
        let scenario = Scenario { seed: 1, workload: load(Load::Light, 20_000), ..Scenario::new(n) };
        let mean = exclusion(&run_well(name, &scenario)).per_entry_mean.unwrap();
        assert!((mean / expected - 1.0).abs() < 0.02, "{name}: {mean}, expected {expected}");
    }
}

/// A request of Naimi and Trehel's may have to pass everybody: n messages for one entry, the token included.
#[test]
fn request_passes_nobody_twice() {
    for n in [2u32, 3, 4, 5] {
        let most = (0..2000)
            .map(|seed| {
                let schedule = ringleader::sim::Schedule::Random;
                let report = run_well(
                    "naimi-trehel",
                    &Scenario { seed, schedule, workload: entries(4), ..Scenario::new(n) },
                );
                exclusion(&report).per_entry_range.expect("a request has its messages").1
            })
            .max();
        assert_eq!(most, Some(u64::from(n)), "n={n}");
    }
}

/// There is one token, here or on its way; and no more requests travel on a tree than processes have asked.
struct OneToken {
    message: &'static str,
    is_here: fn(&View<'_>, u32) -> bool,
}

impl Property for OneToken {
    fn name(&self) -> &'static str {
        "there is one token"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let here = state.everybody().filter(|&i| (self.is_here)(state, i)).count();
        let tokens = here + state.in_transit(self.message);
        let asked = |i: &u32| state.field(*i, "asked") == Some(Value::Flag(true));
        let requests = state.in_transit("request");
        match (tokens, self.message) {
            (1, "privilege") if requests > state.everybody().filter(asked).count() => {
                Err("more requests travel than were made".into())
            }
            (1, _) => Ok(()),
            (tokens, _) => Err(format!("there are {tokens} tokens")),
        }
    }
}

#[test]
fn there_is_one_token() {
    let carried: fn(&View<'_>, u32) -> bool =
        |state, i| !matches!(state.field(i, "token"), Some(Value::Nothing | Value::Flag(false)) | None);
    let reached: fn(&View<'_>, u32) -> bool = |state, i| state.field(i, "holder") == Some(Value::Nothing);
    for name in ALL {
        let property = match name {
            "raymond" => OneToken { message: "privilege", is_here: reached },
            _ => OneToken { message: "token", is_here: carried },
        };
        for (n, each) in [(2, 2), (3, 1)] {
            let scope = Scope { entries: Entries::Each(each), ..Scope::new(n) };
            let findings = entry(name).check(&scope, &[&property], &()).unwrap();
            assert!(findings.holds(), "{name} n={n}: {findings:#?}");
        }
    }
}

/// Plain assignment is enough where no message overtakes another (erratum T3).
#[test]
fn without_the_maximum_fifo_links_are_needed() {
    let scope = Scope { links: Some(Links::Fifo), entries: Entries::Each(2), ..Scope::new(3) };
    checked("ricart-agrawala-token@t3b", &scope);
}

/// A copy of a request that is lost on the way to the holder need not be missed (erratum T6): the token comes by.
#[test]
fn lost_copy_is_replaced_by_another() {
    use ringleader::sim::Fault;
    for name in ["ricart-agrawala-token", "suzuki-kasami"] {
        let lost = |wants: &[(u64, u32)]| {
            // The first copy of p2's request goes to p0, which has the token.
            let faults = vec![Fault::LoseNth { kind: "request".into(), nth: 1 }];
            run(name, &Scenario { faults, unsound: true, workload: script(wants), ..Scenario::new(3) })
        };
        assert!(!lost(&[(0, 2)]).holds(), "{name}: nobody else asks, and p2 waits for ever");
        assert_eq!(exclusion(&lost(&[(0, 2), (3, 1)])).entry_order, [1, 2], "{name}");
    }
}

/// Neither keeps a table of all processes, and nothing in the simulator grows faster than the messages do.
#[test]
fn a_hundred_thousand_processes() {
    let n = 100_000;
    for name in ["raymond", "naimi-trehel"] {
        let report = run_well(name, &Scenario::new(n));
        assert_eq!(exclusion(&report).entries, u64::from(n), "{name}");
        assert!(report.messages < 4 * u64::from(n), "{name}: {} messages", report.messages);
    }
}
