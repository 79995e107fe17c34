//! How a story is read, and that those of the program can be.

use super::*;
use crate::{OptionValue, Options};

const HEAD: &str = "title = \"T\"\nminutes = 3\nsummary = \"S\"\n";

fn read(steps: &str) -> Result<Story, Diagnostic> {
    parse("mine", &format!("{HEAD}{steps}"))
}

fn options(pairs: &[(&str, &str)]) -> Options {
    pairs.iter().map(|(name, word)| ((*name).to_owned(), OptionValue::One((*word).to_owned()))).collect()
}

/// The complaint about a file with these steps, which begin in line 4.
fn wrong(steps: &str) -> String {
    read(steps).expect_err("it is wrong").message
}

#[test]
fn every_story_of_the_program_can_be_read() {
    for (name, text) in BUILT_IN {
        let story = parse(name, text).unwrap_or_else(|complaint| panic!("{}", complaint.message));
        assert!(story.steps.len() >= 4, "{name} is no story");
        for step in &story.steps {
            assert!(
                step.facts.is_some() || step.at == Some(0),
                "{name}: nothing is checked at {:?}",
                step.caption
            );
        }
    }
    assert_eq!(Shelf::built_in().titles().len(), BUILT_IN.len());
}

#[test]
fn every_file_of_the_folder_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("there is a folder of stories")
        .filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".story.toml").map(str::to_owned))
        .collect();
    names.sort();
    let mut known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn step_keeps_what_it_does_not_change() {
    let story = read(
        "[[step]]\ncaption = '''\n one\n two '''\nalgorithm = 'a'\n\
         options = { nodes = 8, unsound = true, denied = false }\n\
         edits = ['3.drop.1']\nat = 4\n\
         [[step]]\ncaption = 'same run'\nfrom = 4\nat = 9\nselect = 2\nquestion = 'Q?'\nanswer = 'A.'\n\
         [[step]]\ncaption = 'new options'\noptions = { lose = ['x@1', 'y@2'], seed = 7 }\n\
         [[step]]\ncaption = 'checked'\nalgorithm = 'b'\noptions = { nodes = 3 }\ncounterexample = true\n\
         [[step]]\ncaption = 'still'\nat = 1\n",
    )
    .expect("it is right");
    let mut first = options(&[("nodes", "8"), ("seed", "1")]);
    first.insert("unsound".into(), OptionValue::Flag(true));
    let run = |algorithm: &str, options: &Options| Source::Run {
        algorithm: algorithm.into(),
        options: options.clone(),
    };
    assert_eq!(story.steps[0].caption, "one two");
    assert_eq!((&story.steps[0].source, story.steps[0].at), (&run("a", &first), Some(4)));
    assert_eq!(story.steps[0].edits, ["3.drop.1"]);
    assert_eq!(
        (&story.steps[1].source, &story.steps[1].edits),
        (&run("a", &first), &vec!["3.drop.1".to_owned()])
    );
    assert_eq!((story.steps[1].from, story.steps[1].at, story.steps[1].select), (Some(4), Some(9), Some(2)));
    assert_eq!(
        (story.steps[1].question.as_deref(), story.steps[1].answer.as_deref()),
        (Some("Q?"), Some("A."))
    );
    let mut third = options(&[("seed", "7")]);
    third.insert("lose".into(), OptionValue::Several(vec!["x@1".into(), "y@2".into()]));
    assert_eq!((&story.steps[2].source, story.steps[2].edits.len()), (&run("a", &third), 0));
    let checked = Source::Counterexample { algorithm: "b".into(), options: options(&[("nodes", "3")]) };
    assert_eq!((&story.steps[3].source, &story.steps[4].source), (&checked, &checked));
}

#[test]
fn second_run_has_the_same_options_by_default() {
    let story = read(
        "[[step]]\ncaption = 'c'\nalgorithm = 'a'\noptions = { nodes = 8, seed = 5 }\nedits = ['1.crash.0']\n\
         beside = { algorithm = 'b' }\n\
         [[step]]\ncaption = 'd'\nbeside = { options = { nodes = 9 }, edits = ['2.drop.0'] }\n\
         [[step]]\ncaption = 'e'\n",
    )
    .expect("it is right");
    let beside = story.steps[0].beside.as_ref().expect("there is one");
    let same = Source::Run { algorithm: "b".into(), options: options(&[("nodes", "8"), ("seed", "5")]) };
    assert_eq!((&beside.source, beside.edits.len()), (&same, 0));
    let beside = story.steps[1].beside.as_ref().expect("there is one");
    let other = Source::Run { algorithm: "a".into(), options: options(&[("nodes", "9"), ("seed", "1")]) };
    assert_eq!((&beside.source, beside.edits.as_slice()), (&other, &["2.drop.0".to_owned()][..]));
    assert_eq!(story.steps[2].beside, None);
}

