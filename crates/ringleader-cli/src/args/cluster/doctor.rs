//! `ringleader doctor`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all is well, or nothing worse than a warning · 2 bad input · 4 something is wrong"
)]
pub(crate) struct DoctorArgs {
    /// The configuration of the cluster.
    #[arg(long, value_name = "FILE", default_value = "cluster.toml")]
    pub(crate) config: PathBuf,
    /// The member that runs, or is to run, on this machine: its ports, files and certificates are looked at.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Look only at the way to this member.
    #[arg(long, value_name = "NAME")]
    pub(crate) peer: Option<String>,
}
