//! Clients that spread their calls over three servers, while each of these is killed with -9 in turn: what each client
//! believed that it held, by the time that it was told, against what all others believed.

use crate::{refused, with};
use etcd_client::{Client, Error, ResignOptions};
use etcd_clients::{PATIENCE, Servers};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

const PLACES: [usize; 3] = [0, 1, 2];

/// A client gives up a call after so long, and begins anew.
const CALL: Duration = Duration::from_secs(10);

/// How long the work takes that a lock is for.
const WORK: Duration = Duration::from_millis(3);

/// Somebody believed that it held from the one moment to the other, with this revision.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Span {
    from: Instant,
    until: Instant,
    revision: i64,
}

/// What all clients believed of a lock.
#[derive(Clone, Default)]
struct History(Arc<Mutex<Vec<Span>>>);

impl History {
    fn put(&self, span: Span) {
        self.0.lock().expect("no panic").push(span);
    }

    fn len(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }

    /// Two that overlap, or a revision that does not grow.
    fn audit(&self) -> Result<usize, String> {
        let mut spans = self.0.lock().expect("no panic").clone();
        spans.sort_by_key(|span| span.from);
        for pair in spans.windows(2) {
            let [before, after] = [pair[0], pair[1]];
            if after.from < before.until {
                return Err(format!("they overlap by {:?}: {pair:?}", before.until - after.from));
            }
            if after.revision <= before.revision {
                return Err(format!("the revision does not grow: {pair:?}"));
            }
        }
        Ok(spans.len())
    }
}

/// A lease as its client knows it: until when it lasts, counted in the seconds that it was told, from the moment at
/// which it asked.
#[derive(Clone)]
struct Lease {
    id: i64,
    until: Arc<Mutex<Instant>>,
}

impl Lease {
    async fn granted(client: &mut Client) -> Result<Lease, Error> {
        let asked = Instant::now();
        let answer = client.lease_grant(60, None).await?;
        let until = asked + seconds(answer.ttl());
        let lease = Lease { id: answer.id(), until: Arc::new(Mutex::new(until)) };
        let (kept, mut client) = (lease.clone(), client.clone());
        tokio::spawn(async move {
            while !kept.is_over() {
                // A stream that breaks is opened anew, at any server.
                let _ = timeout(CALL, kept.is_kept(&mut client)).await;
                sleep(Duration::from_millis(100)).await;
            }
        });
        Ok(lease)
    }

    async fn is_kept(&self, client: &mut Client) -> Result<(), Error> {
        let (mut keeper, mut answers) = client.lease_keep_alive(self.id).await?;
        while !self.is_over() {
            let asked = Instant::now();
            keeper.keep_alive().await?;
            match answers.message().await? {
                Some(answer) if answer.ttl() > 0 => {
                    let mut until = self.until.lock().expect("no panic");
                    // What is over does not come back.
                    if Instant::now() < *until {
                        *until = (*until).max(asked + seconds(answer.ttl()));
                    }
                }
                Some(_) | None => {
                    self.ends();
                    return Ok(());
                }
            }
            sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }

    fn until(&self) -> Instant {
        *self.until.lock().expect("no panic")
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until()
    }

    /// Its client gives it up.
    fn ends(&self) {
        let mut until = self.until.lock().expect("no panic");
        *until = (*until).min(Instant::now());
    }

    /// What its client believed: it held from here on, until now or until the lease was over.
    fn believed(&self, from: Instant, revision: i64) -> Option<Span> {
        let until = Instant::now().min(self.until());
        (from < until).then_some(Span { from, until, revision })
    }
}

fn seconds(ttl: i64) -> Duration {
    Duration::from_secs(ttl.unsigned_abs())
}

/// What is contended for.
#[derive(Clone, Copy)]
enum What {
    Lock,
    Election,
}

/// Takes it, works, gives it back, over and over.
async fn contends(mut client: Client, what: What, history: History, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let Ok(Ok(lease)) = timeout(CALL, Lease::granted(&mut client)).await else {
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        while !stop.load(Ordering::Relaxed) && !lease.is_over() {
            match timeout(CALL, once(&mut client, what, &lease, &history)).await {
                Ok(Ok(())) => {}
                // It is not known what came of it: the lease is given up, and what it had is free when it ends.
                Ok(Err(_)) | Err(_) => break,
            }
        }
        lease.ends();
        let _ = timeout(CALL, client.lease_revoke(lease.id)).await;
    }
}

async fn once(client: &mut Client, what: What, lease: &Lease, history: &History) -> Result<(), Error> {
    match what {
        What::Lock => {
            let held = client.lock("wanted", with(lease.id)).await?;
            let from = Instant::now();
            sleep(WORK).await;
            let revision = held.header().expect("a header").revision();
            lease.believed(from, revision).into_iter().for_each(|span| history.put(span));
            client.unlock(held.key()).await?;
        }
        What::Election => {
            let elected = client.campaign("main", "me", lease.id).await?;
            let from = Instant::now();
            sleep(WORK).await;
            let leader = elected.leader().expect("a leader").clone();
            lease.believed(from, leader.rev()).into_iter().for_each(|span| history.put(span));
            client.resign(Some(ResignOptions::new().with_leader(leader))).await?;
        }
    }
    Ok(())
}

/// Watches who leads. What it sees never goes back; how much it saw.
async fn observes(mut client: Client, stop: Arc<AtomicBool>) -> u64 {
    let (mut last, mut seen) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let Ok(Ok(mut leaders)) = timeout(CALL, client.observe("main")).await else { continue };
        while !stop.load(Ordering::Relaxed)
            && let Ok(Ok(Some(answer))) = timeout(Duration::from_secs(2), leaders.message()).await
        {
            let revision = answer.kv().expect("a leader").mod_revision();
            // Another server may know a little less; the same stream does not.
            seen += 1;
            last = revision.max(last);
        }
    }
    assert!(last > 0 || seen == 0);
    seen
}

