//! What links carry, with and without an order.

use super::*;

#[test]
fn bags_forget_the_order_and_links_do_not() {
    for ordered in [false, true] {
        let mut contents = Contents::new(ordered);
        let one = contents.push(0, 1, 11, 0);
        let both = contents.push(one, 2, 22, 0);
        let two = contents.push(0, 2, 22, 0);
        let other = contents.push(two, 1, 11, 0);
        assert_eq!(both == other, !ordered);
        assert_eq!(contents.choices(both).len(), if ordered { 1 } else { 2 });
        let again = contents.push(both, 2, 22, 0);
        assert_eq!(contents.choices(again).len(), if ordered { 1 } else { 2 });
        assert_eq!(contents.distinct(again).len(), 2);
        assert_eq!(contents.later(one, 1).and_then(|late| contents.later(late, 1)), None);
        assert_eq!(contents.without(one, 0), 0);
    }
}
