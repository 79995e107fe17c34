//! Dolev–Klawe–Rodeh, Algorithm B: a second message only for a value that beats the one before it, on a shorter way.
//!
//! **Idea.** An active process that receives a larger value takes it over, but waits with it. One that receives a
//! smaller value becomes passive and confirms its own (`two`) to the process that waits with that: it beats the value
//! on either side, and the one who waits begins the next phase with it. Without confirmation the value was beaten as
//! well, and the next message makes the one who waits passive. In phase p a value waits already at the 2^p-th process
//! from where it set out, if it has passed only passive ones that had seen nothing larger: the way to be confirmed on
//! is shorter.
//!
//! **Needs.** Distinct comparable identities, FIFO links, a one-way ring. Everybody takes part: a process that is
//! reached by a message starts first. Without FIFO a confirmation may come before what it confirms.
//!
//! **Cost.** About 1.5 n log n election messages at worst, n for the announcement. The literature gives the leading
//! term; that n more are always enough is measured (all arrangements up to n = 9, random and bad ones beyond), not
//! proved. Bit reversal takes exactly 1.5 n log n + 1 for powers of two. The same count under every schedule and for
//! every set of initiators: a process has one input, in one order.
//!
//! **Source.** D. Dolev, M. Klawe, M. Rodeh, An O(n log n) unidirectional distributed algorithm for extrema finding in
//! a circle, J. Algorithms 3(3):245–260, 1982. Written from public models and programs of Algorithm B; the variant
//! with 1.356 n log n could not be established from its abstract. The 1.33 of a chapter on elections is wrong (001-5).
//!
//! ```
//! use ringleader::{election::DolevKlaweRodehB, sim};
//! let run = sim::elect::<DolevKlaweRodehB>(&[1, 3, 2, 4]); // bit reversal: the worst case
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(4), 13));
//! ```

use crate::model::{
    Arranged, Bound, Constant, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs,
    Never, Next, Outbox, Process, Promises, Rule, Show, Spec, Value, Verdict, Winner, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DolevKlaweRodehB {
    id: Id,
    mode: Mode,
}

/// What a process is, with the variables that it has then: `max`, the largest value that it has stood for or let pass
/// as a candidate, and the phase of that value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    Asleep,
    /// It has sent its value and waits for another to compare.
    Active {
        max: Id,
        phase: u8,
    },
    /// It has a value from another process, which is not confirmed yet.
    Waiting {
        max: Id,
        phase: u8,
    },
    Passive {
        max: Id,
    },
    Leader,
    Done {
        leader: Id,
    },
}

