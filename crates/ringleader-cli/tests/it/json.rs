use crate::{json, run};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn an_election_has_every_field_in_order() {
    let run = json(&["run", "lcr", "--ids", "3,2,1", "--seed", "7", "--json"]);
    let contract = [
        "schema",
        "algorithm",
        "problem",
        "nodes",
        "seed",
        "schedule",
        "links",
        "within_assumptions",
        "outcome",
        "leader",
        "leaders",
        "informed",
        "messages",
        "election_messages",
        "rounds",
        "elected_round",
        "phases",
        "steps",
        "time",
        "bound",
        "average",
        "properties",
        "elapsed_s",
        "messages_per_s",
        "peak_bytes",
        "again",
    ];
    assert_eq!(keys(&run)[..contract.len()], contract);
    assert_eq!(keys(&run).last(), Some(&"ids"), "new fields come last");
    assert_eq!(run["ids"], serde_json::json!([3, 2, 1]));
    assert_eq!(keys(&run["leader"]), ["index", "id"]);
    assert_eq!(keys(&run["messages"]), ["total", "by_kind"]);
    assert_eq!(keys(&run["bound"]), ["formula", "counts", "value", "holds", "basis", "by"]);
    assert_eq!(keys(&run["average"]), ["formula", "value"]);
    assert_eq!(keys(&run["properties"][0]), ["name", "holds"]);
    assert_eq!(run["schema"], "ringleader.run/1");
    assert_eq!(run["algorithm"], "chang-roberts");
    assert_eq!(run["leader"]["id"], 3);
    assert_eq!(run["leader"]["index"], 0);
    assert_eq!(run["election_messages"], 6);
    assert_eq!(run["messages"]["total"], 9);
    assert_eq!(run["messages"]["by_kind"]["elected"], 3);
    assert_eq!(run["bound"]["value"], 6);
    assert_eq!(run["rounds"], 6);
    assert_eq!(run["elected_round"], 3);
    assert!(run["elapsed_s"].as_f64().unwrap() > 0.0);
    assert_eq!(run["again"], "ringleader run chang-roberts --ids 3,2,1 --seed 7");
}

#[test]
fn mutual_exclusion_has_its_own_middle() {
    let run = json(&["run", "ra", "-n", "3", "--json", "--seed", "1"]);
    let contract = [
        "schema",
        "algorithm",
        "problem",
        "nodes",
        "seed",
        "schedule",
        "links",
        "within_assumptions",
        "outcome",
        "entries",
        "entry_order",
        "messages",
        "waiting",
        "bypass_max",
        "sync_delay",
        "fairness",
        "in_section_max",
        "rounds",
        "phases",
        "steps",
        "time",
        "bound",
        "average",
        "properties",
        "elapsed_s",
        "messages_per_s",
        "peak_bytes",
        "again",
    ];
    assert_eq!(keys(&run)[..contract.len()], contract);
    assert_eq!(keys(&run["messages"]), ["total", "by_kind", "per_entry"]);
    for spread in [&run["messages"]["per_entry"], &run["waiting"], &run["sync_delay"]] {
        assert_eq!(keys(spread)[..3], ["min", "mean", "max"]);
    }
    assert_eq!(run["problem"], "mutex");
    assert_eq!(run["outcome"], "done");
    assert_eq!(run["entries"], 3);
    assert_eq!(run["entry_order"], serde_json::json!([0, 1, 2]));
    assert_eq!(run["messages"]["per_entry"]["mean"], 4.0);
    assert_eq!(run["in_section_max"], 1);
}

#[test]
fn anonymous_leaders_have_no_identity() {
    let run = json(&["run", "probabilistic-franklin", "-n", "5", "--seed", "1", "--json"]);
    assert_eq!(run["outcome"], "elected");
    assert_eq!(run["leader"]["id"], Value::Null);
    assert_eq!(run["ids"], Value::Null);
}

#[test]
fn identities_up_to_ten_thousand() {
    let ids = |n: &str| json(&["run", "lcr", "-n", n, "--ids", "ascending", "--json"])["ids"].clone();
    assert_eq!(ids("10000").as_array().map(Vec::len), Some(10_000));
    assert_eq!(ids("10001"), Value::Null);
}

#[test]
fn numbers_as_people_write_them() {
    for text in ["1000", "1e3", "1k", "1_000", "10^3"] {
        assert_eq!(json(&["run", "lcr", "-n", text, "--json"])["nodes"], 1000, "{text}");
    }
    assert_eq!(json(&["run", "lcr", "-n", "2^10", "--json"])["nodes"], 1024);
    assert_eq!(json(&["run", "lcr", "--seed", "2^63", "--json"])["seed"], 1u64 << 63);
    assert_eq!(json(&["run", "lcr", "--json"])["nodes"], 8);
}

#[test]
fn exit_codes() {
    assert_eq!(run(&["run", "peterson"]).code, 0);
    let limit = run(&["run", "peterson", "--max-steps", "10", "--json"]);
    assert_eq!(limit.code, 3);
    assert!(limit.out.contains("\"outcome\":\"limit\""), "{}", limit.out);
    // Without FIFO links there are schedules under which two lead, or nobody.
    let broken = (0..200).map(|seed| seed.to_string()).find_map(|seed| {
        let args = [
            "run",
            "peterson",
            "-n",
            "4",
            "--links",
            "bag",
            "--schedule",
            "random",
            "--unsound",
            "--seed",
            &seed,
        ];
        let ran = run(&args);
        assert!(ran.code == 0 || ran.code == 1, "{}", ran.err);
        assert!(ran.out.contains("outside its assumptions: "), "{}", ran.out);
        (ran.code == 1).then_some(ran)
    });
    assert!(broken.expect("one of 200 schedules goes wrong").out.contains('✗'));
}

#[test]
fn the_meters_come_when_asked_for() {
    let plain = json(&["run", "peterson", "--json"]);
    assert!(["bits", "depth", "load"].iter().all(|meter| plain[*meter].is_null()));
    let metered = json(&["run", "peterson", "--json", "--meter", "bits,depth", "--meter", "load"]);
    assert!(metered["bits"].as_u64().unwrap() > 0);
    assert!(metered["depth"].as_u64().unwrap() > 0);
    assert_eq!(keys(&metered["load"]), ["min", "mean", "max"]);
}
