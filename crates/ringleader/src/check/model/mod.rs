//! Models of one's own: anything that has states and actions is checked by the same search as networks of processes.
//!
//! A [`Model`] says where it begins, what can happen and where that leads, and what must hold (its [`Properties`]).
//! [`model`] goes through all its states, breadth first, so that a run to a violation is a shortest one. States are
//! compared, not only their fingerprints: nothing is missed.
//!
//! Here is Peterson's lock for two threads, of which each step reads or writes one variable:
//!
//! ```
//! use ringleader::check::{self, Effort, Model, Properties};
//!
//! struct Lock { raises_first: bool }
//!
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! struct State { flags: [bool; 2], turn: usize, at: [u8; 2] }
//!
//! impl Model for Lock {
//!     type State = State;
//!     /// A step of this thread.
//!     type Action = usize;
//!
//!     fn initial(&self) -> Vec<State> {
//!         vec![State { flags: [false; 2], turn: 0, at: [0; 2] }]
//!     }
//!
//!     fn actions(&self, state: &State) -> Vec<usize> {
//!         let (flags, turn) = (state.flags, state.turn);
//!         let waits = |who: usize| state.at[who] == 2 && flags[1 - who] && turn != who;
//!         (0..2).filter(|&who| !waits(who)).collect()
//!     }
//!
//!     fn next(&self, state: &State, &who: &usize) -> State {
//!         let mut next = state.clone();
//!         match (state.at[who], self.raises_first) {
//!             (0, true) | (1, false) => next.flags[who] = true,
//!             (0, false) | (1, true) => next.turn = 1 - who,
//!             (2, _) => {}                        // comes in
//!             _ => next.flags[who] = false,       // leaves
//!         }
//!         next.at[who] = (state.at[who] + 1) % 4;
//!         next
//!     }
//!
//!     /// A thread that can go on does so at last.
//!     fn duty(&self, &who: &usize) -> Option<u64> {
//!         Some(who as u64)
//!     }
//!
//!     fn properties(&self, must: &mut Properties<Self>) {
//!         must.always("at most one is inside", |_, state| state.at != [3, 3]);
//!         must.lead("whoever waits comes in", |_, state| state.at[0] == 2, |_, state| state.at[0] == 3);
//!     }
//! }
//!
//! let right = check::model(&Lock { raises_first: true }, &Effort::default(), &());
//! assert!(right.holds());
//!
//! let wrong = check::model(&Lock { raises_first: false }, &Effort::default(), &());
//! let run = wrong.counterexample.unwrap();
//! assert_eq!(run.property, "at most one is inside");
//! assert_eq!(run.to_string(), "0; 1; 1; 1; 0; 0"); // both set the turn before either raises its flag
//! ```

mod explore;

pub use explore::model;

use super::findings::{Answer, Finding, Limit};
use core::fmt::{self, Debug, Display};
use core::hash::Hash;

/// Something that can be checked.
pub trait Model: Sync {
    /// A state.
    type State: Clone + Eq + Hash + Send + Sync;
    /// Something that can happen.
    type Action;

    /// Where it may begin.
    fn initial(&self) -> Vec<Self::State>;

    /// What can happen in a state; where nothing can, a run ends.
    fn actions(&self, state: &Self::State) -> Vec<Self::Action>;

    /// The state after an action that can happen in this one.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Self::State;

    /// What must hold.
    fn properties(&self, must: &mut Properties<Self>);

    /// Actions with the same number are one duty: a run is fair if, whenever one of them can happen from some moment on
    /// at every moment, one happens at last. An action without a number need never happen.
    fn duty(&self, action: &Self::Action) -> Option<u64> {
        let _ = action;
        None
    }
}

/// What must hold of a model.
pub struct Properties<M: Model + ?Sized>(Vec<Property<M>>);

struct Property<M: Model + ?Sized> {
    name: &'static str,
    kind: Kind<M>,
}

