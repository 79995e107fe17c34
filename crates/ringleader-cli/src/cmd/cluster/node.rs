//! `ringleader node`: one member of a cluster, until it is told to stop.

use super::is_service;
use crate::App;
use crate::args::{LogArg, NodeArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use ringleader_net::config::{Config, Environment};
use ringleader_net::log::{LogFormat, LogGuard, subscribe};
use ringleader_net::node::{Node, Options};
use ringleader_net::reload::Source;
use serde_json::json;
use std::io::{self, Write};
use std::sync::Arc;

pub(crate) fn run(app: &App, args: &NodeArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let environment = Environment::of_process();
    if is_service(&args.config) {
        return super::service::node(args, &environment, console);
    }
    let config = Config::read(&args.config, app.registry, Some(&args.name), &environment)?;
    config.security.agrees(args.plain)?;
    let Some(place) = config.place(&args.name) else {
        let message = format!("no member is called `{}`", args.name);
        return Err(Diagnostic::input("ringleader::unknown_member", message).into());
    };
    let _log = logs(args, config.log.name(), console)?;
    let (file, name, registry) = (args.config.clone(), args.name.clone(), app.registry);
    let again = move || {
        let environment = Environment::of_process();
        Config::read(&file, registry, Some(&name), &environment).map(|config| config.security)
    };
    let options = Options {
        source: Some(Source(Arc::new(again))),
        record: args.record.clone(),
        events: args.events.clone(),
        seed: args.seed,
        signals: true,
        stdin: args.while_stdin,
        ..Options::default()
    };
    let node = Node::bind(&config, place, options)?;
    let incarnation = node.incarnation();
    let mut told: io::Result<()> = Ok(());
    let ready = || told = tell(args, &config, incarnation, console);
    node.run(ready)?;
    told?;
    Ok(0)
}

/// Sends the log to stderr, as it was asked for.
pub(super) fn logs(args: &NodeArgs, level: &str, console: &Console<'_>) -> Result<LogGuard, Diagnostic> {
    let format = match args.log_format {
        LogArg::Json => LogFormat::Json,
        LogArg::Text => LogFormat::Text,
    };
    let level = if console.quiet { "error" } else { level };
    subscribe(format, level).map_err(|why| Diagnostic::new("ringleader::log", 4, why))
}

/// Says that it is there. Whoever waits for the line may dial at once: the addresses are claimed already.
fn tell(args: &NodeArgs, config: &Config, incarnation: u64, console: &mut Console<'_>) -> io::Result<()> {
    let address = config.place(&args.name).map(|place| &config.addresses[usize::from(place)]);
    let listen = address.map_or("", |address| address.listen.as_str());
    let status = address.and_then(|address| address.status.as_deref());
    if console.json {
        let ready = json!({
            "schema": "ringleader.node/1",
            "member": args.name,
            "cluster": config.cluster.name,
            "listen": listen,
            "status": status,
            "incarnation": incarnation,
        });
        writeln!(console.out, "{ready}")?;
        return console.out.flush();
    }
    if console.quiet {
        return Ok(());
    }
    let known = config.warnings.iter().map(|warning| format!("note: {warning}\n"));
    write!(console.err, "{}", known.collect::<String>())?;
    let status = status.map_or_else(String::new, |at| format!(" · status http://{at}/v1/status"));
    let (name, cluster) = (&args.name, &config.cluster.name);
    writeln!(console.err, "member {name} of {cluster} is there: {listen}{status}")?;
    console.err.flush()
}
