//! The command line as types. Everything that can be checked without knowing the algorithm is checked here.

mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod compare;
mod environment;
#[cfg(feature = "page")]
mod grade;
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
#[cfg(feature = "page")]
pub(crate) use grade::GradeArgs;
pub(crate) use report::ReportArgs;
pub(crate) use ringleader_lab::options::{
    At, Chance as Probability, IdsArg, LoadArg, Lose, MemoryLimit as Bytes, Number, Partition, ScheduleArg,
    Time, TimeLimit as Patience, Typed as Given, Wants, Word, quoted,
};
pub(crate) use run::{MeterArg, RunArgs, SnapshotArg};
#[cfg(feature = "page")]
pub(crate) use serve::ServeArgs;
pub(crate) use sweep::{OnArg, SweepArgs};
pub(crate) use trace::{Ranges, TraceArgs};
pub(crate) use worst::WorstArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ringleader_lab::options::number;
use std::path::PathBuf;

/// Leader election and mutual exclusion, from textbook to production.
#[derive(Parser, Debug)]
#[command(name = "ringleader", version, propagate_version = true, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, and everything holds · 1 a property or a bound is violated, or there is no \
                        leader · 2 wrong usage or bad input · 3 unknown, a limit was reached first · 4 a port, a \
                        file, the network or a certificate failed"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print errors only; the exit code is the answer.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are respected.
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
    /// List the algorithms, what they need and what they cost.
    List(ListArgs),
    /// Explain one algorithm: idea, rules, costs, errata, and a small run.
    Show(ShowArgs),
    /// Run an algorithm once and compare its messages with the proved bound.
    Run(Box<RunArgs>),
    /// Check all runs of an algorithm with a few processes.
    Check(Box<CheckArgs>),
    /// Compare algorithms on the same identities and seeds.
    Compare(Box<CompareArgs>),
    /// Find the worst-case ring for an election.
    Worst(Box<WorstArgs>),
    /// Run every combination of a grid, one row per run; can be resumed.
    Sweep(SweepArgs),
    /// Repeat a recorded run and compare it with the recording.
    Replay(ReplayArgs),
    /// Turn a recorded run into a picture, a page, or another tool's format.
    Trace(Box<TraceArgs>),
    /// Write a report about an algorithm, as Markdown or HTML.
    Report(ReportArgs),
    /// Open the interactive page: watch a run, step through it, break it.
    #[cfg(feature = "page")]
    Serve(ServeArgs),
    /// Judge what students hand in: links to goals, each of which is run again.
    #[cfg(feature = "page")]
    Grade(GradeArgs),
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    Cluster(ClusterCommand),
    /// Print the help of a command.
    Help(HelpArgs),
    /// Print a completion script for a shell.
    #[cfg(feature = "manual")]
    Completions(CompletionsArgs),
    /// Print the manual pages.
    #[cfg(feature = "manual")]
    Man(ManArgs),
}

#[derive(Args, Debug)]
pub(crate) struct HelpArgs {
    /// The command, and the command below it if it has some.
    pub(crate) command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// List only algorithms for this problem.
    #[arg(long)]
    pub(crate) problem: Option<ProblemArg>,
    /// List only algorithms for this network.
    #[arg(long)]
    pub(crate) topology: Option<Network>,
    /// Include as-printed variants: source texts with their errors (their names have an @).
    #[arg(long)]
    pub(crate) errata: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemArg {
    Election,
    Mutex,
    Clocks,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Network {
    /// Any ring.
    Ring,
    /// A ring on which messages travel clockwise only.
    OneWay,
    /// A ring on which messages travel both ways.
    TwoWay,
    /// All processes are neighbours.
    Complete,
    /// A tree.
    #[value(aliases = ["line", "star", "binary"])]
    Tree,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The algorithm; `ringleader list` has the names.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) name: String,
    /// Print its source code; of an as-printed variant, with its changes applied.
    #[arg(long, conflicts_with = "json")]
    pub(crate) source: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A trace file, written by `run --trace FILE` or `check --trace FILE`.
    pub(crate) file: PathBuf,
    /// Print each step in words before the report.
    #[arg(long)]
    pub(crate) steps: bool,
    /// With --steps: print the number of each step, its vector clock, and the steps that it follows from.
    #[arg(long, alias = "clocks", requires = "steps")]
    pub(crate) vector_clocks: bool,
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
    /// Write one page per command into this directory.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{ArgAction, CommandFactory};
    use ringleader_lab::options::{ByName, CheckOptions, CompareOptions, Known, RunOptions};

    /// What a command declares, without what is about files and the terminal, as the lab lists it.
    fn declared<T: Args>(without: &[&str]) -> Vec<(String, String, bool)> {
        let command = T::augment_args(clap::Command::new("any"));
        let mut listed = Vec::new();
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long().filter(|long| !without.contains(long)) else { continue };
            let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
            let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
            let value = if is_switch { String::new() } else { value.unwrap_or_default() };
            listed.push((long.to_owned(), value, matches!(arg.get_action(), ArgAction::Append)));
        }
        listed
    }

    fn known(listed: Vec<Known>) -> Vec<(String, String, bool)> {
        let one = |known: Known| (known.long.to_owned(), known.value.to_owned(), known.repeats);
        listed.into_iter().map(one).collect()
    }

    #[test]
    fn options_by_name_are_those_of_the_command_line() {
        assert_eq!(
            known(RunOptions::known()),
            declared::<RunArgs>(&["trace", "force", "steps", "vector-clocks", "snapshot", "plot"])
        );
        assert_eq!(known(CheckOptions::known()), declared::<CheckArgs>(&["trace", "force"]));
        assert_eq!(known(CompareOptions::known()), declared::<CompareArgs>(&["plot", "output", "force"]));
    }

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }
}
