//! van Leeuwen–Tan, Algorithm E: on a two-way ring whose links are half-duplex, chases that meet make a new chase.
//!
//! **Idea.** In phase 0 neighbours exchange identities. Each local minimum sends the larger neighbour's identity, as
//! phase 1, after the smaller one. Everybody relays a chase of a later phase than its own and adopts its value. Where a
//! chase meets another one of its phase, or runs into a smaller value left by one, the larger value sets out against
//! the smaller as the next phase. A chase that meets its own value has the ring to itself.
//!
//! **Needs.** Distinct comparable identities, half-duplex links: two messages never pass each other in a link, so that
//! they meet in a process. No sense of direction, not the ring's size. A step may have to take several waiting
//! messages.
//!
//! **Cost.** 2n messages in phase 0, at most n in each later phase, n for the announcement. The largest phase P obeys
//! F(P+2) ≤ n, so there are about 1.44 n log n in all. The worst arrangement that is known takes n in each phase, and
//! the most phases with F(P+3) ≤ n, for every n from 3 on. Which process wins depends on the schedule from n = 5 on.
//!
//! **Source.** J. van Leeuwen and R. B. Tan, An improved upperbound for distributed election in bidirectional rings of
//! processors, Distributed Computing 2:149–160, 1987, section 2. The line that activates the local minima is lost in
//! our copy and reconstructed from the proofs (erratum 002-1).
//!
//! ```
//! use ringleader::{election::VanLeeuwenTanHalfDuplex, sim};
//! let run = sim::elect::<VanLeeuwenTanHalfDuplex>(&[3, 1, 2]);
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 9));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};
use core::slice;

use crate::model::{
    Arranged, Bound, Constant, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs,
    Never, Outbox, Process, Promises, Rule, Side, Spec, Verdict, Winner, fields, golden_ranks, largest_phase,
    messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VanLeeuwenTanHalfDuplex {
    id: Id,
    role: Role,
    /// The neighbours' identities, from phase 0.
    neighbours: [Option<Id>; 2],
    /// The phase in which it last took part (PNUM); F(phase+2) ≤ n.
    phase: u8,
    /// The value it has in that phase (the register ID).
    value: Id,
    leader: Option<Id>,
}

names! {
    /// What a process is. It is active only for the moment in which it begins a chase.
    enum Role {
        Asleep = "asleep",
        Phase0 = "phase 0",
        Observant = "observant",
        Inaugurator = "inaugurator",
        Informed = "informed",
    }
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// A chase: a value and its phase. Phase 0 tells the neighbours one's identity.
        "msg" Chase { id: Id, phase: u8 },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

/// A chase that has come in: its value and phase.
type Came = Option<(Id, u8)>;

impl Process for VanLeeuwenTanHalfDuplex {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Side;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        VanLeeuwenTanHalfDuplex {
            id,
            role: Role::Asleep,
            neighbours: [None; 2],
            phase: 0,
            value: id,
            leader: None,
        }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule("start");
            self.role = Role::Phase0;
            out.phase_reached(0);
            for side in Side::BOTH {
                out.send(side, Msg::Chase { id: self.id, phase: 0 });
            }
        }
    }

    #[inline]
    fn receive(&mut self, from: Side, msg: Msg, out: &mut impl Outbox<Self>) {
        match (self.role, msg) {
            // Nearly all messages come alone and are passed on.
            (Role::Observant, Msg::Chase { id, phase }) if phase > self.phase => {
                self.pass(from, id, phase, out)
            }
            (_, msg) => self.receive_several(slice::from_ref(&(from, msg)), out),
        }
    }

    /// Before phase 0 is complete only phase-0 messages are taken, unless the same step completes it. The others may be
    /// that far ahead: with 3,2,4,1 both chases may meet at 3, and the announcement be sent, while 4 waits for 1.
    fn accepts(&self, batch: &[(Side, Msg)]) -> bool {
        match self.role {
            Role::Asleep | Role::Phase0 => {}
            Role::Observant | Role::Inaugurator | Role::Informed => return true,
        }
        let mut heard = self.neighbours.map(|neighbour| neighbour.is_some());
        let mut later = false;
        for (from, msg) in batch {
            match msg {
                Msg::Chase { phase: 0, .. } => heard[*from as usize] = true,
                Msg::Chase { .. } | Msg::Elected { .. } => later = true,
            }
        }
        !later || heard == [true; 2]
    }

    fn receive_several(&mut self, batch: &[(Side, Msg)], out: &mut impl Outbox<Self>) {
        // Of each side only the last chase matters: the phases of what comes from one side increase.
        let mut came: [Came; 2] = [None; 2];
        let mut elected = None;
        for (from, msg) in batch {
            let side = *from as usize;
            match *msg {
                Msg::Chase { id, phase: 0 } => match (self.role, self.neighbours[side]) {
                    (Role::Phase0, None) => self.neighbours[side] = Some(id),
                    (Role::Inaugurator | Role::Informed, _) => {}
                    (Role::Asleep | Role::Phase0 | Role::Observant, _) => {
                        out.impossible("each neighbour sends its identity once, after we have started");
                    }
                },
                Msg::Chase { id, phase } => {
                    if came[side].is_some_and(|(_, before)| before >= phase) {
                        out.impossible("the phases of what comes from one side increase");
                    }
                    came[side] = Some((id, phase));
                }
                Msg::Elected { id } => elected = Some((*from, id)),
            }
        }
        match self.role {
            Role::Asleep => out.impossible("everybody starts before its first message"),
            Role::Phase0 => self.neighbours_known(&mut came, out),
            Role::Observant => {}
            Role::Inaugurator | Role::Informed if elected.is_some() => {}
            Role::Inaugurator | Role::Informed => out.rule("drop"),
        }
        if self.role == Role::Observant {
            self.chases(came, out);
        }
        if let Some((from, id)) = elected {
            self.elected(from, id, out);
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; id, role, neighbours, phase, value, leader)
    }
}

