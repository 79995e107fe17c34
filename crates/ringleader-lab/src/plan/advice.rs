//! What to ask for instead, when a check has too many cases or came to no answer: commands to copy.

use super::check::{NODES_DEFAULT, PlannedCheck};
use super::estimate::StateGrowth;
use super::memory;
use super::refusal::Request;
use crate::options::{CheckOptions, MemoryLimit, TimeLimit, Typed, Word, quoted};
use crate::people::{about, bytes, grouped};
use crate::report::cases_in_words;
use crate::{App, Diagnostic};
use ringleader::check::{Findings, Limit, Reduce, Starts};
use ringleader::model::Orientation;
use ringleader::registry::Entry;

/// More cases than this are refused.
const CASES_MAX: u128 = 1 << 32;

/// Arrangements of identities, sets of initiators, ways to number ports.
type Counts = (u128, u128, u128);

/// More cases than anybody waits for.
pub(super) fn too_many_cases(app: &App, entry: &Entry, asked: &Request<'_>, counts: Counts) -> Diagnostic {
    let (arrangements, sets, labellings) = counts;
    let factors = [
        (arrangements, "arrangements of identities"),
        (sets, "sets of initiators"),
        (labellings, "ways to number the ports"),
    ];
    let several: Vec<String> = (factors.iter().filter(|(count, _)| *count > 1))
        .map(|(count, what)| format!("{} {what}", huge(*count)))
        .collect();
    let message = format!("too many cases: {}", several.join(" × "));
    let mut error = Diagnostic::input("too_many_cases", message);
    let Some(args) = asked.check else { return error };
    error = error.help("ask for fewer:");
    let mut command = |args: &CheckOptions, n: Option<u32>, gives: &str| {
        let line = quoted(&app.program, &args.again(entry.spec.name, n));
        error = error.clone().command(line, gives);
    };
    if asked.n.is_some_and(|n| n > NODES_DEFAULT) {
        command(args, Some(NODES_DEFAULT), "fewer processes");
    }
    let changes = fewer_cases(counts);
    let enough: Vec<&Change> = changes.iter().filter(|change| change.leaves <= CASES_MAX).collect();
    for change in &enough {
        command(&(change.apply)(args.clone()), asked.n, change.gives);
    }
    if enough.is_empty() {
        let together = changes.iter().fold(args.clone(), |args, change| (change.apply)(args));
        command(&together, asked.n, "one case");
    }
    error
}

/// A way to ask for fewer cases.
struct Change {
    /// How many cases are left.
    leaves: u128,
    gives: &'static str,
    apply: fn(CheckOptions) -> CheckOptions,
}

fn fewer_cases((arrangements, sets, labellings): Counts) -> Vec<Change> {
    let mut changes = Vec::new();
    if arrangements > 1 {
        changes.push(Change {
            leaves: sets.saturating_mul(labellings),
            gives: "one arrangement instead of all",
            apply: |args| CheckOptions { all_ids: false, ..args },
        });
    }
    if sets > 1 {
        changes.push(Change {
            leaves: arrangements.saturating_mul(labellings),
            gives: "everybody starts at once",
            apply: started,
        });
    }
    if labellings > 1 {
        changes.push(Change {
            leaves: arrangements.saturating_mul(sets),
            gives: "ports numbered alike everywhere",
            apply: |args| CheckOptions { orientation: Some(Orientation::Same), ..args },
        });
    }
    changes
}

fn started(args: CheckOptions) -> CheckOptions {
    CheckOptions { initiators: given("all"), ..args }
}

fn given<T: Word>(text: &str) -> Option<Typed<T>> {
    Typed::parse(text).ok()
}

/// A number that may have forty digits.
fn huge(number: u128) -> String {
    match u64::try_from(number) {
        Ok(small) if small < 1_000_000_000_000 => grouped(small),
        _ if number == u128::MAX => "more than 10^38".to_owned(),
        _ => format!("more than 10^{}", number.ilog10()),
    }
}

