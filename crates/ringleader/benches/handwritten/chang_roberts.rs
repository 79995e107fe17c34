//! Chang–Roberts by hand.

use crate::one_way::{ELECTED, OneWay};
use crate::queue::NONE;

#[derive(Clone)]
pub(crate) struct ChangRoberts {
    id: u32,
    /// `IDLE`, `PARTICIPANT`, or the announcement that was seen.
    state: u32,
}

const IDLE: u32 = 0;
const PARTICIPANT: u32 = 1;

impl OneWay for ChangRoberts {
    fn new(id: u32) -> Self {
        ChangRoberts { id, state: IDLE }
    }

    #[inline]
    fn start(&mut self) -> u32 {
        self.state = PARTICIPANT;
        self.id
    }

    #[inline]
    fn receive(&mut self, message: u32) -> u32 {
        if message & ELECTED != 0 {
            self.state = message;
            return if message == self.id | ELECTED { NONE } else { message };
        }
        if message > self.id {
            self.state = PARTICIPANT;
            message
        } else if message == self.id {
            message | ELECTED
        } else if self.state == PARTICIPANT {
            NONE
        } else {
            self.state = PARTICIPANT;
            self.id
        }
    }

    fn leads(&self) -> bool {
        self.state == self.id | ELECTED
    }
}
