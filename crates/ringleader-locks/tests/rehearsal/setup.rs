//! What a schedule is like: drawn from its seed.

use ringleader::rng::{Purpose, Rng};
use ringleader_live::Micros;
use ringleader_locks::{Class, Kind, Limits, Mode, Name, ServerSpec, Times};

/// How a lock is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Exclusively,
    /// Some read and some write.
    ReadAndWrite,
    /// As a semaphore of so many permits.
    Permits(u32),
}

/// What a schedule is like.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) servers: usize,
    pub(crate) clients: usize,
    pub(crate) names: Vec<Name>,
    /// For each lock how it is used; exclusively where nothing is said.
    pub(crate) uses: Vec<Use>,
    /// Client 0 is the only one who writes, and the others never stop to read.
    pub(crate) restless: bool,
    /// Whether everybody speaks a version of the protocol in which several may hold a lock, from the start.
    pub(crate) shares: bool,
    pub(crate) times: Times,
    pub(crate) classes: Vec<(String, Class)>,
    pub(crate) renew: u64,
    pub(crate) suspect: u64,
    pub(crate) pause: u64,
    pub(crate) idle: u64,
    pub(crate) bypass: u32,
    pub(crate) page: usize,
    pub(crate) cached: usize,
    /// Whether anybody may propose changes of the view, as with an external store; otherwise one at a time
    /// does.
    pub(crate) anybody: bool,
    /// How long a message takes, mostly at most.
    pub(crate) delay: u64,
    /// Whether every message takes exactly that.
    pub(crate) steady: bool,
    /// One in so many takes much longer.
    pub(crate) late: u64,
    /// Of a thousand messages so many are lost.
    pub(crate) loss: u64,
    /// And so many arrive twice.
    pub(crate) doubled: u64,
    /// Whether clocks run at the bounds of what is allowed.
    pub(crate) extreme: bool,
    /// How many things go wrong, and how long it takes from one to the next, at most.
    pub(crate) faults: u64,
    pub(crate) gap: u64,
    /// For how long a lock is held at most, and for how long nothing is wanted.
    pub(crate) hold: u64,
    pub(crate) think: u64,
    /// How many locks a client uses at a time.
    pub(crate) width: usize,
    /// After how many entries the store makes a snapshot.
    pub(crate) snapshot_after: usize,
    /// Whether there may have been servers before the first ones.
    pub(crate) ran_before: bool,
    /// Whether a cluster whose folders were all lost knows that it knows nothing.
    pub(crate) begins_unknown: bool,
    /// The wrong version of the store: a leader that restarts inside its term answers reads too early.
    pub(crate) resumes_early: bool,
}

/// The three kinds of schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kinds {
    /// Faults at every turn, for a minute.
    Violent,
    /// The times that are the default.
    Usual,
    /// Leases of minutes, hours of simulated time, a fault every now and then: what depends on much time
    /// passing.
    Long,
}

impl Setup {
    pub(crate) fn drawn(rng: &mut Rng) -> Setup {
        let kind = match rng.below(16) {
            0 => Kinds::Long,
            1..=3 => Kinds::Usual,
            _ => Kinds::Violent,
        };
        Setup::of(kind, rng)
    }

