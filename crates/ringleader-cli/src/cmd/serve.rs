//! `ringleader serve`: the page, until Ctrl-C.

use crate::App;
use crate::args::{ServeArgs, quoted};
use crate::console::{BOLD, Console, DIM, RESET};
use crate::error::{Diagnostic, Failure};
use crate::report::version;
use crate::words::CommandWords;
use ringleader_serve::{Server, bind};
use ringleader_stage::Stage;
use serde_json::json;
use std::io;

pub(crate) fn run(app: &App, args: &ServeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if let Some(folder) = &args.stories
        && !folder.is_dir()
    {
        let message = format!("--stories {}: there is no such folder", folder.display());
        return Err(Diagnostic::input("ringleader::no_stories", message)
            .help("name a folder with one file for each story")
            .into());
    }
    let listener = bind(args.listen).map_err(|error| unheard(app, args, &error))?;
    let stage = Stage::new(Box::new(CommandWords::new(app)));
    let server = Server::new(listener, args.token.clone(), stage).map_err(|why| {
        Diagnostic::new("ringleader::no_server", 4, format!("cannot serve the page: {why}"))
    })?;
    tell(app, args, &server, console)?;
    if args.open
        && let Err(error) = open::that_detached(server.url())
        && !console.quiet
    {
        writeln!(console.err, "note: no browser could be opened ({error}); the address is {}", server.url())?;
    }
    server
        .run()
        .map_err(|error| Diagnostic::new("ringleader::no_server", 4, format!("the server ended: {error}")))?;
    Ok(0)
}

/// Says where it is. Whoever waits for the line may ask at once: the address is claimed already.
fn tell(app: &App, args: &ServeArgs, server: &Server, console: &mut Console<'_>) -> io::Result<()> {
    if console.json {
        let address = server.address().to_string();
        let ready = json!({
            "schema": "ringleader.serve/1",
            "url": server.url(),
            "token": server.token(),
            "address": address,
            "version": version(app),
        });
        writeln!(console.out, "{ready}")?;
    } else {
        let note = if args.listen.ip().is_loopback() {
            "(this machine only; --listen 0.0.0.0:7420 for a class)"
        } else {
            "(whoever has this address may ask)"
        };
        writeln!(console.out, "{}   {BOLD}{}{RESET}   {DIM}{note}{RESET}", version(app), server.url())?;
        if !console.quiet {
            writeln!(console.out, "  Ctrl-C stops")?;
        }
    }
    console.out.flush()
}

/// The address cannot be had.
fn unheard(app: &App, args: &ServeArgs, error: &io::Error) -> Diagnostic {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "already in use".to_owned(),
        io::ErrorKind::PermissionDenied => "ports below 1024 need rights that this user has not".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    };
    let code = match error.kind() {
        io::ErrorKind::AddrInUse => "ringleader::port_in_use",
        _ => "ringleader::cannot_listen",
    };
    let free = format!("{}:0", if args.listen.is_ipv6() { "[::1]" } else { "127.0.0.1" });
    let mut diagnostic = Diagnostic::new(code, 4, format!("cannot listen on {}: {why}", args.listen));
    if error.kind() == io::ErrorKind::AddrInUse {
        diagnostic = diagnostic.help(format!("if it is a {} of yours: http://{}/", app.program, args.listen));
    }
    diagnostic
        .help("any free port:")
        .command(quoted(&app.program, &["serve".into(), "--listen".into(), free]), "")
}
