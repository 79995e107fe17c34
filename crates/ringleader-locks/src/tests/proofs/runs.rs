//! The searches: what holds, how large it is, and the shortest way to what fails without a rule. Three servers
//! have many states: with a tick and a view change no search comes to its end in the time that tests have, so
//! that one is bounded, and reaches further than where the wrong version fails. The rehearsal goes on from here.

use super::world::{Size, World};
use crate::Mode;
use crate::server::{Rule, Rules};
use ringleader::check::{self, Effort, ModelFindings, ModelRun};

fn searched(rules: Rules, size: Size, most: Option<u64>) -> ModelFindings<World> {
    check::model(&World::new(rules, size), &Effort { max_states: most, ..Effort::default() }, &())
}

/// How many states were looked at, each of which is well: all that there are, or as many as asked.
fn states(size: Size, most: Option<u64>) -> u64 {
    let findings = searched(Rules::default(), size, most);
    if let Some(run) = &findings.counterexample {
        panic!("{size:?}: {}: {}", run.property, told(run));
    }
    assert!(findings.holds() || most.is_some(), "{size:?}: {findings:?}");
    findings.states
}

/// The steps of a run, each in words.
fn told(run: &ModelRun<World>) -> String {
    let steps = run.states.iter().zip(&run.actions);
    steps.map(|(world, action)| world.told(*action)).collect::<Vec<_>>().join("; ")
}

/// Server 2 has a fast clock, server 0 is the home, each client asks once.
const SMALL: Size = Size {
    fast: 0b100,
    home: 0,
    ticks: 0,
    views: 0,
    restarts: 0,
    repetitions: 0,
    requests: 1,
    drains: 0,
    modes: [Mode::Exclusive; 2],
};

#[test]
fn before_any_time_passes() {
    let sizes = [
        Size { views: 1, ..SMALL },
        Size { home: 2, views: 1, ..SMALL },
        Size { home: 2, restarts: 1, ..SMALL },
        Size { views: 2, ..SMALL },
        Size { repetitions: 1, requests: 2, ..SMALL },
    ];
    assert_eq!(sizes.map(|size| states(size, None)), [185, 250, 453, 592, 1862]);
}

#[test]
fn a_tick_without_faults() {
    assert_eq!(states(Size { fast: 0, home: 2, ticks: 1, ..SMALL }, None), 44_300);
}

/// A tick and a view change: as far as the wrong version needs, and a little further.
#[test]
fn a_home_waits_for_old_leases() {
    let size = Size { ticks: 1, views: 1, ..SMALL };
    let run =
        searched(Rules::without(Rule::Waits), size, None).counterexample.expect("two are granted the same");
    assert_eq!(run.property, "each grant has a larger fence than the one before it");
    assert_eq!(
        told(&run),
        "tick; acquire B; exclude 0; read 1; read 2; report 12; req 12; token 21; acquire A"
    );
    assert!(states(size, Some(180_000)) >= 180_000);
}

/// A server leaves with a session that holds the lock. Should the view change meanwhile, and the old server not wait
/// until the session has arrived, two hold it.
#[test]
fn a_session_on_its_way_holds_up_the_next_view() {
    let size = Size { ticks: 1, views: 1, drains: 1, ..SMALL };
    let run =
        searched(Rules::without(Rule::MovesFirst), size, None).counterexample.expect("two hold the same");
    assert_eq!(run.property, "no two hold at once");
    assert_eq!(
        told(&run),
        "acquire B; homes move; read 1; read 2; report 21; drain 0; read 0; report 01; grant to B"
    );
    assert!(states(size, Some(320_000)) >= 320_000);
    // Without a view change everything there is.
    let size = Size { views: 0, ..size };
    let sizes = [size, Size { repetitions: 1, ..size }, Size { requests: 2, ..size }];
    assert_eq!(sizes.map(|size| states(size, None)), [12_850, 68_790, 182_920]);
}

/// A server is excluded while its client may get the lock. The home goes on, and knows what was free; this was not.
#[test]
fn continuing_home_waits_for_chained_locks() {
    let size = Size { home: 1, ticks: 1, views: 1, ..SMALL };
    let run = searched(Rules::without(Rule::Suspects), size, None)
        .counterexample
        .expect("two are granted the same");
    assert_eq!(told(&run), "tick; acquire A; exclude 0; req 01; read 1; acquire B; token 10");
    assert!(states(size, Some(60_000)) >= 60_000);
}

/// A reads and B writes, at two servers; then two of a semaphore with one permit: everything there is
/// without a tick and
/// a view change.
#[test]
fn nobody_writes_beside_a_reader() {
    let size = Size { modes: [Mode::Shared, Mode::Exclusive], requests: 1, ..SMALL };
    for rule in [Rule::Lends, Rule::Everywhere] {
        let run = searched(Rules::without(rule), size, None).counterexample.expect("both hold");
        assert_eq!(run.property, "no two hold at once");
    }
    let one = Size { modes: [Mode::Permits(1); 2], ..size };
    let run = searched(Rules::without(Rule::Everywhere), one, None).counterexample.expect("both hold");
    assert_eq!(run.property, "no two hold at once");
    let sizes = [size, Size { repetitions: 1, ..size }, Size { requests: 2, ..size }, one];
    assert_eq!(sizes.map(|size| states(size, None)), [53, 226, 575, 952]);
}

/// The view changes while one reads whose server has lent the token: as far as the wrong version needs, and further.
#[test]
fn readers_outlive_a_lost_token() {
    let size = Size { modes: [Mode::Shared, Mode::Exclusive], ticks: 1, views: 1, ..SMALL };
    let found = searched(Rules::without(Rule::ReportsHolds), size, None);
    let run = found.counterexample.as_ref().expect("both hold");
    assert_eq!(run.property, "no two hold at once", "{}", told(run));
    assert!(states(size, Some(100_000)) >= found.states);
}
