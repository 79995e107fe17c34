//! The registers that processes share, beside the processes.
//!
//! A write of an atomic register is one step. A write of a safe one is two: it begins in the step of the process, and
//! ends in a step of its own, which no algorithm knows of. In between a read is answered with any value of the
//! register.

use crate::model::{Fields, Register, RegisterKind, Settings, Value};
use core::ops::Range;
use std::sync::Arc;

/// Registers that are elsewhere: in the memory of a machine.
pub trait Cells: Send + Sync {
    /// What is in this register.
    fn load(&self, place: usize) -> u32;
    /// Puts a value into this register.
    fn store(&self, place: usize, value: u32);
}

/// Said when a step of an algorithm on single registers does not use exactly one.
pub(crate) const ONE_ACCESS: &str = "a local step reads one register or writes one, and nothing else does";

/// Said when a register does not have this value.
pub(crate) const OUT_OF_RANGE: &str = "a register holds one of its values";

/// What the step is called in which a write of a safe register ends.
pub(crate) const WRITE_ENDS: &str = "write-ends";

/// What the step is called in which a fault puts a machine into any state.
pub(crate) const CORRUPTED: &str = "corrupted";

/// A read or a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// The place of the register.
    pub(crate) place: u32,
    pub(crate) value: u32,
    pub(crate) writes: bool,
}

/// The registers of a population: their contents, and what is being written.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    layout: Layout,
    /// Who acts, where it is another than the one that takes the step.
    acts: Option<u32>,
    /// By place. Behind them, where registers are safe, what each process is writing: 0 if nothing; otherwise one
    /// more than twice the place, and 1 more if another write overlaps it; and the value.
    cells: Vec<u32>,
    /// What reads see while several processes act at once.
    frozen: Option<Vec<u32>>,
    /// Where registers are, if not here.
    elsewhere: Option<Arc<dyn Cells>>,
}

/// Where which register is.
#[derive(Clone, Copy, Default)]
struct Layout {
    kinds: &'static [RegisterKind],
    n: u32,
    settings: Settings,
    safe: bool,
}

impl Memory {
    /// Of so many processes. Each register holds the first of its values.
    pub(crate) fn new(kinds: &'static [RegisterKind], n: u32, settings: Settings, safe: bool) -> Memory {
        let layout = Layout { kinds, n, settings, safe };
        let mut cells: Vec<u32> = (0..layout.count()).map(|place| layout.values(place).start).collect();
        cells.resize(cells.len() + if safe { 2 * n as usize } else { 0 }, 0);
        Memory { layout, acts: None, cells, frozen: None, elsewhere: None }
    }

    /// From now on registers are there.
    pub(crate) fn is_elsewhere(&mut self, registers: Arc<dyn Cells>) {
        self.elsewhere = Some(registers);
    }

    /// Whether a write takes a while.
    pub(crate) fn is_safe(&self) -> bool {
        self.layout.safe
    }

    pub(crate) fn cells(&self) -> &[u32] {
        &self.cells
    }

    pub(crate) fn set_cells(&mut self, cells: &[u32]) {
        self.cells.clear();
        self.cells.extend_from_slice(cells);
    }

    /// Whoever takes a step does so as this process.
    pub(crate) fn act_as(&mut self, who: u32) {
        self.acts = Some(who);
    }

    /// Who acts when this one takes a step.
    pub(crate) fn actor(&self, who: u32) -> u32 {
        self.acts.unwrap_or(who)
    }

    /// Where a register is.
    pub(crate) fn place(&self, register: impl Register) -> u32 {
        let (kind, index) = register.place();
        self.layout.first(kind) + index
    }

    /// What is in a register.
    pub(crate) fn get(&self, place: u32) -> u32 {
        if let Some(registers) = &self.elsewhere {
            return registers.load(place as usize);
        }
        self.frozen.as_ref().unwrap_or(&self.cells)[place as usize]
    }

    /// The value for a read of this process: what is there, or the values of which one is to be chosen.
    pub(crate) fn read(&self, place: u32, who: u32) -> Result<u32, Range<u32>> {
        let is_written = (0..self.layout.n)
            .filter(|&other| other != who)
            .any(|other| self.written(other).is_some_and(|(written, ..)| written == place));
        if is_written { Err(self.layout.values(place)) } else { Ok(self.get(place)) }
    }

    /// A process writes: at once, or from now on. Whether the register has that value.
    pub(crate) fn write(&mut self, place: u32, value: u32, who: u32) -> bool {
        if self.layout.safe {
            let mut overlaps = false;
            for other in (0..self.layout.n).filter(|&other| other != who) {
                if let Some((written, ..)) = self.written(other)
                    && written == place
                {
                    overlaps = true;
                    let at = self.pending(other);
                    self.cells[at] = 2 * place + 2;
                }
            }
            let at = self.pending(who);
            self.cells[at] = 2 * place + 1 + u32::from(overlaps);
            self.cells[at + 1] = value;
        } else if let Some(registers) = &self.elsewhere {
            registers.store(place as usize, value);
        } else {
            self.cells[place as usize] = value;
        }
        self.layout.values(place).contains(&value) || self.layout.grows(place)
    }

    /// Whether a write of this process has begun and not ended.
    pub(crate) fn is_writing(&self, who: u32) -> bool {
        self.written(who).is_some()
    }

