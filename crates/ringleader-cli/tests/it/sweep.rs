//! Sweeps: every row can be repeated, a kill loses nothing, shards make the whole, mistakes have a place.

use super::{file, json, path, ran, ringleader, run, unfolded};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// A path for an output of this name, with nothing there yet.
fn fresh(name: &str) -> String {
    let path = path(name);
    for left in [path.clone(), format!("{path}.journal")] {
        let _ = fs::remove_file(left);
    }
    path
}

fn rows(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const MIXED: &str = r#"
[grid]
algorithm = ["chang-roberts", "franklin", "raymond", "itai-rodeh"]
n = [5, 8]
schedule = ["rounds", "random", "delay:uniform:1:3"]
seed = [3, 18446744073709551615]
"#;

#[test]
fn row_equals_run_and_its_command_repeats_it() {
    let file = file("mixed.toml", MIXED);
    let output = fresh("mixed.jsonl");
    let done = json(&["sweep", &file, "-o", &output, "--json"]);
    let rows = rows(&output);
    assert_eq!(done["runs"], rows.len());
    assert_eq!((rows.len(), done["skipped"].as_u64()), (48, Some(0)));
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row["run"], number);
        let again: Vec<&str> = row["again"].as_str().unwrap().split(' ').skip(1).collect();
        let mut alone = json(&[&again[..], &["--json"]].concat());
        for timed in ["elapsed_s", "messages_per_s", "peak_bytes"] {
            assert!(row[timed].is_null(), "equal sweeps have equal rows");
            alone[timed] = Value::Null;
        }
        for (field, value) in alone.as_object().unwrap() {
            assert_eq!(row.get(field), Some(value), "{field} of {again:?}");
        }
        assert_eq!(row["asked"]["algorithm"], row["algorithm"]);
    }
}

const PLAIN: &str = r#"
schema = "ringleader.sweep/1"
[grid]
algorithm = ["peterson", "chang-roberts"]
n = "8..64"
seed = { range = [0, 25] }
"#;

#[test]
fn threads_and_shards_change_nothing() {
    let file = file("plain.toml", PLAIN);
    for ending in ["csv", "parquet", "json", "jsonl"] {
        let whole = fresh(&format!("whole.{ending}"));
        assert_eq!(run(&["sweep", &file, "-o", &whole, "--threads", "1"]).code, 0);
        let two = fresh(&format!("two.{ending}"));
        assert_eq!(run(&["sweep", &file, "-o", &two, "--threads", "2"]).code, 0);
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&two).unwrap());
        // Counted from 0 and from 1.
        for first in [0, 1] {
            let mut words = vec!["sweep".to_owned(), "--merge".to_owned()];
            for shard in first..first + 3 {
                let part = fresh(&format!("part-{first}-{shard}.{ending}"));
                assert_eq!(run(&["sweep", &file, "-o", &part, "--shard", &format!("{shard}/3")]).code, 0);
                words.push(part);
            }
            let merged = fresh(&format!("merged-{first}.{ending}"));
            words.extend(["-o".to_owned(), merged.clone()]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(run(&words).code, 0);
            assert_eq!(fs::read(&whole).unwrap(), fs::read(&merged).unwrap(), "{ending}");
            let incomplete = run(&[&["sweep", "--merge"], &words[2..4], &["-o", &path("none.csv")]].concat());
            assert_eq!(incomplete.code, 2);
            assert!(incomplete.err.contains("runs are missing, run "), "{}", incomplete.err);
            assert!(!Path::new(&path("none.csv")).exists());
        }
    }
}

/// Killed ten times, each time when the journal has grown by some more rows, it ends with the same file.
#[test]
fn a_kill_loses_nothing_and_doubles_nothing() {
    let file = file("killed.toml", PLAIN.replace("[0, 25]", "[0, 250]"));
    let whole = fresh("undisturbed.csv");
    assert_eq!(run(&["sweep", &file, "-o", &whole]).code, 0);
    let killed = fresh("killed.csv");
    let journal = format!("{killed}.journal");
    let lines = || fs::read(&journal).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count());
    let mut seen = Vec::new();
    for kill in 0..10 {
        let mut child = ringleader(&["sweep", &file, "-o", &killed])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Whenever it comes, even after the end: the result is the same.
        while lines() <= 1 + kill * 190 && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if Path::new(&killed).exists() {
            break;
        }
        seen.push(lines());
    }
    assert!(seen.is_sorted(), "what was finished stays: {seen:?}");
    let end = run(&["sweep", &file, "-o", &killed, "--force"]);
    assert_eq!(end.code, 0);
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&killed).unwrap());
    assert!(!Path::new(&journal).exists());
}

