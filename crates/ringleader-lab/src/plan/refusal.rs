//! What the simulator and the checker refuse, in the words of the command line, with one thing to type.

use super::check::NODES_DEFAULT as CHECK_NODES;
use super::run::NODES_DEFAULT as RUN_NODES;
use super::{advice, ids_file};
use crate::options::{CheckOptions, quoted};
use crate::{App, Diagnostic, suggest};
use ringleader::model::{Processes, Setting, SettingValues};
use ringleader::registry::{Entry, Problem, find};
use ringleader::sim::Refusal;
use std::path::Path;

/// No algorithm has this name.
#[must_use]
pub fn unknown_algorithm(app: &App, name: &str) -> Diagnostic {
    let literal = name.contains('@');
    let entries = || app.registry.iter().filter(move |entry| literal || !entry.is_literal());
    let names =
        entries().flat_map(|entry| [entry.spec.name].into_iter().chain(entry.spec.aliases.iter().copied()));
    let error = Diagnostic::input("unknown_algorithm", format!("no algorithm is called `{name}`"));
    let meant = suggest::closest(name, names).and_then(|meant| find(app.registry, meant));
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

/// What was asked for, as far as a refusal speaks of it.
pub struct Request<'a> {
    /// The words of the command that repeats it.
    pub again: &'a [String],
    /// The schedule as it is shown.
    pub schedule: &'a str,
    /// The identities as they were given.
    pub ids: &'a str,
    /// The file that they came from.
    pub ids_file: Option<&'a Path>,
    /// The number of processes, where another one may be proposed.
    pub n: Option<u32>,
    /// Whether it may go on for ever.
    pub unlimited: bool,
    /// The arguments, if every run was asked for, not one.
    pub check: Option<&'a CheckOptions>,
}

