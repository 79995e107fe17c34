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
    /// Make the authority of a cluster: ca.pem, which every member needs, and ca.key, which none does.
    Init(InitArgs),
    /// Make certificates for members: NAME.pem and NAME.key each.
    Issue(IssueArgs),
    /// What certificates say: whose they are, until when, of which authority.
    Show(ShowCertArgs),
}

#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// The name of the cluster.
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster: String,
    /// The folder for the files.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// For how many days it is valid.
    #[arg(long, value_name = "D", default_value_t = 3650, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    /// Replace files that are there already. Certificates of the old authority are of no use then.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct IssueArgs {
    /// The members.
    #[arg(value_name = "NAME", required_unless_present_any = ["config", "client"])]
    pub(crate) names: Vec<String>,
    /// A client of a lock service: a certificate that says who asks, and is no server's.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Vec<String>,
    /// The configuration of the cluster: its name, and all its members if none is named.
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub(crate) config: Option<PathBuf>,
    /// The name of the cluster.
    #[arg(long, value_name = "NAME", required_unless_present = "config")]
    pub(crate) cluster: Option<String>,
    /// The folder with ca.pem and ca.key, and for the files.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// For how many days they are valid.
    #[arg(long, value_name = "D", default_value_t = 397, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    /// Replace files that are there already.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ShowCertArgs {
    /// A file with certificates, in PEM form.
    pub(crate) file: PathBuf,
}
