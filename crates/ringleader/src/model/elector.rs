//! A ring election inside another algorithm: its type is hidden, its messages travel in their wire form.
//!
//! This is how algorithms compose. The outer one says who is on the ring and carries the messages; which election it
//! is, is for the user to say.

use super::{
    Birth, Delays, Drift, Election, Given, Id, LeftOver, Message, Outbox, Peer, Peers, Port, Process,
    Settings, Shape, Size, Verdict, WireError,
};
use core::any::Any;
use core::fmt;
use core::hash::{Hash, Hasher};
use std::collections::VecDeque;

/// An election that others can hold, by its name.
#[derive(Clone, Copy)]
pub struct Elector {
    /// The name of the algorithm.
    pub name: &'static str,
    /// Whether it is for two-way rings: what leaves by one side arrives at the other.
    pub two_way: bool,
    make: fn(&Birth) -> Box<dyn Candidate>,
}

impl Elector {
    /// The elector that holds this algorithm.
    #[must_use]
    pub const fn of<P: Election>() -> Elector {
        Elector {
            name: P::SPEC.name,
            two_way: matches!(P::Port::SHAPE, Shape::TwoWayRing),
            make: |birth| Box::new(Inner { process: P::new(P::Given::of(birth)) }),
        }
    }

    /// A process of this election that has started: one of `n` on a ring, with an identity of this rank.
    #[must_use]
    pub fn candidate(&self, place: u32, n: u32, rank: u32) -> Contest {
        Contest((self.make)(&Birth {
            index: place,
            id: Id::from_rank(rank),
            n,
            degree: 2,
            range: 2,
            max_delay: 1,
            delays: Delays { lo: 1, hi: 1 },
            drift: Drift(0),
            towards_root: None,
            settings: Settings::default(),
            elector: None,
            left_over: LeftOver::default(),
            which: 0,
        }))
    }

    /// Takes part in an election on the ring of those that are not down: starts, or takes a message that came in at a
    /// port. What goes to itself is no message.
    #[must_use]
    pub fn take_part(
        &self,
        contest: &mut Option<Contest>,
        (me, n, down): (Peer, Size, &Peers),
        first: Option<(u32, Vec<u8>)>,
    ) -> Part {
        let ring: Vec<Peer> = (0..n.0).map(Peer).filter(|peer| !down.has(*peer)).collect();
        let place = ring.iter().position(|&peer| peer == me).unwrap_or(0);
        let candidate = || self.candidate(place as u32, ring.len() as u32, place as u32);
        let contest = contest.get_or_insert_with(candidate);
        let (mut inputs, mut part) = (VecDeque::from([first]), Part::default());
        while let Some(input) = inputs.pop_front() {
            let refused = Asks { impossible: Some("all hold the same election"), ..Asks::default() };
            let asks = match input {
                None => contest.start(),
                Some((port, msg)) => contest.receive(port, &msg).unwrap_or(refused),
            };
            part.impossible = part.impossible.or(asks.impossible);
            for (port, msg) in asks.sends {
                let to = ring[(place + if port == 0 { 1 } else { ring.len() - 1 }) % ring.len()];
                // What leaves by one side arrives at the other, if the ring has two.
                let port = if self.two_way { 1 - port } else { port };
                if to == me {
                    inputs.push_back(Some((port, msg)));
                } else {
                    part.sends.push((to, port as u8, msg));
                }
            }
        }
        part.leads = contest.leads();
        part
    }
}

/// What taking part in an election comes to.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Part {
    /// What is to be sent: to whom, at which port it arrives, the message.
    pub sends: Vec<(Peer, u8, Vec<u8>)>,
    /// A case that its proof excludes.
    pub impossible: Option<&'static str>,
    /// Whether this process leads.
    pub leads: bool,
}

impl fmt::Debug for Elector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Elector {
    fn eq(&self, other: &Elector) -> bool {
        self.name == other.name
    }
}

impl Eq for Elector {}

impl Hash for Elector {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// What a step of the election does.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Asks {
    /// What it sends: the port, 0 to the next process on the ring and 1 to the one before, and the message.
    pub sends: Vec<(u32, Vec<u8>)>,
    /// A case that its proof excludes.
    pub impossible: Option<&'static str>,
}

/// A process of an election, held by another.
pub struct Contest(Box<dyn Candidate>);

impl Contest {
    /// It starts.
    pub fn start(&mut self) -> Asks {
        self.0.start()
    }

    /// A message comes in at this port.
    ///
    /// # Errors
    /// If the bytes are no message of this election.
    pub fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Asks, WireError> {
        self.0.receive(port, bytes)
    }

    /// Whether it leads.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.0.verdict() == Verdict::Leader
    }
}

impl Clone for Contest {
    fn clone(&self) -> Contest {
        Contest(self.0.copy())
    }
}

impl PartialEq for Contest {
    fn eq(&self, other: &Contest) -> bool {
        self.0.same(&*other.0)
    }
}

impl Eq for Contest {}

impl Hash for Contest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}

impl fmt::Debug for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

/// What can be asked of a process whose type is hidden.
trait Candidate: Send + Sync {
    fn start(&mut self) -> Asks;
    fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Asks, WireError>;
    fn verdict(&self) -> Verdict;
    fn copy(&self) -> Box<dyn Candidate>;
    fn same(&self, other: &dyn Candidate) -> bool;
    fn feed(&self, state: &mut dyn Hasher);
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn any(&self) -> &dyn Any;
}

struct Inner<P> {
    process: P,
}

impl<P: Election> Candidate for Inner<P> {
    fn start(&mut self) -> Asks {
        let mut asks = Asks::default();
        self.process.start(&mut asks);
        asks
    }

    fn receive(&mut self, port: u32, bytes: &[u8]) -> Result<Asks, WireError> {
        let mut asks = Asks::default();
        self.process.receive(P::Port::from_index(port), P::Msg::decode(bytes)?, &mut asks);
        Ok(asks)
    }

    fn verdict(&self) -> Verdict {
        self.process.outcome().verdict
    }

    fn copy(&self) -> Box<dyn Candidate> {
        Box::new(Inner { process: self.process.clone() })
    }

    fn same(&self, other: &dyn Candidate) -> bool {
        other.any().downcast_ref::<Inner<P>>().is_some_and(|other| other.process == self.process)
    }

    fn feed(&self, mut state: &mut dyn Hasher) {
        self.process.hash(&mut state);
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.process.fmt(f)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

/// Only elections without timers and draws are held: the rest is refused before it is made.
impl<P: Process> Outbox<P> for Asks {
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.sends.push((to.index(), msg.encode()));
    }
    fn set_timer(&mut self, _: P::Timer, _: u32) {
        self.impossible = Some("an election inside has no timers");
    }
    fn stop_timer(&mut self, _: P::Timer) {}
    fn choose(&mut self, _: u32) -> u32 {
        self.impossible = Some("an election inside draws nothing");
        0
    }
    fn rule(&mut self, _: P::Rule) {}
    fn phase_begins(&mut self) {}
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}
