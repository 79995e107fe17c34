//! Dekker's algorithm: whoever does not have the turn gives way until the other has been in.
//!
//! **Idea.** Two processes. Whoever wants in raises its flag and looks at the other's. If that is up too, the one
//! that has not the turn lowers its flag, waits for the turn, and raises the flag again. Whoever leaves hands the
//! turn over.
//!
//! **Needs.** Two processes, and atomic registers. It is the first solution that there was for two; nobody waits for
//! ever, unlike in Dijkstra's generalisation to n (`dijkstra-1965`). On safe registers it still lets one in at a
//! time, but one may wait for ever: a flag that is being lowered may be read as up every time.
//!
//! **Cost.** no messages; 1 write and 1 read to enter alone, 2 writes to leave
//!
//! **Source.** T. J. Dekker, in E. W. Dijkstra, Cooperating sequential processes, EWD 123, 1965
//!
//! ```
//! use ringleader::{mutex::Dekker, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Dekker>(&Scenario::new(2), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct Dekker {
        me: Peer,
        user: Stage = Stage::Idle,
        at: Line = Line::Rest,
    }

    /// The line that comes next.
    enum Line {
        /// None: it does not want in, or it is inside.
        Rest,
        Raise,
        Look,
        Whose,
        GiveWay,
        Await,
        HandOver,
        Lower,
    }
}

registers! {
    /// Whether a process wants in, and does not give way.
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
    Raise,
    /// flag[j] = 0: enter
    Enter,
    /// flag[j] = 1: look at turn
    Both,
    /// turn = i: look at flag[j] again
    Insist,
    /// turn = j: give way
    Yield,
    /// flag[i] := 0; await turn = i
    GiveWay,
    /// turn = j: look at turn again
    Wait,
    /// turn = i: raise the flag again
    Again,
    /// turn := j
    HandOver,
    /// flag[i] := 0
    Lower,
}

impl Process for Dekker {
    const SPEC: Spec = Spec::exclusion("dekker", 1965, include_str!("mod.rs"))
        .family(Family::Turn)
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
            Line::Raise => {
                out.rule(Rule::Raise);
                out.write(Register::Flag(i), 1);
                self.at = Line::Look;
            }
            Line::Look => {
                if out.read(Register::Flag(j)) == 0 {
                    out.rule(Rule::Enter);
                    (self.user, self.at) = (Stage::Inside, Line::Rest);
                } else {
                    out.rule(Rule::Both);
                    self.at = Line::Whose;
                }
            }
            Line::Whose => {
                if out.read(Register::Turn) == i {
                    out.rule(Rule::Insist);
                    self.at = Line::Look;
                } else {
                    out.rule(Rule::Yield);
                    self.at = Line::GiveWay;
                }
            }
            Line::GiveWay => {
                out.rule(Rule::GiveWay);
                out.write(Register::Flag(i), 0);
                self.at = Line::Await;
            }
            Line::Await => {
                if out.read(Register::Turn) == i {
                    out.rule(Rule::Again);
                    self.at = Line::Raise;
                } else {
                    out.rule(Rule::Wait);
                }
            }
            Line::HandOver => {
                out.rule(Rule::HandOver);
                out.write(Register::Turn, j);
                self.at = Line::Lower;
            }
            Line::Lower => {
                out.rule(Rule::Lower);
                out.write(Register::Flag(i), 0);
                self.at = Line::Rest;
            }
        }
    }
}

impl Exclusion for Dekker {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Waiting, Line::Raise);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::HandOver);
    }
}
