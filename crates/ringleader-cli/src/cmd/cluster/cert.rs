//! `ringleader cert init|issue|revoke|show`: the cluster's own authority, and the certificates that it signs.

use super::is_service;
use crate::App;
use crate::args::{CertArgs, CertCommand, InitArgs, IssueArgs, RevokeArgs};
use crate::console::{BOLD, Console, DIM, RESET};
use crate::error::{Diagnostic, Failure};
use crate::output;
use ringleader_net::cert::{self, Pair, Shown, Validity};
use ringleader_net::config::{Config, Environment, host_and_port};
use ringleader_server::config::Config as Service;
use serde_json::{Value, json};
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

pub(crate) fn run(app: &App, args: &CertArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    match &args.command {
        CertCommand::Init(args) => init(app, args, console),
        CertCommand::Issue(args) => issue(app, args, console),
        CertCommand::Revoke(args) => revoke(app, args, console),
        CertCommand::Show(args) => show(&args.file, console),
    }
}

fn init(app: &App, args: &InitArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let pair = cert::authority(&args.cluster, Validity::days(args.days))?;
    std::fs::create_dir_all(&args.dir).map_err(|error| output::unwritten(&args.dir, &error))?;
    let files = [args.dir.join("ca.pem"), args.dir.join("ca.key")];
    write(&pair, &files, args.force)?;
    told(&[(files, pair)], console)?;
    if !console.quiet && !console.json {
        writeln!(console.err, "ca.pem goes to every member; ca.key stays here. Certificates for members:")?;
        let folder =
            if args.dir == Path::new(".") { String::new() } else { format!(" --dir {}", args.dir.display()) };
        writeln!(console.err, "  {} cert issue a b c --cluster {}{folder}", app.program, args.cluster)?;
    }
    Ok(0)
}

fn issue(app: &App, args: &IssueArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    // Clients of etcd believe a certificate for the address that they dial.
    let mut addresses: Vec<(String, IpAddr)> = Vec::new();
    let (cluster, members) = match &args.config {
        Some(path) if is_service(path) => {
            let config = Service::read(path, None, &Environment::of_process())?;
            for server in &config.servers {
                let (host, _) =
                    server.etcd.as_deref().and_then(|at| host_and_port(at).ok()).unwrap_or_default();
                addresses.extend(host.parse().ok().map(|address| (server.name.clone(), address)));
            }
            let servers = config.servers.into_iter().map(|server| server.name).collect();
            (config.cluster, Some((path.display().to_string(), servers)))
        }
        Some(path) => {
            let config = Config::read(path, app.registry, None, &Environment::of_process())?;
            let members = config.cluster.members.into_iter().map(|member| member.name).collect();
            (config.cluster.name, Some((path.display().to_string(), members)))
        }
        None => (args.cluster.clone().unwrap_or_default(), None),
    };
    let names =
        if args.client.is_empty() || !args.names.is_empty() { chosen(args, members)? } else { Vec::new() };
    let authority = authority(app, &args.dir, &cluster)?;
    let file = |name: &str, ending: &str| args.dir.join(format!("{name}.{ending}"));
    // All or none: better now than after the first.
    if !args.force
        && let Some(there) = names
            .iter()
            .chain(&args.client)
            .flat_map(|name| [file(name, "pem"), file(name, "key")])
            .find(|file| file.exists())
    {
        return Err(output::exists(&there).into());
    }
    let mut made = Vec::new();
    for name in &names {
        let own = addresses.iter().filter(|(server, _)| server == name);
        let own: Vec<IpAddr> = own.map(|(_, address)| *address).collect();
        let pair = cert::issue_at(&authority, &cluster, (name, &own), Validity::days(args.days))?;
        made.push(([file(name, "pem"), file(name, "key")], pair));
    }
    for name in &args.client {
        let pair = cert::issue_client(&authority, &cluster, name, Validity::days(args.days))?;
        made.push(([file(name, "pem"), file(name, "key")], pair));
    }
    for (files, pair) in &made {
        write(pair, files, args.force)?;
    }
    told(&made, console)?;
    Ok(0)
}

/// Whom certificates are made for: those named, or all of the configuration.
fn chosen(args: &IssueArgs, members: Option<(String, Vec<String>)>) -> Result<Vec<String>, Diagnostic> {
    let Some((file, members)) = members else { return Ok(args.names.clone()) };
    if args.names.is_empty() {
        return Ok(members);
    }
    if let Some(stranger) = args.names.iter().find(|name| !members.contains(name)) {
        let message = format!("no member of {file} is called `{stranger}`");
        return Err(Diagnostic::input("ringleader::unknown_member", message)
            .help(format!("its members are {}", members.join(", "))));
    }
    Ok(args.names.clone())
}

