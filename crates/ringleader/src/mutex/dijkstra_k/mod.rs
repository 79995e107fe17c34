//! Dijkstra's ring of K states: one machine counts, all others copy.
//!
//! **Idea.** Machines stand on a ring, and each reads its predecessor. Machine 0, the bottom, has a privilege if its
//! value is that of its predecessor, and counts on when it moves; every other one has a privilege if its value is
//! another, and copies. Wherever it begins, after some moves one privilege is left, and it goes round for ever.
//!
//! **Needs.** Steps that read a neighbour and write in one. K ≥ n-1 values under a central daemon (2 for n = 2), K ≥
//! n where several machines move at once. With fewer there are runs that never come to one privilege.
//!
//! **Cost.** no messages; one move per entry when there is one privilege
//!
//! **Source.** E. W. Dijkstra, CACM 17(11):643-644, 1974
//!
//! ```
//! use ringleader::{mutex::DijkstraK, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<DijkstraK>(&Scenario { seed: 3, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert!(run.holds()); // wherever the seed lets it begin
//! ```

use crate::model::*;

state! {
    pub struct DijkstraK {
        hidden me: Peer,
        hidden n: Size,
        /// How many values there are.
        hidden k: K,
    }
}

registers! {
    /// The value of a machine.
    "S" S each cyclic: |_, _, settings| 0..K::of(settings).0,
}

names! {
    pub enum Local {
        /// The move of a machine.
        Move = "move",
    }
}

rules! {
    /// at the bottom, S = L: S := S + 1 mod K
    Count,
    /// elsewhere, S ≠ L: S := L
    Copy,
}

/// How many values a machine has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct K(u32);

impl K {
    fn of(settings: &Settings) -> K {
        K(settings.0[0])
    }
}

impl Given for K {
    const TOLD: Knowledge = Knowledge::NOTHING;
    fn of(birth: &Birth) -> K {
        K::of(&birth.settings)
    }
}

/// The fewest values with which it converges.
fn enough(n: u32, settings: &Settings) -> u32 {
    match Daemon::of(settings.0[1]) {
        Daemon::Central => (n - 1).max(2),
        Daemon::Distributed | Daemon::Synchronous => n,
    }
}

impl Process for DijkstraK {
    const SPEC: Spec = Spec::exclusion("dijkstra-k", 1974, include_str!("mod.rs"))
        .stabilising()
        .processes(Processes::AtLeast(2))
        .settings(&[
            Setting::enough("k", "how many values a machine has", (2, 255), enough, |n, _| n.clamp(2, 255)),
            Setting::DAEMON,
        ])
        .example("-n 4 --from 0,2,1,0");
    types! { Given = (Peer, Size, K), Local = Local, Register = Register }

    fn new((me, n, k): Self::Given) -> Self {
        DijkstraK { me, n, k }
    }

    fn guard(&self, _: Local, read: &dyn Fn(Register) -> u32) -> bool {
        let same = read(Register::S(self.me.0)) == read(self.left());
        same == self.is_bottom()
    }

    fn step(&mut self, _: Local, out: &mut impl Outbox<Self>) {
        let left = out.read(self.left());
        let value = if self.is_bottom() {
            out.rule(Rule::Count);
            (left + 1) % self.k.0
        } else {
            out.rule(Rule::Copy);
            left
        };
        out.write(Register::S(self.me.0), value);
    }
}

impl DijkstraK {
    fn is_bottom(&self) -> bool {
        self.me.0 == 0
    }

    fn left(&self) -> Register {
        Register::S((self.me.0 + self.n.0 - 1) % self.n.0)
    }
}

impl Stabilising for DijkstraK {}
