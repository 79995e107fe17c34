//! A number of places for connections, shared fairly among hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// So many displaced connections may still be on their way out before the next one is let in.
const LEAVING: usize = 8;

/// Where a connection comes from, as far as shares are concerned. A network of IPv6 counts as one host: whoever has an
/// address of it usually has all of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Host {
    /// This machine, by a Unix socket.
    Local,
    /// An address of IPv4.
    V4([u8; 4]),
    /// The first 64 bits of an address of IPv6.
    V6([u8; 8]),
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Host {
        match address.to_canonical() {
            IpAddr::V4(address) => Host::V4(address.octets()),
            IpAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h, ..] = address.octets();
                Host::V6([a, b, c, d, e, f, g, h])
            }
        }
    }
}

impl From<SocketAddr> for Host {
    fn from(address: SocketAddr) -> Host {
        address.ip().into()
    }
}

/// Places for connections. Its clones are the same purse.
#[derive(Clone)]
pub struct Purse(Arc<Mutex<State>>);

struct State {
    places: usize,
    /// The most places of one host.
    share: usize,
    next: u64,
    /// Who has a place, by age.
    taken: BTreeMap<u64, (Host, Arc<Notify>)>,
    hosts: BTreeMap<Host, BTreeSet<u64>>,
    /// Displaced, but not gone yet.
    leaving: usize,
    displaced: u64,
}

impl Purse {
    /// So many places.
    #[must_use]
    pub fn new(places: usize) -> Purse {
        Purse::with_share(places, places)
    }

    /// So many places, of which one host may have a part.
    #[must_use]
    pub fn with_share(places: usize, share: usize) -> Purse {
        Purse(Arc::new(Mutex::new(State {
            places: places.max(1),
            share: share.max(1),
            next: 0,
            taken: BTreeMap::new(),
            hosts: BTreeMap::new(),
            leaving: 0,
            displaced: 0,
        })))
    }

    /// Takes a place in any case. If this host has its share, its oldest connection is displaced; if no place is left,
    /// the oldest one of the host that has the most.
    #[must_use]
    pub fn enter(&self, host: Host) -> Place {
        let mut state = self.state();
        if state.hosts.get(&host).is_some_and(|own| own.len() >= state.share) {
            state.displaces(host);
        } else if state.taken.len() >= state.places
            && let Some(largest) = state.largest(host)
        {
            state.displaces(largest);
        }
        state.adds(self, host)
    }

    /// Takes a place if there is one; nobody is displaced.
    #[must_use]
    pub fn try_enter(&self, host: Host) -> Option<Place> {
        let mut state = self.state();
        let full = state.taken.len() >= state.places;
        let has_share = state.hosts.get(&host).is_some_and(|own| own.len() >= state.share);
        if full || has_share { None } else { Some(state.adds(self, host)) }
    }

    /// Waits until those who were displaced are gone, but for a few: each of them still has a file open.
    pub async fn settled(&self) {
        while self.state().leaving > LEAVING {
            tokio::task::yield_now().await;
        }
    }

    /// How many places are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.state().taken.len()
    }

    /// How many connections were displaced since the start.
    #[must_use]
    pub fn displaced(&self) -> u64 {
        self.state().displaced
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn adds(&mut self, purse: &Purse, host: Host) -> Place {
        let number = self.next;
        self.next += 1;
        let out = Arc::new(Notify::new());
        self.taken.insert(number, (host, Arc::clone(&out)));
        self.hosts.entry(host).or_default().insert(number);
        Place { purse: purse.clone(), number, out }
    }

    /// The host with the most places, counting the newcomer's; of several, the one whose oldest connection is older.
    fn largest(&self, newcomer: Host) -> Option<Host> {
        let count = |host: Host, own: &BTreeSet<u64>| own.len() + usize::from(host == newcomer);
        let oldest = |own: &BTreeSet<u64>| std::cmp::Reverse(own.first().copied());
        self.hosts.iter().max_by_key(|(host, own)| (count(**host, own), oldest(own))).map(|(host, _)| *host)
    }

    fn displaces(&mut self, host: Host) {
        let oldest = self.hosts.get(&host).and_then(|own| own.first().copied());
        if let Some((_, out)) = oldest.and_then(|number| self.removes(number)) {
            self.leaving += 1;
            self.displaced += 1;
            out.notify_one();
        }
    }

    fn removes(&mut self, number: u64) -> Option<(Host, Arc<Notify>)> {
        let (host, out) = self.taken.remove(&number)?;
        if let Some(own) = self.hosts.get_mut(&host) {
            own.remove(&number);
            if own.is_empty() {
                self.hosts.remove(&host);
            }
        }
        Some((host, out))
    }
}

