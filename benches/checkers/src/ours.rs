//! Our checker on the ring: by an entry like those of the registry, as everybody calls it. Its only entry, so that the
//! other algorithms need not be built for it.

use crate::table::Run;
use ringleader::check::{Reduce, Scope, Starts};
use ringleader::election::ChangRoberts;
use ringleader::registry::Entry;
use std::time::Instant;

static ENTRY: Entry = Entry::election::<ChangRoberts>();

/// What our checker found.
pub(crate) struct Ours {
    pub(crate) run: Run,
    /// Of the visited set, fingerprints and parents.
    pub(crate) bytes_per_state: f64,
}

/// Searches all states of the ring of `n` processes, with nothing reduced. Every property of the contract is checked,
/// or only those that the others check as well: neither cycles nor numbers of messages.
pub(crate) fn check(n: u32, threads: u32, safety_only: bool) -> Result<Ours, String> {
    let scope = Scope { starts: Starts::All, reduce: Reduce::None, threads, safety_only, ..Scope::new(n) };
    let begin = Instant::now();
    let findings =
        ENTRY.check(&scope, &[], &()).map_err(|refusal| format!("ours, n = {n}: refused: {refusal}"))?;
    let took = begin.elapsed();
    if !findings.holds() {
        return Err(format!("ours, n = {n}: the properties are not all proved: {}", findings.answer.name()));
    }
    Ok(Ours {
        run: Run { states: findings.states, transitions: findings.transitions, took },
        bytes_per_state: findings.visited_bytes as f64 / findings.visited_states as f64,
    })
}
