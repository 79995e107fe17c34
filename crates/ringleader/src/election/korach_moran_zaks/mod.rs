//! Korach–Moran–Zaks: kings ask their neighbours one by one, and conquer each other's kingdoms.
//!
//! **Idea.** Everybody who starts is a king, and asks through its ports one after the other. A subject passes the
//! question up the tree to its own king, who surrenders with all its subjects if the asking king is of a later phase,
//! or of the same one and larger. Two kings of one phase make a kingdom of the next. A king with nobody left to ask
//! leads.
//!
//! **Needs.** A complete graph whose ports are numbered anyhow, the number of ports, distinct identities, FIFO links:
//! an order must not be overtaken by the next one, nor by the announcement. Who does not start becomes a subject of the
//! first king that asks, and never leads.
//!
//! **Cost.** exactly 4(n-1) if k = 1 starts, at most 5n·log k+3n if k >= 2 do and 5n·log n+2n if all do: the terms
//! behind the logarithm are as measured, the literature has 5n·log n+O(n); at most ⌊log n⌋+1 phases
//!
//! **Source.** E. Korach, S. Moran, S. Zaks, PODC 1984, 199-207
//!
//! ```
//! use ringleader::{election::KorachMoranZaks, sim::{self, Initiators, Scenario}};
//! let scenario = Scenario { initiators: Initiators::One, ..Scenario::new(8) };
//! let run = sim::run_election::<KorachMoranZaks>(&scenario, &mut ()).unwrap();
//! assert_eq!(run.messages, 4 * (8 - 1)); // seven are asked, accept, are told their king, and that it leads
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};
use std::collections::VecDeque;

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KorachMoranZaks {
    id: Id,
    degree: u32,
    role: Role,
    /// The ports to its sons in the tree: a set, in increasing order.
    sons: Vec<Edge>,
    /// What came in while it waits, oldest first.
    queue: VecDeque<(Edge, Msg)>,
}

/// What a process is, with the variables that it has then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Role {
    Asleep,
    /// It has asked through all ports below `unused`, and waits for the last answer.
    King {
        phase: u8,
        unused: u32,
    },
    Citizen {
        mine: Status,
        father: Edge,
    },
    /// Its king has surrendered; it will hear from the new one.
    WaitUpdate {
        father: Edge,
    },
    /// It has passed a question up, and waits for what its king says.
    WaitAsk {
        father: Edge,
        asker: Edge,
        asked: Status,
    },
    Leader,
    Done {
        leader: Id,
    },
}

/// How strong a kingdom is: its phase first, then its king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Status {
    phase: u8,
    king: Id,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// A king's question, perhaps passed on by its subjects: be mine?
        "ask" Ask { phase: u8, king: Id },
        /// We are yours; of which phase the king was that surrenders, or -1 if nobody was.
        "accept" Accept { phase: i8 },
        /// An order to subjects: this is your king.
        "update" Update { phase: u8, king: Id },
        /// I am yours already.
        "your_citizen" YourCitizen,
        /// The king is the only one.
        announces "leader" Leader { id: Id },
    }
}

rules! {
    /// king; phase := 0; next edge: send ask(phase, id) through the lowest unused port
    Start,
    /// next edge, no unused port: leader; send leader(id) to sons
    Lead,
    /// on ask, not started: father := port; send accept(-1) back; wait for an update
    Join,
    /// on your_citizen, king: next edge
    Known,
    /// on accept(q), king, q = phase: sons += port; phase := phase + 1; send update(phase, id) to sons; next edge
    Unite,
    /// on accept(q), king, q < phase: sons += port; send update(phase, id) back; next edge
    Annex,
    /// on ask(st), king, st > mine: sons -= port; father := port; send accept(phase) back; wait for an update
    Surrender,
    /// on ask(st), king and st <= mine, or citizen and st < mine; or leader, or done: nothing
    Ignore,
    /// on ask(st), citizen, st = mine: send your_citizen back, unless to a son
    Mine,
    /// on ask(st), citizen, st > mine: send ask(st) to father; wait for what the king says
    Forward,
    /// on accept, citizen (it asked when it was king): sons += port; send update(mine) back
    Adopt,
    /// on update(st), citizen: mine := st; send update(st) to sons
    Update,
    /// on update(st), waiting for it: mine := st; send update(st) to sons; citizen; take what is queued
    Settle,
    /// on update(new), st passed up, new < st: mine := new; send update(new) to sons
    KeepWaiting = "keep waiting",
    /// on update(new), st passed up, new = st: likewise, and send your_citizen to who asked, unless it is a son;
    /// citizen; take what is queued
    Already,
    /// on update(new), st passed up, new > st: mine := new; send update(new) to sons; citizen; take what is queued
    Outgrown,
    /// on accept(q) from father, st passed up for port l: sons += father; sons -= l; father := l; send accept(q) to l;
    /// wait for an update
    Turn,
    /// on ask, or any other accept, waiting: queue it
    Queue,
    /// on your_citizen, no king any more: nothing
    Late,
    /// on leader(v), citizen: remember v; send it to sons; done
    Leader,
}

