//! `ringleader serve` over a real socket: what it gives, whom it refuses, how it stops.

use super::{ringleader, run, unfolded};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A server of this test, on a port of its own.
struct Served {
    child: Child,
    port: u16,
    ready: Value,
}

impl Served {
    fn start(args: &[&str]) -> Served {
        let mut words = vec!["serve", "--json"];
        words.extend(args);
        let mut command = ringleader(&words);
        command.env_remove("RINGLEADER_LISTEN").env_remove("RINGLEADER_SERVE_TOKEN");
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line when it is ready");
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let address = ready["address"].as_str().expect("an address");
        let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        Served { child, port, ready }
    }

    fn here() -> Served {
        Served::start(&["--listen", "127.0.0.1:0"])
    }

    /// Says these bytes; gives the status, the head and the body.
    fn say(&self, bytes: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // A server that has heard enough may close before everything is said.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
        let length = body.len();
        let host = if headers.to_ascii_lowercase().contains("host:") { "" } else { "Host: localhost\r\n" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        self.say(format!("{head}{body}").as_bytes())
    }

    fn ask(&self, verb: &str, question: &Value) -> (u16, Value) {
        let (status, head, body) = self.request("POST", &format!("/api/{verb}"), "", &question.to_string());
        assert!(head.contains("content-type: application/json"), "{head}");
        (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}")))
    }

    /// What it refuses, with the status.
    fn refused(&self, verb: &str, question: &Value) -> (u16, String) {
        let (status, answer) = self.ask(verb, question);
        let error = &answer["error"];
        assert!(error["message"].as_str().is_some_and(|text| text.len() > 10), "{answer}");
        (status, error["code"].as_str().expect("a code").to_owned())
    }
}

/// What a server answers to a question.
pub(super) fn post(address: &str, path: &str, question: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = question.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{question}").as_bytes()).expect("it hears");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or(answer)
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn peterson() -> Value {
    json!({ "source": { "kind": "run", "algorithm": "peterson", "options": { "ids": "3,7,4,1" } }, "edits": [] })
}

#[test]
fn the_page_and_its_assets_are_inside() {
    let served = Served::here();
    let (status, head, body) = served.request("GET", "/", "", "");
    assert_eq!(status, 200);
    for part in
        ["text/html", "default-src 'self'", "x-content-type-options: nosniff", "cache-control: no-cache"]
    {
        assert!(head.contains(part), "{part}: {head}");
    }
    assert!(body.contains("<title>Ringleader</title>"), "{body}");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    assert_eq!(served.request("GET", "/", &format!("If-None-Match: {tag}\r\n"), "").0, 304);
    let script =
        body.split('"').find(|word| word.ends_with(".js")).expect("a script").trim_start_matches('.');
    let (status, head, _) = served.request("GET", script, "", "");
    assert!(status == 200 && head.contains("text/javascript") && head.contains("immutable"), "{head}");
    for path in
        ["/../Cargo.toml", "/assets/../../Cargo.toml", "/%2e%2e/Cargo.toml", "/..%2fCargo.toml", "/.git"]
    {
        let (status, _, body) = served.request("GET", path, "", "");
        assert!(status == 404 && body.contains("not_found"), "{path}: {status} {body}");
    }
}

#[test]
fn answers_and_scripts_are_compressed_for_those_who_take_them_so() {
    let served = Served::here();
    let gzip = "Accept-Encoding: gzip, deflate, br\r\n";
    let length = |head: &str| -> usize {
        let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        line.and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("no length: {head}"))
    };
    let (status, head, _) = served.request("POST", "/api/about", gzip, "{}");
    assert!(status == 200 && head.contains("content-encoding: gzip"), "{head}");
    let (_, plain, body) = served.request("POST", "/api/about", "", "{}");
    assert!(!plain.contains("content-encoding") && body.starts_with('{'), "{plain}");
    assert!(length(&head) * 3 < length(&plain), "{head}");
    let (_, head, _) = served.request("GET", "/", gzip, "");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    assert_eq!(served.request("GET", "/", &format!("{gzip}If-None-Match: {tag}\r\n"), "").0, 304);
}

#[test]
fn frames_are_for_those_who_are_named() {
    let (_, head, _) = Served::here().request("GET", "/", "", "");
    assert!(head.contains("frame-ancestors 'none'\r\n"), "{head}");
    let allow = "--allow-frame";
    let named =
        ["--listen", "127.0.0.1:0", allow, "https://moodle.example.org", allow, "http://localhost:8080/"];
    let (_, head, _) = Served::start(&named).request("GET", "/", "", "");
    assert!(head.contains("frame-ancestors https://moodle.example.org http://localhost:8080\r\n"), "{head}");
    for bad in ["*", "moodle.example.org", "https://example.org/course", "https://a; script-src *"] {
        let refused = run(&["serve", allow, bad]);
        assert_eq!(refused.code, 2, "{bad}: {}", refused.err);
        assert!(
            unfolded(&refused.err).contains("such as https://moodle.example.org"),
            "{bad}: {}",
            refused.err
        );
    }
}

#[test]
fn verbs_are_answered() {
    let served = Served::here();
    let (status, about) = served.ask("about", &json!({}));
    assert_eq!((status, &about["schema"]), (200, &json!("ringleader.page/1")));
    let (status, open) = served.ask("open", &peterson());
    assert_eq!((status, &open["report"]["outcome"]), (200, &json!("elected")));
    let mut question = peterson();
    (question["from"], question["to"]) = (json!(2), json!(5));
    let (status, events) = served.ask("events", &question);
    assert_eq!((status, events["events"].as_array().map(Vec::len)), (200, Some(3)));
    assert_eq!(events["events"][0]["step"], json!(2));
}

#[test]
fn what_is_exported_is_imported_again() {
    let served = Served::here();
    let mut question = peterson();
    for kind in ["svg", "html", "shiviz", "chrome", "mermaid", "itf", "jsonl", "trace"] {
        question["kind"] = json!(kind);
        let (status, file) = served.ask("export", &question);
        assert!(
            status == 200 && file["text"].as_str().is_some_and(|text| text.len() > 100),
            "{kind}: {file}"
        );
    }
    let (_, file) = served.ask("export", &question);
    let trace = file["text"].as_str().expect("a text");
    let (status, imported) = served.ask("import", &json!({ "name": "../a b.rlt", "text": trace }));
    assert_eq!(status, 200, "{imported}");
    let (_, run) = served.ask("open", &json!({ "source": imported["source"], "edits": [] }));
    let (_, original) = served.ask("open", &peterson());
    assert_eq!(run["command"], json!("ringleader replay 'a b.rlt'"));
    for field in ["messages", "leader", "steps", "outcome", "properties"] {
        assert_eq!(run["report"][field], original["report"][field], "{field}");
    }
    let broken = trace.replacen("\n{", "\n{oops ", 1);
    let (status, answer) = served.ask("import", &json!({ "name": "run.rlt", "text": broken }));
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(status == 400 && message.contains("line 2, column 2"), "{answer}");
    assert_eq!(served.refused("import", &json!({ "name": "x", "text": "hello" })).1, "ringleader::bad_trace");
}

#[test]
fn bad_verbs_are_refused_with_a_reason() {
    let served = Served::here();
    let run = |nodes: &str| {
        let source = json!({ "kind": "run", "algorithm": "peterson", "options": { "nodes": nodes } });
        json!({ "source": source })
    };
    assert_eq!(served.refused("open", &run("1000001")), (400, "ringleader::too_large".into()));
    assert_eq!(served.refused("open", &run("lots")), (400, "ringleader::usage".into()));
    assert_eq!(served.refused("open", &json!("?")), (400, "ringleader::bad_question".into()));
    assert_eq!(served.refused("dance", &json!({})), (404, "ringleader::unknown_verb".into()));
    assert_eq!(served.refused("../open", &json!({})).0, 404);
    assert_eq!(served.request("GET", "/api/about", "", "").0, 405);
    assert_eq!(served.request("DELETE", "/", "", "").0, 405);
    // Refused by what it announces, before it is sent; and, where nothing is announced, when it has come too far.
    let head = "POST /api/open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    let (status, _, body) = served.say(format!("{head}Content-Length: 999999999999\r\n\r\n").as_bytes());
    assert!(status == 413 && body.contains("too large"), "{status} {body}");
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n1100000\r\n").into_bytes();
    chunked.resize(chunked.len() + 0x110_0000, b' ');
    chunked.extend(b"\r\n0\r\n\r\n");
    assert_eq!(served.say(&chunked).0, 413);
    let (status, _) = served.ask("about", &json!({}));
    assert_eq!(status, 200, "it goes on");
}

#[test]
fn strangers_are_turned_away() {
    let here = Served::here();
    let (status, _, body) = here.request("POST", "/api/about", "Host: evil.example\r\n", "{}");
    assert!(status == 403 && body.contains("wrong_host"), "{status} {body}");
    assert_eq!(here.request("GET", "/", "Host: evil.example\r\n", "").0, 403);
    let open = Served::start(&["--listen", "0.0.0.0:0", "--token", "lecture-1234"]);
    assert_eq!(open.ready["token"], json!("lecture-1234"));
    assert!(
        open.ready["url"].as_str().is_some_and(|url| url.ends_with("/?token=lecture-1234")),
        "{}",
        open.ready
    );
    let (status, _, body) = open.request("POST", "/api/about", "", "{}");
    assert!(status == 401 && body.contains("token"), "{status} {body}");
    let wrong = "Authorization: Bearer lecture-1235\r\n";
    assert_eq!(open.request("POST", "/api/about", wrong, "{}").0, 401);
    let right = "Authorization: Bearer lecture-1234\r\n";
    assert_eq!(open.request("POST", "/api/about", right, "{}").0, 200);
    let drawn = Served::start(&["--listen", "0.0.0.0:0"]);
    assert_eq!(drawn.ready["token"].as_str().map(str::len), Some(32));
}

#[test]
fn a_cluster_is_looked_at_if_one_is_named() {
    let without = Served::here();
    assert_eq!(without.refused("cluster", &json!({})), (404, "ringleader::no_cluster".into()));
    // Nobody is there: that is an answer too.
    let silent = Served::start(&["--listen", "127.0.0.1:0", "--cluster", "unix:no-such-folder/a.sock"]);
    let (status, answer) = silent.ask("cluster", &json!({}));
    assert_eq!((status, &answer["schema"]), (200, &json!("ringleader.cluster-status/1")));
    assert_eq!(answer["servers"][0]["reachable"], json!(false));
    assert!(answer["servers"][0]["error"].as_str().is_some_and(|why| why.len() > 10), "{answer}");
    for (words, said) in [
        (&["service.toml", "unix:a.sock"][..], "one file or addresses, not both"),
        (&["no-such-file.toml"], "cannot read no-such-file.toml"),
        (&["https://a.example"], "it has no port"),
        (&["https://a.example:7432"], "--authority ca.pem"),
        (&["http://a.example:7432"], "plain text"),
    ] {
        let refused = run(&[&["serve", "--cluster"], words].concat());
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.err);
        assert!(refused.err.contains(said), "{words:?}: {}", refused.err);
    }
    assert_eq!(run(&["serve", "--authority", "ca.pem"]).code, 2, "of which cluster?");
}

