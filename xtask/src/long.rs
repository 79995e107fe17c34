//! What takes more than two minutes, and is no part of the gate, which has a share of each.

use crate::{QUICK, cargo, clients, cross, dist, network, python, rehearse, succeeds};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::tidy;

/// One part.
struct Part {
    name: &'static str,
    /// What it does, for the list.
    about: &'static str,
    run: fn(&Asked) -> bool,
}

const PARTS: &[Part] = &[
    Part {
        name: "fuzz",
        about: "libFuzzer on every decoder, --minutes M each (10): needs cargo-fuzz",
        run: fuzz,
    },
    Part {
        name: "rehearse",
        about: "a million schedules of the lock service, with every fault; every wrong version from seed 0",
        run: rehearsal,
    },
    Part {
        name: "network",
        about: "frozen holders and cut followers on several hosts, then an hour of faults at random",
        run: long_network,
    },
    Part {
        name: "attacks",
        about: "what broke the lock service once, 1,000 times, 20 over real sockets; 5,000 strangers at once",
        run: attacks,
    },
    Part { name: "load", about: "10,000 sessions and 100,000 locks, 30 times", run: load },
    Part { name: "overload", about: "twice what the machine can carry, for five minutes", run: overload },
    Part {
        name: "exercise",
        about: "the exercise of the examples, against a crate that is right and one that is not",
        run: |_| cargo(&["test", "--package", "ringleader-cli", "--test", "exercise"]),
    },
    Part {
        name: "python",
        about: "the Python package as a release: the ratios that it promises, its wheel and its source distribution",
        run: |_| python::measure() && python::wheel(),
    },
    Part {
        name: "clients",
        about: "clients in four languages at the same locks while servers fail, for --minutes M (10)",
        run: |asked| clients::long(asked.minutes),
    },
    Part { name: "cross", about: "whether the study compiles for Windows and macOS", run: |_| cross::run() },
    Part {
        name: "dist",
        about: "the packages of a release; installed, used and removed in a clean Debian",
        run: |_| dist::long(),
    },
];

/// What is asked for.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    parts: Vec<String>,
    list: bool,
    minutes: u64,
}

impl Asked {
    /// Reads the options after `long`: names of parts, or none for all of them.
    pub(crate) fn parse(options: &[&str]) -> Result<Asked, String> {
        let mut asked = Asked { parts: Vec::new(), list: false, minutes: 10 };
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match *option {
                "--list" => asked.list = true,
                "--minutes" => {
                    let given = options.next().ok_or("--minutes needs a number")?;
                    let minutes = given.parse().ok().filter(|minutes| *minutes > 0);
                    asked.minutes =
                        minutes.ok_or(format!("--minutes needs a number from 1 on, not `{given}`"))?;
                }
                name if PARTS.iter().any(|part| part.name == name) => asked.parts.push(name.to_owned()),
                other => {
                    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                    return Err(format!("there is no long part `{other}`; there are {}", names.join(", ")));
                }
            }
        }
        Ok(asked)
    }

    /// Runs them all, also after one has failed; the table at the end says what came of each.
    pub(crate) fn run(&self) -> bool {
        if self.list {
            for part in PARTS {
                println!("{:<10} {}", part.name, part.about);
            }
            return true;
        }
        let wanted = |part: &&Part| self.parts.is_empty() || self.parts.iter().any(|name| name == part.name);
        let mut ends: Vec<(&str, bool, Duration)> = Vec::new();
        for part in PARTS.iter().filter(wanted) {
            println!("\n== {}: {}", part.name, part.about);
            let begun = Instant::now();
            let passed = (part.run)(self);
            ends.push((part.name, passed, begun.elapsed()));
        }
        println!();
        for (name, passed, time) in &ends {
            let verdict = if *passed { "passed" } else { "FAILED" };
            println!("{name:<10} {:>8.1} s  {verdict}", time.as_secs_f64());
        }
        ends.iter().all(|(_, passed, _)| *passed)
    }
}

/// The names of the binaries in `fuzz/`: a test of ringleader-fuzz sees to it that all decoders are there.
fn decoders() -> Vec<String> {
    let manifest = std::fs::read_to_string(tidy::root().join("fuzz/Cargo.toml")).unwrap_or_default();
    let bins = manifest.split("[[bin]]").skip(1);
    bins.filter_map(|bin| Some(bin.split("name = \"").nth(1)?.split('"').next()?.to_owned())).collect()
}

