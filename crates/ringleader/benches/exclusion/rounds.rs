//! What the loops have in common: in each round everything arrives that was sent in the last one, then whoever was
//! inside leaves, and wants in again if it is to.

use std::time::{Duration, Instant};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) messages: u64,
    pub(crate) entries: u64,
}

/// A message on its way.
pub(crate) struct Flight<M> {
    pub(crate) to: u32,
    pub(crate) from: u32,
    pub(crate) msg: M,
}

/// All processes of an algorithm. What lets somebody in says so.
pub(crate) trait Algorithm {
    type Msg;
    fn new(n: u32) -> Self;
    fn wants(&mut self, who: u32, out: &mut Vec<Flight<Self::Msg>>) -> bool;
    fn arrives(&mut self, flight: Flight<Self::Msg>, out: &mut Vec<Flight<Self::Msg>>) -> bool;
    fn leaves(&mut self, who: u32, out: &mut Vec<Flight<Self::Msg>>) -> bool;
}

/// Runs it, and takes the time.
pub(crate) fn timed<A: Algorithm>(n: u32, entries: u32) -> (Count, Duration) {
    let mut algorithm = A::new(n);
    let begun = Instant::now();
    let count = run(&mut algorithm, n, entries);
    (count, begun.elapsed())
}

fn run<A: Algorithm>(algorithm: &mut A, n: u32, entries: u32) -> Count {
    let mut count = Count { messages: 0, entries: 0 };
    let mut left = vec![entries; n as usize];
    let mut arriving: Vec<Flight<A::Msg>> = Vec::new();
    let mut next: Vec<Flight<A::Msg>> = Vec::new();
    let (mut inside, mut leaving): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for who in 0..n {
        left[who as usize] -= 1;
        if algorithm.wants(who, &mut next) {
            inside.push(who);
        }
    }
    while !next.is_empty() || !inside.is_empty() {
        core::mem::swap(&mut arriving, &mut next);
        core::mem::swap(&mut inside, &mut leaving);
        count.messages += arriving.len() as u64;
        for flight in arriving.drain(..) {
            let to = flight.to;
            if algorithm.arrives(flight, &mut next) {
                inside.push(to);
            }
        }
        for who in leaving.drain(..) {
            count.entries += 1;
            if algorithm.leaves(who, &mut next) {
                inside.push(who);
            }
            if left[who as usize] > 0 {
                left[who as usize] -= 1;
                if algorithm.wants(who, &mut next) {
                    inside.push(who);
                }
            }
        }
        assert!(inside.len() <= 1, "two are inside");
    }
    count
}
