//! Bakery: take a number, and wait for all smaller ones.
//!
//! **Idea.** Whoever wants in says that it chooses, takes a number above all that it sees, and says that it has
//! chosen: that is the doorway. Then it waits, for each of the others, until that one does not choose and has no
//! number, or a larger one; equal numbers go by name. Whoever leaves puts its number back.
//!
//! **Needs.** Safe registers are enough, each of which one process writes: a read that overlaps a write may return
//! anything. Numbers grow without end while somebody always wants in. They are only compared, so that a check counts
//! them from the oldest that matters; with safe registers it takes a number that is read while it is written to be at
//! most 2n + 1.
//!
//! **Cost.** no messages; 3 writes and n - 1 reads in the doorway, 2(n-1) or more reads to enter, 1 write to leave
//!
//! **Source.** L. Lamport, CACM 17(8):453-455, 1974
//!
//! ```
//! use ringleader::{mutex::Bakery, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Bakery>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct Bakery {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        /// Its number, or the largest that it has seen so far; 0 if there is none.
        number: u32 = 0,
        at: Line = Line::Rest,
    }

    /// The line that comes next.
    enum Line {
        /// None: it does not want in, or it is inside.
        Rest,
        Choose,
        Max { j: Peer },
        Take,
        Chosen,
        Chooses { j: Peer },
        Before { j: Peer },
        Leave,
    }
}

registers! {
    /// Whether a process is choosing its number.
    "choosing" Choosing each: |_, _, _| 0..2,
    /// Its number; 0 if it has none.
    "number" Number each grows: |n, _, _| 0..2 * n + 2,
}

names! {
    pub enum Local {
        /// The next line.
        Line = "line",
    }
}

rules! {
    /// choosing[i] := 1
    Choose,
    /// max := the larger of max and number[j], for each j
    Max,
    /// number[i] := max + 1
    Take,
    /// choosing[i] := 0
    Chosen,
    /// choosing[j] = 1: look again
    AwaitChoice,
    /// choosing[j] = 0: look at number[j]
    HasChosen,
    /// 0 < (number[j], j) < (number[i], i): look again
    AwaitNumber,
    /// otherwise: go on to the next
    Next,
    /// nobody comes before: enter
    Enter,
    /// number[i] := 0
    Leave,
}

impl Process for Bakery {
    const SPEC: Spec = Spec::exclusion("bakery", 1974, include_str!("mod.rs"))
        .family(Family::Turn)
        .serves(Order::Doorway)
        .registers(Registers::Safe)
        .settings(&[Setting::REGISTERS])
        .example("-n 3");
    types! { Local = Local, Register = Register }

    const ROUNDS: Option<Rounds<Self>> = Some(Rounds {
        of: |process| (process.number > 0).then_some(process.number),
        process: |process, by| process.number = process.number.saturating_sub(by),
        message: |_, _| {},
    });

    fn can(&self, _: Local) -> bool {
        self.at != Line::Rest
    }

    fn step(&mut self, _: Local, out: &mut impl Outbox<Self>) {
        let i = self.me.0;
        match self.at {
            Line::Rest => out.impossible("there is a line to go on with"),
            Line::Choose => {
                out.rule(Rule::Choose);
                out.write(Register::Choosing(i), 1);
                self.at = self.me.others(self.n).next().map_or(Line::Take, |j| Line::Max { j });
            }
            Line::Max { j } => {
                out.rule(Rule::Max);
                self.number = self.number.max(out.read(Register::Number(j.0)));
                self.at = self.after(j).map_or(Line::Take, |j| Line::Max { j });
            }
            Line::Take => {
                out.rule(Rule::Take);
                self.number += 1;
                out.write(Register::Number(i), self.number);
                self.at = Line::Chosen;
            }
            Line::Chosen => {
                out.rule(Rule::Chosen);
                out.write(Register::Choosing(i), 0);
                let first = self.me.others(self.n).next();
                self.wait_for(first, out);
            }
            Line::Chooses { j } => {
                if out.read(Register::Choosing(j.0)) == 0 {
                    out.rule(Rule::HasChosen);
                    self.at = Line::Before { j };
                } else {
                    out.rule(Rule::AwaitChoice);
                }
            }
            Line::Before { j } => {
                let number = out.read(Register::Number(j.0));
                if number > 0 && (number, j) < (self.number, self.me) {
                    out.rule(Rule::AwaitNumber);
                } else {
                    out.rule(Rule::Next);
                    let next = self.after(j);
                    self.wait_for(next, out);
                }
            }
            Line::Leave => {
                out.rule(Rule::Leave);
                out.write(Register::Number(i), 0);
                (self.number, self.at) = (0, Line::Rest);
            }
        }
    }
}

impl Bakery {
    /// The one of the others that follows this one.
    fn after(&self, j: Peer) -> Option<Peer> {
        self.me.others(self.n).find(|&other| other > j)
    }

    /// Waits for this one; when there is nobody left, it enters.
    fn wait_for(&mut self, next: Option<Peer>, out: &mut impl Outbox<Self>) {
        match next {
            Some(j) => self.at = Line::Chooses { j },
            None => {
                out.rule(Rule::Enter);
                (self.user, self.at) = (Stage::Inside, Line::Rest);
            }
        }
    }
}

impl Exclusion for Bakery {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Waiting, Line::Choose);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::Leave);
    }

    fn doorway(&self) -> Doorway {
        match self.at {
            Line::Max { .. } | Line::Take | Line::Chosen => Doorway::Inside,
            Line::Chooses { .. } | Line::Before { .. } => Doorway::Passed,
            Line::Rest | Line::Choose | Line::Leave => Doorway::Outside,
        }
    }
}
