//! From options to the scope of a check.

use super::refusal::{self, Request};
use super::run::{asked_nodes, disagreement, usual_nodes};
use super::{ids_file, memory};
use crate::options::{CheckOptions, IdsArg, quoted};
use crate::{App, Diagnostic};
use ringleader::check::{Arrangements, Budget, Scope};
use ringleader::model::{Shape, Told};
use ringleader::registry::Entry;
use ringleader::sim::{Entries, Ports, Refusal, Topology};
use std::path::PathBuf;

/// The number of processes when nobody says otherwise.
pub(super) const NODES_DEFAULT: u32 = 4;

/// The checker takes no more processes.
const NODES_MAX: u32 = 1000;

/// What is to be checked, and what an error or a report needs to know beyond it.
pub struct PlannedCheck {
    /// What is checked.
    pub scope: Scope,
    /// The file that the identities came from.
    pub ids_file: Option<PathBuf>,
    /// The number of processes, if it may be another one: a list fixes it.
    pub n: Option<u32>,
    /// The words of the command that repeats it.
    pub again: Vec<String>,
}

impl PlannedCheck {
    /// What a refusal needs to know.
    #[must_use]
    pub fn asked<'a>(&'a self, args: &'a CheckOptions) -> Request<'a> {
        Request {
            again: &self.again,
            schedule: "every schedule",
            ids: args.ids.as_ref().map_or("", |ids| ids.text.as_str()),
            ids_file: self.ids_file.as_deref(),
            n: self.n,
            unlimited: false,
            check: Some(args),
        }
    }
}

/// What these options ask for.
///
/// # Errors
/// If they contradict each other, or a check is not for that.
pub fn check(app: &App, entry: &Entry, args: &CheckOptions) -> Result<PlannedCheck, Diagnostic> {
    let asked = asked_nodes(args.nodes.as_ref())?;
    let (ids, ids_file) = ids(app, entry, args)?;
    let fixed = match &ids {
        Arrangements::Listed(ids) => {
            Some(u32::try_from(ids.len()).map_err(|_| memory::too_many(ids.len() as u128))?)
        }
        Arrangements::All | Arrangements::Arranged(_) | Arrangements::Worst => None,
    };
    if let (Some(fixed), Some(asked)) = (fixed, asked)
        && fixed != asked
    {
        return Err(disagreement(asked, fixed, ids_file.as_deref(), true));
    }
    let usual = Scope::new(fixed.or(asked).unwrap_or(usual_nodes(entry, NODES_DEFAULT)));
    let n = if fixed.is_some() { None } else { Some(usual.n) };
    let settings = args.settings.agreed()?;
    let scope = Scope {
        ids,
        starts: args.initiators.as_ref().map_or(usual.starts, |given| given.value.clone()),
        entries: args.entries.as_ref().map_or(usual_entries(entry, &settings), |given| given.value.clone()),
        links: args.links,
        ports: args.orientation.map_or(usual.ports, Ports::Kind),
        topology: args.topology.clone(),
        range: args.range.unwrap_or(usual.range),
        settings,
        offsets: args.clock_offset.as_ref().map_or(usual.offsets, |given| given.value.clone()),
        delays: args.delay.as_ref().map_or(usual.delays, |given| (given.value.0, given.value.1)),
        faults: Budget {
            crashes: args.crashes,
            recoveries: args.recoveries,
            losses: args.losses,
            duplications: args.duplications,
        },
        from: args.from.as_ref().and_then(|given| given.value.0.clone()),
        unsound: args.unsound,
        safety_only: args.safety,
        properties: args.property.clone(),
        all_violations: args.all_violations,
        reduce: args.reduce.unwrap_or(usual.reduce),
        max_states: args.max_states,
        max_bytes: args.memory.as_ref().map(|given| given.value.0).or_else(memory::usable),
        threads: memory::threads(args.threads.unwrap_or(usual.threads)),
        ..usual
    };
    let plan = PlannedCheck { again: args.again(entry.spec.name, n), ids_file, n, scope };
    if plan.scope.n > NODES_MAX {
        return Err(too_large(app, entry, args, plan.scope.n));
    }
    if args.ids.is_some() && !has_ids(entry) {
        return Err(refusal::explain(app, entry, &plan.asked(args), &Refusal::Anonymous));
    }
    if matches!(plan.scope.topology, Some(Topology::RandomTree)) {
        let message = "--topology random: a check draws nothing";
        return Err(Diagnostic::input("nothing_is_drawn", message)
            .help("trees that can be checked are `line`, `star` and `binary`"));
    }
    Ok(plan)
}

/// How often everybody wants in when nobody says: once; where processes share registers, again and again, which has an
/// end unless numbers grow that cannot be counted from the oldest.
fn usual_entries(entry: &Entry, settings: &[(String, String)]) -> Entries {
    let is_safe = settings.iter().any(|(name, value)| name == "registers" && value == "safe");
    let forever = entry.shape == Shape::Memory && !(is_safe && entry.has_growing_registers());
    if forever { Entries::Forever } else { Entries::Each(1) }
}

/// Whether processes have identities that can be arranged.
#[must_use]
pub fn has_ids(entry: &Entry) -> bool {
    entry.told.has(Told::Identity)
}

fn ids(app: &App, entry: &Entry, args: &CheckOptions) -> Result<(Arrangements, Option<PathBuf>), Diagnostic> {
    let Some(given) = &args.ids else {
        let all = args.all_ids;
        return Ok((if all { Arrangements::All } else { Scope::new(NODES_DEFAULT).ids }, None));
    };
    Ok(match &given.value {
        IdsArg::Random => return Err(nothing_is_drawn(app, entry, args)),
        IdsArg::Arranged(how) => (Arrangements::Arranged(*how), None),
        IdsArg::Worst => (Arrangements::Worst, None),
        IdsArg::Listed(ids) => (Arrangements::Listed(ids.clone()), None),
        IdsArg::File(path) => (Arrangements::Listed(ids_file::read(path)?), Some(path.clone())),
    })
}

fn nothing_is_drawn(app: &App, entry: &Entry, args: &CheckOptions) -> Diagnostic {
    let every = CheckOptions { ids: None, all_ids: true, ..args.clone() };
    let n = asked_nodes(args.nodes.as_ref()).ok().flatten();
    Diagnostic::input("nothing_is_drawn", "--ids random: a check makes no random choices")
        .help("it can take every arrangement instead:")
        .command(quoted(&app.program, &every.again(entry.spec.name, n)), "")
}

fn too_large(app: &App, entry: &Entry, args: &CheckOptions, n: u32) -> Diagnostic {
    let message = format!("-n {n}: a check goes through every run, and is for a few processes");
    let small = CheckOptions { nodes: None, ids: None, ..args.clone() };
    Diagnostic::input("too_large", message)
        .help("begin with a few; `run` is for many:")
        .command(quoted(&app.program, &small.again(entry.spec.name, Some(NODES_DEFAULT))), "")
        .command(format!("{} run {} -n {n}", app.program, entry.spec.name), "")
}
