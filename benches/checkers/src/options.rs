//! The options of the comparison.

pub(crate) const HELP: &str = "\
The exhaustive checker side by side with Spin and with stateright, one thread each.

usage: cargo run --release --manifest-path benches/checkers/Cargo.toml -- [OPTIONS]

  --n N       the size of the ring, 3 to 15 [default: 13, which has 2 674 453 states]
  --repeat R  how often each checker runs; the best time of each counts [default: 3]
  --quick     a small ring, each checker once: do they agree? The times then say nothing
  --assert    fail unless ours is 3 times as fast as Spin and 5 times as fast as stateright, two threads are
              faster than one, and the visited set takes at most 24 bytes per state
  --help      this text

The model is Chang-Roberts with the identities n..1 clockwise: all have started before the first delivery, links
are FIFO, a delivery is one transition, the announcement is included, no reduction. Before anything is measured,
each checker must find the known numbers of states and transitions on seven small rings.

Spin is needed as the programs `spin` and `gcc` (Debian: apt-get install spin gcc). Without them it is left out;
with CI=true in the environment that is an error. What is measured how is in benches/checkers/README.md.";

pub(crate) struct Options {
    pub(crate) n: u32,
    pub(crate) repeat: u32,
    pub(crate) quick: bool,
    pub(crate) assert: bool,
}

/// Reads the options; none if only the help was asked for.
pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let (mut n, mut repeat, mut quick, mut assert) = (None, None, false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--quick" => quick = true,
            "--assert" => assert = true,
            "--n" => n = Some(number(&argument, arguments.next(), 3, 15)?),
            "--repeat" => repeat = Some(number(&argument, arguments.next(), 1, 1000)?),
            _ => return Err(format!("there is no option `{argument}`; --help lists them")),
        }
    }
    if quick && assert {
        return Err("--quick measures nothing that --assert could judge; leave one of them out".to_owned());
    }
    let (usual_n, usual_repeat) = if quick { (9, 1) } else { (13, 3) };
    Ok(Some(Options { n: n.unwrap_or(usual_n), repeat: repeat.unwrap_or(usual_repeat), quick, assert }))
}

fn number(option: &str, value: Option<String>, least: u32, most: u32) -> Result<u32, String> {
    let value = value.ok_or_else(|| format!("{option}: a number from {least} to {most} is missing"))?;
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{option}: expected a number from {least} to {most}, not `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<(u32, u32)>, String> {
        let options = parse(line.split_whitespace().map(str::to_owned))?;
        Ok(options.map(|options| (options.n, options.repeat)))
    }

    #[test]
    fn options_are_read() {
        assert_eq!(read(""), Ok(Some((13, 3))));
        assert_eq!(read("--quick"), Ok(Some((9, 1))));
        assert_eq!(read("--n 7 --quick --repeat 2"), Ok(Some((7, 2))));
        assert_eq!(read("--n 7 --assert --help"), Ok(None));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in ["--n", "--n 2", "--n 16", "--n x", "--repeat 0", "--quick --assert", "--fast", "7"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