/// libFuzzer on each decoder in turn. Its instruments are no part of a stable compiler; they are there all the same.
fn fuzz(asked: &Asked) -> bool {
    if !crate::has_cargo_command("fuzz") {
        eprintln!("error: cargo fuzz is missing here\nhint: cargo install cargo-fuzz");
        return false;
    }
    let decoders = decoders();
    let mut passed = !decoders.is_empty();
    for name in decoders {
        let seeds = format!("crates/ringleader-fuzz/seeds/{name}");
        let corpus = tidy::root().join("fuzz/corpus").join(&name);
        if let Err(error) = std::fs::create_dir_all(&corpus) {
            eprintln!("error: {}: {error}", corpus.display());
            return false;
        }
        let mut command = tidy::cargo();
        command.env("RUSTC_BOOTSTRAP", "1").args([
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            "--fuzz-dir",
            "fuzz",
            &name,
        ]);
        command.arg(&corpus).arg(&seeds).arg("--");
        // No input that comes from a network needs longer or more memory than this.
        command.args(["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024", "-malloc_limit_mb=256"]);
        command.args([format!("-max_total_time={}", asked.minutes * 60), "-print_final_stats=1".into()]);
        let (well, said) = heard(&mut command);
        let figure = |word: &str| {
            said.lines().find_map(|line| line.strip_prefix(word)).map_or("?", str::trim).to_owned()
        };
        let (runs, new) = (figure("stat::number_of_executed_units:"), figure("stat::new_units_added:"));
        println!(
            "{name:<16} {runs:>12} executions, {new:>5} new inputs, {}",
            if well { "nothing found" } else { "FOUND" }
        );
        if !well {
            eprintln!(
                "{}",
                said.lines()
                    .rev()
                    .take(40)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect::<Vec<_>>()
                    .join("\n")
            );
            eprintln!("hint: put the file that it names into {seeds} as found-..., mend, and keep it there");
        }
        passed &= well;
    }
    passed
}

/// Whether it went well, and what it said on stderr.
fn heard(command: &mut Command) -> (bool, String) {
    match command.stdin(Stdio::null()).stdout(Stdio::null()).output() {
        Ok(output) => (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => (false, error.to_string()),
    }
}

fn rehearsal(_: &Asked) -> bool {
    let million = rehearse::Rehearsal::parse(&[]).is_ok_and(|rehearsal| rehearsal.run());
    rehearse::mistakes() & million
}

fn long_network(_: &Asked) -> bool {
    let at_random = |options: &[&str]| network::Asked::parse(options).is_ok_and(|asked| asked.run());
    network::attacks() && at_random(&["--long"]) && at_random(&["--long", "--service"])
}

/// The tests that do a share of it in the gate are told how much is all of it: less where real sockets are used.
fn attacks(_: &Asked) -> bool {
    let attack = |tests: &[&str], times: &str| {
        let mut command = tidy::cargo();
        command.args(["test", QUICK, "-p", "ringleader-server", "--no-fail-fast"]).args(tests);
        succeeds(command.env("RINGLEADER_REPEAT", times).env("RINGLEADER_STRANGERS", "5000"))
    };
    attack(&["--lib"], "1000") & attack(&["--test", "service"], "20")
}

const LOCKS: [&str; 7] = ["bench", "-p", "ringleader-server", "--bench", "locks", "--", "--only"];

fn load(_: &Asked) -> bool {
    cargo(&[&LOCKS[..], &["many", "--times", "30"]].concat())
}

fn overload(_: &Asked) -> bool {
    cargo(&[&LOCKS[..], &["overload", "--minutes", "5"]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named() {
        let asked = Asked::parse(&["fuzz", "load", "--minutes", "2"]);
        let parts = vec!["fuzz".to_owned(), "load".to_owned()];
        assert_eq!(asked, Ok(Asked { parts, list: false, minutes: 2 }));
        assert_eq!(Asked::parse(&[]).map(|asked| asked.minutes), Ok(10));
        for wrong in [&["fuz"][..], &["--minutes"], &["--minutes", "0"], &["--long"]] {
            assert!(Asked::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn decoders_are_read_from_the_manifest() {
        let decoders = decoders();
        assert!(decoders.len() > 10 && decoders.contains(&"lock_message".to_owned()), "{decoders:?}");
    }
}
