//! Where the servers of a lock service are for clients of this machine, and what they answer.

use crate::config::{Config, ServerAddress};
use crate::local;
use ringleader_client::{Credentials, Endpoint, LockError, Options as Client, blocking};
use ringleader_net::config::{Security, host_and_port};
use ringleader_net::tls::certificate_name;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So long a server may take to answer.
const ANSWER: Duration = Duration::from_secs(2);

/// The servers of a configuration: first the sockets of this machine, then the others, each over TLS.
#[must_use]
pub fn endpoints(config: &Config) -> Vec<Endpoint> {
    let sockets =
        config.servers.iter().filter_map(socket_of).filter(|path| path.exists()).map(Endpoint::Unix);
    let others = config.servers.iter().map(|server| api_of(config, server));
    sockets.chain(others).collect()
}

/// Where clients of this machine reach a server.
#[must_use]
pub fn socket_of(server: &ServerAddress) -> Option<PathBuf> {
    server.socket.as_deref().map(|path| named(path, server))
}

/// The path of this server, where one path is written for all.
#[must_use]
pub fn named(path: &Path, server: &ServerAddress) -> PathBuf {
    PathBuf::from(path.to_string_lossy().replace("{name}", &server.name))
}

/// Where everybody else does.
#[must_use]
pub fn api_of(config: &Config, server: &ServerAddress) -> Endpoint {
    // It was looked at when the configuration was read.
    let (host, port) = host_and_port(&server.api).unwrap_or_default();
    let name = Some(certificate_name(&server.name, &config.cluster));
    Endpoint::Https { host: host.to_owned(), port, name }
}

/// How a client of this machine asks one server: by its socket if it may, otherwise by its API, with the certificate
/// that is beside the configuration or the token of the environment.
fn way_to(config: &Config, file: &Path, server: &ServerAddress) -> Client {
    let local = socket_of(server).filter(|path| std::os::unix::net::UnixStream::connect(path).is_ok());
    let endpoint = local.map_or_else(|| api_of(config, server), Endpoint::Unix);
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
///
/// # Errors
/// If it has none, or refuses.
pub fn asked(
    config: &Config,
    file: &Path,
    server: &ServerAddress,
    (method, path): (&str, &str),
) -> Result<Value, LockError> {
    let bytes = blocking::call(&way_to(config, file, server), method, path, None)?;
    Ok(serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

/// Asks all servers at once, or this one.
#[must_use]
pub fn ask_all(config: &Config, file: &Path, only: Option<&str>) -> Vec<(String, Result<Value, LockError>)> {
    let chosen = config.servers.iter().filter(|server| only.is_none_or(|name| *name == server.name));
    std::thread::scope(|scope| {
        let asking: Vec<_> = chosen
            .map(|server| (server, scope.spawn(|| asked(config, file, server, ("GET", "/v1/status")))))
            .collect();
        let all = asking
            .into_iter()
            .filter_map(|(server, thread)| Some((server.name.clone(), thread.join().ok()?)));
        all.collect()
    })
}
