//! One lock that three clients at three servers want all the time.

use crate::cluster::{Cluster, SERVERS, runtime};
use crate::figures::Figures;
use crate::pairs::connect;
use ringleader_locks::ServerId;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// A lock was had from the one moment to the other.
pub(crate) type Span = (Instant, Instant);

/// What hand-overs cost.
pub(crate) struct Handovers {
    /// From the moment at which one begins to give it back to the one at which the next has it.
    pub(crate) figures: Figures,
    /// How many there were.
    pub(crate) count: f64,
    /// In a second.
    pub(crate) rate: f64,
    /// Messages between servers for each, where they are counted.
    pub(crate) messages: Option<f64>,
}

/// Among clients of this service, over TLS, for so long.
pub(crate) fn ours(cluster: &Cluster, time: Duration) -> Handovers {
    let before = cluster.messages();
    let start = Arc::new(Barrier::new(usize::from(SERVERS)));
    let one = |place: ServerId| {
        let (options, start) = (cluster.over_tls(place), Arc::clone(&start));
        std::thread::spawn(move || {
            runtime().block_on(async move {
                let client = connect(&options).await;
                let mut spans = Vec::new();
                start.wait();
                let begin = Instant::now();
                while begin.elapsed() < time {
                    let guard = client.lock("wanted").acquire().await.expect("it is granted");
                    let had = Instant::now();
                    let until = Instant::now();
                    guard.release().await.expect("it was held");
                    spans.push((had, until));
                }
                client.close().await;
                spans
            })
        })
    };
    let clients: Vec<_> = (0..SERVERS).map(one).collect();
    let spans: Vec<Vec<Span>> = clients.into_iter().map(|each| each.join().expect("no panic")).collect();
    let mut found = between(&spans);
    found.messages = Some((cluster.messages() - before) / found.count);
    found
}

/// What the spans of several clients say. No two of them may overlap.
pub(crate) fn between(clients: &[Vec<Span>]) -> Handovers {
    let each = clients.iter().enumerate();
    let mut all: Vec<(Span, usize)> =
        each.flat_map(|(client, spans)| spans.iter().map(move |span| (*span, client))).collect();
    all.sort_unstable();
    let mut handovers = Vec::new();
    for pair in all.windows(2) {
        let [((_, until), before), ((had, _), after)] = [pair[0], pair[1]];
        assert!(until <= had, "two clients had the lock at once");
        if before != after {
            handovers.push((had - until).as_secs_f64());
        }
    }
    let passed = all.last().map_or(1.0, |((_, until), _)| (*until - all[0].0.0).as_secs_f64());
    let count = handovers.len() as f64;
    Handovers { figures: Figures::new(handovers), count, rate: count / passed, messages: None }
}
