//! From kill -9 of the leader to the next one, with five members and the settings as they are by default, and
//! where the time goes.

use crate::cluster::{Folder, NAMES, Process, wait};
use crate::figures::Figures;
use ringleader_net::clock;
use serde_json::Value;

/// What happened after one kill, in seconds from then.
struct Loss {
    /// Somebody suspects it.
    suspected: f64,
    /// The last of what it was promised is over.
    lease_over: f64,
    /// A new epoch begins; none where the algorithm repairs itself within its epoch.
    opened: Option<f64>,
    /// Another leads.
    led: f64,
}

/// Kills the leader so often, and prints what it took.
pub(crate) fn measure(algorithm: &str, kills: usize) {
    let members = NAMES.len();
    let group = format!("[[group]]\nname = \"g\"\nalgorithm = \"{algorithm}\"\n");
    let folder = Folder::new(members, |_| group.clone());
    let mut processes: Vec<Process> = (0..members).map(|place| folder.process(place)).collect();
    let mut since = 0;
    let mut losses = Vec::new();
    for _ in 0..kills {
        let leader = wait("a leader", || leader(&folder, since));
        // Everybody is up and has been heard for a while.
        std::thread::sleep(core::time::Duration::from_millis(2500));
        let at = clock::now().0;
        processes[leader].0.kill().expect("it is killed");
        let next = wait("the next leader", || {
            first(&folder, at, |place, event| place != leader && event["event"] == "leader_elected")
        });
        losses.push(loss(&folder, leader, at, next));
        let restarted = clock::now().0;
        processes[leader] = folder.process(leader);
        // It need not take part in what goes on; but all must have met it.
        wait("everybody to meet the one that was killed", || {
            let met = folder.events(leader).into_iter();
            let met =
                met.filter(|event| event["event"] == "peer_identified" && time(event) > restarted).count();
            (met + 1 >= members).then_some(())
        });
        since = at;
    }
    print(algorithm, members, &losses);
}

/// Who led last, by what was told since.
fn leader(folder: &Folder, since: u64) -> Option<usize> {
    let events = folder.all_events().into_iter();
    let led = events.filter(|(_, event)| event["event"] == "leader_elected" && time(event) > since);
    led.max_by_key(|(_, event)| time(event)).map(|(place, _)| place)
}

/// When something was told first after a moment.
fn first(folder: &Folder, after: u64, is_it: impl Fn(usize, &Value) -> bool) -> Option<u64> {
    let events = folder.all_events().into_iter();
    events
        .filter(|(place, event)| time(event) > after && is_it(*place, event))
        .map(|(_, event)| time(&event))
        .min()
}

fn time(event: &Value) -> u64 {
    event["at_us"].as_u64().unwrap_or_default()
}

fn loss(folder: &Folder, leader: usize, killed: u64, next: u64) -> Loss {
    let seconds = |at: u64| at.saturating_sub(killed) as f64 / 1e6;
    let promises = folder.events(leader).into_iter();
    let promises =
        promises.filter(|event| event["event"] == "leader_elected" || event["event"] == "lease_extended");
    let promised = promises.filter_map(|event| event["until_us"].as_u64()).max().unwrap_or_default();
    let is_suspicion =
        |_: usize, event: &Value| event["event"] == "peer_suspected" && event["peer"] == NAMES[leader];
    let opened = first(folder, killed, |_, event| event["event"] == "epoch_opened");
    Loss {
        suspected: seconds(first(folder, killed, is_suspicion).unwrap_or(next)),
        lease_over: seconds(promised),
        opened: opened.filter(|&at| at <= next).map(seconds),
        led: seconds(next),
    }
}

fn print(algorithm: &str, members: usize, losses: &[Loss]) {
    println!("kill -9 of the leader, {algorithm}, {members} members, {} times: p50, most", losses.len());
    let row = |what: &str, spans: Vec<f64>| {
        if !spans.is_empty() {
            let figures = Figures::new(spans);
            println!("  {what:<42} {:>7.0} ms {:>7.0} ms", figures.p50() * 1e3, figures.most() * 1e3);
        }
    };
    row("until somebody suspects it", losses.iter().map(|loss| loss.suspected).collect());
    row("until a new epoch is opened", losses.iter().filter_map(|loss| loss.opened).collect());
    row("until all it was promised is over", losses.iter().map(|loss| loss.lease_over).collect());
    row("until another leads", losses.iter().map(|loss| loss.led).collect());
}
