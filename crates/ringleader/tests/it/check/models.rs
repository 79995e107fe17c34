//! Models of one's own: each kind of property, held and violated.

use core::ops::ControlFlow;
use ringleader::check::{self, Answer, Effort, Limit, Model, ModelFindings, Progress, Properties, Watcher};

/// A number that grows by one or is doubled, up to a limit, from several beginnings.
struct Numbers {
    first: Vec<u32>,
    most: u32,
    /// Whether it may also go back to where it was.
    back: bool,
    /// Whether growing is a duty.
    fair: bool,
    add: fn(&mut Properties<Numbers>),
}

const NUMBERS: Numbers = Numbers { first: Vec::new(), most: 10, back: false, fair: true, add: |_| {} };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Add,
    Double,
    Back,
}

impl Model for Numbers {
    type State = u32;
    type Action = Change;

    fn initial(&self) -> Vec<u32> {
        self.first.clone()
    }

    fn actions(&self, &number: &u32) -> Vec<Change> {
        let mut actions = Vec::new();
        actions.extend((number < self.most).then_some(Change::Add));
        actions.extend((number > 0 && 2 * number <= self.most).then_some(Change::Double));
        actions.extend((self.back && number == 4).then_some(Change::Back));
        actions
    }

    fn next(&self, &number: &u32, change: &Change) -> u32 {
        match change {
            Change::Add => number + 1,
            Change::Double => 2 * number,
            Change::Back => 2,
        }
    }

    fn duty(&self, change: &Change) -> Option<u64> {
        (self.fair && *change == Change::Add).then_some(0)
    }

    fn properties(&self, must: &mut Properties<Numbers>) {
        (self.add)(must);
    }
}

fn checked(first: &[u32], numbers: Numbers) -> ModelFindings<Numbers> {
    check::model(&Numbers { first: first.to_vec(), ..numbers }, &Effort::default(), &())
}

/// The states of the run that violates what was asked, and from where it repeats.
fn run(findings: ModelFindings<Numbers>) -> (Vec<u32>, Option<usize>) {
    assert_eq!(findings.answer, Answer::Violated);
    let run = findings.counterexample.unwrap();
    assert_eq!(run.actions.len() + 1, run.states.len());
    (run.states, run.repeats_from)
}

#[test]
fn every_state_is_met_once() {
    let findings = checked(&[0], NUMBERS);
    assert!(findings.holds());
    // Ten steps by one, and doubled from one to five.
    assert_eq!((findings.states, findings.transitions), (11, 10 + 5));
    assert_eq!(findings.depth, 5, "0, 1, 2, 4, 8, 9 or 0, 1, 2, 4, 5, 10 or 0, 1, 2, 3, 6, 7");
}

#[test]
fn what_always_holds_is_broken_by_a_shortest_run() {
    let numbers = Numbers { add: |must| must.always("not six", |_, &number| number != 6), ..NUMBERS };
    assert_eq!(run(checked(&[0], numbers)), (vec![0, 1, 2, 3, 6], None));
    let numbers = Numbers { add: |must| must.always("not six", |_, &number| number != 6), ..NUMBERS };
    assert_eq!(run(checked(&[0, 5, 7], numbers)), (vec![5, 6], None), "from the nearest of all beginnings");
    let numbers = Numbers { add: |must| must.always("not six", |_, &number| number != 6), ..NUMBERS };
    assert_eq!(run(checked(&[6, 6], numbers)), (vec![6], None), "in a beginning itself");
}

#[test]
fn a_step_can_be_wrong_between_right_states() {
    let small = |must: &mut Properties<Numbers>| {
        must.step("grows by three at most", |_, before, _, after| after - before <= 3);
    };
    assert_eq!(run(checked(&[0], Numbers { add: small, ..NUMBERS })), (vec![0, 1, 2, 4, 8], None));
    let right = |must: &mut Properties<Numbers>| {
        must.step("doubling doubles", |_, before, &change, after| {
            change != Change::Double || *after == 2 * before
        });
    };
    assert!(checked(&[0], Numbers { add: right, ..NUMBERS }).holds());
}

#[test]
fn ends_are_looked_at() {
    let at_ten = |must: &mut Properties<Numbers>| must.finally("ten", |_, &number| number == 10);
    assert!(checked(&[0], Numbers { add: at_ten, ..NUMBERS }).holds());
    let wrong = checked(&[0], Numbers { add: at_ten, most: 9, ..NUMBERS });
    assert_eq!(run(wrong), (vec![0, 1, 2, 4, 8, 9], None));
}

