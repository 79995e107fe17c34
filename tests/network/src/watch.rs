//! Whether ever two members led at one time: from what each of them wrote down, and from what each answered
//! when asked.
//!
//! Members write when they lead and until when they may (`leads`, `extends`), and when they stop, on the
//! clock that all hosts of one machine share. Each such span is a promise: it ends early only if the member
//! gave it back, not because it was killed or could not speak. No two spans of different members may have a
//! moment in common.

use crate::table::Tally;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// For so long a member may have counted on leading a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The member.
    pub member: String,
    /// Which start of it.
    pub start: usize,
    /// The group.
    pub group: String,
    /// The epoch, as it is written.
    pub epoch: String,
    /// From this moment on, in microseconds.
    pub from: u64,
    /// Until this one, which does not belong to it.
    pub to: u64,
}

/// A member said at this moment, when asked, that it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The member.
    pub member: String,
    /// The group.
    pub group: String,
    /// The moment, by the clock of the member.
    pub at: u64,
}

/// What one start of a member wrote down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// The member.
    pub member: String,
    /// Which start of it.
    pub start: usize,
    /// One JSON object in each line.
    pub text: String,
}

/// What all members together wrote down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Who led when, in the order in which that began.
    pub spans: Vec<Span>,
    /// The epochs that were opened, for each group.
    pub epochs: BTreeMap<String, BTreeSet<String>>,
    /// How often each event was written.
    pub events: BTreeMap<String, u64>,
}

impl Record {
    /// Reads what members wrote. A last line without an end was cut off by a kill, and says nothing.
    ///
    /// # Errors
    /// In words, if a line is not what it should be, or says that a member went on leading after its time was up.
    pub fn read(logs: &[Log]) -> Result<Record, String> {
        let mut record = Record::default();
        for log in logs {
            record.take(log)?;
        }
        record.spans.sort_by_key(|span| (span.from, span.to));
        Ok(record)
    }

    fn take(&mut self, log: &Log) -> Result<(), String> {
        let mut open: BTreeMap<String, Span> = BTreeMap::new();
        for (number, line) in log.text.split_inclusive('\n').enumerate() {
            let Some(line) = line.strip_suffix('\n') else { break };
            let place = || format!("{} (start {}), line {}: {line}", log.member, log.start, number + 1);
            let value: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", place()))?;
            let event = value["event"].as_str().ok_or_else(|| format!("{}: no event", place()))?;
            *self.events.entry(event.to_owned()).or_default() += 1;
            let time = |field: &str| {
                value[field].as_u64().ok_or_else(|| format!("{}: `{field}` is not a time", place()))
            };
            let group = value["group"].as_str().unwrap_or_default().to_owned();
            // Two members may open epochs of one number: who opened it is part of its name.
            let epoch = format!("{}.{}", as_text(&value["epoch"]), as_text(&value["steward"]));
            match event {
                "epoch_opened" => {
                    self.epochs.entry(group).or_default().insert(epoch);
                }
                "leader_elected" | "section_entered" => {
                    let (from, to) = (time("at_us")?, time("until_us")?);
                    let (member, start) = (log.member.clone(), log.start);
                    let span = Span { member, start, group: group.clone(), epoch, from, to };
                    self.spans.extend(open.insert(group, span));
                }
                "lease_extended" => {
                    let (at, until) = (time("at_us")?, time("until_us")?);
                    let span = open.get_mut(&group).ok_or_else(|| format!("{}: it did not lead", place()))?;
                    if at > span.to {
                        return Err(format!("{}: its time was up at {}", place(), span.to));
                    }
                    span.to = span.to.max(until);
                }
                "leadership_lost" | "section_left" => {
                    let mut span =
                        open.remove(&group).ok_or_else(|| format!("{}: it did not lead", place()))?;
                    match value["ending"].as_str() {
                        Some("released") => span.to = span.to.min(time("at_us")?),
                        Some("expired") => {}
                        other => return Err(format!("{}: it ended by {other:?}", place())),
                    }
                    self.spans.push(span);
                }
                // Everything else is counted only.
                _ => {}
            }
        }
        // What is open was not given back: it was promised to the end.
        self.spans.extend(open.into_values());
        Ok(())
    }

