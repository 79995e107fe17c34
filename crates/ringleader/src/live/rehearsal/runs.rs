//! The rehearsals themselves.

use super::{Faults, Rehearsal};
use crate::election::{Bully, ChangRoberts, Franklin};
use crate::live::{Cluster, GroupSpec, MemberSpec, Micros, Place, Timing, Users};
use crate::mutex::{RicartAgrawala, TokenRing};
use crate::registry::Entry;
use crate::sim::Scenario;

const SECOND: u64 = 1_000_000;

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
    let mut rehearsal = Rehearsal::new(cluster.clone(), seed);
    rehearsal.keeps = true;
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
    if !is_well {
        for (real, who, notice) in &rehearsal.notices {
            if *real + 10_000_000 > healed
                && *real < healed + 3_000_000
                && !matches!(notice, crate::live::Notice::Extends(..) | crate::live::Notice::Grants(..))
            {
                println!("{real} {who} {}", format!("{notice:?}").chars().take(300).collect::<String>());
            }
        }
        for m in &rehearsal.machines {
            println!("{:#?}", m.member.as_ref().map(|x| x.status(m.clock.shows(rehearsal.real)).groups));
        }
    }
    assert!(is_well, "seed {seed}: two minutes after everything was healed at {healed}: {leaders:?}");
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

fn rehearse_all(n: u64, entry: Entry, users: Option<Users>, seeds: u64, well: &dyn Fn(&Rehearsal) -> bool) {
    let cluster = cluster(n, &[(leaked(entry), users)]);
    let (mut faults, mut reigns) = (Faults::default(), 0);
    for seed in 0..seeds {
        let (more, led) = rehearse(&cluster, seed, well);
        faults.add(more);
        reigns += led;
    }
    println!("{n} members, {seeds} seeds: {reigns} reigns, {faults:?}");
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
    rehearse_all(5, Entry::election::<ChangRoberts>(), None, SEEDS, &one_leads);
}

const SEEDS: u64 = 200;

#[test]
fn franklin_among_three() {
    rehearse_all(3, Entry::election::<Franklin>(), None, SEEDS, &one_leads);
}

#[test]
fn bully_among_five() {
    rehearse_all(5, Entry::election::<Bully>(), None, SEEDS, &one_leads);
}

/// Whether everybody takes part in the same epoch, and everybody's user was let in since it began there.
fn all_are_let_in(rehearsal: &Rehearsal) -> bool {
    rehearsal.machines.iter().all(|machine| {
        let now = machine.clock.shows(rehearsal.real);
        machine.member.as_ref().is_some_and(|member| member.status(now).groups[0].entries > 3)
    })
}

const USERS: Users = Users { entries: u32::MAX, hold: Micros(30_000), think: Micros(20_000) };

#[test]
fn a_token_ring_among_four() {
    rehearse_all(4, Entry::exclusion::<TokenRing>(), Some(USERS), SEEDS, &all_are_let_in);
}

#[test]
fn ricart_and_agrawala_among_four() {
    rehearse_all(4, Entry::exclusion::<RicartAgrawala>(), Some(USERS), SEEDS, &all_are_let_in);
}
