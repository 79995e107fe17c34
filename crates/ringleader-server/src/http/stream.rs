//! The stream of our own client: after an upgrade, questions and replies, one JSON object per line each, many at a time
//! and in any order. One task serves a connection; what can be answered at once is answered by it.

use super::connection::Guest;
use super::{Refused, Surface};
use crate::access::Principal;
use crate::core::Outbox;
use crate::words::{self, NOTHING_DONE, bad_request, refuse};
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::{Buf, BytesMut};
use hyper_util::rt::TokioIo;
use ringleader_client::api::{Op, Outcome, Question, Refusal, Reply, STREAM};
use std::collections::VecDeque;
use std::future::ready;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::yield_now;

/// So many bytes of a connection are read at a time.
const PORTION: usize = 4096;

/// While so many questions of a connection wait for their turn, no more are read: what has not been read may have a
/// keep-alive in it, so these are many.
const READ_AHEAD: usize = 1024;

/// How much of a connection's share of a turn a question uses: one that is taken on, and one that is refused because
/// the server is behind.
const TAKEN_ON: usize = 16;
const REFUSED: usize = 1;

/// `GET /v1/stream` with `Upgrade: ringleader/1`.
pub(super) async fn upgrade(
    State(surface): State<Surface>,
    Extension(who): Extension<Principal>,
    Extension(guest): Extension<Arc<Guest>>,
    headers: HeaderMap,
    mut request: Request,
) -> Result<Response, Refused> {
    if headers.get(header::UPGRADE).is_none_or(|word| word.as_bytes() != STREAM.as_bytes()) {
        let refusal = Refusal {
            help: Some(format!("send `Connection: upgrade` and `Upgrade: {STREAM}`")),
            ..refuse("bad_request", "a stream begins with an upgrade", NOTHING_DONE)
        };
        return Err(surface.refused(refusal));
    }
    let upgraded = hyper::upgrade::on(&mut request);
    surface.clone().0.clients.spawn(async move {
        if let Ok(upgraded) = upgraded.await {
            serve(TokioIo::new(upgraded), &surface, who, &guest).await;
        }
        // The connection counts as long as its stream lasts.
        drop(guest);
    });
    let mut response = Body::empty().into_response();
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static(STREAM));
    Ok(response)
}

/// Serves a stream until it is over. What was asked stays asked: the session decides.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    surface: &Surface,
    who: Principal,
    guest: &Guest,
) {
    let outbox = Arc::new(Outbox::default());
    tokio::select! {
        biased;
        why = guest.is_disowned() => guest.is_turned_away(surface, &why),
        () = turn(stream, surface, who, &outbox) => {}
    }
    surface.core().leave(outbox.abandon());
}

async fn turn<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    surface: &Surface,
    mut who: Principal,
    outbox: &Arc<Outbox>,
) {
    let mut access = surface.core().access();
    // It may have changed since this one was let in.
    access.mark_changed();
    let limits = &surface.0.gate.limits;
    let (mut backlog, mut out) = (Backlog::default(), Vec::with_capacity(PORTION));
    let silence = tokio::time::sleep(limits.silence);
    let mut silence = std::pin::pin!(silence);
    loop {
        let known = match access.has_changed() {
            Ok(true) => access.borrow_and_update().again(&who).map(|now| who = now),
            Ok(false) | Err(_) => Ok(()),
        };
        let asked = known.and_then(|()| backlog.serve(surface, &who, outbox));
        if let Err(refusal) = &asked {
            surface.core().metrics().refused(&refusal.code);
            outbox.reply(&Reply { id: 0, outcome: Outcome::Error(refusal.clone()) });
        }
        while outbox.take(&mut out) {
            let written = async {
                stream.write_all(&out).await?;
                stream.flush().await
            };
            if written.await.is_err() {
                return;
            }
            out.clear();
        }
        if asked.is_err() {
            return;
        }
        // What this connection has left to do, and what it has sent since, is for the next turn.
        let more = !backlog.questions.is_empty();
        if more || surface.0.clients.is_over(1) {
            yield_now().await;
        }
        let room = backlog.makes_room();
        tokio::select! {
            biased;
            read = stream.read_buf(&mut backlog.bytes), if room => match read {
                Ok(0) | Err(_) => return,
                Ok(_) => silence.as_mut().reset(tokio::time::Instant::now() + limits.silence),
            },
            () = ready(()), if more => {}
            () = outbox.filled() => {}
            _ = access.changed() => access.mark_changed(),
            () = silence.as_mut() => return,
        }
    }
}

