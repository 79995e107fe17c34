//! The simulator against loops written by hand for one algorithm and one schedule each: flat arrays, identities of
//! four bytes, no meters, no properties, no dispatch. Rounds have two: one as one would write it down, and one with
//! identity, mode and message packed into words (`packed`). The loops for the other schedules are packed. Both sides
//! run the same arrangement, in turns; the best of several repetitions counts. Messages and leader must agree.
//!
//! ```console
//! $ cargo bench --bench handwritten                          # n = 10^6 and 10^7, all schedules, two threads
//! $ cargo bench --bench handwritten -- --quick               # n = 10^5
//! $ cargo bench --bench handwritten -- --only rounds,peterson --n 1e7 --repeat 5
//! $ cargo bench --bench handwritten -- --only rounds --assert 0.5
//! ```

mod chang_roberts;
mod franklin;
mod lap;
mod one_way;
mod options;
mod peterson;
mod plain;
mod queue;
mod timed;
mod word;

use chang_roberts::ChangRoberts;
use core::time::Duration;
use lap::{Lap, Outcome};
use options::{Mode, Options};
use peterson::Peterson;
use ringleader::model::Arranged;
use ringleader::network::arrangement::Arrangement;
use ringleader::registry::{self, ALL, Entry};
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Delay, Details, Observer, Report, Scenario, Schedule, TICKS_PER_UNIT};
use ringleader::trace::Header;
use std::process::ExitCode;

const ALGORITHMS: [&str; 3] = ["chang-roberts", "peterson", "franklin"];

/// The schedules by name; the last only if asked for. `packed` is `rounds` against loops that pack words by hand.
const SCHEDULES: [&str; 5] = ["rounds", "packed", "random", "delay", "exponential"];

