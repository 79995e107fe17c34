//! A report for people: what happened, against what theory says, and how to see it again.

use super::{RunReport, speed_from_s};
use crate::layout::{fold, visible, width};
use crate::people::style::{BOLD, CYAN, DIM, GREEN, RED, RESET, YELLOW};
use crate::people::{bytes, decimal, grouped};
use ringleader::model::{Basis, Counts, Shape, Ticks};
use ringleader::registry::Entry;
use ringleader::sim::{
    ClockDetails, Convergence, Details, ElectionDetails, ExclusionDetails, Report, RunOutcome, Spread,
    beginning_in_words,
};
use std::io::{self, Write};

/// Where the text of a row begins.
const MARGIN: usize = 19;
/// No more lines of numbers are shown.
const NUMBERS_MOST: usize = 2;

/// How wide the text of a row may be.
fn room() -> usize {
    width().saturating_sub(MARGIN).max(1)
}

/// Writes the report.
///
/// # Errors
/// If it cannot be written.
pub fn text(told: &RunReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (report, spec) = (told.report, told.entry.spec);
    let header = format!(
        "{BOLD}{}{RESET} ({}) · {} · n = {} · {}{} · seed {}",
        spec.name,
        spec.prose().source,
        told.entry.network(Some(told.report.topology)),
        grouped(u64::from(report.n)),
        links(told.entry, report.links.name()).map_or_else(String::new, |links| format!("{links} · ")),
        schedule(told),
        told.seed
    );
    writeln!(out, "{}", fold("", &header, 2))?;
    broken_on_purpose(told.entry, out)?;
    outside(&report.outside, out)?;
    writeln!(out)?;
    rows_of_numbers(told, out)?;
    match &report.details {
        Details::Election(details) => election(report, details, out)?,
        Details::Exclusion(details) => exclusion(report, details, out)?,
        Details::Clocks(details) => clocks(report, details, out)?,
    }
    theory(report, out)?;
    row(out, "effort", &effort(told))?;
    meters(report, out)?;
    if report.outcome == RunOutcome::Limit {
        row(out, "stopped", "a limit was reached first: how it would end is not known (exit 3)")?;
    }
    properties(report, out)?;
    writeln!(out, "\n  {CYAN}again:{RESET}  {}", told.again)
}

/// The links, where there are any.
pub(super) fn links(entry: &Entry, name: &str) -> Option<String> {
    (entry.shape != Shape::Memory).then(|| format!("{name} links"))
}

/// The schedule; where a daemon chooses who moves, the daemon.
fn schedule(told: &RunReport<'_>) -> String {
    match &told.report.details {
        Details::Exclusion(ExclusionDetails {
            convergence: Some(Convergence { daemon: Some(daemon), .. }),
            ..
        }) => {
            format!("{} daemon", daemon.name())
        }
        Details::Exclusion(_) | Details::Election(_) | Details::Clocks(_) => told.schedule.to_owned(),
    }
}

/// Says so, if it is.
///
/// # Errors
/// If it cannot be written.
pub fn broken_on_purpose(entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    let Some(erratum) = entry.erratum() else { return Ok(()) };
    let text =
        format!("{YELLOW}broken on purpose:{RESET} as printed in the source, with erratum {erratum} in it");
    writeln!(out, "{}", fold("", &text, 2))
}

/// What the contract excludes, and was allowed.
pub(super) fn outside(reasons: &[String], out: &mut dyn Write) -> io::Result<()> {
    for reason in reasons {
        let text = format!("{YELLOW}outside its assumptions:{RESET} {reason}");
        writeln!(out, "{}", fold("", &text, 2))?;
    }
    Ok(())
}

pub(super) fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{}", fold(&format!("  {label:<15}  "), text, MARGIN))
}