#[test]
fn a_goal_must_stay_possible() {
    let seven = |must: &mut Properties<Numbers>| {
        must.possible("seven or more", |_, &number| number >= 7);
    };
    assert!(checked(&[0], Numbers { add: seven, ..NUMBERS }).holds());
    let exactly = |must: &mut Properties<Numbers>| must.possible("seven", |_, &number| number == 7);
    assert_eq!(run(checked(&[0], Numbers { add: exactly, ..NUMBERS })), (vec![0, 1, 2, 4, 8], None));
}

#[test]
fn a_run_that_goes_round_for_ever_comes_nowhere() {
    let ten = |must: &mut Properties<Numbers>| must.eventually("ten", |_, &number| number == 10);
    let numbers = Numbers { add: ten, back: true, fair: false, ..NUMBERS };
    assert_eq!(run(checked(&[0], numbers)), (vec![0, 1, 2, 3, 4, 2], Some(2)));
    // Adding is always possible there and happens, from two to three: it need not happen in four.
    let fair = Numbers { add: ten, back: true, ..NUMBERS };
    assert_eq!(run(checked(&[0], fair)), (vec![0, 1, 2, 3, 4, 2], Some(2)));
    assert!(checked(&[0], Numbers { add: ten, ..NUMBERS }).holds(), "without a way back");
    assert!(checked(&[5], Numbers { add: ten, back: true, ..NUMBERS }).holds(), "past the way back");
}

/// Two lamps; each is switched by its own hand, which may rest.
struct Lamps {
    fair: bool,
}

impl Model for Lamps {
    type State = [bool; 2];
    type Action = usize;

    fn initial(&self) -> Vec<[bool; 2]> {
        vec![[false; 2]]
    }

    fn actions(&self, &lamps: &[bool; 2]) -> Vec<usize> {
        // The second is switched on once.
        (0..2).filter(|&lamp| lamp == 0 || !lamps[1]).collect()
    }

    fn next(&self, lamps: &[bool; 2], &lamp: &usize) -> [bool; 2] {
        let mut lamps = *lamps;
        lamps[lamp] = !lamps[lamp];
        lamps
    }

    fn duty(&self, &lamp: &usize) -> Option<u64> {
        self.fair.then_some(lamp as u64)
    }

    fn properties(&self, must: &mut Properties<Lamps>) {
        must.lead("where the first is lit the second will be", |_, lamps| lamps[0], |_, lamps| lamps[1]);
    }
}

#[test]
fn what_is_always_possible_happens_in_fair_runs() {
    assert!(check::model(&Lamps { fair: true }, &Effort::default(), &()).holds());
    let run = check::model(&Lamps { fair: false }, &Effort::default(), &()).counterexample.unwrap();
    assert_eq!((run.to_string().as_str(), run.repeats_from), ("0; 0; 0", Some(1)));
}

#[test]
fn threads_find_the_same() {
    let numbers = || Numbers {
        first: vec![1],
        most: 200_000,
        add: |must| must.always("below", |_, &number| number != 199_999),
        ..NUMBERS
    };
    let found = [1, 4].map(|threads| {
        let findings = check::model(&numbers(), &Effort { threads, ..Effort::default() }, &());
        (findings.states, findings.transitions, findings.depth, run(findings))
    });
    assert_eq!(found[0], found[1]);
}

struct Stops;

impl Watcher for Stops {
    fn progress(&self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn a_limit_leaves_it_open() {
    let numbers = Numbers { first: vec![0], most: 100_000, ..NUMBERS };
    let few = Effort { max_states: Some(100), ..Effort::default() };
    let findings = check::model(&numbers, &few, &());
    assert_eq!((findings.answer, findings.limit), (Answer::Unknown, Some(Limit::States(100))));
    assert_eq!(findings.states, 100);
    let small = Effort { max_bytes: Some(1 << 16), ..Effort::default() };
    assert_eq!(check::model(&numbers, &small, &()).limit, Some(Limit::Bytes(1 << 16)));
    assert_eq!(check::model(&numbers, &Effort::default(), &Stops).limit, Some(Limit::Stopped));
    assert!(check::model(&numbers, &Effort::default(), &()).holds());
}
