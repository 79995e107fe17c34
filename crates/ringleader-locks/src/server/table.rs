//! What is known of many locks, by name. Looking one up is what a server does most, and with a hundred thousand of
//! them a tree of names misses the cache thirty times; here it is two or three times. Everything else goes by the
//! order of the names, so that equal tables behave equally whatever happened to them before. (The hash table of the
//! standard library is drawn anew in every run.)

use crate::Name;
use core::hash::{Hash, Hasher};
use core::ops::Bound;
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// A place in the index that is free.
const FREE: Slot = Slot { place: u32::MAX, tag: 0 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    /// The place of the entry.
    place: u32,
    /// Some bits of its hash: most wrong guesses end here.
    tag: u32,
}

/// Values by name.
#[derive(Clone, Debug)]
pub(super) struct Table<V> {
    entries: Vec<Option<(Name, V)>>,
    vacant: Vec<u32>,
    /// Open addressing, at most half full; the length is a power of two, or nothing.
    index: Vec<Slot>,
    order: BTreeMap<Name, u32>,
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { entries: Vec::new(), vacant: Vec::new(), index: Vec::new(), order: BTreeMap::new() }
    }
}

impl<V> Table<V> {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn contains_key(&self, name: &Name) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn get(&self, name: &Name) -> Option<&V> {
        let place = self.index[self.find(name)?].place;
        self.entries.get(place as usize)?.as_ref().map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, name: &Name) -> Option<&mut V> {
        let place = self.index[self.find(name)?].place;
        self.entries.get_mut(place as usize)?.as_mut().map(|(_, value)| value)
    }

    /// The value, which is made if there is none.
    pub(super) fn get_or(&mut self, name: &Name, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.find(name) {
            Some(at) => self.index[at].place,
            None => self.add(name),
        };
        let entry = &mut self.entries[place as usize];
        &mut entry.get_or_insert_with(|| (name.clone(), make())).1
    }

    pub(super) fn insert(&mut self, name: &Name, value: V) {
        let mut value = Some(value);
        let kept = self.get_or(name, || value.take().unwrap_or_else(|| unreachable!("it is made once")));
        if let Some(value) = value {
            *kept = value;
        }
    }

    pub(super) fn remove(&mut self, name: &Name) -> Option<V> {
        let at = self.find(name)?;
        let place = self.index[at].place;
        self.close(at);
        self.order.remove(name);
        self.vacant.push(place);
        self.entries.get_mut(place as usize)?.take().map(|(_, value)| value)
    }

    /// Keeps those that are to be kept.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Name, &mut V) -> bool) {
        let kept = core::mem::take(self);
        for (name, mut value) in kept.entries.into_iter().flatten() {
            if keep(&name, &mut value) {
                self.insert(&name, value);
            }
        }
    }

    /// By name, from after this one on.
    pub(super) fn after(&self, after: Option<&Name>) -> impl Iterator<Item = (&Name, &V)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let places = self.order.range::<Name, _>((from, Bound::Unbounded)).map(|(_, place)| *place);
        places
            .filter_map(|place| self.entries.get(place as usize)?.as_ref().map(|(name, value)| (name, value)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Name, &V)> {
        self.after(None)
    }

    pub(super) fn names(&self) -> Vec<Name> {
        self.order.keys().cloned().collect()
    }

    /// Where in the index the name is.
    fn find(&self, name: &Name) -> Option<usize> {
        let mask = self.index.len().checked_sub(1)?;
        let mut at = name.hash() as usize & mask;
        loop {
            let slot = self.index[at];
            if slot == FREE {
                return None;
            }
            if slot.tag == tag(name) && self.name_at(slot) == Some(name) {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }

    fn name_at(&self, slot: Slot) -> Option<&Name> {
        self.entries.get(slot.place as usize)?.as_ref().map(|(name, _)| name)
    }

    /// A place for a new name; its entry is still to be filled.
    fn add(&mut self, name: &Name) -> u32 {
        if (self.order.len() + 1) * 2 > self.index.len() {
            let length = (self.index.len() * 2).max(16);
            let before = core::mem::replace(&mut self.index, vec![FREE; length]);
            for slot in before.into_iter().filter(|slot| *slot != FREE) {
                if let Some(hash) = self.name_at(slot).map(Name::hash) {
                    self.settle(hash, slot);
                }
            }
        }
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.entries.push(None);
            u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX - 1)
        });
        self.order.insert(name.clone(), place);
        self.settle(name.hash(), Slot { place, tag: tag(name) });
        place
    }

    fn settle(&mut self, hash: u64, slot: Slot) {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        while self.index[at] != FREE {
            at = (at + 1) & mask;
        }
        self.index[at] = slot;
    }

    /// Frees a place of the index, and moves up those behind it that were pushed on by it.
    fn close(&mut self, mut hole: usize) {
        let mask = self.index.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let slot = self.index[at];
            if slot == FREE {
                break;
            }
            let wanted = self.name_at(slot).map_or(at, |name| name.hash() as usize & mask);
            // It may move if the hole is not before the place that it wanted.
            if (at.wrapping_sub(wanted) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.index[hole] = slot;
                hole = at;
            }
        }
        self.index[hole] = FREE;
    }
}

fn tag(name: &Name) -> u32 {
    (name.hash() >> 32) as u32
}

impl<V: PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Table<V>) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<V: Eq> Eq for Table<V> {}

impl<V: Hash> Hash for Table<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}
