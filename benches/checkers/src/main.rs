//! The exhaustive checker side by side with Spin and with stateright, on the same ring, one thread each.
//!
//! Each checker must first find the known numbers of states and transitions on small rings. Then all run in turns, so
//! that what disturbs one disturbs all, and the best time of each counts.
//!
//! ```console
//! $ cargo run --release --manifest-path benches/checkers/Cargo.toml
//! $ cargo run --release --manifest-path benches/checkers/Cargo.toml -- --quick
//! $ cargo run --release --manifest-path benches/checkers/Cargo.toml -- --n 13 --repeat 5 --assert
//! ```

mod options;
mod ours;
mod plain;
mod spin;
mod stateright;
mod table;

use options::Options;
use spin::Writing;
use stateright::Search;
use std::process::ExitCode;
use table::{Row, Run};

/// Size of the ring, distinct states, transitions.
const KNOWN: [(u32, u64, u64); 7] = [
    (3, 17, 24),
    (4, 46, 88),
    (5, 137, 335),
    (6, 435, 1293),
    (7, 1437, 5012),
    (9, 16805, 75591),
    (11, 208_023, 1_144_077),
];

/// What `--assert` demands.
const SPIN_TIMES: f64 = 3.0;
const STATERIGHT_TIMES: f64 = 5.0;
const BYTES_PER_STATE: f64 = 24.0;
/// With fewer states a run is over before its time can be told from the time to begin.
const STATES_TO_JUDGE: u64 = 2_000_000;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            say(options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            warn(&format!("error: {problem}"));
            return ExitCode::from(2);
        }
    };
    match compare(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            warn(&format!("error: {problem}"));
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<(), String> {
    let spin = find_spin()?;
    for (n, states, transitions) in KNOWN {
        agree(n, (states, transitions), spin.is_some())?;
    }
    let sizes = KNOWN.map(|(n, _, _)| n.to_string()).join(", ");
    say(&format!("All agree on the known states and transitions at n = {sizes}."));
    let measured = measure(options, spin.as_deref())?;
    say(&format!("\nn = {}, identities falling clockwise, best of {}:\n", options.n, options.repeat));
    say(&table::render(&measured.rows));
    say(&format!("visited set: {:.1} bytes per state", measured.bytes_per_state));
    say(&format!("two threads: {:.2} times as fast as one", measured.speed_up()));
    if options.quick {
        say("These times are too short to say anything; without --quick they are measured.");
    }
    if options.assert { measured.judge() } else { Ok(()) }
}

/// The version of Spin, or none if it is to be left out.
fn find_spin() -> Result<Option<String>, String> {
    match spin::version() {
        Ok(version) => Ok(Some(version)),
        Err(problem) if std::env::var("CI").is_ok_and(|value| value == "true") => {
            Err(format!("{problem}, and CI leaves nothing out\nhint: {}", spin::HINT))
        }
        Err(problem) => {
            warn(&format!("note: {problem}; Spin is left out (CI would fail)\nhint: {}", spin::HINT));
            Ok(None)
        }
    }
}

/// Every checker finds what is known.
fn agree(n: u32, known: (u64, u64), with_spin: bool) -> Result<(), String> {
    for (threads, safety_only) in OURS {
        expect("ours", n, known, ours::check(n, threads, safety_only)?.run)?;
    }
    for (search, packed, _) in STATERIGHT {
        expect("stateright", n, known, stateright::check(n, search, packed)?)?;
    }
    if with_spin {
        for writing in [Writing::Packed, Writing::Channels] {
            expect("Spin", n, known, spin::compile(n, writing, false)?.check(20)?)?;
        }
    }
    Ok(())
}

fn expect(checker: &str, n: u32, known: (u64, u64), run: Run) -> Result<(), String> {
    let found = (run.states, run.transitions);
    if found == known {
        return Ok(());
    }
    Err(format!("{checker}, n = {n}: expected {known:?} states and transitions, found {found:?}"))
}

/// How ours is run: with so many threads; whether only what the others check as well is checked.
const OURS: [(u32, bool); 3] = [(1, true), (2, true), (1, false)];

/// How stateright is run: the search, whether its model is packed, and the name of the row.
const STATERIGHT: [(Search, bool, &str); 4] = [
    (Search::Depth, false, "depth first"),
    (Search::Breadth, false, "breadth first"),
    (Search::Depth, true, "packed, depth first"),
    (Search::Breadth, true, "packed, breadth first"),
];

/// The rows of the table, and what else `--assert` asks for.
struct Measured {
    /// Ours with one thread and with two, then the others.
    rows: Vec<Row>,
    bytes_per_state: f64,
}

fn measure(options: &Options, spin: Option<&str>) -> Result<Measured, String> {
    let n = options.n;
    // Not measured: it tells what all have to find, and how large Spin's table should be.
    let first = ours::check(n, 1, true)?;
    let known = (first.run.states, first.run.transitions);

    let name = |safety_only| if safety_only { "ringleader" } else { "ringleader, cycles and counts too" };
    let mut rows: Vec<Row> = OURS.map(|(threads, safety_only)| Row::new(name(safety_only), threads)).into();
    let version = stateright::version();
    rows.extend(STATERIGHT.map(|(_, _, name)| Row::new(format!("stateright {version}, {name}"), 1)));
    let mut programs = Vec::new();
    if let Some(version) = spin {
        for (writing, name) in [(Writing::Packed, "packed, in C"), (Writing::Channels, "channels")] {
            rows.push(Row::new(format!("spin {version}, {name}"), 1));
            programs.push((spin::compile(n, writing, true)?, spin::widths(known.0).to_vec()));
        }
    }

    for _ in 0..options.repeat {
        let mut rows = rows.iter_mut();
        let mut note = |run: Run| -> Result<(), String> {
            let row = rows.next().ok_or("a run without a row")?;
            expect(&row.checker, n, known, run)?;
            row.add(run);
            Ok(())
        };
        for (threads, safety_only) in OURS {
            note(ours::check(n, threads, safety_only)?.run)?;
        }
        for (search, packed, _) in STATERIGHT {
            note(stateright::check(n, search, packed)?)?;
        }
        for (program, widths) in &mut programs {
            note(quickest(program, widths)?)?;
        }
    }
    Ok(Measured { rows, bytes_per_state: first.bytes_per_state })
}

/// Spin with the best size of its table: the first time all are tried, and then only the best of them.
fn quickest(program: &spin::Program, widths: &mut Vec<u32>) -> Result<Run, String> {
    let mut best: Option<(Run, u32)> = None;
    for &width in widths.iter() {
        let run = program.check(width)?;
        if best.is_none_or(|(best, _)| run.took < best.took) {
            best = Some((run, width));
        }
    }
    let (run, width) = best.ok_or("no size of the table to try")?;
    *widths = vec![width];
    Ok(run)
}

impl Measured {
    /// How many times as fast ours is, with one thread, as the fastest row of this checker whose model is written as
    /// one usually writes it. Packing a model into words by hand is worth a lot, but it is not what one reads; the rows
    /// with packed models tell how much.
    fn times(&self, checker: &str) -> Option<f64> {
        let plain = |row: &&Row| row.checker.starts_with(checker) && !row.checker.contains("packed");
        let theirs = self.rows.iter().filter(plain);
        let fastest =
            theirs.filter_map(|row| row.best).map(|run| run.states_per_second()).reduce(f64::max)?;
        Some(self.rows[0].best?.states_per_second() / fastest)
    }

    fn speed_up(&self) -> f64 {
        let rate = |row: &Row| row.best.map_or(f64::NAN, |best| best.states_per_second());
        rate(&self.rows[1]) / rate(&self.rows[0])
    }

    /// Everything that falls short, in one message.
    fn judge(&self) -> Result<(), String> {
        let mut problems = Vec::new();
        let states = self.rows[0].best.map_or(0, |best| best.states);
        if states < STATES_TO_JUDGE {
            problems.push(format!("{states} states are too few to judge by; {STATES_TO_JUDGE} would do"));
        }
        for (checker, least) in [("spin", SPIN_TIMES), ("stateright", STATERIGHT_TIMES)] {
            match self.times(checker) {
                Some(times) if times >= least => {}
                Some(times) => {
                    problems.push(format!("{times:.2} times as fast as {checker}; {least} is the least"));
                }
                None => problems.push(format!("{checker} was not measured")),
            }
        }
        let (speed_up, bytes) = (self.speed_up(), self.bytes_per_state);
        // Written so that a missing figure, which is not a number, is a problem as well.
        if !matches!(speed_up.partial_cmp(&1.0), Some(core::cmp::Ordering::Greater)) {
            problems.push(format!("two threads are {speed_up:.2} times as fast as one"));
        }
        if bytes.is_nan() || bytes > BYTES_PER_STATE {
            problems.push(format!(
                "the visited set takes {bytes:.1} bytes per state; {BYTES_PER_STATE} is the most"
            ));
        }
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\nerror: ")) }
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "what is no result goes to the other stream")]
fn warn(text: &str) {
    eprintln!("{text}");
}
