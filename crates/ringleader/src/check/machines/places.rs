//! The states of machines that tell their values by messages, as numbers: for each machine what it holds, what its link
//! holds, and (only where that can be otherwise) whether its timer runs.
//!
//! What a machine does when it is told a value, and when its timer runs out, the algorithm's own code is asked once.

use crate::check::scope::{Reduce, Scope};
use crate::model::{Birth, LeftOver, Links};
use crate::network::Wiring;
use crate::population::{Effects, Handle, Input, Nature, Population};
use crate::scenario::{Refusal, Setup, beginning, in_links};
use crate::sim::told;

/// The most states that are searched: some bytes are kept of each.
const MOST: u64 = 1 << 23;

/// What a machine does in a step.
#[derive(Clone, Default)]
struct Reaction {
    holds: u32,
    tells: Vec<u32>,
    /// Whether it sets its timer, or stops it.
    timer: Option<bool>,
}

/// Something that may happen to a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Action {
    pub(super) machine: u32,
    /// Which message arrives, counted from the oldest of the link; where none does, the timer runs out.
    pub(super) message: Option<usize>,
}

/// A step from a state: where it leads, and whether a machine uses its privilege.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) action: Action,
    /// What must happen at last if it can always happen, as a number: where links keep the order, it is the next
    /// message that must arrive, and otherwise each.
    pub(super) duty: u64,
    pub(super) to: u64,
    pub(super) moves: bool,
}

/// All states.
pub(super) struct Places {
    pub(super) n: u32,
    pub(super) capacity: usize,
    k: u32,
    /// How many states a machine has with its link and its timer, and how many states there are.
    unit: u64,
    weights: Vec<u64>,
    count: u64,
    /// Whether links keep the order.
    is_fifo: bool,
    /// Whether a timer may come to rest.
    rests: bool,
    /// Whether the first machine can be taken to hold 0, because raising everything changes nothing.
    pub(super) cyclic: bool,
    /// What a link may hold, the newest message first; and by its place there, what it holds after one more message.
    contents: Vec<Vec<u32>>,
    pushed: Vec<u32>,
    /// By that place, what it holds with every value lowered by so much.
    lowered: Vec<u32>,
    /// By that place, of every message that may arrive, the oldest first: which it is, and what is left.
    taken: Vec<Vec<(u32, u32)>>,
    timeouts: Vec<Reaction>,
    deliveries: Vec<Reaction>,
    privileges: Vec<bool>,
}

/// What a machine holds, the place of what its link holds, and whether its timer runs.
#[derive(Clone, Copy)]
struct Local {
    holds: u32,
    link: u32,
    runs: bool,
}

impl Places {
    pub(super) fn new(nature: &'static Nature, scope: &Scope, setup: &Setup) -> Result<Places, Refusal> {
        let net = Wiring::new(nature.shape, &setup.plan);
        let mut population = setup.population(nature, &net, scope.range);
        let capacity = nature.spec.capacity(&setup.settings).unwrap_or(0) as usize;
        let values = population.memory().values();
        let (n, k) = (setup.n, values.first().map_or(0, |range| range.end));
        let too_many = || Refusal::OutOfRange {
            what: "the number of all states of the machines and their links",
            expected: "2^23 or less: take fewer processes, fewer values, or a smaller capacity",
        };
        // Sequences of 0 to `capacity` values.
        let links = (0..=capacity as u32).try_fold(0u64, |sum, len| {
            u64::from(k).checked_pow(len).and_then(|sequences| sum.checked_add(sequences))
        });
        let states = |timers: u64| {
            let unit = links?.checked_mul(u64::from(k))?.checked_mul(timers)?;
            Some((unit, unit.checked_pow(n).filter(|count| *count / u64::from(k) <= MOST)?))
        };
        let (mut unit, mut count) = states(1).ok_or_else(too_many)?;
        let contents = contents(k, capacity);
        let place = |content: &[u32]| contents.binary_search_by(|other| by_length(other, content));
        let is_fifo = setup.links != Links::Bag;
        let (mut pushed, mut lowered, mut taken) = (Vec::new(), Vec::new(), Vec::new());
        for (at, content) in contents.iter().enumerate() {
            for value in 0..k {
                // What is sent into a full link is lost.
                let more = [&[value], &content[..]].concat();
                pushed.push(if content.len() == capacity { at } else { place(&more).unwrap_or(at) } as u32);
                let lower: Vec<u32> = content.iter().map(|other| (other + k - value) % k).collect();
                lowered.push(place(&lower).unwrap_or(at) as u32);
            }
            let left = |at: usize| [&content[..at], &content[at + 1..]].concat();
            let take = |at: usize| (content[at], place(&left(at)).unwrap_or(0) as u32);
            let most = if is_fifo { 1 } else { content.len() };
            taken.push((0..content.len()).rev().take(most).map(take).collect::<Vec<_>>());
        }
        let mut effects = Effects::new(false);
        let messages = messages(&mut *population, setup, &net, scope.range, k, &mut effects);
        let (mut timeouts, mut deliveries, mut privileges) = (Vec::new(), Vec::new(), Vec::new());
        for machine in 0..n {
            for holds in 0..k {
                let mut cells = population.memory().cells().to_vec();
                cells[machine as usize] = holds;
                population.memory_mut().set_cells(&cells);
                timeouts.push(reaction(&mut *population, machine, Input::Timeout(0), &mut effects));
                for value in 0..k {
                    privileges.push(population.has_privilege(machine, holds, value));
                    deliveries.push(match messages[value as usize] {
                        Some(message) => {
                            let input = Input::Deliver { port: 0, message, wakes: false };
                            reaction(&mut *population, machine, input, &mut effects)
                        }
                        None => Reaction { holds, ..Reaction::default() },
                    });
                }
            }
        }
        let rests = timeouts.iter().any(|reaction| reaction.timer != Some(true))
            || deliveries.iter().any(|reaction| reaction.timer == Some(false));
        if rests {
            (unit, count) = states(2).ok_or_else(too_many)?;
        }
        Ok(Places {
            n,
            capacity,
            k,
            unit,
            weights: (0..n).map(|machine| unit.pow(machine)).collect(),
            count,
            is_fifo,
            rests,
            cyclic: population.memory().is_cyclic() && scope.reduce != Reduce::None,
            contents,
            pushed,
            lowered,
            taken,
            timeouts,
            deliveries,
            privileges,
        })
    }

