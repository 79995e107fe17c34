//! Korach–Moran–Zaks: kings ask their neighbours one by one, and conquer each other's kingdoms.
//!
//! **Idea.** Everybody who starts is a king, and asks through its ports one after the other. A subject passes the
//! question up the tree to its own king, who surrenders with all its subjects if the asking king is of a later phase,
//! or of the same one and larger. Two kings of one phase make a kingdom of the next. A king with nobody left to ask
//! leads.
//!
//! **Needs.** A complete graph whose ports are numbered anyhow, the number of ports, distinct identities. FIFO links:
//! an order must not be overtaken by the next one, nor by the announcement.
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

use crate::model::*;
use Role::*;
use std::collections::{BTreeSet, VecDeque};

state! {
    pub struct KorachMoranZaks {
        id: Id,
        hidden degree: Degree,
        role: Role = Asleep,
        /// A king has asked through all ports below this one; who surrenders forgets it.
        hidden unused: u32 = 0,
        /// The ports to its sons: a kingdom is a tree with the king at its root.
        sons: BTreeSet<Edge> = BTreeSet::new(),
        asked = |me| if let WaitAsk { asked, .. } = me.role { Some(asked.0) } else { None },
        /// What came in while it waits, oldest first.
        hidden queue: VecDeque<(Edge, Msg)> = VecDeque::new(),
        queue = |me| me.queue.iter().map(|(from, _)| *from).collect::<Vec<Edge>>(),
        leader = |me| me.role.leader(me.id),
        outcome = |me| me.role.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Role {
        Asleep,
        /// It waits for the answer to its last question.
        King { status: Status },
        Citizen { status: Status, father: Edge },
        /// Its king has surrendered; it will hear from the new one.
        WaitUpdate { father: Edge } = "wait update",
        /// It has passed a question up that came through a port, and waits for what its king says.
        WaitAsk { father: Edge, asked: (Status, Edge) } = "wait ask",
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

/// How strong a kingdom is: its phase first, then its king.
type Status = (u8, Id);

messages! {
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
        .family(Family::Capture)
        .errata(include_str!("errata.md"))
        .aliases(&["kings"])
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .elects(Winner::AnyInitiator, Informed::All)
        .measured("all runs of n <= 4, tests to 300")
        .at_most_of(Counts::All, "5n·log k+O(n)", |facts| {
            let (n, k) = (facts.n, facts.initiators);
            let linear = if k == n { 2 * n } else { 3 * n };
            let grown = 5.0 * n as f64 * (k as f64).log2() + linear as f64;
            Some(if k == 1 { 4 * (n - 1) } else { grown as u64 })
        })
        .example("-n 5 --seed 1");
    types! { Port = Edge }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            out.phase_begins();
            self.next_edge(0, out);
        }
    }

    fn receive(&mut self, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.role) {
            // It has not started, and will not: the first king that asks has it.
            (Msg::Ask { .. }, Asleep) => {
                out.rule(Rule::Join);
                self.role = WaitUpdate { father: from };
                out.send(from, Msg::Accept { phase: -1 });
            }
            // Its own question may come back through subjects that have not heard of its last phase: that is an equal.
            (&Msg::Ask { phase, king }, King { status }) if (phase, king) > status => {
                out.rule(Rule::Surrender);
                self.unused = 0;
                self.sons.remove(&from);
                self.role = WaitUpdate { father: from };
                out.send(from, Msg::Accept { phase: status.0 as i8 });
            }
            (&Msg::Ask { phase, king }, Citizen { status, .. }) if (phase, king) == status => {
                out.rule(Rule::Mine);
                self.answer(from, out);
            }
            (&Msg::Ask { phase, king }, Citizen { status, father }) if (phase, king) > status => {
                out.rule(Rule::Forward);
                self.role = WaitAsk { father, asked: ((phase, king), from) };
                out.send(father, msg);
            }
            (&Msg::Accept { phase }, WaitAsk { father, asked: (_, l) }) if from == father => {
                out.rule(Rule::Turn);
                self.sons.insert(father);
                self.sons.remove(&l);
                self.role = WaitUpdate { father: l };
                out.send(l, Msg::Accept { phase });
            }
            (Msg::Ask { .. } | Msg::Accept { .. }, WaitUpdate { .. } | WaitAsk { .. }) => {
                out.rule(Rule::Queue);
                self.queue.push_back((from, msg));
            }
            (Msg::Ask { .. }, _) => out.rule(Rule::Ignore),
            (&Msg::Accept { phase: q }, King { status: (phase, king) }) if q == phase as i8 => {
                out.rule(Rule::Unite);
                out.phase_begins();
                self.sons.insert(from);
                self.tell_sons(&Msg::Update { phase: phase + 1, king }, out);
                self.next_edge(phase + 1, out);
            }
            (&Msg::Accept { phase: q }, King { status: (phase, king) }) if q < phase as i8 => {
                out.rule(Rule::Annex);
                self.sons.insert(from);
                out.send(from, Msg::Update { phase, king });
                self.next_edge(phase, out);
            }
            (Msg::Accept { .. }, Citizen { status: (phase, king), .. }) => {
                out.rule(Rule::Adopt);
                self.sons.insert(from);
                out.send(from, Msg::Update { phase, king });
            }
            (Msg::YourCitizen {}, King { status: (phase, _) }) => {
                out.rule(Rule::Known);
                self.next_edge(phase, out);
            }
            (&Msg::Update { phase, king }, Citizen { father, .. }) => {
                out.rule(Rule::Update);
                self.role = Citizen { status: (phase, king), father };
                self.tell_sons(&msg, out);
            }
            (&Msg::Update { phase, king }, WaitUpdate { father }) => {
                out.rule(Rule::Settle);
                self.role = Citizen { status: (phase, king), father };
                self.tell_sons(&msg, out);
                self.take_queued(out);
            }
            (&Msg::Update { phase, king }, WaitAsk { asked, .. }) if (phase, king) < asked.0 => {
                out.rule(Rule::KeepWaiting);
                self.tell_sons(&msg, out);
            }
            (&Msg::Update { phase, king }, WaitAsk { father, asked }) if (phase, king) > asked.0 => {
                out.rule(Rule::Outgrown);
                self.role = Citizen { status: (phase, king), father };
                self.tell_sons(&msg, out);
                self.take_queued(out);
            }
            (&Msg::Update { phase, king }, WaitAsk { father, asked: (_, l) }) => {
                out.rule(Rule::Already);
                self.role = Citizen { status: (phase, king), father };
                self.tell_sons(&msg, out);
                self.answer(l, out);
                self.take_queued(out);
            }
            (&Msg::Leader { id }, Citizen { .. }) => {
                out.rule(Rule::Leader);
                self.role = Done { leader: id };
                self.tell_sons(&msg, out);
                self.sons.clear();
            }
            (Msg::Accept { .. } | Msg::YourCitizen {}, Asleep) => out.impossible("it has asked nobody"),
            (Msg::Accept { .. }, King { .. }) => out.impossible("a king surrenders only to a stronger one"),
            (Msg::Accept { .. }, Leader | Done { .. }) => {
                out.impossible("who has accepted waits for an update, and the leader for it");
            }
            (Msg::YourCitizen {}, Leader) => out.impossible("it has all its answers"),
            (Msg::YourCitizen {}, _) => out.rule(Rule::Late),
            // What is left comes from above: an update, or the announcement.
            (_, Asleep) => out.impossible("it has no king yet"),
            (_, King { .. }) => out.impossible("nobody is above a king"),
            (_, WaitUpdate { .. }) => out.impossible("the king is known before it leads"),
            (_, WaitAsk { .. }) => out.impossible("no question is open when the king leads"),
            (_, Leader | Done { .. }) => out.impossible("the king has said all there is to say"),
        }
    }
}

