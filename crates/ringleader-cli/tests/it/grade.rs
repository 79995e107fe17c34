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

/// Writes these files below a folder.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }
}

/// Grades the crates in `handed-in` by the exercise in `exercise`; the exit code, and result and reason for each.
fn graded(folder: &Path, more: &[&str]) -> (i32, Vec<(String, String, String)>, Value) {
    let at = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let words =
        ["grade", &at("handed-in"), "--exercise", &at("exercise"), "-o", &at("grade.json"), "--force"];
    let ran = run(&[&words[..], more].concat());
    let text =
        fs::read_to_string(folder.join("grade.json")).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
    let result: Value = serde_json::from_str(&text).expect("JSON");
    let text = |mark: &Value, key: &str| mark[key].as_str().unwrap_or_default().to_owned();
    let marks = result["marks"].as_array().expect("a list").iter();
    let marks = marks.map(|mark| (text(mark, "file"), text(mark, "result"), text(mark, "why"))).collect();
    (ran.code, marks, result)
}

/// A program that answers as the command line does, in a crate that needs no other: what is tested here is who is
/// believed.
const VOTE: &[(&str, &str)] = &[
    (
        "exercise/Cargo.toml",
        "[package]\nname = \"vote\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    ),
    (
        "exercise/exercise.toml",
        "title = \"A vote\"\ntakes = [\"src/lib.rs\"]\nalgorithm = \"vote\"\n\n[[check]]\ntitle = \"three\"\n\
         options = { nodes = 3 }\n\n[[run]]\ntitle = \"fifty\"\noptions = { nodes = 50 }\nmessages_at_most = 100\n",
    ),
    (
        "exercise/src/main.rs",
        r#"fn main() {
            let words: Vec<String> = std::env::args().collect();
            let n: u64 = words.iter().find_map(|word| word.strip_prefix("--nodes=")?.parse().ok()).unwrap();
            let messages = vote::messages(n);
            if words[1] == "check" && vote::leaders(n) != 1 {
                println!("{{\"properties\":[{{\"name\":\"one leader\",\"verdict\":\"violated\"}}]}}");
                std::process::exit(1);
            }
            println!("{{\"messages\":{{\"total\":{messages}}}}}");
        }"#,
    ),
];

