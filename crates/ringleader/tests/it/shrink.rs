//! A failing run made shorter: whoever looks for what went wrong wants no step that has nothing to do with it.
//!
//! A run is a list of picks: who starts, which link delivers. A pick that is not possible is passed over, and what is
//! still open after the last one happens in the order of sending. So every part of a list is a run, and one can try
//! which picks matter. For elections by numbered edges, on FIFO links, that leave nothing to chance.

use ringleader::model::{
    Birth, Delays, Drift, Edge, Election, Given, Id, LeftOver, Outbox, Process, Settings, Verdict,
};
use ringleader::network::{Graph, Network, Plan, Wired};
use ringleader::trace::{Arrival, Event, Header, Input, Recording};
use std::collections::{BTreeMap, VecDeque};

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pick {
    /// This process starts.
    Start(u32),
    /// The oldest message from the one to the other is delivered.
    Deliver(u32, u32),
}

/// A run of the same case that fails as well, as short as it gets by putting off what does not matter and by taking
/// single steps earlier or later.
pub(crate) fn shrink<P: Election<Port = Edge>>(
    recording: &Recording,
    fails: impl Fn(&[Verdict]) -> bool,
) -> Recording {
    let header = &recording.header;
    let failing = |picks: &[Pick]| {
        let played = play::<P>(header, picks);
        fails(&played.verdicts).then_some(played)
    };
    let mut best = failing(&picks(recording)).expect("it does not fail");
    loop {
        let put_off = put_off(best.taken, &failing);
        let shorter = moved(&put_off.taken)
            .find_map(|picks| failing(&picks).filter(|played| played.taken.len() < put_off.taken.len()));
        best = put_off;
        match shorter {
            Some(shorter) => best = shorter,
            None => return Recording { header: header.clone(), events: best.events },
        }
    }
}

/// Leaves out half of the picks, a quarter, and so on down to one, as long as the run still fails and is no longer.
fn put_off(mut picks: Vec<Pick>, failing: &impl Fn(&[Pick]) -> Option<Played>) -> Played {
    let mut best = failing(&picks).expect("it does not fail");
    let mut part = picks.len();
    while part > 0 {
        let mut from = 0;
        while from < picks.len() {
            let mut fewer = picks.clone();
            fewer.drain(from..picks.len().min(from + part));
            match failing(&fewer).filter(|played| played.taken.len() <= best.taken.len()) {
                Some(played) => (picks, best) = (fewer, played),
                None => from += part,
            }
        }
        part /= 2;
    }
    best
}

/// These picks, with one of them in another place.
fn moved(picks: &[Pick]) -> impl Iterator<Item = Vec<Pick>> + '_ {
    let pairs = (0..picks.len()).flat_map(|from| (0..picks.len()).map(move |to| (from, to)));
    pairs.filter(|(from, to)| from != to).map(|(from, to)| {
        let mut other = picks.to_vec();
        let pick = other.remove(from);
        other.insert(to, pick);
        other
    })
}

/// The picks of a recorded run.
fn picks(recording: &Recording) -> Vec<Pick> {
    let mut senders = BTreeMap::new();
    let mut picks = Vec::new();
    for event in &recording.events {
        picks.push(if let Input::Deliver(arrivals) = &event.input {
            Pick::Deliver(senders[&arrivals[0].message], event.process)
        } else {
            assert_eq!(event.input, Input::Start, "only starts and deliveries can be put off");
            Pick::Start(event.process)
        });
        senders.extend(event.sends.iter().map(|sent| (sent.message, event.process)));
    }
    picks
}

/// A run: what was taken, in words that a recording needs to be followed, and how it ends.
struct Played {
    taken: Vec<Pick>,
    events: Vec<Event>,
    verdicts: Vec<Verdict>,
}

fn play<P: Election<Port = Edge>>(header: &Header, picks: &[Pick]) -> Played {
    let mut world = World::<P>::new(header);
    for &pick in picks {
        world.take(pick);
    }
    while let Some(pick) = world.open() {
        world.take(pick);
    }
    let verdicts = world.processes.iter().map(|process| process.outcome().verdict).collect();
    Played { taken: world.taken, events: world.events, verdicts }
}

