//! What one thread remembers of the shared parts, so that it asks for each of them once.

use super::contained::Contained;
use super::space::{Parts, Space};
use super::stimulus::{Outcome, Stimulus};
use crate::hash::{Interned, Map};
use crate::model::{Stage, Verdict};
use crate::population::Handle;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a step means for the properties.
pub(crate) mod flag {
    /// The verdict of the process changes.
    pub(crate) const VERDICT: u8 = 1;
    /// It was decided before.
    pub(crate) const WAVERS: u8 = 2;
    /// The stage of its user changes.
    pub(crate) const STAGE: u8 = 4;
    /// Its user comes in.
    pub(crate) const ENTERS: u8 = 8;
    /// A case that the proof excludes.
    pub(crate) const IMPOSSIBLE: u8 = 16;
    /// A phase begins.
    pub(crate) const PHASE: u8 = 32;
    /// A register is written.
    pub(crate) const WRITES: u8 = 64;
    /// What the process believes of its clock changes, or the clock is corrected.
    pub(crate) const CLOCK: u8 = 128;
    /// What properties are asked about.
    pub(crate) const WATCHED: u8 = VERDICT | STAGE | IMPOSSIBLE | CLOCK;
}

/// One outcome of a step, in the tables of a thread.
#[derive(Clone, Copy)]
pub(crate) struct Out {
    pub(crate) local: u32,
    sends: (u32, u32),
    pub(crate) announcements: u16,
    pub(crate) begins: u16,
    pub(crate) flags: u8,
    pub(crate) took: [u32; 2],
    pub(crate) chance: f64,
    /// What registers hold afterwards.
    pub(crate) memory: Contained,
}

impl Out {
    pub(crate) fn messages(&self) -> u32 {
        self.sends.1 - self.sends.0
    }
}

/// A stretch of one of the tables.
type Stretch = (u32, u32);

/// What one thread remembers.
pub(crate) struct Memo<'a> {
    shared: &'a Mutex<Parts>,
    local_hashes: Vec<u64>,
    content_hashes: Vec<u64>,
    menus: Vec<Option<Stretch>>,
    menu_items: Vec<(Stimulus, u32)>,
    steps: Map<Stretch>,
    /// The states of half-duplex processes, each with what waits on both sides, and what they do with it.
    waiting: Interned<[u32; 3]>,
    batches: Vec<Stretch>,
    outs: Vec<Out>,
    sends: Vec<(u32, Handle)>,
    /// For each link: by the state of its process and what it carries, the deliveries that are possible.
    deliveries: Vec<Map<Stretch>>,
    moves: Vec<Move>,
    /// The links that they send into, and the stimuli that they send.
    sent: Vec<(u32, u32)>,
    /// For each link: by what it carries and what is sent, what it carries then.
    pushes: Vec<Map<Pushed>>,
}

/// A delivery, with its outcome.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    /// What it takes out of and puts into the fingerprint of a state, its sends aside.
    pub(crate) delta: u64,
    /// What the link carries then.
    pub(crate) rest: u32,
    /// The state of the process then.
    pub(crate) local: u32,
    /// What it sends.
    pub(crate) sent: Stretch,
    /// The outcome in full.
    pub(crate) out: u32,
    /// The place of the message in the link.
    pub(crate) place: u32,
    pub(crate) announcements: u16,
    pub(crate) flags: u8,
    /// Whether it is the first outcome of the delivery.
    pub(crate) first: bool,
}

/// What a link carries after something was sent into it, and what that takes out of and puts into the fingerprint.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pushed {
    pub(crate) delta: u64,
    pub(crate) content: u32,
}

impl<'a> Memo<'a> {
    pub(crate) fn new(shared: &'a Mutex<Parts>, links: usize) -> Memo<'a> {
        Memo {
            shared,
            local_hashes: Vec::new(),
            content_hashes: Vec::new(),
            menus: Vec::new(),
            menu_items: Vec::new(),
            steps: Map::new(),
            waiting: Interned::new(),
            batches: Vec::new(),
            outs: Vec::new(),
            sends: Vec::new(),
            deliveries: (0..links).map(|_| Map::new()).collect(),
            moves: Vec::new(),
            sent: Vec::new(),
            pushes: (0..links).map(|_| Map::new()).collect(),
        }
    }

    pub(crate) fn shared(&self) -> MutexGuard<'a, Parts> {
        lock(self.shared)
    }

    #[inline]
    fn local_hash(&mut self, local: u32) -> u64 {
        if local as usize >= self.local_hashes.len() {
            catch_up(&mut self.local_hashes, lock(self.shared).locals.hashes());
        }
        self.local_hashes[local as usize]
    }

