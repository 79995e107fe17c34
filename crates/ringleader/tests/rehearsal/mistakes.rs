//! The tempting mistakes: each rule left out, one at a time, must be found by the same auditor that finds
//! nothing wrong with the servers that run.

use crate::auditor::Violation;
use crate::client::Flaw;
use crate::schedule::run;
use crate::setup::{Kinds, Setup};
use crate::world::{World, with};
use ringleader::live::Micros;
use ringleader::lock::{Flawless, Name, Rules, Times};
use ringleader::rng::{Purpose, Rng};

macro_rules! without {
    ($($name:ident $rule:ident)*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            enum $name {}
            impl Rules for $name {
                const $rule: bool = false;
            }
        )*
    };
}

without! {
    Impatient WAITS
    LeaseOnce LEASE_ALWAYS
    LeaseFromAnswer LEASE_FROM_SENT
    NeverRan OWN_RUN
    AnyIncarnation INCARNATIONS
    AnyEpoch EPOCHS
    TakesTwice ONCE
    NoReports REPORTS
    NoStepDown STEPS_DOWN
    NoResend RESENDS
    AsksItself OPEN_FIRST
    CounterOnly EPOCH_IN_FENCE
    PassesFirst SERVES_FIRST
    NoDrift DRIFT
    NobodyGoesOn GOES_ON
    NeverOut SINCE
    LeavesAtOnce MOVES_FIRST
    Extends FROZEN
    Forgets REMEMBERS
    SpeaksForAnother OWN_WORD
    CountsFromBefore SEATS
    GoneIsGone EACH
    WaitsAnew COUNTS_ON
    WaitsForItself ONE_RUN
    AlwaysBacksOff UNDISTURBED
    KnowsAnyway KNEW
    KnowsFromLongAgo IN_A_ROW
    SuspectsNobody SUSPECTS
    OnceIsEnough AFTERWARDS
}

/// How many schedules a mistake may hide in.
const MOST: u64 = 5000;

/// The first schedule in which something is violated: how many it took, and what.
fn found<R: Rules + 'static>(
    flaw: Flaw,
    adjust: fn(&mut Setup),
    happens: fn(&mut World),
) -> Option<(u64, Violation)> {
    found_in::<R>(MOST, flaw, adjust, happens)
}

fn found_in<R: Rules + 'static>(
    most: u64,
    flaw: Flaw,
    adjust: fn(&mut Setup),
    happens: fn(&mut World),
) -> Option<(u64, Violation)> {
    (0..most).find_map(|seed| {
        let mut setup = Setup::of(Kinds::Violent, &mut Rng::new(seed, Purpose::Workload));
        adjust(&mut setup);
        let violation = run(with::<R>, setup, seed, flaw, false, &mut |world| happens(world)).violation;
        violation.map(|violation| (seed + 1, violation))
    })
}

fn faults(world: &mut World) {
    for _ in 0..world.setup.faults {
        let pause = world.rng.below(world.setup.gap);
        world.run(world.real + pause, &|_| false);
        world.something();
    }
}

/// Again and again: the homes move, one installs that view, grants and is not heard, and then is killed and
/// comes back.
fn restarts(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { renew, times, .. } = world.setup;
        let host = world.moves_home();
        world.run(world.real + 2 * renew, &|_| false);
        world.crash(host);
        world.heal_network();
        world.restart(host);
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
    }
}

/// Again and again one sleeps while it is out.
fn sleeps(world: &mut World) {
    for _ in 0..world.setup.faults {
        world.sleeps_through();
    }
}

/// Again and again one leaves, and meanwhile the view changes.
fn leaves(world: &mut World) {
    for _ in 0..world.setup.faults {
        let pause = world.rng.below(world.setup.gap);
        world.run(world.real + pause, &|_| false);
        world.leaves_while_homes_move();
    }
}

/// Again and again one leaves that does not hear what became of its sessions.
fn unheard(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { times, gap, .. } = world.setup;
        let pause = world.rng.below(gap);
        world.run(world.real + pause, &|_| false);
        world.leaves_and_hears_nothing();
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
        world.heal_network();
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
    }
}

/// Again and again a session leaves by way of a server that leaves, is killed and comes back.
fn by_way_of_another(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { times, gap, .. } = world.setup;
        let pause = world.rng.below(gap);
        world.run(world.real + pause, &|_| false);
        world.leaves_by_way_of_another();
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
        world.heal_network();
    }
}

