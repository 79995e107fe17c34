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
mod write;

pub use access::{Permission, Right, Rights, Secret, Token, Who, sha256};
pub use server::ServerAddress;
pub use times::Pace;

use ringleader_locks::{Class, ServerId};
use ringleader_net::config::source::{Given, Key, Origin, Source, Value, in_order, name};
use ringleader_net::config::{Environment, Level, Security, level, refuse_others, security};
use ringleader_net::{Problem, Spot};
use std::path::{Path, PathBuf};
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
    /// What is allowed, but worth a word.
    pub warnings: Vec<String>,
}

/// Where the view is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Views {
    /// By the servers themselves.
    Raft,
    /// In an etcd that is there already.
    Etcd(Etcd),
}

/// An etcd that is there already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Etcd {
    /// Where it answers clients: `http://host:2379` or `https://host:2379`.
    pub endpoints: Vec<String>,
    /// The certificate of its authority, for `https`.
    pub authority: Option<PathBuf>,
    /// Our own certificate and its key, if it asks for one.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Views {
    fn with_paths(self, change: impl Fn(&Path) -> PathBuf) -> Views {
        match self {
            Views::Raft => Views::Raft,
            Views::Etcd(etcd) => Views::Etcd(Etcd {
                authority: etcd.authority.as_deref().map(&change),
                identity: etcd.identity.map(|(certificate, key)| (change(&certificate), change(&key))),
                ..etcd
            }),
        }
    }
}

const KEYS: [&str; 12] = [
    "schema",
    "cluster",
    "log",
    "data",
    "tls",
    "plain",
    "server",
    "views",
    "times",
    "class",
    "token",
    "permission",
];

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
        let file = path.display().to_string();
        let bad = |why: String| {
            Problem::input("bad_file", format!("cannot read {file}: {why}"))
                .help("a lock service is described by a TOML file; the shortest is:")
                .example(EXAMPLE)
        };
        let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
        let config = Config::parse(&text, &file, name, environment)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(match folder {
            Some(folder) => config.relative_to(folder),
            None => config,
        })
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
        let config = read(&Source { name: file, text, environment })?;
        match name {
            Some(name) if config.place(name).is_none() => Err(config.no_such_server(file, name)),
            Some(name) => Ok(config.of_server(name)),
            None => Ok(config),
        }
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

    fn of_server(self, name: &str) -> Config {
        let named = |path: &Path| PathBuf::from(path.to_string_lossy().replace("{name}", name));
        let mut config = Config { data: named(&self.data), security: self.security.of_member(name), ..self };
        for server in &mut config.servers {
            let own = server.name.clone();
            let replaced = |path: &PathBuf| PathBuf::from(path.to_string_lossy().replace("{name}", &own));
            server.socket = server.socket.as_ref().map(replaced);
        }
        config.views = config.views.with_paths(named);
        config
    }

    fn relative_to(self, folder: &Path) -> Config {
        let mut config =
            Config { data: folder.join(&self.data), security: self.security.relative_to(folder), ..self };
        for server in &mut config.servers {
            server.socket = server.socket.as_ref().map(|path| folder.join(path));
        }
        config.views = config.views.with_paths(|path| folder.join(path));
        config
    }

    /// No server has this name.
    #[must_use]
    pub fn no_such_server(&self, file: &str, name: &str) -> Problem {
        let names: Vec<&str> = self.servers.iter().map(|server| server.name.as_str()).collect();
        let problem = Problem::input("unknown_member", format!("no server of {file} is called `{name}`"));
        match ringleader_net::suggest::closest(name, names.iter().copied()) {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem.help(format!("its servers are {}", names.join(", "))),
        }
    }
}

