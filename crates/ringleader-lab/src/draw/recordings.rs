//! Runs for the tests of this crate: every algorithm, every schedule, every fault.

use ringleader::registry::find;
use ringleader::sim::{Delay, Fault, Ids, Recorder, Scenario, Schedule};
use ringleader::trace::Recording;

/// The recording of a run; none if it is refused.
pub(crate) fn attempt(name: &str, scenario: &Scenario) -> Option<Recording> {
    let mut recorder = Recorder::default();
    find(ringleader_errata::all(), name)?.run(scenario, &mut recorder).ok()?;
    recorder.recording()
}

/// The recording of a run that is admitted.
pub(crate) fn record(name: &str, scenario: &Scenario) -> Recording {
    attempt(name, scenario).unwrap_or_else(|| panic!("{name} is refused"))
}

/// Chang and Roberts with these identities.
pub(crate) fn ring(ids: &[u64]) -> Recording {
    let scenario = Scenario { ids: Ids::Listed(ids.to_vec()), ..Scenario::new(ids.len() as u32) };
    record("chang-roberts", &scenario)
}

/// Mutual exclusion among four, with losses, copies, a crash and a recovery.
pub(crate) fn faulty() -> Recording {
    let scenario = Scenario {
        faults: vec![
            Fault::Duplicate(0.3),
            Fault::Loss(0.2),
            Fault::Crash { process: 1, at: 1 },
            Fault::Recover { process: 1, at: 4 },
        ],
        unsound: true,
        max_steps: Some(200),
        ..Scenario::new(4)
    };
    record("ricart-agrawala", &scenario)
}

/// Every algorithm under several schedules, cut short where it goes on for ever; and faults.
pub(crate) fn everything() -> Vec<Recording> {
    let mut all = vec![faulty()];
    for entry in ringleader_errata::all() {
        for schedule in
            [Schedule::Rounds, Schedule::Random, Schedule::Delay(Delay::Uniform(500_000, 1_000_000))]
        {
            let n = entry.spec.needs.processes.nearest(4).1;
            let scenario = Scenario { schedule, seed: 5, max_steps: Some(150), ..Scenario::new(n) };
            all.extend(attempt(entry.spec.name, &scenario));
        }
    }
    assert!(all.len() > ringleader_errata::all().len(), "every algorithm is recorded at least once");
    all
}
