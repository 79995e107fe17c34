//! The queue of flights.

use super::*;
use crate::rng::{Purpose, Rng};
use std::collections::BTreeMap;

#[test]
fn earliest_first_and_equals_as_they_came() {
    let mut rng = Rng::new(11, Purpose::Schedule);
    let mut queue = TimeQueue::default();
    let mut model: BTreeMap<(u64, u32), ()> = BTreeMap::new();
    let mut now = 0;
    for number in 0..50_000u32 {
        if rng.below(5) < 3 {
            let time = now + if rng.below(3) == 0 { rng.below(4) } else { rng.below(1 << 40) };
            queue.push(time, number);
            model.insert((time, number), ());
        } else {
            let expected = model.pop_first().map(|(key, ())| key);
            assert_eq!(queue.pop(), expected);
            now = expected.map_or(now, |(time, _)| time);
        }
    }
    while let Some((expected, ())) = model.pop_first() {
        assert_eq!(queue.pop(), Some(expected));
    }
    assert_eq!(queue.pop(), None);
}
