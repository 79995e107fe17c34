//! `ringleader lock NAME -- CMD`, and `ringleader elect` of a lock service: a command runs while it is held.

use super::{program, reach};
use crate::App;
use crate::args::{ElectArgs, LockArgs, ReachArgs};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use ringleader_live::Micros;
use ringleader_locks::{Class, Kind, Mode};
use ringleader_net::hold::{Happening, Plan, Refused, Wait, run as hold};
use ringleader_net::oversee::{Ended, Step};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn run(app: &App, args: &LockArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.command.is_empty() {
        return Err(no_command(app, "lock", &args.name, "there is no command to run under the lock"));
    }
    let mut options = reach::options(&args.reach)?;
    options.ttl = args.ttl.map(|ttl| Duration::from_micros(ttl.0.0));
    let class = args.hold.class.map_or(Class::Normal, Class::from);
    options.class = class;
    let plan = Plan {
        kind: Kind::Lock,
        name: args.name.clone(),
        options,
        wait: match args.hold.wait {
            _ if args.try_now => Wait::Try,
            Some(most) => Wait::Most(most.0),
            None => Wait::Forever,
        },
        class,
        value: args.hold.value.clone(),
        priority: 0,
        mode: match args.permits {
            Some(permits) => Mode::Permits(permits),
            None if args.shared => Mode::Shared,
            None => Mode::Exclusive,
        },
        grace: args.hold.grace.map(|span| span.0),
        kill_before: args.hold.kill_before.map(|span| span.0),
        program: program()?.into(),
        command: args.command.clone(),
        on_gain: None,
        on_lost: args.on_lost.clone(),
    };
    carry_out("lock", &plan, console)
}

/// `elect` of a lock service.
pub(super) fn elect(app: &App, args: &ElectArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    if args.command.is_empty() {
        return Err(no_command(app, "elect", &args.group, "there is no command to run while it leads"));
    }
    let of_service = &args.reach;
    if args.name.is_some() || args.at.is_some() {
        let message = "--name and --at are for a member of a cluster; of a lock service everybody may lead";
        return Err(Diagnostic::input("ringleader::bad_option", message)
            .help("use --value for what others see about the leader")
            .into());
    }
    let reach = ReachArgs {
        config: args.config.clone(),
        server: of_service.server.clone(),
        authority: of_service.authority.clone(),
        certificate: of_service.certificate.clone(),
        token_file: of_service.token_file.clone(),
    };
    let mut options = reach::options(&reach)?;
    let class = of_service.class.map_or(Class::Normal, Class::from);
    options.class = class;
    let plan = Plan {
        kind: Kind::Election,
        name: args.group.clone(),
        options,
        wait: args.wait.map_or(Wait::Forever, |most| Wait::Most(most.0)),
        class,
        value: of_service.value.clone(),
        priority: of_service.priority,
        mode: Mode::Exclusive,
        grace: args.grace.map(|span| span.0),
        kill_before: args.kill_before.map(|span| span.0),
        program: program()?.into(),
        command: args.command.clone(),
        on_gain: of_service.on_gain.clone(),
        on_lost: args.on_lost.clone(),
    };
    carry_out("elect", &plan, console)
}

fn no_command(app: &App, what: &str, name: &str, message: &str) -> Failure {
    Diagnostic::input("ringleader::no_command", message)
        .help("it comes after `--`, and is run directly, without a shell:")
        .command(format!("{} {what} {name} -- ./backup.sh", app.program), "")
        .into()
}

/// Tells what happens, in words or as JSON Lines, on stderr: the command writes to stdout.
pub(super) struct Teller<'t, 'c> {
    /// The command.
    pub(super) what: &'static str,
    /// What its object is called, and which it is.
    pub(super) of: (&'static str, &'t str),
    pub(super) console: &'t mut Console<'c>,
}

impl Teller<'_, '_> {
    pub(super) fn tell(&mut self, words: Option<String>, (event, more): (&str, Value)) {
        let Teller { what, of: (key, name), console } = self;
        let line = if console.json {
            let mut object = json!({ "schema": format!("ringleader.{what}/1"), "event": event, *key: name });
            if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
                object.extend(more);
            }
            Some(object.to_string())
        } else {
            words.filter(|_| !console.quiet).map(|words| format!("{what} {name}: {words}"))
        };
        if let Some(line) = line {
            let _ = writeln!(console.err, "{line}");
            let _ = console.err.flush();
        }
    }

    pub(super) fn ended(&mut self, words: Option<String>, ended: Ended) {
        self.tell(words, ("ended", json!({ "how": ended.how(), "exit": ended.code() })));
    }
}

