//! The only source of chance: a published generator, the same on every platform.
//!
//! [`Rng`] is xoshiro256++ (D. Blackman and S. Vigna, 2019), seeded through SplitMix64 (G. L. Steele, D. Lea and
//! C. H. Flood, 2014). [`mix`] is the finaliser of SplitMix64: it turns a counter into a draw, so that what a process
//! draws does not depend on who else drew before it. There is no floating point: logarithms differ between platforms.

#[cfg(test)]
mod tests;

/// A generator of uniformly distributed 64-bit numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator with this seed, for this purpose. Different purposes give independent streams.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose) -> Rng {
        let mut counter = seed ^ mix(purpose as u64);
        let state = core::array::from_fn(|_| {
            counter = counter.wrapping_add(GOLDEN);
            mix(counter)
        });
        Rng { state }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform number in 0 .. bound, without bias (D. Lemire's method). `bound` must not be 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Whether an event of this probability happens; the probability is exact to 2^-53.
    pub fn chance(&mut self, probability: f64) -> bool {
        // Both sides are exact: the draw is an integer below 2^53, and multiplying by a power of two rounds nothing.
        ((self.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// An exponentially distributed number with this mean, by J. von Neumann's comparisons: no logarithm is taken.
    ///
    /// A run of falling uniforms of odd length gives its first value as the fraction; each run of even length adds one
    /// whole mean.
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let mut whole = 0u64;
        loop {
            let first = self.next_u64();
            let mut last = first;
            let mut length = 1u32;
            loop {
                let next = self.next_u64();
                if next >= last {
                    break;
                }
                last = next;
                length += 1;
            }
            if length % 2 == 1 {
                let fraction = (u128::from(first) * u128::from(mean)) >> 64;
                return whole.saturating_mul(mean).saturating_add(fraction as u64);
            }
            whole += 1;
        }
    }

    /// Puts the elements in a uniformly random order.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            elements.swap(last, chosen);
        }
    }
}

/// What a stream of draws is for. Adding a draw for one purpose leaves the others as they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// Who gets which identity.
    Ids = 1,
    /// Who starts.
    Initiators = 2,
    /// How ports are numbered.
    Ports = 3,
    /// The graph itself.
    Graph = 4,
    /// Who moves next, and how long messages travel.
    Schedule = 5,
    /// The choices of processes.
    Choices = 6,
    /// Which messages are lost or doubled.
    Faults = 7,
    /// Who wants in.
    Workload = 8,
    /// What registers hold at first, where anything is possible.
    Registers = 9,
    /// What clocks show, and how they drift.
    Clocks = 10,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: a bijection in which every bit of the input moves about half the bits of the output.
#[inline]
#[must_use]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A draw of a process: uniform in 0 .. bound, with a bias below bound / 2^64.
///
/// It is determined by the seed (through its [`choices_key`]), the process and how many numbers it has drawn before. So
/// what a process draws does not depend on who else drew, on the schedule or on the number of threads.
#[inline]
#[must_use]
pub fn draw(key: u64, process: u32, ordinal: u32, bound: u32) -> u32 {
    let place = (u64::from(process) << 32) | u64::from(ordinal);
    let bits = mix(mix(key ^ mix(place)).wrapping_add(place.wrapping_mul(GOLDEN)));
    ((u128::from(bits) * u128::from(bound)) >> 64) as u32
}

/// The key for [`draw`] that belongs to a seed.
#[must_use]
pub fn choices_key(seed: u64) -> u64 {
    Rng::new(seed, Purpose::Choices).next_u64()
}
