//! How long a sweep will take, from a few of its small runs.

use super::plan::{Configuration, Sweep};
use ringleader::sim::Scenario;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What was found.
pub struct Forecast {
    /// The time of all runs together, on one core.
    pub computing: Duration,
    /// How many runs were made to find out.
    pub samples: u32,
}

/// All samples together take no longer than this, or a little.
const PATIENCE: Duration = Duration::from_secs(2);
/// A run that will take longer is not a sample.
const SAMPLE_MAX: Duration = Duration::from_millis(200);

impl Forecast {
    /// Measures the smaller configurations of each kind, and takes the time to grow as the messages do.
    #[must_use]
    pub fn new(sweep: &Sweep) -> Forecast {
        let mut kinds: BTreeMap<String, Vec<&Configuration>> = BTreeMap::new();
        for configuration in &sweep.configurations {
            let same = configuration.asked.iter().filter(|(key, _)| key != "nodes");
            let kind = same.map(|(key, value)| format!("{key}={value} ")).collect();
            kinds.entry(kind).or_default().push(configuration);
        }
        let (mut samples, begun) = (0, Instant::now());
        let (mut total, mut known, mut unknown) = (0.0, 0.0, 0.0);
        for (_, mut kind) in kinds {
            kind.sort_by_key(|configuration| configuration.weight());
            // Seconds per message that is expected.
            let mut rate: Option<f64> = None;
            for configuration in &kind {
                let weight = configuration.weight() as f64;
                let expected = rate.map_or(0.0, |rate| rate * weight);
                if begun.elapsed() > PATIENCE || expected > SAMPLE_MAX.as_secs_f64() {
                    break;
                }
                let seed = sweep.grid.seeds()[0];
                let scenario = Scenario { seed, ..configuration.plan.scenario.clone() };
                let since = Instant::now();
                if configuration.entry.run(&scenario, &mut ()).is_ok() {
                    rate = Some(since.elapsed().as_secs_f64() / weight);
                    samples += 1;
                }
            }
            let weights: f64 = kind.iter().map(|configuration| configuration.weight() as f64).sum();
            match rate {
                Some(rate) => {
                    total += rate * weights;
                    known += weights;
                }
                None => unknown += weights,
            }
        }
        // What was not measured costs as the rest does.
        let all = if known > 0.0 { total * (known + unknown) / known } else { 0.0 };
        let seeds = sweep.grid.seeds().len() as f64;
        Forecast { computing: Duration::from_secs_f64((all * seeds).min(1e12)), samples }
    }
}