#[test]
fn a_mistake_has_a_place_and_says_what_is_needed() {
    let step = "[[step]]\ncaption = 'c'\nalgorithm = 'a'\n";
    let table = [
        (format!("{step}att = 3\n"), "story `mine`, line 7, column 1: unknown field `att`, expected one of"),
        (format!("{step}at = -3\n"), "line 7, column 6: "),
        (format!("{step}at = 'é' 3\n"), "line 7, column 10: "),
        ("[[step]]\ncaption = 'c'\n".to_owned(), "line 4, column 1: the first step names no algorithm"),
        ("[[step]]\nalgorithm = 'a'\n".to_owned(), "line 4, column 1: missing field `caption`"),
        ("[[step]]\ncaption = ' '\nalgorithm = 'a'\n".to_owned(), "line 5, column 11: the caption is empty"),
        (format!("{step}edits = ['1.drop.2', '3.steal.1']\n"), "line 7, column 22: `3.steal.1` is no edit"),
        (format!("{step}from = 5\nat = 4\n"), "line 7, column 8: it plays from 5 to 4: backwards"),
        (format!("{step}question = 'Q?'\n"), "line 7, column 12: a `question` comes with an `answer`"),
        (format!("{step}answer = 'A.'\n"), "line 7, column 10: a `question` comes with an `answer`"),
        (format!("{step}click = 2\n"), "line 7, column 9: `click` and `rule` answer a `question`"),
        (format!("{step}rule = 'swallow'\n"), "line 7, column 8: `click` and `rule` answer a `question`"),
        (format!("{step}question = 'Q?'\nanswer = 'A.'\nrule = ''\n"), "line 9, column 8: the rule is empty"),
        (String::new(), "story `mine`: it has no [[step]]"),
        (step.repeat(STEPS_MAX + 1), "it has 201 steps; a story has at most 200"),
        (format!("{step}# {}", "x".repeat(BYTES_MAX)), "bytes; a story has at most"),
    ];
    for (steps, expected) in table {
        let said = wrong(&steps);
        assert!(said.contains(expected), "{said}\n  instead of\n{expected}");
    }
    let said = parse("mine", "title = 'T'\nminutes = 0\nsummary = 'S'\n").expect_err("it is wrong").message;
    assert_eq!(said, "story `mine`, line 2, column 11: `minutes` is a number from 1 to 600");
}

#[test]
fn a_story_is_the_json_of_the_contract() {
    let story = read(
        "[[step]]\ncaption = 'c'\nalgorithm = 'a'\noptions = { unsound = true }\nfacts = { sent = 3 }\n",
    );
    let json = serde_json::to_string(&story.expect("it is right")).expect("plain data has a JSON form");
    assert_eq!(
        json,
        concat!(
            r#"{"name":"mine","title":"T","minutes":3,"summary":"S","steps":[{"caption":"c","source":{"kind":"run","#,
            r#""algorithm":"a","options":{"seed":"1","unsound":true}},"edits":[],"at":null,"from":null,"select":null,"#,
            r#""question":null,"answer":null,"beside":null,"click":null,"rule":null}]}"#,
        )
    );
}

#[test]
fn a_shelf_takes_more_and_says_what_it_has() {
    let mut shelf = Shelf::built_in();
    let text = format!("{HEAD}[[step]]\ncaption = 'c'\nalgorithm = 'a'\n");
    shelf.add("mine", &text).expect("it is right");
    shelf.add("mine", &text.replace("\"T\"", "\"better\"")).expect("it is right");
    shelf.add("broken", "title =").expect_err("it is no TOML");
    assert_eq!(shelf.titles().len(), BUILT_IN.len() + 1);
    assert_eq!(shelf.find("mine").expect("it is there").title, "better");
    let none = shelf.find("yours").expect_err("nobody wrote it");
    assert_eq!(none.message, "there is no story `yours`");
    let help: Vec<&str> = none.help_lines().collect();
    assert!(help[0].contains("eight-steps, two-leaders"), "{}", help[0]);
}
