//! The tempting mistakes: each rule left out, one at a time, must be found by the same auditor that finds
//! nothing wrong with the servers that run.

use crate::asked;
use crate::auditor::Violation;
use crate::client::Flaw;
use crate::schedule::run;
use crate::setup::{Kinds, Setup, Use};
use crate::world::World;
use ringleader::rng::{Purpose, Rng};
use ringleader_live::Micros;
use ringleader_locks::{Name, Rule, Rules, Times};
use std::ops::Range;

/// How many schedules a mistake may hide in.
const MOST: u64 = 5000;

/// A mistake, and where it is looked for.
struct Mistake {
    rules: Rules,
    name: &'static str,
    /// A seed that finds it. The search begins here, so that it is short; with `REHEARSE_MISTAKES` it begins at 0.
    seed: u64,
    flaw: Flaw,
    adjust: fn(&mut Setup),
    /// The same setup without the mistake.
    right: fn(&mut Setup),
    happens: fn(&mut World),
}

/// Servers that leave out a rule.
fn servers(
    rule: Rule,
    name: &'static str,
    seed: u64,
    adjust: fn(&mut Setup),
    happens: fn(&mut World),
) -> Mistake {
    Mistake { rules: Rules::without(rule), name, seed, flaw: Flaw::None, adjust, right: adjust, happens }
}

/// A store that does something wrong.
fn store(name: &'static str, seed: u64, adjusts: [fn(&mut Setup); 2], happens: fn(&mut World)) -> Mistake {
    let [adjust, right] = adjusts;
    Mistake { rules: Rules::default(), name, seed, flaw: Flaw::None, adjust, right, happens }
}

/// Clients that do.
fn clients(name: &'static str, seed: u64, flaw: Flaw) -> Mistake {
    let rules = Rules::default();
    Mistake { rules, name, seed, flaw, adjust: as_drawn, right: as_drawn, happens: faults }
}

impl Mistake {
    /// Whether it is found, and nothing is where it is not made; and the line of the table.
    fn is_found(&self) -> (bool, String) {
        let all = asked("REHEARSE_MISTAKES").is_some();
        let from = if all { 0 } else { self.seed };
        let name = self.name;
        let seeds = from..from + MOST;
        let Some((seed, violation)) = found_in(self.rules, seeds, self.flaw, self.adjust, self.happens)
        else {
            return (false, format!("{name:<40} not found with {MOST} seeds from {from}"));
        };
        let seeds = seed..seed + if all { 10 } else { 1 };
        let right = found_in(Rules::default(), seeds, Flaw::None, self.right, self.happens);
        if let Some((seed, violation)) = right {
            return (false, format!("{name:<40} without it, seed {seed}: {violation:?}"));
        }
        let what: String = violation.what.chars().take(70).collect();
        (true, format!("{name:<40} {} with seed {seed:>5}: {what}", violation.invariant))
    }
}

/// The first seed with which something is violated, and what.
fn found_in(
    rules: Rules,
    mut seeds: Range<u64>,
    flaw: Flaw,
    adjust: fn(&mut Setup),
    happens: fn(&mut World),
) -> Option<(u64, Violation)> {
    seeds.find_map(|seed| {
        let mut setup = Setup::of(Kinds::Violent, &mut Rng::new(seed, Purpose::Workload));
        adjust(&mut setup);
        let violation = run(rules, setup, seed, flaw, false, &mut |world| happens(world)).violation;
        violation.map(|violation| (seed, violation))
    })
}

fn faults(world: &mut World) {
    for _ in 0..world.setup.faults {
        let pause = world.rng.below(world.setup.gap);
        world.run(world.real + pause, &|_| false);
        world.something();
    }
}

/// Nothing goes wrong.
fn nothing(_: &mut World) {}

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

