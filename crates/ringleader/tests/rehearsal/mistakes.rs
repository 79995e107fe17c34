//! The tempting mistakes: each rule left out, one at a time, must be found by the same auditor that finds nothing wrong
//! with the servers that run.

use crate::auditor::Violation;
use crate::client::Flaw;
use crate::schedule::run;
use crate::setup::{Kinds, Setup};
use crate::world::{World, with};
use ringleader::lock::{Flawless, Rules};
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
    NoQuarantine QUARANTINE
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
    AlwaysGoesOn SINCE
    NobodyGoesOn GOES_ON
}

/// How many schedules a mistake may hide in.
const MOST: u64 = 2000;

/// The first schedule in which something is violated: how many it took, and what.
fn found<R: Rules + 'static>(flaw: Flaw, kind: Kinds, adjust: fn(&mut Setup)) -> Option<(u64, Violation)> {
    (0..MOST).find_map(|seed| {
        let mut setup = Setup::of(kind, &mut Rng::new(seed, Purpose::Workload));
        adjust(&mut setup);
        let violation = run(with::<R>, setup, seed, flaw, false, &mut faults).violation;
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

/// Many locks that go to and fro, and clients that want them all the time.
fn busy(setup: &mut Setup) {
    (setup.think, setup.hold) = (setup.renew / 8, setup.renew / 8);
}

#[test]
fn every_mistake_is_found() {
    let violent = Kinds::Violent;
    let lines = [
        line("tokens re-created at once", found::<Impatient>(Flaw::None, violent, as_drawn)),
        line("lease looked at once a session", found::<LeaseOnce>(Flaw::None, violent, as_drawn)),
        line("lease from the answer", found::<LeaseFromAnswer>(Flaw::None, violent, late)),
        line("no quarantine", found::<NoQuarantine>(Flaw::None, violent, as_drawn)),
        line("report of any incarnation", found::<AnyIncarnation>(Flaw::None, violent, as_drawn)),
        line("messages of any epoch", found::<AnyEpoch>(Flaw::None, violent, as_drawn)),
        line("a token taken twice", found::<TakesTwice>(Flaw::None, violent, as_drawn)),
        line("re-created without reports", found::<NoReports>(Flaw::None, violent, as_drawn)),
        line("no stepping down", found::<NoStepDown>(Flaw::None, violent, as_drawn)),
        line("nothing is sent again", found::<NoResend>(Flaw::None, violent, as_drawn)),
        line("a home asks itself too early", found::<AsksItself>(Flaw::None, violent, as_drawn)),
        line("no epoch in the fence", found::<CounterOnly>(Flaw::None, violent, as_drawn)),
        line("passes before it serves", found::<PassesFirst>(Flaw::None, violent, as_drawn)),
        line("clocks taken for equal", found::<NoDrift>(Flaw::None, violent, as_drawn)),
        line("goes on after it was out", found::<AlwaysGoesOn>(Flaw::None, violent, busy)),
        line("numbers of a chain begin anew", found::<NobodyGoesOn>(Flaw::None, violent, as_drawn)),
        line("client: grant taken too late", found::<Flawless>(Flaw::TakesLate, violent, as_drawn)),
        line("client: grant of another request", found::<Flawless>(Flaw::AnyRequest, violent, as_drawn)),
        line("client: promise from the answer", found::<Flawless>(Flaw::FromReceipt, violent, as_drawn)),
        line("client: clock taken for the server's", found::<Flawless>(Flaw::NoMargin, violent, as_drawn)),
    ];
    for (_, line) in &lines {
        println!("{line}");
    }
    assert!(lines.iter().all(|(found, _)| *found));
}
