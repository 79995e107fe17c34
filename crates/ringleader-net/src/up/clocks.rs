//! The clocks of a cluster on this machine, from outside: how far each is off in the end, and whether that is within
//! what was measured. Nodes know neither; here is known how far the clocks were off, for the options said so.
//!
//! Bounds rest on measured round trips, not on the longest delay that processes were told: a machine that is busy
//! makes them larger, and nothing wrong.

use ringleader::model::{Against, Drift, Promises};
use ringleader::registry::Entry;
use ringleader::sim::Scatter;
use ringleader_live::{Cluster, Micros};
use serde::Serialize;
use serde_json::Value;

/// Less is rounding: a millionth of a tick.
const ROUNDING: f64 = 1e-6;

/// The clocks of a cluster; times in ticks.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[expect(missing_docs, reason = "the fields are described with the other formats")]
pub struct Clocks {
    pub tick_us: u64,
    pub reference: String,
    pub skew: Skew,
    pub nodes: Vec<NodeClock>,
    /// Whether every clock that was set is within its bound, and every one was set.
    pub holds: bool,
}

/// How far clocks are apart.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
#[expect(missing_docs, reason = "the fields are described with the other formats")]
pub struct Skew {
    pub first: f64,
    #[serde(rename = "final")]
    pub last: f64,
}

/// The clock of one node.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[expect(missing_docs, reason = "the fields are described with the other formats")]
pub struct NodeClock {
    pub member: String,
    pub position: String,
    pub offset: i64,
    pub drift: i64,
    pub correction: f64,
    pub off: Option<f64>,
    pub bound: Option<f64>,
    pub holds: bool,
    pub estimates: Vec<Found>,
}

/// What a node found out about the clock of another.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[expect(missing_docs, reason = "the fields are described with the other formats")]
pub struct Found {
    pub of: String,
    pub ahead: f64,
    pub round_trip: Option<f64>,
    pub bound: f64,
    pub at_us: u64,
}

/// What is known of all clocks: injected, and reported.
struct Known {
    names: Vec<String>,
    offsets: Vec<i64>,
    drifts: Vec<i64>,
    /// The bound on drifts, as a part.
    rho: f64,
    zero: Micros,
    unit: Micros,
    nodes: Vec<Reported>,
}

/// What a node said.
struct Reported {
    at: Micros,
    position: String,
    correction: f64,
    promise: Option<f64>,
    found: Vec<Found>,
}

