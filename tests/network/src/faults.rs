//! Faults, done to a running cluster, each of which is proven to have happened: what was killed is gone, what
//! was cut let nothing pass, what was to be spoilt was.

use crate::cluster::Cluster;
use crate::lab::Lab;
use crate::switch::{Counts, Rule};
use crate::{Chance, now_us};
use core::time::Duration;
use nix::sys::signal::Signal;
use std::collections::BTreeSet;

/// Ordered pairs of hosts.
pub type Pairs = Vec<(usize, usize)>;

/// A cut that is in force.
pub struct Cut {
    pairs: Pairs,
    before: Vec<Counts>,
    /// When it was in force.
    pub since: u64,
    by_routes: bool,
    /// What the routes of the hosts had swallowed when it began.
    unrouted: u64,
}

/// All ordered pairs between the two sets.
#[must_use]
pub fn between(one: &[usize], other: &[usize]) -> Pairs {
    one.iter().flat_map(|&a| other.iter().flat_map(move |&b| [(a, b), (b, a)])).collect()
}

impl Lab {
    /// Cuts these ordered pairs in the switch.
    #[must_use]
    pub fn cut(&self, pairs: Pairs) -> Cut {
        pairs.iter().for_each(|&(from, to)| self.switch().set(from, to, Rule::CUT));
        self.counted(pairs, now_us(), false)
    }

    /// Cuts these ordered pairs in the kernels of the hosts that send, by routes into nowhere.
    ///
    /// # Panics
    /// If a route cannot be made.
    #[must_use]
    pub fn cut_by_routes(&self, pairs: Pairs) -> Cut {
        for &(from, to) in &pairs {
            self.blackhole(from, to).unwrap_or_else(|error| panic!("{error}"));
        }
        let since = now_us();
        // What had left the host before may still be on its way to the switch, and is not to be counted.
        std::thread::sleep(Duration::from_millis(50));
        self.counted(pairs, since, true)
    }

    fn counted(&self, pairs: Pairs, since: u64, by_routes: bool) -> Cut {
        let before = pairs.iter().map(|&(from, to)| self.switch().counts(from, to)).collect();
        let unrouted = if by_routes { self.unrouted(&pairs) } else { 0 };
        Cut { pairs, before, since, by_routes, unrouted }
    }

    /// How much the routes of those that send have swallowed so far.
    fn unrouted(&self, pairs: &Pairs) -> u64 {
        let senders: BTreeSet<usize> = pairs.iter().map(|&(from, _)| from).collect();
        let counts = senders.iter().map(|&from| self.hosts()[from].unrouted_packets());
        counts.map(|count| count.unwrap_or_else(|error| panic!("{error}"))).sum()
    }

    /// How many packets and frames a cut has stopped so far.
    #[must_use]
    pub fn stopped(&self, cut: &Cut) -> u64 {
        let frames = cut.pairs.iter().zip(&cut.before);
        let frames = frames.map(|(&(from, to), &before)| (self.switch().counts(from, to) - before).cut);
        if cut.by_routes { self.unrouted(&cut.pairs) - cut.unrouted } else { frames.sum() }
    }

    /// Heals a cut, and makes sure that it was one: not a frame passed, and frames were there to be stopped. How many.
    ///
    /// # Panics
    /// If it was none.
    pub fn heal(&self, cut: &Cut) -> u64 {
        let stopped = self.stopped(cut);
        for (&(from, to), &before) in cut.pairs.iter().zip(&cut.before) {
            let counts = self.switch().counts(from, to) - before;
            assert_eq!(counts.forwarded, 0, "{from} to {to} was cut, and something passed: {counts:?}");
            if cut.by_routes {
                assert_eq!(counts.arrived, 0, "{from} sent something to {to}, where its routes lead nowhere");
                self.heal_blackhole(from, to).unwrap_or_else(|error| panic!("{error}"));
            } else {
                self.switch().set(from, to, Rule::default());
            }
        }
        assert!(stopped > 0, "a cut that stopped nothing proves nothing");
        stopped
    }
}

impl Cluster {
    /// Cuts these ordered pairs in the switch.
    #[must_use]
    pub fn cut(&mut self, pairs: Pairs) -> Cut {
        self.faults.add("cuts", 1);
        self.lab().cut(pairs)
    }

    /// Cuts these ordered pairs in the kernels of the hosts that send, by routes into nowhere.
    #[must_use]
    pub fn cut_by_routes(&mut self, pairs: Pairs) -> Cut {
        self.faults.add("cuts by routes", 1);
        self.lab().cut_by_routes(pairs)
    }

