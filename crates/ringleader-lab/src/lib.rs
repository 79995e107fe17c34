//! What stands between the library and whoever asks: from options to runs and checks, and reports of them; experiments
//! (many runs, worst cases, sweeps), the tables that come of them, the formats that other programs read, and pictures.

mod app;
pub mod compare;
pub mod describe;
pub mod diagnostic;
pub mod draw;
mod export;
pub mod formats;
pub mod growth;
pub mod layout;
pub mod number;
pub mod options;
pub mod people;
pub mod plan;
pub mod reason;
pub mod report;
pub mod sizes;
pub mod stats;
pub mod suggest;
pub mod sweep;
pub mod table;
pub mod worst;

pub use app::App;
pub use diagnostic::{Advice, Diagnostic, Spot};
pub use export::{Export, ExportOptions};