/// Judges the clocks by how every node was when last asked; none where one did not answer, or there are no clocks.
#[must_use]
pub fn judge(cluster: &Cluster, entry: &Entry, statuses: &[Option<Value>]) -> Option<Clocks> {
    let known = Known::of(cluster, statuses)?;
    // All are compared at one moment.
    let now = known.nodes.iter().map(|node| node.at).max()?;
    let all = known.shown(now);
    let first = |place: usize| known.offsets[place] as f64;
    let is_reference = |place: &usize| known.nodes[*place].position == "reference";
    let places = || 0..known.nodes.len();
    let tellers: Vec<usize> = places().filter(|&place| !known.nodes[place].found.is_empty()).collect();
    let (reference, off, bounds) = if let Some(server) = places().find(is_reference) {
        let against = match entry.spec.promises {
            Promises::Clocks { against } => against,
            Promises::Election { .. } | Promises::Exclusion { .. } | Promises::Stabilisation => return None,
        };
        let (name, truth) = match against {
            Against::TrueTime => ("true time".to_owned(), known.ticks(now)),
            Against::EachOther => (known.names[server].clone(), all[server]),
        };
        let promise = |place: usize| {
            let node = &known.nodes[place];
            Some(node.promise? + 2.0 * known.rho * known.between(node.at, now))
        };
        (
            name,
            places().map(|place| all[place] - truth).collect::<Vec<f64>>(),
            places().map(promise).collect(),
        )
    } else if let [master] = tellers[..] {
        // Each differs from the master's clock by what the master read wrongly.
        let bound = |place: usize| {
            let mut found = known.nodes[master].found.iter();
            let found = found.find(|found| found.of == known.names[place]);
            if place == master { Some(0.0) } else { found.map(|found| known.bound(found, now)) }
        };
        let off = places().map(|place| all[place] - all[master]).collect();
        (known.names[master].clone(), off, places().map(bound).collect::<Vec<Option<f64>>>())
    } else {
        // Each is moved by the mean of what it found out, and is off by the mean of the mistakes.
        let uncorrected = places().map(|place| known.hardware(place, now)).sum::<f64>() / all.len() as f64;
        let bound = |place: usize| {
            let found = &known.nodes[place].found;
            let sum = found.iter().map(|found| known.bound(found, now)).sum::<f64>();
            (found.len() + 1 == all.len()).then(|| sum / all.len() as f64)
        };
        let off = places().map(|place| all[place] - uncorrected).collect();
        ("the mean of all".to_owned(), off, places().map(bound).collect())
    };
    let is_judged = |place: usize| !is_reference(&place);
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        (high - low).max(0.0)
    };
    let skew =
        Skew { first: spread(&mut places().map(first)), last: spread(&mut places().map(|place| all[place])) };
    let node = |(place, reported): (usize, &Reported)| {
        let (off, bound) = (off[place], bounds[place]);
        let is_set = reported.position == "synchronised";
        NodeClock {
            member: known.names[place].clone(),
            position: reported.position.clone(),
            offset: known.offsets[place],
            drift: known.drifts[place],
            correction: reported.correction,
            off: is_judged(place).then_some(off),
            bound: bound.filter(|_| is_judged(place)),
            holds: !is_judged(place) || is_set && bound.is_some_and(|bound| off.abs() <= bound + ROUNDING),
            estimates: reported.found.clone(),
        }
    };
    let nodes: Vec<NodeClock> = known.nodes.iter().enumerate().map(node).collect();
    let holds = nodes.iter().all(|node| node.holds);
    Some(Clocks { tick_us: known.unit.0, reference, skew, nodes, holds })
}

impl Known {
    fn of(cluster: &Cluster, statuses: &[Option<Value>]) -> Option<Known> {
        let group = cluster.groups.first()?;
        let clocks = &group.scenario.clocks;
        let (Scatter::Listed(offsets), Scatter::Listed(drifts)) = (&clocks.offsets, &clocks.drifts) else {
            return None;
        };
        let largest = drifts.iter().map(|drift| drift.unsigned_abs()).max().unwrap_or(0);
        let Drift(ppm) = Drift(clocks.bound.unwrap_or(0).max(largest as u32));
        let nodes =
            statuses.iter().map(|status| Reported::of(status.as_ref()?)).collect::<Option<Vec<_>>>()?;
        let mut known = Known {
            names: cluster.members.iter().map(|member| member.name.clone()).collect(),
            offsets: offsets.clone(),
            drifts: drifts.clone(),
            rho: f64::from(ppm) / 1e6,
            zero: group.zero?,
            unit: cluster.timing.unit,
            nodes,
        };
        let all = known.names.len();
        if [known.offsets.len(), known.drifts.len(), known.nodes.len()] != [all; 3] {
            return None;
        }
        known.pair(f64::from(cluster.timing.max_delay) / 2.0);
        Some(known)
    }

