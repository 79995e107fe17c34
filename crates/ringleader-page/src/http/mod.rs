//! Serves the page, which is inside the program, and what the page asks for.
//!
//! `POST /api/VERB` takes a question and gives an answer, both JSON; everything else is the page. What is
//! decided here: who may ask (`access`), how much at once (`api`), what is in the program (`page`), how a real
//! cluster is, if there is one (`cluster`), whose pages may hold ours (`frame`), what is compressed (`compress`).

mod access;
mod api;
mod cluster;
mod compress;
mod frame;
mod jobs;
mod page;
mod server;

pub use access::Access;
pub use cluster::Look;
pub use frame::Origin;
pub use server::{Served, Server, bind};
