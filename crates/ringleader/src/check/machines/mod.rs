//! Machines that may begin in any state: whether they always come to one privilege and keep it, and after how many
//! moves at most.
//!
//! A state is one number: the registers are its digits. From each state the algorithm's own code says once what every
//! machine would write; which of them move at once is for the daemon. Illegitimate states are searched depth first: a
//! state that is met again on the way is a run that never converges, and where there is none, the longest ways are
//! exact.

mod asked;
mod came;
mod places;
mod states;
mod told;

use super::findings::{Findings, Limit, Progress, Range as MessageRange, Watcher};
use super::scope::Scope;
use crate::model::{Shape, Spec};
use crate::network::Wiring;
use crate::population::Nature;
use crate::scenario::{Refusal, Scenario, Schedule, Setup};
use crate::sim::{self, Recorder};
use crate::trace::{Event, Recording};
use asked::{CLOSURE, CONVERGENCE, NO_DEAD_END, SERVICE};
use came::{Came, Example};
use core::ops::ControlFlow;
use states::{Leap, Move, States};
use std::sync::Arc;

/// What is asked of machines, in the order of the report.
pub(super) const NAMES: [&str; 4] = asked::NAMES;

/// How often somebody who watches hears of it, in states.
const REPORT_EVERY: u64 = 1 << 14;

/// What a search comes to.
#[derive(Default)]
struct Found {
    states: u64,
    transitions: u64,
    legitimate: u64,
    worst_steps: u32,
    worst_moves: u32,
    /// The first violation: the property, what is wrong, where it begins, the steps, and from which of them it
    /// repeats.
    wrong: Option<Wrong>,
    limit: Option<Limit>,
}

struct Wrong {
    property: &'static str,
    detail: String,
    from: u64,
    way: Vec<Vec<(u32, u32)>>,
    repeats_from: Option<u64>,
}

/// One state on the way of the depth-first search.
struct Frame {
    state: u64,
    leaps: Vec<Leap>,
    next: usize,
    steps: u32,
    moves: u32,
}

/// What is known of a state.
mod known {
    pub(super) const NEW: u8 = 0;
    pub(super) const OPEN: u8 = 1;
    pub(super) const DONE: u8 = 2;
    pub(super) const LEGITIMATE: u8 = 3;
}

struct Search<'a> {
    states: States,
    watcher: &'a dyn Watcher,
    scope: &'a Scope,
    spec: &'static Spec,
    known: Vec<u8>,
    longest: Vec<(u32, u32)>,
    found: Found,
}

