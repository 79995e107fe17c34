//! `ringleader cert`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct CertArgs {
    #[command(subcommand)]
    pub(crate) command: CertCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CertCommand {
    /// Create the authority of a cluster: ca.pem, which every node needs, and ca.key, which no node needs.
    Init(InitArgs),
    /// Create certificates for nodes or clients: NAME.pem and NAME.key.
    Issue(IssueArgs),
    /// Revoke certificates: put them on a list that nodes read, and refuse.
    Revoke(RevokeArgs),
    /// Show certificates: whose they are, how long they are valid, who signed them.
    Show(ShowCertArgs),
}

#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// The name of the cluster.
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster: String,
    /// The directory for the files.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Days until it expires.
    #[arg(long, value_name = "D", default_value_t = 3650, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    /// Replace files that exist. Certificates of the old authority become useless.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct IssueArgs {
    /// The names of the nodes.
    #[arg(value_name = "NAME", required_unless_present_any = ["config", "client"])]
    pub(crate) names: Vec<String>,
    /// Create a client certificate for a lock service; a server does not accept it as a server's.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Vec<String>,
    /// The configuration file: the name of the cluster, and all its nodes if none is named.
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub(crate) config: Option<PathBuf>,
    /// The name of the cluster.
    #[arg(long, value_name = "NAME", required_unless_present = "config")]
    pub(crate) cluster: Option<String>,
    /// The directory with ca.pem and ca.key, also for the new files.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Days until they expire.
    #[arg(long, value_name = "D", default_value_t = 397, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    /// Replace files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RevokeArgs {
    /// The certificates, as PEM. Without any, the list is made or signed anew as it is.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The directory with ca.pem and ca.key.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The list; what is on it stays on it [default: revoked.pem in that directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ShowCertArgs {
    /// A file with certificates, as PEM.
    pub(crate) file: PathBuf,
}