    /// How many states stand for all.
    pub(super) fn representatives(&self) -> u64 {
        self.count / self.turns()
    }

    /// For how many states one stands.
    pub(super) fn turns(&self) -> u64 {
        if self.cyclic { u64::from(self.k) } else { 1 }
    }

    /// The state with this number among those that stand for all: the first digit, what the first machine holds, is 0.
    pub(super) fn representative(&self, place: u64) -> u64 {
        place * self.turns()
    }

    pub(super) fn place(&self, state: u64) -> usize {
        (state / self.turns()) as usize
    }

    /// Whether all timers run in this state: in the others nothing begins.
    pub(super) fn may_begin(&self, state: u64) -> bool {
        !self.rests || (0..self.n).all(|machine| self.local(state, machine).runs)
    }

    /// The state that stands for this one.
    pub(super) fn canonical(&self, state: u64) -> u64 {
        let by = if self.cyclic { self.local(state, 0).holds } else { 0 };
        if by == 0 {
            return state;
        }
        let mut turned = state;
        for machine in 0..self.n {
            let local = self.local(state, machine);
            let holds = (local.holds + self.k - by) % self.k;
            let link = self.lowered[(local.link * self.k + by) as usize];
            turned = self.with(turned, machine, Local { holds, link, ..local });
        }
        turned
    }

    fn local(&self, state: u64, machine: u32) -> Local {
        let number = state / self.weights[machine as usize] % self.unit;
        let (k, links) = (u64::from(self.k), self.contents.len() as u64);
        Local { holds: (number % k) as u32, link: (number / k % links) as u32, runs: number / k / links == 0 }
    }

    fn with(&self, state: u64, machine: u32, local: Local) -> u64 {
        let weight = self.weights[machine as usize];
        let (k, links) = (u64::from(self.k), self.contents.len() as u64);
        let rests = u64::from(!local.runs);
        let number = u64::from(local.holds) + k * (u64::from(local.link) + links * rests);
        state - state / weight % self.unit * weight + number * weight
    }

    /// How many privileges there are, on the ring of all places.
    pub(super) fn privileges(&self, state: u64) -> u32 {
        let mut count = 0;
        for machine in 0..self.n {
            let Local { holds, link, .. } = self.local(state, machine);
            let mut last = holds;
            for &value in &self.contents[link as usize] {
                count += u32::from(value != last);
                last = value;
            }
            let next = (machine + 1) % self.n;
            count += u32::from(self.moves(next, self.local(state, next).holds, last));
        }
        count
    }

    fn moves(&self, machine: u32, holds: u32, told: u32) -> bool {
        self.privileges[((machine * self.k + holds) * self.k + told) as usize]
    }

