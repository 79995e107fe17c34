//! Filter lock: Peterson's lock for n, one level for each that must wait.
//!
//! **Idea.** n - 1 levels stand before the critical section, and each holds one back. Whoever comes to a level says
//! so, and says that it came last. It waits there while somebody else is at that level or above and nobody came
//! later. Whoever leaves the last level enters.
//!
//! **Needs.** Atomic registers; `last` is written by everybody. Nobody waits for ever, but others may pass: this is
//! no queue.
//!
//! **Cost.** no messages; 2(n-1) writes and n - 1 or more reads at each level to enter, 1 write to leave
//!
//! **Source.** G. L. Peterson, Information Processing Letters 12(3):115-116, 1981
//!
//! ```
//! use ringleader::{mutex::FilterLock, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<FilterLock>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct FilterLock {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        /// The level at which it is, from 1.
        level: u32 = 0,
        at: Line = Line::Rest,
    }

    /// The line that comes next.
    enum Line {
        /// None: it does not want in, or it is inside.
        Rest,
        Level,
        Last,
        Look { k: Peer },
        IsLast,
        Leave,
    }
}

registers! {
    /// The level of a process; 0 if it does not want in.
    "level" Level each: |n, _, _| 0..n,
    /// Who came last to a level.
    "last" Last each: |n, _, _| 0..n,
}

names! {
    pub enum Local {
        /// The next line.
        Line = "line",
    }
}

rules! {
    /// level[i] := l
    Level,
    /// last[l] := i; look at the others, one by one
    Last,
    /// level[k] < l: go on to the next
    Below,
    /// level[k] ≥ l: look at last[l]
    Above,
    /// last[l] = i: look at the others again
    Wait,
    /// last[l] ≠ i, or nobody is at level l or above: the next level
    Up,
    /// likewise at level n - 1: enter
    Enter,
    /// level[i] := 0
    Leave,
}

impl Process for FilterLock {
    const SPEC: Spec = Spec::exclusion("filter-lock", 1981, include_str!("mod.rs"))
        .family(Family::Turn)
        .processes(Processes::AtLeast(2))
        .settings(&[Setting::REGISTERS])
        .example("-n 3");
    types! { Local = Local, Register = Register }

    fn can(&self, _: Local) -> bool {
        self.at != Line::Rest
    }

    fn step(&mut self, _: Local, out: &mut impl Outbox<Self>) {
        let i = self.me.0;
        match self.at {
            Line::Rest => out.impossible("there is a line to go on with"),
            Line::Level => {
                out.rule(Rule::Level);
                out.write(Register::Level(i), self.level);
                self.at = Line::Last;
            }
            Line::Last => {
                out.rule(Rule::Last);
                out.write(Register::Last(self.level), i);
                let first = self.me.others(self.n).next();
                self.look(first, out);
            }
            Line::Look { k } => {
                if out.read(Register::Level(k.0)) < self.level {
                    out.rule(Rule::Below);
                    let next = self.me.others(self.n).find(|&other| other > k);
                    self.look(next, out);
                } else {
                    out.rule(Rule::Above);
                    self.at = Line::IsLast;
                }
            }
            Line::IsLast => {
                if out.read(Register::Last(self.level)) == i {
                    out.rule(Rule::Wait);
                    let first = self.me.others(self.n).next();
                    self.look(first, out);
                } else {
                    self.up(out);
                }
            }
            Line::Leave => {
                out.rule(Rule::Leave);
                out.write(Register::Level(i), 0);
                self.at = Line::Rest;
            }
        }
    }
}

impl FilterLock {
    /// Looks at this one next; when there is nobody left, it goes on.
    fn look(&mut self, next: Option<Peer>, out: &mut impl Outbox<Self>) {
        match next {
            Some(k) => self.at = Line::Look { k },
            None => self.up(out),
        }
    }

    /// The next level, or the critical section behind the last.
    fn up(&mut self, out: &mut impl Outbox<Self>) {
        if self.level + 1 < self.n.0 {
            out.rule(Rule::Up);
            self.level += 1;
            self.at = Line::Level;
        } else {
            out.rule(Rule::Enter);
            (self.user, self.level, self.at) = (Stage::Inside, 0, Line::Rest);
        }
    }
}

impl Exclusion for FilterLock {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.level, self.at) = (Stage::Waiting, 1, Line::Level);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::Leave);
    }
}
