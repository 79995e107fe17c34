//! What came of a run or a check, for people and for programs.

mod check;
pub(crate) mod compare;
mod text;
mod worst;

pub(crate) use check::{Checked, cases_in_words, check_text};
pub(crate) use text::text;
pub(crate) use worst::{Answered, constants_json, constants_text, worst_text};

use crate::scenario::Plan;
use crate::watch::Watch;
use crate::{App, memory};
use ringleader::registry::Entry;
use ringleader::sim::{Report, RunOutcome};
use ringleader_lab::formats::{IDS_OF_RUN, RunContext};

/// A report and what belongs to it.
pub(crate) struct Told<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) report: &'a Report,
    pub(crate) seed: u64,
    pub(crate) schedule: &'a str,
    pub(crate) elapsed_s: Option<f64>,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) again: String,
    /// More identities than so many are left out of the JSON.
    pub(crate) ids_most: u32,
}

impl<'a> Told<'a> {
    pub(crate) fn new(
        entry: &'a Entry,
        plan: &'a Plan,
        report: &'a Report,
        watch: &Watch<'_>,
        again: String,
    ) -> Told<'a> {
        Told {
            entry,
            report,
            seed: plan.scenario.seed,
            schedule: &plan.schedule,
            elapsed_s: Some(watch.elapsed_s()),
            peak_bytes: memory::peak(),
            again,
            ids_most: IDS_OF_RUN,
        }
    }

    /// `ringleader.run/1`.
    pub(crate) fn json(&self, app: &App) -> String {
        ringleader_lab::formats::run_json(
            self.report,
            &RunContext {
                algorithm: self.entry.spec.name,
                problem: self.entry.problem,
                seed: self.seed,
                schedule: self.schedule,
                elapsed_s: self.elapsed_s,
                peak_bytes: self.peak_bytes,
                again: &self.again,
                version: &version(app),
                ids_most: self.ids_most,
            },
        )
    }
}

/// The program and its version.
pub(crate) fn version(app: &App) -> String {
    format!("{} {}", app.program, env!("CARGO_PKG_VERSION"))
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
pub(crate) fn exit_code(report: &Report) -> u8 {
    match report.outcome {
        RunOutcome::Limit => 3,
        RunOutcome::Elected | RunOutcome::Done | RunOutcome::NoLeader | RunOutcome::Violated => {
            u8::from(!report.holds())
        }
    }
}

/// A number with commas.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A fraction as short as it stays useful.
pub(crate) fn decimal(number: f64) -> String {
    if number >= 1000.0 {
        return grouped(number.round() as u64);
    }
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number of bytes in the unit that suits it.
pub(crate) fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB", "TB"] {
        if value < 1000.0 {
            let decimals = usize::from(unit != "B" && value < 100.0);
            return format!("{value:.decimals$} {unit}");
        }
        value /= 1000.0;
    }
    format!("{} PB", grouped(value.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 165_570_613].map(grouped), ["0", "999", "1,000", "165,570,613"]);
        assert_eq!([0.0, 21.743, 14.0, 7689.3].map(decimal), ["0", "21.74", "14", "7,689"]);
        assert_eq!([12, 1500, 640_000_000, u64::MAX].map(bytes), ["12 B", "1.5 kB", "640 MB", "18,447 PB"]);
    }
}
