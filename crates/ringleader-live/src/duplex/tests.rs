//! All members of a ring in one loop, with their channels delivering in random order: they elect, whatever
//! the order, and what they did is a run of the simulator.

use super::{Duplex, Turn};
use ringleader::election::VanLeeuwenTanHalfDuplex;
use ringleader::host::{Cast, Effects, Position, Way};
use ringleader::model::{Process, Verdict};
use ringleader::registry::Entry;
use ringleader::rng::{Purpose, Rng};
use ringleader::sim::{self, Ids, Initiators, Ports, Recorder, Refusal, RunOutcome, Scenario, Schedule};
use ringleader::trace::{Event, Fate, Input, Outcome, Recording, Sent};
use std::collections::VecDeque;
use std::sync::Arc;

/// What travels between two members. The port is the receiver's.
enum Carried {
    Message(u32, u64, Vec<u8>),
    Wish(u32),
    Baton(u32),
}

/// A ring of members.
struct Ring {
    cast: Cast,
    ways: Vec<Vec<Way>>,
    members: Vec<Duplex>,
    started: Vec<bool>,
    /// What is under way for each ordered pair, in order.
    channels: Vec<Vec<VecDeque<Carried>>>,
    events: Vec<Event>,
    sent: u64,
    /// Whether whoever wishes for a baton is told at once that it has it, without asking the other end.
    careless: bool,
    wishes: u64,
    batons: u64,
}

impl Ring {
    fn new(scenario: &Scenario) -> Ring {
        let cast = Entry::election::<VanLeeuwenTanHalfDuplex>().cast(scenario).unwrap();
        let n = scenario.n;
        let ways: Vec<Vec<Way>> = (0..n).map(|index| cast.ways(index)).collect();
        let member =
            |index: u32| Duplex::new(cast.actor(index, scenario.seed), index, &ways[index as usize]).unwrap();
        Ring {
            members: (0..n).map(member).collect(),
            ways,
            cast,
            started: vec![false; n as usize],
            channels: (0..n).map(|_| (0..n).map(|_| VecDeque::new()).collect()).collect(),
            events: Vec::new(),
            sent: 0,
            careless: false,
            wishes: 0,
            batons: 0,
        }
    }

    fn way(&self, from: usize, out: u32) -> Way {
        *self.ways[from].iter().find(|way| way.out == out).unwrap()
    }

    fn carry(&mut self, from: usize, to: u32, what: Carried) {
        self.channels[from][to as usize].push_back(what);
    }

    fn tell(&mut self, process: usize, before: Position, input: Input, effects: Effects) {
        let mut sends = Vec::new();
        for outgoing in effects.sends {
            let Way { to, arrival, .. } = self.way(process, outgoing.port);
            sends.push(Sent {
                message: self.sent,
                port: outgoing.port,
                to,
                kind: VanLeeuwenTanHalfDuplex::kind(outgoing.kind).into(),
                fields: outgoing.fields,
                fate: Fate::Travels,
            });
            self.carry(process, to, Carried::Message(arrival, self.sent, outgoing.bytes));
            self.sent += 1;
        }
        let after = self.members[process].actor().position();
        let outcome = (before != after).then(|| match after {
            Position::Verdict(Verdict::Leader) => Outcome::Leads,
            Position::Verdict(Verdict::Lost) => Outcome::Lost,
            Position::Verdict(Verdict::Undecided) | Position::User(_) | Position::Clock(_) => {
                panic!("{after:?}")
            }
        });
        self.events.push(Event {
            time: self.events.len() as u64 + 1,
            process: process as u32,
            input,
            choices: effects.choices,
            rules: effects.rules.into_iter().map(Into::into).collect(),
            sends,
            outcome,
            impossible: effects.impossible.map(Into::into),
            accesses: Vec::new(),
            clock: None,
        });
        // What it sends itself it has before anything else happens.
        while let Some(own) = self.channels[process][process].pop_front() {
            self.hand_in(process, own);
        }
    }

    fn hand_in(&mut self, to: usize, what: Carried) {
        let member = &mut self.members[to];
        let fits = match what {
            Carried::Message(port, number, bytes) => member.arrived(port, number, bytes),
            Carried::Wish(port) => member.wished(port),
            Carried::Baton(port) => member.baton(port),
        };
        assert!(fits.is_ok() || self.careless, "{fits:?}");
    }

    fn pump(&mut self, process: usize) {
        loop {
            let before = self.members[process].actor().position();
            match self.members[process].next() {
                None => return,
                Some(Turn::Step(arrivals, effects)) => {
                    self.tell(process, before, Input::Deliver(arrivals), *effects);
                }
                Some(Turn::Wish(port)) if self.careless => self.hand_in(process, Carried::Baton(port)),
                Some(Turn::Wish(port)) => {
                    self.wishes += 1;
                    let way = self.way(process, port);
                    self.carry(process, way.to, Carried::Wish(way.arrival));
                }
                Some(Turn::Baton(port)) => {
                    self.batons += 1;
                    let way = self.way(process, port);
                    self.carry(process, way.to, Carried::Baton(way.arrival));
                }
            }
        }
    }

