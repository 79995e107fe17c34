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

state! {
    pub struct ItaiRodehCoin {
        hidden n: u32,
        mode: Mode,
    }

    /// Where a process is, with the variable that it has there.
    #[derive(Copy)]
    enum Mode {
        Asleep,
        /// Active: it has sent its bit and waits for that of the active process before it.
        AwaitBit { bit: bool } = "await bit",
        /// Still active: it has sent a counter and waits for one.
        AwaitCount = "await count",
        Inactive,
        Leader,
        Nonleader,
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
        .links(Links::Fifo)
        .draws()
        .elects(Winner::Any, Informed::All)
        .example("-n 3 --seed 1");
    types! { Given = Size, Port = Next }

    fn new(Size(n): Size) -> Self {
        ItaiRodehCoin { n, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule(Rule::Start);
            self.round(out);
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.mode) {
            (Msg::Bit { bit: true }, Mode::AwaitBit { bit: false }) => {
                out.rule(Rule::Retire);
                self.mode = Mode::Inactive;
            }
            (Msg::Bit { .. }, Mode::AwaitBit { .. }) => {
                out.rule(Rule::Survive);
                self.mode = Mode::AwaitCount;
                out.send(Next, Msg::Count { hops: 1 });
            }
            (Msg::Bit { bit }, Mode::Inactive) => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::Bit { bit });
            }
            (Msg::Bit { .. }, Mode::AwaitCount) => out.impossible("a counter comes between two bits"),

            (Msg::Count { hops }, Mode::AwaitCount) if hops == self.n => {
                out.rule(Rule::Alone);
                self.mode = Mode::Leader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Count { .. }, Mode::AwaitCount) => {
                out.rule(Rule::Again);
                self.round(out);
            }
            (Msg::Count { hops }, Mode::Inactive) => {
                out.rule(Rule::Count);
                out.send(Next, Msg::Count { hops: hops.saturating_add(1) });
            }
            (Msg::Count { .. }, Mode::AwaitBit { .. }) => out.impossible("a bit comes before its counter"),

            (Msg::Leader {}, Mode::Inactive) => {
                out.rule(Rule::Leader);
                self.mode = Mode::Nonleader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Leader {}, Mode::Leader) => out.rule(Rule::Home),
            (Msg::Leader {}, Mode::AwaitBit { .. } | Mode::AwaitCount) => {
                out.impossible("only the leader was left active");
            }
            (Msg::Leader {}, Mode::Nonleader) => out.impossible("the announcement makes one lap"),

            (Msg::Bit { .. } | Msg::Count { .. }, Mode::Leader | Mode::Nonleader) => {
                out.impossible("nothing was on its way but the leader's counter");
            }
            (_, Mode::Asleep) => out.impossible("everybody starts before its first message"),
        }
    }
}

impl ItaiRodehCoin {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        let bit = out.choose(2) == 1;
        self.mode = Mode::AwaitBit { bit };
        out.send(Next, Msg::Bit { bit });
    }
}

impl Election for ItaiRodehCoin {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        match self.mode {
            Mode::Asleep | Mode::AwaitBit { .. } | Mode::AwaitCount | Mode::Inactive => Decision::NONE,
            Mode::Leader => Decision::anonymous(true),
            Mode::Nonleader => Decision::anonymous(false),
        }
    }
}
