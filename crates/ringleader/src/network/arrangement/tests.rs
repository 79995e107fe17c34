//! Who gets which identity.

use super::*;

fn names(arrangement: &Arrangement) -> Vec<u64> {
    arrangement.names().collect()
}

#[test]
fn known_arrangements() {
    let of = |how| names(&Arrangement::arranged(5, how));
    assert_eq!(of(Arranged::Ascending), [1, 2, 3, 4, 5]);
    assert_eq!(of(Arranged::Descending), [5, 4, 3, 2, 1]);
    assert_eq!(of(Arranged::Alternating), [1, 5, 2, 4, 3]);
    assert_eq!(names(&Arrangement::arranged(8, Arranged::BitReversal)), [1, 5, 3, 7, 2, 6, 4, 8]);
    // 5 indices, 3 bits: reversed 0 4 2 6 1, ranks 0 3 2 4 1.
    assert_eq!(of(Arranged::BitReversal), [1, 4, 3, 5, 2]);
    assert_eq!(names(&Arrangement::arranged(1, Arranged::BitReversal)), [1]);
    // 5 = F(5), multiples of F(3) = 2; 8 = F(6), multiples of F(4) = 3.
    assert_eq!(of(Arranged::Fibonacci), [1, 3, 5, 2, 4]);
    assert_eq!(names(&Arrangement::arranged(8, Arranged::Fibonacci)), [1, 4, 7, 2, 5, 8, 3, 6]);
    // Two more than 5: a falling block after the first.
    assert_eq!(names(&Arrangement::arranged(7, Arranged::Fibonacci)), [3, 2, 1, 5, 7, 4, 6]);
    for n in 0..100 {
        let mut sorted = fibonacci(n);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n).collect::<Vec<u32>>());
    }
}

#[test]
fn random_is_a_permutation_and_follows_the_seed() {
    let mut one = names(&Arrangement::random(1000, 5));
    assert_eq!(one, names(&Arrangement::random(1000, 5)));
    assert_ne!(one, names(&Arrangement::random(1000, 6)));
    one.sort_unstable();
    assert_eq!(one, (1..=1000).collect::<Vec<u64>>());
}

#[test]
fn listed_identities_keep_their_names() {
    let listed = Arrangement::listed(&[30, 7, u64::MAX], true).unwrap();
    assert_eq!(names(&listed), [30, 7, u64::MAX]);
    assert_eq!([0, 1, 2].map(|i| listed.id(i).rank()), [1, 0, 2]);
    assert_eq!(
        Arrangement::listed(&[4, 9, 2, 9], true).unwrap_err(),
        Duplicate { id: 9, first: 1, second: 3 }
    );
    let doubled = Arrangement::listed(&[4, 9, 2, 9], false).unwrap();
    assert_eq!(doubled.id(1), doubled.id(3));
    assert_eq!(names(&doubled), [4, 9, 2, 9]);
}
