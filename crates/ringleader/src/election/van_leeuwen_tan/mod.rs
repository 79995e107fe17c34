//! van Leeuwen–Tan: Algorithm E for links on which messages may pass each other, at the price of one bit.
//!
//! **Idea.** Local minima send the larger neighbour's identity after the smaller one's. Where such a chase runs into a
//! larger value of its phase, that value sets out against it as the next phase; into a smaller one, it stops. Where two
//! chases pass each other in a link, a bit on the first hop says which end acts as if they had met there. A chase that
//! meets its own value ends the election.
//!
//! **Needs.** Distinct comparable identities, a two-way ring; no sense of direction, not the ring's size. Everybody
//! takes part: a process that is reached by a message starts first. FIFO links are assumed as in the paper; nothing was
//! seen to go wrong without them on small rings.
//!
//! **Cost.** 2n in phase 0, at most n in each of at most P phases, where P is the largest with F(P+2) <= n (Fibonacci
//! numbers; about 1.44 log n); n announcements; the count depends on the schedule, and is largest when all move
//! together
//!
//! **Source.** J. van Leeuwen, R. B. Tan, Distributed Computing 2:149-160, 1987
//!
//! ```
//! use ringleader::{election::VanLeeuwenTan, sim};
//! let run = sim::elect::<VanLeeuwenTan>(&[3, 1, 2]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 9));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VanLeeuwenTan {
    id: Id,
    role: Role,
}

/// What a process is, with the variables that it has then.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Role {
    Asleep,
    /// It waits for its neighbours' identities. What is of a later phase is kept until both are in.
    Phase0 {
        heard: Option<(Side, Id)>,
        early: Option<Box<Early>>,
    },
    /// It takes part: the phase (PNUM), its value there (the register ID), the side on which it sent that (DIR), and
    /// whether the chase is its own (ACT) or relayed.
    Observant {
        phase: u8,
        value: Id,
        dir: Option<Side>,
        act: bool,
    },
    Inaugurator {
        leader: Id,
    },
    Informed {
        leader: Id,
    },
}

/// A message that came before phase 0 was over, and those that came before it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Early {
    from: Side,
    msg: Msg,
    before: Option<Box<Early>>,
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// A chase: a value, its phase (2^32 processes have 46), and whether this is its first hop. Phase 0 tells the
        /// neighbours one's identity.
        "msg" Chase { id: Id, phase: u8, q: bool },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// PNUM := 0; send msg(id, 0, 1) both ways
    Start,
    /// on msg(v, 0, q), one neighbour still unknown: keep v
    Wait,
    /// on anything else while a neighbour is unknown: keep it until both are known
    Early,
    /// both neighbours known, one is smaller: observant; ID := id
    Observe,
    /// both neighbours u1, u2 known, both larger: originate(max(u1, u2), 1) towards the smaller. originate(x, p): ID :=
    /// x; PNUM := p; DIR := that side; ACT := T; send msg(x, p, 1) there
    Activate,
    /// on msg(v, p, q), p < PNUM or the leader known: nothing
    Drop,
    /// on msg(v, p, q), p > PNUM: PNUM := p; ID := v; DIR := the other side; ACT := F; send msg(v, p, 0) there
    Pass,
    /// on msg(v, p, q), p = PNUM, v = ID (n = 1: the own identity in phase 0): send elected(ID) on, away from what
    /// decided
    Inaugurate,
    /// on msg(v, PNUM, 0) from DIR, ACT (i): nothing
    Discard,
    /// on msg(v, PNUM, 1) from DIR, not ACT (ii): originate(max(v, ID), PNUM + 1) towards the smaller
    Collide,
    /// on any other msg(v, PNUM, q), v < ID: originate(ID, PNUM + 1) back
    Repel,
    /// on any other msg(v, PNUM, q), v > ID: nothing
    Stop,
    /// on elected(v), first time: remember v; leader if v = id; send it on
    Elected,
    /// on elected(v), the leader known: nothing
    Home,
}

impl Process for VanLeeuwenTan {
    const SPEC: Spec = Spec::election("van-leeuwen-tan", 1987, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .elects(Winner::Any, Informed::All)
        .at_most(Counts::Election, Basis::Proved("?"), "n(P+2)", |facts| {
            Some(facts.n * (largest_phase(facts.n) + 2))
        })
        .constant(Constant::GOLDEN, "van Leeuwen and Tan 1987: 1.44 n log n + O(n)")
        .worst_on(Arranged::Custom("multiples by the golden section", golden_ranks))
        .example("--ids 5,4,1,2,3");
    type Given = Id;
    type Port = Side;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        VanLeeuwenTan { id, role: Role::Asleep }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
            self.role = Role::Phase0 { heard: None, early: None };
            out.phase_reached(0);
            for side in Side::BOTH {
                out.send(side, Msg::Chase { id: self.id, phase: 0, q: true });
            }
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        if matches!(self.role, Role::Phase0 { .. }) {
            for (from, msg) in self.phase0(from, msg, out) {
                self.handle(from, msg, out);
            }
        } else {
            self.handle(from, msg, out);
        }
    }
}

