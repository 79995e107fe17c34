//! Itai–Rodeh with a synchroniser: the algorithm for lock-step on a network that only promises to deliver in order.
//!
//! **Idea.** In lock-step every message of a round arrives in the next. A process has the same on an asynchronous
//! network if it begins a round only when all messages of the round before that are meant for it have arrived. So on
//! every link the last message of a round is marked; where there is none to send, an empty one is sent. A process takes
//! the messages of a round when every link into it has closed that round, and what comes early waits.
//!
//! **Needs.** FIFO links, so that what closes a round comes behind all messages of it; an algorithm in which whoever
//! has decided, and sent nothing in a round, sends nothing later. What Itai and Rodeh need besides: the size of the
//! ring is known, random choices.
//!
//! **Cost.** the messages of lock-step, n² a round; one `empty` for each link and round in which nothing is sent there
//! (here there is none), and one `done` for each link, n in all; these are counted apart, as announcements are
//!
//! **Source.** B. Awerbuch, JACM 32(4):804-823, 1985
//!
//! In the paper's synchroniser α every message is acknowledged; a process whose messages are all acknowledged is *safe*
//! and tells its neighbours; it begins a round when it and its neighbours are safe. On a link that keeps the order
//! nothing has to be acknowledged: what closes a round says on arrival what an acknowledgement and *safe* say together.
//! It needs no way back either, which a one-way ring does not have. A message that closes a round there costs nothing;
//! α costs an acknowledgement for each message, and a *safe* for each neighbour and round.
//!
//! Rounds have no end by themselves. Whoever has decided and has nothing to send says `done` on every link, and nobody
//! waits for it any more.
//!
//! ```
//! use ringleader::{registry::{self, ALL}, sim::{Scenario, Schedule}};
//! let scenario = Scenario { schedule: Schedule::Random, ..Scenario::new(5) };
//! let run = registry::find(ALL, "itai-rodeh-synchronised").unwrap().run(&scenario, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

mod paced;

pub use paced::Paced;

use crate::election::ItaiRodehSync;
use crate::model::*;
use core::marker::PhantomData;
use std::collections::VecDeque;

/// Itai and Rodeh's algorithm for lock-step, with a synchroniser.
pub type ItaiRodehSynchronised = Synchronised<ItaiRodehSync>;

impl LockStep for ItaiRodehSync {
    const SYNCHRONISED: Spec = Spec::election("itai-rodeh-synchronised", 1990, include_str!("mod.rs"))
        .family(Family::Lottery)
        .links(Links::Fifo)
        .draws()
        .elects(Winner::Any, Informed::All)
        .settings(&[Setting::one_of("synchroniser", "closes rounds on every link", &["yes"])])
        .example("-n 3 --schedule random --seed 16");
}

/// An election that moves in lock-step, has no timers, and is offered with a synchroniser as well.
pub trait LockStep: Election<Timer = Never, Local = Never> {
    /// The contract with the synchroniser.
    const SYNCHRONISED: Spec;
}

/// A process of an algorithm for lock-step, with a synchroniser around it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Synchronised<P: Process> {
    inner: P,
    /// The links, the same ports in and out.
    links: Vec<Incoming<P::Msg>>,
    /// Whether it has said that it sends nothing any more.
    done: bool,
}

/// What has come in at a port, and has not been taken.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Incoming<M> {
    port: u32,
    waiting: VecDeque<Paced<M>>,
    /// Whether nothing more will come.
    ended: bool,
}

impl<P: LockStep> Synchronised<P> {
    /// Whether every link has closed the round, and something is to come at all.
    fn is_complete(&self) -> bool {
        let closed = |link: &Incoming<P::Msg>| link.ended || link.waiting.iter().any(Paced::closes);
        self.links.iter().all(closed) && !self.links.iter().all(|link| link.ended)
    }

