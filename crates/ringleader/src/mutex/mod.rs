//! Mutual exclusion: one algorithm, one file.
mod misra_bounded;
mod naimi_trehel;
mod raymond;
mod ricart_agrawala;
mod ricart_agrawala_token;
mod singhal_heuristic;
mod suzuki_kasami;
pub use misra_bounded::MisraBounded;
pub use naimi_trehel::NaimiTrehel;
pub use raymond::Raymond;
pub use ricart_agrawala::{RicartAgrawala, RicartAgrawalaAsPrinted};
pub use ricart_agrawala_token::{
    RicartAgrawalaToken, RicartAgrawalaTokenLastCounts, RicartAgrawalaTokenOwnEntry,
    RicartAgrawalaTokenStoppedClock, RicartAgrawalaTokenTwoSteps,
};
pub use singhal_heuristic::{SinghalHeuristic, SinghalHeuristicIgnores};
pub use suzuki_kasami::{SuzukiKasami, SuzukiKasamiTwoSteps};
