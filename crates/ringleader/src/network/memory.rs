//! Processes that share registers: nobody is connected with anybody.

use super::{Network, Plan, Wired};
use crate::model::Never;

/// No links.
#[derive(Clone, Debug)]
pub struct NoLinks;

impl Network<Never> for NoLinks {
    fn degree(&self, _: u32) -> u32 {
        0
    }
    fn route(&self, _: u32, out: Never) -> (u32, Never) {
        match out {}
    }
    fn stride(&self) -> u64 {
        1
    }
}

impl Wired for Never {
    type Net = NoLinks;
    fn wire(_: &Plan) -> NoLinks {
        NoLinks
    }
}
