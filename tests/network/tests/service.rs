//! The lock service on several hosts, and everything that can happen to servers, clients and the network
//! between them: at no moment do two clients hold a lock, fences grow, the storage takes nothing stale, and
//! afterwards nobody is forgotten.
//!
//! `cargo xtask network` builds the program and runs this, one test after the other. Every test prints what it
//! did and what came of it; every fault is proven to have happened.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "the counts of faults and grants are what people want to see")]

use nix::sys::signal::Signal;
use ringleader_hosts::faults::between;
use ringleader_hosts::service::{Blow, LOCKS, Leases, Load, Plan, Service, Verdict, Wrapped};
use ringleader_hosts::switch::Rule;
use ringleader_hosts::{Chance, now_us};
use std::time::Duration;

/// Servers that serve, with clients on their hosts and on two more. So many workers in each client; a tenth of
/// what they hold they hold for long, so that there is always somebody to be surprised.
fn loaded(servers: usize, leases: Leases, workers: u64, seed: u64) -> Service {
    let holder = env!("CARGO_BIN_EXE_ringleader-holder").into();
    let mut service = Service::serving(Plan { servers, client_hosts: 2, leases, seed, holder });
    service.add_clients(workers, (1, 30), (10, 600), 0);
    service
}

/// Ends everything, judges, and prints the table.
fn conclude(service: Service, title: &str) -> Verdict {
    let verdict = service.judge(title);
    println!("\n{}", verdict.tally.table(title));
    verdict
}

/// All servers serve, everybody gets what it waits for, every lock is granted again.
fn recovers(service: &Service) {
    service.await_servers(&service.everybody());
    service.await_progress();
}

#[test]
fn servers_and_clients_are_killed_and_paused() {
    let mut service = loaded(3, Leases::SHORT, 2, 1);
    let everybody = service.everybody();
    // The one that leads those who keep the view, and then one that does not.
    for leads in [true, false] {
        let leader = service.await_proposer(&everybody);
        let victim = if leads { leader } else { service.others(&[leader])[0] };
        service.kill(victim);
        service.faults.add(if leads { "of these: the Raft leader" } else { "of these: a follower" }, 1);
        service.await_locks(now_us());
        service.start(victim);
        recovers(&service);
    }
    // All at once: nothing is remembered but the view.
    everybody.iter().for_each(|&place| service.kill(place));
    everybody.iter().for_each(|&place| service.start(place));
    recovers(&service);
    // A client that holds something is killed; whoever waits for it gets it.
    let clients: Vec<usize> = (0..service.clients().len()).collect();
    for _ in 0..2 {
        let (client, lock, fence) = service.await_holder(&clients);
        service.kill_client(client);
        service.wait("what the dead one held is granted again", || {
            (service.storage().highest(&lock) > fence).then_some(())
        });
        service.start_client(client);
    }
    service.await_progress();
    // Servers that are paused come back with leases that are over.
    let leader = service.await_proposer(&everybody);
    for place in [leader, service.others(&[leader])[0]] {
        service.pause_server(place);
        recovers(&service);
    }
    // A client that is paused between looking at its clock and writing does not know; the storage does.
    let refused = (0..20).any(|_| service.pause_holder(&clients).1);
    assert!(refused, "nobody who was paused wrote too late");
    service.await_progress();
    let verdict = conclude(service, "servers and clients are killed and paused (3 servers)");
    assert!(verdict.tally.get("late writes refused") > 0);
    assert_eq!(verdict.tally.get("servers killed"), 5);
    assert_eq!(verdict.tally.get("servers paused beyond the lease"), 2);
}