impl Search<'_> {
    fn asks(&self, name: &str) -> bool {
        self.scope.asks(self.spec, name)
    }

    /// Looks at every state once: whether somebody has a privilege, and which states are legitimate.
    fn look(&mut self) -> bool {
        let mut moves = Vec::new();
        for place in 0..self.states.representatives() {
            let state = self.states.representative(place);
            self.states.moves(state, &mut moves);
            if moves.is_empty() && self.asks(NO_DEAD_END) {
                let detail = "no machine has a privilege".to_owned();
                let wrong =
                    Wrong { property: NO_DEAD_END, detail, from: state, way: Vec::new(), repeats_from: None };
                self.found.wrong = Some(wrong);
                return false;
            }
            if moves.len() == 1 {
                self.known[place as usize] = known::LEGITIMATE;
                self.found.legitimate += self.states.turns();
            }
            if place % REPORT_EVERY == 0 && !self.goes_on() {
                return false;
            }
        }
        true
    }

    fn goes_on(&mut self) -> bool {
        let Found { states, transitions, .. } = self.found;
        let progress = Progress { states, transitions, ..Progress::default() };
        let goes_on = self.watcher.progress(&progress) == ControlFlow::Continue(());
        if !goes_on {
            self.found.limit = Some(Limit::Stopped);
        }
        goes_on
    }

    /// The only successor of a legitimate state, and who moves.
    fn successor(&mut self, state: u64, moves: &mut Vec<Move>) -> Option<(u32, u32, u64)> {
        self.states.moves(state, moves);
        let one = moves.first()?;
        Some((one.machine, one.step, self.states.canonical(state.wrapping_add(one.adds))))
    }

    /// Legitimate states lead to legitimate ones, and on every cycle of them everybody moves.
    fn legitimate(&mut self) -> bool {
        let mut moves = Vec::new();
        let total = self.states.representatives();
        // In which walk a state was met; 0 if in none.
        let mut walks = vec![0u32; if self.asks(SERVICE) { total as usize } else { 0 }];
        let mut walk = 0u32;
        for place in 0..total {
            if self.known[place as usize] != known::LEGITIMATE {
                continue;
            }
            let from = self.states.representative(place);
            let Some((machine, step, to)) = self.successor(from, &mut moves) else { continue };
            self.found.transitions += 1;
            if self.known[self.states.place(to)] != known::LEGITIMATE {
                if self.asks(CLOSURE) {
                    let detail =
                        format!("machine {machine} moves, and then several machines have a privilege");
                    let way = vec![vec![(machine, step)]];
                    self.found.wrong =
                        Some(Wrong { property: CLOSURE, detail, from, way, repeats_from: None });
                    return false;
                }
                continue;
            }
            if walks.is_empty() || walks[place as usize] != 0 {
                continue;
            }
            walk += 1;
            let mut path: Vec<(u64, u32, u32)> = Vec::new();
            let mut state = from;
            while self.known[self.states.place(state)] == known::LEGITIMATE
                && walks[self.states.place(state)] == 0
            {
                walks[self.states.place(state)] = walk;
                let Some((machine, step, next)) = self.successor(state, &mut moves) else { break };
                path.push((state, machine, step));
                state = next;
            }
            if self.known[self.states.place(state)] == known::LEGITIMATE
                && walks[self.states.place(state)] == walk
                && let Some(begin) = path.iter().position(|&(met, ..)| met == state)
                && let Some(idle) =
                    (0..self.states.n).find(|&m| path[begin..].iter().all(|&(_, by, _)| by != m))
            {
                let way = path.iter().map(|&(_, machine, step)| vec![(machine, step)]).collect();
                let detail = format!("machine {idle} never moves again");
                let repeats_from = Some(begin as u64);
                self.found.wrong = Some(Wrong { property: SERVICE, detail, from, way, repeats_from });
                return false;
            }
        }
        true
    }

    /// From every state, or from this one: a run that goes on without convergence, or the longest ways.
    fn converge(&mut self, from: Option<u64>) -> bool {
        let starts = match from {
            Some(state) => vec![self.states.canonical(state)],
            None => Vec::new(),
        };
        let total = if from.is_some() { starts.len() as u64 } else { self.states.representatives() };
        for start in 0..total {
            let state =
                starts.get(start as usize).copied().unwrap_or_else(|| self.states.representative(start));
            if self.known[self.states.place(state)] == known::NEW && !self.descend(state) {
                return false;
            }
            if start % REPORT_EVERY == 0 && !self.goes_on() {
                return false;
            }
        }
        true
    }

    fn frame(&mut self, state: u64, moves: &mut Vec<Move>) -> Frame {
        self.states.moves(state, moves);
        let mut leaps = Vec::new();
        self.states.leaps(state, moves, &mut leaps);
        self.found.states += 1;
        self.found.transitions += leaps.len() as u64;
        let place = self.states.place(state);
        self.known[place] = known::OPEN;
        Frame { state, leaps, next: 0, steps: 0, moves: 0 }
    }

    fn descend(&mut self, start: u64) -> bool {
        let mut moves = Vec::new();
        let mut stack = vec![self.frame(start, &mut moves)];
        while let Some(top) = stack.last_mut() {
            let Some(leap) = top.leaps.get(top.next) else {
                let (place, longest) = (self.states.place(top.state), (top.steps, top.moves));
                self.known[place] = known::DONE;
                self.longest[place] = longest;
                self.found.worst_steps = self.found.worst_steps.max(longest.0);
                self.found.worst_moves = self.found.worst_moves.max(longest.1);
                stack.pop();
                continue;
            };
            let place = self.states.place(leap.to);
            match self.known[place] {
                known::NEW => {
                    let to = leap.to;
                    let frame = self.frame(to, &mut moves);
                    stack.push(frame);
                    if self.found.states.is_multiple_of(REPORT_EVERY) && !self.goes_on() {
                        return false;
                    }
                    continue;
                }
                known::OPEN => {
                    let begin =
                        stack.iter().position(|frame| frame.state == self.states.canonical(leap_to(&stack)));
                    self.went_round(&stack, begin.unwrap_or(0));
                    return false;
                }
                _ => {
                    let (steps, moves) = self.longest[place];
                    top.steps = top.steps.max(steps + 1);
                    top.moves = top.moves.max(moves + leap.moves.len() as u32);
                    top.next += 1;
                }
            }
        }
        true
    }

    /// The way of the search has come back to the state at this place.
    fn went_round(&mut self, stack: &[Frame], begin: usize) {
        let taken = |frame: &Frame| frame.leaps[frame.next].moves.clone();
        self.found.wrong = Some(Wrong {
            property: CONVERGENCE,
            detail: "it goes on for ever with more than one privilege".to_owned(),
            from: stack[begin].state,
            way: stack[begin..].iter().map(taken).collect(),
            repeats_from: Some(0),
        });
    }

    /// A run that does this, and says what each step did.
    fn recording(&mut self, ground: &Ground<'_>, wrong: &mut Wrong) -> Option<Recording> {
        self.states.read(wrong.from);
        self.states.population.memory_mut().set_cells(&self.states.cells);
        let from = self.states.population.memory().states();
        // A state may come back turned: the way is repeated until it comes back as it was.
        let mut way = wrong.way.clone();
        if wrong.repeats_from.is_some() {
            let begin = wrong.repeats_from.unwrap_or(0) as usize;
            let first = self.walk(wrong.from, &wrong.way[..begin]);
            let mut state = self.walk(first, &wrong.way[begin..]);
            while state != first {
                way.extend_from_slice(&wrong.way[begin..]);
                state = self.walk(state, &wrong.way[begin..]);
            }
        }
        let name = |step: u32| ground.nature.locals.name(step);
        let mut events = Vec::new();
        for (time, moves) in (1..).zip(&way) {
            events.extend(moves.iter().map(|&(machine, step)| {
                Event::bare(time, machine, crate::trace::Input::Local(name(step).into()))
            }));
        }
        if let Some(begin) = wrong.repeats_from {
            wrong.repeats_from = Some(way[..begin as usize].iter().map(|moves| moves.len() as u64).sum());
        }
        wrong.way = way;
        let scenario = Scenario { from: Some(from), ..ground.scenario.clone() };
        let setup = Setup::new(ground.nature, &scenario).ok()?;
        told_in_full(ground.nature, scenario, &setup, events)
    }

    /// Where these steps lead, as it is and not as what stands for it.
    fn walk(&mut self, from: u64, way: &[Vec<(u32, u32)>]) -> u64 {
        let mut state = from;
        let mut moves = Vec::new();
        for step in way {
            self.states.moves(state, &mut moves);
            let chosen = moves.iter().filter(|one| step.contains(&(one.machine, one.step)));
            state = chosen.fold(state, |state, one| state.wrapping_add(one.adds));
        }
        state
    }
}

