//! What is known of an algorithm, as JSON.

use crate::App;
use crate::describe::{Example, network, promises, told, tolerated};
use ringleader::model::{Reached, SettingValues, Timing};
use ringleader::registry::Entry;
use serde_json::{Value, json};

/// `ringleader.show/1`: all that is known of an algorithm, as one object; `changes` are the lines by which an
/// as-printed variant differs from the right one, each with its mark.
#[must_use]
pub fn show_json(
    app: &App,
    entry: &Entry,
    example: &Example,
    changes: Option<Vec<Vec<(&'static str, String)>>>,
) -> String {
    let (spec, needs) = (entry.spec, &entry.spec.needs);
    let prose = spec.prose();
    let list: Value = serde_json::from_str(&super::list_json([entry])).unwrap_or_default();
    let row = &list["algorithms"][0];
    let model = json!({
        "told": told(entry),
        "links": needs.links.name(),
        "orientation": needs.orientation.name(),
        "reached": match needs.reached {
            Reached::Wakes => "wakes",
            Reached::Relays => "relays",
            Reached::MayStartLater => "may-start-later",
        },
        "timing": match needs.timing {
            Timing::Asynchronous => "asynchronous",
            Timing::BoundedDelay => "bounded-delay",
            Timing::LockStep => "lock-step",
        },
        "choices": needs.choices,
        "detector": needs.detector,
        "tolerates": tolerated(entry),
    });
    let kinds = entry.kinds.iter().zip(entry.announces);
    let messages: Value =
        kinds.map(|(kind, announces)| json!({ "kind": kind, "announces": announces })).collect();
    let rules: Value =
        entry.rules.iter().map(|rule| json!({ "name": rule.name, "text": rule.text })).collect();
    let settings: Value = (spec.settings.iter())
        .map(|setting| {
            let values = match setting.values {
                SettingValues::OneOf(words) => json!(words),
                SettingValues::Number { min, max, default } => {
                    json!({ "min": min, "max": max, "default": default })
                }
                SettingValues::Enough { min, max, .. } => json!({ "min": min, "max": max }),
                SettingValues::RingElection { .. } => entry.electors().map(|elector| elector.name).collect(),
                SettingValues::Elsewhere(other) => json!({ "see": other }),
            };
            json!({ "name": setting.name, "about": setting.about, "values": values })
        })
        .collect();
    let errata: Value =
        spec.known_errata().iter().map(|erratum| json!({ "id": erratum.id, "text": erratum.text })).collect();
    let mut object = json!({ "schema": "ringleader.show/1" });
    for field in
        ["name", "problem", "title", "year", "source", "topology", "needs", "bound", "aliases", "erratum"]
    {
        object[field] = row[field].clone();
    }
    object["idea"] = json!(prose.idea);
    object["model"] = model;
    object["messages"] = messages;
    object["rules"] = rules;
    object["settings"] = settings;
    object["promises"] = json!(promises(entry));
    object["costs"] = json!(prose.cost);
    object["average"] = json!(spec.cost.average.map(|average| average.formula));
    object["network"] = network(entry).into_iter().map(|(name, text)| (name, json!(text))).collect();
    object["errata"] = errata;
    object["example"] = json!({ "command": example.command, "transcript": example.lines });
    object["version"] = json!(app.version());
    let line = |(mark, line): &(&str, String)| json!({ "mark": mark, "line": line });
    object["diff"] = changes.map_or(Value::Null, |changes| {
        changes.iter().map(|change| change.iter().map(line).collect::<Value>()).collect()
    });
    object.to_string()
}