impl VanLeeuwenTanHalfDuplex {
    /// Phase 0, and its end once both neighbours are known. What came from the side of the smaller neighbour in the
    /// same step could not be left waiting: our chase would pass it. It is then handled as if we had never been active.
    fn neighbours_known(&mut self, came: &mut [Came; 2], out: &mut impl Outbox<Self>) {
        let [right, left] = self.neighbours;
        match (right == Some(self.id), left == Some(self.id)) {
            (true, true) => return self.inaugurate(Side::Right, out),
            (true, false) => return self.inaugurate(Side::Left, out),
            (false, true) => return self.inaugurate(Side::Right, out),
            (false, false) => {}
        }
        let (Some(right), Some(left)) = (right, left) else {
            return out.rule("wait");
        };
        self.role = Role::Observant;
        let smaller = if right <= left { Side::Right } else { Side::Left };
        if self.id > right.min(left) {
            out.rule("observe");
        } else if came[smaller as usize].is_some() {
            out.rule("overtaken");
        } else {
            out.rule("activate");
            self.send_chase(right.max(left), 1, smaller, out);
        }
    }

    /// The step of an observant process: what remains is what has the highest phase, not below our own.
    fn chases(&mut self, came: [Came; 2], out: &mut impl Outbox<Self>) {
        let top = came.iter().flatten().map(|&(_, phase)| phase).max().unwrap_or(0).max(self.phase);
        if came.iter().flatten().any(|&(_, phase)| phase < top) {
            out.rule("drop");
        }
        match came.map(|chase| chase.filter(|&(_, phase)| phase == top).map(|(id, _)| id)) {
            [Some(right), Some(left)] if right == left => {
                (self.phase, self.value) = (top, right);
                self.inaugurate(Side::Right, out);
            }
            [Some(right), Some(left)] => {
                out.rule("collide");
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
            return self.pass(from, id, phase, out);
        }
        match id.cmp(&self.value) {
            Equal => self.inaugurate(from.other(), out),
            Less => {
                out.rule("repel");
                self.send_chase(self.value, phase.saturating_add(1), from, out);
            }
            Greater => out.rule("stop"),
        }
    }

    /// A chase of a later phase goes on.
    fn pass(&mut self, from: Side, id: Id, phase: u8, out: &mut impl Outbox<Self>) {
        out.rule("pass");
        self.send_chase(id, phase, from.other(), out);
    }

    /// Enters a phase with a value, and sends both on.
    fn send_chase(&mut self, value: Id, phase: u8, to: Side, out: &mut impl Outbox<Self>) {
        (self.phase, self.value) = (phase, value);
        out.phase_reached(u32::from(phase));
        out.send(to, Msg::Chase { id: value, phase });
    }

    /// Only one value is left: it is announced, by whoever noticed.
    fn inaugurate(&mut self, to: Side, out: &mut impl Outbox<Self>) {
        out.rule("inaugurate");
        self.role = Role::Inaugurator;
        self.leader = Some(self.value);
        out.send(to, Msg::Elected { id: self.value });
    }

    /// The announcement arrives.
    fn elected(&mut self, from: Side, id: Id, out: &mut impl Outbox<Self>) {
        match self.role {
            Role::Observant => {
                out.rule("elected");
                self.role = Role::Informed;
                self.leader = Some(id);
                out.send(from.other(), Msg::Elected { id });
            }
            Role::Inaugurator => out.rule("home"),
            Role::Asleep | Role::Phase0 => {
                out.impossible("what is not of phase 0 waits until phase 0 is over here")
            }
            Role::Informed => out.impossible("there is one inaugurator, and its lap ends there"),
        }
    }
}

impl Election for VanLeeuwenTanHalfDuplex {
    fn verdict(&self) -> Verdict {
        match self.leader {
            Some(id) if id == self.id => Verdict::Leader,
            Some(_) => Verdict::Lost,
            None => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        self.leader.into()
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "van-leeuwen-tan-half-duplex",
    aliases: &[],
    title: "van Leeuwen–Tan, Algorithm E",
    year: 1987,
    source: "J. van Leeuwen, R. B. Tan, Distributed Computing 2:149-160, 1987",
    idea: "Local minima send the larger neighbour's identity after the smaller one's. Where such a chase meets \
           another one of its phase, or the smaller value that one has left behind, the larger value sets out \
           against the smaller as the next phase. A chase that meets its own value ends the election.",
    needs: Needs { links: Links::HalfDuplex, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
    cost: Cost {
        worst: Some(Bound {
            formula: "n(P+2)",
            counts: Counts::Election,
            value: |facts| Some(facts.n * (largest_phase(facts.n) + 2)),
        }),
        average: None,
        words: "2n in phase 0, at most n in each of at most P phases, where P is the largest with F(P+2) <= n \
                (Fibonacci numbers; about 1.44 log n); n announcements; the count and the winner depend on the \
                schedule",
        constant: Some(Constant {
            value: Constant::GOLDEN,
            source: "van Leeuwen and Tan 1987: 1.44 n log n + O(n)",
        }),
        ..Cost::UNKNOWN
    },
    worst_ids: Some(Arranged::Custom("multiples by the golden section", golden_ranks)),
    settings: &[],
    rules: &[
        Rule { name: "start", text: "PNUM := 0; ID := u; send msg(u, 0) both ways" },
        Rule { name: "wait", text: "on msg(v, 0), one neighbour still unknown: keep v" },
        Rule { name: "observe", text: "both neighbours known, one is smaller: observant" },
        Rule {
            name: "activate",
            text: "both neighbours u1, u2 known, both larger: ID := max(u1, u2); PNUM := 1; send msg(ID, 1) \
                   towards the smaller",
        },
        Rule {
            name: "overtaken",
            text: "the same, but a chase already waits on that side: take it too, as an observant process",
        },
        Rule { name: "drop", text: "on msg(v, p), p < PNUM or the leader known: nothing" },
        Rule { name: "pass", text: "one msg(v, p) remains, p > PNUM: PNUM := p; ID := v; send it on" },
        Rule {
            name: "repel",
            text: "one msg(v, p) remains, p = PNUM, v < ID: PNUM := p + 1; send msg(ID, p + 1) back",
        },
        Rule { name: "stop", text: "one msg(v, p) remains, p = PNUM, v > ID: nothing" },
        Rule {
            name: "collide",
            text: "msg(v, p) and msg(w, p) remain, v > w: ID := v; PNUM := p + 1; send msg(v, p + 1) towards w",
        },
        Rule {
            name: "inaugurate",
            text: "one remains, p = PNUM, v = ID, or two with equal values, or (n = 1) the own identity in \
                   phase 0: send elected(ID), opposite to what decided",
        },
        Rule {
            name: "elected",
            text: "on elected(v), not the inaugurator: remember v; leader if v = id; send it on",
        },
        Rule { name: "home", text: "on elected(v), inaugurator: nothing" },
    ],
    errata: &[
        Erratum {
            id: "002-1",
            text: "the statement that makes local minima active is missing; reconstructed from Lemmas 3.5 and 3.7. \
                   With n = 1 there is no local minimum: the own identity in phase 0 decides",
        },
        Erratum {
            id: "002-2",
            text: "a process may have to take several messages of one side in one step; at most one per side gets \
                   stuck on 4,1,3,2",
        },
        Erratum {
            id: "002-3",
            text: "a local minimum that ends phase 0 while a chase waits on the side of its smaller neighbour may \
                   not send: it takes the chase as an observant process",
        },
        Erratum {
            id: "002-9",
            text: "'1.44..log N + O(N) messages' lost a factor N: at most n(P+3) with the announcement",
        },
    ],
    example: "--ids 5,4,1,2,3",
};
