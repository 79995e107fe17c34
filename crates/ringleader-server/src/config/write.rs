//! The configuration as text.

use super::{Config, Right, SERVICE_SCHEMA, Views, Who};
use ringleader_locks::Class;
use ringleader_net::config::{Security, written};
use std::fmt::Write as _;
use std::path::Path;

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

impl Config {
    /// The file that says this. Reading it gives the same again.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!(
            "schema = \"{SERVICE_SCHEMA}\"\ncluster = {}\nlog = \"{}\"\ndata = {}\n",
            quoted(&self.cluster),
            self.log.name(),
            path(&self.data)
        );
        match &self.security {
            Security::Plain => text.push_str("\n[plain]\nallowed = true\n"),
            Security::Tls { authority, certificate, key } => {
                let (authority, certificate, key) = (path(authority), path(certificate), path(key));
                let _ = write!(
                    text,
                    "\n[tls]\nauthority = {authority}\ncertificate = {certificate}\nkey = {key}\n"
                );
            }
        }
        for server in &self.servers {
            let _ = write!(text, "\n[[server]]\nname = {}\n", quoted(&server.name));
            let _ = writeln!(text, "address = {}", quoted(&server.peer));
            if server.listen != server.peer {
                let _ = writeln!(text, "listen = {}", quoted(&server.listen));
            }
            let _ = writeln!(text, "api = {}", quoted(&server.api));
            if let Some(socket) = &server.socket {
                let _ = writeln!(text, "socket = {}", path(socket));
            }
            if let Some(status) = &server.status {
                let _ = writeln!(text, "status = {}", quoted(status));
            }
        }
        if let Views::Etcd(etcd) = &self.views {
            let all: Vec<String> = etcd.endpoints.iter().map(|endpoint| quoted(endpoint)).collect();
            let _ = write!(text, "\n[views]\nstore = \"etcd\"\nendpoints = [{}]\n", all.join(", "));
            if let Some(authority) = &etcd.authority {
                let _ = writeln!(text, "authority = {}", path(authority));
            }
            if let Some((certificate, key)) = &etcd.identity {
                let _ = write!(text, "certificate = {}\nkey = {}\n", path(certificate), path(key));
            }
        }
        let pace = &self.pace;
        text.push_str("\n[times]\n");
        for class in Class::ALL {
            let _ = writeln!(text, "{} = \"{}\"", class.name(), written(pace.times.lease(class)));
        }
        let (renew, suspect) = (written(pace.renew), written(pace.suspect));
        let drift = pace.times.drift_ppm;
        let _ = write!(text, "drift = \"{drift}ppm\"\nrenew = \"{renew}\"\nsuspect = \"{suspect}\"\n");
        let _ = writeln!(text, "heartbeat = \"{}\"", written(pace.heartbeat));
        for (prefix, class) in &self.classes {
            let _ = write!(text, "\n[[class]]\nprefix = {}\nclass = \"{}\"\n", quoted(prefix), class.name());
        }
        for token in &self.tokens {
            let digest: String = token.secret.0.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(text, "\n[[token]]\nname = {}\nsha256 = \"{digest}\"\n", quoted(&token.name));
        }
        for permission in &self.permissions {
            let who = match &permission.who {
                Who::Anybody => "*".to_owned(),
                Who::Token(name) => format!("token:{name}"),
                Who::Certificate(name) => format!("cert:{name}"),
            };
            let rights = Right::ALL.into_iter().filter(|right| permission.allow.has(*right));
            let rights: Vec<String> = rights.map(|right| quoted(right.name())).collect();
            let _ = write!(
                text,
                "\n[[permission]]\nwho = {}\nprefix = {}\nallow = [{}]\n",
                quoted(&who),
                quoted(&permission.prefix),
                rights.join(", ")
            );
        }
        text
    }
}
