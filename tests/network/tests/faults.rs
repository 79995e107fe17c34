//! Real members on several hosts, and what can happen to a network: at no moment do two lead, and afterwards
//! one does.
//!
//! `cargo xtask network` builds the program and runs this, one test after the other. Every test prints what
//! it did and what came of it; every fault is proven to have happened.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "the counts of faults and elections are what people want to see")]

use nix::sys::signal::Signal;
use ringleader_hosts::cluster::{Cluster, ELECTIONS, LEASE, SECTION};
use ringleader_hosts::faults::{Cut, between};
use ringleader_hosts::switch::Rule;
use ringleader_hosts::watch::Record;
use ringleader_hosts::{Chance, now_us};
use std::time::Duration;

/// Longer than a lease, so that whoever was cut off has stopped, and the others had time to notice and to
/// elect.
const A_WHILE: Duration = Duration::from_secs(4);

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn others(cluster: &Cluster, one: usize) -> Vec<usize> {
    (0..cluster.size()).filter(|&place| place != one).collect()
}

/// Stops everybody, judges, and prints the table.
fn conclude(cluster: Cluster, title: &str) -> Record {
    let (record, table) = cluster.judge(title);
    println!("\n{table}");
    record
}

fn changes(record: &Record) -> u64 {
    record.tally(&ELECTIONS.map(|(group, _)| group)).get("changes of leader")
}

/// A member that was cut off stops within a lease: by what it wrote itself, whatever it was told later.
fn assert_stopped(record: &Record, member: &str, cut: &Cut, healed: u64) {
    let lease = u64::try_from(LEASE.as_micros()).expect("a lease is short");
    if let Some(until) = record.led_until(member, healed) {
        let late = until.saturating_sub(cut.since + lease);
        assert_eq!(late, 0, "{member} was cut off and went on for a lease and {late} µs");
    }
}

/// Cuts these off from those, waits until somebody leads among the majority, and heals.
fn split(cluster: &mut Cluster, minority: &[usize], by_routes: bool) -> (Cut, u64) {
    let majority: Vec<usize> = (0..cluster.size()).filter(|place| !minority.contains(place)).collect();
    let pairs = between(minority, &majority);
    let cut = if by_routes { cluster.cut_by_routes(pairs) } else { cluster.cut(pairs) };
    cluster.pass(A_WHILE);
    cluster.await_leaders_among(&majority);
    let healed = now_us();
    cluster.heal(&cut);
    cluster.await_leaders();
    (cut, healed)
}

#[test]
fn a_cut_off_leader_stops_and_the_others_elect() {
    let mut cluster = Cluster::led(5, 1);
    let leader = cluster.await_leaders();
    let name = cluster.name(leader).to_owned();
    let (cut, healed) = split(&mut cluster, &[leader], false);
    let record = conclude(cluster, "the leader is cut off, and comes back (5 members)");
    assert_stopped(&record, &name, &cut, healed);
    assert!(changes(&record) > 0);
}

#[test]
fn a_cut_by_the_kernel_is_no_different() {
    let mut cluster = Cluster::led(3, 2);
    let leader = cluster.await_leaders();
    let name = cluster.name(leader).to_owned();
    let (cut, healed) = split(&mut cluster, &[leader], true);
    let record =
        conclude(cluster, "the leader is cut off by routes into nowhere, and comes back (3 members)");
    assert_stopped(&record, &name, &cut, healed);
}

#[test]
fn a_minority_is_silent_and_a_majority_leads() {
    let mut cluster = Cluster::led(5, 3);
    let leader = cluster.await_leaders();
    let with = others(&cluster, leader)[0];
    let names = [leader, with].map(|place| cluster.name(place).to_owned());
    let (cut, healed) = split(&mut cluster, &[leader, with], false);
    let record = conclude(cluster, "two of five, the leader among them, are cut off, and come back");
    names.iter().for_each(|name| assert_stopped(&record, name, &cut, healed));
}

