//! Mutual exclusion: one algorithm, one file.
mod carvalho_roucairol;
mod lamport;
mod maekawa;
mod misra_bounded;
mod ricart_agrawala;
mod singhal_dynamic;
mod tree_quorum;
pub use carvalho_roucairol::{CarvalhoRoucairol, CarvalhoRoucairolWithoutAskingBack};
pub use lamport::{Lamport, LamportWithoutClock};
pub use maekawa::{
    Maekawa, MaekawaWithoutDisplacing, MaekawaWithoutYield, Planes, Quorums, VOTING_RULES, Voting,
};
pub use misra_bounded::MisraBounded;
pub use ricart_agrawala::{RicartAgrawala, RicartAgrawalaAsPrinted};
pub use singhal_dynamic::SinghalDynamic;
pub use tree_quorum::{Paths, TreeQuorum, live_quorum};
