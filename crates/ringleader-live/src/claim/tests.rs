//! What a claimant counts, and from when.

use super::*;

const TERMS: Terms = Terms { lease: Micros(1000), drift: 100_000 };
/// 1000 · 0.9 / 1.1, rounded down.
const COUNTED: u64 = 818;

fn claim(members: usize) -> Claim {
    Claim::new(TERMS, members, Epoch { number: 1, steward: 0 })
}

#[test]
fn majority_is_more_than_half() {
    for members in 1..=9u16 {
        let mut claim = claim(usize::from(members));
        for by in 0..members {
            let granted = by;
            assert_eq!(claim.holds(Micros(0)), granted * 2 > members, "{granted} of {members}");
            claim.granted(by, Micros(0));
        }
        assert!(claim.holds(Micros(COUNTED - 1)), "all of {members}");
        assert!(!claim.holds(Micros(COUNTED)), "it ends with what is counted, not with the lease");
    }
    assert!(!claim(0).holds(Micros(0)), "nobody is no majority");
}

#[test]
fn claim_ends_with_first_needed_grant() {
    let mut claim = claim(5);
    for (by, sent) in [(0, 500), (1, 100), (2, 300), (3, 200)] {
        claim.granted(by, Micros(sent));
    }
    assert_eq!(claim.until(), Micros(200 + COUNTED));
    claim.granted(4, Micros(400));
    assert_eq!(claim.until(), Micros(300 + COUNTED));
    // The same members again are not more members.
    claim.granted(0, Micros(600));
    assert_eq!(claim.until(), Micros(300 + COUNTED));
}

#[test]
fn late_answer_does_not_shorten_claim() {
    let mut claim = claim(1);
    claim.granted(0, Micros(500));
    claim.granted(0, Micros(400));
    assert_eq!(claim.until(), Micros(500 + COUNTED));
}

#[test]
fn only_counted_members_grant() {
    let mut claim = claim(3);
    claim.granted(0, Micros(0));
    claim.granted(3, Micros(0));
    claim.granted(u16::MAX, Micros(0));
    claim.discount(17);
    assert!(!claim.holds(Micros(0)));
    claim.granted(1, Micros(0));
    assert!(claim.holds(Micros(0)));
    claim.discount(0);
    assert!(!claim.holds(Micros(0)));
    claim.granted(0, Micros(10));
    assert!(claim.holds(Micros(10)));
}

#[test]
fn answer_before_release_does_not_count() {
    let mut claim = claim(1);
    claim.granted(0, Micros(100));
    claim.release(Micros(200));
    assert!(!claim.holds(Micros(200)));
    claim.granted(0, Micros(150));
    claim.granted(0, Micros(200));
    assert!(!claim.holds(Micros(200)));
    claim.granted(0, Micros(201));
    assert_eq!(claim.until(), Micros(201 + COUNTED));
}
