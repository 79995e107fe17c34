//! When a command must be stopped: pure arithmetic on what a member said, and when it was asked.

use crate::client::Group;
use ringleader::live::Micros;

/// How a command is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopping {
    /// So long before the grants may end it gets TERM.
    pub grace: Micros,
    /// And so long before, KILL.
    pub kill_before: Micros,
}

impl Stopping {
    /// What fits a lease where nothing is said: 2 s and 500 ms, or two fifths and a tenth of the lease if that is less.
    #[must_use]
    pub fn usual(lease: Micros) -> Stopping {
        Stopping {
            grace: Micros::millis(2000).min(Micros(lease.0 / 5 * 2)),
            kill_before: Micros::millis(500).min(Micros(lease.0 / 10)),
        }
    }

    /// Whether a command could ever run with these.
    ///
    /// # Errors
    /// Why not.
    pub fn fits(self, lease: Micros) -> Result<(), String> {
        use crate::config::written;
        if self.kill_before > self.grace {
            return Err(format!(
                "--kill-before {} is more than --grace {}: KILL would come before TERM",
                written(self.kill_before),
                written(self.grace)
            ));
        }
        if self.grace.0 > lease.0 / 2 {
            return Err(format!(
                "--grace {} is more than half of the lease of {}: one late answer, and the command would be stopped",
                written(self.grace),
                written(lease)
            ));
        }
        Ok(())
    }
}

/// One stretch of leading: the same member, incarnation and epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    incarnation: u64,
    epoch: (u64, Option<String>),
    deadline: Micros,
    lost: Option<(Micros, String)>,
    stopping: Stopping,
}

/// Until when an answer counts, from the moment the question was sent: valid · (1 − ρ) / (1 + ρ), since both clocks
/// may be off by ρ.
#[must_use]
pub fn counted(sent: Micros, valid_ms: u64, drift_ppm: u32) -> Micros {
    let (million, drift) = (1_000_000u128, u128::from(drift_ppm.min(999_999)));
    let valid = u128::from(valid_ms) * 1000 * (million - drift) / (million + drift);
    sent + Micros(u64::try_from(valid).unwrap_or(u64::MAX))
}

impl Lease {
    /// The member leads, as it said when asked at `sent`; none if it does not, or is about to stop.
    #[must_use]
    pub fn begin(
        status: &crate::client::Status,
        group: &Group,
        sent: Micros,
        stopping: Stopping,
    ) -> Option<Lease> {
        if !group.leads || status.leaving {
            return None;
        }
        Some(Lease {
            incarnation: status.incarnation,
            epoch: epoch(group),
            deadline: counted(sent, group.valid_ms?, status.drift_ppm),
            lost: None,
            stopping,
        })
    }

    /// Another answer: it goes on, or it is over.
    pub fn hear(&mut self, status: &crate::client::Status, group: Option<&Group>, sent: Micros, now: Micros) {
        let lose = |why: String| Some((now, why));
        if self.lost.is_some() {
            return;
        }
        self.lost = match group {
            None => lose("the member knows the group no more".to_owned()),
            Some(_) if status.incarnation != self.incarnation => {
                lose("the member was started anew".to_owned())
            }
            Some(_) if status.leaving => lose("the member is about to stop".to_owned()),
            Some(group) if !group.leads => lose("the member leads no more".to_owned()),
            Some(group) if epoch(group) != self.epoch => {
                lose(format!("the member leads epoch {} now, not {}", group.epoch.number, self.epoch.0))
            }
            Some(group) => {
                if let Some(valid) = group.valid_ms {
                    // An older promise is not taken back by a younger answer.
                    self.deadline = self.deadline.max(counted(sent, valid, status.drift_ppm));
                }
                None
            }
        };
    }

    /// The number of the epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.0
    }

    /// Until when a majority grants it at least.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.deadline
    }

    /// Why it is over, if it is.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_ref().map(|(_, why)| why.as_str())
    }

    /// When the command gets TERM.
    #[must_use]
    pub fn term_at(&self) -> Micros {
        let late = self.deadline - self.stopping.grace;
        self.lost.as_ref().map_or(late, |(when, _)| late.min(*when))
    }

    /// When the command gets KILL: before the grants end, and once it is lost as soon as its grace is over.
    #[must_use]
    pub fn kill_at(&self) -> Micros {
        let late = self.deadline - self.stopping.kill_before;
        let grace = self.stopping.grace - self.stopping.kill_before;
        self.lost.as_ref().map_or(late, |(when, _)| late.min(*when + grace))
    }

    /// Whether there is time enough to begin.
    #[must_use]
    pub fn is_fresh(&self, now: Micros) -> bool {
        self.lost.is_none() && now < self.term_at()
    }
}

