//! What locks cost: `cargo bench -p ringleader-server --bench locks`; with `--quick` a little of each, to
//! see that it works. `--only WORD` measures one part, `--kills NUMBER` kills so often, `--times NUMBER` makes many
//! sessions so often, `--minutes NUMBER` overloads the servers for so long.
//!
//! Everything is measured in one run and on one machine, side by side: the round trips of bare sockets and
//! of TLS, locks of a server in the same process, over its Unix socket and over TLS, one lock that goes
//! round among clients at three servers, the same with etcd where it is installed, the time from kill -9 of
//! a server to the next holder, what servers cost with nothing and with much to do, and what they do when it is too
//! much. Beside every part stands a yardstick: what a bare socket and a lock of etcd cost at that moment.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is for a terminal")]

mod cluster;
mod etcd;
mod failover;
#[path = "../../../ringleader-net/benches/network/figures.rs"]
#[expect(dead_code, reason = "what the other benchmark says of its figures is more than is said here")]
mod figures;
mod handover;
mod load;
mod options;
mod overload;
mod pairs;
#[path = "../../../ringleader-net/benches/network/sockets.rs"]
mod sockets;

use cluster::Cluster;
use figures::{Figures, micros};
use options::Options;
use ringleader_live::Micros;
use ringleader_locks::Times;
use ringleader_server::config::Pace;
use std::process::ExitCode;
use std::time::Duration;

/// How much is measured.
struct Amount {
    trips: usize,
    embedded: u32,
    pairs: usize,
    handover: Duration,
    kills: usize,
    idle: Duration,
    sessions: usize,
    locks: usize,
    clients: usize,
    overload: Duration,
}

const LITTLE: Amount = Amount {
    trips: 500,
    embedded: 5_000,
    pairs: 200,
    handover: Duration::from_millis(700),
    kills: 2,
    idle: Duration::from_secs(1),
    sessions: 90,
    locks: 900,
    clients: 40,
    overload: Duration::from_secs(2),
};

