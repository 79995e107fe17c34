//! `ringleader worst ALGORITHM`: the arrangement of identities with which it sends most.

use crate::App;
use crate::args::{ScheduleArg, WorstArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{self, Output};
use crate::progress::ShareBar;
use crate::watch::{Recorder, Watch as RunWatch};
use ringleader::check::Extreme;
use ringleader::registry::Entry;
use ringleader::sim::{Ids, Ports, Scenario};
use ringleader_lab::options::{Word, WorstOptions};
use ringleader_lab::people::grouped;
use ringleader_lab::plan::{
    NODES_DEFAULT, Request, asked_nodes, explain as explain_run, find, memory, set_schedule,
};
use ringleader_lab::report::{WorstReport, constants_json, constants_text, worst_text};
use ringleader_lab::worst::{self, Method, Progress, Question, Shown, Trouble, Unsuited, Watcher, Worst};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// The most processes of the table of constants, when nobody says otherwise.
const CONSTANTS_NODES: u32 = 1_000_000;
/// The fewest for which a logarithm means anything.
const CONSTANTS_LEAST: u32 = 64;
/// So many identities fit into a command.
const LISTED_MOST: usize = 64;

pub(crate) fn run(app: &App, args: &WorstArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let watch = Watch::new(console);
    let threads = args.threads.map_or_else(processors, |threads| threads as usize);
    let Some(name) = args.name.as_deref().filter(|_| !args.constants) else {
        return constants(app, args, threads, &watch, console);
    };
    let entry = find(app, name)?;
    let options = WorstOptions::from(args.clone());
    let question = question(entry, &options, threads)?;
    let n = question.scenario.n;
    memory::check(entry, &question.scenario)?;
    for path in [&args.output, &args.trace].into_iter().flatten() {
        // Better now than a minute later. What is claimed is given back: an interrupted search leaves nothing behind.
        drop(Output::claim(path, args.force)?);
    }
    let again = options.again(entry.spec.name, n);
    let found =
        worst::answer(&question, &watch).map_err(|trouble| explain(app, &options, &question, &trouble));
    watch.ends();
    let found = found?;
    let run = command(&options, args.output.as_deref(), entry, &found);
    let again = quoted(&app.program, &again);
    let answered = WorstReport {
        entry,
        found: &found,
        best: args.best,
        with_distribution: args.distribution,
        links: question.scenario.links.unwrap_or(entry.spec.needs.links).name(),
        seed: question.scenario.seed,
        run: run.map(|words| quoted(&app.program, &words)),
        again: &again,
    };
    if let Some(path) = &args.output {
        output::write(path, args.force, answered.ids_file().as_bytes())?;
    }
    if let Some(path) = &args.trace {
        trace(app, &question, &found, path, args.force)?;
    }
    if console.json {
        writeln!(console.out, "{}", answered.json(app))?;
    } else {
        worst_text(&answered, console.out)?;
    }
    Ok(u8::from(found.bound.is_some_and(|bound| !bound.holds)))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn question<'a>(entry: &'a Entry, args: &WorstOptions, threads: usize) -> Result<Question<'a>, Diagnostic> {
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
fn command(args: &WorstOptions, output: Option<&Path>, entry: &Entry, found: &Worst) -> Option<Vec<String>> {
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

/// Writes a run that sends what was found.
fn trace(app: &App, question: &Question<'_>, found: &Worst, path: &Path, force: bool) -> Result<(), Failure> {
    let recorder = Recorder::claim(path, force, app.version())?;
    match &found.shown {
        Shown::Recorded(recording) => recorder.write(recording, "elected")?,
        Shown::Run(named) => {
            let mut scenario = Scenario { ids: Ids::Listed(found.ids.clone()), ..question.scenario.clone() };
            let mut schedule = scenario.schedule.name().to_owned();
            if let Some((name, seed)) = named {
                if let Ok(given) = ScheduleArg::parse(name) {
                    set_schedule(&mut scenario, &given);
                }
                (schedule, scenario.seed) = (name.clone(), *seed);
            }
            let mut watch = RunWatch { recorder: Some(recorder.under(schedule)), ..RunWatch::default() };
            let ran = question.entry.run(&scenario, &mut watch);
            let report = ran.map_err(|refused| explain_refusal(app, question, &refused))?;
            if let Some(recorder) = watch.recorder {
                recorder.end(report.outcome.name())?;
            }
        }
        Shown::Nothing => {
            let message =
                format!("{} was not written: no single run was found that sends so much", path.display());
            return Err(Diagnostic::new("no_such_run", 3, message)
                .help("`--schedule rounds` asks for one schedule only, whose run can be written")
                .into());
        }
    };
    Ok(())
}

fn constants(
    app: &App,
    args: &WorstArgs,
    threads: usize,
    watch: &Watch,
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let most = asked_nodes(args.nodes.as_ref())?.unwrap_or(CONSTANTS_NODES);
    if most < CONSTANTS_LEAST {
        let message = format!("-n {most}: with so few processes the terms beside n·log n decide");
        return Err(Diagnostic::input("n_too_small", message)
            .help(format!("the table begins to mean something from -n {CONSTANTS_LEAST} on; try -n 1e5"))
            .into());
    }
    let measured: Vec<&Entry> =
        app.registry.iter().filter(|entry| entry.spec.cost.constant.is_some()).collect();
    for entry in measured {
        memory::check(entry, &Scenario::new(most))?;
    }
    let rows = worst::constants(app.registry, most, threads, watch);
    watch.ends();
    let rows = rows.map_err(|trouble| match trouble {
        Trouble::Refused(refused) => Diagnostic::input("refused", refused.to_string()),
        Trouble::Unsuited(_) | Trouble::TooLarge { .. } | Trouble::Broken(_) | Trouble::Stopped => stopped(),
    })?;
    let again = quoted(&app.program, &["worst", "--constants", "-n", &most.to_string()].map(str::to_owned));
    if console.json {
        writeln!(console.out, "{}", constants_json(app, &rows, most, &again))?;
    } else {
        constants_text(&rows, &again, console.out)?;
    }
    Ok(0)
}

fn stopped() -> Diagnostic {
    Diagnostic::new("stopped", 3, "it was stopped before there was an answer")
}

/// Why there is no answer, in the words of the command line.
fn explain(app: &App, args: &WorstOptions, question: &Question<'_>, trouble: &Trouble) -> Diagnostic {
    let (name, n) = (question.entry.spec.name, question.scenario.n);
    let program = &app.program;
    match trouble {
        Trouble::Unsuited(why) => unsuited(app, question.entry, *why),
        Trouble::Refused(refused) => explain_refusal(app, question, refused),
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

fn explain_refusal(app: &App, question: &Question<'_>, refused: &ringleader::sim::Refusal) -> Diagnostic {
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
    explain_run(app, question.entry, &asked, refused)
}

fn unsuited(app: &App, entry: &Entry, why: Unsuited) -> Diagnostic {
    let (name, program) = (entry.spec.name, &app.program);
    let error = |message: String| Diagnostic::input("no_worst_case", message);
    match why {
        Unsuited::Exclusion => {
            error(format!("`{name}` is no election: what it sends depends on who wants in"))
                .help("the least and the most messages over every schedule, with so many entries each:")
                .command(format!("{program} check {name} -n 3 --entries 2"), "")
                .help("elections:")
                .command(format!("{program} list --problem election"), "")
        }
        Unsuited::Literal => error(format!("`{name}` is broken on purpose: what it sends is no worst case"))
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

/// Watches: it holds the progress bar.
struct Watch {
    bar: ShareBar,
}

impl Watch {
    fn new(console: &Console<'_>) -> Watch {
        Watch { bar: ShareBar::new(console.bars && !console.quiet && !console.json) }
    }

    fn ends(&self) {
        self.bar.finish();
    }
}

impl Watcher for Watch {
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        let tried = format!("{} of {}", grouped(progress.done), grouped(progress.total));
        let said = match progress.messages {
            0 => tried,
            messages => format!("{tried} tried, worst {}", grouped(messages)),
        };
        self.bar.update(progress.done as f64 / progress.total.max(1) as f64, &said);
        ControlFlow::Continue(())
    }
}
