//! Watching mutual exclusion: who wants in and when, who is inside, and how long it took.

use super::problem::{End, Problem, Seen, UserInput, outcome};
use super::report::{Details, ExclusionDetails, Property, Spread};
use super::{Entries, Load, Report, RunOutcome, Scenario};
use crate::model::{Charge, Order, Promises, Stage};
use crate::population::{Letter, Nature, Population, Sent, Status};
use crate::rng::{Purpose, Rng};
use crate::scenario::Setup;
use crate::trace::Outcome;

/// How many entries are listed by name in a report.
const LISTED: usize = 10_000;

/// The users, and what was seen of them.
pub(crate) struct Users {
    plan: Plan,
    /// Requests that are on the agenda, or wait for a busy process.
    pending: u64,
    /// Inputs that follow from what was just seen.
    due: Vec<(u64, u32, UserInput)>,
    hold: u64,
    think: u64,
    falls_silent: bool,
    /// Nobody will ask any more of its own accord.
    is_left_alone: bool,
    order: Order,
    ticks_per_unit: u64,
    /// Per process: when it asked, and how many entries there had been.
    asked: Vec<Asked>,
    /// Per process: the messages that serve its latest request, if each serves one.
    charged: Vec<u64>,
    waiting: u64,
    inside: u32,
    inside_max: u32,
    entries: u64,
    requests: u64,
    entry_order: Vec<u32>,
    waits: Tally,
    delays: Tally,
    charges: Option<Tally>,
    bypass_max: u64,
    last_exit: Option<u64>,
    last_priority: Option<(u64, u32)>,
    out_of_order: Option<(u32, u64)>,
    two_inside: Option<(u32, u64)>,
    tokens: Tokens,
}

/// Who wants in next.
enum Plan {
    /// So many requests each are yet to come.
    Counted { left: Vec<u32> },
    /// The script is all there is; what comes while a process is busy waits for it.
    Scripted { backlog: Vec<u32> },
    /// Everybody always wants in, for so many requests more.
    Saturated { left: u64 },
    /// One at a time, so many more.
    Light { left: u64, rng: Rng, n: u32 },
    /// Requests come at random, so many more; a busy process has a backlog.
    Open { left: u64, rng: Rng, n: u32, mean_ticks: u64, backlog: Vec<u32> },
}

#[derive(Clone, Default)]
struct Asked {
    /// Whether it ever did.
    ever: bool,
    at: u64,
    entries_before: u64,
    /// How often it entered.
    entered: u64,
    /// Requests that are to come, and on the agenda.
    pending: u32,
}