fn authority(app: &App, dir: &Path, cluster: &str) -> Result<Pair, Diagnostic> {
    let read = |name: &str| {
        let path = dir.join(name);
        std::fs::read_to_string(&path).map_err(|error| {
            let message = format!("cannot read the authority, {}: {error}", path.display());
            Diagnostic::new("ringleader::certificate_authority", 4, message)
                .help("say where it is with --dir, or make one:")
                .command(format!("{} cert init --cluster {cluster}", app.program), "")
        })
    };
    Ok(Pair { certificate: read("ca.pem")?, key: read("ca.key")? })
}

fn write(pair: &Pair, files: &[PathBuf; 2], force: bool) -> Result<(), Diagnostic> {
    let [certificate, key] = files;
    if !force && let Some(there) = [certificate, key].into_iter().find(|file| file.exists()) {
        return Err(output::exists(there));
    }
    output::write_secret(key, force, pair.key.as_bytes())?;
    output::write(certificate, force, pair.certificate.as_bytes())
}

/// What was made.
fn told(made: &[([PathBuf; 2], Pair)], console: &mut Console<'_>) -> Result<(), Failure> {
    let mut all = Vec::new();
    for ([file, key], pair) in made {
        for shown in cert::show(pair.certificate.as_bytes())? {
            if console.json {
                let mut object = object(&shown);
                object["file"] = json!(file.display().to_string());
                object["key"] = json!(key.display().to_string());
                all.push(object);
            } else {
                let (file, key, until) = (file.display(), key.display(), shown.until());
                writeln!(console.out, "{BOLD}{file}{RESET}, {key}   {}   until {until}", who(&shown))?;
            }
        }
    }
    if console.json {
        writeln!(console.out, "{}", json!({ "schema": "ringleader.cert/1", "certificates": all }))?;
    }
    Ok(())
}

fn revoke(app: &App, args: &RevokeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let authority = authority(app, &args.dir, "NAME")?;
    let list = args.list.clone().unwrap_or_else(|| args.dir.join("revoked.pem"));
    let read = |file: &Path| {
        std::fs::read(file).map_err(|error| {
            Diagnostic::input("ringleader::bad_file", format!("cannot read {}: {error}", file.display()))
        })
    };
    let known = list.exists().then(|| read(&list)).transpose()?;
    let mut certificates = Vec::new();
    for file in &args.files {
        certificates.push(read(file)?);
    }
    let revoked = cert::revoke(&authority, known.as_deref(), &certificates)?;
    output::write(&list, true, revoked.pem.as_bytes())?;
    let file = list.display();
    if console.json {
        let object = json!({
            "schema": "ringleader.cert-revoked/1",
            "file": file.to_string(),
            "serials": revoked.serials,
        });
        writeln!(console.out, "{object}")?;
        return Ok(0);
    }
    writeln!(console.out, "{BOLD}{file}{RESET}   {} revoked", revoked.serials.len())?;
    for serial in &revoked.serials {
        writeln!(console.out, "  serial  {serial}")?;
    }
    if !console.quiet {
        writeln!(
            console.err,
            "it goes to every node, which reads it again on HUP: [tls] revoked = \"revoked.pem\""
        )?;
    }
    Ok(0)
}

fn show(file: &Path, console: &mut Console<'_>) -> Result<u8, Failure> {
    let bytes = std::fs::read(file).map_err(|error| {
        Diagnostic::input("ringleader::bad_file", format!("cannot read {}: {error}", file.display()))
    })?;
    let certificates = cert::show(&bytes).map_err(|problem| ringleader_net::Problem {
        message: format!("{}: {}", file.display(), problem.message),
        ..problem
    })?;
    if console.json {
        let all: Vec<Value> = certificates.iter().map(object).collect();
        writeln!(console.out, "{}", json!({ "schema": "ringleader.cert/1", "certificates": all }))?;
        return Ok(0);
    }
    let now = cert::seconds_now();
    for shown in &certificates {
        let left = shown.days_left(now);
        let note = match left {
            _ if now < shown.validity.from => "not valid yet".to_owned(),
            ..=-1 => "expired".to_owned(),
            1 => "1 day left".to_owned(),
            _ => format!("{left} days left"),
        };
        writeln!(console.out, "{BOLD}{}{RESET}", who(shown))?;
        writeln!(console.out, "  issuer  {}", shown.issuer)?;
        writeln!(console.out, "  valid   {} to {}   {DIM}{note}{RESET}", shown.from(), shown.until())?;
        writeln!(console.out, "  serial  {}", shown.serial)?;
    }
    Ok(0)
}

fn who(shown: &Shown) -> String {
    if shown.is_authority { format!("authority {}", shown.subject) } else { shown.names.join(", ") }
}

fn object(shown: &Shown) -> Value {
    json!({
        "subject": shown.subject,
        "names": shown.names,
        "issuer": shown.issuer,
        "authority": shown.is_authority,
        "serial": shown.serial,
        "from": shown.from(),
        "until": shown.until(),
        "from_s": shown.validity.from,
        "until_s": shown.validity.until,
    })
}
