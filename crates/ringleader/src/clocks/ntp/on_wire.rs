//! On the wire: what four time stamps say of the offset between two clocks.

use crate::model::Ticks;

/// What one question and its answer say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Measured {
    /// How far the server's clock is ahead of the client's, θ.
    pub offset: Ticks,
    /// How long both messages took together, δ.
    pub delay: Ticks,
}

/// Of the client's clock when it asked and when the answer came (t1, t4), and the server's in between (t2, t3).
///
/// With delays a and b and a true offset o, δ = a + b and θ - o = (a - b)/2: the true offset is within δ/2 of θ.
#[must_use]
pub fn measure([t1, t2, t3, t4]: [Ticks; 4]) -> Measured {
    Measured { offset: ((t2 - t1) + (t3 - t4)).over(2), delay: (t4 - t1) - (t3 - t2) }
}
