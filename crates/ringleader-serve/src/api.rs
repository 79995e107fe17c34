//! `POST /api/VERB`: takes the question, asks the stage on a thread of its own, gives the answer.

use crate::access::Access;
use crate::jobs::Jobs;
use crate::page::{complain, json};
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode, header};
use ringleader_stage::{Complaint, Stage, limits, question_too_large};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How many questions are worked on at once.
const AT_ONCE: usize = 4;
/// How long a question waits for its turn, and how long a client may take to say it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What answers.
pub(crate) struct Api {
    pub(crate) stage: Arc<Stage>,
    pub(crate) access: Access,
    jobs: Arc<Jobs>,
    turns: Arc<Semaphore>,
}

impl Api {
    pub(crate) fn new(stage: Arc<Stage>, access: Access) -> Api {
        Api { stage, access, jobs: Arc::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Answers one request.
    pub(crate) async fn answer(&self, verb: &str, request: Request<Body>) -> Response<Body> {
        match self.attempt(verb, request).await {
            Ok(text) => json(StatusCode::OK, text),
            Err((status, complaint)) => complain(status, &complaint),
        }
    }

    async fn attempt(&self, verb: &str, request: Request<Body>) -> Result<String, (StatusCode, Complaint)> {
        self.access.admits_token(request.headers(), request.uri().query())?;
        if request.method() != Method::POST {
            let message =
                format!("`{}` is not how this is asked: verbs are asked with POST", request.method());
            let complaint =
                Complaint::new("ringleader::bad_method", message).help("POST /api/VERB with JSON");
            return Err((StatusCode::METHOD_NOT_ALLOWED, complaint));
        }
        let question = read(request).await?;
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            let message = "the engine is busy with other questions";
            let complaint = Complaint::new("ringleader::busy", message).help("try again in a moment");
            return Err((StatusCode::SERVICE_UNAVAILABLE, complaint));
        };
        // When the client goes away this future is dropped, and with it the hope for an answer.
        let waits = Waits(Arc::new(AtomicBool::new(true)));
        let (stage, verb, alive) = (Arc::clone(&self.stage), verb.to_owned(), Arc::clone(&waits.0));
        let jobs = Arc::clone(&self.jobs);
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            match jobs.call(&stage, &verb, &question) {
                Some(answer) => answer,
                None => stage.call_while(&verb, &question, &|| alive.load(Ordering::Relaxed)),
            }
        });
        match work.await {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(complaint)) => Err((status(&complaint), complaint)),
            // It panicked: an error of ours.
            Err(_) => {
                let message =
                    "the engine stumbled over this question: that is an error of ours, not of yours";
                let complaint = Complaint::new("ringleader::inside", message)
                    .help("other questions are answered; please report it with the address of this page");
                Err((StatusCode::INTERNAL_SERVER_ERROR, complaint))
            }
        }
    }
}

struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The body, refused before it costs memory if it is too large.
async fn read(request: Request<Body>) -> Result<Vec<u8>, (StatusCode, Complaint)> {
    let too_large = || (StatusCode::PAYLOAD_TOO_LARGE, question_too_large());
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced
        .and_then(|length| length.parse::<u64>().ok())
        .is_some_and(|bytes| bytes > limits::BYTES as u64)
    {
        return Err(too_large());
    }
    match tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), limits::BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            let complaint = Complaint::new("ringleader::slow", "the request did not come to its end in time");
            Err((StatusCode::REQUEST_TIMEOUT, complaint.help("try again")))
        }
    }
}

fn status(complaint: &Complaint) -> StatusCode {
    match complaint.code.as_str() {
        "ringleader::unknown_verb"
        | "ringleader::no_such_trace"
        | "ringleader::no_such_job"
        | "ringleader::no_such_story" => StatusCode::NOT_FOUND,
        "ringleader::request_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "ringleader::busy" => StatusCode::SERVICE_UNAVAILABLE,
        "ringleader::inside" | "ringleader::internal" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}
