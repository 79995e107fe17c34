//! Locks on shared registers: what they promise and what they do not, over every interleaving.

use crate::support::{entry, exclusion};
use ringleader::check::{Findings, Reduce, Scope};
use ringleader::model::*;
use ringleader::sim::{self, Entries, Refusal, Scenario, Schedule, Workload};
use ringleader::{check, registers, rules, state};

const LOCKS: [&str; 5] = ["dekker", "dijkstra-1965", "peterson-lock", "filter-lock", "bakery"];

/// Everybody wants in again and again.
fn forever(n: u32) -> Scope {
    Scope { entries: Entries::Forever, reduce: Reduce::None, ..Scope::new(n) }
}

fn checked(name: &str, scope: &Scope) -> Findings {
    entry(name).check(scope, &[], &()).expect("it is admitted")
}

fn violated(findings: &Findings) -> Vec<&'static str> {
    let wrong = findings.properties.iter().filter(|found| found.answer == check::Answer::Violated);
    wrong.map(|found| found.name).collect()
}

fn safe(scope: Scope) -> Scope {
    Scope { settings: vec![("registers".into(), "safe".into())], ..scope }
}

/// What is promised holds for two and, where three are admitted, for three, which want in again and again.
#[test]
fn locks_keep_their_promises_for_ever() {
    let states = [
        ("dekker", 2, 122),
        ("dijkstra-1965", 2, 264),
        ("peterson-lock", 2, 58),
        ("filter-lock", 2, 58),
        ("bakery", 2, 121),
        ("dijkstra-1965", 3, 8084),
        ("filter-lock", 3, 2370),
        ("bakery", 3, 7295),
    ];
    for (name, n, states) in states {
        let findings = checked(name, &forever(n));
        assert!(findings.holds(), "{name}: {:?}", violated(&findings));
        assert_eq!(findings.states, states, "{name}, n = {n}");
    }
}

/// Dijkstra's lets somebody in, but not everybody: what it does not promise is broken, and the run is shown.
#[test]
fn dijkstra_1965_may_starve_one() {
    let scope = Scope { properties: vec!["nobody waits for ever".into()], ..forever(2) };
    let findings = checked("dijkstra-1965", &scope);
    assert_eq!(violated(&findings), ["nobody waits for ever"]);
    let example = findings.counterexample.expect("a run is shown");
    assert!(example.repeats_from.is_some_and(|from| from < example.recording.events.len() as u64));
    for other in ["dekker", "peterson-lock", "filter-lock", "bakery"] {
        let findings = checked(other, &scope);
        assert!(findings.holds(), "{other}");
    }
}

/// The bakery does not mind safe registers. On them Dekker's still lets one in at a time, but one may wait for ever;
/// the others lose more.
#[test]
fn safe_registers_break_all_but_the_bakery() {
    let once = safe(Scope { entries: Entries::Each(1), ..forever(2) });
    assert!(checked("bakery", &once).holds());
    for (name, lost) in [
        ("dekker", "nobody waits for ever"),
        ("dijkstra-1965", "while somebody waits, somebody enters"),
        ("peterson-lock", "never two inside"),
        ("filter-lock", "never two inside"),
    ] {
        let scope = safe(forever(2));
        let refused = entry(name).check(&scope, &[], &()).expect_err("it needs atomic registers");
        assert_eq!(refused, Refusal::WeakRegisters { needs: "atomic", got: "safe" });
        let findings = checked(name, &Scope { unsound: true, ..scope });
        assert_eq!(violated(&findings), [lost], "{name}");
        assert!(findings.counterexample.is_some(), "{name}");
    }
}

/// With the two writes exchanged both are inside after nine steps.
#[test]
fn swapped_writes_let_both_in() {
    let findings = checked("peterson-lock@swapped", &forever(2));
    assert_eq!(violated(&findings), ["never two inside"]);
    assert_eq!(findings.counterexample.map(|example| example.recording.events.len()), Some(9));
}

