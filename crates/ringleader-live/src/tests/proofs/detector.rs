//! The failure detector, searched through every delay that a bounded network can have.
//!
//! A heart beats so many times, then says good-bye; or it stops. Whoever watches it has the real detector, and a clock
//! that counts ticks. A message takes any number of ticks up to the longest delay, and may overtake others. In a tick
//! everything that is due happens, in any order, before time goes on.

use crate::{Detector, Micros, Patience};
use core::fmt::{self, Display};
use ringleader::check::{self, Effort, Model, ModelFindings, Properties};
use ringleader::model::{Name, names};

names! {
    /// What is wrong.
    enum Flaw {
        Nothing = "none",
        Early = "suspects three ticks too early",
        Never = "never suspects",
        Deaf = "does not hear all beats",
        NoInterval = "does not know how often beats are sent",
    }
}

/// Enough for the window of three intervals to be filled and to move on.
const BEATS: u32 = 6;

/// When there is nothing more to wait for: far beyond every deadline.
const HORIZON: u64 = 100;

/// Beats so far apart, delays of at most so many ticks, such a pause.
struct Pulse {
    heartbeat: u32,
    max_delay: u32,
    pause: u32,
    stops: bool,
    flaw: Flaw,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// How many beats are left, in how many ticks the next is due, and whether the heart may stop instead.
    beats: u32,
    next: Option<u32>,
    may_stop: bool,
    stopped: bool,
    /// How long each message is under way, in order, and whether it is the good-bye.
    flying: Vec<(bool, u32)>,
    /// The ticks that the clock of the one who watches has counted; whether it is about to count another.
    now: u64,
    clock: Option<bool>,
    detector: Detector,
    suspects: bool,
    /// Whether it has heard good-bye.
    heard_out: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Tick,
    Clock,
    Beat,
    Stop,
    /// The message with this number arrives.
    Arrive(usize),
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Tick => f.write_str("tick"),
            Action::Clock => f.write_str("clock"),
            Action::Beat => f.write_str("beat"),
            Action::Stop => f.write_str("stop"),
            Action::Arrive(message) => write!(f, "message {message}"),
        }
    }
}

impl Model for Pulse {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        let patience = Patience {
            heartbeat: Micros(if self.flaw == Flaw::NoInterval { 0 } else { self.heartbeat.into() }),
            phi: 1,
            window: 3,
            least_deviation: Micros(1),
            pause: Micros(self.pause.into()),
        };
        vec![State {
            beats: BEATS,
            next: Some(0),
            may_stop: self.stops,
            stopped: false,
            flying: Vec::new(),
            now: 0,
            clock: Some(false),
            detector: Detector::new(patience, Micros(0)),
            suspects: false,
            heard_out: false,
        }]
    }

    fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = Vec::new();
        actions.extend((state.clock == Some(true)).then_some(Action::Clock));
        actions.extend((state.next == Some(0)).then_some(Action::Beat));
        let is_overdue = state.flying.iter().any(|(_, age)| *age == self.max_delay);
        let is_over = state.clock.is_none() && state.next.is_none();
        actions.extend((actions.is_empty() && !is_overdue && !is_over).then_some(Action::Tick));
        actions.extend(state.may_stop.then_some(Action::Stop));
        actions.extend((0..state.flying.len()).map(Action::Arrive));
        actions
    }

    fn next(&self, state: &State, action: &Action) -> State {
        let mut state = state.clone();
        match *action {
            Action::Tick => {
                state.flying.iter_mut().for_each(|(_, age)| *age += 1);
                state.next = state.next.map(|ticks| ticks - 1);
                state.clock = state.clock.map(|_| true);
            }
            Action::Clock => {
                state.now += 1;
                let early = if self.flaw == Flaw::Early { 3 } else { 0 };
                state.suspects =
                    self.flaw != Flaw::Never && state.detector.suspects(Micros(state.now + early));
                state.clock = (!state.suspects && state.now < HORIZON).then_some(false);
            }
            Action::Beat => {
                let is_last = state.beats == 0;
                state.flying.push((is_last, 0));
                state.flying.sort_unstable();
                state.next = (!is_last).then_some(self.heartbeat);
                state.may_stop &= !is_last;
                state.beats = state.beats.saturating_sub(1);
            }
            Action::Stop => (state.may_stop, state.stopped, state.next) = (false, true, None),
            Action::Arrive(message) => match state.flying.remove(message) {
                _ if state.suspects => {}
                (true, _) => (state.heard_out, state.clock) = (true, None),
                (false, _) if self.flaw == Flaw::Deaf && state.now > 4 => {}
                (false, _) => state.detector.heard(Micros(state.now)),
            },
        }
        state
    }

    fn properties(&self, must: &mut Properties<Pulse>) {
        must.always(ONLY_THE_STOPPED, |_, state| !state.suspects || state.stopped);
        must.finally(IN_THE_END, |_, state| state.suspects || state.heard_out);
    }
}

const ONLY_THE_STOPPED: &str = "only who has stopped is suspected";
const IN_THE_END: &str = "in the end it is suspected or has said good-bye";

/// Everything that can happen.
fn search(heartbeat: u32, max_delay: u32, pause: u32, stops: bool, flaw: Flaw) -> ModelFindings<Pulse> {
    check::model(&Pulse { heartbeat, max_delay, pause, stops, flaw }, &Effort::default(), &())
}

/// If the pause is at least the longest delay nobody is suspected whose heart beats, and whose heart stops is
/// suspected in the end: whatever the delays are and whenever it stops, also where beats overtake each other
/// (a delay longer than the interval).
#[test]
fn longest_delay_is_not_suspected() {
    // The interval, the longest delay; and the number of states that were searched, without a stop and with
    // one.
    let rows = [
        (1, 1, [1_601, 3_855]),
        (2, 1, [2_343, 5_897]),
        (2, 2, [8_208, 20_588]),
        (3, 2, [10_040, 26_120]),
        (2, 3, [18_375, 48_637]),
        (4, 4, [70_706, 186_272]),
    ];
    let searched = rows.map(|(heartbeat, max_delay, _)| {
        let states = [false, true].map(|stops| {
            let findings = search(heartbeat, max_delay, max_delay, stops, Flaw::Nothing);
            assert!(findings.holds(), "{heartbeat} {max_delay} {stops}: {findings:?}");
            findings.states
        });
        (heartbeat, max_delay, states)
    });
    assert_eq!(searched, rows);
}

/// A pause that is much too short is noticed: the condition is needed.
#[test]
fn a_pause_that_is_too_short_suspects_the_living() {
    let example = search(2, 6, 1, false, Flaw::Nothing).counterexample.unwrap();
    assert_eq!(example.property, ONLY_THE_STOPPED);
}

#[test]
fn what_is_wrong_with_a_detector_is_found() {
    for (flaw, stops, property) in [
        (Flaw::Early, false, ONLY_THE_STOPPED),
        (Flaw::Deaf, false, ONLY_THE_STOPPED),
        (Flaw::NoInterval, false, ONLY_THE_STOPPED),
        (Flaw::Never, true, IN_THE_END),
    ] {
        let findings = search(2, 2, 2, stops, flaw);
        let example = findings.counterexample.unwrap_or_else(|| panic!("{} is not found", flaw.name()));
        assert_eq!(example.property, property, "{}: {example}", flaw.name());
    }
}
