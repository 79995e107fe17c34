//! Raymond on a binary tree, by hand: the neighbours of i are (i - 1) / 2, 2i + 1 and 2i + 2.

use crate::rounds::{Algorithm, Flight};
use std::collections::VecDeque;

struct Process {
    /// The neighbour towards the token; itself if it is here.
    holder: u32,
    is_inside: bool,
    has_asked: bool,
    queue: VecDeque<u32>,
}

pub(crate) struct Raymond(Vec<Process>);

#[derive(Clone, Copy)]
pub(crate) enum Msg {
    Request,
    Privilege,
}

impl Raymond {
    /// After every input: whether the user is let in.
    fn settle(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        let process = &mut self.0[who as usize];
        let mut enters = false;
        if process.holder == who
            && !process.is_inside
            && let Some(first) = process.queue.pop_front()
        {
            process.has_asked = false;
            process.holder = first;
            enters = first == who;
            process.is_inside = enters;
            if !enters {
                out.push(Flight { to: first, from: who, msg: Msg::Privilege });
            }
        }
        if process.holder != who && !process.queue.is_empty() && !process.has_asked {
            process.has_asked = true;
            out.push(Flight { to: process.holder, from: who, msg: Msg::Request });
        }
        enters
    }
}

impl Algorithm for Raymond {
    type Msg = Msg;

    fn new(n: u32) -> Raymond {
        let process = |who: u32| Process {
            holder: who.saturating_sub(1) / 2,
            is_inside: false,
            has_asked: false,
            queue: VecDeque::new(),
        };
        Raymond((0..n).map(process).collect())
    }

    fn wants(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        self.0[who as usize].queue.push_back(who);
        self.settle(who, out)
    }

    fn arrives(&mut self, flight: Flight<Msg>, out: &mut Vec<Flight<Msg>>) -> bool {
        let process = &mut self.0[flight.to as usize];
        match flight.msg {
            Msg::Request => process.queue.push_back(flight.from),
            Msg::Privilege => process.holder = flight.to,
        }
        self.settle(flight.to, out)
    }

    fn leaves(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        self.0[who as usize].is_inside = false;
        self.settle(who, out)
    }
}
