//! Who hears whom, and whom that makes the steward.
