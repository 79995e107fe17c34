//! The token is made anew after a crash: with any election, and with one that costs nothing, where the state spaces and
//! the shortest wrong runs are known.

use crate::support::{all, entry, exclusion, kind, run_well};
use ringleader::check::{Budget, Findings, Scope};
use ringleader::model::*;
use ringleader::registry::{self, Entry};
use ringleader::sim::{Delay, Entries, Fault, Scenario, Schedule, Workload};
use std::sync::LazyLock;

state! {
    /// An election without messages: whoever has the last place on the ring knows that it leads.
    struct Oracle {
        id: Id,
        hidden n: Size,
        mode: Mode = Mode::Asleep,
        outcome = |me| me.mode.outcome(me.id),
    }

    enum Mode {
        Asleep,
        Leader => leads,
        Other => loses,
    }
}

messages! {
    enum Word {
        /// Never sent.
        "word" Word,
    }
}

impl Process for Oracle {
    const SPEC: Spec = Spec::election("oracle", 2026, "").elects(Winner::Largest, Informed::All);
    type Given = (Id, Size);
    type Port = Next;
    type Msg = Word;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(given: Self::Given) -> Self {
        Oracle::begin(given)
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {
        self.mode = if self.id.rank() + 1 == self.n.0 { Mode::Leader } else { Mode::Other };
    }

    fn receive(&mut self, _: Next, _: Word, out: &mut impl Outbox<Self>) {
        out.impossible("nothing is ever sent");
    }
}

/// The catalogue with the oracle.
fn with_oracle(name: &str) -> &'static Entry {
    static ALL: LazyLock<&'static [Entry]> = LazyLock::new(|| {
        let mut entries = all().to_vec();
        entries.push(Entry::election::<Oracle>());
        registry::own(entries.leak())
    });
    registry::find(&ALL, name).unwrap()
}

fn election(name: &str) -> Vec<(String, String)> {
    vec![("election".to_owned(), name.to_owned())]
}

fn oracle(name: &str, scope: Scope) -> Findings {
    with_oracle(name).check(&Scope { settings: election("oracle"), ..scope }, &[], &()).unwrap()
}

/// The state spaces with an election that costs nothing: everybody wants in once, and one crashes at any moment, which
/// each of the others notices at a moment of its own. Neither the token nor the renewal needs links that keep the
/// order.
#[test]
fn one_crash_is_survived_in_every_state() {
    let sizes = [(Links::Fifo, [4, 114, 6314]), (Links::Bag, [4, 114, 7110])];
    for (links, states) in sizes {
        for (n, states) in (1..).zip(states) {
            let scope = Scope { links: Some(links), unsound: true, ..Scope::new(n) };
            let findings = oracle("token-ring-failover", scope);
            assert!(findings.holds(), "n={n}: {findings:#?}");
            assert_eq!(findings.states, states, "n={n}, {links}");
        }
    }
}

/// Both wrong versions let two in, after seven steps at the least: the start of the process that sends the token first
/// is not counted. The right one, searched likewise, does not.
#[test]
fn wrong_versions_let_two_in_after_seven_steps() {
    let two_inside = |n: u32| Scope { properties: vec!["never two inside".into()], ..Scope::new(n) };
    for name in ["token-ring-failover@no-hold", "token-ring-failover@old-tokens"] {
        assert!(oracle(name, two_inside(2)).holds(), "{name}: who is left is alone");
        for (n, steps) in [(3, 7), (4, 8)] {
            let found = oracle(name, two_inside(n)).counterexample.expect("it is wrong");
            assert_eq!(found.property, "never two inside", "{name} n={n}");
            assert_eq!(found.recording.events.len() - 1, steps, "{name} n={n}");
        }
    }
    assert!(oracle("token-ring-failover", two_inside(3)).holds());
}

#[test]
fn any_number_may_crash_at_any_time() {
    for (n, crashes) in [(2, 2), (3, 2), (3, 3)] {
        let scope = Scope { faults: Budget { crashes: Some(crashes), ..Budget::default() }, ..Scope::new(n) };
        let findings = oracle("token-ring-failover", scope.clone());
        assert!(findings.holds(), "n={n} crashes={crashes}: {findings:#?}");
        if n < 3 {
            let findings = entry("token-ring-failover").check(&scope, &[], &()).unwrap();
            assert!(findings.holds(), "n={n} crashes={crashes}: {findings:#?}");
        }
    }
}

#[test]
fn every_ring_election_finds_who_makes_the_token() {
    for elector in entry("token-ring-failover").electors() {
        for n in 2u32..=6 {
            for at in 0..12 {
                for schedule in [
                    Schedule::Rounds,
                    Schedule::Random,
                    Schedule::Delay(Delay::Uniform(1_000_000, 9_000_000)),
                ] {
                    let crash = |process, at| Fault::Crash { process, at };
                    let mut faults = vec![crash(at as u32 % n, at)];
                    if n > 3 {
                        faults.push(crash((at as u32 + 1) % n, at + 4));
                    }
                    let gone = faults.len() as u32;
                    let scenario = Scenario {
                        faults,
                        settings: election(elector.name),
                        seed: at,
                        schedule,
                        workload: Workload { hold: at % 4, entries: Entries::Each(2), ..Workload::default() },
                        ..Scenario::new(n)
                    };
                    let report = run_well("token-ring-failover", &scenario);
                    let least = u64::from(2 * (n - gone));
                    assert!(exclusion(&report).entries >= least, "{} n={n} {at}", elector.name);
                }
            }
        }
    }
    for name in ["chang-roberts", "peterson", "franklin", "hirschberg-sinclair"] {
        let scope = Scope { settings: election(name), ..Scope::new(3) };
        let findings = entry("token-ring-failover").check(&scope, &[], &()).unwrap();
        assert!(findings.holds(), "{name}: {findings:#?}");
    }
}

/// A crash costs an election and one lap of those who are left.
#[test]
fn a_crash_costs_an_election_and_a_lap() {
    for n in 3u32..=8 {
        let faults = vec![Fault::Crash { process: 1, at: 3 }];
        let wants = vec![(40, 0)];
        let workload = Workload { wants, ..Workload::default() };
        let report = run_well("token-ring-failover", &Scenario { faults, workload, ..Scenario::new(n) });
        assert_eq!(kind(&report, "renew"), u64::from(n) - 1);
    }
    let quiet = run_well("token-ring-failover", &Scenario::new(5));
    assert_eq!((kind(&quiet, "renew"), kind(&quiet, "elect")), (0, 0));
}
