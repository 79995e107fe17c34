//! How goals are read and runs are judged; and that a link cannot say what is not so.

use super::*;
use crate::Program;
use ringleader_lab::App;

fn stage() -> Stage {
    let app = App { program: "ringleader".into(), registry: ringleader_errata::all(), usual: Vec::new() };
    Stage::new(Box::new(Program::new(&app)))
}

/// What solves the goals of the program.
const SOLUTIONS: &[(&str, &[&str])] = &[
    (
        "two-leaders",
        &[
            "4.deliver.4",
            "5.deliver.5",
            "6.deliver.6",
            "7.deliver.7",
            "8.deliver.8",
            "9.deliver.3",
            "10.deliver.10",
            "11.deliver.11",
            "12.deliver.9",
            "13.deliver.13",
        ],
    ),
    ("one-lost-message", &["5.drop.0"]),
    ("two-inside", &["11.duplicate.8"]),
];

fn link(stage: &Stage, goal: &str, edits: &[&str], who: &str) -> Link {
    let edits: Vec<String> = edits.iter().map(|edit| (*edit).to_owned()).collect();
    let verdict =
        judge(stage, goal, &edits, who, &|| true).unwrap_or_else(|why| panic!("{goal}: {}", why.message));
    Link { goal: goal.into(), edits, who: who.into(), seal: verdict.seal }
}

#[test]
fn every_goal_of_the_program_can_be_reached_and_is_not_reached_yet() {
    let stage = stage();
    assert_eq!(stage.goals.all().len(), BUILT_IN.len());
    assert_eq!(
        SOLUTIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    for (name, edits) in SOLUTIONS {
        let nothing = stage.judge(&link(&stage, name, &[], "Ada")).expect("it is a run");
        assert!(!nothing.reached, "{name} is reached by doing nothing");
        assert!(nothing.why.starts_with("not reached: "), "{name}: {}", nothing.why);
        let verdict = stage.judge(&link(&stage, name, edits, "Ada")).expect("it is a run");
        assert!(verdict.reached, "{name}: {verdict:?}");
    }
}

#[test]
fn tampered_link_does_not_pass() {
    let stage = stage();
    let (name, edits) = SOLUTIONS[1];
    let honest = link(&stage, name, edits, "Ada");
    assert!(stage.judge(&honest).expect("it is as it was made").reached);
    let nothing = link(&stage, name, &[], "Ada");
    let table = [
        ("another name", Link { who: "Eve".into(), ..honest.clone() }),
        ("the edits taken out", Link { edits: Vec::new(), ..honest.clone() }),
        ("the edits of a link that fails", Link { edits: nothing.edits, ..honest.clone() }),
        ("the seal of another run", Link { seal: nothing.seal, ..honest.clone() }),
        ("another goal", Link { goal: "two-inside".into(), edits: Vec::new(), ..honest.clone() }),
        ("no seal to speak of", Link { seal: String::new(), ..honest.clone() }),
    ];
    for (what, link) in table {
        let refused = stage.judge(&link).expect_err(what);
        assert_eq!(refused.code, "tampered", "{what}: {}", refused.message);
    }
    // A goal that was set anew: what was made for the old one is no answer to it.
    let mut other = self::stage();
    let text = BUILT_IN[1].1.replace("edits_at_most = 1", "edits_at_most = 2");
    other.goals.add(name, &text).expect("it is right");
    assert_eq!(other.judge(&honest).expect_err("another goal").code, "tampered");
}

#[test]
fn what_a_goal_does_not_allow_is_refused() {
    let stage = stage();
    let judged = |edits: &[&str]| {
        let edits: Vec<String> = edits.iter().map(|edit| (*edit).to_owned()).collect();
        judge(&stage, "one-lost-message", &edits, "", &|| true).expect_err("it is not allowed")
    };
    assert_eq!(judged(&["1.crash.0"]).message, "`1.crash.0`: this goal does not allow `crash`");
    assert_eq!(judged(&["1.drop.0", "2.drop.1"]).message, "2 edits: this goal allows 1");
    assert_eq!(judged(&["one.drop.0"]).code, "bad_edit");
    assert_eq!(judge(&stage, "moon", &[], "", &|| true).expect_err("there is none").code, "no_such_goal");
}

#[test]
fn a_link_is_found_in_a_text_and_read() {
    let text = "Ada's answer: <http://127.0.0.1:7420/?token=x#/goal?name=two-leaders&e=4.overtake.4;5.deliver.6&at=3\
                &who=Ada%20L%C3%B6we+1&seal=00ff>\nthanks";
    let link = Link::find(text).expect("it is there");
    let expected = ["4.overtake.4", "5.deliver.6"].map(str::to_owned).to_vec();
    assert_eq!(
        link,
        Link { goal: "two-leaders".into(), edits: expected, who: "Ada Löwe 1".into(), seal: "00ff".into() }
    );
    for (text, said) in [
        ("", "there is no link to a goal in it"),
        ("http://x/#/lab?a=peterson", "there is no link to a goal in it"),
        ("http://x/#/goal?e=1.drop.0&seal=1", "it names no goal"),
        ("http://x/#/goal?name=a", "it has no seal"),
        ("http://x/#/goal?name=%ff&seal=1", "`name` is not written as addresses are"),
        ("http://x/#/goal?name=%4&seal=1", "`name` is not written as addresses are"),
    ] {
        let refused = Link::find(text).expect_err(text);
        assert!(refused.message.starts_with(said), "{text}: {}", refused.message);
    }
}

#[test]
fn a_mistake_in_a_goal_has_a_place() {
    let head = "title = 'T'\ntext = 'X'\nalgorithm = 'lcr'\n";
    for (rest, said) in [
        ("", "missing field `reach`"),
        ("[reach]\n", "line 4, column 1: nothing is to be reached"),
        ("[reach]\nwithin = 3\n", "nothing is to be reached"),
        ("[reach]\nleader = 2\n", "line 5, column 1: unknown field `leader`"),
        (
            "actions = ['steal']\n[reach]\nleaders = 2\n",
            "line 4, column 12: `steal` is no action; there are deliver",
        ),
        ("hint = ' '\n[reach]\nleaders = 2\n", "line 4, column 8: the hint is empty"),
    ] {
        let wrong = parse("mine", &format!("{head}{rest}")).expect_err(rest);
        assert!(wrong.message.contains(said), "{rest}: {}", wrong.message);
    }
    let missing = parse("mine", &format!("{head}[reach]\nviolated = ['moon']\n")).expect("it can be read");
    let mut stage = stage();
    stage.goals.0.push(missing);
    let refused = judge(&stage, "mine", &[], "", &|| true).expect_err("there is no such property");
    assert!(refused.message.contains("a property `moon`, which this run has not"), "{}", refused.message);
}
