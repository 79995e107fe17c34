//! Tokens that are lost, on the way or with a process that crashes: never two of a kind, and back in time as long as
//! one is left.

use crate::support::entry;
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Delay, Entries, Fault, Observer, RunOutcome, Scenario, Schedule, Workload};
use ringleader::trace::{Event, Fate, Input};

/// Where a token is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    At(u32),
    To(u32, u64),
    Gone,
}

/// Follows the tokens by what is sent and delivered, and knows nothing of the algorithm but who watches whom.
struct Oracle {
    n: u32,
    kinds: Vec<String>,
    places: Vec<Place>,
    /// Arrivals of each token's watcher since it was lost.
    waited: Vec<u32>,
    down: Vec<bool>,
    regenerated: u64,
    problem: Option<String>,
}

impl Oracle {
    fn new(n: u32, kinds: &[&str]) -> Oracle {
        Oracle {
            n,
            kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
            places: vec![Place::At(0); kinds.len()],
            waited: vec![0; kinds.len()],
            down: vec![false; n as usize],
            regenerated: 0,
            problem: None,
        }
    }

    fn all_gone(&self) -> bool {
        self.places.iter().all(|&place| place == Place::Gone)
    }

    fn lose(&mut self, token: usize) {
        self.places[token] = Place::Gone;
        self.waited[token] = 0;
    }
}

impl Observer for Oracle {
    fn wants_events(&self) -> bool {
        true
    }

    fn event(&mut self, event: &Event) {
        let (k, at) = (self.kinds.len(), event.process);
        match &event.input {
            Input::Deliver(arrivals) => {
                let message = arrivals[0].message;
                let arrives = |&place: &Place| matches!(place, Place::To(_, number) if number == message);
                if let Some(token) = self.places.iter().position(arrives) {
                    self.places[token] = Place::At(at);
                    // A token watches the one after it.
                    let ward = (token + 1) % k;
                    let makes = event.rules.iter().any(|rule| rule == "regenerate");
                    match (self.places[ward], makes) {
                        (Place::Gone, true) => {
                            self.places[ward] = Place::At(at);
                            self.regenerated += 1;
                            // What it watches it has to miss itself.
                            self.waited[(ward + 1) % k] = 0;
                        }
                        (Place::Gone, false) => {
                            self.waited[ward] += 1;
                            if self.waited[ward] > self.n {
                                self.problem.get_or_insert(format!("{} is not made anew", self.kinds[ward]));
                            }
                        }
                        (Place::At(_) | Place::To(..), true) => {
                            self.problem.get_or_insert(format!("{} is made twice", self.kinds[ward]));
                        }
                        (Place::At(_) | Place::To(..), false) => {}
                    }
                }
            }
            Input::Crash => {
                self.down[at as usize] = true;
                for token in 0..k {
                    if matches!(self.places[token], Place::At(p) | Place::To(p, _) if p == at) {
                        self.lose(token);
                    }
                }
            }
            Input::Start
            | Input::Timeout(_)
            | Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Recover
            | Input::Suspect(_)
            | Input::Lose(_)
            | Input::Double(_) => {}
        }
        for sent in &event.sends {
            let Some(token) = self.kinds.iter().position(|kind| *kind == sent.kind) else { continue };
            if self.places[token] != Place::At(at) {
                self.problem.get_or_insert(format!("{} is sent by one who has it not", sent.kind));
            }
            match sent.fate {
                Fate::Travels => self.places[token] = Place::To(sent.to, sent.message),
                Fate::Lost => self.lose(token),
                Fate::Doubled => panic!("nothing is doubled here"),
            }
        }
    }
}

/// A scenario with a few losses and crashes.
fn drawn(seed: u64, kinds: &[&str]) -> Scenario {
    let mut rng = Rng::new(seed, Purpose::Faults);
    let n = 1 + rng.below(7) as u32;
    let mut faults = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let kind = kinds[rng.below(kinds.len() as u64) as usize].to_owned();
        faults.push(Fault::LoseNth { kind, nth: 1 + rng.below(30) });
    }
    for _ in 0..rng.below(3) {
        faults.push(Fault::Crash { process: rng.below(u64::from(n)) as u32, at: rng.below(60) });
    }
    let schedule = match rng.below(4) {
        0 => Schedule::Rounds,
        1 => Schedule::Delay(Delay::Uniform(1_000_000, 5_000_000)),
        _ => Schedule::Random,
    };
    let workload = Workload { entries: Entries::Each(3), hold: rng.below(4), ..Workload::default() };
    Scenario { seed, faults, schedule, workload, max_steps: Some(20_000), ..Scenario::new(n) }
}

fn ten_thousand(name: &str, kinds: &[&str]) {
    let (mut regenerated, mut all_lost, mut crashed) = (0, 0, 0);
    for seed in 0..10_000 {
        let scenario = drawn(seed, kinds);
        let mut oracle = Oracle::new(scenario.n, kinds);
        let report = entry(name).run(&scenario, &mut oracle).unwrap();
        assert_eq!(oracle.problem, None, "{name}, seed {seed}: {scenario:?}");
        regenerated += oracle.regenerated;
        crashed += u64::from(oracle.down.contains(&true));
        let broken: Vec<_> = report.properties.iter().filter(|property| !property.holds).collect();
        if oracle.all_gone() {
            all_lost += 1;
            assert_ne!(report.outcome, RunOutcome::Limit, "{name}, seed {seed}: it hangs");
            // Nobody waits, or it is said why.
            for property in broken {
                assert_eq!(property.name, "everybody who asked was let in", "{name}, seed {seed}");
                let said = property.detail.as_deref().unwrap_or_default();
                assert!(said.contains("every token is lost"), "{name}, seed {seed}: {said}");
            }
        } else {
            assert!(broken.is_empty(), "{name}, seed {seed}: {broken:?}");
            assert_eq!(report.outcome, RunOutcome::Done, "{name}, seed {seed}");
        }
    }
    // The scenarios are what they are meant to be.
    assert!(regenerated > 5_000 && all_lost > 50 && crashed > 3_000, "{regenerated} {all_lost} {crashed}");
}

#[test]
fn ten_thousand_losses_and_crashes_of_misra() {
    ten_thousand("misra", &["ping", "pong"]);
}

#[test]
fn ten_thousand_losses_and_crashes_of_misra_bounded() {
    ten_thousand("misra-bounded", &["ping", "pong"]);
}

#[test]
fn ten_thousand_losses_and_crashes_of_misra_k() {
    ten_thousand("misra-k", &["token-0", "token-1", "token-2"]);
}
