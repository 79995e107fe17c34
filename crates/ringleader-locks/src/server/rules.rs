//! The rules that a server follows, by name, so that tests can leave them out one at a time. Each is there because a
//! trace is known that fails without it, and the tests must find that trace again: a check that finds nothing is no
//! check. The rehearsal has the list of the wrong versions (`tests/rehearsal/mistakes.rs`).
//!
//! Programs carry none of this. Without the feature `rehearsal`, which only the tests of this crate turn on, a
//! [`Rules`] takes no room and [`Rules::has`] is `true`: what a wrong version would do is not compiled in.
//!
//! Wrong versions of algorithms are differences of their source, made when built. Thirty copies of `server` take 102
//! seconds of a processor to build (three minutes on two busy cores), every time that anything in it changes; thirty
//! values of one type take none. When the rules were a type parameter, the rehearsal alone took 28 seconds more.

#![cfg_attr(not(feature = "rehearsal"), expect(unreachable_pub, reason = "only tests name a rule"))]

/// A rule, and its label in docs/locks/design.md.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// T4: unreported tokens are not re-created before every old lease is over.
    Waits,
    /// T2: every grant and every keep-alive looks at the lease; without it only the first grant of a session does.
    LeaseAlways,
    /// T1: a lease counts from the moment at which the read was sent, not from its answer.
    LeaseFromSent,
    /// 4.3: a run vouches for itself only, never for an earlier run of its server, whatever its disk says or does not
    /// say any more.
    OwnRun,
    /// 4.3: a report counts only for the run of the server that the view lists.
    Incarnations,
    /// 4.2: what is of another epoch is dropped.
    Epochs,
    /// 4.2: a token is taken once.
    Once,
    /// 4.3: unreported tokens need the report of every continuing member.
    Reports,
    /// 4.3: who was excluded or came in fresh installs only when none of its clients can hold.
    StepsDown,
    /// 4.2: requests and tokens are sent again.
    Resends,
    /// 4.2: a home asks itself only when the shard is open.
    OpenFirst,
    /// 4.1: the epoch is part of the fence.
    EpochInFence,
    /// 4.2, F1: whoever gets the token serves a waiter of its own before it passes it on.
    ServesFirst,
    /// T3, T4: clocks differ in rate, so a client stops earlier and a home waits longer than the lease.
    Drift,
    /// 4.3: who was out in between comes in fresh, and carries nothing over.
    Since,
    /// 4.3: who has lost a seat is waited for from then on, and not from when it had lost another one.
    Seats,
    /// I5: a view that changes again makes nobody wait anew.
    CountsOn,
    /// I5: whoever proposes does not wait for an earlier run of itself.
    OneRun,
    /// I5: who flaps is let in at once where it disturbs nobody.
    Undisturbed,
    /// 4.3: what is said of how long a server is gone counts for that server.
    Each,
    /// 4.3: a home that goes on knows its shards from the epoch before only as far as it knew them there.
    Knew,
    /// 4.3: and only if that was the epoch right before: in one between them the shard may have had another home.
    InARow,
    /// 4.3: what had a chain in the epoch before and is not reported may be held.
    Suspects,
    /// 4.3: a report says nothing of what began to be in doubt after it.
    Afterwards,
    /// 4.2: the numbers of a chain that begins anew go on above those of the one that was dropped.
    GoesOn,
    /// 4.5: a lock goes with its holder only when its home knows who has it.
    TellsFirst,
    /// 4.5: whoever has sent a session away stays in its epoch until that has arrived, or its client holds nothing.
    MovesFirst,
    /// 4.5: what was said of a session that came is said again in the next epoch.
    Remembers,
    /// 4.5: who was not in an epoch says nothing about the sessions that moved in it.
    OwnWord,
    /// 4.5: a session that is on its way is not extended.
    Frozen,
    /// 4.7: the token takes along who holds nevertheless.
    Lends,
    /// 4.7: and does so when it is sent again.
    LendsAgain,
    /// 4.7: what is granted fits beside those who hold elsewhere.
    Everywhere,
    /// 4.7: a hold of a server that is gone is waited for (T4).
    OutlastsGone,
    /// 4.7: only the run that granted a hold says that it is over.
    SameSeat,
    /// 4.7: a server reports who holds a lock there whose token is elsewhere.
    ReportsHolds,
    /// 4.7: a lock that somebody was reported to hold is not known to be free in the next epoch.
    HeldBefore,
    /// 4.7: whoever waits for a lock is served before those who come later, whatever fits.
    InTurn,
}

/// Which rules a server follows: all of them, or, in tests, all but one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Rules {
    #[cfg(feature = "rehearsal")]
    without: Option<Rule>,
}

impl Rules {
    /// All but this one: a wrong version.
    #[cfg(feature = "rehearsal")]
    #[must_use]
    pub const fn without(rule: Rule) -> Rules {
        Rules { without: Some(rule) }
    }

    /// Whether this one is followed.
    #[cfg(feature = "rehearsal")]
    pub(crate) fn has(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Every one is followed.
    #[cfg(not(feature = "rehearsal"))]
    #[inline(always)]
    pub(crate) const fn has(self, _: Rule) -> bool {
        true
    }
}

#[cfg(not(feature = "rehearsal"))]
const _: () = assert!(size_of::<Rules>() == 0, "a server that runs has no switch for being wrong");