impl Process for KorachMoranZaks {
    const SPEC: Spec = Spec::election("korach-moran-zaks", 1984, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .aliases(&["kings"])
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .elects(Winner::AnyInitiator, Informed::All)
        .at_most(Counts::All, Basis::Proved("?"), "5n·log k+O(n)", |facts| {
            let (n, k) = (facts.n, facts.initiators);
            let grown = 5.0 * n as f64 * (k as f64).log2();
            match k {
                1 => Some(4 * (n - 1)),
                _ if k == n => Some((grown + 2.0 * n as f64) as u64),
                _ => Some((grown + 3.0 * n as f64) as u64),
            }
        })
        .example("-n 5 --seed 1");
    type Given = (Id, Degree);
    type Port = Edge;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new((id, Degree(degree)): (Id, Degree)) -> Self {
        KorachMoranZaks { id, degree, role: Role::Asleep, sons: Vec::new(), queue: VecDeque::new() }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Role::Asleep {
            out.rule(Rule::Start);
            out.phase_begins();
            self.next_edge(0, 0, out);
        }
    }

    fn receive(&mut self, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match self.role {
            Role::Asleep => self.asleep(from, msg, out),
            Role::King { phase, unused } => self.king(phase, unused, from, msg, out),
            Role::Citizen { mine, father } => self.citizen(mine, father, from, msg, out),
            Role::WaitUpdate { father } => self.wait_update(father, from, msg, out),
            Role::WaitAsk { father, asker, asked } => {
                self.wait_ask(father, asker, asked, from, msg, out);
            }
            Role::Leader | Role::Done { .. } => self.after(msg, out),
        }
    }
}

impl State for KorachMoranZaks {
    fn fields(&self) -> Fields {
        let status = |status: Status| Some((status.phase, status.king));
        let (role, mine, father, asked, leader) = match self.role {
            Role::Asleep => ("asleep", None, None, None, None),
            Role::King { phase, .. } => ("king", Some((phase, self.id)), None, None, None),
            Role::Citizen { mine, father } => ("citizen", status(mine), Some(father), None, None),
            Role::WaitUpdate { father } => ("wait update", None, Some(father), None, None),
            Role::WaitAsk { father, asked, .. } => ("wait ask", None, Some(father), status(asked), None),
            Role::Leader => ("leader", None, None, None, Some(self.id)),
            Role::Done { leader } => ("done", None, None, None, Some(leader)),
        };
        let waiting: Vec<Edge> = self.queue.iter().map(|(from, _)| *from).collect();
        vec![
            ("id", self.id.show()),
            ("role", Value::Word(role)),
            ("status", mine.show()),
            ("father", father.show()),
            ("sons", self.sons.show()),
            ("asked", asked.show()),
            ("queue", waiting.show()),
            ("leader", leader.show()),
        ]
    }
}

impl KorachMoranZaks {
    /// A king asks through the next port; if there is none, nobody is left to ask.
    fn next_edge(&mut self, phase: u8, unused: u32, out: &mut impl Outbox<Self>) {
        if unused < self.degree {
            self.role = Role::King { phase, unused: unused + 1 };
            out.send(Edge(unused), Msg::Ask { phase, king: self.id });
        } else {
            out.rule(Rule::Lead);
            self.role = Role::Leader;
            for son in core::mem::take(&mut self.sons) {
                out.send(son, Msg::Leader { id: self.id });
            }
        }
    }

    /// It has not started, and will not: the first king that asks has it.
    fn asleep(&mut self, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Ask { .. } => {
                out.rule(Rule::Join);
                self.role = Role::WaitUpdate { father: from };
                out.send(from, Msg::Accept { phase: -1 });
            }
            Msg::Accept { .. } | Msg::YourCitizen {} => out.impossible("it has asked nobody"),
            Msg::Update { .. } | Msg::Leader { .. } => out.impossible("it has no king yet"),
        }
    }

