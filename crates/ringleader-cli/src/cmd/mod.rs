//! One file per command.

mod cert;
mod check;
pub(crate) mod compare;
mod completions;
mod doctor;
mod elect;
mod fence;
#[cfg(unix)]
mod hold;
mod list;
mod lock;
mod man;
mod node;
mod observe;
mod reach;
pub(crate) mod replay;
mod report;
mod run;
mod serve;
mod service;
mod show;
mod status;
mod sweep;
mod trace;
mod up;
mod worst;

use crate::App;
use crate::args::Command;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::refusal::unknown_algorithm;
use ringleader::registry::Entry;

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
        Command::Serve(args) => serve::run(app, &args, console),
        Command::Up(args) => up::run(app, &args, console),
        Command::Node(args) => node::run(app, &args, console),
        Command::Status(args) => status::run(app, &args, console),
        Command::Members(args) => service::members(&args, console),
        Command::Lock(args) => lock::run(app, &args, console),
        Command::Elect(args) => elect::run(app, &args, console),
        Command::Observe(args) => observe::observe(&args, console),
        Command::Resign(args) => observe::resign(&args, console),
        Command::Locks(args) => observe::locks(&args, console),
        Command::Fence(args) => fence::run(&args, console),
        Command::Doctor(args) => doctor::run(app, &args, console),
        Command::Cert(args) => cert::run(app, &args, console),
        Command::ElectExec(args) => elect::exec(&args, console),
        Command::LeaseWarden => elect::warden(),
        Command::Completions(args) => completions::run(app, &args, console),
        Command::Man(args) => man::run(app, &args, console),
    }
}

/// The algorithm with this name.
fn find(app: &App, name: &str) -> Result<&'static Entry, Diagnostic> {
    ringleader::registry::find(app.registry, name).ok_or_else(|| unknown_algorithm(app, name))
}
