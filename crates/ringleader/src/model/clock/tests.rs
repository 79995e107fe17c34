//! Logical clocks.

use super::*;

#[test]
fn clocks_follow_their_rules() {
    let mut clock = Clock::default();
    assert_eq!((clock.tick(), clock.seen(7), clock.seen(3)), (1, 8, 9));
    clock.raise(4);
    assert_eq!(clock.now(), 9);
    clock.raise(12);
    assert_eq!((clock.now(), clock.show()), (12, Value::Number(12)));
    let mut last = Clock(u64::MAX);
    assert_eq!((last.tick(), last.seen(u64::MAX)), (u64::MAX, u64::MAX), "no overflow");
}

#[test]
fn vector_clocks_follow_their_rules() {
    let (mut a, mut b) = (VectorClock::new(0, 2), VectorClock::new(1, 2));
    a.tick();
    let sent = a.clone();
    b.tick();
    assert!(!a.happened_before(&b) && !b.happened_before(&a), "neither has heard of the other");
    b.merge(&sent);
    assert_eq!((a.now(), b.now()), (&[1, 0][..], &[1, 2][..]));
    assert!(a.happened_before(&b) && !b.happened_before(&a) && !b.happened_before(&b));
}
