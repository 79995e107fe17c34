//! Probabilistic Franklin: Franklin's rounds on an anonymous ring, with identities drawn afresh in each.
//!
//! **Idea.** Each round an active process draws an identity, sends it both ways, and becomes passive if the nearest
//! active process on one side drew a larger one. Equal draws go on together. A message that has made n hops is its
//! receiver's own: nobody else is active.
//!
//! **Needs.** A two-way ring whose size is known, random choices from a range of at least two. No identities, no sense
//! of direction, and not even FIFO: of the messages on their way in one direction between two active processes there
//! are at most two, of consecutive rounds, and one bit in each tells them apart.
//!
//! **Cost.** exactly 2n a round and n announcements, rounds without bound but finite with probability 1; a round keeps
//! an active process (of 3 or more) with probability (k+1)(2k+1)/6k²
//!
//! **Source.** R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol, IFIP TCS 2008
//!
//! ```
//! use ringleader::{election::ProbabilisticFranklin, sim::{self, Scenario}};
//! let run = sim::run_election::<ProbabilisticFranklin>(&Scenario::new(5), &mut ()).unwrap();
//! assert_eq!(Some(run.election_messages()), run.phases.map(|rounds| 2 * 5 * rounds));
//! ```

use core::num::NonZeroU32;

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProbabilisticFranklin {
    n: u32,
    range: u32,
    ending: Ending,
    role: Role,
    /// What it drew in this round, from 1; 0 before the first.
    id: u32,
    /// The parity of the round.
    bit: bool,
    /// What has come in and is not yet compared, by side and by bit.
    stored: [[Option<Stored>; 2]; 2],
}

names! {
    /// What a process is.
    enum Role {
        Asleep = "asleep",
        Active = "active",
        Passive = "passive",
        Leader = "leader",
        Nonleader = "nonleader",
    }
}

names! {
    /// When a process that meets its own message leads: with both copies, or with the first.
    enum Ending {
        Both = "both",
        First = "first",
    }
}

/// A stored message; where it lies says its bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Stored {
    id: u32,
    hop: NonZeroU32,
}

messages! {
    /// What travels on the ring.
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
        .errata(include_str!("errata.md"))
        .draws()
        .elects(Winner::Any, Informed::All)
        .settings(&[Setting {
            name: "ending",
            about: "lead when both copies of the own message are back, or with the first",
            values: SettingValues::OneOf(&["both", "first"]),
        }])
        .example("-n 5 --seed 1");
    type Given = (Size, Range, Settings);
    type Port = Side;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new((Size(n), Range(range), Settings([ending, ..])): (Size, Range, Settings)) -> Self {
        let ending = if ending == 0 { Ending::Both } else { Ending::First };
        ProbabilisticFranklin {
            n,
            range,
            ending,
            role: Role::Asleep,
            id: 0,
            bit: false,
            stored: Default::default(),
        }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
            self.role = Role::Active;
            self.round(out);
        }
    }

    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::M { id, hop, bit }, Role::Active) => {
                self.take(from, id, hop, bit, out);
                if self.role == Role::Passive {
                    self.relay_stored(out);
                }
            }
            (Msg::M { hop, .. }, Role::Passive) if hop >= self.n => {
                out.impossible("a message that has been round the ring is met by its sender");
            }
            (Msg::M { id, hop, bit }, Role::Passive) => {
                out.rule(Rule::Relay);
                out.send(from.other(), Msg::M { id, hop: hop + 1, bit });
            }
            (Msg::M { .. }, Role::Leader) => out.rule(Rule::Absorb),
            (Msg::M { .. }, Role::Nonleader) => match self.ending {
                Ending::First => out.rule(Rule::Absorb),
                Ending::Both => out.impossible("both copies are home before there is a leader"),
            },
            (Msg::Leader {}, Role::Passive) => {
                out.rule(Rule::Leader);
                self.role = Role::Nonleader;
                out.send(from.other(), Msg::Leader {});
            }
            (Msg::Leader {}, Role::Leader) => out.rule(Rule::Home),
            (Msg::Leader {}, Role::Active) => out.impossible("only the leader was left active"),
            (Msg::Leader {}, Role::Nonleader) => out.impossible("the announcement makes one lap"),
            (Msg::M { .. } | Msg::Leader {}, Role::Asleep) => {
                out.impossible("everybody starts before its first message");
            }
        }
    }
}

impl State for ProbabilisticFranklin {
    fn fields(&self) -> Fields {
        fields!(self; role, id, bit, stored)
    }
}

impl ProbabilisticFranklin {
    /// A new round.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.id = 1 + out.choose(self.range);
        for side in Side::BOTH {
            out.send(side, Msg::M { id: self.id, hop: 1, bit: self.bit });
        }
    }

    /// A message reaches an active process.
    fn take(&mut self, from: Side, id: u32, hop: u32, bit: bool, out: &mut impl Outbox<Self>) {
        if hop >= self.n && self.ending == Ending::First {
            return self.lead(out);
        }
        let place = &mut self.stored[from as usize][usize::from(bit)];
        if place.is_some() {
            return out.impossible("two messages on their way in one direction differ in the bit");
        }
        *place = NonZeroU32::new(hop).map(|hop| Stored { id, hop });
        out.rule(Rule::Store);
        self.compare(out);
    }

    /// As long as both sides hold a message of the current round.
    fn compare(&mut self, out: &mut impl Outbox<Self>) {
        let now = usize::from(self.bit);
        let [right, left] = &mut self.stored;
        let (Some(a), Some(b)) = (right[now], left[now]) else { return };
        (right[now], left[now]) = (None, None);
        if a.hop.max(b.hop).get() >= self.n {
            self.lead(out);
        } else if a.id.max(b.id) > self.id {
            out.rule(Rule::Retire);
            self.role = Role::Passive;
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
        self.role = Role::Leader;
        self.stored = Default::default();
        out.send(Side::Right, Msg::Leader {});
    }
}

