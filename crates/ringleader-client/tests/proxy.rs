//! The proxy in front of a storage that knows nothing of fences: what is stale does not arrive there.

use ringleader_client::fence::Gate;
use ringleader_client::proxy;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the storage has done: the first line and the body of each request.
type Kept = Arc<Mutex<Vec<String>>>;

/// A storage that does what it is sent. Some bodies say how: `slow`, `hold` (not before the test says so),
/// `hang up` (the answer is never sent), `gateway` and `accepted` (an answer that leaves the fate open).
fn storage() -> (SocketAddr, Kept) {
    let (address, kept, _release) = storage_with_release();
    (address, kept)
}

/// The same, and what lets one request with the body `hold` go on.
fn storage_with_release() -> (SocketAddr, Kept, Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("a port");
    let kept = Kept::default();
    let (release, released) = channel();
    let (list, released) = (Arc::clone(&kept), Arc::new(Mutex::new(released)));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (list, released) = (Arc::clone(&list), Arc::clone(&released));
            std::thread::spawn(move || take(stream, &list, &released));
        }
    });
    (address, kept, release)
}

fn take(mut stream: TcpStream, list: &Mutex<Vec<String>>, released: &Mutex<Receiver<()>>) {
    let mut text = String::new();
    let mut bytes = [0; 1024];
    let whole = |text: &str| {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        (body.len() >= length).then(|| (head.to_owned(), body.to_owned()))
    };
    while whole(&text).is_none() {
        match stream.read(&mut bytes) {
            Ok(count) if count > 0 => text.push_str(&String::from_utf8_lossy(&bytes[..count])),
            Ok(_) | Err(_) => return,
        }
    }
    let (head, body) = whole(&text).expect("it is complete");
    if body == "slow" {
        std::thread::sleep(Duration::from_millis(300));
    }
    if body == "hold" {
        let _ = released.lock().expect("nobody panics").recv();
    }
    let first = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    list.lock().expect("nobody panics").push(format!("{first} {body}"));
    if body == "hang up" {
        return;
    }
    let status = match body.as_str() {
        "gateway" => "504 Gateway Timeout",
        "accepted" => "202 Accepted",
        _ => "200 OK",
    };
    let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 4\r\nconnection: close\r\n\r\nkept");
}

/// The proxy with its fences in this file, in a thread that is never ended.
fn start(fences: &Path, storage: SocketAddr) -> SocketAddr {
    start_with(fences, storage, proxy::PATIENCE)
}

/// The same, with less patience.
fn start_with(fences: &Path, storage: SocketAddr, patience: Duration) -> SocketAddr {
    let gate = Gate::open(fences).expect("a file");
    let (tell, told) = channel();
    let storage = storage.to_string();
    std::thread::spawn(move || {
        proxy::serve("127.0.0.1:0", &storage, gate, patience, |address| {
            tell.send(address).expect("somebody waits");
        })
        .expect("it listens");
    });
    told.recv().expect("it listens")
}

/// The code and the body of the answer.
fn send(to: SocketAddr, method: &str, path: &str, fence: Option<&str>, body: &str) -> (u16, String) {
    let fence = fence.map_or_else(String::new, |fence| format!("ringleader-fence: {fence}\r\n"));
    send_with(to, method, path, &fence, body)
}

/// The same, with these lines as headers.
fn send_with(to: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(to).expect("somebody listens");
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let code = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a code");
    (code, answer.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
}

#[test]
fn what_is_stale_does_not_arrive() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let fences = folder.path().join("fences");
    let proxy = start(&fences, storage);
    let put = |path: &str, fence: Option<&str>, body: &str| send(proxy, "PUT", path, fence, body).0;
    assert_eq!(put("/report", Some("5"), "one"), 200);
    assert_eq!(put("/report", Some("7"), "two"), 200);
    let (code, why) = send(proxy, "PUT", "/report?x=1", Some("6"), "late");
    assert_eq!(code, 412);
    assert!(why.contains("fence 6 is stale: 7 was seen already"), "{why}");
    assert_eq!(put("/other", Some("6"), "three"), 200, "each path has its own");
    assert_eq!(put("/report", Some("7"), "four"), 200, "the same holder goes on");
    for bad in [None, Some(""), Some("x"), Some("-1"), Some("0")] {
        assert_eq!(put("/report", bad, "none"), 428, "{bad:?}");
    }
    assert_eq!(send(proxy, "DELETE", "/report", Some("6"), "").0, 412);
    assert_eq!(send(proxy, "GET", "/report", None, ""), (200, "kept".to_owned()));
    let expected =
        ["PUT /report one", "PUT /report two", "PUT /other three", "PUT /report four", "GET /report "];
    assert_eq!(*kept.lock().expect("nobody panics"), expected);
    // On the disk before it was let through.
    let text = std::fs::read_to_string(&fences).expect("text");
    assert!(text.starts_with("open 5 /report\ndone /report\nopen 7 /report\ndone /report\n"), "{text}");
}

