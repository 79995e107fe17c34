//! What is asked of machines.

pub(super) const NO_DEAD_END: &str = "no dead end";
pub(super) const CLOSURE: &str = "closure";
pub(super) const CONVERGENCE: &str = "convergence";
pub(super) const SERVICE: &str = "service";

/// All of it, in the order of the report.
pub(super) const NAMES: [&str; 4] = [NO_DEAD_END, CLOSURE, CONVERGENCE, SERVICE];