    /// Lets things happen in random order until nothing can.
    fn run(&mut self, rng: &mut Rng) {
        let n = self.members.len();
        loop {
            let idle = (0..n).filter(|&process| !self.started[process]).map(|process| (process, process));
            let full = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
            let full = full.filter(|&(from, to)| !self.channels[from][to].is_empty());
            let choices: Vec<(usize, usize)> = idle.chain(full).collect();
            if choices.is_empty() {
                return;
            }
            let (from, to) = choices[rng.below(choices.len() as u64) as usize];
            if self.started[from] || from != to {
                let what = self.channels[from][to].pop_front().unwrap();
                self.hand_in(to, what);
            } else {
                self.started[to] = true;
                let before = self.members[to].actor().position();
                let effects = self.members[to].start();
                self.tell(to, before, Input::Start, effects);
            }
            self.pump(to);
            assert!(self.events.len() < 10_000, "it goes on for ever");
        }
    }

    fn recording(&self) -> Recording {
        Recording { header: self.cast.header(), events: self.events.clone() }
    }
}

trait Kinds {
    fn kind(kind: usize) -> &'static str;
}

impl<P: Process> Kinds for P {
    fn kind(kind: usize) -> &'static str {
        <P::Msg as ringleader::model::Message>::KINDS[kind]
    }
}

/// Follows the recording in the simulator.
fn replay(recording: &Recording) -> Result<(sim::Report, Vec<Event>), Refusal> {
    let header = &recording.header;
    let scenario = Scenario {
        ids: Ids::Listed(header.ids.clone()),
        initiators: Initiators::Listed(header.initiators.clone()),
        ports: if header.ports.is_empty() { Ports::Default } else { Ports::Listed(header.ports.clone()) },
        schedule: Schedule::Replay(Arc::new(recording.clone())),
        ..Scenario::new(header.n)
    };
    let mut recorder = Recorder::default();
    let report = sim::run_election::<VanLeeuwenTanHalfDuplex>(&scenario, &mut recorder)?;
    Ok((report, recorder.events))
}

fn scenario(n: u32, seed: u64) -> Scenario {
    Scenario { seed, ids: Ids::Random, ..Scenario::new(n) }
}

#[test]
fn one_leader_in_any_order_and_simulator_agrees() {
    let (mut several, mut wishes, mut crossed) = (0u32, 0, 0);
    for n in 1..=8 {
        for seed in 0..250 {
            let mut ring = Ring::new(&scenario(n, seed));
            ring.run(&mut Rng::new(seed, Purpose::Schedule));
            let left: usize = ring.members.iter().map(Duplex::waiting).sum();
            assert_eq!(left, 0, "n={n} seed={seed}: something waits for ever");
            let leaders = ring.members.iter().filter(|member| member.actor().position().claims()).count();
            assert_eq!(leaders, 1, "n={n} seed={seed}");
            let (report, events) =
                replay(&ring.recording()).unwrap_or_else(|refusal| panic!("n={n} seed={seed}: {refusal}"));
            assert_eq!(report.outcome, RunOutcome::Elected, "n={n} seed={seed}");
            assert!(report.holds(), "n={n} seed={seed}: {report:?}");
            assert_eq!(events, ring.events, "n={n} seed={seed}");
            let is_batch =
                |event: &&Event| matches!(&event.input, Input::Deliver(arrivals) if arrivals.len() > 1);
            several += events.iter().filter(is_batch).count() as u32;
            wishes += ring.wishes;
            crossed += u64::from(ring.batons < ring.wishes + u64::from(n));
        }
    }
    // The interesting things did happen: steps of several messages, wishes, wishes that crossed a baton.
    assert!(several > 100 && wishes > 1000 && crossed > 100, "{several} {wishes} {crossed}");
}

#[test]
fn replay_without_batons_is_refused() {
    let broken = |seed: &u64| {
        let mut ring = Ring::new(&scenario(5, *seed));
        ring.careless = true;
        ring.run(&mut Rng::new(*seed, Purpose::Schedule));
        replay(&ring.recording()).is_err()
    };
    assert!((0..250).any(|seed| broken(&seed)));
}

#[test]
fn nonsense_is_refused_without_effect() {
    let mut ring = Ring::new(&scenario(3, 1));
    let (port, bytes) = {
        let effects = ring.members[0].start();
        (effects.sends[0].port, effects.sends[0].bytes.clone())
    };
    let member = &mut ring.members[1];
    assert!(member.arrived(2, 0, bytes.clone()).is_err());
    assert!(member.arrived(port, 0, vec![250]).is_err());
    assert!(member.wished(7).is_err() && member.baton(7).is_err());
    assert_eq!((member.waiting(), member.next()), (0, None));
    // Nothing is taken before the start, and no more waits than can.
    for number in 0..64 {
        member.arrived(0, number, bytes.clone()).unwrap();
    }
    assert!(member.arrived(0, 64, bytes).is_err());
    assert_eq!(member.next(), None);
}

#[test]
fn a_baton_is_here_or_there() {
    let mut ring = Ring::new(&scenario(2, 1));
    // Index 1 has both at first, and gives them away once it has started, wished for or not.
    let [low, high] = ring.members.as_mut_slice() else { panic!() };
    assert!(high.baton(0).is_err());
    assert!(high.wished(0).is_ok());
    high.start();
    assert_eq!([high.next(), high.next(), high.next()], [Some(Turn::Baton(0)), Some(Turn::Baton(1)), None]);
    low.start();
    assert_eq!(low.next(), None);
    low.baton(0).unwrap();
    assert!(low.baton(0).is_err());
    // Unless it is needed it is given away as soon as somebody wishes for it. A wish that crossed it is
    // forgotten.
    low.wished(0).unwrap();
    assert_eq!([low.next(), low.next()], [Some(Turn::Baton(0)), None]);
    low.wished(0).unwrap();
    low.baton(0).unwrap();
    assert_eq!(low.next(), None);
}
