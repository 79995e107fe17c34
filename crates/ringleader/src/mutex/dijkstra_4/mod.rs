//! Dijkstra's line of four states: a privilege goes up and down.
//!
//! **Idea.** Machines stand on a line, each with two bits, x and up. At the bottom up is 1 for ever, at the top 0. A
//! machine whose x differs from that of the one below takes it and looks up; one that looks up at an equal x, and at
//! a neighbour that looks down, looks down as well. In the end one privilege is left, which goes up and down the
//! line.
//!
//! **Needs.** Steps that read both neighbours and write in one.
//!
//! **Cost.** no messages; one move per entry when there is one privilege
//!
//! **Source.** E. W. Dijkstra, CACM 17(11):643-644, 1974
//!
//! ```
//! use ringleader::{mutex::Dijkstra4, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Dijkstra4>(&Scenario { seed: 3, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct Dijkstra4 {
        hidden me: Peer,
        hidden n: Size,
    }
}

registers! {
    /// A bit that travels up the line.
    "x" X each: |_, _, _| 0..2,
    /// Whether a machine looks up: always at the bottom, never at the top.
    "up" Up each: |n, i, _| match i {
        0 => 1..2,
        i if i + 1 == n => 0..1,
        _ => 0..2,
    },
}

names! {
    pub enum Local {
        /// It takes another bit.
        Flip = "flip",
        /// It looks down.
        Turn = "turn",
    }
}

rules! {
    /// at the bottom, x = xR and not upR: x := ¬x
    Bottom,
    /// at the top, x ≠ xL: x := ¬x
    Top,
    /// elsewhere, x ≠ xL: x := ¬x, up := 1
    Up,
    /// elsewhere, x = xR and up and not upR: up := 0
    Down,
}

impl Process for Dijkstra4 {
    const SPEC: Spec = Spec::exclusion("dijkstra-4", 1974, include_str!("mod.rs"))
        .stabilising()
        .processes(Processes::AtLeast(2))
        .settings(&[Setting::DAEMON])
        .example("-n 4 --from 0,1,3,0");
    types! { Given = (Peer, Size), Local = Local, Register = Register }

    fn new((me, n): Self::Given) -> Self {
        Dijkstra4 { me, n }
    }

    fn guard(&self, step: Local, read: &dyn Fn(Register) -> u32) -> bool {
        let i = self.me.0;
        let (is_bottom, is_top) = (i == 0, i + 1 == self.n.0);
        let x = read(Register::X(i));
        let looks_down = |above: u32| x == read(Register::X(above)) && read(Register::Up(above)) == 0;
        match step {
            Local::Flip if is_bottom => looks_down(i + 1),
            Local::Flip => x != read(Register::X(i - 1)),
            Local::Turn => !is_bottom && !is_top && read(Register::Up(i)) == 1 && looks_down(i + 1),
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        let i = self.me.0;
        let (is_bottom, is_top) = (i == 0, i + 1 == self.n.0);
        match step {
            Local::Flip => {
                out.rule(match (is_bottom, is_top) {
                    (true, _) => Rule::Bottom,
                    (false, true) => Rule::Top,
                    (false, false) => Rule::Up,
                });
                let x = out.read(Register::X(i));
                out.write(Register::X(i), 1 - x);
                if !is_bottom && !is_top {
                    out.write(Register::Up(i), 1);
                }
            }
            Local::Turn => {
                out.rule(Rule::Down);
                out.write(Register::Up(i), 0);
            }
        }
    }
}

impl Stabilising for Dijkstra4 {}