/// Why it is not done.
#[must_use]
pub fn explain(app: &App, entry: &Entry, asked: &Request<'_>, refusal: &Refusal) -> Diagnostic {
    let (name, program) = (entry.spec.name, &app.program);
    let input = |message: String| Diagnostic::input(code(refusal), message);
    let list = |topology: &str| format!("{program} list --topology {topology}");
    let unsound = || {
        let mut words = asked.again.to_vec();
        words.push("--unsound".into());
        quoted(program, &words)
    };
    let usual = if asked.check.is_some() { CHECK_NODES } else { RUN_NODES };
    let who = match entry.problem {
        Problem::Election => "an election",
        Problem::Mutex => "mutual exclusion",
        Problem::Clocks => "this",
    };
    match refusal {
        Refusal::NoProcesses => input(format!("-n 0: {who} needs at least one process"))
            .help(format!("n = 1 is allowed (a ring of one sends to itself); try -n {usual}")),
        Refusal::DuplicateId { id, first, second } => {
            let mut error = input(format!("identity {id} is given to two processes"));
            let places =
                asked.ids_file.and_then(|path| Some((path, ids_file::two_places(path, *first, *second)?)));
            error = match places {
                Some((path, places)) => error.at(path.display().to_string(), places),
                None => error.help(format!("processes {first} and {second} have it")),
            };
            let anonymous = app.registry.iter().find(|entry| {
                entry.is_anonymous() && entry.problem == Problem::Election && !entry.is_literal()
            });
            let distinct = if asked.check.is_some() {
                "`--all-ids` takes every arrangement of them"
            } else {
                "`--ids random` draws them"
            };
            error = error.help(format!("`{name}` needs distinct identities; {distinct}"));
            match anonymous {
                Some(other) => {
                    error.help(format!("for rings without identities: `{}` (randomised)", other.spec.name))
                }
                None => error,
            }
        }
        Refusal::WrongLength { what, got, n } => input(format!("there are {got} {what} for {n} processes"))
            .help(format!("give one for each process, or say `-n {got}`")),
        Refusal::NoSuchProcess { what, process, n } => {
            let message =
                format!("{what}: there is no process {process}; indices are 0 to {}", n.saturating_sub(1));
            input(message)
        }
        Refusal::NoInitiator => input("nobody starts".into())
            .help("at least one process must start of its own accord: --initiators one"),
        Refusal::WeakLinks { needs, got } => {
            let words = if *needs == "fifo" { "FIFO" } else { needs };
            let note = if *got == "bag" { " (messages may overtake each other)" } else { "" };
            input(format!("`{name}` needs {words} links; the links are `{got}`{note}"))
                .help(format!("leave out `--links {got}`, or look at what goes wrong:"))
                .command(unsound(), "")
        }
        Refusal::NoHalfDuplexHere => {
            let message = format!(
                "half-duplex links exist on two-way rings only; `{name}` runs on a {}",
                entry.topology()
            );
            input(message).help("see what runs on a two-way ring:").command(list("two-way"), "")
        }
        Refusal::NoLinksHere => input(format!(
            "the processes of `{name}` share registers: there are no links between them"
        ))
        .help("leave out `--links`; what registers do says `--registers atomic` or `--registers safe`"),
        Refusal::WeakRegisters { needs, got } => {
            input(format!("`{name}` needs {needs} registers; these are {got}"))
                .help(format!("leave out `--registers {got}`, or look at what goes wrong:"))
                .command(unsound(), "")
        }
        Refusal::NotEnough { setting, least, got } => {
            input(format!("`{name}` needs {setting} = {least} or more here; it is {got}"))
                .help(format!("say `--{setting} {least}`, or look at a run that never converges:"))
                .command(unsound(), "")
        }
        Refusal::BeginsOnce => input(format!("`{name}` begins in one state, and nothing corrupts it"))
            .help("what begins anywhere are self-stabilising algorithms:")
            .command(format!("{program} run dijkstra-k --from any"), ""),
        Refusal::NoSuchState { process, state, most } => {
            input(format!("--from: machine {process} has no state {state}; its states are 0 to {most}"))
                .help("give one number for each machine, or `--from any`")
        }
        Refusal::FullLink { process, got, most } => input(format!(
            "--from: the link out of process {process} is to hold {got} messages; it holds {most} at most"
        ))
        .help(format!("give it fewer, or say `--capacity {got}`")),
        Refusal::NoUsers => input(format!("the machines of `{name}` have no users who want in"))
            .help("`--entries K` says how often each is to move after convergence"),
        Refusal::EndlessEntries => {
            input("--entries forever: a run in which everybody wants in again and again has no end".into())
                .help("say how many entries in all: `--load saturated --total 100`; `check` goes on for ever")
        }
        Refusal::NoSingleRegisters => {
            let message = format!(
                "a machine of `{name}` reads its neighbours and writes in one step, which threads do not have"
            );
            input(message).help("simulate it, from any state:").command(format!("{program} run {name}"), "")
        }
        Refusal::SharedRegisters => {
            input(format!("the processes of `{name}` share registers, which nodes on a network do not have"))
                .help("run it as threads of one process:")
                .command(format!("{program} up {name}"), "")
        }
        Refusal::WrongSize { n, nearest: (below, above) } => {
            let wrong = input(format!("`{name}` is not for {n} processes"));
            match entry.spec.needs.processes {
                Processes::Exactly(many) => wrong.help(format!("it is for {many}: `-n {many}`")),
                Processes::AtLeast(least) => wrong.help(format!("it is for {least} or more: `-n {least}`")),
                Processes::CompleteTree | Processes::Any => wrong.help(format!(
                    "it is for 1, 3, 7, 15, ... processes; the nearest are `-n {below}` and `-n {above}`"
                )),
            }
        }
        Refusal::WrongTopology { needs, got } => {
            let network = match *got {
                "line" | "star" | "binary" | "random" => "tree",
                other => other,
            };
            let needs =
                if needs.contains("ring") { format!("a {}", entry.topology()) } else { (*needs).to_owned() };
            input(format!("`{name}` needs {needs}; the topology is `{got}`"))
                .help(format!("leave out `--topology {got}`, or see what runs on such a network:"))
                .command(list(network), "")
        }
        Refusal::NeedsOrientation => {
            let message = format!("`{name}` needs processes that agree on left and right");
            input(message)
                .help("leave out `--orientation random`, or look at what goes wrong:")
                .command(unsound(), "")
        }
        Refusal::BadPorts { process } => {
            let message =
                format!("the ports listed for process {process} are not a permutation of its ports");
            input(message)
        }
        Refusal::NeedsBoundedDelay { .. } => {
            let message = format!(
                "`{name}` needs a bound on message delays; the schedule `{}` has none",
                asked.schedule
            );
            // Time-outs that mean nothing can keep a run going for ever.
            let mut limited = asked.again.to_vec();
            if asked.unlimited {
                limited.extend(["--max-steps".to_owned(), "10k".to_owned()]);
            }
            limited.push("--unsound".into());
            input(message)
                .help(
                    "its time-outs mean something under `rounds`, `delay:const:1` and `delay:uniform:1:10`;",
                )
                .help("or look at what goes wrong:")
                .command(quoted(program, &limited), "")
        }
        Refusal::NeedsLockStep { .. } => {
            let error = input(format!("`{name}` moves in lock-step; the schedule is `{}`", asked.schedule))
                .help(format!("leave out `--schedule {}`", asked.schedule));
            match entry.asynchronous() {
                None => error,
                Some(_) => {
                    let with = asked.again.iter().cloned().chain(["--synchroniser".to_owned()]);
                    error
                        .help("or run it with a synchroniser:")
                        .command(quoted(program, &with.collect::<Vec<String>>()), "")
                }
            }
        }
        Refusal::FaultExcluded { fault } => {
            let mut error = input(format!("the contract of `{name}` excludes {fault}"));
            // With a setting it may be another algorithm, which lives with that.
            let survives = |other: &str| {
                let other = find(app.registry, other)?;
                (fault.starts_with("crashes") && other.spec.needs.tolerates.crash).then_some(other)
            };
            for setting in entry.spec.settings {
                if let SettingValues::Elsewhere(other) = setting.values
                    && let Some(other) = survives(other)
                {
                    let (option, other) = (setting.name, other.spec.name);
                    error =
                        error.help(format!("with `--{option} NAME` it is `{other}`, which lives with them"));
                }
            }
            error.help("look at what goes wrong:").command(unsound(), "")
        }
        Refusal::NoSuchKind { kind, kinds } => {
            let error = input(format!("`{name}` sends no message of kind `{kind}`"));
            match suggest::closest(kind, kinds.iter().copied()) {
                Some(meant) => {
                    error.help(format!("did you mean `{meant}`? Its kinds are {}", kinds.join(", ")))
                }
                None => error.help(format!("its kinds are {}", kinds.join(", "))),
            }
        }
        Refusal::NoClocks => input(format!("the processes of `{name}` have no clocks"))
            .help("--clock-offset, --clock-drift, --drift-bound and --clock-backward are for:")
            .command(format!("{program} list --problem clocks"), ""),
        Refusal::TooMuchDrift { drift, bound } => {
            let enough = drift.unsigned_abs();
            input(format!("a clock drifts by {drift} ppm, more than `{name}` is told ({bound} ppm)"))
                .help(format!("tell it so: --drift-bound {enough}; or look at what goes wrong:"))
                .command(unsound(), "")
        }
        Refusal::ClocksGoBack => input(format!("`{name}` promises that clocks never go back"))
            .help("--clock-backward stop or slew; or look at what goes wrong:")
            .command(unsound(), ""),
        Refusal::Surroundings { why, help } => input(format!("`{name}`: {why}")).help(help.clone()),
        Refusal::NoWorkload if entry.problem == Problem::Clocks => {
            input(format!("`{name}` brings clocks together; it has no critical section to enter"))
                .help("--entries, --hold, --think, --load and --wants are for mutual exclusion:")
                .command(format!("{program} list --problem mutex"), "")
        }
        Refusal::NoWorkload => {
            input(format!("`{name}` is an election, which has no critical section to enter"))
                .help(if asked.check.is_some() {
                    "--entries is for mutual exclusion:"
                } else {
                    "--entries, --hold, --think, --load and --wants are for mutual exclusion:"
                })
                .command(format!("{program} list --problem mutex"), "")
        }
        Refusal::BadSetting { name: setting, expected } => {
            let error = input(format!("setting `{setting}` of `{name}`: {expected}"));
            if setting == Setting::CAPACITY.name && entry.spec.settings.iter().any(|own| own.name == setting)
            {
                return error
                    .help("a link that holds nothing carries nothing; the usual one: `--capacity 1`");
            }
            let names = entry.spec.settings.iter().map(|setting| setting.name);
            let error = match suggest::closest(setting, names).filter(|meant| meant != setting) {
                Some(meant) => error.help(format!("did you mean `{meant}`? Its settings are explained by:")),
                None => error.help("its settings, if it has any, are explained by:"),
            };
            error.command(format!("{program} show {name}"), "")
        }
        Refusal::NoSuchProperty { name: property, names } => {
            let error = input(format!("`{name}` has no property `{property}`"));
            let asked = property.replace(['-', '_'], " ");
            let error = match suggest::closest(&asked, names.iter().copied()) {
                Some(meant) => error.help(format!("did you mean `{meant}`?")),
                None => error,
            };
            error.help(format!("its properties are: {}", names.join("; ")))
        }
        Refusal::NoWorstIds => input(format!("no worst arrangement of identities is known for `{name}`"))
            .help("others: --ids descending, --ids alternating, --ids bit-reversal"),
        Refusal::Anonymous => input(format!("the processes of `{name}` have no identities to arrange"))
            .help(format!("leave out `--ids {}`", asked.ids)),
        Refusal::OutOfRange { what, expected } => input(format!("{what} must be {expected}")),
        Refusal::TooManyCases { arrangements, initiator_sets, labellings } => {
            advice::too_many_cases(app, entry, asked, (*arrangements, *initiator_sets, *labellings))
        }
        Refusal::BadEdit { .. } => input(refusal.to_string())
            .help("messages are numbered in sending order, from 0; steps are those of `--trace`, from 0"),
        Refusal::BrokenReplay { step, why } => broken_replay(*step, why),
    }
}

