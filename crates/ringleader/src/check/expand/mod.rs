//! From a state to the next ones.

mod faults;
mod judge;
mod reduce;
mod registers;
mod together;

use super::batch::{Batch, Detail};
use super::ground::{Ground, How};
use super::memo::{Memo, Out, flag};
use super::property::{View, Watch};
use super::space::{Common, Parts, Space};
use super::stimulus::{Action, Stimulus};
use super::system::Steps;
use crate::model::{Counts, Links, Order, Stage};

/// Expands the states of a network. Each thread has its own.
pub(crate) struct Expander<'a> {
    ground: &'a Ground<'a>,
    space: &'a Space,
    how: How,
    memo: Memo<'a>,
    /// The rotations of the ring that leave its wiring as it is, without the one by nothing; none if states are not
    /// turned.
    rotations: Vec<u32>,
    /// Whether rounds are counted from the oldest that matters.
    rebases: bool,
    /// Whether the ring is closed over those who crash.
    closes: bool,
    /// Whether processes share registers.
    shares: bool,
    /// Whether the details of steps are wanted.
    details: bool,
    /// Whether a property looks at everything, and whether one looks at where users stand.
    everything: bool,
    stages: bool,
    /// Whether a step that changes neither verdict nor stage matters too.
    plain_steps_matter: bool,
    /// Whether states are turned, or their rounds counted anew.
    whole: bool,
    /// Whether a step is nothing but its changes, unless it changes a verdict or a stage.
    plain: bool,
    after: Vec<u32>,
    /// The largest lag with which a process began a phase.
    furthest_lag: u32,
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
    pub(crate) fn new(ground: &'a Ground<'a>, how: How) -> Expander<'a> {
        let watches = |what| ground.properties.iter().any(|property| property.watches() == what);
        let everything = watches(Watch::Everything);
        let rotations = if how.turn { ground.rotations() } else { Vec::new() };
        let memo = Memo::new(&ground.shared, ground.space.links.len());
        let rebases = memo.shared().locals.rounds_grow();
        let whole = rebases || !rotations.is_empty();
        let details = how.details || how.phases || ground.is_randomised();
        let plain_steps_matter = everything || how.count.is_some();
        Expander {
            ground,
            space: &ground.space,
            how,
            memo,
            rotations,
            rebases,
            closes: ground.closes_over_crashes(),
            shares: ground.has_registers(),
            details,
            everything,
            stages: watches(Watch::Stages),
            plain_steps_matter,
            whole,
            plain: !plain_steps_matter && !whole && !details,
            after: Vec::new(),
            furthest_lag: 0,
        }
    }

    /// What properties see of a state.
    fn view<'v>(&'v self, parts: &'v Parts, state: &'v [u32]) -> View<'v> {
        View { setup: &self.ground.setup, space: self.space, parts, state }
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
        let travels =
            self.space.has_clocks && state[n..self.space.common()].iter().any(|&content| content != 0);
        let waits = travels || state[..n].iter().any(|&local| shared.facts(local).awaits_time);
        if !waits || state[..n].iter().any(|&local| shared.facts(local).is_due) {
            return false;
        }
        for content in &mut state[n..self.space.common()] {
            match shared.contents.later(*content, most) {
                Some(later) => *content = later,
                None => return false,
            }
        }
        drop(shared);
        for local in &mut state[..n] {
            *local = self.memo.noted(*local, Stimulus::Tick);
        }
        true
    }

    /// Adds every step, whoever takes it.
    fn steps(&mut self, from: From<'_>, batch: &mut Batch) {
        for process in 0..self.space.n {
            self.steps_of(from, process, batch);
        }
        self.faults(from, batch);
    }

    /// Adds the steps of one process, faults aside.
    #[inline]
    fn steps_of(&mut self, from: From<'_>, process: u32, batch: &mut Batch) {
        if self.shares {
            return self.accesses_of(from, process, batch);
        }
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
            let (first, last) = self.memo.deliveries(self.space, link, local, content);
            for k in first..last {
                self.deliver(from, process, link, k, batch);
            }
        }
    }

    /// Adds the delivery with this number in the tables.
    #[inline]
    fn deliver(&mut self, from: From<'_>, process: u32, link: u32, k: u32, batch: &mut Batch) {
        let taken = self.memo.delivery(k);
        let start = batch.changes.len();
        batch.changes.push((process, taken.local));
        batch.changes.push((link, taken.rest));
        let mut fingerprint = from.fingerprint.wrapping_add(taken.delta);
        for k in taken.sent.0..taken.sent.1 {
            let (to, stimulus) = self.memo.sent(k);
            let to = if self.closes { self.past(from.state, to) } else { to };
            let carried = batch.changes[start + 1..].iter().rfind(|change| change.0 == to);
            let content = carried.map_or(from.state[to as usize], |change| change.1);
            let pushed = self.memo.push(self.space, to, content, stimulus);
            batch.changes.push((to, pushed.content));
            fingerprint = fingerprint.wrapping_add(pushed.delta);
        }
        if taken.flags == 0 && self.plain && from.ticks == 0 {
            let messages = (taken.sent.1 - taken.sent.0) as u16;
            batch.push(from.parent, start, fingerprint, messages, taken.announcements, taken.first);
            batch.is_due = true;
            return;
        }
        let action = Action::Deliver { link, place: taken.place };
        let out = self.memo.out(taken.out);
        self.finish(from, process, &out, detail(action, &out, taken.first), start, batch);
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
            let rest = [
                (right, shared.contents.after(on_right, took[0])),
                (left, shared.contents.after(on_left, took[1])),
            ];
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
            self.finish(from, process, &out, detail(action, &out, k == outs.0), start, batch);
        }
    }

    /// Carries out what a step sends.
    fn carry(&mut self, state: &[u32], process: u32, out: &Out, start: usize, changes: &mut Vec<(u32, u32)>) {
        for k in 0..out.messages() {
            let (port, msg) = self.memo.send(out, k);
            let link = self.space.outgoing[process as usize][port as usize];
            let link = if self.closes { self.past(state, link) } else { link };
            let stimulus = self.memo.arrival(self.space, link, msg);
            let carried = changes[start..].iter().rfind(|change| change.0 == link);
            let content = carried.map_or(state[link as usize], |change| change.1);
            changes.push((link, self.memo.push(self.space, link, content, stimulus).content));
        }
    }

    /// The link past those who are down.
    #[cold]
    fn past(&self, state: &[u32], link: u32) -> u32 {
        let shared = self.memo.shared();
        self.space.past(link, |process| shared.facts(state[process as usize]).down)
    }

    /// Completes a step whose changes are written: what others remember, what it violates.
    fn finish(
        &mut self,
        from: From<'_>,
        process: u32,
        out: &Out,
        mut detail: Detail,
        start: usize,
        batch: &mut Batch,
    ) {
        if out.flags != 0 || self.plain_steps_matter {
            detail.phases = self.aside(from, process, out, start, batch);
            if out.flags & flag::WATCHED != 0 || self.everything {
                self.judge(from, process, out, detail.action, start, batch);
            }
        }
        self.add(from, &detail, start, batch);
    }

    /// Adds a step whose changes from `start` on are relative to where it starts from.
    #[inline]
    fn add(&mut self, from: From<'_>, detail: &Detail, start: usize, batch: &mut Batch) {
        let fingerprint = if self.whole || from.ticks > 0 {
            self.fingerprint_of_whole(from, start, batch)
        } else {
            self.fingerprint_of_changes(from, &batch.changes[start..])
        };
        if self.details {
            batch.details.push(Detail { ticks: from.ticks, ..*detail });
        }
        batch.is_due |= detail.action.is_due();
        batch.may_want |= detail.action.is_want();
        batch.push(from.parent, start, fingerprint, detail.messages, detail.announcements, detail.first);
    }

    /// The fingerprint after these changes: only what changes is taken out and put in. A later change of the same part
    /// goes on from the earlier one.
    fn fingerprint_of_changes(&mut self, from: From<'_>, changes: &[(u32, u32)]) -> u64 {
        let mut fingerprint = from.fingerprint;
        for (k, &(position, number)) in changes.iter().enumerate() {
            let earlier = changes[..k].iter().rfind(|change| change.0 == position);
            let before = earlier.map_or(from.state[position as usize], |change| change.1);
            if before != number {
                let delta = self.memo.delta(self.space, position, before, number);
                fingerprint = fingerprint.wrapping_add(delta);
            }
        }
        fingerprint
    }

    /// The fingerprint after these changes where more than they say may change: time has passed, or the ring is turned.
    /// The changes are written anew, relative to the state that is expanded.
    fn fingerprint_of_whole(&mut self, from: From<'_>, start: usize, batch: &mut Batch) -> u64 {
        self.write_after(from, &batch.changes[start..]);
        let fingerprint = self.canonical();
        batch.changes.truncate(start);
        let changed = self.after.iter().zip(from.root).enumerate().filter(|(_, (after, root))| after != root);
        batch.changes.extend(changed.map(|(position, (&after, _))| (position as u32, after)));
        fingerprint
    }

    /// Writes the state after these changes.
    fn write_after(&mut self, from: From<'_>, changes: &[(u32, u32)]) {
        self.after.clear();
        self.after.extend_from_slice(from.state);
        for &(position, number) in changes {
            self.after[position as usize] = number;
        }
    }

    /// What a step changes besides its own process and links: what others and the properties remember. By how much the
    /// largest number of phases grows.
    #[cold]
    fn aside(&mut self, from: From<'_>, process: u32, out: &Out, start: usize, batch: &mut Batch) -> u16 {
        if out.flags & flag::ENTERS != 0 && self.ground.order() == Some(Order::Ring) {
            for waiting in (0..self.space.n).filter(|&waiting| waiting != process) {
                let local = from.state[waiting as usize];
                if self.memo.shared().facts(local).stage == Stage::Waiting {
                    let places = (process + self.space.n - waiting) % self.space.n;
                    batch.changes.push((waiting, self.memo.noted(local, Stimulus::Bypassed(places))));
                }
            }
        }
        if self.ground.order() == Some(Order::Doorway) {
            self.doorway(from, process, out, start, batch);
        }
        let mut common = self.common(from.state);
        let unchanged = common;
        if out.flags & flag::WRITES != 0 {
            common.memory = out.memory;
        }
        if out.flags & flag::ENTERS != 0 && self.ground.order() == Some(Order::Priority) {
            common.served = self.memo.shared().facts(out.local).priority;
        }
        if let Some(sent) = &mut common.sent {
            *sent += self.counted(out.messages() as u16, out.announcements);
        }
        if common != unchanged {
            self.set_common(common, start, batch);
        }
        if out.flags & flag::PHASE == 0 || !self.how.phases {
            return 0;
        }
        self.phases(from.state, process, u32::from(out.begins), start, &mut batch.changes)
    }

    /// How many of these messages count, where messages are counted in the state.
    fn counted(&self, messages: u16, announcements: u16) -> u32 {
        u32::from(match self.how.count {
            Some(Counts::All) => messages,
            Some(Counts::Election) => messages - announcements,
            None => 0,
        })
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
                let behind = self.memo.noted(local, Stimulus::Behind);
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
}

