//! Peterson's algorithm by hand.

use crate::one_way::{ELECTED, OneWay};
use crate::queue::NONE;

#[derive(Clone)]
pub(crate) struct Peterson {
    id: u32,
    mode: Mode,
    tid: u32,
    /// The value before mine; in the end the announcement that was seen.
    ntid: u32,
}

#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
enum Mode {
    Wait1,
    Wait2,
    Relay,
    Leader,
    Done,
}

impl OneWay for Peterson {
    fn new(id: u32) -> Self {
        Peterson { id, mode: Mode::Wait1, tid: id, ntid: NONE }
    }

    #[inline]
    fn start(&mut self) -> u32 {
        self.id
    }

    #[inline]
    fn receive(&mut self, value: u32) -> u32 {
        if value & ELECTED != 0 {
            self.ntid = value;
            return if self.mode == Mode::Leader {
                NONE
            } else {
                self.mode = Mode::Done;
                value
            };
        }
        if value == self.id {
            if self.mode == Mode::Leader {
                return NONE;
            }
            self.mode = Mode::Leader;
            return value | ELECTED;
        }
        match self.mode {
            Mode::Relay => value,
            Mode::Wait1 => {
                self.ntid = value;
                self.mode = Mode::Wait2;
                value.max(self.tid)
            }
            Mode::Wait2 => {
                if self.ntid >= self.tid && self.ntid >= value {
                    self.tid = self.ntid;
                    self.mode = Mode::Wait1;
                    self.tid
                } else {
                    self.mode = Mode::Relay;
                    NONE
                }
            }
            Mode::Leader | Mode::Done => NONE,
        }
    }

    fn leads(&self) -> bool {
        self.mode == Mode::Leader
    }
}
