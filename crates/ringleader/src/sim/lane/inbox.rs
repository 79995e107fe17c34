//! What waits at the ports of a ring: per port the first message inline, the others in a list.

#[cfg(test)]
mod tests;

use crate::model::{Message, Port};

/// What waits at every port of every process. `X` is what a lane keeps beside a port.
pub(super) struct Inboxes<M, X> {
    ports: Vec<Inbox<M, X>>,
    spill: Vec<Spilled<M>>,
    free: u32,
    per_process: u32,
}

/// What waits at one port.
struct Inbox<M, X> {
    first: Option<M>,
    /// The last message, if there is more than one; it leads round to the second.
    last: u32,
    beside: X,
}

struct Spilled<M> {
    msg: Option<M>,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<M: Message, X: Clone + Default> Inboxes<M, X> {
    pub(super) fn new(processes: usize, per_process: usize) -> Inboxes<M, X> {
        let mut ports = Vec::new();
        ports.resize_with(processes * per_process, || Inbox {
            first: None,
            last: NONE,
            beside: X::default(),
        });
        Inboxes { ports, spill: Vec::new(), free: NONE, per_process: per_process as u32 }
    }

    /// The number of a port among all.
    #[inline(always)]
    pub(super) fn link(&self, to: u32, arrival: impl Port) -> u32 {
        to * self.per_process + arrival.index()
    }

    /// The process and the port that a number stands for.
    #[inline(always)]
    pub(super) fn end<Q: Port>(&self, link: u32) -> (u32, Q) {
        if self.per_process == 1 { (link, Q::from_index(0)) } else { (link / 2, Q::from_index(link % 2)) }
    }

    /// What the lane keeps beside a port.
    #[inline(always)]
    pub(super) fn beside(&mut self, link: u32) -> &mut X {
        &mut self.ports[link as usize].beside
    }

    /// Appends a message; whether it is the only one.
    #[inline(always)]
    pub(super) fn push(&mut self, link: u32, msg: M) -> bool {
        let inbox = &mut self.ports[link as usize];
        if inbox.first.is_none() {
            inbox.first = Some(msg);
            return true;
        }
        let place = if self.free == NONE {
            self.spill.push(Spilled { msg: Some(msg), next: NONE });
            self.spill.len() as u32 - 1
        } else {
            let place = self.free;
            let spilled = &mut self.spill[place as usize];
            self.free = spilled.next;
            spilled.msg = Some(msg);
            place
        };
        let next = if inbox.last == NONE {
            place
        } else {
            core::mem::replace(&mut self.spill[inbox.last as usize].next, place)
        };
        self.spill[place as usize].next = next;
        inbox.last = place;
        false
    }

    /// Takes the oldest message; whether none is left.
    ///
    /// # Panics
    /// If none waits there. Whoever asks knows that one does; to take that for the end of the run would hide a defect.
    #[inline(always)]
    pub(super) fn take(&mut self, link: u32) -> (M, bool) {
        let inbox = &mut self.ports[link as usize];
        let msg = inbox.first.take().expect("a message waits at a port that is chosen");
        let last = inbox.last;
        if last == NONE {
            return (msg, true);
        }
        let second = self.spill[last as usize].next;
        let spilled = &mut self.spill[second as usize];
        inbox.first = spilled.msg.take();
        let third = core::mem::replace(&mut spilled.next, self.free);
        self.free = second;
        if second == last {
            inbox.last = NONE;
        } else {
            self.spill[last as usize].next = third;
        }
        (msg, false)
    }
}
