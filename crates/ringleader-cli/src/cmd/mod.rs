//! One file per command.

mod check;
#[cfg(feature = "cluster")]
mod cluster;
pub(crate) mod compare;
#[cfg(feature = "manual")]
mod completions;
#[cfg(feature = "page")]
mod grade;
pub(crate) mod help;
mod list;
#[cfg(feature = "manual")]
mod man;
pub(crate) mod replay;
mod report;
mod run;
#[cfg(feature = "page")]
mod serve;
mod show;
mod sweep;
mod trace;
mod worst;

use crate::App;
use crate::args::Command;
use crate::console::Console;
use crate::error::Failure;
use ringleader_lab::plan::find;

/// Runs a command; gives the exit code.
pub(crate) fn run(app: &App, command: Command, console: &mut Console<'_>) -> Result<u8, Failure> {
    match command {
        Command::List(args) => list::run(app, &args, console),
        Command::Show(args) => show::run(app, &args, console),
        Command::Run(args) => run::run(app, &args, console),
        Command::Check(args) => check::run(app, &args, console),
        Command::Compare(args) => compare::run(app, &args, console),
        Command::Worst(args) => worst::run(app, &args, console),
        Command::Sweep(args) => sweep::run(app, &args, console),
        Command::Replay(args) => replay::run(app, &args, console),
        Command::Trace(args) => trace::run(app, &args, console),
        Command::Report(args) => report::run(app, &args, console),
        #[cfg(feature = "page")]
        Command::Serve(args) => serve::run(app, &args, console),
        #[cfg(feature = "page")]
        Command::Grade(args) => grade::run(app, &args, console),
        #[cfg(feature = "cluster")]
        Command::Cluster(command) => cluster::run(app, command, console),
        Command::Help(args) => help::run(app, &args, console),
        #[cfg(feature = "manual")]
        Command::Completions(args) => completions::run(app, &args, console),
        #[cfg(feature = "manual")]
        Command::Man(args) => man::run(app, &args, console),
    }
}
