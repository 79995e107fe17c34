//! Rings. Index i + 1 mod n is the next, clockwise. A ring of one is a self-loop; a ring of two has two parallel links.

#[cfg(test)]
mod tests;

use super::{Network, Plan, Wired};
use crate::model::{Next, Side};

/// A one-way ring: messages travel clockwise.
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    n: u32,
}

impl Network<Next> for OneWay {
    fn degree(&self, _: u32) -> u32 {
        1
    }

    #[inline]
    fn route(&self, from: u32, _: Next) -> (u32, Next) {
        let next = from + 1;
        (if next == self.n { 0 } else { next }, Next)
    }

    fn past(&self, at: u32, _: Next) -> Option<(u32, Next)> {
        Some(self.route(at, Next))
    }

    fn stride(&self) -> u64 {
        1
    }
}

impl Wired for Next {
    type Net = OneWay;
    fn wire(plan: &Plan) -> OneWay {
        OneWay { n: plan.n }
    }
}

/// A two-way ring. The physical port 0 leads clockwise; a process whose sides are swapped calls it its left.
#[derive(Clone, Debug)]
pub struct TwoWay {
    n: u32,
    /// Whether the sides of each process are swapped; empty if nobody's are.
    swapped: Vec<bool>,
}

impl TwoWay {
    #[inline]
    fn is_swapped(&self, index: u32) -> bool {
        !self.swapped.is_empty() && self.swapped[index as usize]
    }
}

impl Network<Side> for TwoWay {
    fn degree(&self, _: u32) -> u32 {
        2
    }

    #[inline]
    fn route(&self, from: u32, out: Side) -> (u32, Side) {
        let clockwise = (out == Side::Right) != self.is_swapped(from);
        let to = if clockwise {
            if from + 1 == self.n { 0 } else { from + 1 }
        } else if from == 0 {
            self.n - 1
        } else {
            from - 1
        };
        // What travels clockwise arrives at the physical port 1.
        let arrival = if clockwise != self.is_swapped(to) { Side::Left } else { Side::Right };
        (to, arrival)
    }

    fn past(&self, at: u32, arrival: Side) -> Option<(u32, Side)> {
        Some(self.route(at, arrival.other()))
    }

    fn stride(&self) -> u64 {
        2
    }
}

impl Wired for Side {
    type Net = TwoWay;
    fn wire(plan: &Plan) -> TwoWay {
        TwoWay { n: plan.n, swapped: plan.ports.iter().map(|ports| ports[0] == 1).collect() }
    }
}
