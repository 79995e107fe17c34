//! Suzuki–Kasami, by hand.

use crate::rounds::{Algorithm, Flight};
use std::collections::VecDeque;

struct Process {
    is_waiting: bool,
    is_inside: bool,
    rn: Vec<u32>,
}

pub(crate) struct SuzukiKasami {
    processes: Vec<Process>,
    /// There is one token: where it is, if it is not on its way, and what it carries.
    holder: Option<u32>,
    ln: Vec<u32>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

#[derive(Clone, Copy)]
pub(crate) enum Msg {
    Request(u32),
    Token,
}

impl Algorithm for SuzukiKasami {
    type Msg = Msg;

    fn new(n: u32) -> SuzukiKasami {
        let process = || Process { is_waiting: false, is_inside: false, rn: vec![0; n as usize] };
        SuzukiKasami {
            processes: (0..n).map(|_| process()).collect(),
            holder: Some(0),
            ln: vec![0; n as usize],
            queue: VecDeque::new(),
            is_queued: vec![false; n as usize],
        }
    }

    fn wants(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        let process = &mut self.processes[who as usize];
        if self.holder == Some(who) {
            process.is_inside = true;
            return true;
        }
        process.is_waiting = true;
        process.rn[who as usize] += 1;
        let msg = Msg::Request(process.rn[who as usize]);
        let n = self.processes.len() as u32;
        out.extend((0..n).filter(|&to| to != who).map(|to| Flight { to, from: who, msg }));
        false
    }

    fn arrives(&mut self, flight: Flight<Msg>, out: &mut Vec<Flight<Msg>>) -> bool {
        let Flight { to, from, msg } = flight;
        let process = &mut self.processes[to as usize];
        match msg {
            Msg::Request(sn) => {
                let rn = &mut process.rn[from as usize];
                *rn = sn.max(*rn);
                let is_free = self.holder == Some(to) && !process.is_inside;
                if is_free && *rn == self.ln[from as usize] + 1 {
                    self.holder = None;
                    out.push(Flight { to: from, from: to, msg: Msg::Token });
                }
                false
            }
            Msg::Token => {
                self.holder = Some(to);
                (process.is_waiting, process.is_inside) = (false, true);
                true
            }
        }
    }

    fn leaves(&mut self, who: u32, out: &mut Vec<Flight<Msg>>) -> bool {
        let process = &mut self.processes[who as usize];
        process.is_inside = false;
        self.ln[who as usize] = process.rn[who as usize];
        for (other, &rn) in process.rn.iter().enumerate() {
            if rn == self.ln[other] + 1 && !self.is_queued[other] {
                self.is_queued[other] = true;
                self.queue.push_back(other as u32);
            }
        }
        if let Some(to) = self.queue.pop_front() {
            self.is_queued[to as usize] = false;
            self.holder = None;
            out.push(Flight { to, from: who, msg: Msg::Token });
        }
        false
    }
}