#[test]
fn older_write_never_follows_newer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let fences = folder.path().join("fences");
    let proxy = start(&fences, storage);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(send(proxy, "PUT", "/x", Some("5"), "slow").0, 200));
        // It was let through, and the storage takes its time.
        while !std::fs::read_to_string(&fences).unwrap_or_default().contains("5 /x") {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(send(proxy, "PUT", "/x", Some("6"), "quick").0, 200);
    });
    assert_eq!(*kept.lock().expect("nobody panics"), ["PUT /x slow", "PUT /x quick"]);
}

#[test]
fn a_storage_that_is_not_there_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let proxy = start(&folder.path().join("fences"), nobody);
    let (code, why) = send(proxy, "PUT", "/x", Some("5"), "one");
    assert_eq!(code, 502, "{why}");
}

/// Asks again until the path is open and the storage has answered; patience of minutes, so that a slow
/// machine decides nothing. What is late may be done more than once.
fn put_when_open(proxy: SocketAddr, path: &str, fence: &str, body: &str) {
    for _ in 0..12_000 {
        match send(proxy, "PUT", path, Some(fence), body) {
            (200, _) => return,
            (503 | 504, _) => std::thread::sleep(Duration::from_millis(10)),
            other => panic!("{other:?}"),
        }
    }
    panic!("{path} stays shut");
}

/// Little patience: for writes that the storage does not answer before the test says so.
const HASTY: Duration = Duration::from_millis(200);

#[test]
fn pending_write_blocks_path_until_settled() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept, release) = storage_with_release();
    let proxy = start_with(&folder.path().join("fences"), storage, HASTY);
    assert_eq!(send(proxy, "PUT", "/a", Some("20"), "hold").0, 504);
    for fence in ["19", "20", "21"] {
        let (code, why) = send(proxy, "PUT", "/a", Some(fence), "next");
        assert_eq!(code, 503, "fence {fence}: {why}");
        assert!(why.contains("path_shut") && why.contains("Ringleader-Settled: 20"), "{why}");
    }
    assert_eq!(kept.lock().expect("nobody panics").len(), 0, "the storage has done nothing yet");
    release.send(()).expect("the storage waits");
    put_when_open(proxy, "/a", "21", "next");
    assert_eq!(send(proxy, "PUT", "/a", Some("20"), "late").0, 412);
    let mut kept = kept.lock().expect("nobody panics").clone();
    kept.dedup();
    assert_eq!(kept, ["PUT /a hold", "PUT /a next"]);
}

#[test]
fn write_without_an_answer_keeps_the_path_shut() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, _) = storage();
    for (number, (body, code)) in
        [("hang up", 502), ("gateway", 504), ("accepted", 202)].into_iter().enumerate()
    {
        let fences = folder.path().join(number.to_string());
        let proxy = start(&fences, storage);
        assert_eq!(send(proxy, "PUT", "/a", Some("20"), body).0, code, "{body}");
        assert_eq!(send(proxy, "PUT", "/a", Some("21"), "next").0, 503, "{body}");
        assert_eq!(send(proxy, "PUT", "/b", Some("21"), "other").0, 200, "other paths are open");
        assert_eq!(send(proxy, "GET", "/a", None, "").0, 200, "what is there may be read");
    }
}

#[test]
fn path_stays_shut_over_a_restart_of_the_proxy() {
    let folder = tempfile::tempdir().expect("a folder");
    let fences = folder.path().join("fences");
    // What a proxy leaves that was killed while a write was on its way.
    std::fs::write(&fences, "open 20 /a\nopen 5 /b\ndone /b\n").expect("it is written");
    let (storage, _) = storage();
    let proxy = start(&fences, storage);
    assert_eq!(send(proxy, "PUT", "/a", Some("21"), "next").0, 503);
    assert_eq!(send(proxy, "PUT", "/b", Some("6"), "next").0, 200);
}

