//! The auditor: who held what when, by what every client wrote down on the clock that all hosts of this machine
//! share, held against the promise of a lock and against what the storage saw.
//!
//! A client holds from the moment at which it took a grant until it gave it back, learnt that it was lost, or
//! its deadline passed, whichever is first. One that was killed or paused holds until the last deadline that it
//! knew.

use super::storage::Write;
use crate::table::Tally;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How a holding came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It was given back.
    Released,
    /// It was lost.
    Lost,
    /// The client was killed, or it has not ended yet: until its deadline.
    Open,
}

/// Somebody held a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holding {
    /// The client, its start and its worker.
    pub who: String,
    /// The lock.
    pub lock: String,
    /// The fence.
    pub fence: u64,
    /// From this moment on, in microseconds.
    pub from: u64,
    /// Until this one, which does not belong to it.
    pub to: u64,
    /// How it ended.
    pub ending: Ending,
}

/// Somebody waited, or still does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The client, its start and its worker.
    pub who: String,
    /// The lock.
    pub lock: String,
    /// Since when, in microseconds.
    pub since: u64,
}

/// What one start of a client wrote down, taken in line by line.
#[derive(Clone, Debug, Default)]
pub struct Diary {
    /// The client and its start.
    pub client: String,
    /// Everything that it held, in the order in which it was written.
    pub holdings: Vec<Holding>,
    /// For each worker the place of the holding that has not ended.
    open: BTreeMap<u64, usize>,
    /// For each worker what it waits for.
    waits: BTreeMap<u64, Waiting>,
    /// How often each event was written, with its reason if it has one.
    pub events: BTreeMap<String, u64>,
    /// How long somebody waited for a grant, at most, in microseconds.
    pub longest_wait: u64,
    /// Whether it has ended as it should.
    pub ended: bool,
    /// What was lost, and why, as it was told.
    pub losses: Vec<(u64, String)>,
}

impl Diary {
    /// Of this start of this client.
    #[must_use]
    pub fn new(client: &str) -> Diary {
        Diary { client: client.to_owned(), ..Diary::default() }
    }

    /// Takes in a line.
    ///
    /// # Errors
    /// In words, if it is not what it should be.
    pub fn take(&mut self, line: &str) -> Result<(), String> {
        let bad = |what: &str| format!("{}: {what}: {line}", self.client);
        let value: Value = serde_json::from_str(line).map_err(|error| bad(&error.to_string()))?;
        let event = value["event"].as_str().ok_or_else(|| bad("no event"))?;
        let number = |field: &str| value[field].as_u64().ok_or_else(|| bad(&format!("no `{field}`")));
        let text = |field: &str| value[field].as_str().ok_or_else(|| bad(&format!("no `{field}`")));
        let at = number("at_us")?;
        let why = value["why"].as_str().or_else(|| value["how"].as_str());
        let counted = why.map_or_else(|| event.to_owned(), |why| format!("{event}: {why}"));
        *self.events.entry(counted).or_default() += 1;
        if event == "ended" {
            self.ended = true;
            return Ok(());
        }
        let worker = number("worker")?;
        let who = format!("{}.{worker}", self.client);
        match event {
            "asks" => {
                let lock = text("lock")?.to_owned();
                self.waits.insert(worker, Waiting { who, lock, since: at });
            }
            "refused" => {
                self.waits.remove(&worker);
            }
            "takes" => {
                let waited = self.waits.remove(&worker).ok_or_else(|| bad("it did not ask"))?;
                self.longest_wait = self.longest_wait.max(at.saturating_sub(waited.since));
                let fence = text("fence")?.parse().map_err(|_| bad("no fence"))?;
                let (lock, to) = (text("lock")?.to_owned(), number("until_us")?);
                self.open.insert(worker, self.holdings.len());
                self.holdings.push(Holding { who, lock, fence, from: at, to, ending: Ending::Open });
            }
            "extends" => {
                let until = number("until_us")?;
                let open = self.open.get(&worker).ok_or_else(|| bad("it did not hold"))?;
                let holding = &mut self.holdings[*open];
                holding.to = holding.to.max(until);
            }
            "releases" | "loses" => {
                let open = self.open.remove(&worker).ok_or_else(|| bad("it did not hold"))?;
                let holding = &mut self.holdings[open];
                holding.to = holding.to.min(at);
                holding.ending = if event == "loses" { Ending::Lost } else { Ending::Released };
                if event == "loses" {
                    let why = why.unwrap_or_default();
                    self.losses.push((at, format!("{} of {who}: {why}", holding.lock)));
                }
            }
            // What a server says to a release, and what the storage says: counted only.
            _ => {}
        }
        Ok(())
    }

