//! What a granter promises, and for how long.

use super::*;

const TERMS: Terms = Terms { lease: Micros(1000), drift: 5000 };

fn claimant(place: Place, incarnation: u64, number: u64) -> Claimant {
    Claimant { place, incarnation, epoch: Epoch { number, steward: 0 } }
}

/// One that is out of quarantine.
fn ready() -> Granter {
    Granter::new(TERMS, Micros(0))
}

#[test]
fn counted_time_allows_for_both_drifts() {
    assert_eq!(Terms { lease: Micros(1_000_000), drift: 5000 }.counted(), Micros(990_049));
    assert_eq!(Terms { lease: Micros(1_000_000), drift: 0 }.counted(), Micros(1_000_000));
    assert_eq!(Terms { lease: Micros(1_000_000), drift: 1_000_000 }.counted(), Micros(0));
    assert_eq!(Terms { lease: Micros(1_000_000), drift: u32::MAX }.counted(), Micros(0));
    assert_eq!(Terms { lease: Micros(u64::MAX), drift: 0 }.counted(), Micros(u64::MAX));
}

#[test]
fn fresh_granter_waits_one_lease() {
    let mut granter = Granter::new(TERMS, Micros(70));
    assert_eq!(granter.asked(claimant(1, 1, 1), Micros(70)), Answer::Quarantine(Micros(1070)));
    assert_eq!(granter.asked(claimant(1, 1, 1), Micros(1069)), Answer::Quarantine(Micros(1070)));
    assert_eq!(granter.held(Micros(1069)), None);
    assert_eq!(granter.asked(claimant(1, 1, 1), Micros(1070)), Answer::Granted(Micros(2070)));
}

#[test]
fn grant_moves_only_after_expiry() {
    let mut granter = ready();
    assert_eq!(granter.asked(claimant(1, 1, 1), Micros(1000)), Answer::Granted(Micros(2000)));
    assert_eq!(granter.asked(claimant(2, 1, 1), Micros(1999)), Answer::Held(Micros(2000)));
    assert_eq!(granter.asked(claimant(2, 1, 1), Micros(2000)), Answer::Granted(Micros(3000)));
    assert_eq!(granter.held(Micros(2999)), Some((claimant(2, 1, 1), Micros(3000))));
    assert_eq!(granter.held(Micros(3000)), None);
}

#[test]
fn only_same_incarnation_extends_grant() {
    let mut granter = ready();
    granter.asked(claimant(1, 1, 1), Micros(1000));
    assert_eq!(granter.asked(claimant(1, 1, 1), Micros(1500)), Answer::Granted(Micros(2500)));
    assert_eq!(granter.asked(claimant(1, 2, 1), Micros(1600)), Answer::Held(Micros(2500)));
    assert_eq!(granter.asked(claimant(1, 1, 2), Micros(1700)), Answer::Granted(Micros(2700)));
    // A reading that went back takes nothing back.
    assert_eq!(granter.asked(claimant(1, 1, 2), Micros(1650)), Answer::Granted(Micros(2700)));
}

#[test]
fn older_epoch_is_refused() {
    let mut granter = ready();
    granter.asked(claimant(1, 1, 5), Micros(1000));
    assert_eq!(granter.asked(claimant(1, 1, 4), Micros(1100)), Answer::Old);
    assert_eq!(granter.asked(claimant(2, 1, 4), Micros(9000)), Answer::Old);
    assert_eq!(granter.asked(claimant(2, 1, 5), Micros(9000)), Answer::Granted(Micros(10_000)));
    // What was denied leaves no trace: only a grant makes older epochs old.
    assert_eq!(granter.asked(claimant(1, 1, 7), Micros(9100)), Answer::Held(Micros(10_000)));
    assert_eq!(granter.asked(claimant(1, 1, 6), Micros(10_000)), Answer::Granted(Micros(11_000)));
}

#[test]
fn only_its_holder_gives_it_back() {
    let mut granter = ready();
    let holder = claimant(1, 3, 5);
    granter.asked(holder, Micros(1000));
    for other in [claimant(2, 3, 5), claimant(1, 2, 5), claimant(1, 4, 5), claimant(1, 3, 4)] {
        granter.released(other);
        assert_eq!(granter.held(Micros(1001)), Some((holder, Micros(2000))), "{other:?}");
    }
    granter.released(claimant(1, 3, 6));
    assert_eq!(granter.held(Micros(1001)), None);
    assert_eq!(granter.asked(claimant(2, 3, 5), Micros(1001)), Answer::Granted(Micros(2001)));
    // Older epochs stay old when a grant was given back.
    granter.released(claimant(2, 3, 5));
    assert_eq!(granter.asked(claimant(2, 3, 4), Micros(1002)), Answer::Old);
}