    /// A write ends. Where another one overlapped it, any value is left behind.
    pub(crate) fn end_write(&mut self, who: u32, choose: impl FnOnce(u32) -> u32) -> Option<Access> {
        let (place, value, overlaps) = self.written(who)?;
        let values = self.layout.values(place);
        let value = if overlaps { values.start + choose(values.len() as u32) } else { value };
        let at = self.pending(who);
        self.cells[at..at + 2].fill(0);
        self.cells[place as usize] = value;
        Some(Access { place, value, writes: true })
    }

    /// The registers as they are shown with this process: its own, and those of all.
    pub(crate) fn fields(&self, who: u32) -> Fields {
        let mut fields = Fields::new();
        for (kind, what) in self.layout.kinds.iter().enumerate() {
            let at = self.layout.first(kind) + if what.each { who } else { 0 };
            // What is there now, also while several act at once and read what was there before.
            let value =
                self.elsewhere.as_ref().map_or(self.cells[at as usize], |cells| cells.load(at as usize));
            fields.push((what.name, Value::Number(i64::from(value))));
        }
        fields
    }

    /// The name of the register at this place.
    pub(crate) fn name(&self, place: u32) -> String {
        let (kind, index) = self.layout.register(place);
        let RegisterKind { name, each, .. } = self.layout.kinds[kind];
        if each { format!("{name}[{index}]") } else { name.to_owned() }
    }

    /// Numbers that grow without end are counted from so many later on; 0 stands for none.
    pub(crate) fn rebase(&mut self, by: u32) {
        for place in (0..self.layout.count()).filter(|&place| self.layout.grows(place)) {
            let cell = &mut self.cells[place as usize];
            *cell = cell.saturating_sub(by);
        }
    }

    /// From now on reads see what is there now, whatever is written.
    pub(crate) fn freeze(&mut self) {
        self.frozen = Some(self.cells.clone());
    }

    /// Reads see again what is there.
    pub(crate) fn thaw(&mut self) {
        self.frozen = None;
    }

    /// Whether reads see what was there before.
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// The values of each register, in the order of their places.
    pub(crate) fn values(&self) -> Vec<Range<u32>> {
        (0..self.layout.count()).map(|place| self.layout.values(place)).collect()
    }

    /// Whether all registers may be raised by the same number without any difference.
    pub(crate) fn is_cyclic(&self) -> bool {
        self.layout.kinds.iter().all(|kind| kind.cyclic)
    }

    /// The state of each machine as one number: its registers are the digits, the first one the lowest.
    pub(crate) fn states(&self) -> Vec<u32> {
        let state = |machine: u32| {
            let (mut state, mut weight) = (0, 1);
            for place in self.layout.places(machine) {
                let values = self.layout.values(place);
                state += weight * (self.cells[place as usize] - values.start);
                weight *= values.len() as u32;
            }
            state
        };
        (0..self.layout.n).map(state).collect()
    }

    /// How many states each machine has.
    pub(crate) fn state_counts(&self) -> Vec<u32> {
        let count = |machine| {
            let places = self.layout.places(machine);
            places.map(|place| self.layout.values(place).len() as u32).product()
        };
        (0..self.layout.n).map(count).collect()
    }

    /// A machine is put into any of its states.
    pub(crate) fn corrupt(&mut self, machine: u32, choose: impl FnOnce(u32) -> u32) -> Vec<Access> {
        let mut states = self.states();
        states[machine as usize] = choose(self.state_counts()[machine as usize]);
        self.set_states(&states);
        let places = self.layout.places(machine);
        places.map(|place| Access { place, value: self.cells[place as usize], writes: true }).collect()
    }

    /// Machines are in these states, each one of those that it has.
    pub(crate) fn set_states(&mut self, states: &[u32]) {
        for (machine, &state) in (0..self.layout.n).zip(states) {
            let mut rest = state;
            for place in self.layout.places(machine) {
                let values = self.layout.values(place);
                self.cells[place as usize] = values.start + rest % values.len() as u32;
                rest /= values.len() as u32;
            }
        }
    }

    fn pending(&self, who: u32) -> usize {
        (self.layout.count() + 2 * who) as usize
    }

    /// What a process is writing: where, which value, and whether another write overlaps.
    fn written(&self, who: u32) -> Option<(u32, u32, bool)> {
        if !self.layout.safe {
            return None;
        }
        let at = self.pending(who);
        let begun = self.cells[at].checked_sub(1)?;
        Some((begun / 2, self.cells[at + 1], begun % 2 == 1))
    }
}

impl Layout {
    /// How many registers there are.
    fn count(&self) -> u32 {
        self.first(self.kinds.len())
    }

    /// The place of the first register of a kind.
    fn first(&self, kind: usize) -> u32 {
        self.kinds[..kind].iter().map(|kind| kind.count(self.n)).sum()
    }

    /// The kind of the register at this place, and its number among them.
    fn register(&self, place: u32) -> (usize, u32) {
        let kind = (0..self.kinds.len()).rfind(|&kind| self.first(kind) <= place).unwrap_or(0);
        (kind, place - self.first(kind))
    }

    fn grows(&self, place: u32) -> bool {
        self.kinds[self.register(place).0].grows
    }

    fn values(&self, place: u32) -> Range<u32> {
        let (kind, index) = self.register(place);
        (self.kinds[kind].values)(self.n, index, &self.settings)
    }

    /// The places of the registers of one process.
    fn places(&self, who: u32) -> impl Iterator<Item = u32> {
        let each = (0..self.kinds.len()).filter(|&kind| self.kinds[kind].each);
        each.map(move |kind| self.first(kind) + who)
    }
}
