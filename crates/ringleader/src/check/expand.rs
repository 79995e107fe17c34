//! From a state to the next ones.

use super::memo::{Memo, Out, flag};
use super::property::{Case, Property, Step, View, Watch};
use super::space::{Common, Parts, Space};
use super::stimulus::Stimulus;
use crate::model::{Counts, Links, Stage};
use std::sync::Mutex;

/// What a search watches, and what it leaves out.
pub(crate) struct Rules<'a> {
    pub(crate) case: Case,
    pub(crate) properties: &'a [&'a dyn Property],
    /// Whether steps may be left out that only change the order of independent ones.
    pub(crate) por: bool,
    /// The rotations of the ring that leave its wiring as it is, without the one by nothing.
    pub(crate) rotations: Vec<u32>,
    pub(crate) watch_bypass: bool,
    pub(crate) watch_order: bool,
    /// Which messages are counted in the state, if any.
    pub(crate) count: Option<Counts>,
    /// Whether crashes are reported to the others.
    pub(crate) detector: bool,
    /// The kinds of tokens, of which one must be left after a loss.
    pub(crate) tokens: &'static [&'static str],
    /// Whether phases are watched.
    pub(crate) phases: bool,
    /// Whether tokens circulate for ever, so that no run ends.
    pub(crate) never_silent: bool,
}

impl Rules<'_> {
    pub(crate) fn watches(&self, what: Watch) -> bool {
        self.properties.iter().any(|property| property.watches() == what)
    }
}

/// What happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Something that a process does of its own accord, or its user.
    Own { process: u32, stimulus: Stimulus },
    /// The message at this place of a link arrives.
    Deliver { link: u32, place: u32 },
    /// A process takes so many messages of each side.
    Batch { process: u32, took: [u32; 2] },
    /// A message is lost.
    Lose { link: u32, place: u32 },
    /// A message is doubled.
    Double { link: u32, place: u32 },
    /// Everybody starts.
    Begin,
    /// All messages on their way arrive.
    Round,
}

impl Action {
    /// Whether it will happen sooner or later: users need not want in, and nothing need fail.
    pub(crate) fn is_due(self) -> bool {
        match self {
            Action::Own { stimulus: Stimulus::Want | Stimulus::Crash(_) | Stimulus::Recover, .. } => false,
            Action::Lose { .. } | Action::Double { .. } => false,
            Action::Own { .. } | Action::Deliver { .. } | Action::Batch { .. } => true,
            Action::Begin | Action::Round => true,
        }
    }

    pub(crate) fn is_want(self) -> bool {
        matches!(self, Action::Own { stimulus: Stimulus::Want, .. })
    }
}

/// One step from a state.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    /// The fingerprint of the state it leads to.
    pub(crate) fingerprint: u64,
    /// The place of its state among those that are expanded together.
    pub(crate) parent: u32,
    changes: (u32, u32),
    pub(crate) messages: u16,
    pub(crate) announcements: u16,
    /// By how much the largest number of phases grows.
    pub(crate) phases: u16,
    /// The ticks that pass before it.
    pub(crate) ticks: u16,
    pub(crate) chance: f64,
    pub(crate) action: Action,
}

/// The steps from some states.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) nexts: Vec<Next>,
    changes: Vec<(u32, u32)>,
    /// Violations: the place among `nexts`, the property, what is wrong.
    pub(crate) violations: Vec<(u32, usize, String)>,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.nexts.clear();
        self.changes.clear();
        self.violations.clear();
    }

    /// Writes the state that a step leads to.
    pub(crate) fn write(&self, next: &Next, parent: &[u32], state: &mut Vec<u32>) {
        let start = state.len();
        state.extend_from_slice(parent);
        for &(position, number) in &self.changes[next.changes.0 as usize..next.changes.1 as usize] {
            state[start + position as usize] = number;
        }
    }

    fn truncate(&mut self, nexts: usize) {
        if let Some(next) = self.nexts.get(nexts) {
            self.changes.truncate(next.changes.0 as usize);
        }
        self.nexts.truncate(nexts);
        self.violations.retain(|violation| (violation.0 as usize) < nexts);
    }
}

