//! `ringleader serve`: the page, until Ctrl-C.

#[cfg(feature = "cluster")]
mod cluster;

use crate::App;
use crate::args::{ServeArgs, quoted};
use crate::console::{BOLD, Console, DIM, RESET};
use crate::error::{Diagnostic, Failure};
use ringleader_page::http::{Server, bind};
use ringleader_page::story::BYTES_MAX;
use ringleader_page::{Program, Stage};
use serde_json::json;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// How the names of stories end.
const ENDING: &str = ".story.toml";

pub(crate) fn run(app: &App, args: &ServeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let mut stage = Stage::new(Box::new(Program::new(app)));
    if let Some(folder) = &args.stories {
        for complaint in add_stories(&mut stage, folder)? {
            complained(&complaint, console)?;
        }
    }
    if let Some(folder) = &args.goals {
        super::grade::add_goals(&mut stage, folder)?;
    }
    // Before the address is claimed: who mistyped a file need not wait for a port.
    #[cfg(feature = "cluster")]
    let look = if args.cluster.is_empty() { None } else { Some(cluster::look(args)?) };
    let listener = bind(args.listen).map_err(|error| unheard(app, args, &error))?;
    let server = Server::new(listener, args.token.clone(), stage).map_err(|why| {
        Diagnostic::new("ringleader::no_server", 4, format!("cannot serve the page: {why}"))
    })?;
    #[cfg(feature = "cluster")]
    let server = match look {
        Some(look) => server.with_cluster(look),
        None => server,
    };
    let server = server.framed_by(args.allow_frame.clone());
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

/// Adds the stories of a folder, in the order of their names. What is wrong with one is said, and the others are
/// there all the same.
fn add_stories(stage: &mut Stage, folder: &Path) -> Result<Vec<Diagnostic>, Diagnostic> {
    let unread = |error: io::Error| {
        let why = if error.kind() == io::ErrorKind::NotFound {
            "there is no such folder".to_owned()
        } else {
            format!("cannot read the folder: {error}")
        };
        let message = format!("--stories {}: {why}", folder.display());
        Diagnostic::input("ringleader::no_stories", message)
            .help("name a folder with one file for each story: NAME.story.toml")
    };
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(unread)? {
        let path = file.map_err(unread)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
        if let Some(name) = name {
            files.push((name.to_owned(), path));
        }
    }
    files.sort();
    let mut complaints = Vec::new();
    if files.is_empty() {
        let message = format!("--stories {}: there is no file named *{ENDING}", folder.display());
        complaints
            .push(Diagnostic::input("no_stories", message).help("stories/README.md says how to write one"));
    }
    for (name, path) in files {
        // No more is read than a story can have.
        let text = File::open(&path).and_then(|file| {
            let mut text = String::new();
            file.take(BYTES_MAX as u64 + 1).read_to_string(&mut text).map(|_| text)
        });
        let added = text
            .map_err(|error| {
                let message = format!("story `{name}`: cannot read {}: {error}", path.display());
                Diagnostic::input("bad_story", message)
            })
            .and_then(|text| stage.add_story(&name, &text));
        complaints.extend(added.err());
    }
    Ok(complaints)
}

fn complained(complaint: &Diagnostic, console: &mut Console<'_>) -> io::Result<()> {
    writeln!(console.err, "note: {}", complaint.message)?;
    for line in complaint.help_lines() {
        writeln!(console.err, "  help: {line}")?;
    }
    Ok(())
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
            "version": app.version(),
        });
        writeln!(console.out, "{ready}")?;
    } else {
        let note = if args.listen.ip().is_loopback() {
            "(this machine only; --listen 0.0.0.0:7420 for a class)"
        } else {
            "(whoever has this address may ask)"
        };
        writeln!(console.out, "{}   {BOLD}{}{RESET}   {DIM}{note}{RESET}", app.version(), server.url())?;
        if !console.quiet {
            writeln!(console.out, "  Ctrl-C stops")?;
        }
    }
    console.out.flush()
}

/// The address cannot be had.
fn unheard(app: &App, args: &ServeArgs, error: &io::Error) -> Diagnostic {
    let why = ringleader_lab::reason::cannot_listen(error);
    let in_use = error.kind() == io::ErrorKind::AddrInUse;
    let code = if in_use { "ringleader::port_in_use" } else { "ringleader::cannot_listen" };
    let free = format!("{}:0", if args.listen.is_ipv6() { "[::1]" } else { "127.0.0.1" });
    let mut diagnostic = Diagnostic::new(code, 4, format!("cannot listen on {}: {why}", args.listen));
    if in_use {
        diagnostic = diagnostic.help(format!("if it is a {} of yours: http://{}/", app.program, args.listen));
    }
    diagnostic
        .help("any free port:")
        .command(quoted(&app.program, &["serve".into(), "--listen".into(), free]), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str =
        "title = 'T'\nminutes = 1\nsummary = 'S'\n[[step]]\ncaption = 'c'\nalgorithm = 'lcr'\n";

    fn stage() -> Stage {
        let app = App { program: "ringleader".into(), registry: ringleader_errata::all(), usual: Vec::new() };
        Stage::new(Box::new(Program::new(&app)))
    }

    #[test]
    fn folder_stories_are_added_or_explained() {
        let folder = tempfile::tempdir().expect("there is room");
        let put =
            |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).expect("there is room");
        put("mine.story.toml", STORY.as_bytes());
        put("broken.story.toml", b"title = 'T'\nminutes = 'long'\n");
        put("bytes.story.toml", &[0xff, 0xfe]);
        put("large.story.toml", &vec![b'#'; 2 * BYTES_MAX]);
        put("notes.txt", b"no story");
        let mut stage = stage();
        let complaints = add_stories(&mut stage, folder.path()).expect("there is such a folder");
        let messages: Vec<&str> = complaints.iter().map(|complaint| complaint.message.as_str()).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(messages[0].starts_with("story `broken`, line 2, column 11: "), "{}", messages[0]);
        assert!(messages[1].starts_with("story `bytes`: cannot read "), "{}", messages[1]);
        assert!(messages[2].starts_with("story `large`: it has 262145 bytes; "), "{}", messages[2]);
        let told = stage.call("story", br#"{"name":"mine"}"#).expect("it is there");
        assert!(told.contains(r#""algorithm":"lcr""#), "{told}");
        assert!(stage.call("about", b"{}").expect("it is answered").contains(r#""name":"mine""#));
    }

    #[test]
    fn a_folder_without_stories_is_noticed() {
        let folder = tempfile::tempdir().expect("there is room");
        let complaints = add_stories(&mut stage(), folder.path()).expect("there is such a folder");
        assert!(complaints[0].message.ends_with("there is no file named *.story.toml"), "{complaints:?}");
        let missing = folder.path().join("missing");
        assert!(add_stories(&mut stage(), &missing).is_err());
    }
}