/// A run with these events, with what each step of it did.
fn told_in_full(
    nature: &'static Nature,
    scenario: Scenario,
    setup: &Setup,
    events: Vec<Event>,
) -> Option<Recording> {
    let mut header = setup.header(nature.spec, &scenario, 1);
    header.schedule = "check".into();
    let skeleton = Arc::new(Recording { header: header.clone(), events });
    let mut told = Recorder::default();
    let replay = Scenario { schedule: Schedule::Replay(skeleton), ..scenario };
    sim::run(nature, None, &replay, &mut told).ok()?;
    Some(Recording { header, events: told.events })
}

/// Where the last frame is about to go.
fn leap_to(stack: &[Frame]) -> u64 {
    stack.last().and_then(|top| top.leaps.get(top.next)).map_or(0, |leap| leap.to)
}

/// What is checked.
struct Ground<'a> {
    nature: &'static Nature,
    scenario: &'a Scenario,
}

/// Checks machines that may begin in any state.
pub(super) fn check(
    nature: &'static Nature,
    scope: &Scope,
    scenario: &Scenario,
    setup: &Setup,
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    let spec = nature.spec;
    let faults = &scope.faults;
    let asked = [faults.crashes, faults.recoveries, faults.losses, faults.duplications];
    if asked.into_iter().flatten().any(|count| count > 0) {
        let expected = "none: a check begins in every state, and a fault is a beginning";
        return Err(Refusal::OutOfRange { what: "the faults of machines", expected });
    }
    if nature.shape != Shape::Memory {
        return told::check(nature, scope, scenario, setup, watcher);
    }
    let Some(states) = States::new(nature, scope, setup) else {
        return Err(Refusal::OutOfRange {
            what: "the number of all states of the machines",
            expected: "2^28 or less: take fewer machines, or fewer values",
        });
    };
    let total = states.representatives() as usize;
    let from = scope.from.as_ref().map(|_| {
        let population = setup.population(nature, &Wiring::new(nature.shape, &setup.plan), scope.range);
        states.number(population.memory().cells())
    });
    let longest = vec![(0, 0); total];
    let mut search = Search {
        states,
        watcher,
        scope,
        spec,
        known: vec![known::NEW; total],
        longest,
        found: Found::default(),
    };
    let all = search.look() && search.legitimate();
    if all && (search.asks(CONVERGENCE)) {
        search.converge(from);
    }
    search.found.states += search.found.legitimate / search.states.turns();
    let mut wrong = search.found.wrong.take();
    let recording = match &mut wrong {
        Some(wrong) => search.recording(&Ground { nature, scenario }, wrong),
        None => None,
    };
    let Search { states, found, known, .. } = search;
    let came = Came {
        states: found.states,
        transitions: found.transitions,
        legitimate: found.legitimate,
        depth: u64::from(found.worst_steps),
        messages: MessageRange { min: 0, max: Some(0) },
        worst: Some((u64::from(found.worst_moves), u64::from(found.worst_steps))),
        wrong: wrong.map(|wrong| Example {
            property: wrong.property,
            detail: wrong.detail,
            steps: wrong.way.iter().map(|moves| moves.len() as u64).sum(),
            repeats_from: wrong.repeats_from,
            recording,
        }),
        limit: found.limit,
        looked_at: known.len() as u64,
        bytes: known.len() as u64 * 9,
        turns: states.turns(),
    };
    Ok(came.findings(spec, scope, setup))
}