impl Users {
    /// Of this algorithm.
    pub(crate) fn new(nature: &Nature, scenario: &Scenario, setup: &Setup, ticks_per_unit: u64) -> Users {
        let n = setup.n as usize;
        let workload = &scenario.workload;
        let (order, falls_silent) = match nature.spec.promises {
            Promises::Exclusion { order, falls_silent } => (order, falls_silent),
            Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => {
                (Order::Fair, true)
            }
        };
        let rng = Rng::new(scenario.seed, Purpose::Workload);
        let total = workload.total.unwrap_or(u64::from(setup.n) * 10);
        let mut due = Vec::new();
        let everybody = |due: &mut Vec<_>, wants: &dyn Fn(usize) -> bool| {
            due.extend((0..n).filter(|&i| wants(i)).map(|i| (0, i as u32, UserInput::Want)));
        };
        let plan = match workload.load {
            _ if !workload.wants.is_empty() => {
                due.extend(workload.wants.iter().map(|&(at, who)| (at, who, UserInput::Want)));
                Plan::Scripted { backlog: vec![0; n] }
            }
            None => {
                let mut left = match &workload.entries {
                    Entries::Each(entries) => vec![*entries; n],
                    Entries::Listed(listed) => listed.clone(),
                    Entries::Forever => vec![u32::MAX; n],
                };
                everybody(&mut due, &|i| left[i] > 0);
                left.iter_mut().for_each(|left| *left = left.saturating_sub(1));
                Plan::Counted { left }
            }
            Some(Load::Saturated) => {
                everybody(&mut due, &|i| (i as u64) < total);
                Plan::Saturated { left: total.saturating_sub(n as u64) }
            }
            Some(Load::Light) => Plan::Light { left: total, rng, n: setup.n },
            Some(Load::Open(rate)) => {
                let mean_ticks = ((ticks_per_unit as f64 / rate) as u64).max(1);
                Plan::Open { left: total, rng, n: setup.n, mean_ticks, backlog: vec![0; n] }
            }
        };
        let mut asked = vec![Asked::default(); n];
        for &(_, who, _) in &due {
            asked[who as usize].pending += 1;
        }
        Users {
            plan,
            pending: due.len() as u64,
            due,
            hold: workload.hold,
            think: workload.think,
            falls_silent,
            is_left_alone: false,
            order,
            ticks_per_unit,
            asked,
            charged: vec![0; n],
            waiting: 0,
            inside: 0,
            inside_max: 0,
            entries: 0,
            requests: 0,
            entry_order: Vec::new(),
            waits: Tally::default(),
            delays: Tally::default(),
            charges: Some(Tally::default()),
            bypass_max: 0,
            last_exit: None,
            last_priority: None,
            out_of_order: None,
            two_inside: None,
            tokens: Tokens::of(nature.tokens, nature.kinds),
        }
    }

    /// A user came back from the critical section: it may want in again.
    fn idle_again(&mut self, index: u32) {
        let who = index as usize;
        let (again, is_new) = match &mut self.plan {
            Plan::Counted { left } => (take_one(&mut left[who]), true),
            Plan::Saturated { left } => (take_one(left), true),
            Plan::Light { .. } => (false, false),
            Plan::Scripted { backlog } | Plan::Open { backlog, .. } => (take_one(&mut backlog[who]), false),
        };
        if again {
            self.asked[who].pending += u32::from(is_new);
            self.pending += u64::from(is_new);
            self.due.push((self.think, index, UserInput::Want));
        }
    }

    /// A process asks anew: what was charged for the request before is final.
    fn finish_charge(&mut self, index: u32) {
        let Some(tally) = &mut self.charges else { return };
        let charged = core::mem::take(&mut self.charged[index as usize]);
        if self.asked[index as usize].ever {
            tally.add(charged);
        }
    }

    /// Whether no request is to come.
    fn plan_is_done(&self) -> bool {
        self.pending == 0
            && match &self.plan {
                Plan::Counted { left } => left.iter().all(|&left| left == 0),
                Plan::Saturated { left } | Plan::Light { left, .. } | Plan::Open { left, .. } => *left == 0,
                Plan::Scripted { .. } => true,
            }
    }
}

/// Takes one off, if there is one.
fn take_one<N: Copy + PartialOrd + From<u8> + core::ops::SubAssign>(count: &mut N) -> bool {
    let some = *count > N::from(0);
    if some {
        *count -= N::from(1);
    }
    some
}

impl Problem for Users {
    const ALL_START: bool = true;

    fn born(&mut self, status: Status) {
        self.tokens.moved(0, status.tokens());
    }

