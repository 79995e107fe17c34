//! What is said of an entry.

use super::*;
use crate::election::{ChangRoberts, Humblet};
use crate::model::{Needs, Process};
use crate::sim::Recorder;

#[test]
fn every_graph_that_is_admitted_is_named() {
    let graphs = &[Graph::Complete, Graph::Tree];
    let spec = Spec { needs: Needs { graphs, ..Humblet::SPEC.needs }, ..Humblet::SPEC };
    let both = Entry { spec: Box::leak(Box::new(spec)), ..Entry::election::<Humblet>() };
    assert_eq!(both.topology(), "complete graph or tree");
    let networks = [None, Some("complete"), Some("star")].map(|topology| both.network(topology));
    assert_eq!(networks, ["complete graph", "complete graph", "star tree"]);
    let one = Entry::election::<Humblet>();
    assert_eq!((one.topology(), one.network(None)), ("complete graph", "complete graph".to_owned()));
}

#[test]
fn an_election_is_described_while_the_program_runs() {
    let spec = Spec { name: "mine", ..ChangRoberts::SPEC };
    let mine = Entry::described::<ChangRoberts>(Described {
        spec: Box::leak(Box::new(spec)),
        told: Knowledge::one(Told::Identity),
        kinds: &["bid", "won"],
        announces: &[false, true],
        which: 3,
    });
    let scenario = Scenario { seed: 7, ..Scenario::new(8) };
    let mut recorder = Recorder::default();
    let report = mine.run(&scenario, &mut recorder).unwrap();
    let plain = Entry::election::<ChangRoberts>().run(&scenario, &mut ()).unwrap();
    let counts = |report: &Report| report.by_kind.iter().map(|(_, count)| *count).collect::<Vec<_>>();
    assert_eq!(report.by_kind.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["bid", "won"]);
    assert_eq!((counts(&report), report.election_messages), (counts(&plain), plain.election_messages));
    assert_eq!(report.steps, plain.steps);
    let recording = recorder.recording().unwrap();
    assert_eq!(recording.header.algorithm, "mine");
    assert!(recording.events.iter().flat_map(|event| &event.sends).any(|send| send.kind == "won"));
    let findings = mine.check(&Scope::new(3), &[], &()).unwrap();
    assert!(findings.holds());
}
