//! The rehearsal of the lock service: as many schedules as asked, on all cores, and the totals.

use crate::{QUICK, succeeds};
use std::process::Command;
use xtask::tidy;

/// What is asked for.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Rehearsal {
    schedules: Option<u64>,
    seed: u64,
    minutes: Option<u64>,
}

impl Rehearsal {
    /// Reads the options after `rehearse`.
    pub(crate) fn parse(options: &[&str]) -> Result<Rehearsal, String> {
        let mut rehearsal = Rehearsal { schedules: None, seed: 1, minutes: None };
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut number = || {
                let given = options.next().ok_or_else(|| format!("{option} needs a number"))?;
                given.parse::<u64>().map_err(|_| format!("{option} needs a whole number, not `{given}`"))
            };
            match *option {
                "--schedules" => rehearsal.schedules = Some(number()?),
                "--seed" => rehearsal.seed = number()?,
                "--minutes" => rehearsal.minutes = Some(number()?),
                other => return Err(format!("the rehearsal has no option `{other}`")),
            }
        }
        if rehearsal.schedules == Some(0) || rehearsal.minutes == Some(0) {
            return Err("--schedules and --minutes need at least 1".into());
        }
        Ok(rehearsal)
    }

    /// Runs it. A million schedules if nothing else is said.
    pub(crate) fn run(&self) -> bool {
        let mut command = test("schedules");
        command.env("REHEARSE_SEED", self.seed.to_string());
        if let Some(minutes) = self.minutes {
            command.env("REHEARSE_MINUTES", minutes.to_string());
        }
        if let Some(schedules) = self.schedules.or(self.minutes.is_none().then_some(1_000_000)) {
            command.env("REHEARSE_SCHEDULES", schedules.to_string());
        }
        succeeds(&mut command)
    }
}

/// The wrong versions, each looked for from seed 0 on. The gate begins where each was found.
pub(crate) fn mistakes() -> bool {
    succeeds(test("mistakes::every_mistake_is_found").env("REHEARSE_MISTAKES", "1"))
}

/// A test of the rehearsal, which needs none of the algorithms.
fn test(name: &str) -> Command {
    let mut command = tidy::cargo();
    command.args(["test", QUICK, "-p", "ringleader-locks", "--test", "rehearsal"]);
    command.args(["--", "--exact", name, "--nocapture"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_numbers() {
        let asked = Rehearsal::parse(&["--schedules", "5", "--seed", "7", "--minutes", "2"]);
        assert_eq!(asked, Ok(Rehearsal { schedules: Some(5), seed: 7, minutes: Some(2) }));
        for wrong in [&["--schedules"][..], &["--seed", "x"], &["--long"], &["--minutes", "0"]] {
            assert!(Rehearsal::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
