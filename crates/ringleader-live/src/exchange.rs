//! What a member takes in and what comes out of it.

use super::{Epoch, Frame, Meeting, Micros, Place, Refused};
use ringleader::trace::{Event, Header};

/// What happens to a member.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// A connection to this member is there; nothing was said on it. An older one, if there was, is gone.
    Connected(Place),
    /// The connection to this member is gone.
    Disconnected(Place),
    /// A frame came in on that connection.
    Frame(Place, Frame),
    /// The time has come that [`Member::wakes_at`](crate::Member::wakes_at) asked for; or any other time.
    Wake,
    /// The user of this group wants in.
    Want(u16),
    /// The user of this group leaves.
    Exit(u16),
    /// It is to stop: leadership is handed over. [`Output::Left`] says when that is done.
    Leave,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// Send this on the connection to this member; if there is none, or it breaks, it is lost, and that is all right.
    Send(Place, Frame),
    /// Send this as the last frame, if there is anybody to send it to, and close the connection.
    Close(Place, Refused),
    /// Everything is handed over: it can stop.
    Left,
    /// Its incarnation is older than one that others have seen: it goes on as this one, and every connection is to be
    /// made anew.
    Renumbered(u64),
    /// Something worth telling.
    Notice(Notice),
}

/// Something worth telling: for logs, counters and recordings.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// A member was met: for the first time, again, or as a new incarnation.
    Met(Place, Meeting),
    /// The other side closes a connection, and says why.
    RefusedBy(Place, Refused),
    /// A member counts as down.
    Suspects(Place),
    /// A member is heard again.
    Hears(Place),
    /// The clock of a member is off by so many parts per million: nothing it grants counts.
    ClockWrong(Place, i64),
    /// A link is full: the member takes nothing in, and counts as down.
    LinkFull(Place),
    /// A segment came in a second time, or out of order, or from another incarnation.
    Dropped(Place, &'static str),
    /// Something of an epoch that is over, or unknown, was refused.
    OldEpoch(Place, u16, Epoch),
    /// A payload made no sense: the sender is broken.
    Nonsense(Place, &'static str),
    /// This member, as steward, opens an epoch.
    Opens(u16, Epoch, Vec<Place>),
    /// It joins an epoch: what a recording begins with, and its index in it; none if it does not take part.
    Joins(u16, Epoch, Vec<Place>, Option<(Box<Header>, u32)>),
    /// Its process took a step. Messages are numbered provisionally: the sender's index, the receiver's index and a
    /// count for the two, as [`crate`] says.
    Step(u16, Epoch, Box<Event>),
    /// It leads from now on (or its user is let in), until this moment unless that is extended.
    Leads(u16, Epoch, Micros),
    /// It may go on leading until this moment.
    Extends(u16, Epoch, Micros),
    /// It leads no more (or its user has left), since this moment: of its own accord, or because the grants ran out.
    Stops(u16, Epoch, Micros, Ending),
    /// It grants to a member until this moment, on its own clock.
    Grants(u16, Epoch, Place, Micros),
    /// Who leads, as far as it knows, has changed.
    Leader(u16, Option<Place>),
}

/// Why it leads no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It gave it back: it stops, its user left, its process says so, or a new epoch began.
    Released,
    /// The grants ran out.
    Expired,
}
