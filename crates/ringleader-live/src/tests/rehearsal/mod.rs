//! Whole clusters without sockets: members with clocks of their own, connections that are slow, break and are
//! cut, and machines that are killed and restarted, all from one seed. After every run: at no instant did two
//! lead, by what they had promised; every fault did happen; and once everything was healed, one led.

mod faults;
mod reign;
mod runs;

use crate::{Cluster, Frame, Input, Member, Micros, Notice, Output, Place};
use faults::Faults;
use reign::Reigns;
use ringleader::rng::{Purpose, Rng};
use std::collections::VecDeque;

/// A clock: what it shows follows from real time, in microseconds since the beginning of the rehearsal.
#[derive(Clone, Copy, Debug)]
struct Clock {
    offset: u64,
    /// What it gains, in parts per million.
    fast: i64,
}

impl Clock {
    fn shows(self, real: u64) -> Micros {
        let gone = i128::from(real) * (1_000_000 + i128::from(self.fast)) / 1_000_000;
        Micros(self.offset + gone as u64)
    }

    /// The first real moment at which it shows at least this.
    fn reaches(self, shown: Micros) -> u64 {
        let gone = i128::from(shown.0.saturating_sub(self.offset));
        let mut real = (gone * 1_000_000 / (1_000_000 + i128::from(self.fast))) as u64;
        real = real.saturating_sub(1);
        while self.shows(real) < shown {
            real += 1;
        }
        real
    }
}

/// A machine and the member that runs on it, if one does.
struct Machine {
    clock: Clock,
    member: Option<Member>,
    incarnation: u64,
}

/// The connection of two machines. Each end learns of its end by itself.
#[derive(Default)]
struct Connection {
    /// Whether it is there.
    up: bool,
    /// If it is not: when it is there again, unless something is in the way then.
    dials_at: u64,
    /// For each end, the lower place first: when it learns that its connection is gone.
    noticed: [Option<u64>; 2],
    /// From the lower place, and to it: what is under way, and when it arrives.
    ways: [VecDeque<(u64, Carried)>; 2],
}

enum Carried {
    Frame(Frame),
    /// The other side has closed the connection.
    End,
}

/// A rehearsal.
struct Rehearsal {
    cluster: Cluster,
    rng: Rng,
    real: u64,
    machines: Vec<Machine>,
    /// By the higher place and then the lower one.
    connections: Vec<Vec<Connection>>,
    /// For each ordered pair whether nothing gets through.
    cut: Vec<Vec<bool>>,
    /// The longest delay of a frame.
    delay: u64,
    faults: Faults,
    reigns: Reigns,
    /// What members said, but for steps: whoever looks for the reason of a failure reads these.
    notices: Vec<(u64, Place, Notice)>,
}

impl Rehearsal {
    /// A cluster whose clocks gain or lose at most so many parts per million.
    fn new(cluster: Cluster, seed: u64, drift: i64) -> Rehearsal {
        let n = cluster.members.len();
        let mut rng = Rng::new(seed, Purpose::Faults);
        let mut machine = || Machine {
            // Every other rehearsal has clocks at their bounds.
            clock: Clock {
                offset: rng.below(1 << 40),
                fast: if seed.is_multiple_of(2) {
                    if rng.below(2) == 0 { drift } else { -drift }
                } else {
                    rng.below(2 * drift as u64 + 1) as i64 - drift
                },
            },
            member: None,
            incarnation: 0,
        };
        let mut rehearsal = Rehearsal {
            machines: (0..n).map(|_| machine()).collect(),
            connections: (0..n).map(|high| (0..high).map(|_| Connection::default()).collect()).collect(),
            cut: vec![vec![false; n]; n],
            delay: 1000 + rng.below(20_000),
            faults: Faults::default(),
            reigns: Reigns::default(),
            notices: Vec::new(),
            real: 0,
            cluster,
            rng,
        };
        (0..n as Place).for_each(|place| rehearsal.boot(place, 1_000_000));
        rehearsal
    }