#[test]
fn the_network_is_cut_in_every_way() {
    let mut service = loaded(5, Leases::SHORT, 1, 2);
    let everybody = service.everybody();
    let hosts: Vec<usize> = (0..service.lab().hosts().len()).collect();
    // One server is cut off from the others, and its clients still reach it; then from everybody.
    for from_all in [false, true] {
        let leader = service.await_proposer(&everybody);
        let rest = service.others(&[leader]);
        let far: Vec<usize> = hosts.iter().copied().filter(|host| *host != leader).collect();
        let what = if from_all { "servers cut off from everything" } else { "servers cut off from servers" };
        let cut = service.cut(what, between(&[leader], if from_all { &far } else { &rest }));
        service.await_silent(&[leader]);
        service.await_servers(&rest);
        service.await_locks(now_us());
        service.heal(&cut);
        recovers(&service);
    }
    // Two of five, the leader among them.
    let leader = service.await_proposer(&everybody);
    let minority = [leader, service.others(&[leader])[1]];
    let majority = service.others(&minority);
    let cut = service.cut("minorities cut off", between(&minority, &majority));
    service.await_silent(&minority);
    service.await_servers(&majority);
    service.await_locks(now_us());
    service.heal(&cut);
    recovers(&service);
    // Two, two and one: nobody has a majority, and nobody is granted anything.
    let cut = service
        .cut("cuts without a majority", [between(&[0, 1], &[2, 3, 4]), between(&[2, 3], &[4])].concat());
    service.await_silent(&everybody);
    let silent = now_us();
    std::thread::sleep(Duration::from_millis(500));
    let granted: Vec<&&str> = LOCKS.iter().filter(|lock| service.taken(lock, silent)).collect();
    assert!(granted.is_empty(), "without a majority somebody took {granted:?}");
    service.heal(&cut);
    recovers(&service);
    // Two servers do not reach each other, and the others reach both.
    let leader = service.await_proposer(&everybody);
    let other = service.others(&[leader])[0];
    let cut = service.cut("partial cuts", between(&[leader], &[other]));
    service.await_locks(now_us() + 1_000_000);
    service.heal(&cut);
    recovers(&service);
    // What one says is lost, and then what it should hear.
    for speaks in [true, false] {
        let leader = service.await_proposer(&everybody);
        let rest = service.others(&[leader]);
        let pairs = rest.iter().map(|&other| if speaks { (leader, other) } else { (other, leader) });
        let cut = service.cut("cuts of one direction", pairs.collect());
        service.await_servers(&rest);
        service.await_locks(now_us());
        service.heal(&cut);
        recovers(&service);
    }
    let verdict = conclude(service, "the network is cut in every way (5 servers)");
    assert!(verdict.tally.get("frames stopped by cuts") > 0);
}

#[test]
fn the_network_loses_and_delays() {
    let mut service = loaded(3, Leases::SHORT, 1, 3);
    let before = service.spoil(Rule { loss_percent: 15, ..Rule::default() });
    std::thread::sleep(Duration::from_secs(5));
    service.unspoil("times of loss (15 %)", before, |counts| counts.lost);
    recovers(&service);
    // As far as from one end of a continent to the other.
    let before = service.spoil(Rule { delay: Duration::from_millis(30), ..Rule::default() });
    // A lease is longer than what it takes to renew it even so: everybody gets something.
    service.await_progress();
    service.unspoil("times of delay (30 ms each way)", before, |counts| counts.delayed);
    recovers(&service);
    conclude(service, "frames are lost and late (3 servers)");
}

#[test]
fn a_rolling_restart_loses_no_lock() {
    let mut service = loaded(3, Leases::LONG, 2, 4);
    // A command that goes on all the time: its lock goes with it from server to server.
    let mut wrapped = service.wrap(3, "normal/command", "upgrade");
    for place in service.everybody() {
        service.drain(place);
        service.await_locks(now_us());
        service.start(place);
        recovers(&service);
        assert!(service.lives(&wrapped), "the command lost its lock: {}", wrapped.said());
    }
    wrapped.wrapper.signal(Signal::SIGKILL);
    let _ = service.await_death(&wrapped);
    let verdict = conclude(service, "a rolling restart under load (3 servers)");
    assert_eq!(verdict.losses, [], "a lock was lost");
    assert_eq!(verdict.tally.get("servers drained"), 3);
}

