//! Peers that are who they say, and misbehave: each is refused with its reason, logged and counted.

use crate::fixture::{Live, Puppet, cluster, until};
use ringleader_live::{Epoch, Frame, Payload, Refused, Segment};
use ringleader_net::Bounds;
use ringleader_net::node::Options;

fn message(puppet: &Puppet, to: u64, number: u64) -> Frame {
    let epoch = Epoch { number: 0, steward: 1 };
    let payload = Payload::Message { group: 0, epoch, port: 0, bytes: vec![1] };
    Frame::Data(Segment { from: puppet.incarnation, to, number, payload })
}

#[test]
fn what_is_no_frame_closes_the_connection() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let node = Live::start(&config, 0, folder.path(), Options::default());
    for bytes in [&[0, 0, 0, 2, 1, 99][..], &[0xff, 0xff, 0xff, 0xff][..]] {
        let (mut puppet, _) = Puppet::greet(&config, 1, 7);
        puppet.raw(bytes);
        assert_eq!(puppet.last(), Some(Frame::Refuse(Refused::Malformed)));
    }
    until("both are counted", || node.counter("ringleader_refused_total{reason=\"malformed\"}") == Some(2.0));
    assert!(node.told("peer_rejected", "malformed"));
    assert_eq!(node.http("/healthz").0, 200, "the member goes on");
}

#[test]
fn replayed_frame_is_dropped_and_old_epoch_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let node = Live::start(&config, 0, folder.path(), Options::default());
    let (mut puppet, _) = Puppet::greet(&config, 1, 7);
    for number in [0, 0, 1, 0] {
        let frame = message(&puppet, node.incarnation, number);
        puppet.say(&frame);
    }
    // What was meant for another incarnation, as from a recording of yesterday.
    let frame = message(&puppet, node.incarnation - 1, 2);
    puppet.say(&frame);
    let counts = |line: &str, value: f64| node.counter(line) == Some(value);
    until("both copies are counted", || {
        counts("ringleader_dropped_total{peer=\"b\",why=\"duplicate\"}", 2.0)
            && counts("ringleader_dropped_total{peer=\"b\",why=\"stranger\"}", 1.0)
    });
    until("the epoch is counted", || counts("ringleader_old_epoch_total{group=\"main\"}", 2.0));
    assert_eq!(node.events("stale_epoch").len(), 2, "each message was looked at once");
}

#[test]
fn flooded_connection_is_replaced() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let bounds = Bounds { burst: 500, frames_per_second: 1, ..Bounds::default() };
    let node = Live::start(&config, 0, folder.path(), Options { bounds, ..Options::default() });
    let (mut puppet, _) = Puppet::greet(&config, 1, 7);
    let ack = Frame::Ack { from: 7, to: node.incarnation, next: 0 };
    let body = ack.encode();
    let flood = [&(body.len() as u32).to_be_bytes()[..], &body].concat().repeat(2000);
    // It may be closed before everything is written.
    let _ = std::io::Write::write_all(&mut puppet.stream, &flood);
    until("it is told", || node.told("peer_rejected", "flood"));
    assert_eq!(node.counter("ringleader_refused_total{reason=\"flood\"}"), Some(1.0));
    let (mut again, _) = Puppet::greet(&config, 1, 7);
    let (_newest, _) = Puppet::greet(&config, 1, 7);
    assert_eq!(again.last(), Some(Frame::Refuse(Refused::Replaced)));
}

#[test]
fn bad_greeting_is_refused_with_reason() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let node = Live::start(&config, 0, folder.path(), Options::default());
    let mut other = config.clone();
    other.cluster.groups[0].name = "another".into();
    let (mut puppet, _) = Puppet::greet(&other, 1, 7);
    assert_eq!(puppet.last(), Some(Frame::Refuse(Refused::Config)));
    let mut other = config.clone();
    other.cluster.name = "elsewhere".into();
    let (mut puppet, _) = Puppet::greet(&other, 2, 7);
    assert_eq!(puppet.last(), Some(Frame::Refuse(Refused::Cluster)));
    // An incarnation that is older than one that was seen.
    let (_newer, _) = Puppet::greet(&config, 1, 9);
    let (mut older, _) = Puppet::greet(&config, 1, 8);
    assert_eq!(older.last(), Some(Frame::Refuse(Refused::Stale(9))));
    for reason in ["config", "cluster", "stale"] {
        until(reason, || node.told("peer_rejected", reason));
    }
}