impl Steps for Expander<'_> {
    fn representative(&mut self, state: &mut [u32]) -> u64 {
        self.after.clear();
        self.after.extend_from_slice(state);
        let fingerprint = self.canonical();
        state.copy_from_slice(&self.after);
        fingerprint
    }

    fn expand(&mut self, parent: u32, state: &[u32], fingerprint: u64, batch: &mut Batch) {
        let from = From { parent, state, fingerprint, ticks: 0, root: state };
        (batch.is_due, batch.may_want) = (false, false);
        if !self.common(state).begun {
            return self.together(from, Action::Begin, batch);
        }
        if self.space.lock_step {
            self.together(from, Action::Round, batch);
            return self.faults(from, batch);
        }
        if self.how.por && self.ample(from, batch) {
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

    fn judge_first(&self, state: &[u32]) -> Option<(usize, String)> {
        self.wrong(state, |property, view| property.always(view))
    }

    fn judge_end(&self, state: &[u32]) -> Option<(usize, String)> {
        self.wrong(state, |property, view| property.finally(view))
    }

    /// Where tokens circulate for ever: whether all users are served and want nothing more.
    fn is_served(&self, state: &[u32]) -> bool {
        if !self.ground.never_silent() {
            return false;
        }
        let shared = self.memo.shared();
        state[..self.space.n as usize].iter().all(|&local| {
            let facts = shared.facts(local);
            facts.stage == Stage::Idle && facts.to_want == 0
        })
    }

    fn furthest_lag(&self) -> u32 {
        self.furthest_lag
    }
}

/// A step with this outcome.
#[inline]
fn detail(action: Action, out: &Out, first: bool) -> Detail {
    let Out { announcements, chance, .. } = *out;
    Detail { messages: out.messages() as u16, announcements, chance, first, ..Detail::silent(action) }
}
