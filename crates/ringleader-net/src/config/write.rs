//! A configuration as the text of a file.

use super::quantity::written;
use super::{CLUSTER_SCHEMA, Config, Security, group};
use core::fmt::Write as _;
use std::path::Path;

/// A string as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

impl Config {
    /// The file that says this. Reading it gives the same again.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!(
            "schema = \"{CLUSTER_SCHEMA}\"\ncluster = {}\nlog = \"{}\"\n",
            quoted(&self.cluster.name),
            self.log.name()
        );
        match &self.security {
            Security::Plain => text.push_str("\n[plain]\nallowed = true\n"),
            Security::Tls { authority, certificate, key } => {
                let path = |path: &Path| quoted(&path.display().to_string());
                let _ = write!(
                    text,
                    "\n[tls]\nauthority = {}\ncertificate = {}\nkey = {}\n",
                    path(authority),
                    path(certificate),
                    path(key)
                );
            }
        }
        for (member, address) in self.cluster.members.iter().zip(&self.addresses) {
            let _ = write!(text, "\n[[member]]\nname = {}\nid = {}\n", quoted(&member.name), member.id);
            let _ = writeln!(text, "address = {}", quoted(&address.peer));
            if address.listen != address.peer {
                let _ = writeln!(text, "listen = {}", quoted(&address.listen));
            }
            if let Some(status) = &address.status {
                let _ = writeln!(text, "status = {}", quoted(status));
            }
        }
        for spec in &self.cluster.groups {
            let _ = write!(
                text,
                "\n[[group]]\nname = {}\nalgorithm = {}\nrange = {}\n",
                quoted(&spec.name),
                quoted(spec.entry.spec.name),
                spec.scenario.range
            );
            if let Some(topology) = &spec.scenario.topology {
                let _ = writeln!(text, "topology = \"{}\"", topology.name());
            }
            for (setting, value) in &spec.scenario.settings {
                let is_number = group::is_number(spec.entry, setting);
                let value = if is_number { value.clone() } else { quoted(value) };
                let _ = writeln!(text, "{setting} = {value}");
            }
            if let Some(users) = spec.users {
                let (hold, think) = (written(users.hold), written(users.think));
                let _ = write!(text, "entries = {}\nhold = \"{hold}\"\nthink = \"{think}\"\n", users.entries);
            }
        }
        self.write_timing(&mut text);
        text
    }

    fn write_timing(&self, text: &mut String) {
        let timing = &self.cluster.timing;
        let (patience, limits) = (&timing.patience, &timing.limits);
        let span = |span| format!("\"{}\"", written(span));
        let lines = [
            ("heartbeat", span(patience.heartbeat)),
            ("phi", patience.phi.to_string()),
            ("window", patience.window.to_string()),
            ("least_deviation", span(patience.least_deviation)),
            ("pause", span(patience.pause)),
            ("lease", span(timing.terms.lease)),
            ("drift", format!("\"{}ppm\"", timing.terms.drift)),
            ("unit", span(timing.unit)),
            ("max_delay", timing.max_delay.to_string()),
            ("gather", span(timing.gather)),
            ("retry", span(timing.retry)),
            ("dwell", span(timing.dwell)),
            ("unacknowledged", limits.unacknowledged.to_string()),
            ("ack_every", limits.ack_every.to_string()),
        ];
        text.push_str("\n[timing]\n");
        for (key, value) in lines {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
}