/// The name to search for.
#[must_use]
pub fn code(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoProcesses => "n_too_small",
        Refusal::WrongSize { .. } => "wrong_size",
        Refusal::DuplicateId { .. } => "duplicate_id",
        Refusal::WrongLength { .. } => "wrong_length",
        Refusal::NoSuchProcess { .. } => "no_such_process",
        Refusal::NoInitiator => "no_initiator",
        Refusal::WeakLinks { needs: "fifo", .. } => "needs_fifo",
        Refusal::WeakLinks { .. } => "needs_links",
        Refusal::NoHalfDuplexHere | Refusal::NoLinksHere => "wrong_links",
        Refusal::WeakRegisters { .. } => "needs_registers",
        Refusal::NotEnough { .. } => "not_enough",
        Refusal::BeginsOnce => "begins_once",
        Refusal::NoSuchState { .. } => "no_such_state",
        Refusal::FullLink { .. } => "full_link",
        Refusal::NoUsers => "no_users",
        Refusal::EndlessEntries => "no_end",
        Refusal::NoSingleRegisters => "no_single_registers",
        Refusal::SharedRegisters => "shared_registers",
        Refusal::WrongTopology { .. } => "wrong_topology",
        Refusal::NeedsOrientation => "needs_orientation",
        Refusal::BadPorts { .. } => "bad_ports",
        Refusal::NeedsBoundedDelay { .. } => "needs_bounded_delay",
        Refusal::NeedsLockStep { .. } => "needs_lock_step",
        Refusal::FaultExcluded { .. } => "fault_excluded",
        Refusal::NoSuchKind { .. } => "unknown_kind",
        Refusal::NoClocks => "no_clocks",
        Refusal::TooMuchDrift { .. } => "too_much_drift",
        Refusal::ClocksGoBack => "clocks_go_back",
        Refusal::Surroundings { .. } => "not_admitted",
        Refusal::NoWorkload => "no_workload",
        Refusal::BadSetting { .. } => "bad_setting",
        Refusal::NoWorstIds => "no_worst_ids",
        Refusal::Anonymous => "anonymous",
        Refusal::OutOfRange { .. } => "out_of_range",
        Refusal::NoSuchProperty { .. } => "unknown_property",
        Refusal::TooManyCases { .. } => "too_many_cases",
        Refusal::BadEdit { .. } => "bad_edit",
        Refusal::BrokenReplay { .. } => "broken_replay",
    }
}

/// A recorded step that cannot be repeated; the header is line 1, so step k stands in line k + 1.
#[must_use]
pub fn broken_replay(step: usize, why: &str) -> Diagnostic {
    let message = format!("line {}: step {step} of the recording cannot be repeated: {why}", step + 1);
    Diagnostic::input("broken_replay", message)
        .help("the file was changed, or recorded by another version of the algorithm")
}
