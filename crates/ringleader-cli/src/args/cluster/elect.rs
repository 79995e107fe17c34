//! `ringleader elect`.

use clap::Args;
use ringleader_live::Micros;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "The command runs in a process group of its own and has RINGLEADER_GROUP, RINGLEADER_MEMBER, \
                  RINGLEADER_EPOCH and RINGLEADER_DEADLINE_MS (on CLOCK_BOOTTIME, as known when it starts) in its \
                  environment. INT, TERM, HUP, QUIT, USR1 and USR2 are passed on. What it leaves behind when it ends \
                  is stopped too. If this program is killed, the command is killed.\n\n\
                  Exit codes: the command's own, 128 and the signal that ended it · 75 not leading within --wait · 76 \
                  lost while it ran, and stopped · 126 cannot be run · 127 no such command · 2 wrong usage · 4 the \
                  member does not answer (for 5 seconds from the start)"
)]
pub(crate) struct ElectArgs {
    /// The group that runs an election; in a lock service, any name.
    pub(crate) group: String,
    /// The configuration file of the cluster or lock service.
    #[arg(long, value_name = "FILE", default_value = "cluster.toml", env = "RINGLEADER_CONFIG")]
    pub(crate) config: PathBuf,
    /// The running node to follow, usually on this machine; not for a lock service.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) reach: ElectReach,
    /// The address of its status [default: as the configuration says].
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    pub(crate) at: Option<String>,
    /// Wait at most this long to become the leader [default: no limit].
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<Span>,
    /// Send TERM this long before leadership may end [default: 2s, or two fifths of the lease if that is less].
    #[arg(long, value_name = "TIME")]
    pub(crate) grace: Option<Span>,
    /// Send KILL this long before leadership may end [default: 500ms, or a tenth of the lease if that is less].
    #[arg(long, value_name = "TIME")]
    pub(crate) kill_before: Option<Span>,
    /// A shell command to run after leadership was lost and the command was stopped.
    #[arg(long, value_name = "CMD", visible_alias = "on-loss")]
    pub(crate) on_lost: Option<String>,
    /// The command and its arguments; no shell is involved.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// What only a lock service knows.
#[derive(Args, Debug)]
#[command(next_help_heading = "Of a lock service")]
pub(crate) struct ElectReach {
    /// A server instead of a configuration (repeatable): https://HOST:PORT, https://HOST:PORT#NAME, or unix:PATH.
    #[arg(long, value_name = "URL", value_parser = super::lock::endpoint)]
    pub(crate) server: Vec<ringleader_client::Endpoint>,
    /// The certificate of the cluster's authority [default: as the configuration says].
    #[arg(long, value_name = "FILE")]
    pub(crate) authority: Option<PathBuf>,
    /// The certificate of this client; the key is in the file of the same name with the suffix .key.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// A file with a bearer token, instead of a certificate.
    #[arg(long, value_name = "FILE", conflicts_with = "certificate")]
    pub(crate) token_file: Option<PathBuf>,
    /// The lease class of the session.
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<super::lock::ClassArg>,
    /// What others see about the leader, such as its address.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) value: String,
    /// Priority among those who wait: the highest leads first.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) priority: u32,
    /// A shell command to run on becoming the leader, before the command.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_gain: Option<String>,
}

/// What `elect` starts, which becomes the command.
#[derive(Args, Debug)]
pub(crate) struct ElectExecArgs {
    /// The process that starts it.
    pub(crate) parent: u32,
    /// The command.
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

/// A time with its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span(pub(crate) Micros);

impl std::str::FromStr for Span {
    type Err = String;
    fn from_str(text: &str) -> Result<Span, String> {
        ringleader_net::config::duration(text).map(Span).map_err(|expected| format!("expected {expected}"))
    }
}

/// Where a status is served.
pub(super) fn address(text: &str) -> Result<String, String> {
    match ringleader_net::config::host_and_port(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(expected) => Err(format!("expected {expected}")),
    }
}