/// Again and again one leaves that has not been heard.
fn untold(world: &mut World) {
    for _ in 0..world.setup.faults {
        let Setup { times, gap, .. } = world.setup;
        let pause = world.rng.below(gap);
        world.run(world.real + pause, &|_| false);
        world.leaves_untold();
        world.run(world.real + 3 * times.leases[2].0, &|_| false);
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

/// One lock that is wanted all the time and held for a while, at three servers.
fn wanted(setup: &mut Setup) {
    setup.names.truncate(1);
    (setup.servers, setup.faults, setup.late, setup.loss, setup.doubled) = (3, 6, 1000, 0, 0);
    (setup.think, setup.hold) = (setup.renew / 8, 4 * setup.renew);
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

/// Locks that are read and written all the time, and semaphores.
fn several(setup: &mut Setup) {
    setup.uses =
        vec![Use::ReadAndWrite, Use::Permits(2), Use::ReadAndWrite, Use::Permits(1), Use::ReadAndWrite];
    busy(setup);
    setup.hold = setup.times.leases[0].0;
}

/// One lock that one wants to write, and that the others read without end.
fn readers(setup: &mut Setup) {
    crowded(setup);
    (setup.uses, setup.restless) = (vec![Use::ReadAndWrite], true);
    (setup.width, setup.hold) = (2, setup.renew * 4);
}

#[test]
fn every_mistake_is_found() {
    let mistakes = [
        servers(Rule::Waits, "tokens re-created at once", 7, as_drawn, faults),
        servers(Rule::LeaseAlways, "lease looked at once a session", 96, as_drawn, faults),
        servers(Rule::LeaseFromSent, "lease from the answer", 148, late, faults),
        servers(Rule::OwnRun, "a lost folder counts as never ran", 7, as_drawn, loses),
        store("a new cluster counts as never ran", 7, [begins_known, as_drawn], loses_all),
        store("reads too early after a restart", 19, [resumes_early, keeps_a_log], resumes),
        servers(Rule::Knew, "knows what it never knew", 4, as_drawn, faults),
        servers(Rule::InARow, "knows what it knew long ago", 2, unguarded, misses_epochs),
        servers(Rule::Suspects, "what had a chain is free", 2, as_drawn, faults),
        servers(Rule::Afterwards, "an old report is enough", 0, as_drawn, faults),
        servers(Rule::Incarnations, "report of any incarnation", 0, unguarded, restarts),
        servers(Rule::Epochs, "messages of any epoch", 5, as_drawn, faults),
        servers(Rule::Once, "a token taken twice", 5, as_drawn, faults),
        servers(Rule::Reports, "re-created without reports", 5, as_drawn, faults),
        servers(Rule::StepsDown, "no stepping down", 20, as_drawn, faults),
        servers(Rule::Resends, "nothing is sent again", 3, as_drawn, faults),
        servers(Rule::OpenFirst, "a home asks itself too early", 0, as_drawn, faults),
        servers(Rule::EpochInFence, "no epoch in the fence", 0, as_drawn, faults),
        servers(Rule::ServesFirst, "passes before it serves", 1, crowded, faults),
        servers(Rule::Drift, "clocks taken for equal", 1155, as_drawn, faults),
        servers(Rule::GoesOn, "numbers of a chain begin anew", 4, as_drawn, faults),
        servers(Rule::Since, "who was out thinks that it was not", 0, unguarded, sleeps),
        servers(Rule::MovesFirst, "a session on its way forgotten", 82, as_drawn, leaves),
        servers(Rule::TellsFirst, "a lock moved before its home knew", 251, wanted, untold),
        servers(Rule::Frozen, "a session on its way extended", 2, held_long, unheard),
        servers(Rule::Remembers, "a session that came forgotten", 49, as_drawn, leaves),
        servers(Rule::OwnWord, "denied what an earlier run took", 77, held_long, by_way_of_another),
        servers(Rule::Seats, "a seat that was lost before", 4, as_drawn, faults),
        servers(Rule::Each, "somebody is gone, so everybody is", 3, as_drawn, faults),
        servers(Rule::CountsOn, "every view is waited for anew", 4, as_drawn, faults),
        servers(Rule::OneRun, "waits for an earlier run of itself", 3, quick, World::leader_restarts),
        servers(Rule::Undisturbed, "backs off where nobody is", 0, quick, World::all_flap),
        servers(Rule::Lends, "a token forgets who holds", 2, several, faults),
        servers(Rule::LendsAgain, "sent again, it forgets who holds", 36, several, faults),
        servers(Rule::Everywhere, "holders elsewhere do not count", 2, several, faults),
        servers(Rule::OutlastsGone, "who is gone holds nothing", 62, several, faults),
        servers(Rule::SameSeat, "a run answers for an earlier one", 452, several, loses),
        servers(Rule::ReportsHolds, "a hold without a token unreported", 65, several, faults),
        servers(Rule::InTurn, "readers pass a writer who waits", 0, readers, nothing),
        clients("client: grant taken too late", 4, Flaw::TakesLate),
        clients("client: grant of another request", 20, Flaw::AnyRequest),
        clients("client: promise from the answer", 53, Flaw::FromReceipt),
        clients("client: clock taken for the server's", 4, Flaw::NoMargin),
    ];
    let lines = mistakes.iter().map(Mistake::is_found).inspect(|(_, line)| println!("{line}"));
    assert_eq!(lines.filter(|(found, _)| !found).count(), 0);
}
