//! What came of `worst`, for people, for programs and as a file of identities; and the table of message constants.

use super::text::against;
use super::text::row;
use crate::App;
use crate::layout::fold;
use crate::people::grouped;
use crate::people::style::{BOLD, CYAN, DIM, RED, RESET};
use crate::worst::{Distribution, Found, Fraction, Over, Row, Shown, Worst};
use ringleader::model::Counts;
use ringleader::registry::Entry;
use ringleader::sim::BoundCheck;
use serde_json::{Value, json};
use std::io::{self, Write};

/// An answer and what belongs to it.
pub struct WorstReport<'a> {
    /// The algorithm.
    pub entry: &'a Entry,
    /// What was found.
    pub found: &'a Worst,
    /// Whether the least was asked for.
    pub best: bool,
    /// Whether the distribution was asked for.
    pub with_distribution: bool,
    /// The links.
    pub links: &'static str,
    /// The seed of every draw.
    pub seed: u64,
    /// The command that runs it once.
    pub run: Option<String>,
    /// The command that repeats it.
    pub again: &'a str,
}

/// More identities are not shown in a row.
const SHOWN_MOST: usize = 32;
/// The longest bar of a histogram.
const BAR: u64 = 40;

impl WorstReport<'_> {
    /// `ringleader.worst/1`.
    #[must_use]
    pub fn json(&self, app: &App) -> Value {
        let found = self.found;
        let family = match &found.found {
            Found::Family(name) => Some(name.as_str()),
            Found::Exhaustive | Found::Construction | Found::Annealing => None,
        };
        let schedule = match &found.shown {
            Shown::Run(Some((schedule, _))) => Some(schedule.as_str()),
            Shown::Run(None) | Shown::Recorded(_) | Shown::Nothing => None,
        };
        let bound = found.bound.as_ref().map(|bound| {
            json!({
                "formula": bound.formula,
                "counts": bound.counts.name(),
                "value": bound.value,
                "holds": bound.holds,
                "basis": bound.basis.name(),
                "by": bound.basis.by(),
            })
        });
        let wanted = found.distribution.as_ref().filter(|_| self.with_distribution);
        json!({
            "schema": "ringleader.worst/1",
            "algorithm": self.entry.spec.name,
            "nodes": found.ids.len(),
            "exact": found.exact,
            "election_messages": found.election_messages,
            "ids": found.ids,
            "bound": bound,
            "again": self.again,
            "best": self.best,
            "seed": self.seed,
            "found": found.found.name(),
            "family": family,
            "evaluations": found.evaluations,
            "schedules": found.over.name(),
            "schedule": schedule,
            "of_bound": found.bound.as_ref().and_then(share),
            "run": self.run,
            "distribution": wanted.map(distribution_json),
            "version": app.version(),
        })
    }

    /// The arrangement as a file: what it is in comments, then one identity per line.
    #[must_use]
    pub fn ids_file(&self) -> String {
        let found = self.found;
        let mut text = format!("# {}, n = {}\n# {}\n", self.entry.spec.name, found.ids.len(), self.count());
        if let Some(bound) = &found.bound {
            text += &format!("# bound: {} = {}\n", bound.formula, bound.value);
        }
        text += &format!("# {}\n", self.again);
        for id in &found.ids {
            text += &format!("{id}\n");
        }
        text
    }

    /// How many messages, and how sure that is.
    fn count(&self) -> String {
        let found = self.found;
        let messages = grouped(found.election_messages);
        let (most, known) = if self.best { ("least", "at most") } else { ("most", "at least") };
        match (&found.distribution, found.exact) {
            (Some(all), true) => {
                let arrangements = grouped(all.arrangements());
                format!("{messages} election messages, the {most} of all {arrangements} arrangements (exact)")
            }
            (None, true) => {
                format!("{messages} election messages, the {most}: it is the bound itself (exact)")
            }
            (Some(_) | None, false) => {
                format!("{messages} election messages; the {most} is {known} that, nothing more is proved")
            }
        }
    }

    fn schedules(&self) -> String {
        let rounds = "they were counted in rounds";
        let run = match &self.found.shown {
            Shown::Run(Some((schedule, _))) => format!("; `{schedule}` is one that does"),
            Shown::Run(None) if self.found.over == Over::Every => "; `rounds` is one that does".to_owned(),
            Shown::Recorded(_) => "; --trace FILE writes a run that does".to_owned(),
            Shown::Run(None) | Shown::Nothing => String::new(),
        };
        match self.found.over {
            Over::Same => "every schedule sends the same".to_owned(),
            Over::RoundsSendMost => format!("no schedule sends more than `rounds`; {rounds}"),
            Over::Every => format!("every schedule of every arrangement was searched{run}"),
            Over::Asked => "the one that was asked for".to_owned(),
            Over::Several => {
                format!("`rounds`, `random` and adversaries were tried; others may be worse{run}")
            }
        }
    }

    fn how(&self) -> String {
        let found = self.found;
        let tried = grouped(found.evaluations);
        match &found.found {
            Found::Exhaustive => {
                let alike =
                    found.distribution.as_ref().and_then(|all| all.counts.get(&found.election_messages));
                let alike = alike.copied().unwrap_or(1);
                let others =
                    if alike == 1 { "the only one".to_owned() } else { format!("one of {}", grouped(alike)) };
                format!("every arrangement was tried; this is {others}")
            }
            Found::Construction => {
                format!("the worst that its contract knows (--ids worst); {tried} were tried")
            }
            Found::Family(name) => format!("a known family, {name}; {tried} were tried"),
            Found::Annealing => format!("by simulated annealing; {tried} were tried"),
        }
    }
}

