//! `[times]` and `[[class]]`.

use ringleader_live::Micros;
use ringleader_locks::{Class, Times};
use ringleader_net::Problem;
use ringleader_net::config::quantity::{DURATION, PART, duration, part, written};
use ringleader_net::config::source::{Given, Origin, Source, in_order};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::DeTable;

/// What may be said, in the order in which it is written.
pub(super) const KEYS: [&str; 7] = ["fast", "normal", "batch", "drift", "renew", "suspect", "heartbeat"];

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

/// Reads the times; what is not said is as usual.
pub(super) fn read(source: &Source<'_>, table: Option<&DeTable<'_>>) -> Result<Pace, Problem> {
    let mut said: BTreeMap<&str, Given> = BTreeMap::new();
    for (key, value) in table.map(in_order).unwrap_or_default() {
        let Some(known) = KEYS.iter().find(|known| *known == key.get_ref()) else {
            return Err(source.unknown(key, KEYS.iter().copied()));
        };
        said.insert(known, source.string(value, if *known == "drift" { PART } else { DURATION })?);
    }
    for key in KEYS {
        if let Some(given) = source.variable(&format!("RINGLEADER_TIMES_{}", key.to_uppercase())) {
            said.insert(key, given);
        }
    }
    let mut pace = Pace::default();
    let span = |key: &str, usual: Micros, least: Micros| {
        let Some(given) = said.get(key) else { return Ok(usual) };
        let span = duration(&given.text)
            .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
        if span < least {
            return Err(source.bad(&given.origin, &format!("too short: at least {}", written(least))));
        }
        Ok(span)
    };
    for class in Class::ALL {
        let lease = &mut pace.times.leases[class.index()];
        *lease = span(class.name(), *lease, Micros::millis(300))?;
    }
    pace.renew = span("renew", pace.renew, Micros::millis(10))?;
    pace.suspect = span("suspect", pace.suspect, Micros::millis(50))?;
    pace.heartbeat = span("heartbeat", pace.heartbeat, Micros::millis(10))?;
    if let Some(given) = said.get("drift") {
        pace.times.drift_ppm = part(&given.text)
            .map_err(|expected| source.bad(&given.origin, &format!("expected {expected}")))?;
    }
    let at =
        |keys: &'static [&'static str]| keys.iter().find_map(|key| said.get(key)).map(|given| &given.origin);
    let [fast, normal, batch] = pace.times.leases;
    if let (true, Some(at)) = (fast > normal || normal > batch, at(&["fast", "normal", "batch"])) {
        let label = format!(
            "leases ascend: fast {} \u{2264} normal {} \u{2264} batch {} does not hold",
            written(fast),
            written(normal),
            written(batch)
        );
        return Err(source.bad(at, &label));
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
        let given = said.get(key).or_else(|| said.get("fast")).map(|given| &given.origin);
        if let (true, Some(at)) = (least > fast, given) {
            let (fast, span, least) = (written(fast), written(span), written(least));
            let label =
                format!("the shortest lease, {fast}, must last {many} {what} of {span}, that is {least}");
            return Err(source.bad(at, &label).help(help));
        }
    }
    if let (true, Some(at)) = (pace.suspect < pace.renew, at(&["suspect", "renew"])) {
        let label = format!(
            "who says something every {} is suspected after {} only: take at least as long",
            written(Micros(pace.renew.0 / 2)),
            written(pace.suspect)
        );
        return Err(source.bad(at, &label));
    }
    Ok(pace)
}

const CLASS_KEYS: [&str; 2] = ["prefix", "class"];

/// Reads which names are of which class.
pub(super) fn classes(
    source: &Source<'_>,
    tables: &[(Range<usize>, &DeTable<'_>)],
) -> Result<Vec<(String, Class)>, Problem> {
    let mut all: Vec<(String, Class, Origin)> = Vec::new();
    for (at, table) in tables {
        let (mut prefix, mut class) = (None, None);
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "prefix" => prefix = Some(source.string(value, "how names begin, such as \"batch/\"")?),
                "class" => class = Some(source.string(value, "\"fast\", \"normal\" or \"batch\"")?),
                _ => return Err(source.unknown(key, CLASS_KEYS.into_iter())),
            }
        }
        let whole = Origin::At(at.clone());
        let prefix = prefix.ok_or_else(|| source.bad(&whole, "there is no `prefix`: prefix = \"batch/\""))?;
        let class = class.ok_or_else(|| source.bad(&whole, "there is no `class`: class = \"batch\""))?;
        let Some(known) = Class::ALL.into_iter().find(|known| known.name() == class.text) else {
            let label = format!("expected \"fast\", \"normal\" or \"batch\", found `{}`", class.text);
            return Err(source.bad(&class.origin, &label));
        };
        if let Some((_, _, first)) = all.iter().find(|(before, _, _)| *before == prefix.text) {
            let labels = [(first, "first here"), (&prefix.origin, "again here")];
            let message = format!("the prefix `{}` is given two classes", prefix.text);
            return Err(source.wrong("duplicate_class", &message, &labels));
        }
        all.push((prefix.text, known, prefix.origin));
    }
    Ok(all.into_iter().map(|(prefix, class, _)| (prefix, class)).collect())
}
