//! What a search goes through. A state is a row of numbers; what they mean is known to the system alone: a network of
//! processes (`expand`) or a model (`model`).

use super::batch::Batch;

/// Something that can be searched.
pub(crate) trait System: Sync {
    /// The length of a state.
    fn words(&self) -> usize;

    /// The steps from its states, for one thread.
    fn steps(&self) -> Box<dyn Steps + '_>;

    /// Bytes in use for what its states are made of.
    fn bytes(&self) -> u64;
}

/// The steps from the states of a system. Each thread has its own.
pub(crate) trait Steps: Send + Sync {
    /// Makes a state the one that stands for all that are the same to the search; its fingerprint.
    fn representative(&mut self, state: &mut [u32]) -> u64;

    /// Adds every step from a state, and what each of them violates.
    fn expand(&mut self, parent: u32, state: &[u32], fingerprint: u64, batch: &mut Batch);

    /// What an initial state violates: the number of the property, and what is wrong.
    fn judge_first(&self, state: &[u32]) -> Option<(usize, String)>;

    /// What a state violates in which nothing more happens.
    fn judge_end(&self, state: &[u32]) -> Option<(usize, String)>;

    /// Whether a run may be taken for complete here although it goes on.
    fn is_served(&self, _state: &[u32]) -> bool {
        false
    }

    /// The largest lag with which a process began a phase.
    fn furthest_lag(&self) -> u32 {
        0
    }
}
