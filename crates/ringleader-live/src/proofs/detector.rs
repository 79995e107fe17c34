//! The failure detector, searched through every delay that a bounded network can have.
//!
//! Process 0 is a heart: it beats so many times, then says good-bye; or it stops. Process 1 watches it with
//! the real detector, and with a clock that counts ticks.

use crate::{Detector, Micros, Patience};
use ringleader::check::{self, Findings, Property, Scope, Starts, View, Watch};
use ringleader::model::{
    Decision, Election, Fields, Informed, Knows, Name, Needs, Never, Outbox, Peer, Process, Promises,
    Setting, SettingValues, Settings, Spec, State, Timing, Value, Verdict, Winner, fields, messages, names,
};

/// Either of the two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Pulse {
    me: Peer,
    heartbeat: u32,
    flaw: Flaw,
    /// How many beats are left, and whether it may stop instead.
    beats: u32,
    may_stop: bool,
    stopped: bool,
    /// The ticks that the one who watches has counted.
    now: u64,
    detector: Detector,
    suspects: bool,
    /// Whether it has heard good-bye.
    heard_out: bool,
}

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

names! {
    /// What passes.
    enum Timer {
        Beat = "beat",
        Clock = "clock",
    }
}

names! {
    /// What happens to a heart.
    enum Local {
        Stop = "stop",
    }
}

messages! {
    /// What a heart says.
    enum Msg {
        "beat" Beat,
        "bye" Bye,
    }
}

/// Enough for the window of three intervals to be filled and to move on.
const BEATS: u32 = 6;

/// When there is nothing more to wait for: far beyond every deadline.
const HORIZON: u64 = 100;

impl Process for Pulse {
    const SPEC: Spec = Spec {
        needs: Needs { timing: Timing::BoundedDelay, ..Needs::NOTHING },
        promises: Promises::Election { winner: Winner::Any, informed: Informed::All },
        settings: &[number("heartbeat", 9), number("pause", 9), number("stops", 1), number("flaw", 4)],
        ..Spec::election("pulse", 2026, "")
    };
    type Given = (Peer, Settings);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Timer;
    type Local = Local;

    fn new((me, Settings([heartbeat, pause, stops, flaw])): (Peer, Settings)) -> Self {
        let flaw = Flaw::ALL[flaw as usize];
        let patience = Patience {
            heartbeat: Micros(if flaw == Flaw::NoInterval { 0 } else { heartbeat.into() }),
            phi: 1,
            window: 3,
            least_deviation: Micros(1),
            pause: Micros(pause.into()),
        };
        Pulse {
            me,
            heartbeat,
            flaw,
            beats: if me == Peer(0) { BEATS } else { 0 },
            may_stop: stops > 0 && me == Peer(0),
            stopped: false,
            now: 0,
            detector: Detector::new(patience, Micros(0)),
            suspects: false,
            heard_out: false,
        }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.me == Peer(0) { self.beat(out) } else { out.set_timer(Timer::Clock, 1) }
    }

