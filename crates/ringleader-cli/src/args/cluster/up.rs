//! `ringleader up`.

use crate::args::number::{at_least_one, number, small};
use crate::args::shared::{SettingsArgs, TopologyArg, name};
use crate::args::{Given, IdsArg, Patience};
use clap::Args;
use ringleader_lab::options::SettingOptions;
use ringleader_live::Micros;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct UpArgs {
    /// How many members: real processes on this machine (default 5, or as many as --ids lists).
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) nodes: Option<u32>,
    /// What they run.
    #[arg(short, long, value_name = "ALGORITHM", required_unless_present = "service")]
    pub(crate) algorithm: Option<String>,
    /// A lock and leader service instead: three servers, with certificates, ready for `lock` and `elect`.
    #[arg(
        long,
        conflicts_with_all = ["algorithm", "ids", "topology", "range", "record", "kill_every", "plain", "events"]
    )]
    pub(crate) service: bool,
    /// Their identities in ring order, as `run` takes them.
    #[arg(long, value_name = "LIST|@FILE|KIND", value_parser = Given::<IdsArg>::parse)]
    pub(crate) ids: Option<Given<IdsArg>>,
    /// The network, for algorithms that admit several.
    #[arg(long, value_name = "KIND")]
    pub(crate) topology: Option<TopologyArg>,
    /// The range of random identities.
    #[arg(long, value_name = "K", value_parser = small)]
    pub(crate) range: Option<u32>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Mutual exclusion: how often each user wants in.
    #[arg(long, value_name = "K", value_parser = small, default_value = "3", help_heading = "Mutual exclusion")]
    pub(crate) entries: u32,
    /// For how long it stays.
    #[arg(long, value_name = "D", value_parser = span, default_value = "20ms", help_heading = "Mutual exclusion")]
    pub(crate) hold: Micros,
    /// For how long it is elsewhere.
    #[arg(long, value_name = "D", value_parser = span, default_value = "20ms", help_heading = "Mutual exclusion")]
    pub(crate) think: Micros,
    /// Stop as soon as somebody leads, or every user has been in as often as it wants.
    #[arg(long)]
    pub(crate) once: bool,
    /// Stop after so long (with --once: give up; 60s).
    #[arg(long = "for", value_name = "D", value_parser = Given::<Patience>::parse)]
    pub(crate) time: Option<Given<Patience>>,
    /// Kill a member so often, the leader half of the time, and start it again after a while.
    #[arg(long, value_name = "D", value_parser = Given::<Patience>::parse)]
    pub(crate) kill_every: Option<Given<Patience>>,
    /// Record the run: what `replay`, `trace` and the page take.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Append what happens to this file, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Keep everything (configuration, certificates, logs, events) in this directory.
    #[arg(long, value_name = "DIR", visible_alias = "dir")]
    pub(crate) keep: Option<PathBuf>,
    /// Plain text between the members instead of TLS.
    #[arg(long)]
    pub(crate) plain: bool,
    /// For how long a grant lasts.
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) lease: Option<Micros>,
    /// How often members say that they are there.
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) heartbeat: Option<Micros>,
    /// How much later than usual a heartbeat may come before a member counts as down [default: 150ms].
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Times")]
    pub(crate) pause: Option<Micros>,
    /// What is drawn: identities, choices, who is killed.
    #[arg(long, value_name = "S", value_parser = number)]
    pub(crate) seed: Option<u64>,
}

fn span(text: &str) -> Result<Micros, String> {
    ringleader_net::config::duration(text)
}

impl UpArgs {
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
        if self.entries != 3 {
            add("--entries", self.entries.to_string());
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
