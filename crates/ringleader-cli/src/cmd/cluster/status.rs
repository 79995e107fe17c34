//! `ringleader status`: every member is asked how it is.

use super::is_service;
use crate::App;
use crate::args::StatusArgs;
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use comfy_table::Table;
use ringleader::registry::Problem;
use ringleader_net::client::{Answer, Group, Unanswered, ask};
use ringleader_net::config::{Config, Environment};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// So long a member may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// Whom to ask, and what for.
struct Targets {
    cluster: Option<String>,
    /// The elections; those that are answered for, if there is no configuration.
    elections: Option<Vec<String>>,
    members: Vec<Target>,
}

/// A member, and where it is asked.
struct Target {
    name: String,
    address: Option<String>,
}

/// What a member said, or why it did not.
struct Heard {
    name: String,
    address: Option<String>,
    answer: Result<Answer, String>,
}

pub(crate) fn run(app: &App, args: &StatusArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.at.is_none() && is_service(&args.config) {
        return super::service::status(args, console);
    }
    let targets = targets(app, args)?;
    loop {
        let heard = ask_all(&targets);
        let leaders = leaders(&targets, &heard);
        if console.json {
            writeln!(console.out, "{}", object(&targets, &heard, &leaders))?;
        } else {
            writeln!(console.out, "{}", table(&heard).trim_fmt())?;
            told(&heard, &leaders, console)?;
        }
        console.out.flush()?;
        if args.watch && !console.out.is_closed() {
            std::thread::sleep(AGAIN);
            continue;
        }
        return Ok(if heard.iter().all(|heard| heard.answer.is_err()) {
            4
        } else if leaders.iter().all(|(_, leader)| leader.is_some()) {
            0
        } else {
            1
        });
    }
}

fn targets(app: &App, args: &StatusArgs) -> Result<Targets, Failure> {
    if let Some(address) = &args.at {
        let members = vec![Target { name: address.clone(), address: Some(address.clone()) }];
        return Ok(Targets { cluster: None, elections: None, members });
    }
    let name = args.name.as_deref();
    let config = Config::read(&args.config, app.registry, name, &Environment::of_process())?;
    let groups = config.cluster.groups.iter().filter(|group| group.entry.problem == Problem::Election);
    let elections = groups.map(|group| group.name.clone()).collect();
    let members = config.cluster.members.iter().zip(config.addresses);
    let members: Vec<Target> = members
        .filter(|(member, _)| name.is_none_or(|name| member.name == name))
        .map(|(member, address)| Target { name: member.name.clone(), address: address.status })
        .collect();
    if members.iter().all(|target| target.address.is_none()) {
        let message = format!("{} gives no `status` address to ask at", args.config.display());
        return Err(Diagnostic::input("ringleader::no_status", message)
            .help("add one to each [[member]], such as status = \"127.0.0.1:7422\"")
            .into());
    }
    Ok(Targets { cluster: Some(config.cluster.name), elections: Some(elections), members })
}

/// Asks all at once.
fn ask_all(targets: &Targets) -> Vec<Heard> {
    let one = |target: &Target| {
        let Some(address) = &target.address else { return Err("it has no `status` address".to_owned()) };
        let answer = ask(address, PATIENCE).map_err(|why: Unanswered| why.to_string())?;
        let status = &answer.status;
        let cluster = targets.cluster.as_ref().is_none_or(|cluster| *cluster == status.cluster);
        if targets.cluster.is_some() && (status.member != target.name || !cluster) {
            return Err(format!("{address} is member `{}` of cluster `{}`", status.member, status.cluster));
        }
        Ok(answer)
    };
    std::thread::scope(|scope| {
        let asking: Vec<_> =
            targets.members.iter().map(|target| (target, scope.spawn(move || one(target)))).collect();
        let heard = asking.into_iter().map(|(target, thread)| {
            let answer = thread.join().unwrap_or_else(|_| Err("it could not be asked".to_owned()));
            let name =
                answer.as_ref().map_or_else(|_| target.name.clone(), |answer| answer.status.member.clone());
            Heard { name, address: target.address.clone(), answer }
        });
        heard.collect()
    })
}