fn carry_out(what: &'static str, plan: &Plan, console: &mut Console<'_>) -> Result<u8, Failure> {
    let mut teller = Teller { what, of: ("name", &plan.name), console };
    let mut fence = 0;
    let ended = hold(plan, &mut |happening: Happening| {
        if let Happening::Holds { fence: held, .. } = &happening {
            fence = *held;
        }
        teller.tell(words(plan.kind, &happening), object(&happening));
    });
    match ended {
        Ok(ended) => {
            teller.ended(over(plan, ended, fence), ended);
            Ok(ended.code())
        }
        Err(Refused::Service(error)) => Err(reach::failure(error)),
        Err(Refused::Machine(problem)) => Err(problem.into()),
        Err(Refused::Times(why)) => Err(Diagnostic::input("ringleader::impossible_times", why)
            .help("a lease has room for --grace up to half of it, and --kill-before up to --grace;")
            .help("for a longer lease, use another class: --class batch")
            .into()),
    }
}

pub(super) fn seconds(span: Micros) -> String {
    format!("{}.{} s", span.0 / 1_000_000, span.0 % 1_000_000 / 100_000)
}

/// A longer time, for people.
fn long(span: Micros) -> String {
    match span.0 / 1_000_000 {
        whole @ 60.. => format!("{} min {} s", whole / 60, whole % 60),
        0..60 => seconds(span),
    }
}

fn words(kind: Kind, happening: &Happening) -> Option<String> {
    let (held, token) = match kind {
        Kind::Lock => ("held", "fencing token"),
        Kind::Election => ("leads", "fencing token"),
    };
    Some(match happening {
        Happening::Waits { holder, remaining } => {
            let who = if holder.is_empty() { "somebody" } else { holder };
            format!("waiting behind {who} (its lease ends in {} unless it is renewed)", seconds(*remaining))
        }
        Happening::Trouble { why, left: Some(left) } => {
            format!("cannot renew: {why}; the lease ends in {}", seconds(*left))
        }
        Happening::Trouble { why, left: None } => why.clone(),
        Happening::Holds { fence, server, group, left, .. } => {
            let left = seconds(*left);
            format!(
                "{held}, {token} {fence}, lease {left} at server {server}; the command is process group {group}"
            )
        }
        Happening::Command(step) => return step_words(step, "the lease ends"),
        Happening::Released { held, failed: None } => format!("released after {}", long(*held)),
        Happening::Released { failed: Some(why), .. } => {
            format!("not released: {why}; it is free at the latest when the lease ends")
        }
    })
}

/// What becomes of a command, in words.
pub(super) fn step_words(step: &Step, end: &str) -> Option<String> {
    Some(match step {
        Step::Stops { why, group, kill_in, before } => format!(
            "{why}; stopping the command (TERM to process group {group}; KILL in {}, {} before {end})",
            seconds(*kill_in),
            seconds(*before)
        ),
        Step::Kills(group) => format!("KILL to process group {group}"),
        Step::LeftBehind(group) => {
            format!("the command has ended; stopping what it left behind in process group {group}")
        }
        Step::Forwards(_) => return None,
        Step::Continues(_) => {
            "the command cannot be suspended while its lease runs; it was continued".to_owned()
        }
        Step::OnLostFailed(why) => format!("--on-lost: {why}"),
    })
}

/// The same as an object: its event, and what belongs to it.
pub(super) fn step_object(step: &Step) -> (&'static str, Value) {
    match step {
        Step::Stops { why, group, kill_in, before } => (
            "stops",
            json!({ "why": why, "process_group": group, "kill_in_us": kill_in.0, "before_us": before.0 }),
        ),
        Step::Kills(group) => ("kills", json!({ "process_group": group })),
        Step::LeftBehind(group) => ("left-behind", json!({ "process_group": group })),
        Step::Forwards(signal) => ("forwards", json!({ "signal": signal })),
        Step::Continues(group) => ("continues", json!({ "process_group": group })),
        Step::OnLostFailed(why) => ("on-lost-failed", json!({ "why": why })),
    }
}

fn object(happening: &Happening) -> (&'static str, Value) {
    match happening {
        Happening::Waits { holder, remaining } => {
            ("waits", json!({ "holder": holder, "remaining_us": remaining.0 }))
        }
        Happening::Trouble { why, left } => {
            ("trouble", json!({ "why": why, "left_us": left.map(|left| left.0) }))
        }
        Happening::Holds { fence, session, server, group, left } => (
            "holds",
            json!({ "fence": fence.to_string(), "session": session, "server": server,
                    "process_group": group, "left_us": left.0 }),
        ),
        Happening::Command(step) => step_object(step),
        Happening::Released { held, failed } => {
            ("released", json!({ "held_us": held.0, "released": failed.is_none(), "why": failed }))
        }
    }
}

fn over(plan: &Plan, ended: Ended, fence: u64) -> Option<String> {
    match ended {
        Ended::Command(code) => Some(format!("the command exited with {code}")),
        Ended::NotInTime if plan.wait == Wait::Try => Some("somebody else has it".to_owned()),
        Ended::NotInTime => Some("not obtained in time".to_owned()),
        Ended::Lost => {
            Some(format!("LOST; the command was stopped; token {fence} is now stale: storage must refuse it"))
        }
        Ended::Signal(_) => None,
    }
}
