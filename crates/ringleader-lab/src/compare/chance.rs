//! Whether two seeds can give two different runs: where they cannot, one run says it all.

use ringleader::model::{Graph, Orientation, Shape, Told};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Delay, Fault, Ids, Initiators, Load, Ports, Scatter, Scenario, Schedule, Topology};

/// Whether anything in a run of this scenario is drawn.
#[must_use]
pub fn is_random(entry: &Entry, scenario: &Scenario) -> bool {
    let entry = entry.with_settings(&scenario.settings);
    let ids = entry.told.has(Told::Identity) && matches!(scenario.ids, Ids::Default | Ids::Random);
    let schedule = match &scenario.schedule {
        Schedule::Random => true,
        Schedule::Delay(Delay::Constant(_)) => false,
        Schedule::Delay(Delay::Uniform(low, high)) => low != high,
        Schedule::Delay(Delay::Exponential(_)) => true,
        Schedule::Rounds
        | Schedule::Lifo
        | Schedule::Fifo
        | Schedule::Greedy
        | Schedule::Starve(_)
        | Schedule::Replay(_) => false,
    };
    let drawn_numbers = match &scenario.ports {
        Ports::Default => entry.spec.needs.orientation == Orientation::Random,
        Ports::Kind(orientation) => *orientation == Orientation::Random,
        Ports::Listed(_) => false,
    };
    let usual_tree =
        matches!(scenario.ports, Ports::Default) && entry.spec.needs.graphs.contains(&Graph::Tree);
    let ports = match entry.shape {
        Shape::TwoWayRing => drawn_numbers,
        // The ports of a tree stay as they are unless asked for.
        Shape::Edges => drawn_numbers && !usual_tree,
        Shape::OneWayRing | Shape::Named | Shape::Memory => false,
    };
    let begins = entry.spec.stabilises() && scenario.from.is_none();
    let drawn = |of: &Scatter| matches!(of, Scatter::Drawn(most) if *most > 0);
    let clocks = entry.problem == Problem::Clocks
        && (drawn(&scenario.clocks.offsets) || drawn(&scenario.clocks.drifts));
    let load = matches!(scenario.workload.load, Some(Load::Light | Load::Open(_)));
    let faults = scenario.faults.iter().any(|fault| match fault {
        Fault::Loss(_) | Fault::Duplicate(_) => true,
        Fault::Corrupt { .. } => true,
        Fault::Crash { .. } | Fault::Recover { .. } | Fault::LoseNth { .. } | Fault::Partition { .. } => {
            false
        }
    });
    ids || schedule
        || ports
        || begins
        || clocks
        || load
        || faults
        || entry.spec.needs.choices
        || matches!(scenario.initiators, Initiators::Percent(_))
        || scenario.topology == Some(Topology::RandomTree)
}
