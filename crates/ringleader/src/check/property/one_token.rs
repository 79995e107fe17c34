//! Of each kind there is never more than one token.

use super::{Property, View, Watch};

pub(super) struct OneToken(pub(super) &'static [&'static str]);

impl Property for OneToken {
    fn name(&self) -> &'static str {
        "never two tokens of a kind"
    }

    // Tokens move with almost every step.
    fn watches(&self) -> Watch {
        Watch::Everything
    }

    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let mut kinds = self.0.iter().enumerate();
        match kinds.find(|(place, kind)| state.parts.tokens(state.space, state.state, *place, kind) > 1) {
            None => Ok(()),
            Some((_, kind)) => Err(format!("there are two of {kind}")),
        }
    }
}
