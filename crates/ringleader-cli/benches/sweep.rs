//! How much faster a sweep is on all cores than on one: the same 10,000 runs of 1,000 processes, in turns, in one run.
//! `cargo bench -p ringleader-cli --bench sweep`; with `--quick` a tenth of them, to see that it works.

#![expect(clippy::print_stdout, reason = "a benchmark is for a terminal")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const FILE: &str = r#"
[grid]
algorithm = ["peterson", "franklin", "chang-roberts", "hirschberg-sinclair", "dolev-klawe-rodeh"]
seed = { range = [0, SEEDS] }
[fixed]
n = 1000
"#;

fn main() {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let (seeds, turns) = if quick { (200, 3) } else { (2000, 7) };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-sweep");
    std::fs::create_dir_all(&folder).expect("a directory for the benchmark");
    std::fs::write(folder.join("grid.toml"), FILE.replace("SEEDS", &seeds.to_string()))
        .expect("a file in it");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let sweep = |threads: usize| -> Duration {
        let (threads, output) = (threads.to_string(), format!("{threads}.csv"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.args(["-q", "sweep", "grid.toml", "--force", "-o", &output, "--threads", &threads]);
        let begun = Instant::now();
        let ran = command.current_dir(&folder).output().expect("the program runs");
        let elapsed = begun.elapsed();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        elapsed
    };
    println!("{} runs of 1,000 processes, seconds on 1 and on {cores} threads", seeds * 5);
    let mut ratios = Vec::new();
    for _ in 0..turns {
        let (one, all) = (sweep(1).as_secs_f64(), sweep(cores).as_secs_f64());
        println!("  {one:.2}  {all:.2}  {:.2} times", one / all);
        ratios.push(one / all);
    }
    ratios.sort_by(f64::total_cmp);
    println!("in the middle: {:.2} times as fast", ratios[turns / 2]);
    let rows = |threads: usize| std::fs::read(folder.join(format!("{threads}.csv"))).expect("rows");
    assert!(rows(1) == rows(cores), "the rows are the same");
}
