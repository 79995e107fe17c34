//! The options of the benchmark.

/// The parts, as `--only` names them.
const PARTS: [&str; 7] = ["sockets", "pairs", "handover", "failover", "idle", "many", "overload"];

const USAGE: &str =
    "the options are --quick, --only PART, --kills NUMBER, --times NUMBER and --minutes NUMBER";

#[derive(Default)]
pub(crate) struct Options {
    /// A little of each, to see that it works.
    pub(crate) quick: bool,
    /// How often a server is killed, where that was said.
    pub(crate) kills: Option<usize>,
    /// How often many sessions are made, where that was said.
    pub(crate) times: Option<usize>,
    /// For how long the servers are overloaded, where that was said.
    pub(crate) minutes: Option<usize>,
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
                "--kills" => options.kills = Some(number(&argument, &value()?)?),
                "--times" => options.times = Some(number(&argument, &value()?)?),
                "--minutes" => options.minutes = Some(number(&argument, &value()?)?),
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

fn number(option: &str, text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{option} {text}: a number from 1 on is needed"))
}
