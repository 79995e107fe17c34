//! Sweeps: from the file to configurations (`plan`), their runs on all cores (`work`), how long it will take
//! (`forecast`), and what came of it (`tally`).

mod forecast;
mod options;
mod plan;
mod source;
mod tally;
mod work;

pub(crate) use forecast::Forecast;
pub(crate) use plan::{Sweep, refuse_large};
pub(crate) use tally::{Tally, Verdict};
pub(crate) use work::work;
