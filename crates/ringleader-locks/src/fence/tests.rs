//! Fences as numbers and as text.

use super::*;

#[test]
fn a_later_epoch_is_larger_than_any_counter() {
    assert!(Fence::new(7, MAX_COUNTER) < Fence::new(8, 1));
    let fence = Fence::new(MAX_EPOCH, MAX_COUNTER);
    assert_eq!(fence.number(), i64::MAX as u64);
    assert_eq!((fence.epoch(), fence.counter()), (MAX_EPOCH, MAX_COUNTER));
}

#[test]
fn only_whole_positive_numbers_are_fences() {
    assert_eq!("68719476737".parse(), Ok(Fence::new(1, 1)));
    for text in ["", "0", "-1", "+1", " 1", "1.0", "9223372036854775808", "x"] {
        assert_eq!(text.parse::<Fence>(), Err(BadFence(text.to_owned())));
    }
}

#[test]
fn a_cluster_made_later_begins_later() {
    assert_eq!(first_epoch(0), 1);
    assert_eq!(first_epoch(1_767_225_600 + 6400), 100);
    assert_eq!(first_epoch(u64::MAX), MAX_EPOCH);
}
