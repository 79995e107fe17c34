//! What takes several files of the crate together: searches of its parts, clusters from seeds, and clusters that are
//! well.

mod proofs;
mod rehearsal;
mod sanity;
