//! Members among themselves: who leads, who is next, what they answer.

use crate::fixture::{Live, cluster, until};
use ringleader_net::node::Options;
use serde_json::Value;

fn leaders(nodes: &[Live]) -> Vec<usize> {
    let leads = |node: &Live| node.status().groups[0].leads;
    nodes.iter().enumerate().filter(|(_, node)| leads(node)).map(|(place, _)| place).collect()
}

#[test]
fn leaving_node_hands_over_and_restart_is_new() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let start = |place| Live::start(&config, place, folder.path(), Options::default());
    let mut nodes: Vec<Live> = (0..3).map(start).collect();
    until("one leads", || leaders(&nodes) == [2]);
    assert_eq!(nodes[2].http("/readyz").0, 200);
    assert_eq!(nodes[2].counter("ringleader_leads{group=\"main\"}"), Some(1.0));

    nodes[2].handle.leave();
    nodes[2].join();
    let stops = nodes[2].events("leadership_lost");
    assert_eq!(stops.last().map(|line| line["ending"].clone()), Some("released".into()));
    let left = nodes.remove(2);
    until("the next one leads", || leaders(&nodes) == [1]);
    let handed = stops.last().and_then(|line| line["at_us"].as_u64());
    let led = nodes[1].events("leader_elected").first().and_then(|line| line["at_us"].as_u64());
    assert!(handed < led, "one after the other: {handed:?}, {led:?}");

    let before = left.incarnation;
    drop(left);
    nodes.push(start(2));
    assert!(nodes[2].incarnation > before);
    until("it is met as a new one", || nodes[0].told("peer_identified", "restarted"));
    let seen = nodes[0].status().peers.iter().find(|peer| peer.place == 2).and_then(|peer| peer.incarnation);
    assert_eq!(seen, Some(nodes[2].incarnation));
}

#[test]
fn lone_node_is_alive_but_not_ready() {
    let folder = tempfile::tempdir().expect("there is room");
    let config = cluster(3, "franklin");
    let node = Live::start(&config, 0, folder.path(), Options::default());
    assert_eq!(node.http("/healthz"), (200, "{\"ok\":true}\n".into()));
    let (code, why) = node.http("/readyz");
    assert_eq!(code, 503);
    assert!(why.contains("it hears 1 of 3 members"), "{why}");
    let (code, text) = node.http("/v1/status");
    let status: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &status["schema"]), (200, &Value::from("ringleader.status/1")));
    for key in
        ["cluster", "member", "place", "incarnation", "at_us", "wall_ms", "leaving", "version", "drift_ppm"]
    {
        assert!(!status[key].is_null(), "{key} in {text}");
    }
    let (peer, group) = (&status["peers"][0], &status["groups"][0]);
    for key in ["member", "incarnation", "connected", "heard", "phi", "round_trip_us", "unacknowledged"] {
        assert!(peer.get(key).is_some(), "{key} in {text}");
    }
    for key in
        ["epoch", "participants", "phase", "position", "leads", "valid_ms", "leader", "messages", "fields"]
    {
        assert!(group.get(key).is_some(), "{key} in {text}");
    }
    assert_eq!(node.http("/nothing").0, 404);
    for line in
        ["ringleader_peer_up{peer=\"b\"}", "process_resident_memory_bytes", "process_cpu_seconds_total"]
    {
        assert!(node.counter(line).is_some(), "{line}");
    }
    assert_eq!(node.counter("ringleader_peer_up{peer=\"a\"}"), None, "itself is no peer");
}
