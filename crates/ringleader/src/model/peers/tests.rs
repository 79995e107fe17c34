//! Sets of processes.

use super::*;

#[test]
fn peers_are_in_increasing_order() {
    let mut peers = Peers::default();
    let all = [300, 1, 64, 63, 7].map(Peer);
    assert!(all.into_iter().all(|who| peers.insert(who)));
    assert!(all.into_iter().all(|who| !peers.insert(who) && peers.has(who)));
    assert!(peers.iter().eq([1, 7, 63, 64, 300].map(Peer)));
    assert_eq!(peers.len(), 5);
    assert!(peers.remove(Peer(63)) && !peers.remove(Peer(63)) && !peers.has(Peer(63)));
    assert!(!peers.has(Peer(100_000)) && !peers.remove(Peer(100_000)));
    assert!(peers.clone().drain().eq([1, 7, 64, 300].map(Peer)));
    assert!(peers.drain().count() == 4 && peers.is_empty());
}

#[test]
fn sets_that_hold_the_same_are_equal() {
    let mut large: Peers = [Peer(2), Peer(500)].into_iter().collect();
    large.remove(Peer(500));
    assert_eq!(large, [Peer(2)].into_iter().collect());
}