    /// The first two spans of different members (or of two starts of one) in one group that have a moment in
    /// common.
    #[must_use]
    pub fn two_at_once(&self) -> Option<(&Span, &Span)> {
        let mut latest: BTreeMap<&str, &Span> = BTreeMap::new();
        for span in self.spans.iter().filter(|span| span.from < span.to) {
            let before = latest.entry(&span.group).or_insert(span);
            let is_other = (&before.member, before.start) != (&span.member, span.start);
            if is_other && span.from < before.to {
                return Some((before, span));
            }
            if span.to >= before.to {
                *before = span;
            }
        }
        None
    }

    /// The first sighting that what the member wrote down does not cover.
    #[must_use]
    pub fn unexplained<'a>(&self, sightings: &'a [Sighting]) -> Option<&'a Sighting> {
        let mut spans: BTreeMap<(&str, &str), Vec<&Span>> = BTreeMap::new();
        for span in &self.spans {
            spans.entry((&span.member, &span.group)).or_default().push(span);
        }
        sightings.iter().find(|sighting| {
            let own = spans.get(&(sighting.member.as_str(), sighting.group.as_str()));
            // Spans of one member are in order and apart, so only the last that has begun can cover it.
            let begun = own.map(|own| own.partition_point(|span| span.from <= sighting.at)).unwrap_or(0);
            let last = begun.checked_sub(1).and_then(|last| own.map(|own| own[last]));
            // Within the microsecond in which it stopped it may have said so first.
            last.is_none_or(|span| sighting.at > span.to)
        })
    }

    /// Until when a member may have counted on leading a group, by what it began before this moment.
    #[must_use]
    pub fn led_until(&self, member: &str, begun_before: u64) -> Option<u64> {
        let own = self.spans.iter().filter(|span| span.member == member && span.from < begun_before);
        own.map(|span| span.to).max()
    }

    /// Counts for the table: epochs, changes of leader in these elections, entries of everybody else,
    /// suspicions.
    #[must_use]
    pub fn tally(&self, elections: &[&str]) -> Tally {
        let mut tally = Tally::default();
        tally.add("elections (epochs)", self.epochs.values().map(|epochs| epochs.len() as u64).sum());
        let mut last: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
        for span in &self.spans {
            if !elections.contains(&span.group.as_str()) {
                tally.add("entries of the section", 1);
                continue;
            }
            tally.add("spans of leading", 1);
            let who = (span.member.as_str(), span.start);
            let before = last.insert(&span.group, who);
            tally.add("changes of leader", u64::from(before.is_some_and(|before| before != who)));
        }
        let events = |name: &str| self.events.get(name).copied().unwrap_or_default();
        tally.add("suspicions", events("peer_suspected"));
        tally.add("members met", events("peer_identified"));
        tally
    }
}

