//! What may be under way when a run begins.

/// What is in the link out of a process when a run begins, where it may be anything: values of the process, the newest
/// first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LeftOver {
    values: [u32; LeftOver::MOST],
    len: u8,
}

impl LeftOver {
    /// The most messages that a link may be said to hold.
    pub const MOST: usize = 8;

    /// These values, the newest first: the first eight of them.
    #[must_use]
    pub fn of(values: &[u32]) -> LeftOver {
        let mut left_over = LeftOver::default();
        for (place, &value) in left_over.values.iter_mut().zip(values) {
            *place = value;
            left_over.len += 1;
        }
        left_over
    }

    /// The values in the order in which they were sent.
    pub fn oldest_first(&self) -> impl Iterator<Item = u32> + use<> {
        let LeftOver { values, len } = *self;
        values.into_iter().take(usize::from(len)).rev()
    }
}
