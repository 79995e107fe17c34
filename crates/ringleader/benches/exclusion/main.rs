//! Mutual exclusion in the general engine, with meters and properties, against loops written by hand for one algorithm
//! each, without either. In rounds, everybody wants in so often; both sides run in turns, the best of several
//! repetitions counts. Messages and entries must agree. Without loops: other schedules, and an election with faults.
//!
//! ```console
//! $ cargo bench -p ringleader --bench exclusion
//! $ cargo bench -p ringleader --bench exclusion -- --quick
//! $ cargo bench -p ringleader --bench exclusion -- --only=raymond --assert=0.25
//! ```

#![expect(clippy::print_stdout, reason = "the table is what one runs it for")]
#![expect(
    clippy::disallowed_methods,
    reason = "the library must not know the time; whoever measures it must"
)]

mod raymond;
mod ricart_agrawala;
mod rounds;
mod suzuki_kasami;

use raymond::Raymond;
use ricart_agrawala::RicartAgrawala;
use ringleader::registry::{self, ALL};
use ringleader::sim::{
    Delay, Details, Entries, Fault, Meters, Observer, Scenario, Schedule, TICKS_PER_UNIT, Topology, Workload,
};
use ringleader::trace::Header;
use rounds::Count;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use suzuki_kasami::SuzukiKasami;

/// An algorithm, and the loop for it.
struct Rival {
    name: &'static str,
    n: u32,
    entries: u32,
    topology: Option<Topology>,
    by_hand: fn(u32, u32) -> (Count, Duration),
}

fn rivals(scale: u32) -> [Rival; 3] {
    let topology = Some(Topology::Binary);
    let (n, tree) = (1000 / scale, 100_000 / scale);
    [
        Rival {
            name: "ricart-agrawala",
            n,
            entries: 10,
            topology: None,
            by_hand: rounds::timed::<RicartAgrawala>,
        },
        Rival {
            name: "suzuki-kasami",
            n,
            entries: 10,
            topology: None,
            by_hand: rounds::timed::<SuzukiKasami>,
        },
        Rival { name: "raymond", n: tree, entries: 3, topology, by_hand: rounds::timed::<Raymond> },
    ]
}

fn main() -> ExitCode {
    // `cargo test` runs benches as well, to see that they run at all.
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let value = |flag: &str| arguments.iter().find_map(|argument| argument.strip_prefix(flag));
    let only = value("--only=");
    let wanted: f64 = value("--assert=").and_then(|share| share.parse().ok()).unwrap_or(0.0);
    let (scale, repetitions) = match (given("--bench"), given("--quick")) {
        (true, false) => (1, 5),
        (true, true) => (4, 3),
        (false, _) => (100, 1),
    };
    println!(
        "{:<18} {:>8} {:>12} {:>12} {:>14} {:>8}",
        "", "n", "messages", "by hand M/s", "engine M/s", "share"
    );
    let mut reached = true;
    for rival in rivals(scale).iter().filter(|rival| only.is_none_or(|only| only == rival.name)) {
        let mut best = [0.0_f64; 2];
        let mut messages = 0;
        for _ in 0..repetitions {
            let (by_hand, took) = (rival.by_hand)(rival.n, rival.entries);
            let (engine, engine_took) = simulated(rival.name, &scenario(rival));
            assert_eq!(by_hand, engine, "{}", rival.name);
            messages = by_hand.messages;
            for (best, took) in best.iter_mut().zip([took, engine_took]) {
                *best = best.max(messages as f64 / took.as_secs_f64().max(1e-9));
            }
        }
        let share = best[1] / best[0];
        reached &= share >= wanted;
        println!(
            "{:<18} {:>8} {messages:>12} {:>12.1} {:>14.2} {share:>8.3}",
            rival.name,
            rival.n,
            best[0] / 1e6,
            best[1] / 1e6
        );
    }
    if only.is_none() {
        others(scale, repetitions);
    }
    if reached { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn scenario(rival: &Rival) -> Scenario {
    let workload = Workload { entries: Entries::Each(rival.entries), ..Workload::default() };
    Scenario { topology: rival.topology.clone(), workload, ..Scenario::new(rival.n) }
}

/// What has no loop: messages a second, to be compared with an earlier version of the engine.
fn others(scale: u32, repetitions: u32) {
    let entries = |entries| Workload { entries: Entries::Each(entries), ..Workload::default() };
    let delay = Delay::Uniform(TICKS_PER_UNIT, 10 * TICKS_PER_UNIT);
    let exclusion =
        |schedule| Scenario { schedule, workload: entries(10), ..Scenario::new(300 / scale.min(60)) };
    let crash = Fault::Crash { process: 7, at: 0 };
    let n = 20_000 / scale;
    let election = Scenario { meters: Meters { depth: true, ..Meters::default() }, ..Scenario::new(n) };
    let with_faults = Scenario { faults: vec![crash], unsound: true, ..election };
    let cases = [
        ("ricart-agrawala, random", "ricart-agrawala", exclusion(Schedule::Random)),
        ("ricart-agrawala, delay", "ricart-agrawala", exclusion(Schedule::Delay(delay))),
        ("suzuki-kasami, random", "suzuki-kasami", exclusion(Schedule::Random)),
        ("ring-active-list, a crash, depth", "ring-active-list", Scenario { n: n / 20, ..with_faults }),
    ];
    println!("\n{:<34} {:>12} {:>14}", "", "messages", "engine M/s");
    for (title, name, scenario) in cases {
        let runs = (0..repetitions).map(|_| simulated(name, &scenario));
        let best = runs.min_by_key(|(_, took)| *took);
        let (count, took) = best.expect("there is one repetition at least");
        println!(
            "{title:<34} {:>12} {:>14.2}",
            count.messages,
            count.messages as f64 / took.as_secs_f64() / 1e6
        );
    }
}

/// A run of the engine.
fn simulated(name: &str, scenario: &Scenario) -> (Count, Duration) {
    let entry = registry::find(ALL, name).expect("it is in the registry");
    let mut watch = Watch { begun: None, took: Duration::ZERO };
    let report = entry.run(scenario, &mut watch).expect("it is admitted");
    assert!(report.holds(), "{name}");
    let entries = match &report.details {
        Details::Exclusion(details) => details.entries,
        Details::Election(_) | Details::Clocks(_) => 0,
    };
    (Count { messages: report.messages, entries }, watch.took)
}

/// Takes the time of the run itself.
struct Watch {
    begun: Option<Instant>,
    took: Duration,
}

impl Observer for Watch {
    fn begins(&mut self, _: &dyn Fn() -> Header) {
        self.begun = Some(Instant::now());
    }
    fn ends(&mut self) {
        self.took = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    }
}
