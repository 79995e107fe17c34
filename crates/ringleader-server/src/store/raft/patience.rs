//! How long a replica waits for a leader before it stands for election itself.

use super::shared::random;
use std::ops::Range;
use std::time::Duration;
use tokio::time::Instant;

/// How the last election was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lost {
    /// Others had a longer log: the next round or two are theirs, which this one could only spoil.
    Behind,
    /// Others had voted for a later election already: this one stands in a later one soon.
    Outbid,
    /// Too few answered.
    Silence,
}

/// The time is drawn anew each time. (The timer of openraft 0.9 draws once for each process: two survivors that drew
/// the same may split the vote for ever.)
pub(super) struct Patience {
    range: Range<Duration>,
    heartbeat: Duration,
    span: Duration,
    /// What was not heard before this says nothing.
    since: Instant,
    /// When it meant to look again.
    wanted: Instant,
    /// Whether it looked late the last time.
    late: bool,
    /// When a leader was heard last.
    led: Option<Instant>,
}

impl Patience {
    pub(super) fn new(now: Instant, range: Range<Duration>, heartbeat: Duration) -> Patience {
        let span = drawn(&range);
        Patience { range, heartbeat, span, since: now, wanted: now, late: false, led: None }
    }

    /// It leads, or has no vote: there is nothing to wait for.
    pub(super) fn rests(&mut self, now: Instant) {
        self.begins(now);
        self.wanted = now;
    }

    fn begins(&mut self, now: Instant) {
        (self.since, self.span) = (now, drawn(&self.range));
    }

    /// When it is to stand: now or before if it is time. It heard somebody then, and a leader then.
    ///
    /// Who looks much later than it meant to was paused, or held up by its disk, and heard nobody meanwhile: that says
    /// nothing about the leader. Who always looks late stands all the same.
    pub(super) fn due(&mut self, now: Instant, heard: Option<Instant>, led: Option<Instant>) -> Instant {
        let late = now > self.wanted + self.heartbeat;
        if late && !self.late {
            self.begins(now);
        }
        self.late = late;
        // A leader since then: what was lost before says nothing about the next election.
        if led > self.led {
            (self.led, self.span) = (led, drawn(&self.range));
        }
        let due = heard.unwrap_or(self.since).max(self.since) + self.span;
        self.wanted = due.max(now);
        due
    }

    /// It stood: its vote was on the disk and the others were asked at that moment, and now it has lost. Before, nobody
    /// could answer: on a slow disk that takes longer than an election may, and who stood again at once would make
    /// worthless what the others are about to say.
    pub(super) fn lost(&mut self, asked: Instant, now: Instant, how: Lost) {
        let range = &self.range;
        self.span = match how {
            Lost::Behind => drawn(range) + range.end * 2,
            Lost::Outbid => drawn(&(Duration::ZERO..range.end - range.start)),
            Lost::Silence => drawn(range),
        };
        (self.since, self.wanted) = (asked, now);
    }
}

fn drawn(range: &Range<Duration>) -> Duration {
    let width = u64::try_from((range.end.saturating_sub(range.start)).as_micros()).unwrap_or(u64::MAX).max(1);
    range.start + Duration::from_micros(random() % width)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn fresh() -> (Instant, Patience) {
        let start = Instant::now();
        (start, Patience::new(start, ms(250)..ms(500), ms(100)))
    }

    #[test]
    fn a_leader_that_is_heard_puts_it_off() {
        let (start, mut patience) = fresh();
        let first = patience.due(start, None, None);
        assert!((start + ms(250)..start + ms(500)).contains(&first));
        let heard = start + ms(90);
        let next = patience.due(first, Some(heard), Some(heard));
        assert!((heard + ms(250)..heard + ms(500)).contains(&next));
        // The same leader, and nothing new of it: then it is time.
        assert_eq!(patience.due(next, Some(heard), Some(heard)), next);
    }

    #[test]
    fn who_was_paused_hears_the_leader_out_first() {
        let (start, mut patience) = fresh();
        let due = patience.due(start, None, None);
        let heard = Some(start + ms(90));
        let late = due + ms(5_000);
        let next = patience.due(late, heard, heard);
        assert!((late + ms(250)..late + ms(500)).contains(&next));
        assert_eq!(patience.due(next, heard, heard), next, "and stands if nothing comes");
    }

    #[test]
    fn who_always_looks_late_stands_all_the_same() {
        let (start, mut patience) = fresh();
        let first = patience.due(start, None, None) + ms(150);
        let second = patience.due(first, None, None) + ms(150);
        assert!(patience.due(second, None, None) <= second);
    }

    #[test]
    fn slow_own_disk_leaves_peers_time_to_answer() {
        let (start, mut patience) = fresh();
        let stands = patience.due(start, None, None);
        let asked = stands + ms(2_000);
        let now = asked + ms(125);
        patience.lost(asked, now, Lost::Silence);
        let next = patience.due(now, Some(stands), None);
        assert!((asked + ms(250)..asked + ms(500)).contains(&next));
    }

    #[test]
    fn lagging_candidate_skips_a_round() {
        let (start, mut patience) = fresh();
        patience.lost(start, start, Lost::Behind);
        assert!((start + ms(1_250)..start + ms(1_500)).contains(&patience.due(start, None, None)));
        patience.lost(start, start, Lost::Outbid);
        assert!((start..start + ms(250)).contains(&patience.due(start, None, None)));
    }
}
