//! `[times]` and `[[class]]`.

use ringleader_live::Micros;
use ringleader_locks::{Class, Times};
use ringleader_net::Problem;
use ringleader_net::config::document::Document;
use ringleader_net::config::values::{Part, Span, Word};
use ringleader_net::config::written;
use serde::{Deserialize, Serialize};

ringleader_net::section! {
    /// `[times]`; durations with the least that they may be, in microseconds.
    Section of Pace {
        fast: Span<300_000> = times.leases[0];
        normal: Span<300_000> = times.leases[1];
        batch: Span<300_000> = times.leases[2];
        drift: Part = times.drift_ppm;
        renew: Span<10_000> = renew;
        suspect: Span<50_000> = suspect;
        heartbeat: Span<10_000> = heartbeat;
    }
}

/// So often a lease must be renewed while it runs: one read may be lost, and one may be slow.
const RENEWALS: u64 = 3;

/// So many heartbeats a lease must last: an election takes five, and a read after it.
const BEATS: u64 = 6;

/// Leases and rhythms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The leases by class, and how far clocks may be off.
    pub times: Times,
    /// How often a server reads the view.
    pub renew: Micros,
    /// After how long without a word a server is excluded.
    pub suspect: Micros,
    /// How often the leader of those who keep the view shows that it is there. Elections begin after two and a half to
    /// five of these, and a read of the view takes four at most: servers that are far from each other need longer ones.
    pub heartbeat: Micros,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            times: Times::default(),
            renew: Micros::millis(200),
            suspect: Micros::millis(400),
            heartbeat: Micros::millis(100),
        }
    }
}

/// Whether the times fit together. The defaults do.
pub(super) fn check(document: &Document<'_>, pace: &Pace) -> Result<(), Problem> {
    let at = |keys: &[&str]| keys.iter().find_map(|key| document.first(&[&format!("times.{key}")]));
    let [fast, normal, batch] = pace.times.leases;
    if let (true, Some(at)) = (fast > normal || normal > batch, at(&["fast", "normal", "batch"])) {
        let label = format!(
            "leases ascend: fast {} \u{2264} normal {} \u{2264} batch {} does not hold",
            written(fast),
            written(normal),
            written(batch)
        );
        return Err(document.bad(at, &label));
    }
    for (key, many, span, what, help) in [
        (
            "renew",
            RENEWALS,
            pace.renew,
            "renewals",
            "a server that misses one would grant nothing for a while",
        ),
        (
            "heartbeat",
            BEATS,
            pace.heartbeat,
            "heartbeats",
            "otherwise it ends while another leader is elected",
        ),
    ] {
        let least = Micros(span.0 * many);
        if let (true, Some(at)) = (least > fast, at(&[key, "fast"])) {
            let (fast, span, least) = (written(fast), written(span), written(least));
            let label =
                format!("the shortest lease, {fast}, must last {many} {what} of {span}, that is {least}");
            return Err(document.bad(at, &label).help(help));
        }
    }
    if let (true, Some(at)) = (pace.suspect < pace.renew, at(&["suspect", "renew"])) {
        let label = format!(
            "who says something every {} is suspected after {} only: take at least as long",
            written(Micros(pace.renew.0 / 2)),
            written(pace.suspect)
        );
        return Err(document.bad(at, &label));
    }
    Ok(())
}

/// A class of names as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassRow {
    prefix: Prefix,
    class: ClassWord,
}

ringleader_net::checked_words! {
    /// How names begin.
    Prefix("how names begin, such as \"batch/\"", |_| Ok(()));
}

#[derive(Clone, Copy)]
struct ClassWord(Class);

impl Word for ClassWord {
    const EXPECTED: &'static str = "\"fast\", \"normal\" or \"batch\"";

    fn read(text: &str) -> Result<ClassWord, String> {
        let found = Class::ALL.into_iter().find(|class| class.name() == text).map(ClassWord);
        found.ok_or_else(|| format!("expected {}, found `{text}`", ClassWord::EXPECTED))
    }

    fn written(&self) -> String {
        self.0.name().to_owned()
    }
}

ringleader_net::words!(ClassWord);

impl From<&(String, Class)> for ClassRow {
    fn from((prefix, class): &(String, Class)) -> ClassRow {
        ClassRow { prefix: Prefix(prefix.clone()), class: ClassWord(*class) }
    }
}

/// Which names are of which class.
pub(super) fn classes(document: &Document<'_>, rows: Vec<ClassRow>) -> Result<Vec<(String, Class)>, Problem> {
    let mut all: Vec<(String, Class)> = Vec::new();
    for (place, ClassRow { prefix: Prefix(prefix), class }) in rows.into_iter().enumerate() {
        if let Some(first) = all.iter().position(|(before, _)| *before == prefix) {
            let at = |place: usize| document.at(&format!("class.{place}.prefix"));
            let message = format!("the prefix `{prefix}` is given two classes");
            return Err(document.twice("duplicate_class", &message, at(first), at(place)));
        }
        all.push((prefix, class.0));
    }
    Ok(all)
}
