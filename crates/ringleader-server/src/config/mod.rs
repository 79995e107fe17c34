//! The configuration of a lock service: one TOML file for all its servers, with overrides from the environment. Every
//! mistake has its place.

mod access;
#[cfg(test)]
#[path = "../../../ringleader-net/src/config/complaints.rs"]
mod complaints;
mod server;
#[cfg(test)]
mod tests;
mod times;
mod views;

pub use access::{Permission, Right, Rights, Secret, Token, Who, sha256};
pub use server::ServerAddress;
pub use times::Pace;
pub use views::{Etcd, Views};

use access::{PermissionRow, TokenRow};
use ringleader_locks::{Class, ServerId};
use ringleader_net::Problem;
use ringleader_net::config::document::{self, Document, Format};
use ringleader_net::config::member::variables;
use ringleader_net::config::security::{Plain, TLS_KEYS, Tls};
use ringleader_net::config::values::{ClusterName, Text};
use ringleader_net::config::{Environment, Level, Security};
use serde::{Deserialize, Serialize};
use server::Server;
use std::path::{Path, PathBuf};
use times::{ClassRow, Section};
use toml::de::DeTable;

/// The schema that a configuration names.
pub const SERVICE_SCHEMA: &str = "ringleader.service/1";

/// A lock service: its servers, where they keep things, how they trust each other and their clients.
#[derive(Clone)]
pub struct Config {
    /// The name of the cluster.
    pub cluster: String,
    /// How much is logged.
    pub log: Level,
    /// The folder of a server's files; `{name}` stands for its name.
    pub data: PathBuf,
    /// How servers know each other.
    pub security: Security,
    /// The servers, by place: a server's place is its number for ever.
    pub servers: Vec<ServerAddress>,
    /// Where the view is kept.
    pub views: Views,
    /// Leases and rhythms.
    pub pace: Pace,
    /// Which names are of which class.
    pub classes: Vec<(String, Class)>,
    /// Tokens that clients may show.
    pub tokens: Vec<Token>,
    /// Who may do what.
    pub permissions: Vec<Permission>,
    /// Where metrics and traces are sent, by OTLP.
    pub collector: Option<String>,
    /// What is allowed, but worth a word.
    pub warnings: Vec<String>,
}

/// A lock service as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Text,
    cluster: ClusterName,
    #[serde(default)]
    log: Level,
    data: DataPath,
    tls: Option<Tls>,
    plain: Option<Plain>,
    #[serde(default)]
    server: Vec<Server>,
    views: Option<views::Section>,
    #[serde(default)]
    times: Section,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    class: Vec<ClassRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    token: Vec<TokenRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    permission: Vec<PermissionRow>,
    otlp: Option<Otlp>,
}

/// `[otlp]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Otlp {
    collector: CollectorUrl,
}

ringleader_net::checked_words! {
    /// The folder of a server's files.
    DataPath("a path such as \"data/{name}\"", |_| Ok(()));
    /// Where a collector takes OTLP.
    CollectorUrl("a collector such as \"http://127.0.0.1:4318\"", |_| Ok(()));
}

const FORMAT: Format = Format {
    schema: SERVICE_SCHEMA,
    other_schema: "a lock service is described by `ringleader.service/1`",
    purpose: "a lock service",
    example: EXAMPLE,
    needs: &[
        ("schema", "it does not begin with schema = \"ringleader.service/1\""),
        ("cluster", "the cluster has no name"),
        ("data", "there is no `data`: the folder of a server's files"),
        ("server.name", "this server has no name: name = \"b\""),
        ("class.prefix", "there is no `prefix`: prefix = \"batch/\""),
        ("class.class", "there is no `class`: class = \"batch\""),
        ("otlp.collector", "there is no `collector`: collector = \"http://127.0.0.1:4318\""),
        ("token.name", "this token has no name: name = \"ci\""),
        ("permission.who", "there is no `who`: who = \"token:ci\""),
        ("permission.allow", "there is no `allow`: allow = [\"lock\"]"),
    ],
    needs_named: &[
        ("server.address", "this server has no address: address = \"10.0.0.2:7431\""),
        ("server.api", "clients cannot reach this server: api = \"10.0.0.2:7432\""),
    ],
};

