//! What came of a check, for people: what was searched, what holds, and a run that shows what does not.

use super::speed_from_s;
use super::text::{broken_on_purpose, links, listed_with_marks, outside, row};
use crate::App;
use crate::formats::{CheckContext, check_json};
use crate::layout::fold;
use crate::options::quoted;
use crate::people::style::{BOLD, CYAN, DIM, GREEN, RED, RESET, YELLOW};
use crate::people::{bytes, grouped};
use crate::plan::has_ids;
use ringleader::check::{
    Answer, Arrangements, Counterexample, Finding, Findings, Limit, Probability, Range, Scope, Starts,
};
use ringleader::model::{Arranged, Shape, Timing};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Entries, Scatter, Topology, beginning_in_words};
use ringleader::trace::transcript;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Findings and what belongs to them.
pub struct CheckReport<'a> {
    /// The algorithm.
    pub entry: &'a Entry,
    /// What was found.
    pub findings: &'a Findings,
    /// What was asked for.
    pub scope: &'a Scope,
    /// The name of the program.
    pub program: &'a str,
    /// The words of the command that repeats it.
    pub again: &'a [String],
    /// Where the counterexample was written.
    pub trace: Option<&'a Path>,
    /// How long it might take, if that was said.
    pub time_limit: Option<Duration>,
    /// How long it took.
    pub elapsed_s: f64,
    /// The most memory that the program had.
    pub peak_bytes: Option<u64>,
}

impl CheckReport<'_> {
    /// `ringleader.check/1`.
    #[must_use]
    pub fn json(&self, app: &App) -> String {
        check_json(
            self.findings,
            &CheckContext {
                problem: self.entry.problem,
                reduce: self.scope.reduce.name(),
                elapsed_s: self.elapsed_s,
                peak_bytes: self.peak_bytes,
                time_limit_s: self.time_limit.map(|time| time.as_secs_f64()),
                trace: self.trace.map(|path| path.to_string_lossy()).as_deref(),
                again: &quoted(self.program, self.again),
                version: &app.version(),
            },
        )
    }
}

/// Writes the report.
///
/// # Errors
/// If it cannot be written.
pub fn check_text(checked: &CheckReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let findings = checked.findings;
    let mut parts = vec![
        checked.entry.network(checked.scope.topology.as_ref().map(Topology::name)),
        format!("n = {}", grouped(u64::from(findings.n))),
    ];
    parts.extend(cases_in_words(checked.entry, checked.scope, findings));
    parts.extend(links(checked.entry, findings.links));
    let header = format!("{BOLD}{}{RESET} · {}", findings.algorithm, parts.join(" · "));
    writeln!(out, "{}", fold("", &header, 2))?;
    broken_on_purpose(checked.entry, out)?;
    outside(&findings.outside, out)?;
    writeln!(out)?;
    row(out, "searched", &searched(checked))?;
    if checked.entry.shape != Shape::Memory && !checked.entry.spec.stabilises() {
        messages(findings, out)?;
    }
    machines(findings, out)?;
    if let Some(probability) = &findings.probability {
        chance(probability, out)?;
    }
    properties(&findings.properties, out)?;
    for (place, note) in findings.notes.iter().enumerate() {
        row(out, if place == 0 { "notes" } else { "" }, note)?;
    }
    // What was found was found, whatever was missed.
    if findings.missed > 0.0 && findings.answer != Answer::Violated {
        let missed = format!("with probability {:.1e}: two fingerprints of 64 bits agree", findings.missed);
        row(out, "a state missed", &missed)?;
    }
    writeln!(out)?;
    match (&findings.counterexample, findings.answer) {
        (Some(found), _) => {
            counterexample(checked, found, out)?;
            keep(checked, found, out)?;
            for found in &findings.others {
                writeln!(out)?;
                counterexample(checked, found, out)?;
                keep(checked, found, out)?;
            }
        }
        (None, Answer::Violated) => {
            writeln!(out, "{RED}violated{RESET} for n = {}", findings.n)?;
        }
        (None, Answer::Holds) => {
            writeln!(out, "{GREEN}holds{RESET} for n = {}; this is not a proof for other n", findings.n)?;
        }
        (None, Answer::Unknown) => {
            writeln!(out, "{YELLOW}unknown{RESET}: {} (exit 3)", stopped(checked))?;
        }
    }
    writeln!(out, "\n  {CYAN}again:{RESET}  {}", quoted(checked.program, checked.again))
}

