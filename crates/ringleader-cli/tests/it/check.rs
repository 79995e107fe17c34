//! `ringleader check` from outside: answers, exit codes, files, advice.

use crate::{file, json, path, ringleader, run, unfolded};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn what_holds_has_every_field_in_order() {
    let check = json(&["check", "lcr", "-n", "4", "--all-ids", "--json"]);
    let contract = [
        "schema",
        "algorithm",
        "nodes",
        "verdict",
        "states",
        "transitions",
        "depth",
        "arrangements",
        "properties",
        "messages",
        "election_messages",
        "probability",
        "elapsed_s",
        "states_per_s",
        "peak_bytes",
        "counterexample",
    ];
    assert_eq!(keys(&check)[..contract.len()], contract);
    assert_eq!(keys(&check["properties"][0]), ["name", "verdict", "trace_steps"]);
    assert_eq!(keys(&check["messages"]), ["min", "max"]);
    assert_eq!(check["schema"], "ringleader.check/1");
    assert_eq!((&check["algorithm"], &check["nodes"]), (&"chang-roberts".into(), &4.into()));
    assert_eq!((&check["verdict"], &check["arrangements"]), (&"holds".into(), &6.into()));
    assert_eq!((&check["initiator_sets"], &check["cases"]), (&15.into(), &90.into()));
    // Falling identities cost n(n+1)/2, rising ones 2n-1 if all start; the announcement takes n.
    assert_eq!(check["election_messages"]["max"], 10);
    assert_eq!(check["messages"]["max"], 14);
    assert_eq!((&check["probability"], &check["counterexample"]), (&Value::Null, &Value::Null));
    assert!(check["properties"].as_array().unwrap().iter().all(|property| property["verdict"] == "holds"));
    assert_eq!(check["again"], "ringleader check chang-roberts -n 4 --all-ids");
}

#[test]
fn exit_codes() {
    for (code, args) in [
        (0, &["peterson", "-n", "3"][..]),
        (0, &["lcr", "--ids", "3,9,1", "--initiators", "all-late"]),
        (0, &["ra", "-n", "2", "--entries", "2,1"]),
        (1, &["peterson", "--links", "bag", "--unsound"]),
        (1, &["peterson@as-printed", "-n", "3"]),
        (2, &["peterson", "--links", "bag"]),
        (2, &["peterson", "-n", "0"]),
        (3, &["ra", "-n", "4", "--max-states", "1000"]),
        (3, &["ra", "-n", "4", "--memory", "1M"]),
        (3, &["bully", "-n", "5", "--time", "20ms"]),
        (4, &["peterson", "--trace", "/nowhere/x.rlt"]),
    ] {
        let args = [&["check"], args].concat();
        let ran = run(&args);
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
        let ran = run(&[&args[..], &["--json"]].concat());
        assert_eq!(ran.code, code, "{args:?}: {}", ran.out);
        assert_eq!((ran.err.as_str(), ran.out.lines().count()), ("", 1), "{args:?}");
    }
}

#[test]
fn chance_is_told_with_its_digits() {
    let args = ["check", "itai-rodeh-sync", "-n", "3", "--initiators", "all"];
    let check = json(&[&args[..], &["--json"]].concat());
    let chance = &check["probability"];
    assert_eq!(keys(chance), ["almost_sure", "expected_rounds", "expected_messages"]);
    assert_eq!(chance["almost_sure"], true);
    for what in ["expected_rounds", "expected_messages"] {
        assert_eq!(keys(&chance[what]), ["min", "max"]);
        assert!(chance[what]["min"].as_f64().unwrap() > 0.0, "{chance}");
    }
    assert_eq!(check["messages"]["max"], Value::Null);
    let text = run(&args).out;
    let digits = |word: &&str| word.contains('.') && word.chars().filter(char::is_ascii_digit).count() >= 9;
    assert!(text.contains("it ends          with probability 1"), "{text}");
    assert!(text.split_whitespace().filter(digits).count() >= 2, "{text}");
}