    fn receive(&mut self, _: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        if self.suspects {
            return;
        }
        match msg {
            Msg::Beat {} if self.flaw == Flaw::Deaf && self.now > 4 => {}
            Msg::Beat {} => self.detector.heard(Micros(self.now)),
            Msg::Bye {} => {
                self.heard_out = true;
                out.stop_timer(Timer::Clock);
            }
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match timer {
            Timer::Beat if self.beats > 0 => self.beat(out),
            Timer::Beat => {
                self.may_stop = false;
                out.send(Peer(1), Msg::Bye {});
            }
            Timer::Clock => {
                self.now += 1;
                self.suspects = match self.flaw {
                    Flaw::Never => false,
                    Flaw::Early => self.detector.suspects(Micros(self.now + 3)),
                    Flaw::Nothing | Flaw::Deaf | Flaw::NoInterval => self.detector.suspects(Micros(self.now)),
                };
                if !self.suspects && self.now < HORIZON {
                    out.set_timer(Timer::Clock, 1);
                }
            }
        }
    }

    fn can(&self, step: Local) -> bool {
        match step {
            Local::Stop => self.may_stop,
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        match step {
            Local::Stop => {
                (self.may_stop, self.stopped) = (false, true);
                out.stop_timer(Timer::Beat);
            }
        }
    }
}

impl State for Pulse {
    fn fields(&self) -> Fields {
        fields!(self; stopped, suspects)
    }
}

impl Pulse {
    fn beat(&mut self, out: &mut impl Outbox<Self>) {
        self.beats -= 1;
        out.send(Peer(1), Msg::Beat {});
        out.set_timer(Timer::Beat, self.heartbeat);
    }
}

const fn number(name: &'static str, max: u32) -> Setting {
    Setting { name, about: "", values: SettingValues::Number { min: 0, max, default: 0 } }
}

/// The one who watches "leads" when it knows how it ended: it has heard good-bye, or suspects.
impl Election for Pulse {
    fn outcome(&self) -> Decision {
        let knows = if self.me == Peer(0) || self.suspects || self.heard_out {
            Knows::Name(Peer(1))
        } else {
            Knows::Nothing
        };
        let verdict = match (self.me, knows) {
            (Peer(0), _) => Verdict::Lost,
            (Peer(_), Knows::Nothing) => Verdict::Undecided,
            (Peer(_), Knows::ThereIsOne | Knows::Identity(_) | Knows::Name(_)) => Verdict::Leader,
        };
        Decision { verdict, knows }
    }
}

/// Nobody is suspected whose heart has not stopped.
struct OnlyTheStopped;

impl Property for OnlyTheStopped {
    fn name(&self) -> &'static str {
        "only who has stopped is suspected"
    }
    fn watches(&self) -> Watch {
        Watch::Everything
    }
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let is = |process, name| state.field(process, name) == Some(Value::Flag(true));
        if is(1, "suspects") && !is(0, "stopped") { Err("its heart beats".into()) } else { Ok(()) }
    }
}

/// Everything that can happen with beats so far apart, delays of at most so many ticks, and such a pause.
fn search(heartbeat: u32, max_delay: u32, pause: u32, stops: bool, flaw: Flaw) -> Findings {
    let given = [
        ("heartbeat", heartbeat as usize),
        ("pause", pause as usize),
        ("stops", usize::from(stops)),
        ("flaw", flaw.index()),
    ];
    let scope = Scope {
        starts: Starts::All,
        settings: given.map(|(name, value)| (name.to_string(), value.to_string())).to_vec(),
        max_delay: Some(max_delay),
        // Delays are longer than processes are told by default; these are told nothing, and have a setting
        // instead.
        unsound: true,
        max_states: Some(2_000_000),
        ..Scope::new(2)
    };
    check::election::<Pulse>(&scope, &[&OnlyTheStopped], &()).unwrap()
}

/// If the pause is at least the longest delay nobody is suspected whose heart beats, and whose heart stops is
/// suspected in the end: whatever the delays are and whenever it stops, also where beats overtake each other
/// (a delay longer than the interval).
#[test]
fn with_a_pause_of_the_longest_delay_exactly_the_stopped_are_suspected() {
    // The interval, the longest delay; and the number of states that were searched, without a stop and with
    // one.
    let rows = [
        (1, 1, [1_397, 3_038]),
        (2, 1, [1_777, 4_436]),
        (2, 2, [6_541, 15_421]),
        (3, 2, [7_162, 18_934]),
        (2, 3, [14_550, 35_326]),
        (4, 4, [50_741, 132_179]),
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
    assert_eq!(example.property, OnlyTheStopped.name());
}

#[test]
fn what_is_wrong_with_a_detector_is_found() {
    for (flaw, stops, property) in [
        (Flaw::Early, false, OnlyTheStopped.name()),
        (Flaw::Deaf, false, OnlyTheStopped.name()),
        (Flaw::NoInterval, false, OnlyTheStopped.name()),
        (Flaw::Never, true, "exactly one leader"),
    ] {
        let findings = search(2, 2, 2, stops, flaw);
        let example = findings.counterexample.unwrap_or_else(|| panic!("{} is not found", flaw.name()));
        assert_eq!(example.property, property, "{}: {}", flaw.name(), example.detail);
    }
}
