//! Machines that tell their values by messages: whether every fair run comes to one privilege and keeps it, wherever it
//! begins and whatever is in the links.
//!
//! Runs without an end are only held against it if they are fair: every timer runs out at last, and every message
//! arrives. So there is no largest number of steps, and a cycle of states is a counterexample only if something on it
//! happens, or is impossible at some moment, for each timer and each link.

use super::asked::{CLOSURE, CONVERGENCE, NO_DEAD_END, SERVICE};
use super::came::{Came, Example};
use super::places::{Action, Places, Step};
use super::{REPORT_EVERY, told_in_full};
use crate::check::fairness::{Cycle, fair_cycle};
use crate::check::findings::{Findings, Limit, Progress, Range as MessageRange, Watcher};
use crate::check::graph::{Edge, Graph, way};
use crate::check::scope::Scope;
use crate::model::Spec;
use crate::network::{Link, Wiring};
use crate::population::Nature;
use crate::scenario::{Refusal, Scenario, Setup, in_links};
use crate::trace::{Arrival, Event, Input, Recording};
use core::ops::ControlFlow;
use std::collections::{BTreeMap, VecDeque};

/// A run in which something is violated.
struct Wrong {
    property: &'static str,
    detail: String,
    from: u64,
    way: Vec<Action>,
    /// From which step of the way on it repeats.
    repeats_from: Option<usize>,
}

/// Some of the states, and how each is reached from where a run may begin.
struct Region {
    /// What comes before each state; itself where a run begins, nothing where it is not reached.
    before: Vec<u32>,
}

const NOT_REACHED: u32 = u32::MAX;

impl Region {
    fn has(&self, place: u32) -> bool {
        self.before[place as usize] != NOT_REACHED
    }
}

struct Search<'a> {
    places: Places,
    spec: &'static Spec,
    scope: &'a Scope,
    watcher: &'a dyn Watcher,
    /// The steps between the states that stand for all, in the order of `Places::steps`.
    graph: Graph,
    legitimate: Vec<bool>,
    limit: Option<Limit>,
}

