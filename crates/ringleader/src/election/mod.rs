//! Leader election: one algorithm, one file.
mod bully;
mod chang_roberts;
mod franklin;
mod hirschberg_sinclair;
mod itai_rodeh_coin;
mod itai_rodeh_sync;
mod peterson;
mod probabilistic_franklin;
mod van_leeuwen_tan_half_duplex;
pub use bully::{Bully, BullyAsPrinted};
pub use chang_roberts::{ChangRoberts, ChangRobertsAsPrinted};
pub use franklin::Franklin;
pub use hirschberg_sinclair::{HirschbergSinclair, HirschbergSinclairAsPrinted};
pub use itai_rodeh_coin::ItaiRodehCoin;
pub use itai_rodeh_sync::ItaiRodehSync;
pub use peterson::{Peterson, PetersonAsPrinted};
pub use probabilistic_franklin::{ProbabilisticFranklin, ProbabilisticFranklinAsPrinted};
pub use van_leeuwen_tan_half_duplex::VanLeeuwenTanHalfDuplex;