    fn places(&self) -> std::ops::Range<Place> {
        0..self.machines.len() as Place
    }

    fn runs(&self, place: Place) -> bool {
        self.machines[usize::from(place)].member.is_some()
    }

    /// A member starts on this machine, with this incarnation.
    fn boot(&mut self, place: Place, incarnation: u64) {
        let seed = self.rng.next_u64();
        let machine = &mut self.machines[usize::from(place)];
        let now = machine.clock.shows(self.real);
        let member = Member::new(self.cluster.clone(), place, incarnation, seed, now);
        machine.member = Some(member.unwrap_or_else(|refusal| panic!("{refusal}")));
        machine.incarnation = incarnation;
        for other in self.places().filter(|&other| other != place) {
            self.dial_soon(place, other);
        }
    }

    fn connection(&mut self, a: Place, b: Place) -> &mut Connection {
        &mut self.connections[usize::from(a.max(b))][usize::from(a.min(b))]
    }

    fn dial_soon(&mut self, a: Place, b: Place) {
        let at = self.real + 1000 + self.rng.below(150_000);
        self.connection(a, b).dials_at = at;
    }

    /// The connection of two is gone, with everything under way. Who is up learns of it soon, or later, or
    /// not before the next.
    fn sever(&mut self, a: Place, b: Place) {
        let noticed = [0, 1].map(|_| {
            let after = [0, 5000, 300_000, 5_000_000][self.rng.below(4) as usize];
            Some(self.real + self.rng.below(after + 1))
        });
        let connection = self.connection(a, b);
        if connection.up {
            *connection = Connection { noticed, ..Connection::default() };
            self.dial_soon(a, b);
        }
    }

    /// Something happens to a member; what comes of it is carried out.
    fn input(&mut self, place: Place, input: Input) {
        let machine = &mut self.machines[usize::from(place)];
        let Some(member) = &mut machine.member else { return };
        let mut out = Vec::new();
        member.handle(machine.clock.shows(self.real), input, &mut out);
        for output in out {
            match output {
                Output::Send(to, frame) => self.send(place, to, Carried::Frame(frame)),
                Output::Close(to, why) => {
                    self.send(place, to, Carried::Frame(Frame::Refuse(why)));
                    self.send(place, to, Carried::End);
                }
                Output::Left => {
                    self.machines[usize::from(place)].member = None;
                    for other in self.places().filter(|&other| other != place) {
                        self.send(place, other, Carried::End);
                    }
                }
                Output::Renumbered(incarnation) => {
                    self.faults.renumbered += 1;
                    self.machines[usize::from(place)].incarnation = incarnation;
                    for other in self.places().filter(|&other| other != place) {
                        self.sever(place, other);
                    }
                }
                Output::Notice(notice) => self.notice(place, notice),
            }
        }
    }

    fn notice(&mut self, place: Place, notice: Notice) {
        let clock = self.machines[usize::from(place)].clock;
        self.reigns.hear(self.real, place, clock, &notice);
        if !matches!(notice, Notice::Step(..) | Notice::Joins(..) | Notice::Extends(..) | Notice::Grants(..))
        {
            self.notices.push((self.real, place, notice));
        }
    }

    /// What members said since then, and how they are: for whoever looks for the reason of a failure.
    fn told(&self, since: u64) -> String {
        let said = self.notices.iter().filter(|(real, ..)| *real >= since).take(300);
        let said = said.map(|(real, who, notice)| format!("{real} {who} {notice:?}\n"));
        let stand = self.machines.iter().map(|machine| {
            let now = machine.clock.shows(self.real);
            format!("{:?}\n", machine.member.as_ref().map(|member| member.status(now)))
        });
        said.chain(stand).collect()
    }

