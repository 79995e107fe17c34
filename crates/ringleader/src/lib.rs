//! Leader election and mutual exclusion, from textbook to production.
//!
//! An algorithm is written once, in the words of [`model`], in a file under [`election`],
//! [`mutex`] or [`clocks`]. [`sim`] runs it
//! on a network of [`network`]; [`trace`] says what happened, step by step; [`registry`] lists all algorithms with
//! their types erased.
//!
//! ```
//! use ringleader::{election::Peterson, registry, sim};
//!
//! // With its type: a ring with these identities, everything else as usual.
//! let run = sim::elect::<Peterson>(&[3, 7, 4, 1]);
//! assert_eq!(run.leader_id(), Some(7));
//! assert_eq!(run.by_kind, [("tid", 7), ("max", 4), ("elected", 4)]);
//! assert!(run.holds()); // every property, and the proved bound
//!
//! // By name: any scenario, and somebody to watch it (here nobody).
//! let scenario = sim::Scenario { schedule: sim::Schedule::Random, seed: 7, ..sim::Scenario::new(100) };
//! let run = registry::find(registry::ALL, "franklin").unwrap().run(&scenario, &mut ()).unwrap();
//! assert_eq!(run.leader_id(), Some(100));
//! ```

#[macro_use]
mod catalogue;

pub mod model;

pub mod clocks;
pub mod election;
pub mod mutex;

mod hash;
pub mod network;
mod population;
pub mod rng;
mod scenario;
pub mod trace;

pub mod sim;

pub mod check;

pub mod host;

pub mod registry;
