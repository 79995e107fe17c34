//! Drift and its bounds.

use super::*;

#[test]
fn who_counts_stops_before_who_waits_goes_on() {
    let (drift, span) = (Drift(5000), Micros(1_000_000));
    assert_eq!((drift.counted(span), drift.waited(span)), (Micros(990_049), Micros(1_010_051)));
    for drift in [0, 1, 333_333, 999_999].map(Drift) {
        for span in [0, 1, 7, 1_000_000, u64::MAX].map(Micros) {
            assert!(drift.counted(span) <= span && span <= drift.waited(span), "{drift:?} {span:?}");
        }
    }
    assert_eq!((Drift(0).counted(span), Drift(0).waited(span)), (span, span));
}

#[test]
fn stopped_clock_gives_no_lease() {
    for drift in [1_000_000, u32::MAX].map(Drift) {
        let span = Micros(u64::MAX);
        assert_eq!((drift.counted(span), drift.waited(Micros(1))), (Micros(0), Micros(u64::MAX)));
        assert_eq!(drift.gain(), u64::MAX);
    }
    assert_eq!((Drift(0).gain(), Drift(5000).gain()), (0, 10_050));
}