/// The sections of a file as they were found.
#[derive(Default)]
struct Sections<'t, 'i> {
    schema: Option<Given>,
    cluster: Option<Given>,
    log: Option<Given>,
    data: Option<Given>,
    tls: security::Section<'t, 'i>,
    plain: security::Section<'t, 'i>,
    servers: Vec<(std::ops::Range<usize>, &'t DeTable<'i>)>,
    views: Option<(Origin, &'t DeTable<'i>)>,
    times: Option<&'t DeTable<'i>>,
    classes: Vec<(std::ops::Range<usize>, &'t DeTable<'i>)>,
    tokens: Vec<(std::ops::Range<usize>, &'t DeTable<'i>)>,
    permissions: Vec<(std::ops::Range<usize>, &'t DeTable<'i>)>,
}

impl<'t, 'i> Sections<'t, 'i> {
    fn take(&mut self, source: &Source<'_>, key: &Key<'i>, value: &'t Value<'i>) -> Result<(), Problem> {
        match key.get_ref().as_ref() {
            "schema" => self.schema = Some(source.string(value, "a string")?),
            "cluster" => self.cluster = Some(source.string(value, "the name of the cluster")?),
            "log" => self.log = Some(source.string(value, "a level such as \"info\"")?),
            "data" => self.data = Some(source.string(value, "a path such as \"data/{name}\"")?),
            "tls" => self.tls = Some((Origin::At(key.span()), source.table(key, value)?)),
            "plain" => self.plain = Some((Origin::At(key.span()), source.table(key, value)?)),
            "server" => self.servers = source.tables(key, value)?,
            "views" => self.views = Some((Origin::At(key.span()), source.table(key, value)?)),
            "times" => self.times = Some(source.table(key, value)?),
            "class" => self.classes = source.tables(key, value)?,
            "token" => self.tokens = source.tables(key, value)?,
            "permission" => self.permissions = source.tables(key, value)?,
            _ => return Err(source.unknown(key, KEYS.into_iter())),
        }
        Ok(())
    }
}

fn read(source: &Source<'_>) -> Result<Config, Problem> {
    let root = DeTable::parse(source.text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        Problem {
            file: Some(source.name.to_owned()),
            spots: vec![Spot::of(source.text, &place, error.message().replace('\n', ", "))],
            ..Problem::input("bad_file", format!("cannot read {}", source.name))
        }
    })?;
    let mut said = Sections::default();
    for (key, value) in in_order(root.get_ref()) {
        said.take(source, key, value)?;
    }
    let missing = |what: &str| {
        Problem::input("bad_file", format!("{}: {what}", source.name))
            .help("the shortest file is:")
            .example(EXAMPLE)
    };
    match &said.schema {
        Some(given) if given.text == SERVICE_SCHEMA => {}
        Some(given) => {
            let label = format!("a lock service is described by `{SERVICE_SCHEMA}`");
            return Err(source.bad(&given.origin, &label));
        }
        None => return Err(missing(&format!("it does not begin with schema = \"{SERVICE_SCHEMA}\""))),
    }
    let cluster = said.cluster.ok_or_else(|| missing("the cluster has no name"))?;
    let cluster = name(source, &cluster)?;
    let rows = server::read(source, &said.servers)?;
    if rows.is_empty() {
        return Err(missing("the service has no [[server]]"));
    }
    let reached: Vec<_> = rows.iter().flat_map(server::Row::addresses).collect();
    let security = security::read(source, said.tls, said.plain, &reached)?
        .ok_or_else(|| missing("there is no [tls]"))?;
    let data = source.variable("RINGLEADER_DATA").or(said.data);
    let data = data.ok_or_else(|| missing("there is no `data`: the folder of a server's files"))?;
    if data.text.is_empty() || rows.len() > 1 && !data.text.contains("{name}") {
        let label = "expected a folder for each server: a path with {name} in it, such as \"data/{name}\"";
        return Err(source.bad(&data.origin, label));
    }
    let names: Vec<String> = rows.iter().map(|row| row.server.name.clone()).collect();
    refuse_others(source, &variables(&names), &["SERVER_", "TIMES_", "TLS_", "DATA"])?;
    let views = views(source, said.views)?;
    let (tokens, mut warnings) = access::tokens(source, &said.tokens)?;
    let permissions = access::permissions(source, &said.permissions, &tokens)?;
    warnings.extend(worth_a_word(rows.len(), &views, &permissions));
    Ok(Config {
        cluster,
        log: level(source, source.variable("RINGLEADER_LOG").or(said.log))?,
        data: PathBuf::from(data.text),
        security,
        servers: rows.into_iter().map(|row| row.server).collect(),
        views,
        pace: times::read(source, said.times)?,
        classes: times::classes(source, &said.classes)?,
        tokens,
        permissions,
        warnings,
    })
}

