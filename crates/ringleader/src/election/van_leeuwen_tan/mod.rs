//! van Leeuwen–Tan: Algorithm E for links on which messages may pass each other, at the price of one bit.
//!
//! **Idea.** Local minima send the larger neighbour's identity after the smaller one's. Where such a chase runs into a
//! larger value of its phase, that value sets out against it as the next phase; into a smaller one, it stops. Where two
//! chases pass each other in a link, a bit on the first hop says which end acts as if they had met there. A chase that
//! meets its own value ends the election.
//!
//! **Needs.** FIFO links, as the paper assumes them; without them nothing was seen to go wrong on small rings.
//!
//! **Cost.** 2n in phase 0, at most n in each of at most P phases, where P is the largest with F(P+2) <= n (Fibonacci
//! numbers; about 1.44 log n); n announcements; the count depends on the schedule, and is largest when all move
//! together
//!
//! **Source.** J. van Leeuwen, R. B. Tan, Distributed Computing 2:149-160, 1987
//!
//! The worst arrangement that is known takes n messages in each phase, and the most phases with F(P+3) <= n, for every
//! n from 3 on. The count depends on the schedule from n = 5 on.
//!
//! ```
//! use ringleader::{election::VanLeeuwenTan, sim};
//! let run = sim::elect::<VanLeeuwenTan>(&[3, 1, 2]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 9));
//! ```

use crate::model::*;

state! {
    pub struct VanLeeuwenTan {
        id: Id,
        role: Role = Role::Asleep,
        /// What has come in of later phases, in phase 0.
        hidden early: Option<Box<Early>> = None,
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    /// What a process is, with the variables that it has then: the phase (PNUM), its value there (the register ID), the
    /// side on which it sent that (DIR).
    enum Role {
        Asleep,
        /// It waits for its neighbours' identities; one of them may be in.
        Phase0 { heard: Option<(Side, Id)>, phase: u8 } = "phase 0",
        /// It relays the chase of its phase, if that has come by.
        Observant { phase: u8, value: Id, dir: Option<Side> },
        /// The chase of its phase is its own (ACT).
        Active { phase: u8, value: Id, dir: Side },
        Inaugurator { leader: Id } => knows leader,
        Informed { leader: Id } => knows leader,
    }
}

/// A message that came before phase 0 was over, and those that came before it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Early {
    from: Side,
    msg: Msg,
    before: Option<Box<Early>>,
}