#[test]
fn operator_opens_a_shut_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept, release) = storage_with_release();
    let proxy = start_with(&folder.path().join("fences"), storage, HASTY);
    let settle = |path: &str, fence: &str| {
        send_with(proxy, "POST", path, &format!("ringleader-settled: {fence}\r\n"), "").0
    };
    // One that is still on its way, as far as we know, and one whose connection is gone.
    for (path, body) in [("/a", "hold"), ("/b", "hang up")] {
        // A slow machine may be late with the second as well.
        assert!([502, 504].contains(&send(proxy, "PUT", path, Some("20"), body).0));
        assert_eq!(settle(path, "19"), 409, "another write than the one in question");
        assert_eq!(send(proxy, "PUT", path, Some("21"), "next").0, 503);
        assert_eq!(settle(path, "20"), 204);
        assert_eq!(settle(path, "20"), 409, "nothing is in question any more");
        put_when_open(proxy, path, "21", "next");
        assert_eq!(send(proxy, "PUT", path, Some("20"), "late").0, 412, "what was seen stays seen");
    }
    drop(release);
    let kept = kept.lock().expect("nobody panics");
    assert!(kept.iter().all(|line| !line.starts_with("POST")), "it is for the proxy alone: {kept:?}");
}

#[test]
fn write_that_was_not_sent_leaves_the_path_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let proxy = start(&folder.path().join("fences"), nobody);
    for _ in 0..2 {
        assert_eq!(send(proxy, "PUT", "/a", Some("20"), "one").0, 502);
    }
}

#[test]
fn path_spellings_share_one_fence() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let proxy = start(&folder.path().join("fences"), storage);
    assert_eq!(send(proxy, "PUT", "/a", Some("21"), "new").0, 200);
    let same = ["/a", "/%61", "//a", "///a", "/./a", "/a/", "/a//", "/a/.", "/x/../a", "/x/y/../../a"];
    let same = same.into_iter().chain(["/A", "/%41", "/a?x=1", "/a?", "/a;v=1", "/a%3Bv", "http://x/a"]);
    for path in same {
        let (code, why) = send(proxy, "PUT", path, Some("20"), "stale");
        assert_eq!(code, 412, "{path}: {why}");
    }
    assert_eq!(*kept.lock().expect("nobody panics"), ["PUT /a new"]);
}

#[test]
fn path_that_has_two_readings_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let proxy = start(&folder.path().join("fences"), storage);
    let doubtful = ["/x%2Fa", "/x%2fa", "/%2e/a", "/x/%2E%2E/a", "/x/.%2e/a", "/x\\a", "/x%5Ca", "/a%00"];
    let doubtful = doubtful.into_iter().chain(["/a%0A", "/a%7F", "/a%", "/a%6", "/a%zz", "/a%ff", "/%2561"]);
    for path in doubtful.chain(["/../a", "/x/../../a", "/x/..;/a", "/x/.;v=1/a", "*"]) {
        let (code, why) = send(proxy, "PUT", path, Some("21"), "no");
        assert_eq!(code, 400, "{path}: {why}");
    }
    assert_eq!(kept.lock().expect("nobody panics").len(), 0);
}

#[test]
fn storage_gets_the_path_that_was_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let proxy = start(&folder.path().join("fences"), storage);
    let ways = [
        ("//x/./y/../%61", "/x/a"),
        ("/Dir/", "/Dir/"),
        ("/a%c3%a4?q=%2F..", "/a%C3%A4?q=%2F.."),
        ("/a%3db", "/a%3Db"),
        ("/", "/"),
    ];
    for (number, (written, judged)) in ways.into_iter().enumerate() {
        let body = number.to_string();
        assert_eq!(send(proxy, "PUT", written, Some("7"), &body).0, 200, "{written}");
        assert_eq!(kept.lock().expect("nobody panics").last(), Some(&format!("PUT {judged} {body}")));
    }
}

#[test]
fn method_and_path_overrides_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (storage, kept) = storage();
    let proxy = start(&folder.path().join("fences"), storage);
    for method in ["MOVE", "COPY", "LINK", "TRACE"] {
        assert_eq!(send(proxy, method, "/b", Some("7"), "").0, 405, "{method}");
    }
    for header in ["X-HTTP-Method-Override: PUT", "X-HTTP-Method: PUT", "X-Original-URL: /a"] {
        assert_eq!(send_with(proxy, "GET", "/b", &format!("{header}\r\n"), "").0, 400, "{header}");
    }
    assert_eq!(kept.lock().expect("nobody panics").len(), 0);
}

#[test]
fn old_version_fences_cover_all_spellings() {
    let folder = tempfile::tempdir().expect("a folder");
    let fences = folder.path().join("fences");
    std::fs::write(&fences, "5 //A\n9 /%61\n7 /a\n3 /b%2Fc\n").expect("it is written");
    let (storage, _) = storage();
    let proxy = start(&fences, storage);
    assert_eq!(send(proxy, "PUT", "/a", Some("8"), "stale").0, 412);
    assert_eq!(send(proxy, "PUT", "/a", Some("9"), "same").0, 200);
}
