//! Messages on their way, by handle.

use super::Handle;
use crate::model::Port;

/// Messages that were sent and have not been received.
#[derive(Clone)]
pub(super) struct Store<M> {
    places: Vec<Place<M>>,
    /// The places that are empty. The one that was emptied last is filled first: it is still at hand.
    free: Vec<u32>,
    /// When so many are empty they are put in order.
    untidy: usize,
}

/// A message, and how many more there are that have its handle.
#[derive(Clone)]
struct Place<M> {
    msg: Option<M>,
    more: u32,
}

/// From so many empty places on their order matters.
const MANY: usize = 4096;

impl<M> Default for Store<M> {
    fn default() -> Store<M> {
        Store { places: Vec::new(), free: Vec::new(), untidy: MANY }
    }
}

/// Whoever has a handle has had it from `put`, and gives it to `take` once.
const HELD_ONCE: &str = "a message is received once";

impl<M: Clone> Store<M> {
    #[inline]
    pub(super) fn put(&mut self, msg: M) -> Handle {
        match self.free.pop() {
            Some(place) => {
                self.places[place as usize].msg = Some(msg);
                Handle(place)
            }
            None => {
                self.places.push(Place { msg: Some(msg), more: 0 });
                Handle(self.places.len() as u32 - 1)
            }
        }
    }

    /// So many more messages that are equal to this one have its handle.
    #[inline]
    pub(super) fn share(&mut self, message: Handle, more: u32) {
        self.places[message.place()].more += more;
    }

    #[inline(always)] // into the loop over what arrives
    pub(super) fn take(&mut self, message: Handle) -> M {
        let place = &mut self.places[message.place()];
        if place.more > 0 {
            place.more -= 1;
            return place.msg.clone().expect(HELD_ONCE);
        }
        let msg = place.msg.take().expect(HELD_ONCE);
        self.free.push(message.0);
        if self.free.len() >= self.untidy {
            self.untidy = tidy(&mut self.free, self.places.len());
        }
        msg
    }

    #[inline]
    pub(super) fn get(&self, message: Handle) -> &M {
        self.places[message.place()].msg.as_ref().expect(HELD_ONCE)
    }

    /// Copies of these messages, each with the port at which it arrives.
    pub(super) fn batch<T: Port>(&self, messages: &[(u32, Handle)]) -> Vec<(T, M)> {
        messages.iter().map(|&(port, message)| (T::from_index(port), self.get(message).clone())).collect()
    }
}

/// After a flood the few messages that are on their way would be all over the store. Low places are filled first. Says
/// when to do it again. Compiled once, not for every type of message.
#[cold]
fn tidy(free: &mut Vec<u32>, places: usize) -> usize {
    let mut is_free = vec![false; places];
    free.drain(..).for_each(|place| is_free[place as usize] = true);
    free.extend((0..places as u32).rev().filter(|&place| is_free[place as usize]));
    2 * free.len()
}
