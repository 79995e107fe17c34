//! What a search for the worst arrangement asks, the command that shows what it found, and why there is no answer.

use super::{NODES_DEFAULT, Request, asked_nodes, explain, set_schedule};
use crate::options::{ScheduleArg, WorstOptions, quoted};
use crate::people::grouped;
use crate::worst::{Method, Question, Shown, Trouble, Unsuited, Worst};
use crate::{App, Diagnostic};
use ringleader::check::Extreme;
use ringleader::registry::Entry;
use ringleader::sim::{Ports, Refusal};
use std::path::Path;

/// So many identities fit into a command.
const LISTED_MOST: usize = 64;

/// What these options ask for.
///
/// # Errors
/// If there can be no such search.
pub fn worst_question<'a>(
    entry: &'a Entry,
    args: &WorstOptions,
    threads: usize,
) -> Result<Question<'a>, Diagnostic> {
    let n = asked_nodes(args.nodes.as_ref())?.unwrap_or(NODES_DEFAULT);
    let mut question = Question { threads, budget: args.budget, ..Question::new(entry, n) };
    if args.best {
        question.extreme = Extreme::Least;
    }
    question.method = match (args.exact || args.distribution, args.search) {
        (true, _) => Method::Exact,
        (false, true) => Method::Search,
        (false, false) => Method::Either,
    };
    let scenario = &mut question.scenario;
    if let Some(given) = &args.schedule {
        if let ScheduleArg::Replay(_) = given.value {
            let message = "a recorded schedule belongs to one arrangement of identities";
            return Err(Diagnostic::input("wrong_schedule", message).help(
                "leave out `--schedule` for every schedule, or give one by its kind: rounds, random, lifo",
            ));
        }
        set_schedule(scenario, &given.value);
        question.one_schedule = true;
    }
    if let Some(initiators) = &args.initiators {
        scenario.initiators = initiators.value.clone();
    }
    if let Some(orientation) = args.orientation {
        scenario.ports = Ports::Kind(orientation);
    }
    scenario.links = args.links;
    scenario.settings = args.settings.agreed()?;
    scenario.seed = args.seed.unwrap_or(0);
    Ok(question)
}

/// The command that runs it once, if a schedule with a name does: with the file, or with the list where it is short.
#[must_use]
pub fn worst_command(
    args: &WorstOptions,
    output: Option<&Path>,
    entry: &Entry,
    found: &Worst,
) -> Option<Vec<String>> {
    let (schedule, seed) = match &found.shown {
        Shown::Run(Some((schedule, seed))) => (Some(schedule.as_str()), *seed),
        Shown::Run(None) => (None, args.seed.unwrap_or(0)),
        Shown::Recorded(_) | Shown::Nothing => return None,
    };
    let ids = match output {
        Some(path) => format!("@{}", path.display()),
        None if found.ids.len() <= LISTED_MOST => {
            found.ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
        }
        None => "@FILE.ids".to_owned(),
    };
    Some(args.run(entry, &ids, schedule, seed))
}

/// Nobody waited for the answer.
#[must_use]
pub fn stopped() -> Diagnostic {
    Diagnostic::new("stopped", 3, "it was stopped before there was an answer")
}

/// Why there is no answer, in the words of the command line.
#[must_use]
pub fn worst_trouble(
    app: &App,
    args: &WorstOptions,
    question: &Question<'_>,
    trouble: &Trouble,
) -> Diagnostic {
    let (name, n) = (question.entry.spec.name, question.scenario.n);
    let program = &app.program;
    match trouble {
        Trouble::Unsuited(why) => unsuited(app, question.entry, *why),
        Trouble::Refused(refused) => worst_refusal(app, question, refused),
        Trouble::TooLarge { arrangements, states, most } => {
            let message = match states {
                Some(states) => format!(
                    "`{name}`, n = {n}: {} arrangements, one of them with {} states or more over every schedule",
                    large(*arrangements),
                    grouped(*states)
                ),
                None => format!("`{name}`, n = {n}: {} arrangements are too many", large(*arrangements)),
            };
            let mut searched = args.clone();
            (searched.exact, searched.distribution, searched.search) = (false, false, true);
            let mut error = Diagnostic::new("too_many_arrangements", 3, message)
                .help(format!("about {} could be tried; a smaller -n, or:", large(*most)))
                .command(quoted(program, &searched.again(name, n)), "a lower bound");
            if states.is_some() {
                let words = [args.again(name, n), ["--schedule", "rounds"].map(str::to_owned).to_vec()];
                error = error.command(quoted(program, &words.concat()), "one schedule");
            }
            error
        }
        Trouble::Broken(ids) => {
            let ids: Vec<String> = ids.iter().take(LISTED_MOST).map(u64::to_string).collect();
            let message = format!("`{name}` breaks its contract: no leader, or a bound exceeded");
            let words = ["check", name, "--initiators", "all", "--ids", &ids.join(",")].map(str::to_owned);
            Diagnostic::new("violated", 1, message).help("see how:").command(quoted(program, &words), "")
        }
        Trouble::Stopped => stopped(),
    }
}

fn large(number: u128) -> String {
    u64::try_from(number).map_or_else(|_| format!("{:.1e}", number as f64), grouped)
}

/// What is refused, in the words of the command line.
#[must_use]
pub fn worst_refusal(app: &App, question: &Question<'_>, refused: &Refusal) -> Diagnostic {
    // What is proposed instead is a run: `worst` stays within the contract.
    let name = question.entry.spec.name;
    let mut again = vec!["run".to_owned(), name.to_owned(), "-n".to_owned(), question.scenario.n.to_string()];
    if let Some(links) = question.scenario.links {
        again.extend(["--links".to_owned(), links.name().to_owned()]);
    }
    let asked = Request {
        again: &again,
        schedule: question.scenario.schedule.name(),
        ids: "",
        ids_file: None,
        n: Some(question.scenario.n),
        unlimited: true,
        check: None,
    };
    explain(app, question.entry, &asked, refused)
}

fn unsuited(app: &App, entry: &Entry, why: Unsuited) -> Diagnostic {
    let (name, program) = (entry.spec.name, &app.program);
    let error = |message: String| Diagnostic::input("no_worst_case", message);
    match why {
        Unsuited::Exclusion => {
            error(format!("`{name}` is no election: its messages depend on who wants to enter"))
                .help("the least and the most messages over every schedule, with so many entries each:")
                .command(format!("{program} check {name} -n 3 --entries 2"), "")
                .help("elections:")
                .command(format!("{program} list --problem election"), "")
        }
        Unsuited::Literal => error(format!("`{name}` is broken on purpose: its messages are no worst case"))
            .help("ask for the right algorithm:")
            .command(format!("{program} worst {}", name.split('@').next().unwrap_or(name)), ""),
        Unsuited::Random => {
            error(format!("`{name}` draws random numbers: with bad luck it sends any number of messages"))
                .help("what it sends on average, the least and the most over every schedule:")
                .command(format!("{program} check {name} -n 3 --initiators all"), "")
        }
        Unsuited::Anonymous => error(format!("the processes of `{name}` have no identities to arrange")),
        Unsuited::Named => error(format!(
            "the processes of `{name}` are known by name, in one order: there is nothing to arrange"
        ))
        .help("the least and the most messages over every schedule:")
        .command(format!("{program} check {name} -n 3"), ""),
    }
}