/// Again and again a server is excluded, and the leader of the store restarts inside its term.
fn resumes(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { times, gap, .. } = world.setup;
        let pause = world.rng.below(gap);
        world.run(world.real + pause, &|_| false);
        world.is_excluded_while_the_leader_restarts();
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
    }
}

/// Again and again a home misses some epochs.
fn misses_epochs(world: &mut World) {
    for _ in 0..world.setup.faults {
        world.sleeps_while_others_are_homes();
        world.run(world.real + 3 * world.setup.times.leases[2].0, &|_| false);
        world.heal_network();
    }
}

/// Again and again a data folder is lost.
fn loses(world: &mut World) {
    for _ in 0..world.setup.faults {
        let pause = world.rng.below(world.setup.gap);
        world.run(world.real + pause, &|_| false);
        let host = world.server_that_matters();
        world.loses_folder(host);
    }
}

/// Again and again all of them are.
fn loses_all(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { times, gap, .. } = world.setup;
        let pause = world.rng.below(gap) + 3 * times.leases[2].0;
        world.run(world.real + pause, &|_| false);
        world.begins_anew();
    }
}

/// A line of the table.
fn line(name: &str, found: Option<(u64, Violation)>) -> (bool, String) {
    match found {
        Some((schedules, violation)) => {
            let what: String = violation.what.chars().take(70).collect();
            (true, format!("{name:<44} {} after {schedules:>5} schedules: {what}", violation.invariant))
        }
        None => (false, format!("{name:<44} not found in {MOST} schedules")),
    }
}

/// As drawn.
fn as_drawn(_: &mut Setup) {}

/// Answers of the store that come late.
fn late(setup: &mut Setup) {
    (setup.late, setup.loss) = (4, 0);
}

/// Nobody is excluded for being silent, all leases are short, and one lock is wanted all the time.
fn unguarded(setup: &mut Setup) {
    setup.suspect = 1000 * setup.times.leases[2].0;
    setup.times.leases = [setup.times.leases[0]; 3];
    setup.names.truncate(1);
    (setup.late, setup.loss, setup.doubled, setup.clients, setup.faults) = (1000, 0, 0, 8, 6);
    busy(setup);
}

/// One lock that everybody wants, at five servers that are equally far from each other.
fn crowded(setup: &mut Setup) {
    setup.names = vec![Name::lock("b/0").expect("a name")];
    (setup.servers, setup.clients, setup.bypass, setup.faults) = (5, 12, 0, 1);
    (setup.late, setup.loss, setup.doubled) = (u64::MAX, 0, 0);
    (setup.steady, setup.delay) = (true, setup.renew / 16);
    busy(setup);
}

/// One lock that is held for longer than its lease.
fn held_long(setup: &mut Setup) {
    unguarded(setup);
    (setup.hold, setup.faults) = (4 * setup.times.leases[0].0, 3);
}

/// Everything takes much less than a second, and one at a time may propose.
fn quick(setup: &mut Setup) {
    setup.times = Times { leases: [Micros::millis(100); 3], ..Times::default() };
    (setup.renew, setup.suspect, setup.pause, setup.delay) = (25_000, 50_000, 0, 1000);
    (setup.servers, setup.anybody) = (3, false);
}

/// The store has a leader, which answers reads too early after a restart.
fn resumes_early(setup: &mut Setup) {
    keeps_a_log(setup);
    setup.resumes_early = true;
}

/// The store has a leader, and is asked for what was long ago.
fn keeps_a_log(setup: &mut Setup) {
    (setup.anybody, setup.snapshot_after) = (false, 64);
}

/// A cluster that begins thinks that there was none before.
fn begins_known(setup: &mut Setup) {
    setup.begins_unknown = false;
}

/// Many locks that go to and fro, and clients that want them all the time.
fn busy(setup: &mut Setup) {
    (setup.think, setup.hold) = (setup.renew / 8, setup.renew / 8);
}