    fn send(&mut self, from: Place, to: Place, what: Carried) {
        let arrives = self.real + self.rng.below(self.delay + 1);
        let connection = self.connection(from, to);
        if connection.up {
            connection.ways[usize::from(from > to)].push_back((arrives, what));
        }
    }

    /// What happens next, and when: the earliest of everything that could.
    fn next(&self) -> (u64, Next) {
        let wakes = self.places().filter_map(|place| {
            let machine = &self.machines[usize::from(place)];
            Some((machine.clock.reaches(machine.member.as_ref()?.wakes_at()), Next::Wake(place)))
        });
        let pairs = self.places().flat_map(|high| (0..high).map(move |low| (high, low)));
        let pairs = pairs.flat_map(|(high, low)| {
            let connection = &self.connections[usize::from(high)][usize::from(low)];
            let ends = [(low, high), (high, low)];
            let arrivals = ends.into_iter().zip(&connection.ways).filter_map(|((from, to), way)| {
                let is_cut = self.cut[usize::from(from)][usize::from(to)];
                way.front().filter(|_| !is_cut).map(|&(at, _)| (at, Next::Arrives(from, to)))
            });
            let noticed = ends.into_iter().zip(connection.noticed);
            let noticed = noticed.filter_map(|((end, other), at)| Some((at?, Next::Notices(end, other))));
            let dials = (!connection.up).then_some((connection.dials_at, Next::Dials(high, low)));
            arrivals.chain(noticed).chain(dials).collect::<Vec<_>>()
        });
        let first = wakes.chain(pairs).min_by_key(|&(at, _)| at);
        first.unwrap_or((u64::MAX, Next::Wake(0)))
    }

    /// Lets everything happen up to this real moment, or until the condition holds; whether it does.
    fn run(&mut self, until: u64, done: &dyn Fn(&Rehearsal) -> bool) -> bool {
        loop {
            let (at, next) = self.next();
            if done(self) {
                return true;
            }
            if at >= until {
                self.real = self.real.max(until);
                return false;
            }
            self.real = self.real.max(at);
            match next {
                Next::Wake(place) => self.input(place, Input::Wake),
                Next::Notices(end, other) => {
                    self.connection(end, other).noticed[usize::from(end > other)] = None;
                    self.input(end, Input::Disconnected(other));
                }
                Next::Dials(high, low) => self.dial(high, low),
                Next::Arrives(from, to) => self.arrives(from, to),
            }
        }
    }

    fn dial(&mut self, high: Place, low: Place) {
        let (a, b) = (usize::from(high), usize::from(low));
        if self.cut[a][b] || self.cut[b][a] || !self.runs(high) || !self.runs(low) {
            return self.dial_soon(high, low);
        }
        // Whoever has not noticed that the old one is gone sees it replaced.
        *self.connection(high, low) = Connection { up: true, ..Connection::default() };
        self.input(low, Input::Connected(high));
        self.input(high, Input::Connected(low));
    }

    fn arrives(&mut self, from: Place, to: Place) {
        let way = &mut self.connection(from, to).ways[usize::from(from > to)];
        match way.pop_front() {
            Some((_, Carried::Frame(frame))) => self.input(to, Input::Frame(from, frame)),
            Some((_, Carried::End)) => {
                *self.connection(from, to) = Connection::default();
                self.dial_soon(from, to);
                self.input(to, Input::Disconnected(from));
                self.input(from, Input::Disconnected(to));
            }
            None => {}
        }
    }

    /// Who leads this group now, by its own account.
    fn leaders(&self, group: usize) -> Vec<Place> {
        let leads = |&place: &Place| {
            let machine = &self.machines[usize::from(place)];
            let now = machine.clock.shows(self.real);
            machine.member.as_ref().is_some_and(|member| member.status(now).groups[group].leads)
        };
        self.places().filter(leads).collect()
    }
}

/// What happens next.
#[derive(Clone, Copy)]
enum Next {
    Wake(Place),
    Arrives(Place, Place),
    Notices(Place, Place),
    Dials(Place, Place),
}
