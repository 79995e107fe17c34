//! `run --snapshot`: what it needs, and the cut that was taken.

use crate::App;
use crate::args::{SnapshotArg, quoted};
use crate::error::Diagnostic;
use crate::watch::Watch;
use ringleader::model::Links;
use ringleader::registry::Entry;
use ringleader::trace::{Cut, Wire, snapshot};
use ringleader_lab::plan::{self, PlannedRun};

/// The links that markers travel by, if a snapshot can be taken of this run.
pub(super) fn wires(
    app: &App,
    entry: &Entry,
    plan: &PlannedRun,
    asked: SnapshotArg,
) -> Result<Vec<Wire>, Diagnostic> {
    let scenario = &plan.scenario;
    let links = scenario.links.unwrap_or(entry.spec.needs.links);
    if links == Links::Bag {
        let message = "--snapshot needs links that keep the order: a message that overtakes a marker is counted on \
                       both sides of the cut, or on neither";
        let fifo = plan.again.iter().scan(false, |skip, word| {
            let (skipped, is_links) = (*skip, word == "--links");
            *skip = is_links;
            Some((!skipped && !is_links).then(|| word.clone()))
        });
        let fifo = fifo.flatten().chain(["--links", "fifo", "--snapshot"].map(str::to_owned));
        let words: Vec<String> = fifo.chain([again(asked)]).collect();
        return Err(Diagnostic::input("ringleader::snapshot_links", message)
            .help("let them keep it:")
            .command(quoted(&app.program, &words), ""));
    }
    if !scenario.faults.is_empty() || !scenario.edits.is_empty() {
        let message = "--snapshot needs a run in which nothing fails: a marker would be lost or doubled, too";
        return Err(Diagnostic::input("ringleader::snapshot_faults", message)
            .help("leave out the faults and edits, or look at the steps instead: --steps --vector-clocks"));
    }
    if asked.by >= scenario.n {
        let message = format!(
            "--snapshot {}: there are {} processes, 0 to {}",
            again(asked),
            scenario.n,
            scenario.n - 1
        );
        return Err(Diagnostic::input("ringleader::no_such_process", message)
            .help(format!("let one of them begin it: --snapshot 0@{}", text(asked))));
    }
    entry.wires(scenario).map_err(|refused| plan::explain(app, entry, &plan.asked(None), &refused))
}

fn again(asked: SnapshotArg) -> String {
    format!("{}@{}", asked.by, text(asked))
}

fn text(asked: SnapshotArg) -> String {
    match asked.at.whole() {
        Some(whole) => whole.to_string(),
        None => format!("{}", asked.at.ticks() as f64 / ringleader::sim::TICKS_PER_UNIT as f64),
    }
}

/// The cut, and the ticks of a unit of its times.
pub(super) fn of(watch: &Watch<'_>, asked: Option<(SnapshotArg, &[Wire])>) -> Option<(Cut, u64)> {
    let (asked, wires) = asked?;
    let steps = watch.steps.as_ref()?;
    let (recording, states) = (steps.recording.as_ref()?, steps.states.as_ref()?);
    let unit = recording.header.ticks_per_unit.max(1);
    let at = (u128::from(asked.at.ticks()) * u128::from(unit) / u128::from(ringleader::sim::TICKS_PER_UNIT))
        as u64;
    Some((snapshot(recording, states, wires, asked.by, at), unit))
}
