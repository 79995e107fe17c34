//! What happens to a member, one line each: in the log, as far as its level lets it through, and all of it in the
//! file of events, unbuffered, for whoever wants to hold the promises against what was reported.

use crate::events::Events;
use ringleader_live::{Cluster, Ending, Epoch, Meeting, Micros, Notice, Place};
use serde::Serialize;
use std::io;
use std::path::Path;

/// One line. Times are microseconds on the clock that promises are counted on.
#[derive(Clone, Serialize, Debug)]
pub struct Line<'a> {
    /// What happened.
    pub event: &'static str,
    /// When.
    pub at_us: u64,
    /// To whom.
    pub member: &'a str,
    /// Its incarnation.
    pub incarnation: u64,
    /// The other member that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<&'a str>,
    /// The group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'a str>,
    /// The number of the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// Who opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steward: Option<&'a str>,
    /// Until when it is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_us: Option<u64>,
    /// Why it leads no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<&'static str>,
    /// Why, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Why, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
    /// Where from, or where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Who takes part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participants: Option<Vec<&'a str>>,
    /// Its index among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// How far a clock is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ppm: Option<i64>,
    /// How many more there were of the same kind, of which nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<u64>,
    /// How loud it is in the log.
    #[serde(skip)]
    pub level: Level,
}

/// How loud a line is in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// For whoever looks for something.
    Debug,
    /// The course of things.
    Info,
    /// Somebody should know.
    Warn,
    /// Somebody must do something.
    Error,
}

/// Writes lines about one member.
pub(crate) struct Journal {
    member: String,
    names: Vec<String>,
    groups: Vec<String>,
    incarnation: u64,
    events: Option<Events>,
}

impl Journal {
    pub(crate) fn new(
        cluster: &Cluster,
        place: Place,
        incarnation: u64,
        events: Option<&Path>,
    ) -> io::Result<Journal> {
        let names: Vec<String> = cluster.members.iter().map(|member| member.name.clone()).collect();
        Ok(Journal {
            member: names.get(usize::from(place)).cloned().unwrap_or_default(),
            groups: cluster.groups.iter().map(|group| group.name.clone()).collect(),
            names,
            incarnation,
            events: events.map(Events::open).transpose()?,
        })
    }

    pub(crate) fn renumbered(&mut self, incarnation: u64) {
        self.incarnation = incarnation;
    }

    /// A line with nothing on it yet.
    pub(crate) fn line(&self, event: &'static str, at: Micros, level: Level) -> Line<'_> {
        Line {
            event,
            at_us: at.0,
            member: &self.member,
            incarnation: self.incarnation,
            peer: None,
            group: None,
            epoch: None,
            steward: None,
            until_us: None,
            ending: None,
            reason: None,
            why: None,
            address: None,
            participants: None,
            index: None,
            ppm: None,
            held_back: None,
            level,
        }
    }

    pub(crate) fn name(&self, place: Place) -> &str {
        self.names.get(usize::from(place)).map_or("?", String::as_str)
    }

    /// Writes a line. An events file that cannot be written to is given up with a word in the log: the member is worth
    /// more than its history.
    pub(crate) fn write(&self, line: &Line<'_>) {
        log(line);
        let Some(events) = &self.events else { return };
        if let Err(error) = events.write(line) {
            tracing::error!(event = "events_failed", member = %self.member, why = %error);
        }
    }

    /// What a member has to tell, as a line; none for steps, which are recorded, not logged.
    pub(crate) fn notice<'a>(&'a self, now: Micros, notice: &'a Notice) -> Option<Line<'a>> {
        let line = |event, level| self.line(event, now, level);
        let about = |event, level, place| Line { peer: Some(self.name(place)), ..line(event, level) };
        let of = |event, level, group: u16, epoch: Epoch| Line {
            group: self.groups.get(usize::from(group)).map(String::as_str),
            epoch: Some(epoch.number),
            steward: Some(self.name(epoch.steward)),
            ..line(event, level)
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
                Line { reason: Some(reason), ..about("met", Level::Info, *place) }
            }
            Notice::RefusedBy(place, refused) => Line {
                reason: Some(crate::metrics::reason(refused)),
                ..about("refused_by", Level::Warn, *place)
            },
            Notice::Suspects(place) => about("suspects", Level::Warn, *place),
            Notice::Hears(place) => about("hears", Level::Info, *place),
            Notice::ClockWrong(place, ppm) => {
                Line { ppm: Some(*ppm), ..about("clock_wrong", Level::Error, *place) }
            }
            Notice::LinkFull(place) => about("link_full", Level::Warn, *place),
            Notice::Dropped(place, why) => {
                Line { reason: Some(why), ..about("dropped", Level::Debug, *place) }
            }
            Notice::OldEpoch(place, group, epoch) => {
                Line { peer: Some(self.name(*place)), ..of("old_epoch", Level::Debug, *group, *epoch) }
            }
            Notice::Nonsense(place, why) => Line { why: Some(why), ..about("nonsense", Level::Warn, *place) },
            Notice::Opens(group, epoch, participants) => {
                Line { participants: all(participants), ..of("opens", Level::Info, *group, *epoch) }
            }
            Notice::Joins(group, epoch, participants, part) => Line {
                participants: all(participants),
                index: part.as_ref().map(|(_, index)| *index),
                ..of("joins", Level::Info, *group, *epoch)
            },
            Notice::Step(..) => return None,
            Notice::Leads(group, epoch, until) => {
                Line { until_us: Some(until.0), ..of("leads", Level::Info, *group, *epoch) }
            }
            Notice::Extends(group, epoch, until) => {
                Line { until_us: Some(until.0), ..of("extends", Level::Debug, *group, *epoch) }
            }
            Notice::Stops(group, epoch, since, ending) => Line {
                at_us: since.0,
                until_us: Some(since.0),
                ending: Some(match ending {
                    Ending::Released => "released",
                    Ending::Expired => "expired",
                }),
                ..of("stops", Level::Info, *group, *epoch)
            },
            Notice::Grants(group, epoch, place, until) => Line {
                peer: Some(self.name(*place)),
                until_us: Some(until.0),
                ..of("grants", Level::Debug, *group, *epoch)
            },
            Notice::Leader(group, leader) => Line {
                group: self.groups.get(usize::from(*group)).map(String::as_str),
                peer: leader.map(|place| self.name(place)),
                ..line("leader", Level::Info)
            },
        };
        Some(told)
    }
}

/// Hands a line to whoever subscribed.
fn log(line: &Line<'_>) {
    let participants = line.participants.as_ref().map(|names| names.join(","));
    macro_rules! at {
        ($level:expr) => {
            tracing::event!(
                $level,
                event = line.event,
                at_us = line.at_us,
                member = line.member,
                incarnation = line.incarnation,
                peer = line.peer,
                group = line.group,
                epoch = line.epoch,
                steward = line.steward,
                until_us = line.until_us,
                ending = line.ending,
                reason = line.reason,
                why = line.why,
                address = line.address.as_deref(),
                participants = participants.as_deref(),
                index = line.index,
                ppm = line.ppm,
                held_back = line.held_back,
            )
        };
    }
    match line.level {
        Level::Debug => at!(tracing::Level::DEBUG),
        Level::Info => at!(tracing::Level::INFO),
        Level::Warn => at!(tracing::Level::WARN),
        Level::Error => at!(tracing::Level::ERROR),
    }
}
