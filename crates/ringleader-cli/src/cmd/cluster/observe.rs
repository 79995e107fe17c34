//! `ringleader observe`, `resign` and `locks`: what others hold, and how to give up what one holds.

use super::reach;
use crate::args::{LocksArgs, ObserveArgs, ResignArgs};
use crate::console::{Console, DIM, RESET};
use crate::error::Failure;
use ringleader_client::api::{LockInfo, Refusal, Release, Watched};
use ringleader_client::{Code, LockError, Options, blocking};
use ringleader_locks::Kind;
use ringleader_net::signals::Interrupted;
use ringleader_server::look::{locks_of, together};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

/// So often it is looked whether a signal came.
const GLANCE: Duration = Duration::from_millis(100);

fn kind(lock: bool) -> Kind {
    if lock { Kind::Lock } else { Kind::Election }
}

pub(crate) fn observe(args: &ObserveArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let options = reach::options(&args.reach)?;
    let interrupted = Interrupted::listen()?;
    let mut observer =
        blocking::Observer::open(&options, kind(args.lock), &args.name).map_err(reach::failure)?;
    let (mut seen, mut lost) = (false, false);
    while !interrupted.is_set() {
        match observer.next(GLANCE) {
            Ok(None) => {}
            Ok(Some(watched)) => {
                (seen, lost) = (true, false);
                if console.json {
                    writeln!(console.out, "{}", observed(&watched))?;
                } else {
                    writeln!(console.out, "{}", sentence(&watched))?;
                }
                console.out.flush()?;
                if args.once || console.out.is_closed() {
                    break;
                }
            }
            // Whoever watches goes on watching; whoever never saw anything should know.
            Err(error) if seen && error.code == Code::NoServer => {
                if !lost && !console.quiet {
                    writeln!(console.err, "observe {}: {}", args.name, error.message)?;
                }
                lost = true;
            }
            Err(error) => return Err(reach::failure(error)),
        }
    }
    Ok(0)
}

/// One line of JSON.
fn observed(watched: &Watched) -> Value {
    let mut object = json!({ "schema": "ringleader.observe/1" });
    if let (Some(object), Ok(Value::Object(more))) = (object.as_object_mut(), serde_json::to_value(watched)) {
        object.extend(more);
    }
    object
}

fn sentence(watched: &Watched) -> String {
    let lock = &watched.lock;
    let fence = lock.fence.as_deref().unwrap_or("none");
    if watched.event == "granted" {
        let value = if lock.value.is_empty() { String::new() } else { format!(", value {}", lock.value) };
        format!("{}: {} holds it, fence {fence}{value}", lock.name, lock.holder)
    } else {
        format!("{}: free, last fence {fence}", lock.name)
    }
}

pub(crate) fn resign(args: &ResignArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let options = reach::options(&args.reach)?;
    let release = Release { session: args.session.clone(), fence: args.fence.to_string() };
    let body = serde_json::to_string(&release).map_err(std::io::Error::from)?;
    let name = blocking::in_path(&args.name);
    let path = match kind(args.lock) {
        Kind::Lock => format!("/v1/locks/{name}/release"),
        Kind::Election => format!("/v1/elections/{name}/resign"),
    };
    // A session is at one server, and the others do not know it.
    let mut last = None;
    for server in &options.servers {
        let one = Options { servers: vec![server.clone()], ..options.clone() };
        match blocking::call(&one, "POST", &path, Some(body.clone())) {
            Ok(_) => {
                if console.json {
                    writeln!(
                        console.out,
                        "{}",
                        json!({ "schema": "ringleader.resign/1", "name": args.name, "fence": release.fence })
                    )?;
                } else if !console.quiet {
                    writeln!(console.err, "{}: given up, fence {}", args.name, release.fence)?;
                }
                return Ok(0);
            }
            Err(error) => {
                let better = !matches!(error.code, Code::SessionUnknown | Code::NoServer);
                if last.is_none() || better {
                    last = Some(error);
                }
            }
        }
    }
    let none = || LockError::from(unnamed());
    Err(reach::failure(last.unwrap_or_else(none)))
}

fn unnamed() -> Refusal {
    Refusal {
        code: "bad_request".to_owned(),
        message: "no server was named".to_owned(),
        certain: "nothing was asked".to_owned(),
        retry_after_ms: None,
        help: None,
        move_to: None,
    }
}

/// All locks that any server knows.
/// Whether it is held, and how, if several may hold it.
fn state(lock: &LockInfo) -> String {
    match (lock.mode.as_str(), lock.permits) {
        ("shared", _) => format!("shared by {}", lock.holders),
        ("permits", Some(permits)) => format!("{} of {permits} permits", lock.holders),
        _ => lock.state.clone(),
    }
}

pub(crate) fn locks(args: &LocksArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let options = reach::options(&args.reach)?;
    let mut listed: BTreeMap<String, Vec<LockInfo>> = BTreeMap::new();
    let mut silent: Vec<(String, LockError)> = Vec::new();
    for server in &options.servers {
        let (servers, patience) = (vec![server.clone()], Duration::from_secs(2));
        match locks_of(&Options { servers, patience, ..options.clone() }, usize::MAX) {
            // The same server by its socket and by its address tells the same.
            Ok((name, locks, _)) => drop(listed.insert(name, locks)),
            Err(error) => silent.push((server.to_string(), error)),
        }
    }
    if listed.is_empty() {
        let error = silent.pop().map_or_else(|| LockError::from(unnamed()), |(_, error)| error);
        return Err(reach::failure(error));
    }
    let listed = listed.iter().map(|(server, locks)| (server.as_str(), locks.as_slice()));
    let mut all: Vec<LockInfo> = together(listed).into_values().collect();
    all.sort_by(|one, other| (&one.name, &one.kind).cmp(&(&other.name, &other.kind)));
    if console.json {
        let silent: Vec<Value> =
            silent.iter().map(|(server, error)| json!({ "server": server, "why": error.message })).collect();
        let object = json!({ "schema": "ringleader.locks/1", "locks": all, "silent": silent });
        writeln!(console.out, "{object}")?;
        return Ok(0);
    }
    let mut table =
        super::table(["name", "kind", "state", "fence", "holder", "lease ends in", "waiters", "server"]);
    for lock in &all {
        let left = if lock.state == "held" { format!("{} ms", lock.remaining_ms) } else { String::new() };
        table.add_row([
            lock.name.clone(),
            lock.kind.clone(),
            state(lock),
            lock.fence.clone().unwrap_or_default(),
            lock.holder.clone(),
            left,
            lock.waiters.to_string(),
            lock.owner_server.clone().unwrap_or_default(),
        ]);
    }
    if all.is_empty() {
        writeln!(console.err, "no lock is in use")?;
    } else {
        writeln!(console.out, "{table}")?;
    }
    for (server, error) in silent.iter().filter(|_| !console.quiet) {
        writeln!(console.err, "{DIM}{server}: {}{RESET}", error.message)?;
    }
    Ok(0)
}
