//! From a violation back to a run: which steps lead to it, as a recording that can be replayed.

use super::batch::{Batch, Detail, Next};
use super::expand::Expander;
use super::ground::{Ground, How};
use super::memo::lock;
use super::network::Searched;
use super::space::Parts;
use super::stimulus::{Action, Outcome, Stimulus};
use super::system::Steps;
use crate::model::Timing;
use crate::scenario::{Scenario, Schedule};
use crate::sim::{self, Recorder};
use crate::trace::{Arrival, Event, Input, Recording};
use std::sync::{Arc, Mutex};

/// A run along these states, and then by this step of the last, if it is given. The search must not have taken
/// rotations for one state.
pub(crate) fn recording(searched: &Searched<'_>, way: &[u32], last: Option<u32>) -> Option<Recording> {
    let &Searched { ground, how, ref explored } = searched;
    let mut writer = Writer::new(ground, how);
    writer.state.clone_from(&explored.first);
    let mut expander = Expander::new(ground, How { details: true, ..how });
    let mut batch = Batch::default();
    let targets = way.iter().skip(1).map(|&number| Err(number)).chain(last.map(Ok));
    for target in targets {
        batch.clear();
        let fingerprint = lock(&ground.shared).fingerprint(&ground.space, &writer.state);
        expander.expand(0, &writer.state, fingerprint, &mut batch);
        let place = match target {
            Ok(place) => place as usize,
            Err(number) => {
                let leads = |next: &Next| explored.visited.find(next.fingerprint) == Some(number);
                batch.nexts.iter().position(leads).unwrap_or(0)
            }
        };
        let (Some(next), Some(detail)) = (batch.nexts.get(place), batch.details.get(place)) else { break };
        let begin = batch.nexts[..=place].iter().rposition(|next| next.first).unwrap_or(0);
        let mut after = Vec::new();
        batch.write(next, &writer.state, &mut after);
        writer.step(detail, place - begin)?;
        writer.state = after;
    }
    let mut header = ground.setup.header(ground.nature.spec, &ground.scenario, 1);
    if !writer.by_rounds {
        header.schedule = "check".into();
    }
    let skeleton = Recording { header, events: writer.events };
    // The simulator takes the same steps, and says what each of them did.
    let mut told = Recorder::default();
    let scenario =
        Scenario { schedule: Schedule::Replay(Arc::new(skeleton.clone())), ..ground.scenario.clone() };
    sim::run(ground.nature, None, &scenario, &mut told).ok()?;
    Some(Recording { header: skeleton.header, events: told.events })
}

/// A message on its way, with the number that it has in the recording.
#[derive(Clone, Copy)]
struct Numbered {
    number: u64,
    stimulus: Stimulus,
    age: u32,
}

/// Writes events: what came in, and the answers to random choices. What came of it is for the simulator to say.
struct Writer<'g> {
    ground: &'g Ground<'g>,
    /// The state from which the next step is taken.
    state: Vec<u32>,
    /// What each link carries, in the order of sending.
    links: Vec<Vec<Numbered>>,
    sent: u64,
    time: u64,
    by_rounds: bool,
    timed: bool,
    events: Vec<Event>,
}