/// A number, a text or an object, as one text.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(member: &str, start: usize, lines: &[&str]) -> Log {
        let text = lines.iter().map(|line| format!("{{{line}}}\n")).collect();
        Log { member: member.into(), start, text }
    }

    fn leads(at: u64, until: u64) -> String {
        format!(r#""event":"leader_elected","at_us":{at},"until_us":{until},"group":"g","epoch":"1.0""#)
    }

    fn extends(at: u64, until: u64) -> String {
        leads(at, until).replace("leader_elected", "lease_extended")
    }

    fn stops(at: u64, ending: &str) -> String {
        format!(r#""event":"leadership_lost","at_us":{at},"group":"g","epoch":"1.0","ending":"{ending}""#)
    }

    fn record(logs: &[Log]) -> Record {
        Record::read(logs).expect("logs as they should be")
    }

    #[test]
    fn spans_that_follow_each_other_are_all_right() {
        let a = log("a", 0, &[&leads(10, 110), &extends(60, 160), &stops(90, "released")]);
        let b = log("b", 0, &[&leads(90, 190), &stops(195, "expired")]);
        let a_again = log("a", 1, &[&leads(190, 290)]);
        let record = record(&[a, b, a_again]);
        assert_eq!(record.two_at_once(), None);
        assert_eq!(record.tally(&["g"]).get("changes of leader"), 2);
        assert_eq!(record.tally(&[]).get("entries of the section"), 3);
        assert_eq!(record.led_until("a", 50), Some(90));
        assert_eq!(record.led_until("a", 1000), Some(290));
        assert_eq!(record.led_until("c", 1000), None);
    }

    #[test]
    fn two_at_once_are_found_wherever_they_hide() {
        let pairs = [
            // One begins before the other has stopped.
            (vec![leads(10, 110), stops(100, "released")], vec![leads(99, 199)]),
            // Extended beyond the beginning of the other.
            (vec![leads(10, 110), extends(60, 160)], vec![leads(150, 250)]),
            // Killed: the promise goes on.
            (vec![leads(10, 110)], vec![leads(109, 209)]),
            // A stop that says the time was up does not shorten the promise.
            (vec![leads(10, 110), stops(50, "expired")], vec![leads(60, 160)]),
            // A long one around a short one.
            (vec![leads(10, 1000)], vec![leads(20, 30), stops(30, "expired")]),
        ];
        for (one, other) in pairs {
            let one: Vec<&str> = one.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            assert!(record(&[log("a", 0, &one), log("b", 0, &other)]).two_at_once().is_some(), "{one:?}");
            // The same between a member and what it is after a restart.
            assert!(record(&[log("a", 0, &one), log("a", 1, &other)]).two_at_once().is_some(), "{one:?}");
        }
        // In two groups nothing is wrong with it.
        let elsewhere = leads(20, 120).replace(r#""g""#, r#""h""#);
        let logs = [log("a", 0, &[&leads(10, 110)]), log("b", 0, &[&elsewhere])];
        assert_eq!(record(&logs).two_at_once(), None);
    }

    #[test]
    fn whoever_goes_on_after_its_time_is_reported() {
        assert!(Record::read(&[log("a", 0, &[&leads(10, 110), &extends(111, 211)])]).is_err());
        assert!(Record::read(&[log("a", 0, &[&extends(111, 211)])]).is_err());
        assert!(Record::read(&[log("a", 0, &[r#""event":"leader_elected","group":"g""#])]).is_err());
        assert!(Record::read(&[log("a", 0, &[r#""no":"event""#])]).is_err());
        assert!(Record::read(&[log("a", 0, &[&stops(10, "released")])]).is_err());
        assert!(Record::read(&[log("a", 0, &[&leads(10, 110), &stops(50, "somehow")])]).is_err());
        let cut_off = Log { text: format!("{{{}}}\n{{\"eve", leads(10, 110)), ..log("a", 0, &[]) };
        assert_eq!(record(&[cut_off]).spans.len(), 1);
    }

    #[test]
    fn what_was_seen_must_have_been_written() {
        let record = record(&[log("a", 0, &[&leads(10, 110), &stops(110, "expired"), &leads(200, 300)])]);
        let seen = |member: &str, at| Sighting { member: member.into(), group: "g".into(), at };
        let good = [seen("a", 10), seen("a", 109), seen("a", 250)];
        assert_eq!(record.unexplained(&good), None);
        for bad in [seen("a", 9), seen("a", 111), seen("a", 199), seen("a", 301), seen("b", 50)] {
            assert_eq!(record.unexplained(&[good[0].clone(), bad.clone()]), Some(&bad));
        }
    }
}
