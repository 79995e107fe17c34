//! Where the servers of a lock service are, and who asks: from the configuration, the options and the
//! environment.

use crate::args::ReachArgs;
use crate::error::{Diagnostic, Failure};
use ringleader_client::{Code, Credentials, LockError, Options};
use ringleader_net::config::{Environment, Security};
use ringleader_server::config::Config;
use ringleader_server::reach;

/// What the client needs to know.
pub(in crate::cmd) fn options(args: &ReachArgs) -> Result<Options, Failure> {
    let mut options = Options::new(args.server.iter().cloned());
    options.authority.clone_from(&args.authority);
    if args.server.is_empty() {
        if !args.config.exists() {
            let message = format!("there is no {} that says where the servers are", args.config.display());
            return Err(Diagnostic::input("ringleader::no_server", message)
                .help("name the configuration of the service, or its servers, or begin with a service on this machine:")
                .command("ringleader lock NAME --config service.toml -- ./backup.sh", "")
                .command("ringleader lock NAME --server unix:a.sock -- ./backup.sh", "")
                .command("ringleader up --service --keep service", "three servers on this machine")
                .into());
        }
        let config = Config::read(&args.config, None, &Environment::of_process())?;
        options.servers = reach::endpoints(&config);
        if let (None, Security::Tls { authority, .. }) = (&options.authority, &config.security) {
            options.authority = Some(authority.clone());
        }
    }
    options.credentials = credentials(args)?;
    Ok(options)
}

fn credentials(args: &ReachArgs) -> Result<Credentials, Failure> {
    if let Some(file) = &args.token_file {
        let token = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read the token in {}: {error}", file.display());
            Diagnostic::new("ringleader::bad_credentials", 4, message)
        })?;
        return Ok(Credentials::Token(token.trim().to_owned()));
    }
    let beside = args.config.with_file_name("client.pem");
    let token = std::env::var("RINGLEADER_TOKEN").ok().filter(|token| !token.is_empty());
    let chain = match (&args.certificate, token) {
        (Some(chain), _) => chain.clone(),
        (None, Some(token)) => return Ok(Credentials::Token(token)),
        (None, None) if args.server.is_empty() && beside.exists() => beside,
        (None, None) => return Ok(Credentials::None),
    };
    Ok(Credentials::Certificate { key: chain.with_extension("key"), chain })
}

/// What a server or the client says, in the form of the command line.
pub(in crate::cmd) fn failure(error: LockError) -> Failure {
    let exit = match error.code {
        Code::BadName | Code::BadRequest => 2,
        Code::Locked
        | Code::Timeout
        | Code::SessionExpired
        | Code::SessionUnknown
        | Code::ModeMixed
        | Code::NotHolder
        | Code::NoLease
        | Code::Recovering
        | Code::Draining
        | Code::Moved
        | Code::Limit
        | Code::Unauthenticated
        | Code::Forbidden
        | Code::NoServer
        | Code::BadCredentials
        | Code::Protocol
        | Code::Other(_) => 4,
    };
    let mut diagnostic = Diagnostic::new(word(&error.code), exit, error.message);
    if let Some(help) = error.help {
        diagnostic = diagnostic.help(help);
    }
    if error.code == Code::NoServer {
        diagnostic = diagnostic
            .help("a server must run and be reachable; check with:")
            .command("ringleader status --config service.toml", "");
    }
    if !error.certain.is_empty() {
        diagnostic = diagnostic.help(format!("what is certain: {}", error.certain));
    }
    diagnostic.into()
}

/// The word of a server for what is wrong. It may be one that we do not know: a command says one of them, and ends.
pub(super) fn word(code: &Code) -> &'static str {
    code.word().to_owned().leak()
}
