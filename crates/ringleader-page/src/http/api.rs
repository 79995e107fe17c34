//! `POST /api/VERB`: takes the question, asks the stage on a thread of its own, gives the answer.

use crate::http::access::Access;
use crate::http::cluster::Cluster;
use crate::http::jobs::Jobs;
use crate::http::page::{complain, json};
use crate::{Diagnostic, Stage, limits, question_too_large};
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode, header};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many questions are worked on at once.
const AT_ONCE: usize = 4;
/// How long a question waits for its turn, and how long a client may take to say it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What costs nothing does not wait for what does: a check can be stopped however busy the engine is.
const LIGHT: [&str; 5] = ["about", "look", "stop", "story", "cluster"];

/// What answers.
pub(crate) struct Api {
    pub(crate) stage: Arc<Stage>,
    pub(crate) access: Access,
    /// A real cluster to look at, if there is one.
    cluster: Option<Cluster>,
    jobs: Arc<Jobs>,
    turns: Arc<Semaphore>,
}

impl Api {
    pub(crate) fn new(stage: Arc<Stage>, access: Access, cluster: Option<Cluster>) -> Api {
        Api { stage, access, cluster, jobs: Arc::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Answers one request.
    pub(crate) async fn answer(&self, verb: &str, request: Request<Body>) -> Response<Body> {
        match self.attempt(verb, request).await {
            Ok(text) => json(StatusCode::OK, text),
            Err((status, complaint)) => complain(status, &complaint),
        }
    }

    async fn attempt(&self, verb: &str, request: Request<Body>) -> Result<String, (StatusCode, Diagnostic)> {
        self.access.admits_token(request.headers(), request.uri().query())?;
        if request.method() != Method::POST {
            let message =
                format!("`{}` is not how this is asked: verbs are asked with POST", request.method());
            let complaint = Diagnostic::input("bad_method", message).help("POST /api/VERB with JSON");
            return Err((StatusCode::METHOD_NOT_ALLOWED, complaint));
        }
        let question = read(request).await?;
        if let (Some(cluster), "cluster") = (&self.cluster, verb) {
            return cluster.answer().await.map_err(|complaint| (status(&complaint), complaint));
        }
        let turn = if LIGHT.contains(&verb) { None } else { Some(self.turn().await?) };
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
            Err(_) => Err((StatusCode::INTERNAL_SERVER_ERROR, stumbled())),
        }
    }
}

impl Api {
    /// Waits for a turn, but not for ever.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, (StatusCode, Diagnostic)> {
        match tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) | Err(_) => {
                let message = "the engine is busy with other questions";
                let complaint = Diagnostic::input("busy", message).help("try again in a moment");
                Err((StatusCode::SERVICE_UNAVAILABLE, complaint))
            }
        }
    }
}

/// It panicked: an error of ours.
pub(crate) fn stumbled() -> Diagnostic {
    let message = "the engine stumbled over this question: that is an error of ours, not of yours";
    Diagnostic::input("inside", message)
        .help("other questions are answered; please report it with the address of this page")
}

struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The body, refused before it costs memory if it is too large.
async fn read(request: Request<Body>) -> Result<Vec<u8>, (StatusCode, Diagnostic)> {
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
            let complaint = Diagnostic::input("slow", "the request did not come to its end in time");
            Err((StatusCode::REQUEST_TIMEOUT, complaint.help("try again")))
        }
    }
}

fn status(complaint: &Diagnostic) -> StatusCode {
    match complaint.code {
        "unknown_verb" | "no_such_trace" | "no_such_job" | "no_such_story" | "no_such_goal"
        | "no_cluster" => StatusCode::NOT_FOUND,
        "request_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "busy" => StatusCode::SERVICE_UNAVAILABLE,
        "inside" | "internal" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compared, Options, Planned, PlannedCheck, Words};
    use ringleader::registry::Entry;
    use ringleader::sim::Edit;

    /// Stumbles over every run.
    struct Stumbles;

    impl Words for Stumbles {
        fn registry(&self) -> &'static [Entry] {
            ringleader_errata::all()
        }
        fn version(&self) -> String {
            "stumbles 0".into()
        }
        fn run(&self, _: &str, _: &Options, _: &[Edit]) -> Result<Planned, Diagnostic> {
            panic!("on purpose, in a test")
        }
        fn check(&self, _: &str, _: &Options) -> Result<PlannedCheck, Diagnostic> {
            Err(Diagnostic::input("test", "nobody asks for that here"))
        }
        fn expected_states(&self, _: &PlannedCheck) -> Option<u64> {
            None
        }
        fn compare(&self, _: &[String], _: &Options) -> Result<Compared, Diagnostic> {
            Err(Diagnostic::input("test", "nobody asks for that here"))
        }
    }

    /// Asks an interface with this cluster.
    fn asking(cluster: Option<Cluster>) -> impl Fn(&str, &'static str) -> (StatusCode, String) {
        let access = Access::new(([127, 0, 0, 1], 7420).into(), None).expect("no token is needed");
        let api = Api::new(Arc::new(Stage::new(Box::new(Stumbles))), access, cluster);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        move |verb, question| {
            let request = Request::post("/").body(Body::from(question)).expect("a request");
            let (parts, body) = runtime.block_on(api.answer(verb, request)).into_parts();
            let body = runtime.block_on(to_bytes(body, limits::BYTES)).expect("a body");
            (parts.status, String::from_utf8_lossy(&body).into_owned())
        }
    }

    #[test]
    fn a_cluster_is_looked_at_if_there_is_one() {
        let (status, body) = asking(None)("cluster", "{}");
        assert_eq!(status, StatusCode::NOT_FOUND);
        assert!(body.contains("ringleader::no_cluster") && body.contains("serve --cluster"), "{body}");
        let status = serde_json::json!({ "schema": "ringleader.cluster-status/1" });
        let known = asking(Some(Cluster::new(Box::new(move || Ok(status.clone())))));
        let expected = r#"{"schema":"ringleader.cluster-status/1"}"#.to_owned();
        assert_eq!(known("cluster", "{}"), (StatusCode::OK, expected));
        let unknown = asking(Some(Cluster::new(Box::new(|| Err(Diagnostic::input("test", "gone"))))));
        assert_eq!(unknown("cluster", "{}").0, StatusCode::BAD_REQUEST);
        let stumbles = asking(Some(Cluster::new(Box::new(|| panic!("on purpose, in a test")))));
        assert_eq!(stumbles("cluster", "{}").0, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(stumbles("about", "{}").0, StatusCode::OK);
    }

    #[test]
    fn a_panic_is_an_answer_and_not_the_end() {
        let ask = asking(None);
        let question = r#"{"source":{"kind":"run","algorithm":"peterson","options":{}},"edits":[]}"#;
        // More often than there are turns: each gives its own back.
        for _ in 0..=AT_ONCE {
            let (status, body) = ask("open", question);
            assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
            assert!(body.contains("ringleader::inside") && body.contains("an error of ours"), "{body}");
        }
        assert_eq!(ask("about", "{}").0, StatusCode::OK);
    }
}
