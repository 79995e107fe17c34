//! The configuration of a cluster: one TOML file for all its members, with overrides from the environment. Every
//! mistake has its place.

#[cfg(test)]
mod complaints;
mod environment;
mod group;
mod member;
pub mod quantity;
pub mod security;
pub mod source;
#[cfg(test)]
mod tests;
mod timing;
mod write;

pub use environment::{Environment, refuse_others};
pub use quantity::{duration, host_and_port, is_loopback, written};
pub use security::Security;
pub use source::is_name;

use crate::problem::{Problem, Spot};
use ringleader::registry::Entry;
use ringleader_live::{Cluster, Place};
use source::{Given, Origin, Source, in_order};
use std::path::Path;
use toml::de::DeTable;

/// The schema that a configuration names.
pub const CLUSTER_SCHEMA: &str = "ringleader.cluster/1";

/// A cluster, where its members are, and how they trust each other.
#[derive(Clone)]
pub struct Config {
    /// What the library knows of it.
    pub cluster: Cluster,
    /// Where each member is, by place.
    pub addresses: Vec<Address>,
    /// How members know each other.
    pub security: Security,
    /// How much is logged.
    pub log: Level,
    /// What is allowed, but worth a word.
    pub warnings: Vec<String>,
}

/// Where a member is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// Where the others reach it, as host and port.
    pub peer: String,
    /// Where it listens: the same, unless it is behind something.
    pub listen: String,
    /// Where its status is served by HTTP, if it is.
    pub status: Option<String>,
}

/// How much is logged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What went wrong.
    Error,
    /// And what may.
    Warn,
    /// And what happens.
    Info,
    /// And why.
    Debug,
    /// And every frame.
    Trace,
}