    /// Everything that may happen in a state, as it is and not as what stands for it.
    pub(super) fn steps(&self, state: u64, into: &mut Vec<Step>) {
        into.clear();
        for machine in 0..self.n {
            let local = self.local(state, machine);
            if local.runs {
                let reaction = &self.timeouts[(machine * self.k + local.holds) as usize];
                let to = self.after(state, machine, Local { runs: false, ..local }, reaction);
                let action = Action { machine, message: None };
                into.push(Step { action, duty: u64::from(machine), to, moves: false });
            }
            let before = (machine + self.n - 1) % self.n;
            let sender = self.local(state, before);
            for (message, &(value, link)) in self.taken[sender.link as usize].iter().enumerate() {
                let place = (machine * self.k + local.holds) * self.k + value;
                let taken = self.with(state, before, Local { link, ..sender });
                let to = self.after(taken, machine, local, &self.deliveries[place as usize]);
                let moves = self.moves(machine, local.holds, value);
                let action = Action { machine, message: Some(message) };
                let which = if self.is_fifo { 0 } else { u64::from(value) };
                let duty = u64::from(self.n) + which * u64::from(self.n) + u64::from(machine);
                into.push(Step { action, duty, to, moves });
            }
        }
    }

    /// The state after a machine has done this.
    fn after(&self, state: u64, machine: u32, local: Local, reaction: &Reaction) -> u64 {
        let push = |link: u32, &value: &u32| self.pushed[(link * self.k + value) as usize];
        let link = reaction.tells.iter().fold(local.link, push);
        let runs = reaction.timer.unwrap_or(local.runs);
        self.with(state, machine, Local { holds: reaction.holds, link, runs })
    }

    /// The list of numbers with which a run begins in this state.
    pub(super) fn beginning(&self, state: u64) -> Vec<u32> {
        let locals: Vec<Local> = (0..self.n).map(|machine| self.local(state, machine)).collect();
        let holds: Vec<u32> = locals.iter().map(|local| local.holds).collect();
        beginning(&holds, locals.iter().map(|local| &self.contents[local.link as usize][..]))
    }

    /// The state in which this list begins.
    pub(super) fn number(&self, from: &[u32]) -> u64 {
        let links = in_links(from, self.n);
        (0..self.n).fold(0, |state, machine| {
            let content = links.get(machine as usize).copied().unwrap_or(&[]);
            let link = self.contents.binary_search_by(|other| by_length(other, content)).unwrap_or(0) as u32;
            self.with(state, machine, Local { holds: from[machine as usize], link, runs: true })
        })
    }

    /// How many messages a machine sends when this happens in this state.
    pub(super) fn sends(&self, state: u64, action: Action) -> usize {
        let machine = action.machine;
        let holds = self.local(state, machine).holds;
        let Some(message) = action.message else {
            return self.timeouts[(machine * self.k + holds) as usize].tells.len();
        };
        let sender = self.local(state, (machine + self.n - 1) % self.n);
        let (value, _) = self.taken[sender.link as usize][message];
        self.deliveries[((machine * self.k + holds) * self.k + value) as usize].tells.len()
    }
}

/// Everything that a link may hold: shorter ones first, then by their values.
fn contents(k: u32, capacity: usize) -> Vec<Vec<u32>> {
    let mut contents: Vec<Vec<u32>> = vec![Vec::new()];
    let mut at = 0;
    while contents[at].len() < capacity {
        for value in 0..k {
            contents.push([&contents[at][..], &[value]].concat());
        }
        at += 1;
    }
    contents
}

/// Shorter ones first, then by their values.
fn by_length(a: &[u32], b: &[u32]) -> core::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The message that tells each value: what a machine sends first whose link is to hold it.
fn messages(
    population: &mut dyn Population,
    setup: &Setup,
    net: &Wiring,
    range: u32,
    k: u32,
    effects: &mut Effects,
) -> Vec<Option<Handle>> {
    let mut messages = Vec::new();
    for value in 0..k {
        let birth = Birth { left_over: LeftOver::of(&[value]), ..setup.birth(0, net.degree(0), range) };
        population.reset(0, &birth);
        effects.begin_recorded(&[]);
        population.attempt(0, Input::Start, effects);
        let sent: Vec<Handle> = effects.sends.drain(..).map(|sent| sent.message).collect();
        messages.push(sent.into_iter().find(|&message| told(population, message) == value));
    }
    population.reset(0, &setup.birth(0, net.degree(0), range));
    messages
}

/// What a machine does when this happens.
fn reaction(
    population: &mut dyn Population,
    machine: u32,
    input: Input<'_>,
    effects: &mut Effects,
) -> Reaction {
    effects.begin_recorded(&[]);
    population.attempt(machine, input, effects);
    let sent: Vec<Handle> = effects.sends.drain(..).map(|sent| sent.message).collect();
    let tells = sent.iter().map(|&message| told(population, message)).collect();
    sent.into_iter().for_each(|message| population.discard(message));
    Reaction {
        holds: population.attempted_memory().cells()[machine as usize],
        tells,
        timer: effects.timers.last().map(|(_, ticks)| ticks.is_some()),
    }
}
