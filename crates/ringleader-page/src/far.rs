//! Watches a run from far away: in memory for its cells, not for its processes times its steps.

use crate::source::Alive;
use ringleader::sim::{Crowd, Moved, Observer, Progress};
use ringleader::trace::{Header, Standing};
use std::ops::ControlFlow;

/// In a role that at most so many are in, each is named.
const FEW: u32 = 24;

/// Numbers from `from` up to before `to`, in so many equal parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) parts: u32,
}

impl Range {
    /// There are no more parts than numbers.
    pub(crate) fn new(from: u64, to: u64, parts: u32) -> Range {
        Range { from, to, parts: u64::from(parts).min(to - from) as u32 }
    }

    pub(crate) fn has(self, number: u64) -> bool {
        (self.from..self.to).contains(&number)
    }

    /// The part that a number is in.
    pub(crate) fn part(self, number: u64) -> usize {
        ((number - self.from) * u64::from(self.parts) / (self.to - self.from)) as usize
    }

    /// The first number after a part.
    pub(crate) fn end(self, part: usize) -> u64 {
        self.from + ((part as u64 + 1) * (self.to - self.from)).div_ceil(u64::from(self.parts))
    }
}

/// The state of the processes after some step.
pub(crate) struct Frame {
    /// How many steps were taken.
    pub(crate) step: u64,
    pub(crate) time: u64,
    pub(crate) messages: u64,
    pub(crate) transit: u64,
    /// How many are in a role, for each role and column.
    pub(crate) roles: Vec<Vec<u32>>,
    /// Those in roles that few are in: process, identity, role.
    pub(crate) alone: Vec<(u32, Option<u64>, usize)>,
}

/// The observer.
pub(crate) struct Far<'a> {
    pub(crate) columns: Range,
    pub(crate) rows: Range,
    pub(crate) received: Vec<u32>,
    pub(crate) roles: Vec<&'static str>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) ticks_per_unit: u64,
    alive: Alive<'a>,
    steps: u64,
    /// The role of each process of the columns, once the first row has begun.
    role: Vec<u8>,
    counts: Vec<Vec<u32>>,
}

impl<'a> Far<'a> {
    pub(crate) fn new(columns: Range, rows: Range, alive: Alive<'a>) -> Far<'a> {
        Far {
            received: vec![0; columns.parts as usize * rows.parts as usize],
            columns,
            rows,
            roles: Vec::new(),
            frames: Vec::new(),
            ticks_per_unit: 1,
            alive,
            steps: 0,
            role: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The place of what a process is, in its own word; where it has none, of where it stands.
    fn look(&mut self, process: u32, crowd: &dyn Crowd) -> u8 {
        let standing = crowd.standing(process);
        let word = match (standing, crowd.role(process)) {
            (Standing::Down, _) => "down",
            (_, Some(word)) => word,
            (standing, None) => standing.name(matches!(standing, Standing::Waiting | Standing::Inside)),
        };
        let known = self.roles.iter().position(|role| *role == word);
        let place = known.unwrap_or_else(|| {
            self.roles.push(word);
            self.counts.push(vec![0; self.columns.parts as usize]);
            self.roles.len() - 1
        });
        // No algorithm has so many words for its processes; what would be beyond them is not told apart.
        place.min(255) as u8
    }

    /// Sees everybody once, when the first row begins.
    fn survey(&mut self, crowd: &dyn Crowd) {
        for process in self.columns.from..self.columns.to {
            let role = self.look(process as u32, crowd);
            self.role.push(role);
            self.counts[role as usize][self.columns.part(process)] += 1;
        }
    }

    fn note(&mut self, process: u32, crowd: &dyn Crowd) {
        if !self.columns.has(u64::from(process)) {
            return;
        }
        let now = self.look(process, crowd);
        let place = (u64::from(process) - self.columns.from) as usize;
        let before = std::mem::replace(&mut self.role[place], now);
        if before != now {
            let column = self.columns.part(u64::from(process));
            self.counts[before as usize][column] -= 1;
            self.counts[now as usize][column] += 1;
        }
    }

    fn frame(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        let totals: Vec<u32> = self.counts.iter().map(|columns| columns.iter().sum()).collect();
        let is_few = |role: u8| totals[role as usize] <= FEW;
        let mut alone = Vec::new();
        if totals.iter().any(|&total| (1..=FEW).contains(&total)) {
            for (place, &role) in self.role.iter().enumerate().filter(|(_, role)| is_few(**role)) {
                let process = self.columns.from as u32 + place as u32;
                alone.push((process, crowd.id(process), role as usize));
            }
        }
        self.frames.push(Frame {
            step: self.steps,
            time: moved.time,
            messages: moved.messages,
            transit: moved.in_transit,
            roles: self.counts.clone(),
            alone,
        });
    }
}

impl Observer for Far<'_> {
    fn wants_moves(&self) -> bool {
        true
    }

    fn begins(&mut self, header: &dyn Fn() -> Header) {
        self.ticks_per_unit = header().ticks_per_unit;
    }

    fn gathers(&mut self, crowd: &dyn Crowd) {
        if self.rows.from == 0 {
            self.survey(crowd);
        }
    }

    fn starts_silently(&mut self, process: u32, crowd: &dyn Crowd) {
        if !self.role.is_empty() {
            self.note(process, crowd);
        }
    }

    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        let step = self.steps;
        self.steps += 1;
        if self.rows.has(step) {
            // Everybody is seen as they are after the first step of the first row; nobody else has moved in it.
            if self.role.is_empty() {
                self.survey(crowd);
            } else {
                self.note(moved.process, crowd);
            }
            let row = self.rows.part(step);
            if self.columns.has(u64::from(moved.process)) {
                let column = self.columns.part(u64::from(moved.process));
                self.received[row * self.columns.parts as usize + column] += moved.received;
            }
            if self.steps == self.rows.end(row) {
                self.frame(moved, crowd);
            }
        }
    }

    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.steps >= self.rows.to || !(self.alive)() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn ends(&mut self) {
        // Roles that came up later were not there before.
        let (roles, columns) = (self.roles.len(), self.columns.parts as usize);
        self.frames.iter_mut().for_each(|frame| frame.roles.resize(roles, vec![0; columns]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_number_once() {
        for (from, to, parts) in [(0, 10, 3), (5, 6, 4), (7, 100, 93), (0, 1_000_003, 720), (3, 17, 14)] {
            let range = Range::new(from, to, parts);
            let mut part = 0;
            for number in from..to.min(from + 5000) {
                if number == range.end(part) {
                    part += 1;
                }
                assert_eq!(range.part(number), part, "{number} of {range:?}");
            }
            assert_eq!(range.end(range.parts as usize - 1), to);
        }
    }
}