    /// Who holds something, by what was written so far.
    pub fn holders(&self) -> impl Iterator<Item = &Holding> {
        self.open.values().map(|place| &self.holdings[*place])
    }

    /// Who waits for something, by what was written so far.
    pub fn waiters(&self) -> impl Iterator<Item = &Waiting> {
        self.waits.values()
    }
}

/// All holdings of all clients.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// In the order in which they began.
    pub holdings: Vec<Holding>,
}

impl Audit {
    /// Of what everybody wrote.
    #[must_use]
    pub fn of<'a>(diaries: impl IntoIterator<Item = &'a Diary>) -> Audit {
        let mut holdings: Vec<Holding> =
            diaries.into_iter().flat_map(|diary| diary.holdings.iter().cloned()).collect();
        holdings.sort_by_key(|holding| (holding.from, holding.to));
        Audit { holdings }
    }

    /// A grant whose session was over when its client came to look has no moment in it.
    fn real(&self) -> impl Iterator<Item = &Holding> {
        self.holdings.iter().filter(|holding| holding.from < holding.to)
    }

    /// Holdings of one lock that have a moment in common: each that began while an earlier one lasted, behind that one.
    #[must_use]
    pub fn overlaps(&self) -> Vec<(&Holding, &Holding)> {
        let mut longest: BTreeMap<&str, &Holding> = BTreeMap::new();
        let mut found = Vec::new();
        for holding in self.real() {
            match longest.get_mut(holding.lock.as_str()) {
                Some(before) => {
                    if holding.from < before.to {
                        found.push((*before, holding));
                    }
                    if holding.to > before.to {
                        *before = holding;
                    }
                }
                None => {
                    longest.insert(&holding.lock, holding);
                }
            }
        }
        found
    }

    /// The first two holdings of one lock whose fences are not in the order in which they were held, or the same.
    #[must_use]
    pub fn out_of_order(&self) -> Option<(&Holding, &Holding)> {
        let mut last: BTreeMap<&str, &Holding> = BTreeMap::new();
        for holding in self.real() {
            if let Some(before) = last.insert(&holding.lock, holding)
                && before.fence >= holding.fence
            {
                return Some((before, holding));
            }
        }
        let mut seen: BTreeMap<(&str, u64), &Holding> = BTreeMap::new();
        self.holdings.iter().find_map(|holding| {
            let before = seen.insert((&holding.lock, holding.fence), holding)?;
            Some((before, holding))
        })
    }

    /// What is wrong with what the storage took: a smaller fence after a larger one, or a fence that the writer
    /// was never granted.
    #[must_use]
    pub fn wrong_write<'a>(&self, writes: &'a [Write]) -> Option<(&'static str, &'a Write)> {
        let granted: BTreeSet<(&str, u64, &str)> =
            self.holdings.iter().map(|held| (held.lock.as_str(), held.fence, held.who.as_str())).collect();
        let mut highest: BTreeMap<&str, u64> = BTreeMap::new();
        writes.iter().find_map(|write| {
            let key = (write.lock.as_str(), write.fence, write.who.as_str());
            if !granted.contains(&key) {
                return Some(("nobody granted this fence to whoever wrote with it", write));
            }
            let highest = highest.entry(&write.lock).or_default();
            if write.accepted && write.fence < *highest {
                return Some(("taken after a larger fence", write));
            }
            *highest = write.fence.max(*highest);
            None
        })
    }

    /// Counts for the table.
    #[must_use]
    pub fn tally(&self, writes: &[Write]) -> Tally {
        let mut tally = Tally::default();
        tally.add("grants taken by clients", self.holdings.len() as u64);
        let ended = |ending| self.holdings.iter().filter(|held| held.ending == ending).count() as u64;
        tally.add("holdings given back", ended(Ending::Released));
        tally.add("holdings lost", ended(Ending::Lost));
        tally.add("holdings of the killed", ended(Ending::Open));
        let until: BTreeMap<(&str, u64), u64> =
            self.holdings.iter().map(|held| ((held.lock.as_str(), held.fence), held.to)).collect();
        let is_late = |write: &&Write| {
            until.get(&(write.lock.as_str(), write.fence)).is_some_and(|until| write.at >= *until)
        };
        let accepted = writes.iter().filter(|write| write.accepted);
        tally.add("late writes, nobody newer yet", accepted.clone().filter(is_late).count() as u64);
        tally.add("writes accepted", accepted.count() as u64);
        tally.add("late writes refused", writes.iter().filter(|write| !write.accepted).count() as u64);
        tally
    }
}