#[test]
fn a_counterexample_can_be_played() {
    let trace = path("counterexample.rlt");
    let args = ["check", "peterson", "-n", "4", "--links", "bag", "--unsound", "--trace", &trace, "--force"];
    let ran = run(&args);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("outside its assumptions: it needs fifo links"), "{}", ran.out);
    let said = format!("saved in {trace}; play it:\n    ringleader replay {trace} --steps\n");
    assert!(ran.out.contains(&said), "{}", ran.out);
    let check = json(&[&args[..], &["--json"]].concat());
    let steps = check["counterexample"].as_array().expect("steps");
    let violated: Vec<&Value> =
        check["properties"].as_array().unwrap().iter().filter(|p| p["verdict"] == "violated").collect();
    assert_eq!(violated.len(), 1);
    assert_eq!(violated[0]["trace_steps"], steps.len());
    assert_eq!((&check["within_assumptions"], &check["trace"]), (&false.into(), &trace.as_str().into()));
    // The report tells the same steps, in the same words, as the recording and its replay.
    let replayed = run(&["replay", &trace, "--steps"]);
    assert_eq!(replayed.code, 1, "{}", replayed.err);
    let shown: Vec<&str> = replayed.out.lines().take(steps.len()).collect();
    for (step, line) in steps.iter().zip(shown) {
        assert!(ran.out.contains(line.trim_start()), "{line}");
        let words = step["words"].as_str().unwrap().split("  ").next().unwrap();
        assert!(line.contains(words), "{words}: {line}");
    }
    // And the lines of the file are those of the object.
    let text = std::fs::read_to_string(&trace).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], check["counterexample_header"]);
    for (line, step) in lines[1..].iter().zip(steps) {
        let mut step = step.clone();
        step.as_object_mut().unwrap().remove("words");
        assert_eq!(*line, step);
    }
    assert_eq!(lines.last().unwrap()["end"]["outcome"], "violated");
}

#[test]
fn every_kind_of_counterexample_can_be_played() {
    for (number, args) in [
        &["peterson@as-printed", "-n", "3"][..],
        &["chang-roberts@as-printed", "-n", "3"],
        &["ricart-agrawala@as-printed", "-n", "2"],
        &["probabilistic-franklin@as-printed", "-n", "2"],
        &["lcr", "-n", "3", "--crashes", "1", "--unsound"],
        &["lcr", "-n", "3", "--losses", "1", "--unsound", "--initiators", "all"],
        &["ra", "-n", "2", "--duplications", "1", "--unsound"],
        &["lcr", "--ids", "4,4,1", "--unsound"],
    ]
    .into_iter()
    .enumerate()
    {
        let trace = path(&format!("violated-{number}.rlt"));
        let ran = run(&[&["check"], args, &["--trace", &trace, "--force"]].concat());
        assert_eq!(ran.code, 1, "{args:?}: {}{}", ran.out, ran.err);
        let replayed = run(&["replay", &trace, "--steps"]);
        // A run that goes on for ever is recorded once round, and has no result by then.
        assert!([0, 1, 3].contains(&replayed.code), "{args:?}: {}", replayed.err);
        let steps = std::fs::read_to_string(&trace).unwrap().lines().count() - 2;
        assert!(replayed.out.lines().count() > steps, "{args:?}: {}", replayed.out);
    }
}

