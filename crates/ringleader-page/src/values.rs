//! The variables of some processes: as they were at first, as they are, and what each step changed.

use ringleader::sim::Crowd;
use std::ops::Range;

/// The place of a variable, its value before, its value now.
pub(crate) type Change = (usize, String, String);

/// The variables of processes that stand side by side.
#[derive(Default)]
pub(crate) struct Values {
    /// The names of the variables.
    pub(crate) names: Vec<&'static str>,
    /// Their values at first, for each process.
    pub(crate) start: Vec<Vec<String>>,
    now: Vec<Vec<String>>,
    /// The first of the processes.
    first: u32,
}

impl Values {
    /// Sees these processes for the first time.
    pub(crate) fn gather(&mut self, processes: Range<u32>, crowd: &dyn Crowd) {
        self.first = processes.start;
        self.now = processes.map(|process| self.look(process, crowd)).collect();
        self.start = self.now.clone();
    }

    /// A process is another one than it seemed at first, before anything has happened.
    pub(crate) fn settle(&mut self, process: u32, crowd: &dyn Crowd) {
        let values = self.look(process, crowd);
        let place = (process - self.first) as usize;
        self.start[place].clone_from(&values);
        self.now[place] = values;
    }

    /// What has changed in a process since it was seen last.
    pub(crate) fn changes(&mut self, process: u32, crowd: &dyn Crowd) -> Vec<Change> {
        let now = self.look(process, crowd);
        let Some(before) = self.now.get_mut((process - self.first) as usize) else { return Vec::new() };
        before.resize(now.len(), String::new());
        let pairs = before.iter().zip(&now).enumerate();
        let changed = pairs.filter(|(_, (before, now))| before != now);
        let changes = changed.map(|(place, (before, now))| (place, before.clone(), now.clone())).collect();
        *before = now;
        changes
    }

    /// Everybody has a value for each variable, also for those that came up later.
    pub(crate) fn even_out(&mut self) {
        let width = self.names.len();
        self.start.iter_mut().for_each(|values| values.resize(width, String::new()));
    }

    /// The values of a process now, by the places of its variables.
    fn look(&mut self, process: u32, crowd: &dyn Crowd) -> Vec<String> {
        let mut values = vec![String::new(); self.names.len()];
        for (name, value) in crowd.variables(process) {
            match self.names.iter().position(|known| *known == name) {
                Some(place) => values[place] = value,
                None => {
                    self.names.push(name);
                    values.push(value);
                }
            }
        }
        values
    }
}
