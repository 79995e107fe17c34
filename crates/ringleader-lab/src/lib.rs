//! Experiments: many runs, what they have in common, where the worst case is, and the tables that come of it.

pub mod compare;
pub mod growth;
pub mod number;
pub mod sizes;
pub mod stats;
pub mod sweep;
pub mod table;
pub mod worst;
