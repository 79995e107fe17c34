//! Mutual exclusion: one algorithm, one file.
mod carvalho_roucairol;
mod central;
mod central_failover;
pub mod homed_chain;
mod homed_chain_mistakes;
mod homed_chain_resend;
mod lamport;
mod maekawa;
mod misra;
mod misra_bounded;
mod misra_k;
mod naimi_trehel;
mod raymond;
mod ricart_agrawala;
mod ricart_agrawala_token;
mod singhal_dynamic;
mod singhal_heuristic;
mod suzuki_kasami;
mod token_ring;
mod tree_quorum;
pub use carvalho_roucairol::{CarvalhoRoucairol, CarvalhoRoucairolWithoutAskingBack};
pub use central::{Central, CentralNeverFree};
pub use central_failover::{CentralFailover, CentralWithoutEpochs, CentralWithoutStatus};
pub use homed_chain::HomedChain;
pub use homed_chain_mistakes::{HomedChainNoDedupe, HomedChainNoEarly, HomedChainNoNumber};
pub use homed_chain_resend::{HomedChainNoResend, HomedChainResend};
pub use lamport::{Lamport, LamportWithoutClock};
pub use maekawa::{
    Maekawa, MaekawaWithoutDisplacing, MaekawaWithoutYield, Planes, Quorums, VOTING_RULES, Voting,
};
pub use misra::{
    Misra, MisraFromZero, MisraMeetsFirst, MisraNeverMeets, MisraRemembersAll, MisraRemembersOne, Numbers,
    PingPong, Token, ping_pong_rules,
};
pub use misra_bounded::{Bounded, MisraBounded, ModuloWithZero, OneFewer, ResidueOfMinus};
pub use misra_k::{ByEveryOther, ByOneOther, MisraK, MisraKByAll, Wards, Watch};
pub use naimi_trehel::NaimiTrehel;
pub use raymond::Raymond;
pub use ricart_agrawala::{RicartAgrawala, RicartAgrawalaAsPrinted};
pub use ricart_agrawala_token::{
    RicartAgrawalaToken, RicartAgrawalaTokenLastCounts, RicartAgrawalaTokenOwnEntry,
    RicartAgrawalaTokenStoppedClock, RicartAgrawalaTokenTwoSteps,
};
pub use singhal_dynamic::SinghalDynamic;
pub use singhal_heuristic::{SinghalHeuristic, SinghalHeuristicIgnores};
pub use suzuki_kasami::{SuzukiKasami, SuzukiKasamiTwoSteps};
pub use token_ring::TokenRing;
pub use tree_quorum::{Paths, TreeQuorum, live_quorum};
