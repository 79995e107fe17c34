//! The fingerprint of a cluster: members compare theirs when they meet, and work together only if they are equal.

use super::{Cluster, GroupSpec, Patience, Timing};
use ringleader::rng::mix;
use ringleader::sim::{Clocks, Scatter, Topology};

#[cfg(test)]
mod tests;

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
        if let Some(zero) = group.zero {
            self.number(zero.0);
            self.clocks(&scenario.clocks);
        }
    }

    fn clocks(&mut self, clocks: &Clocks) {
        let Clocks { offsets, drifts, bound, backward } = clocks;
        for scatter in [offsets, drifts] {
            match scatter {
                Scatter::Drawn(most) => self.number(u64::from(*most)),
                Scatter::Listed(all) => {
                    self.number(all.len() as u64);
                    all.iter().for_each(|number| self.number(number.cast_unsigned()));
                }
            }
        }
        self.number(bound.map_or(u64::MAX, u64::from));
        self.text(backward.name());
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
