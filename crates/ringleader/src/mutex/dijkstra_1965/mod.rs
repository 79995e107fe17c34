//! Dijkstra 1965: whoever is named may try, and tries again if another one tries too.
//!
//! **Idea.** Whoever wants in says so. `k` names one process. A process that is not named puts its own name into `k`
//! once the named one does not want in; the named one says that it tries, and enters if nobody else tries as well.
//! Otherwise it begins again.
//!
//! **Needs.** Atomic registers, of which `k` is written by everybody. While somebody wants in somebody enters, but
//! one process may be passed for ever: Knuth's letter of 1966 says so, and `check --property nobody-waits-for-ever`
//! shows how.
//!
//! **Cost.** no messages; n + 4 accesses to enter alone and named, 2 writes to leave
//!
//! **Source.** E. W. Dijkstra, CACM 8(9):569, 1965
//!
//! ```
//! use ringleader::{mutex::Dijkstra1965, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Dijkstra1965>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct Dijkstra1965 {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        at: Line = Line::Rest,
    }

    /// The line that comes next, with what the process remembers.
    enum Line {
        /// None: it does not want in, or it is inside.
        Rest,
        Want,
        Named,
        NotTrying,
        Who,
        LookAt { k: Peer },
        Name,
        Try,
        Look { j: Peer },
        Done,
        Out,
    }
}

registers! {
    /// Whether a process wants in (Dijkstra's b, turned round).
    "wants" Wants each: |_, _, _| 0..2,
    /// Whether it tries to enter (his c, turned round).
    "tries" Tries each: |_, _, _| 0..2,
    /// The process that is named.
    "k" K: |n, _, _| 0..n,
}

names! {
    pub enum Local {
        /// The next line.
        Line = "line",
    }
}

rules! {
    /// wants[i] := 1
    Want,
    /// k = i: try
    IsNamed,
    /// k ≠ i: do not try
    Another,
    /// tries[i] := 0
    NotTrying,
    /// who is named? look at wants[k]
    Who,
    /// wants[k] = 0: name myself
    Free,
    /// wants[k] = 1: look at k again, from where it is compared with i
    Busy,
    /// k := i; look at k again
    Name,
    /// tries[i] := 1; look at the others, one by one
    Try,
    /// tries[j] = 0: go on to the next
    Next,
    /// nobody else tries: enter
    Enter,
    /// tries[j] = 1: look at k again
    Back,
    /// tries[i] := 0
    Done,
    /// wants[i] := 0
    Out,
}

impl Process for Dijkstra1965 {
    const SPEC: Spec = Spec::exclusion("dijkstra-1965", 1965, include_str!("mod.rs"))
        .family(Family::Turn)
        .serves(Order::Any)
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
            Line::Want => {
                out.rule(Rule::Want);
                out.write(Register::Wants(i), 1);
                self.at = Line::Named;
            }
            Line::Named => {
                if out.read(Register::K) == i {
                    out.rule(Rule::IsNamed);
                    self.at = Line::Try;
                } else {
                    out.rule(Rule::Another);
                    self.at = Line::NotTrying;
                }
            }
            Line::NotTrying => {
                out.rule(Rule::NotTrying);
                out.write(Register::Tries(i), 0);
                self.at = Line::Who;
            }
            Line::Who => {
                out.rule(Rule::Who);
                self.at = Line::LookAt { k: Peer(out.read(Register::K)) };
            }
            Line::LookAt { k } => {
                if out.read(Register::Wants(k.0)) == 0 {
                    out.rule(Rule::Free);
                    self.at = Line::Name;
                } else {
                    out.rule(Rule::Busy);
                    self.at = Line::Named;
                }
            }
            Line::Name => {
                out.rule(Rule::Name);
                out.write(Register::K, i);
                self.at = Line::Named;
            }
            Line::Try => {
                out.rule(Rule::Try);
                out.write(Register::Tries(i), 1);
                let first = self.me.others(self.n).next();
                self.look(first, out);
            }
            Line::Look { j } => {
                if out.read(Register::Tries(j.0)) == 0 {
                    out.rule(Rule::Next);
                    let next = self.me.others(self.n).find(|&other| other > j);
                    self.look(next, out);
                } else {
                    out.rule(Rule::Back);
                    self.at = Line::Named;
                }
            }
            Line::Done => {
                out.rule(Rule::Done);
                out.write(Register::Tries(i), 0);
                self.at = Line::Out;
            }
            Line::Out => {
                out.rule(Rule::Out);
                out.write(Register::Wants(i), 0);
                self.at = Line::Rest;
            }
        }
    }
}

impl Dijkstra1965 {
    /// Looks at this one next; when there is nobody left, it enters.
    fn look(&mut self, next: Option<Peer>, out: &mut impl Outbox<Self>) {
        self.at = match next {
            Some(j) => Line::Look { j },
            None => {
                out.rule(Rule::Enter);
                self.user = Stage::Inside;
                Line::Rest
            }
        };
    }
}

impl Exclusion for Dijkstra1965 {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Waiting, Line::Want);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::Done);
    }
}
