//! The command line as types. Everything that can be checked without knowing the algorithm is checked here.

mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod compare;
mod environment;
mod report;
mod run;
#[cfg(feature = "page")]
mod serve;
mod shared;
mod sweep;
mod trace;
mod worst;

pub(crate) use check::CheckArgs;
#[cfg(feature = "cluster")]
pub(crate) use cluster::*;
pub(crate) use compare::CompareArgs;
pub(crate) use environment::EnvironmentArgs;
pub(crate) use report::ReportArgs;
pub(crate) use ringleader_lab::options::{
    At, Chance as Probability, IdsArg, LoadArg, Lose, MemoryLimit as Bytes, Number, Partition, ScheduleArg,
    Time, TimeLimit as Patience, Typed as Given, Wants, Word, quoted,
};
pub(crate) use run::{MeterArg, RunArgs};
#[cfg(feature = "page")]
pub(crate) use serve::ServeArgs;
pub(crate) use sweep::SweepArgs;
pub(crate) use trace::{Ranges, TraceArgs};
pub(crate) use worst::WorstArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ringleader_lab::options::number;
use std::path::PathBuf;

/// Leader election and mutual exclusion, from textbook to production.
#[derive(Parser, Debug)]
#[command(name = "ringleader", version, propagate_version = true, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done and holds · 1 violated, bound exceeded or no leader · 2 wrong usage or bad \
                        input · 3 a limit was reached first · 4 environment"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// One JSON object on stdout instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress, no words but errors.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are obeyed.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        env = "RINGLEADER_COLOR",
        hide_env_values = true
    )]
    pub(crate) color: Color,
}

/// When to use colour.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// The algorithms: what they need and what they cost.
    List(ListArgs),
    /// One algorithm: idea, model, messages, rules, costs, source, errata, and a worked example.
    Show(ShowArgs),
    /// Run an algorithm once: who leads, after how many messages, against which proved bound.
    Run(Box<RunArgs>),
    /// Check an algorithm at small n: every schedule, every random choice, every arrangement that you ask for.
    Check(Box<CheckArgs>),
    /// Algorithms side by side: the same arrangements and seeds for all, means, bounds, growth, plots, tables.
    Compare(Box<CompareArgs>),
    /// The arrangement of identities with which an election sends most, or least.
    Worst(Box<WorstArgs>),
    /// Run every combination of a grid, one row per run; goes on where it was after a kill.
    Sweep(SweepArgs),
    /// Repeat a recorded run, step by step, and say where it differs.
    Replay(ReplayArgs),
    /// A recorded run as a picture, as a page that plays it, or in the format of another tool.
    Trace(Box<TraceArgs>),
    /// The page of an algorithm: contract, checked sizes, measurements, a run; as Markdown, or as HTML with pictures.
    Report(ReportArgs),
    /// The page: see a run, step it both ways, break it. In the browser, from this program, without the internet.
    #[cfg(feature = "page")]
    Serve(ServeArgs),
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    Cluster(ClusterCommand),
    /// A completion script for your shell.
    #[cfg(feature = "manual")]
    Completions(CompletionsArgs),
    /// The manual pages.
    #[cfg(feature = "manual")]
    Man(ManArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Only for this problem.
    #[arg(long)]
    pub(crate) problem: Option<ProblemArg>,
    /// Only for this network.
    #[arg(long)]
    pub(crate) topology: Option<Network>,
    /// Also the texts taken literally, with their errors in them (their names carry an @).
    #[arg(long)]
    pub(crate) errata: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemArg {
    Election,
    Mutex,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Network {
    /// Any ring.
    Ring,
    /// A ring on which messages travel clockwise only.
    OneWay,
    /// A ring on which messages travel both ways.
    TwoWay,
    /// Everybody with everybody.
    Complete,
    /// A tree.
    #[value(aliases = ["line", "star", "binary"])]
    Tree,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// Its name, or an alias of it.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) name: String,
    /// Print its source, a broken text with its changes applied.
    #[arg(long, conflicts_with = "json")]
    pub(crate) source: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A trace, as `run --trace FILE` and `check --trace FILE` write it.
    pub(crate) file: PathBuf,
    /// Print every step in words before the report.
    #[arg(long)]
    pub(crate) steps: bool,
    /// Extra meters.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) meter: Vec<MeterArg>,
}

#[cfg(feature = "manual")]
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(feature = "manual")]
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write one page per command into this directory instead of all to stdout.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }
}
