//! An instance: one epoch of an algorithm.

use super::*;

#[test]
fn no_two_messages_have_one_number() {
    let last = MAX_MEMBERS as u32 - 1;
    let counts = [0, 1, 0xff_ffff, 1 << 24, (1 << 24) + 1, 1 << 40];
    let pairs = [(0, 1), (1, 0), (0, last), (last, 0), (last - 1, last), (last, last - 1)];
    let salts = [0, 1, 0xff];
    let mut all: Vec<u64> = pairs
        .iter()
        .flat_map(|&(from, to)| salts.map(|salt| (from, to, salt)))
        .flat_map(|(from, to, salt)| counts.map(|count| provisional(from, to, salt, count)))
        .collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), pairs.len() * salts.len() * counts.len());
}
