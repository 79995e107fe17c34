//! What a cluster is, as plain data. Reading it from a file is the business of a leaf.

use super::{Limits, Micros, Patience, Terms};
use ringleader::registry::Entry;
use ringleader::sim::Scenario;

/// The members of a cluster, what they do together, and how patient they are.
#[derive(Clone)]
pub struct Cluster {
    /// Its name.
    pub name: String,
    /// Its members, in ring order. Their number is what a majority is counted of.
    pub members: Vec<MemberSpec>,
    /// What they do together.
    pub groups: Vec<GroupSpec>,
    /// The times.
    pub timing: Timing,
}

/// A member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberSpec {
    /// Its name; certificates have it.
    pub name: String,
    /// Its identity in elections.
    pub id: u64,
}

/// A group: all members run this algorithm together.
#[derive(Clone)]
pub struct GroupSpec {
    /// Its name.
    pub name: String,
    /// The algorithm.
    pub entry: &'static Entry,
    /// Its settings, topology and range. The number of processes, the identities and the wiring follow from
    /// who takes part.
    pub scenario: Scenario,
    /// What the user of each member does, in mutual exclusion, unless somebody says so from outside.
    pub users: Option<Users>,
    /// Where processes have clocks: the moment from which these count. All members must be on one machine then, whose
    /// clock they share; how far theirs are off, and how fast they run, the scenario says.
    pub zero: Option<Micros>,
}

/// A user that comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Users {
    /// How often it wants in, in all, as long as the member lives.
    pub entries: u32,
    /// For how long it stays.
    pub hold: Micros,
    /// For how long it is elsewhere before it wants in again.
    pub think: Micros,
}

/// The times of a cluster, the same for all its members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Heartbeats and suspicion.
    pub patience: Patience,
    /// Grants.
    pub terms: Terms,
    /// One tick of the algorithms' own timers.
    pub unit: Micros,
    /// The longest delay of a message that algorithms are told, in ticks.
    pub max_delay: u32,
    /// For how long the first epoch waits for members that were never heard.
    pub gather: Micros,
    /// After how long without a leader an epoch is given up; doubled each time.
    pub retry: Micros,
    /// For how long a token that nobody wants stays before it is sent on, where it may.
    pub dwell: Micros,
    /// How much may wait in a link.
    pub limits: Limits,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing {
            patience: Patience {
                heartbeat: Micros::millis(100),
                phi: 8,
                window: 100,
                least_deviation: Micros::millis(20),
                pause: Micros::millis(150),
            },
            terms: Terms { lease: Micros::millis(1000), drift: 5000 },
            unit: Micros::millis(20),
            max_delay: 10,
            gather: Micros::millis(3000),
            retry: Micros::millis(2000),
            dwell: Micros::millis(5),
            limits: Limits { unacknowledged: 1024, ack_every: 32 },
        }
    }
}
