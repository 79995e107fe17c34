//! Who asks: the program by its name, and its algorithms.

use ringleader::registry::Entry;

/// What everything that speaks to people knows.
#[derive(Clone)]
pub struct App {
    /// The name of the program, for commands that it prints.
    pub program: String,
    /// The algorithms.
    pub registry: &'static [Entry],
    /// The values that options have here if nobody gives them, by name.
    pub usual: Vec<(&'static str, String)>,
}

impl App {
    /// The program and its version.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{} {}", self.program, env!("CARGO_PKG_VERSION"))
    }
}
