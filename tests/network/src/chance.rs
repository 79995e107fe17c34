//! Chance that can be repeated: what a seed gives is the same everywhere.

/// A stream of numbers (SplitMix64: one addition and a mix, and every seed is a good one).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one; 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The remainder is off by less than bound / 2^64, which no test here can notice.
        self.bits().checked_rem(bound).unwrap_or_default()
    }

    /// A number from this one up to that one, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    /// Whether something happens that does in so many of a hundred cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let draw = |seed| (0..4).map(move |_| seed).scan(Chance::new(seed), |chance, _| Some(chance.bits()));
        assert!(draw(7).eq(draw(7)));
        assert!(draw(7).ne(draw(8)));
    }

    #[test]
    fn a_fifth_is_about_a_fifth() {
        let mut chance = Chance::new(1);
        let hits = (0..10_000).filter(|_| chance.percent(20)).count();
        assert!((1_800..2_200).contains(&hits), "{hits}");
        assert!((0..100).all(|_| !chance.percent(0)));
        assert!((0..100).all(|_| chance.percent(100)));
    }
}
