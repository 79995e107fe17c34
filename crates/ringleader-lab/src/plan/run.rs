//! From options to a scenario.

use super::recorded::recorded;
use super::refusal::Request;
use super::{ids_file, memory};
use crate::Diagnostic;
use crate::options::{EnvironmentOptions, IdsArg, Meter, Number, RunOptions, ScheduleArg, Time, Typed};
use ringleader::model::Processes;
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Clocks, Fault, Ids, Ports, Scatter, Scenario, Schedule};
use std::path::{Path, PathBuf};

/// The number of processes when nobody says otherwise.
pub const NODES_DEFAULT: u32 = 8;

/// An as-printed variant is stopped after so many steps (or 100 for each process) by default.
const LITERAL_STEPS_MAX: u64 = 1_000_000;

/// What is to be run, and what an error or a report needs to know beyond it.
pub struct PlannedRun {
    /// What is run.
    pub scenario: Scenario,
    /// The schedule as it is shown.
    pub schedule: String,
    /// The file that the identities came from.
    pub ids_file: Option<PathBuf>,
    /// The words of the command that repeats it.
    pub again: Vec<String>,
}

impl PlannedRun {
    /// What a refusal needs to know; `args` are those of `run`, where it is one.
    #[must_use]
    pub fn asked<'a>(&'a self, args: Option<&'a RunOptions>) -> Request<'a> {
        Request {
            again: &self.again,
            schedule: &self.schedule,
            ids: args.and_then(|args| args.environment.ids.as_ref()).map_or("", |ids| ids.text.as_str()),
            ids_file: self.ids_file.as_deref(),
            n: Some(self.scenario.n),
            unlimited: args.is_some_and(|args| args.max_steps.is_none()),
            check: None,
        }
    }
}

/// How many processes there are when nobody says: so many, unless the algorithm is for one number of them.
pub(super) const fn usual_nodes(entry: &Entry, usual: u32) -> u32 {
    if let Processes::Exactly(many) = entry.spec.needs.processes { many } else { usual }
}

/// What these options ask for.
///
/// # Errors
/// If they contradict each other, or name a file that cannot be read.
pub fn run(entry: &Entry, args: &RunOptions) -> Result<PlannedRun, Diagnostic> {
    let asked = asked_nodes(args.nodes.as_ref())?;
    let given = &args.environment;
    let schedule = given.schedule.as_ref();
    let (mut scenario, recorded) = match schedule.map(|given| &given.value) {
        Some(ScheduleArg::Replay(path)) => {
            let recorded = recorded(path)?;
            let (of, asked) = (&recorded.recording.header.algorithm, entry.spec.name);
            if of != asked {
                let message = format!("{} is a recording of `{of}`, not of `{asked}`", path.display());
                return Err(Diagnostic::input("other_recording", message)
                    .help("`ringleader replay FILE` needs no name"));
            }
            (recorded.scenario(), Some(recorded))
        }
        Some(_) | None => (Scenario::new(asked.unwrap_or(usual_nodes(entry, NODES_DEFAULT))), None),
    };
    let (ids, ids_file) = ids(given.ids.as_ref())?;
    let listed = match &ids {
        Some(Ids::Listed(ids)) => {
            Some(u32::try_from(ids.len()).map_err(|_| memory::too_many(ids.len() as u128))?)
        }
        Some(_) | None => None,
    };
    // A list of clocks says how many processes there are, too.
    let clocks_listed = [&given.clock_offset, &given.clock_drift].into_iter().flatten();
    let clocks_listed = clocks_listed.filter(|_| entry.problem == Problem::Clocks && asked.is_none());
    let listed = listed.or(clocks_listed
        .filter_map(
            |given| if let Scatter::Listed(listed) = &given.value { Some(listed.len() as u32) } else { None },
        )
        .next());
    let fixed = listed.or(recorded.is_some().then_some(scenario.n));
    if let (Some(fixed), Some(asked)) = (fixed, asked)
        && fixed != asked
    {
        return Err(disagreement(asked, fixed, ids_file.as_deref(), listed.is_some()));
    }
    scenario.n = fixed.or(asked).unwrap_or(usual_nodes(entry, NODES_DEFAULT));
    if let Some(ids) = ids {
        scenario.ids = ids;
    }
    if let Some(initiators) = &given.initiators {
        scenario.initiators = initiators.value.clone();
    }
    if let Some(schedule) = schedule {
        set_schedule(&mut scenario, &schedule.value);
    }
    scenario.links = given.links.or(scenario.links);
    if let Some(orientation) = given.orientation {
        scenario.ports = Ports::Kind(orientation);
    }
    scenario.topology = given.topology.clone().or(scenario.topology);
    scenario.range = given.range.unwrap_or(scenario.range);
    scenario.unsound |= given.unsound;
    scenario.settings.extend(args.settings.agreed()?);
    scenario.meters = Meter::all(&args.meter);
    scenario.max_steps = args.max_steps.or(literal_limit(entry, scenario.n));
    scenario.threads = memory::threads(args.threads.unwrap_or(1));
    scenario.seed =
        args.seed.unwrap_or_else(|| if recorded.is_some() { scenario.seed } else { drawn_seed() });
    clocks(given, &mut scenario.clocks);
    scenario.faults = faults(given)?;
    scenario.from = given.from.as_ref().map_or(scenario.from.take(), |given| given.value.0.clone());
    scenario.edits.clone_from(&args.edit);
    workload(args, &mut scenario)?;
    let n = if fixed.is_some() { None } else { Some(scenario.n) };
    Ok(PlannedRun {
        again: args.again(entry.spec.name, n, Some(scenario.seed)),
        schedule: match (&recorded, schedule) {
            (Some(recorded), _) => recorded.recording.header.schedule.clone(),
            (None, Some(given)) => given.text.clone(),
            (None, None) => "rounds".into(),
        },
        scenario,
        ids_file,
    })
}

