use crate::{file, json, path, ran, ringleader, run, unfolded};

/// It is refused with exit code 2, nothing on stdout, and a message with all of these parts.
fn refused(args: &[&str], parts: &[&str]) {
    let ran = run(args);
    assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.out, ran.err);
    assert_eq!(ran.out, "", "{args:?}");
    for part in parts {
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "{args:?}: no `{part}` in\n{}", ran.err);
    }
}

#[test]
fn the_number_of_processes() {
    refused(
        &["run", "peterson", "-n", "0"],
        &["ringleader::n_too_small", "-n 0", "at least one process", "try -n 8"],
    );
    refused(&["run", "ra", "-n", "0"], &["mutual exclusion needs"]);
    for absurd in ["1e30", "2^40", "3G"] {
        refused(&["run", "peterson", "-n", absurd], &["ringleader::too_large", "at most 2^31"]);
    }
    for wrong in ["ten", "", "1.5", "-1", "-4M", "1e400", "1,000"] {
        refused(&["run", "peterson", "-n", wrong], &["a whole number such as 8, 1e6, 1M, 2^20 or 1_000_000"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn absurd_size_is_refused_before_allocating() {
    refused(
        &["run", "bully", "-n", "2^31"],
        &["ringleader::too_large", "would need about", "are free", "what fits here"],
    );
    let trace = path("never.rlt");
    refused(
        &["run", "ra", "-n", "1G", "--schedule", "random", "--trace", &trace],
        &["ringleader::too_large"],
    );
    assert!(!std::path::Path::new(&trace).exists());
}

#[test]
fn a_sweep_elsewhere_without_the_python_package() {
    let grid = file("elsewhere.toml", "[grid]\nalgorithm = \"peterson\"\nseed = [1]\n");
    // `true` succeeds at everything: at importing, too.
    for (python, code, parts) in [
        (
            "/nowhere/python",
            4,
            vec!["ringleader::no_python_package", "--on needs the Python package", "pip install"],
        ),
        ("false", 4, vec!["ringleader::no_python_package", "--shard 1/4"]),
        ("true", 0, vec![]),
    ] {
        let elsewhere = path("elsewhere");
        let mut asked = ringleader(&["sweep", &grid, "--on", "ray", "-o", &elsewhere]);
        let ran = ran(asked.env("RINGLEADER_PYTHON", python).output().expect("the binary runs"));
        assert_eq!(ran.code, code, "{}", ran.err);
        parts
            .iter()
            .for_each(|part| assert!(unfolded(&ran.err).contains(&unfolded(part)), "{part}: {}", ran.err));
    }
    refused(&["sweep", &grid, "--on", "ray"], &["--output"]);
    refused(&["sweep", &grid, "--on", "cloud", "-o", "x"], &["processes, ray"]);
    refused(&["sweep", &grid, "--address", "a:1", "-o", "x"], &["--on"]);
    refused(&["sweep", &grid, "--on", "ray", "--shard", "1/2", "-o", "x"], &["cannot be used with"]);
}

#[test]
fn an_unknown_name() {
    let ran = run(&["run", "petersen"]);
    snapbox::assert_data_eq!(
        ran.err,
        snapbox::str![[r#"
ringleader::unknown_algorithm
  × no algorithm is called `petersen`
  help: did you mean `peterson`?
          ringleader list                  all [..]
          ringleader list --topology ring  those for rings

"#]]
    );
    refused(&["show", "chang"], &["did you mean `chang-roberts` (alias lcr)?"]);
    refused(&["run", "paxos"], &["see which there are"]);
    refused(&["rum", "peterson"], &["unrecognized subcommand 'rum'", "'run'"]);
    refused(&["run", "peterson", "--link", "bag"], &["'--links'"]);
    refused(&["run", "peterson", "--links", "bags"], &["fifo, bag, half-duplex"]);
    refused(&[], &["Usage"]);
    refused(&["run"], &["<ALGORITHM>"]);
}

#[test]
fn duplicate_identities_in_a_list() {
    refused(
        &["run", "lcr", "--ids", "3,17,4,17"],
        &[
            "ringleader::duplicate_id",
            "identity 17 is given to two processes",
            "processes 1 and 3",
            "--ids random",
        ],
    );
}

#[test]
fn duplicate_identities_in_a_file() {
    let ids = file("twice.ids", "# a ring\n\n4\n  17\n5\n\n6 # six\n17\n");
    let ran = run(&["run", "lcr", "--ids", &format!("@{ids}")]);
    assert_eq!(ran.code, 2);
    snapbox::assert_data_eq!(
        ran.err.replace(&ids, "twice.ids"),
        snapbox::str![[r#"
ringleader::duplicate_id
  × identity 17 is given to two processes
    ╭─[twice.ids:4:3]
  4 │   17
    ·   ─┬
    ·    ╰── first here (process 1)
  8 │ 17
    · ─┬
    ·  ╰── again here (process 4)
    ╰────
  help: `chang-roberts` needs distinct identities; `--ids random` draws them
        for rings without identities: `probabilistic-franklin` (randomised)

"#]]
    );
}

#[test]
fn a_malformed_file_of_identities() {
    let ids = file("bad.ids", "4\r\n7\r\n\r\n 5 6\r\n");
    let ran = run(&["run", "lcr", "--ids", &format!("@{ids}")]);
    assert_eq!(ran.code, 2);
    snapbox::assert_data_eq!(
        ran.err.replace(&ids, "bad.ids"),
        snapbox::str![[r#"
ringleader::bad_file
  × cannot read bad.ids: line 4, column 2
    ╭─[bad.ids:4:2]
  4 │  5 6
    ·  ─┬─
    ·   ╰── an identity is one whole number, 0 to 18446744073709551615, per line
    ╰────

"#]]
    );
    for (name, content) in [
        ("negative.ids", &b"1\n-2\n"[..]),
        ("large.ids", b"1\n18446744073709551616\n"),
        ("words.ids", b"1\nx\n"),
        ("binary.ids", b"1\n\xff\xfe\x00\n"),
        ("long.ids", &[b'\0'; 1 << 20]),
        ("digits.ids", &[b'7'; 1 << 20]),
    ] {
        let ids = file(name, content);
        refused(&["run", "lcr", "--ids", &format!("@{ids}")], &["ringleader::bad_file", "line "]);
    }
    let empty = file("empty.ids", "# nothing\n");
    refused(&["run", "lcr", "--ids", &format!("@{empty}")], &["there is no identity in"]);
}

#[test]
fn an_unreadable_file_of_identities() {
    refused(
        &["run", "lcr", "--ids", "@/nowhere/ring.ids"],
        &["ringleader::bad_file", "cannot read /nowhere/ring.ids"],
    );
    let directory = env!("CARGO_TARGET_TMPDIR");
    refused(&["run", "lcr", "--ids", &format!("@{directory}")], &["ringleader::bad_file", "cannot read"]);
    refused(&["run", "lcr", "--ids", "@"], &["@ needs the name of a file"]);
}

#[test]
fn a_list_that_disagrees_with_the_number() {
    refused(
        &["run", "lcr", "-n", "5", "--ids", "3,1,2"],
        &["ringleader::wrong_length", "-n 5, but --ids lists 3"],
    );
    refused(
        &["run", "ra", "-n", "3", "--entries", "1,2"],
        &["ringleader::wrong_length", "2 numbers of entries for 3 processes"],
    );
    assert_eq!(run(&["run", "lcr", "-n", "3", "--ids", "3,1,2"]).code, 0);
}

#[test]
fn what_the_contract_excludes() {
    refused(
        &["run", "peterson", "--topology", "complete"],
        &[
            "ringleader::wrong_topology",
            "needs a one-way ring; the topology is `complete`",
            "ringleader list --topology complete",
        ],
    );
    refused(
        &["run", "ra", "--topology", "line"],
        &["needs a complete graph", "ringleader list --topology tree"],
    );
    refused(
        &["run", "peterson", "--links", "bag", "--seed", "5"],
        &[
            "ringleader::needs_fifo",
            "`peterson` needs FIFO links",
            "\n          ringleader run peterson -n 8 --links bag --seed 5 --unsound\n",
        ],
    );
    refused(
        &["run", "peterson", "--links", "half-duplex"],
        &["two-way rings only", "ringleader list --topology two-way"],
    );
    refused(&["run", "franklin", "--orientation", "random"], &["ringleader::needs_orientation", "--unsound"]);
    refused(&["run", "bully", "--schedule", "random"], &["ringleader::needs_bounded_delay", "--unsound"]);
    refused(&["run", "lcr", "--crash", "3@1"], &["ringleader::fault_excluded", "--crash 3@1", "--unsound"]);
    refused(&["run", "lcr", "--loss", "0.1"], &["ringleader::fault_excluded"]);
    refused(
        &["run", "lcr", "--entries", "2"],
        &["ringleader::no_workload", "ringleader list --problem mutex"],
    );
    refused(
        &["run", "probabilistic-franklin", "--ids", "1,2,3"],
        &["ringleader::anonymous", "leave out `--ids 1,2,3`"],
    );
    refused(&["run", "lcr", "--tokens", "3"], &["ringleader::bad_setting", "ringleader show chang-roberts"]);
    refused(
        &["run", "probabilistic-franklin", "--ending", "third"],
        &["ringleader::bad_setting", "both, first"],
    );
}

#[test]
fn values_that_make_no_sense() {
    refused(&["run", "lcr", "--initiators", "9"], &["ringleader::no_such_process", "indices are 0 to 7"]);
    refused(&["run", "lcr", "--initiators", "120%"], &["0% to 100%"]);
    refused(&["run", "lcr", "--initiators", "0%"], &["somebody must start", "`one`"]);
    refused(&["run", "lcr", "--schedule", "starve:8"], &["ringleader::no_such_process"]);
    refused(&["run", "lcr", "--schedule", "delay:const:0"], &["a delay must be above 0"]);
    refused(&["run", "lcr", "--schedule", "sometimes"], &["rounds, random, delay:const:1"]);
    refused(
        &["run", "misra-bounded", "--lose", "pin@1"],
        &["ringleader::unknown_kind", "did you mean `ping`?"],
    );
    refused(&["run", "misra-bounded", "--lose", "ping@0"], &["counted from 1"]);
    refused(&["run", "bully", "--crash", "4"], &["such as 3@10"]);
    refused(&["run", "bully", "--crash", "4@0.5"], &["ringleader::bad_time"]);
    refused(&["run", "bully", "--partition", "0,1|1@0..5"], &["process 1 is on both sides"]);
    refused(&["run", "ra", "--wants", "1,3"], &["'1,3@0;2@5'"]);
    refused(&["run", "ra", "--load", "light", "--entries", "3"], &["cannot be used with"]);
    refused(&["run", "ra", "--total", "3"], &["--load"]);
    refused(&["run", "probabilistic-franklin", "--range", "1"], &["ringleader::out_of_range"]);
}

#[test]
fn a_value_that_was_probably_meant() {
    for (args, meant) in [
        (&["run", "lcr", "--ids", "decending"][..], "did you mean `descending`?"),
        (&["check", "lcr", "--ids", "bit-reversed"], "did you mean `bit-reversal`?"),
        (&["run", "lcr", "--schedule", "round"], "did you mean `rounds`?"),
        (&["run", "lcr", "--schedule", "dealy:const:1"], "did you mean `delay`?"),
        (&["run", "lcr", "--schedule", "delay:unifrom:1:2"], "did you mean `uniform`?"),
        (&["run", "lcr", "--initiators", "al"], "did you mean `all`?"),
        (&["check", "lcr", "--initiators", "all-lat"], "did you mean `all-late`?"),
        (&["run", "ra", "--load", "saturate", "--total", "5"], "did you mean `saturated`?"),
        (&["run", "lcr", "--links", "bags"], "'bag'"),
        (&["run", "lcr", "--orientation", "sane"], "'same'"),
        (&["run", "raymond", "--topology", "lines"], "'line'"),
    ] {
        refused(args, &[meant]);
    }
    // What is right is not proposed for what is wrong behind it.
    assert!(!run(&["run", "lcr", "--schedule", "starve"]).err.contains("did you mean"));
}

#[test]
fn a_setting_given_twice() {
    for command in ["run", "check", "up"] {
        let algorithm: &[&str] = if command == "up" { &["--algorithm", "misra-k"] } else { &["misra-k"] };
        let options = ["--tokens", "3", "--set", "tokens=4"];
        refused(
            &[&[command], algorithm, &options].concat(),
            &["ringleader::contradiction", "as `4` and as `3`", "give it once"],
        );
    }
    refused(&["run", "misra-k", "--set", "tokens=3", "--set", "tokens=4"], &["as `3` and as `4`"]);
    assert_eq!(run(&["run", "misra-k", "--tokens", "3", "--set", "tokens=3"]).code, 0);
}

#[test]
fn errors_as_json() {
    let error = json(&["run", "petersen", "--json"]);
    let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema", "code", "message", "help", "file", "line", "column"]);
    assert_eq!(error["schema"], "ringleader.error/1");
    assert_eq!(error["code"], "ringleader::unknown_algorithm");
    assert_eq!(json(&["--json", "run", "peterson", "-n", "x"])["code"], "ringleader::usage");
    assert_eq!(json(&["--json"])["code"], "ringleader::usage");
    let ids = file("json.ids", "1\nx\n");
    let error = json(&["run", "lcr", "--json", "--ids", &format!("@{ids}")]);
    assert_eq!((&error["file"], &error["line"], &error["column"]), (&ids.into(), &2.into(), &1.into()));
}

#[test]
fn broken_recordings() {
    let good = path("good.rlt");
    assert_eq!(run(&["run", "peterson", "--ids", "3,7,4,1", "--force", "--trace", &good]).code, 0);
    let text = std::fs::read_to_string(&good).unwrap();
    assert_eq!(run(&["replay", &good]).code, 0);
    let cut = text.rfind("{\"end\"").unwrap();
    let swapped = text.replacen("ringleader.trace/1", "ringleader.trace/7", 1);
    for (name, content, parts) in [
        ("cut.rlt", &text[..cut], &["ringleader::bad_trace", "without an end record", "cut off"][..]),
        ("half.rlt", &text[..cut - 9], &["cut off"]),
        ("later.rlt", &swapped, &["written by ringleader", "ringleader.trace/7", "upgrade"]),
        ("empty.rlt", "", &["this is not a trace"]),
        ("ids.rlt", "3\n7\n", &["this is not a trace", "--trace FILE"]),
        ("report.rlt", "{\"schema\":\"ringleader.run/1\"}\n", &["its schema is ringleader.run/1"]),
        (
            "never.rlt",
            &text.replacen("[[3,0]]", "[[99,0]]", 1),
            &["line 6, column ", "message 99 is delivered but was never sent", "╰──"],
        ),
        (
            "input.rlt",
            &text.replacen("\"start\"", "\"begin\"", 1),
            &["line 2, column ", "unknown variant `begin`"],
        ),
        (
            "index.rlt",
            &text.replacen("\"p\":1", "\"p\":44", 1),
            &["line 3, column 8", "there is no process 44"],
        ),
        (
            "time.rlt",
            &text.replacen("{\"t\":0", "{\"t\":7", 1),
            &["line 3, column 2", "time goes back from 7 to 0"],
        ),
        ("syntax.rlt", &text.replacen("\"p\":1", "\"p\":", 1), &["line 3, column "]),
        (
            "name.rlt",
            &text.replacen("\"peterson\"", "\"petersen\"", 1),
            &["ringleader::unknown_algorithm", "peterson"],
        ),
        (
            "rule.rlt",
            &text.replacen("\"wait1\"", "\"wait9\"", 1),
            &["ringleader::broken_replay", "line 6", "wait9"],
        ),
        (
            "twice.rlt",
            &text.replacen("\"ids\":[3,7,4,1]", "\"ids\":[3,3,4,1]", 1),
            &["ringleader::duplicate_id"],
        ),
        (
            "field.rlt",
            &text.replacen("\"id\":\"7\"", "\"id\":\"8\"", 1),
            &["ringleader::broken_replay", "line 3", "tid(8)"],
        ),
        (
            "huge.rlt",
            &text.replacen("\"n\":4,\"ids\":[3,7,4,1]", "\"n\":4294967295,\"ids\":[]", 1),
            &["ringleader::"],
        ),
    ] {
        assert_ne!(content, text, "{name}: nothing was changed");
        let broken = file(&format!("broken-{name}"), content);
        refused(&["replay", &broken], parts);
    }
    refused(&["replay", "/nowhere/x.rlt"], &["ringleader::bad_trace", "cannot read /nowhere/x.rlt"]);
    refused(&["replay", env!("CARGO_TARGET_TMPDIR")], &["ringleader::bad_trace"]);
    refused(&["run", "peterson", "--schedule", "replay:/nowhere/x.rlt"], &["ringleader::bad_trace"]);
    assert_eq!(json(&["replay", &good, "--steps", "--json"])["code"], "ringleader::usage");
    assert_eq!(json(&["run", "peterson", "--steps", "--json"])["code"], "ringleader::usage");
}

#[test]
fn a_recording_of_another_algorithm() {
    let trace = path("other.rlt");
    assert_eq!(run(&["run", "peterson", "-n", "3", "--seed", "1", "--force", "--trace", &trace]).code, 0);
    let schedule = format!("replay:{trace}");
    refused(
        &["run", "franklin", "--schedule", &schedule],
        &["ringleader::other_recording", "a recording of `peterson`, not of `franklin`"],
    );
    refused(
        &["run", "peterson", "-n", "4", "--schedule", &schedule],
        &["the recording has 3 processes", "the recording says"],
    );
    let broken = file(
        "broken-for-json.rlt",
        std::fs::read_to_string(&trace).unwrap().replacen("\"t\":0", "\"t\":x", 1),
    );
    let error = json(&["replay", &broken, "--json"]);
    assert_eq!(error["line"], 2);
    assert!(error["message"].as_str().unwrap().contains("column"), "{error}");
    assert!(error["message"].as_str().unwrap().contains("expected"), "what is wrong, too: {error}");
}

/// It is run all the same: scripts may pass one set of options to every algorithm.
#[test]
fn options_without_effect_are_noted() {
    let args = ["run", "ra", "-n", "3", "--seed", "1", "--initiators", "one", "--range", "3"];
    let ran = run(&args);
    assert_eq!(ran.code, 0);
    for note in ["note: --initiators has no effect", "note: --range has no effect"] {
        assert!(ran.err.contains(note), "{}", ran.err);
    }
    assert_eq!(run(&[&args[..], &["--quiet"]].concat()).err, "");
    assert_eq!(run(&[&args[..], &["--json"]].concat()).err, "");
    refused(&["run", "peterson", "--threads", "0"], &["at least 1"]);
}

#[test]
fn unwritable_trace_is_refused_before_running() {
    let ran = run(&[
        "up",
        "--algorithm",
        "chang-roberts",
        "-n",
        "3",
        "--once",
        "--record",
        "/no/such/folder/run.jsonl",
    ]);
    assert_ne!(ran.code, 0);
    assert!(ran.err.contains("/no/such/folder/run.jsonl"), "{}", ran.err);
    assert!(!ran.out.contains("leader") && !ran.err.contains("leads"), "{} {}", ran.out, ran.err);
}

/// Machines that tell their values by messages: how many links hold, and what is in them.
#[test]
fn machines_with_messages() {
    let with = |options: &[&str], parts: &[&str]| {
        for command in ["run", "check"] {
            let args = [&[command, "dijkstra-k-messages", "-n", "2"], options].concat();
            refused(&args, parts);
        }
    };
    with(
        &["--capacity", "0"],
        &["`capacity`", "must be a number from 1 to 8, not 0", "a link that holds nothing", "`--capacity 1`"],
    );
    with(
        &["--k", "2"],
        &["ringleader::not_enough", "needs k = 3 or more", "`--k 3`", "-n 2 --k 2", "--unsound"],
    );
    with(&["--capacity", "2", "--k", "4"], &["needs k = 5 or more here; it is 4", "`--k 5`"]);
    with(&["--from", "0+1+2,0"], &["ringleader::full_link", "the link out of process 0", "`--capacity 2`"]);
    with(&["--from", "0+3,0"], &["ringleader::no_such_state", "machine 0 has no state 3"]);
    with(&["--from", "0+,0"], &["what its link holds (0+1,2,1+0)"]);
    with(&["--from", "0+1,1,2"], &["ringleader::wrong_length"]);
    refused(&["run", "dijkstra-k", "-n", "2", "--from", "0+1,1"], &["ringleader::wrong_length"]);
    refused(
        &["up", "-a", "dijkstra-k-messages"],
        &["links that hold few messages", "ringleader run dijkstra-k-messages"],
    );
}

/// Locks on registers run as threads: they have no network to be cut, killed or recorded.
#[test]
fn threads_without_a_network() {
    for lock in ["dekker", "dijkstra-1965", "peterson-lock", "filter-lock", "bakery"] {
        for option in [
            &["--ids", "random"][..],
            &["--topology", "ring"],
            &["--range", "4"],
            &["--kill-every", "1s"],
            &["--record", "never.rlt"],
            &["--events", "never.jsonl"],
            &["--keep", "never"],
            &["--plain"],
        ] {
            let args = [&["up", "-a", lock], option].concat();
            let leave = format!("leave out `{}`", option[0]);
            refused(&args, &["ringleader::no_network", option[0], "threads, without a network", &leave]);
        }
        refused(&["up", "-a", lock, "--registers", "safe"], &["needs atomic registers; these are safe"]);
        refused(&["up", "-a", lock, "--registers", "quantum"], &["must be one of atomic, safe, not quantum"]);
        refused(&["up", "-a", lock, "--k", "3"], &["setting `k`"]);
    }
    refused(&["up", "-a", "dekker", "-n", "3"], &["ringleader::wrong_size", "it is for 2: `-n 2`"]);
    refused(&["up", "-a", "bakery", "-n", "0"], &["at least 1"]);
    for machines in ["dijkstra-k", "dijkstra-4", "dijkstra-3"] {
        refused(
            &["up", "-a", machines],
            &["ringleader::no_single_registers", "reads its neighbours and writes in one step", machines],
        );
    }
}
