//! Options and values that several commands have, and the words that say them again.

use super::number::small;
use crate::error::Diagnostic;
use clap::{Args, ValueEnum};
use ringleader::model::{Links, Orientation};
use ringleader::sim::Topology;

/// The algorithm's own settings.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct SettingsArgs {
    /// A setting of the algorithm's own; `ringleader show` lists them (repeatable).
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        value_parser = setting,
        help_heading = "The algorithm's own settings"
    )]
    pub(crate) set: Vec<(String, String)>,
    /// probabilistic-franklin: what ends the election, both or first.
    #[arg(long, value_name = "HOW", help_heading = "The algorithm's own settings")]
    pub(crate) ending: Option<String>,
    /// central: refusals are told.
    #[arg(long, help_heading = "The algorithm's own settings")]
    pub(crate) denied: bool,
    /// central: the election by which a new coordinator is found.
    #[arg(long, value_name = "NAME", help_heading = "The algorithm's own settings")]
    pub(crate) election: Option<String>,
    /// misra-k: how many tokens.
    #[arg(long, value_name = "K", value_parser = small, help_heading = "The algorithm's own settings")]
    pub(crate) tokens: Option<u32>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        Some(_) | None => Err("a name and a value, such as tokens=3".into()),
    }
}

impl SettingsArgs {
    /// The algorithm's own settings, by name.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        let mut settings = self.set.clone();
        let mut add = |name: &str, value: Option<String>| {
            settings.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("ending", self.ending.clone());
        add("denied", self.denied.then(|| "yes".to_owned()));
        add("election", self.election.clone());
        add("tokens", self.tokens.map(|tokens| tokens.to_string()));
        settings
    }

    /// The same; a setting that is given twice must have the same value both times.
    pub(crate) fn agreed(&self) -> Result<Vec<(String, String)>, Diagnostic> {
        let pairs = self.pairs();
        for (place, (name, value)) in pairs.iter().enumerate() {
            let Some((_, other)) =
                pairs[..place].iter().find(|(before, other)| before == name && other != value)
            else {
                continue;
            };
            let message = format!("`{name}` is given twice, as `{other}` and as `{value}`");
            return Err(Diagnostic::input("ringleader::contradiction", message)
                .help(format!("give it once: `--set {name}={value}`")));
        }
        Ok(pairs)
    }

    /// Those of them whose names are wanted: of several algorithms each takes its own.
    pub(crate) fn only(&self, wanted: impl Fn(&str) -> bool) -> SettingsArgs {
        SettingsArgs {
            set: self.set.iter().filter(|(name, _)| wanted(name)).cloned().collect(),
            ending: self.ending.clone().filter(|_| wanted("ending")),
            denied: self.denied && wanted("denied"),
            election: self.election.clone().filter(|_| wanted("election")),
            tokens: self.tokens.filter(|_| wanted("tokens")),
        }
    }

    /// Adds the words that say them again.
    pub(crate) fn again(&self, words: &mut Vec<String>) {
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        self.set.iter().for_each(|(name, value)| add("--set", format!("{name}={value}")));
        if let Some(ending) = &self.ending {
            add("--ending", ending.clone());
        }
        if let Some(election) = &self.election {
            add("--election", election.clone());
        }
        if let Some(tokens) = self.tokens {
            add("--tokens", tokens.to_string());
        }
        if self.denied {
            words.push("--denied".into());
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinksArg {
    /// In sending order.
    Fifo,
    /// In any order.
    Bag,
    /// In sending order, and two messages never pass each other.
    HalfDuplex,
}

impl From<LinksArg> for Links {
    fn from(links: LinksArg) -> Links {
        match links {
            LinksArg::Fifo => Links::Fifo,
            LinksArg::Bag => Links::Bag,
            LinksArg::HalfDuplex => Links::HalfDuplex,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OrientationArg {
    /// The same everywhere.
    Same,
    /// Each process its own: a run draws them, a check takes every way there is.
    Random,
}

impl From<OrientationArg> for Orientation {
    fn from(orientation: OrientationArg) -> Orientation {
        match orientation {
            OrientationArg::Same => Orientation::Same,
            OrientationArg::Random => Orientation::Random,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TopologyArg {
    /// A ring.
    Ring,
    /// Everybody with everybody.
    Complete,
    /// The tree 0 - 1 - 2 - ...
    Line,
    /// The tree with index 0 in the middle.
    Star,
    /// The binary tree, numbered as a heap.
    Binary,
    /// A random tree.
    Random,
}

impl From<TopologyArg> for Topology {
    fn from(topology: TopologyArg) -> Topology {
        match topology {
            TopologyArg::Ring => Topology::Ring,
            TopologyArg::Complete => Topology::Complete,
            TopologyArg::Line => Topology::Line,
            TopologyArg::Star => Topology::Star,
            TopologyArg::Binary => Topology::Binary,
            TopologyArg::Random => Topology::RandomTree,
        }
    }
}

/// The name of a value as clap knows it.
pub(crate) fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Words as a line that a shell takes apart into the same words.
pub(crate) fn quoted(program: &str, words: &[String]) -> String {
    let mut line = program.to_owned();
    for word in words {
        let safe = |c: char| c.is_alphanumeric() || "-_@%+=:,./^".contains(c);
        line.push(' ');
        if !word.is_empty() && word.chars().all(safe) {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', r"'\''"));
            line.push('\'');
        }
    }
    line
}
