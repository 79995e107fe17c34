//! The ring for stateright: its `Model` trait directly; here with a state of a few words that is copied, not cloned.
//!
//! No start adds a message afterwards and no delivery sends more than one, so at most n messages are on their way. They
//! lie in one word, link after link, with the length of each link beside it. (With stateright's actors, each state has
//! a vector of processes behind shared pointers and a map of links, all of them allocated and hashed.)

use crate::plain;
use crate::table::Run;
use ::stateright::{Checker, Model, Property};
use core::hash::{Hash, Hasher};
use std::time::Instant;

/// How the states are searched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Search {
    Breadth,
    Depth,
}

/// Searches all states of the ring of `n` processes, with one thread; its state in a few words, or plainly written.
pub(crate) fn check(n: u32, search: Search, packed: bool) -> Result<Run, String> {
    if packed { run(Ring { n }, n, search) } else { run(plain::Ring { n: n as usize }, n, search) }
}

fn run<M>(model: M, n: u32, search: Search) -> Result<Run, String>
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Clone + PartialEq + core::fmt::Debug + Send + Sync,
    M::Action: Clone + PartialEq + core::fmt::Debug + Send + Sync,
{
    let begin = Instant::now();
    let builder = model.checker().threads(1);
    let (states, generated, violated) = match search {
        Search::Breadth => counts(&builder.spawn_bfs().join()),
        Search::Depth => counts(&builder.spawn_dfs().join()),
    };
    let took = begin.elapsed();
    if violated {
        return Err(format!("stateright found a violation at n = {n}"));
    }
    // It counts the initial state among those generated, though no transition leads to it.
    Ok(Run { states, transitions: generated - 1, took })
}

fn counts<M>(checker: &impl Checker<M>) -> (u64, u64, bool)
where
    M: Model,
    M::State: Clone + Hash + PartialEq + core::fmt::Debug,
    M::Action: Clone + PartialEq + core::fmt::Debug,
{
    (checker.unique_state_count() as u64, checker.state_count() as u64, !checker.discoveries().is_empty())
}

/// The version that was built, from the lock file.
pub(crate) fn version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let after = lock.split("name = \"stateright\"\nversion = \"").nth(1);
    after.and_then(|text| text.split('"').next()).unwrap_or("of unknown version")
}

/// elected(j) is j + ELECTED, election(j) is j.
const ELECTED: u8 = 32;

/// Chang–Roberts with the identities n..1 clockwise; 3 <= n <= 15, since lengths and coordinators have four bits.
struct Ring {
    n: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// A byte each: first those on the link into process 0, oldest first.
    messages: u128,
    /// Four bits for each link.
    lengths: u64,
    /// Four bits for each process; 0 is none.
    coordinator: u64,
    /// A bit for each process.
    participant: u16,
    /// A bit for each process.
    leader: u16,
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // In few and wide words: the hasher goes through a round for each.
        hasher.write_u128(self.messages);
        hasher.write_u128(u128::from(self.lengths) << 64 | u128::from(self.coordinator));
        hasher.write_u32(u32::from(self.participant) << 16 | u32::from(self.leader));
    }
}

impl Model for Ring {
    type State = State;
    /// The process that the delivered message reaches.
    type Action = u8;

    fn init_states(&self) -> Vec<State> {
        let n = self.n;
        let mut state = State {
            messages: 0,
            lengths: 0,
            coordinator: 0,
            participant: ((1_u32 << n) - 1) as u16, // all have started
            leader: 0,
        };
        for i in 0..n {
            let sender = (i + n - 1) % n;
            state.messages |= u128::from(n - sender) << (8 * i);
            state.lengths |= 1 << (4 * i);
        }
        vec![state]
    }

    fn actions(&self, state: &State, actions: &mut Vec<u8>) {
        actions.extend((0..self.n as u8).filter(|i| state.lengths >> (4 * i) & 15 != 0));
    }

    fn next_state(&self, last: &State, i: u8) -> Option<State> {
        let i = u32::from(i);
        let id = (self.n - i) as u8;
        let mut state = *last;
        let at = sum(last.lengths & ((1 << (4 * i)) - 1));
        let message = (last.messages >> (8 * at)) as u8;
        let below = (1 << (8 * at)) - 1;
        state.messages = last.messages & below | last.messages >> 8 & !below;
        state.lengths -= 1 << (4 * i);

        let mut sent = None;
        if message > ELECTED {
            state.coordinator &= !(15 << (4 * i));
            state.coordinator |= u64::from(message - ELECTED) << (4 * i);
            state.participant &= !(1 << i);
            sent = (message - ELECTED != id).then_some(message);
        } else if message > id {
            state.participant |= 1 << i;
            sent = Some(message);
        } else if message == id {
            state.leader |= 1 << i;
            sent = Some(id + ELECTED);
        } else if state.participant >> i & 1 == 0 {
            state.participant |= 1 << i;
            sent = Some(id);
        }

        if let Some(message) = sent {
            let next = if i + 1 == self.n { 0 } else { i + 1 };
            let length = |link: u32| (state.lengths >> (4 * link) & 15) as u32;
            let end = if next == 0 { length(0) } else { at + length(i) + length(next) };
            let below = (1 << (8 * end)) - 1;
            state.messages =
                state.messages & below | (state.messages & !below) << 8 | u128::from(message) << (8 * end);
            state.lengths += 1 << (4 * next);
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Ring>> {
        // Without a property stateright has nothing to look for, and ends at once.
        vec![Property::always("at most one leader", |_, state: &State| state.leader.count_ones() <= 1)]
    }
}

/// The sum of the lengths.
fn sum(mut lengths: u64) -> u32 {
    let mut sum = 0;
    while lengths != 0 {
        sum += (lengths & 15) as u32;
        lengths >>= 4;
    }
    sum
}
