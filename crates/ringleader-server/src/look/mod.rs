//! How a whole lock service is: asks all its servers, as the page does each second.

mod gather;

pub use gather::together;

use crate::config::{Config, ServerAddress};
use crate::local::CLIENT;
use crate::reach;
use gather::{Heard, Said, Status, object};
use ringleader_client::api::{LockInfo, Refusal};
use ringleader_client::{Credentials, Endpoint, LockError, Options, blocking};
use ringleader_locks::Times;
use ringleader_net::config::{Environment, Security};
use ringleader_net::{Problem, cert};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// So long a server may take to answer: the page asks each second.
const PATIENCE: Duration = Duration::from_millis(900);

/// So many pages of a server's locks are read, of a thousand each.
const PAGES: usize = 5;

/// What is asked for: the words after `--cluster`, and who asks.
#[derive(Clone, Default, Debug)]
pub struct Asked {
    /// The file of a service, or addresses of its servers.
    pub cluster: Vec<String>,
    /// The certificate of its authority.
    pub authority: Option<PathBuf>,
    /// What is shown to its servers; the key is beside it.
    pub certificate: Option<PathBuf>,
    /// The file with a token for its servers.
    pub token_file: Option<PathBuf>,
}

/// A cluster, and how its servers are asked.
pub struct Targets {
    /// Its name; the first answer says it if there is no file.
    cluster: OnceLock<String>,
    /// How long leases are, by the file.
    times: Option<Times>,
    servers: Vec<Target>,
}

/// A server, and how it is asked.
struct Target {
    /// What it is called until it says so itself.
    address: String,
    /// Its name, by the file or by its own word.
    name: OnceLock<String>,
    /// How it is asked.
    way: Options,
    /// Its socket, if it has one and is of this machine: better, as long as somebody listens there.
    socket: Option<PathBuf>,
    /// Its certificate, if it is on this machine.
    certificate: Option<PathBuf>,
}

impl Targets {
    /// The cluster that is asked for.
    ///
    /// # Errors
    /// If the file or an address is wrong, or nobody could say who a server is.
    pub fn new(asked: &Asked) -> Result<Targets, Problem> {
        targets(asked)
    }

    /// How it is now: `ringleader.cluster-status/1`.
    #[must_use]
    pub fn look(&self) -> Value {
        let heard = ask_all(self);
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let cluster = self.cluster.get().map_or("", String::as_str);
        object(cluster, u64::try_from(at_ms).unwrap_or(u64::MAX), self.times, &heard)
    }
}

fn targets(args: &Asked) -> Result<Targets, Problem> {
    let is_address = |word: &String| word.contains("://") || word.starts_with("unix:");
    match args.cluster.as_slice() {
        [file] if !is_address(file) => of_file(Path::new(file), args),
        several if several.iter().all(is_address) => of_addresses(several, args),
        several => {
            let message = format!("--cluster {}: one file or addresses, not both", several.join(" "));
            Err(Problem::input("bad_option", message)
                .help("the file has the addresses of all servers; it is enough:")
                .command("ringleader serve --cluster service.toml", ""))
        }
    }
}

fn of_file(file: &Path, args: &Asked) -> Result<Targets, Problem> {
    let config = Config::read(file, None, &Environment::of_process())?;
    let (authority, certificate) = match &config.security {
        Security::Tls { authority, certificate, .. } => (Some(authority.clone()), Some(certificate)),
        Security::Plain => (None, None),
    };
    let beside = file.with_file_name(format!("{CLIENT}.pem"));
    let credentials = match credentials(args)? {
        Credentials::None if beside.exists() => {
            Credentials::Certificate { key: beside.with_extension("key"), chain: beside }
        }
        given @ (Credentials::None | Credentials::Certificate { .. } | Credentials::Token(_)) => given,
    };
    let target = |server: &ServerAddress| {
        let way = Options::new([reach::api_of(&config, server)]);
        let authority = args.authority.clone().or_else(|| authority.clone());
        Target {
            address: server.api.clone(),
            name: OnceLock::from(server.name.clone()),
            way: Options { authority, credentials: credentials.clone(), patience: PATIENCE, ..way },
            socket: reach::socket_of(server),
            certificate: certificate.map(|path| reach::named(path, server)),
        }
    };
    let servers = config.servers.iter().map(target).collect();
    Ok(Targets { cluster: OnceLock::from(config.cluster.clone()), times: Some(config.pace.times), servers })
}

