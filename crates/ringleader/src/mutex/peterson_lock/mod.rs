//! Peterson's lock: say that I want in, let the other go first, wait until it does not want to.
//!
//! **Idea.** Two processes. Whoever wants in raises its flag and then writes into `turn` that it is the other's turn.
//! It waits while the other's flag is up and it is the other's turn. If both want in, the later write of `turn`
//! lasts: the one that wrote first enters first.
//!
//! **Needs.** Two processes, and atomic registers. The two writes come in this order: `peterson-lock@swapped` lets
//! both in. A machine whose stores may be delayed behind its later loads swaps the write of the flag with the read of
//! the other's; on such a machine every access must be sequentially consistent.
//!
//! **Cost.** no messages; 2 writes and 1 or more reads to enter, 1 write to leave
//!
//! **Source.** G. L. Peterson, Information Processing Letters 12(3):115-116, 1981
//!
//! ```
//! use ringleader::{mutex::PetersonLock, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<PetersonLock>(&Scenario::new(2), &mut ()).unwrap();
//! assert!(run.holds());
//! assert_eq!(run.messages, 0);
//! ```

use crate::model::*;

state! {
    pub struct PetersonLock {
        me: Peer,
        user: Stage = Stage::Idle,
        at: Line = Line::Rest,
    }

    /// The line that comes next.
    enum Line {
        /// None: it does not want in, or it is inside.
        Rest,
        Flag,
        Turn,
        LookFlag,
        LookTurn,
        Leave,
    }
}

registers! {
    /// Whether a process wants in.
    "flag" Flag each: |_, _, _| 0..2,
    /// Who goes first if both want in.
    "turn" Turn: |_, _, _| 0..2,
}

names! {
    pub enum Local {
        /// The next line.
        Line = "line",
    }
}

rules! {
    /// flag[i] := 1
    Flag,
    /// turn := j, the other one
    Turn,
    /// flag[j] = 0: enter
    Alone,
    /// flag[j] = 1: look at turn
    Wants,
    /// turn = i: enter
    First,
    /// turn = j: look at flag[j] again
    Wait,
    /// flag[i] := 0
    Leave,
}

impl Process for PetersonLock {
    const SPEC: Spec = Spec::exclusion("peterson-lock", 1981, include_str!("mod.rs"))
        .family(Family::Turn)
        .errata(include_str!("errata.md"))
        .processes(Processes::Exactly(2))
        .settings(&[Setting::REGISTERS])
        .example("-n 2");
    types! { Local = Local, Register = Register }

    fn can(&self, _: Local) -> bool {
        self.at != Line::Rest
    }

    fn step(&mut self, _: Local, out: &mut impl Outbox<Self>) {
        let (i, j) = (self.me.0, 1 - self.me.0);
        match self.at {
            Line::Rest => out.impossible("there is a line to go on with"),
            Line::Flag => {
                out.rule(Rule::Flag);
                out.write(Register::Flag(i), 1);
                self.at = Line::Turn;
            }
            Line::Turn => {
                out.rule(Rule::Turn);
                out.write(Register::Turn, j);
                self.at = Line::LookFlag;
            }
            Line::LookFlag => {
                if out.read(Register::Flag(j)) == 0 {
                    out.rule(Rule::Alone);
                    (self.user, self.at) = (Stage::Inside, Line::Rest);
                } else {
                    out.rule(Rule::Wants);
                    self.at = Line::LookTurn;
                }
            }
            Line::LookTurn => {
                if out.read(Register::Turn) == i {
                    out.rule(Rule::First);
                    (self.user, self.at) = (Stage::Inside, Line::Rest);
                } else {
                    out.rule(Rule::Wait);
                    self.at = Line::LookFlag;
                }
            }
            Line::Leave => {
                out.rule(Rule::Leave);
                out.write(Register::Flag(i), 0);
                self.at = Line::Rest;
            }
        }
    }
}

impl Exclusion for PetersonLock {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Waiting, Line::Flag);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::Leave);
    }
}