/// The schedule `delay`: uniform between 1 and 10 units.
const SHORTEST: u64 = TICKS_PER_UNIT;
const LONGEST: u64 = 10 * TICKS_PER_UNIT;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1), &ALGORITHMS, &SCHEDULES) {
        Ok(options) => options,
        Err(problem) => {
            say(&problem);
            return ExitCode::from(2);
        }
    };
    if options.mode == Mode::List {
        return ExitCode::SUCCESS;
    }
    known_values();
    if options.mode == Mode::Check {
        say("The loops agree with the known counts. To measure: cargo bench --bench handwritten");
        return ExitCode::SUCCESS;
    }
    let smallest = compare(&options);
    if options.threads > 1 && options.schedules.contains(&"rounds") {
        compare_threads(&options);
    }
    match (options.least, smallest) {
        (Some(least), Some(ratio)) if ratio < least => {
            say(&format!("The smallest ratio, {ratio:.2}, is below {least}."));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The table, and the smallest ratio of each schedule below it. Returns the smallest of all.
fn compare(options: &Options) -> Option<f64> {
    say(&format!(
        "{:<14}{:<12}{:>10}{:>13}{:>10}{:>10}{:>8}{:>10}",
        "algorithm", "schedule", "n", "messages", "hand M/s", "sim M/s", "ratio", "bytes/n"
    ));
    let mut smallest: Vec<(&str, f64)> = Vec::new();
    for &n in &options.sizes {
        let ids = ranks(&Arrangement::random(n, options.seed));
        for schedule in &options.schedules {
            for algorithm in &options.algorithms {
                let row = measure(algorithm, schedule, &ids, options);
                let rate = |took: Duration| row.messages as f64 / took.as_secs_f64() / 1e6;
                let hand = rate(row.hand);
                let simulated = row.simulated.map(|(took, bytes)| (rate(took), bytes));
                let cell = |value: Option<f64>, digits| {
                    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
                };
                let ratio = simulated.map(|(simulated, _)| simulated / hand);
                say(&format!(
                    "{algorithm:<14}{schedule:<12}{n:>10}{:>13}{hand:>10.1}{:>10}{:>8}{:>10}",
                    row.messages,
                    cell(simulated.map(|(rate, _)| rate), 1),
                    cell(ratio, 2),
                    cell(simulated.and_then(|(_, bytes)| bytes), 0),
                ));
                if let Some(ratio) = ratio {
                    match smallest.iter_mut().find(|(name, _)| name == schedule) {
                        Some((_, least)) => *least = least.min(ratio),
                        None => smallest.push((schedule, ratio)),
                    }
                }
            }
        }
    }
    for (schedule, ratio) in &smallest {
        say(&format!("smallest ratio, {schedule}: {ratio:.2}"));
    }
    smallest.into_iter().map(|(_, ratio)| ratio).reduce(f64::min)
}

/// The best times of one algorithm under one schedule.
struct Row {
    messages: u64,
    hand: Duration,
    /// None if the simulator has no such algorithm yet. The bytes are per process.
    simulated: Option<(Duration, Option<f64>)>,
}

fn measure(algorithm: &str, schedule: &str, ids: &[u32], options: &Options) -> Row {
    let mut entry = registry::find(ALL, algorithm);
    if entry.is_none() {
        say(&format!("{algorithm}: not in the registry"));
    }
    let mut row = Row { messages: 0, hand: Duration::MAX, simulated: None };
    for _ in 0..options.repeat {
        let outcome = by_hand(algorithm, schedule, ids, options.seed);
        row.messages = outcome.messages;
        row.hand = row.hand.min(outcome.took);
        let Some(simulated) = entry else { continue };
        let scenario = scenario(schedule, ids.len() as u32, options.seed);
        let before = memory::reset_peak();
        match simulate(simulated, &scenario) {
            Ok((report, took)) => {
                let bytes = memory::peak()
                    .zip(before)
                    .map(|(peak, before)| peak.saturating_sub(before) as f64 / ids.len() as f64);
                let Details::Election(election) = &report.details else { panic!("{algorithm} elects") };
                let leader = election.leader.as_ref().map(|leader| leader.index);
                assert_eq!(
                    (report.messages, leader),
                    (outcome.messages, Some(outcome.leader)),
                    "{algorithm}, {schedule}, n = {}: the simulator and the loop disagree",
                    ids.len()
                );
                // The peak is told in pages, and memory that was freed may be used again: the most is nearest.
                row.simulated = Some(row.simulated.map_or((took, bytes), |(best, most)| {
                    (best.min(took), most.zip(bytes).map(|(most, bytes)| most.max(bytes)))
                }));
            }
            Err(refusal) => {
                say(&format!("{algorithm}, {schedule}: not simulated: {refusal}"));
                entry = None;
            }
        }
    }
    row
}

/// The simulator with one thread and with several, under `rounds`: the same report, sooner.
fn compare_threads(options: &Options) {
    say(&format!(
        "{:<14}{:>10}{:>13}{:>11}{:>11}{:>10}",
        "algorithm",
        "n",
        "messages",
        "1 thread s",
        format!("{} s", options.threads),
        "speed-up"
    ));
    for &n in &options.sizes {
        for &algorithm in &options.algorithms {
            let Some(entry) = registry::find(ALL, algorithm) else { continue };
            let mut best: [Option<(Report, Duration)>; 2] = [None, None];
            for _ in 0..options.repeat {
                for (threads, best) in [1, options.threads].into_iter().zip(&mut best) {
                    let scenario = Scenario { threads, ..scenario("rounds", n, options.seed) };
                    match simulate(entry, &scenario) {
                        Ok((_, took)) if best.as_ref().is_some_and(|(_, least)| *least <= took) => {}
                        Ok(run) => *best = Some(run),
                        Err(refusal) => return say(&format!("{algorithm}: not simulated: {refusal}")),
                    }
                }
            }
            let [Some((one, alone)), Some((several, together))] = best else { continue };
            assert_eq!(one, several, "{algorithm}, n = {n}: threads change the result");
            let (alone, together) = (alone.as_secs_f64(), together.as_secs_f64());
            say(&format!(
                "{algorithm:<14}{n:>10}{:>13}{alone:>11.3}{together:>11.3}{:>10.2}",
                one.messages,
                alone / together
            ));
        }
    }
}

/// The loop for this algorithm and schedule.
fn by_hand(algorithm: &str, schedule: &str, ids: &[u32], seed: u64) -> Outcome {
    let mut rng = Rng::new(seed, Purpose::Schedule);
    let uniform = |rng: &mut Rng| SHORTEST + rng.below(LONGEST - SHORTEST + 1);
    match (algorithm, schedule) {
        ("chang-roberts", "rounds") => plain::chang_roberts(ids),
        ("chang-roberts", "packed") => one_way::rounds::<ChangRoberts>(ids),
        ("chang-roberts", "random") => one_way::random::<ChangRoberts>(ids, rng),
        ("chang-roberts", "delay") => one_way::timed::<ChangRoberts>(ids, || uniform(&mut rng)),
        ("chang-roberts", _) => one_way::timed::<ChangRoberts>(ids, || rng.exponential(TICKS_PER_UNIT)),
        ("peterson", "rounds") => plain::peterson(ids),
        ("peterson", "packed") => one_way::rounds::<Peterson>(ids),
        ("peterson", "random") => one_way::random::<Peterson>(ids, rng),
        ("peterson", "delay") => one_way::timed::<Peterson>(ids, || uniform(&mut rng)),
        ("peterson", _) => one_way::timed::<Peterson>(ids, || rng.exponential(TICKS_PER_UNIT)),
        (_, "rounds") => plain::franklin(ids),
        (_, "packed") => franklin::rounds(ids),
        (_, "random") => franklin::random(ids, rng),
        (_, "delay") => franklin::timed(ids, || uniform(&mut rng)),
        _ => franklin::timed(ids, || rng.exponential(TICKS_PER_UNIT)),
    }
}

/// The same for the simulator.
fn scenario(schedule: &str, n: u32, seed: u64) -> Scenario {
    let schedule = match schedule {
        "rounds" | "packed" => Schedule::Rounds,
        "random" => Schedule::Random,
        "delay" => Schedule::Delay(Delay::Uniform(SHORTEST, LONGEST)),
        _ => Schedule::Delay(Delay::Exponential(TICKS_PER_UNIT)),
    };
    Scenario { schedule, seed, ..Scenario::new(n) }
}

fn simulate(entry: &Entry, scenario: &Scenario) -> Result<(Report, Duration), ringleader::sim::Refusal> {
    let mut watch = Watch { lap: None, took: Duration::ZERO };
    let report = entry.run(scenario, &mut watch)?;
    Ok((report, watch.took))
}

/// Times the run without its arrangement before and the report after.
struct Watch {
    lap: Option<Lap>,
    took: Duration,
}

impl Observer for Watch {
    fn begins(&mut self, _: &dyn Fn() -> Header) {
        self.lap = Some(Lap::start());
    }

    fn ends(&mut self) {
        self.took = self.lap.take().expect("a run begins before it ends").took();
    }
}

fn ranks(arrangement: &Arrangement) -> Vec<u32> {
    (0..arrangement.len()).map(|index| arrangement.id(index).rank()).collect()
}

/// The loops against what is known about the algorithms.
fn known_values() {
    let arranged = |n, how| ranks(&Arrangement::arranged(n, how));
    for schedule in SCHEDULES {
        let messages = |algorithm, ids: &[u32]| {
            let outcome = by_hand(algorithm, schedule, ids, 1);
            let largest = (0..).zip(ids).max_by_key(|(_, id)| **id).map(|(index, _)| index);
            assert_eq!(Some(outcome.leader), largest, "{algorithm}, {schedule}: the largest identity wins");
            outcome.messages
        };
        for n in [1, 2, 3, 10, 100] {
            let total = messages("chang-roberts", &arranged(n, Arranged::Descending));
            assert_eq!(total, u64::from(n * (n + 1) / 2 + n), "chang-roberts, {schedule}, n = {n}, falling");
            let total = messages("chang-roberts", &arranged(n, Arranged::Ascending));
            assert_eq!(total, u64::from(2 * n - 1 + n), "chang-roberts, {schedule}, n = {n}, rising");
        }
        for (n, election) in [(1, 1), (2, 5), (16, 122), (1024, 19970)] {
            let total = messages("peterson", &arranged(n, Arranged::BitReversal));
            assert_eq!(total, election + u64::from(n), "peterson, {schedule}, n = {n}");
        }
        for (n, total) in [(1, 3), (2, 10)] {
            assert_eq!(messages("franklin", &arranged(n, Arranged::Ascending)), total);
        }
        for n in [3, 16, 100, 1000] {
            let ids = ranks(&Arrangement::random(n, 1));
            let expected = 2 * u64::from(n) * franklin_phases(&ids) + u64::from(n);
            assert_eq!(messages("franklin", &ids), expected, "franklin, {schedule}, n = {n}");
        }
    }
}

/// Phases of Franklin's algorithm: local maxima of local maxima, until one is left and sees itself.
fn franklin_phases(ids: &[u32]) -> u64 {
    let mut active = ids.to_vec();
    let mut phases = 1;
    while active.len() > 1 {
        let len = active.len();
        active = (0..len)
            .filter(|&i| active[i] >= active[(i + 1) % len].max(active[(i + len - 1) % len]))
            .map(|i| active[i])
            .collect();
        phases += 1;
    }
    phases
}

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn say(line: &str) {
    println!("{line}");
}

/// The memory of this program, where the system tells.
mod memory {
    /// Sets the peak back to the present size, and returns that, in bytes.
    pub(crate) fn reset_peak() -> Option<u64> {
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
        field("VmRSS:")
    }

    pub(crate) fn peak() -> Option<u64> {
        field("VmHWM:")
    }

    fn field(name: &str) -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
    }
}