impl Level {
    /// All of them, the most important first.
    pub const ALL: [Level; 5] = [Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

const KEYS: [&str; 8] = ["schema", "cluster", "log", "member", "group", "timing", "tls", "plain"];

/// A small file to begin with.
const EXAMPLE: &str = "schema = \"ringleader.cluster/1\"
cluster = \"demo\"
[tls]
authority = \"ca.pem\"
certificate = \"{name}.pem\"
key = \"{name}.key\"
[[member]]
name = \"a\"
address = \"10.0.0.1:7421\"
status = \"10.0.0.1:7422\"
[[group]]
name = \"main\"
algorithm = \"franklin\"";

impl Config {
    /// Reads a file. With the name of a member, `{name}` in paths stands for it.
    ///
    /// # Errors
    /// If it cannot be read, or says what it may not say, or the environment does, or no member has this name.
    pub fn read(
        path: &Path,
        registry: &'static [Entry],
        name: Option<&str>,
        environment: &Environment,
    ) -> Result<Config, Problem> {
        let file = path.display().to_string();
        let bad = |why: String| {
            Problem::input("bad_file", format!("cannot read {file}: {why}"))
                .help("a cluster is described by a TOML file; the shortest is:")
                .example(EXAMPLE)
        };
        let bytes = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
        let config = Config::parse(&text, &file, registry, name, environment)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(match folder {
            Some(folder) => Config { security: config.security.relative_to(folder), ..config },
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
        registry: &'static [Entry],
        name: Option<&str>,
        environment: &Environment,
    ) -> Result<Config, Problem> {
        let source = Source { name: file, text, environment };
        let config = read(&source, registry)?;
        let Some(name) = name else { return Ok(config) };
        if config.place(name).is_none() {
            return Err(config.no_such_member(file, name));
        }
        Ok(Config { security: config.security.of_member(name), ..config })
    }

    /// The place of the member with this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<Place> {
        self.cluster.members.iter().position(|member| member.name == name).map(|place| place as Place)
    }

    /// No member has this name.
    fn no_such_member(&self, file: &str, name: &str) -> Problem {
        let names: Vec<&str> = self.cluster.members.iter().map(|member| member.name.as_str()).collect();
        let problem = Problem::input("unknown_member", format!("no member of {file} is called `{name}`"));
        match crate::suggest::closest(name, names.iter().copied()) {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem.help(format!("its members are {}", names.join(", "))),
        }
    }
}

fn read(source: &Source<'_>, registry: &'static [Entry]) -> Result<Config, Problem> {
    let root = DeTable::parse(source.text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        Problem {
            file: Some(source.name.to_owned()),
            spots: vec![Spot::of(source.text, &place, error.message().replace('\n', ", "))],
            ..Problem::input("bad_file", format!("cannot read {}", source.name))
        }
    })?;
    let (mut schema, mut cluster, mut log) = (None, None, None);
    let (mut members, mut groups) = (Vec::new(), Vec::new());
    let (mut times, mut tls, mut plain) = (None, None, None);
    for (key, value) in in_order(root.get_ref()) {
        match key.get_ref().as_ref() {
            "schema" => schema = Some(source.string(value, "a string")?),
            "cluster" => cluster = Some(source.string(value, "the name of the cluster")?),
            "log" => log = Some(source.string(value, "a level such as \"info\"")?),
            "member" => members = source.tables(key, value)?,
            "group" => groups = source.tables(key, value)?,
            "timing" => times = Some(source.table(key, value)?),
            "tls" => tls = Some((Origin::At(key.span()), source.table(key, value)?)),
            "plain" => plain = Some((Origin::At(key.span()), source.table(key, value)?)),
            _ => return Err(source.unknown(key, KEYS.into_iter())),
        }
    }
    let missing = |what: &str| {
        Problem::input("bad_file", format!("{}: {what}", source.name))
            .help("the shortest file is:")
            .example(EXAMPLE)
    };
    match schema {
        Some(given) if given.text == CLUSTER_SCHEMA => {}
        Some(given) => {
            let label = format!("this program reads `{CLUSTER_SCHEMA}`");
            return Err(source.bad(&given.origin, &label));
        }
        None => return Err(missing(&format!("it does not begin with schema = \"{CLUSTER_SCHEMA}\""))),
    }
    let cluster = cluster.ok_or_else(|| missing("the cluster has no name"))?;
    let name = source::name(source, &cluster)?;
    let rows = member::read(source, &members)?;
    if rows.is_empty() {
        return Err(missing("the cluster has no [[member]]"));
    }
    let reached: Vec<_> = rows.iter().flat_map(member::Row::addresses).collect();
    let security =
        security::read(source, tls, plain, &reached)?.ok_or_else(|| missing("there is no [tls]"))?;
    let (mut specs, mut addresses) = (Vec::new(), Vec::new());
    for row in rows {
        specs.push(row.member);
        addresses.push(row.address);
    }
    environment::refuse_unknown(source, &specs)?;
    if groups.is_empty() {
        return Err(missing("there is nothing to do: no [[group]]"));
    }
    let groups = group::read(source, &groups, &specs, registry)?;
    let timing = timing::read(source, times)?;
    let log = level(source, source.variable("RINGLEADER_LOG").or(log))?;
    let warnings = warnings(&specs);
    let cluster = Cluster { name, members: specs, groups, timing };
    Ok(Config { cluster, addresses, security, log, warnings })
}

/// What is allowed, but probably not meant.
fn warnings(members: &[ringleader_live::MemberSpec]) -> Vec<String> {
    match members.len() {
        1 => vec!["one member: when it is down, nobody leads".to_owned()],
        2 => {
            vec!["two members: a majority of 2 is 2, so nobody leads while either is down; take 3".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// Reads the level of logs; info if nothing is said.
///
/// # Errors
/// If there is no such level.
pub fn level(source: &Source<'_>, given: Option<Given>) -> Result<Level, Problem> {
    let Some(given) = given else { return Ok(Level::Info) };
    let found = Level::ALL.into_iter().find(|level| level.name() == given.text);
    found.ok_or_else(|| {
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        let label = format!("expected one of {}, found `{}`", names.join(", "), given.text);
        source.bad(&given.origin, &label)
    })
}
