//! Case after case, and what they come to together.

use super::case::{self, Came, Wrong};
use super::cases::{Cases, One};
use super::findings::{
    Answer, Counterexample, Finding, Findings, Limit, Probability, Progress, Range, Watcher,
};
use super::property::{Property, bound, ends, possible, promised};
use super::scope::{Reduce, Scope};
use super::search::Limits;
use crate::model::{Promises, Shape, Timing};
use crate::population::Nature;
use crate::scenario::{Refusal, Setup};
use std::sync::atomic::{AtomicUsize, Ordering};
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
    let most = match nature.shape {
        Shape::OneWayRing | Shape::TwoWayRing => 1000,
        // A state has a number for each link, and here there are as many as pairs.
        Shape::Edges | Shape::Named => 200,
    };
    if scope.n > most {
        let expected = if most == 200 {
            "200 or less where everybody is connected with everybody"
        } else {
            "1000 or less"
        };
        return Err(Refusal::OutOfRange { what: "the number of processes of a check", expected });
    }
    let mut scope = scope.clone();
    if !own.is_empty() && scope.reduce == Reduce::Full {
        // A property of one's own may tell processes apart that are alike to the algorithm.
        scope.reduce = Reduce::Por;
    }
    let scope = &scope;
    let setup = first_setup(nature, scope)?;
    let cases = Cases::new(nature, scope, &setup.plan.neighbours)?;
    let list = promised(nature.spec, nature.tokens);
    let properties: Vec<&dyn Property> =
        list.iter().map(|property| &**property).chain(own.iter().copied()).collect();
    let plan = Plan { nature, scope, properties: &properties, cases: &cases, watcher };
    let total = plan.run()?;
    plan.findings(total, &setup)
}

