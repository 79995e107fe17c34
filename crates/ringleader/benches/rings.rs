//! Every election on rings whose messages grow like n log n, in rounds, beside Peterson's: messages a second, in turns
//! and in one run; the best of several repetitions counts. Only the ratios carry over to another machine.
//!
//! ```console
//! $ cargo bench -p ringleader --bench rings                # n = 10^6
//! $ cargo bench -p ringleader --bench rings -- --quick     # n = 10^5
//! $ cargo bench -p ringleader --bench rings -- --only=franklin
//! ```

#![expect(clippy::print_stdout, reason = "the table is what one runs it for")]
#![expect(
    clippy::disallowed_methods,
    reason = "the library must not know the time; whoever measures it must"
)]

use ringleader::model::{Facts, Shape};
use ringleader::registry::{ALL, Entry, Problem};
use ringleader::sim::{Observer, Scenario};
use std::time::{Duration, Instant};

/// The yardstick.
const PETERSON: &str = "peterson";

fn main() {
    // `cargo test` runs benches as well, to see that they run at all.
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let only = arguments.iter().find_map(|argument| argument.strip_prefix("--only="));
    let (n, repetitions) = match (given("--bench"), given("--quick")) {
        (true, false) => (1_000_000, 5),
        (true, true) => (100_000, 3),
        (false, _) => (1_000, 1),
    };
    let entries: Vec<&Entry> = ALL
        .iter()
        .filter(|entry| grows_like_n_log_n(entry))
        .filter(|entry| only.is_none_or(|only| [only, PETERSON].contains(&entry.spec.name)))
        .collect();
    let mut best: Vec<(u64, f64)> = vec![(0, 0.0); entries.len()];
    for _ in 0..repetitions {
        for (entry, best) in entries.iter().zip(&mut best) {
            let (messages, speed) = measured(entry, n);
            *best = (messages, best.1.max(speed));
        }
    }
    let yardstick = entries.iter().zip(&best).find(|(entry, _)| entry.spec.name == PETERSON);
    let yardstick = yardstick.map_or(1.0, |(_, best)| best.1);
    println!("n = {n}, rounds, random identities, one thread");
    println!("{:<28} {:>12} {:>8} {:>18}", "", "messages", "M/s", "Peterson's, times");
    for (entry, (messages, speed)) in entries.iter().zip(&best) {
        println!("{:<28} {messages:>12} {:>8.1} {:>18.2}", entry.spec.name, speed / 1e6, speed / yardstick);
    }
}

/// Whether it is an election on a ring whose bound, if it has one, is far from n². Those without a bound draw lots, in
/// rounds of 2n messages; in lock-step a round takes n², and with a range of 2 Itai and Rodeh take n messages for each
/// process that is left.
fn grows_like_n_log_n(entry: &Entry) -> bool {
    let is_ring = matches!(entry.shape, Shape::OneWayRing | Shape::TwoWayRing);
    let n = 1_000_000u64;
    let is_small = match entry.spec.cost.worst {
        Some(bound) => bound.value(&Facts::plain(n)).is_some_and(|most| most < 1_000 * n),
        None => !entry.spec.name.starts_with("itai-rodeh") || entry.spec.name == "itai-rodeh-coin",
    };
    entry.problem == Problem::Election && is_ring && is_small && !entry.is_literal()
}

/// The messages of a run, and how many a second.
fn measured(entry: &Entry, n: u32) -> (u64, f64) {
    let mut watch = Watch { begun: None, took: Duration::ZERO };
    let report = entry.run(&Scenario { seed: 1, ..Scenario::new(n) }, &mut watch).expect("it is admitted");
    assert!(report.holds(), "{}", entry.spec.name);
    (report.messages, report.messages as f64 / watch.took.as_secs_f64().max(1e-9))
}

/// Takes the time of the run itself.
struct Watch {
    begun: Option<Instant>,
    took: Duration,
}

impl Observer for Watch {
    fn begins(&mut self, _: &dyn Fn() -> ringleader::trace::Header) {
        self.begun = Some(Instant::now());
    }
    fn ends(&mut self) {
        self.took = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    }
}
