//! From a violation back to a run: which steps lead to it, as a recording that can be replayed.

use super::batch::{Batch, Next};
use super::expand::Expander;
use super::ground::{Ground, How};
use super::memo::lock;
use super::search::Explored;
use super::space::Parts;
use super::stimulus::{Action, Outcome, Stimulus};
use super::system::Steps;
use crate::model::Timing;
use crate::scenario::{Scenario, Schedule};
use crate::sim::{self, Observer};
use crate::trace::{Arrival, Event, Input, Recording};
use std::sync::Arc;

/// One step of a run: what happened, after how many ticks, and which of its outcomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) action: Action,
    ticks: u16,
    outcome: usize,
}

/// The states from an initial one to this one.
pub(crate) fn way_to(explored: &Explored, state: u32) -> Vec<u32> {
    let mut way = vec![state];
    let mut last = state;
    while explored.visited.parent(last) != last {
        last = explored.visited.parent(last);
        way.push(last);
    }
    way.reverse();
    way
}

/// The steps along these states, and then this one of the last, if it is given. The search must not have taken
/// rotations for one state.
pub(crate) fn steps_along(
    ground: &Ground<'_>,
    how: How,
    explored: &Explored,
    way: &[u32],
    last: Option<u32>,
) -> Vec<Taken> {
    let rules = ground.rules(How { details: true, ..how });
    let mut expander = Expander::new(&ground.space, &rules, &ground.shared);
    let mut batch = Batch::default();
    let mut state = explored.first.clone();
    let mut taken = Vec::new();
    let targets = way.iter().skip(1).map(|&number| Err(number)).chain(last.map(Ok));
    for target in targets {
        batch.clear();
        let fingerprint = lock(&ground.shared).fingerprint(&ground.space, &state);
        expander.expand(0, &state, fingerprint, &mut batch);
        let place = match target {
            Ok(place) => place as usize,
            Err(number) => {
                let leads = |next: &Next| explored.visited.find(next.fingerprint) == Some(number);
                batch.nexts.iter().position(leads).unwrap_or(0)
            }
        };
        let (Some(next), Some(detail)) = (batch.nexts.get(place), batch.details.get(place)) else { break };
        let begin = batch.nexts[..=place].iter().rposition(|next| next.first).unwrap_or(0);
        taken.push(Taken { action: detail.action, ticks: detail.ticks, outcome: place - begin });
        let mut after = Vec::new();
        batch.write(next, &state, &mut after);
        state = after;
    }
    taken
}

/// A run with these steps.
pub(crate) fn recording(ground: &Ground<'_>, how: How, taken: &[Taken]) -> Option<Recording> {
    let mut writer = Writer::new(ground, how);
    for &taken in taken {
        writer.step(taken)?;
    }
    let mut header = ground.setup.header(ground.nature.spec, &ground.scenario, 1);
    if !writer.by_rounds {
        header.schedule = "check".into();
    }
    let skeleton = Recording { header, events: writer.events };
    // The simulator takes the same steps, and says what each of them did.
    let mut told = Told::default();
    let scenario =
        Scenario { schedule: Schedule::Replay(Arc::new(skeleton.clone())), ..ground.scenario.clone() };
    sim::run(ground.nature, None, &scenario, &mut told).ok()?;
    Some(Recording { header: skeleton.header, events: told.0 })
}

#[derive(Default)]
struct Told(Vec<Event>);

