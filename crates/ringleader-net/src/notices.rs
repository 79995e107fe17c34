//! What a node that runs algorithms has to tell, as lines of its journal.

use crate::journal::{Journal, Level, Line};
use ringleader::registry::Problem;
use ringleader_live::{Cluster, Ending, Epoch, Meeting, Micros, Notice, Place};
use std::io;
use std::path::Path;

impl Journal {
    pub(crate) fn of(
        cluster: &Cluster,
        place: Place,
        incarnation: u64,
        events: Option<&Path>,
    ) -> io::Result<Journal> {
        let names: Vec<String> = cluster.members.iter().map(|member| member.name.clone()).collect();
        let groups = cluster.groups.iter();
        let groups = groups.map(|group| (group.name.clone(), group.entry.problem == Problem::Election));
        let own = names.get(usize::from(place)).map_or("", String::as_str);
        let mut journal = Journal::of_member(own, incarnation, events)?;
        (journal.groups, journal.names) = (groups.collect(), names);
        Ok(journal)
    }

    pub(crate) fn name(&self, place: Place) -> &str {
        self.names.get(usize::from(place)).map_or("?", String::as_str)
    }

    fn group(&self, group: u16) -> Option<&str> {
        self.groups.get(usize::from(group)).map(|(name, _)| name.as_str())
    }

    /// What a member has to tell, as a line; none for steps, which are recorded, not logged.
    pub(crate) fn notice<'a>(&'a self, now: Micros, notice: &'a Notice) -> Option<Line<'a>> {
        let line = |event, level| self.line(event, now, level);
        let about = |event, level, place| Line { peer: Some(self.name(place)), ..line(event, level) };
        let of = |event, level, group: u16, epoch: Epoch| Line {
            group: self.group(group),
            epoch: Some(epoch.number),
            steward: Some(self.name(epoch.steward)),
            ..line(event, level)
        };
        // Where users want in, a lease is theirs and not a leader's.
        let pick = |group: u16, election, exclusion| match self.groups.get(usize::from(group)) {
            Some((_, false)) => exclusion,
            Some((_, true)) | None => election,
        };
        let all = |places: &[Place]| Some(places.iter().map(|&place| self.name(place)).collect());
        let told = match notice {
            Notice::Met(place, meeting) => {
                let reason = match meeting {
                    Meeting::First => "first",
                    Meeting::Same => "same",
                    Meeting::Restarted => "restarted",
                    Meeting::Stale(_) => "stale",
                };
                Line { reason: Some(reason), ..about("peer_identified", Level::Info, *place) }
            }
            Notice::RefusedBy(place, refused) => Line {
                reason: Some(crate::metrics::reason(refused)),
                ..about("rejected_by_peer", Level::Warn, *place)
            },
            Notice::Suspects(place) => about("peer_suspected", Level::Warn, *place),
            Notice::Hears(place) => about("peer_heard", Level::Info, *place),
            Notice::ClockWrong(place, ppm) => {
                Line { ppm: Some(*ppm), ..about("clock_drift_exceeded", Level::Error, *place) }
            }
            Notice::LinkFull(place) => about("link_full", Level::Warn, *place),
            Notice::Dropped(place, why) => {
                Line { reason: Some(why), ..about("segment_dropped", Level::Debug, *place) }
            }
            Notice::OldEpoch(place, group, epoch) => {
                Line { peer: Some(self.name(*place)), ..of("stale_epoch", Level::Debug, *group, *epoch) }
            }
            Notice::Nonsense(place, why) => {
                Line { why: Some(why), ..about("protocol_violation", Level::Warn, *place) }
            }
            Notice::Opens(group, epoch, participants) => {
                Line { participants: all(participants), ..of("epoch_opened", Level::Info, *group, *epoch) }
            }
            Notice::Joins(group, epoch, participants, part) => Line {
                participants: all(participants),
                index: part.as_ref().map(|(_, index)| *index),
                ..of("epoch_joined", Level::Info, *group, *epoch)
            },
            Notice::Step(..) => return None,
            Notice::Leads(group, epoch, until) => Line {
                until_us: Some(until.0),
                ..of(pick(*group, "leader_elected", "section_entered"), Level::Info, *group, *epoch)
            },
            Notice::Extends(group, epoch, until) => {
                Line { until_us: Some(until.0), ..of("lease_extended", Level::Debug, *group, *epoch) }
            }
            Notice::Stops(group, epoch, since, ending) => Line {
                at_us: since.0,
                until_us: Some(since.0),
                ending: Some(match ending {
                    Ending::Released => "released",
                    Ending::Expired => "expired",
                }),
                ..of(pick(*group, "leadership_lost", "section_left"), Level::Info, *group, *epoch)
            },
            Notice::Grants(group, epoch, place, until) => Line {
                peer: Some(self.name(*place)),
                until_us: Some(until.0),
                ..of("lease_granted", Level::Debug, *group, *epoch)
            },
            Notice::Leader(group, leader) => Line {
                group: self.group(*group),
                peer: leader.map(|place| self.name(place)),
                ..line("leader_changed", Level::Info)
            },
        };
        Some(told)
    }
}
