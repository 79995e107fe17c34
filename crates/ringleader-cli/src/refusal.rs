//! What the simulator refuses, in the words of the command line, with one thing to type.

use crate::App;
use crate::args::{RunArgs, quoted};
use crate::error::Diagnostic;
use crate::scenario::Plan;
use crate::{ids_file, suggest};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::Refusal;

/// No algorithm has this name.
pub(crate) fn unknown_algorithm(app: &App, name: &str) -> Diagnostic {
    let literal = name.contains('@');
    let entries = || app.registry.iter().filter(move |entry| literal || !entry.is_literal());
    let names =
        entries().flat_map(|entry| [entry.spec.name].into_iter().chain(entry.spec.aliases.iter().copied()));
    let error =
        Diagnostic::input("ringleader::unknown_algorithm", format!("no algorithm is called `{name}`"));
    let meant =
        suggest::closest(name, names).and_then(|meant| ringleader::registry::find(app.registry, meant));
    let error = match meant {
        Some(entry) if entry.spec.aliases.is_empty() => {
            error.help(format!("did you mean `{}`?", entry.spec.name))
        }
        Some(entry) => error.help(format!(
            "did you mean `{}` (alias {})?",
            entry.spec.name,
            entry.spec.aliases.join(", ")
        )),
        None => error.help("see which there are:"),
    };
    let all = format!("all {}", entries().count());
    error
        .command(format!("{} list", app.program), &all)
        .command(format!("{} list --topology ring", app.program), "those for rings")
}