#[test]
fn without_a_majority_nobody_leads() {
    let mut cluster = Cluster::led(5, 4);
    // Two, two and one: nobody has a majority.
    let pairs = [between(&[0, 1], &[2, 3, 4]), between(&[2, 3], &[4])].concat();
    let cut = cluster.cut(pairs);
    cluster.pass(A_WHILE);
    let healed = now_us();
    cluster.heal(&cut);
    cluster.await_leaders();
    let names: Vec<String> = (0..5).map(|place| cluster.name(place).to_owned()).collect();
    let record = conclude(cluster, "five members in three parts, none a majority");
    names.iter().for_each(|name| assert_stopped(&record, name, &cut, healed));
}

#[test]
fn one_direction_is_enough_to_lose_the_lead() {
    let mut cluster = Cluster::led(3, 5);
    let mut stops = Vec::new();
    // Once nobody hears the leader, and once it hears nobody.
    for it_speaks in [false, true] {
        let leader = cluster.await_leaders();
        let rest = others(&cluster, leader);
        let pairs = rest.iter().map(|&other| if it_speaks { (other, leader) } else { (leader, other) });
        let cut = cluster.cut(pairs.collect());
        cluster.pass(A_WHILE);
        cluster.await_leaders_among(&rest);
        let healed = now_us();
        cluster.heal(&cut);
        cluster.await_leaders();
        stops.push((cluster.name(leader).to_owned(), cut, healed));
    }
    let record = conclude(cluster, "what the leader says is lost, then what it should hear (3 members)");
    stops.iter().for_each(|(name, cut, healed)| assert_stopped(&record, name, cut, *healed));
}

#[test]
fn with_one_in_the_middle_only_one_side_leads() {
    let mut cluster = Cluster::led(3, 6);
    // The leader and another do not reach each other, and a third one reaches both: whoever only asks how
    // many it hears would find a majority on either side.
    for _ in 0..2 {
        let leader = cluster.await_leaders();
        let other = others(&cluster, leader)[0];
        let cut = cluster.cut(between(&[leader], &[other]));
        cluster.pass(A_WHILE);
        cluster.await_leaders();
        cluster.heal(&cut);
        cluster.await_leaders();
    }
    conclude(cluster, "a partial cut: two do not reach each other, the third reaches both");
}

#[test]
fn a_network_that_loses_a_fifth() {
    let mut cluster = Cluster::led(5, 7);
    let rule = Rule { loss_percent: 20, ..Rule::default() };
    cluster.spoil("losses", rule, seconds(12), |counts| counts.lost);
    cluster.await_leaders();
    conclude(cluster, "20 % of all frames are lost (5 members)");
}

#[test]
fn a_network_that_is_slow() {
    let mut cluster = Cluster::led(5, 8);
    let before = cluster.lab().switch().total();
    cluster.lab().switch().set_all(Rule { delay: Duration::from_millis(200), ..Rule::default() });
    cluster.pass(A_WHILE);
    // A round trip of 0.4 s is well below a lease: somebody leads even then.
    cluster.await_leaders();
    cluster.stop_spoiling("delays", before, |counts| counts.delayed);
    cluster.await_leaders();
    conclude(cluster, "every frame takes 200 ms (5 members)");
}

#[test]
fn a_network_that_reorders_and_doubles() {
    let mut cluster = Cluster::led(5, 9);
    let reorder_by = Duration::from_millis(150);
    let rule = Rule { reorder_percent: 30, reorder_by, duplicate_percent: 10, ..Rule::default() };
    cluster.spoil("reorderings", rule, seconds(10), |counts| counts.reordered.min(counts.duplicated));
    cluster.await_leaders();
    conclude(cluster, "30 % of all frames are overtaken, 10 % come twice (5 members)");
}

#[test]
fn a_leader_that_is_asked_to_stop_hands_over() {
    let mut cluster = Cluster::led(3, 10);
    let leader = cluster.await_leaders();
    let name = cluster.name(leader).to_owned();
    let status = cluster.terminate(leader);
    assert_eq!(status.code(), Some(0), "{status}");
    let gone = now_us();
    let next = cluster.await_leaders_among(&others(&cluster, leader));
    assert_ne!(next, leader);
    cluster.faults.add("hand-overs", 1);
    cluster.start(leader);
    cluster.await_leaders();
    let record = conclude(cluster, "the leader is asked to stop, and started again (3 members)");
    // It gave back what it had, rather than let it run out: nothing it was promised reaches beyond its end.
    let until = record.led_until(&name, gone).expect("it led");
    assert!(until <= gone, "{name} ended at {gone} and had promised to lead until {until}");
}

