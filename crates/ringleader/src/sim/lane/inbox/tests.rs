//! What waits at ports.

use super::*;
use crate::model::Side;
use crate::rng::{Purpose, Rng};
use std::collections::VecDeque;

crate::messages! {
    /// A number.
    enum Msg { "number" Number { number: u32 } }
}

#[test]
fn behaves_like_a_list_of_queues() {
    let mut inboxes: Inboxes<Msg, ()> = Inboxes::new(3, 2);
    let mut model = vec![VecDeque::new(); 6];
    let mut rng = Rng::new(5, Purpose::Schedule);
    for number in 0..20_000 {
        let link = rng.below(6) as u32;
        let (process, side): (u32, Side) = inboxes.end(link);
        assert_eq!(inboxes.link(process, side), link);
        let queue = &mut model[link as usize];
        if rng.below(2) == 0 {
            assert_eq!(inboxes.push(link, Msg::Number { number }), queue.is_empty());
            queue.push_back(Msg::Number { number });
        } else {
            let Some(msg) = queue.pop_front() else { continue };
            assert_eq!(inboxes.take(link), (msg, queue.is_empty()));
        }
    }
}

#[test]
#[should_panic(expected = "a message waits")]
fn taking_what_is_not_there_is_a_defect() {
    Inboxes::<Msg, ()>::new(3, 2).take(0);
}
