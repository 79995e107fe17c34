//! `ringleader worst`: what it finds can be run again, and what it cannot do is said.

use super::{file, json, path, run, unfolded};

/// A command that was printed, without the name of the program.
fn words(command: &str) -> Vec<&str> {
    command.split(' ').skip(1).collect()
}

#[test]
fn the_fields_that_others_rely_on_come_first() {
    let answer = json(&["worst", "peterson", "-n", "6", "--json"]);
    let fields: Vec<&str> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
    let first = ["schema", "algorithm", "nodes", "exact", "election_messages", "ids", "bound", "again"];
    assert_eq!(fields[..8], first);
    assert_eq!(answer["schema"], "ringleader.worst/1");
    assert_eq!((&answer["exact"], &answer["election_messages"]), (&true.into(), &27.into()));
    assert_eq!(answer["bound"]["holds"], true);
    assert_eq!(answer["bound"]["value"], 30);
    let again = answer["again"].as_str().expect("a command");
    let mut repeated = words(again);
    repeated.push("--json");
    assert_eq!(json(&repeated), answer);
}

#[test]
fn the_arrangement_can_be_run_again() {
    let ids = path("worst-hp.ids");
    let trace = path("worst-hp.rlt");
    for (name, more) in [
        ("higham-przytycka", vec!["-n", "21", "--budget", "500", "--seed", "3"]),
        ("van-leeuwen-tan", vec!["-n", "5"]),
        ("humblet", vec!["-n", "5"]),
        ("hirschberg-sinclair", vec!["-n", "5", "--best"]),
        ("franklin", vec!["-n", "5", "--schedule", "random", "--seed", "9"]),
    ] {
        let mut args = vec!["worst", name, "--json", "--force", "-o", &ids, "--trace", &trace];
        args.extend(more);
        let answer = json(&args);
        let count = answer["election_messages"].as_u64().expect("a number");
        let mut once = words(answer["run"].as_str().expect("a command"));
        assert!(once.contains(&format!("@{ids}").as_str()), "{once:?}");
        once.push("--json");
        assert_eq!(json(&once)["election_messages"], count, "{once:?}");
        let replayed = json(&["replay", &trace, "--json"]);
        assert_eq!(replayed["election_messages"], count, "{name}: {replayed}");
        let text = std::fs::read_to_string(&ids).expect("it was written");
        let (comments, listed): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        assert!(comments[0].contains(name) && comments[1].contains(&format!("{count} election messages")));
        assert!(comments.iter().any(|line| line.contains("ringleader worst")), "{comments:?}");
        assert_eq!(listed.len() as u64, answer["nodes"].as_u64().expect("a number"));
    }
}

/// No schedule with a name sends as many; the run is written all the same.
#[test]
fn checker_found_worst_run_replays() {
    let trace = path("worst-kings.rlt");
    let answer = json(&["worst", "korach-moran-zaks", "-n", "5", "--json", "--force", "--trace", &trace]);
    assert_eq!((&answer["schedules"], &answer["run"]), (&"every".into(), &serde_json::Value::Null));
    let replayed = json(&["replay", &trace, "--json"]);
    assert_eq!(replayed["election_messages"], answer["election_messages"]);
}

#[test]
fn worst_report_says_how_sure_it_is() {
    let exact = run(&["worst", "chang-roberts", "-n", "6", "--distribution"]);
    assert_eq!((exact.code, exact.err.as_str()), (0, ""));
    for part in ["21 election messages, the most of all 120 arrangements (exact)", "147/10 = 14.7", "361/100"]
    {
        assert!(unfolded(&exact.out).contains(part), "{part}: {}", exact.out);
    }
    assert!(exact.out.contains("ringleader run chang-roberts --ids 6,5,4,3,2,1 --seed 0"), "{}", exact.out);
    let searched = run(&["worst", "chang-roberts", "-n", "70", "--budget", "100"]);
    assert!(
        unfolded(&searched.out).contains("2,485 election messages, the most: it is the bound itself (exact)")
    );
    let open = run(&["worst", "peterson", "-n", "70", "--budget", "100"]);
    assert!(unfolded(&open.out).contains("at least that"), "{}", open.out);
    assert!(searched.out.contains("-o FILE.ids"), "{}", searched.out);
    let best = run(&["worst", "chang-roberts", "-n", "5", "--best"]);
    assert!(best.out.contains("9 election messages, the least of all 24"), "{}", best.out);
}