/// Expands states. Each thread has its own.
pub(crate) struct Expander<'a> {
    pub(crate) space: &'a Space,
    pub(crate) rules: &'a Rules<'a>,
    memo: Memo<'a>,
    everything: bool,
    stages: bool,
    after: Vec<u32>,
    /// The largest lag with which a process began a phase.
    pub(crate) furthest_lag: u32,
}

/// Where a step starts from.
#[derive(Clone, Copy)]
struct From<'s> {
    parent: u32,
    state: &'s [u32],
    fingerprint: u64,
    ticks: u16,
    /// The state that was expanded, which is another if time has passed.
    root: &'s [u32],
}

impl<'a> Expander<'a> {
    pub(crate) fn new(space: &'a Space, rules: &'a Rules<'a>, shared: &'a Mutex<Parts>) -> Expander<'a> {
        Expander {
            space,
            rules,
            memo: Memo::new(shared),
            everything: rules.watches(Watch::Everything),
            stages: rules.watches(Watch::Stages),
            after: Vec::new(),
            furthest_lag: 0,
        }
    }

    /// Adds every step from a state.
    pub(crate) fn expand(&mut self, parent: u32, state: &[u32], fingerprint: u64, batch: &mut Batch) {
        let from = From { parent, state, fingerprint, ticks: 0, root: state };
        if !self.common(state).begun {
            return self.together(from, Action::Begin, batch);
        }
        if self.space.lock_step {
            return self.together(from, Action::Round, batch);
        }
        if self.rules.por && self.ample(from, batch) {
            return;
        }
        self.steps(from, batch);
        if self.space.max_delay.is_some() {
            let mut now = state.to_vec();
            let mut ticks = 0;
            while self.tick(&mut now) {
                ticks += 1;
                let fingerprint = self.memo.shared().fingerprint(self.space, &now);
                self.steps(From { parent, state: &now, fingerprint, ticks, root: state }, batch);
            }
        }
    }

    fn common(&self, state: &[u32]) -> Common {
        // Most searches have nothing in common but that they have begun: number 0.
        match state[self.space.common()] {
            0 => Common { begun: true, ..Common::default() },
            number => *self.memo.shared().commons.value(number),
        }
    }

    /// Lets a unit of time pass; whether it can, and whether anything waits for it.
    fn tick(&mut self, state: &mut [u32]) -> bool {
        let Some(most) = self.space.max_delay else { return false };
        let n = self.space.n as usize;
        let mut shared = self.memo.shared();
        let waits = state[..n].iter().any(|&local| shared.facts(local).awaits_time);
        if !waits || state[..n].iter().any(|&local| shared.facts(local).is_due) {
            return false;
        }
        for position in n..self.space.common() {
            match shared.contents.later(state[position], most) {
                Some(later) => state[position] = later,
                None => return false,
            }
        }
        drop(shared);
        for process in 0..n {
            let (first, _) = self.memo.step_on(state[process], Stimulus::Tick);
            state[process] = self.memo.out(first).local;
        }
        true
    }

    /// Adds every step, whoever takes it.
    fn steps(&mut self, from: From<'_>, batch: &mut Batch) {
        for process in 0..self.space.n {
            self.steps_of(from, process, batch);
        }
        let common = self.common(from.state);
        if common.crashes + common.recoveries + common.losses + common.duplications > 0 {
            self.faults(from, common, batch);
        }
    }

    /// Adds the steps of one process, faults aside.
    #[inline]
    fn steps_of(&mut self, from: From<'_>, process: u32, batch: &mut Batch) {
        let local = from.state[process as usize];
        let (first, last) = self.memo.menu(local);
        for item in first..last {
            let (stimulus, number) = self.memo.menu_item(item);
            let outs = self.memo.step(local, number);
            self.outs(from, process, outs, &[], Action::Own { process, stimulus }, batch);
        }
        if self.space.kind == Links::HalfDuplex {
            return self.batches_of(from, process, batch);
        }
        for place in 0..self.space.incoming[process as usize].len() {
            let link = self.space.incoming[process as usize][place];
            let content = from.state[link as usize];
            if content == 0 {
                continue;
            }
            let (first, last) = self.memo.takes(content);
            for item in first..last {
                let take = self.memo.take(item);
                let outs = self.memo.step(local, take.stimulus);
                let action = Action::Deliver { link, place: take.place };
                self.outs(from, process, outs, &[(link, take.rest)], action, batch);
            }
        }
    }

    fn batches_of(&mut self, from: From<'_>, process: u32, batch: &mut Batch) {
        let [right, left] = [0, 1].map(|side| self.space.incoming[process as usize][side]);
        let (on_right, on_left) = (from.state[right as usize], from.state[left as usize]);
        if on_right == 0 && on_left == 0 {
            return;
        }
        let (first, last) = self.memo.batch(from.state[process as usize], on_right, on_left);
        for out in first..last {
            let took = self.memo.out(out).took;
            let mut shared = self.memo.shared();
            let rest =
                [(right, shared.contents.after(on_right, took[0])), (left, shared.contents.after(on_left, took[1]))];
            drop(shared);
            let action = Action::Batch { process, took };
            self.outs(from, process, (out, out + 1), &rest, action, batch);
        }
    }

    /// Adds one step for each of these outcomes.
    #[inline]
    fn outs(
        &mut self,
        from: From<'_>,
        process: u32,
        outs: (u32, u32),
        rest: &[(u32, u32)],
        action: Action,
        batch: &mut Batch,
    ) {
        for k in outs.0..outs.1 {
            let out = self.memo.out(k);
            let start = batch.changes.len();
            batch.changes.push((process, out.local));
            batch.changes.extend_from_slice(rest);
            self.carry(from.state, process, &out, start, &mut batch.changes);
            self.finish(from, process, &out, action, start, batch);
        }
    }

    /// Carries out what a step sends.
    #[inline]
    fn carry(&mut self, state: &[u32], process: u32, out: &Out, start: usize, changes: &mut Vec<(u32, u32)>) {
        for k in 0..out.messages() {
            let (port, msg) = self.memo.send(out, k);
            let link = self.space.outgoing[process as usize][port as usize];
            let arrival = self.space.links[(link - self.space.n) as usize].port;
            match changes[start..].iter_mut().find(|change| change.0 == link) {
                Some(change) => change.1 = self.memo.push(change.1, arrival, msg),
                None => changes.push((link, self.memo.push(state[link as usize], arrival, msg))),
            }
        }
    }

    /// Completes a step whose changes are written: what others remember, its fingerprint, what it violates.
    #[inline]
    fn finish(
        &mut self,
        from: From<'_>,
        process: u32,
        out: &Out,
        action: Action,
        start: usize,
        batch: &mut Batch,
    ) {
        let mut phases = 0;
        if out.flags != 0 || self.rules.count.is_some() {
            phases = self.aside(from, process, out, start, batch);
        }
        let next = Next {
            fingerprint: 0,
            parent: from.parent,
            changes: (start as u32, start as u32),
            messages: out.messages() as u16,
            announcements: out.announcements,
            phases,
            ticks: from.ticks,
            chance: out.chance,
            action,
        };
        let watched = flag::VERDICT | flag::STAGE | flag::IMPOSSIBLE;
        if out.flags & watched != 0 || self.everything {
            self.judge(from, process, out, action, start, batch);
        }
        self.add(from, next, start, batch);
    }

    /// Adds a step whose changes from `start` on are relative to where it starts from.
    #[inline]
    fn add(&mut self, from: From<'_>, next: Next, start: usize, batch: &mut Batch) {
        let mut fingerprint = from.fingerprint;
        if from.ticks > 0 || !self.rules.rotations.is_empty() {
            self.after.clear();
            self.after.extend_from_slice(from.state);
            for &(position, number) in &batch.changes[start..] {
                self.after[position as usize] = number;
            }
            fingerprint = self.canonical();
            batch.changes.truncate(start);
            let differs = |&(position, number): &(usize, &u32)| from.root[position] != *number;
            let changed = self.after.iter().enumerate().filter(differs);
            batch.changes.extend(changed.map(|(position, &number)| (position as u32, number)));
        } else {
            let n = self.space.n;
            let common = self.space.common();
            for &(position, number) in &batch.changes[start..] {
                let at = position as usize;
                let before = from.state[at];
                if before == number {
                    continue;
                }
                let (old, new) = if position < n {
                    (self.memo.local_hash(before), self.memo.local_hash(number))
                } else if at < common {
                    (self.memo.content_hash(before), self.memo.content_hash(number))
                } else {
                    let shared = self.memo.shared();
                    (shared.hash(self.space, at, before), shared.hash(self.space, at, number))
                };
                fingerprint = fingerprint
                    .wrapping_sub(self.space.share(at, old))
                    .wrapping_add(self.space.share(at, new));
            }
        }
        let changes = (start as u32, batch.changes.len() as u32);
        batch.nexts.push(Next { fingerprint, changes, ..next });
    }

    /// Turns the state in `after` so that of all its rotations it is the first; its fingerprint.
    fn canonical(&mut self) -> u64 {
        let shared = self.memo.shared();
        if !self.rules.rotations.is_empty() {
            let n = self.space.n as usize;
            let ports = self.space.incoming[0].len();
            let keys: Vec<u64> = (0..n)
                .map(|process| {
                    let mut key = shared.steps.local_hash(self.after[process]);
                    for port in 0..ports {
                        let content = shared.contents.hash(self.after[n + process * ports + port]);
                        key = super::hash::scatter(key.rotate_left(13) ^ content);
                    }
                    key
                })
                .collect();
            let turned = |by: u32| (0..n).map(move |process| (process + by as usize) % n);
            let best = core::iter::once(&0).chain(&self.rules.rotations).copied().min_by(|&a, &b| {
                turned(a).map(|process| keys[process]).cmp(turned(b).map(|process| keys[process]))
            });
            if let Some(by @ 1..) = best {
                self.after[..n].rotate_left(by as usize);
                self.after[n..n + n * ports].rotate_left(by as usize * ports);
            }
        }
        shared.fingerprint(self.space, &self.after)
    }

    /// The state that all rotations of this one are searched as; its fingerprint.
    pub(crate) fn representative(&mut self, state: &mut [u32]) -> u64 {
        self.after.clear();
        self.after.extend_from_slice(state);
        let fingerprint = self.canonical();
        state.copy_from_slice(&self.after);
        fingerprint
    }

    /// What a step changes besides its own process and links: what others and the properties remember. By how much the
    /// largest number of phases grows.
    #[cold]
    fn aside(&mut self, from: From<'_>, process: u32, out: &Out, start: usize, batch: &mut Batch) -> u16 {
        if out.flags & flag::ENTERS != 0 && self.rules.watch_bypass {
            for waiting in (0..self.space.n).filter(|&waiting| waiting != process) {
                let local = from.state[waiting as usize];
                if self.memo.shared().facts(local).stage == Stage::Waiting {
                    let places = (process + self.space.n - waiting) % self.space.n;
                    let (first, _) = self.memo.step_on(local, Stimulus::Bypassed(places));
                    batch.changes.push((waiting, self.memo.out(first).local));
                }
            }
        }
        let mut common = self.common(from.state);
        let unchanged = common;
        if out.flags & flag::ENTERS != 0 && self.rules.watch_order {
            common.served = self.memo.shared().facts(out.local).priority;
        }
        if let (Some(counts), Some(sent)) = (self.rules.count, &mut common.sent) {
            *sent += match counts {
                Counts::All => out.messages(),
                Counts::Election => out.messages() - u32::from(out.announcements),
            };
        }
        if common != unchanged {
            self.set_common(common, start, batch);
        }
        if out.flags & flag::PHASE == 0 || !self.rules.phases {
            return 0;
        }
        self.phases(from.state, process, u32::from(out.begins), start, &mut batch.changes)
    }

    /// A process begins phases: whoever is behind the furthest falls behind further if this one is the furthest.
    fn phases(
        &mut self,
        state: &[u32],
        process: u32,
        begins: u32,
        start: usize,
        changes: &mut Vec<(u32, u32)>,
    ) -> u16 {
        let lag = self.memo.shared().facts(state[process as usize]).lag;
        self.furthest_lag = self.furthest_lag.max(lag);
        let ahead = begins.saturating_sub(lag);
        for _ in 0..ahead {
            for other in (0..self.space.n).filter(|&other| other != process) {
                let place = changes[start..].iter().position(|change| change.0 == other);
                let local = place.map_or(state[other as usize], |place| changes[start + place].1);
                let (first, _) = self.memo.step_on(local, Stimulus::Behind);
                let behind = self.memo.out(first).local;
                match place {
                    Some(place) => changes[start + place].1 = behind,
                    None => changes.push((other, behind)),
                }
            }
        }
        ahead as u16
    }

    fn set_common(&mut self, common: Common, start: usize, batch: &mut Batch) {
        let number = self.memo.shared().commons.number(common);
        let position = self.space.common() as u32;
        match batch.changes[start..].iter_mut().find(|change| change.0 == position) {
            Some(change) => change.1 = number,
            None => batch.changes.push((position, number)),
        }
    }

    /// Asks the properties about a step whose changes are written from `start` on.
    #[cold]
    fn judge(
        &mut self,
        from: From<'_>,
        process: u32,
        out: &Out,
        action: Action,
        start: usize,
        batch: &mut Batch,
    ) {
        self.after.clear();
        self.after.extend_from_slice(from.state);
        for &(position, number) in &batch.changes[start..] {
            self.after[position as usize] = number;
        }
        let mut shared = self.memo.shared();
        let impossible = (out.flags & flag::IMPOSSIBLE != 0)
            .then(|| why_impossible(&mut shared, self.space, from.state, action, out))
            .flatten();
        let view = |state| View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let step = Step { before: view(from.state), after: view(&self.after), process, impossible };
        let place = batch.nexts.len() as u32;
        for (number, property) in self.rules.properties.iter().enumerate() {
            let wrong = property.step(&step).and_then(|()| property.always(&step.after));
            if let Err(detail) = wrong {
                batch.violations.push((place, number, detail));
            }
        }
    }

    /// The steps of one process that stand for all, if there is one: nothing that others do can change what it does
    /// next, and what it does next changes nothing that is watched.
    fn ample(&mut self, from: From<'_>, batch: &mut Batch) -> bool {
        if self.everything {
            return false;
        }
        for process in 0..self.space.n {
            let local = from.state[process as usize];
            let (first, last) = self.memo.menu(local);
            // Starting first is as good as starting later: a start reads nothing that others write.
            if first < last && self.memo.menu_item(first).0 == Stimulus::Start {
                let (stimulus, number) = self.memo.menu_item(first);
                let outs = self.memo.step(local, number);
                self.outs(from, process, outs, &[], Action::Own { process, stimulus }, batch);
                return true;
            }
        }
        if self.space.kind != Links::Fifo {
            return false;
        }
        for process in 0..self.space.n {
            let links = &self.space.incoming[process as usize];
            if links.is_empty() || links.iter().any(|&link| from.state[link as usize] == 0) {
                continue;
            }
            let before = batch.nexts.len();
            self.steps_of(from, process, batch);
            if !self.stages || !self.changes_stages(from, &batch.nexts[before..], batch) {
                return true;
            }
            batch.truncate(before);
        }
        false
    }

    /// Whether one of these steps changes where a user stands.
    fn changes_stages(&self, from: From<'_>, nexts: &[Next], batch: &Batch) -> bool {
        let shared = self.memo.shared();
        let mut state = Vec::new();
        nexts.iter().any(|next| {
            state.clear();
            batch.write(next, from.root, &mut state);
            (0..self.space.n as usize)
                .any(|i| shared.facts(state[i]).stage != shared.facts(from.state[i]).stage)
        })
    }

    /// Everybody starts, or all messages on their way arrive: one step, for every answer to every choice.
    fn together(&mut self, from: From<'_>, action: Action, batch: &mut Batch) {
        let n = self.space.n as usize;
        // What is handed over, in order: a process and the number of a stimulus.
        let mut handed: Vec<(u32, u32)> = Vec::new();
        let mut state = from.state.to_vec();
        let mut common = self.common(&state);
        if action == Action::Begin {
            common.begun = true;
            for process in 0..n as u32 {
                let mut shared = self.memo.shared();
                if shared.facts(state[process as usize]).to_start {
                    handed.push((process, shared.stimulus(Stimulus::Start)));
                }
            }
        } else {
            for process in 0..n {
                for &link in &self.space.incoming[process] {
                    let shared = self.memo.shared();
                    let flights = shared.contents.get(state[link as usize]);
                    handed.extend(flights.iter().map(|flight| (process as u32, flight.stimulus)));
                    drop(shared);
                    state[link as usize] = 0;
                }
            }
            if handed.is_empty() {
                return;
            }
        }
        state[self.space.common()] = self.memo.shared().commons.number(common);
        let whole = Whole { chance: 1.0, messages: 0, announcements: 0, phases: 0, flags: 0 };
        self.hand_over(from, action, &handed, state, whole, batch);
    }

    fn hand_over(
        &mut self,
        from: From<'_>,
        action: Action,
        handed: &[(u32, u32)],
        state: Vec<u32>,
        whole: Whole,
        batch: &mut Batch,
    ) {
        let Some((&(process, stimulus), rest)) = handed.split_first() else {
            let start = batch.changes.len();
            let mut state = state;
            if let Some(counts) = self.rules.count {
                let mut common = self.common(&state);
                let counted = match counts {
                    Counts::All => whole.messages,
                    Counts::Election => whole.messages - whole.announcements,
                };
                common.sent = common.sent.map(|sent| sent + u32::from(counted));
                state[self.space.common()] = self.memo.shared().commons.number(common);
            }
            batch.changes.extend(state.iter().enumerate().map(|(position, &number)| (position as u32, number)));
            if whole.flags != 0 || self.everything {
                self.judge_together(from, &state, whole.flags, batch);
            }
            let next = Next {
                fingerprint: 0,
                parent: from.parent,
                changes: (0, 0),
                messages: whole.messages,
                announcements: whole.announcements,
                phases: whole.phases,
                ticks: 0,
                chance: whole.chance,
                action,
            };
            return self.add(from, next, start, batch);
        };
        let (first, last) = self.memo.step(state[process as usize], stimulus);
        for k in first..last {
            let out = self.memo.out(k);
            let mut changes = vec![(process, out.local)];
            self.carry(&state, process, &out, 0, &mut changes);
            let mut ahead = 0;
            if out.flags & flag::PHASE != 0 && self.rules.phases {
                ahead = self.phases(&state, process, u32::from(out.begins), 0, &mut changes);
            }
            let mut after = state.clone();
            for (position, number) in changes {
                after[position as usize] = number;
            }
            let whole = Whole {
                chance: whole.chance * out.chance,
                messages: whole.messages + out.messages() as u16,
                announcements: whole.announcements + out.announcements,
                phases: whole.phases + ahead,
                flags: whole.flags | out.flags & !flag::PHASE,
            };
            self.hand_over(from, action, rest, after, whole, batch);
        }
    }

    /// Asks the properties about a step that everybody took.
    fn judge_together(&self, from: From<'_>, after: &[u32], flags: u8, batch: &mut Batch) {
        let shared = self.memo.shared();
        let view = |state| View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let impossible = (flags & flag::IMPOSSIBLE != 0).then_some("one of these steps");
        let place = batch.nexts.len() as u32;
        for (number, property) in self.rules.properties.iter().enumerate() {
            let mut wrong = property.always(&view(after));
            for process in 0..self.space.n {
                let step = Step { before: view(from.state), after: view(after), process, impossible };
                wrong = wrong.and_then(|()| property.step(&step));
            }
            if let Err(detail) = wrong {
                batch.violations.push((place, number, detail));
            }
        }
    }

    /// What may fail.
    fn faults(&mut self, from: From<'_>, common: Common, batch: &mut Batch) {
        for process in 0..self.space.n {
            let local = from.state[process as usize];
            let shared = self.memo.shared();
            let (down, to_start) = (shared.facts(local).down, shared.facts(local).to_start);
            drop(shared);
            // Whoever is yet to start could as well not be an initiator.
            if common.crashes > 0 && !down && !to_start {
                let left = Common { crashes: common.crashes - 1, faulty: true, ..common };
                self.fault(from, process, Stimulus::Crash(process), left, batch);
            }
            if common.recoveries > 0 && down {
                let left = Common { recoveries: common.recoveries - 1, faulty: true, ..common };
                self.fault(from, process, Stimulus::Recover, left, batch);
            }
        }
        for link in self.space.n..self.space.common() as u32 {
            let content = from.state[link as usize];
            let places = if content == 0 { Vec::new() } else { self.memo.shared().contents.distinct(content) };
            for place in places {
                if common.losses > 0 && self.may_lose(from.state, link, place) {
                    let left = Common { losses: common.losses - 1, faulty: true, ..common };
                    let after = self.memo.shared().contents.without(content, place);
                    let action = Action::Lose { link, place: place as u32 };
                    self.damage(from, link, after, action, left, batch);
                }
                if common.duplications > 0 {
                    let left = Common { duplications: common.duplications - 1, faulty: true, ..common };
                    let after = self.memo.shared().contents.doubled(content, place);
                    let action = Action::Double { link, place: place as u32 };
                    self.damage(from, link, after, action, left, batch);
                }
            }
        }
    }

    /// Whether a token is left if this message is lost; where there are no tokens anything may be lost.
    fn may_lose(&self, state: &[u32], link: u32, place: usize) -> bool {
        let shared = self.memo.shared();
        let lost = shared.kind(shared.contents.get(state[link as usize])[place].stimulus);
        let alive: usize = self.rules.tokens.iter().map(|kind| shared.tokens(self.space, state, kind)).sum();
        !self.rules.tokens.iter().any(|&kind| Some(kind) == lost) || alive > 1
    }

    /// A message is lost or doubled.
    fn damage(
        &mut self,
        from: From<'_>,
        link: u32,
        content: u32,
        action: Action,
        left: Common,
        batch: &mut Batch,
    ) {
        let start = batch.changes.len();
        batch.changes.push((link, content));
        self.set_common(left, start, batch);
        self.add(from, silent(from, action), start, batch);
    }

    /// A process stops or comes back, and others hear of it.
    fn fault(&mut self, from: From<'_>, process: u32, what: Stimulus, left: Common, batch: &mut Batch) {
        let (first, last) = self.memo.step_on(from.state[process as usize], what);
        for k in first..last {
            let out = self.memo.out(k);
            let start = batch.changes.len();
            batch.changes.push((process, out.local));
            self.carry(from.state, process, &out, start, &mut batch.changes);
            self.set_common(left, start, batch);
            if self.rules.detector {
                for other in (0..self.space.n).filter(|&other| other != process) {
                    let local = from.state[other as usize];
                    let down = self.memo.shared().facts(local).down;
                    if down && what == Stimulus::Recover {
                        let mine = batch.changes[start].1;
                        let (first, _) = self.memo.step_on(mine, Stimulus::Alarm(other));
                        batch.changes[start].1 = self.memo.out(first).local;
                    } else if !down {
                        let news = match what {
                            Stimulus::Recover => Stimulus::Calm(process),
                            _ => Stimulus::Alarm(process),
                        };
                        let (first, _) = self.memo.step_on(local, news);
                        batch.changes.push((other, self.memo.out(first).local));
                    }
                }
            }
            let next = Next {
                messages: out.messages() as u16,
                announcements: out.announcements,
                chance: out.chance,
                ..silent(from, Action::Own { process, stimulus: what })
            };
            self.add(from, next, start, batch);
        }
    }

    /// Whether this state violates what must hold when nothing more happens.
    pub(crate) fn judge_end(&self, state: &[u32]) -> Option<(usize, String)> {
        let shared = self.memo.shared();
        let view = View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let wrong = self.rules.properties.iter().enumerate();
        wrong.filter_map(|(number, property)| Some((number, property.finally(&view).err()?))).next()
    }

    /// Whether the first state violates what must always hold.
    pub(crate) fn judge_first(&self, state: &[u32]) -> Option<(usize, String)> {
        let shared = self.memo.shared();
        let view = View { case: &self.rules.case, space: self.space, parts: &shared, state };
        let wrong = self.rules.properties.iter().enumerate();
        wrong.filter_map(|(number, property)| Some((number, property.always(&view).err()?))).next()
    }

    /// Whether all users are served and want nothing more.
    pub(crate) fn all_served(&self, state: &[u32]) -> bool {
        let shared = self.memo.shared();
        state[..self.space.n as usize].iter().all(|&local| {
            let facts = shared.facts(local);
            facts.stage == Stage::Idle && facts.to_want == 0
        })
    }

    pub(crate) fn shared(&self) -> std::sync::MutexGuard<'a, Parts> {
        self.memo.shared()
    }
}