    /// Takes the messages of a round, and sends those of the next.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        let mut step = Collect { sends: Vec::new(), out, of: PhantomData };
        for link in self.links.iter_mut().filter(|link| !link.ended) {
            while let Some(arrived) = link.waiting.pop_front() {
                let closes = arrived.closes();
                match arrived {
                    Paced::Carry { msg, .. } => {
                        self.inner.receive(P::Port::from_index(link.port), msg, &mut step);
                    }
                    Paced::Empty => {}
                    Paced::Done => link.ended = true,
                }
                if closes {
                    break;
                }
            }
        }
        let sends = step.sends;
        self.send(sends, out);
    }

    /// Sends what the algorithm sends in this round, and closes it on every link.
    fn send(&mut self, sends: Vec<(u32, P::Msg)>, out: &mut impl Outbox<Self>) {
        if self.done {
            if !sends.is_empty() {
                out.impossible("whoever has decided and sent nothing in a round sends nothing later");
            }
            return;
        }
        self.done = sends.is_empty() && self.inner.outcome() != Decision::NONE;
        for link in &self.links {
            let to = P::Port::from_index(link.port);
            let mut own = sends.iter().filter(|(port, _)| *port == link.port).peekable();
            if own.peek().is_none() {
                out.send(to, if self.done { Paced::Done } else { Paced::Empty });
            }
            while let Some((_, msg)) = own.next() {
                out.send(to, Paced::Carry { msg: msg.clone(), last: own.peek().is_none() });
            }
        }
    }
}

impl<P: LockStep> Process for Synchronised<P> {
    const SPEC: Spec = P::SYNCHRONISED;
    type Given = Placed<P>;
    type Port = P::Port;
    type Msg = Paced<P::Msg>;
    type Rule = P::Rule;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(given: Placed<P>) -> Self {
        let link = |port| Incoming { port, waiting: VecDeque::new(), ended: false };
        let links = given.ports.into_iter().map(link).collect();
        Synchronised { inner: P::new(given.given), links, done: false }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        let mut step = Collect { sends: Vec::new(), out, of: PhantomData };
        self.inner.start(&mut step);
        let sends = step.sends;
        self.send(sends, out);
    }

    fn receive(&mut self, from: P::Port, msg: Paced<P::Msg>, out: &mut impl Outbox<Self>) {
        match self.links.iter_mut().find(|link| link.port == from.index()) {
            Some(link) if !link.ended => link.waiting.push_back(msg),
            Some(_) => return out.impossible("nothing follows where nothing more was to come"),
            None => return out.impossible("a message comes in at a port"),
        }
        while self.is_complete() {
            self.round(out);
        }
    }
}

impl<P: LockStep> Election for Synchronised<P> {
    fn outcome(&self) -> Decision {
        self.inner.outcome()
    }
}

impl<P: Process> State for Synchronised<P> {
    const DRAWN: &'static [(&'static str, Drawn)] = P::DRAWN;

    fn fields(&self) -> Fields {
        let mut fields = self.inner.fields();
        let early: usize = self.links.iter().map(|link| link.waiting.len()).sum();
        fields.push(("early", Value::Number(early as i64)));
        fields.push(("done", self.done.show()));
        fields
    }
}

/// What a process is told at birth, and which ports it has.
pub struct Placed<P: Process> {
    given: P::Given,
    ports: Vec<u32>,
}

impl<P: Process> Given for Placed<P> {
    const TOLD: Knowledge = P::Given::TOLD;

    fn of(birth: &Birth) -> Self {
        let ports = match P::Port::SHAPE {
            Shape::OneWayRing => vec![0],
            Shape::TwoWayRing => vec![0, 1],
            Shape::Edges => (0..birth.degree).collect(),
            Shape::Named => (0..birth.n).filter(|&peer| peer != birth.index).collect(),
            Shape::Memory => Vec::new(),
        };
        Placed { given: P::Given::of(birth), ports }
    }
}

/// A step of the algorithm: what it sends is kept until the round is over.
struct Collect<'a, P: Process, O> {
    sends: Vec<(u32, P::Msg)>,
    out: &'a mut O,
    of: PhantomData<fn() -> P>,
}

impl<P: LockStep, O: Outbox<Synchronised<P>>> Outbox<P> for Collect<'_, P, O> {
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.sends.push((to.index(), msg));
    }
    fn set_timer(&mut self, timer: Never, _: u32) {
        match timer {}
    }
    fn stop_timer(&mut self, timer: Never) {
        match timer {}
    }
    fn choose(&mut self, k: u32) -> u32 {
        self.out.choose(k)
    }
    fn rule(&mut self, rule: P::Rule) {
        self.out.rule(rule);
    }
    fn phase_begins(&mut self) {
        self.out.phase_begins();
    }
    fn phase_reached(&mut self, phase: u32) {
        self.out.phase_reached(phase);
    }
    fn impossible(&mut self, why: &'static str) {
        self.out.impossible(why);
    }
}
