//! `ringleader up`.

use crate::args::number::{at_least_one, number, small};
use crate::args::shared::{BackwardArg, SettingsArgs, TopologyArg, name};
use crate::args::{Given, IdsArg, Patience};
use clap::Args;
use ringleader::sim::{Backward, Clocks, Scatter};
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
    #[arg(value_name = "ALGORITHM", required_unless_present_any = ["algorithm", "service"])]
    pub(crate) name: Option<String>,
    /// The same, as an option.
    #[arg(short, long, value_name = "ALGORITHM", conflicts_with = "name")]
    pub(crate) algorithm: Option<String>,
    /// Run a lock service instead: three servers with certificates, ready for `lock` and `elect`.
    #[arg(
        long,
        conflicts_with_all = [
            "name", "algorithm", "ids", "topology", "range", "record", "kill_every", "plain", "events",
            "clock_offset", "clock_drift", "drift_bound", "clock_backward", "max_delay"
        ]
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
    /// How far each clock is off at the beginning, in ticks of a millisecond: a list (0,-40,25), or random:K for draws
    /// from -K to K [default: random:10].
    #[arg(
        long,
        value_name = "LIST|random:K",
        value_parser = Given::<Scatter>::parse,
        allow_hyphen_values = true,
        help_heading = "Clocks"
    )]
    pub(crate) clock_offset: Option<Given<Scatter>>,
    /// How much faster or slower than that of the machine each clock runs, in ppm [default: none drifts].
    #[arg(
        long,
        value_name = "LIST|random:K",
        value_parser = Given::<Scatter>::parse,
        allow_hyphen_values = true,
        help_heading = "Clocks"
    )]
    pub(crate) clock_drift: Option<Given<Scatter>>,
    /// The bound on the drift that processes are told, in ppm [default: the largest drift there is].
    #[arg(long, value_name = "PPM", value_parser = small, help_heading = "Clocks")]
    pub(crate) drift_bound: Option<u32>,
    /// What becomes of a clock that is ahead: it stands still until it is right, or runs more slowly [default: stop].
    #[arg(long, value_name = "HOW", help_heading = "Clocks")]
    pub(crate) clock_backward: Option<BackwardArg>,
    /// The longest delay of a message that processes are told [default: 200ms].
    #[arg(long, value_name = "D", value_parser = span, help_heading = "Clocks")]
    pub(crate) max_delay: Option<Micros>,
    /// Stop as soon as there is a leader, all entries are made, or all clocks are set.
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

    /// The algorithm, however it was given.
    pub(crate) fn asked(&self) -> &str {
        self.name.as_deref().or(self.algorithm.as_deref()).unwrap_or_default()
    }

    /// What clocks are like.
    pub(crate) fn clocks(&self) -> Clocks {
        let usual = Clocks::default();
        let given =
            |given: &Option<Given<Scatter>>, usual| given.as_ref().map_or(usual, |given| given.value.clone());
        Clocks {
            offsets: given(&self.clock_offset, usual.offsets),
            drifts: given(&self.clock_drift, usual.drifts),
            bound: self.drift_bound,
            backward: self.clock_backward.map_or(usual.backward, Into::into),
        }
    }

    /// Whether anything is said of clocks.
    pub(crate) fn speaks_of_clocks(&self) -> bool {
        let scatter = self.clock_offset.is_some() || self.clock_drift.is_some();
        scatter || self.drift_bound.is_some() || self.clock_backward.is_some() || self.max_delay.is_some()
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
        for (option, value) in [("--clock-offset", &self.clock_offset), ("--clock-drift", &self.clock_drift)]
        {
            if let Some(value) = value {
                add(option, value.text.clone());
            }
        }
        if let Some(bound) = self.drift_bound {
            add("--drift-bound", bound.to_string());
        }
        if let Some(how) = self.clock_backward {
            add("--clock-backward", Backward::from(how).name().to_owned());
        }
        let times = [("--max-delay", self.max_delay)].into_iter().chain([
            ("--lease", self.lease),
            ("--heartbeat", self.heartbeat),
            ("--pause", self.pause),
        ]);
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