/// What the parts of a step of everybody add up to.
#[derive(Clone, Copy)]
struct Whole {
    chance: f64,
    messages: u16,
    announcements: u16,
    phases: u16,
    flags: u8,
}

/// A step in which no process sends anything.
fn silent(from: From<'_>, action: Action) -> Next {
    Next {
        fingerprint: 0,
        parent: from.parent,
        changes: (0, 0),
        messages: 0,
        announcements: 0,
        phases: 0,
        ticks: from.ticks,
        chance: 1.0,
        action,
    }
}

/// Takes a step again to hear which case the proof excludes.
fn why_impossible(
    shared: &mut Parts,
    space: &Space,
    state: &[u32],
    action: Action,
    out: &Out,
) -> Option<&'static str> {
    let outcomes = match action {
        Action::Own { process, stimulus } => shared.steps.outcomes(state[process as usize], stimulus),
        Action::Deliver { link, place } => {
            let stimulus = shared.contents.get(state[link as usize])[place as usize].stimulus;
            let stimulus = *shared.stimuli.value(stimulus);
            shared.steps.outcomes(state[space.link(link).to as usize], stimulus)
        }
        Action::Batch { process, .. } => {
            let waiting = [0, 1].map(|side| -> Vec<Stimulus> {
                let link = space.incoming[process as usize][side];
                let flights = shared.contents.get(state[link as usize]).iter();
                flights.map(|flight| *shared.stimuli.value(flight.stimulus)).collect()
            });
            shared.steps.batches(state[process as usize], [&waiting[0], &waiting[1]])
        }
        Action::Lose { .. } | Action::Double { .. } | Action::Begin | Action::Round => Vec::new(),
    };
    outcomes.into_iter().find(|outcome| outcome.local == out.local).and_then(|outcome| outcome.impossible)
}
