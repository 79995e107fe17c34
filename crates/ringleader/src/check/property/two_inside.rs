//! Never two users are in the critical section.

use super::{Property, View, Watch};
use crate::model::Stage;

pub(super) struct NeverTwoInside;

impl Property for NeverTwoInside {
    fn name(&self) -> &'static str {
        "never two inside"
    }

    fn watches(&self) -> Watch {
        Watch::Stages
    }

    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let inside: Vec<u32> = state.everybody().filter(|&i| state.stage(i) == Stage::Inside).collect();
        match inside.as_slice() {
            [first, second, ..] => Err(format!("processes {first} and {second} are both inside")),
            [] | [_] => Ok(()),
        }
    }
}