fn epoch(group: &Group) -> (u64, Option<String>) {
    (group.epoch.number, group.epoch.steward.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Status;

    fn leading(valid_ms: u64) -> (Status, Group) {
        let group = Group { leads: true, valid_ms: Some(valid_ms), ..Group::default() };
        (Status { incarnation: 7, drift_ppm: 5000, ..Status::default() }, group)
    }

    const STOPPING: Stopping = Stopping { grace: Micros::millis(400), kill_before: Micros::millis(100) };

    #[test]
    fn time_counts_from_the_question_and_clocks_are_not_trusted() {
        let (status, group) = leading(1000);
        let lease = Lease::begin(&status, &group, Micros(5_000_000), STOPPING).unwrap();
        // 1 s · 0.995 / 1.005
        assert_eq!(lease.deadline(), Micros(5_990_049));
        assert_eq!(lease.term_at(), Micros(5_590_049));
        assert_eq!(lease.kill_at(), Micros(5_890_049));
        assert!(lease.is_fresh(Micros(5_590_048)) && !lease.is_fresh(Micros(5_590_049)));
    }

    #[test]
    fn it_begins_only_while_the_member_leads_and_stays() {
        let (status, group) = leading(1000);
        let begin = |status: &Status, group: &Group| Lease::begin(status, group, Micros(0), STOPPING);
        assert!(begin(&status, &group).is_some());
        assert!(begin(&status, &Group { leads: false, ..group.clone() }).is_none());
        assert!(begin(&status, &Group { valid_ms: None, ..group.clone() }).is_none());
        assert!(begin(&Status { leaving: true, ..status }, &group).is_none());
    }

    #[test]
    fn an_answer_extends_and_never_shortens() {
        let (status, group) = leading(1000);
        let mut lease = Lease::begin(&status, &group, Micros(0), STOPPING).unwrap();
        let first = lease.deadline();
        lease.hear(&status, Some(&leading(1000).1), Micros(500_000), Micros(500_100));
        assert_eq!(lease.deadline(), first + Micros(500_000));
        lease.hear(&status, Some(&leading(10).1), Micros(600_000), Micros(600_100));
        assert_eq!(lease.deadline(), first + Micros(500_000));
        assert_eq!(lease.lost(), None);
    }

    #[test]
    fn whatever_changes_ends_it_for_good() {
        let (status, group) = leading(1000);
        let epoch = crate::client::Epoch { number: 9, steward: None };
        let cases: Vec<(Status, Option<Group>)> = vec![
            (status.clone(), None),
            (status.clone(), Some(Group { leads: false, ..group.clone() })),
            (status.clone(), Some(Group { epoch, ..group.clone() })),
            (Status { incarnation: 8, ..status.clone() }, Some(group.clone())),
            (Status { leaving: true, ..status.clone() }, Some(group.clone())),
        ];
        for (said, of) in cases {
            let mut lease = Lease::begin(&status, &group, Micros(0), STOPPING).unwrap();
            let now = Micros(200_000);
            lease.hear(&said, of.as_ref(), Micros(100_000), now);
            assert!(lease.lost().is_some(), "{said:?} {of:?}");
            assert_eq!(lease.term_at(), now, "at once");
            assert_eq!(lease.kill_at(), now + Micros::millis(300), "after its grace");
            lease.hear(&status, Some(&group), Micros(300_000), Micros(300_100));
            assert!(lease.lost().is_some(), "it does not come back");
        }
        // Lost shortly before the end: the end counts.
        let mut lease = Lease::begin(&status, &group, Micros(0), STOPPING).unwrap();
        lease.hear(&status, None, Micros(900_000), Micros(900_100));
        assert_eq!(lease.kill_at(), lease.deadline() - STOPPING.kill_before);
    }

    #[test]
    fn impossible_combinations_are_refused() {
        let lease = Micros::millis(1000);
        assert!(Stopping::usual(lease).fits(lease).is_ok());
        assert_eq!(Stopping::usual(lease).grace, Micros::millis(400));
        assert_eq!(Stopping::usual(Micros::millis(10_000)).grace, Micros::millis(2000));
        let (long, short) = (Micros::millis(600), Micros::millis(100));
        assert!(
            Stopping { grace: long, kill_before: short }
                .fits(lease)
                .unwrap_err()
                .contains("half of the lease")
        );
        assert!(
            Stopping { grace: short, kill_before: long }.fits(lease).unwrap_err().contains("KILL would come")
        );
        assert!(Stopping { grace: Micros(0), kill_before: Micros(0) }.fits(lease).is_ok());
    }
}