#[test]
fn cut_journal_resumes_and_foreign_one_stops() {
    let file = file("cut.toml", PLAIN);
    let whole = fresh("cut-whole.csv");
    assert_eq!(run(&["sweep", &file, "-o", &whole]).code, 0);
    // A journal comes of a sweep that cannot write its rows.
    let output = fresh("cut.csv");
    let journal = format!("{output}.journal");
    fs::create_dir_all(&output).unwrap();
    assert_eq!(run(&["sweep", &file, "-o", &output]).code, 2, "a directory is there");
    fs::remove_dir(&output).unwrap();
    let limited = format!("trap '' XFSZ; ulimit -f 40; exec \"$0\" sweep {file} -o {output}");
    let full = ran(std::process::Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_ringleader")])
        .output()
        .unwrap());
    assert_eq!(full.code, 4, "{}", full.err);
    assert!(full.err.contains("cannot write the journal") && full.err.contains("resumes"), "{}", full.err);
    assert!(!Path::new(&output).exists(), "nothing that looks whole");
    let text = fs::read(&journal).unwrap();
    assert!(text.ends_with(b"\n"), "no half line");

    let other = run(&["sweep", &file, "-o", &output, "n=9"]);
    assert_eq!(other.code, 2);
    assert!(
        other.err.contains("journal of another sweep") && other.err.contains("--restart"),
        "{}",
        other.err
    );
    fs::write(&journal, [&text[..], b"{\"run\":0}\n{\"run\":0}\n"].concat()).unwrap();
    let broken = run(&["sweep", &file, "-o", &output]);
    assert_eq!(broken.code, 2);
    assert!(broken.err.contains(": line "), "{}", broken.err);

    fs::write(&journal, &text[..text.len() - 7]).unwrap();
    let end = run(&["sweep", &file, "-o", &output]);
    assert_eq!(end.code, 0);
    assert!(end.err.contains("going on: "), "{}", end.err);
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&output).unwrap());
}

/// A job that is started again after it was done does nothing, and succeeds.
#[test]
fn a_finished_sweep_or_shard_is_not_run_again() {
    let file = file("finished.toml", PLAIN);
    for ending in ["csv", "parquet", "json", "jsonl"] {
        for shard in [&[][..], &["--shard", "1/3"]] {
            let output = fresh(&format!("finished-{}.{ending}", shard.len()));
            let words = [&["sweep", file.as_str(), "-o", output.as_str()], shard].concat();
            let first = run(&words);
            assert_eq!(first.code, 0, "{}", first.err);
            let written = (fs::read(&output).unwrap(), fs::metadata(&output).unwrap().modified().unwrap());
            let again = run(&words);
            assert_eq!((again.code, &again.out), (0, &first.out), "{}", again.err);
            assert!(
                again.err.starts_with("nothing to do: ") && again.err.contains("--force"),
                "{}",
                again.err
            );
            let now = (fs::read(&output).unwrap(), fs::metadata(&output).unwrap().modified().unwrap());
            assert!(now == written && !Path::new(&format!("{output}.journal")).exists());
            let done = json(&[&words[..], &["--json"]].concat());
            assert_eq!((&done["before"], &done["hold"]), (&done["runs"], &done["runs"]));
            // Another sweep, or another part of it, is not done.
            for other in [&["n=8,16"][..], &["--shard", "2/3"]] {
                let other = run(&[&["sweep", file.as_str(), "-o", output.as_str()], other].concat());
                assert_eq!(other.code, 2);
                assert!(other.err.contains("exists already"), "{}", other.err);
            }
            assert!(!run(&[&words[..], &["--force"]].concat()).err.contains("nothing to do"));
        }
    }
    let violated = fresh("finished-violated.csv");
    let words = ["sweep", &file, "-o", &violated, "algorithm=chang-roberts@as-printed", "n=4", "seed=0..3"];
    assert_eq!((run(&words).code, run(&words).code), (1, 1), "the exit code is that of the sweep");
}

