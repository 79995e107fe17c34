//! Equal clusters have equal fingerprints.

use super::*;
use crate::{MemberSpec, Micros};

fn cluster() -> Cluster {
    let member = |name: &str, id| MemberSpec { name: name.into(), id };
    Cluster {
        name: "c".into(),
        members: vec![member("a", 1), member("bc", 2)],
        groups: Vec::new(),
        timing: Timing::default(),
    }
}

#[test]
fn fingerprint_is_the_same_in_every_build() {
    assert_eq!(fingerprint(&cluster()), 16_850_512_247_223_710_771);
}

#[test]
fn every_difference_shows() {
    let mut others: Vec<Cluster> = (0..5).map(|_| cluster()).collect();
    others[0].members.swap(0, 1);
    others[1].members[1].id = 3;
    (others[2].members[0].name, others[2].members[1].name) = ("ab".into(), "c".into());
    others[3].timing.dwell = Micros(1);
    others[4].timing.limits.ack_every += 1;
    for other in &others {
        assert_ne!(fingerprint(other), fingerprint(&cluster()), "{:?} {:?}", other.members, other.timing);
    }
}
