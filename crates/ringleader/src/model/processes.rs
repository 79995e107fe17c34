//! How many processes an algorithm is for.

/// How many processes an algorithm admits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Processes {
    /// Any number.
    Any,
    /// One less than a power of two: as many as a complete binary tree has.
    CompleteTree,
    /// This many.
    Exactly(u32),
    /// This many or more.
    AtLeast(u32),
}

impl Processes {
    /// Whether it admits so many.
    #[must_use]
    pub const fn admits(self, n: u32) -> bool {
        match self {
            Processes::Any => true,
            Processes::CompleteTree => n < u32::MAX && (n + 1).is_power_of_two(),
            Processes::Exactly(many) => n == many,
            Processes::AtLeast(least) => n >= least,
        }
    }

    /// The nearest numbers that it admits, from below and from above.
    #[must_use]
    pub const fn nearest(self, n: u32) -> (u32, u32) {
        match self {
            Processes::Any => (n, n),
            Processes::Exactly(many) => (many, many),
            Processes::AtLeast(least) if n < least => (least, least),
            Processes::AtLeast(_) => (n, n),
            Processes::CompleteTree if self.admits(n) || n == 0 => (n, n),
            Processes::CompleteTree => {
                let power = 1 << n.ilog2();
                (power - 1, if power > u32::MAX / 2 { u32::MAX } else { 2 * power - 1 })
            }
        }
    }
}