fn share(bound: &BoundCheck) -> Option<f64> {
    (bound.value > 0).then(|| bound.measured as f64 / bound.value as f64)
}

fn distribution_json(all: &Distribution) -> Value {
    let counts: Vec<Value> = all
        .counts
        .iter()
        .map(
            |(messages, arrangements)| json!({ "election_messages": messages, "arrangements": arrangements }),
        )
        .collect();
    let (mean, variance) = (all.mean(), all.variance());
    json!({
        "arrangements": all.arrangements(),
        "mean": mean.value(),
        "mean_exact": mean.to_string(),
        "variance": variance.value(),
        "variance_exact": variance.to_string(),
        "counts": counts,
    })
}

/// Writes the answer.
///
/// # Errors
/// If it cannot be written.
pub fn worst_text(answered: &WorstReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (found, spec) = (answered.found, answered.entry.spec);
    let header = format!(
        "{BOLD}{}{RESET} ({}) · {} · n = {} · {} links",
        spec.name,
        spec.prose().source,
        answered.entry.topology(),
        grouped(found.ids.len() as u64),
        answered.links,
    );
    writeln!(out, "{}\n", fold("", &header, 2))?;
    if found.ids.len() <= SHOWN_MOST {
        let ids: Vec<String> = found.ids.iter().map(u64::to_string).collect();
        let label = if answered.entry.topology().contains("ring") { "ids, clockwise" } else { "ids" };
        row(out, label, &ids.join(" "))?;
    }
    row(out, "messages", &answered.count())?;
    if let Some(bound) = &found.bound {
        let of = match bound.counts {
            Counts::All => " of all messages",
            Counts::Election => "",
        };
        let share = share(bound).map_or_else(String::new, |share| format!(" ({:.1} %{of})", 100.0 * share));
        let text = format!("worst {} = {}{share}", bound.formula, grouped(bound.value));
        let text = if bound.holds { text } else { format!("{RED}{text}: EXCEEDED{RESET}") };
        row(out, against(bound.basis), &text)?;
    }
    row(out, "schedules", &answered.schedules())?;
    row(out, "found", &answered.how())?;
    if let Some(all) = found.distribution.as_ref().filter(|_| answered.with_distribution) {
        histogram(all, out)?;
    }
    writeln!(out)?;
    if let Some(run) = &answered.run {
        if run.contains("@FILE.ids") {
            writeln!(out, "  {DIM}-o FILE.ids keeps the arrangement, for:{RESET}")?;
        }
        writeln!(out, "  {CYAN}run it:{RESET}  {run}")?;
    }
    writeln!(out, "  {CYAN}again:{RESET}   {}", answered.again)
}