fn of_addresses(addresses: &[String], args: &Asked) -> Result<Targets, Problem> {
    let credentials = credentials(args)?;
    let mut servers = Vec::new();
    for address in addresses {
        let endpoint: Endpoint = address.parse().map_err(|error: LockError| {
            let diagnostic = Problem::input("bad_option", format!("--cluster: {}", error.message));
            error.help.into_iter().fold(diagnostic, Problem::help)
        })?;
        if matches!(endpoint, Endpoint::Https { .. }) && args.authority.is_none() {
            let message = format!("--cluster {address}: who it is cannot be known without its authority");
            return Err(Problem::input("no_authority", message)
                .help("name the certificate of the service's authority, or the file of the service, which does:")
                .command(format!("ringleader serve --cluster {address} --authority ca.pem"), "")
                .command("ringleader serve --cluster service.toml", ""));
        }
        let (authority, credentials) = (args.authority.clone(), credentials.clone());
        let way = Options::new([endpoint]);
        servers.push(Target {
            address: address.clone(),
            name: OnceLock::new(),
            way: Options { authority, credentials, patience: PATIENCE, ..way },
            socket: None,
            certificate: None,
        });
    }
    Ok(Targets { cluster: OnceLock::new(), times: None, servers })
}

/// Who asks, if the command line says so. The token of the page is none of theirs.
fn credentials(args: &Asked) -> Result<Credentials, Problem> {
    if let Some(file) = &args.token_file {
        let token = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read the token in {}: {error}", file.display());
            Problem::environment("bad_credentials", message)
        })?;
        return Ok(Credentials::Token(token.trim().to_owned()));
    }
    Ok(args.certificate.clone().map_or(Credentials::None, |chain| Credentials::Certificate {
        key: chain.with_extension("key"),
        chain,
    }))
}

/// Asks all at once.
fn ask_all(targets: &Targets) -> Vec<Heard> {
    std::thread::scope(|scope| {
        let asking: Vec<_> = targets
            .servers
            .iter()
            .map(|target| (target, scope.spawn(|| ask(&targets.cluster, target))))
            .collect();
        let heard = asking.into_iter().map(|(target, thread)| {
            let said = thread.join().unwrap_or_else(|_| Err("it could not be asked".to_owned()));
            let name = target.name.get().unwrap_or(&target.address).clone();
            Heard { name, said, certificate_days: target.certificate.as_deref().and_then(days_left) }
        });
        heard.collect()
    })
}

fn days_left(certificate: &Path) -> Option<i64> {
    let shown = cert::show(&std::fs::read(certificate).ok()?).ok()?;
    shown.iter().map(|shown| shown.days_left(cert::seconds_now())).min()
}

