//! The interface as a JSON schema, from which the page has its types and the checks of what it is answered. The shapes
//! are those of the questions and answers themselves; here are only the verbs, and what of a report the page reads by
//! name.

#![expect(dead_code, reason = "only the shapes are asked for")]

use crate::{
    Compared, RunRequest, about, check, choices, compare, event, events, export, goal, import, open,
};
use crate::{overview, story, window};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What is asked, and what is answered.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Verb<Question, Answer> {
    question: Question,
    answer: Answer,
}

/// No fields.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Nothing {}

#[derive(JsonSchema)]
struct Verbs {
    about: Verb<Nothing, about::About<'static>>,
    choices: Verb<choices::ChoicesRequest, choices::Choices>,
    open: Verb<RunRequest, open::Run<'static>>,
    events: Verb<events::EventsRequest, Events>,
    overview: Verb<overview::OverviewRequest, overview::Overview<'static>>,
    window: Verb<window::WindowRequest, window::Window<'static>>,
    check: Verb<check::CheckRequest, check::Started>,
    look: Verb<check::JobRequest, check::Look>,
    stop: Verb<check::JobRequest, check::Look>,
    compare: Verb<compare::CompareRequest, Compared>,
    export: Verb<export::ExportRequest, export::Exported>,
    import: Verb<import::ImportRequest, import::Imported>,
    story: Verb<story::StoryRequest, story::Story>,
    judge: Verb<goal::JudgeRequest, goal::Verdict>,
    /// How a real cluster is: `cluster/status.ts` reads it.
    cluster: Verb<Nothing, Value>,
}

/// Some steps of a small run; they are kept as JSON, so there is no such type beside this one.
#[derive(JsonSchema)]
struct Events {
    from: usize,
    events: Vec<event::RunEvent<'static>>,
}

/// ringleader.run/1; the fields that the page reads by name.
#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub(crate) struct Report {
    schema: String,
    algorithm: String,
    nodes: u32,
    outcome: String,
    messages: Messages,
    #[schemars(skip_serializing_if = "Option::is_none")]
    election_messages: Option<u64>,
    bound: Option<Bound>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    average: Option<Average>,
}

#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
struct Messages {
    total: u64,
    by_kind: BTreeMap<String, u64>,
}

#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
struct Bound {
    formula: String,
    counts: String,
    value: f64,
    holds: bool,
}

#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
struct Average {
    formula: String,
    value: f64,
}

/// ringleader.check/1; the fields that the page reads by name.
#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub(crate) struct CheckFindings {
    schema: String,
    algorithm: String,
    nodes: u32,
}

/// What stands in a table.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Cell {
    Text(String),
    Number(f64),
    Nothing(()),
}

fn schema() -> String {
    let settings = SchemaSettings::draft07().for_serialize();
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<Verbs>();
    serde_json::to_string_pretty(&schema).expect("a schema has a JSON form") + "\n"
}

#[test]
fn page_has_the_types_of_this_interface() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/engine/schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, schema()).expect("it can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == schema(),
        "{} is of another interface: UPDATE=1 cargo test -p ringleader-page schema, then cargo xtask page",
        path.display()
    );
}
