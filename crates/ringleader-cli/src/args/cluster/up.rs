//! `ringleader up`.

use crate::args::number::{at_least_one, number, small};
use crate::args::shared::{SettingsArgs, TopologyArg, name};
use crate::args::{Given, IdsArg, Patience};
use clap::Args;
use ringleader_lab::options::SettingOptions;
use ringleader_live::Micros;
use std::path::PathBuf;

/// Entries per process on a network when nobody says otherwise.
pub(crate) const ENTRIES_DEFAULT: u32 = 3;

#[derive(Args, Debug)]
pub(crate) struct UpArgs {
    /// The number of processes [default: 5, or as many as --ids lists].
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) nodes: Option<u32>,
    /// The algorithm that they run.
    #[arg(short, long, value_name = "ALGORITHM", required_unless_present = "service")]
    pub(crate) algorithm: Option<String>,
    /// Run a lock service instead: three servers with certificates, ready for `lock` and `elect`.
    #[arg(
        long,
        conflicts_with_all = ["algorithm", "ids", "topology", "range", "record", "kill_every", "plain", "events"]
    )]
    pub(crate) service: bool,
    /// Identities in ring order, as for `run`.
    #[arg(long, value_name = "LIST|@FILE|KIND", value_parser = Given::<IdsArg>::parse)]
    pub(crate) ids: Option<Given<IdsArg>>,
    /// The network, for algorithms that run on several.
    #[arg(long, value_name = "KIND")]
    pub(crate) topology: Option<TopologyArg>,
    /// The range of random identities.
    #[arg(long, value_name = "K", value_parser = small)]
    pub(crate) range: Option<u32>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Mutual exclusion: entries per process [default: 3; 100,000 of threads that share registers].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Mutual exclusion")]
    pub(crate) entries: Option<u32>,
    /// Mutual exclusion: time in the critical section.
    #[arg(long, value_name = "D", value_parser = span, default_value = "20ms", help_heading = "Mutual exclusion")]
    pub(crate) hold: Micros,
    /// Mutual exclusion: time between leaving and the next request.
    #[arg(long, value_name = "D", value_parser = span, default_value = "20ms", help_heading = "Mutual exclusion")]
    pub(crate) think: Micros,
    /// Stop as soon as there is a leader, or all entries are made.
    #[arg(long)]
    pub(crate) once: bool,
    /// Stop after this long; with --once, give up [default: 60s].
    #[arg(long = "for", value_name = "D", value_parser = Given::<Patience>::parse)]
    pub(crate) time: Option<Given<Patience>>,
    /// Kill a process this often, half of the time the leader, and restart it after a while.
    #[arg(long, value_name = "D", value_parser = Given::<Patience>::parse)]
    pub(crate) kill_every: Option<Given<Patience>>,
    /// Record the run, for `replay`, `trace` and the page.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Append events to this file, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Keep configuration, certificates, logs and events in this directory.
    #[arg(long, value_name = "DIR", visible_alias = "dir")]
    pub(crate) keep: Option<PathBuf>,
    /// Use plain text between the nodes instead of TLS.
    #[arg(long)]
    pub(crate) plain: bool,
    /// How long a grant lasts.
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) lease: Option<Micros>,
    /// The time between heartbeats.
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) heartbeat: Option<Micros>,
    /// How late a heartbeat may be before a node counts as down [default: 150ms].
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) pause: Option<Micros>,
    /// The seed of all random choices: identities, draws, which process is killed.
    #[arg(long, value_name = "S", value_parser = number)]
    pub(crate) seed: Option<u64>,
}

fn span(text: &str) -> Result<Micros, String> {
    ringleader_net::config::duration(text)
}

impl UpArgs {
    /// Entries per process on a network.
    pub(crate) fn entries(&self) -> u32 {
        self.entries.unwrap_or(ENTRIES_DEFAULT)
    }

    /// The words of the command that does the same.
    pub(crate) fn again(&self, algorithm: &str, seed: u64, json: bool) -> Vec<String> {
        let mut words = vec!["up".to_owned()];
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if let Some(nodes) = self.nodes {
            add("-n", nodes.to_string());
        }
        add("--algorithm", algorithm.to_owned());
        if let Some(ids) = &self.ids {
            add("--ids", ids.text.clone());
        }
        if let Some(topology) = self.topology {
            add("--topology", name(topology));
        }
        if let Some(range) = self.range {
            add("--range", range.to_string());
        }
        let written = ringleader_net::config::written;
        if let Some(entries) = self.entries.filter(|&entries| entries != ENTRIES_DEFAULT) {
            add("--entries", entries.to_string());
        }
        for (option, value) in [("--hold", self.hold), ("--think", self.think)] {
            if value != Micros::millis(20) {
                add(option, written(value));
            }
        }
        let times = [("--lease", self.lease), ("--heartbeat", self.heartbeat), ("--pause", self.pause)];
        for (option, value) in times {
            if let Some(value) = value {
                add(option, written(value));
            }
        }
        for (option, value) in [("--for", &self.time), ("--kill-every", &self.kill_every)] {
            if let Some(value) = value {
                add(option, value.text.clone());
            }
        }
        for (option, value) in
            [("--record", &self.record), ("--events", &self.events), ("--keep", &self.keep)]
        {
            if let Some(value) = value {
                add(option, value.display().to_string());
            }
        }
        add("--seed", seed.to_string());
        SettingOptions::from(self.settings.clone()).again(&mut words);
        let flags = [("--once", self.once), ("--plain", self.plain), ("--json", json)];
        words.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned()));
        words
    }
}
