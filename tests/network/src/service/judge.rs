//! The end of a service, and whether it kept its promises.

use super::Service;
use super::audit::{Audit, Diary, grants_out_of_order};
use crate::table::Tally;

/// What came of it.
pub struct Verdict {
    /// Everything that was held.
    pub audit: Audit,
    /// What was lost, when and why, as clients were told.
    pub losses: Vec<(u64, String)>,
    /// All counts.
    pub tally: Tally,
}

impl Service {
    /// Ends clients and servers, and holds what was written down against the promises: no two hold a lock at one time,
    /// fences grow, the storage took nothing that was stale, nobody waits for ever.
    ///
    /// # Panics
    /// If one of them was broken.
    pub fn judge(self, title: &str) -> Verdict {
        let kept = self.kept();
        let verdict = self.audit(title);
        if let Some((one, other)) = verdict.audit.overlaps().first() {
            panic!("{title}: two held it at one time\n  {one:?}\n  {other:?}\n{kept}");
        }
        verdict
    }

    /// The same, except that two may hold a lock at one time: for clients that are wrong on purpose.
    ///
    /// # Panics
    /// If another promise was broken.
    pub fn audit(mut self, title: &str) -> Verdict {
        self.end_clients();
        for place in 0..self.size() {
            if self.is_up(place) {
                self.end(place);
            }
        }
        let diaries: Vec<Diary> = self.clients.iter().flat_map(|client| client.diaries()).collect();
        let audit = Audit::of(&diaries);
        if let Some((one, other)) = audit.out_of_order() {
            panic!("{title}: fences do not grow\n  {one:?}\n  {other:?}\n{}", self.kept());
        }
        let writes = self.storage.writes();
        if let Some((why, write)) = audit.wrong_write(&writes) {
            panic!("{title}: the storage took what it should not: {why}\n  {write:?}\n{}", self.kept());
        }
        let events = self.events();
        match grants_out_of_order(&events) {
            Ok(None) => {}
            Ok(Some(wrong)) => panic!("{title}: servers granted out of order\n  {wrong}\n{}", self.kept()),
            Err(error) => panic!("{title}: the events of servers: {error}"),
        }
        let mut tally = self.faults.clone();
        tally.extend(&audit.tally(&writes));
        tally.add("two holders at once", audit.overlaps().len() as u64);
        let count = |word: &str| {
            let starts = |event: &&String| event.starts_with(word);
            diaries
                .iter()
                .flat_map(|diary| diary.events.iter())
                .filter(|(event, _)| starts(event))
                .map(|(_, n)| n)
                .sum()
        };
        tally.add("requests refused", count("refused"));
        let killed = diaries.iter().filter(|diary| !diary.ended);
        tally.add("waiters of the killed", killed.map(|diary| diary.waiters().count() as u64).sum());
        let living = diaries.iter().filter(|diary| diary.ended);
        let lost: u64 = living.map(|diary| diary.waiters().count() as u64).sum();
        assert_eq!(lost, 0, "{title}: somebody was forgotten");
        tally.add("waiters lost", lost);
        let longest = diaries.iter().map(|diary| diary.longest_wait).max().unwrap_or_default();
        tally.add("longest wait, in ms", longest / 1000);
        let happened = |word: &str| {
            let word = format!("\"event\":\"{word}\"");
            events.iter().map(|text| text.matches(&word).count() as u64).sum()
        };
        tally.add("grants of servers", happened("lease_granted"));
        tally.add("views installed, by all", happened("membership_installed"));
        tally.add("sessions expired", happened("session_expired"));
        let total = self.lab.switch().total();
        tally.add("frames forwarded", total.forwarded);
        tally.add("frames cut", total.cut);
        tally.add("frames lost", total.lost);
        tally.add("frames delayed", total.delayed);
        let mut losses: Vec<(u64, String)> = diaries.into_iter().flat_map(|diary| diary.losses).collect();
        losses.sort();
        Verdict { audit, losses, tally }
    }

    /// What all servers wrote, one text for each start.
    fn events(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let events = paths.filter(|path| path.extension().is_some_and(|ending| ending == "events"));
        events.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect()
    }

    fn kept(&self) -> String {
        format!("(RINGLEADER_NETWORK_KEEP=1 keeps {})", self.folder.path().display())
    }
}
