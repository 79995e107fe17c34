//! `ringleader grade`: who passed, who did not, and why; a link that was changed does not pass.

use super::{ringleader, run};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A folder of this test with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("there is room");
    }
    folder
}

/// The link that the page gives for these edits: from the engine that a page asks.
fn link(goal: &str, edits: &[&str], who: &str) -> String {
    let mut served = ringleader(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    let mut served = served.stdout(Stdio::piped()).spawn().expect("the binary runs");
    let mut line = String::new();
    BufReader::new(served.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let ready: Value = serde_json::from_str(&line).expect("JSON");
    let question = serde_json::json!({ "goal": goal, "edits": edits, "who": who }).to_string();
    let address = ready["address"].as_str().expect("an address");
    let asked = super::serve::post(address, "/api/judge", &question);
    let _ = served.kill();
    let _ = served.wait();
    let verdict: Value = serde_json::from_str(&asked).unwrap_or_else(|error| panic!("{error}: {asked}"));
    let seal = verdict["seal"].as_str().unwrap_or_else(|| panic!("{verdict}"));
    format!("http://127.0.0.1:7420/#/goal?name={goal}&e={}&who={who}&seal={seal}", edits.join(";"))
}

/// Grades a folder; the exit code, and what is written.
fn grade(folder: &Path, more: &[&str]) -> (i32, Value) {
    let result: PathBuf = folder.join("grade.json");
    let mut words = vec!["grade", folder.to_str().expect("UTF-8"), "-o", result.to_str().expect("UTF-8")];
    words.extend(more);
    let ran = run(&words);
    let text = fs::read_to_string(&result).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
    (ran.code, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn a_class_is_judged_and_a_changed_link_does_not_pass() {
    let honest = link("one-lost-message", &["5.drop.0"], "Ada");
    let nothing = link("one-lost-message", &[], "Bob");
    let eve = honest.replace("who=Ada", "who=Eve");
    let other = honest.replace("5.drop.0", "7.drop.1");
    let crash = honest.replace("5.drop.0", "5.crash.0");
    let files = [
        ("ada.txt", honest.as_str()),
        ("bob.txt", nothing.as_str()),
        ("crash.txt", &crash),
        ("eve.txt", &eve),
        ("other.txt", &other),
        ("text.txt", "I did not find it."),
    ];
    let class = folder(&files);
    let (code, result) = grade(class.path(), &[]);
    assert_eq!(code, 1);
    assert_eq!((&result["schema"], &result["passed"]), (&"ringleader.grade/1".into(), &1.into()));
    let marks = result["marks"].as_array().expect("a list");
    let results: Vec<(&str, &str)> = marks
        .iter()
        .map(|mark| (mark["file"].as_str().unwrap_or_default(), mark["result"].as_str().unwrap_or_default()))
        .collect();
    let expected = [
        ("ada.txt", "passed"),
        ("bob.txt", "failed"),
        ("crash.txt", "refused"),
        ("eve.txt", "tampered"),
        ("other.txt", "tampered"),
        ("text.txt", "unreadable"),
    ];
    assert_eq!(results, expected, "{result:#}");
    assert!(marks.iter().all(|mark| mark["why"].as_str().is_some_and(|why| why.len() > 5)), "{result:#}");
    // The result of before is not taken for an answer, and not replaced unasked.
    let again = run(&[
        "grade",
        class.path().to_str().unwrap(),
        "-o",
        class.path().join("grade.json").to_str().unwrap(),
    ]);
    assert_eq!(again.code, 2, "{}", again.err);
    let (code, forced) = grade(class.path(), &["--force"]);
    assert_eq!((code, &forced["files"]), (1, &6.into()));
}

#[test]
fn whoever_passes_passes_and_what_is_missing_is_said() {
    let honest = link("one-lost-message", &["5.drop.0"], "Ada");
    let twin = link("one-lost-message", &["5.drop.0"], "Bob");
    let class = folder(&[("ada.txt", honest.as_str()), ("bob.txt", &twin)]);
    let (code, result) = grade(class.path(), &["--goal", "one-lost-message"]);
    assert_eq!(code, 0, "{result:#}");
    assert_eq!(result["marks"][1]["same_as"], "ada.txt");
    let (code, result) = grade(class.path(), &["--force", "--goal", "two-inside"]);
    assert_eq!((code, &result["marks"][1]["result"]), (1, &"missing".into()), "{result:#}");
}

#[test]
fn what_cannot_be_graded_is_said() {
    let empty = folder(&[]);
    let class = folder(&[("ada.txt", "")]);
    let broken = folder(&[("mine.goal.toml", "title = 3\n")]);
    let at = |folder: &tempfile::TempDir| folder.path().to_str().expect("UTF-8").to_owned();
    for (words, said) in [
        (vec!["grade".to_owned(), "/nowhere".into()], "there is no such folder"),
        (vec!["grade".into(), at(&empty)], "nothing was handed in"),
        (vec!["grade".into(), at(&class), "--goal".into(), "moon".into()], "there is no goal `moon`"),
        (
            vec!["grade".into(), at(&class), "--goals".into(), at(&empty)],
            "there is no file named *.goal.toml",
        ),
        (vec!["grade".into(), at(&class), "--goals".into(), at(&broken)], "goal `mine`, line 1, column 9"),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let refused = run(&words);
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.err);
        assert!(super::unfolded(&refused.err).contains(said), "{words:?}: {}", refused.err);
    }
}
