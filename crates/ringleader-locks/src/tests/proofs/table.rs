//! Servers, views and messages that were met, each once, by number; and what came of each step. A state of
//! the world is then a few numbers, and a step that was taken before is looked up.

use crate::server::Rules;
use crate::{Input, Message, Output, Server, View};
use core::hash::{Hash, Hasher};
use ringleader_live::Micros;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::sync::{Arc, Mutex};

/// 128 bits of what something is. Two things of a million that share it: one in 10^26.
fn digest(what: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        what.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// Things that were met.
pub(super) struct Table<T> {
    met: Vec<T>,
    places: BTreeMap<u128, u32>,
}

impl<T: Hash> Table<T> {
    fn new() -> Table<T> {
        Table { met: Vec::new(), places: BTreeMap::new() }
    }

    pub(super) fn place(&mut self, what: T) -> u32 {
        let next = self.met.len() as u32;
        let place = *self.places.entry(digest(&what)).or_insert(next);
        if place == next {
            self.met.push(what);
        }
        place
    }

    pub(super) fn at(&self, place: u32) -> &T {
        &self.met[place as usize]
    }
}

/// All that was met with servers of these rules.
pub(super) struct Tables {
    pub(super) servers: Table<Server>,
    pub(super) views: Table<Arc<View>>,
    pub(super) messages: Table<Message>,
    steps: BTreeMap<(u32, u128), Known>,
}

/// What became of a server, and what it wanted done.
type Known = (u32, Arc<[Output]>);

impl Tables {
    /// What becomes of this server, and what it wants done.
    pub(super) fn step(&mut self, server: u32, now: Micros, input: Input) -> Known {
        let key = (server, digest(&(now, &input)));
        if let Some(known) = self.steps.get(&key) {
            return known.clone();
        }
        let (mut next, mut out) = (self.servers.at(server).clone(), Vec::new());
        next.handle(now, input, &mut out);
        assert_eq!(next.audit(), Ok(()));
        let known = (self.servers.place(next), Arc::from(out));
        self.steps.insert(key, known.clone());
        known
    }
}

/// The tables of these rules: the same for everybody.
pub(super) fn tables(rules: Rules) -> &'static Mutex<Tables> {
    static ALL: Mutex<BTreeMap<Rules, &'static Mutex<Tables>>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().expect("nobody panics here");
    all.entry(rules).or_insert_with(|| {
        Box::leak(Box::new(Mutex::new(Tables {
            servers: Table::new(),
            views: Table::new(),
            messages: Table::new(),
            steps: BTreeMap::new(),
        })))
    })
}