#[test]
fn trace_is_untouched_without_counterexample() {
    let kept = file("kept-by-check.rlt", "precious");
    let ran = run(&["check", "peterson", "-n", "3", "--trace", &kept, "--force"]);
    assert_eq!(ran.code, 0);
    assert!(unfolded(&ran.err).contains("was not written: no run violates a property"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "precious");
    let fresh = path("fresh-by-check.rlt");
    assert_eq!(run(&["check", "peterson", "-n", "3", "--trace", &fresh, "-q"]).err, "");
    assert!(!std::path::Path::new(&fresh).exists());
}

#[test]
fn advice_when_the_answer_is_unknown() {
    let ran = run(&["check", "ra", "-n", "5", "--max-states", "2k", "--reduce", "por"]);
    assert_eq!(ran.code, 3);
    assert!(ran.out.contains("\nunknown: stopped at 2,000 states (exit 3)\n"), "{}", ran.out);
    for part in [
        "million states expected\n",
        "warning: that is more than --max-states 2000",
        "ringleader::state_space_too_large\n",
        "stopped at 2,000 states: `ricart-agrawala`, n = 5, 1 entry each\n",
        "the answer is unknown (exit 3)",
        "\n          ringleader check ricart-agrawala -n 2 --reduce por --max-states 2000   about ",
        "\n          ringleader check ricart-agrawala -n 5 --max-states 2000  ",
        "\n          ringleader check ricart-agrawala -n 5 --reduce por --max-states 20000  more states\n",
    ] {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "no `{part}` in\n{}", ran.err);
    }
    let ran = run(&["check", "lcr", "-n", "6", "--all-ids", "--max-states", "100", "--quiet"]);
    assert!(!ran.err.contains("expected"), "{}", ran.err);
    for part in [
        "ringleader check chang-roberts -n 6 --max-states 100  ",
        "ringleader check chang-roberts -n 6 --initiators all --max-states 100 --all-ids  ",
    ] {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "no `{part}` in\n{}", ran.err);
    }
}

