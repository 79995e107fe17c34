//! From a recording to a scenario that repeats it.

use super::Recorded;
use ringleader::model::{Links, Orientation};
use ringleader::sim::{Ids, Initiators, Ports, Scenario, Schedule, Topology};
use ringleader::trace::{Header, Recording};
use std::sync::Arc;

impl Recorded {
    /// The scenario that repeats this recording step by step: no generator is asked again.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        scenario(&self.recording)
    }
}

/// The scenario that repeats these steps.
fn scenario(recording: &Arc<Recording>) -> Scenario {
    let header = &recording.header;
    Scenario {
        ids: if header.ids.is_empty() { Ids::Default } else { Ids::Listed(header.ids.clone()) },
        initiators: Initiators::Listed(header.initiators.clone()),
        schedule: Schedule::Replay(Arc::clone(recording)),
        links: links(&header.links),
        // Where none are listed they are numbered the same way everywhere, even if the contract would admit any way.
        ports: match header.ports.as_slice() {
            [] => Ports::Kind(Orientation::Same),
            listed => Ports::Listed(listed.to_vec()),
        },
        topology: topology(header),
        range: header.range,
        settings: header.settings.clone(),
        unsound: header.unsound,
        seed: header.seed,
        from: Some(header.from.clone()).filter(|from| !from.is_empty()),
        ..Scenario::new(header.n)
    }
}

fn topology(header: &Header) -> Option<Topology> {
    if !header.neighbours.is_empty() {
        return Some(Topology::Listed(header.neighbours.clone()));
    }
    [Topology::Ring, Topology::Complete, Topology::Line, Topology::Star, Topology::Binary]
        .into_iter()
        .find(|topology| topology.name() == header.topology)
}

/// The links with this name.
pub(super) fn links(name: &str) -> Option<Links> {
    [Links::Bag, Links::Fifo, Links::HalfDuplex].into_iter().find(|links| links.name() == name)
}