/// A lock for two is refused for any other number.
#[test]
fn locks_for_two_are_for_two() {
    for (name, n) in [("dekker", 3), ("peterson-lock", 3), ("peterson-lock", 1)] {
        let refused = entry(name).run(&Scenario::new(n), &mut ()).expect_err("it is for two");
        assert_eq!(refused, Refusal::WrongSize { n, nearest: (2, 2) });
    }
}

/// Runs under every schedule: everybody comes in as often as it asks, without a message.
#[test]
fn everybody_enters_without_messages() {
    for name in LOCKS {
        for schedule in [Schedule::Rounds, Schedule::Random, Schedule::Fifo] {
            let n = entry(name).spec.needs.processes.nearest(5).1;
            let workload = Workload { entries: Entries::Each(3), ..Workload::default() };
            let scenario = Scenario { schedule, workload, seed: 7, ..Scenario::new(n) };
            let report = entry(name).run(&scenario, &mut ()).expect("it is admitted");
            assert!(report.holds(), "{name}");
            assert_eq!((report.messages, exclusion(&report).entries), (0, u64::from(3 * n)), "{name}");
        }
    }
}

state! {
    /// Peterson's lock with both registers looked at in one step, as a published specification in TLA+ has it.
    pub struct Coarse {
        me: Peer,
        user: Stage = Stage::Idle,
        at: Line = Line::Rest,
    }

    /// The line that comes next.
    enum Line {
        Rest,
        Flag,
        Turn,
        Wait,
        Leave,
    }
}

registers! {
    "flag" Flag each: |_, _, _| 0..2,
    "turn" Turn: |_, _, _| 0..2,
}

names! {
    pub enum Local { Line = "line" }
}

rules! {
    /// any line
    Any,
}

impl Process for Coarse {
    const SPEC: Spec = Spec::exclusion("coarse", 1981, "//! Coarse: a lock.\n//!\n//! **Idea.** Peterson.\n")
        .registers(Registers::Composite);
    types! { Local = Local, Register = Register }

    fn can(&self, _: Local) -> bool {
        self.at != Line::Rest
    }

    fn guard(&self, _: Local, read: &dyn Fn(Register) -> u32) -> bool {
        let (i, j) = (self.me.0, 1 - self.me.0);
        match self.at {
            Line::Rest => false,
            Line::Wait => read(Register::Flag(j)) == 0 || read(Register::Turn) == i,
            Line::Flag | Line::Turn | Line::Leave => true,
        }
    }

    fn step(&mut self, _: Local, out: &mut impl Outbox<Self>) {
        let (i, j) = (self.me.0, 1 - self.me.0);
        match self.at {
            Line::Rest => out.impossible("there is a line"),
            Line::Flag => {
                out.write(Register::Flag(i), 1);
                self.at = Line::Turn;
            }
            Line::Turn => {
                out.write(Register::Turn, j);
                self.at = Line::Wait;
            }
            Line::Wait => {
                let enters = out.read(Register::Flag(j)) == 0 || out.read(Register::Turn) == i;
                if enters {
                    (self.user, self.at) = (Stage::Inside, Line::Rest);
                }
            }
            Line::Leave => {
                out.write(Register::Flag(i), 0);
                self.at = Line::Rest;
            }
        }
    }
}

impl Exclusion for Coarse {
    fn request(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Waiting, Line::Flag);
    }

    fn release(&mut self, _: &mut impl Outbox<Self>) {
        (self.user, self.at) = (Stage::Idle, Line::Leave);
    }
}

/// A published model of Peterson's lock in TLA+ has 42 distinct states. Its processes wait in one step that looks at
/// both registers; with that granularity there are as many here. The lock of the registry reads one register in a
/// step, so that each process has one more place to be.
#[test]
fn peterson_has_the_states_of_the_published_model() {
    let findings = check::exclusion::<Coarse>(&forever(2), &[], &()).expect("it is admitted");
    assert!(findings.holds(), "{:?}", violated(&findings));
    assert_eq!(findings.states, 42);
    assert_eq!(checked("peterson-lock", &forever(2)).states, 58);
    let report = sim::run_exclusion::<Coarse>(&Scenario::new(2), &mut ()).expect("it runs");
    assert!(report.holds());
}
