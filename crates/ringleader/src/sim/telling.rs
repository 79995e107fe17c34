//! What becomes of the places of machines that tell their values, step by step.

use super::places::told;
use super::problem::Problem;
use super::world::World;
use crate::network::Link;
use crate::population::Handle;

impl<B: Problem> World<'_, B> {
    /// A message is in its link.
    #[inline]
    pub(super) fn fills_place(&mut self, link: Link, message: Handle) {
        if let Some(places) = &mut self.places {
            places.enters(link, self.flights[message.place()].number, told(&*self.population, message));
        }
    }

    /// A message is in its link no longer.
    #[inline]
    pub(super) fn frees_place(&mut self, link: Link, message: Handle) {
        if let Some(places) = &mut self.places {
            places.leaves(link, self.flights[message.place()].number);
        }
    }

    /// A message is about to arrive at this machine.
    #[inline]
    pub(super) fn is_told(&mut self, machine: u32, message: Handle) {
        if let Some(places) = &mut self.places {
            let value = told(&*self.population, message);
            let holds = places.holds[machine as usize];
            places.mover = self.population.has_privilege(machine, holds, value).then_some(machine);
        }
    }

    /// After a step of this machine.
    #[inline]
    pub(super) fn places_after(&mut self, machine: u32) {
        let Some(places) = &mut self.places else { return };
        places.count(&*self.population, machine);
        let mover = places.mover.take();
        if !places.has_begun {
            if self.started.iter().all(|&started| started) {
                places.has_begun = true;
                self.machines_begin();
            }
        } else if !places.corrupts {
            let left = places.privileges.iter().sum();
            self.problem.machines_moved(mover.as_slice(), left);
        }
    }

    /// How many privileges there are, where machines tell their values by messages.
    pub(super) fn privileges_of_places(&self) -> Option<u32> {
        self.places.as_ref().map(|places| places.privileges.iter().sum())
    }

    /// Whether a step of a machine is none that counts: it is put into another state.
    pub(super) fn corrupts_place(&mut self, corrupts: bool) {
        if let Some(places) = &mut self.places {
            places.corrupts = corrupts;
        }
    }
}