#[test]
fn every_mistake_is_found() {
    let lines = [
        line("tokens re-created at once", found::<Impatient>(Flaw::None, as_drawn, faults)),
        line("lease looked at once a session", found::<LeaseOnce>(Flaw::None, as_drawn, faults)),
        line("lease from the answer", found::<LeaseFromAnswer>(Flaw::None, late, faults)),
        line("a lost folder counts as never ran", found::<NeverRan>(Flaw::None, as_drawn, loses)),
        line("a new cluster counts as never ran", found::<Flawless>(Flaw::None, begins_known, loses_all)),
        line("store: reads too early after a restart", found::<Flawless>(Flaw::None, resumes_early, resumes)),
        line("knows what it never knew", found::<KnowsAnyway>(Flaw::None, as_drawn, faults)),
        line("knows what it knew long ago", found::<KnowsFromLongAgo>(Flaw::None, unguarded, misses_epochs)),
        line("what had a chain is free", found::<SuspectsNobody>(Flaw::None, as_drawn, faults)),
        line("an old report is enough", found::<OnceIsEnough>(Flaw::None, as_drawn, faults)),
        line("report of any incarnation", found::<AnyIncarnation>(Flaw::None, unguarded, restarts)),
        line("messages of any epoch", found::<AnyEpoch>(Flaw::None, as_drawn, faults)),
        line("a token taken twice", found::<TakesTwice>(Flaw::None, as_drawn, faults)),
        line("re-created without reports", found::<NoReports>(Flaw::None, as_drawn, faults)),
        line("no stepping down", found::<NoStepDown>(Flaw::None, as_drawn, faults)),
        line("nothing is sent again", found::<NoResend>(Flaw::None, as_drawn, faults)),
        line("a home asks itself too early", found::<AsksItself>(Flaw::None, as_drawn, faults)),
        line("no epoch in the fence", found::<CounterOnly>(Flaw::None, as_drawn, faults)),
        line("passes before it serves", found::<PassesFirst>(Flaw::None, crowded, faults)),
        line("clocks taken for equal", found::<NoDrift>(Flaw::None, as_drawn, faults)),
        line("numbers of a chain begin anew", found::<NobodyGoesOn>(Flaw::None, as_drawn, faults)),
        line("who was out thinks that it was not", found::<NeverOut>(Flaw::None, unguarded, sleeps)),
        line("a session on its way forgotten", found::<LeavesAtOnce>(Flaw::None, as_drawn, leaves)),
        line("a session on its way extended", found::<Extends>(Flaw::None, held_long, unheard)),
        line("a session that came forgotten", found::<Forgets>(Flaw::None, as_drawn, leaves)),
        line(
            "denied what an earlier run took",
            found::<SpeaksForAnother>(Flaw::None, held_long, by_way_of_another),
        ),
        line("a seat that was lost before", found::<CountsFromBefore>(Flaw::None, as_drawn, faults)),
        line("somebody is gone, so everybody is", found::<GoneIsGone>(Flaw::None, as_drawn, faults)),
        line("every view is waited for anew", found::<WaitsAnew>(Flaw::None, as_drawn, faults)),
        line(
            "waits for an earlier run of itself",
            found::<WaitsForItself>(Flaw::None, quick, World::leader_restarts),
        ),
        line("backs off where nobody is", found::<AlwaysBacksOff>(Flaw::None, quick, World::all_flap)),
        line("client: grant taken too late", found::<Flawless>(Flaw::TakesLate, as_drawn, faults)),
        line("client: grant of another request", found::<Flawless>(Flaw::AnyRequest, as_drawn, faults)),
        line("client: promise from the answer", found::<Flawless>(Flaw::FromReceipt, as_drawn, faults)),
        line("client: clock taken for the server's", found::<Flawless>(Flaw::NoMargin, as_drawn, faults)),
    ];
    // Where a mistake has a world of its own, the right servers hold in it.
    for (adjust, happens) in [
        (late as fn(&mut Setup), faults as fn(&mut World)),
        (busy, faults),
        (unguarded, restarts),
        (unguarded, sleeps),
        (crowded, faults),
        (as_drawn, leaves),
        (held_long, unheard),
        (quick, World::leader_restarts),
        (quick, World::all_flap),
        (held_long, by_way_of_another),
        (unguarded, misses_epochs),
        (keeps_a_log, resumes),
        (as_drawn, loses),
        (as_drawn, loses_all),
    ] {
        assert_eq!(found_in::<Flawless>(10, Flaw::None, adjust, happens), None);
    }
    for (_, line) in &lines {
        println!("{line}");
    }
    assert!(lines.iter().all(|(found, _)| *found));
}
