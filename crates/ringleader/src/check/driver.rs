//! Case after case, and what they come to together.

use super::case::{self, Came, Wrong};
use super::cases::{Cases, One};
use super::findings::{
    Answer, Counterexample, Finding, Findings, Limit, Probability, Progress, Range, States, Watcher,
};
use super::ground::Subject;
use super::machines;
use super::property::{BOUND, Property, promised, runs};
use super::scope::{Budget, Reduce, Scope, is_called};
use super::search::Limits;
use super::threads::share_out;
use crate::model::{Promises, Shape, Timing};
use crate::population::Nature;
use crate::scenario::{Entries, Fault, Refusal, Scenario, Setup};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many states may be looked at, beyond those of the check itself, to find a shorter counterexample.
const SHORTENING: u64 = 5_000_000;

/// How many cases a thread takes before all are added up.
const SHARE: usize = 64;

/// Checks an algorithm.
pub(crate) fn check(
    nature: &'static Nature,
    scope: &Scope,
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    if scope.n == 0 {
        return Err(Refusal::NoProcesses);
    }
    let (most, expected) = match nature.shape {
        Shape::OneWayRing | Shape::TwoWayRing => (1000, "1000 or less"),
        // A state has a number for each link, and here there are as many as pairs.
        Shape::Edges | Shape::Named => (200, "200 or less where everybody is connected with everybody"),
        Shape::Memory => (64, "64 or less where processes share registers"),
    };
    if scope.n > most {
        return Err(Refusal::OutOfRange { what: "the number of processes of a check", expected });
    }
    let mut scope = scope.clone();
    if !own.is_empty() && scope.reduce == Reduce::Full {
        // A property of one's own may tell processes apart that are alike to the algorithm.
        scope.reduce = Reduce::Por;
    }
    let asked = core::mem::take(&mut scope.properties);
    let names = names(nature, &scope, own);
    if let Some(unknown) = asked.iter().find(|asked| !names.iter().any(|name| is_called(name, asked))) {
        return Err(Refusal::NoSuchProperty { name: unknown.clone(), names });
    }
    scope.properties = asked;
    if scope.all_violations {
        all_violations(nature, scope, &names, own, watcher)
    } else {
        search(nature, &scope, own, watcher)
    }
}

/// Searches up to the first violation.
fn search(
    nature: &'static Nature,
    scope: &Scope,
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    let setup = first_setup(nature, scope)?;
    if nature.spec.stabilises() {
        let scenario = One::default().scenario(nature, scope);
        return machines::check(nature, scope, &scenario, &setup, watcher);
    }
    let cases = Cases::new(nature, scope, &setup.plan.neighbours)?;
    let list = promised(nature.spec, nature.tokens, &|name| scope.asks(nature.spec, name));
    let mine = own.iter().copied().filter(|property| scope.asks(nature.spec, property.name()));
    let properties: Vec<&dyn Property> = list.iter().map(|property| &**property).chain(mine).collect();
    let plan = Plan { subject: Subject { nature, scope, properties: &properties }, cases, watcher };
    let total = plan.run()?;
    plan.findings(total, &setup, own)
}

