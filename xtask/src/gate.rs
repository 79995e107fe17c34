//! The gate: everything that must hold before a change goes in. Read-only, the same on a laptop and in CI.

use crate::{
    battery, bounds, cargo, format_algorithms, has_cargo_command, succeeds, test, tidy as check_tidiness,
};
use crate::{browser, clients, deploy, dist, etcd, network, page, python, site};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::tidy;

/// One stage of the gate.
struct Stage {
    name: &'static str,
    run: fn() -> bool,
    /// A cargo command that must be installed, and how to get it.
    needs: Option<(&'static str, &'static str)>,
    /// What else is missing here, and how to get it.
    misses: fn() -> Option<(&'static str, &'static str)>,
    /// A file without which there is nothing to do yet.
    file: Option<&'static str>,
}

impl Stage {
    const fn new(name: &'static str, run: fn() -> bool) -> Stage {
        Stage { name, run, needs: None, misses: || None, file: None }
    }
}

/// The stages in order: what is quick and fails often comes first.
const STAGES: &[Stage] = &[
    Stage {
        needs: Some(("fmt", "rustup component add rustfmt")),
        ..Stage::new("format", || {
            cargo(&["fmt", "--all", "--check"])
                && format_algorithms(true)
                && cargo(&["fmt", "--manifest-path", "benches/checkers/Cargo.toml", "--check"])
                && cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])
                && cargo(&["fmt", "--manifest-path", "bindings/python/Cargo.toml", "--check"])
                && cargo(&["fmt", "--manifest-path", "tests/etcd/Cargo.toml", "--check"])
        })
    },
    Stage::new("tidy", check_tidiness),
    Stage {
        needs: Some(("clippy", "rustup component add clippy")),
        ..Stage::new("clippy", || {
            cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
                // What is not among the tests that run by default is not among all targets either.
                && cargo(&["clippy", "-p=ringleader", "--test=battery", "--test=bounds", "--", "-D", "warnings"])
                && cargo(&["clippy", "-p=ringleader-lab", "--test=constants", "--", "-D", "warnings"])
        })
    },
    // The README's test command is `cargo xtask test`; this is the same function.
    Stage::new("tests", test),
    // What `cargo ringleader` builds: what is left out of it is said there only.
    Stage::new("study", || {
        let study = ["--no-default-features", "--features", "study"];
        cargo(&[&["test", "--package", "ringleader-cli", "--lib"], &study[..]].concat())
    }),
    Stage::new("docs", || {
        succeeds(tidy::cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    }),
    Stage::new("battery", battery),
    Stage::new("bounds", bounds),
    Stage {
        file: Some("crates/ringleader/benches/handwritten/main.rs"),
        ..Stage::new("bench smoke", bench_smoke)
    },
    Stage { file: Some("web/package.json"), misses: page::missing, ..Stage::new("page", page::check) },
    Stage { misses: dist::missing, ..Stage::new("packages", dist::check) },
    Stage { misses: deploy::missing, ..Stage::new("deploy", deploy::check) },
    // The suites that need more than Rust go here, after everything that does not.
    Stage { file: Some("pyproject.toml"), misses: python::missing, ..Stage::new("python", python::check) },
    Stage {
        file: Some("clients/README.md"),
        misses: clients::missing,
        ..Stage::new("clients", clients::check)
    },
    Stage {
        file: Some("tests/browser/package.json"),
        misses: browser::missing,
        ..Stage::new("browser", browser::run)
    },
    Stage {
        file: Some("tests/network/Cargo.toml"),
        misses: network::missing,
        ..Stage::new("network", || {
            // It waits for leases and processes most of the time, and the next stage needs a long build.
            site::begin();
            network::run()
        })
    },
    Stage { file: Some("tests/etcd/Cargo.toml"), misses: etcd::missing, ..Stage::new("etcd", etcd::run) },
    Stage { file: Some("web/package.json"), misses: site::missing, ..Stage::new("site", site::check) },
    Stage {
        file: Some("benches/checkers/Cargo.toml"),
        // Without Spin it compares with the other checker only, and says so; in CI it fails instead.
        ..Stage::new("checker bench", || {
            let package = "benches/checkers/Cargo.toml";
            cargo(&["run", "--profile", "smoke", "--locked", "--manifest-path", package, "--", "--quick"])
        })
    },
];

