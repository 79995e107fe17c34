//! Probabilistic Franklin: Franklin's rounds on an anonymous ring, with identities drawn afresh in each.
//!
//! **Idea.** Each round an active process draws an identity, sends it both ways, and becomes passive if the nearest
//! active process on one side drew a larger one. Equal draws go on together. A message that has made n hops is its
//! receiver's own: nobody else is active.
//!
//! **Needs.** The ring's size, by which a process knows its own message, and random choices from a range of at least
//! two. Not even FIFO links: of the messages on their way in one direction between two active processes there are at
//! most two, of consecutive rounds, and one bit in each tells them apart.
//!
//! **Cost.** exactly 2n a round and n announcements, rounds without bound but finite with probability 1; a round keeps
//! an active process (of 3 or more) with probability (k+1)(2k+1)/6k²
//!
//! **Source.** R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol, IFIP TCS 2008
//!
//! With `--ending first` up to n-1 messages of the last round are saved.
//!
//! ```
//! use ringleader::{election::ProbabilisticFranklin, sim::{self, Scenario}};
//! let run = sim::run_election::<ProbabilisticFranklin>(&Scenario::new(5), &mut ()).unwrap();
//! assert_eq!(Some(run.election_messages()), run.phases.map(|rounds| 2 * 5 * rounds));
//! ```

use crate::model::*;
use Role::*;
use core::num::NonZeroU32;

state! {
    pub struct ProbabilisticFranklin {
        hidden n: Size,
        hidden range: Range,
        told settings: Settings,
        /// Whether the first copy of its own message makes it lead (setting `ending`), or both together.
        hidden first: bool = settings.0[0] != 0,
        role: Role = Asleep,
        /// What it drew in this round, from 1; 0 before the first.
        id: u32 = 0,
        /// The parity of the round.
        bit: bool = false,
        /// What has come in and is not yet compared, by side and by bit.
        stored: [[Option<Stored>; 2]; 2] = Default::default(),
        outcome = |me| me.role.anonymous(),
    }

    enum Role {
        Asleep,
        Active,
        Passive,
        Leader => leads,
        Nonleader => loses,
    }
}

/// A stored message; where it lies says its bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Stored {
    id: u32,
    hop: NonZeroU32,
}

impl Show for Stored {
    fn show(&self) -> Value {
        (self.id, self.hop.get()).show()
    }
}

messages! {
    pub enum Msg {
        /// What an active process drew, the hops so far, and the parity of the round.
        "m" M { id: u32, hop: u32, bit: bool },
        /// There is a leader.
        announces "leader" Leader,
    }
}

rules! {
    /// active; bit := 0; draw id in 1..k; send m(id, 1, bit) both ways
    Start,
    /// on m, active: store it under its side and bit
    Store,
    /// with m of the current bit from both sides, one of hop n (ending first: on the first of hop n): leader; send
    /// leader to the right
    Alone,
    /// with m of the current bit from both sides, one id larger: passive; relay all that is stored, hop + 1
    Retire,
    /// with m of the current bit from both sides, none larger: bit := 1 - bit; draw; send m(id, 1, bit) both ways
    Survive,
    /// on m(id, hop, bit), passive: send m(id, hop + 1, bit) on
    Relay,
    /// on m, leader or nonleader: nothing
    Absorb,
    /// on leader, passive: nonleader; send it on
    Leader,
    /// on leader, leader: nothing
    Home,
}

impl Process for ProbabilisticFranklin {
    const SPEC: Spec = Spec::election("probabilistic-franklin", 2008, include_str!("mod.rs"))
        .family(Family::Lottery)
        .errata(include_str!("errata.md"))
        .draws()
        .elects(Winner::Any, Informed::All)
        .settings(&[Setting::one_of(
            "ending",
            "lead when both copies of its own message are back, or with the first",
            &["both", "first"],
        )])
        .example("-n 5 --seed 1");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.role = Active;
            self.round(out);
        }
    }

    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::M { hop, .. }, Active) if self.first && hop >= self.n.0 => self.lead(out),
            (Msg::M { bit, .. }, Active) if self.stored[from as usize][usize::from(bit)].is_some() => {
                out.impossible("two messages on their way in one direction differ in the bit");
            }
            (Msg::M { id, hop, bit }, Active) => {
                out.rule(Rule::Store);
                let came = NonZeroU32::new(hop).map(|hop| Stored { id, hop });
                self.stored[from as usize][usize::from(bit)] = came;
                self.compare(out);
            }
            (Msg::M { hop, .. }, Passive) if hop >= self.n.0 => {
                out.impossible("a message that has been round the ring is met by its sender");
            }
            (Msg::M { id, hop, bit }, Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), Msg::M { id, hop: hop + 1, bit });
            }
            (Msg::M { .. }, Leader) => out.rule(Rule::Absorb),
            (Msg::M { .. }, Nonleader) if self.first => out.rule(Rule::Absorb),
            (Msg::M { .. }, Nonleader) => out.impossible("both copies are home before there is a leader"),
            (Msg::Leader {}, Passive) => {
                out.rule(Rule::Leader);
                self.role = Nonleader;
                out.send(from.other(), Msg::Leader {});
            }
            (Msg::Leader {}, Leader) => out.rule(Rule::Home),
            (Msg::Leader {}, Active) => out.impossible("only the leader was left active"),
            (Msg::Leader {}, Nonleader) => out.impossible("the announcement makes one lap"),
            (Msg::M { .. } | Msg::Leader {}, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl ProbabilisticFranklin {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.id = 1 + out.choose(self.range.0);
        out.send_all(Side::BOTH, Msg::M { id: self.id, hop: 1, bit: self.bit });
    }

    /// As long as both sides hold a message of the current round.
    fn compare(&mut self, out: &mut impl Outbox<Self>) {
        let now = usize::from(self.bit);
        let [right, left] = &mut self.stored;
        let (Some(a), Some(b)) = (right[now], left[now]) else { return };
        (right[now], left[now]) = (None, None);
        if a.hop.max(b.hop).get() >= self.n.0 {
            self.lead(out);
        } else if a.id.max(b.id) > self.id {
            out.rule(Rule::Retire);
            self.role = Passive;
            self.relay_stored(out);
        } else {
            out.rule(Rule::Survive);
            self.bit = !self.bit;
            self.round(out);
            self.compare(out);
        }
    }

    /// What a passive process would have relayed, had it come later.
    fn relay_stored(&mut self, out: &mut impl Outbox<Self>) {
        for side in Side::BOTH {
            for bit in [false, true] {
                if let Some(Stored { id, hop }) = self.stored[side as usize][usize::from(bit)].take() {
                    out.send(side.other(), Msg::M { id, hop: hop.get() + 1, bit });
                }
            }
        }
    }

    /// Nobody else is active.
    fn lead(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Alone);
        self.role = Leader;
        self.stored = Default::default();
        out.send(Side::Right, Msg::Leader {});
    }
}
