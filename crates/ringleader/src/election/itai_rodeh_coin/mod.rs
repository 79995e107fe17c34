//! Itai–Rodeh with a coin: who tosses tails right behind heads drops out, and a counter finds who is left alone.
//!
//! **Idea.** Each round every active process tosses a coin and sends the bit to the next active one, which drops out if
//! it has 0 and receives 1. Those still active then send a counter to the next of them, increased by everybody in
//! between: one that comes in as n is the receiver's own, and nobody else is left.
//!
//! **Needs.** A one-way ring without identities whose size is known, random choices. FIFO links: a process takes bit
//! and counter in turn, and a counter must not overtake a bit. Any finite delay will do.
//!
//! **Cost.** exactly 2n a round and n announcements; rounds without bound but finite with probability 1, on average
//! 10/3 for n = 3 and 30/7 for n = 4
//!
//! **Source.** A. Itai, M. Rodeh, Inf. Comput. 88(1):60-87, 1990
//!
//! Never do all drop out: the one behind whose 1 a process drops out stays. The form is that of the case study
//! `leader_async` of the model checker PRISM, which ends when one is left; here the winner says so in one more lap.
//!
//! ```
//! use ringleader::{election::ItaiRodehCoin, sim::{self, Scenario}};
//! let run = sim::run_election::<ItaiRodehCoin>(&Scenario::new(5), &mut ()).unwrap();
//! assert_eq!(Some(run.election_messages()), run.phases.map(|rounds| 2 * 5 * rounds));
//! ```

use crate::model::*;
use Mode::*;

state! {
    pub struct ItaiRodehCoin {
        hidden n: Size,
        mode: Mode = Asleep,
        outcome = |me| me.mode.anonymous(),
    }

    /// Where a process is, with the variable that it has there.
    enum Mode {
        Asleep,
        /// Active: it has sent its bit and waits for that of the active process before it.
        AwaitBit { bit: bool } = "await bit",
        /// Still active: it has sent a counter and waits for one.
        AwaitCount = "await count",
        Inactive,
        Leader => leads,
        Nonleader => loses,
    }
}

messages! {
    pub enum Msg {
        /// What an active process tossed.
        "bit" Bit { bit: bool },
        /// The distance to the process before that is still active, so far.
        "count" Count { hops: u32 },
        /// There is a leader.
        announces "leader" Leader,
    }
}

rules! {
    /// active; draw b in 0..1; send bit(b)
    Start,
    /// on bit(1), active with b = 0: inactive
    Retire,
    /// on bit(c) otherwise, active: send count(1)
    Survive,
    /// on count(n), active: leader; send leader
    Alone,
    /// on count(h), h < n, active: draw b in 0..1; send bit(b)
    Again,
    /// on bit(c), inactive: send it on
    Relay,
    /// on count(h), inactive: send count(h + 1)
    Count,
    /// on leader, inactive: nonleader; send it on
    Leader,
    /// on leader, leader: nothing
    Home,
}

impl Process for ItaiRodehCoin {
    const SPEC: Spec = Spec::election("itai-rodeh-coin", 1990, include_str!("mod.rs"))
        .family(Family::Lottery)
        .links(Links::Fifo)
        .draws()
        .elects(Winner::Any, Informed::All)
        .example("-n 3 --seed 1");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            out.rule(Rule::Start);
            self.round(out);
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.mode) {
            (Msg::Bit { bit: true }, AwaitBit { bit: false }) => {
                out.rule(Rule::Retire);
                self.mode = Inactive;
            }
            (Msg::Bit { .. }, AwaitBit { .. }) => {
                out.rule(Rule::Survive);
                self.mode = AwaitCount;
                out.send(Next, Msg::Count { hops: 1 });
            }
            (Msg::Bit { bit }, Inactive) => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::Bit { bit });
            }
            (Msg::Bit { .. }, AwaitCount) => out.impossible("a counter comes between two bits"),
            (Msg::Count { hops }, AwaitCount) if hops == self.n.0 => {
                out.rule(Rule::Alone);
                self.mode = Leader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Count { .. }, AwaitCount) => {
                out.rule(Rule::Again);
                self.round(out);
            }
            (Msg::Count { hops }, Inactive) => {
                out.rule(Rule::Count);
                out.send(Next, Msg::Count { hops: hops.saturating_add(1) });
            }
            (Msg::Count { .. }, AwaitBit { .. }) => out.impossible("a bit comes before its counter"),
            (Msg::Leader {}, Inactive) => {
                out.rule(Rule::Leader);
                self.mode = Nonleader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Leader {}, Leader) => out.rule(Rule::Home),
            (Msg::Leader {}, AwaitBit { .. } | AwaitCount) => {
                out.impossible("only the leader was left active");
            }
            (Msg::Leader {}, Nonleader) => out.impossible("the announcement makes one lap"),
            (Msg::Bit { .. } | Msg::Count { .. }, Leader | Nonleader) => {
                out.impossible("nothing was on its way but the leader's counter");
            }
            (_, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl ItaiRodehCoin {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        let bit = out.choose(2) == 1;
        self.mode = AwaitBit { bit };
        out.send(Next, Msg::Bit { bit });
    }
}
