//! `ringleader node`.

use clap::{Args, ValueEnum};
use ringleader_live::Micros;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct NodeArgs {
    /// The configuration file: the nodes, what they run, their certificates.
    #[arg(long, value_name = "FILE", env = "RINGLEADER_CONFIG", hide_env_values = true)]
    pub(crate) config: PathBuf,
    /// The name of this node in the configuration.
    #[arg(long, value_name = "NAME", env = "RINGLEADER_NAME", hide_env_values = true)]
    pub(crate) name: String,
    /// Use plain text instead of TLS: only if the configuration allows it, and only on this machine.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Record the processes of this node; `trace --merge` joins the recordings of all nodes.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Append events to this file, one JSON object per line, whatever the log level.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// The format of the log on stderr.
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) log_format: LogArg,
    /// The seed of the random choices of its processes [default: from the operating system].
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Lock service: when this server is asked to leave, let holders whose clients cannot move to another server keep
    /// their locks for this long.
    #[arg(long, value_name = "D", default_value = "30s", value_parser = ringleader_net::config::duration)]
    pub(crate) drain: Micros,
    /// Lock service: the smallest epoch that is accepted, after a backup was restored.
    #[arg(long, value_name = "E")]
    pub(crate) epoch_floor: Option<u32>,
    /// Leave when standard input ends: for programs that start nodes.
    #[arg(long, hide = true)]
    pub(crate) while_stdin: bool,
}

/// How log lines look.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogArg {
    /// One JSON object each.
    Json,
    /// For people.
    Text,
}