const MUCH: Amount = Amount {
    trips: 50_000,
    embedded: 2_000_000,
    pairs: 20_000,
    handover: Duration::from_secs(10),
    kills: 100,
    idle: Duration::from_secs(10),
    sessions: 10_000,
    locks: 100_000,
    clients: 2_000,
    overload: Duration::from_secs(60),
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The servers are processes: this program, called again as the program with the command `node` would be.
    if arguments.first().is_some_and(|word| word == "node") {
        cluster::be_server(&arguments);
        return ExitCode::SUCCESS;
    }
    match Options::parse(arguments.into_iter()) {
        Ok(options) => {
            measure(&options);
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("error: {wrong}");
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) {
    let quick = options.quick;
    let mut amount = if quick { LITTLE } else { MUCH };
    amount.kills = options.kills.unwrap_or(amount.kills);
    let mut verdicts = Verdicts(Vec::new());

    println!("{:<52} {:>11} {:>11} {:>11}", "", "p50", "p99", "most");
    if options.wants("sockets") {
        show("round trip of a socket, 64 bytes", &sockets::raw(amount.trips));
        show("round trip of TLS 1.3 on both sides", &sockets::tls(amount.trips));
    }
    if options.wants("pairs") {
        measure_pairs(&amount, &mut verdicts);
        yardstick();
    }
    if options.wants("handover") {
        measure_handover(&amount, &mut verdicts);
        yardstick();
    }
    if options.wants("failover") {
        measure_failover(&amount, quick, &mut verdicts);
        yardstick();
    }
    if options.wants("idle") {
        let cluster = Cluster::new(Pace::default());
        let (memory, time) = load::idle("a server", &cluster.processes(), amount.idle);
        drop(cluster);
        if let Some(etcd) = etcd::Etcd::start() {
            load::idle("etcd", &etcd.processes(), amount.idle);
        }
        verdicts.at_most("resident memory of an idle server, MiB", memory, 20.0);
        verdicts.at_most("time of a core of an idle server, %", time * 100.0, 0.5);
        yardstick();
    }
    if options.wants("many") {
        let times = options.times.unwrap_or(1);
        let well = (0..times).filter(|_| {
            let well = load::many(&Cluster::new(Pace::default()), amount.sessions, amount.locks);
            yardstick();
            well
        });
        let well = well.count();
        println!(
            "  {well} of {times} times: nothing refused but with `limit`, no membership and no lock lost"
        );
        verdicts.at_least("times without a loss", well as f64, times as f64);
    }
    if options.wants("overload") {
        let time =
            options.minutes.map_or(amount.overload, |minutes| Duration::from_secs(60 * minutes as u64));
        let sessions = amount.sessions.min(300);
        let well = overload::measure(&Cluster::new(Pace::default()), sessions, amount.clients, time);
        yardstick();
        verdicts.at_least("overload without a loss", f64::from(u8::from(well)), 1.0);
    }
    // A little of each says nothing about how long it takes.
    if !quick {
        verdicts.print();
    }
}

/// What this machine can do at this moment, beside what was measured just before.
fn yardstick() {
    let socket = sockets::raw(500);
    let etcd = etcd::Etcd::start().map(|etcd| etcd.pairs(100));
    let etcd = etcd.map_or_else(|| "not installed".to_owned(), |pairs| micros(pairs.p50()));
    println!("  yardstick: socket {}, lock and unlock of etcd {etcd} (p50)", micros(socket.p50()));
}

fn measure_pairs(amount: &Amount, verdicts: &mut Verdicts) {
    let inside = pairs::embedded(amount.embedded);
    println!(
        "{:<52} {:>8.0} ns on average of {}",
        "acquire and release, server in the process",
        inside.seconds * 1e9,
        amount.embedded
    );
    println!(
        "  tokens sent meanwhile: {}; messages of all kinds, signs of life among them: {} in {:.1} s",
        inside.hops, inside.messages, inside.passed
    );
    assert_eq!(inside.hops, 0, "the token stays where it is used");
    verdicts.at_most("pair inside the process, µs", inside.seconds * 1e6, 1.0);
    let cluster = Cluster::new(Pace::default());
    let socket = pairs::measure(&cluster.at_socket(0), amount.pairs);
    show("acquire and release over the Unix socket", &socket);
    verdicts.at_most("pair over the Unix socket, µs", socket.p50() * 1e6, 60.0);
    show("acquire and release over TLS", &pairs::measure(&cluster.over_tls(0), amount.pairs));
}

fn measure_handover(amount: &Amount, verdicts: &mut Verdicts) {
    let ours = {
        let cluster = Cluster::new(Pace::default());
        handover::ours(&cluster, amount.handover)
    };
    show("hand-over among three clients at three servers", &ours.figures);
    let messages = ours.messages.unwrap_or_default();
    println!("  {:.0} hand-overs in a second, {messages:.2} messages between servers for each", ours.rate);
    verdicts.at_least("hand-overs in a second", ours.rate, 5000.0);
    let Some(etcd) = etcd::Etcd::start() else {
        println!("etcd is not installed (Debian: apt-get install etcd-server): nothing is compared");
        return;
    };
    let lone = etcd.pairs(amount.pairs.min(1000));
    show("etcd: lock and unlock", &lone);
    let theirs = etcd.handover(amount.handover);
    show("etcd: hand-over among three clients at three servers", &theirs.figures);
    let ratio = ours.rate / theirs.rate;
    println!("  {:.0} hand-overs in a second; ours are {ratio:.0} times as many", theirs.rate);
    verdicts.at_least("hand-overs, times those of etcd", ratio, 100.0);
}

fn measure_failover(amount: &Amount, quick: bool, verdicts: &mut Verdicts) {
    let times = Times::default();
    let usual = Pace::default();
    let tuned = Pace {
        times: Times { leases: [Micros::millis(400), times.leases[1], times.leases[2]], ..times },
        renew: Micros::millis(100),
        suspect: Micros::millis(200),
        heartbeat: Micros::millis(50),
    };
    for (word, pace, most) in [("usual times", usual, 2.0), ("short times", tuned, 1.0)] {
        let found = failover::measure(pace, amount.kills, quick);
        for (whom, figures) in [("a follower", found.follower), ("the leader of the store", found.leader)] {
            let Some(figures) = figures else { continue };
            show(&format!("kill -9 of the owner, {whom}, {word}"), &figures);
            verdicts.at_most(&format!("failover, {whom}, {word}, s"), figures.p99(), most);
        }
        if found.void > 0 {
            println!("  {} kills not counted: the lock was lost before", found.void);
        }
    }
}

/// Figures beside what they should be.
struct Verdicts(Vec<(String, bool)>);

impl Verdicts {
    fn at_most(&mut self, what: &str, found: f64, most: f64) {
        self.0.push((format!("{what}: {found:.2}, at most {most}"), found <= most));
    }

    fn at_least(&mut self, what: &str, found: f64, least: f64) {
        self.0.push((format!("{what}: {found:.2}, at least {least}"), found >= least));
    }

    /// Says which are as they should be. A busy machine makes all of them worse, so that nothing fails by
    /// them.
    fn print(&self) {
        println!();
        for (text, well) in &self.0 {
            println!("{} {text}", if *well { "as wanted " } else { "NOT REACHED" });
        }
    }
}

/// Prints a row of the table.
fn show(what: &str, figures: &Figures) {
    let [half, most, all] = [figures.p50(), figures.p99(), figures.most()]
        .map(|seconds| if seconds < 0.01 { micros(seconds) } else { format!("{:.1} ms", seconds * 1e3) });
    println!("{what:<52} {half:>11} {most:>11} {all:>11}");
}
