//! ITF, the Informal Trace Format of Apalache and Quint: the states of a run, one after the other.

use super::{action, part, told};
use ringleader::trace::{End, History, Passage, Standing, Window};
use serde_json::{Value, json};
use std::io::{self, Write};

/// States repeat what did not change, so that the file grows with the square of the run; more cells are refused.
pub const ITF_CELLS_MAX: usize = 5_000_000;

/// About how many values the states of this window have: processes and messages in transit, for each state.
#[must_use]
pub fn itf_cells(history: &History<'_>, window: &Window) -> usize {
    let travelling = history.messages.iter().filter(|passage| concerns(window, passage)).map(|passage| {
        let end = passage.end.step().unwrap_or(history.steps.len());
        let from = passage.sender.clamp(window.steps.start, window.steps.end);
        end.clamp(window.steps.start, window.steps.end).saturating_sub(from)
    });
    travelling.sum::<usize>() + window.steps.len() * window.processes.len()
}

fn concerns(window: &Window, passage: &Passage<'_>) -> bool {
    passage.end != End::LostAtOnce && (window.has(passage.from) || window.has(passage.sent.to))
}

/// Writes the states of the window: the one before its first step, and the one after each step.
///
/// # Errors
/// If it cannot be written.
pub fn write_itf(out: &mut dyn Write, history: &History<'_>, window: &Window) -> io::Result<()> {
    let header = &history.recording.header;
    let mut description = format!(
        "{}, {} processes, {} links, schedule {}, seed {}",
        header.algorithm, header.n, header.links, header.schedule, header.seed
    );
    if let Some(part) = part(history, window) {
        description = format!("{description}; {part}");
    }
    let meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": header.algorithm,
        "description": description,
    });
    let vars = json!(["step", "time", "process", "action", "standing", "transit"]);
    write!(out, "{{\"#meta\":{meta},\"params\":[],\"vars\":{vars},\"states\":[")?;

    let mut standing = vec![Standing::Open; header.n as usize];
    let first = window.steps.start.min(history.steps.len());
    for step in 0..first {
        stand(history, &mut standing, step);
    }
    let time = first.checked_sub(1).map_or(0, |before| history.recording.events[before].time);
    let mut writer = States { history, window, index: 0, begun: 0, transit: Vec::new() };
    writer.state(out, first, (time, None, "initially"), &standing)?;
    for (step, line) in told(history, window) {
        stand(history, &mut standing, step);
        let event = &history.recording.events[step];
        writer.state(out, step + 1, (event.time, Some(event.process), action(&line)), &standing)?;
    }
    write!(out, "\n]}}\n")
}

fn stand(history: &History<'_>, standing: &mut [Standing], step: usize) {
    let process = history.recording.events[step].process as usize;
    if let Some(place) = standing.get_mut(process) {
        *place = history.steps[step].standing;
    }
}

struct States<'a> {
    history: &'a History<'a>,
    window: &'a Window,
    index: usize,
    /// So many messages were looked at.
    begun: usize,
    /// Those of them that are on their way.
    transit: Vec<&'a Passage<'a>>,
}

impl States<'_> {
    /// The state after so many steps.
    fn state(
        &mut self,
        out: &mut dyn Write,
        after: usize,
        (time, process, action): (u64, Option<u32>, &str),
        standing: &[Standing],
    ) -> io::Result<()> {
        let history = self.history;
        let statuses = self.window.processes.iter().filter_map(|&process| {
            let word = standing.get(process as usize)?.name(history.is_exclusion);
            Some(json!([integer(u64::from(process)), word]))
        });
        // Messages are numbered in the order in which they begin.
        while let Some(next) = history.messages.get(self.begun)
            && next.doubled.unwrap_or(next.sender) < after
        {
            self.transit.extend(concerns(self.window, next).then_some(next));
            self.begun += 1;
        }
        self.transit.retain(|passage| passage.end.step().is_none_or(|end| end >= after));
        let transit = self.transit.iter().map(|passage| {
            let fields = passage.sent.fields.iter().map(|(name, value)| json!([name, value]));
            json!({"#tup": [
                integer(passage.message),
                integer(u64::from(passage.from)),
                integer(u64::from(passage.sent.to)),
                passage.sent.kind,
                {"#map": fields.collect::<Vec<Value>>()},
            ]})
        });
        let state = json!({
            "#meta": {"index": self.index},
            "step": integer(after as u64),
            "time": integer(time),
            // -1 before anybody has moved: a variable keeps its type.
            "process": process.map_or_else(|| json!({"#bigint": "-1"}), |process| integer(u64::from(process))),
            "action": action,
            "standing": {"#map": statuses.collect::<Vec<Value>>()},
            "transit": {"#set": transit.collect::<Vec<Value>>()},
        });
        let comma = if self.index == 0 { "" } else { "," };
        self.index += 1;
        write!(out, "{comma}\n{state}")
    }
}

/// An integer, of any size.
fn integer(value: u64) -> Value {
    json!({"#bigint": value.to_string()})
}