/// Who leads each election, by its own word.
fn leaders(targets: &Targets, heard: &[Heard]) -> Vec<(String, Option<String>)> {
    let answers = || heard.iter().filter_map(|heard| heard.answer.as_ref().ok());
    let is_election = |group: &&Group| group.problem.as_deref() == Some("election");
    let elections = targets.elections.clone().unwrap_or_else(|| {
        let groups = answers().next().map(|answer| answer.status.groups.iter()).into_iter().flatten();
        groups.filter(is_election).map(|group| group.name.clone()).collect()
    });
    let leader = |name: &str| {
        let leads = |answer: &&Answer| answer.status.group(name).is_some_and(|group| group.leads);
        answers().find(leads).map(|answer| answer.status.member.clone())
    };
    elections.into_iter().map(|name| (name.clone(), leader(&name))).collect()
}

fn table(heard: &[Heard]) -> Table {
    let mut table = super::table([
        "member",
        "up",
        "group",
        "leads",
        "epoch",
        "position",
        "leader",
        "hears",
        "messages",
        "round trip",
    ]);
    for heard in heard {
        let Ok(answer) = &heard.answer else {
            table.add_row([&heard.name, "no", "–", "–", "–", "–", "–", "–", "–", "–"]);
            continue;
        };
        let status = &answer.status;
        let hears = status.peers.iter().filter(|peer| peer.heard).count();
        let trips = status.peers.iter().filter(|peer| peer.heard).filter_map(|peer| peer.round_trip_us);
        let trip = trips
            .max()
            .map_or("–".to_owned(), |micros| format!("{}.{:03} ms", micros / 1000, micros % 1000));
        for (place, group) in status.groups.iter().enumerate() {
            let first = |text: String| if place == 0 { text } else { String::new() };
            table.add_row([
                first(status.member.clone()),
                first(if status.leaving { "leaving".to_owned() } else { "yes".to_owned() }),
                group.name.clone(),
                leads(group),
                group.epoch.number.to_string(),
                group.position.clone().unwrap_or_else(|| group.phase.clone()),
                leader(&status.member, group),
                first(format!("{hears} of {}", status.peers.len())),
                group.messages.total.to_string(),
                first(trip.clone()),
            ]);
        }
    }
    table
}

fn leads(group: &Group) -> String {
    match (group.leads, group.valid_ms) {
        (true, Some(left)) => format!("yes, {left} ms"),
        (true, None) => "yes".to_owned(),
        (false, _) => "no".to_owned(),
    }
}

/// Only the leader itself is certain.
fn leader(member: &str, group: &Group) -> String {
    match &group.leader {
        Some(_) if group.leads => member.to_owned(),
        Some(name) => format!("{name}?"),
        None => "–".to_owned(),
    }
}

/// What the table does not say.
fn told(
    heard: &[Heard],
    leaders: &[(String, Option<String>)],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    for heard in heard {
        if let Err(why) = &heard.answer {
            writeln!(console.err, "{} does not answer: {why}", heard.name)?;
        }
    }
    if console.quiet {
        return Ok(());
    }
    for (group, leader) in leaders {
        match leader {
            Some(leader) => writeln!(console.err, "{leader} leads {group}")?,
            None => writeln!(console.err, "nobody leads {group}")?,
        }
    }
    if heard
        .iter()
        .filter_map(|heard| heard.answer.as_ref().ok())
        .any(|answer| answer.status.groups.iter().any(|group| group.leader.is_some() && !group.leads))
    {
        writeln!(console.err, "? is hearsay: only the leader itself is certain")?;
    }
    Ok(())
}

fn object(targets: &Targets, heard: &[Heard], leaders: &[(String, Option<String>)]) -> Value {
    let member = |heard: &Heard| {
        let (status, why): (Value, Value) = match &heard.answer {
            Ok(answer) => (serde_json::from_str(&answer.text).unwrap_or(Value::Null), Value::Null),
            Err(why) => (Value::Null, json!(why)),
        };
        let took = heard.answer.as_ref().ok().map(|answer| answer.took.0);
        json!({
            "member": heard.name,
            "address": heard.address,
            "up": heard.answer.is_ok(),
            "why": why,
            "answered_in_us": took,
            "status": status,
        })
    };
    let leaders: serde_json::Map<String, Value> =
        leaders.iter().map(|(group, leader)| (group.clone(), json!(leader))).collect();
    json!({
        "schema": "ringleader.cluster-status/1",
        "cluster": targets.cluster,
        "leaders": leaders,
        "members": heard.iter().map(member).collect::<Vec<_>>(),
    })
}
