//! What a member says of whom it hears, and who is the steward.

use super::*;

/// The view of `me` where everybody has said whom it hears, and whether it is fit by that.
fn view(me: Place, hears: &[u64]) -> View {
    let fit = |who: usize| {
        let mut alone = View::new(who as Place, hears.len());
        alone.hears.copy_from_slice(hears);
        alone.is_majority(alone.clique())
    };
    let mut view = View::new(me, hears.len());
    for who in (0..hears.len()).filter(|&who| who != usize::from(me)) {
        view.says(who as Place, hears[who], fit(who));
        view.i_hear(who as Place, hears[usize::from(me)] >> who & 1 == 1);
    }
    view
}

#[test]
fn everybody_follows_the_lowest_place() {
    let all = [0b111; 3];
    assert!((0..3).all(|me| view(me, &all).steward() == Some(0)));
    assert_eq!(view(2, &all).clique(), 0b111);
}

#[test]
fn a_minority_follows_nobody() {
    let cut = [0b00011, 0b00011, 0b11100, 0b11100, 0b11100];
    let followed: Vec<_> = (0..5).map(|me| view(me, &cut).steward()).collect();
    assert_eq!(followed, [None, None, Some(2), Some(2), Some(2)]);
}

#[test]
fn partial_cut_keeps_one_steward_with_majority() {
    // 0 and 1 do not hear each other, 2 hears both.
    let cut = [0b101, 0b110, 0b111];
    assert_eq!(view(0, &cut).steward(), Some(0));
    assert_eq!(view(0, &cut).clique(), 0b101);
    assert_eq!(view(2, &cut).steward(), Some(0));
    // 1 could open an epoch with 2, which does not follow it.
    assert_eq!(view(1, &cut).steward(), Some(1));
}

#[test]
fn a_one_way_cut_is_a_cut() {
    // 1 does not hear 0.
    let cut = [0b111, 0b110, 0b111];
    assert_eq!(view(0, &cut).clique(), 0b101);
    assert_eq!(view(1, &cut).steward(), Some(1));
    assert_eq!(view(2, &cut).steward(), Some(0));
}

#[test]
fn whoever_is_not_fit_is_passed_over() {
    // 0 hears 1 and 2, which do not hear each other; 1, 3 and 4 hear each other.
    let cut = [0b00111, 0b11011, 0b00101, 0b11010, 0b11010];
    assert!(!view(0, &cut).is_fit());
    for me in [1, 3, 4] {
        assert_eq!(view(me, &cut).steward(), Some(1), "{me}");
    }
    assert_eq!(view(1, &cut).clique(), 0b11010);
}
