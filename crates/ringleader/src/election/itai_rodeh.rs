//! Itai–Rodeh: anonymous processes draw identities, and whoever shares the largest one draws again.
//!
//! **Idea.** An active process draws an identity and sends it round the ring, with its round, the hops so far and a
//! mark that says whether it is unique. An active process compares what comes in with its own round and identity, the
//! round first: something larger makes it passive, something smaller it swallows, its equal it passes on with the
//! mark removed. A message that has made n hops is its owner's. If the mark is still there nobody else drew the same
//! and the owner leads; otherwise those that drew the same go into the next round.
//!
//! **Needs.** A one-way ring whose size is known, random choices from a range of at least two. No identities, and not
//! even FIFO: rounds tell old messages from new ones. Without knowing n no algorithm can do it.
//!
//! **Cost.** At most n² messages a round, O(n log n) on average if the range is n; the number of rounds is finite with
//! probability 1, without bound. n more for the announcement.
//!
//! **Source.** A. Itai and M. Rodeh, Symmetry breaking in distributed networks, Information and Computation
//! 88(1):60–87, 1990; first at FOCS 1981.
//!
//! ```
//! use ringleader::{election::ItaiRodeh, sim::{self, Scenario}};
//! let run = sim::run_election::<ItaiRodeh>(&Scenario { range: 5, ..Scenario::new(5) }, &mut ()).unwrap();
//! assert_eq!((run.holds(), run.by_kind[1]), (true, ("elected", 5)));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};

use crate::model::{
    Cost, Election, Fields, Informed, Knows, Needs, Never, Next, Outbox, Process, Promises, Range, Rounds,
    Rule, Size, Spec, Verdict, Winner, fields, messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ItaiRodeh {
    n: u32,
    range: u32,
    role: Role,
    /// The round it is in, from 1; 0 before the first, and when it takes no part any more.
    round: u32,
    /// What it drew in this round, from 1; 0 likewise.
    id: u32,
}

names! {
    /// What a process is.
    enum Role {
        Asleep = "asleep",
        Active = "active",
        Passive = "passive",
        Leader = "leader",
        Lost = "lost",
    }
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// What an active process drew, its round, the hops so far, and whether nobody else drew the same.
        "cand" Cand { id: u32, round: u32, hop: u32, unique: bool },
        /// There is a leader.
        announces "elected" Elected,
    }
}

impl Process for ItaiRodeh {
    const SPEC: Spec = SPEC;
    type Given = (Size, Range);
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    /// Rounds are only compared, and with those of active processes: what is older than all of these is swallowed.
    const ROUNDS: Option<Rounds<Self>> = Some(Rounds {
        of: |process| match process.role {
            Role::Asleep | Role::Active => Some(process.round.max(1)),
            Role::Passive | Role::Leader | Role::Lost => None,
        },
        process: |process, by| process.round = process.round.saturating_sub(by),
        message: |msg, by| match msg {
            Msg::Cand { round, .. } => *round = round.saturating_sub(by),
            Msg::Elected {} => {}
        },
    });

    fn new((Size(n), Range(range)): (Size, Range)) -> Self {
        ItaiRodeh { n, range, role: Role::Asleep, round: 0, id: 0 }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule("start");
            self.role = Role::Active;
            self.next_round(out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Cand { hop, unique, .. }, Role::Active) if hop == self.n => self.home(unique, out),
            (Msg::Cand { id, round, hop, unique }, Role::Active) => {
                match (round, id).cmp(&(self.round, self.id)) {
                    Equal => {
                        out.rule("equal");
                        out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique: false });
                    }
                    Greater => {
                        out.rule("larger");
                        self.retire(Role::Passive);
                        out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique });
                    }
                    Less => out.rule("smaller"),
                }
            }
            // Also its own, which was overtaken by what made it passive: the next that is active swallows it.
            (Msg::Cand { id, round, hop, unique }, Role::Passive) => {
                out.rule("relay");
                out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique });
            }
            (Msg::Cand { .. }, Role::Leader | Role::Lost) => out.rule("absorb"),
            (Msg::Elected {}, Role::Passive) => {
                out.rule("elected");
                self.role = Role::Lost;
                out.send(Next, Msg::Elected {});
            }
            (Msg::Elected {}, Role::Leader) => out.rule("done"),
            (Msg::Elected {}, Role::Active) => out.impossible("only the leader was left active"),
            (Msg::Elected {}, Role::Lost) => out.impossible("the announcement makes one lap"),
            (Msg::Cand { .. } | Msg::Elected {}, Role::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; role, round, id)
    }
}

impl ItaiRodeh {
    /// Draws, and sends what it drew.
    #[inline(always)]
    fn next_round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.round += 1;
        self.id = 1 + out.choose(self.range);
        out.send(Next, Msg::Cand { id: self.id, round: self.round, hop: 1, unique: true });
    }

    /// The own message is back.
    #[inline(always)]
    fn home(&mut self, unique: bool, out: &mut impl Outbox<Self>) {
        if unique {
            out.rule("alone");
            self.retire(Role::Leader);
            out.send(Next, Msg::Elected {});
        } else {
            out.rule("again");
            self.next_round(out);
        }
    }

    /// It takes no part any more: what it drew is forgotten.
    fn retire(&mut self, role: Role) {
        (self.role, self.round, self.id) = (role, 0, 0);
    }
}

impl Election for ItaiRodeh {
    #[inline(always)]
    fn verdict(&self) -> Verdict {
        match self.role {
            Role::Asleep | Role::Active | Role::Passive => Verdict::Undecided,
            Role::Leader => Verdict::Leader,
            Role::Lost => Verdict::Lost,
        }
    }

    fn knows(&self) -> Knows {
        match self.role {
            Role::Asleep | Role::Active | Role::Passive => Knows::Nothing,
            Role::Leader | Role::Lost => Knows::ThereIsOne,
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "itai-rodeh",
    aliases: &[],
    title: "Itai–Rodeh",
    year: 1981,
    source: "A. Itai, M. Rodeh, Information and Computation 88(1):60-87, 1990; FOCS 1981",
    idea: "An active process draws an identity and sends it round the ring. Something larger, of a later round first, \
           makes an active process passive; something smaller is swallowed; an equal is passed on marked as not \
           unique. Who gets its own message back unmarked leads; if it is marked, all that drew the same draw again.",
    needs: Needs { choices: true, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
    cost: Cost {
        worst: None,
        average: None,
        words: "at most n² a round and n announcements, rounds without bound but finite with probability 1; O(n log n) \
                on average with a range of n",
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule { name: "start", text: "active; round := 1; draw id in 1..k; send cand(id, 1, 1, T)" },
        Rule { name: "alone", text: "on cand of hop n, unique, active: leader; send elected" },
        Rule {
            name: "again",
            text: "on cand of hop n, not unique, active: round := round + 1; draw id; send cand(id, round, 1, T)",
        },
        Rule {
            name: "equal",
            text: "on cand(id', round', hop, u), active, equal to mine, hop < n: send it on with hop + 1, u := F",
        },
        Rule {
            name: "larger",
            text: "on cand, active, (round', id') larger than mine: passive; send it on with hop + 1",
        },
        Rule { name: "smaller", text: "on cand, active, (round', id') smaller than mine: nothing" },
        Rule { name: "relay", text: "on cand, passive: send it on with hop + 1" },
        Rule { name: "absorb", text: "on cand, leader or lost: nothing" },
        Rule { name: "elected", text: "on elected, passive: lost; send it on" },
        Rule { name: "done", text: "on elected, leader: nothing" },
    ],
    errata: &[],
    example: "-n 4 --range 3 --seed 1",
};