/// The deadline is at most a lease after the moment of the fault: what was sent later was not answered.
fn assert_dead(service: &Service, wrapped: &Wrapped, since: u64, what: &str) {
    let last = service.await_death(wrapped);
    let deadline = since + service.normal_lease();
    println!(
        "{what}: its children were last alive {} ms after it, {} ms before the lease ends at the latest",
        last.saturating_sub(since) / 1000,
        deadline.saturating_sub(last) / 1000
    );
    assert!(last < deadline, "{what}: still alive {} us after the deadline", last - deadline);
}

#[test]
fn a_command_is_dead_before_its_lease_ends() {
    let holder = env!("CARGO_BIN_EXE_ringleader-holder").into();
    let plan = Plan { servers: 3, client_hosts: 1, leases: Leases::SHORT, seed: 5, holder };
    let mut service = Service::serving(plan);
    let (host, servers) = (3, service.everybody());
    let mut wrapped = service.wrap(host, "normal/command", "cut");
    let cut = service.cut("hosts of commands cut off", between(&[host], &servers));
    assert_eq!(wrapped.ends().code(), Some(76), "the lock was lost");
    assert_dead(&service, &wrapped, cut.since, "its host is cut off");
    service.heal(&cut);
    // The server that it is at: the first in its list.
    let mut wrapped = service.wrap(host, "normal/command", "server");
    service.signal(0, Signal::SIGSTOP);
    let since = now_us();
    assert_eq!(wrapped.ends().code(), Some(76), "the lock was lost");
    assert_dead(&service, &wrapped, since, "its server is paused");
    service.signal(0, Signal::SIGCONT);
    service.faults.add("servers of commands paused", 1);
    service.await_servers(&servers);
    let mut wrapped = service.wrap(host, "normal/command", "paused");
    wrapped.wrapper.signal(Signal::SIGSTOP);
    assert_dead(&service, &wrapped, now_us(), "the wrapper is paused");
    service.faults.add("wrappers paused", 1);
    wrapped.wrapper.signal(Signal::SIGCONT);
    assert_eq!(wrapped.ends().code(), Some(76), "the lock was lost");
    let mut wrapped = service.wrap(host, "normal/command", "killed");
    let since = now_us();
    wrapped.wrapper.signal(Signal::SIGKILL);
    service.faults.add("wrappers killed", 1);
    assert_dead(&service, &wrapped, since, "the wrapper is killed");
    conclude(service, "commands under a lock (3 servers)");
}

/// So far apart are two hosts, at most.
const FAR: Duration = Duration::from_millis(100);

/// So many are frozen in each round.
const FROZEN: usize = 4;

/// Rounds of frozen holders, each with a blow to a server, most of them with slow links. The clients believe for so
/// much longer than they may that they hold, in percent of the lease.
fn frozen_holders(rounds: u64, belief: u64) -> Service {
    let holder = env!("CARGO_BIN_EXE_ringleader-holder").into();
    let plan = Plan { servers: 3, client_hosts: 2, leases: Leases::FAR, seed: 6, holder };
    let mut service = Service::serving(plan);
    for _ in 0..2 {
        service.add_clients(2, (1, 30), (20, 600), belief);
    }
    for (round, blow) in (0..rounds).zip(Blow::ALL.into_iter().cycle()) {
        service.slow_links(if round % 3 == 2 { Duration::ZERO } else { FAR });
        service.freeze_and_strike(FROZEN, blow);
        service.await_servers(&service.everybody());
    }
    service.slow_links(Duration::ZERO);
    recovers(&service);
    service
}

#[test]
fn frozen_holders_and_lost_folders_give_one_holder() {
    // In the gate one round of each blow; the long run asks for more.
    let rounds = number("RINGLEADER_NETWORK_ROUNDS", 4);
    let service = frozen_holders(rounds, 0);
    let title =
        format!("frozen holders, quick restarts, lost folders, links of up to 100 ms ({rounds} rounds)");
    let verdict = conclude(service, &title);
    assert_eq!(verdict.tally.get("holders frozen beyond the lease"), rounds * FROZEN as u64);
    assert!(rounds < 4 || verdict.tally.get("folders lost") > 0);
}

