//! The layout of a state: one number for each process, one for each link, one for what belongs to nobody.

use super::contained::Contained;
use super::contents::{Contents, Flight, arrival_hash};
use super::locals::Locals;
use super::stimulus::{Facts, Outcome, Stimulus};
use crate::hash::{Interned, scatter};
use crate::model::Links;
use crate::network::{Link, Wiring};
use crate::population::Handle;
use crate::scenario::Setup;

/// Where everything is in a state.
pub(crate) struct Space {
    pub(crate) n: u32,
    /// For each link: where it ends, and at which port.
    pub(crate) links: Vec<Link>,
    /// For each process: the positions of the links that end there, in the order of ports.
    pub(crate) incoming: Vec<Vec<u32>>,
    /// For each process and port: the link that leaves there.
    pub(crate) outgoing: Vec<Vec<u32>>,
    pub(crate) kind: Links,
    /// The longest delay in ticks, where time counts.
    pub(crate) max_delay: Option<u32>,
    /// The least delay, where clocks can tell.
    pub(crate) min_delay: u32,
    pub(crate) has_clocks: bool,
    pub(crate) lock_step: bool,
    /// Salts of the positions, so that equal parts at different positions count differently.
    salts: Vec<u64>,
}

impl Space {
    pub(crate) fn new(setup: &Setup, net: &Wiring, max_delay: Option<u32>, lock_step: bool) -> Space {
        let (n, kind) = (setup.n, setup.links);
        let ways = |from: u32| net.ports(from).into_iter().map(move |port| (port, net.route(from, port)));
        let mut links: Vec<Link> = (0..n).flat_map(ways).map(|(_, link)| link).collect();
        links.sort_unstable();
        let mut incoming: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
        for (position, link) in (n..).zip(&links) {
            incoming[link.to() as usize].push(position);
        }
        let outgoing = (0..n).map(|from| {
            let mut outgoing = Vec::new();
            for (port, link) in ways(from) {
                // Where processes are known by name there is no port to oneself.
                outgoing.resize(port as usize, u32::MAX);
                outgoing.push(links.binary_search(&link).map_or(u32::MAX, |k| n + k as u32));
            }
            outgoing
        });
        let outgoing = outgoing.collect();
        let words = n as usize + links.len() + 1;
        let salts = (0..words as u64).map(|k| scatter(scatter(k + 1))).collect();
        Space {
            n,
            links,
            incoming,
            outgoing,
            kind,
            max_delay,
            min_delay: 0,
            has_clocks: false,
            lock_step,
            salts,
        }
    }

    /// The length of a state.
    pub(crate) fn words(&self) -> usize {
        self.salts.len()
    }

    /// The position of what belongs to nobody.
    pub(crate) fn common(&self) -> usize {
        self.salts.len() - 1
    }

    /// The link at this position.
    pub(crate) fn link(&self, position: u32) -> Link {
        self.links[(position - self.n) as usize]
    }

    /// Where a message goes on a ring that is closed over those who are down: the link past them.
    pub(crate) fn past(&self, mut link: u32, is_down: impl Fn(u32) -> bool) -> u32 {
        for _ in 0..self.n {
            let end = self.link(link);
            if !is_down(end.to()) {
                break;
            }
            link = self.outgoing[end.to() as usize][end.port() as usize];
        }
        link
    }

    /// What a part contributes to the fingerprint of a state.
    #[inline]
    pub(crate) fn share(&self, position: usize, hash: u64) -> u64 {
        scatter(hash ^ self.salts[position])
    }
}

/// What belongs to nobody: the faults that may yet happen, and what the properties remember.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Common {
    pub(crate) crashes: u32,
    pub(crate) recoveries: u32,
    pub(crate) losses: u32,
    pub(crate) duplications: u32,
    /// Whether a fault has happened.
    pub(crate) faulty: bool,
    /// The priority of the last request that was served, where the order is promised.
    pub(crate) served: Option<(u64, u32)>,
    /// How many messages were sent, where they are counted.
    pub(crate) sent: Option<u32>,
    /// Whether everybody who starts before the first delivery has started.
    pub(crate) begun: bool,
    /// What registers hold.
    pub(crate) memory: Contained,
}

impl Common {
    /// How many faults may yet happen.
    pub(crate) fn faults(&self) -> u32 {
        self.crashes + self.recoveries + self.losses + self.duplications
    }
}

/// Everything that was met, shared by all threads of a search.
pub(crate) struct Parts {
    pub(crate) locals: Locals,
    pub(crate) contents: Contents,
    pub(crate) commons: Interned<Common>,
    pub(crate) stimuli: Interned<Stimulus>,
    pub(crate) stimulus_hashes: Vec<u64>,
}

impl Parts {
    pub(crate) fn new(locals: Locals, kind: Links) -> Parts {
        let mut commons = Interned::new();
        commons.number(Common { begun: true, ..Common::default() });
        Parts {
            locals,
            contents: Contents::new(kind != Links::Bag),
            commons,
            stimuli: Interned::new(),
            stimulus_hashes: Vec::new(),
        }
    }

