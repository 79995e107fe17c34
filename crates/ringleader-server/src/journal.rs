//! What happens at a server, as lines of its journal.

use ringleader_live::Micros;
use ringleader_locks::{Event, Fence, Kind, Name, Path as Way, SessionId, Tally};
use ringleader_net::journal::{Journal, Level, Line};

/// How a grant came about, in a word.
#[must_use]
pub const fn way(path: Way) -> &'static str {
    match path {
        Way::Local => "local",
        Way::Home => "home",
        Way::Third => "third",
        Way::Queued => "queued",
    }
}

/// Writes what the server has to tell. Grants are many: they are for whoever looks for something. What concerns the
/// whole server is not.
pub(crate) fn tell(journal: &Journal, now: Micros, event: &Event) {
    let line = |what, level| journal.line(what, now, level);
    let about = |what, level, name, fence| of_lock(line(what, level), name, fence);
    let of = |what, session: &SessionId| Line {
        session: Some(format!("{:032x}", session.0)),
        ..line(what, Level::Info)
    };
    if matches!(event, Event::Granted { .. } | Event::Released { .. }) && !journal.is_read() {
        return;
    }
    journal.write(&match event {
        Event::Granted { name, session, fence, class, path, waited } => Line {
            session: Some(format!("{:032x}", session.0)),
            class: Some(class.name()),
            path: Some(way(*path)),
            waited_us: Some(waited.0),
            ..about("lease_granted", Level::Debug, name, *fence)
        },
        Event::Released { name, fence } => about("lease_released", Level::Debug, name, *fence),
        Event::Lost { name, fence } => about("lease_lost", Level::Warn, name, *fence),
        Event::Expired(session) => of("session_expired", session),
        Event::Left { session, .. } => of("session_moved_out", session),
        Event::Arrived { session, held, .. } => Line { kept: Some(*held), ..of("session_moved_in", session) },
        Event::Installed { epoch, joined, kept } => Line {
            epoch: Some(u64::from(*epoch)),
            joined: Some(*joined),
            kept: Some(*kept),
            ..line("membership_installed", Level::Info)
        },
        Event::Recovered { epoch, after } => Line {
            epoch: Some(u64::from(*epoch)),
            waited_us: Some(after.0),
            ..line("shards_recovered", Level::Info)
        },
        Event::Drained => line("drained", Level::Info),
    });
}

fn of_lock<'a>(line: Line<'a>, name: &'a Name, fence: Fence) -> Line<'a> {
    let kind = match name.kind() {
        Kind::Lock => "lock",
        Kind::Election => "election",
    };
    Line { name: Some(name.text()), kind: Some(kind), fence: Some(fence.to_string()), ..line }
}

/// Says once that something happened that the proof excludes. The server goes on; somebody should report it.
pub(crate) fn tell_defect(journal: &Journal, told: &mut bool, now: Micros, tally: &Tally) {
    if let Some(clause) = tally.impossible
        && !std::mem::replace(told, true)
    {
        journal.write(&Line { why: Some(clause), ..journal.line("impossible", now, Level::Error) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn defect_is_told_once() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join("events");
        let journal = Journal::of_server("a", 7, Some(&file)).expect("there is room");
        let (mut told, mut tally) = (false, Tally::default());
        tell_defect(&journal, &mut told, Micros(1), &tally);
        tally.impossible = Some("a clause");
        tell_defect(&journal, &mut told, Micros(2), &tally);
        tell_defect(&journal, &mut told, Micros(3), &tally);
        let lines = std::fs::read_to_string(&file).expect("it was written");
        let line: Value = serde_json::from_str(&lines).expect("one object");
        assert_eq!(
            (&line["event"], &line["why"], &line["at_us"]),
            (&"impossible".into(), &"a clause".into(), &2.into())
        );
        assert_eq!((&line["server"], &line["incarnation"]), (&"a".into(), &"0000000000000007".into()));
    }
}
