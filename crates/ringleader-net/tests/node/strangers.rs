//! Strangers at the door of a member with certificates: none is heard.

use crate::fixture::{Live, address, cluster, until};
use ringleader_net::cert::{self, Pair, Validity};
use ringleader_net::config::{Config, Security};
use ringleader_net::node::Options;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// The same cluster with certificates of this authority, in this folder.
fn secured(config: &Config, authority: &Pair, folder: &Path, place: usize) -> Config {
    let name = &config.cluster.members[place].name;
    let pair = cert::issue(authority, &config.cluster.name, name, Validity::days(2)).expect("it is signed");
    let put = |file: &str, text: &str| {
        let path = folder.join(file);
        std::fs::write(&path, text).expect("there is room");
        path
    };
    let security = Security::Tls {
        authority: put(&format!("{place}-ca.pem"), &authority.certificate),
        certificate: put(&format!("{place}.pem"), &pair.certificate),
        key: put(&format!("{place}.key"), &pair.key),
        revoked: None,
    };
    Config { security, ..config.clone() }
}

#[test]
fn only_certified_nodes_are_heard() {
    let folder = tempfile::tempdir().expect("there is room");
    let authority = cert::authority("test", Validity::days(2)).expect("an authority");
    let other = cert::authority("test", Validity::days(2)).expect("another");
    let config = cluster(3, "franklin");
    let start = |authority: &Pair, place: u16| {
        let own = secured(&config, authority, folder.path(), usize::from(place));
        Live::start(&own, place, folder.path(), Options::default())
    };
    let nodes = [start(&authority, 0), start(&authority, 1)];
    until("one of the two leads", || nodes.iter().any(|node| node.status().groups[0].leads));

    // Somebody who speaks no TLS.
    let mut plain = TcpStream::connect(&config.addresses[0].peer).expect("it listens");
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it is read");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    until("plain text is told", || nodes[0].told("peer_rejected", "plain_text"));

    // Somebody with the right name and a certificate of another authority.
    let mut stranger = config.clone();
    stranger.addresses[2].listen = address();
    let own = secured(&stranger, &other, folder.path(), 2);
    let stranger = Live::start(&own, 2, folder.path(), Options::default());
    // Which side notices first is up to TLS; each says it.
    until("it is refused", || !stranger.events("peer_unreachable").is_empty());
    until("it is counted", || {
        let (_, text) = nodes[0].http("/metrics");
        text.lines().filter(|line| line.starts_with("ringleader_refused_total")).count() >= 2
    });
    for node in &nodes {
        assert!(node.status().peers.iter().all(|peer| peer.place != 2 || !peer.connected));
    }
    assert!(stranger.events("peer_identified").is_empty(), "nobody has greeted it");
}

#[test]
fn plain_greeting_is_accepted_only_from_dialling_node() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let node = Live::start(&config, 0, folder.path(), Options::default());
    for (bytes, reason) in
        [(&[0, 0, 0, 2, 1, 99][..], "malformed"), (&b"GET / HTTP/1.1\r\n\r\n"[..], "malformed")]
    {
        let mut stream = TcpStream::connect(&config.addresses[0].peer).expect("it listens");
        stream.write_all(bytes).expect("it is read");
        let _ = stream.read_to_end(&mut Vec::new());
        until(reason, || node.told("peer_rejected", reason));
    }
    drop(TcpStream::connect(&config.addresses[0].peer));
    until("one that says nothing is told", || node.told("peer_rejected", "closed"));
}
