//! Locks on registers as threads of one process: each process of the algorithm is a thread, each register an atomic
//! number.
//!
//! Every access is sequentially consistent. These locks rest on it: a process writes that it wants in, and then reads
//! whether the other does. With weaker orderings a processor may keep the write back and let the read go first; two
//! processes that do so both see nobody, and both enter. That is `peterson-lock@swapped` in hardware.
//!
//! Whether two were inside is seen by a witness that the lock has to protect: a number to which each adds one inside,
//! by a read and then a write. Where two are inside at once an addition gets lost, or somebody is seen inside.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use ringleader::host::{Cells, Sharer};
use ringleader::model::Stage;
use ringleader::registry::Entry;
use ringleader::sim::{Refusal, Scenario};
use std::thread;
use std::time::{Duration, Instant};

/// After so many steps without coming in a thread lets others have the processor.
const SPIN: u32 = 32;

/// Registers in the memory of this process.
struct Atomics(Vec<AtomicU32>);

impl Cells for Atomics {
    fn load(&self, place: usize) -> u32 {
        self.0[place].load(Ordering::SeqCst)
    }

    fn store(&self, place: usize, value: u32) {
        self.0[place].store(value, Ordering::SeqCst);
    }
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Came {
    /// How often each thread was inside.
    pub entries: Vec<u64>,
    /// How often somebody came in while another was inside.
    pub met: u64,
    /// How many additions to the number that the lock protects were lost.
    pub lost: u64,
    /// How many reads and writes of registers there were.
    pub accesses: u64,
    /// How long it took.
    pub took: Duration,
    /// Whether everybody was inside as often as asked, in time.
    pub complete: bool,
}

impl Came {
    /// Whether there were never two inside, as far as the witness saw.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.met == 0 && self.lost == 0
    }

    /// All entries.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.entries.iter().sum()
    }
}

/// What the threads share besides the registers.
#[derive(Default)]
struct Witness {
    inside: AtomicU32,
    met: AtomicU64,
    count: AtomicU64,
    over: AtomicBool,
}

impl Witness {
    /// A thread is inside, and adds one in two steps that nothing but the lock holds together.
    fn inside(&self) {
        if self.inside.fetch_add(1, Ordering::SeqCst) > 0 {
            self.met.fetch_add(1, Ordering::SeqCst);
        }
        let count = self.count.load(Ordering::Relaxed);
        core::hint::spin_loop();
        self.count.store(count + 1, Ordering::Relaxed);
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs a lock: each thread comes in so many times, unless the time is over before.
///
/// # Errors
/// If the algorithm has no such registers, or refuses the scenario.
pub fn run(entry: &Entry, scenario: &Scenario, each: u64, limit: Duration) -> Result<Came, Refusal> {
    let sharers =
        entry.share(scenario, |first| Atomics(first.iter().map(|&v| AtomicU32::new(v)).collect()))?;
    let witness = Witness::default();
    let began = Instant::now();
    let turns: Vec<(u64, u64)> = thread::scope(|scope| {
        let threads: Vec<_> =
            sharers.into_iter().map(|sharer| scope.spawn(|| turns(sharer, &witness, each))).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            if began.elapsed() >= limit {
                witness.over.store(true, Ordering::SeqCst);
            }
            thread::sleep(Duration::from_millis(1));
        }
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let entries: Vec<u64> = turns.iter().map(|&(entries, _)| entries).collect();
    let total: u64 = entries.iter().sum();
    Ok(Came {
        met: witness.met.load(Ordering::SeqCst),
        lost: total.saturating_sub(witness.count.load(Ordering::SeqCst)),
        accesses: turns.iter().map(|&(_, accesses)| accesses).sum(),
        took: began.elapsed(),
        complete: turns.len() == scenario.n as usize && entries.iter().all(|&made| made == each),
        entries,
    })
}

/// What one thread does: its entries, and its accesses.
fn turns(mut process: Sharer, witness: &Witness, each: u64) -> (u64, u64) {
    let (mut entries, mut accesses) = (0, 0);
    while entries < each {
        process.request();
        let mut steps = 0u32;
        while process.stage() == Stage::Waiting {
            accesses += u64::from(process.step());
            steps += 1;
            if steps.is_multiple_of(SPIN) {
                if witness.over.load(Ordering::Relaxed) {
                    return (entries, accesses);
                }
                thread::yield_now();
            }
        }
        witness.inside();
        entries += 1;
        process.release();
        while process.step() {
            accesses += 1;
        }
        if witness.over.load(Ordering::Relaxed) {
            break;
        }
    }
    (entries, accesses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::registry::{ALL, find};

    fn lock(name: &str, n: u32, each: u64) -> Came {
        let entry = find(ALL, name).expect("it is in the registry");
        run(entry, &Scenario::new(n), each, Duration::from_secs(60)).expect("it is a lock on registers")
    }

    /// The same code as in the simulator and the checker: everybody comes in, and nobody meets anybody inside.
    #[test]
    fn threads_exclude_each_other() {
        for (name, n) in
            [("dekker", 2), ("dijkstra-1965", 3), ("peterson-lock", 2), ("filter-lock", 3), ("bakery", 3)]
        {
            let came = lock(name, n, 2_000);
            assert!(came.holds() && came.complete, "{name}: {came:?}");
            assert_eq!(came.entries, vec![2_000; n as usize], "{name}");
        }
    }

    /// The witness is no decoration: without a lock additions are lost, or somebody is met.
    #[test]
    fn witness_sees_two_inside() {
        let witness = Witness::default();
        witness.inside.store(1, Ordering::SeqCst); // somebody is in there
        witness.inside();
        assert_eq!(witness.met.load(Ordering::SeqCst), 1);
    }

    /// Machines read several registers in one step, and elections have none.
    #[test]
    fn only_locks_on_single_registers_are_threads() {
        for name in ["dijkstra-k", "peterson", "ricart-agrawala"] {
            let entry = find(ALL, name).expect("it is in the registry");
            let refused = run(entry, &Scenario::new(4), 1, Duration::from_secs(1));
            assert_eq!(refused, Err(Refusal::NoSingleRegisters), "{name}");
        }
        let settings = vec![("registers".to_owned(), "safe".to_owned())];
        let entry = find(ALL, "bakery").expect("it is in the registry");
        let refused = run(entry, &Scenario { settings, ..Scenario::new(2) }, 1, Duration::from_secs(1));
        assert_eq!(refused, Err(Refusal::WeakRegisters { needs: "atomic", got: "safe" }));
    }
}