/// Searches again without what is violated, until the rest holds or a limit is reached. What was counted is that of the
/// last search, which went furthest.
fn all_violations(
    nature: &'static Nature,
    mut scope: Scope,
    names: &[&'static str],
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    let mut left: Vec<&'static str> =
        names.iter().copied().filter(|name| scope.asks(nature.spec, name)).collect();
    let asked = left.clone();
    let mut violated: Vec<Finding> = Vec::new();
    let mut shown: Vec<Counterexample> = Vec::new();
    let mut findings = search(nature, &scope, own, watcher)?;
    while let Some(wrong) = findings.properties.iter().find(|found| found.answer == Answer::Violated) {
        left.retain(|name| *name != wrong.name);
        violated.push(wrong.clone());
        shown.extend(findings.counterexample.take());
        if left.is_empty() {
            break;
        }
        scope.properties = left.iter().map(|&name| name.to_owned()).collect();
        findings = search(nature, &scope, own, watcher)?;
    }
    if violated.is_empty() {
        return Ok(findings);
    }
    let known: Vec<Finding> = violated.into_iter().chain(findings.properties).collect();
    // A violation stands before what the last search says of the same property.
    findings.properties =
        asked.iter().filter_map(|name| known.iter().find(|found| found.name == *name).cloned()).collect();
    let mut shown = shown.into_iter();
    findings.counterexample = shown.next();
    findings.others = shown.collect();
    findings.answer = Answer::Violated;
    Ok(findings)
}

/// All properties, in the order of the report.
fn names(nature: &Nature, scope: &Scope, own: &[&dyn Property]) -> Vec<&'static str> {
    let spec = nature.spec;
    if spec.stabilises() {
        return machines::NAMES.to_vec();
    }
    let list = promised(spec, nature.tokens, &|_| true);
    let own = own.iter().map(|property| property.name());
    let mut names: Vec<&'static str> = list.iter().map(|property| property.name()).chain(own).collect();
    if scope.safety_only {
        return names;
    }
    let ends = match spec.promises {
        Promises::Election { .. } => {
            if spec.keeps_its_leader() {
                names.push(runs::POSSIBLE);
            }
            true
        }
        Promises::Stabilisation => false,
        Promises::Exclusion { falls_silent, .. } => falls_silent && scope.entries != Entries::Forever,
        Promises::Clocks { .. } => true,
    };
    if ends {
        names.push(if spec.needs.choices { runs::ENDS_BY_CHANCE } else { runs::ENDS });
    }
    if spec.cost.worst.is_some() {
        names.push(BOUND);
    }
    names
}

/// How many cases a check has.
pub(crate) fn cases(nature: &'static Nature, scope: &Scope) -> Result<u64, Refusal> {
    let setup = first_setup(nature, scope)?;
    if nature.spec.stabilises() {
        return Ok(1);
    }
    Ok(Cases::new(nature, scope, &setup.plan.neighbours)?.len())
}

/// What all cases have in common: whether the scope is admitted at all.
fn first_setup(nature: &'static Nature, scope: &Scope) -> Result<Setup, Refusal> {
    let faults = faults_asked_for(scope);
    let scenario = Scenario { faults, ..One::default().scenario(nature, scope) };
    let mut setup = Setup::new(nature, &scenario)?;
    let needs = &nature.spec.needs;
    let late = scope.max_delay.is_some_and(|delay| delay > setup.max_delay());
    let early = nature.has_clocks() && scope.min_delay.is_some_and(|delay| delay < setup.delays().lo);
    let dropped = [
        (early, "messages that take less time than it is told"),
        (late && needs.timing == Timing::BoundedDelay, "messages that take longer than it is told"),
        (!scope.detector && needs.detector, "crashes that nobody notices"),
    ];
    for (_, fault) in dropped.into_iter().filter(|(dropped, _)| *dropped) {
        let refusal = Refusal::FaultExcluded { fault };
        if !scope.unsound {
            return Err(refusal);
        }
        setup.outside.push(refusal.to_string());
    }
    Ok(setup)
}

/// The faults that the scope asks for, as faults of a run, so that the contract is asked whether it tolerates them.
fn faults_asked_for(scope: &Scope) -> Vec<Fault> {
    let Budget { crashes, recoveries, losses, duplications } = scope.faults;
    let asked = [
        // Whoever comes back has gone down before.
        (crashes.max(recoveries), Fault::Crash { process: 0, at: 0 }),
        (recoveries, Fault::Recover { process: 0, at: 1 }),
        (losses, Fault::Loss(0.0)),
        (duplications, Fault::Duplicate(0.0)),
    ];
    asked.into_iter().filter(|(count, _)| count.unwrap_or(0) > 0).map(|(_, fault)| fault).collect()
}

struct Plan<'a> {
    subject: Subject<'a>,
    cases: Cases,
    watcher: &'a dyn Watcher,
}

/// What the cases so far come to.
#[derive(Default)]
struct Total {
    came: Came,
    searched: u64,
    missed: f64,
    /// The case with the violation.
    wrong_case: u64,
}