/// What was varied and what was not, one part each: arrangements, initiators or entries, labellings, faults.
#[must_use]
pub fn cases_in_words(entry: &Entry, scope: &Scope, findings: &Findings) -> Vec<String> {
    let mut parts = Vec::new();
    if has_ids(entry) {
        parts.push(match &scope.ids {
            Arrangements::All if findings.arrangements == 1 => {
                "the one arrangement up to rotation".to_owned()
            }
            Arrangements::All => {
                format!("all {} arrangements up to rotation", grouped(findings.arrangements))
            }
            Arrangements::Arranged(how) => format!("identities {}", arranged(*how)),
            Arrangements::Worst => "identities in the worst order known".to_owned(),
            Arrangements::Listed(ids) => {
                format!("identities {}", shortened(ids.iter().map(u64::to_string)))
            }
        });
    }
    parts.push(match entry.problem {
        Problem::Election => match &scope.starts {
            Starts::All => "all have started".to_owned(),
            Starts::AllLate => "all start, at any moment".to_owned(),
            Starts::Any => "every set of initiators".to_owned(),
            Starts::Listed(who) => format!("initiators {}", shortened(who.iter().map(u32::to_string))),
        },
        Problem::Mutex if entry.spec.stabilises() => match &scope.from {
            None => "from every state".to_owned(),
            Some(from) => format!("from {}", shortened(beginning_in_words(from, scope.n).into_iter())),
        },
        Problem::Clocks => {
            let (lo, hi) = scope.delays;
            let clocks = match &scope.offsets {
                Scatter::Drawn(0) => "clocks that agree".to_owned(),
                Scatter::Drawn(most) => format!("clocks up to {most} off process 0's"),
                Scatter::Listed(listed) => {
                    format!("clocks at {}", shortened(listed.iter().map(i64::to_string)))
                }
            };
            format!("every delay in {lo}..{hi}, {clocks}")
        }
        Problem::Mutex => match &scope.entries {
            Entries::Each(1) => "1 entry each".to_owned(),
            Entries::Each(each) => format!("{each} entries each"),
            Entries::Forever => "everybody wants in again and again".to_owned(),
            Entries::Listed(listed) => format!("entries {}", shortened(listed.iter().map(u32::to_string))),
        },
    });
    if findings.labellings > 1 {
        parts.push(format!("every labelling ({})", grouped(findings.labellings)));
    }
    parts.extend(faults(entry, scope));
    parts
}

fn arranged(how: Arranged) -> &'static str {
    match how {
        Arranged::Ascending => "ascending",
        Arranged::Descending => "descending",
        Arranged::Alternating => "alternating",
        Arranged::BitReversal => "in bit-reversal order",
        Arranged::Fibonacci => "in Fibonacci order",
        Arranged::Custom(name, _) => name,
    }
}

fn shortened(items: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 16;
    let mut items: Vec<String> = items.take(SHOWN + 1).collect();
    if items.len() > SHOWN {
        items[SHOWN] = "…".into();
    }
    items.join(" ")
}

/// The faults that may happen.
fn faults(entry: &Entry, scope: &Scope) -> Option<String> {
    let tolerates = &entry.spec.needs.tolerates;
    let parts: Vec<String> = [
        (scope.faults.crashes, tolerates.crash, "crash", "crashes"),
        (scope.faults.recoveries, tolerates.recovery, "recovery", "recoveries"),
        (scope.faults.losses, tolerates.loss, "loss", "losses"),
        (scope.faults.duplications, tolerates.duplication, "duplication", "duplications"),
    ]
    .into_iter()
    .filter_map(|(budget, tolerated, one, several)| match budget.unwrap_or(u32::from(tolerated)) {
        0 => None,
        1 => Some(format!("1 {one}")),
        most => Some(format!("{most} {several}")),
    })
    .collect();
    if parts.is_empty() { None } else { Some(format!("at most {}", parts.join(", "))) }
}

