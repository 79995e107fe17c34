//! A lock that nobody else wants, taken and given back: by a server in this process, and over a connection.

use crate::cluster::{Cluster, runtime, wait};
use crate::figures::Figures;
use ringleader_client::{Client, Options};
use ringleader_locks::{Class, Kind, Name};
use ringleader_server::embedded::Embedded;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What pairs inside the process cost.
pub(crate) struct Inside {
    /// One pair.
    pub(crate) seconds: f64,
    /// Tokens that were sent meanwhile.
    pub(crate) hops: u64,
    /// Messages of all kinds that were sent meanwhile.
    pub(crate) messages: u64,
    /// How long all pairs took.
    pub(crate) passed: f64,
}

/// So many pairs, one after the other, at a server in this process that has two others as peers.
pub(crate) fn embedded(pairs: u32) -> Inside {
    // The others outlive this server: it is stopped before the cluster is dropped.
    let (_others, service) = Cluster::around_this_process();
    let handle = service.handle();
    let (sender, receiver) = mpsc::channel();
    let server = std::thread::spawn(move || {
        service.run(|embedded| {
            let _ = sender.send(embedded.clone());
        })
    });
    let embedded = receiver.recv_timeout(Duration::from_secs(60)).expect("it starts");
    let inside = time(&embedded, pairs);
    handle.stop();
    server.join().expect("no panic").unwrap_or_else(|problem| panic!("the server: {problem:?}"));
    inside
}

fn time(embedded: &Embedded, pairs: u32) -> Inside {
    let name = Name::new(Kind::Lock, "inside").expect("a good name");
    let session = wait("a session", || embedded.open(Class::Normal, "bench").ok());
    let core = embedded.core();
    let sent = || core.mesh().tally().sent.load(Ordering::Relaxed);
    // The first time the token may have to come from its home.
    let first = wait("the token", || runtime().block_on(session.acquire(&name, None)).ok());
    session.release(&name, first).expect("it was held");
    let (hops, messages, begin) = (core.tally().hops, sent(), Instant::now());
    for _ in 0..pairs {
        let fence = session.try_here(&name).expect("a session").expect("nobody else wants it");
        session.release(&name, fence).expect("it was held");
    }
    let passed = begin.elapsed().as_secs_f64();
    Inside {
        seconds: passed / f64::from(pairs),
        hops: core.tally().hops - hops,
        messages: sent() - messages,
        passed,
    }
}

/// So many pairs of one client.
pub(crate) fn measure(options: &Options, pairs: usize) -> Figures {
    runtime().block_on(async {
        let client = connect(options).await;
        let mut times = Vec::with_capacity(pairs);
        for _ in 0..pairs + pairs / 10 {
            let begin = Instant::now();
            let guard = client.lock("alone").acquire().await.expect("it is granted");
            guard.release().await.expect("it was held");
            times.push(begin.elapsed());
        }
        client.close().await;
        // The first ones bring the token here and warm everything up.
        times.into_iter().skip(pairs / 10).collect()
    })
}

/// A client, however long its server takes.
pub(crate) async fn connect(options: &Options) -> Client {
    let patient = Options { patience: Duration::from_secs(30), ..options.clone() };
    Client::connect(patient).await.unwrap_or_else(|error| panic!("a client: {error:?}"))
}
