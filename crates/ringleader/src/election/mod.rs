//! Leader election: one algorithm, one file.
mod bully;
mod chang_roberts;
mod dolev_klawe_rodeh;
mod dolev_klawe_rodeh_b;
mod franklin;
mod higham_przytycka;
mod hirschberg_sinclair;
mod itai_rodeh;
mod itai_rodeh_coin;
mod itai_rodeh_sync;
mod le_lann;
mod peterson;
mod peterson_improved;
mod probabilistic_franklin;
mod ring_active_list;
mod ring_collect;
mod van_leeuwen_tan;
mod van_leeuwen_tan_half_duplex;
pub use bully::{Bully, BullyAsPrinted, BullyWithoutGuard};
pub use chang_roberts::{ChangRoberts, ChangRobertsAsPrinted};
pub use dolev_klawe_rodeh::DolevKlaweRodeh;
pub use dolev_klawe_rodeh_b::DolevKlaweRodehB;
pub use franklin::Franklin;
pub use higham_przytycka::HighamPrzytycka;
pub use hirschberg_sinclair::{HirschbergSinclair, HirschbergSinclairAsPrinted};
pub use itai_rodeh::ItaiRodeh;
pub use itai_rodeh_coin::ItaiRodehCoin;
pub use itai_rodeh_sync::ItaiRodehSync;
pub use le_lann::{LeLann, LeLannLateCandidates};
pub use peterson::{Peterson, PetersonAsPrinted};
pub use peterson_improved::{PetersonImproved, PetersonImprovedOddOnly, PetersonImprovedOwnId};
pub use probabilistic_franklin::{
    ProbabilisticFranklin, ProbabilisticFranklinAsPrinted, ProbabilisticFranklinWithoutBit,
};
pub use ring_active_list::{RingActiveList, RingActiveListAsPrinted, RingActiveListOwnLast};
pub use ring_collect::RingCollect;
pub use van_leeuwen_tan::{VanLeeuwenTan, VanLeeuwenTanAnnouncesBack};
pub use van_leeuwen_tan_half_duplex::VanLeeuwenTanHalfDuplex;
