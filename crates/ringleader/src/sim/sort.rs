//! The order in which messages arrive in a round.

use crate::network::Link;

/// Sorts messages by their links, the first to arrive last; those of one link keep their order, the oldest last.
///
/// Most of what is sent in a round is sent in the order of the senders, so it only has to be dealt out to the
/// receivers, and what each of them gets is nearly in order. `spare` is room for that.
pub(crate) fn last_first<T: Copy>(items: &mut Vec<(Link, T)>, spare: &mut Vec<(Link, T)>, n: u32) {
    if items.is_sorted_by_key(|item| item.0) {
        items.reverse();
        return;
    }
    if items.len() < n as usize / 8 {
        items.sort_by_key(|item| item.0);
        items.reverse();
        return;
    }
    // Where the messages of each receiver end, counted from the back.
    let mut ends = vec![0_u32; n as usize + 1];
    for (link, _) in items.iter() {
        ends[link.to() as usize] += 1;
    }
    let mut end = items.len() as u32;
    for count in &mut ends {
        (*count, end) = (end, end - *count);
    }
    spare.clear();
    spare.resize(items.len(), items[0]);
    for item in items.iter() {
        let end = &mut ends[item.0.to() as usize];
        *end -= 1;
        spare[*end as usize] = *item;
    }
    core::mem::swap(items, spare);
    let mut rest = &mut items[..];
    while let Some(first) = rest.first() {
        let to = first.0.to();
        let length = rest.iter().position(|item| item.0.to() != to).unwrap_or(rest.len());
        let (own, others) = rest.split_at_mut(length);
        if !own.is_sorted_by(|a, b| a.0 >= b.0) {
            own.sort_by_key(|item| core::cmp::Reverse(item.0));
        }
        rest = others;
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
            for n in [1, 5, 40, 5000] {
                let mut link = || Link::new(rng.below(u64::from(n)) as u32, rng.below(3) as u32);
                let mut items: Vec<(Link, u64)> = (0..length).map(|place| (link(), place)).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item.0);
                expected.reverse();
                last_first(&mut items, &mut Vec::new(), n);
                assert_eq!(items, expected, "{length} to {n}");
            }
        }
    }
}
