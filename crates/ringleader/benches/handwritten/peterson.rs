//! Peterson's algorithm by hand.

use crate::one_way::OneWay;
use crate::word::{ELECTED, NONE, id_of, mode_of, word};

const WAIT1: u32 = 0;
const WAIT2: u32 = 1;
const RELAY: u32 = 2;
const LEADER: u32 = 3;
const DONE: u32 = 4;

pub(crate) enum Peterson {}

#[derive(Clone, Copy)]
pub(crate) struct Values {
    tid: u32,
    /// The value before mine; in the end the announcement that was seen.
    ntid: u32,
}

impl OneWay for Peterson {
    type Cold = Values;

    fn new(id: u32) -> (u32, Values) {
        (word(WAIT1, id), Values { tid: id, ntid: NONE })
    }

    #[inline]
    fn start(hot: &mut u32) -> u32 {
        id_of(*hot)
    }

    #[inline]
    fn receive(hot: &mut u32, values: &mut Values, value: u32) -> u32 {
        let (mode, id) = (mode_of(*hot), id_of(*hot));
        if value & ELECTED != 0 {
            values.ntid = value;
            return if mode == LEADER {
                NONE
            } else {
                *hot = word(DONE, id);
                value
            };
        }
        if value == id {
            return if mode == LEADER {
                NONE
            } else {
                *hot = word(LEADER, id);
                value | ELECTED
            };
        }
        match mode {
            RELAY => value,
            WAIT1 => {
                values.ntid = value;
                *hot = word(WAIT2, id);
                value.max(values.tid)
            }
            WAIT2 if values.ntid >= values.tid && values.ntid >= value => {
                values.tid = values.ntid;
                *hot = word(WAIT1, id);
                values.tid
            }
            WAIT2 => {
                *hot = word(RELAY, id);
                NONE
            }
            _ => NONE,
        }
    }

    fn leads(hot: u32) -> bool {
        mode_of(hot) == LEADER
    }
}