/// A process of this test that ends with it; TERM, so that it can end its own.
#[cfg(unix)]
struct Ended(Child);

#[cfg(unix)]
impl Drop for Ended {
    fn drop(&mut self) {
        let _ = std::process::Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn page_shows_service_with_stopped_server() {
    use std::time::{Duration, Instant};

    // In memory, where there is such a place: how slow the disk of this machine is must decide nothing.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("there is room");
    let keep = folder.path().join("service").display().to_string();
    let mut up = ringleader(&["up", "--service", "--json", "--keep", &keep]);
    let mut up = Ended(up.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().expect("the binary runs"));
    let mut line = String::new();
    let out = up.0.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("a line when it serves");
    let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let config = ready["config"].as_str().expect("a file").to_owned();

    let served = Served::start(&["--listen", "127.0.0.1:0", "--cluster", &config]);
    let until = |what: &str, is: &dyn Fn(&Value) -> bool| {
        let begun = Instant::now();
        loop {
            let (_, status) = served.ask("cluster", &json!({}));
            if is(&status) {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "{what}: {status}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let servers = |status: &Value| status["servers"].as_array().cloned().unwrap_or_default();
    let status = until("all are members, and one proposes", &|status| {
        servers(status).len() == 3
            && servers(status).iter().all(|server| server["joined"] == true)
            && servers(status).iter().any(|server| server["proposes"] == true)
    });
    assert_eq!(status["cluster"], ready["cluster"]);
    for server in servers(&status) {
        assert!(server["rtt_us"].as_u64().is_some_and(|us| us > 0), "{server}");
        assert!(server["certificate_days"].as_i64().is_some(), "{server}");
        assert!(server["leases_ms"]["normal"].as_u64().is_some_and(|ms| ms > 0), "{server}");
    }

    // Of the longest lease: nobody loses it because the machine has other things to do.
    let words = ["lock", "batch/demo", "--class", "batch", "--config", &config, "--", "sleep", "300"];
    let _holder = Ended(ringleader(&words).stdin(Stdio::null()).spawn().expect("the binary runs"));
    let held = until("the lock is held", &|status| status["locks"][0]["state"] == "held");
    let lock = &held["locks"][0];
    assert_eq!((&lock["name"], &lock["kind"]), (&json!("batch/demo"), &json!("lock")));
    let fence = lock["fence"].as_str().and_then(|fence| fence.parse::<u64>().ok());
    assert!(fence.is_some_and(|fence| fence > 0), "{lock}");
    assert!(lock["remaining_ms"].as_u64() <= lock["lease_ms"].as_u64(), "{lock}");
    let owner = lock["owner_server"].as_str().expect("a server has it").to_owned();

    let other = ready["servers"].as_array().and_then(|all| all.iter().find(|one| one["name"] != *owner));
    let (other, pid) =
        other.map(|one| (one["name"].clone(), one["pid"].to_string())).expect("there are three");
    let stopped = std::process::Command::new("kill").args(["-STOP", &pid]).status();
    assert!(stopped.is_ok_and(|stopped| stopped.success()));
    let status = until("it does not answer, and the view is without it", &|status| {
        let others = servers(status).into_iter().filter(|server| server["name"] != other);
        let newer = |server: &Value| server["epoch"].as_u64() > servers(&held)[0]["epoch"].as_u64();
        servers(status).iter().any(|server| server["name"] == other && server["reachable"] == false)
            && others.into_iter().all(|server| newer(&server))
    });
    let silent = servers(&status).into_iter().find(|server| server["name"] == other).expect("it is listed");
    assert!(silent["error"].as_str().is_some_and(|why| why.len() > 10), "{silent}");
    // Its locks were elsewhere: nothing happened to this one.
    let kept = until("the lock is held", &|status| status["locks"][0]["state"] == "held");
    assert_eq!(kept["locks"][0]["fence"], lock["fence"]);
    let going_on = std::process::Command::new("kill").args(["-CONT", &pid]).status();
    assert!(going_on.is_ok_and(|going_on| going_on.success()));
}

#[test]
fn an_address_that_cannot_be_had_is_said() {
    let served = Served::here();
    let address = format!("127.0.0.1:{}", served.port);
    let again = run(&["serve", "--listen", &address]);
    assert_eq!(again.code, 4);
    for part in ["ringleader::port_in_use", "already in use", "ringleader serve --listen 127.0.0.1:0"] {
        assert!(again.err.contains(part), "{part}: {}", again.err);
    }
    for bad in [
        &["serve", "--listen", "nowhere"][..],
        &["serve", "--token", "x"],
        &["serve", "--stories", "/nowhere"],
    ] {
        assert_eq!(run(bad).code, 2, "{bad:?}");
    }
}

#[cfg(unix)]
#[test]
fn it_stops_when_it_is_told_to() {
    for signal in ["-INT", "-TERM"] {
        let mut served = Served::here();
        let pid = served.child.id().to_string();
        assert!(
            std::process::Command::new("kill").args([signal, &pid]).status().is_ok_and(|told| told.success())
        );
        assert_eq!(served.child.wait().expect("it ends").code(), Some(0), "{signal}");
    }
}
