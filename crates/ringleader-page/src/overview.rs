//! The verb `overview`: a run from far away. Processes by columns, steps by rows; what was received in each cell, and
//! how many processes of each column are in which role at the end of each row. Where few are in a role, they are named.

use crate::far::{Far, Range};
use crate::question::{RunRequest, read};
use crate::run::{make, watched};
use crate::source::Alive;
use crate::{Diagnostic, Stage, limits};
use serde::{Deserialize, Serialize};

/// A large run, from far away: everything in `nodes` × `steps` (both half open; null: all) is counted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OverviewRequest {
    #[serde(flatten)]
    run: RunRequest,
    nodes: Option<(u32, u32)>,
    steps: Option<(u64, u64)>,
    columns: u32,
    rows: u32,
}

/// A run from far away.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Overview<'a> {
    nodes: (u32, u32),
    steps: (u64, u64),
    columns: u32,
    rows: u32,
    /// Messages received, `rows` × `columns`, by row: a row is a share of the steps, a column a share of the processes.
    received: &'a [u32],
    /// What processes can be, as they call it: candidate, relay, leader … The first variable that is a word.
    roles: &'a [&'static str],
    /// At the end of each row.
    frames: Vec<FrameJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Frame"))]
struct FrameJson<'a> {
    step: u64,
    time: String,
    messages: u64,
    transit: u64,
    /// How many processes of each column are in each role: `roles[role][column]`.
    roles: &'a [Vec<u32>],
    /// Processes in roles that few are in, each by itself.
    alone: Vec<AloneJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Alone"))]
struct AloneJson {
    process: u32,
    id: Option<u64>,
    role: &'static str,
}

/// The answer.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let request: OverviewRequest = read("overview", question)?;
    let cells = u64::from(request.columns) * u64::from(request.rows);
    if cells == 0 || cells > limits::CELLS {
        let message = format!("an overview has 1 to {} cells, not {cells}", limits::CELLS);
        return Err(Diagnostic::input("bad_question", message));
    }
    // How long it is, is known from the run as a whole, which is faster.
    let made = make(stage, &request.run, alive)?;
    let (n, steps) = (made.report.n, made.report.steps);
    let nodes = range("processes", request.nodes, n)?;
    let steps = range("steps", request.steps, steps.max(1))?;
    let mut far = Far::new(
        Range::new(u64::from(nodes.0), u64::from(nodes.1), request.columns),
        Range::new(steps.0, steps.1, request.rows),
        alive,
    );
    watched(stage, &request.run, &mut far, alive)?;
    let unit = far.ticks_per_unit;
    let answer = Overview {
        nodes,
        steps,
        columns: far.columns.parts,
        rows: far.rows.parts,
        received: &far.received,
        roles: &far.roles,
        frames: (far.frames.iter())
            .map(|frame| FrameJson {
                step: frame.step,
                time: if unit <= 1 {
                    frame.time.to_string()
                } else {
                    format!("{:.3}", frame.time as f64 / unit as f64)
                },
                messages: frame.messages,
                transit: frame.transit,
                roles: &frame.roles,
                alone: (frame.alone.iter())
                    .map(|&(process, id, role)| AloneJson { process, id, role: far.roles[role] })
                    .collect(),
            })
            .collect(),
    };
    Ok(serde_json::to_string(&answer).expect("plain data has a JSON form"))
}

/// What was asked for, within what there is.
pub(crate) fn range<T: Copy + Ord + From<u8> + std::fmt::Display>(
    what: &str,
    asked: Option<(T, T)>,
    all: T,
) -> Result<(T, T), Diagnostic> {
    let (from, to) = asked.unwrap_or((T::from(0), all));
    let to = to.min(all);
    if from < to {
        return Ok((from, to));
    }
    let message = format!("there are no {what} from {from} to {to}; there are {all}");
    Err(Diagnostic::input("bad_question", message).help("a range begins before it ends"))
}
