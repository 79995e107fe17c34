//! Cases have numbers.

use super::*;

#[test]
fn permutations_are_all_different() {
    let mut all: Vec<Vec<u32>> = (0..24).map(|number| permutation(4, number)).collect();
    assert_eq!(all[0], [0, 1, 2, 3]);
    assert_eq!(all[23], [3, 2, 1, 0]);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 24);
    assert_eq!(permutation(0, 0), Vec::<u32>::new());
}
