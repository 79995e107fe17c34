//! The integration tests of the library, through its public face, in one binary: one link step, one list.

mod docs; // every contract of the registry is well-formed
mod wire; // every message survives its wire form, and no bytes can do harm
