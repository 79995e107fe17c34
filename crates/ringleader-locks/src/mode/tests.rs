//! Who holds beside whom.

use super::*;

const MODES: [Mode; 4] = [Mode::Exclusive, Mode::Shared, Mode::Permits(1), Mode::Permits(2)];

#[test]
fn nobody_holds_beside_a_writer() {
    for mode in MODES {
        assert!(mode.fits(Mode::Exclusive, 0));
        assert!(!mode.fits(Mode::Exclusive, 1));
        assert!(!Mode::Exclusive.fits(mode, 1));
    }
}

#[test]
fn as_many_hold_as_there_are_permits() {
    assert!(Mode::Permits(2).fits(Mode::Permits(2), 1));
    assert!(!Mode::Permits(2).fits(Mode::Permits(2), 2));
    assert!(Mode::Shared.fits(Mode::Shared, 2));
    assert!(!Mode::Shared.fits(Mode::Shared, MAX_HOLDERS as usize));
}

#[test]
fn a_semaphore_is_no_lock() {
    for mode in MODES {
        for other in MODES {
            let lock = |mode| matches!(mode, Mode::Exclusive | Mode::Shared);
            assert_eq!(mode.clashes(other), !(mode == other || lock(mode) && lock(other)));
            assert!(mode == other || !mode.fits(other, 1));
        }
    }
    assert_eq!(Mode::permits(0), None);
    assert_eq!(Mode::permits(1000), Some(Mode::Permits(1000)));
    assert_eq!(Mode::permits(1001), None);
    assert_eq!(Mode::permits(1 << 32), None);
}