impl Search<'_> {
    fn asks(&self, name: &str) -> bool {
        self.scope.asks(self.spec, name)
    }

    fn state(&self, place: u32) -> u64 {
        self.places.representative(u64::from(place))
    }

    /// Looks at every state once, and at every step.
    fn look(&mut self) -> Option<Wrong> {
        let mut steps = Vec::new();
        for place in 0..self.places.representatives() {
            let state = self.places.representative(place);
            let privileges = self.places.privileges(state);
            if privileges == 0 && self.places.may_begin(state) && self.asks(NO_DEAD_END) {
                let detail = "no machine has a privilege, and none is on its way".to_owned();
                return Some(Wrong {
                    property: NO_DEAD_END,
                    detail,
                    from: state,
                    way: Vec::new(),
                    repeats_from: None,
                });
            }
            self.legitimate.push(privileges == 1);
            self.places.steps(state, &mut steps);
            for step in &steps {
                let to = self.places.place(self.places.canonical(step.to)) as u32;
                self.graph.edges.push(Edge::new(to, 0, 0, true));
            }
            self.graph.begins.push(self.graph.edges.len() as u64);
            if place % REPORT_EVERY == 0 && !self.goes_on() {
                return None;
            }
        }
        None
    }

    fn goes_on(&mut self) -> bool {
        let (states, transitions) = (self.legitimate.len() as u64, self.graph.edges.len() as u64);
        let progress = Progress { states, transitions, ..Progress::default() };
        let goes_on = self.watcher.progress(&progress) == ControlFlow::Continue(());
        let bytes = self.bytes();
        if !goes_on {
            self.limit = Some(Limit::Stopped);
        } else if self.scope.max_states.is_some_and(|most| states > most) {
            self.limit = self.scope.max_states.map(Limit::States);
        } else if self.scope.max_bytes.is_some_and(|most| bytes > most) {
            self.limit = self.scope.max_bytes.map(Limit::Bytes);
        }
        self.limit.is_none()
    }

    fn bytes(&self) -> u64 {
        self.graph.bytes() + self.legitimate.len() as u64 * 5
    }

    fn is_legitimate(&self, place: u32) -> bool {
        self.legitimate[place as usize]
    }

    /// Legitimate states lead to legitimate ones.
    fn closure(&self) -> Option<Wrong> {
        let all = 0..self.legitimate.len() as u32;
        for place in
            all.filter(|&place| self.is_legitimate(place) && self.places.may_begin(self.state(place)))
        {
            let broken = |edge: &Edge| !self.is_legitimate(edge.target);
            if let Some(at) = self.graph.edges(place).iter().position(broken) {
                let step = self.steps(place)[at];
                return Some(Wrong {
                    property: CLOSURE,
                    detail: format!(
                        "after a step of machine {} there is more than one privilege",
                        step.action.machine
                    ),
                    from: self.state(place),
                    way: vec![step.action],
                    repeats_from: None,
                });
            }
        }
        None
    }

    fn steps(&self, place: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        self.places.steps(self.state(place), &mut steps);
        steps
    }

    /// The states of this kind that runs reach without leaving it, if they begin there: in one of these.
    fn region(&self, legitimate: bool, from: Option<u32>) -> Region {
        let mut before = vec![NOT_REACHED; self.legitimate.len()];
        let mut queue = VecDeque::new();
        let begins = |place: &u32| {
            self.is_legitimate(*place) == legitimate
                && from.is_none_or(|from| from == *place)
                && self.places.may_begin(self.state(*place))
        };
        for place in (0..before.len() as u32).filter(begins) {
            before[place as usize] = place;
            queue.push_back(place);
        }
        while let Some(place) = queue.pop_front() {
            for edge in self.graph.edges(place) {
                let met = &mut before[edge.target as usize];
                if *met == NOT_REACHED && self.is_legitimate(edge.target) == legitimate {
                    *met = place;
                    queue.push_back(edge.target);
                }
            }
        }
        Region { before }
    }

    /// In a fair run of legitimate states everybody moves again and again.
    fn service(&self) -> Option<Wrong> {
        let region = self.region(true, None);
        (0..self.places.n).find_map(|machine| {
            let detail = || format!("machine {machine} never moves again");
            self.for_ever(SERVICE, detail, &region, &|step| !(step.moves && step.action.machine == machine))
        })
    }

    /// No fair run has more than one privilege for ever.
    fn convergence(&self, from: Option<u32>) -> Option<Wrong> {
        let detail = || "it goes on for ever with more than one privilege".to_owned();
        self.for_ever(CONVERGENCE, detail, &self.region(false, from), &|_| true)
    }

    /// A fair run that stays in a region and takes only such steps: one that goes round, or one that comes to rest.
    fn for_ever(
        &self,
        property: &'static str,
        detail: impl Fn() -> String,
        region: &Region,
        takes: &dyn Fn(&Step) -> bool,
    ) -> Option<Wrong> {
        let all = 0..self.legitimate.len() as u32;
        let to = |place: u32| way(place, |place| region.before[place as usize]);
        if let Some(rest) = all.clone().find(|&place| region.has(place) && self.graph.edges(place).is_empty())
        {
            let (from, way) = self.actions(&to(rest), takes);
            let detail = format!("{}: nothing happens any more", detail());
            return Some(Wrong { property, detail, from, way, repeats_from: None });
        }
        let mut kept = vec![false; self.graph.edges.len()];
        for place in all.filter(|&place| region.has(place)) {
            for (at, step) in self.graph.places(place).zip(self.steps(place)) {
                kept[at] = region.has(self.graph.edges[at].target) && takes(&step);
            }
        }
        let mut duties =
            |place: u32| self.steps(place).iter().map(|step| vec![step.duty]).collect::<Vec<Vec<u64>>>();
        let Cycle(cycle) = fair_cycle(&self.graph, &mut duties, &|_, at| kept[at])?;
        let (from, mut way) = self.actions(&to(cycle[0]), takes);
        let repeats_from = way.len();
        way.extend(self.actions(&cycle, takes).1);
        Some(Wrong { property, detail: detail(), from, way, repeats_from: Some(repeats_from) })
    }

    /// The steps along these states, and the state in which they begin. Where it stays in a state, everything happens
    /// there that changes nothing.
    fn actions(&self, states: &[u32], takes: &dyn Fn(&Step) -> bool) -> (u64, Vec<Action>) {
        let mut way = Vec::new();
        for pair in states.windows(2) {
            let edges = self.graph.edges(pair[0]).iter().zip(self.steps(pair[0]));
            let leads = edges.filter(|(edge, step)| edge.target == pair[1] && takes(step));
            let most = if pair[0] == pair[1] { usize::MAX } else { 1 };
            way.extend(leads.take(most).map(|(_, step)| step.action));
        }
        (self.state(states[0]), way)
    }

    /// Where these steps lead, as it is and not as what stands for it.
    fn walk(&self, from: u64, way: &[Action]) -> u64 {
        let mut steps = Vec::new();
        way.iter().fold(from, |state, action| {
            self.places.steps(state, &mut steps);
            steps.iter().find(|step| step.action == *action).map_or(state, |step| step.to)
        })
    }

    /// A run that does this, and says what each step did.
    fn recording(
        &self,
        nature: &'static Nature,
        scenario: &Scenario,
        wrong: &mut Wrong,
    ) -> Option<Recording> {
        if let Some(begin) = wrong.repeats_from {
            // A state may come back with all values raised: the way is repeated until it comes back as it was.
            let round = wrong.way[begin..].to_vec();
            let first = self.walk(wrong.from, &wrong.way[..begin]);
            let mut state = self.walk(first, &round);
            while state != first {
                wrong.way.extend_from_slice(&round);
                state = self.walk(state, &round);
            }
        }
        let scenario = Scenario { from: Some(self.places.beginning(wrong.from)), ..scenario.clone() };
        let setup = Setup::new(nature, &scenario).ok()?;
        let net = Wiring::new(nature.shape, &setup.plan);
        let mut mail = Mail { capacity: self.places.capacity, next: 0, links: BTreeMap::new() };
        let mut events = Vec::new();
        for (machine, held) in (0..self.places.n).zip(in_links(setup.from(), self.places.n)) {
            events.push(Event::bare(u64::from(machine) + 1, machine, Input::Start));
            mail.send(net.route(machine, 0), held.len());
        }
        let mut state = wrong.from;
        for (time, &action) in (u64::from(self.places.n) + 1..).zip(&wrong.way) {
            let machine = action.machine;
            let input = match action.message {
                Some(message) => Input::Deliver(vec![mail.deliver(machine, message)?]),
                None => Input::Timeout(nature.timers.name(0).into()),
            };
            events.push(Event::bare(time, machine, input));
            mail.send(net.route(machine, 0), self.places.sends(state, action));
            state = self.walk(state, &[action]);
        }
        told_in_full(nature, scenario, &setup, events)
    }
}

