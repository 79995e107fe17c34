//! van Leeuwen–Tan, Algorithm E: on a two-way ring whose links are half-duplex, chases that meet make a new chase.
//!
//! **Idea.** Local minima send the larger neighbour's identity after the smaller one's. Where such a chase meets
//! another one of its phase, or the smaller value that one has left behind, the larger value sets out against the
//! smaller as the next phase. A chase that meets its own value ends the election.
//!
//! **Needs.** Half-duplex links: two messages never pass each other in a link, so that they meet in a process. A step
//! may have to take several waiting messages.
//!
//! **Cost.** 2n in phase 0, at most n in each of at most P phases, where P is the largest with F(P+2) <= n (Fibonacci
//! numbers; about 1.44 log n); n announcements; the count and the winner depend on the schedule
//!
//! **Source.** J. van Leeuwen, R. B. Tan, Distributed Computing 2:149-160, 1987
//!
//! The worst arrangement that is known takes n messages in each phase, and the most phases with F(P+3) <= n, for every
//! n from 3 on. Which process wins depends on the schedule from n = 5 on.
//!
//! ```
//! use ringleader::{election::VanLeeuwenTanHalfDuplex, sim};
//! let run = sim::elect::<VanLeeuwenTanHalfDuplex>(&[3, 1, 2]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 9));
//! ```

use crate::model::*;

state! {
    pub struct VanLeeuwenTanHalfDuplex {
        id: Id,
        role: Role = Role::Asleep,
        /// The neighbours' identities, from phase 0.
        neighbours: [Option<Id>; 2] = [None; 2],
        /// The phase in which it last took part (PNUM); F(phase+2) <= n.
        phase: u8 = 0,
        /// The value it has in that phase (the register ID).
        value: Id = id,
        leader: Option<Id> = None,
        outcome = |me| Decision::of(me.id, me.leader),
        drawn = [leader: leader],
    }

    /// What a process is. It is active only for the moment in which it begins a chase.
    enum Role {
        Asleep,
        Phase0 = "phase 0",
        Observant,
        Inaugurator,
        Informed,
    }
}

messages! {
    pub enum Msg {
        /// A chase: a value and its phase. Phase 0 tells the neighbours one's identity.
        "msg" Chase { id: Id, phase: u8 },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

/// A chase that has come in: its value and phase.
type Came = Option<(Id, u8)>;

rules! {
    /// PNUM := 0; ID := u; send msg(u, 0) both ways
    Start,
    /// on msg(v, 0), one neighbour still unknown: keep v
    Wait,
    /// both neighbours known, one is smaller: observant
    Observe,
    /// both neighbours u1, u2 known, both larger: ID := max(u1, u2); PNUM := 1; send msg(ID, 1) towards the smaller
    Activate,
    /// the same, but a chase already waits on that side: take it too, as an observant process
    Overtaken,
    /// on msg(v, p), p < PNUM or the leader known: nothing
    Drop,
    /// one msg(v, p) remains, p > PNUM: PNUM := p; ID := v; send it on
    Pass,
    /// one msg(v, p) remains, p = PNUM, v < ID: PNUM := p + 1; send msg(ID, p + 1) back
    Repel,
    /// one msg(v, p) remains, p = PNUM, v > ID: nothing
    Stop,
    /// msg(v, p) and msg(w, p) remain, v > w: ID := v; PNUM := p + 1; send msg(v, p + 1) towards w
    Collide,
    /// one remains, p = PNUM, v = ID, or two with equal values, or (n = 1) its own identity in phase 0: send
    /// elected(ID), opposite to what decided
    Inaugurate,
    /// on elected(v), not the inaugurator: remember v; leader if v = id; send it on
    Elected,
    /// on elected(v), inaugurator: nothing
    Home,
}

impl Process for VanLeeuwenTanHalfDuplex {
    const SPEC: Spec = Spec::election("van-leeuwen-tan-half-duplex", 1987, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::HalfDuplex)
        .elects(Winner::Any, Informed::All)
        .proved("van Leeuwen and Tan 1987, Proposition 3.9")
        .at_most(Counts::Election, "n(P+2)", |n| n * (largest_phase(n) + 2))
        .constant(Constant::GOLDEN, "van Leeuwen and Tan 1987: 1.44 n log n + O(n)")
        .worst_on(Arranged::Custom("multiples by the golden section", golden_ranks))
        .example("--ids 5,4,1,2,3");
    types! { Port = Side }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
            self.role = Role::Phase0;
            out.phase_reached(0);
            out.send_all(Side::BOTH, Msg::Chase { id: self.id, phase: 0 });
        }
    }

    #[inline]
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (self.role, msg) {
            // Nearly all messages come alone and are passed on.
            (Role::Observant, Msg::Chase { id, phase }) if phase > self.phase => {
                self.chase(from, id, phase, out);
            }
            (_, msg) => self.receive_several(&[(from, msg)], out),
        }
    }

    /// Before phase 0 is complete only phase-0 messages are taken, unless the same step completes it. The others may be
    /// that far ahead: with 3,2,4,1 both chases may meet at 3, and the announcement be sent, while 4 waits for 1.
    fn accepts(&self, batch: &[(Side, Msg)]) -> bool {
        let of_phase0 = |(_, msg): &(Side, Msg)| matches!(msg, Msg::Chase { phase: 0, .. });
        let heard = |side: Side| {
            self.neighbours[side as usize].is_some()
                || batch.iter().any(|came| came.0 == side && of_phase0(came))
        };
        match self.role {
            Role::Asleep | Role::Phase0 => batch.iter().all(of_phase0) || Side::BOTH.into_iter().all(heard),
            Role::Observant | Role::Inaugurator | Role::Informed => true,
        }
    }

    fn receive_several(&mut self, batch: &[(Side, Msg)], out: &mut impl Outbox<Self>) {
        // Of each side only the last chase matters: the phases of what comes from one side increase.
        let mut came: [Came; 2] = [None; 2];
        let mut elected = None;
        for (from, msg) in batch {
            let side = *from as usize;
            match (msg, self.role) {
                (&Msg::Chase { id, phase: 0 }, Role::Phase0) if self.neighbours[side].is_none() => {
                    self.neighbours[side] = Some(id);
                }
                (Msg::Chase { phase: 0, .. }, Role::Asleep | Role::Phase0 | Role::Observant) => {
                    out.impossible("each neighbour sends its identity once, after we have started");
                }
                (Msg::Chase { phase: 0, .. }, Role::Inaugurator | Role::Informed) => {}
                (&Msg::Chase { id, phase }, _) => {
                    if came[side].is_some_and(|(_, before)| before >= phase) {
                        out.impossible("the phases of what comes from one side increase");
                    }
                    came[side] = Some((id, phase));
                }
                (&Msg::Elected { id }, _) => elected = Some((*from, id)),
            }
        }
        match self.role {
            Role::Asleep => out.impossible(NOT_STARTED),
            Role::Phase0 => self.neighbours_known(came, out),
            Role::Observant => {}
            Role::Inaugurator | Role::Informed if elected.is_some() => {}
            Role::Inaugurator | Role::Informed => out.rule(Rule::Drop),
        }
        if self.role == Role::Observant {
            self.chases(came, out);
        }
        match (elected, self.role) {
            (None, _) => {}
            (Some((from, id)), Role::Observant) => {
                out.rule(Rule::Elected);
                self.role = Role::Informed;
                self.leader = Some(id);
                out.send(from.other(), Msg::Elected { id });
            }
            (Some(_), Role::Inaugurator) => out.rule(Rule::Home),
            (Some(_), Role::Asleep | Role::Phase0) => {
                out.impossible("what is not of phase 0 waits until phase 0 is over here");
            }
            (Some(_), Role::Informed) => out.impossible("there is one inaugurator, and its lap ends there"),
        }
    }
}