    fn king(&mut self, phase: u8, unused: u32, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::YourCitizen {} => {
                out.rule(Rule::Known);
                self.next_edge(phase, unused, out);
            }
            Msg::Accept { phase: theirs } => match theirs.cmp(&(phase as i8)) {
                Less => {
                    out.rule(Rule::Annex);
                    self.add_son(from);
                    out.send(from, Msg::Update { phase, king: self.id });
                    self.next_edge(phase, unused, out);
                }
                Equal => {
                    out.rule(Rule::Unite);
                    out.phase_begins();
                    self.add_son(from);
                    self.update_sons(Status { phase: phase + 1, king: self.id }, out);
                    self.next_edge(phase + 1, unused, out);
                }
                Greater => out.impossible("a king surrenders only to a stronger one"),
            },
            // Its own question may come back through subjects that have not heard of its last phase: that is an equal.
            Msg::Ask { phase: theirs, king } if (theirs, king) <= (phase, self.id) => out.rule(Rule::Ignore),
            Msg::Ask { .. } => self.surrender(phase, from, out),
            Msg::Update { .. } | Msg::Leader { .. } => out.impossible("nobody is above a king"),
        }
    }

    /// A king becomes a subject.
    fn surrender(&mut self, phase: u8, from: Edge, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Surrender);
        self.remove_son(from);
        self.role = Role::WaitUpdate { father: from };
        out.send(from, Msg::Accept { phase: phase as i8 });
    }

    fn citizen(&mut self, mine: Status, father: Edge, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Ask { phase, king } => {
                let asked = Status { phase, king };
                match asked.cmp(&mine) {
                    Less => out.rule(Rule::Ignore),
                    Equal => {
                        out.rule(Rule::Mine);
                        self.answer(from, out);
                    }
                    Greater => {
                        out.rule(Rule::Forward);
                        self.role = Role::WaitAsk { father, asker: from, asked };
                        out.send(father, Msg::Ask { phase, king });
                    }
                }
            }
            Msg::Accept { .. } => {
                out.rule(Rule::Adopt);
                self.add_son(from);
                out.send(from, Msg::Update { phase: mine.phase, king: mine.king });
            }
            Msg::Update { phase, king } => {
                out.rule(Rule::Update);
                let mine = Status { phase, king };
                self.role = Role::Citizen { mine, father };
                self.update_sons(mine, out);
            }
            Msg::YourCitizen {} => out.rule(Rule::Late),
            Msg::Leader { id } => {
                out.rule(Rule::Leader);
                self.role = Role::Done { leader: id };
                for son in core::mem::take(&mut self.sons) {
                    out.send(son, Msg::Leader { id });
                }
            }
        }
    }

    fn wait_update(&mut self, father: Edge, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Update { phase, king } => {
                out.rule(Rule::Settle);
                let mine = Status { phase, king };
                self.role = Role::Citizen { mine, father };
                self.update_sons(mine, out);
                self.take_queued(out);
            }
            Msg::Ask { .. } | Msg::Accept { .. } => {
                out.rule(Rule::Queue);
                self.queue.push_back((from, msg));
            }
            // It would mean nothing later, either.
            Msg::YourCitizen {} => out.rule(Rule::Late),
            Msg::Leader { .. } => out.impossible("the king is known before it leads"),
        }
    }

    fn wait_ask(
        &mut self,
        father: Edge,
        asker: Edge,
        asked: Status,
        from: Edge,
        msg: Msg,
        out: &mut impl Outbox<Self>,
    ) {
        match msg {
            Msg::Update { phase, king } => {
                let new = Status { phase, king };
                self.update_sons(new, out);
                match new.cmp(&asked) {
                    Less => out.rule(Rule::KeepWaiting),
                    Equal => {
                        out.rule(Rule::Already);
                        self.role = Role::Citizen { mine: new, father };
                        self.answer(asker, out);
                        self.take_queued(out);
                    }
                    Greater => {
                        out.rule(Rule::Outgrown);
                        self.role = Role::Citizen { mine: new, father };
                        self.take_queued(out);
                    }
                }
            }
            Msg::Accept { phase } if from == father => {
                out.rule(Rule::Turn);
                self.add_son(father);
                self.remove_son(asker);
                self.role = Role::WaitUpdate { father: asker };
                out.send(asker, Msg::Accept { phase });
            }
            Msg::Ask { .. } | Msg::Accept { .. } => {
                out.rule(Rule::Queue);
                self.queue.push_back((from, msg));
            }
            Msg::YourCitizen {} => out.rule(Rule::Late),
            Msg::Leader { .. } => out.impossible("no question is open when the king leads"),
        }
    }

    /// There is a leader; questions of former kings may still be on their way, and answers to them.
    fn after(&self, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Ask { .. } => out.rule(Rule::Ignore),
            Msg::YourCitizen {} if self.role == Role::Leader => out.impossible("it has all its answers"),
            Msg::YourCitizen {} => out.rule(Rule::Late),
            Msg::Accept { .. } => {
                out.impossible("who has accepted waits for an update, and the leader for it")
            }
            Msg::Update { .. } | Msg::Leader { .. } => {
                out.impossible("the king has said all there is to say")
            }
        }
    }

    /// Who waits no longer takes what came in meanwhile, until it has to wait again.
    fn take_queued(&mut self, out: &mut impl Outbox<Self>) {
        while let Role::Citizen { mine, father } = self.role
            && let Some((from, msg)) = self.queue.pop_front()
        {
            self.citizen(mine, father, from, msg, out);
        }
    }

    /// The king who asks is this subject's own. A son passes on what it was asked; it has its answer by the update.
    fn answer(&mut self, asker: Edge, out: &mut impl Outbox<Self>) {
        if self.sons.binary_search(&asker).is_err() {
            out.send(asker, Msg::YourCitizen {});
        }
    }

    fn update_sons(&mut self, status: Status, out: &mut impl Outbox<Self>) {
        for &son in &self.sons {
            out.send(son, Msg::Update { phase: status.phase, king: status.king });
        }
    }

    fn add_son(&mut self, port: Edge) {
        if let Err(place) = self.sons.binary_search(&port) {
            self.sons.insert(place, port);
        }
    }

    fn remove_son(&mut self, port: Edge) {
        if let Ok(place) = self.sons.binary_search(&port) {
            self.sons.remove(place);
        }
    }
}

