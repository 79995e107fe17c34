//! What is wrong: the port, the files, the certificates, the clocks, the way to the others. One finding a line, each
//! with what to type.

mod certificates;
mod clocks;
mod peers;
mod ports;

use crate::Advice;
use crate::client::{self, Unanswered};
use crate::config::{Config, Security, written};
use ringleader_live::Micros;
use std::time::Duration;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// As it should be.
    Well,
    /// It works, but not for long, or not as well.
    Warning,
    /// It does not work.
    Wrong,
}

impl Level {
    /// Its name in formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Well => "well",
            Level::Warning => "warning",
            Level::Wrong => "wrong",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How it is.
    pub level: Level,
    /// What it is about: `config`, `files`, `certificate`, `port`, `clock`, `peer`, `status`.
    pub about: &'static str,
    /// What was found.
    pub words: String,
    /// What to do.
    pub help: Vec<Advice>,
}

impl Finding {
    fn new(level: Level, about: &'static str, words: impl Into<String>) -> Finding {
        Finding { level, about, words: words.into(), help: Vec::new() }
    }

    fn well(about: &'static str, words: impl Into<String>) -> Finding {
        Finding::new(Level::Well, about, words)
    }

    fn warning(about: &'static str, words: impl Into<String>) -> Finding {
        Finding::new(Level::Warning, about, words)
    }

    fn wrong(about: &'static str, words: impl Into<String>) -> Finding {
        Finding::new(Level::Wrong, about, words)
    }

    fn help(mut self, text: impl Into<String>) -> Finding {
        self.help.push(Advice::Text(text.into()));
        self
    }

    fn command(mut self, command: impl Into<String>) -> Finding {
        self.help.push(Advice::Command(command.into(), String::new()));
        self
    }
}

/// Whom this is about: a cluster of members, or the servers of a lock service.
pub struct Subject<'a> {
    /// The name of the cluster.
    pub cluster: &'a str,
    /// How they know each other.
    pub security: &'a Security,
    /// How far clocks may be off, in parts per million.
    pub drift_ppm: u32,
    /// What it is, in a line.
    pub overview: String,
    /// What its configuration is worth a word for.
    pub warnings: &'a [String],
    /// Everybody, by place.
    pub members: Vec<Place<'a>>,
    /// Asks one of them how it is, at the address of its status.
    pub ask: fn(&str, Duration) -> Result<Said, Unanswered>,
}

impl Subject<'_> {
    /// The member with this name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Place<'_>> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// Where one of them is.
pub struct Place<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where the others reach it.
    pub peer: &'a str,
    /// Where it listens for them.
    pub listen: &'a str,
    /// Where it tells how it is.
    pub status: Option<&'a str>,
    /// Where else it listens, and for whom.
    pub also: Vec<(&'a str, &'static str)>,
}

/// What one of them says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Its name.
    pub member: String,
    /// Its cluster.
    pub cluster: String,
    /// Its wall clock, in milliseconds since 1970.
    pub wall_ms: u64,
    /// How long the answer took.
    pub took: Micros,
    /// The others: who, whether they are heard, and by how many parts per million their clocks run wrong.
    pub peers: Vec<(String, bool, i64)>,
}

impl<'a> From<&'a Config> for Subject<'a> {
    fn from(config: &'a Config) -> Subject<'a> {
        let members = config.cluster.members.iter().zip(&config.addresses).map(|(member, address)| Place {
            name: &member.name,
            peer: &address.peer,
            listen: &address.listen,
            status: address.status.as_deref(),
            also: Vec::new(),
        });
        Subject {
            cluster: &config.cluster.name,
            security: &config.security,
            drift_ppm: config.cluster.timing.terms.drift,
            overview: overview(config),
            warnings: &config.warnings,
            members: members.collect(),
            ask: ask_member,
        }
    }
}

fn ask_member(address: &str, patience: Duration) -> Result<Said, Unanswered> {
    let answer = client::ask(address, patience)?;
    let status = answer.status;
    let peers = status.peers.into_iter().map(|peer| (peer.member, peer.heard, peer.clock_off_ppm));
    Ok(Said {
        member: status.member,
        cluster: status.cluster,
        wall_ms: status.wall_ms,
        took: answer.took,
        peers: peers.collect(),
    })
}

/// What is to be looked at.
pub struct Question<'a> {
    /// Whom this is about, as the member sees it if there is one.
    pub subject: Subject<'a>,
    /// The file of its configuration, as it was named.
    pub file: &'a str,
    /// The member that this machine is to run.
    pub name: Option<&'a str>,
    /// Only this peer.
    pub peer: Option<&'a str>,
}

/// Looks at everything.
#[must_use]
pub fn examine(question: &Question<'_>) -> Vec<Finding> {
    let subject = &question.subject;
    let mut findings = vec![Finding::well("config", subject.overview.as_str())];
    findings.extend(subject.warnings.iter().map(|warning| Finding::warning("config", warning)));
    let mut identity = None;
    let mut runs = false;
    if let Some(name) = question.name {
        match subject.security {
            Security::Plain => findings.push(
                Finding::warning(
                    "certificate",
                    "plain text: whoever reaches the ports on this machine is believed",
                )
                .help("fine for a trial; for several machines, certificates:")
                .command(format!("ringleader cert init --cluster {}", subject.cluster)),
            ),
            Security::Tls { .. } => identity = certificates::examine(subject, name, &mut findings),
        }
        runs = ports::examine(subject, name, &mut findings);
    }
    clocks::examine(subject.drift_ppm, &mut findings);
    peers::examine(question, identity.as_ref(), runs, &mut findings);
    findings
}

fn overview(config: &Config) -> String {
    let cluster = &config.cluster;
    let groups: Vec<String> =
        cluster.groups.iter().map(|group| format!("{} ({})", group.name, group.entry.spec.name)).collect();
    let lease = written(cluster.timing.terms.lease);
    let majority = cluster.members.len() / 2 + 1;
    format!(
        "cluster {}: {} members, {majority} are a majority; groups {}; lease {lease}",
        cluster.name,
        cluster.members.len(),
        groups.join(", ")
    )
}