/// The numbers of the messages in the links.
struct Mail {
    capacity: usize,
    next: u64,
    links: BTreeMap<u32, VecDeque<Arrival>>,
}

impl Mail {
    /// So many messages are sent into this link; what does not fit is lost.
    fn send(&mut self, link: Link, count: usize) {
        let waiting = self.links.entry(link.to()).or_default();
        for _ in 0..count {
            if waiting.len() < self.capacity {
                waiting.push_back(Arrival { message: self.next, port: link.port() });
            }
            self.next += 1;
        }
    }

    /// This message of the link into this machine, counted from the oldest.
    fn deliver(&mut self, machine: u32, message: usize) -> Option<Arrival> {
        self.links.get_mut(&machine)?.remove(message)
    }
}

/// Checks machines that tell their values by messages.
pub(super) fn check(
    nature: &'static Nature,
    scope: &Scope,
    scenario: &Scenario,
    setup: &Setup,
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    let places = Places::new(nature, scope, setup)?;
    let from =
        scope.from.as_ref().map(|_| places.place(places.canonical(places.number(setup.from()))) as u32);
    let mut search = Search {
        places,
        spec: nature.spec,
        scope,
        watcher,
        graph: Graph { begins: vec![0], ..Graph::default() },
        legitimate: Vec::new(),
        limit: None,
    };
    let mut wrong = search.look();
    if wrong.is_none() && search.limit.is_none() {
        let closure = search.asks(CLOSURE).then(|| search.closure()).flatten();
        wrong = closure
            .or_else(|| search.asks(SERVICE).then(|| search.service()).flatten())
            .or_else(|| search.asks(CONVERGENCE).then(|| search.convergence(from)).flatten());
    }
    let recording = match &mut wrong {
        Some(wrong) => search.recording(nature, scenario, wrong),
        None => None,
    };
    let turns = search.places.turns();
    let starts = u64::from(search.places.n);
    let came = Came {
        states: search.legitimate.len() as u64,
        transitions: search.graph.edges.len() as u64,
        legitimate: search.legitimate.iter().filter(|is| **is).count() as u64 * turns,
        depth: 0,
        // They tell their values for ever.
        messages: MessageRange { min: 0, max: None },
        worst: None,
        wrong: wrong.map(|wrong| Example {
            property: wrong.property,
            detail: wrong.detail,
            steps: starts + wrong.way.len() as u64,
            repeats_from: wrong.repeats_from.map(|begin| starts + begin as u64),
            recording,
        }),
        limit: search.limit,
        looked_at: search.legitimate.len() as u64,
        bytes: search.bytes(),
        turns,
    };
    Ok(came.findings(nature.spec, scope, setup))
}