impl Plan<'_> {
    /// Runs all cases, up to the first that is violated or not decided.
    fn run(&self) -> Result<Total, Refusal> {
        let mut total = Total::default();
        let core::ops::Range { start: mut next, end } = self.wanted();
        while next < end && total.came.wrong.is_none() && total.came.limit.is_none() {
            let threads = self.subject.scope.threads.max(1) as usize;
            let mut share: Vec<(u64, One)> = Vec::new();
            while next < end && share.len() < SHARE * threads {
                share.extend(self.cases.get(next).map(|one| (next, one)));
                next += 1;
            }
            let mut ahead = if threads == 1 || share.len() < 2 * threads {
                BTreeMap::new()
            } else {
                self.side_by_side(&share, threads, &total)
            };
            for (number, one) in share {
                let came = match ahead.remove(&number).transpose()? {
                    Some(came) if !matches!(came.limit, Some(Limit::Bytes(_))) => came,
                    Some(_) | None => self.one(number, &one, (threads, 1), &total)?,
                };
                total.add(number, came);
                if total.came.limit.is_none() && total.came.states > self.max_states() {
                    total.came.limit = Some(Limit::States(self.max_states()));
                }
                if total.came.wrong.is_some() || total.came.limit.is_some() {
                    break;
                }
            }
        }
        Ok(total)
    }

    /// The cases that were asked for.
    fn wanted(&self) -> core::ops::Range<u64> {
        let all = 0..self.cases.len();
        self.subject.scope.cases.as_ref().map_or(all.clone(), |some| some.start..some.end.min(all.end))
    }

    fn max_states(&self) -> u64 {
        self.subject.scope.max_states.unwrap_or(u64::MAX)
    }

    /// Runs some cases, each on one of the threads. They share the memory; one that needs more is searched again by all
    /// together, so that what is found does not depend on the number of threads. One thread alone needs none of this,
    /// and few cases are searched by all together as well.
    fn side_by_side(
        &self,
        share: &[(u64, One)],
        threads: usize,
        total: &Total,
    ) -> BTreeMap<u64, Result<Came, Refusal>> {
        let done = Mutex::new(BTreeMap::new());
        share_out(threads, share.iter(), |(number, one)| {
            let came = self.one(*number, one, (1, threads), total);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(*number, came);
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one case, with so many threads, while so many cases share the memory.
    fn one(
        &self,
        number: u64,
        one: &One,
        (threads, side_by_side): (usize, usize),
        total: &Total,
    ) -> Result<Came, Refusal> {
        let Came { states, transitions, .. } = total.came;
        let so_far = Progress { states, transitions, ..Progress::default() };
        // Whether the sum is too large is decided when the cases are added up, in their order.
        let limits = self.limits(number, self.max_states(), side_by_side as u64, so_far);
        case::check(self.subject, one, limits, threads)
    }

    /// The limits of a case, while so many cases share the memory.
    fn limits(&self, number: u64, states: u64, side_by_side: u64, so_far: Progress) -> Limits<'_> {
        Limits {
            states,
            bytes: self.subject.scope.max_bytes.unwrap_or(u64::MAX) / side_by_side,
            watcher: self.watcher,
            so_far: Progress { case: number + 1, cases: self.cases.len(), ..so_far },
        }
    }

    /// Looks for a shorter run that violates something, in every case.
    fn shorten(&self, wrong: Wrong, at: u64) -> Result<Wrong, Refusal> {
        // A run without end, or one that sends too much, is found by other means.
        let by_search = self.subject.properties.iter().any(|property| property.name() == wrong.property);
        if wrong.repeats_from.is_some() || !by_search {
            return Ok(wrong);
        }
        let mut best = wrong;
        let mut left = SHORTENING;
        let mut complete = true;
        let first = core::iter::once(at);
        for number in first.chain((0..self.cases.len()).filter(|&number| number != at)) {
            // Nothing is shorter than one step.
            if best.shortest && best.length <= 1 {
                break;
            }
            let Some(one) = self.cases.get(number) else { continue };
            let max_depth = if number == at { best.length } else { best.length.saturating_sub(1) };
            let limits = self.limits(number, left, 1, Progress::default());
            let (found, states, decided) = case::shortest(self.subject, &one, limits, max_depth)?;
            left = left.saturating_sub(states);
            if let Some(found) = found
                && (found.length < best.length || best.recording.is_none() || !best.shortest)
            {
                best = found;
            }
            complete = decided && left > 0;
            if !complete {
                break;
            }
        }
        best.shortest = complete;
        Ok(best)
    }

    fn findings(&self, total: Total, setup: &Setup, own: &[&dyn Property]) -> Result<Findings, Refusal> {
        let Total { mut came, searched, missed, wrong_case } = total;
        let mut wrong = match came.wrong.take() {
            Some(wrong) => Some(self.shorten(wrong, wrong_case)?),
            None => None,
        };
        let graph = match &mut wrong {
            Some(wrong) => wrong.graph.take(),
            None => came.graph.take(),
        };
        let unknown = came.limit.is_some();
        let answer = Answer::of(wrong.is_some(), unknown);
        let finding = |name: &'static str| {
            let this = wrong.as_ref().filter(|wrong| wrong.property == name);
            // A search that ends at one violation says nothing of the other properties.
            let answer = if wrong.is_some() && this.is_none() { Answer::Unknown } else { answer };
            let (trace_steps, detail) = this.map(|wrong| (wrong.length, wrong.detail.clone())).unzip();
            Finding { name, answer, trace_steps, detail }
        };
        let decided = wrong.is_none() && !unknown;
        let mut notes: Vec<String> = came.notes.iter().map(|&note| note.to_owned()).collect();
        if decided && self.subject.scope.reduce == Reduce::None {
            notes.push("nothing was left out".into());
        }
        Ok(Findings {
            algorithm: self.subject.nature.spec.name,
            n: self.subject.scope.n,
            links: setup.links.name(),
            outside: setup.outside.clone(),
            answer,
            states: came.states.min(self.max_states()),
            transitions: came.transitions,
            depth: came.depth,
            arrangements: self.cases.arrangements,
            initiator_sets: self.cases.initiator_sets,
            labellings: self.cases.labellings,
            cases: searched,
            properties: names(self.subject.nature, self.subject.scope, own)
                .into_iter()
                .filter(|name| self.subject.scope.asks(self.subject.nature.spec, name))
                .map(finding)
                .collect(),
            messages: came.messages.filter(|_| decided),
            election_messages: came.election_messages.filter(|_| decided),
            extreme: came.extreme.filter(|_| decided).map(|(_, recording)| recording),
            probability: came.probability.filter(|_| !unknown),
            counterexample: wrong.and_then(|wrong| {
                Some(Counterexample {
                    property: wrong.property,
                    detail: wrong.detail,
                    recording: wrong.recording?,
                    shortest: wrong.shortest,
                    repeats_from: wrong.repeats_from,
                })
            }),
            others: Vec::new(),
            limit: came.limit,
            notes,
            missed,
            visited_bytes: came.visited.0,
            visited_states: came.visited.1,
            peak_bytes: came.peak_bytes,
            convergence: None,
            closure: None,
            legitimate: None,
            graph,
        })
    }
}

