//! What the network costs: `cargo bench -p ringleader-net`; with `--quick` a little of each, to see that it
//! works.
//!
//! A token hop, a round, messages in one direction, the time from kill -9 of the leader to the next one, and
//! what a member costs that has nothing to do; beside them, in the same run and on the same machine, the
//! round trips of bare sockets and of TLS with certificates on both sides.

#![expect(clippy::print_stdout, reason = "a benchmark is for a terminal")]

mod cluster;
mod figures;
mod idle;
mod kills;
mod probes;
mod sockets;

use figures::{Figures, micros};
use std::time::Duration;

/// So many round trips of TLS a hop may take at most, where half of all hops are slower.
const MOST_ROUND_TRIPS: f64 = 3.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The members that are killed are processes: this program, called again.
    if let [word, config, name, events] = &arguments[..]
        && word == cluster::MEMBER
    {
        cluster::be_member(config, name, events);
        return;
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let (trips, hops, flood, kill_count, idle) = if quick {
        (2_000, 4_000, 50_000, 1, Duration::from_secs(1))
    } else {
        (50_000, 50_000, 300_000, 10, Duration::from_secs(10))
    };

    println!("{:<44} {:>10} {:>10} {:>10}", "", "p50", "p99", "most");
    let raw = show("round trip of a socket, 64 bytes", sockets::raw(trips));
    let tls = show("round trip of TLS 1.3 on both sides", sockets::tls(trips));
    let hop = show("hop of a token between two members", probes::hops(2, hops));
    for members in [3, 5] {
        let rounds = probes::hops(members, hops).rounds(members);
        show(&format!("round of a token among {members} members"), rounds);
    }
    let ratio = hop.p50() / tls.p50();
    println!("TLS / socket {:.2}, hop / TLS round trip {ratio:.2} at p50", tls.p50() / raw.p50());

    println!("\nmessages in one direction: {:.0} in a second", probes::flood(flood));
    println!();
    // With an algorithm that begins anew in a new epoch, and with one that repairs itself.
    let algorithms: &[&str] = if quick { &["franklin"] } else { &["franklin", "bully"] };
    algorithms.iter().for_each(|algorithm| kills::measure(algorithm, kill_count));
    idle::measure(idle);
    // A little of each says nothing about how long it takes.
    assert!(
        quick || ratio <= MOST_ROUND_TRIPS,
        "a hop takes {ratio:.2} round trips of TLS at p50; at most {MOST_ROUND_TRIPS} are allowed"
    );
}

/// Prints a row of the table.
fn show(what: &str, figures: Figures) -> Figures {
    let [half, most, all] = [figures.p50(), figures.p99(), figures.most()].map(micros);
    println!("{what:<44} {half:>10} {most:>10} {all:>10}");
    figures
}
