//! `ringleader check ALGORITHM`: every run of a few processes.

use super::find;
use super::run::without_effect;
use crate::App;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::error::{self, Failure};
use crate::progress::SearchBar;
use crate::watch::Recorder;
use ringleader::check::{Answer, Findings, Progress, Watcher};
use ringleader::registry::Entry;
use ringleader_lab::layout::fold;
use ringleader_lab::options::CheckOptions;
use ringleader_lab::people::{about, bytes};
use ringleader_lab::plan::{self, PlannedCheck, StateGrowth, has_ids, memory};
use ringleader_lab::report::{CheckReport, check_text};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub(crate) fn run(app: &App, args: &CheckArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let entry = find(app, &args.name)?;
    let options = CheckOptions::from(args.clone());
    let plan = plan::check(app, entry, &options)?;
    // A search may take an hour: whether the file can be written is found out now.
    let recorder = match &args.trace {
        Some(path) => Some(Recorder::claim(path, args.force, app.version())?),
        None => None,
    };
    let growth = foretell(entry, &plan, console)?;
    let watch = Watch::new(args, console);
    let begun = Instant::now();
    let findings = entry.check(&plan.scope, &[], &watch);
    let elapsed = begun.elapsed();
    watch.ends();
    // With its settings it may be another algorithm, whose contract it is then.
    let form = entry.with_settings(&plan.scope.settings);
    let findings = findings.map_err(|refused| plan::explain(app, form, &plan.asked(&options), &refused))?;
    let trace = match (recorder, &findings.counterexample) {
        (Some(recorder), Some(found)) => {
            recorder.write(&found.recording, "violated")?;
            args.trace.as_deref()
        }
        (Some(_) | None, _) => None,
    };
    notes(entry, args, &findings, console)?;
    let checked = CheckReport {
        entry,
        findings: &findings,
        scope: &plan.scope,
        program: &app.program,
        again: &plan.again,
        trace,
        time_limit: args.time.as_ref().map(|time| time.value.0),
        elapsed_s: elapsed.as_secs_f64(),
        peak_bytes: memory::peak(),
    };
    if console.json {
        writeln!(console.out, "{}", checked.json(app))?;
    } else {
        if !console.quiet {
            check_text(&checked, console.out)?;
        }
        if findings.answer == Answer::Unknown {
            console.out.flush()?;
            let growth = growth.or_else(|| StateGrowth::measure(entry, &plan.scope));
            let unknown = plan::unknown(app, entry, &options, &plan, &findings, growth.as_ref());
            error::write(&unknown, console.err);
        }
    }
    Ok(match findings.answer {
        Answer::Holds => 0,
        Answer::Violated => 1,
        Answer::Unknown => 3,
    })
}

/// Says on stderr how large it will be, where that is worth a line.
fn foretell(
    entry: &Entry,
    plan: &PlannedCheck,
    console: &mut Console<'_>,
) -> Result<Option<StateGrowth>, Failure> {
    /// Fewer states are a matter of seconds.
    const WORTH_TELLING: u64 = 1_000_000;
    if console.quiet || console.json {
        return Ok(None);
    }
    let Some(growth) = StateGrowth::measure(entry, &plan.scope) else { return Ok(None) };
    let Some(states) = growth.at(plan.scope.n) else { return Ok(Some(growth)) };
    if states > WORTH_TELLING {
        writeln!(console.err, "about {} states expected", about(states))?;
    }
    if let Some(most) = plan.scope.max_states.filter(|most| states > *most) {
        let text = format!("that is more than --max-states {most}; the answer may be unknown");
        writeln!(console.err, "{}", fold("warning: ", &text, 9))?;
    }
    let needed = growth.bytes_at(plan.scope.n).unwrap_or(0);
    if let Some(most) = plan.scope.max_bytes.filter(|most| needed > *most) {
        let (needed, most) = (bytes(needed), bytes(most));
        let text = format!("it may need {needed}, the limit is {most}; the answer may be unknown");
        writeln!(console.err, "{}", fold("warning: ", &text, 9))?;
    }
    Ok(Some(growth))
}

/// What people should know, but is no result.
fn notes(entry: &Entry, args: &CheckArgs, findings: &Findings, console: &mut Console<'_>) -> io::Result<()> {
    if console.quiet || console.json {
        return Ok(());
    }
    let name = entry.spec.name;
    let given = (args.initiators.is_some(), args.range.is_some(), args.orientation.is_some());
    let mut notes = without_effect(entry, given, "see --entries");
    if args.all_ids && !has_ids(entry) {
        notes.push(format!(
            "--all-ids has no effect: the processes of `{name}` have no identities to arrange"
        ));
    }
    if let (Some(path), None) = (&args.trace, &findings.counterexample) {
        let path = path.display();
        notes.push(match findings.answer {
            Answer::Holds | Answer::Unknown => format!("{path} was not written: no run violates a property"),
            Answer::Violated => format!("{path} was not written: there is no single run that shows it"),
        });
    }
    for note in notes {
        writeln!(console.err, "{}", fold("note: ", &note, 6))?;
    }
    Ok(())
}

/// Watches one search: it holds the clock and the progress line.
struct Watch {
    begun: Instant,
    patience: Option<Duration>,
    bar: Option<Mutex<SearchBar>>,
}

impl Watch {
    fn new(args: &CheckArgs, console: &Console<'_>) -> Watch {
        let watched = console.bars && !console.quiet && !console.json;
        Watch {
            begun: Instant::now(),
            patience: args.time.as_ref().map(|time| time.value.0),
            bar: watched.then(|| Mutex::new(SearchBar::new())),
        }
    }

    fn ends(&self) {
        if let Some(Ok(mut bar)) = self.bar.as_ref().map(Mutex::lock) {
            bar.finish();
        }
    }
}

impl Watcher for Watch {
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        if let Some(Ok(mut bar)) = self.bar.as_ref().map(Mutex::lock) {
            bar.update(progress);
        }
        match self.patience {
            Some(patience) if self.begun.elapsed() >= patience => ControlFlow::Break(()),
            Some(_) | None => ControlFlow::Continue(()),
        }
    }
}
