//! One group of a member: the epochs of its algorithm, its process, its claim.