/// What is proposed is understood.
#[test]
#[cfg(unix)]
fn advice_is_a_command() {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_ringleader"));
    let path =
        format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for args in [
        &["franklin", "-n", "4", "--all-ids", "--orientation", "random", "--unsound", "--max-states", "50"][..],
        &["bully", "-n", "5", "--time", "0.01"],
        &["misra-bounded", "-n", "4", "--memory", "1M", "--reduce", "none"],
        &["lcr", "-n", "20", "--all-ids"],
        &["lcr", "--ids", "random", "-n", "3"],
        &["peterson", "--links", "bag", "-n", "3"],
    ] {
        let said = run(&[&["check"], args].concat()).err;
        for line in said.lines().filter(|line| line.trim_start().starts_with("ringleader check ")) {
            let command = line.trim().split("  ").next().unwrap();
            let limited = format!("{command} --json --time 1ms");
            let limited = if command.contains("--time") { format!("{command} --json") } else { limited };
            let shell = std::process::Command::new("sh").args(["-c", &limited]).env("PATH", &path).output();
            let output = shell.expect("a shell");
            let code = output.status.code().unwrap();
            assert_ne!(code, 2, "{limited}: {}", String::from_utf8_lossy(&output.stdout));
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

/// It is refused with exit code 2, nothing on stdout, and a message with all of these parts.
fn refused(args: &[&str], parts: &[&str]) {
    let args = [&["check"], args].concat();
    let ran = run(&args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}: {}", ran.err);
    for part in parts {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "{args:?}: no `{part}` in\n{}", ran.err);
    }
}

#[test]
fn nonsense_is_refused() {
    refused(&["petersen"], &["ringleader::unknown_algorithm", "did you mean `peterson`"]);
    refused(&["lcr", "-n", "0"], &["ringleader::n_too_small", "try -n 4"]);
    refused(&["lcr", "-n", "1e6"], &["ringleader::too_large", "ringleader run chang-roberts -n 1000000"]);
    refused(&["lcr", "-n", "1e30"], &["ringleader::too_large"]);
    refused(&["lcr", "-n", "5", "--ids", "3,1,2"], &["-n 5, but --ids lists 3"]);
    refused(
        &["lcr", "--ids", "random"],
        &["a check makes no random choices", "check chang-roberts --all-ids"],
    );
    refused(&["lcr", "--ids", "1,2", "--all-ids"], &["cannot be used with"]);
    refused(&["lcr", "--ids", "7,7,1"], &["ringleader::duplicate_id", "--all-ids"]);
    refused(&["lcr", "--ids", "@/nowhere/x"], &["ringleader::bad_file"]);
    refused(&["ra", "--ids", "descending"], &["ringleader::anonymous", "leave out `--ids descending`"]);
    refused(&["franklin", "--ids", "worst", "--initiators", "9"], &["ringleader::no_such_process"]);
    refused(&["lcr", "--initiators", "30%"], &["`any` takes every set"]);
    refused(&["lcr", "--initiators", "some"], &["all, all-late, any, one"]);
    refused(&["lcr", "--entries", "2"], &["ringleader::no_workload", "--entries is for mutual exclusion"]);
    refused(&["ra", "-n", "3", "--entries", "1,1"], &["2 numbers of entries for 3 processes"]);
    refused(&["lcr", "--crashes", "1"], &["ringleader::fault_excluded", "--crashes 1 --unsound"]);
    refused(&["lcr", "--losses", "1"], &["excludes the loss of messages"]);
    refused(&["lcr", "--links", "bag"], &["ringleader::needs_fifo", "-n 4 --links bag --unsound"]);
    refused(&["lcr", "--topology", "complete"], &["ringleader::wrong_topology"]);
    refused(&["lcr", "--reduce", "some"], &["none, por, full"]);
    refused(&["lcr", "--max-states", "0"], &["at least 1"]);
    refused(&["lcr", "--memory", "lots"], &["512M, 4G or 12GiB"]);
    refused(&["lcr", "--time", "soon"], &["30s, 5m or 2h"]);
    refused(&["lcr", "--threads", "0"], &["at least 1"]);
    refused(&["lcr", "--threads", "9999"], &["at most 1024"]);
    refused(&["lcr", "--tokens", "3"], &["ringleader::bad_setting"]);
    refused(&["probabilistic-franklin", "--range", "0"], &["ringleader::out_of_range"]);
    let cases = ["ringleader::too_many_cases", "ask for fewer", "39,916,800 arrangements", "4,095 sets"];
    refused(&["lcr", "-n", "12", "--all-ids"], &cases);
    refused(
        &["lcr", "-n", "900"],
        &["ringleader::too_many_cases", "more than 10^38 sets", "--initiators all"],
    );
}

#[test]
fn options_mean_what_they_say() {
    let states = |args: &[&str]| {
        let check = json(&[&["check"], args, &["--json"]].concat());
        assert_eq!(check["verdict"], "holds", "{args:?}: {check}");
        check["states"].as_u64().unwrap()
    };
    let usual = states(&["peterson"]);
    assert_eq!(usual, states(&["peterson", "-n", "4", "--ids", "descending", "--initiators", "any"]));
    for threads in ["2", "1024"] {
        let args = ["peterson", "--ids", "40,30,20,10", "--reduce", "full", "--threads", threads];
        assert_eq!(usual, states(&args));
    }
    assert!(usual < states(&["peterson", "--reduce", "none"]));
    assert!(usual > states(&["peterson", "--initiators", "one"]));
    assert_eq!(states(&["peterson", "--initiators", "one"]), states(&["peterson", "--initiators", "0"]));
    let listed = file("check.ids", "# falling\n4\n3\n2\n1\n");
    assert_eq!(usual, states(&["peterson", "--ids", &format!("@{listed}")]));
    let limits = ["--max-states", "1M", "--memory", "1GiB", "--time", "5m"];
    assert_eq!(usual, states(&[&["peterson"], &limits[..]].concat()));
    let labelled = json(&["check", "franklin", "-n", "3", "--orientation", "random", "--unsound", "--json"]);
    assert_eq!(labelled["labellings"], 8);
    let ending = json(&["check", "probabilistic-franklin", "-n", "2", "--ending", "first", "--json"]);
    assert!(ending["again"].as_str().unwrap().ends_with("-n 2 --ending first"), "{ending}");
}

#[test]
#[cfg(unix)]
fn the_printed_command_repeats_the_check() {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_ringleader"));
    let path =
        format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    for args in [
        &["lcr", "--all-ids", "--reduce", "por", "--threads", "2", "--memory", "1GiB", "--time", "1h"][..],
        &["peterson", "--ids", "3,9,1", "--initiators", "0,2", "--links", "bag", "--unsound"],
        &["franklin", "-n", "3", "--orientation", "random", "--unsound", "--initiators", "all-late"],
        &["probabilistic-franklin", "-n", "2", "--range", "3", "--set", "ending=first"],
        &["lcr", "-n", "3", "--crashes", "1", "--duplications", "1", "--unsound"],
        &["bully", "-n", "2", "--crashes", "1", "--recoveries", "0"],
        &["ra", "-n", "2", "--entries", "2,1", "--max-states", "1e6"],
    ] {
        let timeless = |mut check: Value| {
            for field in ["elapsed_s", "states_per_s", "peak_bytes"] {
                check.as_object_mut().expect("an object").remove(field);
            }
            check
        };
        let first = json(&[&["check"], args, &["--json"]].concat());
        let again = first["again"].as_str().unwrap_or_else(|| panic!("{args:?}: {first}"));
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("{again} --json")])
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let second: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{again}: {e}"));
        assert_eq!(timeless(first.clone()), timeless(second), "{again}");
    }
}

