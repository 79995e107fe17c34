//! `ringleader doctor`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all is well, or nothing worse than a warning · 2 bad input · 4 something is wrong"
)]
pub(crate) struct DoctorArgs {
    /// The configuration file of the cluster.
    #[arg(long, value_name = "FILE", default_value = "cluster.toml")]
    pub(crate) config: PathBuf,
    /// The node of this machine: check its ports, files and certificates.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Check only the connection to this node.
    #[arg(long, value_name = "NAME")]
    pub(crate) peer: Option<String>,
}
