//! Telemetry by OTLP over HTTP: metrics, and a span for each wait and each hold of a lock. A thread of its own sends
//! them. Whoever has something to tell never waits: the queue has a bound, and what finds no room is counted. A
//! collector that is away, slow or broken costs that, and a line in the log when it begins and when it is over.

mod metrics;
mod send;
mod span;

pub use span::Span;

use send::Collector;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// So many spans wait at most; more are dropped.
const QUEUE: usize = 4096;

/// So many go at once.
const BATCH: usize = 512;

/// How telemetry is sent.
#[derive(Clone, Debug)]
pub struct Options {
    /// The collector: `http://HOST:PORT`.
    pub collector: String,
    /// Who tells: `service.name`, `service.instance.id` and so on.
    pub resource: Vec<(String, String)>,
    /// How often.
    pub every: Duration,
    /// How long the collector may take for an answer.
    pub patience: Duration,
}

impl Options {
    /// Every ten seconds, with five for an answer.
    #[must_use]
    pub fn new(collector: impl Into<String>, resource: Vec<(String, String)>) -> Options {
        let (every, patience) = (Duration::from_secs(10), Duration::from_secs(5));
        Options { collector: collector.into(), resource, every, patience }
    }

    /// Whether there can be such a collector.
    ///
    /// # Errors
    /// If there cannot.
    pub fn check(&self) -> Result<(), String> {
        send::address(&self.collector).map(|_| ())
    }
}

/// What was counted since the start.
#[derive(Default, Debug)]
pub struct Tally {
    /// Spans that a collector took.
    pub sent: AtomicU64,
    /// Spans that found no room, or that no collector took.
    pub dropped: AtomicU64,
    /// Requests that failed.
    pub failed: AtomicU64,
}

/// Takes what is to be sent. Its clones are the same.
#[derive(Clone)]
pub struct Exporter {
    spans: SyncSender<Span>,
    tally: Arc<Tally>,
}

impl Exporter {
    /// Begins to send: the spans that it is given, and what `metrics` says, as Prometheus reads it.
    ///
    /// # Errors
    /// If there can be no such collector, or no thread.
    pub fn start(
        options: &Options,
        metrics: impl Fn() -> String + Send + 'static,
    ) -> Result<Exporter, String> {
        let collector = Collector::new(&options.collector, options.patience)?;
        let (spans, queue) = sync_channel(QUEUE);
        let tally = Arc::<Tally>::default();
        let resource = span::resource(&options.resource);
        let sender = Sender { collector, queue, tally: Arc::clone(&tally), resource, is_away: false };
        let every = options.every;
        std::thread::Builder::new()
            .name("telemetry".into())
            .spawn(move || sender.sends(every, &metrics))
            .map_err(|error| format!("there is no thread for telemetry: {error}"))?;
        Ok(Exporter { spans, tally })
    }

    /// Takes a span, if there is room. It never waits.
    pub fn tell(&self, span: Span) {
        if self.spans.try_send(span).is_err() {
            self.tally.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What was counted.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

/// The thread that sends.
struct Sender {
    collector: Collector,
    queue: Receiver<Span>,
    tally: Arc<Tally>,
    resource: opentelemetry_proto::tonic::resource::v1::Resource,
    /// Whether the last request failed.
    is_away: bool,
}

impl Sender {
    /// Until nobody is there who could tell anything.
    fn sends(mut self, every: Duration, metrics: &dyn Fn() -> String) {
        loop {
            let (mut batch, due, mut over) = (Vec::new(), Instant::now() + every, false);
            while batch.len() < BATCH {
                match self.queue.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(span) => batch.push(span),
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => {
                        over = true;
                        break;
                    }
                }
            }
            let count = batch.len() as u64;
            if count > 0 {
                let told = self.collector.post("/v1/traces", &span::request(&self.resource, batch));
                let counter = if told.is_ok() { &self.tally.sent } else { &self.tally.dropped };
                counter.fetch_add(count, Ordering::Relaxed);
                self.notes(told);
            }
            if over {
                return;
            }
            if Instant::now() >= due {
                let told = self.collector.post("/v1/metrics", &metrics::request(&self.resource, &metrics()));
                self.notes(told);
            }
        }
    }

    /// A word when the collector goes away, and when it is back: not for each request.
    fn notes(&mut self, told: Result<(), String>) {
        match told {
            Ok(()) if self.is_away => tracing::info!(event = "collector_back"),
            Ok(()) => {}
            Err(why) => {
                self.tally.failed.fetch_add(1, Ordering::Relaxed);
                if !self.is_away {
                    tracing::warn!(event = "collector_away", why);
                }
                self.is_away = true;
                return;
            }
        }
        self.is_away = false;
    }
}