    fn after(&mut self, step: &Seen<'_>) -> Option<Outcome> {
        if step.before == step.after {
            return None;
        }
        let (index, now) = (step.index, step.now);
        self.tokens.moved(step.before.tokens(), step.after.tokens());
        let (before, after) = (step.before.stage(), step.after.stage());
        if before == after {
            return None;
        }
        if before == Stage::Idle {
            self.finish_charge(index);
            let asked = &mut self.asked[index as usize];
            let due = asked.pending.min(1);
            (asked.ever, asked.at, asked.entries_before) = (true, now, self.entries);
            asked.pending -= due;
            self.pending -= u64::from(due);
            self.waiting += 1;
            self.requests += 1;
        }
        match after {
            Stage::Waiting => Some(Outcome::Waits),
            Stage::Inside => {
                self.enter(index, now, step.population.priority(index));
                self.due.push((self.hold, index, UserInput::Exit));
                Some(Outcome::Enters)
            }
            Stage::Idle => {
                self.inside = self.inside.saturating_sub(1);
                self.last_exit = (self.waiting > 0).then_some(now);
                self.idle_again(index);
                Some(Outcome::Leaves)
            }
        }
    }

    fn crashed(&mut self, index: u32, status: Status) {
        match status.stage() {
            Stage::Idle => {}
            Stage::Waiting => self.waiting -= 1,
            Stage::Inside => self.inside -= 1,
        }
        // What it was to ask for it will not.
        self.pending -= u64::from(core::mem::take(&mut self.asked[index as usize].pending));
        self.tokens.moved(status.tokens(), 0);
        if let Plan::Counted { left } = &mut self.plan {
            left[index as usize] = 0;
        }
    }

    #[inline]
    fn sent(&mut self, sends: &[Sent], letters: &[Letter], charge: Charge) {
        match charge {
            Charge::Sender => {
                for own in sends.chunk_by(|a, b| a.from == b.from) {
                    self.charged[own[0].from as usize] += own.len() as u64;
                }
            }
            Charge::Receiver => {
                for letter in letters {
                    self.charged[letter.to as usize] += 1;
                }
            }
            Charge::Process(index) => self.charged[index as usize] += letters.len() as u64,
            Charge::Nobody if self.charges.is_some() => self.charges = None,
            Charge::Nobody => {}
        }
    }

    #[inline]
    fn travels(&mut self, kind: u32, more: i64) {
        self.tokens.travels(kind, more);
    }

    fn tokens(&self) -> Option<u64> {
        self.tokens.any().then(|| self.tokens.kinds())
    }

    fn may(status: Status, input: UserInput) -> bool {
        match input {
            UserInput::Want => status.stage() == Stage::Idle,
            UserInput::Exit => status.stage() == Stage::Inside,
        }
    }

    #[inline]
    fn has_inputs(&self) -> bool {
        !self.due.is_empty()
    }

    fn next_inputs(&mut self, into: &mut Vec<(u64, u32, UserInput)>) {
        into.append(&mut self.due);
    }

    fn on_quiet(&mut self) -> Option<u32> {
        let Plan::Light { left, rng, n } = &mut self.plan else { return None };
        take_one(left).then(|| {
            let who = rng.below(u64::from(*n)) as u32;
            self.asked[who as usize].pending += 1;
            self.pending += 1;
            who
        })
    }

    fn is_idle(&self) -> bool {
        let light = matches!(self.plan, Plan::Light { left, .. } if left > 0);
        !self.falls_silent && light && self.pending == 0 && self.waiting == 0 && self.inside == 0
    }

    fn next_arrival(&mut self) -> Option<(u64, u32)> {
        let Plan::Open { left, rng, n, mean_ticks, .. } = &mut self.plan else { return None };
        take_one(left).then(|| {
            let (after, who) = (rng.exponential(*mean_ticks).max(1), rng.below(u64::from(*n)) as u32);
            self.asked[who as usize].pending += 1;
            self.pending += 1;
            (after, who)
        })
    }

    fn may_never_end(&self) -> bool {
        !self.falls_silent && self.plan_is_done()
    }

    /// A request that comes while its process is busy waits for it.
    fn busy(&mut self, index: u32) {
        match &mut self.plan {
            Plan::Scripted { backlog } | Plan::Open { backlog, .. } => backlog[index as usize] += 1,
            Plan::Counted { .. } | Plan::Saturated { .. } | Plan::Light { .. } => {}
        }
    }

