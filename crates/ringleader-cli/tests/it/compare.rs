use crate::{Ran, json, path, ringleader, run, unfolded};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

/// A path at which there is no file.
fn fresh(name: &str) -> String {
    let path = path(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn done(args: &[&str]) -> Ran {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

fn refused(args: &[&str], parts: &[&str]) {
    let ran = run(args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {}", ran.err);
    for part in parts {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "{args:?}: no `{part}` in\n{}", ran.err);
    }
}

#[test]
fn the_report_says_it_all() {
    let ran = done(&["compare", "lcr", "dkr", "le-lann", "-n", "16,64,256", "--seed", "7"]);
    for part in [
        "election messages · the same arrangements and seeds for all",
        "random identities · rounds · 10 runs each (seeds 7 to 16)",
        "n(n+1)/2 = 2,080",
        "n·H(n) = 303.61",
        "1·n² (exact; free exponent n^2.00)",
        "0.663·n·log2 n + 0.78·n (factor ± 0.0653, off by 1.5 %; free exponent n^1.20)",
        "again:  ringleader compare chang-roberts dolev-klawe-rodeh le-lann -n 16,64,256 --seed 7",
    ] {
        assert!(unfolded(&ran.out).contains(&unfolded(part)), "no `{part}` in\n{}", ran.out);
    }
    assert_eq!(ran.err, "note: random identities are kind to `chang-roberts`; its bad case: --ids worst\n");
    let quiet = done(&["compare", "lcr", "dkr", "le-lann", "-n", "16,64,256", "--seed", "7", "-q"]);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let ran = done(&["compare", "lcr", "-n", "64", "--range", "3"]);
    assert!(ran.err.contains("--range has no effect"), "{}", ran.err);
}

#[test]
fn compare_json_agrees_with_single_runs() {
    let object = json(&["compare", "lcr", "franklin", "-n", "8..64", "--runs", "3", "--seed", "5", "--json"]);
    assert_eq!(object.as_object().unwrap().keys().next().unwrap(), "schema");
    assert_eq!(object["schema"], "ringleader.compare/1");
    assert_eq!(object["nodes"], serde_json::json!([8, 16, 32, 64]));
    assert_eq!((&object["runs"], &object["seed"]), (&3.into(), &5.into()));
    let cells = object["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 8);
    let cell = &cells[2];
    assert_eq!((&cell["algorithm"], &cell["nodes"]), (&"chang-roberts".into(), &32.into()));
    let messages: Vec<f64> = ["5", "6", "7"]
        .iter()
        .map(|seed| {
            json(&["run", "lcr", "-n", "32", "--seed", seed, "--json"])["election_messages"].as_f64().unwrap()
        })
        .collect();
    let mean = messages.iter().sum::<f64>() / 3.0;
    assert!((cell["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{cell} {messages:?}");
    assert_eq!(cell["min"].as_f64().unwrap(), messages.iter().copied().fold(f64::INFINITY, f64::min));
    let (low, high) = (cell["ci95"][0].as_f64().unwrap(), cell["ci95"][1].as_f64().unwrap());
    assert!(low < mean && mean < high && cell["stddev"].as_f64().unwrap() > 0.0);
    assert_eq!((&cell["bound"]["value"], &cell["average"]["formula"]), (&528.0.into(), &"n·H(n)".into()));
    let growth = object["growth"].as_array().unwrap();
    assert_eq!(growth[1]["algorithm"], "franklin");
    for field in ["model", "a", "a_error", "error_pct", "exponent"] {
        assert!(!growth[0][field].is_null(), "{field}");
    }
    let fields: Vec<&str> = growth[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        ["algorithm", "model", "a", "a_error", "error_pct", "exponent", "fits", "lower"],
        "new fields come last"
    );
    assert_eq!(object["violated"], Value::Null);
}

/// 2(n-1) was `1.7·n, off by 9.2 %`.
#[test]
fn lower_terms_are_fitted() {
    let args = ["compare", "ra", "-n", "4,8,16,32", "--load", "light", "--total", "20", "--seed", "1"];
    let ran = done(&args);
    assert!(ran.out.contains("2·n − 2 (exact; free exponent n^"), "{}", ran.out);
    let growth = &json(&[&args[..], &["--json"]].concat())["growth"][0];
    assert_eq!(growth["model"], "n");
    assert!((growth["a"].as_f64().unwrap() - 2.0).abs() < 1e-9, "{growth}");
    let lower = &growth["lower"];
    assert_eq!(lower["model"], "1");
    assert!((lower["b"].as_f64().unwrap() + 2.0).abs() < 1e-9, "{growth}");
    assert_eq!(growth["fits"][0]["lower"], *lower);
    let descending = json(&["compare", "lcr", "-n", "8..64", "--ids", "descending", "--json"]);
    let growth = &descending["growth"][0];
    assert_eq!((&growth["model"], &growth["lower"]["model"]), (&"n²".into(), &"n".into()));
    assert!((growth["lower"]["b"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{growth}");
}

#[test]
fn compare_arrangements_do_not_depend_on_threads() {
    let table = |threads: &str| {
        let file = fresh(&format!("threads-{threads}.csv"));
        let args = ["compare", "lcr", "franklin", "dkr", "-n", "8,50", "--runs", "4", "--seed", "3"];
        done(&[&args[..], &["--threads", threads, "-o", &file]].concat());
        std::fs::read_to_string(file).unwrap()
    };
    let (one, two) = (table("1"), table("2"));
    assert_eq!(one, two);
    let mut reader = csv::Reader::from_reader(one.as_bytes());
    let at = |name: &str| {
        let mut reader = csv::Reader::from_reader(one.as_bytes());
        reader.headers().unwrap().iter().position(|header| header == name).unwrap()
    };
    let (leader, nodes, seed) = (at("leader_index"), at("nodes"), at("seed"));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 24);
    let leaders: Vec<(&str, &str, &str)> =
        rows.iter().map(|row| (&row[nodes], &row[seed], &row[leader])).collect();
    assert_eq!(leaders[..8], leaders[8..16]);
    assert_eq!(leaders[..8], leaders[16..]);
    let again: Vec<&str> = rows.iter().map(|row| &row[at("again")]).collect();
    assert_eq!(again[7], "ringleader run chang-roberts -n 50 --seed 6");
}

#[test]
fn each_format_comes_back() {
    let args = ["compare", "lcr", "dkr", "-n", "8,16", "--runs", "2", "--seed", "9223372036854775806"];
    let write = |name: &str| {
        let file = fresh(name);
        done(&[&args[..], &["-o", &file]].concat());
        file
    };
    let reader = SerializedFileReader::new(std::fs::File::open(write("a.parquet")).unwrap()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(
        (rows.len(), rows[0].get_long(3).unwrap(), rows[1].get_long(3).unwrap()),
        (8, i64::MAX - 1, i64::MAX)
    );
    let lines = std::fs::read_to_string(write("a.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(write("a.json")).unwrap()).unwrap();
    assert_eq!(whole["schema"], "ringleader.compare/1");
    assert_eq!(whole["rows"].as_array().unwrap(), &lines);
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(Value::from(row.get_long(9).unwrap()), line["messages"]);
        assert_eq!(Value::from(row.get_bool(8).unwrap()), line["holds"]);
    }
    let summary = std::fs::read_to_string(write("a.md")).unwrap();
    assert_eq!(summary.lines().count(), 6, "{summary}");
    assert!(summary.starts_with("| algorithm "), "{summary}");
}

#[test]
fn parquet_refuses_numbers_beyond_i64() {
    let file = fresh("large.parquet");
    let large = ["compare", "lcr", "-n", "8", "--runs", "2", "-o", &file, "--seed"];
    refused(
        &[&large[..], &["9223372036854775807"]].concat(),
        &["seed 9223372036854775808 does not fit into a Parquet column", ".csv or .jsonl"],
    );
    refused(
        &["compare", "lcr", "--ids", "3,18446744073709551615", "-o", &file],
        &["identity 18446744073709551615 does not fit"],
    );
    let csv = fresh("large.csv");
    done(&["compare", "lcr", "-n", "8", "--runs", "2", "-o", &csv, "--seed", "18446744073709551615"]);
    assert!(std::fs::read_to_string(csv).unwrap().contains(",18446744073709551615,"));
}

#[test]
fn plots_are_pictures() {
    let args = ["compare", "lcr", "hs", "-n", "8..64", "--seed", "1"];
    let svg = fresh("plot.svg");
    done(&[&args[..], &["--plot", &svg]].concat());
    let text = std::fs::read_to_string(&svg).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let words: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|n| n.text()).collect();
    for word in [
        "chang-roberts",
        "hirschberg-sinclair",
        "at most n(n+1)/2",
        "on average n·H(n)",
        "number of processes n",
    ] {
        assert!(words.contains(&word), "{words:?}");
    }
    assert!(text.contains("bands are the 95 % confidence intervals of the means"));
    let png = fresh("plot.png");
    done(&[&args[..], &["--plot", &png]].concat());
    let bytes = std::fs::read(&png).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 10_000);
    let html = fresh("plot.html");
    done(&[&args[..], &["--plot", &html, "--per", "n"]].concat());
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("election messages / n") && page.contains("<td>chang-roberts</td>"));
    assert!(page.contains("compare chang-roberts hirschberg-sinclair -n 8..64 --seed 1"));
}

#[test]
fn mutual_exclusion_against_the_load() {
    let args = ["compare", "ra", "central", "-n", "8", "--load", "light,saturated,open:0.2", "--total", "60"];
    let object = json(&[&args[..], &["--seed", "2", "--json"]].concat());
    let cells = object["cells"].as_array().unwrap();
    let loads: Vec<&Value> = cells.iter().map(|cell| &cell["load"]).collect();
    assert_eq!(loads[..3], ["light", "saturated", "open:0.2"]);
    assert_eq!(cells[0]["mean"], 14.0);
    assert_eq!(
        (&cells[1]["runs"], &cells[0]["runs"]),
        (&1.into(), &10.into()),
        "saturated is not left to chance"
    );
    for field in ["waiting", "fairness", "bypass_max"] {
        assert!(!cells[4][field].is_null(), "{field}: {}", cells[4]);
    }
    assert_eq!(object["growth"][0]["model"], Value::Null);
    let svg = fresh("load.svg");
    done(&[&args[..], &["--plot", &svg]].concat());
    assert!(std::fs::read_to_string(svg).unwrap().contains(">open:0.2</text>"));
    // Without a load there are the two usual ones.
    let ran = done(&["compare", "ra", "-n", "4,8", "--seed", "1"]);
    assert!(ran.out.contains("light") && ran.out.contains("saturated"), "{}", ran.out);
    let ran = done(&["compare", "ra", "central", "-n", "4", "--entries", "2"]);
    assert!(unfolded(&ran.out).contains("1 run each: nothing is left to chance"), "{}", ran.out);
}

#[test]
fn a_fixed_arrangement_is_run_once() {
    let object = json(&["compare", "lcr", "-n", "8,16,32", "--ids", "descending", "--json"]);
    assert!(
        object["cells"].as_array().unwrap().iter().all(|cell| cell["runs"] == 1 && cell["ci95"].is_null())
    );
    assert_eq!(
        object["cells"][1]["average"],
        Value::Null,
        "the mean over random arrangements says nothing here"
    );
    assert_eq!(object["cells"][1]["ratio"], 1.0);
    let ran = done(&["compare", "lcr", "dkr", "-n", "8", "--ids", "worst"]);
    assert!(
        ran.out.contains("its worst arrangement for each") && !ran.out.contains("same arrangements"),
        "{}",
        ran.out
    );
}

#[test]
fn what_would_take_too_long_is_left_out_and_said() {
    let args =
        ["compare", "le-lann", "dkr", "-n", "10..1e4", "--runs", "2", "--max-messages", "1e6", "--seed", "1"];
    let ran = done(&args);
    assert!(
        ran.err.contains("`le-lann` at n = 10,000 is left out: a run would send about 1e8 messages"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("`--max-messages 1e9` insists"), "{}", ran.err);
    assert!(ran.out.lines().any(|line| line.contains("le-lann") && line.contains('–')), "{}", ran.out);
    let object = json(&[&args[..], &["--json"]].concat());
    assert_eq!(object["cells"][3]["skipped"]["reason"], "messages");
    let estimate = object["cells"][3]["skipped"]["estimate"].as_f64().unwrap();
    assert!((estimate / 1e8 - 1.0).abs() < 0.1, "{estimate}");
    assert!(object["cells"][7]["skipped"].is_null());
}

#[test]
fn compare_violation_names_its_run() {
    let ran = run(&["compare", "chang-roberts@as-printed", "-n", "5", "--initiators", "one", "--seed", "1"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let again = ran.out.lines().find_map(|line| line.trim().strip_prefix("see it:")).expect("a command");
    let words: Vec<&str> = again.split_whitespace().skip(1).collect();
    assert_eq!(run(&words).code, 1, "{again}");
}

#[test]
fn each_takes_the_settings_that_it_has() {
    let args = [
        "compare",
        "misra-k",
        "token-ring",
        "-n",
        "4",
        "--tokens",
        "2",
        "--entries",
        "2",
        "--json",
        "--seed",
        "1",
    ];
    let object = json(&args);
    assert_eq!(object["schema"], "ringleader.compare/1", "{object}");
    assert!(object["again"].as_str().unwrap().contains("--tokens 2"));
}

#[test]
fn the_printed_command_repeats_the_comparison() {
    for args in [
        &["compare", "lcr", "dkr", "-n", "8..32", "--schedule", "random", "--initiators", "50%"][..],
        &["compare", "ra", "-n", "4", "--load", "light,open:0.5", "--total", "20", "--hold", "2"],
        &[
            "compare",
            "peterson",
            "-n",
            "5,6",
            "--runs",
            "2",
            "--links",
            "bag",
            "--unsound",
            "--max-steps",
            "1000",
        ],
    ] {
        let first = json(&[args, &["--json"]].concat());
        let again = first["again"].as_str().unwrap_or_else(|| panic!("{first}"));
        let words: Vec<&str> = again.split_whitespace().skip(1).chain(["--json"]).collect();
        assert_eq!(json(&words), first, "{again}");
    }
}

#[test]
fn impossible_comparison_is_refused_before_running() {
    refused(&["compare", "petersen", "lcr"], &["ringleader::unknown_algorithm", "did you mean `peterson`"]);
    refused(
        &["compare", "lcr", "ra"],
        &["ringleader::two_problems", "cannot be compared", "list --problem mutex"],
    );
    refused(&["compare", "lcr", "chang-roberts"], &["ringleader::named_twice"]);
    refused(
        &["compare", "lcr", "peterson", "-n", "8", "--links", "bag"],
        &["ringleader::needs_fifo", "`chang-roberts`", "leave out `--links bag`"],
    );
    refused(&["compare", "tree-quorum", "-n", "7,8"], &["ringleader::wrong_size"]);
    refused(&["compare", "lcr", "--load", "light"], &["ringleader::no_workload"]);
    refused(&["compare", "lcr", "-n", "0"], &["ringleader::n_too_small"]);
    refused(&["compare", "lcr", "-n", "10..2^40"], &["ringleader::too_large"]);
    refused(&["compare", "lcr", "-n", "100..10"], &["the smaller number comes first: 10..100"]);
    refused(&["compare", "lcr", "-n", "1..x"], &["a range (10..1e6)"]);
    refused(&["compare", "lcr", "--ids", "3,1,2", "-n", "4"], &["ringleader::wrong_length"]);
    refused(&["compare", "lcr", "--schedule", "replay:x.rlt"], &["ringleader::no_replay_here"]);
    refused(&["compare", "lcr", "--tokens", "2"], &["ringleader::bad_setting"]);
    refused(&["compare"], &["ALGORITHM"]);
}

#[test]
fn identities_from_a_file() {
    let ids = crate::file("compare.ids", "3\n9\n4\n");
    let of = format!("@{ids}");
    let object = json(&["compare", "lcr", "dkr", "--ids", &of, "--json"]);
    assert_eq!((&object["nodes"], &object["runs"]), (&serde_json::json!([3]), &1.into()));
    refused(
        &["compare", "lcr", "--ids", &of, "-n", "5"],
        &["compare.ids has 3 identities", "leave out `-n 5`"],
    );
    let twice = format!("@{}", crate::file("twice.ids", "3\n9\n3\n"));
    refused(
        &["compare", "lcr", "--ids", &twice],
        &["ringleader::duplicate_id", "twice.ids:1:1", "again here"],
    );
    refused(&["compare", "lcr", "--ids", "@/nowhere.ids"], &["/nowhere.ids"]);
}

#[test]
fn files_are_refused_before_anything_runs() {
    refused(
        &["compare", "lcr", "-o", "x.tsv"],
        &["ringleader::unknown_format", "csv, parquet, json, jsonl, md"],
    );
    refused(&["compare", "lcr", "--plot", "x.gif"], &["ringleader::unknown_format", "svg, png, html"]);
    let kept = crate::file("kept.csv", "precious");
    refused(&["compare", "lcr", "-n", "8", "-o", &kept], &["exists already", "--force"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "precious");
    done(&["compare", "lcr", "-n", "8", "-o", &kept, "--force"]);
    assert!(std::fs::read_to_string(&kept).unwrap().starts_with("algorithm,"));
    let nowhere = run(&["compare", "lcr", "-n", "8", "--plot", "/nowhere/x.svg"]);
    assert_eq!((nowhere.code, nowhere.out.as_str()), (4, ""), "{}", nowhere.err);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let folder = path("full");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("a folder");
    for (option, name) in
        [("-o", "a.csv"), ("-o", "a.parquet"), ("-o", "a.json"), ("-o", "a.md"), ("--plot", "a.svg")]
    {
        let file = format!("{folder}/{name}");
        std::os::unix::fs::symlink("/dev/full", &file).expect("a link");
        let ran = crate::ran(ringleader(&["compare", "lcr", "-n", "8,16", option, &file]).output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{name}: {}", ran.err);
        assert!(ran.err.contains("cannot write") && ran.err.contains("No space left"), "{}", ran.err);
    }
}