fn searched(checked: &CheckReport<'_>) -> String {
    let findings = checked.findings;
    let mut parts = vec![
        format!("{} states", grouped(findings.states)),
        format!("{} transitions", grouped(findings.transitions)),
        format!("depth {}", grouped(findings.depth)),
    ];
    if findings.cases > 1 {
        parts.push(format!("{} cases", grouped(findings.cases)));
    }
    if checked.elapsed_s >= speed_from_s() {
        let speed = findings.states as f64 / checked.elapsed_s;
        parts.push(format!("{:.1} s ({} states/s)", checked.elapsed_s, grouped(speed as u64)));
        parts.push(format!("{} at the peak", bytes(findings.peak_bytes)));
    }
    parts.join(" · ")
}

/// The least and the most over all runs.
fn messages(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    let range = |range: Range| match range.max {
        Some(max) if max == range.min => format!("{} in every run", grouped(max)),
        Some(max) => format!("{} to {}", grouped(range.min), grouped(max)),
        None => format!("at least {}, without a largest", grouped(range.min)),
    };
    if let Some(all) = findings.messages {
        let election = match findings.election_messages {
            Some(election) if election != all => format!("; without announcements {}", range(election)),
            Some(_) | None => String::new(),
        };
        row(out, "messages", &format!("{}{election}", range(all)))?;
    }
    Ok(())
}

/// How many states have one privilege, and how long it may take to come to them.
fn machines(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    if let Some(legitimate) = findings.legitimate {
        row(out, "legitimate", &format!("{} states with exactly one privilege", grouped(legitimate)))?;
    }
    if let Some((moves, steps)) = findings.convergence.and_then(|convergence| convergence.worst) {
        let text = format!("at most {} moves and {} steps of the daemon", grouped(moves), grouped(steps));
        row(out, "convergence", &text)?;
    }
    Ok(())
}

fn chance(probability: &Probability, out: &mut dyn Write) -> io::Result<()> {
    let sure = if probability.almost_sure {
        "with probability 1, under every fair schedule"
    } else {
        "with a probability below 1 under some fair schedule"
    };
    row(out, "it ends", sure)?;
    let mut label = "expected";
    for (what, expected) in
        [("rounds", probability.expected_rounds), ("messages", probability.expected_messages)]
    {
        let Some((min, max)) = expected else { continue };
        let (min, max) = (digits(min), digits(max));
        let range = if min == max { min } else { format!("{min} to {max}") };
        row(out, label, &format!("{range} {what}"))?;
        label = "";
    }
    Ok(())
}