#[test]
fn every_algorithm_can_be_checked() {
    for entry in ringleader_errata::all() {
        let name = entry.spec.name;
        let n = entry.spec.needs.processes.nearest(2).1.to_string();
        // The battery says which have more states.
        let more = entry.checked().any(|size| size.n.to_string() == n && size.states > 1_000_000);
        let ran = run(&["check", name, "-n", &n, "--max-states", "1000000"]);
        let broken = name.contains('@');
        let allowed: &[i32] = if broken {
            &[0, 1]
        } else if more {
            &[3]
        } else {
            &[0]
        };
        assert!(allowed.contains(&ran.code), "{name}: {} {}{}", ran.code, ran.out, ran.err);
        assert_eq!(ran.out.contains("broken on purpose: "), broken, "{name}");
        assert!(ran.out.lines().next().unwrap().contains(&format!(" · n = {n} · ")), "{name}: {}", ran.out);
    }
}

#[test]
fn words_are_not_data() {
    let ran = run(&["check", "peterson", "-n", "5"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("holds for n = 5; this is not a proof for other n"), "{}", ran.out);
    let noted = run(&["check", "ra", "-n", "2", "--all-ids", "--initiators", "all", "--range", "3"]);
    for note in ["note: --all-ids has no effect", "note: --initiators has no effect", "note: --range has no"]
    {
        assert!(noted.err.contains(note), "{}", noted.err);
    }
    let coloured = ringleader(&["check", "peterson", "-n", "2", "--color", "always"]).output().unwrap();
    assert!(coloured.stdout.contains(&0x1b));
}

/// What shows in states is still checked; what only edges tell is not claimed.
#[test]
fn safety_alone_claims_less() {
    let names = |args: &[&str]| -> Vec<String> {
        let check = json(&[&["check", "lcr", "-n", "4", "--json"], args].concat());
        assert_eq!(check["verdict"], "holds");
        let rows = check["properties"].as_array().unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let (all, fewer) = (names(&[]), names(&["--safety"]));
    assert!(
        all.contains(&"every fair run ends".to_owned()) && !fewer.contains(&"every fair run ends".to_owned())
    );
    assert!(
        fewer.contains(&"at most one leader".to_owned()) && fewer.contains(&"exactly one leader".to_owned())
    );
    assert_eq!(json(&["check", "lcr", "-n", "4", "--safety", "--json"])["messages"]["max"], Value::Null);
}

/// With less memory than the search needs it gives up and says so. To be killed by the allocator would say nothing.
#[cfg(target_os = "linux")]
#[test]
fn limit_on_addresses_is_a_limit_on_the_search() {
    let program = env!("CARGO_BIN_EXE_ringleader");
    let too_large = "ricart-agrawala -n 4 --entries 2 --threads";
    // More threads than addresses suffice for are not started; what they would find is the same.
    for (kilobytes, args, code, says) in [
        (2_000_000, "peterson -n 4", 0, "holds"),
        (2_000_000, "peterson -n 4 --threads 1024", 0, "holds"),
        (1_000_000, &format!("{too_large} 2"), 3, "memory"),
        (300_000, &format!("{too_large} 2"), 3, "memory"),
        (300_000, &format!("{too_large} 1024"), 3, "memory"),
    ] {
        let limited = format!("ulimit -v {kilobytes} && exec {program} check {args}");
        let output = std::process::Command::new("sh").args(["-c", &limited]).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{kilobytes} {args}: {text}\n{error}");
        assert!(text.contains(says), "{kilobytes} {args}: {text}");
    }
}
