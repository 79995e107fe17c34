//! The commands that speak with other processes, one file each: nodes, and the lock service.

mod cert;
mod doctor;
mod elect;
mod fence;
#[cfg(unix)]
mod hold;
mod lock;
mod node;
mod observe;
pub(crate) mod reach;
mod service;
mod status;
mod up;

use crate::App;
use crate::args::ClusterCommand;
use crate::console::Console;
use crate::error::Failure;

/// Runs a command; gives the exit code.
pub(crate) fn run(app: &App, command: ClusterCommand, console: &mut Console<'_>) -> Result<u8, Failure> {
    match command {
        ClusterCommand::Up(args) => up::run(app, &args, console),
        ClusterCommand::Node(args) => node::run(app, &args, console),
        ClusterCommand::Status(args) => status::run(app, &args, console),
        ClusterCommand::Members(args) => service::members(&args, console),
        ClusterCommand::Lock(args) => lock::run(app, &args, console),
        ClusterCommand::Elect(args) => elect::run(app, &args, console),
        ClusterCommand::Observe(args) => observe::observe(&args, console),
        ClusterCommand::Resign(args) => observe::resign(&args, console),
        ClusterCommand::Locks(args) => observe::locks(&args, console),
        ClusterCommand::Fence(args) => fence::run(&args, console),
        ClusterCommand::Doctor(args) => doctor::run(app, &args, console),
        ClusterCommand::Cert(args) => cert::run(app, &args, console),
        ClusterCommand::ElectExec(args) => elect::exec(&args, console),
        ClusterCommand::LeaseWarden => elect::warden(),
    }
}
