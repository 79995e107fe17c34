//! What is done to a service: each fault is proven to have happened, and counted.

use super::{LOCKS, Service};
use crate::faults::{Cut, Pairs, between};
use crate::switch::{Counts, Rule};
use crate::{Chance, now_us};
use nix::sys::signal::Signal;
use std::time::Duration;

/// What happened to whoever was paused while it held something.
pub struct Paused {
    /// When it was paused, in microseconds.
    pub from: u64,
    /// When it went on.
    pub to: u64,
}

impl Service {
    /// Cuts these ordered pairs of hosts, under this name in the counts.
    #[must_use]
    pub fn cut(&mut self, what: &'static str, pairs: Pairs) -> Cut {
        self.faults.add(what, 1);
        self.lab().cut(pairs)
    }

    /// Heals a cut, and makes sure that it was one.
    pub fn heal(&mut self, cut: &Cut) {
        // Something is sent all the time; what was not there yet will be.
        self.wait("the cut stops something", || (self.lab().stopped(cut) > 0).then_some(()));
        let stopped = self.lab().heal(cut);
        self.faults.add("frames stopped by cuts", stopped);
    }

    /// Waits until servers that are cut off have no lease any more.
    pub fn await_silent(&self, places: &[usize]) {
        let since = now_us();
        self.wait(&format!("servers {places:?} grant nothing"), || {
            let views = self.views();
            let silent = |place: &usize| {
                let (asked, answer) = &views[*place];
                let leased = |answer: &serde_json::Value| answer["lease_ms"]["batch"].as_u64() != Some(0);
                *asked > since
                    && answer.as_ref().is_some_and(|answer| !leased(answer) || answer["joined"] == false)
            };
            places.iter().all(silent).then_some(())
        });
    }

    /// From now on this is done to all frames. What was counted before it.
    pub fn spoil(&mut self, rule: Rule) -> Counts {
        let before = self.lab().switch().total();
        self.lab().switch().set_all(rule);
        before
    }

    /// Ends that, and makes sure that it happened.
    pub fn unspoil(&mut self, what: &'static str, before: Counts, happened: fn(Counts) -> u64) {
        self.wait(what, || (happened(self.lab().switch().total() - before) > 0).then_some(()));
        self.lab().switch().set_all(Rule::default());
        self.faults.add(what, 1);
    }

    /// Pauses a server until another one has granted each of its locks again, or for as long as all leases last and a
    /// while, and lets it go on.
    pub fn pause_server(&mut self, place: usize) {
        self.signal(place, Signal::SIGSTOP);
        let begin = now_us();
        let others: Vec<usize> =
            self.others(&[place]).into_iter().filter(|&other| self.is_up(other)).collect();
        if others.len() * 2 > self.size() {
            self.await_servers(&others);
            self.await_locks(begin + micros(self.longest_lease()));
        } else {
            std::thread::sleep(self.longest_lease() * 3 / 2);
        }
        self.signal(place, Signal::SIGCONT);
        self.faults.add("servers paused beyond the lease", 1);
    }

    /// Waits until every lock was taken after this moment, by whomever.
    pub fn await_locks(&self, since: u64) {
        self.wait("every lock is taken", || LOCKS.iter().all(|lock| self.taken(lock, since)).then_some(()));
    }

    /// Pauses a client that holds something until somebody else has written with a larger fence, and lets it go
    /// on. Whether it then wrote without knowing, and was refused.
    pub fn pause_holder(&mut self, among: &[usize]) -> (Paused, bool) {
        let (client, lock, fence) = self.await_holder(among);
        let name = self.clients()[client].start_name();
        let refused = self.storage().refused(&name);
        self.signal_client(client, Signal::SIGSTOP);
        let from = now_us();
        self.wait("somebody else writes what the paused one protected", || {
            (self.storage().highest(&lock) > fence).then_some(())
        });
        let to = now_us();
        self.signal_client(client, Signal::SIGCONT);
        self.faults.add("clients paused beyond the lease", 1);
        self.wait("the paused client goes on", || self.clients()[client].has_moved_on(to).then_some(()));
        (Paused { from, to }, self.storage().refused(&name) > refused)
    }

    /// One fault of any kind, drawn, for a while; then everything is whole again.
    pub fn any_fault(&mut self, chance: &mut Chance) {
        let time = Duration::from_millis(chance.between(300, 4000));
        let size = self.size();
        let hosts = self.lab().hosts().len();
        let draw = |chance: &mut Chance, size: usize| chance.below(size as u64) as usize;
        let one = draw(chance, size);
        let other = (one + 1 + draw(chance, size - 1)) % size;
        match chance.below(14) {
            0 | 1 => self.kill_for(&[one], time),
            2 => {
                let leader = self.await_proposer(&self.everybody());
                self.kill_for(&[leader], time);
            }
            3 => {
                let most = self.everybody().into_iter().filter(|_| chance.percent(60)).collect::<Vec<_>>();
                self.kill_for(&most, time / 4);
            }
            4 => {
                let client = draw(chance, self.clients().len());
                self.kill_client(client);
                std::thread::sleep(time / 4);
                self.start_client(client);
            }
            5 => {
                self.signal(one, Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(one, Signal::SIGCONT);
                self.faults.add("servers paused", 1);
            }
            6 => {
                let client = draw(chance, self.clients().len());
                self.signal_client(client, Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal_client(client, Signal::SIGCONT);
                self.faults.add("clients paused", 1);
            }
            7 => {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    (0..size).partition(|&place| place == one || place != other && chance.percent(50));
                self.cut_for("cuts into two parts", between(&left, &right), time);
            }
            8 => {
                let rest: Vec<usize> = (0..hosts).filter(|&host| host != one).collect();
                self.cut_for("servers cut off from everything", between(&[one], &rest), time);
            }
            9 => self.cut_for("partial cuts", between(&[one], &[other]), time),
            10 => {
                let rest = self.others(&[one]);
                let speaks = chance.percent(50);
                let pairs = rest.iter().map(|&to| if speaks { (one, to) } else { (to, one) });
                self.cut_for("cuts of one direction", pairs.collect(), time);
            }
            11 => {
                let before = self.spoil(Rule { loss_percent: 15, ..Rule::default() });
                std::thread::sleep(time);
                self.unspoil("times of loss", before, |counts| counts.lost);
            }
            12 => {
                let delay = Duration::from_millis(chance.between(20, 200));
                let before = self.spoil(Rule { delay, ..Rule::default() });
                std::thread::sleep(time);
                self.unspoil("times of delay", before, |counts| counts.delayed);
            }
            _drain => {
                self.drain(one);
                self.start(one);
            }
        }
    }

    fn kill_for(&mut self, places: &[usize], time: Duration) {
        places.iter().for_each(|&place| self.kill(place));
        std::thread::sleep(time);
        for &place in places {
            self.start(place);
            self.faults.add("servers started again", 1);
        }
    }

    fn cut_for(&mut self, what: &'static str, pairs: Pairs, time: Duration) {
        let cut = self.cut(what, pairs);
        std::thread::sleep(time);
        self.heal(&cut);
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
