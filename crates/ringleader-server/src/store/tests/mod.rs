//! What the tests of all stores share.

pub(crate) mod contract;
