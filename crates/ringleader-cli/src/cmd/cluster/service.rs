//! A lock service: one server of it, how it is, and who is a member.

use super::telemetry;
use crate::args::{MemberChange, MembersArgs, NodeArgs, StatusArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use comfy_table::Table;
use ringleader_client::{Code, LockError};
use ringleader_etcd::Etcd;
use ringleader_net::config::Environment;
use ringleader_server::config::{Config, ServerAddress};
use ringleader_server::reach::{ask_all, asked};
use ringleader_server::reload::Source;
use ringleader_server::{Options, Service};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// `ringleader node` for a server of a lock service.
pub(super) fn node(
    args: &NodeArgs,
    environment: &Environment,
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let config = Config::read(&args.config, Some(&args.name), environment)?;
    config.security.agrees(args.plain)?;
    let Some(place) = config.place(&args.name) else {
        return Err(config.no_such_server(&args.config.display().to_string(), &args.name).into());
    };
    if args.record.is_some() || args.seed.is_some() {
        let message = "--record and --seed are for algorithms; this file describes a lock service";
        return Err(Diagnostic::input("ringleader::bad_option", message)
            .help("what happens to its locks is written by --events FILE")
            .into());
    }
    let _log = super::node::logs(args, config.log.name(), console)?;
    let options = Options {
        events: args.events.clone(),
        signals: true,
        stdin: args.while_stdin,
        drain: Duration::from_micros(args.drain.0),
        source: Some(Source { file: args.config.clone(), environment: environment.clone() }),
        epoch_floor: args.epoch_floor,
        ..Options::default()
    };
    let telemetry = telemetry::Telemetry::of(&config, &args.name)?;
    let mut service = Service::bind(&config, place, options)?;
    if config.servers[usize::from(place)].etcd.is_some() {
        service = service.with_front(Etcd::new(&config, place)?);
    }
    let incarnation = service.incarnation();
    let mut told: io::Result<()> = Ok(());
    let mut sending = Ok(());
    service.run(|embedded| {
        told = tell(&config, &config.servers[usize::from(place)], incarnation, console);
        sending = telemetry.begins(embedded.core());
    })?;
    told?;
    sending?;
    Ok(0)
}

/// Says that it is there. Whoever waits for the line may dial at once: the addresses are claimed already.
fn tell(
    config: &Config,
    server: &ServerAddress,
    incarnation: u64,
    console: &mut Console<'_>,
) -> io::Result<()> {
    if console.json {
        let ready = json!({
            "schema": "ringleader.node/1",
            "member": server.name,
            "cluster": config.cluster,
            "listen": server.listen,
            "api": server.api,
            "socket": server.socket.as_ref().map(|path| path.display().to_string()),
            "status": server.status,
            "incarnation": incarnation,
            "etcd": server.etcd,
        });
        writeln!(console.out, "{ready}")?;
        return console.out.flush();
    }
    if console.quiet {
        return Ok(());
    }
    for warning in &config.warnings {
        writeln!(console.err, "note: {warning}")?;
    }
    let status =
        server.status.as_ref().map_or_else(String::new, |at| format!(" · status http://{at}/v1/status"));
    let (name, cluster, api) = (&server.name, &config.cluster, &server.api);
    writeln!(console.err, "server {name} of {cluster} is there: https://{api}{status}")?;
    console.err.flush()
}

/// `ringleader status` for a lock service.
pub(super) fn status(args: &StatusArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let config = Config::read(&args.config, args.name.as_deref(), &Environment::of_process())?;
    loop {
        let heard = ask_all(&config, &args.config, args.name.as_deref());
        if console.json {
            let servers: Vec<Value> = heard
                .iter()
                .map(|(name, answer)| {
                    json!({
                        "server": name,
                        "up": answer.is_ok(),
                        "why": answer.as_ref().err().map(|error| error.message.clone()),
                        "status": answer.as_ref().ok(),
                    })
                })
                .collect();
            let schema = "ringleader.service-cluster/1";
            let all = json!({ "schema": schema, "cluster": config.cluster, "servers": servers });
            writeln!(console.out, "{all}")?;
        } else {
            writeln!(console.out, "{}", table(&heard).trim_fmt())?;
            for (name, answer) in &heard {
                if let Err(error) = answer {
                    writeln!(console.err, "{name} does not answer: {}", error.message)?;
                }
            }
        }
        console.out.flush()?;
        if args.watch && !console.out.is_closed() {
            std::thread::sleep(Duration::from_secs(1));
            continue;
        }
        let grants = |answer: &Value| {
            answer["joined"] == true && answer["lease_ms"]["normal"].as_u64().is_some_and(|left| left > 0)
        };
        let answers: Vec<&Value> = heard.iter().filter_map(|(_, answer)| answer.as_ref().ok()).collect();
        return Ok(match answers.as_slice() {
            [] => 4,
            some if some.iter().any(|answer| grants(answer)) => 0,
            _none => 1,
        });
    }
}

fn table(heard: &[(String, Result<Value, LockError>)]) -> Table {
    let mut table = super::table([
        "server", "up", "epoch", "member", "lease", "sessions", "held", "waiters", "homes", "hears",
    ]);
    for (name, answer) in heard {
        let Ok(status) = answer else {
            table.add_row([name.as_str(), "no", "–", "–", "–", "–", "–", "–", "–", "–"]);
            continue;
        };
        let number = |key: &str| status[key].to_string();
        let up = if status["draining"] == true { "leaving" } else { "yes" };
        let member = match (&status["joined"], &status["proposes"]) {
            (Value::Bool(true), Value::Bool(true)) => "yes, proposes",
            (Value::Bool(true), _) => "yes",
            _ => "no",
        };
        let hears = status["connected"].as_array().map_or(0, Vec::len);
        table.add_row([
            name.clone(),
            up.to_owned(),
            number("epoch"),
            member.to_owned(),
            format!("{} ms", status["lease_ms"]["normal"]),
            number("sessions"),
            number("held"),
            number("waiters"),
            number("homes"),
            hears.to_string(),
        ]);
    }
    table
}

/// `ringleader members`.
pub(super) fn members(args: &MembersArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let config = Config::read(&args.config, None, &Environment::of_process())?;
    let file = args.config.display().to_string();
    let Some(change) = &args.change else { return list(&config, args, console) };
    let (name, what) = match change {
        MemberChange::Drain(one) => (&one.name, "drain"),
        MemberChange::Remove(one) => (&one.name, "remove"),
        MemberChange::Add(one) => (&one.name, "add"),
    };
    let Some(server) = config.servers.iter().find(|server| server.name == *name) else {
        return Err(config.no_such_server(&file, name).into());
    };
    let path = format!("/v1/members/{name}/{what}");
    // Only the server itself can drain; the others are told of the rest by whoever answers.
    if what == "drain" {
        asked(&config, &args.config, server, ("POST", &path)).map_err(said)?;
    } else {
        first(&config, args, ("POST", &path), |_| true)?;
    }
    if console.json {
        let done = json!({ "schema": "ringleader.members-change/1", "server": name, "change": what });
        writeln!(console.out, "{done}")?;
    } else if !console.quiet {
        let words = match change {
            MemberChange::Drain(_) => {
                "takes no new sessions, hands over those that it has, and leaves when nobody holds anything there"
            }
            MemberChange::Remove(_) => "has no vote any more",
            MemberChange::Add(_) => "has a vote",
        };
        writeln!(console.err, "{name} {words}")?;
    }
    Ok(0)
}

/// The answer of the first server that knows. A server without a folder, or cut off from the others, knows neither the
/// members nor who leads: another may.
fn first(
    config: &Config,
    args: &MembersArgs,
    call: (&str, &str),
    knows: fn(&Value) -> bool,
) -> Result<Value, Diagnostic> {
    let (mut vague, mut last) = (None, None);
    for server in &config.servers {
        match asked(config, &args.config, server, call) {
            Ok(answer) if knows(&answer) => return Ok(answer),
            Ok(answer) => vague = vague.or(Some(answer)),
            Err(error) if error.code == Code::NoLease => last = Some(error),
            Err(error) if error.code == Code::NoServer => last = last.or(Some(error)),
            Err(error) => return Err(said(error)),
        }
    }
    let nobody = || Diagnostic::new("ringleader::no_server", 4, "there is no server");
    vague.ok_or_else(|| last.map_or_else(nobody, said))
}

fn list(config: &Config, args: &MembersArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let answer = first(config, args, ("GET", "/v1/members"), |answer| answer["epoch"] != 0)?;
    if console.json {
        writeln!(console.out, "{answer}")?;
        return Ok(0);
    }
    let mut table = super::table(["server", "member", "since epoch", "votes", "homes", "api"]);
    for member in answer["members"].as_array().into_iter().flatten() {
        let yes = |key: &str| {
            let words = member[key].as_bool().map(|yes| if yes { "yes" } else { "no" });
            words.unwrap_or("–").to_owned()
        };
        let since = member["since"].as_u64().map_or("–".to_owned(), |since| since.to_string());
        table.add_row([
            member["name"].as_str().unwrap_or("?").to_owned(),
            yes("member"),
            since,
            yes("votes"),
            member["homes"].to_string(),
            member["api"].as_str().unwrap_or("–").to_owned(),
        ]);
    }
    writeln!(console.out, "{}", table.trim_fmt())?;
    if !console.quiet {
        writeln!(
            console.err,
            "epoch {}, as {} has it",
            answer["epoch"],
            answer["server"].as_str().unwrap_or("?")
        )?;
    }
    Ok(0)
}

/// A refusal of a server, in the form of the command line.
fn said(error: LockError) -> Diagnostic {
    let diagnostic = Diagnostic::new(super::reach::word(&error.code), 4, error.message.clone());
    error.help.iter().fold(diagnostic, |said, line| said.help(line))
}