impl<'g> Writer<'g> {
    fn new(ground: &'g Ground<'g>, how: How) -> Writer<'g> {
        let timing = ground.nature.spec.needs.timing;
        let mut writer = Writer {
            ground,
            state: ground.unstarted(how),
            links: vec![Vec::new(); ground.space.links.len()],
            sent: 0,
            time: 0,
            by_rounds: timing == Timing::LockStep,
            timed: timing == Timing::BoundedDelay,
            events: Vec::new(),
        };
        if ground.starts_at_once() && !ground.is_randomised() {
            writer.begin(&mut Leaf(0));
        }
        writer
    }

    /// Writes a step: this outcome of what happens in it.
    fn step(&mut self, &Detail { action, ticks, .. }: &Detail, outcome: usize) -> Option<()> {
        let space = &self.ground.space;
        if !self.by_rounds {
            self.time += if self.timed { u64::from(ticks) } else { 1 };
        }
        for numbered in self.links.iter_mut().flatten() {
            numbered.age += u32::from(ticks);
        }
        self.pass(ticks);
        match action {
            Action::Own { process, stimulus } => {
                let input = self.own(stimulus)?;
                self.reacts(process, stimulus, outcome, input)?;
            }
            Action::Deliver { link, place } => {
                let (queue, k) = self.find(link, place, ticks)?;
                let numbered = self.links[queue].remove(k);
                let arrival = Arrival { message: numbered.number, port: space.link(link).port() };
                self.reacts(
                    space.link(link).to(),
                    numbered.stimulus,
                    outcome,
                    Input::Deliver(vec![arrival]),
                )?;
            }
            Action::Batch { process, took } => self.batch(process, took, outcome)?,
            Action::Lose { link, place } => {
                let (queue, k) = self.find(link, place, ticks)?;
                let message = self.links[queue].remove(k).number;
                let port = space.link(link).port();
                self.write(space.link(link).to(), Input::Lose(Arrival { message, port }), Vec::new());
            }
            Action::Double { link, place } => {
                let (queue, k) = self.find(link, place, ticks)?;
                let original = self.links[queue][k];
                self.links[queue].push(Numbered { number: self.sent, ..original });
                self.sent += 1;
                let arrival = Arrival { message: original.number, port: space.link(link).port() };
                self.write(space.link(link).to(), Input::Double(arrival), Vec::new());
            }
            Action::Begin => self.begin(&mut Leaf(outcome)),
            Action::Round => self.round(&mut Leaf(outcome)),
        }
        self.rebase();
        Some(())
    }

    /// Lets the clocks of processes go on, where they have any.
    fn pass(&mut self, ticks: u16) {
        if !self.ground.space.has_clocks {
            return;
        }
        let mut shared = lock(&self.ground.shared);
        for local in &mut self.state[..self.ground.space.n as usize] {
            for _ in 0..ticks {
                if let Some(later) = shared.locals.outcomes(*local, Stimulus::Tick).first() {
                    *local = later.local;
                }
            }
        }
    }

    /// A process takes a step, with this outcome of those that are possible.
    fn reacts(&mut self, process: u32, stimulus: Stimulus, outcome: usize, input: Input) -> Option<()> {
        let local = self.state[process as usize];
        let outcomes = lock(&self.ground.shared).locals.outcomes(local, stimulus);
        self.event(process, input, outcomes.get(outcome)?);
        Some(())
    }

    /// The oldest message that is the one at this place of a link, as the search ordered it: its queue, and its place.
    fn find(&self, link: u32, place: u32, ticks: u16) -> Option<(usize, usize)> {
        let shared = lock(&self.ground.shared);
        let flight = shared.contents.get(self.state[link as usize]).get(place as usize)?;
        let key = (*shared.stimuli.value(flight.stimulus), flight.age + u32::from(ticks));
        let queue = (link - self.ground.space.n) as usize;
        let is_it = |numbered: &Numbered| (numbered.stimulus, numbered.age) == key;
        Some((queue, self.links[queue].iter().position(is_it)?))
    }

    fn own(&self, stimulus: Stimulus) -> Option<Input> {
        let nature = self.ground.nature;
        Some(match stimulus {
            Stimulus::Start => Input::Start,
            Stimulus::Timeout(timer) => Input::Timeout(nature.timers.name(timer).into()),
            Stimulus::Local(step) | Stimulus::Access { step, .. } => {
                Input::Local(nature.locals.name(step).into())
            }
            Stimulus::Want => Input::Want,
            Stimulus::Exit => Input::Exit,
            Stimulus::Crash(_) => Input::Crash,
            Stimulus::Recover => Input::Recover,
            Stimulus::Suspect(who) => Input::Suspect(who),
            Stimulus::Deliver { .. }
            | Stimulus::Tick
            | Stimulus::Alarm(_)
            | Stimulus::Calm(_)
            | Stimulus::Bypassed(_)
            | Stimulus::Behind
            | Stimulus::Ahead(_)
            | Stimulus::Served(_) => return None,
        })
    }

    /// Counts rounds as the search does, so that messages are the same here and there.
    fn rebase(&mut self) {
        let mut shared = lock(&self.ground.shared);
        let by = shared.rounds_past(&self.state[..self.ground.space.n as usize]);
        if by == 0 {
            return;
        }
        for numbered in self.links.iter_mut().flatten() {
            if let Some((port, msg)) = numbered.stimulus.delivery() {
                let msg = shared.locals.rebased_message(msg, by);
                numbered.stimulus = Stimulus::Deliver { port, msg };
            }
        }
    }

    fn batch(&mut self, process: u32, took: [u32; 2], outcome: usize) -> Option<()> {
        let space = &self.ground.space;
        let sides = [0, 1].map(|side| space.incoming[process as usize][side]);
        let waiting = sides.map(|link| self.state[link as usize]);
        let outcomes = lock(&self.ground.shared).batches(self.state[process as usize], waiting);
        let outcome = outcomes.into_iter().filter(|found| found.took == took).nth(outcome)?;
        let mut arrivals = Vec::new();
        for (link, count) in sides.into_iter().zip(took) {
            let port = space.link(link).port();
            let taken = self.links[(link - space.n) as usize].drain(..count as usize);
            arrivals.extend(taken.map(|numbered| Arrival { message: numbered.number, port }));
        }
        self.event(process, Input::Deliver(arrivals), &outcome);
        Some(())
    }

    /// Everybody starts who is to, in the order of indices.
    fn begin(&mut self, leaf: &mut Leaf) {
        let starts: Vec<(u32, Stimulus, Option<Arrival>)> = (0..self.ground.setup.n)
            .filter(|&process| lock(&self.ground.shared).facts(self.state[process as usize]).to_start)
            .map(|process| (process, Stimulus::Start, None))
            .collect();
        self.together(&starts, leaf);
    }

    /// All messages on their way arrive.
    fn round(&mut self, leaf: &mut Leaf) {
        self.time += 1;
        let space = &self.ground.space;
        let mut handed = Vec::new();
        for process in 0..space.n {
            for &link in &space.incoming[process as usize] {
                let port = space.link(link).port();
                for numbered in self.links[(link - space.n) as usize].drain(..) {
                    let arrival = Arrival { message: numbered.number, port };
                    handed.push((process, numbered.stimulus, Some(arrival)));
                }
            }
        }
        self.together(&handed, leaf);
    }

    fn together(&mut self, handed: &[(u32, Stimulus, Option<Arrival>)], leaf: &mut Leaf) {
        let locals = self.state.clone();
        let Some(answers) = leaf.answers(&self.ground.shared, handed, locals) else { return };
        for (&(process, _, arrival), outcome) in handed.iter().zip(answers) {
            let input = arrival.map_or(Input::Start, |arrival| Input::Deliver(vec![arrival]));
            // Where everybody starts as a matter of course, a start that does nothing is not a step.
            if arrival.is_none() && !self.ground.is_election() && outcome.is_silent {
                self.state[process as usize] = outcome.local;
                continue;
            }
            self.event(process, input, &outcome);
        }
    }

    /// A process takes a step.
    fn event(&mut self, process: u32, input: Input, outcome: &Outcome) {
        self.state[process as usize] = outcome.local;
        for &(port, msg) in &outcome.sends {
            let mut link = self.ground.space.outgoing[process as usize][port as usize];
            if self.ground.closes_over_crashes() {
                let shared = lock(&self.ground.shared);
                let is_down = |process: u32| shared.facts(self.state[process as usize]).down;
                link = self.ground.space.past(link, is_down);
            }
            let arrival = self.ground.space.link(link).port();
            let stimulus = Stimulus::Deliver { port: arrival, msg };
            let numbered = Numbered { number: self.sent, stimulus, age: 0 };
            self.links[(link - self.ground.space.n) as usize].push(numbered);
            self.sent += 1;
        }
        self.write(process, input, outcome.choices.clone());
    }

    fn write(&mut self, process: u32, input: Input, choices: Vec<u32>) {
        self.events.push(Event { choices, ..Event::bare(self.time, process, input) });
    }
}

/// The place of one among all answers to the choices of a step that everybody takes.
struct Leaf(usize);

impl Leaf {
    /// The outcomes of each part, in the order in which the search went through them.
    fn answers(
        &mut self,
        shared: &Mutex<Parts>,
        handed: &[(u32, Stimulus, Option<Arrival>)],
        locals: Vec<u32>,
    ) -> Option<Vec<Outcome>> {
        let Some((&(process, stimulus, _), rest)) = handed.split_first() else {
            return if self.0 == 0 {
                Some(Vec::new())
            } else {
                self.0 -= 1;
                None
            };
        };
        let outcomes = lock(shared).locals.outcomes(locals[process as usize], stimulus);
        for outcome in outcomes {
            let mut after = locals.clone();
            after[process as usize] = outcome.local;
            if let Some(mut answers) = self.answers(shared, rest, after) {
                answers.insert(0, outcome);
                return Some(answers);
            }
        }
        None
    }
}
