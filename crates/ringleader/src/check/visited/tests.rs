//! A state is new once, and does not cost more than it should.

use super::*;
use crate::hash::scatter;

#[test]
fn every_state_is_new_once_and_costs_at_most_24_bytes() {
    let mut visited = Visited::default();
    for round in 0..2 {
        for k in 0..300_000u64 {
            let fingerprint = scatter(scatter(k));
            let shard = &mut visited.shards[shard_of(fingerprint)];
            shard.reserve(1);
            let met = shard.meet(fingerprint);
            assert_eq!(met.new, round == 0);
            if met.new {
                shard.set_number(met, k as u32);
                visited.add(&[(k / 2) as u32]);
            }
            assert_eq!(visited.shards[shard_of(fingerprint)].number(met), k as u32);
        }
    }
    assert_eq!((visited.find(scatter(scatter(7))), visited.parent(7)), (Some(7), 3));
    assert_eq!(visited.find(12345), None);
    let each = visited.bytes() as f64 / f64::from(visited.len());
    assert!(each <= 24.0, "{each} bytes a state");
}
