//! `ringleader run ALGORITHM ...`: the options, and the command that says them again.

use super::number::{number, threads};
use super::shared::SettingsArgs;
use super::{EnvironmentArgs, Given, LoadArg, Number};
use clap::{Args, ValueEnum};
use ringleader::sim::Edit;
use ringleader_lab::options::{Meter, RunOptions, Time, Word};
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// The algorithm; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) name: String,
    /// The number of processes: 8, 1e6, 1M, 2^20 or 1_000_000 [default: 8, or as many as --ids lists].
    #[arg(
        short,
        long = "nodes",
        value_name = "N",
        value_parser = Given::<Number>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Number>>,
    /// The seed of all random choices [default: chosen at random, and printed].
    #[arg(long, value_name = "S", value_parser = number, env = "RINGLEADER_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Stop after this many steps (exit 3) [default: no limit; for an as-printed variant a million, or 100 per
    /// process].
    #[arg(
        long,
        value_name = "M",
        value_parser = number,
        env = "RINGLEADER_MAX_STEPS",
        hide_env_values = true
    )]
    pub(crate) max_steps: Option<u64>,
    /// The number of threads; the result does not depend on it.
    #[arg(
        long,
        value_name = "T",
        value_parser = threads,
        env = "RINGLEADER_THREADS",
        hide_env_values = true
    )]
    pub(crate) threads: Option<u32>,
    /// Record the run in this file, for `ringleader replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Replace the files of --trace and --plot if they exist.
    #[arg(long)]
    pub(crate) force: bool,
    /// Draw how far clocks are off and what is promised into this file (.svg), or write all numbers (.csv).
    #[arg(long, value_name = "FILE", help_heading = "Clocks")]
    pub(crate) plot: Option<PathBuf>,
    /// Print each step in words before the report.
    #[arg(long)]
    pub(crate) steps: bool,
    /// With --steps: print the number of each step, its vector clock, and the steps that it follows from.
    #[arg(long, alias = "clocks", requires = "steps")]
    pub(crate) vector_clocks: bool,
    /// Take a snapshot (Chandy and Lamport) that process P, or process 0, begins after everything that happens at time
    /// T; links must keep the order.
    #[arg(long, value_name = "[P]@T", value_parser = SnapshotArg::parse)]
    pub(crate) snapshot: Option<SnapshotArg>,
    /// Change the run before the step with this number (from 0): STEP.ACTION.WHAT. 12.drop.3 loses message 3. Actions
    /// on a message: deliver, drop, duplicate, overtake, delay (12.delay.3.10: by ten steps); on a process: crash,
    /// recover, want (repeatable).
    #[arg(long, value_name = "EDIT")]
    pub(crate) edit: Vec<Edit>,
    /// Measure also bits, load or depth (a list); costs time or memory.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) meter: Vec<MeterArg>,

    /// Instead of --entries: saturated (every process always wants to enter), light (one at a time), open:RATE (Poisson
    /// arrivals).
    #[arg(
        long,
        value_name = "KIND",
        value_parser = Given::<LoadArg>::parse,
        conflicts_with = "entries",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) load: Option<Given<LoadArg>>,
    /// With --load: the total number of entries.
    #[arg(
        long,
        value_name = "E",
        value_parser = number,
        requires = "load",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) total: Option<u64>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MeterArg {
    /// The size of messages in bits.
    Bits,
    /// Messages handled per process.
    Load,
    /// The longest causal chain.
    Depth,
}

impl From<MeterArg> for Meter {
    fn from(meter: MeterArg) -> Meter {
        match meter {
            MeterArg::Bits => Meter::Bits,
            MeterArg::Load => Meter::Load,
            MeterArg::Depth => Meter::Depth,
        }
    }
}

impl From<RunArgs> for RunOptions {
    fn from(args: RunArgs) -> RunOptions {
        RunOptions {
            nodes: args.nodes,
            seed: args.seed,
            max_steps: args.max_steps,
            threads: args.threads,
            edit: args.edit,
            meter: args.meter.into_iter().map(Into::into).collect(),
            load: args.load,
            total: args.total,
            environment: args.environment.into(),
            settings: args.settings.into(),
        }
    }
}

/// Who begins a snapshot, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SnapshotArg {
    pub(crate) by: u32,
    pub(crate) at: Time,
}

impl SnapshotArg {
    fn parse(text: &str) -> Result<SnapshotArg, String> {
        let expected = || "a time with an @ in front, and a process if it is not 0: @3 or 2@3".to_owned();
        let (by, at) = text.split_once('@').ok_or_else(expected)?;
        let by = if by.is_empty() { 0 } else { by.parse().map_err(|_| expected())? };
        Ok(SnapshotArg { by, at: Time::parse(at)? })
    }
}
