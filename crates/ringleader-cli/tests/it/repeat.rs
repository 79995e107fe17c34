use crate::{json, path, ringleader, run};
use serde_json::Value;

/// A report without what the clock says.
fn timeless(mut report: Value) -> Value {
    for field in ["elapsed_s", "messages_per_s", "peak_bytes"] {
        report.as_object_mut().expect("an object").remove(field);
    }
    report
}

/// Runs that between them use every option.
const RUNS: &[&[&str]] = &[
    &["run", "peterson"],
    &["run", "lcr", "-n", "1e2", "--ids", "alternating", "--initiators", "30%"],
    &["run", "lcr", "--ids", "9,4,1_000,7", "--initiators", "0,2", "--schedule", "random"],
    &["run", "franklin", "--ids", "worst", "--schedule", "delay:uniform:0.5:3", "--meter", "bits,load,depth"],
    &["run", "franklin", "--orientation", "random", "--unsound", "--max-steps", "1000"],
    &["run", "probabilistic-franklin", "--range", "3", "--ending", "first", "--schedule", "lifo"],
    &["run", "probabilistic-franklin", "--set", "ending=both", "--schedule", "greedy"],
    &["run", "van-leeuwen-tan-half-duplex", "--schedule", "greedy"],
    &["run", "van-leeuwen-tan-half-duplex", "--schedule", "starve:2"],
    &["run", "peterson", "--links", "bag", "--unsound", "--schedule", "random", "-n", "5"],
    &[
        "run",
        "bully",
        "-n",
        "5",
        "--crash",
        "4@0",
        "--crash",
        "3@2",
        "--recover",
        "4@30",
        "--initiators",
        "one",
    ],
    &["run", "bully", "-n", "4", "--partition", "0,1|2,3@0..3", "--unsound"],
    &["run", "misra-bounded", "-n", "4", "--lose", "ping@2", "--entries", "2,0,1,1", "--hold", "2"],
    &["run", "misra-bounded", "-n", "4", "--loss", "0.01", "--unsound", "--max-steps", "500"],
    &["run", "ra", "-n", "4", "--wants", "1,3@0;2@5", "--schedule", "delay:exp:5"],
    &["run", "ra", "-n", "4", "--load", "open:0.5", "--total", "10", "--hold", "2", "--think", "1"],
    &["run", "ra", "-n", "4", "--load", "light", "--total", "5", "--schedule", "fifo"],
    &["run", "ra", "-n", "4", "--duplicate", "10%", "--unsound", "--schedule", "random"],
];

#[test]
fn the_same_seed_gives_the_same_run() {
    for args in RUNS {
        let args = [*args, &["--seed", "11", "--json"]].concat();
        let (one, two) = (json(&args), json(&args));
        assert_ne!(one["schema"], "ringleader.error/1", "{args:?}: {one}");
        assert_eq!(timeless(one), timeless(two), "{args:?}");
    }
}

#[test]
#[cfg(unix)]
fn the_printed_command_repeats_the_run() {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_ringleader"));
    let path =
        format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    for args in RUNS {
        // The seed is drawn, and printed.
        let first = json(&[*args, &["--json"]].concat());
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
fn the_seed_is_drawn_anew_and_always_told() {
    let seeds: Vec<Value> = (0..4).map(|_| json(&["run", "peterson", "--json"])["seed"].clone()).collect();
    assert!(seeds.iter().any(|seed| *seed != seeds[0]), "{seeds:?}");
    assert!(run(&["run", "peterson"]).out.contains(" · seed "));
}

#[test]
fn a_recording_is_repeated_step_by_step() {
    for (number, args) in RUNS.iter().enumerate() {
        let trace = path(&format!("repeat-{number}.rlt"));
        let recorded = json(&[*args, &["--seed", "3", "--json", "--force", "--trace", &trace]].concat());
        let meters: &[&str] = if args.contains(&"--meter") { &["--meter", "bits,load,depth"] } else { &[] };
        let replayed = json(&[&["replay", &trace, "--json"], meters].concat());
        assert_ne!(replayed["schema"], "ringleader.error/1", "{args:?}: {replayed}");
        for field in [
            "algorithm",
            "nodes",
            "seed",
            "schedule",
            "links",
            "leader",
            "leaders",
            "informed",
            "messages",
            "election_messages",
            "steps",
            "rounds",
            "elected_round",
            "phases",
            "entries",
            "entry_order",
            "bits",
            "load",
            "depth",
        ] {
            assert_eq!(recorded[field], replayed[field], "{args:?}: {field}");
        }
        let transcript = run(&["replay", &trace, "--steps"]);
        let steps = std::fs::read_to_string(&trace).unwrap().lines().count() - 2;
        assert!(transcript.out.lines().count() > steps, "{args:?}: {}", transcript.err);
        // The run itself tells the same steps.
        let told = run(&[*args, &["--seed", "3", "--steps"]].concat());
        let lines = |ran: &str| ran.lines().take(steps).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&told.out), lines(&transcript.out), "{args:?}");
    }
}

#[test]
fn a_recorded_schedule_can_be_run() {
    let trace = path("schedule.rlt");
    assert_eq!(
        run(&["run", "peterson", "-n", "6", "--schedule", "random", "--force", "--trace", &trace]).code,
        0
    );
    let schedule = format!("replay:{trace}");
    let replayed = json(&["run", "peterson", "--schedule", &schedule, "--json"]);
    assert_eq!((&replayed["nodes"], &replayed["outcome"]), (&6.into(), &"elected".into()), "{replayed}");
    assert_eq!(run(&["run", "peterson", "-n", "7", "--schedule", &schedule]).code, 2);
}

#[test]
fn threads_do_not_change_the_result() {
    let with = |threads: &str| {
        let mut report =
            timeless(json(&["run", "lcr", "-n", "5000", "--seed", "4", "--json", "--threads", threads]));
        report.as_object_mut().unwrap().remove("again");
        report
    };
    assert_eq!(with("1"), with("2"));
}

#[test]
fn identities_from_a_file() {
    let ids = crate::file("ring.ids", "# clockwise\n30\n\n 7 # second\n18446744073709551615\n");
    let report = json(&["run", "lcr", "--ids", &format!("@{ids}"), "--json"]);
    assert_eq!(report["nodes"], 3);
    assert_eq!(report["leader"]["id"], u64::MAX);
    let again = report["again"].as_str().unwrap();
    assert!(again.contains(&format!("--ids @{ids}")), "{again}");
    let nothing = ringleader(&["run", "lcr", "--ids", &format!("@{ids}"), "-n", "4"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}
