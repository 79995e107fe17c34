//! Itai–Rodeh in lock-step: everybody draws, all draws go round, and the largest that nobody else drew wins.
//!
//! **Idea.** Each round every process draws a value, and all values go round the ring, so that after n steps everybody
//! has seen all draws. The process that drew the largest value that nobody else drew leads; if every value was drawn
//! twice or more, all draw again.
//!
//! **Needs.** A one-way ring without identities whose size is known, random choices from a range of at least two, and
//! processes that move together. FIFO links: without them values of two rounds are mixed up.
//!
//! **Cost.** exactly n² a round, without announcement; rounds without bound but finite with probability 1, on average
//! 1/P, P the probability that some value is drawn once: 4/3 for n = 3 and k = 2, 2ⁿ⁻¹/n for k = 2 and n > 2
//!
//! **Source.** A. Itai, M. Rodeh, Inf. Comput. 88(1):60-87, 1990
//!
//! The form is that of the case study `leader_sync` of the model checker PRISM. Counting to n is what keeps the rounds
//! apart here, so that whoever is woken later falls in with them. Give large rings a large range.
//!
//! ```
//! use ringleader::{election::ItaiRodehSync, sim::{self, Scenario}};
//! let run = sim::run_election::<ItaiRodehSync>(&Scenario::new(5), &mut ()).unwrap();
//! assert_eq!(Some(run.messages), run.phases.map(|rounds| 5 * 5 * rounds));
//! ```

use crate::model::*;
use Role::*;

state! {
    pub struct ItaiRodehSync {
        hidden n: Size,
        hidden range: Range,
        role: Role = Asleep,
        /// What it drew in this round, from 1; 0 when there is no round.
        value: u32 = 0,
        /// How many draws of this round have come in.
        count: u32 = 0,
        /// The values among them, in increasing order, and whether each came more than once: at most as many as the
        /// range has, whatever the ring.
        seen: Vec<(u32, bool)> = Vec::new(),
        outcome = |me| me.role.anonymous(),
    }

    enum Role {
        Asleep,
        Candidate,
        Leader => leads,
        Nonleader => loses,
    }
}

messages! {
    pub enum Msg {
        /// What somebody drew in this round.
        "value" Value { v: u32 },
    }
}

rules! {
    /// draw v in 1..k; send value(v)
    Start,
    /// on value(w), not the n-th of this round: remember w; send value(w)
    Pass,
    /// on the n-th, the largest value drawn once is my own: leader
    Win,
    /// on the n-th, the largest value drawn once is another's: nonleader
    Lose,
    /// on the n-th, no value drawn once: forget all; draw v in 1..k; send value(v)
    Again,
}

impl Process for ItaiRodehSync {
    const SPEC: Spec = Spec::election("itai-rodeh-sync", 1990, include_str!("mod.rs"))
        .family(Family::Lottery)
        .links(Links::Fifo)
        .timing(Timing::LockStep)
        .draws()
        .settings(&[Setting::elsewhere(
            "synchroniser",
            "a synchroniser around it, for networks without lock-step",
            "itai-rodeh-synchronised",
        )])
        .elects(Winner::Any, Informed::All)
        .example("-n 3 --seed 16");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.role = Candidate;
            self.round(out);
        }
    }

    fn receive(&mut self, _: Next, Msg::Value { v }: Msg, out: &mut impl Outbox<Self>) {
        match self.role {
            Candidate if self.count + 1 < self.n.0 => {
                out.rule(Rule::Pass);
                self.see(v);
                out.send(Next, Msg::Value { v });
            }
            Candidate if v != self.value => {
                out.impossible("the last of n values is its own, back from its lap");
            }
            // All draws are in, the same everywhere.
            Candidate => {
                self.see(v);
                let largest = self.seen.iter().rev().find(|(_, again)| !again).map(|(value, _)| *value);
                self.count = 0;
                self.seen.clear();
                match largest {
                    Some(value) if value == self.value => {
                        out.rule(Rule::Win);
                        self.role = Leader;
                        self.value = 0;
                    }
                    Some(_) => {
                        out.rule(Rule::Lose);
                        self.role = Nonleader;
                        self.value = 0;
                    }
                    None => {
                        out.rule(Rule::Again);
                        self.round(out);
                    }
                }
            }
            Leader | Nonleader => out.impossible("nothing follows the n values of the last round"),
            Asleep => out.impossible(NOT_STARTED),
        }
    }
}

impl ItaiRodehSync {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.value = 1 + out.choose(self.range.0);
        out.send(Next, Msg::Value { v: self.value });
    }

    /// A draw of this round has come in.
    fn see(&mut self, value: u32) {
        self.count += 1;
        match self.seen.binary_search_by_key(&value, |(value, _)| *value) {
            Ok(place) => self.seen[place].1 = true,
            Err(place) => self.seen.insert(place, (value, false)),
        }
    }
}
