//! A network of processes in one case, as a system to be searched.

use super::batch::Batch;
use super::expand::Expander;
use super::ground::{Ground, How};
use super::memo::lock;
use super::search::{Explored, Limits, Search};
use super::system::{Steps, System};

/// A network, and how it is searched.
struct Network<'a> {
    ground: &'a Ground<'a>,
    how: How,
}

impl System for Network<'_> {
    fn words(&self) -> usize {
        self.ground.space.words()
    }

    fn steps(&self) -> Box<dyn Steps + '_> {
        Box::new(Expander::new(self.ground, self.how))
    }

    fn bytes(&self) -> u64 {
        lock(&self.ground.shared).bytes()
    }
}

/// The first state, and how many messages were sent before it.
pub(crate) fn first(ground: &Ground<'_>, how: How) -> (Vec<u32>, u64) {
    let state = ground.unstarted(how);
    if !ground.starts_at_once() || ground.is_randomised() {
        return (state, 0);
    }
    // Everybody has started before the first delivery; there is one way to do that.
    let mut batch = Batch::default();
    Expander::new(ground, How { por: false, turn: false, ..how }).expand(0, &state, 0, &mut batch);
    let mut begun = Vec::new();
    match batch.nexts.first() {
        Some(next) => {
            batch.write(next, &state, &mut begun);
            (begun, u64::from(next.messages))
        }
        None => (state, 0),
    }
}

/// A case that was searched.
pub(crate) struct Searched<'a> {
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) how: How,
    pub(crate) explored: Explored,
}

/// Searches it.
pub(crate) fn explore<'a>(
    ground: &'a Ground<'a>,
    how: How,
    limits: Limits<'_>,
    threads: usize,
) -> Searched<'a> {
    let (first, _) = first(ground, how);
    let search = Search {
        system: &Network { ground, how },
        threads,
        limits,
        edges: how.edges,
        keep: how.keep,
        chances: ground.is_randomised(),
        phases: how.phases,
        max_depth: how.max_depth.unwrap_or(u64::MAX),
    };
    Searched { ground, how, explored: search.run(first) }
}
