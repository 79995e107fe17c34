//! Ricart–Agrawala, by hand.

use crate::rounds::{Algorithm, Flight};

#[derive(Clone, Default)]
struct Process {
    clock: u32,
    ts: u32,
    missing: u32,
    is_inside: bool,
    deferred: Vec<u32>,
}

pub(crate) struct RicartAgrawala(Vec<Process>);

#[derive(Clone, Copy)]
pub(crate) enum Msg {
    Request(u32),
    Reply,
}

impl Algorithm for RicartAgrawala {
    type Msg = Msg;

    fn new(n: u32) -> RicartAgrawala {
        RicartAgrawala(vec![Process::default(); n as usize])
    }

    fn wants(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        let n = self.0.len() as u32;
        let process = &mut self.0[who as usize];
        process.clock += 1;
        process.ts = process.clock;
        process.missing = n - 1;
        process.is_inside = n == 1;
        for to in (0..n).filter(|&to| to != who) {
            out.push(Flight { to, from: who, msg: Msg::Request(process.ts) });
        }
        process.is_inside
    }

    fn arrives(&mut self, flight: Flight<Msg>, out: &mut Vec<Flight<Msg>>) -> bool {
        let Flight { to, from, msg } = flight;
        let process = &mut self.0[to as usize];
        match msg {
            Msg::Request(ts) => {
                process.clock = process.clock.max(ts);
                let waits = process.missing > 0 && (process.ts, to) < (ts, from);
                if process.is_inside || waits {
                    process.deferred.push(from);
                } else {
                    out.push(Flight { to: from, from: to, msg: Msg::Reply });
                }
                false
            }
            Msg::Reply => {
                process.missing -= 1;
                process.is_inside = process.missing == 0;
                process.is_inside
            }
        }
    }

    fn leaves(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        let process = &mut self.0[who as usize];
        process.is_inside = false;
        for to in process.deferred.drain(..) {
            out.push(Flight { to, from: who, msg: Msg::Reply });
        }
        false
    }
}