impl State for VanLeeuwenTan {
    fn fields(&self) -> Fields {
        let (role, heard, phase, value, dir, leader) = match self.role {
            Role::Asleep => ("asleep", None, None, None, None, None),
            Role::Phase0 { heard, .. } => ("phase 0", heard, Some(0), None, None, None),
            Role::Observant { phase, value, dir, act } => {
                (if act { "active" } else { "observant" }, None, Some(phase), Some(value), dir, None)
            }
            Role::Inaugurator { leader } => ("inaugurator", None, None, None, None, Some(leader)),
            Role::Informed { leader } => ("informed", None, None, None, None, Some(leader)),
        };
        vec![
            ("id", self.id.show()),
            ("role", Value::Word(role)),
            ("heard", heard.show()),
            ("phase", phase.show()),
            ("value", value.show()),
            ("dir", dir.show()),
            ("leader", leader.show()),
        ]
    }
}

impl VanLeeuwenTan {
    /// Something comes in during phase 0. Once that is over: what had to wait for it, in order.
    fn phase0(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) -> Vec<(Side, Msg)> {
        let Role::Phase0 { heard, early } = &mut self.role else {
            out.impossible("phase 0 is asked about its messages only");
            return Vec::new();
        };
        match (msg, *heard) {
            (Msg::Chase { id, phase: 0, .. }, _) if id == self.id => {
                self.inaugurate(id, from.other(), out);
            }
            (Msg::Chase { id, phase: 0, .. }, None) => {
                out.rule(Rule::Wait);
                *heard = Some((from, id));
            }
            (Msg::Chase { phase: 0, .. }, Some((side, _))) if side == from => {
                out.impossible("each neighbour sends its identity once");
            }
            (Msg::Chase { id, phase: 0, .. }, Some((_, other))) => {
                let early = in_order(early.take());
                match from {
                    Side::Right => self.neighbours_known(id, other, out),
                    Side::Left => self.neighbours_known(other, id, out),
                }
                return early;
            }
            (msg @ (Msg::Chase { .. } | Msg::Elected { .. }), _) => {
                out.rule(Rule::Early);
                *early = Some(Box::new(Early { from, msg, before: early.take() }));
            }
        }
        Vec::new()
    }

    /// Phase 0 is over: local minima are active.
    fn neighbours_known(&mut self, right: Id, left: Id, out: &mut impl Outbox<Self>) {
        if self.id > right.min(left) {
            out.rule(Rule::Observe);
            self.role = Role::Observant { phase: 0, value: self.id, dir: None, act: false };
        } else {
            out.rule(Rule::Activate);
            let smaller = if right <= left { Side::Right } else { Side::Left };
            self.originate(right.max(left), 1, smaller, out);
        }
    }