/// A place that is taken, until this is dropped.
pub struct Place {
    purse: Purse,
    number: u64,
    out: Arc<Notify>,
}

impl Place {
    /// Waits until this connection must go, to make room for another.
    pub async fn displaced(&self) {
        self.out.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.purse.state();
        if state.removes(self.number).is_none() {
            state.leaving -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    const BAD: Host = Host::V4([10, 0, 0, 66]);
    const GOOD: Host = Host::V4([10, 0, 0, 1]);

    fn must_go(place: &Place) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        pin!(place.displaced()).poll(&mut context) == Poll::Ready(())
    }

    #[test]
    fn full_purse_displaces_oldest_of_largest_host() {
        let purse = Purse::new(4);
        let good = purse.enter(GOOD);
        let bad: Vec<Place> = (0..3).map(|_| purse.enter(BAD)).collect();
        let newcomer = purse.enter(GOOD);
        assert!(must_go(&bad[0]) && !must_go(&bad[1]) && !must_go(&bad[2]));
        assert!(!must_go(&good) && !must_go(&newcomer));
        assert_eq!((purse.taken(), purse.displaced()), (4, 1));
    }

    #[test]
    fn one_host_displaces_only_hosts_with_more_places() {
        let purse = Purse::new(8);
        let good: Vec<Place> = (0..3).map(|_| purse.enter(GOOD)).collect();
        let mut bad: Vec<Place> = Vec::new();
        for _ in 0..1000 {
            bad.push(purse.enter(BAD));
            bad.retain(|place| !must_go(place));
        }
        assert!(good.iter().all(|place| !must_go(place)));
        assert_eq!(bad.len(), 5);
    }

    #[test]
    fn host_at_its_share_displaces_its_own() {
        let purse = Purse::with_share(10, 2);
        let bad: Vec<Place> = (0..3).map(|_| purse.enter(BAD)).collect();
        assert!(must_go(&bad[0]) && !must_go(&bad[1]));
        assert_eq!(purse.taken(), 2);
        assert!(purse.try_enter(BAD).is_none() && purse.try_enter(GOOD).is_some());
    }

    #[test]
    fn newcomer_displaces_oldest_single_host() {
        let purse = Purse::new(3);
        let all: Vec<Place> = (0..4).map(|last| purse.enter(Host::V4([10, 0, 0, last]))).collect();
        assert!(must_go(&all[0]) && all[1..].iter().all(|place| !must_go(place)));
    }

    #[test]
    fn places_come_back() {
        let purse = Purse::new(1);
        let first = purse.try_enter(GOOD).expect("it is empty");
        assert!(purse.try_enter(GOOD).is_none());
        let second = purse.enter(GOOD);
        drop(first);
        assert!(purse.try_enter(GOOD).is_none(), "it was displaced: its place is taken already");
        drop(second);
        assert!(purse.try_enter(GOOD).is_some());
        assert_eq!(purse.state().leaving, 0);
    }

    #[test]
    fn network_of_ipv6_is_one_host() {
        let host = |text: &str| Host::from(text.parse::<IpAddr>().expect("an address"));
        assert_eq!(host("2001:db8:1:2::1"), host("2001:db8:1:2:ffff::9"));
        assert_ne!(host("2001:db8:1:2::1"), host("2001:db8:1:3::1"));
        assert_eq!(host("::ffff:10.0.0.1"), GOOD);
    }

    #[tokio::test]
    async fn next_one_waits_for_those_who_were_displaced() {
        let purse = Purse::new(1);
        let mut gone: Vec<Place> = (0..=LEAVING).map(|_| purse.enter(BAD)).collect();
        purse.settled().await;
        gone.push(purse.enter(BAD));
        let mut context = Context::from_waker(Waker::noop());
        assert!(pin!(purse.settled()).poll(&mut context).is_pending());
        gone.remove(0);
        purse.settled().await;
    }
}
