//! Chandy and Lamport's snapshot: what is noted adds up, if links keep the order, and mostly does not if they do not.

use ringleader::model::Snapshot;
use ringleader::rng::{Purpose, Rng};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Sent {
    Money(u64),
    Marker,
}

/// Processes that send money about, everybody to everybody.
struct Bank {
    n: usize,
    accounts: Vec<u64>,
    /// By receiver and sender.
    links: Vec<Vec<Vec<Sent>>>,
    parts: Vec<Snapshot<u64, u64>>,
    markers: u64,
    fifo: bool,
    rng: Rng,
}

impl Bank {
    fn new(n: usize, fifo: bool, seed: u64) -> Bank {
        Bank {
            n,
            accounts: vec![100; n],
            links: vec![vec![Vec::new(); n]; n],
            parts: (0..n).map(|_| Snapshot::new(n)).collect(),
            markers: 0,
            fifo,
            rng: Rng::new(seed, Purpose::Schedule),
        }
    }

    fn draw(&mut self, below: usize) -> usize {
        self.rng.below(below as u64) as usize
    }

    fn send_markers(&mut self, from: usize) {
        for to in (0..self.n).filter(|&to| to != from) {
            self.links[to][from].push(Sent::Marker);
            self.markers += 1;
        }
    }

    fn begin(&mut self, who: usize) {
        if self.parts[who].begin(self.accounts[who]) {
            // There is no channel to oneself: its marker counts as come.
            assert!(!self.parts[who].marker(who, 0));
            self.send_markers(who);
        }
    }

    fn transfer(&mut self) {
        let (from, to) = (self.draw(self.n), self.draw(self.n));
        if from != to && self.accounts[from] > 0 {
            let amount = 1 + self.rng.below(self.accounts[from]);
            self.accounts[from] -= amount;
            self.links[to][from].push(Sent::Money(amount));
        }
    }

    /// Delivers something; whether there was anything.
    fn deliver(&mut self) -> bool {
        let full: Vec<(usize, usize)> = (0..self.n)
            .flat_map(|to| (0..self.n).map(move |from| (to, from)))
            .filter(|&(to, from)| !self.links[to][from].is_empty())
            .collect();
        if full.is_empty() {
            return false;
        }
        let (to, from) = full[self.draw(full.len())];
        let place = if self.fifo { 0 } else { self.draw(self.links[to][from].len()) };
        match self.links[to][from].remove(place) {
            Sent::Money(amount) => {
                self.parts[to].message(from, &amount);
                self.accounts[to] += amount;
            }
            Sent::Marker => {
                if self.parts[to].marker(from, self.accounts[to]) {
                    assert!(!self.parts[to].marker(to, 0));
                    self.send_markers(to);
                }
            }
        }
        true
    }

    /// What was noted in all: on accounts and on the way.
    fn noted(&self) -> u64 {
        let on_the_way = |part: &Snapshot<u64, u64>| -> u64 {
            (0..self.n).flat_map(|from| part.on_its_way(from)).sum::<u64>()
        };
        self.parts.iter().map(|part| part.state().copied().unwrap_or(0) + on_the_way(part)).sum()
    }

    fn run(n: usize, fifo: bool, seed: u64) -> u64 {
        let mut bank = Bank::new(n, fifo, seed);
        for step in 0..60 {
            bank.transfer();
            if bank.draw(2) == 0 {
                bank.deliver();
            }
            if step == 20 {
                bank.begin(seed as usize % n);
                // A second one may begin of its own accord before it has heard.
                if seed.is_multiple_of(3) {
                    bank.begin((seed as usize + 1) % n);
                }
            }
        }
        while bank.deliver() {}
        assert!(bank.parts.iter().all(Snapshot::is_complete));
        assert_eq!(bank.markers, (n * (n - 1)) as u64, "one marker for each channel");
        assert_eq!(bank.accounts.iter().sum::<u64>(), 100 * n as u64);
        bank.noted()
    }
}

#[test]
fn what_is_noted_adds_up() {
    for seed in 0..800 {
        let n = 2 + (seed % 5) as usize;
        assert_eq!(Bank::run(n, true, seed), 100 * n as u64, "seed {seed}");
    }
}

#[test]
fn where_messages_overtake_it_mostly_does_not() {
    let wrong = (0..200).filter(|&seed| Bank::run(4, false, seed) != 400).count();
    assert!(wrong > 100, "{wrong} of 200 are wrong");
}
