//! `ringleader worst ALGORITHM`: the arrangement of identities with which it sends most.

use crate::App;
use crate::args::{ScheduleArg, WorstArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{self, Output};
use crate::progress::ShareBar;
use crate::watch::{Recorder, Watch as RunWatch};
use ringleader::registry::Entry;
use ringleader::sim::{Ids, Scenario};
use ringleader_lab::options::{Word, WorstOptions};
use ringleader_lab::people::grouped;
use ringleader_lab::plan::{
    asked_nodes, find, memory, set_schedule, stopped, worst_command, worst_question, worst_refusal,
    worst_trouble,
};
use ringleader_lab::report::{WorstReport, constants_json, constants_text, worst_text};
use ringleader_lab::worst::{self, Progress, Question, Shown, Trouble, Watcher, Worst};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// The most processes of the table of constants, when nobody says otherwise.
const CONSTANTS_NODES: u32 = 1_000_000;
/// The fewest for which a logarithm means anything.
const CONSTANTS_LEAST: u32 = 64;

pub(crate) fn run(app: &App, args: &WorstArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let watch = Watch::new(console);
    let threads = args.threads.map_or_else(processors, |threads| threads as usize);
    let Some(name) = args.name.as_deref().filter(|_| !args.constants) else {
        return constants(app, args, threads, &watch, console);
    };
    let entry = find(app, name)?;
    let options = WorstOptions::from(args.clone());
    let question = worst_question(entry, &options, threads)?;
    let n = question.scenario.n;
    memory::check(entry, &question.scenario)?;
    for path in [&args.output, &args.trace].into_iter().flatten() {
        // Better now than a minute later. What is claimed is given back: an interrupted search leaves nothing behind.
        drop(Output::claim(path, args.force)?);
    }
    let again = options.again(entry.spec.name, n);
    let found =
        worst::answer(&question, &watch).map_err(|trouble| worst_trouble(app, &options, &question, &trouble));
    watch.ends();
    let found = found?;
    let run = worst_command(&options, args.output.as_deref(), entry, &found);
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
    } else if !console.quiet {
        worst_text(&answered, console.out)?;
    }
    Ok(u8::from(found.bound.is_some_and(|bound| !bound.holds)))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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
            let report = ran.map_err(|refused| worst_refusal(app, question, &refused))?;
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
    } else if !console.quiet {
        constants_text(&rows, &again, console.out)?;
    }
    Ok(0)
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
