//! `ringleader members`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 done · 2 bad input · 4 refused, or nobody answers")]
pub(crate) struct MembersArgs {
    /// The configuration of the service.
    #[arg(long, value_name = "FILE", default_value = "service.toml", global = true)]
    pub(crate) config: PathBuf,
    #[command(subcommand)]
    pub(crate) change: Option<MemberChange>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum MemberChange {
    /// No new sessions there; those that there are move to other servers with their locks, and it leaves the view.
    Drain(OneServer),
    /// Without its vote: for a server that has stopped for good.
    Remove(OneServer),
    /// With a vote: for a server that runs, and is in the file.
    Add(OneServer),
}

#[derive(Args, Debug)]
pub(crate) struct OneServer {
    /// The server.
    pub(crate) name: String,
}