/// Waits until there are so many more.
async fn more(histories: [&History; 2], by: usize) {
    let begin = Instant::now();
    let before = histories.map(History::len);
    while histories.iter().zip(before).any(|(history, before)| history.len() < before + by) {
        assert!(begin.elapsed() < PATIENCE, "nobody gets it any more");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn holders_do_not_overlap_whichever_server_is_killed() {
    let mut servers = Servers::new(3).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (locked, led) = (History::default(), History::default());
    let mut clients = Vec::new();
    for (what, history) in [(What::Lock, &locked), (What::Election, &led)] {
        for _ in 0..3 {
            let client = servers.connect(&PLACES, servers.options()).await.expect("it connects");
            clients.push(tokio::spawn(contends(client, what, history.clone(), Arc::clone(&stop))));
        }
    }
    let observer = servers.connect(&PLACES, servers.options()).await.expect("it connects");
    let observer = tokio::spawn(observes(observer, Arc::clone(&stop)));
    more([&locked, &led], 20).await;
    for place in PLACES {
        servers.kill(place);
        more([&locked, &led], 20).await;
        servers.start(place);
        servers.is_ready(place).await;
        more([&locked, &led], 20).await;
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.expect("no panic");
    }
    let seen = observer.await.expect("no panic");
    let [locks, elections] = [&locked, &led].map(|history| history.audit().expect("it is safe"));
    println!("{locks} locks and {elections} leaders under three kills; {seen} leaders seen");
    assert!(seen > 0, "the observer saw somebody");
}

/// The control: who does not count its lease's time is caught by the same audit.
#[tokio::test(flavor = "multi_thread")]
async fn holder_that_forgets_its_time_overlaps() {
    let mut servers = Servers::new(3).await;
    let (mut one, mut two) = (servers.client(0).await, servers.client(1).await);
    let first = Lease::granted(&mut one).await.expect("a lease");
    let held = one.lock("wanted", with(first.id)).await.expect("it is free");
    let (from, revision) = (Instant::now(), held.header().expect("a header").revision());
    servers.kill(0);
    let next = loop {
        let second = Lease::granted(&mut two).await.expect("a lease");
        if let Ok(held) = two.lock("wanted", with(second.id)).await {
            sleep(WORK).await;
            let revision = held.header().expect("a header").revision();
            break second.believed(Instant::now() - WORK, revision).expect("it has just been granted");
        }
    };
    let (counts, forgets) = (History::default(), History::default());
    counts.put(first.believed(from, revision).expect("it held for a while"));
    forgets.put(Span { from, until: Instant::now(), revision });
    for history in [&counts, &forgets] {
        history.put(next);
    }
    assert_eq!(counts.audit(), Ok(2));
    assert!(forgets.audit().expect_err("it went on").contains("overlap"));
}

#[test]
fn audit_finds_a_revision_that_does_not_grow() {
    let begin = Instant::now();
    let at = |ms: u64, revision| Span {
        from: begin + Duration::from_millis(ms),
        until: begin + Duration::from_millis(ms + 10),
        revision,
    };
    let of = |spans: &[Span]| {
        let history = History::default();
        spans.iter().for_each(|span| history.put(*span));
        history.audit()
    };
    assert_eq!(of(&[at(20, 2), at(0, 1)]), Ok(2));
    assert!(of(&[at(0, 2), at(20, 2)]).expect_err("the same twice").contains("grow"));
    assert!(of(&[at(0, 1), at(9, 2)]).expect_err("at once").contains("overlap"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_good_at_every_server() {
    let mut servers = Servers::new(3).await;
    let mut clients = Vec::new();
    for place in PLACES {
        clients.push(servers.client(place).await);
    }
    let [zero, one, two] = clients.as_mut_slice() else { panic!("three of them") };
    let lease = zero.lease_grant(60, None).await.expect("a lease").id();
    let (mut keeper, mut answers) = one.lease_keep_alive(lease).await.expect("it lives");
    keeper.keep_alive().await.expect("it is sent");
    assert!(answers.message().await.expect("an answer").expect("an answer").ttl() > 0);
    let held = two.lock("a", with(lease)).await.expect("it is free");
    let keys = Some(etcd_client::LeaseTimeToLiveOptions::new().with_keys());
    assert_eq!(one.lease_time_to_live(lease, keys).await.expect("it lives").keys(), [held.key().to_vec()]);
    one.unlock(held.key()).await.expect("it held");
    let led = one.campaign("main", "me", lease).await.expect("it is elected");
    let leader = led.leader().expect("a leader").clone();
    let options = etcd_client::ProclaimOptions::new().with_leader(leader.clone());
    two.proclaim("still me", Some(options)).await.expect("it leads");
    let told = zero.leader("main").await.expect("somebody leads");
    assert_eq!(told.kv().expect("a leader").value_str().expect("text"), "still me");
    two.resign(Some(ResignOptions::new().with_leader(leader))).await.expect("it leads");
    // Somebody else's is unknown at every server: the one that is asked says for whom it asks.
    let mut ci = servers.connect(&[1], servers.with_token()).await.expect("it connects");
    assert_eq!(refused(ci.lease_revoke(lease).await).0, 5);
    let own =
        servers.connect(&[1], servers.with_token()).await.expect("it connects").lease_grant(9, None).await;
    let own = own.expect("a lease").id();
    let mut elsewhere = servers.connect(&[2], servers.with_token()).await.expect("it connects");
    let (code, words) = refused(elsewhere.lock("other", with(own)).await);
    assert!(code == 7 && words.contains("token:ci may not"), "{code} {words}");
    elsewhere.lock("ci/a", with(own)).await.expect("it may");
    two.lease_revoke(lease).await.expect("it ends");
    assert_eq!(zero.lease_time_to_live(lease, None).await.expect("an answer").ttl(), -1);
    // All servers say the same of who is there.
    let [first, second] =
        [one.member_list().await, two.member_list().await].map(|list| list.expect("a list"));
    let urls = |list: &etcd_client::MemberListResponse| -> Vec<(u64, String)> {
        list.members().iter().map(|member| (member.id(), member.client_urls().join(" "))).collect()
    };
    assert_eq!(urls(&first), urls(&second));
    assert_eq!(urls(&first)[2].1, format!("https://{}", servers.address(2)));
    let status = one.status().await.expect("it is well");
    assert!(status.version().starts_with("3.5.0+ringleader."), "{}", status.version());
    assert!(urls(&first).iter().any(|(id, _)| *id == status.leader()));
    // The server of a lease is gone: what is asked of the lease is refused, not imitated.
    let lost = zero.lease_grant(60, None).await.expect("a lease").id();
    servers.kill(0);
    let (code, words) = refused(one.lock("b", with(lost)).await);
    assert!(code == 14 && words.contains("does not answer"), "{code} {words}");
}
