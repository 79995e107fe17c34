//! The rehearsals themselves.

use super::{Faults, Rehearsal};
use crate::{Cluster, GroupSpec, Input, MemberSpec, Micros, Place, Timing, Users};
use ringleader::election::{Bully, ChangRoberts, Franklin, VanLeeuwenTanHalfDuplex};
use ringleader::mutex::{RicartAgrawala, TokenRing};
use ringleader::registry::Entry;
use ringleader::sim::Scenario;

const SECOND: u64 = 1_000_000;

/// How many of each. More take longer, and hold too: 200 of each took a minute.
const SEEDS: u64 = 16;

fn cluster(n: u64, groups: &[(&'static Entry, Option<Users>)]) -> Cluster {
    let name = |place: u64| char::from(b'a' + place as u8).to_string();
    Cluster {
        name: "rehearsal".into(),
        members: (0..n).map(|place| MemberSpec { name: name(place), id: place * 7 % 11 + 1 }).collect(),
        groups: (groups.iter())
            .map(|&(entry, users)| GroupSpec {
                name: entry.spec.name.into(),
                entry,
                scenario: Scenario::new(n as u32),
                users,
                zero: None,
            })
            .collect(),
        timing: Timing::default(),
    }
}

fn leaked(entry: Entry) -> &'static Entry {
    Box::leak(Box::new(entry))
}

/// Lets things go wrong for a while, heals everything, and waits until all is well.
fn rehearse(cluster: &Cluster, seed: u64, well: &dyn Fn(&Rehearsal) -> bool) -> (Faults, usize) {
    let drift = i64::from(cluster.timing.terms.drift);
    let mut rehearsal = Rehearsal::new(cluster.clone(), seed, drift);
    rehearsal.run(6 * SECOND, &|_| false);
    for _ in 0..25 {
        let pause = rehearsal.rng.below(2 * SECOND);
        rehearsal.run(rehearsal.real + pause, &|_| false);
        rehearsal.something();
    }
    rehearsal.heal();
    rehearsal.places().for_each(|who| rehearsal.restart(who));
    let healed = rehearsal.real;
    let is_well = rehearsal.run(healed + 120 * SECOND, well);
    if let Some((one, other)) = rehearsal.reigns.overlap() {
        panic!("seed {seed}: two lead at once: {one:?} and {other:?}");
    }
    let leaders: Vec<Vec<Place>> = (0..cluster.groups.len()).map(|group| rehearsal.leaders(group)).collect();
    assert!(
        is_well,
        "seed {seed}: two minutes after everything was healed: {leaders:?}
{}",
        rehearsal.told(healed)
    );
    (rehearsal.faults, rehearsal.reigns.0.len())
}

/// Whether exactly one leads each group, and everybody agrees who that is.
fn one_leads(rehearsal: &Rehearsal) -> bool {
    (0..rehearsal.cluster.groups.len()).all(|group| {
        let leaders = rehearsal.leaders(group);
        let knows = |place: Place| {
            let machine = &rehearsal.machines[usize::from(place)];
            let now = machine.clock.shows(rehearsal.real);
            machine.member.as_ref().is_some_and(|member| {
                member.status(now).groups[group].leader.as_slice() == leaders.as_slice()
            })
        };
        leaders.len() == 1 && rehearsal.places().all(knows)
    })
}

fn rehearse_all(n: u64, entry: Entry, users: Option<Users>, well: &dyn Fn(&Rehearsal) -> bool) {
    rehearse_groups(n, &[(leaked(entry), users)], well);
}

#[expect(clippy::print_stdout, reason = "what happened is worth reading, for whoever asks for it")]
fn rehearse_groups(n: u64, groups: &[(&'static Entry, Option<Users>)], well: &dyn Fn(&Rehearsal) -> bool) {
    let cluster = cluster(n, groups);
    let (mut faults, mut reigns) = (Faults::default(), 0);
    for seed in 0..SEEDS {
        let (more, led) = rehearse(&cluster, seed, well);
        faults.add(more);
        reigns += led;
    }
    println!("{n} members, {SEEDS} seeds: {reigns} reigns, {faults:?}");
    assert!(reigns as u64 > 2 * SEEDS, "{reigns} reigns: there was little to lose");
    assert!(faults.is_complete(), "{faults:?}");
}

#[test]
fn clocks_and_their_inverse() {
    for (offset, fast) in [(0, 0), (17, 5000), (1 << 39, -5000), (3, -5000)] {
        let clock = super::Clock { offset, fast };
        for shown in (0..2000).chain((1 << 20)..(1 << 20) + 2000) {
            let shown = Micros(offset + shown);
            let real = clock.reaches(shown);
            assert!(clock.shows(real) >= shown, "{clock:?}");
            assert!(real == 0 || clock.shows(real - 1) < shown, "{clock:?}");
        }
    }
}

#[test]
fn chang_roberts_among_five() {
    rehearse_all(5, Entry::election::<ChangRoberts>(), None, &one_leads);
}

#[test]
fn franklin_among_three() {
    rehearse_all(3, Entry::election::<Franklin>(), None, &one_leads);
}

#[test]
fn bully_among_five() {
    rehearse_all(5, Entry::election::<Bully>(), None, &one_leads);
}

#[test]
fn half_duplex_links_among_four() {
    rehearse_all(4, Entry::election::<VanLeeuwenTanHalfDuplex>(), None, &one_leads);
}

#[test]
fn two_groups_among_three() {
    let groups = [Entry::election::<ChangRoberts>(), Entry::election::<Franklin>()].map(leaked);
    rehearse_groups(3, &groups.map(|entry| (entry, None)), &one_leads);
}

/// Whether everybody's user was let in some times since its member started.
fn all_are_let_in(rehearsal: &Rehearsal) -> bool {
    rehearsal.machines.iter().all(|machine| {
        let now = machine.clock.shows(rehearsal.real);
        machine.member.as_ref().is_some_and(|member| member.status(now).groups[0].entries > 3)
    })
}

const USERS: Users = Users { entries: u32::MAX, hold: Micros(30_000), think: Micros(20_000) };

#[test]
fn a_token_ring_among_four() {
    rehearse_all(4, Entry::exclusion::<TokenRing>(), Some(USERS), &all_are_let_in);
}

#[test]
fn ricart_and_agrawala_among_four() {
    rehearse_all(4, Entry::exclusion::<RicartAgrawala>(), Some(USERS), &all_are_let_in);
}

/// The leader of a cluster of five on which nothing else weighs.
fn led(entry: Entry, seed: u64, drift: i64) -> (Rehearsal, Place) {
    let cluster = cluster(5, &[(leaked(entry), None)]);
    let mut rehearsal = Rehearsal::new(cluster, seed, drift);
    assert!(rehearsal.run(60 * SECOND, &one_leads), "seed {seed}");
    let leader = rehearsal.leaders(0)[0];
    (rehearsal, leader)
}

#[test]
fn isolated_leader_stops_within_a_lease() {
    for seed in 0..20 {
        let (mut rehearsal, leader) = led(Entry::election::<ChangRoberts>(), seed, 5000);
        for other in rehearsal.places().filter(|&other| other != leader) {
            rehearsal.cut[usize::from(leader)][usize::from(other)] = true;
            rehearsal.cut[usize::from(other)][usize::from(leader)] = true;
        }
        let (cut, counted) = (rehearsal.real, rehearsal.cluster.timing.terms.counted().0);
        // What it asked before the cut counts, on the slowest clock that is allowed, and not a moment longer.
        let another = |rehearsal: &Rehearsal| rehearsal.leaders(0).iter().any(|&who| who != leader);
        assert!(rehearsal.run(cut + 120 * SECOND, &another), "seed {seed}");
        let stopped = rehearsal.reigns.0.iter().filter(|reign| reign.who == leader).map(|reign| reign.until);
        let slowest = counted * 1_000_000 / 995_000 + 1;
        assert!(stopped.max() <= Some(cut + slowest), "seed {seed}");
        assert!(rehearsal.reigns.overlap().is_none(), "seed {seed}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the times are worth reading, for whoever asks for them")]
fn leaving_or_killed_leader_is_replaced() {
    let mut gaps = [Vec::new(), Vec::new()];
    for seed in 0..20 {
        for (kind, killed) in [false, true].into_iter().enumerate() {
            let (mut rehearsal, leader) = led(Entry::election::<Franklin>(), seed, 5000);
            let since = rehearsal.real;
            if killed {
                rehearsal.kill(leader)
            } else {
                rehearsal.input(leader, Input::Leave)
            }
            let another = |rehearsal: &Rehearsal| rehearsal.leaders(0).iter().any(|&who| who != leader);
            assert!(rehearsal.run(since + 120 * SECOND, &another), "seed {seed}");
            assert!(rehearsal.reigns.overlap().is_none(), "seed {seed}");
            gaps[kind].push((rehearsal.real - since) / 1000);
        }
    }
    gaps.iter_mut().for_each(|gaps| gaps.sort_unstable());
    let [left, killed] = gaps;
    // A grant that is given back need not run out. Virtual time: nothing here depends on the machine.
    assert!(left[10] < killed[10], "milliseconds until another leads: {left:?} {killed:?}");
    println!("milliseconds until another leads: {left:?} after leaving, {killed:?} after a kill");
}

/// What the rehearsals look for can be found: with clocks far outside their bounds two do lead at once.
#[test]
fn no_promise_beyond_clock_bounds() {
    let cluster = cluster(3, &[(leaked(Entry::election::<ChangRoberts>()), None)]);
    let broken = |seed: u64| {
        let mut rehearsal = Rehearsal::new(cluster.clone(), seed, 300_000);
        for _ in 0..20 {
            let until = rehearsal.real + 2 * SECOND;
            rehearsal.run(until, &|_| false);
            rehearsal.something();
        }
        rehearsal.reigns.overlap().is_some()
    };
    assert!((0..100).any(broken));
}