/// A small file to begin with.
const EXAMPLE: &str = "schema = \"ringleader.service/1\"
cluster = \"demo\"
data = \"data/{name}\"
[tls]
authority = \"ca.pem\"
certificate = \"{name}.pem\"
key = \"{name}.key\"
[[server]]
name = \"a\"
address = \"10.0.0.1:7431\"
api = \"10.0.0.1:7432\"
[[permission]]
who = \"*\"
allow = [\"lock\", \"elect\", \"observe\"]";

/// The schema that a file names; none if it cannot be read or names none. For whoever has to choose a reader.
#[must_use]
pub fn schema_of(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let root = DeTable::parse(&text).ok()?;
    Some(root.get_ref().get("schema")?.get_ref().as_str()?.to_owned())
}

impl Config {
    /// Reads a file. With the name of a server, `{name}` in paths stands for it.
    ///
    /// # Errors
    /// If it cannot be read, or says what it may not say, or the environment does, or no server has this name.
    pub fn read(path: &Path, name: Option<&str>, environment: &Environment) -> Result<Config, Problem> {
        let text = FORMAT.load(path)?;
        let config = Config::parse(&text, &path.display().to_string(), name, environment)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(config.with_paths(|_, path| folder.join(path)))
    }

    /// Reads the text of a file of this name. Paths stay as they are written.
    ///
    /// # Errors
    /// As [`Config::read`] gives them.
    pub fn parse(
        text: &str,
        file: &str,
        name: Option<&str>,
        environment: &Environment,
    ) -> Result<Config, Problem> {
        let mut document = Document::parse(&FORMAT, file, text)?;
        let mut families = vec![
            ("TIMES_".to_owned(), "times".to_owned(), Section::KEYS),
            ("TLS_".to_owned(), "tls".to_owned(), TLS_KEYS),
            (String::new(), String::new(), &["data"]),
        ];
        families.extend(variables(&document, "server", server::VARIABLES));
        document.override_by(environment, &families)?;
        let config = Config::of(document.read()?, &document)?;
        match name {
            Some(name) if config.place(name).is_none() => Err(config.no_such_server(file, name)),
            Some(name) => Ok(config.with_paths(|server, path| {
                PathBuf::from(path.to_string_lossy().replace("{name}", server.unwrap_or(name)))
            })),
            None => Ok(config),
        }
    }

    fn of(file: File, document: &Document<'_>) -> Result<Config, Problem> {
        document.is_of(&file.schema.0)?;
        if file.server.is_empty() {
            return Err(document.lacks("the service has no [[server]]"));
        }
        let servers: Vec<ServerAddress> = file.server.iter().map(ServerAddress::from).collect();
        let reached = server::check(document, &servers)?;
        let security = Security::read(document, file.tls, file.plain, &reached)?;
        let DataPath(data) = file.data;
        if data.is_empty() || servers.len() > 1 && !data.contains("{name}") {
            let label =
                "expected a folder for each server: a path with {name} in it, such as \"data/{name}\"";
            return Err(document.bad(document.at("data"), label));
        }
        let views = file.views.map_or(Ok(Views::Raft), |section| section.read(document))?;
        let (tokens, mut warnings) = access::tokens(document, file.token)?;
        let permissions = access::permissions(document, file.permission, &tokens)?;
        warnings.extend(worth_a_word(servers.len(), &views, &permissions));
        let pace = file.times.whole();
        times::check(document, &pace)?;
        Ok(Config {
            cluster: file.cluster.0,
            log: file.log,
            data: PathBuf::from(data),
            security,
            servers,
            views,
            pace,
            classes: times::classes(document, file.class)?,
            tokens,
            permissions,
            collector: file.otlp.map(|otlp| otlp.collector.0),
            warnings,
        })
    }

    /// The file that says this. Reading it gives the same again.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let (tls, plain) = self.security.sections();
        document::written(&File {
            schema: Text(SERVICE_SCHEMA.to_owned()),
            cluster: ClusterName(self.cluster.clone()),
            log: self.log,
            data: DataPath(self.data.display().to_string()),
            tls,
            plain,
            server: self.servers.iter().map(Server::from).collect(),
            views: self.views.section(),
            times: Section::from(&self.pace),
            class: self.classes.iter().map(ClassRow::from).collect(),
            token: self.tokens.iter().map(TokenRow::from).collect(),
            permission: self.permissions.iter().map(PermissionRow::from).collect(),
            otlp: self.collector.clone().map(|collector| Otlp { collector: CollectorUrl(collector) }),
        })
    }

    /// The same with other paths; those of a server come with its name.
    fn with_paths(self, change: impl Fn(Option<&str>, &Path) -> PathBuf) -> Config {
        let own = |path: &Path| change(None, path);
        let mut config = Config {
            data: own(&self.data),
            security: self.security.with_paths(own),
            views: self.views.with_paths(own),
            ..self
        };
        for server in &mut config.servers {
            server.socket = server.socket.as_deref().map(|path| change(Some(&server.name), path));
        }
        config
    }

    /// The place of the server with this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<ServerId> {
        let place = self.servers.iter().position(|server| server.name == name)?;
        ServerId::try_from(place).ok()
    }

    /// The name of the server at this place.
    #[must_use]
    pub fn name(&self, place: ServerId) -> &str {
        self.servers.get(usize::from(place)).map_or("?", |server| server.name.as_str())
    }

    /// No server has this name.
    #[must_use]
    pub fn no_such_server(&self, file: &str, name: &str) -> Problem {
        let names: Vec<&str> = self.servers.iter().map(|server| server.name.as_str()).collect();
        document::no_such("server", file, name, &names)
    }
}

/// What is allowed, but probably not meant.
fn worth_a_word(servers: usize, views: &Views, permissions: &[Permission]) -> Vec<String> {
    let mut words = Vec::new();
    match (views, servers) {
        (Views::Raft, 1) => words.push("one server: when it is down, nothing is granted".to_owned()),
        (Views::Raft, even) if even % 2 == 0 => {
            let (majority, more) = (even / 2 + 1, even + 1);
            words.push(format!(
                "{even} servers: a majority is {majority}, as with {more}; an odd number survives more"
            ));
        }
        (Views::Raft | Views::Etcd(_), _) => {}
    }
    if permissions.is_empty() {
        words.push("no [[permission]]: nobody may do anything but through the Unix socket".to_owned());
    }
    words
}
