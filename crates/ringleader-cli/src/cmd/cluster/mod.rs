//! The commands that speak with other processes, one file each: nodes, and the lock service.

mod cert;
mod doctor;
mod elect;
mod fence;
mod lock;
mod node;
mod observe;
pub(crate) mod reach;
mod service;
mod status;
#[cfg_attr(not(feature = "otlp"), path = "no_telemetry.rs")]
mod telemetry;
mod up;

use crate::App;
use crate::args::ClusterCommand;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use comfy_table::{ContentArrangement, Table, presets};
use ringleader_server::config::{SERVICE_SCHEMA, schema_of};
use std::path::{Path, PathBuf};

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

/// Whether a file describes a lock service, and not a cluster that runs algorithms.
fn is_service(file: &Path) -> bool {
    schema_of(file).as_deref() == Some(SERVICE_SCHEMA)
}

/// Our own program, which has the command `node` and what starts commands.
fn program() -> Result<PathBuf, Diagnostic> {
    std::env::current_exe().map_err(|error| {
        Diagnostic::new("ringleader::no_process", 4, format!("cannot find the file of this program: {error}"))
    })
}

/// A table with these columns.
fn table<const N: usize>(columns: [&str; N]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED.with_rounded_corners())
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns);
    table
}
