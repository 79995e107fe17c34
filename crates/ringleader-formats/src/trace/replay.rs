//! From a recording to a scenario that repeats it.

use super::Recording;
use ringleader::model::Links;
use ringleader::sim::{Ids, Initiators, Ports, Scenario, Schedule, Topology};
use ringleader::trace::{Event, Header};
use std::sync::Arc;

impl Recording {
    /// The scenario that repeats this recording step by step: no generator is asked again.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        scenario(&self.header, Arc::new(self.events.clone()))
    }
}

/// The scenario that repeats these steps.
fn scenario(header: &Header, events: Arc<Vec<Event>>) -> Scenario {
    Scenario {
        // Processes without identities still have ranks inside the engine; any will do.
        ids: if header.ids.is_empty() { Ids::Random } else { Ids::Listed(header.ids.clone()) },
        initiators: Initiators::Listed(header.initiators.clone()),
        schedule: Schedule::Replay(events),
        links: links(&header.links),
        ports: if header.ports.is_empty() { Ports::Default } else { Ports::Listed(header.ports.clone()) },
        topology: topology(header),
        range: header.range,
        settings: header.settings.clone(),
        unsound: header.unsound,
        seed: header.seed,
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