impl Election for KorachMoranZaks {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl KorachMoranZaks {
    fn verdict(&self) -> Verdict {
        match self.role {
            Role::Leader => Verdict::Leader,
            Role::Done { .. } => Verdict::Lost,
            Role::Asleep
            | Role::King { .. }
            | Role::Citizen { .. }
            | Role::WaitUpdate { .. }
            | Role::WaitAsk { .. } => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        match self.role {
            Role::Leader => Knows::Identity(self.id),
            Role::Done { leader } => Knows::Identity(leader),
            Role::Asleep
            | Role::King { .. }
            | Role::Citizen { .. }
            | Role::WaitUpdate { .. }
            | Role::WaitAsk { .. } => Knows::Nothing,
        }
    }
}

/// The notes taken literally: a king surrenders to a question of equal status, which is its own (erratum 001-7).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct KorachMoranZaksYieldsToEquals;

impl Variant for KorachMoranZaksYieldsToEquals {
    type Right = KorachMoranZaks;
    const TEXT: Text = Text {
        name: "korach-moran-zaks@001-7",
        title: "Korach–Moran–Zaks, equal status surrenders",
        erratum: "001-7",
        idea: "In the notes a king surrenders to a question of at least its own status. Its own question can come \
               back to it, passed up by subjects that have not heard of its last phase yet. It then surrenders to \
               itself: the last king is gone, and nobody leads. It takes five processes, four of them kings.",
        rules: &[
            RuleText {
                name: "surrender",
                text: "on ask(st), king, st >= mine: sons -= port; father := port; send accept(phase) back; wait \
                       for an update",
            },
            RuleText {
                name: "ignore",
                text: "on ask(st), st < mine, king or citizen; or leader, or done: nothing",
            },
        ],
        example: "-n 5 --initiators 0,1,2,3 --schedule random --seed 1972",
    };

    fn receive(
        &mut self,
        right: &mut KorachMoranZaks,
        from: Edge,
        msg: Msg,
        out: &mut impl Outbox<KorachMoranZaks>,
    ) {
        match msg {
            Msg::Ask { phase, king }
                if king == right.id
                    && matches!(right.role, Role::King { phase: mine, .. } if mine == phase) =>
            {
                right.surrender(phase, from, out);
            }
            Msg::Ask { .. }
            | Msg::Accept { .. }
            | Msg::Update { .. }
            | Msg::YourCitizen {}
            | Msg::Leader { .. } => right.receive(from, msg, out),
        }
    }
}
