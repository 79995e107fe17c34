//! A snapshot of a run as JSON and in lines.

use crate::layout::fold;
use ringleader::trace::{Cut, Variables};
use serde_json::{Map, Value, json};

/// The snapshot as one object, with times in units of so many ticks.
#[must_use]
pub fn snapshot_json(cut: &Cut, ticks_per_unit: u64) -> Value {
    let time = |ticks: u64| match ticks_per_unit {
        0 | 1 => json!(ticks),
        unit => json!(ticks as f64 / unit as f64),
    };
    let state = |state: &Variables| {
        state.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect::<Map<_, _>>()
    };
    let parts = cut.parts.iter().enumerate().map(|(index, part)| {
        let (time, state) = (time(part.time), state(&part.state));
        json!({ "index": index, "time": time, "steps": part.steps, "state": state })
    });
    let links =
        cut.links.iter().map(|link| json!({ "from": link.from, "to": link.to, "messages": link.messages }));
    json!({
        "by": cut.by,
        "consistent": cut.is_consistent,
        "markers": cut.markers,
        "processes": parts.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    })
}

/// The snapshot in words, with times in units of so many ticks.
#[must_use]
pub fn snapshot_lines(cut: &Cut, ticks_per_unit: u64) -> Vec<String> {
    let time = |ticks: u64| match ticks_per_unit {
        0 | 1 => ticks.to_string(),
        unit => format!("{:.3}", ticks as f64 / unit as f64),
    };
    let wide =
        |names: &mut dyn Iterator<Item = String>| names.map(|name| name.chars().count()).max().unwrap_or(0);
    let moments = wide(&mut cut.parts.iter().map(|part| time(part.time)));
    let processes = cut.parts.len().saturating_sub(1).to_string().len() + 1;
    let mut lines = vec![format!(
        "snapshot, begun by p{} at {}",
        cut.by,
        time(cut.parts.get(cut.by as usize).map_or(0, |part| part.time))
    )];
    for (index, part) in cut.parts.iter().enumerate() {
        let variables: Vec<String> =
            part.state.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let who = format!("p{index}");
        let start = format!("  {who:<processes$}  at {:>moments$}  ", time(part.time));
        let width = start.chars().count();
        lines.push(fold(&start, &variables.join(" · "), width));
    }
    for link in &cut.links {
        lines.push(fold(&format!("  p{} → p{}  ", link.from, link.to), &link.messages.join(", "), 11));
    }
    if cut.links.is_empty() {
        lines.push("  nothing on its way".into());
    }
    let consistent = if cut.is_consistent {
        "a consistent cut: nothing in it follows from what is not"
    } else {
        "NOT a consistent cut: something in it follows from what is not"
    };
    lines.push(format!("  {} markers · {consistent}", cut.markers));
    lines
}
