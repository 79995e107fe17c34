//! The search through a model: its states are kept once each, and a row is the number of one.

use super::{Effort, Kind, Model, ModelFindings, ModelRun, Properties, Property};
use crate::check::batch::Batch;
use crate::check::fairness::{Cycle, fair_cycle};
use crate::check::findings::{Answer, Finding, Limit, Progress, Watcher};
use crate::check::graph::way;
use crate::check::search::{Explored, Limits, Search};
use crate::check::system::{Steps, System};
use crate::hash::Interned;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Checks a model.
pub fn model<M: Model>(model: &M, effort: &Effort, watcher: &dyn Watcher) -> ModelFindings<M> {
    let mut properties = Properties(Vec::new());
    model.properties(&mut properties);
    let known = Known { met: Interned::new(), wrong: Vec::new() };
    let typed = Typed { model, properties: &properties.0, known: Mutex::new(known) };
    let first = model.initial().into_iter().map(|state| typed.number(state).0).collect();
    let search = Search {
        system: &typed,
        threads: effort.threads.max(1) as usize,
        limits: Limits {
            states: effort.max_states.unwrap_or(u64::MAX),
            bytes: effort.max_bytes.unwrap_or(u64::MAX),
            watcher,
            so_far: Progress { case: 1, cases: 1, ..Progress::default() },
        },
        edges: properties.need_edges(),
        keep: true,
        chances: false,
        phases: false,
        max_depth: u64::MAX,
    };
    let explored = search.run(first);
    typed.findings(&explored)
}

/// A model, and the states that were met.
struct Typed<'a, M: Model> {
    model: &'a M,
    properties: &'a [Property<M>],
    known: Mutex<Known<M::State>>,
}

struct Known<S> {
    met: Interned<S>,
    /// For each state the first property that does not hold in it though it always must.
    wrong: Vec<Option<usize>>,
}

impl<M: Model> Typed<'_, M> {
    fn known(&self) -> MutexGuard<'_, Known<M::State>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, number: u32) -> M::State {
        self.known().met.value(number).clone()
    }

    /// The number of a state, its fingerprint, and what is wrong with it.
    fn number(&self, state: M::State) -> (u32, u64, Option<usize>) {
        let mut known = self.known();
        let number = known.met.number(state);
        if number as usize == known.wrong.len() {
            let state = known.met.value(number);
            let wrong = self.broken(|kind| matches!(kind, Kind::Always(holds) if !holds(self.model, state)));
            known.wrong.push(wrong);
        }
        (number, known.met.hashes()[number as usize], known.wrong[number as usize])
    }

    /// The first property that is broken.
    fn broken(&self, is_broken: impl Fn(&Kind<M>) -> bool) -> Option<usize> {
        self.properties.iter().position(|property| is_broken(&property.kind))
    }

    fn findings(&self, explored: &Explored) -> ModelFindings<M> {
        let limit = explored.limit;
        let (wrong, run) = match (&explored.violation, limit) {
            (Some(violation), _) => {
                let run = self.run(explored, &explored.way_to(violation.state), violation.step);
                (Some(violation.property), Some(run))
            }
            (None, Some(_)) => (None, None),
            (None, None) => self.judge(explored).unzip(),
        };
        let answer = Answer::of(wrong.is_some(), limit.is_some());
        let counterexample = run.zip(wrong).map(|(mut run, wrong)| {
            run.property = self.properties[wrong].name;
            run
        });
        let steps = counterexample.as_ref().map(|run| run.actions.len() as u64);
        let finding = |(number, property): (usize, &Property<M>)| {
            let is_wrong = wrong == Some(number);
            Finding {
                name: property.name,
                answer: if wrong.is_some() && !is_wrong { Answer::Unknown } else { answer },
                trace_steps: steps.filter(|_| is_wrong),
                detail: None,
            }
        };
        let states = u64::from(explored.visited.len());
        let most = if let Some(Limit::States(most)) = limit { most } else { u64::MAX };
        ModelFindings {
            answer,
            states: states.min(most),
            transitions: explored.transitions,
            depth: explored.depth,
            properties: self.properties.iter().enumerate().map(finding).collect(),
            counterexample,
            limit,
        }
    }

    /// What is decided by the edges between all states.
    fn judge(&self, explored: &Explored) -> Option<(usize, ModelRun<M>)> {
        let holds_in = |holds: super::Holds<M>| -> Vec<bool> {
            let known = self.known();
            explored.states.iter().map(|&row| holds(self.model, known.met.value(row))).collect()
        };
        let judged = self.properties.iter().enumerate().find_map(|(number, property)| {
            let (way, repeats_from) = match property.kind {
                Kind::Always(_) | Kind::Step(_) | Kind::Finally(_) => return None,
                Kind::Possible(holds) => {
                    let goals = holds_in(holds);
                    (explored.way_to(explored.graph.cut_off(|state| goals[state])?), None)
                }
                Kind::Lead(from, to) => {
                    let goals = holds_in(to);
                    let first = explored.first.len();
                    let begins =
                        from.map_or_else(|| (0..goals.len()).map(|state| state < first).collect(), holds_in);
                    self.astray(explored, &begins, &goals)?
                }
            };
            Some((number, way, repeats_from))
        });
        let (number, way, repeats_from) = judged?;
        Some((number, ModelRun { repeats_from, ..self.run(explored, &way, None) }))
    }

    /// A fair run from one of these states that never comes to one of those: its states, and where it repeats.
    fn astray(
        &self,
        explored: &Explored,
        begins: &[bool],
        goals: &[bool],
    ) -> Option<(Vec<u32>, Option<usize>)> {
        let graph = &explored.graph;
        // Breadth first from where it begins, without coming to a goal: from where each state is come to, and when.
        let mut came: Vec<Option<(u32, u32)>> = vec![None; goals.len()];
        let begins = (0..goals.len()).filter(|&state| begins[state] && !goals[state]);
        let mut met: Vec<u32> = begins.map(|state| state as u32).collect();
        for (time, &state) in (0..).zip(&met) {
            came[state as usize] = Some((state, time));
        }
        let way_from = |came: &[Option<(u32, u32)>], state: u32| {
            let on = way(state, |state| came[state as usize].map_or(state, |(before, _)| before));
            let mut way = explored.way_to(on[0]);
            way.extend(&on[1..]);
            way
        };
        let mut next = 0;
        while let Some(&state) = met.get(next) {
            next += 1;
            if graph.edges(state).is_empty() {
                return Some((way_from(&came, state), None));
            }
            for edge in graph.edges(state) {
                let to = edge.target as usize;
                if !goals[to] && came[to].is_none() {
                    came[to] = Some((state, met.len() as u32));
                    met.push(edge.target);
                }
            }
        }
        let inside = |state: u32, place: usize| {
            came[state as usize].is_some() && came[graph.edges[place].target as usize].is_some()
        };
        let mut duties = |state: u32| -> Vec<Vec<u64>> {
            let actions = self.model.actions(&self.state(explored.states[state as usize]));
            actions.iter().map(|action| self.model.duty(action).into_iter().collect()).collect()
        };
        let Cycle(mut cycle) = fair_cycle(graph, &mut duties, &inside)?;
        // Where it is come to first, it begins; the last state is the first again.
        cycle.pop();
        let first =
            (0..cycle.len()).min_by_key(|&place| came[cycle[place] as usize].map(|(_, time)| time))?;
        cycle.rotate_left(first);
        let mut way = way_from(&came, cycle[0]);
        let repeats_from = way.len() - 1;
        way.extend(&cycle[1..]);
        way.push(cycle[0]);
        Some((way, Some(repeats_from)))
    }

    /// The run along these states, and then by this action of the last.
    fn run(&self, explored: &Explored, way: &[u32], last: Option<u32>) -> ModelRun<M> {
        let rows: Vec<u32> = way.iter().map(|&state| explored.states[state as usize]).collect();
        let mut states: Vec<M::State> = rows.iter().map(|&row| self.state(row)).collect();
        let mut actions = Vec::new();
        for pair in states.windows(2) {
            let mut all = self.model.actions(&pair[0]).into_iter();
            actions.extend(all.find(|action| self.model.next(&pair[0], action) == pair[1]));
        }
        if let (Some(place), Some(state)) = (last, states.last())
            && let Some(action) = self.model.actions(state).into_iter().nth(place as usize)
        {
            states.push(self.model.next(state, &action));
            actions.push(action);
        }
        ModelRun { property: "", states, actions, repeats_from: None }
    }
}