impl Show for Stored {
    fn show(&self) -> Value {
        (self.id, self.hop.get()).show()
    }
}

impl Election for ProbabilisticFranklin {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl ProbabilisticFranklin {
    fn verdict(&self) -> Verdict {
        match self.role {
            Role::Asleep | Role::Active | Role::Passive => Verdict::Undecided,
            Role::Leader => Verdict::Leader,
            Role::Nonleader => Verdict::Lost,
        }
    }

    fn knows(&self) -> Knows {
        match self.role {
            Role::Asleep | Role::Active | Role::Passive => Knows::Nothing,
            Role::Leader | Role::Nonleader => Knows::ThereIsOne,
        }
    }
}

/// The text taken literally: who becomes passive keeps what it has stored (erratum 004-1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct ProbabilisticFranklinAsPrinted;

impl Variant for ProbabilisticFranklinAsPrinted {
    type Right = ProbabilisticFranklin;
    const TEXT: Text = Text {
        name: "probabilistic-franklin@as-printed",
        title: "Probabilistic Franklin, as printed",
        erratum: "004-1",
        idea: "As printed, a process that becomes passive relays what comes in from then on. A message of the next \
               round that it has stored already is never sent on: its sender, or whoever waits for it, waits for \
               ever.",
        rules: &[RuleText {
            name: "retire",
            text: "with m of the current bit from both sides, one id larger: passive; what is stored stays there",
        }],
        example: "-n 3 --schedule random --seed 24",
    };

    fn receive(
        &mut self,
        right: &mut ProbabilisticFranklin,
        from: Side,
        msg: Msg,
        out: &mut impl Outbox<ProbabilisticFranklin>,
    ) {
        match (&msg, right.role) {
            (&Msg::M { id, hop, bit }, Role::Active) => right.take(from, id, hop, bit, out),
            (Msg::M { .. }, Role::Asleep | Role::Passive | Role::Leader | Role::Nonleader)
            | (Msg::Leader {}, _) => right.receive(from, msg, out),
        }
    }
}

/// The text without its bit, on links that overtake: messages of two rounds are taken for each other (erratum 004-7).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct ProbabilisticFranklinWithoutBit {
    /// What has come in and is not yet compared, by side, in the order of its coming.
    stored: [Vec<Stored>; 2],
}

impl Variant for ProbabilisticFranklinWithoutBit {
    type Right = ProbabilisticFranklin;
    const TEXT: Text = Text {
        name: "probabilistic-franklin@004-7",
        title: "Probabilistic Franklin, without the bit",
        erratum: "004-7",
        idea: "Without the bit a process compares what comes first from either side, and with links that overtake that \
               may be a message of the next round. Two neighbours then compare different rounds, both may give way, \
               and nobody is left to go on. With FIFO links the bit is not needed.",
        rules: &[
            RuleText { name: "store", text: "on m, active: store it under its side, behind what is there" },
            RuleText {
                name: "alone",
                text: "with m from both sides, one of hop n (ending first: on the first of hop n): leader; send \
                       leader to the right",
            },
            RuleText {
                name: "retire",
                text: "with m from both sides, one id larger: passive; relay all that is stored, hop + 1",
            },
            RuleText {
                name: "survive",
                text: "with m from both sides, none larger: draw; send m(id, 1, bit) both ways, the bit unchanged",
            },
        ],
        example: "-n 3 --schedule random --seed 534",
    };

    fn receive(
        &mut self,
        right: &mut ProbabilisticFranklin,
        from: Side,
        msg: Msg,
        out: &mut impl Outbox<ProbabilisticFranklin>,
    ) {
        match (&msg, right.role) {
            (&Msg::M { hop, .. }, Role::Active) if hop >= right.n && right.ending == Ending::First => {
                right.lead(out);
            }
            (&Msg::M { id, hop, .. }, Role::Active) => {
                out.rule(Rule::Store);
                let came = NonZeroU32::new(hop).map(|hop| Stored { id, hop });
                self.stored[from as usize].extend(came);
                self.compare(right, out);
            }
            (Msg::M { .. }, Role::Asleep | Role::Passive | Role::Leader | Role::Nonleader)
            | (Msg::Leader {}, _) => right.receive(from, msg, out),
        }
    }

    fn fields(&self, right: &ProbabilisticFranklin) -> Fields {
        let stored = self.stored.show();
        let fields = right.fields().into_iter();
        fields.map(|(name, value)| (name, if name == "stored" { stored.clone() } else { value })).collect()
    }
}

impl ProbabilisticFranklinWithoutBit {
    /// As long as both sides hold a message.
    fn compare(&mut self, right: &mut ProbabilisticFranklin, out: &mut impl Outbox<ProbabilisticFranklin>) {
        while right.role == Role::Active && self.stored.iter().all(|side| !side.is_empty()) {
            let [a, b] = [0, 1].map(|side| self.stored[side].remove(0));
            if a.hop.max(b.hop).get() >= right.n {
                right.lead(out);
            } else if a.id.max(b.id) > right.id {
                out.rule(Rule::Retire);
                right.role = Role::Passive;
            } else {
                out.rule(Rule::Survive);
                right.round(out);
            }
        }
        if right.role == Role::Passive {
            for side in Side::BOTH {
                for Stored { id, hop } in self.stored[side as usize].drain(..) {
                    out.send(side.other(), Msg::M { id, hop: hop.get() + 1, bit: right.bit });
                }
            }
        }
    }
}