    /// The number of a stimulus.
    pub(crate) fn stimulus(&mut self, stimulus: Stimulus) -> u32 {
        let number = self.stimuli.number(stimulus);
        if number as usize == self.stimulus_hashes.len() {
            let delivery = stimulus.delivery();
            let hash = delivery.map_or(0, |(port, msg)| arrival_hash(port, self.locals.message_hash(msg)));
            self.stimulus_hashes.push(hash);
        }
        number
    }

    /// What a process does with any part of what waits on both sides, which carry this, of a half-duplex link.
    pub(crate) fn batches(&mut self, local: u32, sides: [u32; 2]) -> Vec<Outcome> {
        let stimulus = |flight: &Flight| *self.stimuli.value(flight.stimulus);
        let waiting = sides.map(|content| self.contents.get(content).iter().map(stimulus).collect());
        self.locals.batches(local, waiting)
    }

    /// The link after a message was sent into it.
    pub(crate) fn push(&mut self, content: u32, stimulus: u32) -> u32 {
        self.contents.push(content, stimulus, self.stimulus_hashes[stimulus as usize], 0)
    }

    /// The link with this message behind all others, which has been on its way for so many ticks.
    pub(crate) fn push_aged(&mut self, content: u32, port: u32, msg: Handle, age: u32) -> u32 {
        let stimulus = self.stimulus(Stimulus::Deliver { port, msg });
        self.contents.push(content, stimulus, self.stimulus_hashes[stimulus as usize], age)
    }

    /// By how many rounds everything can be put back: no process is in an earlier one.
    pub(crate) fn rounds_past(&self, locals: &[u32]) -> u32 {
        let oldest = locals.iter().filter_map(|&local| self.facts(local).round).min();
        oldest.map_or(0, |oldest| oldest.saturating_sub(1))
    }

    /// Counts rounds from the oldest that matters.
    pub(crate) fn rebase(&mut self, space: &Space, state: &mut [u32]) {
        let by = self.rounds_past(&state[..space.n as usize]);
        if by == 0 {
            return;
        }
        for local in &mut state[..space.n as usize] {
            *local = self.locals.rebased_local(*local, by);
        }
        let common = state[space.common()];
        let memory = self.commons.value(common).memory;
        if self.locals.shares() {
            let memory = self.locals.rebased_memory(memory, by);
            let common = Common { memory, ..*self.commons.value(common) };
            state[space.common()] = self.commons.number(common);
        }
        for content in &mut state[space.n as usize..space.common()] {
            let flights = self.contents.get(*content).to_vec();
            *content = 0;
            for flight in flights {
                if let Some((port, msg)) = self.stimuli.value(flight.stimulus).delivery() {
                    let msg = self.locals.rebased_message(msg, by);
                    *content = self.push_aged(*content, port, msg, flight.age);
                }
            }
        }
    }

    pub(crate) fn facts(&self, local: u32) -> &Facts {
        self.locals.facts(local)
    }

    /// The fingerprint of a part.
    pub(crate) fn hash(&self, space: &Space, position: usize, number: u32) -> u64 {
        let hashes = if position < space.n as usize {
            self.locals.hashes()
        } else if position < space.common() {
            self.contents.hashes()
        } else {
            self.commons.hashes()
        };
        hashes[number as usize]
    }

    /// The fingerprint of a state.
    pub(crate) fn fingerprint(&self, space: &Space, state: &[u32]) -> u64 {
        state.iter().enumerate().fold(0, |sum, (position, &number)| {
            sum.wrapping_add(space.share(position, self.hash(space, position, number)))
        })
    }

    /// How many tokens of these kinds, which have these places among all kinds, are held or on their way, if this
    /// process crashes.
    pub(crate) fn tokens(
        &self,
        space: &Space,
        state: &[u32],
        kinds: &[&str],
        places: u32,
        crashes: Option<u32>,
    ) -> usize {
        let is_up = |process: u32| Some(process) != crashes && !self.facts(state[process as usize]).down;
        let held = (0..space.n).filter(|&process| is_up(process));
        let held = held.map(|process| self.facts(state[process as usize]).tokens & places);
        // What is on its way to one that is down will not be there.
        let travelling =
            self.travelling(space, state).filter(|&(to, kind)| is_up(to) && kinds.contains(&kind));
        held.map(u32::count_ones).sum::<u32>() as usize + travelling.count()
    }

    /// The messages that are on their way: where each goes, and its kind.
    pub(crate) fn travelling(
        &self,
        space: &Space,
        state: &[u32],
    ) -> impl Iterator<Item = (u32, &'static str)> {
        let links = state[space.n as usize..space.common()].iter().zip(&space.links);
        let flights = links.flat_map(|(&content, link)| {
            self.contents.get(content).iter().map(|flight| (link.to(), flight.stimulus))
        });
        flights.filter_map(|(to, stimulus)| Some((to, self.kind(stimulus)?)))
    }

    /// The kind of message that a stimulus delivers.
    pub(crate) fn kind(&self, stimulus: u32) -> Option<&'static str> {
        self.stimuli.value(stimulus).delivery().map(|(_, msg)| self.locals.kind(msg))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.locals.bytes() + self.contents.bytes() + self.commons.bytes() + self.stimuli.bytes()
    }
}
