//! The fingerprint of a cluster: members compare theirs when they meet, and work together only if they are equal.

use super::{Cluster, GroupSpec, Patience, Timing};
use ringleader::rng::mix;
use ringleader::sim::Topology;

/// Two clusters with the same fingerprint mean the same. What the users of a member do is its own business.
pub(super) fn fingerprint(cluster: &Cluster) -> u64 {
    let mut sum = Fingerprint(0);
    sum.number(cluster.members.len() as u64);
    for member in &cluster.members {
        sum.text(&member.name);
        sum.number(member.id);
    }
    sum.number(cluster.groups.len() as u64);
    for group in &cluster.groups {
        sum.group(group);
    }
    sum.timing(&cluster.timing);
    sum.0
}

/// A sum over numbers and texts, the same in every build: members of two builds compare theirs.
struct Fingerprint(u64);

impl Fingerprint {
    fn number(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.number(u64::from(byte)));
    }

    fn group(&mut self, group: &GroupSpec) {
        let scenario = &group.scenario;
        self.text(&group.name);
        self.text(group.entry.spec.name);
        self.number(scenario.settings.len() as u64);
        for (name, value) in &scenario.settings {
            self.text(name);
            self.text(value);
        }
        self.text(scenario.topology.as_ref().map_or("", Topology::name));
        if let Some(Topology::Listed(neighbours)) = &scenario.topology {
            for list in neighbours {
                self.number(list.len() as u64);
                list.iter().for_each(|neighbour| self.number(u64::from(*neighbour)));
            }
        }
        self.number(u64::from(scenario.range));
    }

    fn timing(&mut self, timing: &Timing) {
        let Timing { patience, terms, unit, max_delay, gather, retry, dwell, limits } = *timing;
        let Patience { heartbeat, phi, window, least_deviation, pause } = patience;
        for time in [heartbeat, least_deviation, pause, terms.lease, unit, gather, retry, dwell] {
            self.number(time.0);
        }
        for number in [u64::from(phi), u64::from(window), u64::from(terms.drift), u64::from(max_delay)] {
            self.number(number);
        }
        self.number(limits.unacknowledged as u64);
        self.number(limits.ack_every);
    }
}

#[cfg(test)]
mod tests {
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
}
