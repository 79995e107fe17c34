//! The parts of a member, held to account by our own checker: test-only processes with the real part inside,
//! searched through every schedule, loss, duplication and restart within a scope, and mistakes that the
//! search must find.

mod courier;
mod detector;
mod grants;
mod link;
