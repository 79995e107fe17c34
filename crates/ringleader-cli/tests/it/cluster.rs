//! Certificates, doctor and status from outside.

use super::fake::{Fake, Says, config};
use super::{json, path, run};
use std::net::TcpListener;

/// An empty folder of this test.
fn folder(name: &str) -> String {
    let folder = path(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder in the target directory");
    folder
}

#[cfg(unix)]
fn mode(file: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn certificates_are_made_and_shown() {
    let folder = folder("cert");
    let ran = run(&["cert", "init", "--cluster", "demo", "--dir", &folder]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("authority CN=ringleader demo CA"), "{}", ran.out);
    let made = json(&["cert", "issue", "a", "b", "--cluster", "demo", "--dir", &folder, "--json"]);
    assert_eq!(made["schema"], "ringleader.cert/1");
    assert_eq!(made["certificates"][1]["names"][0], "b.demo.ringleader");
    #[cfg(unix)]
    for name in ["ca.key", "a.key", "b.key"] {
        assert_eq!(mode(&format!("{folder}/{name}")), 0o600, "{name}");
    }
    let shown = run(&["cert", "show", &format!("{folder}/b.pem")]);
    assert!(shown.out.contains("b.demo.ringleader") && shown.out.contains(" days left"), "{}", shown.out);
    let shown = json(&["cert", "show", &format!("{folder}/ca.pem"), "--json"]);
    assert_eq!(shown["certificates"][0]["authority"], true);

    // Nothing is replaced unasked, and nothing is made when one of them is there.
    let ran = run(&["cert", "issue", "c", "b", "--cluster", "demo", "--dir", &folder]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("b.pem exists already") && ran.err.contains("--force"), "{}", ran.err);
    assert!(!std::path::Path::new(&format!("{folder}/c.pem")).exists());
    assert_eq!(run(&["cert", "init", "--cluster", "demo", "--dir", &folder]).code, 2);
    assert_eq!(run(&["cert", "issue", "b", "--cluster", "demo", "--dir", &folder, "--force"]).code, 0);

    let empty = path("cert-none");
    let ran = run(&["cert", "issue", "b", "--cluster", "demo", "--dir", &empty]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("ringleader cert init --cluster demo"), "{}", ran.err);
    for (args, code) in [
        (&["cert", "init", "--cluster", "De Mo"][..], 2),
        (&["cert", "issue", "b"], 2),
        (&["cert", "show", "/no/such/file"], 2),
        (&["cert", "init", "--cluster", "demo", "--days", "0"], 2),
        (&["cert", "init", "--cluster", "demo", "--days", "4000000000", "--dir", &folder, "--force"], 2),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
    }
}

/// A configuration with certificates, on ports that were free a moment ago.
fn certified(name: &str) -> (String, String) {
    let folder = folder(name);
    let port = || TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("a port").port();
    let member = |name: &str| {
        let (address, status) = (port(), port());
        format!(
            "[[member]]\nname = '{name}'\naddress = '127.0.0.1:{address}'\nstatus = '127.0.0.1:{status}'\n"
        )
    };
    let file = format!("{folder}/cluster.toml");
    let text = format!(
        "schema = 'ringleader.cluster/1'\ncluster = 'demo'\n\
         [tls]\nauthority = 'ca.pem'\ncertificate = '{{name}}.pem'\nkey = '{{name}}.key'\n{}{}{}\
         [[group]]\nname = 'main'\nalgorithm = 'franklin'\n",
        member("a"),
        member("b"),
        member("c")
    );
    std::fs::write(&file, text).expect("a file in the target directory");
    assert_eq!(run(&["cert", "init", "--cluster", "demo", "--dir", &folder]).code, 0);
    assert_eq!(run(&["cert", "issue", "--config", &file, "--dir", &folder]).code, 0);
    (folder, file)
}

#[test]
fn doctor_explains_each_fault() {
    let (folder, file) = certified("doctor");
    let doctor = |more: &[&str]| {
        let mut args = vec!["doctor", "--config", &file];
        args.extend(more);
        run(&args)
    };
    // Nobody else is up: that is wrong, and it is said how to start them.
    let ran = doctor(&["--name", "b"]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    for expected in [
        "✓ config",
        "✓ files",
        "✓ certificate b.demo, of this authority, valid until",
        "is free, for the others",
        "✓ clock",
        "✗ peer        a does not answer at 127.0.0.1",
        "connection refused",
        "node --config",
    ] {
        assert!(ran.out.contains(expected), "{expected}\n{}", ran.out);
    }
    let report = json(&["doctor", "--config", &file, "--name", "b", "--peer", "c", "--json"]);
    assert_eq!((&report["schema"], &report["well"]), (&"ringleader.doctor/1".into(), &false.into()));
    let about = |wanted: &str| {
        let findings = report["findings"].as_array().expect("findings").iter();
        findings.filter(|finding| finding["about"] == wanted).count()
    };
    assert_eq!(about("peer"), 1, "only the one that was asked for: {report}");

    let found = |expected: &str, more: &[&str]| {
        let ran = doctor(more);
        assert!(ran.out.contains(expected), "{expected}\n{}", ran.out);
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = format!("{folder}/b.key");
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("our own file");
        found("⚠ files       ", &["--name", "b"]);
        found("chmod 600", &["--name", "b"]);
    }
    std::fs::copy(format!("{folder}/a.key"), format!("{folder}/b.key")).expect("our own file");
    found("b.key is not the key of", &["--name", "b"]);
    std::fs::copy(format!("{folder}/a.pem"), format!("{folder}/b.pem")).expect("our own file");
    found("is for a.demo.ringleader, not for b.demo.ringleader", &["--name", "b"]);
    std::fs::remove_file(format!("{folder}/b.pem")).expect("our own file");
    found("✗ files       cannot read the certificate of this member", &["--name", "b"]);
    let other = path("doctor-other");
    let _ = std::fs::remove_dir_all(&other);
    assert_eq!(run(&["cert", "init", "--cluster", "demo", "--dir", &other]).code, 0);
    std::fs::copy(format!("{other}/ca.pem"), format!("{folder}/ca.pem")).expect("our own file");
    found("c.pem would be refused: its certificate is not of the cluster's authority", &["--name", "c"]);
    assert_eq!(doctor(&["--name", "d"]).code, 2);
    assert_eq!(doctor(&["--peer", "d"]).code, 2);
}

#[test]
fn doctor_sees_ports_that_are_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let file = config("doctor-taken.toml", "1s", &taken.local_addr().expect("a port").to_string());
    let ran = run(&["doctor", "--config", &file, "--name", "b"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.out.contains("for its status: already in use"), "{}", ran.out);
    assert!(ran.out.contains("ss -ltnp"), "{}", ran.out);
}

#[test]
fn status_says_who_leads_and_who_does_not_answer() {
    let fake = Fake::new("b", Says::Leads { epoch: 4, valid_ms: 900 });
    let file = config("status.toml", "1s", &fake.address);
    let ran = run(&["status", "--config", &file]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("yes, 900 ms") && ran.out.contains("1 of 1") && ran.out.contains("0.123 ms"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("b leads main") && ran.err.contains("a does not answer"), "{}", ran.err);
    let all = json(&["status", "--config", &file, "--json"]);
    assert_eq!(all["schema"], "ringleader.cluster-status/1");
    assert_eq!(all["leaders"]["main"], "b");
    assert_eq!(all["members"][1]["status"]["groups"][0]["epoch"]["number"], 4);
    assert_eq!(all["members"][0]["up"], false);

    fake.says(Says::Follows);
    let ran = run(&["status", "--config", &file, "--name", "b"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("a?") && ran.err.contains("nobody leads main"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("hearsay"), "{}", ran.err);
    assert_eq!(run(&["status", "--at", &fake.address]).code, 1);
    fake.says(Says::Leads { epoch: 4, valid_ms: 900 });
    assert_eq!(run(&["status", "--at", &fake.address]).code, 0, "no configuration is needed");
    for says in [Says::Nothing, Says::Bytes("<html>"), Says::Bytes("{}")] {
        fake.says(says.clone());
        assert_eq!(run(&["status", "--config", &file]).code, 4, "{says:?}");
    }
    // Another member, or another cluster, has the port.
    let stranger = Fake::new("c", Says::Leads { epoch: 4, valid_ms: 900 });
    let file = config("status-stranger.toml", "1s", &stranger.address);
    let ran = run(&["status", "--config", &file]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("is member `c` of cluster `demo`"), "{}", ran.err);
    assert_eq!(run(&["status", "--config", &file, "--name", "a"]).code, 2, "it has nowhere to be asked");
}

#[test]
fn quiet_up_prints_nothing() {
    let words = "up -n 3 --algorithm chang-roberts --once --for 300s --pause 60s --seed 7 --quiet";
    let ran = run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
}

#[test]
#[cfg(unix)]
fn up_json_is_one_object_and_events_are_in_the_file() {
    let folder = folder("up-json");
    let (events, record) = (format!("{folder}/events"), format!("{folder}/run.rlt"));
    // A silence that no machine reaches, however busy.
    let words = "up -n 3 --algorithm chang-roberts --once --for 300s --pause 60s --seed 7 --json --events";
    let words: Vec<&str> = words.split(' ').chain([events.as_str(), "--record", &record]).collect();
    let summary = json(&words);
    assert_eq!((&summary["schema"], &summary["outcome"]), (&"ringleader.up/1".into(), &"elected".into()));
    assert_eq!(summary["messages"], summary["simulated"], "{summary}");
    assert_eq!(summary["recorded"][0]["left_out"], 0, "{summary}");
    let file = summary["recorded"][0]["file"].as_str().expect("a file");
    assert!(std::fs::metadata(file).is_ok_and(|file| file.len() > 0), "{summary}");
    let events = std::fs::read_to_string(&events).expect("the events");
    let leads: Vec<serde_json::Value> =
        events.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let leads: Vec<_> = leads.iter().filter(|line| line["event"] == "leader_elected").collect();
    assert_eq!(leads.len(), 1, "{events}");
    assert_eq!((&leads[0]["member"], &leads[0]["epoch"]), (&summary["leader"]["member"], &summary["epoch"]));
}
