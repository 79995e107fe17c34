//! The JSON trace events that Perfetto and chrome://tracing read: a process for each process, a slice for each step, an
//! arrow for each message. Slices and flows only: Perfetto supports no more of this format.

use super::{action, fate_word, input_word, name, part, passage_name, told};
use ringleader::trace::{End, History, Line, Standing, Window};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Steps, and what the user does, have a track each.
const STEPS: u32 = 0;
const USER: u32 = 1;

/// So many microseconds for one unit of time: a millisecond for a round or a step is easy to read off.
const MICROSECONDS: f64 = 1_000.0;

/// Writes the part of a run that a window shows.
///
/// # Errors
/// If it cannot be written.
pub fn write_chrome(out: &mut dyn Write, history: &History<'_>, window: &Window) -> io::Result<()> {
    let header = &history.recording.header;
    let mut other = json!({
        "algorithm": header.algorithm,
        "nodes": header.n,
        "seed": header.seed,
        "schedule": header.schedule,
        "links": header.links,
        "unit": "one unit of time (a round, a step) is a millisecond",
    });
    if let Some(part) = part(history, window) {
        other["part"] = json!(part);
    }
    write!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{other},\"traceEvents\":[")?;
    let mut events = Events { out, first: true };
    for &process in &window.processes {
        let label = name(header, process);
        events.put(&json!({"ph": "M", "pid": process, "name": "process_name", "args": {"name": label}}))?;
        events.put(&json!({"ph": "M", "pid": process, "name": "process_sort_index", "args": {"sort_index": process}}))?;
        events.thread(process, STEPS, "steps")?;
        if history.is_exclusion {
            events.thread(process, USER, "user")?;
        }
    }
    let clock = Clock::of(history);
    for (step, line) in told(history, window) {
        events.slice(history, &clock, step, &line)?;
    }
    for passage in &history.messages {
        let End::Arrived(arrival) = passage.end else { continue };
        let to = history.recording.events[arrival].process;
        if !window.shows(passage.sender, passage.from) || !window.shows(arrival, to) {
            continue;
        }
        let kind = passage.sent.kind.as_ref();
        let end = |phase: &str, process: u32, step: usize| {
            json!({
                "ph": phase, "cat": "message", "name": kind, "id": passage.message,
                "pid": process, "tid": STEPS, "ts": clock.middle(step),
            })
        };
        events.put(&end("s", passage.from, passage.sender))?;
        let mut arrived = end("f", to, arrival);
        // The arrow ends at the slice around it, not at the next one.
        arrived["bp"] = json!("e");
        events.put(&arrived)?;
    }
    if history.is_exclusion {
        events.users(history, window, &clock)?;
    }
    write!(events.out, "\n]}}\n")
}

/// When each step begins, and how long its slice is, in microseconds. Steps take no time; a slice must have some.
struct Clock {
    begins: Vec<f64>,
    lasts: Vec<f64>,
}

impl Clock {
    fn of(history: &History<'_>) -> Clock {
        let header = &history.recording.header;
        let unit = MICROSECONDS / header.ticks_per_unit.max(1) as f64;
        let events = &history.recording.events;
        let slots = history.steps.iter().map(|step| step.slot).max().unwrap_or(0);
        // Steps of the same moment follow each other within the part of a unit that no later moment can reach.
        let width =
            if header.ticks_per_unit > 1 { MICROSECONDS * 0.02 } else { MICROSECONDS } / f64::from(slots + 2);
        let begins: Vec<f64> = events
            .iter()
            .zip(&history.steps)
            .map(|(event, step)| event.time as f64 * unit + f64::from(step.slot) * width)
            .collect();
        let mut lasts = vec![width * 0.8; events.len()];
        let mut before: Vec<Option<usize>> = vec![None; header.n as usize];
        for (step, event) in events.iter().enumerate().filter(|(step, _)| history.steps[*step].is_local) {
            let Some(last) = before.get_mut(event.process as usize) else { continue };
            // Two moments of a clock may be closer than a slice is long.
            if let Some(earlier) = last.replace(step) {
                lasts[earlier] = f64::min(lasts[earlier], (begins[step] - begins[earlier]).max(0.0) * 0.9);
            }
        }
        Clock { begins, lasts }
    }

    fn middle(&self, step: usize) -> f64 {
        rounded(self.begins[step] + self.lasts[step] / 2.0)
    }
}

/// To nanoseconds.
fn rounded(microseconds: f64) -> f64 {
    (microseconds * 1_000.0).round() / 1_000.0
}

struct Events<'a> {
    out: &'a mut dyn Write,
    first: bool,
}

impl Events<'_> {
    fn put(&mut self, event: &Value) -> io::Result<()> {
        let comma = if self.first { "" } else { "," };
        self.first = false;
        write!(self.out, "{comma}\n{event}")
    }

    fn thread(&mut self, process: u32, track: u32, name: &str) -> io::Result<()> {
        self.put(
            &json!({"ph": "M", "pid": process, "tid": track, "name": "thread_name", "args": {"name": name}}),
        )
    }

    fn slice(&mut self, history: &History<'_>, clock: &Clock, step: usize, line: &Line) -> io::Result<()> {
        let event = &history.recording.events[step];
        let sent = event.sends.iter().filter_map(|sent| history.messages.get(sent.message as usize));
        let sends: Vec<String> =
            sent.map(|passage| format!("{} ({})", passage_name(passage), fate_word(passage.end))).collect();
        let args = json!({
            "step": step + 1,
            "input": input_word(&event.input),
            "words": format!("{} {} {}", line.input, line.rules, line.effects).trim_end(),
            "rules": event.rules,
            "sends": sends,
            "standing": history.steps[step].standing.name(history.is_exclusion),
            "depth": history.steps[step].depth,
        });
        self.put(&json!({
            "ph": "X", "cat": "step", "name": action(line), "pid": event.process, "tid": STEPS,
            "ts": rounded(clock.begins[step]), "dur": rounded(clock.lasts[step]).max(0.001), "args": args,
        }))
    }

    /// What users do: slices from the want to the entry, and from the entry to the exit.
    fn users(&mut self, history: &History<'_>, window: &Window, clock: &Clock) -> io::Result<()> {
        let mut since: Vec<(Standing, f64)> =
            vec![(Standing::Open, 0.0); history.recording.header.n as usize];
        let mut end = 0.0;
        let mut slices = Vec::new();
        for step in window.steps.clone() {
            let (Some(event), Some(about)) = (history.recording.events.get(step), history.steps.get(step))
            else {
                break;
            };
            end = clock.begins[step] + clock.lasts[step];
            let Some(state) = since.get_mut(event.process as usize) else { continue };
            if about.is_local && window.has(event.process) && about.standing != state.0 {
                let before = std::mem::replace(state, (about.standing, clock.begins[step]));
                slices.push((event.process, before, clock.begins[step]));
            }
        }
        let open = since.into_iter().enumerate().map(|(process, state)| (process as u32, state, end));
        slices.extend(open);
        for (process, (standing, from), to) in slices {
            if matches!(standing, Standing::Waiting | Standing::Inside) && to > from {
                self.put(&json!({
                    "ph": "X", "cat": "user", "name": standing.name(true), "pid": process, "tid": USER,
                    "ts": rounded(from), "dur": rounded(to - from),
                }))?;
            }
        }
        Ok(())
    }
}
