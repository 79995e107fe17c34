//! A server's mesh, and others who dial it in plain text.

use super::*;
use ringleader_net::mesh::write_frame;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

struct Requests(mpsc::UnboundedSender<Bytes>);

impl Inbound for Requests {
    fn message(&self, _: ServerId, _: Message) {}

    fn request(&self, _: ServerId, request: Bytes) -> Later<'static, Option<Bytes>> {
        let _ = self.0.send(request.clone());
        Box::pin(async move { Some(request) })
    }

    fn company(&self) {}
}

fn around(own: ServerId) -> Surroundings {
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let (cluster, addresses) = ("test".to_owned(), vec![String::new(); 3]);
    Surroundings { cluster, own, names, addresses, trust: Trust::new(Means::Plain), bounds: bounds() }
}

/// The mesh of the first server; where it listens, and what others ask it.
async fn mesh() -> (Mesh, SocketAddr, mpsc::UnboundedReceiver<Bytes>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let at = listener.local_addr().expect("an address");
    let (mesh, (queue, served)) = (Mesh::new(around(0)), Queue::new());
    let (asks, asked) = mpsc::unbounded_channel();
    mesh.start(Arc::new(Requests(asks)));
    tokio::spawn(served);
    tokio::spawn(mesh.clone().listens(listener, queue));
    (mesh, at, asked)
}

/// A connection on which somebody has said this, and has read the greeting of the first server.
async fn dial(at: SocketAddr, greeting: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.expect("it listens");
    let mut bytes = Vec::new();
    write_frame(&mut bytes, |out| out.extend_from_slice(greeting));
    stream.write_all(&bytes).await.expect("it reads");
    let length = stream.read_u32().await.expect("a greeting");
    stream.read_exact(&mut vec![0; length as usize]).await.expect("a whole one");
    stream
}

fn greeting(own: ServerId) -> Vec<u8> {
    Mesh::new(around(own)).greeting().expect("servers greet")
}

async fn ask(stream: &mut TcpStream, id: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_frame(&mut bytes, |out| {
        out.push(Kind::Request as u8);
        out.extend_from_slice(&id.to_le_bytes());
    });
    stream.write_all(&bytes).await.expect("it reads");
    let length = stream.read_u32().await.expect("an answer");
    let mut answer = vec![0; length as usize];
    stream.read_exact(&mut answer).await.expect("a whole one");
    answer
}

#[tokio::test]
async fn newer_connection_of_a_peer_takes_over() {
    let (mesh, at, mut asked) = mesh().await;
    let answer = |id: u64| [&[Kind::Response as u8][..], &id.to_le_bytes()].concat();
    let mut first = dial(at, &greeting(2)).await;
    assert_eq!(ask(&mut first, 7).await, answer(7));
    let mut second = dial(at, &greeting(2)).await;
    assert_eq!(ask(&mut second, 8).await, answer(8));
    assert_eq!(first.read(&mut [0; 1]).await.ok(), Some(0), "the first is closed");
    assert_eq!(mesh.connected(), [2]);
    asked.recv().await.expect("the first question");
    asked.recv().await.expect("the second");
    assert!(asked.is_empty(), "nothing is heard twice");
}

#[tokio::test]
async fn only_greetings_of_later_servers_are_heard() {
    let (mesh, at, _asked) = mesh().await;
    let instead = |from: &str, to: &str| {
        let text = greeting(2).iter().map(|byte| char::from(*byte)).collect::<String>().replace(from, to);
        text.chars().map(|char| char as u8).collect::<Vec<u8>>()
    };
    let wrong =
        [greeting(0), greeting(9), instead("test", "prod"), instead("a,b,c", "a,c,b"), b"\x01no".to_vec()];
    for greeting in wrong {
        let mut stream = dial(at, &greeting).await;
        assert_eq!(stream.read(&mut [0; 1]).await.ok(), Some(0), "it is turned away");
    }
    assert_eq!(mesh.connected(), Vec::<ServerId>::new());
    assert_eq!(mesh.tally().refused.load(Ordering::Relaxed), 5);
}