#[test]
fn a_dry_run_counts_what_is_done() {
    let file = file("half.toml", PLAIN);
    let output = fresh("half.csv");
    let dry = |more: &[&str]| {
        let words = [&["sweep", file.as_str(), "-o", output.as_str(), "--dry-run"], more].concat();
        let object = json(&[&words[..], &["--json"]].concat());
        let number = |name: &str| object[name].as_u64().unwrap();
        (run(&words).out, number("runs"), number("done"), number("remaining"))
    };
    let (out, runs, done, remaining) = dry(&[]);
    assert_eq!((runs, done, remaining), (200, 0, 200));
    assert!(!out.contains("done already"), "{out}");
    // A journal comes of a sweep that cannot write its rows.
    let limited = format!("trap '' XFSZ; ulimit -f 40; exec \"$0\" sweep {file} -o {output}");
    let full = std::process::Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_ringleader")])
        .output()
        .unwrap();
    assert_eq!(full.status.code(), Some(4));
    let journal = fs::read(format!("{output}.journal")).unwrap();
    let rows = journal.iter().filter(|&&byte| byte == b'\n').count() as u64 - 1;
    let (out, runs, done, remaining) = dry(&[]);
    assert!(rows > 0 && (runs, done, remaining) == (200, rows, 200 - rows), "{done} of {rows}");
    assert!(out.contains(&format!("  {rows} are done already, {} remain\n", 200 - rows)), "{out}");
    assert_eq!(fs::read(format!("{output}.journal")).unwrap(), journal, "it is only read");
    assert_eq!(dry(&["--restart"]).2, 0);
    assert_eq!(run(&["sweep", &file, "-o", &output]).code, 0);
    assert_eq!((dry(&[]).2, dry(&[]).3), (200, 0));
    assert_eq!(dry(&["--force"]).2, 0, "everything would be run again");
}

/// The names and types of the columns of a Parquet file.
fn schema(path: &str) -> Vec<(String, String)> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let kind = |column: &parquet::schema::types::ColumnDescPtr| {
        format!("{:?} {:?}", column.physical_type(), column.converted_type())
    };
    columns.iter().map(|column| (column.name().to_owned(), kind(column))).collect()
}

/// Which values happen to be there, and which runs happen to be in a shard, does not change the table.
#[test]
fn parquet_columns_have_the_types_of_their_fields() {
    let file = file("typed.toml", MIXED.replace("18446744073709551615", "9223372036854775807"));
    let whole = fresh("typed.parquet");
    assert_eq!(run(&["sweep", &file, "-o", &whole]).code, 0);
    let columns = schema(&whole);
    for shard in ["1/48", "20/48", "48/48"] {
        let part = fresh("typed-part.parquet");
        assert_eq!(run(&["sweep", &file, "-o", &part, "--shard", shard]).code, 0);
        assert_eq!(schema(&part), columns, "one run, and the columns of all");
    }
    let kind = |name: &str| columns.iter().find(|column| column.0 == name).map(|column| column.1.as_str());
    for name in ["bits", "depth", "elected_depth", "peak_bytes", "seed", "leader.id", "messages.total", "run"]
    {
        assert_eq!(kind(name), Some("INT64 NONE"), "{name}: signed, also where all are null");
    }
    for name in ["elapsed_s", "messages_per_s", "load.mean", "waiting.max", "time", "average.value"] {
        assert_eq!(kind(name), Some("DOUBLE NONE"), "{name}");
    }
    assert_eq!((kind("bound.holds"), kind("asked.n"), kind("load")), (Some("BOOLEAN NONE"), None, None));
    assert_eq!(kind("trace"), Some("BYTE_ARRAY UTF8"));
    let csv = fresh("typed.csv");
    assert_eq!(run(&["sweep", &file, "-o", &csv]).code, 0);
    let header = fs::read_to_string(&csv).unwrap();
    let names: Vec<&str> = columns.iter().map(|column| column.0.as_str()).collect();
    assert_eq!(header.lines().next().unwrap(), names.join(","));
    let large = run(&["sweep", &file, "-o", &fresh("large.parquet"), "seed=18446744073709551615"]);
    assert_eq!(large.code, 2);
    assert!(large.err.contains("does not fit into a Parquet column"), "{}", large.err);
}