#[test]
fn the_distribution_is_exact() {
    let answer = json(&["worst", "chang-roberts", "-n", "6", "--distribution", "--json"]);
    let all = &answer["distribution"];
    assert_eq!((&all["arrangements"], &all["mean_exact"]), (&120.into(), &"147/10".into()));
    let counts = all["counts"].as_array().expect("a list");
    let sum: u64 = counts.iter().filter_map(|one| one["arrangements"].as_u64()).sum();
    assert_eq!(sum, 120);
}

#[test]
fn the_table_of_constants() {
    let table = json(&["worst", "--constants", "-n", "5000", "--json"]);
    assert_eq!(table["schema"], "ringleader.constants/1");
    let rows = table["rows"].as_array().expect("a list");
    let named = |name: &str| rows.iter().find(|row| row["algorithm"] == name).expect("it is there");
    let slope = |name: &str| named(name)["slope"].as_f64().expect("a number");
    assert_eq!(slope("dolev-klawe-rodeh"), 2.0);
    assert!(slope("hirschberg-sinclair") > 2.0);
    assert!(slope("dolev-klawe-rodeh-b") > slope("peterson-improved"));
    assert!(slope("peterson-improved") > slope("higham-przytycka"));
    let text = run(&["worst", "--constants", "-n", "5000"]);
    assert!(text.code == 0 && text.out.contains("ringleader worst --constants -n 5000"), "{}", text.out);
}

#[test]
fn what_is_wrong_is_said() {
    let there = file("worst-there.ids", "1\n");
    for (args, code, part) in [
        (vec!["worst", "petersen"], 2, "did you mean `peterson`"),
        (vec!["worst", "lamport"], 2, "check lamport -n 3 --entries 2"),
        (vec!["worst", "itai-rodeh"], 2, "random numbers"),
        (vec!["worst", "bully"], 2, "known by name"),
        (vec!["worst", "peterson@as-printed"], 2, "ringleader worst peterson"),
        (vec!["worst", "peterson", "-n", "0"], 2, "at least one process"),
        (vec!["worst", "peterson", "-n", "1e12"], 2, "at most 2^31"),
        (vec!["worst", "humblet", "-n", "1M"], 2, "would need about"),
        (vec!["worst", "peterson", "-n", "20", "--exact"], 3, "--search"),
        (vec!["worst", "peterson", "-n", "20", "--distribution"], 3, "--search"),
        (vec!["worst", "peterson", "-n", "8", "--exact", "--budget", "10"], 3, "about 10 could be tried"),
        (vec!["worst", "peterson", "--links", "bag"], 2, "needs FIFO links"),
        (vec!["worst", "peterson", "--exact", "--search"], 2, "cannot be used with"),
        (vec!["worst", "peterson", "--budget", "0"], 2, "at least 1"),
        (vec!["worst", "peterson", "--schedule", "replay:x.rlt"], 2, "one arrangement"),
        (vec!["worst", "peterson", "--initiators", "9"], 2, "no process 9"),
        (vec!["worst", "peterson", "--constants"], 2, "cannot be used with"),
        (vec!["worst", "--constants", "-n", "5"], 2, "try -n 1e5"),
        (vec!["worst"], 2, "ALGORITHM"),
        (vec!["worst", "peterson", "-n", "4", "-o", &there], 2, "--force"),
        (vec!["worst", "peterson", "-n", "4", "-o", "/nowhere/x.ids"], 4, "cannot write"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(unfolded(&ran.err).contains(&unfolded(part)), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(&there).expect("still there"), "1\n");
    let forced = run(&["worst", "peterson", "-n", "4", "-o", &there, "--force"]);
    assert_eq!(forced.code, 0, "{}", forced.err);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let with = |threads: &str| {
        json(&["worst", "dkr", "-n", "12", "--search", "--budget", "300", "--threads", threads, "--json"])
    };
    assert_eq!(with("1"), with("4"));
}
