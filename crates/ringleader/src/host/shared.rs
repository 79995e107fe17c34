//! Processes that share registers, for whoever has real ones: the memory of a machine, with a thread for each process.
//!
//! The code of the algorithm is the one that is simulated and checked; only where its registers are is another matter.

use crate::model::Stage;
use crate::network::Wiring;
use crate::population::{Cells, Effects, Input, Nature, Population};
use crate::scenario::{Refusal, Scenario, Setup};
use std::sync::Arc;

/// One process that shares registers with others, driven by whoever owns it.
pub struct Sharer {
    population: Box<dyn Population>,
    effects: Effects,
    who: u32,
}

impl Sharer {
    /// All processes of an algorithm on these registers, which `make` makes of what they hold at first.
    pub(crate) fn all<R: Cells + 'static>(
        nature: &'static Nature,
        scenario: &Scenario,
        make: impl FnOnce(&[u32]) -> R,
    ) -> Result<Vec<Sharer>, Refusal> {
        let setup = Setup::new(nature, scenario)?;
        let net = Wiring::new(nature.shape, &setup.plan);
        let first = setup.population(nature, &net, scenario.range);
        if first.memory().is_safe() {
            // The registers of a machine are what they are.
            return Err(Refusal::WeakRegisters { needs: "atomic", got: "safe" });
        }
        let registers: Arc<dyn Cells> = Arc::new(make(first.memory().cells()));
        let sharer = |who: u32| {
            let mut population = first.copy();
            population.memory_mut().is_elsewhere(Arc::clone(&registers));
            Sharer { population, effects: Effects::new(false), who }
        };
        Ok((0..setup.n).map(sharer).collect())
    }

    fn takes(&mut self, input: Input<'_>) {
        self.effects.begin_recorded(&[]);
        self.population.react(self.who, input, &mut self.effects);
    }

    /// Its user wants in. Only when idle, and when it has no step to take.
    pub fn request(&mut self) {
        self.takes(Input::Want);
    }

    /// Its user leaves. Only when inside.
    pub fn release(&mut self) {
        self.takes(Input::Exit);
    }

    /// It takes its next step, if there is one: whether there was.
    pub fn step(&mut self) -> bool {
        let possible = self.population.can(self.who);
        if possible != 0 {
            self.takes(Input::Local(possible.trailing_zeros()));
        }
        possible != 0
    }

    /// Where its user stands.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.population.status(self.who).stage()
    }
}
