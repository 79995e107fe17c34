//! Chang–Roberts by hand.

use crate::one_way::OneWay;
use crate::word::{ELECTED, NONE, id_of, mode_of, word};

const IDLE: u32 = 0;
const PARTICIPANT: u32 = 1;
const LEADER: u32 = 2;
const DONE: u32 = 3;

pub(crate) enum ChangRoberts {}

impl OneWay for ChangRoberts {
    /// The announcement that was seen.
    type Cold = u32;

    fn new(id: u32) -> (u32, u32) {
        (word(IDLE, id), NONE)
    }

    #[inline]
    fn start(hot: &mut u32) -> u32 {
        let id = id_of(*hot);
        *hot = word(PARTICIPANT, id);
        id
    }

    #[inline]
    fn receive(hot: &mut u32, coordinator: &mut u32, message: u32) -> u32 {
        let id = id_of(*hot);
        if message & ELECTED != 0 {
            *coordinator = message;
            return if message == id | ELECTED {
                NONE
            } else {
                *hot = word(DONE, id);
                message
            };
        }
        let participates = mode_of(*hot) == PARTICIPANT;
        if message > id {
            if !participates {
                *hot = word(PARTICIPANT, id);
            }
            message
        } else if message == id {
            *hot = word(LEADER, id);
            message | ELECTED
        } else if participates {
            NONE
        } else {
            *hot = word(PARTICIPANT, id);
            id
        }
    }

    fn leads(hot: u32) -> bool {
        mode_of(hot) == LEADER
    }
}
