//! Why there is no answer.

use ringleader::model::Told;
use ringleader::registry::{Entry, Problem};
use ringleader::sim::Refusal;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The question has none for this algorithm.
    Unsuited(Unsuited),
    /// The scenario is impossible, or outside the contract.
    Refused(Refusal),
    /// There are too many arrangements, or too many schedules of each, to try them all.
    TooLarge {
        /// How many arrangements.
        arrangements: u128,
        /// How many states one of them has over every schedule, where that matters, as far as they were counted.
        states: Option<u64>,
        /// How many arrangements would do.
        most: u128,
    },
    /// The algorithm broke its contract with these identities: what it sends then says nothing.
    Broken(Vec<u64>),
    /// Whoever watched had seen enough.
    Stopped,
}

/// Why an algorithm has no worst arrangement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsuited {
    /// It is no election: its messages depend on who wants to enter, and when.
    Exclusion,
    /// It is an as-printed variant.
    Literal,
    /// It draws random numbers: there is no most.
    Random,
    /// Its processes have no identities.
    Anonymous,
    /// Its processes are known by name, in one order.
    Named,
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Refused(refusal)
    }
}

/// Whether an algorithm has a worst arrangement at all.
pub(crate) fn suited(entry: &Entry) -> Result<(), Trouble> {
    let why = if entry.problem == Problem::Mutex {
        Unsuited::Exclusion
    } else if entry.is_literal() {
        Unsuited::Literal
    } else if entry.spec.needs.choices {
        Unsuited::Random
    } else if entry.is_anonymous() {
        Unsuited::Anonymous
    } else if !entry.told.has(Told::Identity) {
        Unsuited::Named
    } else {
        return Ok(());
    };
    Err(Trouble::Unsuited(why))
}
