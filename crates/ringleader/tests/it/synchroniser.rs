//! The synchroniser: what it makes of an asynchronous network is lock-step, whatever the schedule; and without waiting
//! it is not.

use crate::support::{election, entry, kind, run_well, schedules};
use ringleader::check::{Arrangements, Scope};
use ringleader::election::{LockStep, Synchronised};
use ringleader::model::*;
use ringleader::registry::Entry;
use ringleader::sim::{Ids, Ports, Recorder, Scenario, Schedule};
use ringleader::trace::Input;

state! {
    /// Everybody tells both neighbours the largest identity that it knows, for half a lap of rounds. It counts two
    /// messages to a round, which only lock-step makes right.
    struct Spread<W: Contract> {
        hidden spec: core::marker::PhantomData<fn() -> W>,
        id: Id,
        n: Size,
        largest: Id,
        heard: u32,
        round: u32,
        outcome = |me| Decision::of(me.id, (me.round > me.n.0 / 2).then_some(me.largest)),
    }
}

/// The same clauses under two contracts.
trait Contract: Clone + Eq + core::hash::Hash + core::fmt::Debug + Send + Sync + 'static {
    const SPEC: Spec;
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct InLockStep;
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Hasty;

const SPREAD: Spec =
    Spec::election("spread", 2026, "").links(Links::Fifo).elects(Winner::Largest, Informed::All);

impl Contract for InLockStep {
    const SPEC: Spec = SPREAD.timing(Timing::LockStep);
}

/// A synchroniser that does not wait: it hands over what comes when it comes.
impl Contract for Hasty {
    const SPEC: Spec = SPREAD;
}

messages! {
    enum Msg {
        /// The largest identity that the sender knows.
        "largest" Largest { id: Id },
    }
}

rules! {
    /// send largest to both sides
    Round,
}

impl<W: Contract> Process for Spread<W> {
    const SPEC: Spec = W::SPEC;
    types! { Given = (Id, Size), Port = Side }

    fn new((id, n): (Id, Size)) -> Self {
        Spread { spec: core::marker::PhantomData, id, n, largest: id, heard: 0, round: 1 }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Round);
        out.send_all(Side::BOTH, Msg::Largest { id: self.largest });
    }

    fn receive(&mut self, _: Side, Msg::Largest { id }: Msg, out: &mut impl Outbox<Self>) {
        self.largest = self.largest.max(id);
        self.heard += 1;
        if self.heard == 2 {
            (self.heard, self.round) = (0, self.round + 1);
            if self.round <= self.n.0 / 2 {
                self.start(out);
            }
        }
    }
}

impl LockStep for Spread<InLockStep> {
    const SYNCHRONISED: Spec = SPREAD;
}

state! {
    /// Identities go clockwise only, one lap in as many rounds as there are links: the way back carries nothing.
    struct Lap {
        id: Id,
        n: Size,
        largest: Id,
        heard: u32 = 0,
        outcome = |me| Decision::of(me.id, (me.heard == me.n.0).then_some(me.largest)),
    }
}

mod lap {
    use super::*;

    impl Process for Lap {
        const SPEC: Spec = SPREAD.timing(Timing::LockStep);
        types! { Given = (Id, Size), Port = Side }

        fn new((id, n): (Id, Size)) -> Self {
            Lap { id, n, largest: id, heard: 0 }
        }

        fn start(&mut self, out: &mut impl Outbox<Self>) {
            out.rule(Rule::Round);
            out.send(Side::Right, Msg::Largest { id: self.id });
        }

        fn receive(&mut self, _: Side, Msg::Largest { id }: Msg, out: &mut impl Outbox<Self>) {
            self.largest = self.largest.max(id);
            self.heard += 1;
            if self.heard < self.n.0 {
                out.send(Side::Right, Msg::Largest { id });
            }
        }
    }

    impl LockStep for Lap {
        const SYNCHRONISED: Spec = SPREAD.oriented();
    }
}

const IN_LOCK_STEP: Entry = Entry::election::<Spread<InLockStep>>();
const SYNCHRONISED: Entry = Entry::election::<Synchronised<Spread<InLockStep>>>();
const HASTY: Entry = Entry::election::<Spread<Hasty>>();
const LAP: Entry = Entry::election::<Synchronised<Lap>>();

