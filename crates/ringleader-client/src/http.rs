//! One call over HTTP/1.1 and its whole answer, with bounds: what every client of this workspace asks with. Over TCP,
//! TLS or a Unix socket; a connection is kept for the next call if the other side keeps it.

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

/// A request with its whole body.
pub type Question = Request<Full<Bytes>>;

/// What a connection is, of whichever kind.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Where somebody is reached, and how it is known.
#[derive(Clone)]
pub enum Address {
    /// A socket of this machine.
    Unix(PathBuf),
    /// `HOST:PORT`, in plain text.
    Plain(String),
    /// `HOST:PORT`, the name in its certificate, and whom to believe.
    Tls(String, ServerName<'static>, Arc<ClientConfig>),
}

impl Address {
    pub(crate) async fn dial(&self) -> io::Result<Box<dyn Stream>> {
        let tcp = async |at: &str| {
            let stream = TcpStream::connect(at).await?;
            // Every question is awaited by somebody.
            stream.set_nodelay(true)?;
            io::Result::Ok(stream)
        };
        Ok(match self {
            Address::Unix(path) => Box::new(UnixStream::connect(path).await?),
            Address::Plain(at) => Box::new(tcp(at).await?),
            Address::Tls(at, name, tls) => {
                let tls = TlsConnector::from(Arc::clone(tls));
                Box::new(tls.connect(name.clone(), tcp(at).await?).await?)
            }
        })
    }
}

/// Somebody who is asked again and again. A connection on which an answer came to its end carries the next call.
pub struct Asked {
    address: Address,
    /// No answer has more bytes.
    most: usize,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Asked {
    /// Nothing is connected yet; answers of more than so many bytes are refused.
    #[must_use]
    pub fn new(address: Address, most: usize) -> Asked {
        Asked { address, most, idle: Mutex::default() }
    }

    /// One call: the answer with its whole body.
    ///
    /// # Errors
    /// If it is not reached, breaks off, or says too much.
    pub async fn call(&self, mut question: Question) -> io::Result<Response<Bytes>> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let is_old = idle.is_some();
            let mut sender = match idle {
                Some(sender) => sender,
                None => connect(self.address.dial().await?).await.map_err(broken)?,
            };
            if sender.ready().await.is_err() && is_old {
                continue;
            }
            match sender.try_send_request(question).await {
                Ok(answer) => return self.whole(answer, sender).await,
                // It was closed meanwhile, and nothing of the question was written.
                Err(mut error) => match error.take_message() {
                    Some(unsent) if is_old => question = unsent,
                    Some(_) | None => return Err(broken(error.into_error())),
                },
            }
        }
    }

    async fn whole(
        &self,
        answer: Response<Incoming>,
        sender: SendRequest<Full<Bytes>>,
    ) -> io::Result<Response<Bytes>> {
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, self.most).collect().await.map_err(|error| match error.downcast() {
            Ok(error) => broken(*error),
            Err(error) => io::Error::other(error),
        })?;
        if !sender.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        }
        Ok(Response::from_parts(head, body.to_bytes()))
    }

    /// One call, for a thread that may wait, until this patience is over.
    ///
    /// # Errors
    /// As [`Asked::call`], and if it takes too long.
    pub fn call_within(&self, patience: Duration, question: Question) -> io::Result<Response<Bytes>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = runtime.block_on(async { tokio::time::timeout(patience, self.call(question)).await });
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // A thread that still resolves a name is not waited for.
        runtime.shutdown_background();
        answer.unwrap_or_else(|_| Err(late()))
    }
}

/// It took too long.
#[must_use]
pub fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no answer in time")
}

/// What went wrong between two ends of a connection, with the reason below it. One that the other side closed too early
/// was reset.
fn broken(error: hyper::Error) -> io::Error {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let is_over = error.is_canceled() || error.is_closed() || error.is_incomplete_message();
    let kind = source.map_or(io::ErrorKind::Other, io::Error::kind);
    let words = source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"));
    io::Error::new(if is_over { io::ErrorKind::ConnectionReset } else { kind }, words)
}

/// HTTP on a connection; it goes on in a task of its own.
pub(crate) async fn connect(stream: Box<dyn Stream>) -> hyper::Result<SendRequest<Full<Bytes>>> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection.with_upgrades());
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    /// Serves connections one after the other; each answers so many calls with what it is told, then is closed.
    fn server(connections: Vec<Vec<&'static str>>) -> (String, JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("an address").to_string();
        let served = std::thread::spawn(move || {
            let mut questions = 0;
            for answers in connections {
                let mut stream = BufReader::new(listener.accept().expect("a client").0);
                for answer in answers {
                    let mut line = String::new();
                    while line != "\r\n" {
                        line.clear();
                        assert_ne!(stream.read_line(&mut line).expect("a question"), 0, "the client closed");
                    }
                    questions += 1;
                    stream.get_mut().write_all(answer.as_bytes()).expect("it reads");
                }
            }
            questions
        });
        (at, served)
    }

    fn question() -> Question {
        Request::get("/").body(Full::default()).expect("a question")
    }

    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    const LAST: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok";

    #[tokio::test]
    async fn connection_is_used_again_until_it_is_closed() {
        let (at, served) = server(vec![vec![OK, LAST], vec![OK]]);
        let asked = Asked::new(Address::Plain(at), 100);
        for _ in 0..3 {
            let answer = asked.call(question()).await.expect("an answer");
            assert_eq!((answer.status().as_u16(), answer.body().as_ref()), (200, &b"ok"[..]));
        }
        assert_eq!(served.join().expect("it ends"), 3);
    }

    #[test]
    fn answer_has_a_bound() {
        let (at, served) = server(vec![vec![OK]]);
        let error = Asked::new(Address::Plain(at), 1).call_within(Duration::from_secs(60), question());
        assert!(error.is_err_and(|error| error.to_string().contains("limit")));
        served.join().expect("it ends");
    }

    #[test]
    fn missing_answer_times_out() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("an address").to_string();
        let held = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut all = Vec::new();
            stream.read_to_end(&mut all).expect("it is closed by the client");
        });
        let error = Asked::new(Address::Plain(at), 1).call_within(Duration::from_millis(50), question());
        assert_eq!(error.map_err(|error| error.kind()).err(), Some(io::ErrorKind::TimedOut));
        held.join().expect("the connection is closed, not kept");
    }
}