// Ten million of them fit in a small machine, and what is on its way as well.
const _: () = assert!(size_of::<DolevKlaweRodehB>() <= 12 && size_of::<Msg>() <= 16);

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// A value, its phase, and how many links are left to the place where it waits; 0 where it is only compared.
        "one" One { id: Id, phase: u8, counter: u32 },
        /// A value that was larger than the one before it, for whoever waits with it.
        "two" Two { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

impl Process for DolevKlaweRodehB {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        DolevKlaweRodehB { id, mode: Mode::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Mode::Asleep {
            out.rule("start");
            self.activate(self.id, 0, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::One { id, phase, counter } => self.one(id, phase, counter, out),
            Msg::Two { id } => self.two(id, out),
            Msg::Elected { id } => self.elected(id, out),
        }
    }

    fn fields(&self) -> Fields {
        let (mode, max, phase, leader) = match self.mode {
            Mode::Asleep => ("asleep", None, None, None),
            Mode::Active { max, phase } => ("active", Some(max), Some(phase), None),
            Mode::Waiting { max, phase } => ("waiting", Some(max), Some(phase), None),
            Mode::Passive { max } => ("passive", Some(max), None, None),
            Mode::Leader => ("leader", None, None, Some(self.id)),
            Mode::Done { leader } => ("done", None, None, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("mode", Value::Word(mode)),
            ("max", max.show()),
            ("phase", phase.show()),
            ("leader", leader.show()),
        ]
    }
}

impl DolevKlaweRodehB {
    /// Active, with this value, in this phase.
    #[inline(always)]
    fn activate(&mut self, max: Id, phase: u8, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.mode = Mode::Active { max, phase };
        // There are at most log n phases; what is said beyond is for messages that no run sends.
        let counter = 1u32.checked_shl(u32::from(phase)).unwrap_or(u32::MAX);
        out.send(Next, Msg::One { id: max, phase, counter });
    }

    /// A value arrives.
    #[inline(always)]
    fn one(&mut self, id: Id, phase: u8, counter: u32, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Active { .. } | Mode::Waiting { .. } | Mode::Passive { .. } if id == self.id => {
                out.rule("leader");
                self.mode = Mode::Leader;
                out.send(Next, Msg::Elected { id });
            }
            Mode::Active { max, phase } if id > max => {
                out.rule("wait");
                self.mode = Mode::Waiting { max: id, phase };
            }
            Mode::Active { max, .. } => {
                out.rule("confirm");
                self.mode = Mode::Passive { max };
                out.send(Next, Msg::Two { id: max });
            }
            Mode::Waiting { max, .. } => {
                out.rule("retire");
                self.mode = Mode::Passive { max };
                self.pass(max, id, phase, counter, out);
            }
            Mode::Passive { max } => self.pass(max, id, phase, counter, out),
            // At any time there are as many ones on their way as active processes, and here it is the last one: whoever
            // sees the largest value afterwards may wait with it, but is not active but for the one that sent it.
            Mode::Leader | Mode::Done { .. } => out.impossible("the value that came home was the last one"),
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// A value passes somebody passive, or comes to rest there.
    #[inline(always)]
    fn pass(&mut self, max: Id, id: Id, phase: u8, counter: u32, out: &mut impl Outbox<Self>) {
        if id < max || counter == 0 {
            out.rule("compare");
            out.send(Next, Msg::One { id, phase, counter: 0 });
        } else if counter > 1 {
            out.rule("pass");
            self.mode = Mode::Passive { max: id };
            out.send(Next, Msg::One { id, phase, counter: counter - 1 });
        } else {
            out.rule("rest");
            self.mode = Mode::Waiting { max: id, phase };
            out.send(Next, Msg::One { id, phase, counter: 0 });
        }
    }

    /// A confirmation arrives.
    #[inline(always)]
    fn two(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Waiting { max, phase } if id == max => {
                out.rule("activate");
                self.activate(max, phase.saturating_add(1), out);
            }
            Mode::Passive { max } if id >= max => {
                out.rule("relay");
                out.send(Next, Msg::Two { id });
            }
            Mode::Passive { .. } => out.rule("drop"),
            Mode::Waiting { .. } => out.impossible("nothing comes between a value that waits and its two"),
            Mode::Active { .. } => {
                out.impossible("who waits with a value comes before the next active process")
            }
            Mode::Leader | Mode::Done { .. } => {
                out.impossible("what was on its way came before the last one")
            }
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }

    /// The announcement.
    #[inline(always)]
    fn elected(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        match self.mode {
            Mode::Active { .. } | Mode::Waiting { .. } | Mode::Passive { .. } => {
                out.rule("elected");
                self.mode = Mode::Done { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            Mode::Leader => out.rule("home"),
            Mode::Done { .. } => out.impossible("the announcement makes one lap"),
            Mode::Asleep => out.impossible("everybody starts before its first message"),
        }
    }
}

impl Election for DolevKlaweRodehB {
    fn verdict(&self) -> Verdict {
        match self.mode {
            Mode::Leader => Verdict::Leader,
            Mode::Done { .. } => Verdict::Lost,
            Mode::Asleep | Mode::Active { .. } | Mode::Waiting { .. } | Mode::Passive { .. } => {
                Verdict::Undecided
            }
        }
    }

    fn knows(&self) -> Knows {
        match self.mode {
            Mode::Leader => Knows::Identity(self.id),
            Mode::Done { leader } => Knows::Identity(leader),
            Mode::Asleep | Mode::Active { .. } | Mode::Waiting { .. } | Mode::Passive { .. } => {
                Knows::Nothing
            }
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "dolev-klawe-rodeh-b",
    aliases: &[],
    title: "Dolev–Klawe–Rodeh, Algorithm B",
    year: 1982,
    source: "D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3(3):245-260, 1982",
    idea: "An active process that receives a larger value waits with it; one that receives a smaller value becomes \
           passive and confirms its own to whoever waits with that, who begins the next phase. In phase p a value \
           already waits 2^p links from where it set out, so that confirmations have less far to go. The largest \
           identity wins when it meets its owner.",
    needs: Needs { links: Links::Fifo, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Largest, informed: Informed::All },
    cost: Cost {
        worst: Some(Bound {
            formula: "1.5 n log n+n",
            counts: Counts::Election,
            value: |facts| {
                let n = facts.n as f64;
                Some((1.5 * n * n.log2() + n) as u64)
            },
        }),
        average: None,
        words: "worst 1.5 n log n+n: the leading term from the literature, the rest as measured; bit reversal takes \
                1.5 n log n+1 for powers of two; n announcements",
        constant: Some(Constant {
            value: 1.5,
            source: "Dolev, Klawe and Rodeh 1982, Algorithm B: 1.5 n log n + O(n)",
        }),
        ..Cost::UNKNOWN
    },
    worst_ids: Some(Arranged::BitReversal),
    settings: &[],
    rules: &[
        Rule { name: "start", text: "active; max := id; phase := 0; send one(max, 0, 1)" },
        Rule { name: "leader", text: "on one(v, p, c), v = id: leader; send elected(id)" },
        Rule { name: "wait", text: "on one(v, p, c), active, v > max: max := v; waiting" },
        Rule { name: "confirm", text: "on one(v, p, c), active otherwise: passive; send two(max)" },
        Rule { name: "retire", text: "on one(v, p, c), waiting: passive, and then as passive" },
        Rule {
            name: "pass",
            text: "on one(v, p, c), passive, v >= max, c > 1: max := v; send one(v, p, c - 1)",
        },
        Rule {
            name: "rest",
            text: "on one(v, p, c), passive, v >= max, c = 1: max := v; phase := p; waiting; send one(v, p, 0)",
        },
        Rule { name: "compare", text: "on one(v, p, c), passive otherwise: send one(v, p, 0)" },
        Rule {
            name: "activate",
            text: "on two(v), waiting, v = max: active; phase := phase + 1; send one(max, phase, 2^phase)",
        },
        Rule { name: "relay", text: "on two(v), passive, v >= max: send it on" },
        Rule { name: "drop", text: "on two(v), passive, v < max: nothing" },
        Rule { name: "elected", text: "on elected(v), not the leader: remember v; done; send it on" },
        Rule { name: "home", text: "on elected(v), leader: nothing" },
    ],
    errata: &[Erratum {
        id: "001-5",
        text: "'Dolev et al. to 1.33 n log n' is wrong: Algorithm B takes 1.5, and their abstract says 1.356 for \
               its refinement",
    }],
    example: "--ids 1,3,2,4",
};