impl<M: Model> System for Typed<'_, M> {
    fn words(&self) -> usize {
        1
    }

    fn steps(&self) -> Box<dyn Steps + '_> {
        Box::new(Moves(self))
    }

    fn bytes(&self) -> u64 {
        self.known().met.bytes()
    }
}

/// The steps of a model.
struct Moves<'a, M: Model>(&'a Typed<'a, M>);

impl<M: Model> Steps for Moves<'_, M> {
    fn representative(&mut self, state: &mut [u32]) -> u64 {
        self.0.known().met.hashes()[state[0] as usize]
    }

    fn expand(&mut self, parent: u32, state: &[u32], _fingerprint: u64, batch: &mut Batch) {
        let Typed { model, .. } = *self.0;
        (batch.is_due, batch.may_want) = (false, false);
        let before = self.0.state(state[0]);
        for action in model.actions(&before) {
            let after = model.next(&before, &action);
            let broken = self
                .0
                .broken(|kind| matches!(kind, Kind::Step(holds) if !holds(model, &before, &action, &after)));
            let (number, fingerprint, wrong) = self.0.number(after);
            let place = batch.nexts.len() as u32;
            batch.violations.extend(broken.or(wrong).map(|property| (place, property, String::new())));
            let start = batch.changes.len();
            batch.changes.push((0, number));
            batch.push(parent, start, fingerprint, 0, 0, true);
            batch.is_due = true;
        }
    }

    fn judge_first(&self, state: &[u32]) -> Option<(usize, String)> {
        Some((self.0.known().wrong[state[0] as usize]?, String::new()))
    }

    fn judge_end(&self, state: &[u32]) -> Option<(usize, String)> {
        let state = self.0.state(state[0]);
        let wrong =
            self.0.broken(|kind| matches!(kind, Kind::Finally(holds) if !holds(self.0.model, &state)));
        Some((wrong?, String::new()))
    }
}