    /// Heals a cut, and makes sure that it was one.
    pub fn heal(&mut self, cut: &Cut) {
        // Something is sent all the time; what was not there yet will be.
        self.wait("the cut stops something", || (self.lab().stopped(cut) > 0).then_some(()));
        let stopped = self.lab().heal(cut);
        self.faults.add("packets and frames stopped", stopped);
    }

    /// Spoils all traffic for a while, and makes sure that `happened` counts something.
    pub fn spoil(&mut self, what: &'static str, rule: Rule, time: Duration, happened: fn(Counts) -> u64) {
        let before = self.lab().switch().total();
        self.lab().switch().set_all(rule);
        std::thread::sleep(time);
        self.stop_spoiling(what, before, happened);
    }

    /// Ends what [`crate::switch::Switch::set_all`] began, and makes sure that it happened.
    pub fn stop_spoiling(&mut self, what: &'static str, before: Counts, happened: fn(Counts) -> u64) {
        self.wait(what, || (happened(self.lab().switch().total() - before) > 0).then_some(()));
        self.lab().switch().set_all(Rule::default());
        self.faults.add(what, 1);
    }

    /// Kills and restarts members at random, the leader half of the time, for this long: one or two at a
    /// time, so that a majority stays; now and then more. Everybody is up when it ends.
    pub fn kill_at_random(&mut self, chance: &mut Chance, time: Duration) {
        let end = now_us() + u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        while now_us() < end {
            let most = if chance.percent(15) { self.size() } else { (self.size() - 1) / 2 };
            let down = (0..self.size()).filter(|&place| !self.is_up(place)).count();
            if down < most && chance.percent(60) {
                let up: Vec<usize> = (0..self.size()).filter(|&place| self.is_up(place)).collect();
                let leader =
                    self.leaders(crate::cluster::ELECTIONS[0].0, 0).into_iter().find(|led| up.contains(led));
                let any = up[chance.below(up.len() as u64) as usize];
                self.kill(leader.filter(|_| chance.percent(50)).unwrap_or(any));
            } else if down > 0 {
                let down: Vec<usize> = (0..self.size()).filter(|&place| !self.is_up(place)).collect();
                self.start(down[chance.below(down.len() as u64) as usize]);
                self.faults.add("restarts", 1);
            }
            std::thread::sleep(Duration::from_millis(chance.between(50, 2500)));
        }
        for place in 0..self.size() {
            if !self.is_up(place) {
                self.start(place);
                self.faults.add("restarts", 1);
            }
        }
    }

    /// One fault of any kind, drawn, for a few seconds; then everything is whole again.
    pub fn any_fault(&mut self, chance: &mut Chance) {
        let time = Duration::from_millis(chance.between(300, 6000));
        let any = |chance: &mut Chance, size: usize| chance.below(size as u64) as usize;
        let size = self.size();
        let one = any(chance, size);
        let other = (one + 1 + any(chance, size - 1)) % size;
        match chance.below(9) {
            0 => self.kill_at_random(chance, time),
            1 | 2 => {
                // A split: everybody is on one side or the other.
                let side: Vec<bool> = (0..size).map(|place| place == one || chance.percent(40)).collect();
                let (left, right): (Vec<usize>, Vec<usize>) = (0..size).partition(|&place| side[place]);
                let pairs = if right.is_empty() { between(&[one], &[other]) } else { between(&left, &right) };
                self.cut_for(pairs, time);
            }
            3 => self.cut_for(vec![(one, other)], time),
            4 => self.cut_for(between(&[one], &[other]), time),
            5 => {
                let rule = Rule { loss_percent: 20, ..Rule::default() };
                self.spoil("losses", rule, time, |counts| counts.lost);
            }
            6 => {
                let rule = Rule { delay: Duration::from_millis(chance.between(20, 400)), ..Rule::default() };
                self.spoil("delays", rule, time, |counts| counts.delayed);
            }
            7 => {
                let reorder_by = Duration::from_millis(200);
                let rule = Rule { reorder_percent: 30, reorder_by, duplicate_percent: 10, ..Rule::default() };
                self.spoil("reorderings", rule, time, |counts| counts.reordered.min(counts.duplicated));
            }
            _pause => {
                self.signal(one, Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(one, Signal::SIGCONT);
                self.faults.add("pauses", 1);
            }
        }
    }

    fn cut_for(&mut self, pairs: Pairs, time: Duration) {
        let cut = self.cut(pairs);
        std::thread::sleep(time);
        self.heal(&cut);
    }
}
