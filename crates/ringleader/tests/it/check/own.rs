//! Properties of one's own, and an algorithm.

use crate::support::entry;
use ringleader::check::{self, Answer, Property, Reduce, Scope, Starts, View, Watch};
use ringleader::model::{
    Decision, Election, Fields, Informed, Knows, Needs, Never, Next, Outbox, Peer, Process, Promises,
    Reached, Size, Spec, State, Value, Verdict, Winner,
};
use ringleader::sim::{self, Initiators, Scenario};

/// Nobody learns that it lost before somebody leads. True: the announcement comes from the leader.
struct LostAfterLed;

impl Property for LostAfterLed {
    fn name(&self) -> &'static str {
        "nobody has lost before somebody leads"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let any = |verdict: Verdict| state.everybody().any(|i| state.verdict(i) == verdict);
        if any(Verdict::Lost) && !any(Verdict::Leader) { Err("somebody has".into()) } else { Ok(()) }
    }
}

/// Process 1 never takes part. False, and found at its first step.
struct Bystander;

impl Property for Bystander {
    fn name(&self) -> &'static str {
        "process 1 stands by"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        match state.field(1, "participant") {
            Some(Value::Flag(true)) => Err(format!("with {} on their way", state.in_transit("election"))),
            _ => Ok(()),
        }
    }
}

#[test]
fn own_property_holds_or_has_shortest_run() {
    let chang_roberts = entry("chang-roberts");
    let scope = Scope { starts: Starts::AllLate, ..Scope::new(3) };
    let findings = chang_roberts.check(&scope, &[&LostAfterLed], &()).unwrap();
    assert!(findings.holds());
    assert!(findings.properties.iter().any(|finding| finding.name == LostAfterLed.name()));

    let findings = chang_roberts.check(&scope, &[&LostAfterLed, &Bystander], &()).unwrap();
    assert_eq!(findings.answer, Answer::Violated);
    let example = findings.counterexample.unwrap();
    assert_eq!((example.property, example.detail.as_str()), (Bystander.name(), "with 1 on their way"));
    assert_eq!(example.recording.events.len(), 1);
}

/// A property that looks at everything turns the reduction off, so that no state is missed.
#[test]
fn looking_at_everything_leaves_nothing_out() {
    let scope = Scope { starts: Starts::All, ..Scope::new(5) };
    let findings = entry("chang-roberts").check(&scope, &[&LostAfterLed], &()).unwrap();
    assert_eq!(findings.states, 137);
}

/// Whoever waits too long leads. Without a clock "too long" can be any moment, so both may.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Impatient {
    leads: bool,
    told: bool,
}

ringleader::messages! {
    /// What travels.
    enum Said {
        /// Somebody leads.
        "said" Said,
    }
}

ringleader::names! {
    /// How long it waits.
    enum Patience {
        Patience = "patience",
    }
}

impl Process for Impatient {
    const SPEC: Spec = Spec {
        promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
        ..Spec::election("impatient", 2026, "")
    };
    type Given = ();
    type Port = Next;
    type Msg = Said;
    type Rule = Never;
    type Timer = Patience;
    type Local = Never;
    type Register = Never;

    fn new((): ()) -> Self {
        Impatient { leads: false, told: false }
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.set_timer(Patience::Patience, 10);
    }
    fn receive(&mut self, _: Next, _: Said, out: &mut impl Outbox<Self>) {
        out.stop_timer(Patience::Patience);
        if !self.told && !self.leads {
            out.send(Next, Said::Said {});
        }
        self.told = true;
    }
    fn timeout(&mut self, _: Patience, out: &mut impl Outbox<Self>) {
        (self.leads, self.told) = (true, true);
        out.send(Next, Said::Said {});
    }
}

impl State for Impatient {
    fn fields(&self) -> Fields {
        Vec::new()
    }
}

impl Election for Impatient {
    fn outcome(&self) -> Decision {
        let verdict = match (self.leads, self.told) {
            (true, _) => Verdict::Leader,
            (false, true) => Verdict::Lost,
            (false, false) => Verdict::Undecided,
        };
        let knows = if self.told { Knows::ThereIsOne } else { Knows::Nothing };
        Decision { verdict, knows }
    }
}

#[test]
fn timers_without_clock_may_fire_any_time() {
    let findings = check::election::<Impatient>(&Scope::new(1), &[], &()).unwrap();
    assert!(findings.holds(), "{findings:?}");
    let findings = check::election::<Impatient>(&Scope::new(2), &[], &()).unwrap();
    let example = findings.counterexample.unwrap();
    assert_eq!((example.property, example.recording.events.len()), ("at most one leader", 4));
}

/// This process never leads. Each of an anonymous ring may, so it is false for each; and it tells one from another.
struct NotMe(u32);

impl Property for NotMe {
    fn name(&self) -> &'static str {
        "this one does not lead"
    }
    fn watches(&self) -> Watch {
        Watch::Ends
    }
    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        if state.verdict(self.0) == Verdict::Leader { Err("it does".into()) } else { Ok(()) }
    }
}

#[test]
fn own_property_may_name_anonymous_processes() {
    for process in 0..3 {
        let findings = entry("itai-rodeh-coin").check(&Scope::new(3), &[&NotMe(process)], &()).unwrap();
        assert_eq!(findings.answer, Answer::Violated, "process {process}");
        assert!(findings.counterexample.is_some(), "process {process}");
    }
}

/// Everybody sends on for ever, and nobody ever leads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Restless;