    fn missed(&mut self, index: u32) {
        let asked = &mut self.asked[index as usize];
        let due = asked.pending.min(1);
        asked.pending -= due;
        self.pending -= u64::from(due);
    }

    fn is_finished(&self) -> bool {
        // Asked after every step: what takes long to say comes last, when nobody waits.
        !self.falls_silent
            && self.waiting == 0
            && self.inside == 0
            && (self.entries > 0 || self.is_left_alone)
            && self.plan_is_done()
    }

    fn nobody_else_asks(&mut self) {
        self.plan = Plan::Scripted { backlog: vec![0; self.asked.len()] };
        self.asked.iter_mut().for_each(|asked| asked.pending = 0);
        self.due.clear();
        self.pending = 0;
        self.is_left_alone = true;
    }

    fn entries(&self) -> u64 {
        self.entries
    }

    fn conclude(&self, population: &dyn Population, end: &End<'_>, report: &mut Report) {
        let waits = |i: u32| population.status(i).stage() == Stage::Waiting;
        self.sum_up(&waits, end, report);
    }
}

impl Users {
    /// What is reported, when those wait of which this is true.
    fn sum_up(&self, waits: &dyn Fn(u32) -> bool, end: &End<'_>, report: &mut Report) {
        let mut charges = self.charges.clone();
        if let Some(tally) = &mut charges {
            for (asked, &charged) in self.asked.iter().zip(&self.charged) {
                if asked.ever {
                    tally.add(charged);
                }
            }
        }
        let mut properties = vec![
            Property {
                name: "never two inside",
                holds: self.two_inside.is_none(),
                detail: self.two_inside.map(|(who, now)| {
                    format!("process {who} entered at time {} while another was inside", self.shown(now))
                }),
            },
            end.possible(),
        ];
        if self.tokens.any() {
            properties.push(Property {
                name: "never two tokens of a kind",
                holds: self.tokens.doubled.is_none(),
                detail: self.tokens.doubled.map(|kind| format!("two of {kind}")),
            });
        }
        if self.order == Order::Priority {
            properties.push(Property {
                name: "served in the order of (time stamp, name)",
                holds: self.out_of_order.is_none(),
                detail: self.out_of_order.map(|(who, now)| {
                    format!("process {who} entered out of turn at time {}", self.shown(now))
                }),
            });
        }
        if end.complete {
            let stuck = (0..end.setup.n).find(|&i| !end.is_down(i) && waits(i));
            properties.push(Property {
                name: "everybody who asked was let in",
                holds: stuck.is_none(),
                detail: stuck.map(|who| match self.tokens.all_lost() {
                    true => format!("process {who} waits for ever: every token is lost"),
                    false => format!("process {who} waits for ever"),
                }),
            });
        }
        report.outcome = outcome(end.complete, RunOutcome::Done, false, &properties);
        report.properties = properties;
        let units = self.ticks_per_unit as f64;
        let wanted: Vec<f64> = (0..end.setup.n as usize)
            .filter(|&i| self.asked[i].entered > 0 || self.asked[i].ever)
            .map(|i| self.asked[i].entered as f64)
            .collect();
        report.details = Details::Exclusion(ExclusionDetails {
            entries: self.entries,
            requests: self.requests,
            entry_order: self.entry_order.clone(),
            per_entry_mean: (self.entries > 0).then(|| report.messages as f64 / self.entries as f64),
            per_entry_range: charges.and_then(|tally| tally.range()),
            waiting: self.waits.spread(units),
            bypass_max: self.bypass_max,
            sync_delay: self.delays.spread(units),
            fairness: jain(&wanted),
            in_section_max: self.inside_max,
            convergence: None,
        });
    }

    /// A time in units, as people read it.
    fn shown(&self, ticks: u64) -> String {
        match self.ticks_per_unit {
            1 => ticks.to_string(),
            unit => format!("{:.3}", ticks as f64 / unit as f64),
        }
    }

