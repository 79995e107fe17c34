//! The proxy in front of a storage that knows nothing of fences: what is stale does not arrive there.

use ringleader_client::fence::Gate;
use ringleader_client::proxy;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A storage that keeps what it was sent: the first line and the body of each request. One body is slow.
fn storage() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("a port");
    let kept = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&kept);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let list = Arc::clone(&list);
            std::thread::spawn(move || take(stream, &list));
        }
    });
    (address, kept)
}

fn take(mut stream: TcpStream, list: &Mutex<Vec<String>>) {
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
    let first = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    list.lock().expect("nobody panics").push(format!("{first} {body}"));
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nkept");
}

/// The proxy with its fences in this file, in a thread that is never ended.
fn start(fences: &Path, storage: SocketAddr) -> SocketAddr {
    let gate = Gate::open(fences).expect("a file");
    let (tell, told) = channel();
    let storage = storage.to_string();
    std::thread::spawn(move || {
        proxy::serve("127.0.0.1:0", &storage, gate, |address| tell.send(address).expect("somebody waits"))
            .expect("it listens");
    });
    told.recv().expect("it listens")
}

/// The code and the body of the answer.
fn send(to: SocketAddr, method: &str, path: &str, fence: Option<&str>, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(to).expect("somebody listens");
    let fence = fence.map_or_else(String::new, |fence| format!("ringleader-fence: {fence}\r\n"));
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{fence}content-length: {length}\r\n\r\n{body}"
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
    assert_eq!(text, "5 /report\n7 /report\n6 /other\n");
}

#[test]
fn an_older_one_on_its_way_does_not_arrive_after_a_newer_one() {
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
