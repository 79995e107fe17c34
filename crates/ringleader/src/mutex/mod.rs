//! Mutual exclusion: one algorithm, one file.
mod central;
mod central_failover;
mod misra;
mod misra_bounded;
mod misra_k;
mod ricart_agrawala;
mod token_ring;
pub use central::{Central, CentralNeverFree};
pub use central_failover::{CentralFailover, CentralWithoutEpochs, CentralWithoutStatus};
pub use misra::{
    Misra, MisraFromZero, MisraMeetsFirst, MisraNeverMeets, MisraRemembersAll, MisraRemembersOne, Numbers,
    PingPong, RULES, Token,
};
pub use misra_bounded::{Bounded, MisraBounded, ModuloWithZero, OneFewer, ResidueOfMinus};
pub use misra_k::{ByEveryOther, ByOneOther, MisraK, MisraKByAll, Wards, Watch};
pub use ricart_agrawala::{RicartAgrawala, RicartAgrawalaAsPrinted};
pub use token_ring::TokenRing;