fn histogram(all: &Distribution, out: &mut dyn Write) -> io::Result<()> {
    let exact = |fraction: Fraction| match fraction.denominator {
        1 => fraction.to_string(),
        _ => format!("{fraction} = {:.4}", fraction.value()),
    };
    row(out, "mean", &exact(all.mean()))?;
    row(out, "variance", &exact(all.variance()))?;
    writeln!(out)?;
    let largest = all.counts.values().copied().max().unwrap_or(1).max(1);
    writeln!(out, "  {:>15}  arrangements", "messages")?;
    for (&messages, &arrangements) in &all.counts {
        // Even one of a million is to be seen.
        let length = (u128::from(arrangements) * u128::from(BAR)).div_ceil(u128::from(largest)) as usize;
        writeln!(out, "  {:>15}  {:>12}  {}", grouped(messages), grouped(arrangements), "█".repeat(length))?;
    }
    Ok(())
}

/// `ringleader.constants/1`.
#[must_use]
pub fn constants_json(app: &App, rows: &[Row], most: u32, again: &str) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let measured: Vec<Value> = row
                .measured
                .iter()
                .map(|one| {
                    json!({
                        "nodes": one.n,
                        "election_messages": one.election_messages,
                        "ratio": one.ratio(),
                        "bound": one.bound,
                        "arrangement": one.arrangement,
                    })
                })
                .collect();
            json!({
                "algorithm": row.algorithm,
                "published": row.constant.value,
                "source": row.constant.source,
                "slope": row.slope,
                "ratio": row.ratio(),
                "sizes": row.sizes.name,
                "known_worst": row.known,
                "measured": measured,
            })
        })
        .collect();
    json!({
        "schema": "ringleader.constants/1",
        "nodes": most,
        "of": "n·log2 n",
        "rows": rows,
        "again": again,
        "version": app.version(),
    })
}

/// Writes the table of constants.
///
/// # Errors
/// If it cannot be written.
pub fn constants_text(rows: &[Row], again: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{BOLD}election messages at worst, as multiples of n·log2 n{RESET}\n")?;
    let (published, slope, ratio) = ("published", "slope", "ratio");
    writeln!(
        out,
        "  {BOLD}{:<27}  {published:>9}  {slope:>6}  {ratio:>6}  {:>9}  {:>12}  arrangement{RESET}",
        "algorithm", "n", "messages"
    )?;
    for row in rows {
        let slope = row.slope.map_or_else(|| "-".to_owned(), |slope| format!("{slope:.3}"));
        for (place, one) in row.measured.iter().enumerate().rev() {
            let last = place + 1 == row.measured.len();
            let (name, constant, slope) = match last {
                true => (row.algorithm, format!("{:.3}", row.constant.value), slope.as_str()),
                false => ("", String::new(), ""),
            };
            writeln!(
                out,
                "  {name:<27}  {constant:>9}  {slope:>6}  {:>6.3}  {:>9}  {:>12}  {}{}",
                one.ratio(),
                grouped(u64::from(one.n)),
                grouped(one.election_messages),
                one.arrangement,
                if row.known { "" } else { " *" },
            )?;
        }
    }
    writeln!(out, "\n  ratio  messages / (n·log2 n), at the largest n first")?;
    let slope =
        "messages per process and doubling of n, between the two largest n: without lower-order terms";
    writeln!(out, "{}", fold("  slope  ", slope, 9))?;
    if rows.iter().any(|row| !row.known) {
        writeln!(out, "  *      no worst arrangement is known: the worst of the known families")?;
    }
    writeln!(out, "\n  {CYAN}again:{RESET}  {again}")
}
