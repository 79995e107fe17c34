use crate::{file, json, path, ran, ringleader, run, unfolded};

/// A recording of this test.
fn recorded(name: &str, args: &[&str]) -> String {
    let trace = path(&format!("trace-{name}.rlt"));
    let ran = run(&[args, &["--force", "--trace", &trace]].concat());
    assert!(ran.code <= 1, "{}", ran.err);
    trace
}

fn ring(name: &str) -> String {
    recorded(name, &["run", "lcr", "--ids", "3,1,4,2", "--seed", "1"])
}

/// It is refused with exit code 2, nothing on stdout, and a message with all of these parts.
fn refused(args: &[&str], parts: &[&str]) {
    let ran = run(args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {}", ran.err);
    for part in parts {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "{args:?}: no `{part}` in\n{}", ran.err);
    }
}

#[test]
fn every_format_goes_to_stdout() {
    let trace = ring("formats");
    for (format, start) in [
        ("svg", "<svg xmlns=\"http://www.w3.org/2000/svg\""),
        ("html", "<!doctype html>"),
        ("shiviz", "(?<host>"),
        ("chrome", "{\"displayTimeUnit\""),
        ("mermaid", "sequenceDiagram"),
        ("itf", "{\"#meta\""),
        ("jsonl", "{\"algorithm\":\"chang-roberts\""),
    ] {
        let ran = run(&["trace", &trace, "--to", format]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
        assert!(ran.out.starts_with(start), "{format}: {}", &ran.out[..80]);
        // The same file gives the same output, byte by byte.
        assert_eq!(run(&["trace", &trace, "--to", format]).out, ran.out, "{format}");
    }
}

#[test]
fn the_name_of_the_output_says_the_format() {
    let trace = ring("names");
    for (name, start) in [
        ("trace-a.svg", "<svg"),
        ("trace-a.html", "<!doctype"),
        ("trace-a.mmd", "sequence"),
        ("trace-a.jsonl", "{\"algorithm\""),
        ("trace-a.itf.json", "{\"#meta\""),
    ] {
        let output = path(name);
        let ran = run(&["trace", &trace, "-o", &output, "--force"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
        assert!(std::fs::read_to_string(&output).unwrap().starts_with(start), "{name}");
        assert!(ran.err.contains("again:  ringleader trace"), "{}", ran.err);
    }
    refused(
        &["trace", &trace, "-o", &path("trace-a.json")],
        &["ringleader::no_format", "does not say", "--to svg"],
    );
    refused(&["trace", &trace], &["ringleader::no_format", "`--to` is missing", "a page that plays it"]);
    refused(&["trace", &trace, "--to", "pdf"], &["svg, html, shiviz, chrome, mermaid, itf, jsonl"]);
}

#[test]
fn no_file_is_replaced_unasked() {
    let trace = ring("kept");
    let kept = file("trace-kept.svg", "precious");
    refused(&["trace", &trace, "-o", &kept], &["ringleader::output_exists", "--force"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "precious");
    assert_eq!(run(&["trace", &trace, "-o", &kept, "--force"]).code, 0);
    assert!(std::fs::read_to_string(&kept).unwrap().starts_with("<svg"));
    if std::path::Path::new("/dev/full").exists() {
        let full = run(&["trace", &trace, "--to", "svg", "-o", "/dev/full"]);
        assert_eq!(full.code, 4, "{}", full.err);
        assert!(full.err.contains("cannot write /dev/full"), "{}", full.err);
    }
    let nowhere = run(&["trace", &trace, "-o", "/nowhere/x.svg"]);
    assert_eq!(nowhere.code, 4);
    assert!(nowhere.err.contains("cannot write /nowhere/x.svg"), "{}", nowhere.err);
}

#[test]
fn the_caption_repeats_the_picture() {
    let trace = ring("again");
    let output = path("trace-again.svg");
    let args = ["trace", &trace, "--nodes", "0..2", "--steps", "2..9", "--past", "6", "--critical", "--dark"];
    let ran = run(&[&args[..], &["-o", &output, "--force"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (_, again) = ran.err.split_once("again:  ringleader ").expect("a command");
    let first = std::fs::read_to_string(&output).unwrap();
    let words: Vec<&str> = again.split_whitespace().collect();
    assert_eq!(run(&words).code, 0, "{words:?}");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), first);
    // Where its lines break depends on how long the names of the files are.
    let pieces = first.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text);
    let caption = pieces.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    assert!(caption.contains("--nodes 0..2 --steps 2..9 --past 6 --critical --dark"), "{caption}");
}

#[test]
fn a_part_of_a_run_is_said_to_be_one() {
    let trace = ring("part");
    for format in ["svg", "html", "shiviz", "chrome", "mermaid", "itf", "jsonl"] {
        let ran = run(&["trace", &trace, "--to", format, "--nodes", "1,2", "--steps", "3..12"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(
            ran.err.contains("note: a part of the run: ") && ran.err.contains("2 of 4 processes"),
            "{}",
            ran.err
        );
        let quiet = run(&["trace", &trace, "--to", format, "--nodes", "1,2", "--steps", "3..12", "-q"]);
        assert_eq!((quiet.err.as_str(), quiet.out == ran.out), ("", true), "{format}");
    }
    let rows = run(&["trace", &trace, "--to", "jsonl", "--nodes", "1..2", "--steps", "3..12"]).out;
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert!((3..=12).contains(&row["step"].as_u64().unwrap()), "both ends are included: {row}");
        assert!([1, 2].contains(&row["process"].as_u64().unwrap()), "{row}");
    }
}

#[test]
fn a_part_that_does_not_exist() {
    let trace = ring("window");
    let window = |option: &str, value: &str, parts: &[&str]| {
        refused(&["trace", &trace, "--to", "svg", option, value], parts);
    };
    window("--nodes", "2..9", &["ringleader::bad_window", "there is no process 9", "0 to 3"]);
    window("--nodes", "x", &["neither a range", "nor a list"]);
    window("--nodes", "3..1", &["ends before it begins"]);
    window("--steps", "0..4", &["counted from 1"]);
    window("--steps", "900..", &["there is no step 900", "the run has"]);
    window("--steps", "1..2,5..6", &["not several"]);
    window("--past", "0", &["--past 0", "counted from 1"]);
    window("--past", "999", &["no such step"]);
    refused(
        &["trace", &trace, "--to", "svg", "--past", "9", "--steps", "1..3"],
        &["not among what is shown"],
    );
}

#[test]
fn what_only_a_picture_knows() {
    let trace = ring("picture");
    refused(
        &["trace", &trace, "--to", "jsonl", "--critical"],
        &["--critical is for --to svg, not for --to jsonl"],
    );
    refused(
        &["trace", &trace, "--to", "html", "--past", "2"],
        &["--past is for --to svg", "C for the causal past"],
    );
}

#[test]
fn too_large_for_sequence_diagram_is_refused() {
    let trace = recorded("many", &["run", "lcr", "-n", "60", "--seed", "1"]);
    refused(
        &["trace", &trace, "--to", "mermaid"],
        &[
            "ringleader::too_much",
            "too many for --to mermaid",
            "the most is 200",
            "--steps 1..60",
            "--to svg",
        ],
    );
    assert_eq!(run(&["trace", &trace, "--to", "mermaid", "--steps", "1..60"]).code, 0);
}

#[test]
fn too_large_for_vector_clocks_is_refused() {
    let trace = recorded("clocks", &["run", "lcr", "-n", "2000", "--seed", "1"]);
    for (format, what) in [("shiviz", "entries in its clocks"), ("itf", "values in its states")] {
        refused(&["trace", &trace, "--to", format], &["ringleader::too_much", what, "the most is 5000000"]);
        assert_eq!(run(&["trace", &trace, "--to", format, "--nodes", "0..20", "--steps", "1..4000"]).code, 0);
    }
}

#[test]
fn a_file_described_as_json() {
    let trace = ring("json");
    let output = path("trace-json.svg");
    let object = json(&["trace", &trace, "-o", &output, "--force", "--json"]);
    assert_eq!(object.as_object().unwrap().keys().next().unwrap(), "schema");
    assert_eq!(object["schema"], "ringleader.export/1");
    assert_eq!(object["format"], "svg");
    assert_eq!(object["bytes"].as_u64(), Some(std::fs::metadata(&output).unwrap().len()));
    let refused = json(&["trace", &trace, "--to", "svg", "--json"]);
    assert_eq!(refused["schema"], "ringleader.error/1");
}

#[test]
fn other_file_is_not_a_trace() {
    let other = file("trace-other.rlt", "hello");
    refused(&["trace", &other, "--to", "svg"], &["ringleader::bad_trace", "not a trace"]);
    refused(&["trace", &path("trace-missing.rlt"), "--to", "svg"], &["cannot read", "--trace"]);
}

#[test]
fn counterexample_picture_shows_two_leaders() {
    let args = ["check", "peterson", "-n", "4", "--links", "bag", "--unsound"];
    let trace = recorded("overtaking", &args);
    let picture = run(&["trace", &trace, "--to", "svg"]).out;
    assert_eq!(picture.matches("leads from step").count(), 2, "the description names both");
    assert!(picture.contains("allowed to leave its assumptions"));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let trace = ring("pipe");
    let mut child = ringleader(&["trace", &trace, "--to", "html"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let ended = ran(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
}

/// As much of `live.html` as the command line looks at.
const LIVE: &str = r#"<html><script type="application/json" id="recording">null</script></html>"#;

#[test]
fn live_page_has_the_recorded_run() {
    let trace = ring("live");
    let page = file("trace-live-page.html", LIVE);
    let output = path("trace-live.html");
    let live = format!("--live={page}");
    let made = run(&["trace", &trace, "--to", "html", &live, "-o", &output, "--force"]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.err.contains(&live), "how to make it again: {}", made.err);
    let html = std::fs::read_to_string(&output).unwrap();
    let text = html.strip_prefix(r#"<html><script type="application/json" id="recording">"#);
    let text = text.and_then(|rest| rest.strip_suffix("</script></html>")).expect("only the run is put in");
    let recording: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(recording["text"], std::fs::read_to_string(&trace).unwrap());
    assert!(trace.ends_with(recording["name"].as_str().unwrap()));
}

#[test]
fn live_page_is_refused_where_it_cannot_be() {
    let trace = ring("not-live");
    let page = file("trace-not-live-page.html", LIVE);
    let live = format!("--live={page}");
    refused(&["trace", &trace, "--to", "svg", &live], &["--live is for --to html"]);
    refused(&["trace", &trace, "--to", "html", &live, "--steps", "1..5"], &["--steps", "the whole run"]);
    let other = file("trace-other-page.html", "<p>nothing</p>");
    let other = format!("--live={other}");
    refused(
        &["trace", &trace, "--to", "html", &other],
        &["is not a page with an engine", "cargo xtask site"],
    );
    // The program that is tested was not installed.
    refused(
        &["trace", &trace, "--to", "html", "--live"],
        &["without a page", "--live=target/site/live.html"],
    );
}
