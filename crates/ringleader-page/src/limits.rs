//! What one page may cost, in one place.

/// The most processes of one run.
pub const NODES: u32 = 1_000_000;
/// Up to so many processes a run is given event by event.
pub const SMALL_NODES: u32 = 200;
/// Up to so many steps, likewise.
pub const SMALL_STEPS: usize = 50_000;
/// The largest question, in bytes.
pub const BYTES: usize = 16 << 20;
/// Up to so many processes a run that is not small is watched step by step, for its density; beyond that it takes the
/// fastest way there is.
pub(crate) const WATCHED_NODES: u32 = 20_000;
/// A run is stopped after so many steps, or [`STEPS_PER_NODE`] for each process, whichever is more.
pub(crate) const STEPS: u64 = 2_000_000;
/// The worst elections on rings send about 8 n·log2 n messages, which is 160 for each of a million processes.
pub(crate) const STEPS_PER_NODE: u64 = 200;
/// The cells of an overview.
pub(crate) const CELLS: u64 = 50_000;
/// The events of a window.
pub(crate) const WINDOW_EVENTS: usize = 2000;
/// Runs that are kept between two questions.
pub(crate) const RUNS_KEPT: usize = 12;
/// The events of all of them together.
pub(crate) const EVENTS_KEPT: usize = 200_000;
/// Traces that are kept.
pub(crate) const TRACES_KEPT: usize = 16;
/// The bytes of all of them together, as they were given.
pub(crate) const TRACE_BYTES_KEPT: usize = 64 << 20;
/// Counterexamples that are kept.
pub(crate) const FOUND_KEPT: usize = 32;
/// A search for a counterexample that somebody waits for has at most so many states.
pub(crate) const SEARCH_STATES: u64 = 3_000_000;
/// Decisions that are marked on a run.
pub(crate) const DECISIONS_MARKED: usize = 200;
/// Shares of the steps for which messages are counted.
pub(crate) const SHARES: usize = 240;
/// Complete graphs up to so many processes have their edges listed.
pub(crate) const COMPLETE_NODES: u32 = 60;

/// The most steps of a run of so many processes.
pub(crate) fn steps(n: u32) -> u64 {
    STEPS.max(STEPS_PER_NODE * u64::from(n))
}