    fn enter(&mut self, index: u32, now: u64, priority: Option<(u64, u32)>) {
        let asked = &mut self.asked[index as usize];
        asked.entered += 1;
        self.waits.add(now - asked.at);
        self.bypass_max = self.bypass_max.max(self.entries - asked.entries_before);
        self.waiting -= 1;
        self.inside += 1;
        self.inside_max = self.inside_max.max(self.inside);
        if self.inside > 1 {
            self.two_inside.get_or_insert((index, now));
        }
        if let Some(exit) = self.last_exit.take() {
            self.delays.add(now - exit);
        }
        if self.order == Order::Priority && priority <= self.last_priority && self.entries > 0 {
            self.out_of_order.get_or_insert((index, now));
        }
        self.last_priority = priority;
        self.entries += 1;
        if self.entry_order.len() < LISTED {
            self.entry_order.push(index);
        }
    }
}

/// Tokens: how many of each kind are held or travel.
struct Tokens {
    alive: Vec<(&'static str, i64)>,
    /// For each kind of message the kind of token that it carries, by its place; one that there is not for the others.
    carried: Vec<usize>,
    doubled: Option<&'static str>,
}

impl Tokens {
    /// Of these kinds, named as the messages that carry them.
    fn of(tokens: &'static [&'static str], messages: &[&str]) -> Tokens {
        let carried = |message: &&str| tokens.iter().position(|token| token == message);
        Tokens {
            alive: tokens.iter().map(|&kind| (kind, 0)).collect(),
            carried: messages.iter().map(|message| carried(message).unwrap_or(usize::MAX)).collect(),
            doubled: None,
        }
    }

    fn any(&self) -> bool {
        !self.alive.is_empty()
    }

    /// The kinds of messages that carry one, one bit each.
    fn kinds(&self) -> u64 {
        let carries = |&(_, token): &(usize, &usize)| *token < self.alive.len();
        self.carried.iter().enumerate().filter(carries).fold(0, |all, (kind, _)| all | 1 << kind)
    }

    fn all_lost(&self) -> bool {
        self.any() && self.alive.iter().all(|&(_, alive)| alive == 0)
    }

    /// A step took place: tokens that were here, tokens that are here. Its sends are seen after it.
    #[inline]
    fn moved(&mut self, before: u32, after: u32) {
        if before != after {
            for (place, (_, alive)) in self.alive.iter_mut().enumerate() {
                *alive += i64::from(after >> place & 1) - i64::from(before >> place & 1);
            }
            self.look();
        }
    }

    /// So many more messages of this kind travel.
    #[inline]
    fn travels(&mut self, kind: u32, more: i64) {
        if self.alive.is_empty() {
            return;
        }
        if let Some((_, alive)) = self.alive.get_mut(self.carried[kind as usize]) {
            *alive += more;
            self.look();
        }
    }

    fn look(&mut self) {
        if self.doubled.is_none() {
            self.doubled = self.alive.iter().find(|&&(_, alive)| alive > 1).map(|&(kind, _)| kind);
        }
    }
}

/// Count, sum, least and most.
#[derive(Clone, Default)]
struct Tally {
    count: u64,
    sum: u64,
    range: Option<(u64, u64)>,
}

impl Tally {
    fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += value;
        let (least, most) = self.range.unwrap_or((value, value));
        self.range = Some((least.min(value), most.max(value)));
    }

    fn range(&self) -> Option<(u64, u64)> {
        self.range
    }

    fn spread(&self, unit: f64) -> Option<Spread> {
        let (least, most) = self.range?;
        Some(Spread {
            min: least as f64 / unit,
            mean: self.sum as f64 / self.count as f64 / unit,
            max: most as f64 / unit,
        })
    }
}

/// Jain's index: 1 if all are equal, 1/k if one of k has everything.
fn jain(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|value| value * value).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}
