//! How many messages were sent in each share of the steps, while nobody knows yet how many steps there will be.

use crate::limits::SHARES;

/// Counts in shares of equal width; when there are too many, two become one.
#[derive(Clone, Debug)]
pub(crate) struct Density {
    width: u64,
    shares: Vec<u64>,
    steps: u64,
}

impl Density {
    pub(crate) fn new() -> Density {
        Density { width: 1, shares: Vec::new(), steps: 0 }
    }

    /// One more step, which sent so many messages.
    pub(crate) fn step(&mut self, sent: u64) {
        let place = (self.steps / self.width) as usize;
        self.steps += 1;
        if place == SHARES {
            self.shares = self.shares.chunks(2).map(|pair| pair.iter().sum()).collect();
            self.width *= 2;
            self.shares.push(sent);
        } else if place == self.shares.len() {
            self.shares.push(sent);
        } else {
            self.shares[place] += sent;
        }
    }

    /// The counts so far.
    pub(crate) fn shares(self) -> Vec<u64> {
        self.shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_shares_stay_few() {
        for steps in [0u64, 1, 239, 240, 241, 480, 481, 10_000] {
            let mut density = Density::new();
            (0..steps).for_each(|step| density.step(step % 3));
            let width = density.width;
            let shares = density.shares();
            assert_eq!(shares.iter().sum::<u64>(), (0..steps).map(|step| step % 3).sum::<u64>(), "{steps}");
            assert!(shares.len() <= SHARES, "{steps}");
            assert_eq!(shares.len() as u64, steps.div_ceil(width), "{steps}");
        }
    }
}
