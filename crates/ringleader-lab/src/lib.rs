//! Experiments: many runs, what they have in common, where the worst case is, and the tables that come of it.

pub mod worst;