impl Observer for Told {
    fn wants_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event) {
        self.0.push(event.clone());
    }
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
    /// The state of each process.
    locals: Vec<u32>,
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
            locals: ground.unstarted(how)[..ground.setup.n as usize].to_vec(),
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

    fn step(&mut self, taken: Taken) -> Option<()> {
        let space = &self.ground.space;
        if !self.by_rounds {
            self.time += if self.timed { u64::from(taken.ticks) } else { 1 };
        }
        for _ in 0..taken.ticks {
            self.tick();
        }
        match taken.action {
            Action::Own { process, stimulus } => {
                let outcome = self.outcomes(process, stimulus).into_iter().nth(taken.outcome)?;
                let input = self.own(stimulus)?;
                self.event(process, input, &outcome);
                self.hear(process, stimulus);
            }
            Action::Deliver { link, place } => {
                let to = space.link(link).to;
                let numbered = self.take(link, taken_stimulus(self.ground, &self.links, link, place)?)?;
                let outcome = self.outcomes(to, numbered.stimulus).into_iter().nth(taken.outcome)?;
                let port = space.link(link).port;
                let arrival = Arrival { message: numbered.number, port };
                self.event(to, Input::Deliver(vec![arrival]), &outcome);
            }
            Action::Batch { process, took } => self.batch(process, took, taken.outcome)?,
            Action::Lose { link, place } => {
                let (to, port) = (space.link(link).to, space.link(link).port);
                let numbered = self.take(link, taken_stimulus(self.ground, &self.links, link, place)?)?;
                self.bare(to, Input::Lose(Arrival { message: numbered.number, port }));
            }
            Action::Double { link, place } => {
                let (to, port) = (space.link(link).to, space.link(link).port);
                let key = taken_stimulus(self.ground, &self.links, link, place)?;
                let original = *self.links[(link - space.n) as usize]
                    .iter()
                    .find(|numbered| (numbered.stimulus, numbered.age) == key)?;
                let copy = Numbered { number: self.sent, ..original };
                self.sent += 1;
                self.links[(link - space.n) as usize].push(copy);
                self.bare(to, Input::Double(Arrival { message: original.number, port }));
            }
            Action::Begin => self.begin(&mut Leaf(taken.outcome)),
            Action::Round => self.round(&mut Leaf(taken.outcome)),
        }
        self.rebase();
        Some(())
    }

    fn outcomes(&self, process: u32, stimulus: Stimulus) -> Vec<Outcome> {
        lock(&self.ground.shared).locals.outcomes(self.locals[process as usize], stimulus)
    }

    /// What others remember of a crash or a recovery.
    fn hear(&mut self, process: u32, stimulus: Stimulus) {
        let recovers = stimulus == Stimulus::Recover;
        if !self.ground.detector() || !recovers && stimulus != Stimulus::Crash(process) {
            return;
        }
        let news = if recovers { Stimulus::Calm(process) } else { Stimulus::Alarm(process) };
        for other in (0..self.ground.setup.n).filter(|&other| other != process) {
            let down = lock(&self.ground.shared).facts(self.locals[other as usize]).down;
            let (who, news) = match (down, recovers) {
                (true, true) => (process, Stimulus::Alarm(other)),
                (true, false) => continue,
                (false, _) => (other, news),
            };
            if let Some(outcome) = self.outcomes(who, news).first() {
                self.locals[who as usize] = outcome.local;
            }
        }
    }

    fn tick(&mut self) {
        for process in 0..self.ground.setup.n {
            if let Some(outcome) = self.outcomes(process, Stimulus::Tick).first() {
                self.locals[process as usize] = outcome.local;
            }
        }
        for numbered in self.links.iter_mut().flatten() {
            numbered.age += 1;
        }
    }

    fn own(&self, stimulus: Stimulus) -> Option<Input> {
        let nature = self.ground.nature;
        Some(match stimulus {
            Stimulus::Start => Input::Start,
            Stimulus::Timeout(timer) => Input::Timeout(nature.timers.name(timer).into()),
            Stimulus::Local(step) => Input::Local(nature.locals.name(step).into()),
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
            | Stimulus::Behind => return None,
        })
    }

    /// Counts rounds as the search does, so that places in links mean the same here and there.
    fn rebase(&mut self) {
        let mut shared = lock(&self.ground.shared);
        let by = shared.rounds_past(&self.locals);
        if by == 0 {
            return;
        }
        for local in &mut self.locals {
            *local = shared.locals.rebased_local(*local, by);
        }
        for numbered in self.links.iter_mut().flatten() {
            if let Some((port, msg)) = numbered.stimulus.delivery() {
                let msg = shared.locals.rebased_message(msg, by);
                numbered.stimulus = Stimulus::Deliver { port, msg };
            }
        }
    }

    /// The oldest message on a link with this stimulus and age.
    fn take(&mut self, link: u32, key: (Stimulus, u32)) -> Option<Numbered> {
        let waiting = &mut self.links[(link - self.ground.space.n) as usize];
        let place = waiting.iter().position(|numbered| (numbered.stimulus, numbered.age) == key)?;
        Some(waiting.remove(place))
    }

    fn batch(&mut self, process: u32, took: [u32; 2], outcome: usize) -> Option<()> {
        let space = &self.ground.space;
        let sides = [0, 1].map(|side| space.incoming[process as usize][side]);
        let waiting = sides.map(|link| -> Vec<Stimulus> {
            self.links[(link - space.n) as usize].iter().map(|numbered| numbered.stimulus).collect()
        });
        let outcomes = lock(&self.ground.shared)
            .locals
            .batches(self.locals[process as usize], [&waiting[0], &waiting[1]]);
        let outcome = outcomes.into_iter().filter(|found| found.took == took).nth(outcome)?;
        let mut arrivals = Vec::new();
        for (link, count) in sides.into_iter().zip(took) {
            let port = space.link(link).port;
            let taken = self.links[(link - space.n) as usize].drain(..count as usize);
            arrivals.extend(taken.map(|numbered| Arrival { message: numbered.number, port }));
        }
        self.event(process, Input::Deliver(arrivals), &outcome);
        Some(())
    }

    /// Everybody starts who is to, in the order of indices.
    fn begin(&mut self, leaf: &mut Leaf) {
        let starts: Vec<(u32, Stimulus, Option<Arrival>)> = (0..self.ground.setup.n)
            .filter(|&process| lock(&self.ground.shared).facts(self.locals[process as usize]).to_start)
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
                let port = space.link(link).port;
                for numbered in self.links[(link - space.n) as usize].drain(..) {
                    let arrival = Arrival { message: numbered.number, port };
                    handed.push((process, numbered.stimulus, Some(arrival)));
                }
            }
        }
        self.together(&handed, leaf);
    }

    fn together(&mut self, handed: &[(u32, Stimulus, Option<Arrival>)], leaf: &mut Leaf) {
        let locals = self.locals.clone();
        let Some(answers) = leaf.answers(&self.ground.shared, handed, locals) else { return };
        for (&(process, _, arrival), outcome) in handed.iter().zip(answers) {
            let input = arrival.map_or(Input::Start, |arrival| Input::Deliver(vec![arrival]));
            // Where everybody starts as a matter of course, a start that does nothing is not a step.
            if arrival.is_none() && !self.ground.is_election() && outcome.sends.is_empty() {
                self.locals[process as usize] = outcome.local;
                continue;
            }
            self.event(process, input, &outcome);
        }
    }

    /// A process takes a step.
    fn event(&mut self, process: u32, input: Input, outcome: &Outcome) {
        self.locals[process as usize] = outcome.local;
        for &(port, msg) in &outcome.sends {
            let mut link = self.ground.space.outgoing[process as usize][port as usize];
            if self.ground.closes_over_crashes() {
                let shared = lock(&self.ground.shared);
                let is_down = |process: u32| shared.facts(self.locals[process as usize]).down;
                link = self.ground.space.past(link, is_down);
            }
            let arrival = self.ground.space.link(link).port;
            let stimulus = Stimulus::Deliver { port: arrival, msg };
            let numbered = Numbered { number: self.sent, stimulus, age: 0 };
            self.links[(link - self.ground.space.n) as usize].push(numbered);
            self.sent += 1;
        }
        self.write(process, input, outcome.choices.clone());
    }

    /// Something happens to a process in which it takes no part.
    fn bare(&mut self, process: u32, input: Input) {
        self.write(process, input, Vec::new());
    }

    fn write(&mut self, process: u32, input: Input, choices: Vec<u32>) {
        self.events.push(Event {
            time: self.time,
            process,
            input,
            choices,
            rules: Vec::new(),
            sends: Vec::new(),
            outcome: None,
            impossible: None,
        });
    }
}

/// The stimulus and the age of the message at a place of a link, as the search ordered it.
fn taken_stimulus(
    ground: &Ground<'_>,
    links: &[Vec<Numbered>],
    link: u32,
    place: u32,
) -> Option<(Stimulus, u32)> {
    let waiting = &links[(link - ground.space.n) as usize];
    let mut shared = lock(&ground.shared);
    let mut content = 0;
    for numbered in waiting {
        if let Stimulus::Deliver { port, msg } = numbered.stimulus {
            content = shared.push_aged(content, port, msg, numbered.age);
        }
    }
    let flight = *shared.contents.get(content).get(place as usize)?;
    Some((*shared.stimuli.value(flight.stimulus), flight.age))
}

/// The place of one among all answers to the choices of a step that everybody takes.
struct Leaf(usize);

impl Leaf {
    /// The outcomes of each part, in the order in which the search went through them.
    fn answers(
        &mut self,
        shared: &std::sync::Mutex<Parts>,
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