/// What a connection has asked and has had no turn for.
#[derive(Default)]
struct Backlog {
    bytes: BytesMut,
    questions: VecDeque<Question>,
}

impl Backlog {
    /// Whether the next portion can be read: then there is room for it.
    fn makes_room(&mut self) -> bool {
        let room = self.questions.len() < READ_AHEAD;
        if room {
            self.bytes.reserve(PORTION);
        }
        room
    }

    /// Answers what was read, in its order, as much as one turn has. Keep-alives are all answered: a session must not
    /// end because there is much to do. What is refused because the server is behind costs little, and counts little.
    fn serve(&mut self, surface: &Surface, who: &Principal, outbox: &Arc<Outbox>) -> Result<(), Refusal> {
        surface.watches_queue();
        let (core, turn, most) = (surface.core(), &surface.0.clients, surface.0.gate.limits.message);
        let mut spent = 0;
        while !turn.is_over(spent / TAKEN_ON)
            && let Some(question) = self.questions.pop_front()
        {
            spent += ask(question, surface, who, outbox);
        }
        loop {
            match self.parse(most) {
                Ok(None) => return Ok(()),
                Ok(Some(question)) if is_keep_alive(&question) => {
                    ask(question, surface, who, outbox);
                }
                Ok(Some(question)) if self.questions.is_empty() && !turn.is_over(spent / TAKEN_ON) => {
                    spent += ask(question, surface, who, outbox);
                }
                Ok(Some(question)) if is_new(&question) && core.is_behind() => {
                    core.metrics().asked();
                    core.refuses(outbox, question.id);
                }
                Ok(Some(question)) => self.questions.push_back(question),
                Err(refusal) => {
                    // The connection ends here: what was asked before has no other turn.
                    for question in std::mem::take(&mut self.questions) {
                        ask(question, surface, who, outbox);
                    }
                    return Err(refusal);
                }
            }
        }
    }

    /// The next whole line.
    fn parse(&mut self, most: usize) -> Result<Option<Question>, Refusal> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n');
        if end.unwrap_or(self.bytes.len()) > most {
            return Err(refuse("too_large", format!("a line of more than {most} bytes"), NOTHING_DONE));
        }
        let Some(end) = end else { return Ok(None) };
        let question = serde_json::from_slice(&self.bytes[..end]);
        self.bytes.advance(end + 1);
        question.map(Some).map_err(|why| bad_request(format!("a line that is no question: {why}")))
    }
}

fn is_keep_alive(question: &Question) -> bool {
    matches!(question.op, Op::Keepalive { .. })
}

/// Whether a server that is behind refuses it.
fn is_new(question: &Question) -> bool {
    matches!(question.op, Op::Open(_) | Op::Acquire { .. } | Op::Campaign { .. })
}

/// Asks, and says what that cost.
fn ask(question: Question, surface: &Surface, who: &Principal, outbox: &Arc<Outbox>) -> usize {
    let core = surface.core();
    core.metrics().asked();
    let full = outbox.waits() >= surface.0.gate.limits.questions && !is_keep_alive(&question);
    let Question { id, op } = question;
    let asked = if full {
        Err(words::limit("too many questions of this stream wait for their answer"))
    } else {
        words::asked(core, who, op)
    };
    match asked {
        Ok(asked) => {
            let taken_on = core.ask_for(asked.ask, outbox, id, asked.context);
            if taken_on { TAKEN_ON } else { REFUSED }
        }
        Err(refusal) => {
            core.metrics().refused(&refusal.code);
            outbox.reply(&Reply { id, outcome: Outcome::Error(refusal) });
            TAKEN_ON
        }
    }
}