#[test]
fn a_leader_that_was_paused_does_not_lead_when_it_wakes() {
    let mut cluster = Cluster::led(3, 11);
    let leader = cluster.await_leaders();
    let name = cluster.name(leader).to_owned();
    cluster.signal(leader, Signal::SIGSTOP);
    let paused = now_us();
    cluster.pass(A_WHILE);
    cluster.await_leaders_among(&others(&cluster, leader));
    let woken = now_us();
    cluster.signal(leader, Signal::SIGCONT);
    cluster.faults.add("pauses", 1);
    cluster.await_leaders();
    let record = conclude(cluster, "the leader is paused for longer than a lease, and wakes (3 members)");
    let until = record.led_until(&name, paused).expect("it led");
    assert!(until < woken, "{name} counted on leading until {until}, and slept until {woken}");
    assert!(changes(&record) > 0);
}

#[test]
fn everybody_is_killed_and_started_again() {
    let mut cluster = Cluster::led(5, 12);
    for _ in 0..2 {
        (0..5).for_each(|place| cluster.kill(place));
        // At once: what they promised before must not be forgotten.
        (0..5).for_each(|place| cluster.start(place));
        cluster.await_leaders();
    }
    let record = conclude(cluster, "all five members are killed and started again, twice");
    assert!(changes(&record) > 0);
}

#[test]
fn the_section_is_entered_all_the_time_and_never_by_two() {
    let mut cluster = Cluster::led(3, 13);
    cluster.kill(0);
    cluster.pass(A_WHILE);
    cluster.start(0);
    cluster.await_leaders();
    let since = now_us();
    let one = cluster
        .wait("somebody in the critical section", || cluster.leaders(SECTION.0, since).first().copied());
    let _ = cluster.wait("another in the critical section", || {
        cluster.leaders(SECTION.0, since).into_iter().find(|&inside| inside != one)
    });
    let record =
        conclude(cluster, "a token is lost with the one who has it, and there is another (3 members)");
    assert!(record.spans.iter().filter(|span| span.group == SECTION.0).count() > 10);
}

/// A number from the environment, for the long run.
fn number(variable: &str, usual: u64) -> u64 {
    let text = std::env::var(variable).unwrap_or_default();
    if text.is_empty() {
        return usual;
    }
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a whole number"))
}

#[test]
fn killed_and_restarted_at_random() {
    let seed = number("RINGLEADER_NETWORK_SEED", 42);
    println!("seed {seed}");
    let mut cluster = Cluster::led(5, seed);
    let mut chance = Chance::new(seed);
    // Once, unless the machine is so slow that hardly anybody was killed in that time.
    while cluster.faults.get("kills") <= 3 {
        cluster.kill_at_random(&mut chance, seconds(40));
    }
    cluster.await_leaders();
    conclude(cluster, "killed and restarted at random (5 members, 40 s)");
}

#[test]
fn everything_at_random() {
    let seed = number("RINGLEADER_NETWORK_SEED", 42);
    let minutes = number("RINGLEADER_NETWORK_MINUTES", 0);
    // In the gate a short one; `cargo xtask network --long` asks for more.
    let time = if minutes == 0 { seconds(40) } else { seconds(minutes * 60) };
    println!("seed {seed}, {} s", time.as_secs());
    let mut chance = Chance::new(seed);
    let mut cluster = Cluster::led(5, seed);
    let end = now_us() + u64::try_from(time.as_micros()).expect("minutes");
    while now_us() < end {
        cluster.any_fault(&mut chance);
        // Every other time the next fault hits before the last one is got over.
        if chance.percent(50) {
            cluster.await_leaders();
        }
    }
    cluster.await_leaders();
    let record = conclude(cluster, &format!("faults of every kind at random (5 members, seed {seed})"));
    for (group, _) in ELECTIONS {
        assert!(record.spans.iter().any(|span| span.group == group), "nobody ever led {group}");
    }
}
