//! What came of a run, a check or a search for the worst case, for people and for programs.

mod check;
pub mod compare;
mod page;
mod text;
mod worst;

pub use check::{CheckReport, cases_in_words, check_text};
pub use page::{Measuring, book, page};
pub use text::{broken_on_purpose, text};
pub use worst::{WorstReport, constants_json, constants_text, worst_text};

use crate::App;
use crate::formats::{RunContext, run_json};
use ringleader::registry::Entry;
use ringleader::sim::{Report, RunOutcome};

/// A report of a run and what belongs to it.
pub struct RunReport<'a> {
    /// The algorithm.
    pub entry: &'a Entry,
    /// The report.
    pub report: &'a Report,
    /// The seed of every draw.
    pub seed: u64,
    /// The schedule as it is shown.
    pub schedule: &'a str,
    /// How long it took, if that is to be said.
    pub elapsed_s: Option<f64>,
    /// The most memory that the program had.
    pub peak_bytes: Option<u64>,
    /// The command that repeats it.
    pub again: String,
    /// More identities than so many are left out of the JSON.
    pub ids_most: u32,
}

impl RunReport<'_> {
    /// `ringleader.run/1`.
    #[must_use]
    pub fn json(&self, app: &App) -> String {
        let context = RunContext {
            algorithm: self.entry.spec.name,
            problem: self.entry.problem,
            seed: self.seed,
            schedule: self.schedule,
            elapsed_s: self.elapsed_s,
            peak_bytes: self.peak_bytes,
            again: &self.again,
            version: &app.version(),
            ids_most: self.ids_most,
        };
        run_json(self.report, &context)
    }
}

/// From so many seconds on a report says how long it took and how fast it was. Documents that are compared with what
/// the program prints set RINGLEADER_TIMES to `never`.
fn speed_from_s() -> f64 {
    match std::env::var("RINGLEADER_TIMES") {
        Ok(when) if when == "never" => f64::INFINITY,
        Ok(_) | Err(_) => 0.5,
    }
}

/// The exit code for a report.
#[must_use]
pub fn exit_code(report: &Report) -> u8 {
    match report.outcome {
        RunOutcome::Limit => 3,
        RunOutcome::Elected | RunOutcome::Done | RunOutcome::NoLeader | RunOutcome::Violated => {
            u8::from(!report.holds())
        }
    }
}