impl Process for Restless {
    const SPEC: Spec = Spec {
        needs: Needs { choices: true, ..Needs::NOTHING },
        promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
        ..Spec::election("restless", 2026, "")
    };
    type Given = ();
    type Port = Next;
    type Msg = Said;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new((): ()) -> Self {
        Restless
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.send(Next, Said::Said {});
    }
    fn receive(&mut self, _: Next, _: Said, out: &mut impl Outbox<Self>) {
        out.choose(2);
        out.send(Next, Said::Said {});
    }
}

impl State for Restless {
    fn fields(&self) -> Fields {
        Vec::new()
    }
}

impl Election for Restless {
    fn outcome(&self) -> Decision {
        let verdict = Verdict::Undecided;
        let knows = Knows::Nothing;
        Decision { verdict, knows }
    }
}

/// On an anonymous ring, where rotations are one state, there is a run to look at all the same.
#[test]
fn a_leader_that_is_not_possible_is_shown() {
    for n in 1..=3 {
        let findings = check::election::<Restless>(&Scope::new(n), &[], &()).unwrap();
        let example = findings.counterexample.unwrap();
        assert_eq!(example.property, "a leader is possible from every state", "n = {n}");
        assert!(findings.properties.iter().any(|finding| finding.answer == Answer::Violated));
    }
}

/// Whoever starts asks the next, and who is asked in its sleep leads: not what is promised.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Usurper {
    awake: bool,
    leads: bool,
}

impl Process for Usurper {
    const SPEC: Spec = Spec {
        needs: Needs { reached: Reached::Relays, ..Needs::NOTHING },
        promises: Promises::Election { winner: Winner::AnyInitiator, informed: Informed::All },
        ..Spec::election("usurper", 2026, "")
    };
    type Given = ();
    type Port = Next;
    type Msg = Said;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new((): ()) -> Self {
        Usurper { awake: false, leads: false }
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        self.awake = true;
        out.send(Next, Said::Said {});
    }
    fn receive(&mut self, _: Next, _: Said, _: &mut impl Outbox<Self>) {
        self.leads = !self.awake;
        self.awake = true;
    }
}

impl State for Usurper {
    fn fields(&self) -> Fields {
        Vec::new()
    }
}

impl Election for Usurper {
    fn outcome(&self) -> Decision {
        let verdict = match (self.leads, self.awake) {
            (true, _) => Verdict::Leader,
            (false, true) => Verdict::Lost,
            (false, false) => Verdict::Undecided,
        };
        let knows = if self.awake { Knows::ThereIsOne } else { Knows::Nothing };
        Decision { verdict, knows }
    }
}

/// A leader that did not start, where one of the initiators was promised, is seen by checker and simulator; also on an
/// anonymous ring, where a rotated state no longer tells who started.
#[test]
fn a_leader_that_did_not_start_is_seen() {
    let scope = Scope { starts: Starts::Listed(vec![1]), ..Scope::new(2) };
    let findings = check::election::<Usurper>(&scope, &[], &()).unwrap();
    assert_eq!(findings.counterexample.map(|example| example.property), Some("an initiator leads"));
    let scenario = Scenario { initiators: Initiators::Listed(vec![1]), ..Scenario::new(2) };
    let report = sim::run_election::<Usurper>(&scenario, &mut ()).unwrap();
    let broken: Vec<&str> =
        report.properties.iter().filter(|property| !property.holds).map(|property| property.name).collect();
    assert_eq!(broken, ["an initiator leads"]);
}

/// The process that is named 0 leads as soon as it is awake. Its name stands in the inner of two tuples.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Firstborn {
    me: Peer,
    awake: bool,
}

impl Process for Firstborn {
    const SPEC: Spec = Spec {
        promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
        ..Spec::election("firstborn", 2026, "")
    };
    type Given = ((Size, Peer), Size);
    type Port = Next;
    type Msg = Said;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(((_, me), _): ((Size, Peer), Size)) -> Self {
        Firstborn { me, awake: false }
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        self.awake = true;
        out.send(Next, Said::Said {});
    }
    fn receive(&mut self, _: Next, _: Said, out: &mut impl Outbox<Self>) {
        if !self.awake {
            self.awake = true;
            out.send(Next, Said::Said {});
        }
    }
}

impl State for Firstborn {
    fn fields(&self) -> Fields {
        Vec::new()
    }
}

impl Election for Firstborn {
    fn outcome(&self) -> Decision {
        let verdict = match (self.awake, self.me == Peer(0)) {
            (false, _) => Verdict::Undecided,
            (true, true) => Verdict::Leader,
            (true, false) => Verdict::Lost,
        };
        let knows = if self.awake { Knows::ThereIsOne } else { Knows::Nothing };
        Decision { verdict, knows }
    }
}

/// A name is seen in whatever tuple it stands: then no two processes of a ring are alike, and no rotation is left out.
#[test]
fn names_in_nested_tuples_break_symmetry() {
    let of = |reduce| check::election::<Firstborn>(&Scope { reduce, ..Scope::new(3) }, &[], &()).unwrap();
    for reduce in [Reduce::None, Reduce::Por, Reduce::Full] {
        let findings = of(reduce);
        assert!(findings.holds(), "{findings:?}");
        assert_eq!((findings.initiator_sets, findings.cases), (7, 7), "{reduce:?}");
    }
    // Where processes are alike, four of the seven sets are others turned round.
    let alike = entry("itai-rodeh-coin").check(&Scope::new(3), &[], &()).unwrap();
    assert_eq!((alike.initiator_sets, alike.cases), (7, 3));
}