    /// Something comes in after phase 0.
    #[inline(always)]
    fn handle(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, &self.role) {
            (Msg::Chase { phase: 0, .. }, Role::Observant { .. }) => {
                out.impossible("both neighbours have sent their identities");
            }
            (Msg::Chase { id, phase, q }, &Role::Observant { phase: pnum, value, dir, act }) => {
                match phase.cmp(&pnum) {
                    Less => out.rule(Rule::Drop),
                    Greater => {
                        out.rule(Rule::Pass);
                        out.phase_reached(phase.into());
                        let dir = from.other();
                        self.role = Role::Observant { phase, value: id, dir: Some(dir), act: false };
                        out.send(dir, Msg::Chase { id, phase, q: false });
                    }
                    Equal if id == value => self.inaugurate(id, from.other(), out),
                    Equal if dir == Some(from) && (act || q) => {
                        self.passed_in_link(from, (id, value), phase, (act, q), out);
                    }
                    Equal if id < value => {
                        out.rule(Rule::Repel);
                        self.originate(value, phase.saturating_add(1), from, out);
                    }
                    Equal => out.rule(Rule::Stop),
                }
            }
            (Msg::Chase { .. }, Role::Inaugurator { .. } | Role::Informed { .. }) => out.rule(Rule::Drop),
            (Msg::Elected { id }, Role::Observant { .. }) => {
                out.rule(Rule::Elected);
                self.role = Role::Informed { leader: id };
                out.send(from.other(), Msg::Elected { id });
            }
            (Msg::Elected { .. }, Role::Inaugurator { .. } | Role::Informed { .. }) => out.rule(Rule::Home),
            (Msg::Chase { .. } | Msg::Elected { .. }, Role::Asleep | Role::Phase0 { .. }) => {
                out.impossible("everybody starts before its first message, and phase 0 has its own clause");
            }
        }
    }

    /// A chase comes out of the link into which we have sent the other value of its phase: the two have passed each
    /// other, and of the two ends one acts as if they had met there. If one of the chases was on its first hop, that is
    /// the end that did not originate it; if none was, it is the end with the larger value, by the ordinary rules.
    fn passed_in_link(
        &mut self,
        from: Side,
        (id, value): (Id, Id),
        phase: u8,
        (act, q): (bool, bool),
        out: &mut impl Outbox<Self>,
    ) {
        match (act, q) {
            (true, false) => out.rule(Rule::Discard),
            (true, true) => out.impossible("two neighbours are never both active in a phase"),
            (false, _) => {
                out.rule(Rule::Collide);
                let to = if id > value { from.other() } else { from };
                self.originate(id.max(value), phase.saturating_add(1), to, out);
            }
        }
    }

    /// Begins a chase.
    fn originate(&mut self, value: Id, phase: u8, to: Side, out: &mut impl Outbox<Self>) {
        out.phase_reached(phase.into());
        self.role = Role::Observant { phase, value, dir: Some(to), act: true };
        out.send(to, Msg::Chase { id: value, phase, q: true });
    }

    /// Only one value is left: it is announced, by whoever noticed. That may be two, at the ends of the link in which
    /// the last two chases passed each other: each announces away from the other, and together they reach everybody.
    fn inaugurate(&mut self, leader: Id, to: Side, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Inaugurate);
        self.role = Role::Inaugurator { leader };
        out.send(to, Msg::Elected { id: leader });
    }

    /// The leader, if it is known here.
    #[inline(always)]
    fn leader(&self) -> Option<Id> {
        match self.role {
            Role::Inaugurator { leader } | Role::Informed { leader } => Some(leader),
            Role::Asleep | Role::Phase0 { .. } | Role::Observant { .. } => None,
        }
    }
}

/// What came early, oldest first.
fn in_order(mut last: Option<Box<Early>>) -> Vec<(Side, Msg)> {
    let mut all = Vec::new();
    while let Some(early) = last {
        all.push((early.from, early.msg));
        last = early.before;
    }
    all.reverse();
    all
}

impl Election for VanLeeuwenTan {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl VanLeeuwenTan {
    #[inline(always)]
    fn verdict(&self) -> Verdict {
        match self.leader() {
            Some(id) if id == self.id => Verdict::Leader,
            Some(_) => Verdict::Lost,
            None => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        self.leader().into()
    }
}

/// The paper read the other way: the announcement goes back towards the message that decided (erratum 002-6).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct VanLeeuwenTanAnnouncesBack;

impl Variant for VanLeeuwenTanAnnouncesBack {
    type Right = VanLeeuwenTan;
    const TEXT: Text = Text {
        name: "van-leeuwen-tan@002-6",
        title: "van Leeuwen–Tan, announcing back",
        erratum: "002-6",
        idea: "The text does not say which way the announcement goes. If it goes back towards the message that \
               decided, and two messages have passed each other, then two processes announce to each other only, \
               and nobody else is told.",
        rules: &[RuleText {
            name: "inaugurate",
            text: "on msg(v, p, q), p = PNUM, v = ID (n = 1: the own identity): send elected(ID) back",
        }],
        example: "--ids 3,2,4,1",
    };

    fn receive(
        &mut self,
        right: &mut VanLeeuwenTan,
        from: Side,
        msg: Msg,
        out: &mut impl Outbox<VanLeeuwenTan>,
    ) {
        let ready = match right.role {
            Role::Phase0 { .. } => right.phase0(from, msg, out),
            Role::Asleep | Role::Observant { .. } | Role::Inaugurator { .. } | Role::Informed { .. } => {
                vec![(from, msg)]
            }
        };
        for (from, msg) in ready {
            match (&msg, &right.role) {
                (&Msg::Chase { id, phase, .. }, &Role::Observant { phase: pnum, value, .. })
                    if (phase, id) == (pnum, value) =>
                {
                    right.inaugurate(id, from, out);
                }
                (Msg::Chase { .. } | Msg::Elected { .. }, _) => right.handle(from, msg, out),
            }
        }
    }
}
