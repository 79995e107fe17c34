//! The configuration of a cluster: one TOML file for all its members, with overrides from the environment. Every
//! mistake has its place.

#[cfg(test)]
mod complaints;
pub mod document;
mod environment;
mod group;
pub mod member;
mod node;
pub mod quantity;
mod section;
pub mod security;
#[cfg(test)]
mod tests;
mod timing;
pub mod values;

pub use environment::Environment;
pub use quantity::{duration, host_and_port, is_loopback, is_name, written};
pub use security::Security;

use crate::problem::Problem;
use document::{Document, Format};
use group::Group;
use member::Member;
use ringleader::registry::Entry;
use ringleader_live::{Cluster, Place};
use security::{Plain, TLS_KEYS, Tls};
use serde::{Deserialize, Serialize};
use std::path::Path;
use timing::Times;
use values::{ClusterName, Text, Word, one_of};

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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// What went wrong.
    Error,
    /// And what may.
    Warn,
    /// And what happens.
    #[default]
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

impl Word for Level {
    const EXPECTED: &'static str = "a level such as \"info\"";

    fn read(text: &str) -> Result<Level, String> {
        one_of(&Level::ALL.map(|level| (level.name(), level)), text)
    }

    fn written(&self) -> String {
        self.name().to_owned()
    }
}

crate::words!(Level);

/// A cluster as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Text,
    cluster: ClusterName,
    #[serde(default)]
    log: Level,
    #[serde(default)]
    member: Vec<Member>,
    #[serde(default)]
    group: Vec<Group>,
    #[serde(default)]
    timing: Times,
    tls: Option<Tls>,
    plain: Option<Plain>,
}

const FORMAT: Format = Format {
    schema: CLUSTER_SCHEMA,
    other_schema: "this program reads `ringleader.cluster/1`",
    purpose: "a cluster",
    example: EXAMPLE,
    needs: &[
        ("schema", "it does not begin with schema = \"ringleader.cluster/1\""),
        ("cluster", "the cluster has no name"),
        ("member.name", "this member has no name: name = \"b\""),
        ("group.algorithm", "this group has no algorithm: algorithm = \"franklin\""),
        ("group.name", "this group has no name: name = \"main\""),
    ],
    needs_named: &[("member.address", "this member has no address: address = \"10.0.0.2:7421\"")],
};

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
        let text = FORMAT.load(path)?;
        let config = Config::parse(&text, &path.display().to_string(), registry, name, environment)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(Config { security: config.security.with_paths(|path| folder.join(path)), ..config })
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
        let mut document = Document::parse(&FORMAT, file, text)?;
        let mut families = vec![
            ("TIMING_".to_owned(), "timing".to_owned(), Times::KEYS),
            ("TLS_".to_owned(), "tls".to_owned(), TLS_KEYS),
        ];
        families.extend(member::variables(&document, "member", member::VARIABLES));
        document.override_by(environment, &families)?;
        let config = Config::of(document.read()?, &document, registry)?;
        let Some(name) = name else { return Ok(config) };
        if config.place(name).is_none() {
            let names = config.cluster.members.iter().map(|member| member.name.as_str());
            return Err(document::no_such("member", file, name, &names.collect::<Vec<_>>()));
        }
        Ok(Config { security: config.security.of_member(name), ..config })
    }

    fn of(file: File, document: &Document<'_>, registry: &'static [Entry]) -> Result<Config, Problem> {
        document.is_of(&file.schema.0)?;
        if file.member.is_empty() {
            return Err(document.lacks("the cluster has no [[member]]"));
        }
        let (members, addresses, reached) = member::read(document, &file.member)?;
        let security = Security::read(document, file.tls, file.plain, &reached)?;
        if file.group.is_empty() {
            return Err(document.lacks("there is nothing to do: no [[group]]"));
        }
        let groups = group::read(document, &file.group, &members, registry)?;
        let timing = file.timing.whole();
        timing::check(document, &timing)?;
        let warnings = warnings(&members);
        let cluster = Cluster { name: file.cluster.0, members, groups, timing };
        Ok(Config { cluster, addresses, security, log: file.log, warnings })
    }

    /// The file that says this. Reading it gives the same again.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let (tls, plain) = self.security.sections();
        let members = self.cluster.members.iter().zip(&self.addresses);
        document::written(&File {
            schema: Text(CLUSTER_SCHEMA.to_owned()),
            cluster: ClusterName(self.cluster.name.clone()),
            log: self.log,
            member: members.map(|(member, address)| Member::of(member, address)).collect(),
            group: self.cluster.groups.iter().map(Group::of).collect(),
            timing: Times::from(&self.cluster.timing),
            tls,
            plain,
        })
    }

    /// The place of the member with this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<Place> {
        self.cluster.members.iter().position(|member| member.name == name).map(|place| place as Place)
    }
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
