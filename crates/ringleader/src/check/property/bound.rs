//! The number of messages is within the proved bound, in every run.

use super::{Property, View, Watch};

pub(crate) const NAME: &str = "messages within the bound";

/// Asked where messages are counted in the state, to find a shortest run that sends too many.
pub(crate) struct Bounded {
    pub(crate) most: u64,
    pub(crate) formula: &'static str,
}

impl Property for Bounded {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Watch {
        Watch::Everything
    }

    fn always(&self, state: &View<'_>) -> Result<(), String> {
        match state.common().sent {
            Some(sent) if u64::from(sent) > self.most => {
                Err(format!("{sent} messages were sent; the bound {} is {}", self.formula, self.most))
            }
            Some(_) | None => Ok(()),
        }
    }
}
