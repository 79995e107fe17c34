//! The lock service in rehearsal: whole clusters of real servers and clients without sockets, with clocks
//! of their own, a network that loses, delays, repeats and is cut, a store that is slow, and machines that
//! are killed, paused and restarted; all from one seed. An auditor who knows the real time looks at every
//! grant.
//!
//! A share of it runs with the tests. `cargo xtask rehearse` runs as much as asked, on all cores.

#![expect(clippy::print_stdout, reason = "the totals are what one runs it for")]
#![expect(
    clippy::disallowed_methods,
    reason = "how much is rehearsed is asked for, and how long it took is told; the schedules have no such input"
)]

mod auditor;
mod client;
mod clock;
mod faults;
mod losses;
mod mistakes;
mod schedule;
mod setup;
mod store;
mod totals;
mod world;

use auditor::Violation;
use ringleader_locks::Rules;
use schedule::schedule;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use totals::Counts;

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} needs a whole number, not `{text}`")))
}

/// A schedule that was begun: should a server panic in it, its seed is told.
struct Begun(u64);

impl Drop for Begun {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("seed {}: a panic", self.0);
        }
    }
}

/// So many violations are enough.
const ENOUGH: usize = 8;

/// Many schedules, on so many threads, until all are done, the time is over or enough is violated: with
/// which seeds.
fn rehearse(
    first: u64,
    schedules: u64,
    time: Option<Duration>,
    threads: usize,
) -> (Counts, Vec<(u64, Violation)>) {
    let (next, stop, begin) = (AtomicU64::new(0), AtomicBool::new(false), Instant::now());
    let totals = Mutex::new((Counts::default(), Vec::new()));
    let work = || {
        let mut mine = Counts::default();
        while !stop.load(Ordering::Relaxed) && time.is_none_or(|time| begin.elapsed() < time) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= schedules {
                break;
            }
            let seed = first.wrapping_add(place);
            let begun = Begun(seed);
            let outcome = schedule(Rules::default(), seed, false);
            drop(begun);
            mine.add(&outcome.counts);
            if let Some(violation) = outcome.violation {
                println!("seed {seed}: {} at {}", violation.invariant, violation.real);
                let mut totals = totals.lock().expect("nobody panics");
                totals.1.push((seed, violation));
                stop.store(totals.1.len() >= ENOUGH, Ordering::Relaxed);
            }
        }
        totals.lock().expect("nobody panics").0.add(&mine);
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    totals.into_inner().expect("nobody panics")
}

/// What is shown of a schedule that failed.
fn shown(seed: u64) -> String {
    let outcome = schedule(Rules::default(), seed, true);
    let lines = asked("REHEARSE_LINES").unwrap_or(120) as usize;
    let from = outcome.log.len().saturating_sub(lines);
    let setup = outcome.log.first().cloned().unwrap_or_default();
    let violation = outcome
        .violation
        .map(|violation| format!("{} at {}: {}", violation.invariant, violation.real, violation.what));
    format!(
        "seed {seed}: {}\n{setup}\n{}\nto repeat it: cargo xtask rehearse --seed {seed} --schedules 1",
        violation.unwrap_or_default(),
        outcome.log[from..].join("\n"),
    )
}

/// As many schedules as asked, or some.
#[test]
fn schedules() {
    let (first, minutes) = (asked("REHEARSE_SEED").unwrap_or(1), asked("REHEARSE_MINUTES"));
    let long = asked("REHEARSE_SCHEDULES").or(minutes.map(|_| u64::MAX));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let begin = Instant::now();
    let time = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let (counts, failed) = rehearse(first, long.unwrap_or(1000), time, threads);
    println!("{counts}\n{:>32} {:>16.1}", "seconds", begin.elapsed().as_secs_f64());
    println!("{:>32} {:>16}", "violations", failed.len());
    for (seed, violation) in &failed {
        println!("seed {seed}: {} at {}: {}", violation.invariant, violation.real, violation.what);
        println!("to repeat it: cargo xtask rehearse --seed {seed} --schedules 1");
    }
    if counts.schedules == 1 && failed.is_empty() && asked("REHEARSE_LINES").is_some() {
        println!("{}", shown(first));
    }
    if let Some((seed, _)) = failed.first() {
        panic!("{}", shown(*seed));
    }
    if counts.schedules >= 1000 {
        let missing = counts.missing();
        assert!(missing.is_empty(), "never: {missing:?}");
    }
}