    #[inline]
    fn content_hash(&mut self, content: u32) -> u64 {
        if content as usize >= self.content_hashes.len() {
            catch_up(&mut self.content_hashes, lock(self.shared).contents.hashes());
        }
        self.content_hashes[content as usize]
    }

    /// What can happen at a process of its own accord.
    #[inline]
    pub(crate) fn menu(&mut self, local: u32) -> Stretch {
        match self.menus.get(local as usize) {
            Some(&Some(menu)) => menu,
            Some(None) | None => self.find_menu(local),
        }
    }

    #[cold]
    fn find_menu(&mut self, local: u32) -> Stretch {
        let mut shared = lock(self.shared);
        let start = self.menu_items.len() as u32;
        for stimulus in shared.facts(local).menu.clone() {
            let number = shared.stimulus(stimulus);
            self.menu_items.push((stimulus, number));
        }
        let menu = (start, self.menu_items.len() as u32);
        if self.menus.len() <= local as usize {
            self.menus.resize(local as usize + 1, None);
        }
        self.menus[local as usize] = Some(menu);
        menu
    }

    #[inline]
    pub(crate) fn menu_item(&self, k: u32) -> (Stimulus, u32) {
        self.menu_items[k as usize]
    }

    /// What can be delivered next from a link to its process.
    #[inline]
    pub(crate) fn deliveries(&mut self, space: &Space, link: u32, local: u32, content: u32) -> Stretch {
        let key = u64::from(local) << 32 | u64::from(content);
        match self.deliveries[(link - space.n) as usize].get(key) {
            Some(stretch) => stretch,
            None => self.find_deliveries(space, link, local, content),
        }
    }

    #[cold]
    fn find_deliveries(&mut self, space: &Space, link: u32, local: u32, content: u32) -> Stretch {
        let process = space.link(link).to();
        let mut places = lock(self.shared).contents.choices(content);
        if space.min_delay > 0 {
            let shared = lock(self.shared);
            places.retain(|&place| shared.contents.get(content)[place].age >= space.min_delay);
        }
        let start = self.moves.len() as u32;
        for place in places {
            let mut shared = lock(self.shared);
            let stimulus = shared.contents.get(content)[place].stimulus;
            let rest = shared.contents.without(content, place);
            drop(shared);
            let (first, last) = self.step(local, stimulus);
            for k in first..last {
                let out = self.out(k);
                let delta = (self.delta(space, process, local, out.local))
                    .wrapping_add(self.delta(space, link, content, rest));
                let begin = self.sent.len() as u32;
                for (port, msg) in (0..out.messages()).map(|k| self.send(&out, k)).collect::<Vec<_>>() {
                    let to = space.outgoing[process as usize][port as usize];
                    let arrival = Stimulus::Deliver { port: space.link(to).port(), msg };
                    let stimulus = lock(self.shared).stimulus(arrival);
                    self.sent.push((to, stimulus));
                }
                let sent = (begin, self.sent.len() as u32);
                self.moves.push(Move {
                    delta,
                    rest,
                    local: out.local,
                    sent,
                    out: k,
                    place: place as u32,
                    announcements: out.announcements,
                    flags: out.flags,
                    first: k == first,
                });
            }
        }
        let stretch = (start, self.moves.len() as u32);
        let key = u64::from(local) << 32 | u64::from(content);
        self.deliveries[(link - space.n) as usize].set(key, stretch);
        stretch
    }

    #[inline]
    pub(crate) fn delivery(&self, k: u32) -> Move {
        self.moves[k as usize]
    }

    #[inline]
    pub(crate) fn sent(&self, k: u32) -> (u32, u32) {
        self.sent[k as usize]
    }

    /// What changing a part takes out of and puts into the fingerprint of a state.
    pub(crate) fn delta(&mut self, space: &Space, position: u32, before: u32, after: u32) -> u64 {
        let at = position as usize;
        let (old, new) = if position < space.n {
            (self.local_hash(before), self.local_hash(after))
        } else if at < space.common() {
            (self.content_hash(before), self.content_hash(after))
        } else {
            let shared = lock(self.shared);
            (shared.hash(space, at, before), shared.hash(space, at, after))
        };
        space.share(at, new).wrapping_sub(space.share(at, old))
    }

    /// What a process does on a stimulus.
    #[inline]
    pub(crate) fn step(&mut self, local: u32, stimulus: u32) -> Stretch {
        match self.steps.get(u64::from(local) << 32 | u64::from(stimulus)) {
            Some(stretch) => stretch,
            None => self.find_step(local, stimulus),
        }
    }

