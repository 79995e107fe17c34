//! The network suite: real members on several hosts, which are network namespaces of this machine, and a
//! network between them that fails in every way. It needs Linux, iproute2, ethtool, and the right to make
//! namespaces.

use crate::{cargo, succeeds};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use xtask::tidy;

/// The long run, as it is asked for.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Long {
    minutes: u64,
    /// None draws one.
    seed: Option<u64>,
}

impl Long {
    /// Reads the options after `network`: none of them is the short run.
    pub(crate) fn parse(options: &[&str]) -> Result<Option<Long>, String> {
        let mut long = Long { minutes: 30, seed: None };
        let mut is_long = false;
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut number = || {
                let given = options.next().ok_or_else(|| format!("{option} needs a number"))?;
                given.parse::<u64>().map_err(|_| format!("{option} needs a whole number, not `{given}`"))
            };
            match *option {
                "--long" => is_long = true,
                "--minutes" => long.minutes = number()?,
                "--seed" => long.seed = Some(number()?),
                other => return Err(format!("the network suite has no option `{other}`")),
            }
        }
        if !is_long && long != (Long { minutes: 30, seed: None }) {
            return Err("--minutes and --seed are for the long run: add --long".into());
        }
        if long.minutes == 0 {
            return Err("--minutes needs at least 1".into());
        }
        Ok(is_long.then_some(long))
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

/// The whole suite: every algorithm as real processes on this host; the ground of the other hosts; then every
/// fault. One after the other, for they share the machine's time.
pub(crate) fn run() -> bool {
    is_ready()
        && cargo(&["test", "--quiet", "-p", "ringleader-cli", "--test", "parity", "--", "--nocapture"])
        && ["ground", "faults"].iter().all(|test| succeeds(&mut suite(test, &[])))
}

/// Faults of every kind at random, for as long as asked.
pub(crate) fn run_long(long: &Long) -> bool {
    let drawn = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = long.seed.unwrap_or_else(|| drawn().map_or(0, |time| time.as_secs()));
    println!("again: cargo xtask network --long --minutes {} --seed {seed}", long.minutes);
    is_ready()
        && succeeds(
            suite("faults", &["everything_at_random"])
                .env("RINGLEADER_NETWORK_MINUTES", long.minutes.to_string())
                .env("RINGLEADER_NETWORK_SEED", seed.to_string()),
        )
}

fn is_ready() -> bool {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is missing here");
        eprintln!("hint: {advice}");
        return false;
    }
    cargo(&["build", "--quiet", "--package", "ringleader-cli"])
}

/// One of its tests, with the program that was just built.
fn suite(test: &str, only: &[&str]) -> Command {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tidy::root().join("target"), PathBuf::from);
    let program = std::path::absolute(target.join("debug/ringleader"));
    let mut command = tidy::cargo();
    command.args(["test", "--quiet", "-p", "ringleader-hosts", "--test", test, "--"]).args(only);
    command.args(["--test-threads=1", "--nocapture"]);
    if let Ok(program) = program {
        command.env("RINGLEADER_BIN", program);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_run_is_asked_for() {
        assert_eq!(Long::parse(&[]), Ok(None));
        assert_eq!(Long::parse(&["--long"]), Ok(Some(Long { minutes: 30, seed: None })));
        let both = Long::parse(&["--long", "--minutes", "5", "--seed", "7"]);
        assert_eq!(both, Ok(Some(Long { minutes: 5, seed: Some(7) })));
        for wrong in [
            &["--minutes", "5"][..],
            &["--long", "--minutes"],
            &["--long", "--minutes", "0"],
            &["--long", "--minutes", "many"],
            &["--short"],
        ] {
            assert!(Long::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
