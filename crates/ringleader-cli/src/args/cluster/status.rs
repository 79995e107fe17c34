//! `ringleader status`.

use super::elect::address;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 somebody leads every election group · 1 not so · 2 bad input · 4 nobody answers"
)]
pub(crate) struct StatusArgs {
    /// The configuration file of the cluster.
    #[arg(long, value_name = "FILE", default_value = "cluster.toml")]
    pub(crate) config: PathBuf,
    /// Show only this node.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Ask only the node that serves its status at this address; no configuration is read.
    #[arg(long, value_name = "HOST:PORT", value_parser = address, conflicts_with_all = ["name", "config"])]
    pub(crate) at: Option<String>,
    /// Repeat every second until Ctrl-C.
    #[arg(long)]
    pub(crate) watch: bool,
}
