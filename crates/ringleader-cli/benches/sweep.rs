//! How much faster a sweep is on all cores than on one: the same 10,000 runs of 1,000 processes, in turns, in one run.
//! `cargo bench -p ringleader-cli --bench sweep`; with `--quick` a tenth of them, to see that it works.

#![expect(clippy::print_stdout, reason = "a benchmark is for a terminal")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

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
    let start = |threads: usize, output: String| -> Child {
        let threads = threads.to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        command.args(["-q", "sweep", "grid.toml", "--force", "-o", &output, "--threads", &threads]);
        command.current_dir(&folder).stdout(Stdio::null()).spawn().expect("the program runs")
    };
    let timed = |sweeps: &dyn Fn() -> Vec<Child>| -> f64 {
        let begun = Instant::now();
        for mut sweep in sweeps() {
            assert!(sweep.wait().expect("it ends").success());
        }
        begun.elapsed().as_secs_f64()
    };
    println!(
        "{} runs of 1,000 processes; seconds on 1 thread, on {cores}, and {cores} times on 1",
        seeds * 5
    );
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..turns {
        let times = [
            timed(&|| vec![start(1, "1.csv".into())]),
            timed(&|| vec![start(cores, format!("{cores}.csv"))]),
            // What the machine can do: as many sweeps at once as there are cores.
            timed(&|| (0..cores).map(|copy| start(1, format!("copy-{copy}.csv"))).collect()),
        ];
        println!("  {:.2}  {:.2}  {:.2}", times[0], times[1], times[2]);
        fastest = std::array::from_fn(|at| fastest[at].min(times[at]));
    }
    let [one, all, copies] = fastest;
    // Noise only ever adds, so the fastest of each are compared.
    println!("the fastest of each: {:.2} times as fast on {cores} threads", one / all);
    println!(
        "so many sweeps at once: {:.2} times as fast as one after the other",
        cores as f64 * one / copies
    );
    let rows = |threads: usize| std::fs::read(folder.join(format!("{threads}.csv"))).expect("rows");
    assert!(rows(1) == rows(cores), "the rows are the same");
}
