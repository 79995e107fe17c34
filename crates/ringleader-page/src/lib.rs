//! What the page asks, and the answers.
//!
//! The page sees one interface (in words `web/ENGINE.md`): a verb, a question as JSON, an answer as JSON. Its types are
//! made of those here (`schema.rs`). This crate is that interface without a socket: [`Stage::call`]. A server hands it
//! what comes in; a build for WebAssembly can do the same. Nothing here touches files, the network or a clock.

mod about;
pub mod check;
mod choices;
mod compare;
mod density;
mod event;
mod events;
pub mod exercise;
mod export;
mod far;
#[cfg(test)]
mod from_afar;
pub mod goal;
#[cfg(feature = "http")]
pub mod http;
mod import;
pub mod limits;
mod monitor;
mod network;
mod open;
mod overview;
mod program;
mod question;
mod refusal;
mod run;
#[cfg(test)]
mod schema;
mod source;
mod store;
pub mod story;
#[cfg(test)]
mod testing;
mod values;
mod watch;
mod window;
mod words;

pub use program::Program;
pub use question::{OptionValue, Options, RunRequest, Source};
pub use words::{Compared, Planned, PlannedCheck, Words};

use ringleader::trace::Recording;
pub(crate) use ringleader_lab::Diagnostic;
use std::sync::Arc;

/// Everything that a page can ask.
pub struct Stage {
    pub(crate) words: Box<dyn Words>,
    pub(crate) store: store::Store,
    pub(crate) shelf: story::Shelf,
    pub(crate) goals: goal::Goals,
}

impl Stage {
    /// A stage whose options mean what these words say.
    #[must_use]
    pub fn new(words: Box<dyn Words>) -> Stage {
        let (shelf, goals) = (story::Shelf::built_in(), goal::Goals::built_in());
        Stage { words, store: store::Store::default(), shelf, goals }
    }

    /// Answers a question: JSON in, JSON out.
    ///
    /// # Errors
    /// If the question cannot be read, or what it asks for is refused.
    pub fn call(&self, verb: &str, question: &[u8]) -> Result<String, Diagnostic> {
        self.call_while(verb, question, &|| true)
    }

    /// The same, given up as soon as `alive` says that nobody waits for the answer any more.
    ///
    /// # Errors
    /// Likewise, and if it was given up.
    pub fn call_while(
        &self,
        verb: &str,
        question: &[u8],
        alive: &(dyn Fn() -> bool + Sync),
    ) -> Result<String, Diagnostic> {
        if question.len() > limits::BYTES {
            return Err(question_too_large());
        }
        match verb {
            "about" => about::answer(self),
            "choices" => choices::answer(self, question, alive),
            "open" => open::answer(self, question, alive),
            "events" => events::answer(self, question, alive),
            "export" => export::answer(self, question, alive),
            "import" => import::answer(self, question),
            "compare" => compare::answer(&*self.words, question),
            "story" => story::answer(&self.shelf, question),
            "judge" => goal::answer(self, question, alive),
            "overview" => overview::answer(self, question, alive),
            "window" => window::answer(self, question, alive),
            // A server that was given a cluster takes this before it comes here: there is none on a stage.
            "cluster" => Err(Diagnostic::input("no_cluster", "this engine was started without a cluster")
                .help("start it with one: `ringleader serve --cluster service.toml`")
                .help("for trying, `ringleader up --service` starts three servers and says where the file is")),
            // A server takes check, look and stop before they come here, for they need a thread.
            _ => Err(Diagnostic::input("unknown_verb", format!("there is no verb `{verb}`")).help(
                "there are about, choices, open, events, overview, window, export, import, compare, story, judge, \
                 cluster, check, look and stop; web/ENGINE.md describes them",
            )),
        }
    }

    /// Adds a story, or puts it in the place of one with the same name.
    ///
    /// # Errors
    /// If it cannot be read: with line and column.
    pub fn add_story(&mut self, name: &str, text: &str) -> Result<(), Diagnostic> {
        self.shelf.add(name, text)
    }

    /// Adds a goal, or puts it in the place of one with the same name.
    ///
    /// # Errors
    /// If it cannot be read: with line and column.
    pub fn add_goal(&mut self, name: &str, text: &str) -> Result<(), Diagnostic> {
        self.goals.add(name, text)
    }

    /// The goal with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn goal(&self, name: &str) -> Result<&goal::Goal, Diagnostic> {
        self.goals.find(name)
    }

    /// What options mean here.
    #[must_use]
    pub fn words(&self) -> &dyn Words {
        &*self.words
    }

    /// Remembers the counterexample of a check, so that opening it needs no second search.
    pub fn found(&self, algorithm: &str, options: &Options, recording: Arc<Recording>) {
        self.store.keep_found(source::found_key(algorithm, options), recording);
    }

    /// The name of the program, for commands.
    pub(crate) fn program(&self) -> String {
        self.words.version().split(' ').next().unwrap_or("ringleader").to_owned()
    }
}

/// What is said when a question has too many bytes.
#[must_use]
pub fn question_too_large() -> Diagnostic {
    let message = format!("the request is too large: the most is {} MiB", limits::BYTES >> 20);
    Diagnostic::input("request_too_large", message)
        .help("a larger trace can be looked at with `ringleader trace` and `ringleader replay`")
}

/// What is wrong, as the page reads it: `{"error":{...}}`. The place in a file, of which a page has none, is left out.
#[must_use]
pub fn error_json(diagnostic: &Diagnostic) -> String {
    let code = format!("ringleader::{}", diagnostic.code);
    let help: Vec<&str> = diagnostic.help_lines().collect();
    serde_json::json!({ "error": { "code": code, "message": diagnostic.message, "help": help } }).to_string()
}
