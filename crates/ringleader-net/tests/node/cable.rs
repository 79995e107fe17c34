//! Connections that are cut after every number of bytes: still everything arrives once and in order, or the run
//! would not replay.

use crate::fixture::{Live, address, cluster, until};
use ringleader::trace::merge;
use ringleader_lab::formats::read_part;
use ringleader_live::Micros;
use ringleader_net::Bounds;
use ringleader_net::node::Options;
use ringleader_net::record::part_path;
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// After so many bytes the last connection of a round is cut; then it begins again with none.
const BYTES_MAX: u64 = 250;

/// How often each user wants in.
const WANTED: u64 = 8;

/// A cable from one address to another that is cut after 0, 1, 2, … bytes, counted over both directions.
fn cable(to: String) -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let at = listener.local_addr().expect("it is bound").to_string();
    let cuts = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&cuts);
    std::thread::spawn(move || {
        for near in listener.incoming() {
            let Ok(near) = near else { return };
            let Ok(far) = TcpStream::connect(&to) else { continue };
            let round = counted.fetch_add(1, Ordering::Relaxed);
            let left = Arc::new(AtomicI64::new((round % BYTES_MAX) as i64));
            let ways = [(&near, &far), (&far, &near)].map(|(from, into)| {
                let (from, into) = (from.try_clone(), into.try_clone());
                let left = Arc::clone(&left);
                std::thread::spawn(move || {
                    if let (Ok(from), Ok(into)) = (from, into) {
                        carry(from, into, &left);
                    }
                })
            });
            for way in ways {
                let _ = way.join();
            }
        }
    });
    (at, cuts)
}

fn carry(mut from: TcpStream, mut into: TcpStream, left: &AtomicI64) {
    let _ = (from.set_nodelay(true), into.set_nodelay(true));
    let mut byte = [0];
    // One at a time: the cut is exactly where it is meant to be.
    while matches!(from.read(&mut byte), Ok(1)) {
        if left.fetch_sub(1, Ordering::Relaxed) <= 0 || into.write_all(&byte).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), into.shutdown(Shutdown::Both));
}

#[test]
fn cut_at_every_byte_delivers_exactly_once() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut config = cluster(2, "ricart-agrawala");
    let users = config.cluster.groups[0].users.as_mut().expect("it has users");
    users.entries = WANTED as u32;
    // Nobody is suspected here: this is about connections, not about members.
    config.cluster.timing.patience.pause = Micros::millis(120_000);
    config.cluster.timing.patience.heartbeat = Micros::millis(3);
    let (through, cuts) = cable(config.addresses[0].peer.clone());
    let pause = Duration::from_millis(1);
    let bounds = Bounds { pause, pause_max: pause, ..Bounds::default() };
    let record = |place: u16| Some(folder.path().join(format!("{place}.rlt")));
    let options = |place| Options { bounds, record: record(place), ..Options::default() };
    let mut zero = Live::start(&config, 0, folder.path(), options(0));
    let mut cabled = config.clone();
    cabled.addresses[0].peer = through;
    cabled.addresses[1].status = Some(address());
    let mut one = Live::start(&cabled, 1, folder.path(), options(1));
    let entries = |node: &Live| node.status().groups[0].entries;
    until("every user has been in", || {
        entries(&zero) == WANTED && entries(&one) == WANTED && cuts.load(Ordering::Relaxed) > BYTES_MAX
    });
    let group = |node: &Live| node.status().groups[0].clone();
    let epoch = group(&zero).epoch.number;
    assert_eq!(group(&one).epoch.number, epoch);
    for node in [&mut zero, &mut one] {
        node.handle.leave();
        node.join();
    }
    let parts: Vec<_> = (0..2)
        .map(|place| {
            let path = part_path(&record(place).expect("a name"), None, epoch, 1);
            let file = std::fs::File::open(path).expect("it was recorded");
            read_part(BufReader::new(file)).expect("a part").recording
        })
        .collect();
    let merged = merge(&parts, false).expect("parts of one run");
    assert_eq!(merged.left_out, 0, "what arrived was sent");
    let events = &merged.recording.events;
    let inside =
        events.iter().filter(|event| event.outcome == Some(ringleader::trace::Outcome::Enters)).count();
    assert!(inside > 0, "in the last epoch somebody was inside");
    let entry = config.cluster.groups[0].entry;
    let recorded = ringleader_lab::formats::Recorded {
        recording: Arc::new(merged.recording.clone()),
        by: "a test".into(),
        end: ringleader_lab::formats::End { steps: events.len() as u64, outcome: "done".into() },
    };
    // The simulator refuses a message that comes twice, too early or not at all.
    entry.run(&recorded.scenario(), &mut ()).expect("it replays");
}
