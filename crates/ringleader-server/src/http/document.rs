//! The document of the interface, held against the sources: what stands in one of them only is named.

use crate::words::HTTP_CODES;
use serde_json::Value;
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../../docs/locks/openapi.json");
const ROUTER: &str = include_str!("mod.rs");
const API: &str = include_str!("../../../ringleader-client/src/api.rs");

fn document() -> Value {
    serde_json::from_str(DOCUMENT).expect("docs/locks/openapi.json is JSON")
}

/// `GET /v1/locks` and so on, as the document has them.
fn documented() -> BTreeSet<String> {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let calls = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("methods").keys();
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    calls.collect()
}

/// The same, as the router has them: lines `.route("PATH", METHOD(..))`.
fn routed(source: &str) -> BTreeSet<String> {
    let routes = source.lines().filter_map(|line| line.trim().strip_prefix(".route(\""));
    let calls = routes.map(|route| {
        let (path, rest) = route.split_once("\", ").expect("a path, and what is done");
        let method = rest.split('(').next().expect("a method");
        // The upgrade is asked for with any method, and documented with one.
        let method = if method == "any" { "get" } else { method };
        format!("{} {path}", method.to_uppercase())
    });
    calls.collect()
}

#[test]
fn every_route_is_documented_and_the_other_way_round() {
    assert_eq!(documented(), routed(ROUTER), "docs/locks/openapi.json, and the router");
    let more = format!("{ROUTER}\n            .route(\"/v1/new\", post(calls::new))");
    assert!(routed(&more).contains("POST /v1/new"), "a new route is seen");
    assert!(routed(ROUTER).len() > 15);
}

/// The fields of a structure in the sources.
fn fields(structure: &str) -> BTreeSet<String> {
    let head = format!("pub struct {structure} {{");
    let body = API.split(&head).nth(1).unwrap_or_else(|| panic!("api.rs has {structure}"));
    let body = body.split("\n}").next().expect("an end");
    let lines = body.lines().filter_map(|line| line.trim().strip_prefix("pub "));
    lines.filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
}

#[test]
fn every_field_is_documented_and_the_other_way_round() {
    let document = document();
    for structure in [
        "OpenSession",
        "SessionOpened",
        "KeepAlive",
        "RequestState",
        "KeptAlive",
        "Acquire",
        "Granted",
        "Release",
        "Cancel",
        "LockInfo",
        "Refusal",
    ] {
        let properties = document["components"]["schemas"][structure]["properties"].as_object();
        let properties = properties.unwrap_or_else(|| panic!("the document has {structure}"));
        let documented: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(documented, fields(structure), "{structure}: docs/locks/openapi.json, and api.rs");
    }
}

#[test]
fn every_refusal_is_documented_and_the_other_way_round() {
    let document = document();
    let responses = document["components"]["responses"].as_object().expect("responses");
    let mut documented = BTreeSet::new();
    for (number, response) in responses {
        let schema = &response["content"]["application/json"]["schema"]["allOf"][1];
        for code in schema["properties"]["code"]["enum"].as_array().expect("codes") {
            documented.insert((code.as_str().expect("a word").to_owned(), number.parse().expect("a number")));
        }
    }
    // A method that cannot be asked is a bad request by its code, and has a number of its own.
    assert!(documented.remove(&("bad_request".to_owned(), 405)));
    let known: BTreeSet<(String, u16)> =
        HTTP_CODES.iter().map(|(code, number)| ((*code).to_owned(), *number)).collect();
    assert_eq!(documented, known, "docs/locks/openapi.json, and words.rs");
}
