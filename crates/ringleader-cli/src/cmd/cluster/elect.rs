//! `ringleader elect GROUP -- CMD`: runs a command while a member leads.

use crate::App;
use crate::args::{ElectArgs, ElectExecArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};

#[cfg(unix)]
pub(crate) use unix::{exec, run, warden};

#[cfg(not(unix))]
pub(crate) fn run(_app: &App, _args: &ElectArgs, _console: &mut Console<'_>) -> Result<u8, Failure> {
    Err(elsewhere().into())
}

#[cfg(not(unix))]
pub(crate) fn exec(_args: &ElectExecArgs, _console: &mut Console<'_>) -> Result<u8, Failure> {
    Err(elsewhere().into())
}

#[cfg(not(unix))]
pub(crate) fn warden() -> Result<u8, Failure> {
    Err(elsewhere().into())
}

#[cfg(not(unix))]
fn elsewhere() -> Diagnostic {
    Diagnostic::new("ringleader::no_processes", 4, "`elect` needs process groups and signals, which Unix has")
}

#[cfg(unix)]
mod unix {
    use super::{App, Console, Diagnostic, ElectArgs, ElectExecArgs, Failure};
    use crate::args::Span;
    use ringleader_live::Micros;
    use ringleader_net::child;
    use ringleader_net::config::{Config, Environment};
    use ringleader_net::elect::{Ended, Happening, Plan, Stopping};
    use ringleader_server::config::{SERVICE_SCHEMA, schema_of};
    use serde_json::{Value, json};

    pub(crate) fn run(app: &App, args: &ElectArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
        let of_service = schema_of(&args.config).as_deref() == Some(SERVICE_SCHEMA);
        if of_service || !args.reach.server.is_empty() {
            return super::super::lock::elect(app, args, console);
        }
        let Some(name) = &args.name else {
            let message = "--name NAME is needed: the member of the cluster that is to lead";
            return Err(Diagnostic::input("ringleader::no_name", message)
                .help("of a lock service (a file of schema ringleader.service/1) everybody may lead, without --name:")
                .command(format!("{} elect {} --config service.toml -- CMD", app.program, args.group), "")
                .into());
        };
        if args.command.is_empty() {
            let group = &args.group;
            return Err(Diagnostic::input(
                "ringleader::no_command",
                "there is no command to run while it leads",
            )
            .help("it comes after `--`, and is run directly, without a shell:")
            .command(format!("{} elect {group} --name {name} -- ./serve --primary", app.program), "")
            .into());
        }
        let plan = plan(app, args, name)?;
        let (json, quiet, err) = (console.json, console.quiet, &mut *console.err);
        // The command writes to stdout, so what is told goes to stderr, as text or as JSON Lines.
        let mut tell = |happening: Happening| {
            let line = if json {
                Some(object(&plan.group, &happening).to_string())
            } else if quiet {
                None
            } else {
                words(&plan, &happening).map(|words| format!("elect {}: {words}", plan.group))
            };
            if let Some(line) = line {
                let _ = writeln!(err, "{line}");
                let _ = err.flush();
            }
        };
        let ended = ringleader_net::elect::run(&plan, &mut tell)?;
        let line = if json {
            Some(
                json!({ "schema": "ringleader.elect/1", "event": "ended", "group": plan.group,
                "how": how(ended), "exit": ended.code() })
                .to_string(),
            )
        } else if quiet {
            None
        } else {
            over(&plan, ended).map(|words| format!("elect {}: {words}", plan.group))
        };
        if let Some(line) = line {
            writeln!(console.err, "{line}")?;
        }
        Ok(ended.code())
    }