    #[cold]
    fn find_step(&mut self, local: u32, stimulus: u32) -> Stretch {
        let mut shared = lock(self.shared);
        let what = *shared.stimuli.value(stimulus);
        let outcomes = shared.locals.outcomes(local, what);
        let stretch = self.keep(&shared, local, &outcomes);
        drop(shared);
        self.steps.set(u64::from(local) << 32 | u64::from(stimulus), stretch);
        stretch
    }

    /// What a process does on a stimulus that is not in the tables yet.
    pub(crate) fn step_on(&mut self, local: u32, stimulus: Stimulus) -> Stretch {
        let number = lock(self.shared).stimulus(stimulus);
        self.step(local, number)
    }

    /// The state of a process after something of which the algorithm does not hear.
    pub(crate) fn noted(&mut self, local: u32, stimulus: Stimulus) -> u32 {
        let (first, _) = self.step_on(local, stimulus);
        self.out(first).local
    }

    fn keep(&mut self, shared: &Parts, before: u32, outcomes: &[Outcome]) -> Stretch {
        let start = self.outs.len() as u32;
        for outcome in outcomes {
            let first = self.sends.len() as u32;
            self.sends.extend(&outcome.sends);
            let (was, is) = (shared.facts(before), shared.facts(outcome.local));
            let mut flags = 0;
            if was.verdict != is.verdict {
                flags |= flag::VERDICT;
                if was.verdict != Verdict::Undecided {
                    flags |= flag::WAVERS;
                }
            }
            if was.stage != is.stage {
                flags |= flag::STAGE;
                if is.stage == Stage::Inside {
                    flags |= flag::ENTERS;
                }
            }
            if was.belief != is.belief || was.correction != is.correction {
                flags |= flag::CLOCK;
            }
            if outcome.impossible.is_some() {
                flags |= flag::IMPOSSIBLE;
            }
            if outcome.begins > 0 {
                flags |= flag::PHASE;
            }
            if outcome.memory.is_some() {
                flags |= flag::WRITES;
            }
            self.outs.push(Out {
                local: outcome.local,
                sends: (first, self.sends.len() as u32),
                announcements: outcome.announcements as u16,
                begins: outcome.begins as u16,
                flags,
                took: outcome.took,
                chance: outcome.chance,
                memory: outcome.memory.unwrap_or_default(),
            });
        }
        (start, self.outs.len() as u32)
    }

    #[inline]
    pub(crate) fn out(&self, k: u32) -> Out {
        self.outs[k as usize]
    }

    #[inline]
    pub(crate) fn send(&self, out: &Out, k: u32) -> (u32, Handle) {
        self.sends[(out.sends.0 + k) as usize]
    }

    /// What a process does with any part of what waits on both sides.
    pub(crate) fn batch(&mut self, local: u32, right: u32, left: u32) -> Stretch {
        let number = self.waiting.number([local, right, left]);
        if let Some(&stretch) = self.batches.get(number as usize) {
            return stretch;
        }
        let mut shared = lock(self.shared);
        let outcomes = shared.batches(local, [right, left]);
        let stretch = self.keep(&shared, local, &outcomes);
        drop(shared);
        self.batches.push(stretch);
        stretch
    }

    /// What a link carries after something was sent into it.
    #[inline]
    pub(crate) fn push(&mut self, space: &Space, link: u32, content: u32, stimulus: u32) -> Pushed {
        let key = u64::from(content) << 32 | u64::from(stimulus);
        match self.pushes[(link - space.n) as usize].get(key) {
            Some(pushed) => pushed,
            None => self.find_push(space, link, content, stimulus),
        }
    }

    #[cold]
    fn find_push(&mut self, space: &Space, link: u32, content: u32, stimulus: u32) -> Pushed {
        let after = lock(self.shared).push(content, stimulus);
        let pushed = Pushed { delta: self.delta(space, link, content, after), content: after };
        self.pushes[(link - space.n) as usize].set(u64::from(content) << 32 | u64::from(stimulus), pushed);
        pushed
    }

    /// The number of the stimulus that a message is where a link ends.
    pub(crate) fn arrival(&self, space: &Space, link: u32, msg: Handle) -> u32 {
        lock(self.shared).stimulus(Stimulus::Deliver { port: space.link(link).port(), msg })
    }
}

/// Adds what was met since.
fn catch_up(known: &mut Vec<u64>, all: &[u64]) {
    known.extend_from_slice(&all[known.len()..]);
}

/// The shared parts. A thread that panicked holds no half-made part: each is added in one piece.
pub(crate) fn lock(shared: &Mutex<Parts>) -> MutexGuard<'_, Parts> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