/// The check came to no answer.
#[must_use]
pub fn unknown(
    app: &App,
    entry: &Entry,
    args: &CheckOptions,
    plan: &PlannedCheck,
    findings: &Findings,
    growth: Option<&StateGrowth>,
) -> Diagnostic {
    let stopped = match findings.limit {
        Some(Limit::States(_)) => format!("stopped at {} states", grouped(findings.states)),
        Some(Limit::Bytes(limit)) => {
            format!("stopped at {} states (memory limit {})", grouped(findings.states), bytes(limit))
        }
        Some(Limit::Stopped) => {
            let limit = |time: &Typed<TimeLimit>| format!(" (time limit {} s)", time.value.0.as_secs_f64());
            let time = args.time.as_ref().map_or_else(String::new, limit);
            format!("stopped at {} states{time}", grouped(findings.states))
        }
        None => format!("no answer after {} states", grouped(findings.states)),
    };
    let mut about_it = vec![format!("`{}`, n = {}", findings.algorithm, findings.n)];
    about_it.extend(cases_in_words(entry, &plan.scope, findings));
    let mut error =
        Diagnostic::new("state_space_too_large", 3, format!("{stopped}: {}", about_it.join(", ")))
            .help("nothing is violated in what was searched, but the answer is unknown (exit 3).");
    let ways = ways_out(args, plan, findings, growth);
    if !ways.is_empty() {
        error = error.help("What may help:");
    }
    for (args, n, gives) in ways {
        error = error.command(quoted(&app.program, &args.again(entry.spec.name, n)), &gives);
    }
    error
}

/// What may lead to an answer, the surest first.
fn ways_out(
    args: &CheckOptions,
    plan: &PlannedCheck,
    findings: &Findings,
    growth: Option<&StateGrowth>,
) -> Vec<(CheckOptions, Option<u32>, String)> {
    let mut ways = Vec::new();
    if let Some((n, gives)) = fewer_processes(plan, findings, growth) {
        ways.push((args.clone(), Some(n), gives));
    }
    if plan.scope.reduce != Reduce::Full {
        ways.push((
            CheckOptions { reduce: None, ..args.clone() },
            plan.n,
            "fewer states: --reduce full".into(),
        ));
    }
    match findings.limit {
        Some(Limit::States(states)) => {
            let more = CheckOptions { max_states: Some(states.saturating_mul(10)), ..args.clone() };
            ways.push((more, plan.n, "more states".into()));
        }
        Some(Limit::Bytes(limit)) => {
            if !args.safety {
                let less = CheckOptions { safety: true, ..args.clone() };
                ways.push((less, plan.n, "less memory: neither cycles nor numbers of messages".into()));
            }
            if let Some(more) = memory::usable().filter(|usable| *usable > limit.saturating_add(limit / 4)) {
                let text =
                    if more >= 1 << 30 { format!("{}GiB", more >> 30) } else { format!("{}MiB", more >> 20) };
                let more = CheckOptions { memory: given::<MemoryLimit>(&text), ..args.clone() };
                ways.push((more, plan.n, "more room".into()));
            }
        }
        Some(Limit::Stopped) => {
            if let Some(time) = &args.time {
                let text = format!("{}s", (time.value.0.as_secs_f64() * 10.0).ceil());
                let more = CheckOptions { time: given::<TimeLimit>(&text), ..args.clone() };
                ways.push((more, plan.n, "more time".into()));
            }
        }
        None => {}
    }
    let counts = (findings.arrangements.into(), findings.initiator_sets.into(), findings.labellings.into());
    for change in fewer_cases(counts) {
        ways.push(((change.apply)(args.clone()), plan.n, change.gives.into()));
    }
    if plan.scope.starts == Starts::AllLate {
        ways.push((started(args.clone()), plan.n, "everybody starts at once".into()));
    }
    ways
}

/// The most processes that should fit, and how many states that will be.
fn fewer_processes(
    plan: &PlannedCheck,
    findings: &Findings,
    growth: Option<&StateGrowth>,
) -> Option<(u32, String)> {
    let n = plan.n?;
    let fits = growth.and_then(|growth| {
        let states =
            |n: u32| growth.at(n).filter(|states| *states <= findings.states).map(|states| (n, states));
        (2..n).rev().find_map(states)
    });
    match fits {
        Some((n, states)) => Some((n, format!("about {} states", about(states)))),
        None if n > 2 => Some((n - 1, "fewer processes".into())),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_forty_digits() {
        assert_eq!(
            [0, 40_320, 10u128.pow(20), u128::MAX].map(huge),
            ["0", "40,320", "more than 10^20", "more than 10^38"]
        );
    }
}
