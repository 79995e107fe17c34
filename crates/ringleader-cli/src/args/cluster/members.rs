//! `ringleader members`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 done · 2 bad input · 4 refused, or nobody answers")]
pub(crate) struct MembersArgs {
    /// The configuration file of the service.
    #[arg(long, value_name = "FILE", default_value = "service.toml", global = true)]
    pub(crate) config: PathBuf,
    #[command(subcommand)]
    pub(crate) change: Option<MemberChange>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum MemberChange {
    /// Drain a server: it takes no new sessions, the others move away with their locks, and it leaves the membership.
    Drain(OneServer),
    /// Remove a server that has stopped for good; it loses its vote.
    Remove(OneServer),
    /// Add a server that is running and listed in the configuration; it gets a vote.
    Add(OneServer),
}

#[derive(Args, Debug)]
pub(crate) struct OneServer {
    /// The name of the server.
    pub(crate) name: String,
}