#[test]
fn crates_are_held_against_an_exercise() {
    let class = folder(&[]);
    write(class.path(), VOTE);
    let crates = [
        ("ada", "pub fn leaders(_: u64) -> u64 { 1 } pub fn messages(n: u64) -> u64 { 2 * n }"),
        ("bob", "pub fn leaders(n: u64) -> u64 { n - 1 } pub fn messages(n: u64) -> u64 { n }"),
        ("cleo", "pub fn leaders(n: u64) -> u64 { messages(n) "),
        ("fay", "pub fn leaders(_: u64) -> u64 { 1 } pub fn messages(n: u64) -> u64 { n * n }"),
        ("gus", "pub fn leaders(_: u64) -> u64 { panic!(\"no idea\") } pub fn messages(n: u64) -> u64 { n }"),
    ];
    for (who, lib) in crates {
        // A program of one's own is not what is built.
        let program = "fn main() { println!(\"{{}}\") }";
        write(&class.path().join("handed-in").join(who), &[("src/lib.rs", lib), ("src/main.rs", program)]);
    }
    write(&class.path().join("handed-in/dora"), &[("README", "later")]);
    write(&class.path().join("handed-in"), &[("word.txt", "hello")]);
    let (code, marks, result) = graded(class.path(), &[]);
    let said = |who: &str| {
        let (_, result, why) = marks.iter().find(|mark| mark.0 == who).unwrap_or_else(|| panic!("{marks:?}"));
        (result.as_str(), why.as_str())
    };
    assert_eq!(code, 1);
    assert_eq!(said("ada"), ("passed", "all of 2"));
    assert_eq!(said("bob"), ("failed", "three: violated: one leader"));
    assert_eq!(said("cleo").0, "broken");
    assert!(said("cleo").1.starts_with("error: "), "{marks:?}");
    assert_eq!(said("dora").0, "missing");
    assert!(said("dora").1.starts_with("src/lib.rs: "), "{marks:?}");
    assert_eq!(said("fay"), ("failed", "fifty: 2500 messages; at most 100 are allowed"));
    assert_eq!(said("gus").0, "failed");
    assert!(said("gus").1.contains("panicked"), "{marks:?}");
    assert_eq!(said("word.txt").0, "unreadable");
    assert_eq!(result["passed"], 1);
    assert_eq!(result["marks"][0]["exercise"], "A vote");
    assert_eq!(result["marks"][0]["parts"][1]["why"], "100 messages");
    // Without an exercise a crate is nothing that can be judged.
    let handed_in = class.path().join("handed-in");
    let other = class.path().join("links.json");
    let ran = run(&["grade", handed_in.to_str().unwrap(), "-o", other.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("with `--exercise DIR` it is taken for a crate"), "{}", ran.out);
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let class = folder(&[]);
    write(class.path(), VOTE);
    let lib = "pub fn leaders(_: u64) -> u64 { 1 }\npub fn messages(_: u64) -> u64 { loop { std::hint::spin_loop() } }";
    write(&class.path().join("handed-in/eve"), &[("src/lib.rs", lib)]);
    let (code, marks, _) = graded(class.path(), &["--limit", "2"]);
    assert_eq!((code, marks[0].2.as_str()), (1, "three: it runs longer than 2 s"));
}

#[test]
fn tests_are_held_against_mistakes() {
    let class = folder(&[]);
    write(
        class.path(),
        &[
            (
                "exercise/Cargo.toml",
                "[package]\nname = \"largest\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
            (
                "exercise/exercise.toml",
                "title = \"Tests\"\ntakes = [\"tests\"]\nmistakes_in = \"src/lib.rs\"\n",
            ),
            (
                "exercise/src/lib.rs",
                "pub fn larger(a: u64, b: u64) -> u64 {\n    if a < b {\n        return b;\n    }\n    a\n}\n",
            ),
            (
                "exercise/mistakes.txt",
                "comparison: it is the smaller\n- if a < b {\n+ if a > b {\n\nconstant: one is lost\n- a\n+ a - 1\n",
            ),
        ],
    );
    let of = |what: &str| format!("#[test]\nfn mine() {{ {what} }}\n");
    let [ada, bob, cleo] = [
        "assert_eq!(largest::larger(2, 3), 3); assert_eq!(largest::larger(3, 2), 3);",
        "assert_eq!(largest::larger(2, 3), 3);",
        "assert_eq!(largest::larger(2, 3), 2);",
    ]
    .map(of);
    for (who, tests) in [("ada", ada), ("bob", bob), ("cleo", cleo)] {
        write(&class.path().join("handed-in").join(who), &[("tests/mine.rs", &tests)]);
    }
    let (code, marks, result) = graded(class.path(), &[]);
    assert_eq!(code, 1);
    assert_eq!(marks[0].1, "passed", "{result:#}");
    let missed = "the tests find a mistake: one is lost: all tests pass with the mistake in it";
    assert_eq!((marks[1].1.as_str(), marks[1].2.as_str()), ("failed", missed));
    let wrong = "the tests pass where nothing is wrong: test mine fails";
    assert_eq!((marks[2].1.as_str(), marks[2].2.as_str()), ("failed", wrong));
}

#[test]
fn an_exercise_that_makes_no_sense_is_said() {
    let class = folder(&[("ada.txt", "")]);
    for (text, mistakes, said) in [
        (None, None, "cannot read"),
        (Some("title = 1\n"), None, "exercise.toml, line 1, column 9"),
        (Some("title = \"t\"\ntakes = [\"tests\"]\nmistakes_in = \"lib.rs\"\n"), None, "mistakes.txt"),
        (
            Some("title = \"t\"\ntakes = [\"tests\"]\nmistakes_in = \"lib.rs\"\n"),
            Some("role: it is gone\n- fn gone() {}\n"),
            "mistakes.txt: ",
        ),
    ] {
        let exercise = folder(&[("lib.rs", "fn here() {}\n")]);
        for (name, text) in [("exercise.toml", text), ("mistakes.txt", mistakes)] {
            if let Some(text) = text {
                fs::write(exercise.path().join(name), text).expect("there is room");
            }
        }
        let at = |folder: &tempfile::TempDir| folder.path().to_str().expect("UTF-8").to_owned();
        let refused = run(&["grade", &at(&class), "--exercise", &at(&exercise)]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(super::unfolded(&refused.err).contains(said), "{said}: {}", refused.err);
    }
}
