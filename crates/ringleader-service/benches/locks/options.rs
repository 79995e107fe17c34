//! The options of the benchmark.

/// The parts, as `--only` names them.
const PARTS: [&str; 6] = ["sockets", "pairs", "handover", "failover", "idle", "many"];

const USAGE: &str = "the options are --quick, --only PART and --kills NUMBER";

#[derive(Default)]
pub(crate) struct Options {
    /// A little of each, to see that it works.
    pub(crate) quick: bool,
    /// How often a server is killed, where that was said.
    pub(crate) kills: Option<usize>,
    only: Option<String>,
}

impl Options {
    /// Reads the options; or says what is wrong with them.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument}: a value is missing; {USAGE}"));
            match argument.as_str() {
                // What cargo says of its own accord.
                "--bench" => {}
                "--quick" => options.quick = true,
                "--only" => {
                    let part = value()?;
                    if !PARTS.contains(&part.as_str()) {
                        return Err(format!("--only {part}: the parts are {}", PARTS.join(", ")));
                    }
                    options.only = Some(part);
                }
                "--kills" => {
                    let kills = value()?;
                    let number = kills.parse().ok().filter(|number| *number > 0);
                    options.kills =
                        Some(number.ok_or_else(|| format!("--kills {kills}: a number from 1 on is needed"))?);
                }
                _ => return Err(format!("{argument}: {USAGE}")),
            }
        }
        Ok(options)
    }

    /// Whether this part is to be measured.
    pub(crate) fn wants(&self, part: &str) -> bool {
        debug_assert!(PARTS.contains(&part), "{part} is a part");
        self.only.as_ref().is_none_or(|only| only == part)
    }
}