    fn plan(app: &App, args: &ElectArgs, name: &str) -> Result<Plan, Failure> {
        let config = Config::read(&args.config, app.registry, Some(name), &Environment::of_process())?;
        let lease = config.cluster.timing.terms.lease;
        let usual = Stopping::usual(lease);
        let span = |given: Option<Span>, usual: Micros| given.map_or(usual, |span| span.0);
        let grace = span(args.grace, usual.grace);
        // Who asks for less grace than usual does not mean to be killed before it.
        let stopping = Stopping { grace, kill_before: span(args.kill_before, usual.kill_before.min(grace)) };
        stopping.fits(lease).map_err(|why| {
            Diagnostic::input("ringleader::impossible_times", why)
                .help("a lease has room for --grace up to half of it, and --kill-before up to --grace;")
                .help("a longer lease is a matter of the configuration: [timing] lease = \"10s\"")
        })?;
        if !config.cluster.groups.iter().any(|group| group.name == args.group) {
            let names: Vec<&str> = config.cluster.groups.iter().map(|group| group.name.as_str()).collect();
            let message = format!("no group of {} is called `{}`", args.config.display(), args.group);
            return Err(Diagnostic::input("ringleader::unknown_group", message)
                .help(format!("its groups are {}", names.join(", ")))
                .into());
        }
        let status = config.place(name).and_then(|place| config.addresses[usize::from(place)].status.clone());
        let address = args.at.clone().or(status).ok_or_else(|| {
            let message = format!("member `{}` has no `status` address to ask at", name);
            Diagnostic::input("ringleader::no_status", message)
                .help("add one to its [[member]], such as status = \"127.0.0.1:7422\", or say --at HOST:PORT")
        })?;
        let program = std::env::current_exe().map_err(|error| {
            Diagnostic::new(
                "ringleader::no_process",
                4,
                format!("this program does not find itself: {error}"),
            )
        })?;
        Ok(Plan {
            group: args.group.clone(),
            member: name.to_owned(),
            address,
            lease,
            stopping,
            wait: args.wait.map(|wait| wait.0),
            program: program.into_os_string(),
            command: args.command.clone(),
            on_lost: args.on_lost.clone(),
        })
    }

    /// Becomes the command; comes back only if there is none.
    pub(crate) fn exec(args: &ElectExecArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
        let (code, why) = child::become_command(args.parent, &args.command);
        writeln!(console.err, "ringleader: {why}")?;
        Ok(code)
    }

    /// Kills a command if whoever runs it cannot.
    pub(crate) fn warden() -> Result<u8, Failure> {
        ringleader_net::warden::run()?;
        Ok(0)
    }

    fn words(plan: &Plan, happening: &Happening) -> Option<String> {
        let member = &plan.member;
        Some(match happening {
            Happening::Waits(Some(leader)) if leader != member => {
                format!("waiting; {member} does not lead, {leader} does, as far as it knows")
            }
            Happening::Waits(_) => format!("waiting until {member} leads"),
            Happening::Silent(why) => format!("{member} does not answer at {}: {why}", plan.address),
            Happening::Runs { epoch, group, left } => {
                let left = super::super::lock::seconds(*left);
                format!(
                    "{member} leads, epoch {epoch}, granted for {left}; the command is process group {group}"
                )
            }
            Happening::Command(step) => return super::super::lock::step_words(step, "the grants end"),
        })
    }

    fn over(plan: &Plan, ended: Ended) -> Option<String> {
        match ended {
            Ended::Command(code) => Some(format!("the command exited with {code}")),
            Ended::NotInTime => Some(format!("{} did not lead in time", plan.member)),
            Ended::Lost => Some("LOST; the command was stopped".to_owned()),
            Ended::Signal(_) => None,
        }
    }

    fn how(ended: Ended) -> &'static str {
        match ended {
            Ended::Command(_) => "command",
            Ended::NotInTime => "not-in-time",
            Ended::Lost => "lost",
            Ended::Signal(_) => "signal",
        }
    }

    fn object(group: &str, happening: &Happening) -> Value {
        let event = |name: &str, more: Value| {
            let mut object = json!({ "schema": "ringleader.elect/1", "event": name, "group": group });
            if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
                object.extend(more);
            }
            object
        };
        match happening {
            Happening::Waits(leader) => event("waits", json!({ "leader": leader })),
            Happening::Silent(why) => event("silent", json!({ "why": why })),
            Happening::Runs { epoch, group, left } => {
                event("runs", json!({ "epoch": epoch, "process_group": group, "left_us": left.0 }))
            }
            Happening::Command(step) => {
                let (name, more) = super::super::lock::step_object(step);
                event(name, more)
            }
        }
    }
}