/// Identities in ring order, and deliveries round by round, where they fit.
fn rows_of_numbers(told: &RunReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = told.report;
    let leader = match &report.details {
        Details::Election(details) => details.leader.as_ref().map(|leader| leader.index as usize),
        Details::Exclusion(_) | Details::Clocks(_) => None,
    };
    let ids: Vec<String> = report.ids.iter().map(u64::to_string).collect();
    let rounds: Vec<String> = (1..=report.per_round.len()).map(|round| round.to_string()).collect();
    let deliveries: Vec<String> = report.per_round.iter().map(u64::to_string).collect();
    let widest = |cells: &[String]| cells.iter().map(String::len).max().unwrap_or(0);
    // Between two identities there is room for a star.
    let width = (widest(&ids) + 2).max(widest(&rounds) + 1).max(widest(&deliveries) + 1);
    let in_line = (room() / width).max(1);
    let fits = |cells: &[String]| !cells.is_empty() && cells.len() <= NUMBERS_MOST * in_line;
    if fits(&ids) {
        let starred = |(index, id): (usize, &String)| {
            let gap = " ".repeat(width - id.len());
            if leader == Some(index) {
                format!("{BOLD}{id}{GREEN}★{RESET}{}", &gap[1..])
            } else {
                format!("{id}{gap}")
            }
        };
        let starred: Vec<String> = ids.iter().enumerate().map(starred).collect();
        let mut label = if told.entry.topology().contains("ring") { "ids, clockwise" } else { "ids" };
        for line in starred.chunks(in_line) {
            row(out, label, line.concat().trim_end())?;
            label = "";
        }
    }
    // A run of hundreds of rounds has its sum below.
    let in_rounds = report.rounds.is_some() && fits(&rounds);
    if in_rounds {
        let line = |cells: &[String]| cells.iter().map(|cell| format!("{cell:<width$}")).collect::<String>();
        for (rounds, deliveries) in rounds.chunks(in_line).zip(deliveries.chunks(in_line)) {
            row(out, "round", line(rounds).trim_end())?;
            row(out, "deliveries", line(deliveries).trim_end())?;
        }
    }
    if fits(&ids) || in_rounds { writeln!(out) } else { Ok(()) }
}

fn election(report: &Report, details: &ElectionDetails, out: &mut dyn Write) -> io::Result<()> {
    let leader = match &details.leader {
        Some(leader) => {
            let mut text = format!("process {}", leader.index);
            if let Some(id) = leader.id {
                text += &format!(" (id {id})");
            }
            if let Some(round) = details.elected_round {
                text += &format!(", elected in round {}", grouped(round));
            }
            text += &match details.informed {
                informed if informed == u64::from(report.n) => "; all know it".to_owned(),
                informed => format!("; {} of {} know it", grouped(informed), grouped(u64::from(report.n))),
            };
            match report.rounds {
                Some(round) => format!("{text} by round {}", grouped(round)),
                None => text,
            }
        }
        None if details.leaders == 0 => "none".to_owned(),
        None => format!("{} processes lead at once", grouped(details.leaders)),
    };
    row(out, "leader", &leader)?;
    let announcements = report.messages - report.election_messages;
    let sum = if announcements > 0 {
        format!("{} election + {} announcement = ", grouped(report.election_messages), grouped(announcements))
    } else {
        String::new()
    };
    let sum = format!("{sum}{}", grouped(report.messages));
    row(out, "messages", &beside(&sum, &by_kind(report)))
}

/// Two texts in one line; in two, if there is no room.
fn beside(first: &str, second: &str) -> String {
    let gap = if visible(first) + 3 + visible(second) > room() { "\n" } else { "   " };
    format!("{first}{gap}{second}")
}

fn by_kind(report: &Report) -> String {
    if report.by_kind.is_empty() {
        return String::new();
    }
    let kinds = report.by_kind.iter().map(|(kind, count)| format!("{kind} {}", grouped(*count)));
    format!("{DIM}({}){RESET}", kinds.collect::<Vec<_>>().join(", "))
}

