//! A lock service: one server of it, a whole one on this machine, and how it is.

use super::reach;
use crate::App;
use crate::args::{MemberChange, MembersArgs, NodeArgs, StatusArgs, UpArgs, quoted};
use crate::console::{BOLD, Console, DIM, RESET};
use crate::error::{Diagnostic, Failure};
use crate::output::unwritten;
use comfy_table::{ContentArrangement, Table, presets};
use ringleader_client::{Code, Credentials, Endpoint, LockError, Options as Client, blocking};
use ringleader_net::config::{Environment, Security};
use ringleader_net::signals::Interrupted;
use ringleader_server::config::{Config, Pace, ServerAddress};
use ringleader_server::local::{self, Gone, Local, Plan};
use ringleader_server::{Options, Service};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the servers of `up --service` have until they serve.
const PATIENCE: Duration = Duration::from_secs(30);

/// So long a server may take to answer.
const ANSWER: Duration = Duration::from_secs(2);

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
        epoch_floor: args.epoch_floor,
        ..Options::default()
    };
    let service = Service::bind(&config, place, options)?;
    let incarnation = service.incarnation();
    let mut told: io::Result<()> = Ok(());
    service.run(|_| told = tell(&config, &config.servers[usize::from(place)], incarnation, console))?;
    told?;
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