    /// Where nobody asks, both took half the longest delay for the other's message: what they found differs by what the
    /// two messages took in truth.
    fn pair(&mut self, half: f64) {
        let found = |nodes: &[Reported], from: usize, of: &str| {
            let mut found = nodes[from].found.iter();
            found.find(|found| found.of == of).map(|found| found.ahead)
        };
        let mut trips = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            for (number, one) in node.found.iter().enumerate().filter(|(_, one)| one.round_trip.is_none()) {
                let other = self.names.iter().position(|name| *name == one.of);
                let back = other.and_then(|other| found(&self.nodes, other, &self.names[place]));
                trips.extend(back.map(|back| (place, number, 2.0 * half - one.ahead - back)));
            }
        }
        for (place, number, trip) in trips {
            let found = &mut self.nodes[place].found[number];
            (found.round_trip, found.bound) = (Some(trip), half.max(trip - half));
        }
    }

    /// How far off what was found may be by now.
    fn bound(&self, found: &Found, now: Micros) -> f64 {
        let passed = self.between(Micros(found.at_us), now);
        let trip = found.round_trip.unwrap_or(0.0) / (1.0 - self.rho);
        found.bound + 2.0 * self.rho * (passed + trip)
    }

    fn between(&self, earlier: Micros, later: Micros) -> f64 {
        (later - earlier).0 as f64 / self.unit.0 as f64
    }

    /// The time that all have in common.
    fn ticks(&self, now: Micros) -> f64 {
        self.between(self.zero, now)
    }

    fn hardware(&self, place: usize, now: Micros) -> f64 {
        let passed = self.ticks(now);
        self.offsets[place] as f64 + passed + passed * self.drifts[place] as f64 / 1e6
    }

    /// What all clocks show at a moment.
    fn shown(&self, now: Micros) -> Vec<f64> {
        let shown = |(place, node): (usize, &Reported)| self.hardware(place, now) + node.correction;
        self.nodes.iter().enumerate().map(shown).collect()
    }
}

