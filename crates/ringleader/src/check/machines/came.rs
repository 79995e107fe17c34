//! What a search of machines came to, as findings.

use super::asked::{CLOSURE, CONVERGENCE, NAMES, NO_DEAD_END, SERVICE};
use crate::check::findings::{
    Answer, Convergence, Counterexample, Finding, Findings, Limit, Range as MessageRange,
};
use crate::check::scope::Scope;
use crate::model::Spec;
use crate::scenario::Setup;
use crate::trace::Recording;

/// What a search came to.
pub(super) struct Came {
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) legitimate: u64,
    pub(super) depth: u64,
    /// How many messages there are in a run.
    pub(super) messages: MessageRange,
    /// The most moves and steps before one privilege is left, where there is a largest number.
    pub(super) worst: Option<(u64, u64)>,
    pub(super) wrong: Option<Example>,
    pub(super) limit: Option<Limit>,
    /// How many states were looked at, and what is kept of them.
    pub(super) looked_at: u64,
    pub(super) bytes: u64,
    /// For how many states one stands.
    pub(super) turns: u64,
}

/// A run in which something is violated.
pub(super) struct Example {
    pub(super) property: &'static str,
    pub(super) detail: String,
    pub(super) steps: u64,
    pub(super) repeats_from: Option<u64>,
    pub(super) recording: Option<Recording>,
}

impl Came {
    /// As findings, in the order of the report.
    pub(super) fn findings(self, spec: &'static Spec, scope: &Scope, setup: &Setup) -> Findings {
        let wrong = self.wrong.as_ref();
        let answer = Answer::of(wrong.is_some(), self.limit.is_some());
        let finding = |name: &'static str| {
            let this = wrong.filter(|wrong| wrong.property == name);
            let answer = match (wrong, this) {
                (None, _) => answer,
                (Some(_), Some(_)) => Answer::Violated,
                // They are decided in this order.
                (Some(wrong), None) if before(name, wrong.property) => Answer::Holds,
                (Some(_), None) => Answer::Unknown,
            };
            let trace_steps = this.map(|wrong| wrong.steps);
            Finding { name, answer, trace_steps, detail: this.map(|wrong| wrong.detail.clone()) }
        };
        let properties: Vec<Finding> =
            NAMES.into_iter().filter(|name| scope.asks(spec, name)).map(finding).collect();
        let holds = |name: &str| properties.iter().find(|found| found.name == name).map(|found| found.answer);
        let decided = |name: &str| match holds(name) {
            Some(Answer::Holds) => Some(true),
            Some(Answer::Violated) => Some(false),
            Some(Answer::Unknown) | None => None,
        };
        let mut notes = Vec::new();
        if self.turns > 1 {
            notes.push(format!(
                "raising all values by the same number changes nothing: one state stands for {}",
                self.turns
            ));
        }
        Findings {
            algorithm: spec.name,
            n: scope.n,
            links: setup.links.name(),
            outside: setup.outside.clone(),
            answer,
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            arrangements: 1,
            initiator_sets: 1,
            labellings: 1,
            cases: 1,
            messages: Some(self.messages),
            election_messages: None,
            extreme: None,
            probability: None,
            convergence: decided(CONVERGENCE)
                .map(|holds| Convergence { holds, worst: self.worst.filter(|_| holds) }),
            closure: decided(CLOSURE),
            legitimate: Some(self.legitimate).filter(|_| self.limit.is_none()),
            counterexample: self.wrong.and_then(|wrong| {
                Some(Counterexample {
                    property: wrong.property,
                    detail: wrong.detail,
                    recording: wrong.recording?,
                    shortest: false,
                    repeats_from: wrong.repeats_from,
                })
            }),
            others: Vec::new(),
            limit: self.limit,
            notes,
            missed: 0.0,
            visited_bytes: self.bytes,
            visited_states: self.looked_at,
            peak_bytes: self.bytes,
            graph: None,
            properties,
        }
    }
}

/// Whether the first of two properties is decided before the second. Service is decided before convergence.
fn before(first: &str, second: &str) -> bool {
    let place =
        |name: &str| [NO_DEAD_END, CLOSURE, SERVICE, CONVERGENCE].iter().position(|&other| other == name);
    // Closure and service are decided state by state, together.
    place(first) < place(second) && !(first == CLOSURE && second == SERVICE)
}