/// A number with ten significant digits.
fn digits(number: f64) -> String {
    if !number.is_finite() {
        return "∞".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let before = number.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(10 - before).unwrap_or(0);
    format!("{number:.decimals$}")
}

/// Those that hold and those that are not decided side by side, each failure on a line of its own.
fn properties(properties: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let marked = |answer: Answer, colour: &'static str, mark: &'static str| {
        (properties.iter().filter(move |finding| finding.answer == answer))
            .map(move |finding| (colour, mark, finding.name))
    };
    let marks = marked(Answer::Holds, GREEN, "✓").chain(marked(Answer::Unknown, YELLOW, "?"));
    let mut label = listed_with_marks(out, "properties", marks)?;
    for finding in properties.iter().filter(|finding| finding.answer == Answer::Violated) {
        let detail = finding.detail.as_deref().map_or_else(String::new, |detail| format!(": {detail}"));
        row(out, label, &format!("{RED}✗ {}{detail}{RESET}", finding.name))?;
        label = "";
    }
    Ok(())
}

/// Why there is no answer.
fn stopped(checked: &CheckReport<'_>) -> String {
    match checked.findings.limit {
        Some(Limit::States(states)) => format!("stopped at {} states", grouped(states)),
        Some(Limit::Bytes(limit)) => format!("stopped at {} of memory", bytes(limit)),
        Some(Limit::Stopped) => "stopped when the time was over".to_owned(),
        None => "not everything could be decided".to_owned(),
    }
}

/// The run that violates a property.
fn counterexample(checked: &CheckReport<'_>, found: &Counterexample, out: &mut dyn Write) -> io::Result<()> {
    let header = &found.recording.header;
    let n = checked.findings.n;
    let what = format!("{RED}violated{RESET} for n = {n}: {}: {}", found.property, found.detail);
    writeln!(out, "{}\n", fold("", &what, 2))?;
    let steps = (checked.findings.properties.iter())
        .find(|finding| finding.name == found.property)
        .and_then(|finding| finding.trace_steps)
        .unwrap_or(found.recording.events.len() as u64);
    let steps = format!("{} step{}", grouped(steps), if steps == 1 { "" } else { "s" });
    let length = if found.shortest { format!("shortest run: {steps}") } else { format!("a run of {steps}") };
    row(out, "how", &length)?;
    if !header.ids.is_empty() {
        let label = if checked.entry.topology().contains("ring") { "ids, clockwise" } else { "ids" };
        row(out, label, &shortened(header.ids.iter().map(u64::to_string)))?;
    }
    if checked.entry.problem == Problem::Election {
        row(out, "initiators", &shortened(header.initiators.iter().map(u32::to_string)))?;
    }
    for (process, ports) in header.ports.iter().enumerate() {
        let ports: Vec<String> = ports.iter().map(u32::to_string).collect();
        row(out, if process == 0 { "ports" } else { "" }, &format!("p{process}: {}", ports.join(" ")))?;
    }
    writeln!(out)?;
    // Where time is the number of the step, the place can be shown.
    let in_steps = checked.entry.spec.needs.timing == Timing::Asynchronous;
    let mut repeats = found.repeats_from;
    let lines = transcript(&found.recording.events, header.ticks_per_unit);
    for (event, line) in found.recording.events.iter().zip(lines) {
        if let Some(step) = repeats.filter(|step| in_steps && event.time > *step) {
            writeln!(out, "  {DIM}after step {step}: this goes on for ever{RESET}")?;
            repeats = None;
        }
        writeln!(out, "  {line}")?;
    }
    if let Some(step) = repeats {
        writeln!(out, "  {DIM}after step {step} it goes on like this for ever{RESET}")?;
    }
    writeln!(out)
}

/// The commands that write and play it.
fn keep(checked: &CheckReport<'_>, found: &Counterexample, out: &mut dyn Write) -> io::Result<()> {
    let is_first = checked.findings.counterexample.as_ref().is_some_and(|one| one.property == found.property);
    let file = match checked.trace.filter(|_| is_first) {
        Some(path) => {
            writeln!(out, "  saved in {}; play it:", path.display())?;
            path.display().to_string()
        }
        None => {
            let file = format!("{}-n{}.rlt", checked.findings.algorithm, checked.findings.n);
            // A recording is of one run: of the violation of this property.
            let mut words: Vec<String> =
                checked.again.iter().filter(|word| *word != "--all-violations").cloned().collect();
            if words.len() < checked.again.len() {
                words.extend(["--property".to_owned(), slug(found.property)]);
            }
            words.extend(["--trace".to_owned(), file.clone()]);
            writeln!(out, "  save it, and play it:\n    {}", quoted(checked.program, &words))?;
            file
        }
    };
    let replay = ["replay".to_owned(), file, "--steps".to_owned()];
    writeln!(out, "    {}", quoted(checked.program, &replay))
}

/// The name of a property as one word.
fn slug(name: &str) -> String {
    let parts: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without colours.
    fn plain(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
    }

    fn findings(entry: &Entry, scope: &Scope) -> Findings {
        entry.check(scope, &[], &()).expect("a usual scope")
    }

    fn report(entry: &Entry, scope: &Scope, findings: &Findings) -> String {
        let mut bytes = Vec::new();
        let again = ["check".to_owned(), entry.spec.name.to_owned()];
        let checked = CheckReport {
            entry,
            findings,
            scope,
            program: "ringleader",
            again: &again,
            trace: None,
            time_limit: Some(Duration::from_secs(30)),
            elapsed_s: 2.0,
            peak_bytes: None,
        };
        check_text(&checked, &mut bytes).expect("memory has room");
        plain(&String::from_utf8(bytes).expect("UTF-8"))
    }

    fn entry(name: &str) -> &'static Entry {
        ringleader::registry::find(ringleader_errata::all(), name).expect("it is in the registry")
    }

    #[test]
    fn scope_in_words() {
        let words = |name: &str, scope: &Scope| {
            let mut found = findings(entry(name), &Scope::new(2));
            (found.arrangements, found.labellings) = (120, 1);
            cases_in_words(entry(name), scope, &found).join(", ")
        };
        let usual = Scope::new(4);
        assert_eq!(words("peterson", &usual), "identities descending, every set of initiators");
        let all = Scope { ids: Arrangements::All, starts: Starts::All, ..Scope::new(6) };
        assert_eq!(words("peterson", &all), "all 120 arrangements up to rotation, all have started");
        let listed =
            Scope { ids: Arrangements::Listed(vec![3, 1]), starts: Starts::Listed(vec![0]), ..Scope::new(2) };
        assert_eq!(words("peterson", &listed), "identities 3 1, initiators 0");
        let long = Scope { ids: Arrangements::Listed((0..40).collect()), ..Scope::new(40) };
        assert!(words("peterson", &long).contains("14 15 …, "));
        assert_eq!(words("ra", &Scope { entries: Entries::Each(2), ..Scope::new(2) }), "2 entries each");
        let mut lossy = Scope::new(2);
        (lossy.faults.losses, lossy.faults.crashes) = (Some(2), Some(0));
        assert_eq!(words("misra-bounded", &lossy), "1 entry each, at most 2 losses");
    }

    #[test]
    fn unknown_answer() {
        let (entry, scope) = (entry("peterson"), Scope::new(3));
        let mut found = findings(entry, &scope);
        found.answer = Answer::Unknown;
        found.limit = Some(Limit::Bytes(12_000_000_000));
        (found.states, found.peak_bytes, found.messages) = (50_000_000, 12_000_000_000, None);
        found.properties.iter_mut().for_each(|finding| finding.answer = Answer::Unknown);
        let text = report(entry, &scope, &found);
        for part in [
            "searched         50,000,000 states · ",
            "(25,000,000 states/s) · 12.0 GB at the peak\n",
            "? at most one leader   ? verdicts are final\n",
            "\nunknown: stopped at 12.0 GB of memory (exit 3)\n",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(!text.contains('✓') && !text.contains("messages   "), "{text}");
    }

    #[test]
    fn a_violation_without_end() {
        let (entry, scope) = (entry("peterson@as-printed"), Scope::new(2));
        let mut found = findings(entry, &scope);
        let text = report(entry, &scope, &found);
        assert!(text.contains("broken on purpose: "), "{text}");
        assert!(text.contains(": this goes on for ever\n"), "{text}");
        assert!(text.contains("shortest run: ") && !text.contains("holds"), "{text}");
        let example = found.counterexample.as_mut().expect("it never ends");
        example.shortest = false;
        let text = report(entry, &scope, &found);
        assert!(text.contains("a run of ") && !text.contains("shortest"), "{text}");
        // Some violations are no single run.
        found.counterexample = None;
        let text = report(entry, &scope, &found);
        assert!(text.contains("\nviolated for n = 2\n"), "{text}");
    }

    #[test]
    fn ten_significant_digits() {
        assert_eq!(
            [0.0, 1.0 / 3.0, 4.0 / 3.0, 23.0, 12_345.678_901_234, 1e12, f64::INFINITY].map(digits),
            ["0", "0.3333333333", "1.333333333", "23.00000000", "12345.67890", "1000000000000", "∞"]
        );
    }

    #[test]
    fn numbers_that_chance_leaves_open() {
        let (entry, scope) = (entry("itai-rodeh-sync"), Scope::new(2));
        let mut found = findings(entry, &scope);
        found.probability = Some(Probability {
            almost_sure: false,
            expected_rounds: None,
            expected_messages: Some((2.5, f64::INFINITY)),
        });
        let text = report(entry, &scope, &found);
        assert!(
            text.contains("  it ends          with a probability below 1 under some fair schedule\n"),
            "{text}"
        );
        assert!(text.contains("  expected         2.500000000 to ∞ messages\n"), "{text}");
    }
}
