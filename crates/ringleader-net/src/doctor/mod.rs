//! What is wrong: the port, the files, the certificates, the clocks, the way to the others. One finding a line, each
//! with what to type.

mod certificates;
mod clocks;
mod peers;
mod ports;

use crate::Advice;
use crate::config::{Config, Security, written};

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

/// What is to be looked at.
pub struct Question<'a> {
    /// The configuration, for that member if there is one.
    pub config: &'a Config,
    /// Its file, as it was named.
    pub file: &'a str,
    /// The member that this machine is to run.
    pub name: Option<&'a str>,
    /// Only this peer.
    pub peer: Option<&'a str>,
}

/// Looks at everything.
#[must_use]
pub fn examine(question: &Question<'_>) -> Vec<Finding> {
    let config = question.config;
    let mut findings = vec![overview(config)];
    findings.extend(config.warnings.iter().map(|warning| Finding::warning("config", warning)));
    let mut identity = None;
    let mut runs = false;
    if let Some(name) = question.name {
        match &config.security {
            Security::Plain => findings.push(
                Finding::warning(
                    "certificate",
                    "plain text: whoever reaches the ports on this machine is believed",
                )
                .help("fine for a trial; for several machines, certificates:")
                .command(format!("ringleader cert init --cluster {}", config.cluster.name)),
            ),
            Security::Tls { .. } => identity = certificates::examine(config, name, &mut findings),
        }
        runs = ports::examine(config, name, &mut findings);
    }
    clocks::examine(config, &mut findings);
    peers::examine(question, identity.as_ref(), runs, &mut findings);
    findings
}

fn overview(config: &Config) -> Finding {
    let cluster = &config.cluster;
    let groups: Vec<String> =
        cluster.groups.iter().map(|group| format!("{} ({})", group.name, group.entry.spec.name)).collect();
    let lease = written(cluster.timing.terms.lease);
    let majority = cluster.members.len() / 2 + 1;
    let words = format!(
        "cluster {}: {} members, {majority} are a majority; groups {}; lease {lease}",
        cluster.name,
        cluster.members.len(),
        groups.join(", ")
    );
    Finding::well("config", words)
}
