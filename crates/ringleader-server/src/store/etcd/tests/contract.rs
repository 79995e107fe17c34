//! The contract of a store, kept by a real etcd that is killed, paused, and whose answers get lost.

use super::*;
use crate::store::tests::contract::{Clients, Finds};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::AtomicBool;

/// Stands before an etcd, and loses its answers when it is told to: what was asked is done all the same.
struct Proxy {
    port: u16,
    loses: Arc<AtomicBool>,
}

impl Proxy {
    fn start(etcd: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let loses = Arc::new(AtomicBool::new(false));
        let lost = loses.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(("127.0.0.1", etcd))) else {
                    continue;
                };
                let ends = (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
                std::thread::spawn(move || carry(client, server, &AtomicBool::new(false)));
                let lost = lost.clone();
                std::thread::spawn(move || carry(ends.1, ends.0, &lost));
            }
        });
        Proxy { port, loses }
    }
}

/// Carries bytes one way until one end is gone, or something is to be lost: then both ends are.
fn carry(mut from: TcpStream, mut to: TcpStream, loses: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(length) = from.read(&mut bytes) {
        if length == 0 || loses.load(Ordering::SeqCst) || to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

impl Etcd {
    fn signal(&self, signal: &str) {
        let sent = Program::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "how much was seen is for people")]
async fn etcd_keeps_the_contract() {
    let Some(mut etcd) = Etcd::start() else { return };
    let first = etcd.open(etcd.options(1)).await.read().await.expect("it answers");
    let proxy = Proxy::start(etcd.client);
    let mut stores: Vec<Arc<dyn ViewStore>> = Vec::new();
    for _ in 0..3 {
        let endpoints = vec![format!("http://127.0.0.1:{}", proxy.port)];
        // Short, so that something is given up that happens later.
        let (read_within, propose_within) = (Duration::from_millis(500), Duration::from_millis(500));
        let options = EtcdOptions { endpoints, read_within, propose_within, ..etcd.options(1) };
        stores.push(Arc::new(etcd.open(options).await));
    }
    let finds: Finds = Arc::new(move |server| stores.get(usize::from(server)).cloned());
    let clients = Clients::start(first, 3, 2, 1, &finds);
    for fault in (0..3).cycle().take(9) {
        let before = clients.answered();
        let deadline = Instant::now() + PATIENCE;
        while clients.answered() < before + 60 {
            assert!(Instant::now() < deadline, "nothing is answered any more");
            sleep(Duration::from_millis(10)).await;
        }
        match fault {
            0 => {
                etcd.kill();
                sleep(Duration::from_millis(200)).await;
                etcd.restart();
            }
            1 => {
                etcd.signal("-STOP");
                sleep(Duration::from_millis(800)).await;
                etcd.signal("-CONT");
            }
            _ => {
                proxy.loses.store(true, Ordering::SeqCst);
                sleep(Duration::from_millis(500)).await;
                proxy.loses.store(false, Ordering::SeqCst);
            }
        }
    }
    let seen = clients.judge().await.expect("it is one view");
    eprintln!("{seen:?}");
    assert!(seen.errors > 0 && seen.epochs > 0, "{seen:?}");
}
