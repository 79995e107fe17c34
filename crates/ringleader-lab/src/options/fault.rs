//! Faults: `--crash P@T`, `--lose KIND@K`, `--partition A|B@T1..T2`.

use super::Word;
use super::number::number;
use super::value::Time;
use super::value::{index, indices};

/// A process at a time: `P@T`.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The process.
    pub process: u32,
    /// When.
    pub at: Time,
}

impl Word for At {
    fn parse(text: &str) -> Result<At, String> {
        let (process, at) = text.split_once('@').ok_or("a process and a time, such as 3@10")?;
        Ok(At { process: index(process)?, at: Time::parse(at)? })
    }
}

/// The k-th message of a kind: `KIND@K`.
#[derive(Clone, Debug)]
pub struct Lose {
    /// The kind.
    pub kind: String,
    /// Which, from 1.
    pub nth: u64,
}

impl Word for Lose {
    fn parse(text: &str) -> Result<Lose, String> {
        match text.split_once('@').map(|(kind, nth)| (kind, number(nth))) {
            Some((kind, Ok(nth))) if !kind.is_empty() && nth > 0 => Ok(Lose { kind: kind.into(), nth }),
            Some(_) | None => {
                Err("a kind of message and which of them, counted from 1, such as token@2".into())
            }
        }
    }
}

/// Two groups that cannot reach each other for a while: `A|B@T1..T2`.
#[derive(Clone, Debug)]
pub struct Partition {
    /// One group.
    pub left: Vec<u32>,
    /// The other.
    pub right: Vec<u32>,
    /// When it begins.
    pub from: Time,
    /// When it is over.
    pub until: Time,
}

impl Word for Partition {
    fn parse(text: &str) -> Result<Partition, String> {
        let expected = "two groups of processes and a span of time, such as '0,1|2,3@5..20'";
        let (groups, span) = text.split_once('@').ok_or(expected)?;
        let (left, right) = groups.split_once('|').ok_or(expected)?;
        let (from, until) = span.split_once("..").ok_or(expected)?;
        let (left, right) = (indices(left)?, indices(right)?);
        let (from, until) = (Time::parse(from)?, Time::parse(until)?);
        if from >= until {
            return Err("the partition must end after it begins".into());
        }
        if let Some(both) = left.iter().find(|process| right.contains(process)) {
            return Err(format!("process {both} is on both sides"));
        }
        Ok(Partition { left, right, from, until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults() {
        let at = At::parse("3@1.5").unwrap();
        assert_eq!((at.process, at.at.ticks()), (3, 1_500_000));
        let lose = Lose::parse("token@2").unwrap();
        assert_eq!((lose.kind.as_str(), lose.nth), ("token", 2));
        let cut = Partition::parse("0,1|2@5..20").unwrap();
        assert_eq!((cut.left, cut.right, cut.until.whole()), (vec![0, 1], vec![2], Some(20)));
        for text in ["", "3", "@3", "3@", "x@1", "3@-1"] {
            assert!(At::parse(text).is_err(), "{text}");
        }
        for text in ["", "token", "@1", "token@0", "token@x"] {
            assert!(Lose::parse(text).is_err(), "{text}");
        }
        for text in ["", "0|1", "0@1..2", "0|1@1", "0|1@5..5", "0|0@1..2", "|1@0..1"] {
            assert!(Partition::parse(text).is_err(), "{text}");
        }
    }
}
