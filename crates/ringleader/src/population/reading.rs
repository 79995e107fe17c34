//! How each problem reads a process, and how it hands over what users do.

use super::{Position, Status};
use crate::model::{
    Belief, Charge, Doorway, Election, Exclusion, Knows, Message, Outbox, Process, Timekeeping,
};

/// How the problem reads a process, and how it hands over what users do.
pub(crate) trait Reading<P: Process>: 'static {
    /// Whether processes have clocks.
    const HAS_CLOCK: bool = false;

    fn status(process: &P) -> Status;
    fn knows(process: &P) -> Knows;
    fn belief(_: &P) -> Belief {
        Belief::Unsynchronised
    }
    fn priority(process: &P) -> Option<(u64, u32)>;
    fn doorway(_: &P) -> Doorway {
        Doorway::Outside
    }
    fn has_privilege(_: &P, _holds: u32, _told: u32) -> bool {
        false
    }
    fn charge(msg: &P::Msg) -> Charge;
    fn want(process: &mut P, out: &mut impl Outbox<P>);
    fn exit(process: &mut P, out: &mut impl Outbox<P>);
}

/// Processes elect a leader.
pub(crate) struct Electing;

impl<P: Election> Reading<P> for Electing {
    #[inline]
    fn status(process: &P) -> Status {
        Status::new(Position::Verdict(process.outcome().verdict), 0)
    }
    fn knows(process: &P) -> Knows {
        process.outcome().knows
    }
    fn priority(_: &P) -> Option<(u64, u32)> {
        None
    }
    #[inline]
    fn charge(_: &P::Msg) -> Charge {
        Charge::Nobody
    }
    fn want(_: &mut P, _: &mut impl Outbox<P>) {}
    fn exit(_: &mut P, _: &mut impl Outbox<P>) {}
}

/// Processes exclude each other.
pub(crate) struct Excluding;

impl<P: Exclusion> Reading<P> for Excluding {
    #[inline]
    fn status(process: &P) -> Status {
        Status::new(Position::User(process.stage()), process.tokens())
    }
    fn knows(_: &P) -> Knows {
        Knows::Nothing
    }
    fn priority(process: &P) -> Option<(u64, u32)> {
        process.priority()
    }
    fn doorway(process: &P) -> Doorway {
        process.doorway()
    }
    fn has_privilege(process: &P, holds: u32, told: u32) -> bool {
        Exclusion::has_privilege(process, holds, told)
    }
    #[inline]
    fn charge(msg: &P::Msg) -> Charge {
        msg.charge()
    }
    fn want(process: &mut P, out: &mut impl Outbox<P>) {
        process.request(out);
    }
    fn exit(process: &mut P, out: &mut impl Outbox<P>) {
        process.release(out);
    }
}

/// Processes bring their clocks together.
pub(crate) struct Keeping;

impl<P: Timekeeping> Reading<P> for Keeping {
    const HAS_CLOCK: bool = true;

    fn status(process: &P) -> Status {
        Status::new(Position::Clock(process.belief().synchrony()), 0)
    }
    fn knows(_: &P) -> Knows {
        Knows::Nothing
    }
    fn belief(process: &P) -> Belief {
        process.belief()
    }
    fn priority(_: &P) -> Option<(u64, u32)> {
        None
    }
    fn charge(_: &P::Msg) -> Charge {
        Charge::Nobody
    }
    fn want(_: &mut P, _: &mut impl Outbox<P>) {}
    fn exit(_: &mut P, _: &mut impl Outbox<P>) {}
}