/// Whether somebody listens at a socket of this machine.
#[cfg(unix)]
fn listens(socket: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

/// There are no such sockets here.
#[cfg(not(unix))]
fn listens(_: &Path) -> bool {
    false
}

/// A page of `GET /v1/locks`.
#[derive(Deserialize)]
struct Page {
    server: String,
    locks: Vec<LockInfo>,
    next: Option<String>,
}

/// The name of a server, and the locks that it knows, from so many pages of a thousand; whether it has more.
///
/// # Errors
/// If it does not answer, or what it says cannot be read.
pub fn locks_of(way: &Options, pages: usize) -> Result<(String, Vec<LockInfo>, bool), LockError> {
    let (mut server, mut locks, mut next): (_, _, Option<String>) = (String::new(), Vec::new(), None);
    for _ in 0..pages {
        let after = next.map_or_else(String::new, |next| format!("&after={}", blocking::in_path(&next)));
        let page: Page = get(way, &format!("/v1/locks?limit=1000{after}"))?;
        locks.extend(page.locks);
        (server, next) = (page.server, page.next);
        if next.is_none() {
            break;
        }
    }
    Ok((server, locks, next.is_some()))
}

/// How one server is, and the locks that it knows.
fn ask(cluster: &OnceLock<String>, target: &Target) -> Result<Said, String> {
    let mut way = target.way.clone();
    if let Some(socket) = target.socket.as_ref().filter(|socket| listens(socket)) {
        way.servers = vec![Endpoint::Unix(socket.clone())];
    }
    let begun = Instant::now();
    let status: Status = get(&way, "/v1/status").map_err(|error| error.message)?;
    let took = begun.elapsed();
    let name = target.name.get_or_init(|| status.server.clone());
    let cluster = cluster.get_or_init(|| status.cluster.clone());
    if (name, cluster) != (&status.server, &status.cluster) {
        return Err(format!(
            "at {} is server `{}` of cluster `{}`",
            target.address, status.server, status.cluster
        ));
    }
    let (_, locks, more) = locks_of(&way, PAGES).map_err(|error| error.message)?;
    Ok(Said { status, took, locks, more })
}

fn get<T: serde::de::DeserializeOwned>(way: &Options, path: &str) -> Result<T, LockError> {
    let bytes = blocking::call(way, "GET", path, None)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        LockError::from(Refusal {
            code: "protocol".to_owned(),
            message: format!("it answers {path}, but with something else: {error}"),
            certain: String::new(),
            retry_after_ms: None,
            help: None,
            move_to: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words after `--cluster`, and then options with a file each.
    fn args(words: &[&str]) -> Asked {
        let mut asked = Asked::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut file = || words.next().map(PathBuf::from);
            match *word {
                "--authority" => asked.authority = file(),
                "--certificate" => asked.certificate = file(),
                "--cluster-token-file" => asked.token_file = file(),
                other => asked.cluster.push(other.to_owned()),
            }
        }
        asked
    }

    #[test]
    fn cluster_is_a_file_or_addresses() {
        for refused in [
            &["service.toml", "https://a.example:7432"][..],
            &["https://a.example", "--authority", "ca.pem"],
            &["https://a.example:7432"],
            &["no-such-file.toml"],
            &["unix:a.sock", "--cluster-token-file", "no-such-file"],
        ] {
            assert!(targets(&args(refused)).is_err(), "{refused:?}");
        }
        let two = targets(&args(&["unix:a.sock", "unix:b.sock"])).unwrap_or_else(|_| panic!("two sockets"));
        assert_eq!(two.servers.len(), 2);
        let words = ["https://a.example:7432", "--authority", "ca.pem", "--certificate", "me.pem"];
        let one = targets(&args(&words)).unwrap_or_else(|_| panic!("an address and who it is"));
        let shown = Credentials::Certificate { chain: "me.pem".into(), key: "me.key".into() };
        assert_eq!(one.servers[0].way.credentials, shown);
    }

    #[test]
    fn the_file_of_a_service_has_everything() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join("service.toml");
        let text = "schema = \"ringleader.service/1\"\ncluster = \"demo\"\ndata = \"data/{name}\"\n\
                    [tls]\nauthority = \"ca.pem\"\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"\n\
                    [[server]]\nname = \"a\"\naddress = \"10.0.0.1:7431\"\napi = \"10.0.0.1:7432\"\n\
                    socket = \"{name}.sock\"\n[[permission]]\nwho = \"*\"\nallow = [\"observe\"]\n";
        std::fs::write(&file, text).expect("there is room");
        std::fs::write(folder.path().join("client.pem"), "").expect("there is room");
        let targets = targets(&args(&[&file.display().to_string()])).unwrap_or_else(|_| panic!("a service"));
        assert_eq!(targets.cluster.get().map(String::as_str), Some("demo"));
        let target = &targets.servers[0];
        assert_eq!(target.name.get().map(String::as_str), Some("a"));
        assert_eq!(target.way.authority, Some(folder.path().join("ca.pem")));
        assert_eq!(target.certificate, Some(folder.path().join("a.pem")));
        assert_eq!(target.socket, Some(folder.path().join("a.sock")));
        let Credentials::Certificate { chain, key } = &target.way.credentials else {
            panic!("the one beside it")
        };
        assert_eq!((chain, key), (&folder.path().join("client.pem"), &folder.path().join("client.key")));
    }

    #[test]
    fn who_does_not_answer_is_there_with_the_reason() {
        let targets = targets(&args(&["unix:no-such-folder/a.sock"])).expect("an address");
        let status = targets.look();
        let server = &status["servers"][0];
        assert_eq!(
            (&server["reachable"], &server["name"]),
            (&false.into(), &"unix:no-such-folder/a.sock".into())
        );
        assert!(server["error"].as_str().is_some_and(|why| why.len() > 10), "{server}");
    }
}
