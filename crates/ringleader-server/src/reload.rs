//! Certificates, tokens and permissions, read again while a server runs. What is read is used only if all of it is
//! right: otherwise everything stays as it was, and the log says what is wrong and where.

use crate::access::Access;
use crate::config::Config;
use crate::core::Core;
use ringleader_locks::ServerId;
use ringleader_net::config::{Environment, Security};
use ringleader_net::mesh::{Means, Trust};
use ringleader_net::{Problem, reload, signals};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// Where the configuration is from, to be read again.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// What goes before it.
    pub environment: Environment,
}

/// How other servers and clients are known.
pub(crate) struct Trusts {
    pub(crate) peers: Trust,
    /// None in plain text.
    pub(crate) clients: Option<Trust>,
    /// Until when the own certificate is valid.
    pub(crate) until: i64,
}

impl Trusts {
    pub(crate) fn read(config: &Config) -> Result<Trusts, Problem> {
        let (peers, identity) = Trust::read(&config.security, &config.cluster)?;
        let clients = identity.as_ref().map(Means::for_clients).transpose()?.map(Trust::new);
        Ok(Trusts { peers, clients, until: identity.map_or(0, |identity| identity.valid_until()) })
    }
}

/// Reads it again whenever it is asked to.
pub(crate) struct Reloader {
    pub(crate) source: Option<Source>,
    pub(crate) place: ServerId,
    /// What the server runs with, but for what was read again since.
    pub(crate) config: Config,
    pub(crate) trusts: Trusts,
    pub(crate) core: Core,
}

/// What was read, and is right.
struct Read {
    config: Config,
    means: Option<(Means, Means, i64)>,
    needs_restart: String,
}

impl Reloader {
    /// For ever.
    pub(crate) async fn serves(self, mut asked: watch::Receiver<u64>) {
        while asked.changed().await.is_ok() {
            asked.mark_unchanged();
            signals::tell_manager(&signals::reloading());
            let read = self.reads().await;
            self.core.metrics().read_again(read.is_ok());
            match read {
                Ok(read) => self.uses(read),
                Err(problem) => self.core.tells_reload_failed(problem.code, &reload::said(&problem)),
            }
            signals::tell_manager("READY=1");
        }
    }

    /// Files may be far away, and others wait for this thread.
    async fn reads(&self) -> Result<Read, Problem> {
        let Some(Source { file, environment }) = self.source.clone() else {
            return Err(Problem::input("no_source", "this server was not started from a file"));
        };
        let (config, place) = (self.config.clone(), self.place);
        let read = tokio::task::spawn_blocking(move || read(&config, place, &file, &environment));
        read.await.unwrap_or_else(|error| Err(Problem::environment("cannot_read", error.to_string())))
    }

    /// Nothing of this can fail, and nothing comes between.
    fn uses(&self, Read { config, means, needs_restart }: Read) {
        if let Some((peers, clients, until)) = means {
            self.trusts.peers.renew(peers);
            if let Some(trust) = &self.trusts.clients {
                trust.renew(clients);
            }
            self.core.metrics().certified(until);
        }
        let (tokens, permissions) = (config.tokens.len(), config.permissions.len());
        let forbidden = self.core.permits(Access::new(&config));
        let why = format!("{tokens} tokens, {permissions} permissions");
        self.core.tells_reloaded(&why, forbidden, &needs_restart);
    }
}

fn read(old: &Config, place: ServerId, file: &Path, environment: &Environment) -> Result<Read, Problem> {
    let name = old.name(place);
    let config = Config::read(file, Some(name), environment)?;
    let is_plain = matches!(old.security, Security::Plain);
    let means = match reload::identity(is_plain, &config.security, &old.cluster, name)? {
        None => None,
        Some(identity) => {
            let until = identity.valid_until();
            Some((Means::of_member(&identity)?, Means::for_clients(&identity)?, until))
        }
    };
    let needs_restart = differences(old, &config).join(", ");
    Ok(Read { config, means, needs_restart })
}

/// The keys of the file that say something else than when the server started, and are not read again.
fn differences(old: &Config, new: &Config) -> Vec<String> {
    let rest = |config: &Config| {
        let kept = Config {
            security: Security::Plain,
            tokens: Vec::new(),
            permissions: Vec::new(),
            ..config.clone()
        };
        kept.to_toml().parse::<toml::Table>().unwrap_or_default()
    };
    let (old, new) = (rest(old), rest(new));
    let mut keys: Vec<String> = old.keys().chain(new.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| old.get(key) != new.get(key));
    keys
}