/// What all cases have in common: whether the scope is admitted at all.
fn first_setup(nature: &'static Nature, scope: &Scope) -> Result<Setup, Refusal> {
    let faults = faults_asked_for(scope);
    let one = One::first();
    let mut scenario = one.scenario(nature, scope);
    scenario.faults = faults;
    let mut setup = Setup::new(nature, &scenario)?;
    let needs = &nature.spec.needs;
    let late = scope.max_delay.is_some_and(|delay| delay > setup.max_delay());
    let dropped = [
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
fn faults_asked_for(scope: &Scope) -> Vec<crate::scenario::Fault> {
    use crate::scenario::Fault;
    let some = |given: Option<u32>| given.is_some_and(|count| count > 0);
    let budget = &scope.faults;
    let mut faults = Vec::new();
    if some(budget.crashes) || some(budget.recoveries) {
        faults.push(Fault::Crash { process: 0, at: 0 });
    }
    if some(budget.recoveries) {
        faults.push(Fault::Recover { process: 0, at: 1 });
    }
    if some(budget.losses) {
        faults.push(Fault::Loss(0.0));
    }
    if some(budget.duplications) {
        faults.push(Fault::Duplicate(0.0));
    }
    faults
}

struct Plan<'a> {
    nature: &'static Nature,
    scope: &'a Scope,
    properties: &'a [&'a dyn Property],
    cases: &'a Cases,
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
        let mut next = 0;
        while next < self.cases.len() && total.came.wrong.is_none() && total.came.limit.is_none() {
            let threads = self.scope.threads.max(1) as usize;
            let mut share: Vec<(u64, One)> = Vec::new();
            while next < self.cases.len() && share.len() < SHARE * threads {
                share.extend(self.cases.get(next).map(|one| (next, one)));
                next += 1;
            }
            for (number, came) in self.share(&share, threads, &total)? {
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

    fn max_states(&self) -> u64 {
        self.scope.max_states.unwrap_or(u64::MAX)
    }

    /// Runs some cases: several threads take one case each where there are enough, and one case together otherwise.
    /// Cases that are searched side by side share the memory; one that needs more is searched again by all together,
    /// so that what is found does not depend on the number of threads.
    fn share(
        &self,
        share: &[(u64, One)],
        threads: usize,
        total: &Total,
    ) -> Result<Vec<(u64, Came)>, Refusal> {
        if threads == 1 || share.len() < 2 * threads {
            let mut done = Vec::new();
            let mut states = total.came.states;
            for (number, one) in share {
                let came = self.one(*number, one, (threads, 1), states, total)?;
                states += came.states;
                let stop = came.wrong.is_some() || came.limit.is_some();
                done.push((*number, came));
                if stop {
                    break;
                }
            }
            return Ok(done);
        }
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(u64, Result<Came, Refusal>)>> = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((number, one)) = share.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let came = self.one(*number, one, (1, threads), total.came.states, total);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((*number, came));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(number, _)| *number);
        let mut all = Vec::with_capacity(done.len());
        for ((number, came), (_, one)) in done.into_iter().zip(share) {
            let mut came = came?;
            if matches!(came.limit, Some(Limit::Bytes(_))) {
                came = self.one(number, one, (threads, 1), total.came.states, total)?;
            }
            let stop = came.wrong.is_some() || came.limit.is_some();
            all.push((number, came));
            if stop {
                break;
            }
        }
        Ok(all)
    }

    /// Runs one case, with so many threads, while so many cases share the memory.
    fn one(
        &self,
        number: u64,
        one: &One,
        (threads, side_by_side): (usize, usize),
        states: u64,
        total: &Total,
    ) -> Result<Came, Refusal> {
        let limits = Limits {
            // Whether the sum is too large is decided when the cases are added up, in their order.
            states: self.max_states(),
            bytes: self.scope.max_bytes.unwrap_or(u64::MAX) / side_by_side as u64,
            watcher: self.watcher,
            so_far: Progress {
                states,
                transitions: total.came.transitions,
                queue: 0,
                depth: 0,
                case: number + 1,
                cases: self.cases.len(),
                bytes: 0,
            },
        };
        case::check(self.nature, self.scope, self.properties, one, limits, threads)
    }

    /// Looks for a shorter run that violates something, in every case.
    fn shorten(&self, wrong: Wrong, at: u64) -> Result<Wrong, Refusal> {
        // A run without end, or one that sends too much, is found by other means.
        let by_search = self.properties.iter().any(|property| property.name() == wrong.property);
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
            let limits = Limits {
                states: left,
                bytes: self.scope.max_bytes.unwrap_or(u64::MAX),
                watcher: self.watcher,
                so_far: Progress {
                    states: 0,
                    transitions: 0,
                    queue: 0,
                    depth: 0,
                    case: number + 1,
                    cases: self.cases.len(),
                    bytes: 0,
                },
            };
            let (found, states, decided) =
                case::shortest(self.nature, self.scope, self.properties, &one, limits, max_depth)?;
            left = left.saturating_sub(states);
            if let Some(found) = found
                && (found.length < best.length || best.recording.is_none() || !best.shortest)
            {
                best = found;
            }
            complete &= decided;
            if !complete || left == 0 {
                complete = false;
                break;
            }
        }
        best.shortest = complete;
        Ok(best)
    }

    fn findings(&self, total: Total, setup: &Setup) -> Result<Findings, Refusal> {
        let Total { mut came, searched, missed, wrong_case } = total;
        let wrong = match came.wrong.take() {
            Some(wrong) => Some(self.shorten(wrong, wrong_case)?),
            None => None,
        };
        let unknown = came.limit.is_some();
        let answer = match (&wrong, unknown) {
            (Some(_), _) => Answer::Violated,
            (None, true) => Answer::Unknown,
            (None, false) => Answer::Holds,
        };
        let finding = |name: &'static str| match &wrong {
            Some(wrong) if wrong.property == name => Finding {
                name,
                answer: Answer::Violated,
                trace_steps: Some(wrong.length),
                detail: Some(wrong.detail.clone()),
            },
            Some(_) => Finding { name, answer: Answer::Unknown, trace_steps: None, detail: None },
            None => Finding { name, answer, trace_steps: None, detail: None },
        };
        let decided = wrong.is_none() && !unknown;
        let mut notes: Vec<String> = came.notes.iter().map(|&note| note.to_owned()).collect();
        if decided && self.scope.reduce == Reduce::None {
            notes.push("nothing was left out".into());
        }
        Ok(Findings {
            algorithm: self.nature.spec.name,
            n: self.scope.n,
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
            properties: self.names().into_iter().map(finding).collect(),
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
            limit: came.limit,
            notes,
            missed,
            visited_bytes: came.visited.0,
            visited_states: came.visited.1,
            peak_bytes: came.peak_bytes,
        })
    }

    /// All properties, in the order of the report.
    fn names(&self) -> Vec<&'static str> {
        let spec = self.nature.spec;
        let mut names: Vec<&'static str> = self.properties.iter().map(|property| property.name()).collect();
        if self.scope.safety_only {
            return names;
        }
        let ends = match spec.promises {
            Promises::Election { .. } => {
                if spec.keeps_its_leader() {
                    names.push(possible::NAME);
                }
                true
            }
            Promises::Exclusion { falls_silent, .. } => falls_silent,
        };
        if ends {
            names.push(if spec.needs.choices { ends::NAME_OF_CHANCE } else { ends::NAME });
        }
        if spec.cost.worst.is_some() {
            names.push(bound::NAME);
        }
        names
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
