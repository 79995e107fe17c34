//! Mutual exclusion: one algorithm, one file.
mod misra_bounded;
mod ricart_agrawala;
pub use misra_bounded::MisraBounded;
pub use ricart_agrawala::{RicartAgrawala, RicartAgrawalaAsPrinted};