/// The first two grants of one lock whose fences are not in the order of time, by what the servers wrote: the lines of
/// their events, each the text of one file.
///
/// # Errors
/// In words, if a line is not what it should be.
pub fn grants_out_of_order(events: &[String]) -> Result<Option<String>, String> {
    let mut grants: Vec<(String, u64, u64)> = Vec::new();
    for text in events {
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let value: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            if value["event"] != "lease_granted" {
                continue;
            }
            let fence = value["fence"].as_str().and_then(|fence| fence.parse().ok());
            let (Some(name), Some(at), Some(fence)) =
                (value["name"].as_str(), value["at_us"].as_u64(), fence)
            else {
                return Err(format!("not a grant: {line}"));
            };
            grants.push((name.to_owned(), at, fence));
        }
    }
    grants.sort();
    let wrong = grants.windows(2).find(|pair| {
        let ((name, _, fence), (next, _, later)) = (&pair[0], &pair[1]);
        name == next && fence >= later
    });
    Ok(wrong.map(|pair| format!("{:?} and then {:?}", pair[0], pair[1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diary(client: &str, lines: &[String]) -> Diary {
        let mut diary = Diary::new(client);
        lines.iter().for_each(|line| diary.take(line).expect("a line as it should be"));
        diary
    }

    fn line(event: &str, at: u64, rest: &str) -> String {
        format!(r#"{{"event":"{event}","at_us":{at},"worker":0,"lock":"x"{rest}}}"#)
    }

    fn takes(at: u64, until: u64, fence: u64) -> [String; 2] {
        let rest = format!(r#","until_us":{until},"fence":"{fence}""#);
        [line("asks", at - 1, ""), line("takes", at, &rest)]
    }

    fn extends(at: u64, until: u64) -> String {
        line("extends", at, &format!(r#","until_us":{until}"#))
    }

    fn both(one: &[String], other: &[String]) -> Audit {
        Audit::of(&[diary("a", one), diary("b", other)])
    }

    #[test]
    fn holdings_that_follow_each_other_are_all_right() {
        let a = [&takes(10, 110, 1)[..], &[extends(60, 160), line("releases", 90, "")]].concat();
        let b = [&takes(90, 190, 2)[..], &[line("loses", 200, r#","why":"w""#)]].concat();
        let audit = both(&a, &b);
        assert_eq!(audit.overlaps(), []);
        assert_eq!(audit.out_of_order(), None);
        let ends: Vec<u64> = audit.holdings.iter().map(|held| held.to).collect();
        assert_eq!(ends, [90, 190], "what was lost was held until its deadline");
        assert_eq!(audit.tally(&[]).get("holdings lost"), 1);
    }

    #[test]
    fn two_at_once_are_found_wherever_they_hide() {
        let extended = [&takes(10, 110, 1)[..], &[extends(60, 160)]].concat();
        let lost = [&takes(10, 110, 1)[..], &[line("loses", 100, r#","why":"w""#)]].concat();
        let released = [&takes(10, 110, 1)[..], &[line("releases", 100, "")]].concat();
        for (one, other) in [
            (&takes(10, 110, 1)[..], takes(109, 209, 2)),
            (&extended[..], takes(150, 250, 2)),
            (&lost[..], takes(99, 199, 2)),
            (&released[..], takes(99, 199, 2)),
            (&takes(10, 1000, 1)[..], takes(20, 30, 2)),
        ] {
            assert_eq!(both(one, &other).overlaps().len(), 1, "{one:?}");
        }
        // What began when its time was over already was never held.
        assert_eq!(both(&takes(10, 110, 1), &takes(50, 50, 2)).overlaps(), []);
        // Of three the second and the third overlap with the first, which lasts longest.
        let later =
            [&takes(20, 30, 2)[..], &[line("loses", 30, r#","why":"w""#)], &takes(40, 50, 3)[..]].concat();
        assert_eq!(both(&takes(10, 1000, 1), &later).overlaps().len(), 2);
    }

    #[test]
    fn fences_that_do_not_grow_are_found() {
        let first = [&takes(10, 110, 5)[..], &[line("releases", 20, "")]].concat();
        assert!(both(&first, &takes(30, 130, 4)).out_of_order().is_some());
        assert!(both(&first, &takes(30, 130, 5)).out_of_order().is_some(), "the same twice");
        assert!(both(&first, &takes(30, 30, 5)).out_of_order().is_some(), "even if it was never used");
        assert!(both(&first, &takes(30, 130, 6)).out_of_order().is_none());
    }

    #[test]
    fn what_the_storage_took_is_held_against_the_grants() {
        let first = [&takes(10, 110, 5)[..], &[line("releases", 20, "")]].concat();
        let audit = both(&first, &takes(30, 130, 6));
        let write =
            |at, fence, who: &str, accepted| Write { at, lock: "x".into(), fence, who: who.into(), accepted };
        let good = [write(15, 5, "a.0", true), write(31, 6, "b.0", true), write(40, 5, "a.0", false)];
        assert_eq!(audit.wrong_write(&good), None);
        assert_eq!(audit.tally(&good).get("late writes refused"), 1);
        let early = [write(25, 5, "a.0", true)];
        assert_eq!(audit.tally(&early).get("late writes, nobody newer yet"), 1);
        for bad in [
            [write(31, 6, "b.0", true), write(40, 5, "a.0", true)],
            [write(31, 6, "b.0", true), write(40, 7, "a.0", true)],
            [write(31, 6, "a.0", true), write(40, 6, "b.0", true)],
        ] {
            assert!(audit.wrong_write(&bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn whoever_waits_and_holds_is_known() {
        let mut diary = diary("a", &takes(10, 110, 1));
        assert_eq!(diary.holders().count(), 1);
        diary.take(&line("releases", 50, "")).expect("it held");
        diary.take(&line("asks", 60, "")).expect("it may ask");
        assert_eq!((diary.holders().count(), diary.waiters().count()), (0, 1));
        assert!(diary.take(&line("releases", 70, "")).is_err(), "it did not hold");
        assert!(diary.take("nonsense").is_err());
        assert!(diary.take(r#"{"event":"takes"}"#).is_err());
        diary.take(r#"{"event":"ended","at_us":80}"#).expect("it ends");
        assert!(diary.ended);
    }

    #[test]
    fn grants_of_servers_are_in_order() {
        let grant = |at: u64, fence: u64| {
            format!(r#"{{"event":"lease_granted","at_us":{at},"name":"x","fence":"{fence}"}}"#) + "\n"
        };
        let files = |first: u64, second: u64| [grant(1, first) + "{\"event\":\"cut o", grant(2, second)];
        assert_eq!(grants_out_of_order(&files(1, 2)), Ok(None));
        assert!(grants_out_of_order(&files(2, 2)).expect("lines").is_some());
        assert!(grants_out_of_order(&files(3, 2)).expect("lines").is_some());
        assert!(grants_out_of_order(&["{}x\n".into()]).is_err());
    }
}