/// Processes and what travels between them: no more than a run needs.
struct World<P: Process> {
    net: Graph,
    processes: Vec<P>,
    /// Who has yet to start.
    asleep: Vec<u32>,
    /// The links by their ends.
    links: BTreeMap<(u32, u32), VecDeque<Flight<P::Msg>>>,
    sent: u64,
    taken: Vec<Pick>,
    events: Vec<Event>,
}

/// A message on its way: its number, the port at which it arrives, and what it says.
type Flight<M> = (u64, Edge, M);

impl<P: Election<Port = Edge>> World<P> {
    fn new(header: &Header) -> World<P> {
        let Header { n, ids, initiators, ports, neighbours, .. } = header;
        let net = Edge::wire(&Plan { n: *n, ports: ports.clone(), neighbours: neighbours.clone() });
        let born = |index: u32| {
            let smaller = ids.iter().filter(|&&id| id < ids[index as usize]).count();
            P::new(P::Given::of(&Birth {
                index,
                id: Id::from_rank(smaller as u32),
                n: *n,
                degree: net.degree(index),
                range: header.range,
                max_delay: header.max_delay,
                delays: Delays { lo: 0, hi: header.max_delay },
                drift: Drift(0),
                towards_root: None,
                elector: None,
                left_over: LeftOver::default(),
                which: 0,
                settings: Settings::default(),
            }))
        };
        let processes = (0..*n).map(born).collect();
        let asleep = initiators.clone();
        World {
            net,
            processes,
            asleep,
            links: BTreeMap::new(),
            sent: 0,
            taken: Vec::new(),
            events: Vec::new(),
        }
    }

    /// What could happen: the oldest message arrives; if there is none, somebody starts.
    fn open(&self) -> Option<Pick> {
        let heads = self.links.iter().filter_map(|(&ends, link)| Some((link.front()?.0, ends)));
        let oldest = heads.min().map(|(_, (from, to))| Pick::Deliver(from, to));
        oldest.or_else(|| self.asleep.first().map(|&first| Pick::Start(first)))
    }

    fn take(&mut self, pick: Pick) {
        let mut sends = Sends(Vec::new());
        let (process, input) = match pick {
            Pick::Start(process) if self.asleep.contains(&process) => {
                self.processes[process as usize].start(&mut sends);
                (process, Input::Start)
            }
            Pick::Start(_) => return,
            Pick::Deliver(from, to) => {
                let Some((message, port, msg)) =
                    self.links.get_mut(&(from, to)).and_then(VecDeque::pop_front)
                else {
                    return;
                };
                // It starts before its first message at the latest.
                if self.asleep.contains(&to) {
                    self.processes[to as usize].start(&mut sends);
                }
                self.processes[to as usize].receive(port, msg, &mut sends);
                (to, Input::Deliver(vec![Arrival { message, port: port.0 }]))
            }
        };
        self.asleep.retain(|&other| other != process);
        for (port, msg) in sends.0 {
            let (to, arrival) = self.net.route(process, port);
            self.links.entry((process, to)).or_default().push_back((self.sent, arrival, msg));
            self.sent += 1;
        }
        self.taken.push(pick);
        self.events.push(Event {
            time: self.events.len() as u64,
            process,
            input,
            choices: Vec::new(),
            rules: Vec::new(),
            sends: Vec::new(),
            outcome: None,
            impossible: None,
            accesses: Vec::new(),
            clock: None,
        });
    }
}

/// An outbox that only sends.
struct Sends<P: Process>(Vec<(P::Port, P::Msg)>);

impl<P: Process> Outbox<P> for Sends<P> {
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.0.push((to, msg));
    }
    fn set_timer(&mut self, _: P::Timer, _: u32) {
        panic!("nothing here depends on time");
    }
    fn stop_timer(&mut self, _: P::Timer) {
        panic!("nothing here depends on time");
    }
    fn choose(&mut self, _: u32) -> u32 {
        panic!("nothing here is left to chance");
    }
    fn rule(&mut self, _: P::Rule) {}
    fn phase_begins(&mut self) {}
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, _: &'static str) {}
}