/// How a stage ended.
enum Ending {
    Passed(Duration),
    Failed(Duration),
    /// What is missing.
    Skipped(String),
}

/// Runs the gate up to the first stage that fails. The last line says what came of it.
pub(crate) fn run() -> bool {
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    let begin = Instant::now();
    let mut endings = Vec::new();
    for stage in STAGES {
        if stage.file.is_some_and(|file| !tidy::root().join(file).exists()) {
            continue;
        }
        println!("\n== {}", stage.name);
        let ending = run_stage(stage, strict);
        let failed = matches!(ending, Ending::Failed(_));
        endings.push((stage.name, ending));
        if failed {
            break;
        }
    }
    conclude(&endings, begin.elapsed())
}

/// That the benchmarks run is looked at here, not how fast: so all of them run at once. They are built as the tests
/// are, and of the same packages, for these decide about features; so everything that they need is there.
fn bench_smoke() -> bool {
    let all = ["bench", "--profile=dev", "--workspace"];
    let benches = ["handwritten", "rings", "sweep", "network", "locks"];
    let named = benches.map(|name| ["--bench", name]);
    cargo(&[&all[..], named.as_flattened(), &["--no-run"]].concat())
        && at_once(benches.map(|name| {
            let mut command = tidy::cargo();
            command.args(all).args(["--quiet", "--bench", name, "--", "--quick"]);
            (name, command)
        }))
}

/// Runs commands at the same time. Each prints what it said when it has ended; whether all passed.
pub(crate) fn at_once<const N: usize>(commands: [(&str, Command); N]) -> bool {
    let running = commands.map(|(name, mut command)| {
        let run = move || {
            let output = command.stdin(Stdio::null()).output();
            output.map(|output| (output.status.success(), [output.stdout, output.stderr].concat()))
        };
        (name, std::thread::spawn(run))
    });
    let mut passed = true;
    for (name, run) in running {
        match run.join() {
            Ok(Ok((success, said))) => {
                println!(
                    "-- {name}{}\n{}",
                    if success { "" } else { " FAILED" },
                    String::from_utf8_lossy(&said)
                );
                passed &= success;
            }
            Ok(Err(error)) => {
                eprintln!("error: {name}: {error}");
                passed = false;
            }
            Err(_) => passed = false,
        }
    }
    passed
}

fn run_stage(stage: &Stage, strict: bool) -> Ending {
    let begin = Instant::now();
    let command = stage.needs.filter(|(command, _)| !has_cargo_command(command));
    let missing = command.map(|(command, advice)| (format!("cargo {command}"), advice));
    let missing = missing.or_else(|| (stage.misses)().map(|(name, advice)| (name.to_owned(), advice)));
    if let Some((name, advice)) = missing {
        if strict {
            eprintln!("error: {name} is missing here, and CI skips no stage");
            eprintln!("hint: {advice}");
            return Ending::Failed(begin.elapsed());
        }
        eprintln!("note: {name} is missing here; this stage is skipped (CI would fail)");
        eprintln!("hint: {advice}");
        return Ending::Skipped(name);
    }
    if (stage.run)() { Ending::Passed(begin.elapsed()) } else { Ending::Failed(begin.elapsed()) }
}

/// Prints the table of stage times, and the verdict.
fn conclude(endings: &[(&str, Ending)], total: Duration) -> bool {
    let mut failed = None;
    let mut skipped = 0;
    println!();
    for (name, ending) in endings {
        match ending {
            Ending::Passed(time) => println!("{name:<16} {:>8.1} s", time.as_secs_f64()),
            Ending::Failed(time) => {
                println!("{name:<16} {:>8.1} s  FAILED", time.as_secs_f64());
                failed = Some(*name);
            }
            Ending::Skipped(missing) => {
                println!("{name:<16}  skipped: no {missing}");
                skipped += 1;
            }
        }
    }
    println!("{:<16} {:>8.1} s", "total", total.as_secs_f64());
    let broken = usize::from(failed.is_some());
    println!("stages: {} passed, {broken} failed, {skipped} skipped", endings.len() - broken - skipped);
    match (failed, skipped) {
        (Some(name), _) => println!("ci: stage `{name}` failed"),
        (None, 0) => println!("ci: all stages passed"),
        (None, _) => println!("ci: all stages passed but {skipped} skipped"),
    }
    failed.is_none()
}
