//! The network suite: real members, and real servers and clients of the lock service, on several hosts, which
//! are network namespaces of this machine, and a network between them that fails in every way. It needs Linux,
//! iproute2, ethtool, and the right to make namespaces.

use crate::{build_program, cargo, succeeds};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use xtask::tidy;

/// What is to be run.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    /// Only what concerns the lock service.
    service: bool,
    /// Faults of every kind at random, rather than each once.
    long: Option<Long>,
}

/// The long run.
#[derive(PartialEq, Eq, Debug)]
struct Long {
    minutes: u64,
    /// None draws one.
    seed: Option<u64>,
}

impl Asked {
    /// Reads the options after `network`: none of them is everything, short.
    pub(crate) fn parse(options: &[&str]) -> Result<Asked, String> {
        let (mut is_long, mut service, mut minutes, mut seed) = (false, false, None, None);
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut number = || {
                let given = options.next().ok_or_else(|| format!("{option} needs a number"))?;
                given.parse::<u64>().map_err(|_| format!("{option} needs a whole number, not `{given}`"))
            };
            match *option {
                "--long" => is_long = true,
                "--service" => service = true,
                "--minutes" => minutes = Some(number()?),
                "--seed" => seed = Some(number()?),
                other => return Err(format!("the network suite has no option `{other}`")),
            }
        }
        if !is_long && (minutes.is_some() || seed.is_some()) {
            return Err("--minutes and --seed are for the long run: add --long".into());
        }
        if minutes == Some(0) {
            return Err("--minutes needs at least 1".into());
        }
        let long = is_long.then_some(Long { minutes: minutes.unwrap_or(30), seed });
        Ok(Asked { service, long })
    }

    /// Runs it.
    pub(crate) fn run(&self) -> bool {
        match &self.long {
            Some(long) => long.run(self.service),
            None if self.service => is_ready() && succeeds(&mut suite("service", &[])),
            None => run(),
        }
    }
}

/// What is missing here, and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    if !cfg!(target_os = "linux") {
        return Some((
            "Linux",
            "the hosts are network namespaces, which only Linux has: run it in a container",
        ));
    }
    let works = |program: &str, arguments: &[&str]| {
        let asked =
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    if !works("ip", &["-V"]) {
        return Some(("ip", "apt-get install iproute2"));
    }
    if !works("ethtool", &["--version"]) {
        return Some(("ethtool", "apt-get install ethtool"));
    }
    let probe = format!("ringleader-{}-probe", std::process::id());
    let may = works("ip", &["netns", "add", &probe]) && works("ip", &["netns", "del", &probe]);
    (!may).then_some((
        "the right to make network namespaces",
        "run it as root (in a container: with --privileged)",
    ))
}

/// The suite of the gate: every algorithm as real processes on this host; the ground of the other hosts; then
/// every fault; then the lock service and its faults.
pub(crate) fn run() -> bool {
    is_ready()
        && cargo(&["test", "--quiet", "--workspace", "--test", "parity", "--", "--nocapture"])
        && ["ground", "faults", "service"].iter().all(|test| succeeds(&mut suite(test, &[])))
}

/// The attacks on the lock service of which the gate has a share: all of each.
pub(crate) fn attacks() -> bool {
    let tests = ["frozen_holders", "believe_too_long", "follower_that_was_cut_off"];
    let mut command = suite("service", &tests);
    is_ready()
        && succeeds(command.env("RINGLEADER_NETWORK_ROUNDS", "24").env("RINGLEADER_NETWORK_CUTS", "10"))
}

impl Long {
    /// Faults of every kind at random, for as long as asked, done to a cluster or to the lock service.
    fn run(&self, service: bool) -> bool {
        let drawn = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed = self.seed.unwrap_or_else(|| drawn().map_or(0, |time| time.as_secs()));
        let (minutes, of) = (self.minutes, if service { " --service" } else { "" });
        println!("again: cargo xtask network --long{of} --minutes {minutes} --seed {seed}");
        is_ready()
            && succeeds(
                suite(if service { "service" } else { "faults" }, &["everything_at_random"])
                    .env("RINGLEADER_NETWORK_MINUTES", minutes.to_string())
                    .env("RINGLEADER_NETWORK_SEED", seed.to_string()),
            )
    }
}

fn is_ready() -> bool {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is missing here");
        eprintln!("hint: {advice}");
        return false;
    }
    build_program()
}

/// One of its tests, with the program that was just built.
fn suite(test: &str, only: &[&str]) -> Command {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tidy::root().join("target"), PathBuf::from);
    let program = std::path::absolute(target.join("debug/ringleader"));
    let mut command = tidy::cargo();
    command.args(["test", "--quiet", "--workspace", "--test", &format!("hosts-{test}"), "--"]).args(only);
    // Each has hosts of its own, and waits most of the time; but the ground counts what is left of all hosts.
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let at_once = if test == "ground" { 1 } else { (3 * cores).div_ceil(2) };
    command.args([&format!("--test-threads={at_once}"), "--nocapture"]);
    if let Ok(program) = program {
        command.env("RINGLEADER_BIN", program);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_run_is_asked_for() {
        let asked = |service, long: Option<(u64, Option<u64>)>| {
            Ok(Asked { service, long: long.map(|(minutes, seed)| Long { minutes, seed }) })
        };
        assert_eq!(Asked::parse(&[]), asked(false, None));
        assert_eq!(Asked::parse(&["--service"]), asked(true, None));
        assert_eq!(Asked::parse(&["--long"]), asked(false, Some((30, None))));
        let both = Asked::parse(&["--long", "--minutes", "5", "--seed", "7"]);
        assert_eq!(both, asked(false, Some((5, Some(7)))));
        let service = Asked::parse(&["--long", "--service", "--seed", "7"]);
        assert_eq!(service, asked(true, Some((30, Some(7)))));
        for wrong in [
            &["--minutes", "5"][..],
            &["--service", "--seed", "5"],
            &["--long", "--minutes"],
            &["--long", "--minutes", "0"],
            &["--long", "--minutes", "many"],
            &["--short"],
        ] {
            assert!(Asked::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