impl KorachMoranZaks {
    /// A king asks through the next port; if there is none, nobody is left to ask.
    fn next_edge(&mut self, phase: u8, out: &mut impl Outbox<Self>) {
        if self.unused < self.degree.0 {
            self.role = King { status: (phase, self.id) };
            out.send(Edge(self.unused), Msg::Ask { phase, king: self.id });
            self.unused += 1;
        } else {
            out.rule(Rule::Lead);
            self.role = Leader;
            self.tell_sons(&Msg::Leader { id: self.id }, out);
            self.sons.clear();
        }
    }

    fn tell_sons(&self, msg: &Msg, out: &mut impl Outbox<Self>) {
        for &son in &self.sons {
            out.send(son, msg.clone());
        }
    }

    /// The king who asks is this subject's own. A son passes on what it was asked; it has its answer by the update.
    fn answer(&self, asker: Edge, out: &mut impl Outbox<Self>) {
        if !self.sons.contains(&asker) {
            out.send(asker, Msg::YourCitizen {});
        }
    }

    /// Who waits no longer takes what came in meanwhile, until it has to wait again.
    fn take_queued(&mut self, out: &mut impl Outbox<Self>) {
        while let Citizen { .. } = self.role
            && let Some((from, msg)) = self.queue.pop_front()
        {
            self.receive(from, msg, out);
        }
    }
}
