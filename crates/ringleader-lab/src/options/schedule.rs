//! `--schedule KIND` and `--initiators WHO`.

use super::Word;
use super::value::Time;
use super::value::{did_you_mean, index, indices};
use ringleader::sim::{Delay, Initiators};
use std::path::PathBuf;

/// Who moves next.
#[derive(Clone, Debug)]
pub enum ScheduleArg {
    /// In rounds.
    Rounds,
    /// A random message next.
    Random,
    /// Every message takes its time.
    Delay(Delay),
    /// The newest message first.
    Lifo,
    /// The oldest message first.
    Fifo,
    /// What causes most sends first.
    Greedy,
    /// The messages of this process last.
    Starve(u32),
    /// As recorded in a file.
    Replay(PathBuf),
}

const EXPECTED: &str = "one of rounds, random, delay:const:1, delay:uniform:1:10, delay:exp:5, lifo, fifo, \
                        greedy, starve:P, replay:FILE";
const KINDS: [&str; 8] = ["rounds", "random", "delay", "lifo", "fifo", "greedy", "starve", "replay"];
const DISTRIBUTIONS: [&str; 3] = ["const", "uniform", "exp"];

impl Word for ScheduleArg {
    fn parse(text: &str) -> Result<ScheduleArg, String> {
        let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        match (kind, rest) {
            ("rounds", None) => Ok(ScheduleArg::Rounds),
            ("random", None) => Ok(ScheduleArg::Random),
            ("lifo", None) => Ok(ScheduleArg::Lifo),
            ("fifo", None) => Ok(ScheduleArg::Fifo),
            ("greedy", None) => Ok(ScheduleArg::Greedy),
            ("starve", Some(process)) => index(process).map(ScheduleArg::Starve),
            ("replay", Some(file)) if !file.is_empty() => Ok(ScheduleArg::Replay(file.into())),
            ("delay", Some(distribution)) => delay(distribution).map(ScheduleArg::Delay),
            _ => Err(format!("{EXPECTED}{}", unless_known(kind, &KINDS))),
        }
    }
}

fn delay(text: &str) -> Result<Delay, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let positive = |text: &str| match Time::parse(text)?.ticks() {
        0 => Err("a delay must be above 0".to_owned()),
        ticks => Ok(ticks),
    };
    match parts.as_slice() {
        ["const", delay] => positive(delay).map(Delay::Constant),
        ["uniform", low, high] => {
            let (low, high) = (Time::parse(low)?.ticks(), positive(high)?);
            if low > high {
                Err("the shortest delay comes first: delay:uniform:1:10".into())
            } else {
                Ok(Delay::Uniform(low, high))
            }
        }
        ["exp", mean] => positive(mean).map(Delay::Exponential),
        _ => Err(format!(
            "a distribution such as delay:const:1, delay:uniform:1:10 or delay:exp:5{}",
            unless_known(parts[0], &DISTRIBUTIONS)
        )),
    }
}

/// What was meant by the first part; nothing if that is right, and what follows it is wrong.
fn unless_known(text: &str, known: &[&str]) -> String {
    if known.contains(&text) { String::new() } else { did_you_mean(text, known) }
}

const NOBODY: &str = "0% starts nobody, and somebody must start: `one`, or a percentage above 0% such as 10%";

impl Word for Initiators {
    fn parse(text: &str) -> Result<Initiators, String> {
        match text {
            "all" => Ok(Initiators::All),
            "one" => Ok(Initiators::One),
            _ => match text.strip_suffix('%') {
                Some(percent) => match percent.parse::<f64>() {
                    Ok(0.0) => Err(NOBODY.into()),
                    Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Initiators::Percent(percent)),
                    Ok(_) | Err(_) => Err("a percentage from 0% to 100%".into()),
                },
                None => starts(text).ok_or_else(|| {
                    format!(
                        "all, one, a list of indices (0,3,5; 0,3@7 for one that starts at time 7) or a percentage \
                         (25%){}",
                        did_you_mean(text, &["all", "one"])
                    )
                }),
            },
        }
    }
}

/// Indices, each with its time if it has one.
fn starts(text: &str) -> Option<Initiators> {
    if !text.contains('@') {
        return indices(text).ok().map(Initiators::Listed);
    }
    let start = |word: &str| {
        let (process, at) = word.split_once('@').unwrap_or((word, "0"));
        Some((process.trim().parse().ok()?, at.trim().parse().ok()?))
    };
    text.split(',').map(start).collect::<Option<Vec<(u32, u64)>>>().map(Initiators::Timed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules() {
        let delay = |text| match ScheduleArg::parse(text) {
            Ok(ScheduleArg::Delay(delay)) => Some(delay),
            _ => None,
        };
        assert_eq!(delay("delay:const:1"), Some(Delay::Constant(1_000_000)));
        assert_eq!(delay("delay:uniform:0.5:10"), Some(Delay::Uniform(500_000, 10_000_000)));
        assert_eq!(delay("delay:exp:5"), Some(Delay::Exponential(5_000_000)));
        assert!(matches!(ScheduleArg::parse("starve:3"), Ok(ScheduleArg::Starve(3))));
        assert!(
            matches!(ScheduleArg::parse("replay:a:b.rlt"), Ok(ScheduleArg::Replay(p)) if p.to_str() == Some("a:b.rlt"))
        );
        for text in [
            "",
            "round",
            "delay",
            "delay:const",
            "delay:const:0",
            "delay:uniform:5:1",
            "delay:exp:-1",
            "starve",
            "starve:x",
            "replay:",
            "lifo:1",
        ] {
            assert!(ScheduleArg::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn initiators() {
        assert_eq!(Initiators::parse("0,3"), Ok(Initiators::Listed(vec![0, 3])));
        assert_eq!(Initiators::parse("0,3@7"), Ok(Initiators::Timed(vec![(0, 0), (3, 7)])));
        assert_eq!(Initiators::parse("12.5%"), Ok(Initiators::Percent(12.5)));
        for text in
            ["", "none", "101%", "0%", "0.0%", "-0%", "1,,2", "-1", "nan%", "1@", "@3", "1@-2", "1@2@3"]
        {
            assert!(Initiators::parse(text).is_err(), "{text}");
        }
    }
}
