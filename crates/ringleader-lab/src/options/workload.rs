//! Who wants in: `--entries`, `--load`, `--wants`.

use super::Word;
use super::number::small;
use super::value::Time;
use super::value::{did_you_mean, indices};
use ringleader::sim::{Entries, Load, beginning};

impl Word for Entries {
    fn parse(text: &str) -> Result<Entries, String> {
        if text == "forever" {
            return Ok(Entries::Forever);
        }
        let counts: Vec<u32> = text.split(',').map(small).collect::<Result<_, _>>().map_err(|_| {
            "a number of entries for everybody (3), or one for each process (2,0,1); in a check also forever"
                .to_owned()
        })?;
        Ok(match counts.as_slice() {
            [each] => Entries::Each(*each),
            _ => Entries::Listed(counts),
        })
    }
}

/// `--load saturated|light|open:RATE`.
#[derive(Clone, Copy, Debug)]
pub struct LoadArg(pub Load);

impl Word for LoadArg {
    fn parse(text: &str) -> Result<LoadArg, String> {
        let rate = |rate: &str| rate.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        match (text, text.strip_prefix("open:").map(rate)) {
            ("saturated", _) => Ok(LoadArg(Load::Saturated)),
            ("light", _) => Ok(LoadArg(Load::Light)),
            (_, Some(Some(rate))) => Ok(LoadArg(Load::Open(rate))),
            _ => Err(format!(
                "saturated, light, or open: with a rate of requests per unit of time, such as open:0.5{}",
                did_you_mean(text, &["saturated", "light"])
            )),
        }
    }
}

/// `--wants SCRIPT`: who asks when.
#[derive(Clone, Debug)]
pub struct Wants(pub Vec<(Time, u32)>);

impl Word for Wants {
    fn parse(text: &str) -> Result<Wants, String> {
        let mut wants = Vec::new();
        for part in text.split(';').filter(|part| !part.trim().is_empty()) {
            let (who, at) = part.split_once('@').ok_or("processes and times, such as '1,3@0;2@5'")?;
            let at = Time::parse(at.trim())?;
            wants.extend(indices(who)?.into_iter().map(|process| (at, process)));
        }
        if wants.is_empty() {
            return Err("processes and times, such as '1,3@0;2@5'".into());
        }
        Ok(Wants(wants))
    }
}

/// `--from any|LIST`: the states in which machines begin, and what their links hold, each link behind the machine that
/// sends into it, the newest message first: `0+2+1,1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct From(pub Option<Vec<u32>>);

impl Word for From {
    fn parse(text: &str) -> Result<From, String> {
        if text == "any" {
            return Ok(From(None));
        }
        let machine = |text: &str| text.split('+').map(small).collect::<Result<Vec<u32>, _>>();
        let machines = text.split(',').map(machine).collect::<Result<Vec<_>, _>>().map_err(|_| {
            format!(
                "any, or the state of each machine as a number (0,2,1,0), with messages also what its link holds \
                 (0+1,2,1+0){}",
                did_you_mean(text, &["any"])
            )
        })?;
        let states: Vec<u32> = machines.iter().map(|places| places[0]).collect();
        if machines.iter().all(|places| places.len() == 1) {
            return Ok(From(Some(states)));
        }
        Ok(From(Some(beginning(&states, machines.iter().map(|places| &places[1..])))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads() {
        assert_eq!(Entries::parse("3"), Ok(Entries::Each(3)));
        assert_eq!(Entries::parse("2,0,1"), Ok(Entries::Listed(vec![2, 0, 1])));
        assert!(matches!(LoadArg::parse("open:0.5"), Ok(LoadArg(Load::Open(rate))) if rate == 0.5));
        let wants = Wants::parse("1,3@0;2@5").unwrap().0;
        assert_eq!(
            wants.iter().map(|(at, p)| (at.whole().unwrap(), *p)).collect::<Vec<_>>(),
            [(0, 1), (0, 3), (5, 2)]
        );
        assert!(["", "x", "1,,2", "-1"].iter().all(|text| Entries::parse(text).is_err()));
        assert!(
            ["", "open", "open:", "open:0", "open:x", "heavy"]
                .iter()
                .all(|text| LoadArg::parse(text).is_err())
        );
        assert_eq!(From::parse("0,2,1"), Ok(From(Some(vec![0, 2, 1]))));
        assert_eq!(From::parse("0+1,2,1+0+2"), Ok(From(Some(vec![0, 2, 1, 1, 1, 0, 2, 0, 2]))));
        assert!(["", "some", "0,", "0+", "+1", "0;1"].iter().all(|text| From::parse(text).is_err()));
        assert!(["", ";", "1", "1@", "@1", "1@x"].iter().all(|text| Wants::parse(text).is_err()));
    }
}
