//! Equal values get equal numbers, and small differences tell.

use super::*;

#[test]
fn equal_values_get_equal_numbers() {
    let mut words = Interned::new();
    let numbers: Vec<u32> = (0..1000u32).map(|k| words.number(vec![k, k / 7])).collect();
    assert_eq!(numbers, (0..1000).collect::<Vec<u32>>());
    assert!((0..1000u32).all(|k| words.number(vec![k, k / 7]) == k));
    assert_eq!(words.value(41), &vec![41, 5]);
    let before = words.bytes();
    let long = words.number_with(vec![0; 100], 400);
    assert_eq!(words.number_with(vec![0; 100], 400), long);
    assert_eq!(words.bytes(), before + 400, "once");
}

#[test]
fn fingerprints_tell_small_differences_apart() {
    let mut seen: Vec<u64> = (0..50_000u64).map(|k| fingerprint(&(k, k % 3 == 0))).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 50_000);
    assert_ne!(fingerprint(&[1u32, 2]), fingerprint(&[2u32, 1]));
}