/// Whether something holds in a state.
type Holds<M> = fn(&M, &<M as Model>::State) -> bool;

/// Whether something holds of a step: the state before, the action, the state after.
type HoldsOfStep<M> = fn(&M, &<M as Model>::State, &<M as Model>::Action, &<M as Model>::State) -> bool;

enum Kind<M: Model + ?Sized> {
    Always(Holds<M>),
    Step(HoldsOfStep<M>),
    Finally(Holds<M>),
    Possible(Holds<M>),
    Lead(Option<Holds<M>>, Holds<M>),
}

impl<M: Model + ?Sized> Properties<M> {
    fn add(&mut self, name: &'static str, kind: Kind<M>) {
        self.0.push(Property { name, kind });
    }

    /// In every state.
    pub fn always(&mut self, name: &'static str, holds: Holds<M>) {
        self.add(name, Kind::Always(holds));
    }

    /// In every step: of the state before, the action, and the state after.
    pub fn step(&mut self, name: &'static str, holds: HoldsOfStep<M>) {
        self.add(name, Kind::Step(holds));
    }

    /// In every state in which nothing can happen.
    pub fn finally(&mut self, name: &'static str, holds: Holds<M>) {
        self.add(name, Kind::Finally(holds));
    }

    /// From every state a state can be reached in which this holds.
    pub fn possible(&mut self, name: &'static str, holds: Holds<M>) {
        self.add(name, Kind::Possible(holds));
    }

    /// Every fair run comes to a state in which this holds.
    pub fn eventually(&mut self, name: &'static str, holds: Holds<M>) {
        self.add(name, Kind::Lead(None, holds));
    }

    /// From every state in which the one holds, every fair run comes to a state in which the other does.
    pub fn lead(&mut self, name: &'static str, from: Holds<M>, to: Holds<M>) {
        self.add(name, Kind::Lead(Some(from), to));
    }

    /// Whether one is decided by the edges between all states, not by each state alone.
    fn need_edges(&self) -> bool {
        self.0.iter().any(|property| matches!(property.kind, Kind::Possible(_) | Kind::Lead(..)))
    }
}

/// How much is spent on a search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many threads. What is found does not depend on it.
    pub threads: u32,
    /// Stop after so many states.
    pub max_states: Option<u64>,
    /// Stop when so many bytes are in use. What states hold in other places (lists, say) is not counted.
    pub max_bytes: Option<u64>,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { threads: 1, max_states: None, max_bytes: None }
    }
}

/// What came of checking a model.
pub struct ModelFindings<M: Model> {
    /// Whether every property holds.
    pub answer: Answer,
    /// Distinct states.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// The longest of the shortest ways to a state.
    pub depth: u64,
    /// One finding for each property.
    pub properties: Vec<Finding>,
    /// A run that violates one of them.
    pub counterexample: Option<ModelRun<M>>,
    /// The limit that was reached.
    pub limit: Option<Limit>,
}

impl<M: Model> ModelFindings<M> {
    /// Whether every property holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.answer == Answer::Holds
    }
}

impl<M: Model> Debug for ModelFindings<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ModelFindings");
        shown.field("answer", &self.answer).field("states", &self.states);
        shown.field("transitions", &self.transitions).field("depth", &self.depth);
        shown.field("properties", &self.properties).field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// A run of a model that violates something. One that shows in a state or a step is a shortest one.
pub struct ModelRun<M: Model> {
    /// What it violates.
    pub property: &'static str,
    /// The states, from an initial one on.
    pub states: Vec<M::State>,
    /// What happens between each and the next.
    pub actions: Vec<M::Action>,
    /// If it goes on for ever: the place of the state from which on it repeats.
    pub repeats_from: Option<usize>,
}

/// The actions in order.
impl<M: Model> Display for ModelRun<M>
where
    M::Action: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, action) in self.actions.iter().enumerate() {
            write!(f, "{}{action}", if place > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}
