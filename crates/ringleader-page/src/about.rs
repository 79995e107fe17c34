//! The verb `about`: what there is.

use crate::{Diagnostic, Stage, limits};
use ringleader::model::{Setting, SettingValues};
use ringleader::registry::{self, Entry};
use serde_json::{Value, json};

/// The answer.
pub(crate) fn answer(stage: &Stage) -> Result<String, Diagnostic> {
    let algorithms: Value = stage.words.registry().iter().map(algorithm).collect();
    let about = json!({
        "schema": "ringleader.page/1",
        "version": stage.words.version(),
        "algorithms": algorithms,
        "stories": stage.shelf.titles(),
        "limits": {
            "nodes": limits::NODES,
            "small_nodes": limits::SMALL_NODES,
            "small_steps": limits::SMALL_STEPS,
            "bytes": limits::BYTES,
        },
    });
    Ok(about.to_string())
}

fn algorithm(entry: &Entry) -> Value {
    let spec = entry.spec;
    let prose = spec.prose();
    let erratum = spec.known_errata().into_iter().next().filter(|_| entry.is_literal());
    let rules: Value =
        entry.rules.iter().map(|rule| json!({ "name": rule.name, "text": rule.text })).collect();
    let settings: Value = spec.settings.iter().map(|own| setting(entry, own)).collect();
    let example = Some(spec.example).filter(|example| entry.is_literal() && !example.is_empty());
    json!({
        "name": spec.name,
        "aliases": spec.aliases,
        "title": prose.title,
        "problem": entry.problem.name(),
        "topology": entry.topology(),
        "needs": entry.needs(),
        "idea": prose.idea,
        "source": prose.source,
        "literal": entry.is_literal(),
        "erratum": erratum.map(|erratum| erratum.text),
        "rules": rules,
        "kinds": entry.kinds,
        "bound": spec.cost.worst.map(|bound| bound.formula),
        "average": spec.cost.average.map(|average| average.formula),
        "checked": entry.checked_up_to(),
        "settings": settings,
        "example": example,
        "basis": spec.cost.worst.map(|bound| json!({ "kind": bound.basis.name(), "by": bound.basis.by() })),
    })
}

fn setting(entry: &Entry, setting: &Setting) -> Value {
    let electors = || entry.electors().map(|elector| elector.name).collect::<Vec<_>>();
    // The values are those of the algorithm that knows it; without the setting it is not that algorithm.
    let elsewhere = |other: &str| {
        let other = registry::find(entry.registry(), other).map_or(&[][..], |entry| entry.spec.settings);
        let same = other.iter().find(|other| other.name == setting.name);
        same.map_or(Value::Null, |same| self::setting(entry, same)["values"].clone())
    };
    let (values, default) = match setting.values {
        SettingValues::OneOf(words) => (json!(words), words.first().copied().unwrap_or_default().to_owned()),
        SettingValues::Number { default, .. } => (Value::Null, default.to_string()),
        SettingValues::Enough { .. } => (Value::Null, String::new()),
        SettingValues::RingElection { default } => (json!(electors()), default.to_owned()),
        SettingValues::Elsewhere(other) => (elsewhere(other), String::new()),
    };
    json!({ "name": setting.name, "help": setting.about, "values": values, "default": default })
}
