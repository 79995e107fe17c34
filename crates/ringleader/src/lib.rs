//! Leader election and mutual exclusion, from textbook to production.

pub mod model;

pub mod election;
pub mod mutex;

pub mod network;
pub mod rng;
pub mod trace;

pub mod sim;

pub mod registry;
