//! Itai–Rodeh with a coin: who tosses tails right behind heads drops out, and a counter finds who is left alone.
//!
//! **Idea.** In each round every active process tosses a coin and sends the bit to the next active one; inactive ones
//! pass it on. A process that has 0 and receives 1 becomes inactive. Whoever is still active then sends a counter,
//! which every inactive process increases, to the next that is still active: if it comes in as n it is the receiver's
//! own, and nobody else is left. Never do all drop out, for the one behind whose 1 a process drops out stays.
//!
//! **Needs.** A one-way ring without identities whose size is known, FIFO links, random choices. Any finite delay will
//! do: a process takes bit and counter in turn, and FIFO keeps them so. Without FIFO a counter overtakes a bit.
//!
//! **Cost.** Exactly 2n messages a round, n for bits and n for counters, and n for the announcement. Rounds without
//! bound, but finite with probability 1; on average 10/3 for n = 3 and 30/7 for n = 4, under every schedule.
//!
//! **Source.** A. Itai and M. Rodeh, Symmetry breaking in distributed networks, Information and Computation
//! 88(1):60–87, 1990; in the form of the case study `leader_async` of the model checker PRISM, which ends when one is
//! left. Here the winner says so in one more lap, so that everybody knows; that takes no round.
//!
//! ```
//! use ringleader::{election::ItaiRodehCoin, sim::{self, Scenario}};
//! let run = sim::run_election::<ItaiRodehCoin>(&Scenario::new(5), &mut ()).unwrap();
//! assert_eq!(Some(run.election_messages()), run.phases.map(|rounds| 2 * 5 * rounds));
//! ```

use crate::model::{
    Cost, Election, Fields, Informed, Knows, Links, Needs, Never, Next, Outbox, Process, Promises, Rule,
    Show, Size, Spec, Value, Verdict, Winner, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ItaiRodehCoin {
    n: u32,
    mode: Mode,
}

/// Where a process is, with the variable that it has there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Asleep,
    /// Active: it has sent its bit and waits for that of the active process before it.
    AwaitBit {
        bit: bool,
    },
    /// Still active: it has sent a counter and waits for one.
    AwaitCount,
    Inactive,
    Leader,
    Nonleader,
}

// Ten million of them fit in a small machine.
const _: () = assert!(size_of::<ItaiRodehCoin>() <= 8);

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// What an active process tossed.
        "bit" Bit { bit: bool },
        /// The distance to the process before that is still active, so far.
        "count" Count { hops: u32 },
        /// There is a leader.
        announces "leader" Leader,
    }
}

impl Process for ItaiRodehCoin {
    const SPEC: Spec = SPEC;
    type Given = Size;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(Size(n): Size) -> Self {
        ItaiRodehCoin { n, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule("start");
            self.round(out);
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.mode) {
            (Msg::Bit { bit: true }, Mode::AwaitBit { bit: false }) => {
                out.rule("retire");
                self.mode = Mode::Inactive;
            }
            (Msg::Bit { .. }, Mode::AwaitBit { .. }) => {
                out.rule("survive");
                self.mode = Mode::AwaitCount;
                out.send(Next, Msg::Count { hops: 1 });
            }
            (Msg::Bit { bit }, Mode::Inactive) => {
                out.rule("relay");
                out.send(Next, Msg::Bit { bit });
            }
            (Msg::Bit { .. }, Mode::AwaitCount) => out.impossible("a counter comes between two bits"),

            (Msg::Count { hops }, Mode::AwaitCount) if hops == self.n => {
                out.rule("alone");
                self.mode = Mode::Leader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Count { .. }, Mode::AwaitCount) => {
                out.rule("again");
                self.round(out);
            }
            (Msg::Count { hops }, Mode::Inactive) => {
                out.rule("count");
                out.send(Next, Msg::Count { hops: hops.saturating_add(1) });
            }
            (Msg::Count { .. }, Mode::AwaitBit { .. }) => out.impossible("a bit comes before its counter"),

            (Msg::Leader {}, Mode::Inactive) => {
                out.rule("leader");
                self.mode = Mode::Nonleader;
                out.send(Next, Msg::Leader {});
            }
            (Msg::Leader {}, Mode::Leader) => out.rule("home"),
            (Msg::Leader {}, Mode::AwaitBit { .. } | Mode::AwaitCount) => {
                out.impossible("only the leader was left active");
            }
            (Msg::Leader {}, Mode::Nonleader) => out.impossible("the announcement makes one lap"),

            (Msg::Bit { .. } | Msg::Count { .. }, Mode::Leader | Mode::Nonleader) => {
                out.impossible("nothing was on its way but the leader's counter");
            }
            (Msg::Bit { .. } | Msg::Count { .. } | Msg::Leader {}, Mode::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }

    fn fields(&self) -> Fields {
        let (mode, bit) = match self.mode {
            Mode::Asleep => ("asleep", None),
            Mode::AwaitBit { bit } => ("await bit", Some(bit)),
            Mode::AwaitCount => ("await count", None),
            Mode::Inactive => ("inactive", None),
            Mode::Leader => ("leader", None),
            Mode::Nonleader => ("nonleader", None),
        };
        vec![("mode", Value::Word(mode)), ("bit", bit.show())]
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
    fn verdict(&self) -> Verdict {
        match self.mode {
            Mode::Asleep | Mode::AwaitBit { .. } | Mode::AwaitCount | Mode::Inactive => Verdict::Undecided,
            Mode::Leader => Verdict::Leader,
            Mode::Nonleader => Verdict::Lost,
        }
    }

    fn knows(&self) -> Knows {
        match self.mode {
            Mode::Asleep | Mode::AwaitBit { .. } | Mode::AwaitCount | Mode::Inactive => Knows::Nothing,
            Mode::Leader | Mode::Nonleader => Knows::ThereIsOne,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "itai-rodeh-coin",
    aliases: &[],
    title: "Itai–Rodeh with a coin",
    year: 1990,
    source: "A. Itai, M. Rodeh, Inf. Comput. 88(1):60-87, 1990",
    idea: "Each round every active process tosses a coin and sends the bit to the next active one, which drops out if \
           it has 0 and receives 1. Those still active then send a counter to the next of them, increased by everybody \
           in between: one that comes in as n is the receiver's own, and nobody else is left.",
    needs: Needs { links: Links::Fifo, choices: true, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
    cost: Cost {
        worst: None,
        average: None,
        words: "exactly 2n a round and n announcements; rounds without bound but finite with probability 1, on average \
                10/3 for n = 3 and 30/7 for n = 4",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule { name: "start", text: "active; draw b in 0..1; send bit(b)" },
        Rule { name: "retire", text: "on bit(1), active with b = 0: inactive" },
        Rule { name: "survive", text: "on bit(c) otherwise, active: send count(1)" },
        Rule { name: "alone", text: "on count(n), active: leader; send leader" },
        Rule { name: "again", text: "on count(h), h < n, active: draw b in 0..1; send bit(b)" },
        Rule { name: "relay", text: "on bit(c), inactive: send it on" },
        Rule { name: "count", text: "on count(h), inactive: send count(h + 1)" },
        Rule { name: "leader", text: "on leader, inactive: nonleader; send it on" },
        Rule { name: "home", text: "on leader, leader: nothing" },
    ],
    errata: &[],
    example: "-n 3 --seed 1",
};