impl Total {
    fn add(&mut self, number: u64, came: Came) {
        let total = &mut self.came;
        self.searched += 1;
        let states = came.states as f64;
        // Two of so many fingerprints of 64 bits agree with this probability, at most.
        self.missed += states * states / 2f64.powi(65);
        total.states += came.states;
        total.transitions += came.transitions;
        total.depth = total.depth.max(came.depth);
        if came.visited.1 > total.visited.1 {
            total.visited = came.visited;
        }
        total.peak_bytes = total.peak_bytes.max(came.peak_bytes);
        if came.wrong.is_some() {
            self.wrong_case = number;
        }
        total.wrong = came.wrong;
        total.limit = came.limit;
        let size = |graph: &Option<States>| graph.as_ref().map_or(0, |states| states.depths.len());
        if size(&came.graph) > size(&total.graph) {
            total.graph = came.graph;
        }
        total.messages = widest(total.messages, came.messages);
        total.election_messages = widest(total.election_messages, came.election_messages);
        total.extreme = match (total.extreme.take(), came.extreme) {
            (Some(a), Some(b)) if b.0 > a.0 => Some(b),
            (a, b) => a.or(b),
        };
        total.probability = match (total.probability, came.probability) {
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) => Some(Probability {
                almost_sure: a.almost_sure && b.almost_sure,
                expected_rounds: wider(a.expected_rounds, b.expected_rounds),
                expected_messages: wider(a.expected_messages, b.expected_messages),
            }),
        };
        for note in came.notes {
            if !total.notes.contains(&note) {
                total.notes.push(note);
            }
        }
    }
}

fn widest(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => {
            Some(Range { min: a.min.min(b.min), max: a.max.zip(b.max).map(|(a, b)| a.max(b)) })
        }
    }
}

/// What one of them does not know is not known.
fn wider(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    a.zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)))
}
