//! What a schedule is like: drawn from its seed.

use ringleader::rng::Rng;
use ringleader_live::Micros;
use ringleader_locks::{Class, Kind, Limits, Name, ServerSpec, Times};

/// What a schedule is like.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) servers: usize,
    pub(crate) clients: usize,
    pub(crate) names: Vec<Name>,
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