    pub(crate) fn of(kind: Kinds, rng: &mut Rng) -> Setup {
        let fast = match kind {
            Kinds::Violent => 100_000 + rng.below(900_000),
            Kinds::Usual => 800_000,
            Kinds::Long => 60_000_000 + rng.below(60_000_000),
        };
        let normal = if kind == Kinds::Usual { 3_000_000 } else { fast * (10 + rng.below(30)) / 10 };
        let batch = if kind == Kinds::Usual { 15_000_000 } else { normal * (10 + rng.below(40)) / 10 };
        let drift_ppm = [5000, 5000, 50_000, 200_000][rng.below(4) as usize];
        let times = Times { leases: [fast, normal, batch].map(Micros), drift_ppm };
        let (gap, faults) = match kind {
            Kinds::Violent => (fast / 2 + rng.below(normal), 10 + rng.below(20)),
            Kinds::Usual => (rng.below(4_000_000) + 200_000, 10 + rng.below(10)),
            Kinds::Long => (20 * fast + rng.below(100 * fast), 2 + rng.below(3)),
        };
        let locks = 1 + rng.below(5) as usize;
        Setup {
            servers: 3 + rng.below(3) as usize / 2 * 2,
            clients: if kind == Kinds::Long { 2 } else { 2 + rng.below(7) as usize },
            names: (0..locks).map(|place| named(place, rng)).collect(),
            uses: Vec::new(),
            restless: false,
            shares: true,
            times,
            classes: vec![("f/".into(), Class::Fast), ("b/".into(), Class::Batch)],
            renew: fast / (3 + rng.below(3)),
            suspect: fast / 2 + rng.below(fast / 2),
            pause: fast / 4 * rng.below(2),
            idle: [50_000, fast, 30_000_000][rng.below(3) as usize].max(fast / 20),
            bypass: [0, 1, 16][rng.below(3) as usize],
            page: [1, 2, 1000][rng.below(3) as usize],
            cached: [0, 1, 100_000][rng.below(3) as usize],
            anybody: rng.below(3) == 0,
            delay: (fast / [1000, 100, 20][rng.below(3) as usize]).min(100_000),
            steady: false,
            late: [20, 100, 1000][rng.below(3) as usize],
            loss: [0, 10, 100][rng.below(3) as usize],
            doubled: [0, 10, 100][rng.below(3) as usize],
            extreme: rng.below(2) == 0,
            faults,
            gap,
            hold: [fast / 10, fast, 2 * normal][rng.below(3) as usize],
            think: [fast / 20, fast, 3 * normal][rng.below(3) as usize]
                + if kind == Kinds::Long { 10 * fast } else { 0 },
            width: 1 + rng.below(2) as usize,
            snapshot_after: [4, 16, 64][rng.below(3) as usize],
            ran_before: rng.below(4) == 0,
            begins_unknown: true,
            resumes_early: false,
        }
    }

    /// Some locks are held by several. What is drawn for it is apart from everything else: a schedule without such
    /// locks is what it was before there were any.
    pub(crate) fn shares(&mut self, seed: u64) {
        let mut rng = Rng::new(seed, Purpose::Choices);
        let uses = self.names.iter().map(|_| match rng.below(4) {
            0 => Use::Exclusively,
            1 | 2 => Use::ReadAndWrite,
            _ => Use::Permits(1 + rng.below(3) as u32),
        });
        self.uses = uses.collect();
        self.shares = rng.below(4) > 0;
    }

    /// How a lock is used.
    pub(crate) fn used(&self, lock: usize) -> Use {
        let lock = self.names.get(lock).filter(|name| name.kind() == Kind::Lock).and(self.uses.get(lock));
        lock.copied().unwrap_or(Use::Exclusively)
    }

    /// How a client wants to hold a lock, drawn anew each time; now and then the wrong way, which nobody may be
    /// granted beside others.
    pub(crate) fn mode(&self, lock: usize, client: usize, astray: bool, rng: &mut Rng) -> Mode {
        match self.used(lock) {
            Use::Exclusively => Mode::Exclusive,
            Use::ReadAndWrite if self.restless => {
                if client == 0 {
                    Mode::Exclusive
                } else {
                    Mode::Shared
                }
            }
            Use::ReadAndWrite | Use::Permits(_) if astray && rng.below(16) == 0 => {
                [Mode::Exclusive, Mode::Shared, Mode::Permits(1), Mode::Permits(4)][rng.below(4) as usize]
            }
            Use::ReadAndWrite => {
                if rng.below(3) == 0 {
                    Mode::Exclusive
                } else {
                    Mode::Shared
                }
            }
            Use::Permits(permits) => Mode::Permits(permits),
        }
    }

    /// What a server is told at its start.
    pub(crate) fn spec(&self, id: usize, incarnation: u64) -> ServerSpec {
        let peers = (0..self.servers as u16).collect();
        ServerSpec {
            renew: Micros(self.renew),
            suspect: Micros(self.suspect),
            pause: Micros(self.pause),
            idle: Micros(self.idle),
            bypass: self.bypass,
            limits: Limits {
                page: self.page,
                cached: self.cached,
                shortest: Micros(self.shortest()),
                ..Limits::default()
            },
            ..ServerSpec::new(id as u16, incarnation, peers)
        }
    }

    /// The shortest time that a session may ask for.
    pub(crate) fn shortest(&self) -> u64 {
        self.times.leases[0].0 / 4
    }

    /// The longest lease.
    pub(crate) fn longest(&self) -> u64 {
        self.times.leases.iter().map(|lease| lease.0).max().unwrap_or(0)
    }
}

/// A lock of any class, or an election.
fn named(place: usize, rng: &mut Rng) -> Name {
    let prefix = ["f/", "", "b/"][rng.below(3) as usize];
    let kind = if rng.below(4) == 0 { Kind::Election } else { Kind::Lock };
    Name::new(kind, &format!("{prefix}{place}")).expect("a name")
}
