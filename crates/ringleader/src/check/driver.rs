//! Case after case, and what they come to together.

use super::cases::Cases;
use super::findings::{Answer, Findings, Progress, Watcher};
use super::ground::{Ground, How};
use super::property::{Property, promised};
use super::scope::{Reduce, Scope};
use super::search::Limits;
use super::subject::Subject;
use crate::sim::Refusal;

pub(crate) fn check(
    subject: &Subject,
    scope: &Scope,
    own: &[&dyn Property],
    watcher: &dyn Watcher,
) -> Result<Findings, Refusal> {
    let cases = Cases::new(subject.spec, subject.kind, scope, &[])?;
    let list = promised(subject.spec.promises, &[]);
    let mut properties: Vec<&dyn Property> = list.iter().map(|p| &**p).collect();
    properties.extend(own);
    let mut states = 0; let mut transitions = 0; let mut depth = 0;
    let mut vb = (0,0);
    for number in 0..cases.len() {
        let Some(one) = cases.get(number) else { continue };
        let ground = Ground::new(subject, scope, &properties, &one, None)?;
        let por = ground.admits_por();
        let how = How { por, turn: scope.reduce == Reduce::Full, edges: true, ..How::default() };
        let so_far = Progress { states: 0, transitions: 0, queue: 0, depth: 0, case: number, cases: cases.len(), bytes: 0 };
        let limits = Limits { states: scope.max_states.unwrap_or(u64::MAX), bytes: u64::MAX, watcher, so_far };
        #[allow(clippy::disallowed_methods)] let t = std::time::Instant::now();
        let explored = ground.explore(how, limits, scope.threads as usize);
        states += u64::from(explored.visited.len());
        transitions += explored.transitions;
        depth = depth.max(explored.depth);
        vb = (explored.visited.bytes(), explored.visited.len());
        if let Some(v) = &explored.violation { panic!("{:?} {:?}", v, properties[v.property].name()); }
        if number==0 {eprintln!("explore {:?}", t.elapsed());}
        let order = explored.graph.order();
        if number==0 {eprintln!("order {:?}", t.elapsed());}
        let sums = order.as_ref().map(|o| explored.graph.sums(o, &explored.ends));
        if number == 0 { eprintln!("{:?} cyc {} {:?} ends {}", t.elapsed(), order.is_none(), sums, explored.ends.len()); }
    }
    Ok(Findings { algorithm: subject.spec.name, n: scope.n, links: "", outside: vec![], answer: Answer::Holds, states, transitions, depth,
        arrangements: cases.arrangements, initiator_sets: cases.initiator_sets, labellings: cases.labellings, cases: cases.len(), properties: vec![], messages: None,
        election_messages: None, probability: None, counterexample: None, limit: None, notes: vec![], missed: 0.0, visited_bytes: vb.0, visited_states: vb.1.into(), peak_bytes: 0 })
}