/// 9 kB of memory a row would be 108 MB here.
#[test]
#[cfg(target_os = "linux")]
fn a_merge_needs_little_memory() {
    let row = |run: u32| {
        let fields: Vec<String> = (0..60).map(|field| format!("\"field_{field}\":{}", run + field)).collect();
        format!("{{\"run\":{run},\"of\":12000,\"sweep\":\"abc\",{}}}\n", fields.join(","))
    };
    let part = |rest: u32| {
        let rows: String = (0..12000).filter(|run| run % 2 == rest).map(row).collect();
        file(&format!("memory-{rest}.jsonl"), rows)
    };
    let (one, two, merged) = (part(0), part(1), fresh("memory.jsonl"));
    let limited = format!("ulimit -d 49152; exec \"$0\" sweep --threads 1 --merge {one} {two} -o {merged}");
    let ran = ran(std::process::Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_ringleader")])
        .output()
        .unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rows = rows(&merged);
    assert!(rows.len() == 12000 && rows.iter().enumerate().all(|(number, row)| row["run"] == number));
}

#[test]
fn sweep_mistakes_name_their_place() {
    let cases = [
        ("[grid", "2:6", "unclosed table"),
        (
            "[grid]\nalgorithm = ['peterson']\nseed = [1]\nshedule = 'rounds'",
            "5:1",
            "did you mean `schedule`?",
        ),
        ("[grid]\nalgorithm = ['petersson']\nseed = [1]", "3:14", "did you mean `peterson`?"),
        (
            "[grid]\nalgorithm = ['peterson']\nseed = [1]\nschedule = 'sideways'",
            "5:12",
            "of rounds, random, delay:const:1",
        ),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\nlinks = ['fifo', 'bag']", "3:14", "needs FIFO links"),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\nn = [0]", "3:14", "-n 0"),
        (
            "[grid]\nalgorithm = ['raymond']\nseed = [1]\nload = 'light'\nentries = 3",
            "3:14",
            "cannot be used with",
        ),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\nunsound = 3", "5:11", "takes true or false"),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\ntrace = 'x'", "5:1", "no option `trace`"),
        ("[grid]\nalgorithm = ['peterson']\nseed = [-1]", "4:9", "whole number"),
        ("[grid]\nalgorithm = ['peterson']", "", "needs seeds"),
        ("[grid]\nseed = [1]", "", "no algorithm is named"),
        ("", "", "nothing to run"),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\nids = '@none.ids'", "3:14", "none.ids"),
        ("[grid]\nalgorithm = ['peterson']\nseed = [1]\nn = 1e12", "3:14", "at most 2^31"),
    ];
    for (number, (text, place, said)) in cases.iter().enumerate() {
        let file = file(&format!("bad-{number}.toml"), format!("\n{text}"));
        let output = fresh(&format!("bad-{number}.csv"));
        let ran = run(&["sweep", &file, "-o", &output]);
        assert_eq!(ran.code, 2, "{text}: {}{}", ran.out, ran.err);
        assert!(unfolded(&ran.err).contains(said), "{text}: {}", ran.err);
        assert!(place.is_empty() || ran.err.contains(&format!("bad-{number}.toml:{place}]")), "{}", ran.err);
        assert!(ran.out.is_empty());
        assert!(!Path::new(&output).exists() && !Path::new(&format!("{output}.journal")).exists());
    }
    let file = file("good.toml", PLAIN);
    for (args, said) in [
        (vec!["sweep", &file], "no output file is named for the rows"),
        (vec!["sweep", &file, "-o", "a.md"], ".csv, .parquet"),
        (vec!["sweep", &file, "-o", "a.csv", "--shard", "5/4"], "1/4"),
        (vec!["sweep", &file, "-o", "a.csv", "seed"], "KEY=VALUES"),
        (vec!["sweep", "none.toml", "-o", "a.csv"], "cannot read none.toml"),
        (vec!["sweep"], "FILE.toml"),
        (vec!["sweep", "--merge", &file, "-o", "a.csv"], "no part of a sweep"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(unfolded(&ran.err).contains(said), "{args:?}: {}", ran.err);
    }
}

