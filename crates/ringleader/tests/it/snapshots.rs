//! Chandy and Lamport's snapshot: what is noted adds up, if links keep the order, and mostly does not if they do not.

use crate::support::entry;
use ringleader::model::{Links, Snapshot};
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{Crowd, Delay, Ids, Moved, Observer, Scenario, Schedule};
use ringleader::trace::{
    Arrival, Cut, End, Event, Fate, Header, History, Input, Passage, Recording, Sent as Message, States,
    Wire, is_consistent, is_without_faults, message, snapshot,
};

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

/// What is needed of a run for a snapshot of it.
#[derive(Default)]
struct Seen {
    recording: Option<Recording>,
    states: States,
}

impl Observer for Seen {
    fn wants_events(&self) -> bool {
        true
    }
    fn wants_moves(&self) -> bool {
        true
    }
    fn begins(&mut self, header: &dyn Fn() -> Header) {
        self.recording = Some(Recording { header: header(), events: Vec::new() });
    }
    fn gathers(&mut self, crowd: &dyn Crowd) {
        self.states.first = (0..crowd.count()).map(|process| crowd.variables(process)).collect();
    }
    fn event(&mut self, event: &Event) {
        self.recording.as_mut().unwrap().events.push(event.clone());
    }
    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        self.states.after.push(crowd.variables(moved.process));
    }
}

fn cut_of(name: &str, scenario: &Scenario, by: u32, at: u64) -> (Cut, Recording) {
    let entry = entry(name);
    let mut seen = Seen::default();
    entry.run(scenario, &mut seen).unwrap();
    let recording = seen.recording.unwrap();
    assert!(is_without_faults(&recording));
    let at = at * recording.header.ticks_per_unit.max(1);
    (snapshot(&recording, &seen.states, &entry.wires(scenario).unwrap(), by, at), recording)
}

/// The messages that were sent before the sender noted its state, and had not arrived when the receiver did.
fn in_transit(recording: &Recording, cut: &Cut) -> Vec<(u32, u32, String)> {
    let before = |step: usize| step < cut.parts[recording.events[step].process as usize].steps;
    let history = History::of(recording);
    let mut all: Vec<(u32, u32, String)> = history
        .messages
        .iter()
        .filter(|passage| before(passage.sender) && !passage.end.step().is_some_and(before))
        .map(|passage| (passage.from, passage.sent.to, message(passage.sent)))
        .collect();
    all.sort();
    all
}

/// A snapshot at every moment of runs on rings and complete graphs: a consistent cut, with exactly those messages in
/// its links that cross it.
#[test]
fn snapshots_of_runs_are_consistent_cuts() {
    let mut on_the_way = 0;
    for name in ["peterson", "franklin", "ricart-agrawala", "itai-rodeh-synchronised", "raymond", "humblet"] {
        for (seed, schedule) in [
            (1, Schedule::Rounds),
            (2, Schedule::Random),
            (3, Schedule::Delay(Delay::Uniform(1_000_000, 5_000_000))),
            (4, Schedule::Lifo),
        ] {
            let scenario = Scenario { seed, schedule, links: Some(Links::Fifo), ..Scenario::new(5) };
            for at in (0..40).step_by(3) {
                let (cut, recording) = cut_of(name, &scenario, (at % 5) as u32, at);
                assert!(cut.is_consistent, "{name} seed={seed} at={at}");
                assert_eq!(cut.parts.len(), 5);
                let noted = cut.links.iter().flat_map(|link| {
                    link.messages.iter().map(|message| (link.from, link.to, message.clone()))
                });
                let mut noted: Vec<_> = noted.collect();
                noted.sort();
                assert_eq!(noted, in_transit(&recording, &cut), "{name} seed={seed} at={at}");
                on_the_way += noted.len();
            }
        }
    }
    assert!(on_the_way > 100, "{on_the_way} messages were on their way");
}

/// The state before the first step, and the one after the last.
#[test]
fn early_and_late_snapshots_are_the_ends() {
    let scenario = Scenario { ids: Ids::Listed(vec![3, 7, 4, 1]), ..Scenario::new(4) };
    let (late, recording) = cut_of("peterson", &scenario, 2, 1_000);
    assert!(late.is_consistent && late.links.is_empty());
    assert!(late.parts.iter().all(|part| part.steps == recording.events.len()));
    assert_eq!(late.markers, 4, "one for each link");
    let (early, _) = cut_of("peterson", &scenario, 2, 0);
    assert_eq!(early.parts[2].time, 0);
    assert!(early.parts.iter().map(|part| part.time).max() > Some(0), "markers take their time");
}

/// A cut in which a message has arrived that was not sent.
#[test]
fn inconsistent_cuts_are_found() {
    let scenario = Scenario { seed: 5, ..Scenario::new(4) };
    let (cut, recording) = cut_of("peterson", &scenario, 0, 2);
    let mut steps: Vec<usize> = cut.parts.iter().map(|part| part.steps).collect();
    assert!(is_consistent(&recording, &steps));
    let history = History::of(&recording);
    let arrived =
        |passage: &&Passage<'_>| matches!(passage.end, End::Arrived(_)) && passage.from != passage.sent.to;
    let passage = history.messages.iter().rev().find(arrived).unwrap();
    steps[passage.from as usize] = passage.sender;
    steps[passage.sent.to as usize] = recording.events.len();
    assert!(!is_consistent(&recording, &steps));
}

/// Two messages by one link, the snapshot between them. Where the second overtakes the first, and with it the marker,
/// it has arrived on one side of the cut and was sent on the other.
#[test]
fn overtaken_markers_give_an_inconsistent_cut() {
    let (_, recording) = cut_of("peterson", &Scenario::new(2), 0, 0);
    let sent = |message| Message {
        message,
        port: 0,
        to: 1,
        kind: "word".into(),
        fields: Vec::new(),
        fate: Fate::Travels,
    };
    let event = |time, process, input, sends| Event {
        time,
        process,
        input,
        choices: Vec::new(),
        rules: Vec::new(),
        sends,
        outcome: None,
        clock: None,
        impossible: None,
        accesses: Vec::new(),
    };
    let arrives =
        |time, message| event(time, 1, Input::Deliver(vec![Arrival { message, port: 0 }]), Vec::new());
    let wires = [Wire { from: 0, out: 0, to: 1, arrival: 0 }, Wire { from: 1, out: 0, to: 0, arrival: 0 }];
    let states = States { first: vec![Vec::new(); 2], after: vec![Vec::new(); 4] };
    let cut = |order: [u64; 2]| {
        let events = vec![
            event(0, 0, Input::Start, vec![sent(0)]),
            event(5, 0, Input::Timeout("again".into()), vec![sent(1)]),
            arrives(6, order[0]),
            arrives(7, order[1]),
        ];
        let header = Header { ticks_per_unit: 1, ..recording.header.clone() };
        snapshot(&Recording { header, events }, &states, &wires, 0, 0)
    };
    let kept = cut([0, 1]);
    assert!(kept.is_consistent);
    assert_eq!(kept.links, [], "the first came before the marker, which closed an empty link");
    assert!(!cut([1, 0]).is_consistent);
}