messages! {
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
    /// on msg(v, p, q), p = PNUM, v = ID (n = 1: its own identity in phase 0): send elected(ID) on, away from what
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
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .elects(Winner::Any, Informed::All)
        .proved("van Leeuwen and Tan 1987, Proposition 4.2")
        .at_most(Counts::Election, "n(P+2)", |n| n * (largest_phase(n) + 2))
        .constant(Constant::GOLDEN, "van Leeuwen and Tan 1987: 1.44 n log n + O(n)")
        .worst_on(Arranged::Custom("multiples by the golden section", golden_ranks))
        .example("--ids 5,4,1,2,3");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
            self.role = Role::Phase0 { heard: None, phase: 0 };
            out.phase_reached(0);
            out.send_all(Side::BOTH, Msg::Chase { id: self.id, phase: 0, q: true });
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Chase { id, phase: 0, .. }, Role::Phase0 { .. }) if id == self.id => {
                self.inaugurate(id, from.other(), out);
            }
            (Msg::Chase { id, phase: 0, .. }, Role::Phase0 { heard: None, phase }) => {
                out.rule(Rule::Wait);
                self.role = Role::Phase0 { heard: Some((from, id)), phase };
            }
            (Msg::Chase { phase: 0, .. }, Role::Phase0 { heard: Some((side, _)), .. }) if side == from => {
                out.impossible("each neighbour sends its identity once");
            }
            (Msg::Chase { id, phase: 0, .. }, Role::Phase0 { heard: Some((_, other)), phase })
                if self.id > id.min(other) =>
            {
                out.rule(Rule::Observe);
                self.role = Role::Observant { phase, value: self.id, dir: None };
                self.take_early(out);
            }
            (Msg::Chase { id, phase: 0, .. }, Role::Phase0 { heard: Some((side, other)), .. }) => {
                out.rule(Rule::Activate);
                let (_, smaller) = (id, from).min((other, side));
                self.originate(id.max(other), 1, smaller, out);
                self.take_early(out);
            }
            (msg @ (Msg::Chase { .. } | Msg::Elected { .. }), Role::Phase0 { .. }) => {
                out.rule(Rule::Early);
                self.early = Some(Box::new(Early { from, msg, before: self.early.take() }));
            }
            (Msg::Chase { phase: 0, .. }, Role::Observant { .. } | Role::Active { .. }) => {
                out.impossible("both neighbours have sent their identities");
            }
            (
                Msg::Chase { phase, .. },
                Role::Observant { phase: pnum, .. } | Role::Active { phase: pnum, .. },
            ) if phase < pnum => out.rule(Rule::Drop),
            (
                Msg::Chase { id, phase, .. },
                Role::Observant { phase: pnum, .. } | Role::Active { phase: pnum, .. },
            ) if phase > pnum => {
                out.rule(Rule::Pass);
                out.phase_reached(phase.into());
                self.role = Role::Observant { phase, value: id, dir: Some(from.other()) };
                out.send(from.other(), Msg::Chase { id, phase, q: false });
            }
            (Msg::Chase { id, .. }, Role::Observant { value, .. } | Role::Active { value, .. })
                if id == value =>
            {
                self.inaugurate(id, from.other(), out);
            }
            // A chase comes out of the link into which we have sent the other value of its phase: the two have passed
            // each other, and of the two ends one acts as if they had met there. If one of the chases was on its first
            // hop, that is the end that did not originate it; if none was, it is the end with the larger value, by the
            // ordinary rules.
            (Msg::Chase { q: false, .. }, Role::Active { dir, .. }) if dir == from => out.rule(Rule::Discard),
            (Msg::Chase { q: true, .. }, Role::Active { dir, .. }) if dir == from => {
                out.impossible("two neighbours are never both active in a phase");
            }
            (Msg::Chase { id, phase, q: true }, Role::Observant { value, dir, .. }) if dir == Some(from) => {
                out.rule(Rule::Collide);
                let smaller = if id < value { from } else { from.other() };
                self.originate(id.max(value), phase.saturating_add(1), smaller, out);
            }
            (Msg::Chase { id, phase, .. }, Role::Observant { value, .. } | Role::Active { value, .. })
                if id < value =>
            {
                out.rule(Rule::Repel);
                self.originate(value, phase.saturating_add(1), from, out);
            }
            (Msg::Chase { .. }, Role::Observant { .. } | Role::Active { .. }) => out.rule(Rule::Stop),
            (Msg::Chase { .. }, Role::Inaugurator { .. } | Role::Informed { .. }) => out.rule(Rule::Drop),
            (Msg::Elected { id }, Role::Observant { .. } | Role::Active { .. }) => {
                out.rule(Rule::Elected);
                self.role = Role::Informed { leader: id };
                out.send(from.other(), Msg::Elected { id });
            }
            (Msg::Elected { .. }, Role::Inaugurator { .. } | Role::Informed { .. }) => out.rule(Rule::Home),
            (Msg::Chase { .. } | Msg::Elected { .. }, Role::Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl VanLeeuwenTan {
    /// Phase 0 is over: what had to wait for that, oldest first.
    fn take_early(&mut self, out: &mut impl Outbox<Self>) {
        if let Some(last) = self.early.take() {
            self.early = last.before;
            self.take_early(out);
            self.receive(last.from, last.msg, out);
        }
    }

    /// Begins a chase.
    fn originate(&mut self, value: Id, phase: u8, to: Side, out: &mut impl Outbox<Self>) {
        out.phase_reached(phase.into());
        self.role = Role::Active { phase, value, dir: to };
        out.send(to, Msg::Chase { id: value, phase, q: true });
    }

    /// Only one value is left: it is announced, by whoever noticed. That may be two, at the ends of the link in which
    /// the last two chases passed each other: each announces away from the other, and together they reach everybody.
    fn inaugurate(&mut self, leader: Id, to: Side, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Inaugurate);
        self.role = Role::Inaugurator { leader };
        out.send(to, Msg::Elected { id: leader });
    }
}
