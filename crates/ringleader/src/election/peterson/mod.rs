//! Peterson: a two-way comparison on a one-way ring, by letting every active process see the two before it.
//!
//! **Idea.** Each round an active process learns the value of the active process before it, and the larger of the two
//! before that. It stays active, with the first value, if that is a local maximum, and relays otherwise. At least half
//! drop out each round; the largest identity wins when it meets its owner.
//!
//! **Needs.** FIFO links: without them the two values of a round are mixed up, and two may lead.
//!
//! **Cost.** worst 2n⌊log n⌋+n, n announcements; causal depth of the election at most 2n-1
//!
//! **Source.** G. L. Peterson, TOPLAS 4(4):758-762, 1982
//!
//! The count is the same under every schedule: a process has one input, in one order.
//!
//! ```
//! use ringleader::{election::Peterson, sim};
//! let run = sim::elect::<Peterson>(&[3, 7, 4, 1]);
//! assert_eq!(run.leader_id(), Some(7));
//! ```

use crate::model::*;
use Mode::*;

state! {
    pub struct Peterson {
        id: Id,
        mode: Mode = Asleep,
        drawn = [leader: leader],
        leader = |me| me.mode.leader(me.id),
        outcome = |me| me.mode.outcome(me.id),
    }

    /// Where a process is in its loop, with the variables that it has there.
    enum Mode {
        Asleep,
        /// It has sent its value and waits for that of the active process before it.
        Wait1 { tid: Id },
        /// It waits for the larger of the two values before that.
        Wait2 { tid: Id, ntid: Id },
        Relay,
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
    pub enum Msg {
        /// The temporary identity of an active process.
        "tid" Tid { id: Id },
        /// The larger of an active process's value and the one before it.
        "max" Max { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// tid := id; send tid(tid); wait1
    Start,
    /// on tid(v) or max(v), v = id, first time: leader; send elected(id)
    Home,
    /// on v in wait1: ntid := v; send max(max(tid, ntid)); wait2
    Wait1,
    /// on v in wait2, ntid >= tid and ntid >= v: tid := ntid; send tid(tid); wait1
    Survive,
    /// on v in wait2 otherwise: relay
    Retire,
    /// on v as a relay: send it on
    Relay,
    /// on v as the leader or when done: nothing
    Absorb,
    /// on elected(v): remember v; done; send it on unless it is my own
    Elected,
}

impl Process for Peterson {
    const SPEC: Spec = Spec::election("peterson", 1982, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .proved("Peterson 1982")
        .at_most(Counts::Election, "2n⌊log n⌋+n", |n| 2 * n * floor_log2(n) + n)
        .constant(2.0, "Peterson 1982, the first algorithm: 2n log n + O(n)")
        .worst_on(Arranged::BitReversal)
        .example("--ids 3,7,4,1");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            out.rule(Rule::Start);
            self.round(self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.mode) {
            (&Msg::Tid { id } | &Msg::Max { id }, mode) if id == self.id && mode != Leader => {
                out.rule(Rule::Home);
                self.mode = Leader;
                out.send(Next, Msg::Elected { id });
            }
            (&Msg::Tid { id } | &Msg::Max { id }, Wait1 { tid }) => {
                out.rule(Rule::Wait1);
                self.mode = Wait2 { tid, ntid: id };
                out.send(Next, Msg::Max { id: tid.max(id) });
            }
            (&Msg::Tid { id } | &Msg::Max { id }, Wait2 { tid, ntid }) if ntid >= tid.max(id) => {
                out.rule(Rule::Survive);
                self.round(ntid, out);
            }
            (Msg::Tid { .. } | Msg::Max { .. }, Wait2 { .. }) => {
                out.rule(Rule::Retire);
                self.mode = Relay;
            }
            (Msg::Tid { .. } | Msg::Max { .. }, Relay) => {
                out.rule(Rule::Relay);
                out.send(Next, msg);
            }
            (Msg::Tid { .. } | Msg::Max { .. }, Leader | Done { .. }) => out.rule(Rule::Absorb),
            (Msg::Tid { .. } | Msg::Max { .. }, Asleep) => out.impossible(NOT_STARTED),
            (&Msg::Elected { id }, _) => {
                out.rule(Rule::Elected);
                if id != self.id {
                    self.mode = Done { leader: id };
                    out.send(Next, msg);
                }
            }
        }
    }
}

impl Peterson {
    /// A new round with this value.
    #[inline(always)]
    fn round(&mut self, tid: Id, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Wait1 { tid };
        out.send(Next, Msg::Tid { id: tid });
    }
}
