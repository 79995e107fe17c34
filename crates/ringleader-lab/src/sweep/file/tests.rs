//! What a sweep file may say, and where it is wrong.

use super::*;

fn words(axis: &Axis) -> String {
    axis.values.iter().map(|value| value.words.text()).collect::<Vec<_>>().join(" | ")
}

#[test]
fn every_form_of_a_value() {
    let file = SweepFile::parse(
        r#"
schema = "ringleader.sweep/1"
impossible = "skip"
[grid]
algorithm = ["lcr", "hs"]
n = { pow2 = [3, 6] }
seed = { range = [0, 10, 4] }
ids = "worst"
crash = [[], ["0@5"], ["0@5", "1@7"]]
loss = [0, 0.01]
set = { tokens = [2, 3] }
[fixed]
unsound = true
lose = ["tid@1", "tid@2"]
[output]
file = "a.csv"
timing = true
trace = "on-violation"
"#,
    )
    .unwrap();
    let said: Vec<String> = file.axes.iter().map(|axis| format!("{}: {}", axis.key, words(axis))).collect();
    assert_eq!(
        said,
        [
            "algorithm: lcr | hs",
            "nodes: 8 | 16 | 32 | 64",
            "seed: 0 | 4 | 8",
            "ids: worst",
            "crash:  | 0@5 | 0@5 1@7",
            "loss: 0 | 0.01",
            "set.tokens: 2 | 3",
            "unsound: true",
            "lose: tid@1 tid@2",
        ]
    );
    assert_eq!(file.output.as_deref(), Some("a.csv"));
    assert!(file.timing && file.traces && file.skip_impossible);
}

#[test]
fn ranges_in_words_include_their_ends() {
    let mut file = SweepFile::parse("[grid]\nn = \"10..1000\"\nseed = \"3..5\"").unwrap();
    assert_eq!([words(&file.axes[0]), words(&file.axes[1])], ["10 | 100 | 1000", "3 | 4 | 5"]);
    file.replace("n=8,16").unwrap();
    file.replace("seed=0..1").unwrap();
    file.replace("ids=worst").unwrap();
    assert_eq!(file.axes.iter().map(words).collect::<Vec<_>>(), ["8 | 16", "0 | 1", "worst"]);
    for bad in ["n", "=3", "n=", "seed=5..3", "seed=a..b"] {
        assert!(file.replace(bad).is_err(), "{bad}");
    }
}

#[test]
fn each_mistake_has_its_place() {
    let cases = [
        ("[grid\n", "unclosed", 5),
        ("[grid]\nn = [8, 9", "unclosed", 16),
        ("[gird]\nn = 8", "`gird`", 1),
        ("[grid]\nn = []", "no values", 11),
        ("[grid]\nn = { pow3 = [1, 2] }", "`pow3`", 13),
        ("[grid]\nn = { pow2 = [9, 2] }", "exponents", 20),
        ("[grid]\nn = { range = 3 }", "list", 21),
        ("[grid]\nn = { range = [0, -1] }", "negative", 25),
        ("[grid]\nn = { range = [0, 1], pow2 = [1, 2] }", "one of", 11),
        ("[grid]\nn = 1979-05-27", "number or a string", 11),
        ("[grid]\nn = 8\n[fixed]\nn = 9", "twice", 21),
        ("[grid]\nn = 8\n[output]\nfiles = 'a'", "`files`", 22),
        ("[grid]\nn = 8\n[output]\ntiming = 'a'", "true or false", 31),
        ("impossible = 'never'\n[grid]\nn = 8", "\"skip\"", 13),
        ("schema = 'x'\n[grid]\nn = 8", "ringleader.sweep/1", 9),
        ("grid = 3", "table", 7),
        ("[grid]\nseed = '9..a'", "range of seeds", 14),
    ];
    for (text, said, place) in cases {
        let mistake = SweepFile::parse(text).unwrap_err();
        assert!(mistake.message.contains(said), "{text:?} gives {mistake:?}");
        assert!(
            mistake.place.clone().is_some_and(|span| span.start.abs_diff(place) <= 3),
            "{text:?} gives {mistake:?}"
        );
    }
    assert!(SweepFile::parse("").unwrap_err().help.is_some());
}
