//! Sorting what is large by a number.

/// Sorts by the number; what has the same number keeps its order.
///
/// Only the numbers are sorted, and then everything goes to its place: what sorts is compiled once, and not once for
/// every type of message.
pub(crate) fn by_number<T>(items: &mut [(u64, T)]) {
    let mut sorted = true;
    for place in 1..items.len() {
        sorted &= items[place - 1].0 <= items[place].0;
    }
    if sorted {
        return;
    }
    let mut from = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        from.push((item.0, place));
    }
    from.sort_unstable();
    // Each cycle of the permutation is gone through once.
    for start in 0..items.len() {
        let mut place = start;
        loop {
            let source = core::mem::replace(&mut from[place].1, place);
            if source == start {
                break;
            }
            items.swap(place, source);
            place = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    #[test]
    fn sorts_and_keeps_the_order_of_equals() {
        let mut rng = Rng::new(5, Purpose::Schedule);
        for length in 0..200u64 {
            let mut items: Vec<(u64, u64)> = (0..length).map(|place| (rng.below(20), place)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            by_number(&mut items);
            assert_eq!(items, expected);
        }
    }
}
