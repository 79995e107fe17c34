//! The daemon: which of the privileged machines move, all reading before any writes.

use super::problem::Problem;
use super::world::World;
use crate::model::Daemon;
use crate::rng::{Purpose, Rng};

impl<B: Problem> World<'_, B> {
    /// Step by step of the daemon.
    pub(super) fn run_daemon(&mut self) -> bool {
        let daemon = self.nature.spec.daemon(&self.setup.settings);
        let mut rng = Rng::new(self.scenario.seed, Purpose::Schedule);
        if self.steps == 0 {
            self.machines_begin();
        }
        loop {
            self.handle_due(false);
            if let Some(complete) = self.stops() {
                return complete;
            }
            let chosen = choose(&self.privileges(), daemon, &mut rng);
            if chosen.is_empty() {
                return true;
            }
            self.now += 1;
            for (machine, step) in chosen {
                self.moves_at(self.now);
                self.local(machine, step);
                self.movers.push(machine);
            }
            self.all_have_moved();
            if !self.goes_on() {
                return false;
            }
        }
    }

    /// The machines, as they are at first.
    pub(super) fn machines_begin(&mut self) {
        let privileges = self.privileges_of_places().unwrap_or_else(|| self.privileges().len() as u32);
        self.problem.machines_begin(privileges);
    }

    /// A machine is about to move at this time: those that move at one time read what was there before.
    pub(super) fn moves_at(&mut self, time: u64) {
        if self.moved_at != Some(time) {
            self.all_have_moved();
            self.moved_at = Some(time);
            self.population.memory_mut().freeze();
        }
    }

    /// All that move at this time have moved.
    pub(super) fn all_have_moved(&mut self) {
        if !self.population.memory().is_frozen() {
            return;
        }
        self.population.memory_mut().thaw();
        self.moved_at = None;
        let privileges = self.privileges().len() as u32;
        self.problem.machines_moved(&core::mem::take(&mut self.movers), privileges);
    }

    /// A machine is put into any of its states: it all begins anew.
    pub(super) fn corrupt(&mut self, machine: u32) {
        self.all_have_moved();
        self.corrupts_place(true);
        self.local(machine, self.nature.locals.count as u32 - 1);
        self.corrupts_place(false);
        self.machines_begin();
    }

    /// Every guard that holds: the machine, and the number of its step.
    fn privileges(&self) -> Vec<(u32, u32)> {
        let steps = self.nature.locals.count as u32;
        let of = |machine: u32| {
            let possible = self.population.possible(machine);
            (0..steps).filter(move |step| possible >> step & 1 == 1).map(move |step| (machine, step))
        };
        (0..self.setup.n).filter(|&machine| !self.is_down(machine)).flat_map(of).collect()
    }
}

/// Which of these move.
fn choose(privileges: &[(u32, u32)], daemon: Daemon, rng: &mut Rng) -> Vec<(u32, u32)> {
    if privileges.is_empty() {
        return Vec::new();
    }
    if daemon == Daemon::Central {
        return vec![privileges[rng.below(privileges.len() as u64) as usize]];
    }
    // A machine with two privileges uses one of them.
    let mut machines: Vec<(u32, u32)> = Vec::new();
    for of_one in privileges.chunk_by(|a, b| a.0 == b.0) {
        let place = if of_one.len() == 1 { 0 } else { rng.below(of_one.len() as u64) as usize };
        machines.push(of_one[place]);
    }
    if daemon == Daemon::Synchronous {
        return machines;
    }
    loop {
        let chosen: Vec<(u32, u32)> = machines.iter().copied().filter(|_| rng.below(2) == 1).collect();
        if !chosen.is_empty() {
            return chosen;
        }
    }
}