impl Reported {
    fn of(status: &Value) -> Option<Reported> {
        let group = &status["groups"][0];
        let clock = &group["clock"];
        let found = |found: &Value| {
            Some(Found {
                of: found["of"].as_str()?.to_owned(),
                ahead: found["ahead"].as_f64()?,
                round_trip: found["round_trip"].as_f64(),
                bound: found["bound"].as_f64()?,
                at_us: found["at_us"].as_u64()?,
            })
        };
        Some(Reported {
            at: Micros(status["at_us"].as_u64()?),
            position: group["position"].as_str()?.to_owned(),
            correction: clock["correction"].as_f64()?,
            promise: clock["promise"].as_f64(),
            found: clock["estimates"].as_array()?.iter().map(found).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::registry::{ALL, find};
    use ringleader::sim::Scenario;
    use ringleader_live::{GroupSpec, MemberSpec, Timing};
    use serde_json::json;

    /// Three members whose clocks are 0, 40 and -25 ticks off, and count from the first second on.
    fn cluster(algorithm: &str) -> Cluster {
        let mut scenario = Scenario::new(3);
        scenario.clocks.offsets = Scatter::Listed(vec![0, 40, -25]);
        scenario.clocks.drifts = Scatter::Listed(vec![0; 3]);
        let entry = find(ALL, algorithm).expect("there is such an algorithm");
        let zero = Some(Micros(1_000_000));
        let member = |name: &&str| MemberSpec { name: (*name).to_owned(), id: 1 };
        Cluster {
            name: "test".into(),
            members: ["a", "b", "c"].iter().map(member).collect(),
            groups: vec![GroupSpec { name: "main".into(), entry, scenario, users: None, zero }],
            timing: Timing { unit: Micros(1000), max_delay: 20, ..Timing::default() },
        }
    }

    fn status(
        position: &str,
        correction: f64,
        promise: Option<f64>,
        found: &[(&str, f64, Option<f64>, f64)],
    ) -> Option<Value> {
        let found: Vec<Value> = found
            .iter()
            .map(|(of, ahead, round_trip, bound)| {
                json!({"of": of, "ahead": ahead, "round_trip": round_trip, "bound": bound, "at_us": 2_000_000})
            })
            .collect();
        let clock = json!({ "correction": correction, "promise": promise, "estimates": found });
        Some(json!({ "at_us": 3_000_000, "groups": [{ "position": position, "clock": clock }] }))
    }

    fn judged(algorithm: &str, statuses: &[Option<Value>]) -> Clocks {
        let cluster = cluster(algorithm);
        judge(&cluster, cluster.groups[0].entry, statuses).expect("everybody has answered")
    }

    #[test]
    fn clients_are_judged_by_their_server() {
        let with = |correction| {
            let server = status("reference", 0.0, Some(0.0), &[]);
            let b = status("synchronised", correction, Some(0.5), &[("a", correction, Some(1.0), 0.5)]);
            let c = status("synchronised", 24.6, Some(0.5), &[("a", 24.6, Some(1.0), 0.5)]);
            judged("cristian", &[server, b, c])
        };
        let clocks = with(-40.3);
        assert!(clocks.holds, "{clocks:?}");
        assert_eq!(clocks.reference, "a");
        assert_eq!((clocks.skew.first, clocks.nodes[1].bound), (65.0, Some(0.5)));
        assert!((clocks.nodes[1].off.expect("it is judged") + 0.3).abs() < 1e-9);
        // What is off by more than it promises is caught, and so is a correction the wrong way round.
        for wrong in [-40.6, -39.4, 40.0, 0.0] {
            let clocks = with(wrong);
            assert!(!clocks.holds && !clocks.nodes[1].holds && clocks.nodes[2].holds, "{wrong}");
        }
    }

    #[test]
    fn whom_a_master_has_read_is_judged_by_that() {
        // The mean of 0, 40 and -25, read as 40.2 and -25.3.
        let with = |told: f64| {
            let found = [("b", 40.2, Some(0.6), 0.3), ("c", -25.3, Some(0.6), 0.3)];
            let b = status("synchronised", told, Some(10.0), &[]);
            let c = status("synchronised", 5.0 + 25.3, Some(10.0), &[]);
            judged("berkeley", &[status("synchronised", 5.0, Some(0.0), &found), b, c])
        };
        assert!(with(5.0 - 40.2).holds);
        assert!(!with(5.0 - 40.4).holds, "the master has not read that");
        assert!(!with(40.2 - 5.0).holds);
    }

    #[test]
    fn where_nobody_asks_two_messages_make_a_round_trip() {
        // Messages took 1 and 3 ticks, where both took 10 for it: each is found that much too far ahead.
        let ahead = |from: f64, of: f64, took: f64| of - from + 10.0 - took;
        let with = |wrong: f64| {
            let found = |from: f64, others: [(&'static str, f64, f64); 2]| {
                let found = others.map(|(of, at, took)| (of, ahead(from, at, took), None, 10.0));
                let correction = found.iter().map(|found| found.1).sum::<f64>() / 3.0 + wrong;
                status("synchronised", correction, Some(10.0), &found)
            };
            let a = found(0.0, [("b", 40.0, 1.0), ("c", -25.0, 1.0)]);
            let b = found(40.0, [("a", 0.0, 3.0), ("c", -25.0, 1.0)]);
            let c = found(-25.0, [("a", 0.0, 3.0), ("b", 40.0, 3.0)]);
            judged("lundelius-lynch", &[a, b, c])
        };
        let clocks = with(0.0);
        assert!(clocks.holds, "{clocks:?}");
        assert_eq!(clocks.nodes[0].estimates[0].round_trip, Some(4.0));
        assert_eq!(clocks.nodes[0].bound, Some(20.0 / 3.0));
        assert!(!with(7.0).holds && !with(-14.0).holds);
    }

    #[test]
    fn who_has_not_set_its_clock_is_not_right() {
        let server = || status("reference", 0.0, Some(0.0), &[]);
        let b = status("synchronised", -40.0, Some(0.5), &[("a", -40.0, Some(1.0), 0.5)]);
        let clocks = judged("cristian", &[server(), b, status("lost-contact", 25.0, None, &[])]);
        assert!(!clocks.holds && clocks.nodes[1].holds && !clocks.nodes[2].holds);
        let cluster = cluster("cristian");
        assert_eq!(judge(&cluster, cluster.groups[0].entry, &[server(), None, server()]), None);
    }
}
