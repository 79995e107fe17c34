//! `ringleader up --service`: a lock service on this machine.

use super::Folder;
use crate::App;
use crate::args::{UpArgs, quoted};
use crate::cmd::cluster::program;
use crate::console::{BOLD, Console, DIM, RESET};
use crate::error::{Diagnostic, Failure};
use ringleader_net::signals::Interrupted;
use ringleader_net::up::{Gone, Local};
use ringleader_server::config::{Config, Pace, ServerAddress};
use ringleader_server::local::{self, Plan};
use ringleader_server::reach::asked;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the servers have until they serve.
const PATIENCE: Duration = Duration::from_secs(30);

/// So long after its end a server is started again, as a service manager would: whoever kills one wants to see what
/// happens.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) fn run(app: &App, args: &UpArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let servers = u16::try_from(args.nodes.unwrap_or(3)).ok().filter(|servers| *servers <= 9);
    let Some(servers) = servers else {
        let message = "a service on one machine has 1 to 9 servers";
        return Err(Diagnostic::input("ringleader::too_many_members", message)
            .help("three survive the loss of one, five of two")
            .command(format!("{} up --service -n 3", app.program), "")
            .into());
    };
    let folder = Folder::new(args.keep.as_deref(), local::FILE)?;
    let interrupted = Interrupted::listen()?;
    let begun = Instant::now();
    let (mut local, config) = local::make(Plan {
        program: program()?,
        folder: folder.path.clone(),
        servers,
        cluster: "local".to_owned(),
        pace: Pace::default(),
        classes: vec![("batch/".to_owned(), ringleader_locks::Class::Batch)],
        drain: Duration::from_secs(2),
        etcd: true,
    })?;
    for place in 0..servers {
        local.start(place)?;
    }
    let mut told = false;
    let limit = args.time.as_ref().map(|time| time.value.0);
    while !interrupted.is_set() && limit.is_none_or(|limit| begun.elapsed() < limit) {
        for gone in local.gone() {
            if interrupted.is_set() {
                break;
            }
            if !told || gone.hopeless {
                local.stop();
                return Err(super::ended("server", &gone).into());
            }
            note(&gone, &mut local, app, console)?;
        }
        local.start_due()?;
        if !told && is_ready(&local, &config) {
            told = true;
            serves(app, (&local, &config), begun.elapsed(), console)?;
            if args.once {
                break;
            }
        }
        if !told && begun.elapsed() > PATIENCE {
            local.stop();
            let message = format!("the servers do not serve after {} s", PATIENCE.as_secs());
            return Err(Diagnostic::new("ringleader::not_ready", 4, message)
                .help(format!("their logs are in {} (keep them with --keep DIR)", folder.path.display()))
                .into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    local.stop();
    Ok(0)
}

/// Says what became of a server, and what comes next.
fn note(gone: &Gone, local: &mut Local, app: &App, console: &mut Console<'_>) -> io::Result<()> {
    let (name, status) = (&gone.name, &gone.status);
    if gone.left {
        let file = local.file().display().to_string();
        let words = ["node", "--config", &file, "--name", name].map(str::to_owned);
        writeln!(console.err, "server {name} has left; it comes back with:")?;
        writeln!(console.err, "  {}", quoted(&app.program, &words))?;
    } else {
        let pause = PAUSE.as_secs();
        writeln!(console.err, "server {name} has ended ({status}); it is started again in {pause} s")?;
        local.start_later(gone.place, PAUSE);
    }
    console.err.flush()
}

/// Whether every server can grant.
fn is_ready(local: &Local, config: &Config) -> bool {
    let asks = |server: &ServerAddress| asked(config, local.file(), server, ("GET", "/readyz")).is_ok();
    config.servers.iter().all(asks)
}

/// What to type now.
fn serves(
    app: &App,
    (local, config): (&Local, &Config),
    took: Duration,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let file = local.file().display().to_string();
    if console.json {
        let server = |server: &ServerAddress| {
            json!({
                "name": server.name,
                "api": server.api,
                "socket": server.socket.as_ref().map(|path| path.display().to_string()),
                "status": server.status,
                "pid": config.place(&server.name).and_then(|place| local.pid(place)),
                "etcd": server.etcd,
            })
        };
        let servers: Vec<Value> = config.servers.iter().map(server).collect();
        let line = json!({
            "schema": "ringleader.up-service/1",
            "config": file,
            "cluster": config.cluster,
            "ready_ms": took.as_millis() as u64,
            "servers": servers,
        });
        writeln!(console.out, "{line}")?;
        console.out.flush()?;
        return Ok(());
    }
    let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    writeln!(
        console.out,
        "{BOLD}{} servers{RESET} ({}) serve after {} ms   {DIM}{file}{RESET}",
        names.len(),
        names.join(", "),
        took.as_millis()
    )?;
    writeln!(console.out, "in another terminal:")?;
    for words in [
        vec!["lock", "demo", "--config", &file, "--", "sleep", "5"],
        vec!["elect", "demo", "--config", &file, "--", "sleep", "5"],
        vec!["observe", "demo", "--config", &file],
        vec!["status", "--config", &file],
        vec!["serve", "--cluster", &file],
    ] {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        writeln!(console.out, "  {}", quoted(&app.program, &words))?;
    }
    if let Some(pid) = local.pid(0) {
        writeln!(
            console.out,
            "  kill -9 {pid}   {DIM}# server {}: who holds a lock there stops in time{RESET}",
            names[0]
        )?;
    }
    writeln!(console.out, "Ctrl-C ends it")?;
    let urls = config.servers.iter().filter_map(|server| server.etcd.as_ref());
    let urls: Vec<String> = urls.map(|at| format!("https://{at}")).collect();
    let folder = local.file().parent().unwrap_or(Path::new("."));
    writeln!(
        console.out,
        "clients of etcd: {}   {DIM}# with ca.pem, client.pem and client.key of {}{RESET}",
        urls.join(","),
        folder.display()
    )?;
    console.out.flush()?;
    Ok(())
}
