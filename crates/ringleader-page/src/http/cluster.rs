//! The verb `cluster`: how a real cluster is. Whoever knows that is handed in; this crate knows nothing of clusters.

use crate::Diagnostic;
use crate::http::api::stumbled;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Asks a cluster how it is, and gives `ringleader.cluster-status/1`. It may take a while: it has a thread of its own.
pub type Look = Box<dyn Fn() -> Result<Value, Diagnostic> + Send + Sync>;

/// So old an answer may be: a class that looks at one cluster once a second is one question a second or two to it.
const FRESH: Duration = Duration::from_millis(500);

/// A cluster, and the latest that is known of it.
pub(crate) struct Cluster {
    look: Arc<Look>,
    /// Locked while it is asked: who comes meanwhile has the same answer.
    latest: Mutex<Option<(Instant, Result<String, Diagnostic>)>>,
}

impl Cluster {
    pub(crate) fn new(look: Look) -> Cluster {
        Cluster { look: Arc::new(look), latest: Mutex::new(None) }
    }

    /// How it is, or was a moment ago.
    pub(crate) async fn answer(&self) -> Result<String, Diagnostic> {
        let mut latest = self.latest.lock().await;
        if let Some((when, answer)) = &*latest
            && when.elapsed() < FRESH
        {
            return answer.clone();
        }
        let look = Arc::clone(&self.look);
        let asked = tokio::task::spawn_blocking(move || look().map(|status| status.to_string())).await;
        let answer = asked.unwrap_or_else(|_| Err(stumbled()));
        *latest = Some((Instant::now(), answer.clone()));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_class_that_looks_at_once_is_one_question() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        // The later question waits for the first, however long that takes.
        let cluster = Arc::new(Cluster::new(Box::new(move || {
            std::thread::sleep(Duration::from_millis(50));
            Ok(json!({ "number": count.fetch_add(1, Ordering::SeqCst) }))
        })));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let ask = |_| {
                let cluster = Arc::clone(&cluster);
                tokio::spawn(async move { cluster.answer().await })
            };
            let waiting: Vec<_> = (0..20).map(ask).collect();
            let mut numbers = Vec::new();
            for one in waiting {
                numbers.push(one.await.expect("no panic").expect("an answer"));
            }
            // All were there while the first was asked, or soon after: a slow machine may need a second round.
            assert!(asked.load(Ordering::SeqCst) < 20, "{numbers:?}");
            assert_eq!(numbers[0], r#"{"number":0}"#);
            // What is old is asked for again.
            let before = asked.load(Ordering::SeqCst);
            tokio::time::sleep(FRESH).await;
            assert_eq!(cluster.answer().await.expect("an answer"), format!(r#"{{"number":{before}}}"#));
        });
    }
}
