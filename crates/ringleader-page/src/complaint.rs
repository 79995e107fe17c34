//! What is refused: what is wrong, and what to do instead.

use serde::Serialize;

/// A refusal, in words for whoever looks at the page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Complaint {
    /// A name to search for, as the command line has it.
    pub code: String,
    /// What is wrong, and what is needed.
    pub message: String,
    /// What to do instead, one line each.
    pub help: Vec<String>,
}

impl Complaint {
    /// A complaint without help.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Complaint {
        Complaint { code: code.to_owned(), message: message.into(), help: Vec::new() }
    }

    /// The same with a line of help.
    #[must_use]
    pub fn help(mut self, line: impl Into<String>) -> Complaint {
        self.help.push(line.into());
        self
    }

    /// As the page reads it: `{"error":{...}}`.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::json!({ "error": self }).to_string()
    }
}
