//! What is said of an entry.

use super::*;
use crate::election::Humblet;
use crate::model::{Needs, Process};

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
