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
use ringleader_client::api::{Outcome, Question, Refusal, Reply, STREAM};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::{spawn_local, yield_now};

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
    spawn_local(async move {
        if let Ok(upgraded) = upgraded.await {
            serve(TokioIo::new(upgraded), &surface, &who).await;
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
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(stream: S, surface: &Surface, who: &Principal) {
    let outbox = Arc::new(Outbox::default());
    turn(stream, surface, who, &outbox).await;
    surface.core().leave(outbox.abandon());
}

async fn turn<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    surface: &Surface,
    who: &Principal,
    outbox: &Arc<Outbox>,
) {
    let limits = &surface.0.gate.limits;
    let (mut buffer, mut out) = (BytesMut::with_capacity(4096), Vec::with_capacity(4096));
    let silence = tokio::time::sleep(limits.silence);
    let mut silence = std::pin::pin!(silence);
    loop {
        let asked = lines(&mut buffer, surface, who, outbox);
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
        match asked {
            Ok(true) => {
                yield_now().await;
                continue;
            }
            Ok(false) => {}
            Err(_) => return,
        }
        tokio::select! {
            biased;
            read = stream.read_buf(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(_) => silence.as_mut().reset(tokio::time::Instant::now() + limits.silence),
            },
            () = outbox.filled() => {}
            () = silence.as_mut() => return,
        }
    }
}

/// Answers whole lines, as many as one turn has; whether there may be more.
fn lines(
    buffer: &mut BytesMut,
    surface: &Surface,
    who: &Principal,
    outbox: &Arc<Outbox>,
) -> Result<bool, Refusal> {
    surface.watches_queue();
    let mut answered = 0;
    let most = surface.0.gate.limits.message;
    while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
        if end > most {
            return Err(too_long(most));
        }
        let question: Result<Question, _> = serde_json::from_slice(&buffer[..end]);
        buffer.advance(end + 1);
        let question = question.map_err(|why| bad_request(format!("a line that is no question: {why}")))?;
        ask(question, surface, who, outbox);
        answered += 1;
        if surface.0.turn.is_over(answered) {
            return Ok(true);
        }
    }
    if buffer.len() > most { Err(too_long(most)) } else { Ok(false) }
}

fn too_long(most: usize) -> Refusal {
    refuse("too_large", format!("a line of more than {most} bytes"), NOTHING_DONE)
}

fn ask(question: Question, surface: &Surface, who: &Principal, outbox: &Arc<Outbox>) {
    let core = surface.core();
    core.metrics().asked();
    let Question { id, op } = question;
    let asked = if outbox.waits() >= surface.0.gate.limits.questions {
        Err(words::limit("too many questions of this stream wait for their answer"))
    } else {
        words::asked(core, who, op)
    };
    match asked {
        Ok(asked) => core.ask_for(asked.ask, outbox, id, asked.context),
        Err(refusal) => {
            core.metrics().refused(&refusal.code);
            outbox.reply(&Reply { id, outcome: Outcome::Error(refusal) });
        }
    }
}
