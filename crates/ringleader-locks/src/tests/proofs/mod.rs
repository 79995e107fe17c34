//! The servers of the lock service, held to account by our own checker: a small world of real servers and
//! sessions, searched through every schedule, loss, repetition, view change and crash within a scope; and
//! each rule left out, which the search must notice.

mod runs;
mod table;
mod waits;
mod world;
