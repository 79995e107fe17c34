//! Dijkstra's three states: a ring of which the top also reads the bottom.
//!
//! **Idea.** Each machine has one of three values. The bottom moves if its upper neighbour is one ahead, the top if
//! its lower neighbour equals the bottom and it is not one ahead of both, every other one if a neighbour is one
//! ahead. In the end one privilege is left, which goes up and down between bottom and top.
//!
//! **Needs.** Three machines or more, and steps that read both neighbours (the top reads the bottom) and write in
//! one.
//!
//! **Cost.** no messages; one move per entry when there is one privilege
//!
//! **Source.** E. W. Dijkstra, CACM 17(11):643-644, 1974
//!
//! ```
//! use ringleader::{mutex::Dijkstra3, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Dijkstra3>(&Scenario { seed: 3, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct Dijkstra3 {
        hidden me: Peer,
        hidden n: Size,
    }
}

registers! {
    /// The value of a machine.
    "S" S each cyclic: |_, _, _| 0..3,
}

names! {
    pub enum Local {
        /// Because of its lower neighbour; of both at the top.
        Lower = "lower",
        /// Because of its upper neighbour.
        Upper = "upper",
    }
}

rules! {
    /// at the bottom, S + 1 = R: S := S - 1
    Bottom,
    /// at the top, L = B and S ≠ B + 1, with B the bottom: S := B + 1
    Top,
    /// elsewhere, S + 1 = L: S := L
    Lower,
    /// elsewhere, S + 1 = R: S := R
    Upper,
}

/// One ahead, of three values.
fn ahead(value: u32) -> u32 {
    (value + 1) % 3
}

impl Process for Dijkstra3 {
    const SPEC: Spec = Spec::exclusion("dijkstra-3", 1974, include_str!("mod.rs"))
        .stabilising()
        .processes(Processes::AtLeast(3))
        .settings(&[Setting::DAEMON])
        .example("-n 4 --from 0,2,1,0");
    types! { Given = (Peer, Size), Local = Local, Register = Register }

    fn new((me, n): Self::Given) -> Self {
        Dijkstra3 { me, n }
    }

    fn guard(&self, step: Local, read: &dyn Fn(Register) -> u32) -> bool {
        let i = self.me.0;
        let (is_bottom, is_top) = (i == 0, i + 1 == self.n.0);
        let value = read(Register::S(i));
        match step {
            Local::Lower if is_top => {
                let bottom = read(Register::S(0));
                read(Register::S(i - 1)) == bottom && value != ahead(bottom)
            }
            Local::Lower => !is_bottom && read(Register::S(i - 1)) == ahead(value),
            Local::Upper => !is_top && read(Register::S(i + 1)) == ahead(value),
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        let i = self.me.0;
        let (is_bottom, is_top) = (i == 0, i + 1 == self.n.0);
        let value = if is_bottom {
            out.rule(Rule::Bottom);
            (out.read(Register::S(0)) + 2) % 3
        } else if is_top {
            out.rule(Rule::Top);
            ahead(out.read(Register::S(0)))
        } else if step == Local::Lower {
            out.rule(Rule::Lower);
            out.read(Register::S(i - 1))
        } else {
            out.rule(Rule::Upper);
            out.read(Register::S(i + 1))
        };
        out.write(Register::S(i), value);
    }
}

impl Stabilising for Dijkstra3 {}