impl VanLeeuwenTanHalfDuplex {
    /// Phase 0, and its end once both neighbours are known. What came from the side of the smaller neighbour in the
    /// same step could not be left waiting: our chase would pass it. It is then handled as if we had never been active.
    fn neighbours_known(&mut self, came: [Came; 2], out: &mut impl Outbox<Self>) {
        let [right, left] = self.neighbours;
        if left == Some(self.id) {
            return self.inaugurate(Side::Right, out);
        }
        if right == Some(self.id) {
            return self.inaugurate(Side::Left, out);
        }
        let (Some(right), Some(left)) = (right, left) else {
            return out.rule(Rule::Wait);
        };
        self.role = Role::Observant;
        let smaller = if right <= left { Side::Right } else { Side::Left };
        if self.id > right.min(left) {
            out.rule(Rule::Observe);
        } else if came[smaller as usize].is_some() {
            out.rule(Rule::Overtaken);
        } else {
            out.rule(Rule::Activate);
            self.send_chase(right.max(left), 1, smaller, out);
        }
    }

    /// The step of an observant process: what remains is what has the highest phase, not below our own.
    fn chases(&mut self, came: [Came; 2], out: &mut impl Outbox<Self>) {
        let top = came.iter().flatten().map(|&(_, phase)| phase).max().unwrap_or(0).max(self.phase);
        if came.iter().flatten().any(|&(_, phase)| phase < top) {
            out.rule(Rule::Drop);
        }
        match came.map(|chase| chase.filter(|&(_, phase)| phase == top).map(|(id, _)| id)) {
            [Some(right), Some(left)] if right == left => {
                (self.phase, self.value) = (top, right);
                self.inaugurate(Side::Right, out);
            }
            [Some(right), Some(left)] => {
                out.rule(Rule::Collide);
                let smaller = if right < left { Side::Right } else { Side::Left };
                self.send_chase(right.max(left), top.saturating_add(1), smaller, out);
            }
            [Some(id), None] => self.chase(Side::Right, id, top, out),
            [None, Some(id)] => self.chase(Side::Left, id, top, out),
            [None, None] => {}
        }
    }

    /// One chase remains, of our phase or a later one.
    fn chase(&mut self, from: Side, id: Id, phase: u8, out: &mut impl Outbox<Self>) {
        if phase > self.phase {
            out.rule(Rule::Pass);
            self.send_chase(id, phase, from.other(), out);
        } else if id == self.value {
            self.inaugurate(from.other(), out);
        } else if id < self.value {
            out.rule(Rule::Repel);
            self.send_chase(self.value, phase.saturating_add(1), from, out);
        } else {
            out.rule(Rule::Stop);
        }
    }

    /// Enters a phase with a value, and sends both on.
    fn send_chase(&mut self, value: Id, phase: u8, to: Side, out: &mut impl Outbox<Self>) {
        (self.phase, self.value) = (phase, value);
        out.phase_reached(u32::from(phase));
        out.send(to, Msg::Chase { id: value, phase });
    }

    /// Only one value is left: it is announced, by whoever noticed.
    fn inaugurate(&mut self, to: Side, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Inaugurate);
        self.role = Role::Inaugurator;
        self.leader = Some(self.value);
        out.send(to, Msg::Elected { id: self.value });
    }
}