#[test]
fn existing_output_is_kept_and_full_disk_is_an_error() {
    let file = file("there.toml", PLAIN);
    let output = fresh("there.csv");
    fs::write(&output, "mine").unwrap();
    let ran = run(&["sweep", &file, "-o", &output]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("exists already") && ran.err.contains("--force"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&output).unwrap(), "mine");
    assert!(!Path::new(&format!("{output}.journal")).exists());
    assert_eq!(run(&["sweep", &file, "-o", &output, "--force"]).code, 0);
    assert!(fs::read_to_string(&output).unwrap().starts_with("run,schema,"));
    let full = run(&["sweep", &file, "-o", "/dev/full"]);
    assert_eq!(full.code, 4);
    assert!(full.err.contains("cannot write /dev/full"), "{}", full.err);
    let nowhere = run(&["sweep", &file, "-o", "/nowhere/a.csv"]);
    assert_eq!(nowhere.code, 4, "{}", nowhere.err);
}

#[test]
fn sweep_violations_decide_the_exit_code() {
    let text = "[grid]\nalgorithm = 'chang-roberts@as-printed'\nn = 4\nseed = '0..3'\n\
                [output]\ntrace = 'on-violation'";
    let file = file("violated.toml", text);
    let output = fresh("violated.jsonl");
    let ran = run(&["sweep", &file, "-o", &output]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("4 do not") && ran.out.contains("ringleader run chang-roberts@as-printed"),
        "{}",
        ran.out
    );
    for row in rows(&output) {
        let trace = path(row["trace"].as_str().unwrap());
        let replayed = json(&["replay", &trace, "--json"]);
        assert_eq!(replayed["outcome"], row["outcome"]);
    }
    let limited = fresh("limited.jsonl");
    assert_eq!(run(&["sweep", &file, "-o", &limited, "algorithm=peterson", "max-steps=3"]).code, 3);
}

#[test]
fn a_dry_run_runs_nothing_and_foretells() {
    let file = file("dry.toml", PLAIN);
    let output = fresh("dry.csv");
    let ran = run(&["sweep", &file, "-o", &output, "--dry-run", "seed=0..9"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("80 runs: 2 algorithms × 4 sizes × 10 seeds\n  about "), "{}", ran.out);
    let dry = json(&["sweep", &file, "-o", &output, "--dry-run", "--json", "--shard", "1/2"]);
    assert_eq!((&dry["runs"], &dry["dry_run"]), (&100.into(), &true.into()));
    assert!(dry["estimate_s"].as_f64().unwrap() > 0.0);
    assert!(!Path::new(&output).exists() && !Path::new(&format!("{output}.journal")).exists());
}

#[test]
fn sweep_table_takes_faults_and_settings() {
    let text = "impossible = 'skip'\n[grid]\nalgorithm = ['misra-k', 'bully']\nseed = [1]\n\
                crash = [[], ['0@3'], ['0@3', '1@5']]\nset = { tokens = [2, 3] }\n[output]\ntiming = true";
    let file = file("settings.toml", text);
    let output = fresh("settings.jsonl");
    assert_eq!(run(&["sweep", &file, "-o", &output, "n=5"]).code, 0);
    let rows = rows(&output);
    let said: Vec<&str> = rows.iter().map(|row| row["again"].as_str().unwrap()).collect();
    assert_eq!(
        said,
        [
            "ringleader run misra-k -n 5 --set tokens=2 --seed 1",
            "ringleader run misra-k -n 5 --set tokens=3 --seed 1",
            "ringleader run misra-k -n 5 --crash 0@3 --set tokens=2 --seed 1",
            "ringleader run misra-k -n 5 --crash 0@3 --set tokens=3 --seed 1",
            "ringleader run misra-k -n 5 --crash 0@3 --crash 1@5 --set tokens=2 --seed 1",
            "ringleader run misra-k -n 5 --crash 0@3 --crash 1@5 --set tokens=3 --seed 1",
        ],
        "bully has no tokens"
    );
    assert!(rows.iter().all(|row| row["elapsed_s"].is_f64()));
}