fn exclusion(report: &Report, details: &ExclusionDetails, out: &mut dyn Write) -> io::Result<()> {
    let mut order: Vec<String> = details.entry_order.iter().take(25).map(u32::to_string).collect();
    if details.entries > order.len() as u64 {
        order.push("…".into());
    }
    let entries = match details.entries {
        0 => "none".to_owned(),
        entries => format!("{}, in the order {}", grouped(entries), order.join(" ")),
    };
    if let Some(convergence) = &details.convergence {
        row(out, "began in", &beginning_in_words(&convergence.from, report.n).join(" "))?;
        let text = match (convergence.steps, convergence.moves) {
            (Some(steps), Some(moves)) => {
                let (steps, moves) = (counted(steps, "step"), counted(moves, "move"));
                let daemon = if convergence.daemon.is_some() { " of the daemon" } else { "" };
                format!(
                    "after {steps}{daemon}, {moves}; at most {} privileges at once",
                    details.in_section_max
                )
            }
            _ => "not yet".to_owned(),
        };
        row(out, "convergence", &text)?;
        row(out, "entries", &entries)?;
        if report.messages > 0 {
            row(out, "messages", &format!("{}   {}", grouped(report.messages), by_kind(report)))?;
        }
        return Ok(());
    }
    row(out, "entries", &entries)?;
    let mut messages = format!("{}   {}", grouped(report.messages), by_kind(report));
    if let Some(mean) = details.per_entry_mean {
        let mut each = format!("{} per entry", decimal(mean));
        if let Some((min, max)) = details.per_entry_range {
            each += &format!(" (least {}, most {})", grouped(min), grouped(max));
        }
        messages = beside(&messages, &each);
    }
    row(out, "messages", &messages)?;
    if let Some(waiting) = &details.waiting {
        row(out, "waiting", &format!("{}, from asking to entering", spread(waiting)))?;
    }
    if let Some(delay) = &details.sync_delay {
        row(out, "sync delay", &format!("{}, from an exit to the next entry", spread(delay)))?;
    }
    let bypass = match details.bypass_max {
        0 => "none: nobody entered while another waited".to_owned(),
        1 => "at most 1 entry by another while one waited".to_owned(),
        most => format!("at most {} entries by others while one waited", grouped(most)),
    };
    row(out, "bypass", &bypass)?;
    if let Some(fairness) = details.fairness {
        row(
            out,
            "fairness",
            &format!("{} (Jain's index; 1 if all entered equally often)", decimal(fairness)),
        )?;
    }
    if details.in_section_max > 1 {
        row(out, "inside at once", &format!("{RED}{}{RESET}", details.in_section_max))?;
    }
    Ok(())
}

/// A number of things.
fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn clocks(report: &Report, details: &ClockDetails, out: &mut dyn Write) -> io::Result<()> {
    let most = |most: Option<Ticks>| match most {
        Some(most) => format!("; at most {most} once all were set"),
        None => "; not all were set".to_owned(),
    };
    let (first, last) = (details.skew_first, details.skew_final);
    let best = format!("no algorithm can promise less than {}", details.optimum);
    row(out, "skew", &format!("{last} ticks, {first} at the beginning{}", most(details.skew_max)))?;
    if let Some(error) = details.error_final {
        row(out, "error", &format!("{error} ticks{}", most(details.error_max)))?;
    }
    let promise = match (details.promise, details.error_final) {
        (Some(promise), Some(_)) => format!("off by at most {promise} ticks"),
        (Some(promise), None) => format!("at most {promise} ticks apart; {best}"),
        (None, _) => "none".to_owned(),
    };
    row(out, "promise", &promise)?;
    row(out, "messages", &beside(&grouped(report.messages), &by_kind(report)))
}

fn spread(spread: &Spread) -> String {
    if spread.min == spread.max {
        return decimal(spread.mean);
    }
    format!("{} on average ({} to {})", decimal(spread.mean), decimal(spread.min), decimal(spread.max))
}

