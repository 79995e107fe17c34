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
    use crate::cmd::cluster::lock::{self, Teller, seconds, step_object, step_words};
    use crate::cmd::cluster::{is_service, program};
    use ringleader_net::child;
    use ringleader_net::config::{Config, Environment};
    use ringleader_net::elect::{Ended, Happening, Plan, Stopping};
    use serde_json::{Value, json};

    pub(crate) fn run(app: &App, args: &ElectArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
        let of_service = is_service(&args.config);
        if of_service || !args.reach.server.is_empty() {
            return lock::elect(app, args, console);
        }
        let Some(name) = &args.name else {
            let message = "--name NAME is needed: the member of the cluster that is to lead";
            return Err(Diagnostic::input("ringleader::no_name", message)
                .help("with a lock service (a file of schema ringleader.service/1) leave out --name:")
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
        let mut teller = Teller { what: "elect", of: ("group", &plan.group), console };
        let ended = ringleader_net::elect::run(&plan, &mut |happening| {
            teller.tell(words(&plan, &happening), object(&happening));
        })?;
        teller.ended(over(&plan, ended), ended);
        Ok(ended.code())
    }

    fn plan(app: &App, args: &ElectArgs, name: &str) -> Result<Plan, Failure> {
        let config = Config::read(&args.config, app.registry, Some(name), &Environment::of_process())?;
        let lease = config.cluster.timing.terms.lease;
        let span = |given: Option<Span>| given.map(|span| span.0);
        let stopping = Stopping::asked(span(args.grace), span(args.kill_before), lease).map_err(|why| {
            Diagnostic::input("ringleader::impossible_times", why)
                .help("a lease has room for --grace up to half of it, and --kill-before up to --grace;")
                .help("for a longer lease, set in the configuration: [timing] lease = \"10s\"")
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
        Ok(Plan {
            group: args.group.clone(),
            member: name.to_owned(),
            address,
            lease,
            stopping,
            wait: args.wait.map(|wait| wait.0),
            program: program()?.into(),
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
                let left = seconds(*left);
                format!(
                    "{member} leads, epoch {epoch}, granted for {left}; the command is process group {group}"
                )
            }
            Happening::Command(step) => return step_words(step, "the grants end"),
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

    fn object(happening: &Happening) -> (&'static str, Value) {
        match happening {
            Happening::Waits(leader) => ("waits", json!({ "leader": leader })),
            Happening::Silent(why) => ("silent", json!({ "why": why })),
            Happening::Runs { epoch, group, left } => {
                ("runs", json!({ "epoch": epoch, "process_group": group, "left_us": left.0 }))
            }
            Happening::Command(step) => step_object(step),
        }
    }
}
