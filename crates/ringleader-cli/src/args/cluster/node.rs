//! `ringleader node`.

use clap::{Args, ValueEnum};
use ringleader_live::Micros;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct NodeArgs {
    /// The cluster: its members, what they do together, their certificates.
    #[arg(long, value_name = "FILE", env = "RINGLEADER_CONFIG", hide_env_values = true)]
    pub(crate) config: PathBuf,
    /// Which member this is.
    #[arg(long, value_name = "NAME", env = "RINGLEADER_NAME", hide_env_values = true)]
    pub(crate) name: String,
    /// Plain text instead of TLS: only where the file allows it too, and only on this machine.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Record what this member's processes do; `trace --merge` makes a run of the recordings of all members.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Append what happens to this file, one JSON object per line, whatever the level of the log.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// How log lines look, on stderr.
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub(crate) log_format: LogArg,
    /// What its processes draw from; from the operating system if none.
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// A lock service: for how long holders whose clients cannot follow to another server may keep what they hold when
    /// this one is asked to leave.
    #[arg(long, value_name = "D", default_value = "30s", value_parser = ringleader_net::config::duration)]
    pub(crate) drain: Micros,
    /// A lock service whose backup was put back: no epoch may be below this one.
    #[arg(long, value_name = "E")]
    pub(crate) epoch_floor: Option<u32>,
    /// Leave when standard input ends: for programs that start members.
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
