//! What Prometheus reads of a node: what the node counts, and what its process costs.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Unit};
use std::sync::atomic::{AtomicU64, Ordering};

/// The labels of a line.
pub type Labels = Vec<(&'static str, String)>;
/// Counters that differ in their labels.
pub type Counters = Family<Labels, Counter>;
/// A time.
pub type Seconds = Gauge<f64, AtomicU64>;

/// The metrics of one node.
pub struct Registry {
    inner: prometheus_client::registry::Registry,
    cpu: Counter<f64, AtomicU64>,
    memory: Gauge,
    log_dropped: Counter,
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::new()
    }
}

impl Registry {
    /// Only what every process has.
    #[must_use]
    pub fn new() -> Registry {
        let mut inner = prometheus_client::registry::Registry::default();
        let (cpu, memory) = (Counter::default(), Gauge::default());
        inner.register_with_unit("process_cpu", "CPU time of this process", Unit::Seconds, cpu.clone());
        let help = "Memory of this process that is not swapped out";
        inner.register_with_unit("process_resident_memory", help, Unit::Bytes, memory.clone());
        let mut registry = Registry { inner, cpu, memory, log_dropped: Counter::default() };
        let help = "Lines of the log that were dropped because nobody read it";
        registry.log_dropped = registry.add("log_dropped", help);
        registry
    }

    /// A metric that begins at zero.
    pub fn add<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        self.with(name, help, M::default())
    }

    /// This metric.
    pub fn with<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.inner.register(format!("ringleader_{name}"), help, metric.clone());
        metric
    }

    /// Everything, as Prometheus reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let (cpu_seconds, resident_bytes) = usage();
        self.cpu.inner().store(cpu_seconds.to_bits(), Ordering::Relaxed);
        self.memory.set(i64::try_from(resident_bytes).unwrap_or(i64::MAX));
        raise(&self.log_dropped, crate::log::dropped_lines());
        let mut text = String::new();
        match encode(&mut text, &self.inner) {
            Ok(()) => text,
            // Writing to a string does not fail; if the library finds another reason, the reader sees it.
            Err(error) => format!("# {error}\n"),
        }
    }
}

/// How it can end when files are read again.
const RESULTS: [&str; 2] = ["applied", "failed"];

/// How often the files of a node were read again.
pub struct Reloads {
    all: Counters,
    last: Gauge,
}

impl Reloads {
    /// Never, and well.
    #[must_use]
    pub fn new(registry: &mut Registry) -> Reloads {
        let all: Counters = registry.add("reloads", "How often the files were read again, by result");
        let last: Gauge =
            registry.add("reload_last_succeeded", "Whether they were right the last time; 1 from the start");
        last.set(1);
        // Both are shown from the start: what is not there cannot be watched.
        for result in RESULTS {
            let _ = all.get_or_create(&vec![("result", result.to_owned())]);
        }
        Reloads { all, last }
    }

    /// Once more.
    pub fn count(&self, well: bool) {
        let [applied, failed] = RESULTS;
        let result = if well { applied } else { failed };
        self.all.get_or_create(&vec![("result", result.to_owned())]).inc();
        self.last.set(i64::from(well));
    }
}

/// A counter that somebody else counts.
pub fn raise(counter: &Counter, to: u64) {
    counter.inc_by(to.saturating_sub(counter.get()));
}

/// CPU seconds of this process, user and system, and its resident bytes, from /proc; zeros where there is none.
fn usage() -> (f64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have blanks in it; what follows its bracket has not.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let number = |place: usize| fields.get(place).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ticks = number(11) + number(12);
    let seconds = ticks as f64 / rustix::param::clock_ticks_per_second().max(1) as f64;
    (seconds, number(21) * rustix::param::page_size() as u64)
}