/// The control of the test above: an auditor that finds nothing here would find nothing there either.
#[test]
fn clients_that_believe_too_long_are_found() {
    let title = "the control: clients that believe 1.6 times their lease";
    let verdict = frozen_holders(2, 60).audit(title);
    println!("\n{}", verdict.tally.table(title));
    assert!(verdict.tally.get("two holders at once") > 0, "the auditor finds nothing");
}

#[test]
fn a_follower_that_was_cut_off_ends_no_term() {
    let cuts = number("RINGLEADER_NETWORK_CUTS", 3);
    let holder = env!("CARGO_BIN_EXE_ringleader-holder").into();
    let plan = Plan { servers: 3, client_hosts: 0, leases: Leases::CALM, seed: 7, holder };
    let mut service = Service::serving(plan);
    // Each client knows one server only: what it loses it loses with that one.
    for host in service.everybody() {
        let (workers, hold, long) = (2, (1, 30), (20, 600));
        service.add_client(Load { host, servers: vec![host], workers, hold, long, belief: 0 });
    }
    service.await_progress();
    let leader = service.await_proposer(&service.everybody());
    let term = service.term(leader);
    let followers = service.others(&[leader]);
    let mut times = Vec::new();
    for round in 0..cuts {
        let follower = followers[(round % 2) as usize];
        let rest = service.others(&[follower]);
        let pairs = match round % 3 {
            0 => between(&[follower], &rest),
            1 => rest.iter().map(|&other| (follower, other)).collect(),
            _ => rest.iter().map(|&other| (other, follower)).collect(),
        };
        let cut = service.cut("followers cut off", pairs);
        // Twice as long as a follower waits for its leader at most.
        std::thread::sleep(Duration::from_millis(Leases::CALM.heartbeat * 10));
        service.heal(&cut);
        service.await_servers(&service.everybody());
        assert_eq!(service.await_proposer(&service.everybody()), leader, "cut {round}: another leads");
        assert_eq!(service.term(leader), term, "cut {round}: the term of a healthy leader ended");
        times.push((cut.since, now_us(), follower));
    }
    recovers(&service);
    let names: Vec<String> = service.clients().iter().map(|client| client.start_name()).collect();
    let verdict = conclude(service, &format!("a follower is cut off {cuts} times"));
    let needless = verdict.losses.iter().filter(|(at, text)| {
        let of = |follower: &usize| text.contains(&format!(" of {}.", names[*follower]));
        !times.iter().any(|(from, to, follower)| (from..=to).contains(&at) && of(follower))
    });
    assert_eq!(
        needless.collect::<Vec<_>>(),
        Vec::<&(u64, String)>::new(),
        "a lock was lost that need not be"
    );
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
fn everything_at_random() {
    let seed = number("RINGLEADER_NETWORK_SEED", 42);
    let minutes = number("RINGLEADER_NETWORK_MINUTES", 0);
    // In the gate a short one; `cargo xtask network --long --service` asks for more.
    let seconds = if minutes == 0 { 15 } else { minutes * 60 };
    let servers = if seed % 2 == 0 { 3 } else { 5 };
    println!("seed {seed}, {seconds} s, {servers} servers");
    let mut chance = Chance::new(seed);
    let mut service = loaded(servers, Leases::SHORT, 2, seed);
    let end = now_us() + seconds * 1_000_000;
    while now_us() < end {
        service.any_fault(&mut chance);
        // Every other time the next fault hits before the last one is got over.
        if chance.percent(50) {
            recovers(&service);
        }
    }
    recovers(&service);
    let title = format!("faults of every kind at random ({servers} servers, seed {seed}, {seconds} s)");
    conclude(service, &title);
}