/// `ringleader up --service`.
pub(super) fn up(app: &App, args: &UpArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let servers = u16::try_from(args.nodes.unwrap_or(3)).ok().filter(|servers| *servers <= 9);
    let Some(servers) = servers else {
        let message = "a service on one machine has 1 to 9 servers";
        return Err(Diagnostic::input("ringleader::too_many_members", message)
            .help("three survive the loss of one, five of two")
            .command(format!("{} up --service -n 3", app.program), "")
            .into());
    };
    let folder = Folder::new(args.keep.as_deref())?;
    let program = std::env::current_exe().map_err(|error| {
        Diagnostic::new("ringleader::cannot_start", 4, format!("this program does not find itself: {error}"))
    })?;
    let interrupted = Interrupted::listen()
        .map_err(|error| Diagnostic::new("ringleader::cannot_start", 4, format!("no signals: {error}")))?;
    let begun = Instant::now();
    let mut local = Local::new(Plan {
        program,
        folder: folder.path.clone(),
        servers,
        cluster: "local".to_owned(),
        pace: Pace::default(),
        classes: vec![("batch/".to_owned(), ringleader_locks::Class::Batch)],
        drain: Duration::from_secs(2),
    })?;
    for place in 0..servers {
        local.start(place)?;
    }
    let (mut told, mut again) = (false, Again::default());
    let limit = args.time.as_ref().map(|time| time.value.0);
    loop {
        for gone in local.gone() {
            if interrupted.is_set() {
                break;
            }
            if !told || again.is_hopeless(&gone) {
                let message = format!("server {} has ended by itself: {}", gone.name, gone.status);
                local.stop();
                let diagnostic = Diagnostic::new("ringleader::member_ended", 4, message);
                return Err(gone.log.lines().fold(diagnostic, |said, line| said.help(line)).into());
            }
            again.note(&gone, &local.file(), app, console)?;
        }
        for name in again.due() {
            if let Some(place) = local.config().place(&name) {
                local.start(place)?;
            }
        }
        if !told && ready(&local) {
            told = true;
            serves(app, &local, begun.elapsed(), console)?;
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
        if interrupted.is_set() || limit.is_some_and(|limit| begun.elapsed() >= limit) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    local.stop();
    Ok(0)
}

/// Servers of `up --service` that have ended and are started again, as a service manager would: whoever kills one wants
/// to see what happens.
#[derive(Default)]
struct Again {
    /// Which are to be started, and when.
    due: Vec<(String, Instant)>,
    /// When each was last started again.
    started: BTreeMap<String, Instant>,
}

impl Again {
    const PAUSE: Duration = Duration::from_secs(2);

    /// Whether it ended as soon as it had been started again.
    fn is_hopeless(&self, gone: &Gone) -> bool {
        let again = self.started.get(&gone.name);
        !gone.left && again.is_some_and(|started| started.elapsed() < Duration::from_secs(1))
    }

    /// Says what became of it, and what comes next.
    fn note(&mut self, gone: &Gone, file: &Path, app: &App, console: &mut Console<'_>) -> io::Result<()> {
        let (name, status) = (&gone.name, &gone.status);
        if gone.left {
            let file = file.display().to_string();
            let words = ["node", "--config", &file, "--name", name].map(str::to_owned);
            writeln!(console.err, "server {name} has left; it comes back with:")?;
            writeln!(console.err, "  {}", quoted(&app.program, &words))?;
        } else {
            let pause = Again::PAUSE.as_secs();
            writeln!(console.err, "server {name} has ended ({status}); it is started again in {pause} s")?;
            self.due.push((name.clone(), Instant::now() + Again::PAUSE));
        }
        console.err.flush()
    }

    /// Who is to be started now.
    fn due(&mut self) -> Vec<String> {
        let now = Instant::now();
        let due: Vec<_> = self.due.extract_if(.., |(_, at)| *at <= now).map(|(name, _)| name).collect();
        self.started.extend(due.iter().map(|name| (name.clone(), now)));
        due
    }
}

/// Whether every server can grant.
fn ready(local: &Local) -> bool {
    let file = local.file();
    let asks = |server: &ServerAddress| asked(local.config(), &file, server, ("GET", "/readyz")).is_ok();
    local.config().servers.iter().all(asks)
}

/// What to type now.
fn serves(app: &App, local: &Local, took: Duration, console: &mut Console<'_>) -> Result<(), Failure> {
    let file = local.file().display().to_string();
    let config = local.config();
    if console.json {
        let server = |server: &ServerAddress| {
            json!({
                "name": server.name,
                "api": server.api,
                "socket": server.socket.as_ref().map(|path| path.display().to_string()),
                "status": server.status,
                "pid": config.place(&server.name).and_then(|place| local.pid(place)),
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
    console.out.flush()?;
    Ok(())
}

/// Where the files are. They vanish, unless they are to be kept.
struct Folder {
    path: PathBuf,
    _vanishes: Option<tempfile::TempDir>,
}

impl Folder {
    fn new(keep: Option<&Path>) -> Result<Folder, Diagnostic> {
        match keep {
            Some(path) => {
                std::fs::create_dir_all(path).map_err(|error| unwritten(path, &error))?;
                if path.join(local::FILE).exists() {
                    let message = format!("{} has a {} already", path.display(), local::FILE);
                    return Err(Diagnostic::input("ringleader::output_exists", message)
                        .help("name a directory that is empty or does not exist"));
                }
                Ok(Folder { path: path.to_owned(), _vanishes: None })
            }
            None => {
                let folder = tempfile::Builder::new().prefix("ringleader-").tempdir().map_err(|error| {
                    Diagnostic::new("ringleader::output", 4, format!("no temporary directory: {error}"))
                })?;
                Ok(Folder { path: folder.path().to_owned(), _vanishes: Some(folder) })
            }
        }
    }
}

/// How a client of this machine asks one server: by its socket if it may, otherwise by its API, with the certificate
/// that is beside the configuration or the token of the environment.
fn way_to(config: &Config, file: &Path, server: &ServerAddress) -> Client {
    let local = reach::socket_of(server).filter(|path| std::os::unix::net::UnixStream::connect(path).is_ok());
    let endpoint = local.map_or_else(|| reach::api_of(config, server), Endpoint::Unix);
    let mut client = Client::new([endpoint]);
    client.patience = ANSWER;
    if let Security::Tls { authority, .. } = &config.security {
        client.authority = Some(authority.clone());
    }
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let certificate = folder.join(format!("{}.pem", local::CLIENT));
    client.credentials = match std::env::var("RINGLEADER_TOKEN") {
        Ok(token) if !token.is_empty() => Credentials::Token(token),
        Ok(_) | Err(_) if certificate.exists() => {
            Credentials::Certificate { key: certificate.with_extension("key"), chain: certificate }
        }
        Ok(_) | Err(_) => Credentials::None,
    };
    client
}

/// One server's answer.
fn asked(
    config: &Config,
    file: &Path,
    server: &ServerAddress,
    (method, path): (&str, &str),
) -> Result<Value, LockError> {
    let bytes = blocking::call(&way_to(config, file, server), method, path, None)?;
    Ok(serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

/// Asks all at once.
fn ask_all(config: &Config, args: &StatusArgs) -> Vec<(String, Result<Value, LockError>)> {
    let chosen =
        config.servers.iter().filter(|server| args.name.as_ref().is_none_or(|name| *name == server.name));
    std::thread::scope(|scope| {
        let asking: Vec<_> = chosen
            .map(|server| {
                (server, scope.spawn(|| asked(config, &args.config, server, ("GET", "/v1/status"))))
            })
            .collect();
        let all = asking
            .into_iter()
            .filter_map(|(server, thread)| Some((server.name.clone(), thread.join().ok()?)));
        all.collect()
    })
}

/// `ringleader status` for a lock service.
pub(super) fn status(args: &StatusArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let config = Config::read(&args.config, args.name.as_deref(), &Environment::of_process())?;
    loop {
        let heard = ask_all(&config, args);
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
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED.with_rounded_corners())
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header([
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
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED.with_rounded_corners())
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["server", "member", "since epoch", "votes", "homes", "api"]);
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
    let code = format!("ringleader::{}", error.code.word());
    let message = error.message.clone();
    let diagnostic = Diagnostic::new(code, 4, message);
    error.help.iter().fold(diagnostic, |said, line| said.help(line))
}
