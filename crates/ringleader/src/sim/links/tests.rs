//! The queues of links.

use super::*;
use crate::rng::{Purpose, Rng};
use std::collections::VecDeque;

#[test]
fn behaves_like_a_list_of_queues() {
    for dense in [true, false] {
        let mut table = LinkTable::new(5, 2, dense);
        let mut model = vec![VecDeque::new(); 5];
        let mut rng = Rng::new(3, Purpose::Schedule);
        for number in 0..20_000u32 {
            let place = rng.below(5);
            let link = Link::new(place as u32 / 2, place as u32 % 2);
            let queue = &mut model[place as usize];
            if rng.below(2) == 0 {
                let (slot, was_empty) = table.push(link, number);
                assert_eq!((table.link(slot), was_empty), (link, queue.is_empty()));
                queue.push_back(number);
            } else if let Some(slot) = table.slot(link) {
                let k = rng.below(queue.len() as u64) as u32;
                assert_eq!(table.head(slot), queue.front());
                assert!(table.iter(slot).eq(queue.iter()));
                let (item, empty) = table.take(slot, k).unwrap();
                assert_eq!(Some(item), queue.remove(k as usize));
                assert_eq!(empty, queue.is_empty());
            } else {
                assert!(queue.is_empty());
            }
            assert_eq!(table.in_transit(), model.iter().map(|queue| queue.len() as u64).sum());
        }
    }
}
