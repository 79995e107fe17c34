//! Dijkstra's ring of K states with messages: each process repeats its value, and links may hold old ones.
//!
//! **Idea.** As dijkstra-k, but nobody can read another: each process sends its value to the next one, again and again.
//! A link is a row of places, each of which copies the one before it, so that processes and links together are a ring
//! of machines. A process has a privilege when a message tells it a value on which it moves, and is inside in that
//! step.
//!
//! **Needs.** One-way ring, FIFO links that hold C messages at most: what is sent into a full link is lost.
//! K ≥ n(C+1)-1 values, for the ring has n(C+1) places. Weak fairness: each timer runs out, each message arrives. With
//! fewer values there are fair runs that never come to one privilege.
//!
//! **Cost.** a message for each move, and those that are sent again; no bound per entry
//!
//! **Source.** E. W. Dijkstra, CACM 17(11):643-644, 1974, with messages
//!
//! Without a bound on what links hold no K would do: a link could hold K old values in a row. Without the timer a ring
//! that begins with empty links would stay as it is. Were a process to stay inside for a while with the new value
//! beside the old one, that would be a place more for each but the bottom: two processes would need K ≥ 2C+2.
//!
//! ```
//! use ringleader::{mutex::DijkstraKMessages, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<DijkstraKMessages>(&Scenario { seed: 3, ..Scenario::new(4) }, &mut ()).unwrap();
//! assert!(run.holds()); // wherever the seed lets it begin, and whatever is in the links
//! ```

use crate::model::*;

state! {
    pub struct DijkstraKMessages {
        hidden me: Peer,
        hidden n: Size,
        /// How many values there are.
        hidden k: K,
        /// What is in the link to the next process at first.
        hidden left_over: LeftOver,
    }
}

registers! {
    /// The value of a process, which nobody else can read.
    "S" S each cyclic: |_, _, settings| 0..K::of(settings).0,
}

messages! {
    pub enum Msg {
        /// The value of the sender.
        "state" State { s: u32 },
    }
}

names! {
    /// When the value is sent again.
    pub enum Timer { Resend = "resend" }
}

rules! {
    /// at the bottom, on state(v) with v = S: S := S + 1 mod K; send state(S)
    Count,
    /// elsewhere, on state(v) with v ≠ S: S := v; send state(S)
    Copy,
    /// on any other state(v): nothing
    Drop,
    /// from time to time: send state(S) again
    Resend,
}

/// How many values a process has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct K(u32);

impl K {
    fn of(settings: &Settings) -> K {
        K(settings.0[1])
    }
}

impl Given for K {
    const TOLD: Knowledge = Knowledge::NOTHING;
    fn of(birth: &Birth) -> K {
        K::of(&birth.settings)
    }
}

/// The fewest values with which it converges: one less than there are places.
fn enough(n: u32, settings: &Settings) -> u32 {
    let capacity = settings.0[0];
    (n.saturating_mul(capacity + 1) - 1).max(2)
}

impl Process for DijkstraKMessages {
    const SPEC: Spec = Spec::exclusion("dijkstra-k-messages", 1974, include_str!("mod.rs"))
        .stabilising()
        .links(Links::Fifo)
        .processes(Processes::AtLeast(2))
        .settings(&[
            Setting::CAPACITY,
            Setting::enough("k", "how many values a process has", (2, 1_000_000), enough, enough),
        ])
        .example("-n 3 --from 0+1,2+2,1+0 --schedule random --seed 1");
    types! { Given = (Peer, Size, K, LeftOver), Port = Next, Timer = Timer, Register = Register }

    fn new((me, n, k, left_over): Self::Given) -> Self {
        DijkstraKMessages { me, n, k, left_over }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        for s in self.left_over.oldest_first() {
            out.send(Next, Msg::State { s });
        }
        out.set_timer(Timer::Resend, self.patience());
    }

    fn receive(&mut self, _: Next, Msg::State { s: told }: Msg, out: &mut impl Outbox<Self>) {
        let holds = out.read(Register::S(self.me.0));
        if !self.moves(holds, told) {
            out.rule(Rule::Drop);
        } else if self.is_bottom() {
            out.rule(Rule::Count);
            self.take((holds + 1) % self.k.0, out);
        } else {
            out.rule(Rule::Copy);
            self.take(told, out);
        }
    }

    fn timeout(&mut self, _: Timer, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Resend);
        let s = out.read(Register::S(self.me.0));
        out.send(Next, Msg::State { s });
        out.set_timer(Timer::Resend, self.patience());
    }
}

impl DijkstraKMessages {
    fn is_bottom(&self) -> bool {
        self.me.0 == 0
    }

    /// Whether it moves when it holds this value and is told that one.
    fn moves(&self, holds: u32, told: u32) -> bool {
        let same = holds == told;
        same == self.is_bottom()
    }

    /// It takes this value, and says so.
    fn take(&self, s: u32, out: &mut impl Outbox<Self>) {
        out.write(Register::S(self.me.0), s);
        out.send(Next, Msg::State { s });
    }

    /// After how many ticks it sends its value again: not before a privilege has been round the ring, as a rule.
    fn patience(&self) -> u32 {
        self.n.0.saturating_mul(2)
    }
}

impl Stabilising for DijkstraKMessages {
    fn has_privilege(&self, holds: u32, told: u32) -> bool {
        self.moves(holds, told)
    }
}
