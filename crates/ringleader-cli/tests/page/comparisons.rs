//! What the page is told of a comparison is what `compare --json` says.

use super::{ask, said, stage};
use serde_json::{Value, json};

fn column<'a>(compared: &'a Value, name: &str) -> Vec<&'a Value> {
    let names = compared["columns"].as_array().expect("there are columns");
    let at = names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no column {name}"));
    compared["rows"].as_array().expect("there are rows").iter().map(|row| &row[at]).collect()
}

fn rounded(value: &Value) -> Option<i64> {
    value.as_f64().map(|value| (value * 1000.0).round() as i64)
}

#[test]
fn the_table_is_that_of_the_command_line() {
    for (algorithms, options, words) in [
        (
            vec!["chang-roberts", "peterson", "itai-rodeh"],
            json!({ "sizes": "8,16,32", "runs": "4", "seed": "3" }),
            vec!["-n", "8,16,32", "--runs", "4", "--seed", "3"],
        ),
        (
            vec!["lcr", "franklin"],
            json!({ "nodes": "8..64", "ids": "worst" }),
            vec!["-n", "8..64", "--ids", "worst", "--seed", "0"],
        ),
        (vec!["ricart-agrawala", "raymond"], json!({ "sizes": "4,8" }), vec!["-n", "4,8", "--seed", "0"]),
    ] {
        let compared = ask(&stage(), "compare", &json!({ "algorithms": algorithms, "options": options }));
        let compared = compared.unwrap_or_else(|refused| panic!("{algorithms:?}: {refused}"));
        let line: Vec<&str> = std::iter::once("compare").chain(algorithms).chain(words).collect();
        let by_command = said(&line);
        assert_eq!(compared["command"], by_command["again"]);
        let cells = by_command["cells"].as_array().expect("there are cells");
        assert_eq!(compared["rows"].as_array().map(Vec::len), Some(cells.len()));
        for (name, field) in [("mean", "mean"), ("min", "min"), ("max", "max"), ("max / bound", "ratio")] {
            let by_page: Vec<_> = column(&compared, name).into_iter().map(rounded).collect();
            let by_command: Vec<_> = cells.iter().map(|cell| rounded(&cell[field])).collect();
            assert_eq!(by_page, by_command, "{line:?}: {name}");
        }
        for (name, field) in [("algorithm", "algorithm"), ("n", "nodes"), ("runs", "runs")] {
            let by_command: Vec<&Value> = cells.iter().map(|cell| &cell[field]).collect();
            assert_eq!(column(&compared, name), by_command, "{line:?}: {name}");
        }
        let svg = compared["svg"].as_str().expect("there is a plot");
        assert!(svg.contains("<svg ") && svg.trim_end().ends_with("</svg>"), "{}", &svg[..80]);
    }
}

#[test]
fn page_is_told_random_identities_are_kind() {
    let question = json!({ "algorithms": ["chang-roberts"], "options": { "sizes": "128", "runs": "2" } });
    let compared = ask(&stage(), "compare", &question).expect("it may be made");
    assert_eq!(
        compared["notes"],
        json!(["random identities are kind to `chang-roberts`; its bad case: --ids worst"])
    );
}

#[test]
fn long_question_is_refused_with_command() {
    let question =
        json!({ "algorithms": ["chang-roberts", "peterson"], "options": { "sizes": "1e6", "runs": "3" } });
    let refused = ask(&stage(), "compare", &question).expect_err("it is too much");
    assert_eq!(
        refused.message,
        "the runs of this comparison have 6,000,000 processes in all; from the page at most 500,000 are compared"
    );
    let help = refused.help_lines().collect::<Vec<_>>().join("\n");
    assert!(help.contains("ringleader compare chang-roberts peterson -n 1e6 --runs 3"), "{help}");
}

#[test]
fn what_is_wrong_is_said() {
    for (question, expected) in [
        (
            json!({ "algorithms": ["chang-roberts", "raymond"] }),
            "is mutual exclusion: their messages cannot be compared",
        ),
        (json!({ "algorithms": ["nobody"] }), "there is no algorithm `nobody`"),
        (json!({ "algorithms": ["lcr", "chang-roberts"] }), "`chang-roberts` is named twice"),
        (
            json!({ "algorithms": ["lcr"], "options": { "plot": "x.svg" } }),
            "`compare` has no option `plot` here",
        ),
        (json!({ "algorithms": ["lcr"], "options": { "ids": "@x" } }), "a page reads no files"),
        (
            json!({ "algorithms": ["lcr"], "options": { "schedule": "replay:x" } }),
            "a recording is of one run",
        ),
        (
            json!({ "algorithms": ["peterson"], "options": { "sizes": "8", "links": "bag" } }),
            "needs FIFO links",
        ),
        (json!({ "algorithms": ["lcr"], "options": { "sizes": "0..x" } }), "x"),
    ] {
        let refused = ask(&stage(), "compare", &question).expect_err("it is refused");
        assert!(refused.message.contains(expected), "{question}: {refused}");
    }
}
