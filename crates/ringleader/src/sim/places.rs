//! Machines that tell their values by messages: machines and links are places of one ring, each link place copies the
//! one before it, and privileges are counted over all of them.

use crate::model::Value;
use crate::network::Link;
use crate::population::{Handle, Population};
use std::collections::VecDeque;

/// What every place holds.
pub(crate) struct Places {
    /// How many messages a link holds at most.
    capacity: usize,
    /// What the machines hold.
    pub(super) holds: Vec<u32>,
    /// What the link out of each machine holds: the numbers of the messages and their values, the oldest first.
    links: Vec<VecDeque<(u64, u32)>>,
    /// How many privileges there are from each machine on, up to the next one.
    pub(super) privileges: Vec<u32>,
    /// Who has been told a value on which it moves, in the step that is being taken.
    pub(super) mover: Option<u32>,
    /// Whether what links held at first is in them.
    pub(super) has_begun: bool,
    /// Whether a machine is being put into another state.
    pub(super) corrupts: bool,
}

impl Places {
    /// Of so many machines, with nothing in their links yet.
    pub(super) fn new(n: u32, capacity: u32) -> Places {
        let n = n as usize;
        Places {
            capacity: capacity as usize,
            holds: vec![0; n],
            links: vec![VecDeque::new(); n],
            privileges: vec![0; n],
            mover: None,
            has_begun: false,
            corrupts: false,
        }
    }

    /// The machine at whose end of the ring this link begins.
    fn before(&self, link: Link) -> usize {
        let n = self.links.len();
        (link.to() as usize + n - 1) % n
    }

    /// Whether a link takes no more messages.
    pub(super) fn is_full(&self, link: Link) -> bool {
        self.links[self.before(link)].len() >= self.capacity
    }

    /// A message is in this link.
    pub(super) fn enters(&mut self, link: Link, number: u64, value: u32) {
        let place = self.before(link);
        self.links[place].push_back((number, value));
    }

    /// A message is in this link no longer.
    pub(super) fn leaves(&mut self, link: Link, number: u64) {
        let place = self.before(link);
        self.links[place].retain(|&(other, _)| other != number);
    }

    /// Counts anew what a step of this machine may have changed.
    pub(super) fn count(&mut self, population: &dyn Population, machine: u32) {
        self.holds[machine as usize] = population.memory().get(machine);
        let n = self.links.len();
        for from in [(machine as usize + n - 1) % n, machine as usize] {
            let to = (from + 1) % n;
            let mut last = self.holds[from];
            let mut count = 0;
            for &(_, value) in self.links[from].iter().rev() {
                count += u32::from(value != last);
                last = value;
            }
            self.privileges[from] =
                count + u32::from(population.has_privilege(to as u32, self.holds[to], last));
        }
    }
}

/// The value that a message tells.
pub(crate) fn told(population: &dyn Population, message: Handle) -> u32 {
    let fields = population.message_fields(message);
    let number = fields.iter().find_map(|(_, value)| match value {
        Value::Number(number) => Some(*number as u32),
        Value::Nothing
        | Value::Flag(_)
        | Value::Identity(_)
        | Value::Process(_)
        | Value::Ticks(_)
        | Value::Word(_)
        | Value::List(_) => None,
    });
    number.unwrap_or(0)
}
