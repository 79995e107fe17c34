//! What a process is told at birth.

use super::*;

/// A symmetry that is taken for granted where a process knows its place would hide runs from the checker.
#[test]
fn parts_of_parts_are_told() {
    type Nested = ((Size, Peer), (Settings, (Id, Holder)));
    let kinds: Vec<Told> = Nested::TOLD.iter().collect();
    assert_eq!(kinds, [Told::Size, Told::Names, Told::Identity, Told::Holder]);
    assert!(Nested::TOLD.has(Told::Names) && !Nested::TOLD.has(Told::Range));
    assert_eq!(<((Size, Id), Size)>::TOLD, <(Size, Id)>::TOLD);
}