/// An as-printed variant may run for ever: one is to see that, not to wait for it.
fn literal_limit(entry: &Entry, n: u32) -> Option<u64> {
    entry.is_literal().then(|| LITERAL_STEPS_MAX.max(100 * u64::from(n)))
}

/// The number of processes, if one was asked for.
///
/// # Errors
/// If there can be no so many.
pub fn asked_nodes(nodes: Option<&Typed<Number>>) -> Result<Option<u32>, Diagnostic> {
    let Some(given) = nodes else { return Ok(None) };
    let n = given.value.0;
    if n > memory::NODES_MAX {
        return Err(memory::too_many(n));
    }
    Ok(Some(n as u32))
}

/// The identities that were asked for, and the file that they come from.
///
/// # Errors
/// If that cannot be read.
pub fn ids(given: Option<&Typed<IdsArg>>) -> Result<(Option<Ids>, Option<PathBuf>), Diagnostic> {
    let Some(given) = given else { return Ok((None, None)) };
    Ok(match &given.value {
        IdsArg::Random => (Some(Ids::Random), None),
        IdsArg::Arranged(how) => (Some(Ids::Arranged(*how)), None),
        IdsArg::Worst => (Some(Ids::Worst), None),
        IdsArg::Listed(ids) => (Some(Ids::Listed(ids.clone())), None),
        IdsArg::File(path) => (Some(Ids::Listed(ids_file::read(path)?)), Some(path.clone())),
    })
}

/// The number of processes is another one than that of the identities.
#[must_use]
pub fn disagreement(asked: u32, fixed: u32, file: Option<&Path>, listed: bool) -> Diagnostic {
    let (what, who) = match (file, listed) {
        (Some(file), _) => (format!("{} has {fixed} identities", file.display()), "file"),
        (None, true) => (format!("--ids lists {fixed} identities"), "list"),
        (None, false) => (format!("the recording has {fixed} processes"), "recording"),
    };
    Diagnostic::input("wrong_length", format!("-n {asked}, but {what}"))
        .help(format!("leave out `-n {asked}`: the {who} says how many processes there are"))
}

/// Takes this schedule.
pub fn set_schedule(scenario: &mut Scenario, schedule: &ScheduleArg) {
    scenario.schedule = match schedule {
        ScheduleArg::Rounds => Schedule::Rounds,
        ScheduleArg::Random => Schedule::Random,
        ScheduleArg::Delay(delay) => Schedule::Delay(*delay),
        ScheduleArg::Lifo => Schedule::Lifo,
        ScheduleArg::Fifo => Schedule::Fifo,
        ScheduleArg::Greedy => Schedule::Greedy,
        ScheduleArg::Starve(process) => Schedule::Starve(*process),
        // The recording has set it already.
        ScheduleArg::Replay(_) => return,
    };
}

/// What the clocks are like.
fn clocks(given: &EnvironmentOptions, clocks: &mut Clocks) {
    if let Some(offsets) = &given.clock_offset {
        clocks.offsets = offsets.value.clone();
    }
    if let Some(drifts) = &given.clock_drift {
        clocks.drifts = drifts.value.clone();
    }
    clocks.bound = given.drift_bound.or(clocks.bound);
    clocks.backward = given.clock_backward.unwrap_or(clocks.backward);
}

/// A time as the simulator counts it: whole rounds, units or steps. Only delays have fractions.
fn count(time: Time) -> Result<u64, Diagnostic> {
    time.whole().ok_or_else(|| {
        Diagnostic::input("bad_time", "times are whole rounds, units of time or steps")
            .help("only the delays of messages have fractions: --schedule delay:uniform:0.5:1.5")
    })
}

fn faults(args: &EnvironmentOptions) -> Result<Vec<Fault>, Diagnostic> {
    let mut faults = Vec::new();
    for given in &args.crash {
        faults.push(Fault::Crash { process: given.value.process, at: count(given.value.at)? });
    }
    for given in &args.recover {
        faults.push(Fault::Recover { process: given.value.process, at: count(given.value.at)? });
    }
    for given in &args.corrupt {
        faults.push(Fault::Corrupt { process: given.value.process, at: count(given.value.at)? });
    }
    for given in &args.lose {
        faults.push(Fault::LoseNth { kind: given.value.kind.clone(), nth: given.value.nth });
    }
    faults.extend(args.loss.as_ref().map(|given| Fault::Loss(given.value.0)));
    faults.extend(args.duplicate.as_ref().map(|given| Fault::Duplicate(given.value.0)));
    for given in &args.partition {
        let cut = &given.value;
        faults.push(Fault::Partition {
            left: cut.left.clone(),
            right: cut.right.clone(),
            from: count(cut.from)?,
            until: count(cut.until)?,
        });
    }
    Ok(faults)
}

fn workload(args: &RunOptions, scenario: &mut Scenario) -> Result<(), Diagnostic> {
    let given = &args.environment;
    let workload = &mut scenario.workload;
    if let Some(entries) = &given.entries {
        workload.entries = entries.value.clone();
    }
    workload.load = args.load.as_ref().map(|given| given.value.0);
    workload.total = args.total;
    if let Some(hold) = &given.hold {
        workload.hold = count(hold.value)?;
    }
    if let Some(think) = &given.think {
        workload.think = count(think.value)?;
    }
    if let Some(wants) = &given.wants {
        for &(at, process) in &wants.value.0 {
            workload.wants.push((count(at)?, process));
        }
    }
    Ok(())
}

/// A seed that nobody asked for: short enough to be typed again, and exact in every JSON reader.
#[must_use]
pub fn drawn_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() & 0xffff_ffff
}
