//! Leader election: one algorithm, one file.
mod bully;
mod chang_roberts;
mod franklin;
mod peterson;
mod probabilistic_franklin;
mod van_leeuwen_tan_half_duplex;
pub use bully::Bully;
pub use chang_roberts::ChangRoberts;
pub use franklin::Franklin;
pub use peterson::Peterson;
pub use probabilistic_franklin::ProbabilisticFranklin;
pub use van_leeuwen_tan_half_duplex::VanLeeuwenTanHalfDuplex;
