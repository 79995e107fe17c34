//! `ringleader report ALGORITHM`.

use super::Given;
use super::number::{at_least_one, number};
use clap::Args;
use ringleader_lab::sizes::Sizes;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The algorithms; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) names: Vec<String>,
    /// Report about all algorithms, on one page that begins with a table of them.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write an HTML page, a Markdown page and the pictures into this directory, instead of Markdown to stdout.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The numbers of processes to measure: a list or a range [default: 8,32,128,512; an eighth of that for mutual
    /// exclusion].
    #[arg(short, long = "nodes", value_name = "SIZES", value_parser = Given::<Sizes>::parse)]
    pub(crate) nodes: Option<Given<Sizes>>,
    /// Runs per size.
    #[arg(long, value_name = "R", value_parser = at_least_one, default_value = "10")]
    pub(crate) runs: u32,
    /// The seed of the first run.
    #[arg(long, value_name = "S", value_parser = number, default_value = "1")]
    pub(crate) seed: u64,
    /// Replace files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}
