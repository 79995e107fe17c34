//! A process that is down.

use crate::model::{
    Decision, Election, Fields, Knows, Links, Needs, Never, Outbox, Process, Side, Spec, State, Verdict,
    messages,
};
use crate::sim::{Fault, Scenario, run_election};

messages! {
    /// What travels on the ring.
    enum Msg {
        /// Anything.
        "word" Word,
    }
}

/// A process that says a word to its right, and reaches the seventh phase when it hears one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Talker;

impl Process for Talker {
    const SPEC: Spec = Spec {
        needs: Needs { links: Links::HalfDuplex, ..Needs::NOTHING },
        ..Spec::election("talker", 2026, "")
    };
    type Given = ();
    type Port = Side;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new((): ()) -> Self {
        Talker
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.send(Side::Right, Msg::Word {});
    }
    fn receive(&mut self, _: Side, _: Msg, out: &mut impl Outbox<Self>) {
        out.phase_reached(7);
        out.impossible("nobody hears a word");
    }
}

impl State for Talker {
    fn fields(&self) -> Fields {
        Fields::new()
    }
}

impl Election for Talker {
    fn outcome(&self) -> Decision {
        let verdict = Verdict::Undecided;
        let knows = Knows::Nothing;
        Decision { verdict, knows }
    }
}

#[test]
fn process_that_is_down_counts_no_phases() {
    let heard = |faults| {
        let scenario = Scenario { faults, unsound: true, ..Scenario::new(2) };
        let report = run_election::<Talker>(&scenario, &mut ()).expect("it may be tried");
        let is_possible = report.properties.iter().all(|p| p.holds || !p.name.contains("proof"));
        (report.messages, report.phases, is_possible)
    };
    assert_eq!(heard(Vec::new()), (2, Some(7), false), "both are up");
    // The one that is up talks to one that is down.
    assert_eq!(heard(vec![Fault::Crash { process: 1, at: 0 }]), (1, None, true));
}