fn theory(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut parts = Vec::new();
    let measured = match &report.details {
        Details::Election(_) => report.election_messages,
        Details::Exclusion(_) | Details::Clocks(_) => report.messages,
    };
    if let Some(average) = &report.average {
        let ratio = if average.value > 0.0 { measured as f64 / average.value } else { 1.0 };
        parts.push(format!("average {} = {} ({ratio:.2}×)", average.formula, decimal(average.value)));
    }
    if let Some(bound) = &report.bound {
        let share = match (bound.measured, bound.value) {
            (0, 0) => "100 %".to_owned(),
            (measured, 0) => grouped(measured),
            (measured, value) => match 100.0 * measured as f64 / value as f64 {
                share if measured > 0 && share < 1.0 => "<1 %".to_owned(),
                share => format!("{share:.0} %"),
            },
        };
        let of = match (bound.counts, &report.details) {
            (Counts::All, Details::Election(_)) => " of all messages",
            (Counts::All | Counts::Election, _) => "",
        };
        let text = format!("worst {} = {} ({share}{of})", bound.formula, grouped(bound.value));
        let text = if bound.holds { text } else { format!("{RED}{text}: EXCEEDED{RESET}") };
        match bound.basis {
            Basis::Proved(_) => parts.push(text),
            Basis::Measured(_) => row(out, against(bound.basis), &text)?,
        }
    }
    if parts.is_empty() { Ok(()) } else { row(out, "against theory", &parts.join(" · ")) }
}

/// What a bound is held against: theory is what is proved.
pub(super) fn against(basis: Basis) -> &'static str {
    match basis {
        Basis::Proved(_) => "against theory",
        Basis::Measured(_) => "measured bound",
    }
}

fn effort(told: &RunReport<'_>) -> String {
    let report = told.report;
    let count =
        |count: u64, word: &str| format!("{} {word}{}", grouped(count), if count == 1 { "" } else { "s" });
    let mut parts = Vec::new();
    match (report.rounds, report.time) {
        (Some(rounds), _) => parts.push(count(rounds, "round")),
        (None, Some(time)) => parts.push(format!("time {}", decimal(time))),
        (None, None) => {}
    }
    parts.extend(report.phases.map(|phases| count(phases, "phase")));
    parts.push(count(report.steps, "step"));
    if let Some(elapsed_s) = told.elapsed_s.filter(|elapsed_s| *elapsed_s >= speed_from_s()) {
        let speed = report.messages as f64 / elapsed_s / 1e6;
        parts.push(format!("{elapsed_s:.1} s ({speed:.1} million messages/s)"));
        parts.extend(told.peak_bytes.map(|peak| format!("{} at the peak", bytes(peak))));
    }
    parts.join(" · ")
}

fn meters(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if let Some(bits) = report.bits {
        row(out, "bits", &grouped(bits))?;
    }
    if let Some(depth) = report.depth {
        let elected = match &report.details {
            Details::Election(details) => details.elected_depth,
            Details::Exclusion(_) | Details::Clocks(_) => None,
        };
        let elected =
            elected.map_or_else(String::new, |depth| format!(", {} to the election", grouped(depth)));
        row(out, "causal depth", &format!("{}{elected}", grouped(depth)))?;
    }
    if let Some(load) = &report.load {
        row(out, "load", &format!("{} messages handled per process", spread(load)))?;
    }
    Ok(())
}

/// Those that hold side by side, each failure on a line of its own.
fn properties(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let holding = report.properties.iter().filter(|property| property.holds);
    let mut label =
        listed_with_marks(out, "properties", holding.map(|property| (GREEN, "✓", property.name)))?;
    for property in report.properties.iter().filter(|property| !property.holds) {
        let detail = property.detail.as_deref().map_or_else(String::new, |detail| format!(": {detail}"));
        row(out, label, &format!("{RED}✗ {}{detail}{RESET}", property.name))?;
        label = "";
    }
    Ok(())
}

/// Names side by side, each with its mark in its colour, as many lines as they need; gives the label of the line after.
pub(super) fn listed_with_marks<'a>(
    out: &mut dyn Write,
    mut label: &'static str,
    names: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
) -> io::Result<&'static str> {
    let mut line = String::new();
    let mut width = 0;
    for (colour, mark, name) in names {
        let length = name.chars().count() + 5;
        if width > 0 && width + length > room() + 3 {
            row(out, label, line.trim_end())?;
            (label, width) = ("", 0);
            line.clear();
        }
        line += &format!("{colour}{mark}{RESET} {name}   ");
        width += length;
    }
    if width > 0 {
        row(out, label, line.trim_end())?;
        label = "";
    }
    Ok(label)
}
