//! Grids of runs: the file that describes one, the journal that survives a crash, the rows that come of it.
//!
//! A sweep is a function of its file: run `k` of it is always the same run. So a killed sweep goes on where it was, and
//! parts that were computed on different machines fit together.

mod fields;
mod file;
mod forecast;
mod grid;
mod journal;
mod merge;
mod options;
mod parts;
mod plan;
mod rows;
mod source;
mod tally;
mod work;

pub use file::{Mistake, SWEEP_SCHEMA, Span, SweepFile};
pub use forecast::Forecast;
pub use grid::{Axis, Grid, Shard, Value, Words};
pub use journal::{Head, Journal, JournalError};
pub use merge::{MergeError, Merged, merge};
pub use parts::{PartError, is_complete};
pub use plan::{Configuration, Sweep};
pub use rows::{Columns, FlatRows, Row, Rows, write_rows};
pub use tally::{RowEnding, SweepTally};
pub use work::{Once, Record, one_row, work};
