//! The Rust client in the fault run of the clients (`clients/faults`): lines of JSON in, lines of JSON out. It takes
//! locks, holds them for a moment, and writes down what it believed.

use ringleader_client::blocking::Client;
use ringleader_client::{Credentials, Endpoint, LockError, Options, clock};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Duration;

type Problem = Box<dyn std::error::Error>;

fn main() -> Result<(), Problem> {
    let mut client = None;
    for line in stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        let reply = match command["op"].as_str() {
            Some("about") => json!({ "language": "rust" }),
            Some("open") => {
                client = Some(open(&command)?);
                json!({ "ok": true })
            }
            Some("contend") => contend(client.as_ref().ok_or("`open` comes first")?, &command)?,
            Some("close") => {
                if let Some(client) = client.take() {
                    client.close();
                }
                json!({ "ok": true })
            }
            Some(_) | None => return Err("there are about, open, contend and close".into()),
        };
        let mut said = reply;
        said["id"] = command["id"].clone();
        writeln!(stdout(), "{said}")?;
        stdout().flush()?;
    }
    Ok(())
}

fn text<'a>(command: &'a Value, key: &str) -> Result<&'a str, Problem> {
    command[key].as_str().ok_or_else(|| format!("`{key}` is missing").into())
}

fn open(command: &Value) -> Result<Client, Problem> {
    let servers = command["servers"].as_array().ok_or("`servers` is missing")?;
    let servers: Result<Vec<Endpoint>, LockError> =
        servers.iter().filter_map(Value::as_str).map(str::parse).collect();
    let mut options = Options::new(servers?);
    options.authority = Some(PathBuf::from(text(command, "authority")?));
    options.credentials = Credentials::Certificate {
        chain: text(command, "certificate")?.into(),
        key: text(command, "key")?.into(),
    };
    Ok(Client::connect(options)?)
}

/// A number from 0 to 1, without a crate for it: what it is used for needs no more.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as f64 / (1_u64 << 31) as f64
}

fn contend(client: &Client, command: &Value) -> Result<Value, Problem> {
    let names = command["names"].as_array().ok_or("`names` is missing")?;
    let number = |key: &str| command[key].as_f64().ok_or_else(|| format!("`{key}` is missing"));
    let (seconds, hold_ms, wait_ms) = (number("seconds")?, number("hold_ms")?, number("wait_ms")?);
    let mut record = File::create(text(command, "record")?)?;
    let mut state = clock::now().0 ^ u64::from(std::process::id());
    let (mut granted, mut released, mut lost, mut refused) = (0, 0, 0, 0);
    let until = clock::now().0 + (seconds * 1e6) as u64;
    while clock::now().0 < until {
        let place = (random(&mut state) * names.len() as f64) as usize;
        let name = names[place.min(names.len() - 1)].as_str().ok_or("a name is no text")?;
        let asking = client.inner().lock(name).timeout(Duration::from_millis(wait_ms as u64));
        let Ok(guard) = client.acquire(asking) else {
            refused += 1;
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        granted += 1;
        let (begun, fence) = (clock::now().0, guard.fence());
        let stays = (-(1.0 - random(&mut state)).ln() * hold_ms * 1000.0) as u64;
        let mut deadline = begun;
        while clock::now().0 < begun + stays {
            // What is lost has no deadline any more: the one that was read before it was found to be held is real.
            let next = guard.deadline().0;
            if !guard.is_held() {
                break;
            }
            deadline = next;
            std::thread::sleep(Duration::from_millis(2));
        }
        // What it believes ends here: when it begins to give it back, or at its deadline.
        let last = clock::now().0.min(deadline);
        let end = if guard.release().is_ok() { "released" } else { "lost" };
        if end == "released" {
            released += 1
        } else {
            lost += 1
        }
        writeln!(record, "{name} {fence} {} {} {end}", begun * 1000, last * 1000)?;
    }
    let counts = json!({ "granted": granted, "released": released, "lost": lost, "refused": refused });
    Ok(json!({ "ok": true, "counts": counts }))
}
