//! The dashboard and the alert rules of `deploy` name metrics: each of them is told by a server.

use crate::support::{Cluster, until};
use std::collections::BTreeSet;

const DASHBOARD: &str = include_str!("../../../../deploy/monitoring/dashboard.json");
const ALERTS: &str = include_str!("../../../../deploy/monitoring/alerts.yaml");

/// The metrics that a text names.
fn named(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("ringleader_") || word.starts_with("process_")).collect()
}

/// The metrics that a server tells, each as its samples are called.
fn told(metrics: &str) -> BTreeSet<&str> {
    let samples = metrics.lines().filter(|line| !line.starts_with('#'));
    samples.filter_map(|line| line.split(['{', ' ']).next()).collect()
}

/// Those that are named, and which nobody tells.
fn unknown<'t>(text: &'t str, told: &BTreeSet<&str>) -> Vec<&'t str> {
    named(text).into_iter().filter(|name| !told.contains(name)).collect()
}

#[test]
fn dashboard_and_alerts_name_metrics_that_a_server_has() {
    let cluster = Cluster::new(1);
    let client = cluster.client(0);
    let _ = client.takes("x", "normal");
    assert_eq!(cluster.tls(0, None, None).get("/v1/status").0, 401, "a refusal is counted");
    let metrics = until("everything is counted", || {
        let text = String::from_utf8(client.text("/metrics")).expect("text");
        // The membership changes once more when the server has settled.
        text.contains("ringleader_view_changes_total{").then_some(text)
    });
    let told = told(&metrics);
    assert!(named(DASHBOARD).len() > 20 && named(ALERTS).len() > 8);
    for text in [DASHBOARD, ALERTS] {
        assert_eq!(unknown(text, &told), Vec::<&str>::new());
    }
    // What is not there is found: another name, and a counter as nobody can ask for it.
    for wrong in ["ringleader_grant_total", "ringleader_grants", "process_cpu_second_total"] {
        let panel = DASHBOARD.replacen("ringleader_grants_total", wrong, 1);
        assert_eq!(unknown(&panel, &told), [wrong]);
    }
}
