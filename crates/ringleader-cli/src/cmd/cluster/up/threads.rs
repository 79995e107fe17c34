//! `ringleader up` of a lock on registers: its processes as threads of this one.

use crate::App;
use crate::args::{UpArgs, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use ringleader::registry::Entry;
use ringleader::sim::Scenario;
use ringleader_lab::options::SettingOptions;
use ringleader_lab::people::{decimal, grouped};
use ringleader_lab::plan::{Request, explain};
use ringleader_net::threads;
use serde_json::json;
use std::io::Write as _;
use std::time::Duration;

/// How many threads there are when nobody says otherwise.
const THREADS_DEFAULT: u32 = 4;

/// How many entries each of them makes then: one takes microseconds.
const EACH: u64 = 100_000;

pub(super) fn run(
    app: &App,
    entry: &'static Entry,
    args: &UpArgs,
    limit: Duration,
    console: &mut Console<'_>,
) -> Result<u8, Failure> {
    let idle = [
        ("--ids", args.ids.is_some()),
        ("--topology", args.topology.is_some()),
        ("--range", args.range.is_some()),
        ("--kill-every", args.kill_every.is_some()),
        ("--record", args.record.is_some()),
        ("--events", args.events.is_some()),
        ("--keep", args.keep.is_some()),
        ("--plain", args.plain),
    ];
    if let Some((option, _)) = idle.into_iter().find(|(_, given)| *given) {
        let message =
            format!("{option}: the processes of `{}` are threads, without a network", entry.spec.name);
        return Err(Diagnostic::input("ringleader::no_network", message)
            .help(format!("leave out `{option}`:"))
            .command(format!("{} up -a {}", app.program, entry.spec.name), "")
            .into());
    }
    let n = args.nodes.unwrap_or_else(|| entry.spec.needs.processes.nearest(THREADS_DEFAULT).1);
    let each = args.entries.map_or(EACH, u64::from);
    let settings = SettingOptions::from(args.settings.clone()).agreed()?;
    let scenario = Scenario { settings, ..Scenario::new(n) };
    let mut again: Vec<String> = ["up", "-a", entry.spec.name, "-n"].map(str::to_owned).to_vec();
    again.extend([n.to_string(), "--entries".to_owned(), each.to_string()]);
    let asked = Request {
        again: &again,
        schedule: "the machine's",
        ids: "",
        ids_file: None,
        n: Some(n),
        unlimited: false,
        check: None,
    };
    let came =
        threads::run(entry, &scenario, each, limit).map_err(|why| explain(app, entry, &asked, &why))?;
    let seconds = came.took.as_secs_f64();
    let speed = came.total() as f64 / seconds.max(1e-9);
    let again = quoted(&app.program, &again);
    let outcome = match (came.holds(), came.complete) {
        (false, _) => "violated",
        (true, true) => "done",
        (true, false) => "limit",
    };
    if console.json {
        let object = json!({
            "schema": "ringleader.up/1",
            "algorithm": entry.spec.name,
            "problem": entry.problem.name(),
            "nodes": n,
            "outcome": outcome,
            "entries": came.total(),
            "entries_each": came.entries,
            "two_inside": came.met,
            "lost_additions": came.lost,
            "accesses": came.accesses,
            "entries_per_s": speed,
            "elapsed_s": seconds,
            "ordering": "SeqCst",
            "again": again,
        });
        writeln!(console.out, "{object}")?;
    } else {
        writeln!(
            console.out,
            "{}: {n} threads of one process, sequentially consistent registers",
            entry.spec.name
        )?;
        writeln!(console.out)?;
        writeln!(
            console.out,
            "  entries          {} in {seconds:.2} s: {} a second, {} accesses each",
            grouped(came.total()),
            grouped(speed as u64),
            decimal(came.accesses as f64 / came.total().max(1) as f64)
        )?;
        let witness = match (came.met, came.lost) {
            (0, 0) => "nobody met anybody inside, and no addition was lost".to_owned(),
            (met, lost) => {
                format!("{} met somebody inside, {} additions were lost", grouped(met), grouped(lost))
            }
        };
        writeln!(console.out, "  witness          {witness}")?;
        writeln!(
            console.out,
            "  orderings        with weaker ones a processor may keep a write back behind a later"
        )?;
        writeln!(
            console.out,
            "                   read: both say that they want in, both read that nobody does"
        )?;
        writeln!(console.out, "\n  again:  {again}")?;
    }
    Ok(match outcome {
        "done" => 0,
        "violated" => 1,
        _ => 3,
    })
}
