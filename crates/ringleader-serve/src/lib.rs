//! Serves the page, which is inside the program, and what the page asks for.
//!
//! `POST /api/VERB` takes a question and gives an answer, both JSON; everything else is the page. All that is said in between
//! is decided here: who may ask ([`access`]), how much at once ([`api`]), what is in the program ([`page`]).

mod access;
mod api;
mod jobs;
mod page;
mod server;

pub use access::Access;
pub use server::{Served, Server, bind};