/// Why this plan is not run.
pub(crate) fn explain(
    app: &App,
    entry: &Entry,
    args: Option<&RunArgs>,
    plan: &Plan,
    refusal: &Refusal,
) -> Diagnostic {
    let (name, program) = (entry.spec.name, &app.program);
    let input = |code, message: String| Diagnostic::input(code, message);
    let list = |topology: &str| format!("{program} list --topology {topology}");
    let unsound = || {
        let mut words = plan.again.clone();
        words.push("--unsound".into());
        quoted(program, &words)
    };
    let who = if entry.problem == Problem::Election { "an election" } else { "mutual exclusion" };
    match refusal {
        Refusal::NoProcesses => {
            input("ringleader::n_too_small", format!("-n 0: {who} needs at least one process"))
                .help("n = 1 is allowed (a ring of one sends to itself); try -n 8")
        }
        Refusal::DuplicateId { id, first, second } => {
            let mut error =
                input("ringleader::duplicate_id", format!("identity {id} is given to two processes"));
            let places =
                plan.ids_file.as_deref().and_then(|path| ids_file::two_places(path, *first, *second));
            error = match places {
                Some(excerpt) => error.excerpt(excerpt),
                None => error.help(format!("processes {first} and {second} have it")),
            };
            let anonymous = app.registry.iter().find(|entry| {
                entry.is_anonymous() && entry.problem == Problem::Election && !entry.is_literal()
            });
            error = error.help(format!("`{name}` needs distinct identities; `--ids random` draws them"));
            match anonymous {
                Some(other) => {
                    error.help(format!("for rings without identities: `{}` (randomised)", other.spec.name))
                }
                None => error,
            }
        }
        Refusal::WrongLength { what, got, n } => {
            input("ringleader::wrong_length", format!("there are {got} {what} for {n} processes"))
                .help(format!("give one for each process, or say `-n {got}`"))
        }
        Refusal::NoSuchProcess { what, process, n } => {
            let message =
                format!("{what}: there is no process {process}; indices are 0 to {}", n.saturating_sub(1));
            input("ringleader::no_such_process", message)
        }
        Refusal::NoInitiator => input("ringleader::no_initiator", "nobody starts".into())
            .help("at least one process must start of its own accord: --initiators one"),
        Refusal::WeakLinks { needs, got } => {
            let (code, words) = match *needs {
                "fifo" => ("ringleader::needs_fifo", "FIFO"),
                other => ("ringleader::needs_links", other),
            };
            let note = if *got == "bag" { " (messages may overtake each other)" } else { "" };
            input(code, format!("`{name}` needs {words} links; the links are `{got}`{note}"))
                .help(format!("leave out `--links {got}`, or look at what goes wrong:"))
                .command(unsound(), "")
        }
        Refusal::NoHalfDuplexHere => {
            let message = format!(
                "half-duplex links exist on two-way rings only; `{name}` runs on a {}",
                entry.topology()
            );
            input("ringleader::wrong_links", message)
                .help("see what runs on a two-way ring:")
                .command(list("two-way"), "")
        }
        Refusal::WrongTopology { needs, got } => {
            let network = match *got {
                "line" | "star" | "binary" | "random" => "tree",
                other => other,
            };
            let needs =
                if needs.contains("ring") { format!("a {}", entry.topology()) } else { (*needs).to_owned() };
            input("ringleader::wrong_topology", format!("`{name}` needs {needs}; the topology is `{got}`"))
                .help(format!("leave out `--topology {got}`, or see what runs on such a network:"))
                .command(list(network), "")
        }
        Refusal::NeedsOrientation => {
            let message = format!("`{name}` needs processes that agree on left and right");
            input("ringleader::needs_orientation", message)
                .help("leave out `--orientation random`, or look at what goes wrong:")
                .command(unsound(), "")
        }
        Refusal::BadPorts { process } => {
            let message =
                format!("the ports listed for process {process} are not a permutation of its ports");
            input("ringleader::bad_ports", message)
        }
        Refusal::NeedsBoundedDelay { .. } => {
            let message = format!(
                "`{name}` needs a bound on message delays; the schedule `{}` has none",
                plan.schedule
            );
            // Time-outs that mean nothing can keep a run going for ever.
            let mut limited = plan.again.clone();
            if args.is_some_and(|args| args.max_steps.is_none()) {
                limited.extend(["--max-steps".to_owned(), "10k".to_owned()]);
            }
            limited.push("--unsound".into());
            input("ringleader::needs_bounded_delay", message)
                .help(
                    "its time-outs mean something under `rounds`, `delay:const:1` and `delay:uniform:1:10`;",
                )
                .help("or look at what goes wrong:")
                .command(quoted(program, &limited), "")
        }
        Refusal::NeedsLockStep { .. } => input(
            "ringleader::needs_lock_step",
            format!("`{name}` moves in lock-step; the schedule is `{}`", plan.schedule),
        )
        .help(format!("leave out `--schedule {}`", plan.schedule)),
        Refusal::FaultExcluded { fault } => {
            input("ringleader::fault_excluded", format!("the contract of `{name}` excludes {fault}"))
                .help("look at what goes wrong:")
                .command(unsound(), "")
        }
        Refusal::NoSuchKind { kind, kinds } => {
            let error =
                input("ringleader::unknown_kind", format!("`{name}` sends no message of kind `{kind}`"));
            match suggest::closest(kind, kinds.iter().copied()) {
                Some(meant) => {
                    error.help(format!("did you mean `{meant}`? Its kinds are {}", kinds.join(", ")))
                }
                None => error.help(format!("its kinds are {}", kinds.join(", "))),
            }
        }
        Refusal::NoWorkload => input(
            "ringleader::no_workload",
            format!("`{name}` is an election: nobody wants into a critical section"),
        )
        .help("--entries, --hold, --think, --load and --wants are for mutual exclusion:")
        .command(format!("{program} list --problem mutex"), ""),
        Refusal::BadSetting { name: setting, expected } => {
            input("ringleader::bad_setting", format!("setting `{setting}` of `{name}`: {expected}"))
                .help("its settings, if it has any, are told by:")
                .command(format!("{program} show {name}"), "")
        }
        Refusal::NoWorstIds => input(
            "ringleader::no_worst_ids",
            format!("no worst arrangement of identities is known for `{name}`"),
        )
        .help("others: --ids descending, --ids alternating, --ids bit-reversal"),
        Refusal::Anonymous => {
            let given = args.and_then(|args| args.ids.as_ref()).map_or("", |ids| ids.text.as_str());
            input("ringleader::anonymous", format!("the processes of `{name}` have no identities to arrange"))
                .help(format!("leave out `--ids {given}`"))
        }
        Refusal::OutOfRange { what, expected } => {
            input("ringleader::out_of_range", format!("{what} must be {expected}"))
        }
        Refusal::BrokenReplay { step, why } => broken_replay(*step, why),
    }
}

/// A recorded step that cannot be repeated; the header is line 1, so step k stands in line k + 1.
pub(crate) fn broken_replay(step: usize, why: &str) -> Diagnostic {
    let message = format!("line {}: step {step} of the recording cannot be repeated: {why}", step + 1);
    Diagnostic::input("ringleader::broken_replay", message)
        .help("the file was changed, or recorded by another version of the algorithm")
}
