//! `ringleader sweep FILE.toml`.

use super::number::threads;
use super::{Given, Word};
use clap::{Args, ValueEnum};
use ringleader_lab::sweep::Shard;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "A sweep that was stopped goes on with the same command. The file:

  [grid]                                   every combination is run
  algorithm = [\"peterson\", \"franklin\"]
  n         = \"64..1024\"                   or [64, 100], or { pow2 = [6, 10] }
  seed      = { range = [0, 100] }         0 to 99
  [fixed]                                  any option of `run` by its long name
  schedule  = \"random\"
  [output]
  file      = \"ring.csv\"                   or .parquet, .json, .jsonl")]
pub(crate) struct SweepArgs {
    /// The sweep file; docs/reference/formats.md describes it.
    #[arg(value_name = "FILE.toml", required_unless_present = "merge")]
    pub(crate) file: Option<PathBuf>,
    /// Override an option of the file: n=64,256 or seed=0..9 or ids=worst (repeatable).
    #[arg(value_name = "KEY=VALUES")]
    pub(crate) replace: Vec<String>,
    /// Write the rows to this file, one per run: .csv, .parquet, .json or .jsonl [default: as the file says].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run only part I of N, for job arrays; I counts from 0 or from 1.
    #[arg(long, value_name = "I/N", value_parser = Given::<ShardArg>::parse)]
    pub(crate) shard: Option<Given<ShardArg>>,
    /// Merge the rows of all shards into one file.
    #[arg(
        long,
        value_name = "PARTS",
        num_args = 1..,
        requires = "output",
        conflicts_with_all = ["file", "replace", "shard", "dry_run"]
    )]
    pub(crate) merge: Vec<PathBuf>,
    /// Work on processes of this machine, or on a Ray cluster, through the Python package; -o is then a folder that
    /// every node can write, for Parquet files. Runs that do not hold are in the rows; the exit code is 0.
    #[arg(long, value_name = "WHERE", requires = "output", conflicts_with_all = ["shard", "merge", "dry_run", "force"])]
    pub(crate) on: Option<OnArg>,
    /// The Ray cluster, such as 10.0.0.1:6379 [default: the one that Ray finds, or one on this machine].
    #[arg(long, value_name = "HOST:PORT", requires = "on")]
    pub(crate) address: Option<String>,
    /// Run nothing; print how many runs there are and about how long they take.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Runs at the same time; the rows do not depend on it [default: the number of cores].
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true
    )]
    pub(crate) threads: Option<u32>,
    /// Start over: ignore what an earlier sweep with this output has done.
    #[arg(long)]
    pub(crate) restart: bool,
    /// Replace the output file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Where the runs are made.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OnArg {
    Processes,
    Ray,
}

impl OnArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            OnArg::Processes => "processes",
            OnArg::Ray => "ray",
        }
    }
}

/// `I/N`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShardArg(pub(crate) Shard);

impl Word for ShardArg {
    fn parse(text: &str) -> Result<ShardArg, String> {
        let expected =
            "such as 1/4, the first of four; the number of the shard is at most the number of shards";
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Shard::new(index.trim().parse().ok()?, count.trim().parse().ok()?));
        numbers.map(ShardArg).ok_or_else(|| expected.to_owned())
    }
}
