//! When a command must be stopped: pure arithmetic on what a member said, and when it was asked.

use crate::client::Group;
use crate::oversee::{Stopping, Term};
use ringleader_live::Micros;

/// One stretch of leading: the same member, incarnation and epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    incarnation: u64,
    epoch: (u64, Option<String>),
    term: Term,
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
            term: Term { deadline: counted(sent, group.valid_ms?, status.drift_ppm), lost: None, stopping },
        })
    }

    /// Another answer: it goes on, or it is over.
    pub fn hear(&mut self, status: &crate::client::Status, group: Option<&Group>, sent: Micros, now: Micros) {
        let lose = |why: String| Some((now, why));
        if self.term.lost.is_some() {
            return;
        }
        self.term.lost = match group {
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
                    self.term.deadline = self.term.deadline.max(counted(sent, valid, status.drift_ppm));
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

    /// Until when the command may run.
    #[must_use]
    pub fn term(&self) -> &Term {
        &self.term
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
    fn deadline_counts_from_the_request() {
        let (status, group) = leading(1000);
        let lease = Lease::begin(&status, &group, Micros(5_000_000), STOPPING).unwrap();
        // 1 s · 0.995 / 1.005
        assert_eq!(lease.term().deadline, Micros(5_990_049));
        assert_eq!(lease.term().term_at(), Micros(5_590_049));
        assert_eq!(lease.term().kill_at(), Micros(5_890_049));
        assert!(lease.term().is_fresh(Micros(5_590_048)) && !lease.term().is_fresh(Micros(5_590_049)));
    }

    #[test]
    fn command_starts_only_while_leader() {
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
        let first = lease.term().deadline;
        lease.hear(&status, Some(&leading(1000).1), Micros(500_000), Micros(500_100));
        assert_eq!(lease.term().deadline, first + Micros(500_000));
        lease.hear(&status, Some(&leading(10).1), Micros(600_000), Micros(600_100));
        assert_eq!(lease.term().deadline, first + Micros(500_000));
        assert_eq!(lease.term().lost, None);
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
            assert!(lease.term().lost.is_some(), "{said:?} {of:?}");
            assert_eq!(lease.term().term_at(), now, "at once");
            assert_eq!(lease.term().kill_at(), now + Micros::millis(300), "after its grace");
            lease.hear(&status, Some(&group), Micros(300_000), Micros(300_100));
            assert!(lease.term().lost.is_some(), "it does not come back");
        }
        // Lost shortly before the end: the end counts.
        let mut lease = Lease::begin(&status, &group, Micros(0), STOPPING).unwrap();
        lease.hear(&status, None, Micros(900_000), Micros(900_100));
        assert_eq!(lease.term().kill_at(), lease.term().deadline - STOPPING.kill_before);
    }
}
