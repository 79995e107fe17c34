use crate::{run, unfolded};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(line).expect("it is JSON")
}

#[test]
fn a_snapshot_has_states_links_and_a_verdict() {
    let args = ["run", "peterson", "--ids", "3,7,4,1", "--seed", "1", "--snapshot", "@2"];
    let text = run(&args);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for part in
        ["snapshot, begun by p0 at 2", "p2  at 4  id 4 · mode wait1", "p3 → p0  tid(7)", "a consistent cut"]
    {
        assert!(text.out.contains(part), "no `{part}` in {}", text.out);
    }
    let plain = run(&args[..6]);
    assert!(text.out.ends_with(&plain.out), "the run is the same");
    let line = run(&[&args[..], &["--json"]].concat()).out;
    let object = json(&line);
    let snapshot = &object["snapshot"];
    assert_eq!((&snapshot["by"], &snapshot["consistent"]), (&0.into(), &true.into()));
    assert_eq!(snapshot["processes"][2]["state"]["mode"], "wait1");
    assert_eq!(snapshot["links"][0]["messages"][0], "tid(7)");
    // It is the last field, and there only if it was asked for.
    let (front, _) = line.split_once(",\"snapshot\":").expect("it is there");
    assert!(front.ends_with("\"ids\":[3,7,4,1]"), "{front}");
    assert!(!run(&[&args[..6], &["--json"]].concat()).out.contains("\"snapshot\""));
}

#[test]
fn snapshots_that_mean_nothing_are_refused() {
    let refused = |args: &str, parts: &[&str]| {
        let words: Vec<&str> = args.split(' ').collect();
        let ran = run(&words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args}: {}", ran.err);
        for part in parts {
            assert!(unfolded(&ran.err).contains(part), "{args}: no `{part}` in {}", ran.err);
        }
        ran.err
    };
    refused(
        "run ricart-agrawala -n 3 --seed 1 --snapshot 1@2",
        &[
            "links that keep the order",
            "ringleader run ricart-agrawala -n 3 --seed 1 --links fifo --snapshot 1@2",
        ],
    );
    refused(
        "run ricart-agrawala -n 3 --seed 1 --links bag --snapshot @2",
        &["ringleader run ricart-agrawala -n 3 --seed 1 --links fifo --snapshot 0@2"],
    );
    let fifo = "run ricart-agrawala -n 3 --seed 1 --links fifo --snapshot 1@2";
    assert_eq!(run(&fifo.split(' ').collect::<Vec<_>>()).code, 0, "what was said to type works");
    refused(
        "run central-failover -n 3 --crash 0@3 --snapshot @2",
        &["nothing fails", "--steps --vector-clocks"],
    );
    refused("run peterson -n 4 --snapshot 4@2", &["there are 4 processes, 0 to 3", "--snapshot 0@2"]);
    refused("run peterson -n 4 --snapshot 3", &["@3 or 2@3"]);
    refused("run peterson -n 4 --snapshot @x", &["a time such as 5"]);
}

#[test]
fn clocks_tell_what_comes_before_what() {
    let args = ["run", "chang-roberts", "--ids", "2,3,1", "--seed", "1", "--steps"];
    let told = run(&[&args[..], &["--vector-clocks"]].concat()).out;
    assert!(told.starts_with("#0   (1 0 0)  0  p0 starts"), "{told}");
    assert!(told.contains("#7   (3 3 2)  3  p1 receives election(3) from p0"), "{told}");
    assert!(told.contains("after #4 #6"), "{told}");
    // The name that it had before clocks of another kind came.
    assert_eq!(run(&[&args[..], &["--clocks"]].concat()).out, told);
    let alone = run(&["run", "chang-roberts", "-n", "3", "--vector-clocks"]);
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("--steps"), "{}", alone.err);
}

/// A synchroniser, and what to type to get it.
#[test]
fn lock_step_runs_under_any_schedule_with_a_synchroniser() {
    let ran = run(&["run", "itai-rodeh-sync", "-n", "3", "--schedule", "random", "--seed", "1"]);
    assert_eq!(ran.code, 2);
    let command = "ringleader run itai-rodeh-sync -n 3 --schedule random --seed 1 --synchroniser";
    assert!(unfolded(&ran.err).contains(command), "{}", ran.err);
    let ran = run(&command.split(' ').skip(1).chain(["--json"]).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let object = json(&ran.out);
    assert_eq!(object["messages"]["by_kind"]["done"], 3);
    assert_eq!(object["election_messages"], object["messages"]["by_kind"]["value"]);
}
