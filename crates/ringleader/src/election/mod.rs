//! Leader election: one algorithm, one file.
mod chang_roberts;
mod peterson;
pub use chang_roberts::ChangRoberts;
pub use peterson::Peterson;
