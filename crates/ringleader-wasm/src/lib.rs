//! The engine of the page for a browser: the same verbs as `ringleader serve`, answered in a worker, without a server.
//!
//! A question is a verb and JSON, an answer is JSON (`web/ENGINE.md`). `Engine` is all of it, and has no browser in
//! it: tests use it as it is. `border` is what a worker calls (`web/src/engine/worker.ts`).

#[cfg(target_family = "wasm")]
mod border;

use ringleader_lab::App;
use ringleader_page::check::{Look, Progress, State, prepare};
use ringleader_page::{Program, Stage, error_json};
use std::ops::ControlFlow;
use std::time::Duration;

/// What a worker is to know of time, and whom it tells how far it is.
pub trait Host: Sync {
    /// Time since some moment, on a clock that never goes back.
    fn now(&self) -> Duration;
    /// A check is so far.
    fn progress(&self, progress: Progress);
}

/// The engine.
pub struct Engine<H> {
    stage: Stage,
    host: H,
}

/// An answer, and whether it is one: otherwise it says what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Whether the question was answered.
    pub ok: bool,
    /// JSON.
    pub text: String,
}

impl<H: Host> Engine<H> {
    /// An engine with all algorithms, and their as-printed variants.
    #[must_use]
    pub fn new(host: H) -> Engine<H> {
        let app = App { program: "ringleader".into(), registry: ringleader_errata::all(), usual: Vec::new() };
        Engine { stage: Stage::new(Box::new(Program::new(&app))), host }
    }

    /// Answers a question.
    ///
    /// A check takes two: `check` says what will be checked, as with a server; `search` makes the check, and answers as
    /// `look` does when it is over. Whoever wants to stop it ends the worker.
    pub fn call(&self, verb: &str, question: &[u8]) -> Answer {
        let answer = match verb {
            "check" => prepare(self.stage.words(), question)
                .map(|prepared| serde_json::json!(prepared.started("1")).to_string()),
            "search" => self.search(question),
            _ => self.stage.call(verb, question),
        };
        match answer {
            Ok(text) => Answer { ok: true, text },
            Err(complaint) => Answer { ok: false, text: error_json(&complaint) },
        }
    }

    fn search(&self, question: &[u8]) -> Result<String, ringleader_lab::Diagnostic> {
        let prepared = prepare(self.stage.words(), question)?;
        let begun = self.host.now();
        let checked = prepared.run(&|progress| {
            self.host.progress(progress);
            let late = prepared.time_limit().is_some_and(|limit| self.host.now() - begun >= limit);
            if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        prepared.remember(&self.stage, &checked);
        let look = Look {
            state: State::Done,
            seconds: (self.host.now() - begun).as_secs_f64(),
            progress: Some(checked.progress),
            counterexample: checked.recording.is_some(),
            findings: Some(checked.findings),
            graph: checked.graph,
        };
        Ok(serde_json::json!(look).to_string())
    }
}
