//! A member that says what the test wants: its status, over HTTP, on a port of its own.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What it says of the group `main`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Says {
    /// It leads this epoch, for so long.
    Leads { epoch: u64, valid_ms: u64 },
    /// Another leads.
    Follows,
    /// It leads, and is about to stop.
    Leaves,
    /// Nothing: connections are closed.
    Nothing,
    /// These bytes.
    Bytes(&'static str),
}

pub(super) struct Fake {
    pub(super) address: String,
    says: Arc<Mutex<Says>>,
    asked: Arc<Mutex<u64>>,
}

impl Fake {
    /// A member of cluster `demo` with this name.
    pub(super) fn new(name: &'static str, says: Says) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a port").to_string();
        let (says, asked) = (Arc::new(Mutex::new(says)), Arc::new(Mutex::new(0)));
        let (shared, count) = (Arc::clone(&says), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let now = shared.lock().expect("nobody panics").clone();
                answer(stream, name, &now);
                *count.lock().expect("nobody panics") += 1;
            }
        });
        Fake { address, says, asked }
    }

    pub(super) fn says(&self, says: Says) {
        *self.says.lock().expect("nobody panics") = says;
    }

    /// How often it was asked.
    pub(super) fn asked(&self) -> u64 {
        *self.asked.lock().expect("nobody panics")
    }
}

fn answer(mut stream: TcpStream, name: &str, says: &Says) {
    let mut request: Vec<u8> = Vec::new();
    let mut bytes = [0; 512];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut bytes) {
            Ok(count) if count > 0 => request.extend(&bytes[..count]),
            Ok(_) | Err(_) => return,
        }
    }
    let body = match says {
        Says::Nothing => return,
        Says::Bytes(bytes) => (*bytes).to_owned(),
        Says::Leads { epoch, valid_ms } => status(name, *epoch, Some(*valid_ms), false).to_string(),
        Says::Leaves => status(name, 1, Some(5000), true).to_string(),
        Says::Follows => status(name, 1, None, false).to_string(),
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

fn status(name: &str, epoch: u64, valid_ms: Option<u64>, leaving: bool) -> Value {
    let leads = valid_ms.is_some();
    json!({
        "schema": "ringleader.status/1", "cluster": "demo", "member": name, "place": 1, "incarnation": 1,
        "at_us": 1, "wall_ms": wall_ms(), "leaving": leaving, "version": "0.1.0", "drift_ppm": 5000,
        "peers": [{ "member": "a", "incarnation": 1, "connected": true, "heard": true, "phi": 0.1,
            "round_trip_us": 123, "unacknowledged": 0, "clock_off_ppm": 0 }],
        "groups": [{ "name": "main", "algorithm": "franklin", "problem": "election",
            "epoch": { "number": epoch, "steward": "a" }, "participants": ["a", "b", "c"], "phase": "running",
            "position": if leads { "leader" } else { "lost" }, "leads": leads, "valid_ms": valid_ms,
            "leader": if leads { name } else { "a" }, "messages": { "total": 12, "by_kind": { "probe": 12 } },
            "sent_ever": 12, "bytes_ever": 99, "received_ever": 12, "refused_old": 0, "entries": 0, "lost": 0,
            "epochs": 1, "fields": {} }],
    })
}

fn wall_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    since.as_millis() as u64
}

/// A configuration of three members on this machine, with the status of `b` there.
pub(super) fn config(name: &str, lease: &str, status: &str) -> String {
    let text = format!(
        "schema = 'ringleader.cluster/1'\ncluster = 'demo'\n[plain]\nallowed = true\n\
         [[member]]\nname = 'a'\naddress = '127.0.0.1:1'\n\
         [[member]]\nname = 'b'\naddress = '127.0.0.1:2'\nstatus = '{status}'\n\
         [[member]]\nname = 'c'\naddress = '127.0.0.1:3'\n\
         [[group]]\nname = 'main'\nalgorithm = 'franklin'\n\
         [[group]]\nname = 'door'\nalgorithm = 'ricart-agrawala'\n\
         [timing]\nlease = '{lease}'\n"
    );
    super::file(name, text)
}
