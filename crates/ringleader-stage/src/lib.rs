//! What the page asks, and the answers.
//!
//! The page sees one interface (`web/src/engine/types.ts`, in words `web/ENGINE.md`): a verb, a question as JSON, an answer
//! as JSON. This crate is that interface without a socket: [`Stage::call`]. A server hands it what comes in; a build for
//! WebAssembly can do the same. Nothing here touches files, the network or a clock.

pub mod check;
mod compare;
mod complaint;
mod question;
mod refusal;
pub mod story;
#[cfg(test)]
mod testing;
mod words;

pub use complaint::Complaint;
pub use question::{OptionValue, Options, RunRequest, Source};
pub use words::{Compared, Planned, PlannedCheck, Words};
