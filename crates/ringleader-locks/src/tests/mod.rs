//! What takes several files of the crate together: searches through every state of a small world.

mod proofs;