/// The variables that mean something.
fn variables(names: &[String]) -> Vec<String> {
    let mut known: Vec<String> =
        times::KEYS.iter().map(|key| format!("RINGLEADER_TIMES_{}", key.to_uppercase())).collect();
    known.extend(["AUTHORITY", "CERTIFICATE", "KEY"].map(|what| format!("RINGLEADER_TLS_{what}")));
    known.push("RINGLEADER_DATA".to_owned());
    for name in names {
        known.extend(server::VARIABLES.iter().map(|what| server::variable(name, what)));
    }
    known
}

const VIEW_KEYS: [&str; 5] = ["store", "endpoints", "authority", "certificate", "key"];

fn views(source: &Source<'_>, said: Option<(Origin, &DeTable<'_>)>) -> Result<Views, Problem> {
    let Some((at, table)) = said else { return Ok(Views::Raft) };
    let (mut store, mut endpoints) = (None, None);
    let mut files: [Option<Given>; 3] = [None, None, None];
    for (key, value) in in_order(table) {
        match key.get_ref().as_ref() {
            "store" => store = Some(source.string(value, "\"raft\" or \"etcd\"")?),
            "endpoints" => {
                let expected = "addresses such as [\"http://10.0.0.9:2379\"]";
                let items = value.get_ref().as_array().ok_or_else(|| source.kind(value, expected))?;
                let all: Result<Vec<_>, _> =
                    items.iter().map(|item| source.string(item, expected).map(|given| given.text)).collect();
                endpoints = Some((Origin::At(key.span()), all?));
            }
            "authority" => files[0] = Some(source.string(value, "a path")?),
            "certificate" => files[1] = Some(source.string(value, "a path")?),
            "key" => files[2] = Some(source.string(value, "a path")?),
            _ => return Err(source.unknown(key, VIEW_KEYS.into_iter())),
        }
    }
    match store.as_ref().map(|given| given.text.as_str()) {
        None | Some("raft") => {
            let first =
                endpoints.map(|(at, _)| at).or(files.into_iter().flatten().next().map(|it| it.origin));
            match first {
                None => Ok(Views::Raft),
                Some(at) => {
                    let label =
                        "this is for store = \"etcd\"; with Raft the servers keep the view themselves";
                    Err(source.bad(&at, label))
                }
            }
        }
        Some("etcd") => {
            let missing = "there is no `endpoints` here: endpoints = [\"http://10.0.0.9:2379\"]";
            let (at, endpoints) = endpoints.ok_or_else(|| source.bad(&at, missing))?;
            if endpoints.is_empty() {
                return Err(source.bad(&at, "expected at least one address"));
            }
            let [authority, certificate, key] = files;
            let identity = match (certificate, key) {
                (None, None) => None,
                (Some(certificate), Some(key)) => Some((certificate.text.into(), key.text.into())),
                (Some(one), None) | (None, Some(one)) => {
                    return Err(source.bad(&one.origin, "`certificate` and `key` come together"));
                }
            };
            let authority = authority.map(|given| PathBuf::from(given.text));
            Ok(Views::Etcd(Etcd { endpoints, authority, identity }))
        }
        Some(other) => {
            let label = format!("expected \"raft\" or \"etcd\", found `{other}`");
            Err(source.bad(&store.as_ref().map_or(at, |given| given.origin.clone()), &label))
        }
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
