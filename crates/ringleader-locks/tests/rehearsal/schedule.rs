//! One schedule, from its seed: things go wrong for a while, everything is healed, and everybody must be
//! served.

use crate::auditor::Violation;
use crate::client::Flaw;
use crate::setup::{Setup, Use};
use crate::totals::Counts;
use crate::world::World;
use ringleader::rng::{Purpose, Rng};
use ringleader_locks::Rules;

/// What came of a schedule.
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    pub(crate) violation: Option<Violation>,
    pub(crate) log: Vec<String>,
}

/// The schedule with this seed, as the generator makes it.
pub(crate) fn schedule(rules: Rules, seed: u64, log: bool) -> Outcome {
    let mut setup = Setup::drawn(&mut Rng::new(seed, Purpose::Workload));
    setup.shares(seed);
    run(rules, setup, seed, Flaw::None, log, &mut |world| {
        for _ in 0..world.setup.faults {
            let pause = world.rng.below(world.setup.gap);
            world.run(world.real + pause, &|_| false);
            world.something();
        }
    })
}

/// A schedule in which these things happen.
pub(crate) fn run(
    rules: Rules,
    setup: Setup,
    seed: u64,
    flaw: Flaw,
    log: bool,
    happens: &mut dyn FnMut(&mut World),
) -> Outcome {
    let mut world: World = World::new(rules, setup, seed, flaw, log);
    let begin = world.setup.times.leases[0].0 * 2;
    world.run(begin, &|_| false);
    happens(&mut world);
    if world.auditor.violation.is_none() {
        closes(&mut world);
    }
    let mut counts = world.counts;
    counts.schedules = 1;
    let shared = |lock| world.setup.used(lock) != Use::Exclusively;
    counts.sharing = u64::from((0..world.setup.names.len()).any(shared));
    counts.beside = world.auditor.beside;
    counts.slowest_seed = seed;
    counts.simulated = world.real;
    counts.taken = world.auditor.taken;
    counts.written = world.auditor.written;
    counts.refused = world.auditor.refused;
    let mut log = world.log.unwrap_or_default();
    if !log.is_empty() {
        log.insert(0, format!("{:?}", world.setup));
    }
    Outcome { counts, violation: world.auditor.violation, log }
}

/// I4 and I5: once everything is healed, every lock is granted again, and every client has every lock once.
fn closes(world: &mut World) {
    world.heal();
    let healed = world.real;
    let setup = &world.setup;
    // The longest wait of all that may run, on the slowest clock, and the time of the guardian. Long leases
    // may have been set meanwhile. What is added is for back-off, sessions that must end first, and
    // everybody's turn.
    let running = world.view.running.iter().map(|lease| lease.0).max().unwrap_or(0);
    let longest = setup.longest().max(running);
    let wait = world.view.times.wait(ringleader_live::Micros(longest * 3 / 2)).0;
    let turn = setup.hold + 8 * setup.delay + setup.renew;
    let turns = (setup.clients * setup.names.len()) as u64 * (turn + setup.suspect);
    let allowed = 4 * wait + 4 * setup.suspect + turns + 70_000_000;
    // I5: the wait, the time of the guardian and, one after the other, a change of the view for each server, all on
    // the slowest clock; from when somebody was elected, and the last of what was on its way has come.
    let (million, drift) = (1_000_000, u64::from(setup.times.drift_ppm));
    let changes = setup.servers as u64 * (setup.pause + setup.renew + 4 * setup.delay);
    let bound = (world.view.longest_wait().0 + setup.suspect + changes) * million / (million - drift);
    while !world.run(world.stirred + bound, &World::is_open) && world.auditor.violation.is_none() {
        if world.real >= world.stirred + bound {
            let what = format!("not open {} ms after the last one was elected", bound / 1000);
            world.auditor.accuse("I5", world.real, what);
        }
    }
    world.counts.slowest_opening = world.real.saturating_sub(world.stirred) * 100 / bound.max(1);
    let done = |world: &World| world.clients.iter().all(|client| client.is_served());
    let all = world.run(healed + allowed, &done);
    if !all && world.auditor.violation.is_none() {
        let told = world.clients.iter().enumerate().filter(|(_, client)| !client.is_served());
        let told: Vec<String> =
            told.map(|(place, client)| format!("client {place}: {}", client.told())).collect();
        let status: Vec<String> = world
            .hosts
            .iter()
            .map(|host| {
                let now = host.clock.shows(world.real);
                format!(
                    "{:?}",
                    host.server.as_ref().map(|server| (server.status(now), server.locks(now, None, 100)))
                )
            })
            .collect();
        let what = format!(
            "{} s after everything was healed: {}\n{}\nview {} {:?}",
            allowed / 1_000_000,
            told.join("\n"),
            status.join("\n"),
            world.view.epoch,
            world.view.members
        );
        world.auditor.accuse("I4", world.real, what);
    }
    let latest = world.auditor.firsts().flatten().max().unwrap_or(healed);
    world.counts.slowest = (latest - healed) * 100 / bound.max(1);
}
