//! The options of the benchmark.

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Measure,
    /// Only the known counts: what a test run does with a benchmark.
    Check,
    /// A test run asks for a list of tests: there are none.
    List,
}

pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) sizes: Vec<u32>,
    pub(crate) algorithms: Vec<&'static str>,
    pub(crate) schedules: Vec<&'static str>,
    pub(crate) repeat: u32,
    pub(crate) seed: u64,
    pub(crate) threads: u32,
    /// The least ratio that will do.
    pub(crate) least: Option<f64>,
}

/// Reads the options. Without any, not even the `--bench` that cargo passes, nothing is measured.
pub(crate) fn parse(
    mut arguments: impl Iterator<Item = String>,
    algorithms: &[&'static str],
    schedules: &[&'static str],
) -> Result<Options, String> {
    let mut options = Options {
        mode: Mode::Check,
        sizes: vec![1_000_000, 10_000_000],
        algorithms: Vec::new(),
        schedules: Vec::new(),
        repeat: 3,
        seed: 1,
        threads: 2,
        least: None,
    };
    while let Some(argument) = arguments.next() {
        if argument == "--list" {
            options.mode = Mode::List;
            return Ok(options);
        }
        options.mode = Mode::Measure;
        match argument.as_str() {
            "--bench" => continue,
            "--quick" => {
                options.sizes = vec![100_000];
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or_else(|| format!("{argument}: a value is missing"))?;
        let wrong = || format!("{argument}: {value} will not do");
        match argument.as_str() {
            "--only" => {
                for name in value.split(',') {
                    let is_named = |known: &&&'static str| **known == name;
                    if let Some(algorithm) = algorithms.iter().find(is_named) {
                        options.algorithms.push(algorithm);
                    } else if let Some(schedule) = schedules.iter().find(is_named) {
                        options.schedules.push(schedule);
                    } else {
                        return Err(wrong());
                    }
                }
            }
            "--n" => {
                options.sizes = value.split(',').map(size).collect::<Option<_>>().ok_or_else(wrong)?;
            }
            "--repeat" => options.repeat = value.parse().map_err(|_| wrong())?,
            "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
            "--threads" => options.threads = value.parse().map_err(|_| wrong())?,
            "--assert" => options.least = Some(value.parse().map_err(|_| wrong())?),
            _ => {
                return Err(format!(
                    "{argument}: the options are --quick, --only, --n, --repeat, --seed, --threads, --assert"
                ));
            }
        }
    }
    if options.algorithms.is_empty() {
        options.algorithms = algorithms.to_vec();
    }
    if options.schedules.is_empty() {
        options.schedules = schedules.iter().copied().filter(|&name| name != "exponential").collect();
    }
    Ok(options)
}

/// A size such as 1000 or 1e6; identities have 28 bits.
fn size(text: &str) -> Option<u32> {
    let value: f64 = text.parse().ok()?;
    (value.fract() == 0.0 && (1.0..=1e8).contains(&value)).then_some(value as u32)
}