/// Every schedule, every set of initiators: the result of lock-step, with the messages of lock-step.
#[test]
fn every_schedule_has_the_rounds_of_lock_step() {
    for n in 1..=4 {
        let scope = Scope { ids: Arrangements::All, ports: Ports::Kind(Orientation::Same), ..Scope::new(n) };
        let rounds = IN_LOCK_STEP.check(&scope, &[], &()).unwrap();
        let paced = SYNCHRONISED.check(&scope, &[], &()).unwrap();
        assert!(rounds.holds() && paced.holds(), "n={n}: {rounds:#?} {paced:#?}");
        let (rounds, paced) = (rounds.election_messages.unwrap(), paced.election_messages.unwrap());
        let messages = u64::from(2 * n * (n / 2).max(1));
        assert_eq!((rounds.min, rounds.max), (messages, Some(messages)), "n={n}");
        assert_eq!((paced.min, paced.max), (messages, Some(messages)), "n={n}");
    }
}

/// The same clauses without a synchroniser, or with one that does not wait.
#[test]
fn without_waiting_rounds_are_mixed_up() {
    let found = (2..=5).find_map(|n| {
        let scope = Scope { ids: Arrangements::All, ..Scope::new(n) };
        HASTY.check(&scope, &[], &()).unwrap().counterexample.map(|run| (n, run.property))
    });
    assert_eq!(found, Some((4, "at most one leader")));
}

/// Draws belong to a process and not to a moment. So a run with a synchroniser under any schedule is the run in
/// lock-step: the same leader after the same rounds, with the same messages.
#[test]
fn any_schedule_gives_the_run_of_lock_step() {
    for n in [1u32, 2, 3, 5, 8] {
        for seed in 0..5 {
            let rounds = run_well("itai-rodeh-sync", &Scenario { seed, ..Scenario::new(n) });
            for (name, schedule) in schedules() {
                let scenario = Scenario { seed, schedule, ..Scenario::new(n) };
                let paced = run_well("itai-rodeh-synchronised", &scenario);
                assert_eq!(election(&paced).leader, election(&rounds).leader, "n={n} seed={seed} {name}");
                assert_eq!(paced.phases, rounds.phases, "n={n} seed={seed} {name}");
                assert_eq!(kind(&paced, "value"), kind(&rounds, "value"), "n={n} seed={seed} {name}");
                assert_eq!((kind(&paced, "empty"), kind(&paced, "done")), (0, u64::from(n)));
            }
        }
    }
}

/// A link that carries nothing in a round is closed by an empty message; what comes early waits.
#[test]
fn silent_links_are_closed() {
    for n in [2u32, 3, 5] {
        let ids = Ids::Listed((1..=u64::from(n)).collect());
        let scenario = Scenario { ids, schedule: Schedule::Starve(0), ..Scenario::new(n) };
        let mut recorder = Recorder::default();
        let report = LAP.run(&scenario, &mut recorder).unwrap();
        assert!(report.holds(), "{report:#?}");
        let count = |kind: &str| report.by_kind.iter().find(|(name, _)| *name == kind).unwrap().1;
        let n = u64::from(n);
        assert_eq!((count("largest"), count("empty"), count("done")), (n * n, n * n, 2 * n));
        let silent = |event: &&ringleader::trace::Event| {
            event.sends.is_empty() && matches!(event.input, Input::Deliver(_))
        };
        assert!(recorder.events.iter().filter(silent).count() > 0, "a message waited");
    }
}

#[test]
fn a_setting_leads_to_the_synchroniser() {
    let settings = vec![("synchroniser".to_owned(), "yes".to_owned())];
    let scenario = Scenario { settings, schedule: Schedule::Random, ..Scenario::new(4) };
    assert!(entry("itai-rodeh-sync").run(&scenario, &mut ()).unwrap().holds());
    let asynchronous = |name: &str| entry(name).asynchronous().map(|entry| entry.spec.name);
    assert_eq!(asynchronous("itai-rodeh-sync"), Some("itai-rodeh-synchronised"));
    assert_eq!(asynchronous("peterson"), Some("peterson"));
    assert!(IN_LOCK_STEP.asynchronous().is_none(), "it has no such setting");
}
